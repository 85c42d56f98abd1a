"""Where one scope of one context shows each thread, remembered for as long as it is asked for (9.2)."""

import threading
from collections import OrderedDict
from typing import Final

from diffx.records import ThreadsRecord, ThreadTexts
from diffx.review.comments import Thread, ThreadId, actionable, applicability
from diffx.review.compare import ListedFile
from diffx.review.model import ContextId, GitPath, Scope
from diffx.review.port import Place, Porter, SeenThread, Target

_PLACES: Final = 4_096


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

    def at_home(self, thread: Thread) -> bool:
        """Say whether a thread was written on this very scope; an imported one only says so."""
        here = thread.context == self.context and thread.anchor.scope == self.scope
        return here and thread.author.kind != "import"

    def file_of(self, thread: Thread) -> ListedFile | None:
        """Return the file that a thread is about, renamed since or not."""
        anchor = thread.anchor
        if anchor.file is None or anchor.path is None:
            return None
        return self._files.get(anchor.file) or self._renamed.get(anchor.path)

    def place(self, thread: Thread, texts: ThreadTexts | None) -> Place:
        file = self.file_of(thread)
        anchor = thread.anchor
        if file is None:
            return self._porter.place(anchor.lines, thread.quote, None, None)
        same = anchor.fingerprint is not None and file.fingerprint == anchor.fingerprint
        target = Target(text=None if texts is None else texts.target, same=same)
        origin = None if texts is None else texts.origin
        return self._porter.place(anchor.lines, thread.quote, origin, target)

    def seen(self, thread: Thread, place: Place | None) -> SeenThread:
        anchor = thread.anchor
        applies = applicability(anchor, self.scope, self._prints)
        file = self.file_of(thread)
        if place is None and (self.at_home(thread) and file is not None):
            place = Place(placement="exact", in_file=True, lines=anchor.lines)
        elif place is None and anchor.file is None:
            place = Place(placement="exact", in_file=False)
        elif place is None:
            place = Place(placement="outdated", in_file=False)
        return SeenThread(
            thread=thread,
            applicability=applies,
            actionable=actionable(thread.status, applies),
            place=place,
            path=None if file is None else file.path,
            file=None if file is None else file.id,
            ported=thread.context != self.context,
        )


class PlaceCache:
    """Where threads were placed last, by thread and content; both never change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[ThreadId, str], Place] = OrderedDict()

    def get(self, key: tuple[ThreadId, str]) -> Place | None:
        with self._lock:
            return self._kept.get(key)

    def put(self, key: tuple[ThreadId, str], place: Place) -> None:
        with self._lock:
            self._kept[key] = place
            while len(self._kept) > _PLACES:
                self._kept.popitem(last=False)
