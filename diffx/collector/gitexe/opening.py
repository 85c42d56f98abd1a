"""From a path to the checkout that contains it, as git understands it (2.1).

The first three questions are asked before the rest of the engine is even imported: on a small
repository git answers while Python is still loading.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from diffx.collector.gitexe.process import (
    SAFE_MARK,
    Git,
    GitFailedError,
    Job,
    NoGitError,
    NotForGitError,
    find_git,
)
from diffx.collector.gitexe.questions import (
    ABOUT_CHECKOUT,
    ANSWERS,
    CONFIG_PATTERN,
    DEFAULT_HEADS,
)
from diffx.collector.gitexe.questions import DEFAULTS as DEFAULTS
from diffx.collector.gitexe.questions import ORIGIN as ORIGIN
from diffx.collector.repository import Layout, ObjectFormat
from diffx.errors import FailedError, InvalidError

if TYPE_CHECKING:
    from diffx.collector.gitexe.repository import GitRepository

_HEAD_LINES: Final = 3
"""HEAD's commit, its name, and what follows the last line end."""
_DUBIOUS: Final = "dubious ownership"
_TOO_NEW: Final = ("unknown repository extension", "Expected git repo version")


class NoCheckoutError(InvalidError):
    """The path is in no checkout that can be collected (2.1)."""

    code = "no_checkout"


def open_git(path: Path, environment: Mapping[str, str], *, deadline: float) -> "GitRepository":
    """Open the checkout that contains `path`; NoGitError where there is no usable git."""
    program = find_git(environment)
    if program is None:
        raise NoGitError("there is no git on PATH; install git, or use --engine libgit2")
    git = Git(program, _folder(path), environment, deadline=deadline)
    try:
        asked = git.start("rev-parse", *ABOUT_CHECKOUT, "HEAD", "--symbolic-full-name", "HEAD")
        settings = git.start("config", "-z", "--get-regexp", CONFIG_PATTERN)
        heads = git.start("for-each-ref", *DEFAULT_HEADS)
        # Only now: git answers while this is imported.
        from diffx.collector.gitexe.repository import GitRepository, read_head
        from diffx.collector.gitexe.submodules import neutral_filters, read_settings

        git.wait(asked, settings, heads)
        layout, lines = _read_answers(git, path, asked)
        known = read_settings(settings.out)
        if known.get(SAFE_MARK) != "1":
            raise NoGitError(
                f"{program} is older than 2.31 and cannot be kept from running programs;"
                " install a newer git, or use --engine libgit2"
            )
        git.override(neutral_filters(known))
        git.folder = layout.top
        return GitRepository(git, layout, known, (read_head(git, lines), heads))
    except BaseException:
        git.close()
        raise


def _folder(path: Path) -> Path:
    try:
        if path.is_dir():
            return path
        if path.exists():
            return path.parent
    except OSError as error:
        raise NoCheckoutError(f"cannot look at {path}: {error.strerror}") from error
    raise NoCheckoutError(f"{path} does not exist; name a folder inside a Git checkout")


def _read_answers(git: Git, path: Path, asked: Job) -> tuple[Layout, list[str]]:
    """Return where the checkout is, and the lines about HEAD that follow."""
    lines = asked.out.decode("utf-8", "surrogateescape").split("\n")
    if lines[0] == "true":
        raise NoCheckoutError(
            f"{path} is a bare repository, which has no files to review; name a checkout of it"
        )
    if lines[1:2] == ["false"]:
        raise NoCheckoutError(f"{path} is inside a .git folder; name the checkout itself")
    if len(lines) <= ANSWERS:
        raise _refusal(path, asked)
    _, _, form, shallow, *_ = lines
    if len(lines) > ANSWERS + _HEAD_LINES:  # a folder has a line end in its name
        git_dir, common_dir, top = (_ask_path(git, question) for question in ABOUT_CHECKOUT[-3:])
        lines[ANSWERS:] = lines[-_HEAD_LINES:]
    else:
        git_dir, common_dir, top = lines[ANSWERS - 3 : ANSWERS]
    layout = Layout(
        top=Path(top),
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        object_format=_object_format(form),
        shallow=shallow == "true",
    )
    _require_own(path, layout)
    return layout, lines[ANSWERS:]


def _ask_path(git: Git, question: str) -> str:
    answer = git.ask("rev-parse", "--path-format=absolute", question)
    return answer.decode("utf-8", "surrogateescape").removesuffix("\n")


def _object_format(word: str) -> ObjectFormat:
    if word == "sha1":
        return "sha1"
    if word == "sha256":
        return "sha256"
    raise FailedError(f"the repository uses object format {word!r}, which diffx does not know")


def _require_own(path: Path, layout: Layout) -> None:
    """Refuse a checkout whose configuration (core.worktree) moves it somewhere else.

    A repository from elsewhere could name any folder of the user as its files and have them
    collected. Submodules and linked worktrees have a `.git` at the top that leads back.
    """
    try:
        entry = layout.top / ".git"
        if entry.is_dir():
            own = entry.samefile(layout.git_dir)
        else:
            target = entry.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            own = (layout.top / target).samefile(layout.git_dir)
    except (OSError, ValueError):
        own = False
    if not own:
        raise NoCheckoutError(
            f"{path} is configured (core.worktree) to have its files in {layout.top}, which is not"
            " its own checkout; remove that setting, or name the folder that has its .git"
        )


def _refusal(path: Path, asked: Job) -> FailedError | NoCheckoutError:
    said = " ".join(asked.error_text.partition("fatal: ")[2].split()) or "no answer"
    if _DUBIOUS in said:
        return GitFailedError(
            f"{path} belongs to another user and git does not trust it; if you do, run:"
            f" git config --global --add safe.directory {_owned(said) or path}"
        )
    if "not a git repository" in said:
        return NoCheckoutError(f"{path} is in no Git checkout: {said}")
    if any(words in said for words in _TOO_NEW):
        return NotForGitError(f"git cannot read {path}: {said}; a newer git may")
    return GitFailedError(f"git cannot read {path}: {said}")


def _owned(said: str) -> str | None:
    found = re.search(r"repository at '(.*?)'", said)
    return found[1] if found is not None else None
