"""The JSON of reviewed marks, and how domain values become it (8.3)."""

from typing import TypedDict

from diffx.records import MarksRecord
from diffx.review.model import Scope


class MarkShape(TypedDict):
    fileId: str
    fingerprint: str
    markedAt: int
    carried: bool


class ChangedSinceShape(TypedDict):
    fileId: str
    contextId: str
    fingerprint: str
    markedAt: int


class HunkMarkShape(TypedDict):
    fileId: str
    hunk: int
    markedAt: int
    carried: bool


class MarksShape(TypedDict):
    scope: str
    marks: list[MarkShape]
    hunks: list[HunkMarkShape]
    changedSince: list[ChangedSinceShape]
    review: int


def marks_shape(scope: Scope, record: MarksRecord) -> MarksShape:
    return MarksShape(
        scope=scope,
        marks=[
            MarkShape(
                fileId=mark.file,
                fingerprint=mark.fingerprint,
                markedAt=mark.marked_at,
                carried=mark.carried,
            )
            for mark in record.marks
        ],
        hunks=[
            HunkMarkShape(
                fileId=each.file,
                hunk=each.hunk,
                markedAt=each.marked_at,
                carried=each.carried,
            )
            for each in record.hunks
        ],
        changedSince=[
            ChangedSinceShape(
                fileId=each.file,
                contextId=each.context,
                fingerprint=each.fingerprint,
                markedAt=each.marked_at,
            )
            for each in record.changed
        ],
        review=record.review,
    )
