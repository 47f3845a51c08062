"""The JSON Schema of the lines of a result file, for other tools; derived from the classes of the model.

Run as ``python -m conformance.results.schema`` it writes ``docs/results/schema.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.base.codec import schema
from conformance.results.model import Entry, Header

PATH = Path(__file__).parents[2] / "docs" / "results" / "schema.json"


def line_schemas() -> dict[str, Any]:
    """Return the schema of each kind of line: the first one of a file, and the others."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Lines of torch-conformance result files",
        "description": "A result file is JSON Lines: a header, then one entry for each claim, sorted by id.",
        "definitions": {"header": schema(Header), "entry": _identified(schema(Entry))},
        "anyOf": [{"$ref": f"#/definitions/{name}"} for name in ("header", "entry")],
    }


def _identified(entry: dict[str, Any]) -> dict[str, Any]:
    identity = {"description": "Id of the claim.", "type": "string", "pattern": '^[^"\\\\\\x00-\\x1f]{1,1000}$'}
    return {**entry, "required": ["id", *entry["required"]], "properties": {"id": identity, **entry["properties"]}}


if __name__ == "__main__":
    PATH.write_text(json.dumps(line_schemas(), indent=1) + "\n", encoding="utf-8")
