"""The measured names of one release as JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from conformance.names.model import Measured, NameRecord, Section

_LISTS = ("signatures", "bases")


def section_to_json(section: Section) -> dict[str, dict[str, Any]]:
    """Return a module's names as JSON; what is empty is left out."""
    return {
        name: {field.name: value for field in fields(record) if (value := getattr(record, field.name))}
        for name, record in section.items()
    }


def section_from_json(data: dict[str, dict[str, Any]]) -> Section:
    """Return the names that `section_to_json` wrote."""
    return {name: _record(entry) for name, entry in data.items()}


def _record(entry: dict[str, Any]) -> NameRecord:
    lists = {key: tuple(entry[key]) for key in _LISTS if key in entry}
    return NameRecord(**{**entry, **lists})


def write_measured(measured: Measured, path: Path) -> None:
    """Write the names of one release, in an order that does not depend on the run."""
    sections = {name: section_to_json(section) for name, section in measured.sections.items()}
    data = {"torch": measured.torch, "python": measured.python, "modules": sections}
    path.write_text(json.dumps(data, indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_measured(path: Path) -> Measured:
    """Return the names of one release, as `write_measured` wrote them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    sections = {name: section_from_json(section) for name, section in data["modules"].items()}
    return Measured(data["torch"], data["python"], sections)
