"""A running site with made-up reviews: the real store, the real listener, the built web UI."""

import difflib
import hashlib
import itertools
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from diffx.clock import random_id, system_clock
from diffx.httpapi.listener import Listener
from diffx.httpapi.meta import Identity
from diffx.httpapi.origin import Hosts
from diffx.httpapi.routes import Route, Services, Settings, build
from diffx.review.model import (
    BlobId,
    BranchId,
    ChangedFile,
    CheckoutKey,
    CommitId,
    Comparison,
    ContextId,
    Digest,
    FilePatch,
    GitPath,
    Millis,
    Observation,
    OwnerId,
    Provenance,
    RepositoryKey,
    Side,
    Snapshot,
    SourceId,
    Submission,
    SubmissionId,
)
from diffx.review.patch.figures import measure
from diffx.review.paths import file_id
from diffx.server.agents import agent_routes, started_waits
from diffx.server.application import compose
from diffx.store.database import open_store
from tests.support.observations import image_side

OWNER: Final = OwnerId("local")
ROOT: Final = Path(__file__).resolve().parents[2]
WEBUI: Final = ROOT / "webui"
_SCOPES: Final = ("all", "staged", "unstaged")


@dataclass(frozen=True)
class Made:
    """A changed file, and the texts it names."""

    file: ChangedFile
    texts: Mapping[BlobId, bytes]


def made(
    path: str | bytes, before: str | None = None, after: str | None = None, **more: Any
) -> Made:
    """Change a text file from `before` to `after`; None is a side that does not exist."""
    name = path.encode() if isinstance(path, str) else path
    texts: dict[BlobId, bytes] = {}
    old, new = _side(before, texts), _side(after, texts)
    patch = _patch(name, before or "", after or "")
    figures = measure(patch)
    values: dict[str, Any] = {
        "id": file_id(GitPath(name)),
        "path": GitPath(name),
        "status": "A" if before is None else "D" if after is None else "M",
        "old_mode": None if before is None else "100644",
        "new_mode": None if after is None else "100644",
        "worktree_status": "?" if before is None else "M",
        "additions": figures.additions,
        "deletions": figures.deletions,
        "size": len((after or "").encode()),
        "fingerprint": Digest(hashlib.sha256(name + patch).hexdigest()),
        "rows": figures.rows,
        "patch": FilePatch(size=len(patch), blob=_keep(patch, texts)),
        "before": old,
        "after": new,
    }
    return Made(ChangedFile(**(values | more)), texts)


def withheld(path: str, reason: Any = "binary", **more: Any) -> Made:
    """Change a file of which no line is stored."""
    side = Side(
        size=14_200, digest=Digest(hashlib.sha256(path.encode()).hexdigest()), reason=reason
    )
    plain = made(path, "old\n", "new\n").file
    values: dict[str, Any] = {
        "additions": None,
        "deletions": None,
        "binary": reason == "binary",
        "rows": None,
        "patch": FilePatch(size=0, reason=reason),
        "before": side,
        "after": replace(side, size=18_900),
    }
    return Made(replace(plain, **(values | more)), {})


def picture(
    path: str, before: bytes | None = None, after: bytes | None = None, **more: Any
) -> Made:
    """Change an image whose bytes are stored; None is a side that does not exist."""
    texts: dict[BlobId, bytes] = {}
    values: dict[str, Any] = {
        "status": "A" if before is None else "D" if after is None else "M",
        "old_mode": None if before is None else "100644",
        "new_mode": None if after is None else "100644",
        "fingerprint": Digest(hashlib.sha256(b"%r%r" % (before, after)).hexdigest()),
        "before": None if before is None else image_side(before, texts),
        "after": None if after is None else image_side(after, texts),
    }
    return Made(replace(withheld(path).file, **(values | more)), texts)


class ReviewSite:
    """Serve what is published until closed; `url` is where."""

    def __init__(self, assets: Path) -> None:
        self._store = open_store(None)
        self._application = compose(self._store, system_clock)
        self._numbers = itertools.count(1)
        self._stack = ExitStack()
        self._submissions = itertools.count(1)
        self._listener = Listener.bind("127.0.0.1", (0,))
        host, port = self._listener.addresses[0]
        self.url: Final = f"http://{host}:{port}"
        self._assets: Final = assets
        self._start()

    def stop_answering(self) -> None:
        """Be gone, as a server is that was stopped; what is stored stays."""
        self._listener.stop(0.2)

    def answer_again(self) -> None:
        """Be back at the same address."""
        port = int(self.url.rsplit(":", 1)[1])
        self._listener = Listener.bind("127.0.0.1", (port,))
        self._start()

    def move(self) -> str:
        """Be gone from here, and come back at another address: return which."""
        self.stop_answering()
        self._listener = Listener.bind("127.0.0.1", (0,))
        self._start()
        return f"http://127.0.0.1:{self._listener.addresses[0][1]}"

    def _start(self) -> None:
        application = self._application
        identity = Identity(
            state_id=application.state_id,
            version="0.0.0-test",
            ingestion_enabled=False,
            queued_ingestion=False,
            hostname="laptop",
        )
        settings = Settings(
            identity=identity,
            hosts=Hosts.of(self._listener.addresses),
            authenticate=lambda _request: OWNER,
            assets=self._assets,
            connections=self._listener.connections,
            more=self._agents(),
        )
        services = Services(
            catalog=application.catalog,
            changes=application.changes,
            reviews=application.reviews,
            iterations=application.iterations,
        )
        self._listener.start(build(services, settings))

    def _agents(self) -> tuple[Route, ...]:
        waits = started_waits(self._stack, self._application)
        return agent_routes(
            self._application, waits, shown=lambda _: None, origin=self.url, new_id=random_id
        )

    def publish(
        self,
        files: Sequence[Made] | Mapping[str, Sequence[Made]],
        *,
        branch: str | None = "feature/web",
        repository: str = "shop",
        checkout: str = "checkout-1",
        comparison: Comparison | None = None,
        provenance: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> ContextId:
        """Publish one observation and return the context it got.

        Scopes that are not named hold nothing. Later publications are later collections.
        """
        number = next(self._numbers)
        scopes = files if isinstance(files, Mapping) else {"all": files}
        labels: dict[str, Any] = {
            "repository_name": repository,
            "root": f"/home/me/{repository}",
            "worktree_name": repository,
            "branch": branch,
            "hostname": "laptop",
            "collector_version": "0.0.0",
        }
        values: dict[str, Any] = {
            "source_id": SourceId("laptop"),
            "source_kind": "checkout",
            "collected_at": Millis(system_clock() - 60_000 + number),
            "comparison": comparison
            or Comparison(
                policy="auto",
                kind="branch",
                base_ref="origin/main",
                base_commit=CommitId("b" * 40),
                merge_base=CommitId("c" * 40),
            ),
            "provenance": Provenance(**(labels | dict(provenance or {}))),
            "snapshots": tuple(
                Snapshot(scope=scope, files=tuple(one.file for one in scopes.get(scope, ())))
                for scope in _SCOPES
            ),
            "texts": {
                k: v for some in scopes.values() for one in some for k, v in one.texts.items()
            },
            "content_hash": Digest(hashlib.sha256(b"%d" % number).hexdigest()),
            "repository_key": RepositoryKey(repository),
            "checkout_key": CheckoutKey(checkout),
            "branch_id": None if branch is None else BranchId(branch),
            "head": CommitId("d" * 40),
        }
        return self.take(Observation(**(values | more)))

    def take(self, observation: Observation) -> ContextId:
        """Publish what was collected, and return the context it got."""
        name = SubmissionId(f"submission-{next(self._submissions)}")
        submission = Submission(id=name, observation=observation)
        return self._application.publisher.publish(OWNER, submission).context

    def delete(self, context: ContextId) -> None:
        self._application.catalog.delete(OWNER, context)

    def close(self) -> None:
        self._listener.stop(0.2)
        self._stack.close()
        self._store.close()


def built_webui(target: Path) -> Path:
    """Build the web UI into a folder; without a Node here, take what build.py built."""
    node = shutil.which("node")
    if node is not None and (WEBUI / "node_modules").is_dir():
        subprocess.run([node, "build.mjs", str(target)], cwd=WEBUI, check=True)
        return target
    built = ROOT / "diffx" / "assets"
    if (built / "assets.json").exists():
        return built
    raise FileNotFoundError(f"no web UI to test: run `python3 build.py`, or `npm ci` in {WEBUI}")


def _side(text: str | None, texts: dict[BlobId, bytes]) -> Side | None:
    if text is None:
        return None
    data = text.encode("utf-8", "surrogatepass")
    blob = _keep(data, texts)
    return Side(size=len(data), digest=Digest(blob), blob=blob)


def _keep(data: bytes, texts: dict[BlobId, bytes]) -> BlobId:
    blob = BlobId(hashlib.sha256(data).hexdigest())
    texts[blob] = data
    return blob


def _patch(name: bytes, before: str, after: str) -> bytes:
    old, new = _lines(before), _lines(after)
    body = list(difflib.unified_diff(old, new, n=3))[2:]
    head = b"diff --git a/%b b/%b\n--- a/%b\n+++ b/%b\n" % (name, name, name, name)
    marker = "\n\\ No newline at end of file\n"
    text = "".join(line if line.endswith("\n") else line + marker for line in body)
    return head + text.encode("utf-8", "surrogatepass") if text else b""


def _lines(text: str) -> list[str]:
    """Lines as Git has them: only a newline ends one."""
    return [line + "\n" for line in text.split("\n")[:-1]] + (
        [last] if (last := text.split("\n")[-1]) else []
    )
