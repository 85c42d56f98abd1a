"""A patch becomes an observation without any Git (2.4, 3.5, 3.6, 11.5)."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from diffx.collector.piped import MAX_BYTES, observe
from diffx.review.model import ChangedFile, Millis, Noise, Observation, Side, SourceId
from diffx.review.patch import PatchError, PatchTooLargeError

HEAD = b"diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n"
X = HEAD + b"@@ -1 +1 @@\n-a\n+b\n"


def now() -> Millis:
    return Millis(7)


def observed(patch: bytes) -> Observation:
    return observe(patch, source_id=SourceId("s"), now=now)


def files(patch: bytes) -> tuple[ChangedFile, ...]:
    (snapshot,) = observed(patch).snapshots
    assert snapshot.scope == "all"
    return snapshot.files


def test_a_patch_has_one_scope_its_texts_and_no_identity_of_a_repository() -> None:
    seen = observe(X, source_id=SourceId("s"), now=now, name="fix.patch")

    assert (seen.source_kind, seen.collected_at, seen.source_id) == ("patch", 7, "s")
    assert (seen.comparison.kind, seen.comparison.policy) == ("patch", "patch")
    assert (seen.provenance.engine, seen.provenance.repository_name) == ("patch", "fix.patch")
    assert (seen.repository_key, seen.checkout_key, seen.branch_id, seen.head) == (None,) * 4
    (file,) = seen.snapshots[0].files
    assert file.patch.blob == hashlib.sha256(X).hexdigest()
    assert dict(seen.texts) == {file.patch.blob: X}


def test_a_patch_is_called_by_what_it_holds() -> None:
    one, two = (b"commit " + c * 40 + b"\n\n    Step " + c + b"\n\n" for c in (b"1", b"2"))
    odd = X.replace(b"a/x", b"a/dir/y z").replace(b"b/x", b"b/dir/y z")
    long = X.replace(b"/x", b"/" + b"n" * 200)

    def title(patch: bytes) -> str | None:
        return observed(patch).provenance.repository_name

    assert title(X) == "Patch of x"
    assert title(odd + X) == "Patch of y z and 1 more file"
    assert title(one + X) == "Patch: Step 1"
    assert title(one + X + two + X) == "Patch: Step 1 and 1 more commit"
    assert title(long) == "Patch of " + "n" * 80
    assert observe(X, source_id=SourceId("s"), now=now, folder="/src").provenance == replace(
        observed(X).provenance, trigger_directory="/src"
    )


def test_contents_are_said_not_to_have_been_captured() -> None:
    added = (
        b"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n"
    )
    gone = b"diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    unknown = Side(size=None, digest=None, reason="not-captured")

    assert [(f.before, f.after) for f in files(X + added + gone)] == [
        (unknown, unknown),
        (None, unknown),
        (unknown, None),
    ]


def test_a_path_that_comes_twice_has_two_ids_and_its_commits() -> None:
    one, two = (b"commit " + c * 40 + b"\n\n    Step " + c + b"\n\n" for c in (b"1", b"2"))

    first, second = files(one + X + two + X)

    assert first.id != second.id
    assert first.id == files(X)[0].id
    assert (first.commit, second.commit) == ("1111111111 Step 1", "2222222222 Step 2")
    assert first.fingerprint == second.fingerprint


def test_a_copy_is_an_added_file_that_names_its_source() -> None:
    patch = b"diff --git a/s b/c\nsimilarity index 100%\ncopy from s\ncopy to c\n"

    (file,) = files(patch)

    assert (file.status, file.path, file.old_path, file.before) == ("A", b"c", b"s", file.after)


def test_a_file_over_its_limit_is_listed_with_its_figures_and_the_reason() -> None:
    big = HEAD + b"@@ -0,0 +1,300000 @@\n" + b"+1234567\n" * 300_000

    large, small = files(big + X.replace(b"/x", b"/y"))

    assert (large.patch.reason, large.patch.blob, large.patch.size) == (
        "too-large",
        None,
        len(big),
    )
    assert (large.additions, small.patch.reason) == (300_000, None)
    assert large.fingerprint is not None


def test_a_patch_over_the_limit_is_an_error_that_names_it() -> None:
    with pytest.raises(PatchTooLargeError, match="larger than 16 MiB"):
        observed(X + b"\n" * MAX_BYTES)


def test_what_has_no_text_patch_says_why() -> None:
    stream = (
        b"diff --git a/b b/b\nindex 1111111..2222222 100644\nBinary files a/b and b/b differ\n"
        b"* Unmerged path u\nSubmodule lib contains modified content\nOnly in new: o\n"
    )

    got = files(stream)

    assert [(f.patch.reason, f.binary, f.additions, f.rows) for f in got] == [
        ("binary", True, None, None),
        ("conflict", False, None, None),
        ("submodule", False, None, None),
        ("not-captured", False, None, None),
    ]
    assert got[2].submodule is not None and got[2].submodule.modified_content
    assert got[3].damage is not None


def test_abbreviated_commits_of_a_submodule_are_not_passed_off_as_ids() -> None:
    (file,) = files(b"Submodule lib 1111111..2222222:\n  > subject\n")

    assert file.submodule is not None and file.submodule.new_commit is None
    assert file.damage is not None and "1111111..2222222: subject" in file.damage


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.replace(b"+b", b"+c"),
        lambda patch: patch.replace(b"/x", b"/y"),
        lambda patch: patch.replace(b"2222222 100644", b"2222222 100755"),
        lambda patch: patch.replace(b"index 1111111..2222222 100644", b"old mode 100644\nnew mode 100755"),
    ],
)  # fmt: skip
def test_another_change_has_another_fingerprint(change: Callable[[bytes], bytes]) -> None:
    assert files(change(X))[0].fingerprint != files(X)[0].fingerprint


def test_what_the_patch_does_not_show_has_no_fingerprint() -> None:
    unseen = (
        b"diff --git a/b b/b\nold mode 100644\nnew mode 100755\nBinary files a/b and b/b differ\n"
    )
    named = unseen.replace(b"Binary", b"index 1111111..2222222\nBinary")

    assert files(unseen)[0].fingerprint is None
    assert files(named)[0].fingerprint is not None
    assert files(b"* Unmerged path u\n")[0].fingerprint is None


def test_the_same_bytes_are_the_same_content() -> None:
    assert observed(X).content_hash == observed(X).content_hash
    assert observed(X).content_hash != observed(X + b"\n").content_hash


def test_bytes_that_are_not_utf_8_are_kept_and_their_encoding_named() -> None:
    (file,) = files(X.replace(b"+b", b"+\xe9"))

    assert file.patch.encoding == "latin-1"


def test_noise_is_known_by_name_and_by_what_the_patch_shows_of_the_beginning() -> None:
    lock = X.replace(b"/x", b"/poetry.lock")
    marked = X.replace(
        b"-a\n+b",
        b"-# Code generated by tool. DO NOT EDIT.\n+# Code generated by tool. DO NOT EDIT!",
    )
    deep = marked.replace(b"@@ -1 +1 @@", b"@@ -50 +50 @@")

    found = [file.noise for file in files(lock + marked + deep)]

    assert found[0] == Noise(noise_class="lock", reason="poetry.lock is a lock file")
    assert found[1] is not None and found[1].noise_class == "generated"
    assert found[2] is None


def test_damage_reaches_the_file() -> None:
    assert "cut short" in (files(HEAD + b"@@ -1,5 +1,5 @@\n-a\n")[0].damage or "")


def test_no_patch_is_an_error_never_an_empty_observation() -> None:
    with pytest.raises(PatchError):
        observed(b"nothing of the kind\n")
