import pytest

from diffx.collector.rules.wildmatch import compile_glob


# Rows from git's own t3070-wildmatch, in the form (pattern, text, as a path, as a name).
@pytest.mark.parametrize(
    ("pattern", "text", "as_path", "as_name"),
    [
        (b"foo", b"foo", True, True),
        (b"bar", b"foo", False, False),
        (b"", b"", True, True),
        (b"???", b"foo", True, True),
        (b"??", b"foo", False, False),
        (b"*", b"foo", True, True),
        (b"f*", b"foo", True, True),
        (b"*ob*a*r*", b"foobar", True, True),
        (b"*foo*", b"aaaaaaabababab", False, False),
        (b"foo\\*", b"foo*", True, True),
        (b"f\\\\oo", b"f\\oo", True, True),
        (b"*[al]?", b"ball", True, True),
        (b"**[!te]", b"ten", True, True),
        (b"**[!ten]", b"ten", False, False),
        (b"t[a-g]n", b"ten", True, True),
        (b"t[!a-g]n", b"ton", True, True),
        (b"a[]]b", b"a]b", True, True),
        (b"a[]-]b", b"a-b", True, True),
        (b"a[]a-]b", b"aab", True, True),
        (b"]", b"]", True, True),
        (b"foo*bar", b"foo/baz/bar", False, True),
        (b"foo**bar", b"foo/baz/bar", False, True),
        (b"foo/**/bar", b"foo/baz/bar", True, True),
        (b"foo/**/bar", b"foo/b/a/z/bar", True, True),
        (b"foo/**/bar", b"foo/bar", True, False),
        (b"foo?bar", b"foo/bar", False, True),
        (b"foo[/]bar", b"foo/bar", False, True),
        (b"foo[^a-z]bar", b"foo/bar", False, True),
        (b"**/foo", b"foo", True, False),
        (b"**/foo", b"XXX/foo", True, True),
        (b"*/foo", b"bar/baz/foo", False, True),
        (b"**/bar/*", b"deep/foo/bar/baz", True, True),
        (b"**/bar/**", b"deep/foo/bar", False, False),
        (b"**/*/foo", b"foo/bba/arr", False, False),
        (b"*/*/*", b"foo/bba/arr", True, True),
        (b"**/**/**", b"foo/bb/aa/rr", True, True),
        (b"*/*", b"foo/bb/aa/rr", False, True),
        (b"[ab]", b"a", True, True),
        (b"[[:alpha:]][[:digit:]][[:upper:]]", b"a1B", True, True),
        (b"[[:digit:][:upper:][:space:]]", b"a", False, False),
        (b"[[:digit:][:upper:][:spaci:]]", b"1", False, False),
        (b"[a-c[:digit:]x-z]", b"5", True, True),
        (b"[\\\\-^]", b"]", True, True),
        (b"[\\-_]", b"-", True, True),
        (b"[]-a]", b"[", False, False),
        (b"[a-", b"ab", False, False),
        (b"a\\", b"a\\", False, False),
        (b"[!]a-]", b"]", False, False),
        (b"[,-.]", b"-", True, True),
        (b"[-x-z]", b"-", True, True),
        (b"**/t[o]", b"foo/bar/baz/to", True, True),
    ],
)
def test_globs_match_as_in_git(pattern: bytes, text: bytes, as_path: bool, as_name: bool) -> None:
    assert compile_glob(pattern, paths=True, fold=False)(text) is as_path
    assert compile_glob(pattern, paths=False, fold=False)(text) is as_name


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (b"FOO", b"foo", True),
        (b"[A-Z]", b"a", True),
        (b"[a-z]", b"A", True),
        (b"[[:upper:]]", b"a", True),
        (b"[B-Za]", b"A", True),
        (b"[!A]", b"a", True),  # git folds the text, not the members of a set
    ],
)
def test_letters_fold_as_in_git(pattern: bytes, text: bytes, matches: bool) -> None:
    assert compile_glob(pattern, paths=True, fold=True)(text) is matches


def test_no_pattern_takes_exponential_time() -> None:
    glob = compile_glob(b"*a" * 40 + b"b", paths=True, fold=False)
    assert not glob(b"a" * 2000)
    stars = compile_glob(b"**/" * 40 + b"b", paths=True, fold=False)
    assert not stars(b"a/" * 500)
