"""Turn docs/protocol/openapi.yaml into webui/src/api/types.gen.ts.

    python webui/tools/gen_types.py           write the file
    python webui/tools/gen_types.py --check   exit 1 if the file is not what would be written

The result holds one TypeScript type per schema, one entry per operation in `Operations`, and the
`ROUTES` table, so that no address and no shape is written by hand in the web UI.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
CONTRACT: Final = ROOT / "docs" / "protocol" / "openapi.yaml"
TARGET: Final = ROOT / "webui" / "src" / "api" / "types.gen.ts"
METHODS: Final = ("get", "put", "post", "patch", "delete")
JSON_TYPES: Final = ("application/json", "application/problem+json")
SCALARS: Final[Mapping[str, str]] = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}

Schema = Mapping[str, Any]


def type_of(schema: Schema, indent: str = "") -> str:
    """The TypeScript type of a JSON schema, as far as the contract uses it."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for key, joiner in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
        if key in schema:
            return joiner.join(type_of(part, indent) for part in schema[key])
    declared = schema.get("type")
    if isinstance(declared, list):
        parts = [type_of({**schema, "type": one}, indent) for one in declared]
        return " | ".join(parts)
    if declared == "array":
        return f"ReadonlyArray<{type_of(schema['items'], indent)}>"
    if declared == "object" or (declared is None and "properties" in schema):
        return object_type(schema, indent)
    return SCALARS.get(str(declared), "unknown")


def object_type(schema: Schema, indent: str) -> str:
    properties: Schema = schema.get("properties", {})
    if not properties:
        extra = schema.get("additionalProperties", True)
        value = type_of(extra, indent) if isinstance(extra, Mapping) else "unknown"
        return f"{{ readonly [key: string]: {value} }}"
    required = set(schema.get("required", ()))
    inner = indent + "  "
    lines = ["{"]
    for name, value in properties.items():
        lines += comment(value.get("description"), inner)
        mark = "" if name in required else "?"
        lines.append(f"{inner}readonly {key_of(name)}{mark}: {type_of(value, inner)};")
    lines.append(indent + "}")
    return "\n".join(lines)


def key_of(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else json.dumps(name)


def comment(text: str | None, indent: str = "") -> list[str]:
    if not text:
        return []
    words = " ".join(text.split()).replace("*/", "* /")
    return [f"{indent}/** {words} */"]


def follow(document: Schema, node: Schema) -> Schema:
    """The node itself, or what its local `$ref` names."""
    reference = node.get("$ref")
    if reference is None:
        return node
    target: Any = document
    for step in str(reference).removeprefix("#/").split("/"):
        target = target[step]
    return follow(document, target)


def schema_in(content: Schema) -> str:
    for kind in JSON_TYPES:
        if kind in content:
            return type_of(content[kind]["schema"], "    ")
    return "string" if content else "null"


def answer_of(document: Schema, operation: Schema) -> str:
    for status, response in operation["responses"].items():
        if str(status).startswith("2"):
            return schema_in(follow(document, response).get("content", {}))
    raise SystemExit(f"{operation['operationId']} has no successful answer in {CONTRACT}")


def operation_lines(document: Schema, path: str, shared: Any, operation: Schema) -> list[str]:
    parameters = [follow(document, one) for one in (*shared, *operation.get("parameters", ()))]
    lines = comment(operation.get("summary"), "  ")
    lines.append(f"  readonly {operation['operationId']}: {{")
    for place in ("path", "query"):
        fields = [
            f"readonly {key_of(one['name'])}{'' if one.get('required') else '?'}: "
            + type_of(one["schema"])
            for one in parameters
            if one["in"] == place
        ]
        body = "{ " + "; ".join(fields) + " }" if fields else "object"
        lines.append(f"    readonly {place}: {body};")
    sent = follow(document, operation.get("requestBody", {})).get("content", {})
    lines.append(f"    readonly body: {schema_in(sent) if sent else 'undefined'};")
    lines.append(f"    readonly answer: {answer_of(document, operation)};")
    lines.append("  };")
    return lines


def generate(document: Schema) -> str:
    lines = [
        "// Made by webui/tools/gen_types.py from docs/protocol/openapi.yaml; do not edit.",
        "",
    ]
    for name, schema in document["components"]["schemas"].items():
        lines += comment(schema.get("description"))
        lines += [f"export type {name} = {type_of(schema)};", ""]
    operations: list[str] = []
    routes: list[str] = []
    for path, item in document["paths"].items():
        if not path.startswith("/api/"):
            continue  # pages and files are the browser's to fetch
        for method in METHODS:
            if method not in item:
                continue
            operations += operation_lines(document, path, item.get("parameters", ()), item[method])
            routes.append(f'  {item[method]["operationId"]}: ["{method.upper()}", "{path}"],')
    lines += ["export interface Operations {", *operations, "}", ""]
    lines += ["export const ROUTES = {", *routes, "} as const;", ""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when stale")
    check = parser.parse_args().check
    wanted = generate(yaml.safe_load(CONTRACT.read_text(encoding="utf-8")))
    if not check:
        TARGET.write_text(wanted, encoding="utf-8")
        return 0
    found = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    if found == wanted:
        return 0
    print(f"{TARGET} is not what {CONTRACT} says; run {Path(__file__).name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
