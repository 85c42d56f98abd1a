"""Git paths are bytes; this is how they are shown, named in URLs, and read back (2.6)."""

import hashlib

from diffx.review.model import FileId, GitPath


def display_path(path: GitPath) -> str:
    r"""Return the path as text: itself where it is UTF-8, else with each bad byte as `\xNN`.

    The form is stable but not reversible (a file may really be called `\xff`), so whoever must
    get the bytes back carries them beside it.
    """
    return path.decode("utf-8", "backslashreplace")


def is_plain(path: GitPath) -> bool:
    """Say whether `display_path` loses nothing."""
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def file_id(path: GitPath, occurrence: int = 0) -> FileId:
    """Name a path for URLs: the same in every scope and observation.

    `occurrence` keeps entries apart where one list names a path twice (a series of patches).
    """
    name = hashlib.sha256(path).hexdigest()[:20]
    return FileId(name if occurrence == 0 else f"{name}-{occurrence}")
