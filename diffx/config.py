"""Settings of the personal tool: defaults, then the file, then the environment, then flags (14).

Files inside a repository never take part. Everything arrives as an argument: this module reads
no environment and knows no home folder; it reads and writes the one file that it is given.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Literal, TypeGuard, TypeVar
from urllib.parse import urlsplit

from diffx.errors import FailedError, InvalidError
from diffx.files import exclusive, private_directory, write_private

FIRST_PORT: Final = 7981
LAST_PORT: Final = 7990
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_RETENTION_DAYS: Final = 7
MASK: Final = "********"
_MAX_FILE_BYTES: Final = 256 * 1024
_MAX_SHOWN: Final = 60

Value = str | int
T = TypeVar("T", str, int)


class ConfigError(InvalidError):
    """A setting that cannot be used; the message names the key and where it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting: its key in the file, its variable, and how its text becomes a value."""

    key: str
    variable: str
    parse: Callable[[str], Value]
    kind: Literal["text", "number"] = "text"
    secret: bool = False
    help: str


def _host(text: str) -> str:
    try:
        return str(ip_address(text.strip("[]")))
    except ValueError:
        raise ValueError("must be an IP address such as 127.0.0.1 or ::1") from None


def _number(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return parse


def _text(text: str) -> str:
    if not text or len(text) > 4096 or not text.isprintable():
        raise ValueError("must be 1 to 4096 printable characters")
    return text


def _identity(text: str) -> str:
    plain = all(c.isascii() and (c.isalnum() or c in "._-") for c in text)
    if not plain or not 1 <= len(text) <= 128:
        raise ValueError("must be 1 to 128 letters, digits, '.', '_' or '-'")
    return text


def _server_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an http:// or https:// address")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must not hold credentials, a query or a fragment; use token for those")
    return text.rstrip("/")


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(key="host", variable="DIFFX_HOST", parse=_host, help="address the viewer listens on"),
    Setting(
        key="port",
        variable="DIFFX_PORT",
        parse=_number(0, 65535),
        kind="number",
        help="port of the viewer; 0 takes any free one",
    ),
    Setting(
        key="state",
        variable="DIFFX_STATE",
        parse=_text,
        help="database file of the viewer, or 'memory' to keep nothing",
    ),
    Setting(
        key="webDir",
        variable="DIFFX_WEB_DIR",
        parse=_text,
        help="folder to serve the web UI from instead of the built-in one",
    ),
    Setting(
        key="serverUrl",
        variable="DIFFX_SERVER_URL",
        parse=_server_url,
        help="remote server that sync and hooks send to",
    ),
    Setting(
        key="token",
        variable="DIFFX_TOKEN",
        parse=_text,
        secret=True,
        help="credential for the remote server",
    ),
    Setting(
        key="retentionDays",
        variable="DIFFX_RETENTION_DAYS",
        parse=_number(1, 36500),
        kind="number",
        help="days a review is kept after its last collection",
    ),
    Setting(
        key="sourceId",
        variable="DIFFX_SOURCE_ID",
        parse=_identity,
        help="name of this installation instead of the random one",
    ),
)
_BY_KEY: Final = {setting.key: setting for setting in SETTINGS}


def setting(key: str) -> Setting:
    """Find a setting by its key; an unknown key is a ConfigError that lists the known ones."""
    found = _BY_KEY.get(key)
    if found is None:
        raise ConfigError(f"unknown setting '{key}'; known are: {', '.join(_BY_KEY)}", field=key)
    return found


def parse(key: str, text: str, *, given_as: str) -> Value:
    """Read one value from text; a bad one is a ConfigError.

    `given_as` is what the person wrote it as, and what the message begins with: `--port`,
    `DIFFX_PORT`, a file with the key. The value is repeated unless it may hold a secret.
    """
    found = setting(key)
    try:
        return found.parse(text)
    except ValueError as error:
        hidden = found.secret or "@" in text
        given = "" if hidden else f"; it is {_brief(text)}"
        raise ConfigError(f"{given_as} {error}{given}", field=key) from None


def _brief(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting that was given somewhere, by key, with the place it came from."""

    values: Mapping[str, Value]
    origins: Mapping[str, str]

    def text(self, key: str) -> str | None:
        return _typed(self.values.get(key), str)

    def number(self, key: str) -> int | None:
        return _typed(self.values.get(key), int)


def _typed(value: Value | None, wanted: type[T]) -> T | None:
    return value if _is(value, wanted) else None


def _is(value: Value | None, wanted: type[T]) -> TypeGuard[T]:
    return isinstance(value, wanted)


def resolve(
    *, file: Path | None, environment: Mapping[str, str], flags: Mapping[str, str | None]
) -> Settings:
    """Merge file, environment and flags, later winning. Empty variables count as unset."""
    values: dict[str, Value] = {}
    origins: dict[str, str] = {}
    if file is not None:
        for key, value in read(file).items():
            values[key], origins[key] = value, str(file)
    for known in SETTINGS:
        if environment.get(known.variable):
            text = environment[known.variable]
            values[known.key] = parse(known.key, text, given_as=known.variable)
            origins[known.key] = known.variable
    for key, flag in flags.items():
        if flag is not None:
            values[key] = parse(key, flag, given_as=_flag(key))
            origins[key] = _flag(key)
    return Settings(values=values, origins=origins)


def _flag(key: str) -> str:
    """Spell a key as its flag: sourceId is --source-id."""
    return "--" + "".join(f"-{c.lower()}" if c.isupper() else c for c in key)


def read(file: Path) -> dict[str, Value]:
    """Read the settings file; a missing file is empty, a wrong one is a ConfigError."""
    try:
        with file.open("rb") as stream:
            raw = stream.read(_MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise FailedError(f"{file}: cannot read the settings: {error.strerror}") from error
    if len(raw) > _MAX_FILE_BYTES:
        raise ConfigError(
            f"{file}: larger than {_MAX_FILE_BYTES} bytes; not a diffx settings file"
        )
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{file}: must hold one JSON object")
    return {key: _from_file(file, key, value) for key, value in document.items()}


def _from_file(file: Path, key: str, value: object) -> Value:
    found = _BY_KEY.get(key)
    if found is None:
        raise ConfigError(f"{file}: unknown setting '{key}'; known are: {', '.join(_BY_KEY)}")
    fits = type(value) is (int if found.kind == "number" else str)
    if not fits:
        raise ConfigError(f"{file}: {key} must be a {found.kind}", field=key)
    return parse(key, str(value), given_as=f"{file}: {key}")


def change(file: Path, key: str, value: str | None) -> bool:
    """Set a key, or with None remove it; return whether the file changed.

    The file is replaced whole and is private (0600). Writers in several processes take turns; a
    file that cannot be read as settings is left as it is.
    """
    parsed = None if value is None else parse(key, value, given_as=key)
    setting(key)
    try:
        return _change(file, key, parsed)
    except OSError as error:
        raise FailedError(f"{file}: cannot save the settings: {error.strerror}") from error


def _change(file: Path, key: str, parsed: Value | None) -> bool:
    private_directory(file.parent)
    with exclusive(file.with_name(file.name + ".lock")):
        document = read(file)
        before = dict(document)
        if parsed is None:
            document.pop(key, None)
        else:
            document[key] = parsed
        if document == before:
            return False
        text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        write_private(file, text.encode("utf-8"))
    return True


def shown(key: str, value: Value) -> str:
    """Return a value as it may be printed: secrets as a mask (14)."""
    return MASK if setting(key).secret else str(value)
