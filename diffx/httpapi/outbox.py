"""What still has to be written to one socket, in order."""

import socket
from typing import Final

_GATHERED: Final = 16


class Outbox:
    """Bytes waiting for a socket that takes them as fast as its client reads."""

    __slots__ = ("_pieces", "_sock", "waiting")

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._pieces: list[memoryview] = []
        self.waiting = 0
        """How many bytes are queued."""

    def put(self, piece: bytes, skip: int = 0) -> int:
        """Queue a piece without its first `skip` bytes; return how many more are to skip."""
        skipped = min(skip, len(piece))
        if skipped < len(piece):
            self._pieces.append(memoryview(piece)[skipped:])
            self.waiting += len(piece) - skipped
        return skip - skipped

    def send(self) -> int:
        """Write what the socket takes now and return its size; an OSError ends the connection."""
        total = 0
        while self._pieces:
            try:
                sent = self._sock.sendmsg(self._pieces[:_GATHERED])
            except BlockingIOError:
                break
            total += sent
            self._forget(sent)
        return total

    def clear(self) -> None:
        self._pieces.clear()
        self.waiting = 0

    def _forget(self, sent: int) -> None:
        self.waiting -= sent
        while sent:
            first = self._pieces[0]
            if sent < len(first):
                self._pieces[0] = first[sent:]
                return
            sent -= len(first)
            del self._pieces[0]
