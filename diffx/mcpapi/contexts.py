"""Which review a call is about, the list of reviews, and the figures of one."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from diffx.errors import GoneError, MissingError
from diffx.mcpapi.arguments import Argument, Arguments, Flag, Number, Text, ToolError
from diffx.mcpapi.messages import Asker, Shown
from diffx.mcpapi.rpc import Json
from diffx.mcpapi.tool import Outcome
from diffx.mcpapi.untrusted import KEY, label
from diffx.records import ContextQuery, ContextRecord, ScopeRecord
from diffx.review.model import SCOPES, ContextId, Millis, OwnerId, Scope
from diffx.services.catalog import Catalog
from diffx.services.reviews import Reviews

CONTEXT: Final = Text(
    about="Id of a review, from list_contexts. Leave it out for the one being shown.", limit=80
)
SCOPE: Final = Text(
    about="all: everything since the base; staged: HEAD to index; unstaged: index to files.",
    choices=SCOPES,
    default="all",
)
LIST_TAKES: Final[dict[str, Argument]] = {
    "query": Text(
        about="Words to find in repository, branch, worktree, host or session.", limit=200
    ),
    "include_stale": Flag(about="Also list reviews that a newer collection has replaced."),
    "limit": Number(about="How many to list.", low=1, high=50, default=20),
    "cursor": Text(about="next_cursor of the page before.", limit=400),
}
_MAX_NAMED: Final = 10
_PAGE_BYTES: Final = 16 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """Find the review that a call means, and describe reviews.

    `origin` starts the addresses of pages; without one, none is given.
    """

    catalog: Catalog
    reviews: Reviews
    shown: Shown
    origin: str | None

    def resolve(self, asker: Asker, arguments: Arguments) -> ContextRecord:
        """Return the review of the address, else the one asked for, else the one being shown."""
        asked = arguments.text("context_id")
        if asker.context is not None and asked not in (None, asker.context):
            raise ToolError(
                f"this address is about context {asker.context} only; leave context_id out"
            )
        return self._get(asker, asker.context or asked or self._only(asker.owner))

    def list(self, asker: Asker, arguments: Arguments) -> Outcome:
        """List what the address lets an agent see: an address of one review has that one."""
        if asker.context is not None:
            record = self._get(asker, asker.context)
            return Outcome.of({"contexts": [self._entry(asker.owner, record, record.context)]})
        query = ContextQuery(
            text=arguments.text("query"),
            state=None if arguments.flag("include_stale") else "latest",
            limit=arguments.number("limit"),
            cursor=arguments.text("cursor"),
        )
        outcome = self._page(asker.owner, query)
        # Names may be long; where so many do not fit, half as many are listed, and so on.
        while len(outcome.text.encode("utf-8", "replace")) > _PAGE_BYTES and query.limit > 1:
            query = replace(query, limit=query.limit // 2)
            outcome = self._page(asker.owner, query)
        return outcome

    def figures(self, record: ContextRecord, scope: Scope) -> dict[str, object]:
        """Describe one review apart from its comments."""
        comparison = record.comparison
        commits = {
            "head": record.head,
            "base_commit": comparison.base_commit,
            "merge_base": comparison.merge_base,
        }
        return {
            "context_id": record.context,
            "scope": scope,
            "snapshot_id": stored_scope(record, scope).revision,
            "latest": record.latest,
            "collected_at": timestamp(record.collected_at),
            "expires_at": timestamp(record.expires_at),
            **self._url(record),
            "comparison": comparison.kind,
            **{name: commit for name, commit in commits.items() if commit is not None},
            "scopes": {each.scope: _totals(each) for each in record.scopes},
            KEY: _names(record),
        }

    def _get(self, asker: Asker, wanted: str) -> ContextRecord:
        try:
            return self.catalog.get(asker.owner, ContextId(wanted))
        except (GoneError, MissingError) as error:
            if asker.context is not None:
                raise ToolError(
                    f"{error}; this address knows no other, those are at the address that ends"
                    " with /mcp"
                ) from error
            if isinstance(error, GoneError):
                raise ToolError(f"{error}; call list_contexts for those that are there") from error
            raise ToolError("no such context; call list_contexts for the ids") from error

    def _page(self, owner: OwnerId, query: ContextQuery) -> Outcome:
        page = self.catalog.find(owner, query)
        shown = self.shown(owner)
        data: dict[str, object] = {
            "contexts": [self._entry(owner, record, shown) for record in page.contexts]
        }
        if page.next_cursor is not None:
            data["next_cursor"] = page.next_cursor
        return Outcome.of(data)

    def _only(self, owner: OwnerId) -> ContextId:
        shown = self.shown(owner)
        if shown is not None:
            return shown
        query = ContextQuery(state="latest", changed=True, limit=_MAX_NAMED)
        found = [record.context for record in self.catalog.find(owner, query).contexts]
        if len(found) == 1:
            return found[0]
        if not found:
            raise ToolError("there is no review with changes; call list_contexts to see all")
        raise ToolError(
            f"there are several reviews; give context_id, one of {', '.join(found)}"
            " (list_contexts describes them)"
        )

    def _entry(self, owner: OwnerId, record: ContextRecord, shown: ContextId | None) -> Json:
        return {
            "context_id": record.context,
            **({"shown": True} if record.context == shown else {}),
            "latest": record.latest,
            "collected_at": timestamp(record.collected_at),
            **self._url(record),
            **({} if record.head is None else {"head": record.head}),
            **self._open_comments(owner, record),
            "scopes": {each.scope: _totals(each) for each in record.scopes},
            KEY: _names(record),
        }

    def _open_comments(self, owner: OwnerId, record: ContextRecord) -> Json:
        try:
            return {"open_comments": self.reviews.counts(owner, record.context).open}
        except (GoneError, MissingError):
            return {}  # forgotten since it was listed

    def _url(self, record: ContextRecord) -> Json:
        return {} if self.origin is None else {"url": f"{self.origin}/contexts/{record.context}"}


def read_scope(arguments: Arguments) -> Scope:
    asked = arguments.text("scope")
    return next(scope for scope in SCOPES if scope == asked)


def stored_scope(record: ContextRecord, scope: Scope) -> ScopeRecord:
    """Return one scope of a review, or say which ones it has."""
    for each in record.scopes:
        if each.scope == scope:
            return each
    has = ", ".join(each.scope for each in record.scopes)
    raise ToolError(f"this review has no scope {scope}; it has {has}")


def timestamp(at: Millis) -> str:
    """Write a time as models read it best."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _totals(scope: ScopeRecord) -> Json:
    return {
        "files": scope.totals.files,
        "additions": scope.totals.additions,
        "deletions": scope.totals.deletions,
        "binary": scope.totals.binary,
    }


def _names(record: ContextRecord) -> Json:
    provenance = record.provenance
    names = {
        "repository": provenance.repository_name,
        "branch": provenance.branch,
        "base": record.comparison.base_ref,
        "root": provenance.root,
        "worktree": provenance.worktree_name,
        "host": provenance.hostname,
    }
    return {name: label(text) for name, text in names.items() if text is not None}
