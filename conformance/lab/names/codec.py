"""The measured names of one release as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.base.codec import decode, encode
from conformance.base.json_files import ResultError
from conformance.names.model import MeasuredNames, NameRecord, Section


def section_to_json(section: Section) -> dict[str, dict[str, Any]]:
    """Return a module's names as JSON; what is empty is left out."""
    return {name: encode(record) for name, record in section.items()}


def section_from_json(data: dict[str, dict[str, Any]]) -> Section:
    """Return the names that `section_to_json` wrote."""
    return {name: decode(NameRecord, entry) for name, entry in data.items()}


def write_measured(measured: MeasuredNames, path: Path) -> None:
    """Write the names of one release, in an order that does not depend on the run."""
    sections = {name: section_to_json(section) for name, section in measured.sections.items()}
    data = {"torch": measured.torch, "python": measured.python, "modules": sections}
    path.write_text(json.dumps(data, indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_measured(path: Path) -> MeasuredNames:
    """Return the names of one release, as `write_measured` wrote them; raises `ResultError` where it did not."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        sections = {name: section_from_json(section) for name, section in data["modules"].items()}
        return MeasuredNames(data["torch"], data["python"], sections)
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ResultError(f"{path}: not a file of 'conformance names measure --output'; make it again") from None
