"""Run something that might never come back, in a process that can be ended."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Final

_PATIENCE_S: Final = 300
"""Far more than anything here takes on a slow machine; only what hangs is ended by it."""


def outcome_of(call: Callable[[], str]) -> str:
    """Return what the call returns, `ErrorName: message` of what it raises, or `hangs`."""
    start = multiprocessing.get_context("fork")
    receiver, sender = start.Pipe(duplex=False)
    process = start.Process(target=_send, args=(call, sender))
    process.start()
    sender.close()
    try:
        return str(receiver.recv()) if receiver.poll(_PATIENCE_S) else "hangs"
    finally:
        receiver.close()
        process.kill()
        process.join()
        process.close()


def _send(call: Callable[[], str], sender: Connection) -> None:
    try:
        sender.send(call())
    except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
        sender.send(f"{type(error).__name__}: {error}")
