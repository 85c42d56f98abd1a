import pytest

from diffx.collector.libgit2.gitmodules import parse_gitmodules


def test_each_submodule_has_its_settings() -> None:
    text = b"""
[submodule "mods/a"]
\tpath = mods/a
\turl = ../a  # where it is
\tIgnore = all
[core]
\tpath = not one
[submodule "b \\"q\\""] path = "with # and ; and  blanks "
"""
    assert parse_gitmodules(text) == {
        "mods/a": {"path": "mods/a", "url": "../a", "ignore": "all"},
        'b "q"': {"path": "with # and ; and  blanks "},
    }


@pytest.mark.parametrize(
    "text", [b"", b"[", b"[submodule", b"path = x", b"\0\xff", b'[submodule "']
)
def test_whatever_else_is_there_says_nothing(text: bytes) -> None:
    assert parse_gitmodules(text) == {}
