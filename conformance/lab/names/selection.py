"""What of the measured names is stored: what people import, and not how torch is written inside."""

from __future__ import annotations

from dataclasses import replace

from conformance.names.model import NameRecord, Section
from conformance.names.modules import ROOTS, is_detailed, is_private

#: What modules call the modules that they import.
_IMPORTED_AS = ("F", "nn", "torch", "optim", "dist")


def select(sections: dict[str, Section]) -> dict[str, Section]:
    """Return what is stored of one release.

    - Public modules: every name but the modules and foreign names that a module imports for itself; private names
      without their signatures.
    - Private modules: what public ones show of them, in full; of the rest that a name is there, without signature and
      members; deep inside private packages, only public classes and functions.
    """
    shown = _shown(sections)
    selected = {module: _selected(module, section, shown) for module, section in sections.items()}
    return {module: section for module, section in selected.items() if section}


def _shown(sections: dict[str, Section]) -> set[str]:
    """Return the canonical names that public modules show, and the bases of classes."""
    records = [
        (f"{module}.{name}", record)
        for module, section in sections.items()
        for name, record in section.items()
        if not is_private(module)
    ]
    pending = [record.target for _, record in records if record.kind == "alias"]
    pending += [base for _, record in records for base in record.bases]
    bases = {
        f"{module}.{name}": record.bases
        for module, section in sections.items()
        for name, record in section.items()
        if record.bases
    }
    shown: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in shown and name.split(".")[0] in ROOTS:
            shown.add(name)
            pending += bases.get(name, ())
    return shown


def _selected(module: str, section: Section, shown: set[str]) -> Section:
    selected: Section = {}
    for name, record in section.items():
        if not name:
            selected[name] = record
        elif _is_wanted(module, name, record):
            if not is_private(module) or record.removed or _is_shown(module, name, shown):
                selected[name] = _stored(name, record, section)
            elif "." not in name and (is_detailed(module) or _is_defined_publicly(name, record)):
                selected[name] = NameRecord(record.kind, record.target)
    return selected


def _is_shown(module: str, name: str, shown: set[str]) -> bool:
    """Return whether a name or the class that it belongs to is shown by a public module."""
    return f"{module}.{name}" in shown or f"{module}.{name.partition('.')[0]}" in shown


def _is_wanted(module: str, name: str, record: NameRecord) -> bool:
    # In torch itself, and in modules directly in it, foreign names were imported by many, as from torch._six.
    if module.count(".") <= 1:
        return True
    return record.kind != "external" and not (record.kind == "alias" and name in _IMPORTED_AS)


def _is_defined_publicly(name: str, record: NameRecord) -> bool:
    return record.kind in ("class", "function") and not is_private(name)


def _stored(name: str, record: NameRecord, section: Section) -> NameRecord:
    owner = section.get(name.rpartition(".")[0])
    said_by_class = name.endswith(".__init__") and owner is not None and bool(owner.signatures)
    if said_by_class or (is_private(name) and record.kind != "class"):
        return replace(record, signatures=(), origin="")
    return record
