"""A remote's address without what is secret in it, and the repository key it stands for (3.2)."""

import hashlib
import re
from typing import Final

from diffx.review.model import RepositoryKey, SourceId

_MAX_CHARS: Final = 2048
_HELPER: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9+.-]*)::")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_COMMAND_HELPERS: Final = ("ext", "fd")
"""Helpers whose address is a command line or a descriptor: it names no place and may say anything."""
_THIS_MACHINE: Final = re.compile(r"(localhost|127\.[0-9.]+|\[?::1\]?)(:|/|$)")


def sanitised_remote(url: str) -> str | None:
    """Return the address without user, password, query and fragment; None if nothing is left.

    Reads addresses as git does: URLs, `host:path`, `helper::address`, and local paths. Where a
    password with reserved characters makes an address ambiguous, more is cut rather than less.
    """
    plain = "".join(char for char in url.strip() if char.isprintable())
    helper = _HELPER.match(plain)
    if helper:
        if helper[1].lower() in _COMMAND_HELPERS:
            return None
        rest = sanitised_remote(plain[helper.end() :])
        return f"{helper[1]}::{rest}"[:_MAX_CHARS] if rest else None
    scheme = _SCHEME.match(plain)
    if scheme:
        plain = _without_secrets(scheme[1].lower(), plain[scheme.end() :])
    elif _is_scp(plain):
        plain = _scp_without_user(plain)
    shortened = plain.rstrip("/")[:_MAX_CHARS]
    return shortened or None


def repository_key_of(remote: str | None, source: SourceId) -> RepositoryKey | None:
    """Derive the key that every clone of one remote starts with; None if the remote has no say.

    `remote` is a sanitised address. One that means something on this machine only is bound to
    the source, and a relative path means nothing at all elsewhere.
    """
    if remote is None:
        return None
    if _is_shared(remote):
        return _key("remote", remote)
    if remote.startswith(("/", "file://")) or _SCHEME.match(remote) or _is_scp(remote):
        return _key("local", f"{source}\0{remote}")
    return None


def _key(kind: str, text: str) -> RepositoryKey:
    digest = hashlib.sha256(f"diffx {kind}\0{text}".encode("utf-8", "surrogatepass"))
    return RepositoryKey(f"{kind}-{digest.hexdigest()[:40]}")


def _is_shared(remote: str) -> bool:
    """Say whether the address names the same place from any machine."""
    remote = _HELPER.sub("", remote, count=1)
    scheme = _SCHEME.match(remote)
    if scheme:
        return scheme[1] != "file" and not _THIS_MACHINE.match(remote[scheme.end() :])
    return _is_scp(remote) and not _THIS_MACHINE.match(remote)


def _is_scp(address: str) -> bool:
    """Say whether git takes it for `[user@]host:path`: a colon before the first slash."""
    head, slash, _ = address.partition("/")
    return ":" in head and not head.startswith(":") and (bool(slash) or not head.endswith(":"))


_HOST: Final = re.compile(r"(\[[^]]*\]|[^:]*)(:[0-9]*)?")


def _without_secrets(scheme: str, rest: str) -> str:
    # Not cut at '?' or '#' first: curl reads `user:pa?ss@host` as its writer meant it.
    authority = rest.partition("/")[0]
    if "@" in authority:
        rest = rest[authority.rindex("@") + 1 :]
    elif "@" in rest and not _HOST.fullmatch(re.split(r"[?#]", authority, maxsplit=1)[0]):
        # `user:pa/ss@host`: no such port, so the slash belongs to a password.
        rest = rest[rest.rindex("@") + 1 :]
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    host, slash, path = rest.partition("/")
    if not _HOST.fullmatch(host):
        host = host.partition(":")[0]
    return f"{scheme}://{host.lower()}{slash}{path}"


def _scp_without_user(address: str) -> str:
    head = address.partition("/")[0]
    last = head.rfind("@")
    if ":" in head[last + 1 :]:
        # Also `user:secret@host:path`, which git would read as a path on a host called `user`.
        address = address[last + 1 :]
    elif "@" in head.partition(":")[0]:
        address = address[head.index("@") + 1 :]
    host, _, path = re.split(r"[?#]", address, maxsplit=1)[0].partition(":")
    return f"{host.lower()}:{path}"
