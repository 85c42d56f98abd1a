"""The web UI's types come from the contract, and nothing else (10.5)."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    path = ROOT / "webui" / "tools" / "gen_types.py"
    spec = importlib.util.spec_from_file_location("gen_types", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_types_in_the_tree_are_those_of_the_contract(generator: ModuleType) -> None:
    wanted = generator.generate(yaml.safe_load(generator.CONTRACT.read_text("utf-8")))

    assert generator.TARGET.read_text("utf-8") == wanted, "run webui/tools/gen_types.py"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["integer", "null"]}, "number | null"),
        ({"enum": ["a", None]}, '"a" | null'),
        ({"const": True}, "true"),
        ({"$ref": "#/components/schemas/Id"}, "Id"),
        ({"type": "array", "items": {"type": "boolean"}}, "ReadonlyArray<boolean>"),
        ({"oneOf": [{"$ref": "#/x/Side"}, {"type": "null"}]}, "Side | null"),
        (
            {"type": ["object", "null"], "required": ["a"], "properties": {"a": {}, "b-c": {}}},
            '{\n  readonly a: unknown;\n  readonly "b-c"?: unknown;\n} | null',
        ),
        ({"type": "object"}, "{ readonly [key: string]: unknown }"),
    ],
)
def test_a_schema_becomes_the_type_that_it_allows(
    generator: ModuleType, schema: dict[str, object], expected: str
) -> None:
    assert generator.type_of(schema) == expected
