"""The tool table: every tool that agents get, in the order in which they are listed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from diffx.clock import NewId
from diffx.mcpapi import contexts, files, texts
from diffx.mcpapi.arguments import Argument, Arguments, Parameters
from diffx.mcpapi.contexts import CONTEXT, SCOPE, Contexts, read_scope, stored_scope
from diffx.mcpapi.files import FILE_ID, PATH, FileRow, Files, list_page
from diffx.mcpapi.messages import Asker
from diffx.mcpapi.rpc import Json
from diffx.mcpapi.tool import (
    BOOLEAN,
    INTEGER,
    TEXT,
    UNTRUSTED,
    Outcome,
    Tool,
    listed,
    object_schema,
)
from diffx.mcpapi.untrusted import KEY, NOTICE
from diffx.records import ContextRecord
from diffx.review.model import Scope
from diffx.services.catalog import Catalog

INSTRUCTIONS: Final = (
    "diffx shows a person's review of Git changes, from a stored snapshot: files may have changed "
    "since, so read a file again before you edit it. "
    "get_review_summary gives the figures, list_changed_files the paths, read_patch and read_file "
    "the text. context_id may be left out: it then means the review being shown. " + NOTICE
)

_SCOPED: Final[Mapping[str, Argument]] = {"context_id": CONTEXT, "scope": SCOPE}
_FILE: Final[Mapping[str, Argument]] = {"path": PATH, "file_id": FILE_ID}
_SCOPES: Final[Json] = {"type": "object", "description": "Figures of each scope."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The tools that only read what was collected."""

    catalog: Catalog
    contexts: Contexts
    files: Files
    new_id: NewId

    def summary(self, asker: Asker, arguments: Arguments) -> Outcome:
        scope = read_scope(arguments)
        return Outcome.of(self.contexts.figures(self.contexts.resolve(asker, arguments), scope))

    def changed_files(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope = self._scope(asker, arguments)
        return list_page(self.files.of(asker.owner, record, scope), arguments, scope)

    def patch(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope, row = self._file(asker, arguments)
        diff = stored_scope(record, scope).diff
        stored = self.catalog.patch(asker.owner, record.context, diff, scope, row.id)
        return texts.patch_text(row, stored, arguments, scope, self.new_id)

    def contents(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope, row = self._file(asker, arguments)
        diff = stored_scope(record, scope).diff
        stored = self.catalog.contents(asker.owner, record.context, diff, scope, row.id)
        return texts.file_text(row, stored, arguments, scope, self.new_id)

    def _scope(self, asker: Asker, arguments: Arguments) -> tuple[ContextRecord, Scope]:
        record, scope = self.contexts.resolve(asker, arguments), read_scope(arguments)
        stored_scope(record, scope)
        return record, scope

    def _file(self, asker: Asker, arguments: Arguments) -> tuple[ContextRecord, Scope, FileRow]:
        record, scope = self._scope(asker, arguments)
        listed_files = self.files.of(asker.owner, record, scope)
        return record, scope, listed_files.find(arguments.text("path"), arguments.text("file_id"))


def reading_tools(catalog: Catalog, found: Contexts, new_id: NewId) -> tuple[Tool, ...]:
    """Return the tools that read what was collected."""
    reading = Reading(catalog=catalog, contexts=found, files=Files(catalog=catalog), new_id=new_id)
    return (_list_contexts(found), *_summaries(reading), *_texts(reading))


def _list_contexts(found: Contexts) -> Tool:
    return Tool(
        name="list_contexts",
        title="List reviews",
        about="List the stored reviews (contexts), newest first: which repository, branch and "
        "commit each one shows and how large it is. " + NOTICE,
        takes=Parameters(named=contexts.LIST_TAKES),
        run=found.list,
        output=object_schema(
            {
                "contexts": listed(
                    object_schema({"context_id": TEXT, "latest": BOOLEAN, KEY: UNTRUSTED})
                )
            },
            {"next_cursor": TEXT},
        ),
    )


def _summaries(reading: Reading) -> tuple[Tool, ...]:
    return (
        Tool(
            name="get_review_summary",
            title="Summarise a review",
            about="Tell what one review shows: base and head, changed files and lines in each "
            "scope, when it was collected and whether a newer one exists. " + NOTICE,
            takes=Parameters(named=_SCOPED),
            run=reading.summary,
            output=object_schema(
                {
                    "context_id": TEXT,
                    "scope": TEXT,
                    "snapshot_id": TEXT,
                    "latest": BOOLEAN,
                    "scopes": _SCOPES,
                    KEY: UNTRUSTED,
                },
                {"url": TEXT, "head": TEXT, "base_commit": TEXT},
            ),
        ),
        Tool(
            name="list_changed_files",
            title="List changed files",
            about="List the changed files of a review with status and changed lines, in pages. "
            + NOTICE,
            takes=Parameters(named={**_SCOPED, **files.LIST_TAKES}),
            run=reading.changed_files,
            output=object_schema(
                {"scope": TEXT, "matching": INTEGER, "listed": INTEGER, KEY: UNTRUSTED},
                {"remaining": INTEGER, "next_cursor": TEXT},
            ),
        ),
    )


def _texts(reading: Reading) -> tuple[Tool, ...]:
    return (
        Tool(
            name="read_patch",
            title="Read a file's diff",
            about="Read what changed in one file: hunks with the old and the new number of each "
            "line. A long patch comes in pieces; its last line says how to go on. " + NOTICE,
            takes=Parameters(named={**_FILE, **_SCOPED, **texts.PATCH_TAKES}),
            run=reading.patch,
        ),
        Tool(
            name="read_file",
            title="Read a file as reviewed",
            about="Read numbered lines of a changed file as it was collected, before (old) or "
            "after (new) the change. The working copy may differ by now. " + NOTICE,
            takes=Parameters(named={**_FILE, **_SCOPED, **texts.FILE_TAKES}),
            run=reading.contents,
        ),
    )
