"""A browser for the tests: Chromium, Chrome or Edge as installed, else Playwright's own."""

import shutil
import sys
from pathlib import Path
from typing import Final

NAMES: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
)
MAC_APPS: Final = ("Google Chrome", "Chromium", "Microsoft Edge")


def find_browser(path: str | None = None) -> Path | None:
    """Return an installed browser of the Chromium family, or None."""
    for name in NAMES:
        found = shutil.which(name, path=path)
        if found:
            return Path(found)
    if sys.platform == "darwin":
        for app in MAC_APPS:
            program = Path("/Applications", f"{app}.app", "Contents/MacOS", app)
            if program.exists():
                return program
    return None
