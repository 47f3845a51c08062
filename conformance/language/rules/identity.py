"""Subjects, ids and titles; and that a file stands where its subject belongs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from conformance.base.text import did_you_mean
from conformance.language.documents import Document, Mapping, Scalar
from conformance.language.drafts import Draft
from conformance.language.forms import CONCEPT, SLUG, SUBJECT, TORCH_SUBJECT
from conformance.language.model import Place
from conformance.language.problems import Problems
from conformance.language.sources import SourceList
from conformance.language.titles import title_mistakes

TABLES = "tables"
FEWEST_IN_TABLE = 3


def is_slug(text: str) -> bool:
    """Whether text is a slug: words of small letters and digits, joined by single hyphens."""
    return re.fullmatch(SLUG, text) is not None


def is_subject(text: str, *, own: bool = False) -> bool:
    """Whether text is a subject: a public name of torch, or with ``own`` of any package, or a page of notes."""
    return re.fullmatch(SUBJECT if own else TORCH_SUBJECT, text) is not None


def is_concept(text: str) -> bool:
    """Whether text is the subject of an answer about a concept."""
    return re.fullmatch(CONCEPT, text) is not None


def check_identity(draft: Draft, sources: SourceList) -> None:
    """Check the subject, the id, the former ids and the title of a claim."""
    _check_subject(draft, sources)
    if draft.slug is not None and not is_slug(draft.slug):
        near = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", draft.slug).lower()).strip("-")
        advice = f"; write '{near}'" if near and near != draft.slug else ""
        message = f"'{draft.slug}' is not an id: small letters and digits, words joined by single hyphens{advice}"
        draft.problems.add(draft.slug_place, "E301", message)
    for former in draft.claim.was:
        subject, slug = former.rsplit("/", 1)
        if not is_slug(slug) or not is_subject(subject, own=draft.claim.own):
            draft.report(draft.entries["was"], "E301", f"'{former}' is not an id; write subject/slug as it was")
    for mistake in title_mistakes(draft.claim.title):
        draft.report(draft.entries["title"], mistake.code, mistake.message, mistake.offset)


def _check_subject(draft: Draft, sources: SourceList) -> None:
    subject, own = draft.claim.subject, draft.claim.own
    if not subject:
        return
    if not is_subject(subject, own=own):
        advice = f"write the full public name, such as {'mylib.flat or ' if own else ''}torch.Tensor.detach"
        message = f"'{subject}' is not a subject; {advice}, or notes/name for a page of notes"
        draft.problems.add(draft.subject_place, "E304", message)
    elif subject.startswith("notes/"):
        name = subject[len("notes/") :]
        if name not in sources.notes:
            advice = did_you_mean(name, sources.notes) or "; add it there"
            draft.problems.add(draft.subject_place, "E402", f"sources.yaml has no note '{name}'{advice}")


def place_in_corpus(path: Path, root: Optional[Path]) -> Optional[str]:
    """Return the path of a file below the corpus's folder, or None where it is not below it."""
    try:
        return path.resolve().relative_to(root.resolve()).as_posix() if root is not None else None
    except ValueError:
        return None


def check_file_place(document: Document, place: str, problems: Problems) -> None:
    """Check that a file of the corpus stands where its subject belongs."""
    subject = document.root.entries.get("subject") if isinstance(document.root, Mapping) else None
    if not isinstance(subject, Scalar) or not (is_subject(subject.value) or is_concept(subject.value)):
        return
    wanted = place_of(subject.value)
    if place != wanted:
        message = f"the file of {subject.value} is {wanted}, not {place}; move the file"
        problems.add(document.place(subject), "E106", message)


def check_entry_place(drafts: Sequence[Draft], place: str) -> None:
    """Check that claims of the corpus stand in the file of their subject, or in a table over several subjects."""
    subjects = {draft.claim.subject for draft in drafts if is_subject(draft.claim.subject)}
    if place.startswith(f"{TABLES}/"):
        if len(subjects) < FEWEST_IN_TABLE:
            message = f"a claim in {TABLES} is repeated over {FEWEST_IN_TABLE} subjects or more; move it to its subject"
            drafts[0].report(drafts[0].node, "E108", message)
        return
    for draft in drafts:
        subject = draft.claim.subject
        # Where the file says the subject, the place of the file is checked.
        if "subject" in draft.entries and subject in subjects and place != place_of(subject):
            message = f"a claim about {subject} stands in {place_of(subject)}; move it there"
            draft.problems.add(draft.subject_place, "E108", message)


def place_of(subject: str) -> str:
    """Return the path, below the corpus's folder, of a subject's file: a folder for each module, then the name."""
    if "/" in subject:
        return f"{subject}.yaml"
    parts = subject.split(".")[1:]
    if parts[0] == "Tensor":
        # Beside the methods: torch/Tensor.yaml and torch/tensor.yaml are one file on some systems.
        return f"tensor/{'.'.join(parts[1:]) or 'Tensor'}.yaml"
    if len(parts) == 1:
        parts = ["torch", *parts]
    # What starts with a capital is a class, which its methods stand beside.
    end = next((place for place, part in enumerate(parts[:-1]) if not part[0].islower()), len(parts) - 1)
    folders = parts[:end] or ["torch"]
    return f"{'/'.join(folders)}/{'.'.join(parts[end:])}.yaml"


def check_uniqueness(drafts: Sequence[Draft]) -> list[Draft]:
    """Check ids across all files; return the claims whose id is theirs alone."""
    living: dict[str, Place] = {}
    good = []
    for draft in drafts:
        name = draft.claim.id
        first = living.setdefault(name, draft.slug_place)
        if first is draft.slug_place:
            good.append(draft)
        elif first == draft.slug_place:
            draft.problems.add(draft.place, "E302", f"{name} comes from two rows; give each row its own id")
        else:
            draft.problems.add(draft.slug_place, "E302", f"{name} is already at {first}; choose another id")
    former: dict[str, Draft] = {}
    return [draft for draft in good if all(_is_free(name, draft, living, former) for name in draft.claim.was)]


def _is_free(name: str, draft: Draft, living: dict[str, Place], former: dict[str, Draft]) -> bool:
    """Whether a former id is no claim's id, nor that of another claim before."""
    node = draft.entries["was"]
    if name in living:
        draft.report(node, "E303", f"{name} is the id of the claim at {living[name]}; ids are never used again")
        return False
    first = former.setdefault(name, draft)
    if first is not draft:
        draft.report(node, "E303", f"{name} is already the former id of the claim at {first.place}; keep one")
    return first is draft
