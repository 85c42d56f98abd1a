"""A catalog query as SQL: clauses from a closed set, values as parameters, never the two mixed (7.1).

A filter on labels or sessions first finds the values, then the contexts that have them, so its
price is what it finds and not what there is.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from diffx.errors import InvalidError
from diffx.records import ContextQuery
from diffx.store import labels

MAX_WORDS: Final = 100
_PAST_ALL: Final = (1 << 63) - 1

_LABELLED: Final = """
       AND o.context IN (
           SELECT j.context
             FROM label AS l
             JOIN context_label AS j ON j.label = l.number
            WHERE l.owner = :owner AND l.kind = {kind}
              AND l.value IN (SELECT value FROM json_each(:{parameter})))
"""
_OBSERVED_BY: Final = """
       AND o.context IN (
           SELECT j.context
             FROM session AS n
             JOIN context_session AS j ON j.session = n.number
            WHERE n.owner = :owner AND n.{column} IN (SELECT value FROM json_each(:{parameter})))
"""
_MENTIONS: Final = """
       AND o.context IN (
           SELECT j.context
             FROM label AS l
             JOIN context_label AS j ON j.label = l.number
            WHERE l.owner = :owner AND instr(l.folded, :{parameter})
            UNION ALL
           SELECT j.context
             FROM session AS n
             JOIN context_session AS j ON j.session = n.number
            WHERE n.owner = :owner AND instr(n.folded, :{parameter}))
"""
CLAUSES: Final[Mapping[str, str]] = {
    "repository": _LABELLED.format(kind="'repository'", parameter="repository"),
    "branch": _LABELLED.format(kind="'branch'", parameter="branch"),
    "worktree": _LABELLED.format(kind="'worktree'", parameter="worktree"),
    "hostname": _LABELLED.format(kind="'hostname'", parameter="hostname"),
    "source_id": _LABELLED.format(kind="'source'", parameter="source_id"),
    "run_id": _LABELLED.format(kind="'run'", parameter="run_id"),
    "harness": _OBSERVED_BY.format(column="harness", parameter="harness"),
    "session_id": _OBSERVED_BY.format(column="session_id", parameter="session_id"),
    "session_name": _OBSERVED_BY.format(column="name", parameter="session_name"),
}
STATES: Final[Mapping[str, str]] = {
    "latest": "       AND s.head = o.context\n",
    "stale": "       AND s.head <> o.context\n",
}
CHANGED: Final[Mapping[bool, str]] = {
    True: "       AND o.files > 0\n",
    False: "       AND o.files = 0\n",
}


def clauses(query: ContextQuery) -> tuple[str, dict[str, Any]]:
    """Return the query's clauses, from the closed sets above, and their values."""
    found: list[str] = []
    values: dict[str, Any] = {}
    for name, clause in CLAUSES.items():
        wanted = getattr(query, name)
        if wanted:
            found.append(clause)
            values[name] = json.dumps(wanted)
    for position, word in enumerate(_words(query.text or "")):
        found.append(_MENTIONS.format(parameter=f"word{position}"))
        values[f"word{position}"] = word
    if query.state is not None:
        found.append(STATES[query.state])
    if query.changed is not None:
        found.append(CHANGED[query.changed])
    return "".join(found), values


def _words(text: str) -> list[str]:
    words = list(dict.fromkeys(labels.storable(text).casefold().split()))
    if len(words) > MAX_WORDS:
        raise InvalidError(f"search for {MAX_WORDS} words at most", field="q")
    return words


def before(cursor: str | None) -> int:
    if cursor is None:
        return _PAST_ALL
    digits = cursor[1:]
    if cursor[:1] != "r" or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise InvalidError("this cursor was not given out by diffx", field="cursor")
    return int(digits)
