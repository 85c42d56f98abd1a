"""Where one scope of one context shows each thread, remembered for as long as it is asked for (9.2)."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final, NamedTuple

from diffx.records import ThreadsRecord, ThreadTexts
from diffx.review.comments import MAX_THREADS, Thread, ThreadId, actionable, applicability
from diffx.review.compare import ListedFile
from diffx.review.model import ContextId, FileId, GitPath, Scope
from diffx.review.port import Place, Porter, SeenThread, Target

_PLACES: Final = 4 * MAX_THREADS  # a reading of a full stream must not push itself out
_NO_FILE: Final = FileId("")


class Placed(NamedTuple):
    """Where a thread stands, and on which file here, if that is listed here at all."""

    file: FileId | None
    place: Place


class View:
    """One scope of one context, as what threads are looked at from."""

    def __init__(self, context: ContextId, scope: Scope, record: ThreadsRecord) -> None:
        self.context = context
        self.scope = scope
        self.record = record
        self._porter = Porter()
        self._files = {file.id: file for file in record.files}
        self._prints = {file.id: file.fingerprint for file in record.files}
        self._renamed: dict[GitPath, ListedFile] = {
            file.old_path: file for file in record.files if file.old_path is not None
        }
        self._successors: Mapping[ThreadId, FileId] = {}

    def at_home(self, thread: Thread) -> bool:
        """Say whether a thread was written on this very scope; an imported one only says so."""
        here = thread.context == self.context and thread.anchor.scope == self.scope
        return here and thread.author.kind != "import"

    def follow(self, successors: Mapping[ThreadId, FileId]) -> None:
        """Learn which files here are those of threads that `file_of` does not find."""
        self._successors = successors

    def file_of(self, thread: Thread) -> ListedFile | None:
        """Return the file that a thread is about, renamed since or not."""
        anchor = thread.anchor
        if anchor.file is None or anchor.path is None:
            return None
        found = self._files.get(anchor.file) or self._renamed.get(anchor.path)
        return found or self._files.get(self._successors.get(thread.id, _NO_FILE))

    def place(self, thread: Thread, texts: ThreadTexts | None) -> Placed:
        file = self.file_of(thread)
        anchor = thread.anchor
        if file is None:
            return Placed(None, self._porter.place(anchor.lines, thread.quote, None, None))
        same = anchor.fingerprint is not None and file.fingerprint == anchor.fingerprint
        target = Target(
            text=None if texts is None else texts.target,
            same=same,
            checked=thread.author.kind != "import",
        )
        origin = None if texts is None else texts.origin
        return Placed(file.id, self._porter.place(anchor.lines, thread.quote, origin, target))

    def seen(self, thread: Thread, placed: Placed | None) -> SeenThread:
        """Show a thread; one that was never placed is at home, or about the review."""
        anchor = thread.anchor
        applies = applicability(anchor, self.scope, self._prints)
        if placed is None:
            home = None if anchor.file is None else self._files.get(anchor.file)
            place = Place(placement="exact", in_file=home is not None, lines=anchor.lines)
            placed = Placed(None if home is None else home.id, place)
        file = None if placed.file is None else self._files.get(placed.file)
        return SeenThread(
            thread=thread,
            applicability=applies,
            actionable=actionable(thread.status, applies),
            place=placed.place,
            path=None if file is None else file.path,
            file=None if file is None else file.id,
            ported=thread.context != self.context,
        )


class PlaceCache:
    """Where threads were placed last, by thread and content; both never change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[ThreadId, str], Placed] = OrderedDict()

    def get(self, key: tuple[ThreadId, str]) -> Placed | None:
        with self._lock:
            return self._kept.get(key)

    def put(self, key: tuple[ThreadId, str], placed: Placed) -> None:
        with self._lock:
            self._kept[key] = placed
            while len(self._kept) > _PLACES:
                self._kept.popitem(last=False)
