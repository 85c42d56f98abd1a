"""Who may ask: which Host names are served, and which requests may change something (10.2).

A page on the web can make its own name point at this machine (DNS rebinding) and can post to any
address without asking (a "simple" cross-site request). Only the Host, Origin and Sec-Fetch-Site
fields tell; a browser does not let a page forge them.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from diffx.httpapi.messages import Response, problem

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})

# A reg-name or IPv4 address, or a bracketed IPv6 address, and perhaps a port (RFC 3986 3.2.2).
_HOST: Final = re.compile(r"([a-z0-9][a-z0-9.\-_]*|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """The names this listener answers to.

    `local` are full `name:port` forms. `names` are configured names, on any port, because a proxy
    in front has its own. `any_address` accepts every literal address, for a listener bound to all
    of them: a literal cannot be rebound, only a name can.
    """

    local: frozenset[str]
    names: frozenset[str] = frozenset()
    any_address: bool = False

    @staticmethod
    def of(addresses: Iterable[tuple[str, int]], names: Iterable[str] = ()) -> "Hosts":
        """Derive what a listener bound to these addresses answers to."""
        local: set[str] = set()
        wide = False
        for host, port in addresses:
            address = ipaddress.ip_address(host)
            wide = wide or address.is_unspecified
            hosts = {_bracketed(address)}
            if address.is_loopback or address.is_unspecified:
                hosts |= {"127.0.0.1", "localhost", "[::1]"}
            local |= {f"{name}:{port}" for name in hosts}
            if port == 80:
                local |= hosts
        return Hosts(
            local=frozenset(local),
            names=frozenset(name.lower() for name in names),
            any_address=wide,
        )

    def serves(self, host: str) -> bool:
        """Say whether a Host field's value is one of ours, in any letter case."""
        host = host.lower()
        if host in self.local:
            return True
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1]
        if name in self.names or host in self.names:
            return True
        return self.any_address and (name == "localhost" or _is_address(name))


def refuse_host(hosts: Hosts, headers: Mapping[str, str]) -> Response | None:
    """Refuse a request that was meant for another server, whatever it asks."""
    if hosts.serves(headers.get("host", "")):
        return None
    return problem(
        421,
        "misdirected",
        "this server does not answer to the name in the Host field; use the address it printed",
    )


def refuse_foreign_page(method: str, headers: Mapping[str, str]) -> Response | None:
    """Refuse a state-changing request that another site's page may have sent."""
    if method in SAFE_METHODS or _same_site(headers):
        return None
    return problem(403, "forbidden", "a page of another origin may not change anything here")


def refuse_other_types(
    method: str, headers: Mapping[str, str], *, has_body: bool
) -> Response | None:
    """Refuse a state-changing request that is not JSON: what a form can send, changes nothing."""
    if method in SAFE_METHODS or is_json(headers.get("content-type", "")):
        return None
    if not has_body and method not in _BODY_METHODS:
        return None  # no form and no fetch without a preflight can send a bare DELETE
    return problem(
        415,
        "unsupported_media_type",
        "a request that changes something is sent as Content-Type: application/json",
    )


def is_json(content_type: str) -> bool:
    """Say whether a Content-Type is JSON in UTF-8; JSON has no other charset (RFC 8259 8.1)."""
    media_type, _, parameters = content_type.lower().partition(";")
    if media_type.strip() != "application/json":
        return False
    return parameters.strip().replace('"', "") in ("", "charset=utf-8", "charset=utf8")


def _same_site(headers: Mapping[str, str]) -> bool:
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True  # a command line, or a browser's same-origin request
    # Host was found to be ours, so an origin with the same authority is our own page.
    scheme, _, authority = origin.lower().partition("://")
    return scheme in ("http", "https") and authority == headers["host"].lower()


def _bracketed(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
