"""Read a request's JSON body: the one gate between hostile bytes and a decoder of fields."""

import json
import re
from typing import Final, Never

from diffx.errors import InvalidError
from diffx.httpapi.messages import Request

# A lone surrogate can only come from an escape: the bytes themselves are decoded strictly.
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read_json(request: Request) -> object:
    """Return the body's value, or raise InvalidError.

    What no client of ours sends and some later step would choke on is refused here: text that is
    not UTF-8 or holds a lone surrogate, NaN and Infinity, numbers of thousands of digits, and
    nesting deeper than the interpreter follows.
    """
    try:
        value: object = json.loads(request.body.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise InvalidError("the body is not UTF-8", field="body") from None
    except RecursionError:
        raise InvalidError("the body is nested too deeply", field="body") from None
    except ValueError as error:
        raise InvalidError(f"the body is not JSON: {_plain(error)}", field="body") from None
    if _SURROGATE_ESCAPE.search(request.body) is not None and not _is_text(value):
        raise InvalidError("the body holds half of a surrogate pair", field="body")
    return value


def _no_number(name: str) -> Never:
    raise ValueError(f"{name} is no JSON number")


def _plain(error: ValueError) -> str:
    """Say where the fault is without repeating what was sent."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno} column {error.colno}"
    return "it holds a number that is too long or no number"


def _is_text(value: object) -> bool:
    """Say whether every text in a value can be written as UTF-8."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if _SURROGATE.search(item) is not None:
                return False
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return True
