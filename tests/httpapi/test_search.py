"""Find over HTTP."""

from diffx.httpapi.search import hit_page_shape
from diffx.review.find import Line
from diffx.review.model import ContextId, FileId
from diffx.services.search import Hit, HitPage
from tests.support.http import Api


def test_hits_say_where_and_show_their_surroundings(api: Api, context: ContextId) -> None:
    page = api.json(f"/api/v2/contexts/{context}/search?q=OTHER")

    assert page["nextCursor"] is None
    (hit, *_) = page["hits"]
    assert (hit["side"], hit["line"], hit["start"], hit["end"]) == (None, None, 0, 5)
    assert hit["excerpt"] == "other.txt"


def test_columns_are_those_of_javascript() -> None:
    text = "\U0001f600" * 50 + "é find me"
    hit = Hit(file=FileId("f"), line=Line("new", 3, text), text=text, start=52, end=56)
    (shape,) = hit_page_shape(HitPage(hits=(hit,), next_cursor=None))["hits"]

    units = text.encode("utf-16-le")
    assert units[2 * shape["start"] : 2 * shape["end"]].decode("utf-16-le") == "find"
    assert units[2 * shape["excerptStart"] :].decode("utf-16-le") == shape["excerpt"]


def test_a_query_that_cannot_be_used_is_a_problem_of_q(api: Api, context: ContextId) -> None:
    for query in ("", "q=", "q=a%0Ab", "q=(&regex=true", "q=a&case=maybe", "q=" + "a" * 401):
        answer = api.get(f"/api/v2/contexts/{context}/search?{query}")
        assert answer.status == 400, query
    assert api.get(f"/api/v2/contexts/{context}/search?q=(&regex=false").status == 200
