"""Patches and file contents as numbered lines, in pieces that end between two lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from diffx.clock import NewId
from diffx.mcpapi.arguments import Argument, Arguments, Number, Text, ToolError
from diffx.mcpapi.files import FileRow
from diffx.mcpapi.tool import Outcome
from diffx.mcpapi.untrusted import NOTICE, fenced, label, line_text
from diffx.records import StoredContents, StoredSide, StoredText
from diffx.review.model import Encoding, Scope
from diffx.review.patch import Hunk, Line, hunks

MAX_LINES: Final = 400
MAX_BYTES: Final = 48 << 10
DEFAULT_BYTES: Final = 16 << 10
MIN_BYTES: Final = 8 << 10
# Room for the fence lines, for what stands before and after them, and for a long path among that.
_FRAME_BYTES: Final = 2_000
_MAX_SECTION_CHARS: Final = 120
BYTES: Final = Number(
    about="How long the answer may be.", low=MIN_BYTES, high=MAX_BYTES, default=DEFAULT_BYTES
)
PATCH_TAKES: Final[dict[str, Argument]] = {
    "from_hunk": Number(about="First hunk to show.", low=1, high=10**7, default=1),
    "from_line": Number(about="First line of that hunk to show.", low=1, high=10**7, default=1),
    "max_bytes": BYTES,
}
FILE_TAKES: Final[dict[str, Argument]] = {
    "side": Text(
        about="The file after or before the change.", choices=("new", "old"), default="new"
    ),
    "start_line": Number(about="First line to show.", low=1, high=10**9, default=1),
    "end_line": Number(
        about=f"Last line to show; at most {MAX_LINES} at once.", low=1, high=10**9
    ),
    "max_bytes": BYTES,
}
_WITHHELD: Final = {
    "not-captured": "the source of this review had no full contents",
    "not-fetched": "the repository is a partial clone and did not have it",
    "too-large": "it is over the limit of one file",
    "budget": "the review's total limit was reached",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """One line to show, and where it stands: hunk and line in it, from 1."""

    text: str
    hunk: int
    line: int


def patch_text(
    row: FileRow, stored: StoredText, arguments: Arguments, scope: Scope, new_id: NewId
) -> Outcome:
    """Show hunks with the old and new number of each line, and say where the next piece starts."""
    if stored.text is None:
        return Outcome(text=_withheld(row, f"scope {scope}, patch", stored.reason))
    found = list(hunks(stored.text))
    if not found:
        return Outcome(text=_withheld(row, f"scope {scope}, patch without text lines", None))
    first, line = arguments.number("from_hunk"), arguments.number("from_line")
    if first > len(found) or line > max(1, len(found[first - 1].lines)):
        lines = len(found[min(first, len(found)) - 1].lines)
        raise ToolError(
            f"there is no such place: the patch has {len(found)} hunks"
            f" and hunk {min(first, len(found))} has {lines} lines",
            field="from_hunk",
        )
    crlf = _all_end_with_cr([each.text for hunk in found for each in hunk.lines])
    rows = list(_patch_rows(found, first, line, stored.encoding, crlf=crlf))
    shown = _fitting([each.text for each in rows], arguments.number("max_bytes"))
    head = f"Patch of one file, scope {scope}, status {row.shape['status']}, {_count(len(found), 'hunk')}."
    tail = ""
    if shown < len(rows):
        following = rows[shown]
        tail = (
            f"Cut: {len(rows) - shown} more lines. Continue with from_hunk={following.hunk},"
            f" from_line={following.line}."
        )
    return _answer(row, head, [each.text for each in rows[:shown]], tail, new_id, crlf=crlf)


def file_text(
    row: FileRow, stored: StoredContents, arguments: Arguments, scope: Scope, new_id: NewId
) -> Outcome:
    """Show lines of one side of a file, numbered, and say where the next piece starts."""
    side = arguments.text("side")
    content = _side(stored, side)
    what = f"scope {scope}, {side} side"
    if content.text is None:
        return Outcome(text=_withheld(row, f"{what} ({content.size} bytes)", content.reason))
    lines = content.text.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    first, last = _range(arguments, len(lines))
    crlf = _all_end_with_cr(lines)
    numbered = [
        f"{number:>6}  {line_text(_line(lines[number - 1], crlf=crlf), 'utf-8')}"
        for number in range(first, last + 1)
    ]
    shown = _fitting(numbered, arguments.number("max_bytes"))
    head = f"Lines {first} to {first + shown - 1} of {len(lines)}, {what}."
    tail = ""
    if first + shown <= len(lines):
        left = len(lines) - first - shown + 1
        tail = f"{left} more lines follow. Continue with start_line={first + shown}."
    return _answer(row, head, numbered[:shown], tail, new_id, crlf=crlf)


def _side(stored: StoredContents, side: str | None) -> StoredSide:
    content = stored.after if side == "new" else stored.before
    if content is None:
        other = "old" if side == "new" else "new"
        raise ToolError(f"this file has no {side} side; use side={other}", field="side")
    return content


def _range(arguments: Arguments, count: int) -> tuple[int, int]:
    first = arguments.number("start_line")
    last = arguments.maybe_number("end_line")
    if first > max(1, count):
        raise ToolError(
            f"start_line is after the end: there are {count} lines", field="start_line"
        )
    if last is not None and last < first:
        raise ToolError("end_line is before start_line", field="end_line")
    return first, min(count, first + MAX_LINES - 1, count if last is None else last)


def _patch_rows(
    found: Sequence[Hunk], first: int, from_line: int, encoding: Encoding, *, crlf: bool
) -> Iterator[_Row]:
    for number, hunk in enumerate(found[first - 1 :], first):
        begin = from_line if number == first else 1
        yield _Row(_hunk_head(hunk, encoding), number, begin)
        for at, line in enumerate(hunk.lines[begin - 1 :], begin):
            yield _Row(_patch_line(line, encoding, crlf=crlf), number, at)


def _hunk_head(hunk: Hunk, encoding: Encoding) -> str:
    section = line_text(hunk.section, encoding, _MAX_SECTION_CHARS)
    return (
        f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@ {section}"
    ).rstrip()


def _patch_line(line: Line, encoding: Encoding, *, crlf: bool) -> str:
    old = "" if line.old is None else str(line.old)
    new = "" if line.new is None else str(line.new)
    text = line_text(_line(line.text, crlf=crlf), encoding)
    ending = "\n\\ No newline at end of file" if line.no_newline else ""
    return f"{old:>6} {new:>6} {line.kind}{text}{ending}"


def _fitting(lines: Sequence[str], max_bytes: int) -> int:
    """Return how many whole lines fit, the frame around them counted."""
    left = max_bytes - _FRAME_BYTES
    for count, line in enumerate(lines):
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            return count
    return len(lines)


def _all_end_with_cr(lines: Sequence[bytes]) -> bool:
    return bool(lines) and all(line.endswith(b"\r") for line in lines)


def _line(raw: bytes, *, crlf: bool) -> bytes:
    return raw.removesuffix(b"\r") if crlf else raw


def _answer(
    row: FileRow, head: str, lines: Sequence[str], tail: str, new_id: NewId, *, crlf: bool
) -> Outcome:
    ends = " Every line ends with CR LF." if crlf else ""
    text = fenced([f"path: {label(row.path)}", *lines], new_id)
    return Outcome(text="\n".join(filter(None, (head + ends, NOTICE, text, tail))))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _withheld(row: FileRow, what: str, reason: str | None) -> str:
    if reason is None:
        return f"Status {row.shape['status']}, {what}: only its mode, name or type changed."
    return f"Status {row.shape['status']}, {what} withheld: {_WITHHELD.get(reason, reason)}."
