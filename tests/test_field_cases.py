"""No case from the field is without a test in this suite."""

import re
from pathlib import Path
from typing import Final

_CASES: Final = (
    *("A01", "A02", "A05", "A06", "A07", "A09", "A11", "A13", "A14"),
    *("A15", "A18", "A19", "A20", "A22", "A23", "A24", "A25"),
)


def test_every_case_of_collecting_is_cited_by_a_test_that_holds_it() -> None:
    """Its number stands in the docstring of each test that holds a part of it: `(case A..)`."""
    found = set[str]()
    for path in Path(__file__).parent.rglob("test_*.py"):
        found.update(re.findall(r"\(case (A\d\d)\)", path.read_text("utf-8")))
    assert sorted(found) == sorted(_CASES)
