"""What a tool takes: one declaration gives its JSON schema and the gate that checks a call.

Clients do not check arguments reliably, so the gate stands here; its refusals are written for a
model that will try again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from diffx.errors import InvalidError
from diffx.mcpapi.rpc import shown

# JSON can write half of a surrogate pair; UTF-8, and with it the database, cannot.
_LONE: Final = re.compile("[\ud800-\udfff]")


class ToolError(InvalidError):
    """A call that cannot be answered; the text says what to call or to change instead."""


class Argument(Protocol):
    """One argument. It may always be left out unless the tool requires it."""

    @property
    def default(self) -> object: ...

    def schema(self) -> dict[str, object]: ...

    def read(self, raw: object, name: str) -> object:
        """Return the checked value, or raise ToolError naming what was expected."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A string, perhaps one of a few."""

    about: str
    limit: int = 4_096
    choices: tuple[str, ...] = ()
    default: str | None = None

    def schema(self) -> dict[str, object]:
        shape: dict[str, object] = {"type": "string", "description": self.about}
        if self.choices:
            shape["enum"] = list(self.choices)
        else:
            shape["maxLength"] = self.limit
        if self.default is not None:
            shape["default"] = self.default
        return shape

    def read(self, raw: object, name: str) -> object:
        if not isinstance(raw, str):
            raise ToolError(f"{name} must be a string", field=name)
        if self.choices and raw not in self.choices:
            raise ToolError(f"{name} must be one of {', '.join(self.choices)}", field=name)
        if len(raw) > self.limit:
            raise ToolError(
                f"{name} must be at most {self.limit} characters long; it has {len(raw)}",
                field=name,
            )
        if not raw.isascii() and _LONE.search(raw):
            raise ToolError(f"{name} is not Unicode text: half a character is missing", field=name)
        return raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """An integer between two bounds."""

    about: str
    low: int
    high: int
    default: int | None = None

    def schema(self) -> dict[str, object]:
        shape: dict[str, object] = {
            "type": "integer",
            "description": self.about,
            "minimum": self.low,
            "maximum": self.high,
        }
        if self.default is not None:
            shape["default"] = self.default
        return shape

    def read(self, raw: object, name: str) -> object:
        # 5.0 is an integer in JSON Schema, and some models write it.
        if isinstance(raw, float) and raw.is_integer():
            raw = int(raw)
        if not isinstance(raw, int) or isinstance(raw, bool):
            raise ToolError(f"{name} must be an integer", field=name)
        if not self.low <= raw <= self.high:
            raise ToolError(f"{name} must be between {self.low} and {self.high}", field=name)
        return raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """True or false."""

    about: str
    default: bool = False

    def schema(self) -> dict[str, object]:
        return {"type": "boolean", "description": self.about, "default": self.default}

    def read(self, raw: object, name: str) -> object:
        if not isinstance(raw, bool):
            raise ToolError(f"{name} must be true or false", field=name)
        return raw


@dataclass(frozen=True, slots=True)
class Arguments:
    """The checked arguments of one call, defaults filled in."""

    values: Mapping[str, object]

    def text(self, name: str) -> str | None:
        return cast("str | None", self.values[name])

    def number(self, name: str) -> int:
        return cast(int, self.values[name])

    def maybe_number(self, name: str) -> int | None:
        return cast("int | None", self.values[name])

    def flag(self, name: str) -> bool:
        return cast(bool, self.values[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Everything that one tool takes."""

    named: Mapping[str, Argument]
    required: tuple[str, ...] = ()

    def schema(self) -> dict[str, object]:
        shape: dict[str, Any] = {
            "type": "object",
            "properties": {name: argument.schema() for name, argument in self.named.items()},
            "additionalProperties": False,
        }
        if self.required:
            shape["required"] = list(self.required)
        return shape

    def read(self, raw: Mapping[str, object]) -> Arguments:
        """Check a call's arguments. Null is the same as left out: many models write it so."""
        given = {name: value for name, value in raw.items() if value is not None}
        for name in given:
            if name not in self.named:
                raise ToolError(f"unknown argument {shown(name)}; {self._listed()}")
        for name in self.required:
            if name not in given:
                raise ToolError(f"{name} is required; {self._listed()}", field=name)
        return Arguments(
            {
                name: argument.read(given[name], name) if name in given else argument.default
                for name, argument in self.named.items()
            }
        )

    def _listed(self) -> str:
        return f"this tool takes {', '.join(self.named) or 'no arguments'}"
