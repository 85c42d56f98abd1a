import itertools
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from diffx.collector.enrolment.enrol import CopiedCheckoutError, Enrolment, enrol, source_id
from diffx.collector.enrolment.metadata import EnrolmentError
from diffx.errors import InvalidError
from diffx.review.model import SourceId

SOURCE = SourceId("source")
_numbers = itertools.count()


def _new_id() -> str:
    return f"random-{next(_numbers)}"


def _folders(root: Path) -> Path:
    """Make what enrolment sees of a checkout, without Git."""
    (root / ".git").mkdir(parents=True)
    return root


def _enrol(root: Path, **more: object) -> Enrolment:
    git = root / ".git"
    options: dict[str, object] = {
        "git_dir": git,
        "common_dir": git,
        "root": root,
        "remote_url": None,
        "branch": "main",
        "source_id": SOURCE,
        "new_id": _new_id,
    }
    return enrol(**{**options, **more})  # type: ignore[arg-type]


def _checkout_file(root: Path) -> Path:
    (found,) = (root / ".git" / "diffx").glob("checkout-*.json")
    return found


def test_the_same_checkout_has_the_same_identity_every_time(tmp_path: Path) -> None:
    root = _folders(tmp_path / "r")
    assert _enrol(root) == _enrol(root)


def test_a_remote_that_changes_later_changes_nothing(tmp_path: Path) -> None:
    root = _folders(tmp_path / "r")
    first = _enrol(root, remote_url="https://h/a")
    assert _enrol(root, remote_url="https://h/b") == first
    assert _enrol(root) == first


def test_two_clones_of_one_remote_share_the_repository_and_not_the_checkout(
    tmp_path: Path,
) -> None:
    one = _enrol(_folders(tmp_path / "a"), remote_url="https://u:p@h/r")
    two = _enrol(_folders(tmp_path / "b"), remote_url="https://h/r")
    assert one.repository_key == two.repository_key
    assert one.checkout_key != two.checkout_key


def test_a_moved_checkout_keeps_its_identity_and_says_where_it_is_now(tmp_path: Path) -> None:
    first = _enrol(_folders(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert _enrol(tmp_path / "b") == first
    assert json.loads(_checkout_file(tmp_path / "b").read_bytes())["path"] == str(tmp_path / "b")


def test_a_checkout_moved_to_another_disk_keeps_its_identity(tmp_path: Path) -> None:
    first = _enrol(_folders(tmp_path / "a"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")  # what `mv` does across file systems
    shutil.rmtree(tmp_path / "a")
    assert _enrol(tmp_path / "b") == first


def test_a_copy_is_refused_while_the_original_lives_and_the_remedy_works(tmp_path: Path) -> None:
    first = _enrol(_folders(tmp_path / "a"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with pytest.raises(CopiedCheckoutError) as refused:
        _enrol(tmp_path / "b")
    message = str(refused.value)
    assert str(tmp_path / "a") in message
    assert str(tmp_path / "b" / ".git" / "diffx") in message
    assert "\n" not in message
    assert _enrol(tmp_path / "a") == first
    assert _enrol(tmp_path / "b", checkout_key="mine").checkout_key == "mine"
    shutil.rmtree(tmp_path / "b" / ".git" / "diffx")
    assert _enrol(tmp_path / "b").checkout_key != first.checkout_key


def test_a_copy_is_accepted_once_another_checkout_lives_in_the_old_place(tmp_path: Path) -> None:
    first = _enrol(_folders(tmp_path / "a"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    shutil.rmtree(tmp_path / "a")
    other = _enrol(_folders(tmp_path / "a"))
    assert _enrol(tmp_path / "b") == first
    assert other.checkout_key != first.checkout_key


def test_the_same_place_under_another_name_is_no_copy(tmp_path: Path) -> None:
    first = _enrol(_folders(tmp_path / "a"))
    (tmp_path / "link").symlink_to("a")
    assert _enrol(tmp_path / "link") == first
    assert _enrol(tmp_path / "a") == first


def test_a_linked_worktree_whose_folder_was_copied_is_refused(tmp_path: Path) -> None:
    main = _folders(tmp_path / "main")
    admin = main / ".git" / "worktrees" / "wt"
    admin.mkdir(parents=True)
    for name in ("wt", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(f"gitdir: {admin}\n")
    linked = {"git_dir": admin, "common_dir": main / ".git"}
    first = _enrol(main)
    second = _enrol(tmp_path / "wt", **linked)
    assert first.repository_key == second.repository_key
    assert first.checkout_key != second.checkout_key
    with pytest.raises(CopiedCheckoutError):
        _enrol(tmp_path / "copy", **linked)


def test_each_source_has_its_own_checkout_key(tmp_path: Path) -> None:
    root = _folders(tmp_path / "r")
    container = _enrol(root, source_id=SourceId("container"))
    assert container.checkout_key != _enrol(root).checkout_key
    assert container.repository_key == _enrol(root).repository_key


def test_a_detached_head_has_no_branch_id(tmp_path: Path) -> None:
    assert _enrol(_folders(tmp_path / "r"), branch=None).branch_id is None


def test_given_keys_are_used_and_nothing_is_enrolled_for_them(tmp_path: Path) -> None:
    root = _folders(tmp_path / "r")
    found = _enrol(root, repository_key="github.com/o/r", checkout_key="c1", branch=None)
    assert (found.repository_key, found.checkout_key) == ("github.com/o/r", "c1")
    assert not (root / ".git" / "diffx").exists()


@pytest.mark.parametrize("key", ["", "a b", "../x", "a\n", "x" * 200, "\u00e9"])
def test_a_given_key_with_other_characters_names_its_option(tmp_path: Path, key: str) -> None:
    with pytest.raises(InvalidError, match="--checkout-key"):
        _enrol(_folders(tmp_path / "r"), checkout_key=key)


def _refuse_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read-only to root too."""

    def refuse(*args: object, **more: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr("diffx.files._write_beside", refuse)


def test_read_only_metadata_is_one_line_that_names_both_options_and_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _folders(tmp_path / "r")
    _refuse_writes(monkeypatch)
    with pytest.raises(EnrolmentError) as refused:
        _enrol(root)
    message = str(refused.value)
    for name in ("repository-key", "checkout-key"):
        assert f"--{name}" in message
        assert f"DIFFX_{name.upper().replace('-', '_')}" in message
    assert "\n" not in message
    given = _enrol(root, repository_key="r", checkout_key="c")
    assert given.branch_id is not None
    assert given == _enrol(root, repository_key="r", checkout_key="c")


def test_an_enrolled_checkout_that_became_read_only_keeps_its_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _enrol(_folders(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    _refuse_writes(monkeypatch)
    assert _enrol(tmp_path / "b") == first
    assert _enrol(tmp_path / "b", branch="other").branch_id is not None


def _break_json(file: Path) -> None:
    file.write_bytes(b"{")


def _break_key(file: Path) -> None:
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "key": "../../etc\n"}))


def _break_version(file: Path) -> None:
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "version": 2}))


def _make_list(file: Path) -> None:
    file.write_bytes(b"[1]")


def _make_link(file: Path) -> None:
    file.rename(file.with_suffix(".away"))
    file.symlink_to(file.with_suffix(".away"))


def _make_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _make_deep(file: Path) -> None:
    file.write_bytes(b"[" * 200_000)


@pytest.mark.parametrize(
    "harm",
    [_break_json, _break_key, _break_version, _make_list, _make_link, _make_pipe, _make_deep],
)
@pytest.mark.parametrize("name", ["repository.json", "checkout-*.json", "branches.json"])
def test_a_damaged_file_is_an_error_that_names_it_and_is_left_alone(
    tmp_path: Path, harm: Callable[[Path], None], name: str
) -> None:
    root = _folders(tmp_path / "r")
    _enrol(root)
    (file,) = (root / ".git" / "diffx").glob(name)
    if harm is _break_key and name == "branches.json":
        file.write_text(json.dumps({"version": 1, "branches": [{"id": "../x", "name": "main"}]}))
    else:
        harm(file)
    with pytest.raises(EnrolmentError) as refused:
        _enrol(root)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_linked_enrolment_folder_is_refused_and_nothing_is_written_through_it(
    tmp_path: Path,
) -> None:
    root = _folders(tmp_path / "r")
    (tmp_path / "elsewhere").mkdir()
    (root / ".git" / "diffx").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnrolmentError, match="is a link"):
        _enrol(root)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_path_that_is_not_utf8_is_enrolled(tmp_path: Path) -> None:
    root = _folders(Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xff")))
    assert _enrol(root) == _enrol(root)


def test_the_source_id_is_made_once_and_kept_private(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "diffx"
    first = source_id(folder, _new_id)
    assert source_id(folder, _new_id) == first
    assert (folder / "source-id").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", [b"", b"\xff", b"a b", b"x" * 300])
def test_a_damaged_source_id_is_an_error_that_names_the_file(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "source-id").write_bytes(content)
    with pytest.raises(EnrolmentError, match=r"source-id is damaged"):
        source_id(tmp_path, _new_id)


def test_a_source_id_that_cannot_be_kept_names_its_option(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EnrolmentError, match=r"--source-id or DIFFX_SOURCE_ID"):
        source_id(tmp_path / "file" / "diffx", _new_id)
