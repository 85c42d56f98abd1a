"""Two snapshots of one repository against each other: what became of every file (9.1).

`pairs` needs only the manifests, so that whoever holds the contents reads those that differ and
no others; `compare_each` then says what happened, from those contents, and never guesses.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from diffx.review.interdiff import Interdiff, Sides, interdiff, plain
from diffx.review.linediff import Effort, split_lines
from diffx.review.model import Digest, FileId, GitPath, WithheldReason

COMPARE_STEPS: Final = 4_000_000
FILE_STEPS: Final = 400_000
_LIKENESS: Final = 0.5
_MAX_GUESSED_PAIRS: Final = 400
_MAX_GUESSED_BYTES: Final = 4 << 20
_TELLING_LINES: Final = 5  # a shorter base could be anybody's
_NOTHING: Final = (None, None)

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
    def moved_by_base(self) -> bool:
        """Whether the file's name changed and neither snapshot says that its author did it."""
        return self.renamed and all(
            each is not None and each.status == "M" for each in (self.old, self.new)
        )

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


def author_change(file: FileComparison) -> bool | None:
    """Say whether the author changed a file, None where it cannot be known."""
    if file.state == "unknown" or (file.state == "gone" and file.own):
        return None
    return file.state in ("changed", "new", "gone")


def pairs(
    old: Sequence[ListedFile],
    new: Sequence[ListedFile],
    texts: Mapping[FileId, tuple[Contents | None, Contents | None]] | None = None,
    *,
    same_base: bool = False,
) -> list[Pair]:
    """Say which file of one snapshot is which of the other: by path, then through renames.

    `texts` has the old and the new contents of files that are alone. With them a file that the
    author added and then moved is recognised by its lines, and one that the base moved by its
    lines and by the author's edit of it, which must be the same.
    """
    pairing = _Pairing(old, new)
    pairing.by_path()
    pairing.by_rename()
    if texts:
        pairing.by_content("A", texts, _traits_of_added)
        if not same_base:
            pairing.by_content("M", texts, _traits_of_edited)
    return pairing.result()


def may_have_moved(lone: Iterable[Pair]) -> bool:
    """Say whether reading the texts of files that are alone may pair any of them."""
    counts = Counter((pair.listed.status, pair.new is None) for pair in lone)
    return any(_guessable(counts[kind, True], counts[kind, False]) for kind in "AM")


def _guessable(olds: int, news: int) -> bool:
    return 0 < olds * news <= _MAX_GUESSED_PAIRS


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

    def by_content(
        self,
        status: str,
        texts: Mapping[FileId, tuple[Contents | None, Contents | None]],
        traits: Callable[[Contents | None], "_Traits | None"],
    ) -> None:
        """Join files of one status by their lines, the likest first, within a bound."""
        olds = [file for file in self._lone_old() if file.status == status]
        news = [file for file in self._lone_new() if file.status == status]
        if not _guessable(len(olds), len(news)):
            return
        sides = [texts.get(file.id, _NOTHING)[0] for file in olds]
        sides += [texts.get(file.id, _NOTHING)[1] for file in news]
        if sum(_text_size(each) for each in sides) > _MAX_GUESSED_BYTES:
            return
        known = [traits(each) for each in sides]
        scored = []
        for one, mine in zip(olds, known, strict=False):
            for two, theirs in zip(news, known[len(olds) :], strict=True):
                score = _likeness(mine, theirs)
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
        known = pair.old.fingerprint is not None and pair.new.fingerprint is not None
        state: State = "changed" if same_base and known else "unknown"
        return FileComparison(pair=pair, state=state, reason=reason, mode_changed=mode_changed)
    bases = (_text(old.before), _text(new.before))
    after = (_text(old.after) or b"", _text(new.after) or b"")
    separated = same_base or None not in bases
    if same_base or bases[0] is None or bases[1] is None:
        found = plain(*after, effort)
    else:
        found = interdiff(Sides(bases[0], after[0], bases[1], after[1]), effort)
    existence = (old.after is None) != (new.after is None)
    renamed = pair.renamed and not pair.moved_by_base
    if renamed or mode_changed or existence or (found.author and separated):
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


class _Traits(NamedTuple):
    """What files are told apart by: `key` must be equal, and most of `lines`."""

    key: object
    lines: frozenset[bytes]


def _traits_of_added(contents: Contents | None) -> _Traits | None:
    lines = _lines(None if contents is None else contents.after)
    return _Traits(None, frozenset(lines)) if lines else None


def _traits_of_edited(contents: Contents | None) -> _Traits | None:
    """Return what the author wrote, and the lines that they did not write."""
    if contents is None:
        return None
    before, after = _lines(contents.before), _lines(contents.after)
    added, removed = after - before, before - after
    if len(before) < _TELLING_LINES or not after or not (added or removed):
        return None
    key = frozenset(added.items()), frozenset(removed.items())
    return _Traits(key, frozenset(before))


def _lines(content: Content | None) -> Counter[bytes]:
    text = _text(content)
    return Counter() if text is None else Counter(split_lines(text))


def _text_size(contents: Contents | None) -> int:
    sides = () if contents is None else (contents.before, contents.after)
    return sum(len(_text(each) or b"") for each in sides)


def _likeness(one: _Traits | None, two: _Traits | None) -> float:
    """Return what part of the larger text's different lines the other has too."""
    if one is None or two is None or one.key != two.key:
        return 0.0
    return len(one.lines & two.lines) / max(len(one.lines), len(two.lines))
