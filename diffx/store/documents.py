"""Comparison and Provenance as JSON text in a column: read whole, never searched."""

import json
from dataclasses import asdict
from typing import Any

from diffx.review.model import Comparison, Provenance, Session


def from_comparison(comparison: Comparison) -> str:
    return _text(asdict(comparison))


def to_comparison(text: str) -> Comparison:
    return Comparison(**json.loads(text))


def from_provenance(provenance: Provenance) -> str:
    return _text(asdict(provenance))


def to_provenance(text: str) -> Provenance:
    values = json.loads(text)
    if values.get("session") is not None:
        values["session"] = Session(**values["session"])
    return Provenance(**values)


def _text(values: dict[str, Any]) -> str:
    # Absent means the default, so a label added later needs no new schema.
    known = {key: value for key, value in values.items() if value is not None}
    return json.dumps(known, separators=(",", ":"), sort_keys=True)
