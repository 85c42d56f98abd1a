"""Read the variable parts of a URL: strict percent escapes, and typed query parameters."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from diffx.errors import InvalidError
from diffx.review.model import Scope

_ESCAPE: Final = re.compile(r"%(?:([0-9A-Fa-f]{2})|)")
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,80}")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_SCOPES: Final[Mapping[str, Scope]] = {scope: scope for scope in get_args(Scope)}
_MAX_PARAMETERS: Final = 200
_MAX_LISTED_CHARS: Final = 8_000

Parameters = Mapping[str, Sequence[str]]


def unescape(text: str, field: str) -> str:
    """Decode percent escapes to UTF-8 text; broken ones, and NUL, raise InvalidError."""
    if "%" not in text:
        return text
    raw = bytearray()
    last = 0
    for match in _ESCAPE.finditer(text):
        if match[1] is None or match[1] == "00":
            raise InvalidError("the address holds a broken percent escape", field=field)
        raw += text[last : match.start()].encode("ascii")
        raw.append(int(match[1], 16))
        last = match.end()
    raw += text[last:].encode("ascii")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidError("the address holds escapes that are not UTF-8", field=field) from None


def parse_query(query: str) -> Parameters:
    """Split a query string; a parameter given twice keeps both values in order."""
    found: dict[str, list[str]] = {}
    if not query:
        return found
    pairs = query.split("&")
    if len(pairs) > _MAX_PARAMETERS:
        raise InvalidError(f"more than {_MAX_PARAMETERS} query parameters", field="query")
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name:
            key = unescape(name.replace("+", " "), "query")
            found.setdefault(key, []).append(unescape(value.replace("+", " "), key))
    return found


def is_id(text: str) -> bool:
    """Say whether a text has the form that every id of ours has."""
    return _ID.fullmatch(text) is not None


def ids(parameters: Parameters, name: str = "ids") -> tuple[str, ...]:
    """Return ids that are listed with commas between them, each once; none where none are given."""
    listed = text(parameters, name, limit=_MAX_LISTED_CHARS)
    if listed is None:
        return ()
    found = listed.split(",")
    if not all(map(is_id, found)):
        raise InvalidError(f"{name} must be file ids with commas between them", field=name)
    return tuple(dict.fromkeys(found))


def one(parameters: Parameters, name: str) -> str | None:
    """Return the value of a parameter that may be given once."""
    values = parameters.get(name, ())
    if len(values) > 1:
        raise InvalidError(f"{name} is given more than once", field=name)
    return values[0] if values else None


def text(parameters: Parameters, name: str, *, limit: int) -> str | None:
    value = one(parameters, name)
    if value is not None and len(value) > limit:
        raise InvalidError(f"{name} is longer than {limit} characters", field=name)
    return value


def texts(parameters: Parameters, name: str, *, limit: int) -> tuple[str, ...]:
    """Return all values of a parameter whose repeated values are alternatives."""
    values = tuple(parameters.get(name, ()))
    if any(len(value) > limit for value in values):
        raise InvalidError(f"a value of {name} is longer than {limit} characters", field=name)
    return values


def number(parameters: Parameters, name: str, *, low: int, high: int, default: int) -> int:
    value = one(parameters, name)
    if value is None:
        return default
    if _NUMBER.fullmatch(value) is None or not low <= int(value) <= high:
        raise InvalidError(f"{name} must be a number from {low} to {high}", field=name)
    return int(value)


def scope(parameters: Parameters) -> Scope:
    value = one(parameters, "scope")
    if value is None:
        return "all"
    known = _SCOPES.get(value)
    if known is None:
        raise InvalidError("scope must be all, staged or unstaged", field="scope")
    return known


def choice(parameters: Parameters, name: str, allowed: Sequence[str]) -> str | None:
    value = one(parameters, name)
    if value is not None and value not in allowed:
        raise InvalidError(f"{name} must be one of {', '.join(allowed)}", field=name)
    return value


def flag(parameters: Parameters, name: str) -> bool | None:
    value = choice(parameters, name, ("true", "false"))
    return None if value is None else value == "true"
