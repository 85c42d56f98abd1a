"""Records as text in a column."""

from hypothesis import given
from hypothesis import strategies as st

from diffx.review.model import Comparison, Provenance, Session
from diffx.store import documents

# Half characters too: a path that is no UTF-8 arrives with them.
texts = st.text(st.characters(exclude_categories=()), max_size=20)
maybe = st.none() | texts
sessions = st.builds(Session, harness=texts, session_id=texts, name=maybe)


@given(
    st.builds(
        Provenance,
        **dict.fromkeys(("repository_name", "remote_url", "root", "branch", "run_id"), maybe),
        session=st.none() | sessions,
        collector_version=texts,
    )
)
def test_provenance_comes_back_as_it_was(provenance: Provenance) -> None:
    assert documents.to_provenance(documents.from_provenance(provenance)) == provenance


@given(st.builds(Comparison, policy=texts, kind=st.just("branch"), base_ref=maybe))
def test_a_comparison_comes_back_as_it_was(comparison: Comparison) -> None:
    assert documents.to_comparison(documents.from_comparison(comparison)) == comparison
