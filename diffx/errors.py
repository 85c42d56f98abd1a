"""The kinds of failure. A kind says what the caller can do, never how it is transported."""

from typing import ClassVar, Final, Literal, get_args

Kind = Literal[
    "invalid",  # the input is wrong; the same input will fail again
    "missing",  # there is no such thing, or it is not yours
    "gone",  # it was here and was deleted or expired
    "conflict",  # the current state forbids it
    "too_large",  # over a stated limit
    "busy",  # try again later
    "failed",  # the outside world (a file, git, the network) said no
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


class DiffxError(Exception):
    """A failure with one line for a person: what happened, to what, what to do next.

    Raise a subclass. Anything that reaches an edge and is not a DiffxError is a bug.
    `code` is the stable word that a client may act on (the `code` of a problem document).
    """

    kind: ClassVar[Kind] = "failed"
    code: ClassVar[str] = "failed"


class InvalidError(DiffxError):
    """Outside data that is not what it must be; `field` is the path of the offender."""

    kind = "invalid"
    code = "invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class MissingError(DiffxError):
    """No such thing for this owner."""

    kind = "missing"
    code = "not_found"


class GoneError(DiffxError):
    """It existed and was deleted or expired."""

    kind = "gone"
    code = "expired"


class ConflictError(DiffxError):
    """The current state forbids the request."""

    kind = "conflict"
    code = "conflict"


class TooLargeError(DiffxError):
    """Over a stated limit."""

    kind = "too_large"
    code = "too_large"


class BusyError(DiffxError):
    """Not now; the same request may succeed later."""

    kind = "busy"
    code = "busy"


class FailedError(DiffxError):
    """The outside world (a file, git, the network) did not do what was needed."""

    kind = "failed"
    code = "failed"
