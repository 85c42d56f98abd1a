"""What is read off an index file that git wrote is what git says of it."""

from pathlib import Path

import pytest

from diffx.collector.gitexe.indexbytes import may_have_intended, may_have_pinned
from diffx.collector.repository import ObjectFormat
from tests.support.repositories import Checkout

pytestmark = pytest.mark.system


@pytest.mark.parametrize("form", ["sha1", "sha256"])
@pytest.mark.parametrize("version", ["2", "4"])
def test_flags_are_seen_in_whatever_entry_has_them(
    tmp_path: Path, form: ObjectFormat, version: str
) -> None:
    checkout = Checkout.init(tmp_path / "repo", f"--object-format={form}")
    checkout.git("config", "index.version", version)
    names = [f"{'x' * length}" for length in range(1, 20)]
    for name in names:
        checkout.write(name, name)
    checkout.git("add", "-A")
    index = checkout.path(".git/index")
    only_told_in_version_2 = version == "4"

    assert may_have_pinned(index.read_bytes(), form) == only_told_in_version_2
    for name in names:
        checkout.git("update-index", "--assume-unchanged", name)
        assert may_have_pinned(index.read_bytes(), form)
        checkout.git("update-index", "--no-assume-unchanged", name)
        assert may_have_pinned(index.read_bytes(), form) == only_told_in_version_2
    checkout.git("update-index", "--skip-worktree", names[-1])
    assert may_have_pinned(index.read_bytes(), form)
    checkout.git("update-index", "--no-skip-worktree", names[-1])
    assert may_have_intended(index.read_bytes()) == only_told_in_version_2
    checkout.write("planned", "planned")
    checkout.git("add", "-N", "planned")
    assert may_have_intended(index.read_bytes())
