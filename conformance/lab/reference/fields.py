"""The fields of a line of a result file, from the JSON Schema that is derived from the types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: The schema of a value.
_Schema = Mapping[str, Any]


def fields_of(schema: _Schema, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Return each field with its description, those of nested objects after the field that has them."""
    for name, value in schema.get("properties", {}).items():
        required = name in schema.get("required", ())
        yield f"{prefix}{name}", value.get("description", "") + ("" if required or prefix else " May be missing.")
        yield from fields_of(_inner(value), f"{prefix}{name}.")


def _inner(value: _Schema) -> _Schema:
    """Return the schema of the objects that a list, a mapping or an optional value holds."""
    for held in (value.get("anyOf", [None])[0], value.get("items"), value.get("additionalProperties")):
        if isinstance(held, Mapping):
            return _inner(held)
    return value
