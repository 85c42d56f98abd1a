"""What the configuration of a checkout says, and the rule files of its user, read without git."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from diffx.collector.contents.gitfile import read_git_file
from diffx.collector.libgit2.conversion import LineEnds
from diffx.collector.libgit2.files import FileSettings
from diffx.collector.repository import Layout
from diffx.collector.rules.switches import is_on

if TYPE_CHECKING:
    import pygit2

_MAX_USER_FILE_BYTES: Final = 16 << 20


def read_config(library: Any, repository: "pygit2.Repository") -> dict[str, str]:
    """Return every setting with the value that counts."""
    config = repository.config
    found: dict[str, str] = {}
    for entry in config:
        name = entry.name
        if name not in found:
            with suppress(KeyError, ValueError, library.GitError):
                value = config[name]
                # A name alone, without an equals sign, says yes.
                found[name] = "true" if value is None else str(value)
    return found


def file_settings(config: Mapping[str, str]) -> FileSettings:
    sparse = is_on(config.get("core.sparsecheckout"), default=False)
    return FileSettings(
        filemode=is_on(config.get("core.filemode"), default=True),
        symlinks=is_on(config.get("core.symlinks"), default=True),
        ignore_case=is_on(config.get("core.ignorecase"), default=False),
        sparse=sparse
        and not is_on(config.get("sparse.expectfilesoutsideofpatterns"), default=False),
        cone=sparse and is_on(config.get("core.sparsecheckoutcone"), default=False),
        line_ends=LineEnds(
            auto=config.get("core.autocrlf", "").lower() == "input"
            or is_on(config.get("core.autocrlf"), default=False)
        ),
    )


def user_excludes(
    layout: Layout, config: Mapping[str, str], environment: Mapping[str, str]
) -> list[bytes]:
    """Read info/exclude and the user's excludes file, in the order in which git asks them."""
    home = environment.get("HOME", "")
    xdg = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    named = config.get("core.excludesfile")
    if named is None:
        named = f"{xdg}/git/ignore" if xdg else ""
    elif named.startswith("~/"):
        named = f"{home}/{named[2:]}"
    files = [layout.common_dir / "info" / "exclude"]
    files += [layout.top / named] if named else []
    return [content for file in files if (content := read_user_file(file)) is not None]


def read_user_file(file: Path) -> bytes | None:
    """Read a settings file, which may be a link but never a pipe; None where there is none."""
    try:
        return read_git_file(file, most=_MAX_USER_FILE_BYTES)
    except OSError:
        return None
