"""Settings that are on or off are what git takes them for (git-config, bool)."""

import pytest

from diffx.collector.rules.switches import is_on


@pytest.mark.parametrize("value", ["true", "Yes", "ON", "1", "+1", "-1", "007", "1k", "0x10"])
def test_these_are_on(value: str) -> None:
    assert is_on(value, default=False)


@pytest.mark.parametrize("value", ["false", "no", "off", "", "0", "00", "0k", "0x0"])
def test_these_are_off(value: str) -> None:
    assert not is_on(value, default=True)


@pytest.mark.parametrize("value", ["+-5", "\u00b2", "1.5", "maybe", "1kk"])
def test_what_git_refuses_is_off(value: str) -> None:
    assert not is_on(value, default=True)


def test_what_is_not_set_is_the_default() -> None:
    assert is_on(None, default=True)
    assert not is_on(None, default=False)
