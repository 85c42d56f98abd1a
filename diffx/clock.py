"""Time and randomness, as values that are passed in; the only reader of the wall clock."""

import os
import time
from collections.abc import Callable

from diffx.review.model import Millis

Clock = Callable[[], Millis]
NewId = Callable[[], str]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def system_clock() -> Millis:
    """Return the wall clock in milliseconds since the epoch, UTC."""
    return Millis(time.time_ns() // 1_000_000)


def random_id() -> str:
    """Return 130 random bits as 26 lower-case characters, safe in URLs and file names."""
    bits = int.from_bytes(os.urandom(17)) >> 6
    return "".join(_ALPHABET[(bits >> shift) & 31] for shift in range(125, -1, -5))
