"""Forget what outlived its retention: at start and every hour (6.4)."""

import logging
import threading
from contextlib import ExitStack
from typing import Final

from diffx.errors import DiffxError
from diffx.services.catalog import Catalog

log = logging.getLogger(__name__)

EVERY_S: Final = 3600.0


def prune_hourly(stack: ExitStack, catalog: Catalog) -> None:
    """Prune at once and then hourly on a thread of its own, until the stack is closed."""
    stop = threading.Event()

    def work() -> None:
        while True:
            try:
                catalog.prune()
            except DiffxError as error:
                # Housekeeping that fails must not end a review; expiry is enforced by reads.
                log.warning("pruning failed error=%s", error)
            if stop.wait(EVERY_S):
                return

    thread = threading.Thread(target=work, name="diffx-pruning")
    thread.start()
    stack.callback(thread.join)
    stack.callback(stop.set)
