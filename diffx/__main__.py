"""Choose the command before anything heavy is imported.

`--version` and `--help` answer from what Python has loaded anyway, an agent's hook takes the
path that imports `os` and `sys` only, and all else goes to diffx.cli. The module set of each is
fixed by tests/test_architecture.py.
"""

import sys


def main() -> int:
    """Run the command in `sys.argv` and return its exit code."""
    words = sys.argv[1:]
    if words in (["--version"], ["-V"]):
        from diffx import __version__

        return _print(f"diffx {__version__}\n")
    if words in (["--help"], ["-h"], ["help"]):
        from diffx.cli.usage import USAGE

        return _print(USAGE)
    import gc

    # Looking for garbage is a twelfth of a start that makes none; the viewer turns it on again.
    gc.disable()
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from diffx.cli.streams import reopen

        reopen()
    if "diffx_launcher" in sys.modules and __file__.endswith(".py"):
        # The executable has byte code for one Python, and this is another.
        from diffx import bytecode

        bytecode.use()
    from diffx.cli.main import main as run

    return run()


def _print(text: str) -> int:
    problem = None
    try:
        if sys.stdout is not None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return 0
    except OSError as error:
        problem = error
    from diffx.cli.streams import unwritten

    return unwritten(problem)


if __name__ == "__main__":
    sys.exit(main())
