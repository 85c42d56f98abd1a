from diffx.httpapi.events import EventHub
from diffx.httpapi.messages import Request, Response
from diffx.review.model import ContextId, OwnerId
from diffx.services.changes import Change, Changes

ME, YOU = OwnerId("me"), OwnerId("you")


def open_stream(hub: EventHub, owner: OwnerId) -> tuple[Response, list[bytes]]:
    response = hub.get(Request(method="GET", path="/api/v2/events", owner=owner))
    return response, []


def test_a_change_reaches_its_owners_streams_and_no_other() -> None:
    changes = Changes()
    hub = EventHub(changes)
    mine, yours = open_stream(hub, ME), open_stream(hub, YOU)
    for response, got in (mine, yours):
        assert response.stream is not None
        response.stream(got.append)

    changes.announce(Change(kind="catalog", owner=ME, context=ContextId("c1")))

    assert mine[1] == [b'id: 1\nevent: catalog\ndata: {"contextId":"c1"}\n\n']
    assert yours[1] == []


def test_ids_count_up_and_a_closed_stream_hears_no_more() -> None:
    changes = Changes()
    response, got = open_stream(EventHub(changes), ME)
    assert response.stream is not None
    stop = response.stream(got.append)
    changes.announce(Change(kind="catalog", owner=ME))
    changes.announce(Change(kind="review", owner=ME, context=ContextId("c")))

    stop()
    stop()
    changes.announce(Change(kind="catalog", owner=ME))

    assert [event.split(b"\n")[0] for event in got] == [b"id: 1", b"id: 2"]
    assert b'data: {"contextId":null}\n' in got[0]


def test_a_stream_says_when_to_come_back_and_that_no_proxy_may_hold_it() -> None:
    response, _ = open_stream(EventHub(Changes()), ME)

    assert response.body.startswith(b"retry: 2000\n")
    assert dict(response.headers) == {
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
    }
