"""The tool table: every tool that agents get, in the order in which they are listed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from diffx.clock import NewId
from diffx.mcpapi import contexts, files, listening, speaking, texts
from diffx.mcpapi.arguments import Argument, Arguments, Parameters
from diffx.mcpapi.contexts import CONTEXT, SCOPE, Contexts, read_scope, stored_scope
from diffx.mcpapi.files import FILE_ID, PATH, FileRow, Files, list_page
from diffx.mcpapi.listening import Listening
from diffx.mcpapi.messages import Asker
from diffx.mcpapi.rpc import Json
from diffx.mcpapi.speaking import Speaking
from diffx.mcpapi.tool import (
    BOOLEAN,
    INTEGER,
    TEXT,
    UNTRUSTED,
    WRITES,
    WRITES_ONCE,
    Outcome,
    Tool,
    listed,
    object_schema,
)
from diffx.mcpapi.untrusted import KEY, NOTICE
from diffx.records import ContextRecord
from diffx.review.model import Scope
from diffx.services.catalog import Catalog
from diffx.services.reviews import Reviews

INSTRUCTIONS: Final = (
    "diffx shows a person's review of Git changes, from a stored snapshot: files may have changed "
    "since, so read a file again before you edit it. To work a review off: get_review_comments "
    "(actionable ones first), change the code, then resolve_review_comment with what became of it, "
    "or reply_to_review_comment to ask or disagree; a reply opens a resolved comment again. "
    "wait_for_review_comments waits for the person's next words and never returns your own; when "
    "it times out, call it again with next_since. add_review_comment leaves a remark of your own. "
    "get_review_summary gives the figures, list_changed_files the paths, read_patch and read_file "
    "the text. context_id may be left out: it then means the review being shown; list_contexts "
    "has the others. Comments that are stale or of another scope are about other code than there "
    "is now: look before you act. " + NOTICE
)

_SCOPED: Final[Mapping[str, Argument]] = {"context_id": CONTEXT, "scope": SCOPE}
_FILE: Final[Mapping[str, Argument]] = {"path": PATH, "file_id": FILE_ID}
_SCOPES: Final[Json] = {"type": "object", "description": "Figures of each scope."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The tools that read what was collected."""

    catalog: Catalog
    contexts: Contexts
    files: Files
    listening: Listening
    new_id: NewId

    def summary(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope = self._scope(asker, arguments)
        figures = self.contexts.figures(record, scope)
        names = figures.pop(KEY)
        return Outcome.of(figures | self.listening.figures(asker, record, scope) | {KEY: names})

    def changed_files(self, asker: Asker, arguments: Arguments) -> Outcome:
        record, scope = self._scope(asker, arguments)
        files = self.files.of(asker.owner, record, scope)
        comments = self.listening.open_by_file(asker, record, scope)
        return list_page(files, arguments, scope, comments)

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


def tool_table(
    catalog: Catalog, reviews: Reviews, found: Contexts, new_id: NewId
) -> tuple[Tool, ...]:
    """Return every tool, in a fixed order."""
    kept = Files(catalog=catalog)
    listening_to = Listening(reviews=reviews, contexts=found)
    speaking_in = Speaking(reviews=reviews, contexts=found, files=kept)
    reading = Reading(
        catalog=catalog, contexts=found, files=kept, listening=listening_to, new_id=new_id
    )
    return (
        _list_contexts(found),
        *_summaries(reading),
        *_texts(reading),
        *_comments(listening_to),
        *_answers(speaking_in),
    )


def _list_contexts(found: Contexts) -> Tool:
    return Tool(
        name="list_contexts",
        title="List reviews",
        about="List the stored reviews (contexts), newest first: which repository, branch and "
        "commit each one shows, how large it is, and how many comments are open. shown marks the "
        "one that is meant where context_id is left out. " + NOTICE,
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
            about="Tell what one review shows and how far it is: base and head, changed files "
            "and lines in each scope, comments by state, and whether a newer one exists. "
            + NOTICE,
            takes=Parameters(named=_SCOPED),
            run=reading.summary,
            output=object_schema(
                {
                    "context_id": TEXT,
                    "scope": TEXT,
                    "snapshot_id": TEXT,
                    "latest": BOOLEAN,
                    "scopes": _SCOPES,
                    "comments": {"type": "object"},
                    "reviewed_files": INTEGER,
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


def _comments(tools: Listening) -> tuple[Tool, ...]:
    comment = object_schema(
        {"id": TEXT, "status": TEXT, "applicability": TEXT, "actionable": BOOLEAN, KEY: UNTRUSTED}
    )
    return (
        Tool(
            name="get_review_comments",
            title="Read review comments",
            about="Read the comments of a review with their replies and the code they are about. "
            "actionable: open, and the code is still as it was. applicability: anchored, stale "
            "(the file has changed), other-scope or unknown. With since, only what others wrote "
            "or changed after an earlier answer. " + NOTICE,
            takes=Parameters(named=listening.COMMENTS_TAKES),
            run=tools.comments,
            output=object_schema(
                {"comments": listed(comment)}, {"next_since": INTEGER, "next_cursor": TEXT}
            ),
            meta={"anthropic/alwaysLoad": True},
        ),
        Tool(
            name="wait_for_review_comments",
            title="Wait for review comments",
            about="Wait until somebody else comments, replies, resolves or reopens, at most "
            "timeout_seconds; then return that like get_review_comments with since. An empty list "
            "means that nothing happened: call again with next_since. " + NOTICE,
            takes=Parameters(named=listening.WAIT_TAKES),
            run=tools.wait,
            output=object_schema({"comments": listed(comment), "next_since": INTEGER}),
        ),
    )


def _answers(tools: Speaking) -> tuple[Tool, ...]:
    written = {"comment_id": TEXT, "status": TEXT}
    return (
        Tool(
            name="reply_to_review_comment",
            title="Reply to a comment",
            about="Answer in a comment's thread: to ask, to explain, to disagree. A resolved "
            "comment is opened again; for a last word use resolve_review_comment's note.",
            takes=Parameters(named=speaking.REPLY_TAKES, required=("comment_id", "body")),
            run=tools.reply,
            annotations=WRITES,
            output=object_schema({**written, "reply_id": TEXT}),
        ),
        Tool(
            name="resolve_review_comment",
            title="Resolve a comment",
            about="Mark a comment as done and say what became of it. Resolving it again changes "
            "nothing; only a reply or the person opens it again.",
            takes=Parameters(named=speaking.RESOLVE_TAKES, required=("comment_id",)),
            run=tools.resolve,
            annotations=WRITES_ONCE,
            output=object_schema({**written, "already_resolved": BOOLEAN}, {"resolution": TEXT}),
        ),
        Tool(
            name="add_review_comment",
            title="Add a comment",
            about="Leave a comment of your own for the person: on lines of a changed file, on the "
            "file, or on the whole review. Lines are those of the snapshot, as read_patch and "
            "read_file number them.",
            takes=Parameters(named=speaking.ADD_TAKES, required=("body",)),
            run=tools.add,
            annotations=WRITES,
            output=object_schema(written),
        ),
    )
