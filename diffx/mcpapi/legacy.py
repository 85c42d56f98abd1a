"""The handshake era, 2025-11-25 and before, served without a session.

No session id is ever given out, so nothing breaks for a client when the server starts anew.
"""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Final

from diffx.mcpapi import rpc
from diffx.mcpapi.messages import Call
from diffx.mcpapi.rpc import Json, Message, RpcError
from diffx.review.model import OwnerId

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
KNOWN: Final = frozenset(VERSIONS)
NEWEST: Final = VERSIONS[0]
_MAX_PRODUCTS: Final = 64
_MAX_PRODUCT_CHARS: Final = 200


def agreed_version(message: Message) -> str:
    """Return the version to go on with: the one asked for if it is known, else the newest."""
    asked = None if message.params is None else message.params.get("protocolVersion")
    if not isinstance(asked, str):
        raise RpcError(rpc.INVALID_PARAMS, "params.protocolVersion is missing")
    return asked if asked in KNOWN else NEWEST


def client_name(message: Message) -> str | None:
    info = None if message.params is None else message.params.get("clientInfo")
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else None


class Introductions:
    """What clients called themselves at `initialize`, by their User-Agent.

    This era names the client once, and later requests carry nothing that leads back there. A
    User-Agent that several names share names nobody: no label is better than a wrong one.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._names: OrderedDict[tuple[OwnerId, str], str | None] = OrderedDict()

    def remember(self, call: Call, name: str) -> None:
        product = _product(call)
        with self._lock:
            known = self._names.get(product, name)
            self._names[product] = name if known == name else None
            self._names.move_to_end(product)
            if len(self._names) > _MAX_PRODUCTS:
                self._names.popitem(last=False)

    def recall(self, call: Call) -> str | None:
        with self._lock:
            return self._names.get(_product(call))


def _product(call: Call) -> tuple[OwnerId, str]:
    return call.owner, call.headers.get("user-agent", "")[:_MAX_PRODUCT_CHARS]


def initialized(version: str, server: Json, instructions: str) -> Json:
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": server,
        "instructions": instructions,
    }
