"""The tables, and which database files are ours (12.5).

`number` is always a row's local integer name; `id` is the opaque one that clients see. Rows of
`context`, `submission` and `stream` outlive the observation behind them, because a replay must
still be recognised and a stream must not fall back (6.3, 7.2).
"""

import contextlib
import sqlite3
from typing import Final

from diffx.store.failures import SchemaMismatchError, StoreFailedError
from diffx.store.pages import PAGE_BYTES

APPLICATION_ID: Final = 0x64666678  # "dffx"
SCHEMA: Final = 5
MINIMUM_SQLITE: Final = (3, 38, 0)  # STRICT (3.37), RETURNING (3.35), built-in JSON (3.38)

_MAGIC: Final = b"SQLite format 3\x00"
HEADER_BYTES: Final = 100

SCHEMA_SCRIPT: Final = """
CREATE TABLE state (
    id       TEXT    NOT NULL,  -- the database's own identity (4.4)
    sequence INTEGER NOT NULL   -- the last arrival or storage number given out
) STRICT;

CREATE TABLE stream (
    number    INTEGER PRIMARY KEY,
    owner     TEXT    NOT NULL,
    key       BLOB    NOT NULL,  -- ingestion.identity.Identity.stream
    collected INTEGER NOT NULL,  -- with arrival: the greatest ever seen (6.3)
    arrival   INTEGER NOT NULL,
    head      INTEGER NOT NULL,  -- the context that was collected then; it may be gone
    UNIQUE (owner, key)
) STRICT;

CREATE TABLE context (
    number INTEGER PRIMARY KEY,
    id     TEXT    NOT NULL UNIQUE,
    owner  TEXT    NOT NULL,
    fate   TEXT    NOT NULL CHECK (fate IN ('live', 'deleted', 'expired'))
) STRICT;

CREATE TABLE observation (
    context        INTEGER PRIMARY KEY REFERENCES context,
    owner          TEXT    NOT NULL,
    stream         INTEGER NOT NULL REFERENCES stream,
    content        BLOB,              -- Identity.content; NULL stays independent (6.2)
    recency        INTEGER NOT NULL,  -- sequence of the last fresh submission: the catalog's order
    collected_at   INTEGER NOT NULL,
    stored_at      INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    source_id      TEXT    NOT NULL,
    source_kind    TEXT    NOT NULL,
    repository_key TEXT,
    checkout_key   TEXT,
    branch_id      TEXT,
    head           TEXT,
    comparison     TEXT    NOT NULL,  -- JSON, see documents.py
    provenance     TEXT    NOT NULL,  -- JSON
    files          INTEGER NOT NULL,  -- over all scopes; 0 is a clean checkout
    review         INTEGER NOT NULL DEFAULT 0  -- changes with every mark and thread it shows
) STRICT;
CREATE UNIQUE INDEX observation_by_recency ON observation (owner, recency);
CREATE INDEX observation_by_content ON observation (owner, content) WHERE content IS NOT NULL;
CREATE INDEX observation_by_expiry ON observation (expires_at);
CREATE INDEX observation_by_stream ON observation (stream);
CREATE INDEX observation_by_repository ON observation (owner, repository_key);

CREATE TABLE submission (
    number        INTEGER PRIMARY KEY,
    owner         TEXT    NOT NULL,
    source_id     TEXT    NOT NULL,
    submission_id TEXT    NOT NULL,
    payload       BLOB    NOT NULL,  -- Identity.payload
    context       INTEGER NOT NULL REFERENCES context,
    collected_at  INTEGER NOT NULL,
    stored_at     INTEGER NOT NULL,
    provenance    TEXT,              -- JSON; dropped with the observation
    UNIQUE (owner, source_id, submission_id)
) STRICT;
CREATE INDEX submission_by_context ON submission (context);

CREATE TABLE session (
    number     INTEGER PRIMARY KEY,
    owner      TEXT    NOT NULL,
    harness    TEXT    NOT NULL,
    session_id TEXT    NOT NULL,
    name       TEXT,
    named_at   INTEGER NOT NULL,  -- collection time of the submission that named it
    folded     TEXT    NOT NULL,  -- what free text is searched in
    UNIQUE (owner, harness, session_id)
) STRICT;
CREATE TABLE context_session (
    session INTEGER NOT NULL REFERENCES session,
    context INTEGER NOT NULL REFERENCES observation,
    PRIMARY KEY (session, context)
) STRICT, WITHOUT ROWID;
CREATE INDEX context_session_by_context ON context_session (context);

CREATE TABLE label (
    number INTEGER PRIMARY KEY,
    owner  TEXT    NOT NULL,
    kind   TEXT    NOT NULL,  -- see labels.py
    value  TEXT    NOT NULL,
    folded TEXT    NOT NULL,
    UNIQUE (owner, kind, value)
) STRICT;
CREATE TABLE context_label (
    label   INTEGER NOT NULL REFERENCES label,
    context INTEGER NOT NULL REFERENCES observation,
    PRIMARY KEY (label, context)
) STRICT, WITHOUT ROWID;
CREATE INDEX context_label_by_context ON context_label (context);

CREATE TABLE scope (
    number          INTEGER PRIMARY KEY,
    context         INTEGER NOT NULL REFERENCES observation,
    scope           TEXT    NOT NULL,
    diff            TEXT    NOT NULL,
    revision        TEXT    NOT NULL,
    files           INTEGER NOT NULL,
    additions       INTEGER NOT NULL,
    deletions       INTEGER NOT NULL,
    binary          INTEGER NOT NULL,
    renames_limited INTEGER NOT NULL,
    UNIQUE (context, scope)
) STRICT;

-- A block of files (ingestion.identity), shared by every scope that has exactly these files.
CREATE TABLE chunk (
    number  INTEGER PRIMARY KEY,
    digest  BLOB    NOT NULL UNIQUE,
    size    INTEGER NOT NULL,  -- of the inflated listing
    adler   INTEGER NOT NULL,  -- its Adler-32
    listing BLOB    NOT NULL,  -- ChangedFile shapes without the brackets, see records.Deflated
    details BLOB               -- deflated JSON, see entries.py; NULL where the blobs say it all
) STRICT;
CREATE TABLE scope_chunk (
    scope    INTEGER NOT NULL REFERENCES scope,
    position INTEGER NOT NULL,
    chunk    INTEGER NOT NULL REFERENCES chunk,
    PRIMARY KEY (scope, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX scope_chunk_by_chunk ON scope_chunk (chunk);
CREATE TABLE entry (
    chunk    INTEGER NOT NULL REFERENCES chunk,
    file     TEXT    NOT NULL,
    position INTEGER NOT NULL,
    patch    INTEGER,  -- blob; chunk_blob is what keeps it
    before   INTEGER,  -- blob: the side's text, or the image that it is
    after    INTEGER,
    ordinary INTEGER NOT NULL,  -- 0: the chunk's details say more
    PRIMARY KEY (chunk, file)
) STRICT, WITHOUT ROWID;

-- With rowid on purpose: rows this large in the index's own tree made the file half as big again.
CREATE TABLE blob (
    number   INTEGER PRIMARY KEY,
    hash     BLOB    NOT NULL UNIQUE,
    size     INTEGER NOT NULL,
    deflated INTEGER NOT NULL,
    data     BLOB    NOT NULL
) STRICT;
CREATE TABLE chunk_blob (
    blob  INTEGER NOT NULL REFERENCES blob,
    chunk INTEGER NOT NULL REFERENCES chunk,
    PRIMARY KEY (blob, chunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE reviewer (
    owner       TEXT    PRIMARY KEY,
    sequence    INTEGER NOT NULL,  -- of the last change to the owner's threads, marks or verdicts
    preferences TEXT    NOT NULL   -- JSON
) STRICT, WITHOUT ROWID;

-- Threads belong to their stream and may outlive the context they were written on (9.2).
CREATE TABLE thread (
    number      INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    owner       TEXT    NOT NULL,
    stream      INTEGER NOT NULL REFERENCES stream,
    context     INTEGER NOT NULL REFERENCES context,
    collected   INTEGER NOT NULL,  -- collection time of that context: later ones show the thread
    scope       TEXT    NOT NULL,
    file        TEXT,              -- NULL is the review
    path        BLOB,
    side        TEXT,              -- NULL is the whole file
    first_line  INTEGER,
    last_line   INTEGER,
    fingerprint TEXT,
    quote       BLOB,
    hunk        BLOB,
    author      TEXT    NOT NULL,  -- JSON, see threads.py
    body        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    edited_at   INTEGER,
    status      TEXT    NOT NULL CHECK (status IN ('open', 'resolved')),
    resolution  TEXT,
    resolved_at INTEGER,
    resolved_by TEXT,
    sequence    INTEGER NOT NULL,  -- reviewer.sequence of its last change
    size        INTEGER NOT NULL,  -- bytes of its words and code, replies included
    retry       TEXT               -- what makes writing it twice one thread
) STRICT;
-- Covers how much a stream holds, which every comment asks.
CREATE INDEX thread_by_stream ON thread (stream, size);
CREATE INDEX thread_by_context ON thread (context);
CREATE UNIQUE INDEX thread_by_retry ON thread (stream, retry) WHERE retry IS NOT NULL;

CREATE TABLE reply (
    number     INTEGER PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    thread     INTEGER NOT NULL REFERENCES thread,
    author     TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    edited_at  INTEGER,
    retry      TEXT
) STRICT;
CREATE INDEX reply_by_thread ON reply (thread);
CREATE UNIQUE INDEX reply_by_retry ON reply (thread, retry) WHERE retry IS NOT NULL;

-- Every change and who made it, so that an agent hears of all but its own (9.2).
CREATE TABLE thread_change (
    owner    TEXT    NOT NULL,
    sequence INTEGER NOT NULL,
    thread   INTEGER NOT NULL REFERENCES thread,
    speaker  TEXT    NOT NULL,  -- see threads.py
    PRIMARY KEY (owner, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_change_by_thread ON thread_change (thread);

CREATE TABLE mark (
    context     INTEGER NOT NULL REFERENCES observation,
    scope       TEXT    NOT NULL,
    file        TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    marked_at   INTEGER NOT NULL,
    carried     INTEGER NOT NULL,
    PRIMARY KEY (context, scope, file)
) STRICT, WITHOUT ROWID;

CREATE TABLE draft (
    context    INTEGER NOT NULL REFERENCES observation,
    key        TEXT    NOT NULL,  -- what it is about, in the writer's words
    body       TEXT    NOT NULL,
    retry      TEXT    NOT NULL,  -- the key that it will be sent with
    written_at INTEGER NOT NULL,
    PRIMARY KEY (context, key)
) STRICT, WITHOUT ROWID;

-- Reviewed hunks of files that are not reviewed as a whole; see hunkmarks.py.
CREATE TABLE hunk_mark (
    context   INTEGER NOT NULL REFERENCES observation,
    scope     TEXT    NOT NULL,
    file      TEXT    NOT NULL,
    hunk      INTEGER NOT NULL,  -- its number in the stored patch, from 0
    key       BLOB    NOT NULL,  -- review.hunkmarks.HunkKey
    marked_at INTEGER NOT NULL,
    carried   INTEGER NOT NULL,
    PRIMARY KEY (context, scope, file, hunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdict (
    number      INTEGER PRIMARY KEY,
    context     INTEGER NOT NULL REFERENCES observation,
    verdict     TEXT    NOT NULL,
    summary     TEXT,
    finished_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_by_context ON verdict (context);
"""


def check_sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Refuse a library that cannot read our tables, in words instead of syntax errors."""
    if version < MINIMUM_SQLITE:
        have, need = (".".join(map(str, each)) for each in (version, MINIMUM_SQLITE))
        raise StoreFailedError(
            f"SQLite {need} or newer is needed and this Python has {have}; use a newer Python"
        )


def new_database(state_id: str) -> bytes:
    """Return the content of a fresh database file, so that it can appear whole or not at all."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        create(conn, state_id)
        return conn.serialize()


def create(conn: sqlite3.Connection, state_id: str) -> None:
    """Fill an empty database."""
    # Pages freed by pruning are given back in steps; the pragma works only before any table.
    conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
    conn.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    conn.execute(f"PRAGMA user_version = {SCHEMA}")
    conn.executescript(SCHEMA_SCRIPT)
    conn.execute("INSERT INTO state (id, sequence) VALUES (?, 0)", (state_id,))


def check_header(header: bytes, name: str) -> None:
    """Refuse a file by its first bytes, before SQLite may touch it (12.5)."""
    if len(header) < HEADER_BYTES or not header.startswith(_MAGIC):
        raise SchemaMismatchError(
            f"{name} is not a diffx database; nothing was changed, choose another with --state"
        )
    application, version = _number(header, 68), _number(header, 60)
    if application != APPLICATION_ID:
        raise SchemaMismatchError(
            f"{name} belongs to another program; nothing was changed, choose another with --state"
        )
    if version != SCHEMA:
        age = "an older" if version < SCHEMA else "a newer"
        raise SchemaMismatchError(
            f"{name} was written by {age} diffx (schema {version}, this one needs {SCHEMA});"
            " nothing was changed, use that diffx or start afresh with another --state"
        )


def expected_bytes(header: bytes) -> int:
    """Return how long the file must be that has this header."""
    page = int.from_bytes(header[16:18], "big")
    return _number(header, 28) * (65_536 if page == 1 else page)


def _number(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")
