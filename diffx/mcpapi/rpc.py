"""JSON-RPC 2.0, one message at a time: bytes to a message, a result or an error to bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Never

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

RequestId = str | int
Json = Mapping[str, Any]
"""An object as it came in or goes out; its values are checked where they are used."""

_COMPACT: Final = (",", ":")
_MAX_NAME_CHARS: Final = 80


class RpcError(Exception):
    """An error answer of the protocol: its code, one line, and the HTTP status it travels with."""

    def __init__(
        self, code: int, message: str, *, status: int = 400, data: Json | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.data = data


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. Only a request has an `id`; only a posted response has no `method`."""

    kind: Literal["request", "notification", "response"]
    method: str = ""
    id: RequestId | None = None
    params: Json | None = None

    @property
    def meta(self) -> Json | None:
        """The `_meta` object of the parameters, None where there is none."""
        found = None if self.params is None else self.params.get("_meta")
        return found if isinstance(found, dict) else None


def decode(body: bytes) -> Message:
    """Read one message, or raise RpcError. Batches are refused (gone since 2025-06-18)."""
    try:
        raw = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "Parse error: the body is not JSON in UTF-8") from None
    if not isinstance(raw, dict) or raw.get("jsonrpc") != "2.0":
        raise RpcError(
            INVALID_REQUEST,
            'Invalid Request: one JSON-RPC object with "jsonrpc":"2.0" is expected',
        )
    if "method" not in raw:
        return Message(kind="response")
    method, params = raw["method"], raw.get("params")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "Invalid Request: the method is not a string")
    # An array of parameters is legal JSON-RPC, and no method here takes one.
    named = params if isinstance(params, dict) else None
    if "id" not in raw:
        return Message(kind="notification", method=method, params=named)
    return Message(kind="request", method=method, id=_request_id(raw["id"]), params=named)


def _request_id(raw: object) -> RequestId:
    if isinstance(raw, str) or (isinstance(raw, int) and not isinstance(raw, bool)):
        return raw
    raise RpcError(INVALID_REQUEST, "Invalid Request: the id is neither a string nor an integer")


def _no_constant(name: str) -> Never:
    raise ValueError(name)  # NaN and Infinity are Python's, not JSON's


def result_bytes(id: RequestId, result: Json) -> bytes:  # noqa: A002 - the name that the field has
    return encode({"jsonrpc": "2.0", "id": id, "result": result})


def error_bytes(id: RequestId | None, error: RpcError) -> bytes:  # noqa: A002 - likewise
    shape: dict[str, object] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        shape["data"] = error.data
    return encode({"jsonrpc": "2.0", "id": id, "error": shape})


def encode(value: object) -> bytes:
    """Write compact JSON; a lone surrogate, which UTF-8 cannot carry, stays an escape."""
    try:
        return compact(value).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=_COMPACT, allow_nan=False).encode("ascii")


def compact(value: object) -> str:
    """Write JSON as a model shall read it: no blanks, no needless escapes."""
    return json.dumps(value, ensure_ascii=False, separators=_COMPACT, allow_nan=False)


def shown(name: str) -> str:
    """Quote a name that a client sent, so that a message stays one short line."""
    return json.dumps(name[:_MAX_NAME_CHARS])
