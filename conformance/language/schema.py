"""The JSON Schema of spec files, for editors: it completes keys, families and kinds, and shows what they mean.

``python -m conformance.language.schema`` writes it to ``spec/schema.json``. It says less than the checker, which alone
decides what is right.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from conformance.language.corpus import default_root
from conformance.language.forms import FORMS, Form, Key, Shape
from conformance.language.model import SOURCE_KINDS
from conformance.language.vocabulary import input_kinds

FILE_NAME = "schema.json"

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string", "minLength": 1}
# A plain 3 or True is Python as it stands.
_CODE: Schema = {"type": ["string", "number", "boolean"]}


def spec_schema() -> Schema:
    """Build the schema of a spec file."""
    parts = {name: _form(form) for name, form in FORMS.items() if name != "file"}
    parts["source"]["oneOf"] = [{"required": [kind]} for kind in SOURCE_KINDS] + [
        {"required": ["key"], "not": {"anyOf": [{"required": [kind]} for kind in SOURCE_KINDS]}}
    ]
    # Where there are rows, these may have what every claim needs.
    parts["claim"]["anyOf"] = [{"required": ["title", "family"]}, {"required": ["each"]}]
    # A row has columns of its own beside the claim's keys.
    parts["row"]["additionalProperties"] = _CODE
    kinds = ", ".join(input_kinds())
    inputs = parts["claim"]["properties"]["given"]["additionalProperties"]
    inputs["description"] = f"A call of an input kind: {kinds}. A bare tensor() is the whole domain."
    inputs["examples"] = [f"{name}()" for name in input_kinds()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Conformance spec",
        **_form(FORMS["file"]),
        "$defs": parts,
    }


def schema_text() -> str:
    """Write the schema as the file has it."""
    return json.dumps(spec_schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Write ``spec/schema.json``."""
    path = default_root() / FILE_NAME
    path.write_text(schema_text(), encoding="utf-8")
    print(path)
    return 0


def _form(form: Form) -> Schema:
    described = {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "required": list(form.required),
        "properties": {name: _key(key) for name, key in form.keys.items()},
    }
    if form.short is not None:
        return {"description": form.meaning, "anyOf": [_key(form.keys[form.short]), described]}
    return {"description": form.meaning, **described}


def _key(key: Key) -> Schema:
    described: Schema = {"description": key.meaning, **_value(key)}
    if key.words and all(key.words.values()):
        lines = (f"- {word}: {meaning}" for word, meaning in key.words.items())
        described["description"] += "\n\n" + "\n".join(lines)
    if key.pattern is not None:
        described["pattern"] = f"^({key.pattern})$"
    if key.longest is not None:
        described["maxLength"] = key.longest
    if key.examples:
        described["examples"] = list(key.examples)
    return described


def _value(key: Key) -> Schema:
    reference = {"$ref": f"#/$defs/{key.form}"}
    values: dict[Shape, Schema] = {
        Shape.TEXT: _TEXT,
        Shape.TEXTS: _one_or_list(_TEXT),
        Shape.WORD: {"enum": list(key.words)},
        Shape.CODE: _CODE,
        Shape.CODES: _one_or_list(_CODE),
        Shape.CODE_TABLE: {"type": "object", "minProperties": key.least, "additionalProperties": dict(_CODE)},
        Shape.TEXT_TABLE: {"type": "object", "minProperties": key.least, "additionalProperties": dict(_TEXT)},
        Shape.TRUE: {"const": True},
        Shape.FORM: reference,
        Shape.FORMS: {"type": "array", "minItems": 1, "items": reference},
    }
    return values[key.shape]


def _one_or_list(item: Schema) -> Schema:
    return {"anyOf": [item, {"type": "array", "minItems": 1, "items": item}]}


if __name__ == "__main__":
    sys.exit(main())
