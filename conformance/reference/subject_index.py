"""The list of all subjects, by module."""

from __future__ import annotations

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.content import Reference
from conformance.reference.falsehood import is_false

NOTES = "Notes"
_TENSOR = "torch.Tensor"


def subject_index(reference: Reference, document: str) -> list[nodes.Node]:
    """List the subjects with the number of their claims, and of those that are false somewhere, under their modules."""
    modules: dict[str, dict[str, list[Claim]]] = {}
    for subject, claims in reference.subjects.items():
        modules.setdefault(module_of(subject), {})[subject] = claims
    if not modules:
        return [markup.paragraph("The corpus is empty.")]
    told = "False: claims that are false in some environment. Holes: claims that were measured in none."
    found: list[nodes.Node] = [markup.paragraph(told)]
    for module in sorted(modules, key=lambda module: (module == NOTES, module.lower())):
        section = nodes.section(ids=[nodes.make_id(f"module-{module}")], names=[])
        section += nodes.title(module, module)
        section += _table(modules[module], reference, document)
        found.append(section)
    return found


def module_of(subject: str) -> str:
    """Name the module of a subject; a class belongs to its module, but a tensor's methods are many."""
    if subject.startswith("notes/"):
        return NOTES
    parts = subject.split(".")[:-1]
    while len(parts) > 1 and parts[-1][:1].isupper() and ".".join(parts) != _TENSOR:
        parts.pop()
    return ".".join(parts) or subject


def _table(subjects: dict[str, list[Claim]], reference: Reference, document: str) -> nodes.Node:
    rows: list[markup.Row] = []
    for subject, claims in subjects.items():
        wrong = sum(is_false(claim, reference.columns) for claim in claims)
        holes = sum(all(column.cell(claim).verdict is None for column in reference.columns) for claim in claims)
        rows.append(
            [[markup.cite("subject", subject, document)], [str(len(claims))], [str(wrong or "")], [str(holes or "")]]
        )
    return markup.table([["Subject"], ["Claims"], ["False"], ["Holes"]], rows, "subjects")
