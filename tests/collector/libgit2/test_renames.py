from diffx.collector.libgit2.renames import MAX_PAIRS, Lone, pair_renames
from diffx.review.model import GitPath

_BODY = b"".join(b"line %d of the body\n" % number for number in range(40))


def _pairs(
    old: dict[str, bytes], new: dict[str, bytes], modes: dict[str, str] | None = None
) -> dict[str, tuple[str, int]]:
    contents = {path.encode(): data for path, data in {**old, **new}.items()}

    def lone(files: dict[str, bytes]) -> list[Lone]:
        return [
            Lone(GitPath(path.encode()), (modes or {}).get(path, "100644"), data.hex())
            for path, data in sorted(files.items())
        ]

    found = pair_renames(lone(old), lone(new), lambda file: (contents[file.path], True))
    return {
        path.decode(): (source.decode(), score) for path, (source, score) in found.found.items()
    }


def test_equal_contents_pair_first_and_a_kept_name_wins() -> None:
    found = _pairs({"a/x": _BODY, "b/x": _BODY, "b/y": _BODY}, {"c/y": _BODY, "c/z": _BODY})
    assert found == {"c/y": ("b/y", 100), "c/z": ("a/x", 100)}


def test_half_alike_is_enough_and_less_is_not() -> None:
    lines = _BODY.splitlines(keepends=True)
    others = [b"z" * (len(line) - 1) + b"\n" for line in lines]
    assert _pairs({"a": _BODY}, {"b": b"".join(lines[:21] + others[21:])})["b"][1] in (51, 52)
    assert _pairs({"a": _BODY}, {"b": b"".join(lines[:19] + others[19:])}) == {}
    assert _pairs({"a": _BODY}, {"b": b"other\n" * 100}) == {}
    assert _pairs({"a": _BODY}, {"b": _BODY[:200]}) == {}


def test_every_file_is_used_once_and_the_best_pair_first() -> None:
    near, nearer = _BODY + b"1\n2\n3\n", _BODY + b"1\n"
    found = _pairs({"old": _BODY}, {"n1": near, "n2": nearer})
    assert found == {"n2": ("old", found["n2"][1])}


def test_an_only_name_pairs_before_a_better_stranger() -> None:
    edited = _BODY.replace(b"line 3 ", b"LINE 3 ")
    found = _pairs({"a/keep": _BODY, "a/other": edited}, {"b/keep": edited + b"x\n"})
    assert found["b/keep"][0] == "a/keep"


def test_links_and_submodules_pair_only_when_equal_and_of_one_kind() -> None:
    modes = {"a": "120000", "b": "120000", "c": "100644"}
    assert _pairs({"a": b"target"}, {"b": b"target"}, modes) == {"b": ("a", 100)}
    assert _pairs({"a": b"target"}, {"c": b"target"}, modes) == {}


def test_line_ends_do_not_make_another_text() -> None:
    assert _pairs({"a": _BODY}, {"b": _BODY.replace(b"\n", b"\r\n")})["b"][1] > 90


def test_too_many_pairs_are_cut_and_said_to_be() -> None:
    side = int(MAX_PAIRS**0.5) + 2
    old = [Lone(GitPath(b"o%d" % n), "100644", f"o{n}") for n in range(side)]
    new = [Lone(GitPath(b"n%d" % n), "100644", f"n{n}") for n in range(side)]
    new.append(Lone(GitPath(b"same"), "100644", "o0"))
    found = pair_renames(old, new, lambda file: (_BODY, True))
    assert found.limited
    assert found.found == {b"same": (b"o0", 100)}
