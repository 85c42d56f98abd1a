"""The single file's own first step; build.py puts it into the file as `diffx_launcher`.

It must also parse on Pythons that are too old for diffx, to say so in one line. It imports nothing
that is not loaded anyway: every module here is paid for by each hook and each `--version`.
"""

import sys

OLDEST = (3, 11)
NEWEST = (3, 14)


def launch() -> int:
    """Run diffx on this Python, or on a newer one, or say what is missing."""
    if sys.version_info < OLDEST:
        return _hand_over()
    _make_absolute()
    if not sys.flags.isolated:
        _isolate()
    from diffx.__main__ import main

    return main()


def _make_absolute() -> None:
    """Stay importable when the current folder changes; `python3 dist/diffx` gives a relative name."""
    if not sys.path[0].startswith("/"):
        import os

        try:
            sys.path[0] = os.path.join(os.getcwd(), sys.path[0])
        except OSError:
            return  # the current folder is gone, so nothing can be found relative to it anyway


def _isolate() -> None:
    """Forget PYTHONPATH and site-packages, as `python3 -I -S` does: one file, one behaviour.

    They stand before and after the standard library, whose first entry is always its zip.
    """
    name = f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    for at, entry in enumerate(sys.path):
        if entry.endswith(name):
            sys.path[1:] = sys.path[at : at + 3]
            return


def _hand_over() -> int:
    """Start again with a Python that is new enough, if there is one under its own name."""
    import os
    import subprocess

    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        name = f"python3.{minor}"
        try:
            # A version manager has a script of each name, which only may have such a Python.
            if subprocess.call([name, "-c", ""], stderr=subprocess.DEVNULL) == 0:
                os.execvp(name, [name, "-I", "-S", sys.path[0], *sys.argv[1:]])
        except OSError:
            continue
    sys.stderr.write(
        f"diffx: needs Python {OLDEST[0]}.{OLDEST[1]} or newer; "
        f"python3 here is {sys.version_info[0]}.{sys.version_info[1]}\n"
    )
    return 2
