"""Serve one stored review of 2,000 files from a database on disk, for http_face.py.

Prints the port, the path of one file's patch, and that answer's size; runs until SIGTERM.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from diffx import __version__
from diffx.clock import system_clock
from diffx.httpapi.listener import Listener
from diffx.httpapi.messages import Request
from diffx.httpapi.meta import Identity
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Dispatcher, Services, Settings, build
from diffx.review.model import (
    BlobId,
    ChangedFile,
    Comparison,
    FilePatch,
    GitPath,
    Observation,
    OwnerId,
    Provenance,
    Rows,
    Snapshot,
    SourceId,
    Submission,
    SubmissionId,
)
from diffx.review.paths import file_id
from diffx.server.application import Application, compose
from diffx.store.database import open_store

OWNER = OwnerId("local")
FILES = 2_000


def main() -> None:
    """Store, serve, and wait to be told to stop."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    with open_store(Path(sys.argv[1])) as store:
        application = compose(store, system_clock)
        listener = Listener.bind("127.0.0.1", [0])
        dispatcher = dispatcher_of(application, listener)
        listener.start(dispatcher)
        try:
            print(listener.addresses[0][1], *patch(application, dispatcher, listener), flush=True)
            over.wait()
        finally:
            application.elsewhere.close()
            listener.stop(grace_s=1)


def dispatcher_of(application: Application, listener: Listener) -> Dispatcher:
    return build(
        Services(
            catalog=application.catalog,
            changes=application.changes,
            reviews=application.reviews,
            iterations=application.iterations,
        ),
        Settings(
            identity=Identity(state_id=application.state_id, version=__version__),
            hosts=Hosts.of(listener.addresses),
            authenticate=lambda _: OWNER,
            assets=Path("/nonexistent"),
            connections=listener.connections,
        ),
    )


def patch(application: Application, dispatcher: Dispatcher, listener: Listener) -> tuple[str, int]:
    """Store a review; return the path of one file's patch, and the size of that answer."""
    context = application.publisher.publish(OWNER, review()).context
    diff = application.catalog.get(OWNER, context).scopes[0].diff
    name = file_id(GitPath(b"src/01000.py"))
    path = f"/api/v2/contexts/{context}/diffs/{diff}/files/{name}/patch"
    host, port = listener.addresses[0]
    request = Request(method="GET", path=path, headers={"host": f"{host}:{port}"})
    response = dispatcher.dispatch(request)
    assert response.status == 200, response.body
    return path, len(response.body)


def review() -> Submission:
    """Build a review whose patches have the usual size of a small edit."""
    texts: dict[BlobId, bytes] = {}
    return Submission(
        id=SubmissionId("benchmark"),
        observation=Observation(
            source_id=SourceId("benchmark"),
            source_kind="checkout",
            collected_at=system_clock(),
            comparison=Comparison(policy="auto", kind="branch"),
            provenance=Provenance(repository_name="benchmark", branch="main"),
            snapshots=(Snapshot(scope="all", files=tuple(changed(texts))),),
            texts=texts,
            content_hash=None,
        ),
    )


def changed(texts: dict[BlobId, bytes]) -> Iterator[ChangedFile]:
    for number in range(FILES):
        path = GitPath(b"src/%05d.py" % number)
        lines = b"".join(b"     value_%d_%d = compute(%d)\n" % (number, i, i) for i in range(20))
        patch = b"--- a/%b\n+++ b/%b\n@@ -1,20 +1,20 @@\n%b-old\n+new\n" % (path, path, lines)
        blob = BlobId(sha256(patch).hexdigest())
        texts[blob] = patch
        yield ChangedFile(
            id=file_id(path),
            path=path,
            status="M",
            old_mode="100644",
            new_mode="100644",
            additions=1,
            deletions=1,
            rows=Rows(hunks=1, unified=23, split=22, max_columns=40),
            patch=FilePatch(size=len(patch), blob=blob),
        )


if __name__ == "__main__":
    main()
