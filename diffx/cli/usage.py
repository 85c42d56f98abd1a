"""The page that `diffx --help` prints, ready-made: building it would cost more than Python's start."""

from typing import Final

USAGE: Final = "usage: diffx [PATH]\n"
