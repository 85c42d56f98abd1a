from dataclasses import replace
from typing import Any

import hypothesis
import hypothesis.strategies as st

from diffx.collector.identity import content_hash, fingerprint
from diffx.review.model import ChangedFile, Digest, GitPath, Scope, Side, Snapshot
from diffx.review.paths import file_id

DIGESTS = tuple(Digest(char * 64) for char in "0123")


def side(digest: Digest | None = DIGESTS[0]) -> Side:
    return Side(size=1, digest=digest, reason="binary")


def changed(path: bytes = b"f.txt", **fields: Any) -> ChangedFile:
    wanted: dict[str, Any] = {
        "path": GitPath(path),
        "status": "M",
        "old_path": None,
        "old_mode": "100644",
        "new_mode": "100644",
        "before": side(DIGESTS[0]),
        "after": side(DIGESTS[1]),
        **fields,
    }
    extra = {name: wanted.pop(name) for name in ("conflict", "repository") if name in wanted}
    return ChangedFile(
        id=file_id(wanted["path"]), fingerprint=fingerprint(**wanted), **wanted, **extra
    )


def snapshot(*files: ChangedFile, scope: Scope = "all") -> Snapshot:
    return Snapshot(scope=scope, files=files)


def test_a_fingerprint_ignores_everything_but_the_change() -> None:
    one = changed()
    other = changed(before=Side(size=9, digest=DIGESTS[0], reason="too-large"))

    assert one.fingerprint == other.fingerprint


def test_an_unknown_side_leaves_no_fingerprint_and_no_content_hash() -> None:
    file = changed(after=side(None))

    assert file.fingerprint is None
    assert content_hash([snapshot(changed(b"a"), file)]) is None


def test_a_side_that_does_not_exist_is_known() -> None:
    assert changed(status="A", before=None).fingerprint is not None


def test_an_absent_side_differs_from_any_content() -> None:
    assert changed(before=None).fingerprint != changed().fingerprint


fields = st.fixed_dictionaries(
    {
        "path": st.binary(min_size=1, max_size=4).map(GitPath),
        "old_path": st.none() | st.binary(max_size=4).map(GitPath),
        "status": st.sampled_from(["A", "M", "D", "R", "T", "U"]),
        "old_mode": st.sampled_from([None, "100644", "100755"]),
        "new_mode": st.sampled_from([None, "100644", "120000"]),
        "before": st.none() | st.sampled_from(DIGESTS).map(side),
        "after": st.none() | st.sampled_from(DIGESTS).map(side),
    }
)


@hypothesis.given(one=fields, other=fields)
def test_fingerprints_are_equal_exactly_when_the_changes_are(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert (fingerprint(**one) == fingerprint(**other)) == (one == other)


def test_the_content_hash_knows_in_which_scope_a_change_is() -> None:
    file = changed()

    staged = content_hash([snapshot(scope="unstaged"), snapshot(file, scope="staged")])
    unstaged = content_hash([snapshot(file, scope="unstaged"), snapshot(scope="staged")])

    assert staged != unstaged


def test_the_content_hash_ignores_the_order_of_scopes_and_what_the_budget_kept() -> None:
    file = changed()
    kept = replace(file, additions=7, noise=None, size=9)

    one = content_hash([snapshot(file), snapshot(scope="staged")])
    other = content_hash([snapshot(scope="staged"), snapshot(kept)])

    assert one == other is not None


def test_a_clean_checkout_has_a_content_hash() -> None:
    assert content_hash([snapshot()]) is not None


def test_a_conflict_and_a_repository_count() -> None:
    plain = content_hash([snapshot(changed())])

    assert content_hash([snapshot(changed(conflict="UU"))]) != plain
    assert content_hash([snapshot(changed(repository=True))]) != plain
