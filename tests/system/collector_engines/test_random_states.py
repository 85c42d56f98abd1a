"""Random repository states: both engines agree on everything, patches byte for byte."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.engines import assert_same
from tests.support.states import build_state

pytestmark = pytest.mark.system


@settings(max_examples=40)
@given(seed=st.integers(0, 1_000_000))
def test_both_engines_agree_on_any_state(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder: Path = tmp_path_factory.mktemp("state")
    assert_same(build_state(folder / "repo", seed).top)
