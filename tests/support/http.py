"""The HTTP face under test: a store with one known review, its dispatcher, and its contract."""

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

import jsonschema
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from diffx.clock import random_id
from diffx.httpapi.messages import Request, Response
from diffx.httpapi.meta import Identity
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Authenticate, Dispatcher, Route, Services, Settings, build
from diffx.review.model import (
    BlobId,
    ChangedFile,
    CommitId,
    Comparison,
    ContextId,
    Digest,
    Encoding,
    FilePatch,
    GitPath,
    Millis,
    Observation,
    OwnerId,
    Provenance,
    RepositoryKey,
    Rows,
    Session,
    Side,
    Snapshot,
    SourceId,
    Submission,
    SubmissionId,
)
from diffx.review.paths import file_id
from diffx.services.catalog import Catalog
from diffx.services.changes import Changes
from diffx.services.iterations import Iterations
from diffx.services.publish import Publisher
from diffx.services.reviews import Reviews
from diffx.store.database import Store

OWNER: Final = OwnerId("local")
OTHER_OWNER: Final = OwnerId("other")
NOW: Final = Millis(1_800_000_000_000)
PORT: Final = 7981
HOST: Final = f"127.0.0.1:{PORT}"
DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "protocol" / "openapi.yaml"

TEXT_PATCH: Final = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two \xe2\x80\xa8\n"
LATIN_PATCH: Final = b"--- a/l.txt\n+++ b/l.txt\n@@ -1 +1 @@\n-caf\xe9\n+caf\xe8\x00\x1b\n"
BROKEN_PATCH: Final = b"--- a/o\n+++ b/o\n@@ -1 +1 @@\n-\xed\xa0\x80\n+\xff\n"


@dataclass
class Texts:
    """Blobs as an observation carries them."""

    stored: dict[BlobId, bytes] = field(default_factory=dict)

    def add(self, text: bytes) -> BlobId:
        blob = BlobId(sha256(text).hexdigest())
        self.stored[blob] = text
        return blob

    def patch(self, text: bytes, encoding: Encoding = "utf-8") -> FilePatch:
        return FilePatch(size=len(text), blob=self.add(text), encoding=encoding)

    def side(self, text: bytes, encoding: Encoding = "utf-8") -> Side:
        digest = Digest(sha256(text).hexdigest())
        return Side(size=len(text), digest=digest, blob=self.add(text), encoding=encoding)


def submission(number: int = 1, *, files: int = 0) -> Submission:
    """Build a review with one file of each kind, and `files` plain ones after them."""
    texts = Texts()
    changed = [_text_file(texts, f"{index:05}.txt", index) for index in range(files)]
    return Submission(
        id=SubmissionId(f"submission-{number}"),
        observation=Observation(
            source_id=SourceId("source"),
            source_kind="checkout",
            collected_at=Millis(NOW + number),
            comparison=Comparison(policy="auto", kind="branch", base_ref="main"),
            provenance=Provenance(
                repository_name='<img src=x onerror="1">',
                root="/home/me/project",
                branch=f"branch-{number}",
                hostname="machine",
                session=Session(harness="claude", session_id=f"session-{number}", name="first"),
                collector_version="0",
            ),
            snapshots=(
                Snapshot(scope="all", files=(*_odd_files(texts), *changed)),
                Snapshot(scope="staged", files=()),
                Snapshot(scope="unstaged", files=()),
            ),
            texts=texts.stored,
            content_hash=Digest(sha256(b"%d" % number).hexdigest()),
            repository_key=RepositoryKey("repository"),
            head=CommitId("1" * 40),
        ),
    )


def _text_file(texts: Texts, name: str, number: int) -> ChangedFile:
    patch = b"--- a/%b\n+++ b/%b\n@@ -1 +1 @@\n-old\n+new %d\n" % (
        name.encode(),
        name.encode(),
        number,
    )
    return ChangedFile(
        id=file_id(GitPath(name.encode())),
        path=GitPath(name.encode()),
        status="M",
        old_mode="100644",
        new_mode="100644",
        worktree_status="M",
        additions=1,
        deletions=1,
        size=6,
        fingerprint=Digest(sha256(patch).hexdigest()),
        rows=Rows(hunks=1, unified=3, split=2, max_columns=6),
        patch=texts.patch(patch),
        before=texts.side(b"old\n"),
        after=texts.side(b"new %d\n" % number),
    )


def _odd_files(texts: Texts) -> tuple[ChangedFile, ...]:
    rows = Rows(hunks=1, unified=3, split=2, max_columns=6)
    shared = {"status": "M", "old_mode": "100644", "new_mode": "100644", "rows": rows}
    entries: tuple[dict[str, Any], ...] = (
        {
            "path": b"</script><b>.txt",
            "patch": texts.patch(TEXT_PATCH),
            "before": texts.side(b"one\n"),
            "after": texts.side("two \u2028\n".encode()),
        },
        {"path": b"bin", "patch": FilePatch(reason="binary"), "binary": True, "rows": None},
        {"path": b"latin-\xff.txt", "patch": texts.patch(LATIN_PATCH, "latin-1")},
        {"path": b"other.txt", "patch": texts.patch(BROKEN_PATCH, "other")},
    )
    return tuple(
        ChangedFile(**{**shared, **entry, "id": file_id(GitPath(entry["path"]))})
        for entry in entries
    )


class Contract:
    """openapi.yaml, as a judge of answers."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text("utf-8"))
        resource = DRAFT202012.create_resource(self.document)
        self._registry: Registry[Any] = Registry().with_resource("contract", resource)

    def operations(self) -> set[tuple[str, str]]:
        methods = {"get", "put", "post", "delete", "patch"}
        return {
            (method.upper(), template)
            for template, item in self.document["paths"].items()
            for method in item
            if method in methods
        }

    def check(self, route: Route, response: Response) -> None:
        """Fail unless the contract allows this answer of this route."""
        responses = self.document["paths"][route.template][route.method.lower()]["responses"]
        where = [route.template, route.method.lower(), "responses"]
        found = "default" if str(response.status) not in responses else str(response.status)
        self._check_answer(["paths", *where, found], response)

    def check_problem(self, response: Response) -> None:
        """Fail unless an answer without a route is a problem document."""
        self._check_answer(["components", "responses", "Problem"], response)

    def _check_answer(self, where: list[str], response: Response) -> None:
        answer: Any = self.document
        for key in where:
            answer = answer[key]
        if "$ref" in answer:
            where = answer["$ref"].removeprefix("#/").split("/")
            self._check_answer(where, response)
            return
        content: Mapping[str, Any] = answer.get("content", {})
        if not response.body:
            return
        media_type = (response.media_type or "").partition(";")[0]
        assert media_type in content, f"{where}: {media_type} is not in the contract"
        if media_type.startswith("image/"):
            return
        body: object = plain_body(response).decode("utf-8")
        if media_type.endswith("json"):
            body = json.loads(cast(str, body))
        elif media_type.endswith("yaml"):
            body = yaml.safe_load(cast(str, body))
        pointer = "/".join(
            key.replace("~", "~0").replace("/", "~1")
            for key in [*where, "content", media_type, "schema"]
        )
        validator = jsonschema.Draft202012Validator(
            {"$ref": f"contract#/{pointer}"}, registry=self._registry
        )
        validator.validate(body)


CONTRACT: Final = Contract()


def plain_body(response: Response) -> bytes:
    """Undo an answer's Content-Encoding."""
    coding = dict(response.headers).get("Content-Encoding")
    if coding == "gzip":
        return gzip.decompress(response.body)
    if coding == "deflate":
        return zlib.decompress(response.body)
    assert coding is None, f"unexpected coding {coding}"
    return response.body


def dispatcher(
    store: Store,
    *,
    changes: Changes | None = None,
    hosts: Hosts | None = None,
    authenticate: Authenticate = lambda _: OWNER,
    assets: Path = Path("/nonexistent"),
    more: tuple[Route, ...] = (),
) -> Dispatcher:
    changes = changes or Changes()
    catalog = Catalog(store=store, changes=changes, now=lambda: NOW)
    return build(
        Services(
            catalog=catalog,
            changes=changes,
            reviews=Reviews(
                store=store.reviews, changes=changes, now=lambda: NOW, new_id=random_id
            ),
            iterations=Iterations(
                store=store.reviews,
                changes=changes,
                now=lambda: NOW,
                heavy=lambda task, given: task(given),
            ),
        ),
        Settings(
            identity=Identity(state_id=store.state_id, version="0"),
            hosts=hosts or Hosts.of([("127.0.0.1", PORT)]),
            authenticate=authenticate,
            assets=assets,
            more=more,
        ),
    )


def publish(store: Store, given: Submission | None = None, owner: OwnerId = OWNER) -> ContextId:
    publisher = Publisher(store=store, changes=Changes(), now=lambda: NOW)
    return publisher.publish(owner, given or submission()).context


class Api:
    """Ask a dispatcher without a socket; every answer is held against the contract."""

    def __init__(self, of: Dispatcher) -> None:
        self.dispatcher = of

    def ask(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Response:
        path, _, query = target.partition("?")
        request = Request(
            method=method,
            path=path,
            query=query,
            headers={"host": HOST, **(headers or {})},
            body=body,
        )
        response = self.dispatcher.dispatch(request)
        call = self.dispatcher.screen(request, has_body=bool(body))
        if isinstance(call, Response):
            CONTRACT.check_problem(response)
        elif call.route in self.dispatcher.routes and (
            (call.route.method, call.route.template) in CONTRACT.operations()
        ):
            CONTRACT.check(call.route, response)
        return response

    def get(self, target: str, **headers: str) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("GET", target, named)

    def json(self, target: str) -> Any:
        response = self.get(target)
        assert response.status == 200, response.body
        return json.loads(plain_body(response))
