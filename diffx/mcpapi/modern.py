"""The 2026-07-28 era: no handshake, every request says by itself who asks and in which version."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final

from diffx.mcpapi import rpc
from diffx.mcpapi.rpc import Json, Message, RpcError

VERSION: Final = "2026-07-28"
SUPPORTED: Final = (VERSION,)

META: Final = "io.modelcontextprotocol/"
PROTOCOL_VERSION: Final = META + "protocolVersion"
CLIENT_CAPABILITIES: Final = META + "clientCapabilities"
CLIENT_INFO: Final = META + "clientInfo"
SERVER_INFO: Final = META + "serverInfo"

# Lists change with the program only; a minute lets a client notice a new one soon.
LIST_TTL_MS: Final = 60_000

_NAMED_BY: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}


def is_modern(version: str | None, message: Message, legacy: frozenset[str]) -> bool:
    """Tell the era by the header or by the body: clients of both habits exist."""
    if version is not None and version not in legacy:
        return True
    return message.meta is not None and PROTOCOL_VERSION in message.meta


def check(headers: Mapping[str, str], message: Message) -> str | None:
    """Hold a request against its headers and its `_meta`; return the client's name.

    The order is the specification's: the first failure is the answer.
    """
    _once(headers, "MCP-Protocol-Version")
    _once(headers, "Mcp-Method")
    meta = message.meta
    if meta is None:
        raise RpcError(rpc.INVALID_PARAMS, f"params._meta is missing; {VERSION} requires it")
    requested = meta.get(PROTOCOL_VERSION)
    if not isinstance(requested, str):
        raise RpcError(rpc.INVALID_PARAMS, f"params._meta lacks {PROTOCOL_VERSION}")
    if not isinstance(meta.get(CLIENT_CAPABILITIES), dict):
        raise RpcError(rpc.INVALID_PARAMS, f"params._meta lacks {CLIENT_CAPABILITIES}")
    _equal(headers, "MCP-Protocol-Version", requested)
    _equal(headers, "Mcp-Method", message.method)
    named_by = _NAMED_BY.get(message.method)
    name = None if message.params is None or named_by is None else message.params.get(named_by)
    if isinstance(name, str):
        _equal(headers, "Mcp-Name", name)
    check_version(requested)
    info = meta.get(CLIENT_INFO)
    given = info.get("name") if isinstance(info, dict) else None
    return given if isinstance(given, str) else None


def check_version(requested: str) -> None:
    """Refuse a version that is not served, and name those that are."""
    if requested not in SUPPORTED:
        raise RpcError(
            rpc.UNSUPPORTED_VERSION,
            f"Unsupported protocol version; this server speaks {', '.join(SUPPORTED)}",
            data={"supported": list(SUPPORTED), "requested": requested},
        )


def _once(headers: Mapping[str, str], field: str) -> None:
    # A field that came twice was joined with a comma, which no single value of these two has.
    if "," in headers.get(field.lower(), ""):
        raise RpcError(rpc.HEADER_MISMATCH, f"the {field} header came more than once")


def _equal(headers: Mapping[str, str], field: str, wanted: str) -> None:
    given = headers.get(field.lower())
    if given is None:
        raise RpcError(rpc.HEADER_MISMATCH, f"the {field} header is missing")
    value = given.strip(" \t")
    if (_decoded(value) if field == "Mcp-Name" else value) != wanted:
        raise RpcError(rpc.HEADER_MISMATCH, f"the {field} header differs from the body")


def _decoded(value: str) -> str | None:
    """Undo `=?base64?...?=`, the form for names that no header can hold as they are."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    coded = value[len("=?base64?") : -len("?=")]
    try:
        raw = base64.b64decode(coded, validate=True)
        # Canonical only: two spellings of one name would be two names to whoever filters headers.
        return raw.decode("utf-8") if base64.b64encode(raw).decode("ascii") == coded else None
    except (binascii.Error, ValueError):
        return None


def finished(result: Json, *, listed: bool, server: Json) -> Json:
    """Add what every result of this era carries; a list may be kept for a minute by its asker."""
    caching = {"ttlMs": LIST_TTL_MS, "cacheScope": "private"} if listed else {}
    return {**result, "resultType": "complete", **caching, "_meta": {SERVER_INFO: server}}
