"""A collected observation as everybody who may read it gets it: stored, then asked for."""

from typing import Any
from urllib.parse import quote

from diffx.review.model import SCOPES, Observation, Scope, Submission, SubmissionId
from diffx.store.database import Store
from tests.support.http import Api, dispatcher, publish


class Published:
    """One observation in a store, behind the HTTP interface; every answer keeps its contract."""

    def __init__(self, store: Store, observation: Observation) -> None:
        submission = Submission(id=SubmissionId("only"), observation=observation)
        self._api = Api(dispatcher(store))
        self._diffs = f"/api/v2/contexts/{publish(store, submission)}/diffs"
        self._manifests = {
            scope: self._api.json(f"{self._diffs}/current?scope={scope}") for scope in SCOPES
        }

    def files(self, scope: Scope = "all") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._manifests[scope]["files"]
        return found

    def contents(self, file_id: str, scope: Scope = "all") -> tuple[str | None, str | None]:
        """Return the text of both sides; None where there is none."""
        found = self._api.json(self._file(file_id, "contents", scope))
        before, after = (found[side] and found[side]["text"] for side in ("before", "after"))
        return before, after

    def status(self, name: str, what: str = "contents", scope: Scope = "all") -> int:
        """Return the status of the answer to a request for this file."""
        return self._api.get(self._file(name, what, scope)).status

    def everything(self) -> str:
        """Spell all that can be had of the observation."""
        return repr(
            [
                (file, [self._api.json(self._file(file["id"], what, scope)) for what in _PARTS])
                for scope in SCOPES
                for file in self.files(scope)
            ]
        )

    def _file(self, name: str, what: str, scope: Scope) -> str:
        diff = self._manifests[scope]["diffId"]
        return f"{self._diffs}/{diff}/files/{quote(name, safe='')}/{what}?scope={scope}"


_PARTS = ("patch", "contents")
