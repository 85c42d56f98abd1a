"""The rows of the route table that are about reviewing: comments, marks, iterations, settings."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from diffx.httpapi import comments, drafts, iterations, marks
from diffx.httpapi.messages import Request, Response
from diffx.services.catalog import Catalog
from diffx.services.iterations import Iterations
from diffx.services.reviews import Reviews

Rows = Mapping[tuple[str, str], Callable[[Request], Response]]

CONTEXT: Final = "/api/v2/contexts/{contextId}"
_COMMENTS: Final = CONTEXT + "/comments"
_COMMENT: Final = _COMMENTS + "/{commentId}"
_FOR_AGENTS: Final = CONTEXT + "/review/comments"
_MARKS: Final = CONTEXT + "/review-marks"
_DRAFTS: Final = CONTEXT + "/drafts"
_HUNK_MARK: Final = _MARKS + "/{fileId}/hunks/{hunk}"
_COMPARE: Final = CONTEXT + "/compare/{otherContextId}"


def rows(catalog: Catalog, reviews: Reviews, compared: Iterations) -> Rows:
    """Return the handler of each method and template."""
    return {
        ("GET", _COMMENTS): partial(comments.list_comments, reviews),
        ("POST", _COMMENTS): partial(comments.add_comment, reviews),
        ("DELETE", _COMMENTS): partial(comments.delete_comments, reviews),
        ("POST", _COMMENTS + "/import"): partial(comments.import_comments, reviews),
        ("GET", _COMMENTS + "/export"): partial(comments.export_comments, catalog, reviews),
        ("PATCH", _COMMENT): partial(comments.change_comment, reviews),
        ("DELETE", _COMMENT): partial(comments.delete_comment, reviews),
        ("POST", _COMMENT + "/replies"): partial(comments.add_reply, reviews),
        ("GET", _FOR_AGENTS): partial(comments.list_for_agents, reviews),
        ("POST", _FOR_AGENTS + "/{commentId}/resolve"): partial(comments.resolve_comment, reviews),
        ("POST", CONTEXT + "/review/finish"): partial(iterations.finish_review, compared),
        ("GET", _MARKS): partial(marks.list_marks, reviews),
        ("DELETE", _MARKS): partial(marks.clear_marks, reviews),
        ("PUT", _MARKS + "/{fileId}"): partial(marks.put_mark, reviews),
        ("DELETE", _MARKS + "/{fileId}"): partial(marks.delete_mark, reviews),
        ("GET", _DRAFTS): partial(drafts.list_drafts, reviews),
        ("PUT", _DRAFTS + "/{draftKey}"): partial(drafts.put_draft, reviews),
        ("DELETE", _DRAFTS + "/{draftKey}"): partial(drafts.delete_draft, reviews),
        ("PUT", _HUNK_MARK): partial(marks.put_hunk_mark, reviews),
        ("DELETE", _HUNK_MARK): partial(marks.delete_hunk_mark, reviews),
        ("GET", CONTEXT + "/iterations"): partial(iterations.list_iterations, compared),
        ("GET", _COMPARE): partial(iterations.compare, compared),
        ("GET", _COMPARE + "/files"): partial(iterations.compare_files, compared),
        ("GET", _COMPARE + "/files/{fileId}"): partial(iterations.compare_file, compared),
        ("GET", "/api/v2/preferences"): partial(marks.get_preferences, reviews),
        ("PUT", "/api/v2/preferences"): partial(marks.put_preferences, reviews),
    }
