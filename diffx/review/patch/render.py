"""Write files back as patches: one standard form, which `git apply` takes and `parse` reads."""

from collections.abc import Iterable

from diffx.review.patch.headers import Header
from diffx.review.patch.model import Commit, ParsedFile
from diffx.review.patch.names import quote


def head(header: Header, *, body: bool) -> bytes:
    """Return the standard header of one file; `body` says that hunks follow."""
    if body and header.standard is not None:
        return header.standard
    old = header.old or header.new or b""
    new = header.new or header.old or b""
    one, two = quote(b"a/" + old), quote(b"b/" + new)
    lines = [b"diff --git " + one + b" " + two]
    lines += _modes(header)
    if header.similarity is not None:
        lines.append(header.similarity)
    if header.status in ("R", "C"):
        word = b"rename" if header.status == "R" else b"copy"
        lines += [word + b" from " + quote(old), word + b" to " + quote(new)]
    if header.index is not None:
        lines.append(b"index " + header.index)
    if body:
        lines.append(b"--- " + (b"/dev/null" if header.status == "A" else _ended(one)))
        lines.append(b"+++ " + (b"/dev/null" if header.status == "D" else _ended(two)))
    return b"\n".join(lines) + b"\n"


def render(files: Iterable[ParsedFile]) -> bytes:
    """Return a stream that `parse` reads as these files again."""
    pieces: list[bytes] = []
    last: Commit | None = None
    for file in files:
        if file.commit is not None and file.commit != last:
            pieces.append(_commit(file.commit))
        last = file.commit
        if not file.patch and file.submodule is not None:
            pieces.append(_submodule(file))
        elif file.status == "U":
            pieces.append(b"* Unmerged path " + file.path + b"\n")
        pieces.append(file.patch)
    return b"".join(pieces)


def _modes(header: Header) -> list[bytes]:
    old = (header.old_mode or "").encode("ascii")
    new = (header.new_mode or "").encode("ascii")
    if header.status == "A":
        return [b"new file mode " + (new or b"100644")]
    if header.status == "D":
        return [b"deleted file mode " + (old or b"100644")]
    if old and new and old != new:
        return [b"old mode " + old, b"new mode " + new]
    return []


def _ended(name: bytes) -> bytes:
    """End a name with a TAB, as git does where a blank in it could be taken for its end."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _commit(commit: Commit) -> bytes:
    subject = commit.subject.encode("utf-8", "replace")
    if commit.id is None:
        return b"From - Mon Sep 17 00:00:00 2001\nSubject: [PATCH] " + subject + b"\n\n---\n"
    return b"commit " + commit.id.encode("ascii") + b"\n\n    " + subject + b"\n\n"


def _submodule(file: ParsedFile) -> bytes:
    move = file.submodule
    if move is None:
        return b""
    name = b"Submodule " + file.path
    text = name + b" contains untracked content\n" if move.untracked_content else b""
    text += name + b" contains modified content\n" if move.modified_content else b""
    if move.old is None and move.new is None:
        return text
    old, new = move.old or "0" * 7, move.new or "0" * 7
    return text + name + f" {old}...{new}\n".encode("ascii")
