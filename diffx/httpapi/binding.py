"""Open the sockets that a listener accepts on: one port, every address it must answer at."""

import errno
import ipaddress
import os
import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from diffx.errors import FailedError, InvalidError

_BACKLOG: Final = 512
_NO_SUCH_FAMILY: Final = frozenset(
    {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}
)
_ANY_PORT_TRIES: Final = 20
_ADVICE: Final = {
    errno.EADDRNOTAVAIL: "name an address of this machine with --host",
    errno.EACCES: "choose a port above 1023 with --port",
}


class AddressInUseError(FailedError):
    """No port of those allowed is free."""

    code = "address_in_use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Listening sockets that share one port, and the address of each."""

    sockets: tuple[socket.socket, ...]
    addresses: tuple[tuple[str, int], ...]


def bind(host: str, ports: Iterable[int]) -> Bound:
    """Listen at `host` on the first free of `ports`; port 0 is any free one.

    A loopback host listens on IPv4 and IPv6 alike, because `localhost` is either; a port counts as
    free only where both are, so that no spelling of the printed address reaches another program.
    """
    hosts = _hosts(host)
    tried = []
    for port in ports:
        for _ in range(_ANY_PORT_TRIES if port == 0 else 1):
            bound = _bind_all(hosts, port)
            if bound is not None:
                return bound
        tried.append(str(port))
    wanted = f"port {tried[0]} is" if len(tried) == 1 else f"ports {tried[0]} to {tried[-1]} are"
    raise AddressInUseError(f"{wanted} already in use at {host}; choose another with --port")


def _hosts(host: str) -> tuple[str, ...]:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        raise InvalidError(
            f"{host!r} is no IP address to listen at; use one of this machine's", field="host"
        ) from None
    if str(address) in ("127.0.0.1", "::1"):
        return str(address), "::1" if address.version == 4 else "127.0.0.1"
    return (str(address),)


def _bind_all(hosts: Sequence[str], port: int) -> Bound | None:
    """Bind every host to one port, or none; only the first host must exist on this machine."""
    opened: list[socket.socket] = []
    try:
        for host in hosts:
            try:
                opened.append(_listen(host, port))
            except OSError as error:
                if opened and error.errno in _NO_SUCH_FAMILY:
                    continue  # a machine without IPv6 (or IPv4) resolves no name to it
                raise
            port = opened[0].getsockname()[1]
    except OSError as error:
        for sock in opened:
            sock.close()
        if error.errno == errno.EADDRINUSE:
            return None
        advice = _ADVICE.get(error.errno or 0, "choose others with --host and --port")
        raise FailedError(
            f"cannot listen at {hosts[0]} port {port}: {os.strerror(error.errno or 0)}; {advice}"
        ) from error
    return Bound(
        sockets=tuple(opened),
        addresses=tuple((sock.getsockname()[0], sock.getsockname()[1]) for sock in opened),
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere this option lets two programs share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            with suppress(OSError):  # `::` asks for every address, IPv4 included
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
        sock.bind((host, port))
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except BaseException:
        sock.close()
        raise
    return sock
