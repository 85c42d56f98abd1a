"""What every repository is asked first: where it is, what is configured, where its branches are."""

from typing import Final

ABOUT_CHECKOUT: Final = (
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--show-object-format",
    "--is-shallow-repository",
    "--path-format=absolute",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
)
ANSWERS: Final = 7
CONFIG_PATTERN: Final = (
    r"^(diffx\.safe|core\.filemode|filter\..*|diff\..*\.(binary|xfuncname|funcname|algorithm)"
    r"|submodule\..*\.ignore|remote\..*\.url)$"
)
DEFAULTS: Final = ("main", "master")
ORIGIN: Final = "refs/remotes/origin"
HEADS_FORMAT: Final = "--format=%(refname)%00%(objectname)%00%(symref)"
DEFAULT_HEADS: Final = (
    HEADS_FORMAT,
    f"{ORIGIN}/HEAD",
    *(f"{room}/{name}" for name in DEFAULTS for room in ("refs/heads", ORIGIN)),
)
