import pytest
from hypothesis import given
from hypothesis import strategies as st

from diffx.collector.enrolment.remote import repository_key_of, sanitised_remote
from diffx.review.model import SourceId

SOURCE = SourceId("source")


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://user:s3cret@GitHub.com/o/R.git/", "https://github.com/o/R.git"),
        ("https://s3cret@github.com/o/r", "https://github.com/o/r"),
        ("https://user:s3/cret@github.com/o/r", "https://github.com/o/r"),
        ("https://user:s3?cret@github.com/o/r", "https://github.com/o/r"),
        ("https://user:s3#cret@github.com/o/r", "https://github.com/o/r"),
        ("https://user:s3@cret@github.com/o/r", "https://github.com/o/r"),
        ("https://h:8443/o/r?token=s3cret#s3cret", "https://h:8443/o/r"),
        ("https://[2001:db8::1]:8443/o/r", "https://[2001:db8::1]:8443/o/r"),
        ("https://npm.example/@scope/r", "https://npm.example/@scope/r"),
        ("ssh://git@host:22/o/r.git", "ssh://host:22/o/r.git"),
        ("git@github.com:o/r.git", "github.com:o/r.git"),
        ("user:s3cret@github.com:o/r.git", "github.com:o/r.git"),
        ("git@host:dir/a@b", "host:dir/a@b"),
        ("git@host:~user/r?x=s3cret", "host:~user/r"),
        ("file:///srv/git/r.git", "file:///srv/git/r.git"),
        ("/srv/git/r.git/", "/srv/git/r.git"),
        ("../r.git", "../r.git"),
        ("codecommit::us-east-1://me:s3cret@repo", "codecommit::us-east-1://repo"),
        ("  https://h/r\n", "https://h/r"),
    ],
)
def test_an_address_keeps_its_place_and_loses_its_secrets(url: str, plain: str) -> None:
    assert sanitised_remote(url) == plain
    assert "s3" not in plain


@pytest.mark.parametrize("url", ["ext::sh -c 'echo s3cret'", "fd::3", "", " ", "ext::"])
def test_what_names_no_place_is_none(url: str) -> None:
    assert sanitised_remote(url) is None


_SECRET = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="/"), max_size=12
)


@given(_SECRET, st.sampled_from(["https", "http", "ssh", "git", "ftp"]))
def test_no_part_of_a_password_survives(secret: str, scheme: str) -> None:
    plain = sanitised_remote(f"{scheme}://user:{secret}@host.example/o/r")
    assert plain == f"{scheme}://host.example/o/r"


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_none_and_sanitising_twice_changes_nothing(url: str) -> None:
    plain = sanitised_remote(url)
    if plain is not None:
        assert plain.isprintable()
        again = sanitised_remote(plain)
        assert again is None or len(again) <= len(plain)


def test_two_clones_of_one_remote_share_a_key_and_others_do_not() -> None:
    first = repository_key_of(sanitised_remote("https://a:b@h/o/r"), SOURCE)
    second = repository_key_of(sanitised_remote("https://h/o/r"), SourceId("another"))
    other = repository_key_of(sanitised_remote("https://h/o/q"), SOURCE)
    assert first == second != other


@pytest.mark.parametrize("url", ["/srv/r", "file:///srv/r", "ssh://localhost/r", "localhost:r"])
def test_a_place_on_this_machine_is_bound_to_the_source(url: str) -> None:
    here = repository_key_of(sanitised_remote(url), SOURCE)
    there = repository_key_of(sanitised_remote(url), SourceId("another"))
    assert here is not None
    assert here != there


def test_a_relative_remote_has_no_say() -> None:
    assert repository_key_of("../origin.git", SOURCE) is None
    assert repository_key_of(None, SOURCE) is None
