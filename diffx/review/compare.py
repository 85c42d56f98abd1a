"""Two snapshots of one repository against each other: what became of every file (9.1).

`pairs` needs only the manifests, so that whoever holds the contents reads those that differ and
no others; `compare` then says what happened, from those contents, and never guesses.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from diffx.review.interdiff import Interdiff, Sides, interdiff, plain
from diffx.review.linediff import Effort, split_lines
from diffx.review.model import Digest, FileId, GitPath, WithheldReason

COMPARE_STEPS: Final = 4_000_000
FILE_STEPS: Final = 400_000
_LIKENESS: Final = 0.5
_MAX_GUESSED_PAIRS: Final = 400

State = Literal["unchanged", "upstream", "changed", "new", "gone", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file as a manifest lists it."""

    id: FileId
    path: GitPath
    old_path: GitPath | None
    status: str
    fingerprint: Digest | None
    old_mode: str | None = None
    new_mode: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A stored side of a file; exactly one of `text` and `reason` is None."""

    text: bytes | None = None
    reason: WithheldReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Both sides of a file in one snapshot; None is a side that does not exist."""

    before: Content | None
    after: Content | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One file in both snapshots, or in one of them."""

    old: ListedFile | None
    new: ListedFile | None

    @property
    def id(self) -> FileId:
        return self.listed.id

    @property
    def listed(self) -> ListedFile:
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def renamed(self) -> bool:
        return self.old is not None and self.new is not None and self.old.path != self.new.path

    @property
    def same(self) -> bool:
        """Equal fingerprints mean the same change (3.6)."""
        if self.old is None or self.new is None or self.old.fingerprint is None:
            return False
        return self.old.fingerprint == self.new.fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class FileComparison:
    """What became of one file.

    `diff` leads from the old after side to the new one; it is None for `unchanged` and where
    `reason` says what was not stored. `separated` is False where upstream's part could not be
    told apart and all is shown as the author's. `own` says that the file is in one snapshot only
    and the other's content is not known, so the diff is that snapshot's own change.
    """

    pair: Pair
    state: State
    diff: Interdiff | None = None
    reason: WithheldReason | None = None
    separated: bool = True
    own: bool = False
    mode_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Every file of two snapshots. `author_change` None means that it cannot be known."""

    same_base: bool
    files: tuple[FileComparison, ...]

    @property
    def author_change(self) -> bool | None:
        said = {author_change(file) for file in self.files}
        return True if True in said else None if None in said else False

    @property
    def pure_rebase(self) -> bool:
        """The base moved, and nothing else."""
        return not self.same_base and self.author_change is False


def author_change(file: FileComparison) -> bool | None:
    """Say whether the author changed a file, None where it cannot be known."""
    if file.state == "unknown" or (file.state == "gone" and file.own):
        return None
    return file.state in ("changed", "new", "gone")


def pairs(
    old: Sequence[ListedFile],
    new: Sequence[ListedFile],
    after: Mapping[FileId, tuple[Content | None, Content | None]] | None = None,
) -> list[Pair]:
    """Say which file of one snapshot is which of the other: by path, then through renames.

    `after` has the old and the new after sides of files that are alone; with them a file that the
    author added and then moved is recognised by its lines.
    """
    pairing = _Pairing(old, new)
    pairing.by_path()
    pairing.by_rename()
    if after:
        pairing.by_content(after)
    return pairing.result()


def may_have_moved(lone: Iterable[Pair]) -> bool:
    """Say whether reading the added files among those that are alone may pair any of them."""
    added = [pair for pair in lone if pair.listed.status == "A"]
    olds = sum(1 for pair in added if pair.new is None)
    return 0 < olds * (len(added) - olds) <= _MAX_GUESSED_PAIRS


@dataclass(slots=True)
class _Pairing:
    old: Sequence[ListedFile]
    new: Sequence[ListedFile]
    partner: dict[FileId, ListedFile] = field(default_factory=dict)
    """Of each new file, its old one."""
    taken: set[FileId] = field(default_factory=set)

    def by_path(self) -> None:
        there = {file.id: file for file in self.old}
        for file in self.new:
            if file.id in there:
                self._join(there[file.id], file)

    def by_rename(self) -> None:
        """Follow a rename that either snapshot, or both, made of one base file."""
        places: dict[GitPath, ListedFile] = {}
        for file in self._lone_old():
            places.setdefault(file.path, file)
        for file in self._lone_old():
            if file.old_path is not None:
                places.setdefault(file.old_path, file)
        for file in self._lone_new():
            for name in (file.old_path, file.path):
                found = None if name is None else places.get(name)
                if found is not None and found.id not in self.taken:
                    self._join(found, file)
                    break

    def by_content(self, after: Mapping[FileId, tuple[Content | None, Content | None]]) -> None:
        """Join added files by their lines, the likest first, within a bound."""
        olds = [file for file in self._lone_old() if file.status == "A"]
        news = [file for file in self._lone_new() if file.status == "A"]
        if not 0 < len(olds) * len(news) <= _MAX_GUESSED_PAIRS:
            return
        scored = []
        for one in olds:
            lines = _lines(after.get(one.id, (None, None))[0])
            for two in news:
                score = _likeness(lines, _lines(after.get(two.id, (None, None))[1]))
                if score >= _LIKENESS:
                    scored.append((-score, one.path, two.path, one, two))
        for *_, one, two in sorted(scored, key=lambda each: each[:3]):
            if one.id not in self.taken and two.id not in self.partner:
                self._join(one, two)

    def result(self) -> list[Pair]:
        found = [Pair(old=self.partner.get(file.id), new=file) for file in self.new]
        found += [Pair(old=file, new=None) for file in self._lone_old()]
        return sorted(found, key=lambda pair: (pair.listed.path, pair.listed.id))

    def _join(self, old: ListedFile, new: ListedFile) -> None:
        self.partner[new.id] = old
        self.taken.add(old.id)

    def _lone_old(self) -> list[ListedFile]:
        return [file for file in self.old if file.id not in self.taken]

    def _lone_new(self) -> list[ListedFile]:
        return [file for file in self.new if file.id not in self.partner]


def compare(
    paired: Iterable[Pair],
    old: Mapping[FileId, Contents],
    new: Mapping[FileId, Contents],
    *,
    same_base: bool,
    steps: int = COMPARE_STEPS,
) -> Comparison:
    """Say what became of every file; see `compare_each`."""
    files = compare_each(paired, old, new, same_base=same_base, steps=steps)
    return Comparison(same_base=same_base, files=tuple(files))


def compare_each(
    paired: Iterable[Pair],
    old: Mapping[FileId, Contents],
    new: Mapping[FileId, Contents],
    *,
    same_base: bool,
    steps: int = COMPARE_STEPS,
) -> Iterator[FileComparison]:
    """Say what became of each file. `same_base` means that both bases are the very same state.

    Contents are needed of files that are not `same`; what is not there counts as not stored.
    The whole costs at most `steps`, one file a tenth of that.
    """
    total = Effort(steps)
    for pair in paired:
        effort = Effort(max(0, min(FILE_STEPS, total.left)))
        before = effort.left
        yield _compare_file(pair, old, new, same_base, effort)
        total.spend(before - effort.left)


def _compare_file(
    pair: Pair,
    old: Mapping[FileId, Contents],
    new: Mapping[FileId, Contents],
    same_base: bool,
    effort: Effort,
) -> FileComparison:
    if pair.same:
        return FileComparison(pair=pair, state="unchanged")
    if pair.old is None or pair.new is None:
        return _compare_lone(pair, old, new, same_base, effort)
    return _compare_both(pair, old.get(pair.old.id), new.get(pair.new.id), same_base, effort)


def _compare_both(
    pair: Pair, old: Contents | None, new: Contents | None, same_base: bool, effort: Effort
) -> FileComparison:
    """Compare a file that both snapshots list."""
    assert pair.old is not None
    assert pair.new is not None
    mode_changed = _mode_edit(pair.old, same_base) != _mode_edit(pair.new, same_base)
    reason = "not-captured" if old is None or new is None else _lacking(old.after, new.after)
    if reason is not None or old is None or new is None:
        # Other fingerprints over the same base are the author's doing, whatever it is.
        state: State = "changed" if same_base else "unknown"
        return FileComparison(pair=pair, state=state, reason=reason, mode_changed=mode_changed)
    bases = (_text(old.before), _text(new.before))
    after = (_text(old.after) or b"", _text(new.after) or b"")
    separated = same_base or None not in bases
    if same_base or bases[0] is None or bases[1] is None:
        found = plain(*after, effort)
    else:
        found = interdiff(Sides(bases[0], after[0], bases[1], after[1]), effort)
    existence = (old.after is None) != (new.after is None)
    if pair.renamed or mode_changed or existence or (found.author and separated):
        state = "changed"
    elif found.author:
        state = "unknown"  # they differ, and nothing says through whom
    else:
        state = "unchanged" if same_base else "upstream"
    return FileComparison(
        pair=pair, state=state, diff=found, separated=separated, mode_changed=mode_changed
    )


def _mode_edit(file: ListedFile, same_base: bool) -> str | None:
    """Return the mode that the author gave a file, None where it is the base's."""
    if not same_base and file.old_mode == file.new_mode:
        return None
    return file.new_mode


def _compare_lone(
    pair: Pair,
    old: Mapping[FileId, Contents],
    new: Mapping[FileId, Contents],
    same_base: bool,
    effort: Effort,
) -> FileComparison:
    """Compare a file that one snapshot does not list: there it is as its base has it."""
    state: State = "new" if pair.old is None else "gone"
    contents = (new if pair.old is None else old).get(pair.id)
    reason = "not-captured" if contents is None else _lacking(contents.before, contents.after)
    if reason is not None or contents is None:
        return FileComparison(pair=pair, state=state, reason=reason, own=not same_base)
    before, after = _text(contents.before) or b"", _text(contents.after) or b""
    if state == "new":
        return FileComparison(
            pair=pair, state=state, diff=plain(before, after, effort), own=not same_base
        )
    if not same_base:
        # Taken back, or taken over by the base: which of both is nowhere stored.
        return FileComparison(pair=pair, state=state, reason="not-captured", own=True)
    return FileComparison(pair=pair, state=state, diff=plain(after, before, effort))


def _lacking(*needed: Content | None) -> WithheldReason | None:
    """Return why a text that is needed is not there."""
    for content in needed:
        if content is not None and content.text is None:
            return content.reason or "not-captured"
    return None


def _text(content: Content | None) -> bytes | None:
    """Return a side's text: empty where it does not exist, None where it is not stored."""
    return b"" if content is None else content.text


def _lines(content: Content | None) -> set[bytes]:
    return set() if content is None or content.text is None else set(split_lines(content.text))


def _likeness(one: set[bytes], two: set[bytes]) -> float:
    if not one or not two:
        return 0.0
    return len(one & two) / max(len(one), len(two))
