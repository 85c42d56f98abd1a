"""Open a page in the user's browser, or say why not. Never waits, never takes the terminal."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

_REMOTE: Final = ("SSH_CONNECTION", "SSH_TTY")
_DISPLAY: Final = ("DISPLAY", "WAYLAND_DISPLAY")


def open_page(url: str, environment: Mapping[str, str]) -> str | None:
    """Start a browser on `url`; return None, or one line for the user where none was started."""
    command = _command(environment)
    if command is None:
        return _hint(url, environment)
    try:
        subprocess.Popen(
            [*command, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=dict(environment),
        )
    except OSError as error:
        return f"cannot start {command[0]} ({error.strerror}); open the address yourself"
    return None


def _command(environment: Mapping[str, str]) -> list[str] | None:
    """Choose a program that shows a window; a text browser would fight for the terminal."""
    path = environment.get("PATH")
    if sys.platform == "darwin":
        return _first(path, "open")
    if "WSL_DISTRO_NAME" in environment:
        return _first(path, "wslview", "explorer.exe")
    if not any(environment.get(name) for name in _DISPLAY):
        return None
    chosen = environment.get("BROWSER")
    if chosen and shutil.which(chosen, path=path):
        return [chosen]
    return _first(path, "xdg-open", "gio-open", "x-www-browser", "firefox", "chromium")


def _first(path: str | None, *names: str) -> list[str] | None:
    for name in names:
        found = shutil.which(name, path=path)
        if found:
            return [found]
    return None


def _hint(url: str, environment: Mapping[str, str]) -> str:
    if any(environment.get(name) for name in _REMOTE):
        port = url.split("://", 1)[-1].split("/", 1)[0].rsplit(":", 1)[-1]
        return (
            "no display here; from your own machine run "
            f"`ssh -L {port}:127.0.0.1:{port} <this host>` and open the address"
        )
    return "no display here; open the address in a browser"
