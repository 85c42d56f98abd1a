"""Take the fields of a JSON body, each checked, and named where it is wrong."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from diffx.errors import InvalidError
from diffx.httpapi.body import read_json
from diffx.httpapi.messages import Request
from diffx.httpapi.query import is_id
from diffx.review.comments import Author, check_text
from diffx.review.model import Session

Fields = Mapping[str, Any]

MAX_KEY_CHARS: Final = 64
_MAX_LINE: Final = 1 << 31
_MAX_LABEL_CHARS: Final = 200


def read_object(request: Request, allowed: Sequence[str]) -> Fields:
    """Return the body as an object with no other keys than these; an empty body is none."""
    fields = read_any_object(request)
    check_keys(fields, allowed, "")
    return fields


def read_any_object(request: Request) -> Fields:
    if not request.body:
        return {}
    raw = read_json(request)
    if not isinstance(raw, dict):
        raise InvalidError("the body must be an object", field="body")
    return raw


def check_keys(fields: Fields, allowed: Sequence[str], prefix: str) -> None:
    for name in fields:
        if name not in allowed:
            shown = name if name.isprintable() and len(name) <= MAX_KEY_CHARS else "a name"
            raise InvalidError(
                f"{shown} is not known here; known are {', '.join(allowed)}",
                field=f"{prefix}{shown}",
            )


def text(fields: Fields, name: str, *, limit: int) -> str | None:
    """Return a text, None where there is none; null is not the same as leaving it out."""
    if name not in fields:
        return None
    value = fields[name]
    if not isinstance(value, str):
        raise InvalidError(f"{name} must be a text", field=name)
    if len(value) > limit:
        raise InvalidError(f"{name} is longer than {limit} characters", field=name)
    return check_text(value, name)


def needed_text(fields: Fields, name: str, *, limit: int) -> str:
    value = text(fields, name, limit=limit)
    if value is None:
        raise InvalidError(f"{name} is missing", field=name)
    return value


def choice(fields: Fields, name: str, allowed: Sequence[str]) -> str | None:
    if name not in fields:
        return None
    if fields[name] not in allowed:
        raise InvalidError(f"{name} must be one of {', '.join(allowed)}", field=name)
    return str(fields[name])


def identifier(fields: Fields, name: str) -> str | None:
    value = text(fields, name, limit=80)
    if value is not None and not is_id(value):
        raise InvalidError(f"{name} is no id", field=name)
    return value


def line(fields: Fields, name: str) -> int | None:
    if name not in fields:
        return None
    value = fields[name]
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MAX_LINE:
        raise InvalidError(f"{name} must be a line number, from 1 on", field=name)
    return value


def author(fields: Fields) -> Author:
    """Return who writes: the account, or the agent session that `agent` names."""
    if "agent" not in fields:
        return Author()
    raw = fields["agent"]
    if not isinstance(raw, dict):
        raise InvalidError("agent must be an object", field="agent")
    check_keys(raw, ("harness", "sessionId", "name"), "agent.")
    return Author(
        kind="agent",
        session=Session(
            harness=_label(raw, "harness") or "agent",
            session_id=_label(raw, "sessionId") or "",
            name=_label(raw, "name"),
        ),
    )


def _label(raw: Fields, name: str) -> str | None:
    given = {f"agent.{key}": value for key, value in raw.items() if key == name}
    return text(given, f"agent.{name}", limit=_MAX_LABEL_CHARS)
