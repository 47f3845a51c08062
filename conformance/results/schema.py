"""The JSON Schema of a result file. It is an interface: a change of meaning raises ``VERSION``."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any, Callable

VERSION = 1

VERDICTS = (
    "holds",
    "refuted",
    "diverges",
    "fixed",
    "changed",
    "unspecified",
    "absent",
    "inapplicable",
    "crashed",
    "timed-out",
    "invalid",
)
#: Verdicts that make a run fail.
FAILING = ("refuted", "fixed", "changed", "crashed", "timed-out", "invalid")

_TEXT = {"type": "string", "maxLength": 20_000}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{8}$"}
_OFTEN = {"enum": ["always", "sometimes", "never"]}
_MOST_CLAIMS = 100_000


def _described(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, **schema}


def _environment(extra: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["torch", "build", "python", "numpy", "device", "system", "machine"],
        "additionalProperties": False,
        "properties": {
            "torch": _described("Release of torch, without the build.", _TEXT),
            "build": _described("What follows + in torch's version, or 'default'.", _TEXT),
            "python": _described("Major and minor version of Python.", _TEXT),
            "numpy": _described("Version of NumPy.", _TEXT),
            "hypothesis": _described("Version of Hypothesis.", _TEXT),
            "device": {"enum": ["cpu", "cuda"]},
            "system": _described("Operating system, in lower case.", _TEXT),
            "machine": _described("Processor architecture, in lower case.", _TEXT),
            "accelerator": _described("Name of the GPU.", _TEXT),
            **extra,
        },
    }


def _entry() -> dict[str, Any]:
    pair = {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 2}
    return {
        "type": "object",
        "required": ["claim", "verdict"],
        "additionalProperties": False,
        "properties": {
            "claim": _described("Fingerprint of what was measured.", _HASH),
            "verdict": {"enum": list(VERDICTS)},
            "examples": _described("Distinct examples that decided something.", {"type": "integer", "minimum": 0}),
            "covered": _described(
                "For each input: values tried of each axis, then pairs of values of two axes: tried, and admitted.",
                {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
            ),
            "unsupported": _described(
                "Dtypes for which this torch lacks a kernel; such examples do not count.",
                {"type": "array", "items": _TEXT},
            ),
            "vacuous": _described(
                "Code and message of each way in which the claim proves too little here.",
                {"type": "array", "items": _TEXT},
            ),
            "tiers": _described(
                "How often an error or warning was given at all, with its class, with its message.",
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"error": _OFTEN, "type": _OFTEN, "message": _OFTEN},
                },
            ),
            "observed": _described(
                "For an unspecified claim: how often each expression was true.", {"type": "array", "items": _OFTEN}
            ),
            "example": _described(
                "Recipes of the canonical example.", {"type": "object", "additionalProperties": _TEXT}
            ),
            "facts": _described(
                "What the canonical example showed: raises, warns, and printed form and flags of each name.",
                {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [pair, {"type": "array", "items": {"type": "array", "items": _TEXT}}]
                    },
                },
            ),
            "keys": _described(
                "For each docstring source in order: the hash of its sentence, or null where this torch lacks it.",
                {"type": "array", "items": {"anyOf": [_HASH, {"type": "null"}]}},
            ),
            "divergence": _described(
                "Which recorded divergences applied, counted from 0.", {"type": "array", "items": {"type": "integer"}}
            ),
            "failed": _described("The part of the expectation that was false.", _TEXT),
            "detail": _described("The values behind it, or why the claim could not be judged.", _TEXT),
            "counterexample": _described("A script that shows it with torch and NumPy alone.", _TEXT),
        },
    }


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema of a result file."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "torch-conformance result file",
        "type": "object",
        "required": ["schema", "environment", "corpus", "examples", "seed", "claims"],
        "additionalProperties": False,
        "properties": {
            "schema": _described("Version of this format.", {"const": VERSION}),
            "environment": _environment({}),
            "corpus": _described("Revision of the corpus measured.", {"type": "string", "pattern": "^[0-9a-f]{12}$"}),
            "examples": _described(
                "Examples that Hypothesis tried after the sweep.", {"type": "integer", "minimum": 0}
            ),
            "seed": {"type": "integer"},
            "void": _described(
                "Why nothing in this file may be believed, or null.", {"anyOf": [_TEXT, {"type": "null"}]}
            ),
            "claims": {"type": "object", "maxProperties": _MOST_CLAIMS, "additionalProperties": _entry()},
        },
    }


def timing_schema() -> dict[str, Any]:
    """Return the JSON Schema of a file of timing ratios."""
    ratios = {"type": "array", "items": {"type": "number", "minimum": 0}}
    entry = {
        "type": "object",
        "required": ["claim", "verdict", "sizes", "kernels"],
        "additionalProperties": False,
        "properties": {
            "claim": _HASH,
            "verdict": {
                "enum": ["holds", "refuted", "diverges", "fixed", "changed", "unspecified", "invalid", "inapplicable"]
            },
            "sizes": {"type": "array", "items": {"type": "integer"}},
            "kernels": _described(
                "For each kernel: its median time over that of the first kernel, for each size.",
                {"type": "object", "additionalProperties": ratios},
            ),
            "failed": _TEXT,
            "detail": _TEXT,
        },
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "torch-conformance timing ratios",
        "type": "object",
        "required": ["schema", "environment", "claims"],
        "additionalProperties": False,
        "properties": {
            "schema": {"const": VERSION},
            "environment": _environment({"processor": _described("Name of the processor.", _TEXT)}),
            "claims": {"type": "object", "maxProperties": _MOST_CLAIMS, "additionalProperties": entry},
        },
    }


@cache
def validator(timings: bool = False) -> Callable[[Any], Any]:
    """Return a function that raises ``fastjsonschema.JsonSchemaValueException`` where a document breaks the schema."""
    import fastjsonschema

    compiled: Callable[[Any], Any] = fastjsonschema.compile(timing_schema() if timings else result_schema())
    return compiled


@cache
def _entry_validator() -> Callable[[Any], Any]:
    import fastjsonschema

    compiled: Callable[[Any], Any] = fastjsonschema.compile(_entry())
    return compiled


def is_entry(value: Any) -> bool:
    """Say whether a value is what a result file may hold for one claim."""
    import fastjsonschema

    try:
        _entry_validator()(value)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


def main() -> int:
    """Write the published schema of result files."""
    path = Path(__file__).resolve().parents[2] / "docs" / "results" / "schema.json"
    path.write_text(json.dumps(result_schema(), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
