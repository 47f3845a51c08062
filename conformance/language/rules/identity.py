"""Subjects, ids and titles; and that a file stands where its subject belongs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from conformance.language.documents import Document, Mapping, Scalar, did_you_mean
from conformance.language.drafts import ClaimDraft
from conformance.language.model import Place
from conformance.language.places import display_path
from conformance.language.problems import Problems
from conformance.language.rules.context import report
from conformance.language.sources import SourceList

MAXIMUM_TITLE = 70

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SUBJECT = re.compile(r"torch(\.[A-Za-z_][A-Za-z0-9_]*)+|notes/[a-z0-9]+(-[a-z0-9]+)*")
_WORDING = re.compile(
    r"\b(should|shall|will|would|ought)\b"
    r"|^(tests?|testing|verif(?:y|ies)|ensures?|asserts?)\b"
    r"|\b(tests?|checks?) (?:that|if|whether)\b",
    re.IGNORECASE,
)


def is_slug(text: str) -> bool:
    """Whether text is a slug: words of small letters and digits, joined by single hyphens."""
    return _SLUG.fullmatch(text) is not None


def is_subject(text: str) -> bool:
    """Whether text is a subject: a public name of torch, or a page of notes."""
    return _SUBJECT.fullmatch(text) is not None


def check_identity(draft: ClaimDraft, sources: SourceList, problems: Problems) -> None:
    """Check the subject, the id, the former ids and the title of a claim."""
    _check_subject(draft, sources, problems)
    if draft.slug is not None and not is_slug(draft.slug):
        near = re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", draft.slug).lower()).strip("-")
        advice = f"; write '{near}'" if near and near != draft.slug else ""
        problems.add(
            draft.slug_place,
            "E301",
            f"'{draft.slug}' is not an id: small letters and digits, words joined by single hyphens{advice}",
        )
    for snippet, former in zip(draft.was, draft.former_ids):
        subject, slug = former.rsplit("/", 1)
        if not is_slug(slug) or not is_subject(subject):
            report(snippet, 0, "E301", f"'{snippet.text}' is not an id; write subject/slug as it was", problems)
    if draft.title is not None:
        _check_title(draft, problems)


def _check_subject(draft: ClaimDraft, sources: SourceList, problems: Problems) -> None:
    subject = draft.subject
    if not subject:
        return
    if not is_subject(subject):
        advice = "write the full public name, such as torch.Tensor.detach, or notes/name for a page of notes"
        problems.add(draft.subject_place, "E304", f"'{subject}' is not a subject; {advice}")
    elif subject.startswith("notes/"):
        name = subject[len("notes/") :]
        if name not in sources.notes:
            problems.add(
                draft.subject_place,
                "E402",
                f"sources.yaml has no note '{name}'{did_you_mean(name, sources.notes) or '; add it there'}",
            )


def _check_title(draft: ClaimDraft, problems: Problems) -> None:
    snippet = draft.title
    assert snippet is not None
    title = " ".join(snippet.text.split())
    if len(title) > MAXIMUM_TITLE:
        report(
            snippet,
            0,
            "E305",
            f"the title has {len(title)} characters, and {MAXIMUM_TITLE} are the most; shorten it",
            problems,
        )
    match = _WORDING.search(snippet.text)
    if match:
        report(
            snippet,
            match.start(),
            "E306",
            f"'{match.group()}' in a title; state a fact in the present tense, such as 'The result shares storage'",
            problems,
        )
    if title.endswith("."):
        report(snippet, len(snippet.text.rstrip()) - 1, "E307", "the title ends with a full stop; remove it", problems)


def check_place(document: Document, path: Path, root: Path, problems: Problems) -> None:
    """Check that a file of the corpus stands where its subject belongs."""
    if not isinstance(document.root, Mapping):
        return
    try:
        place = path.resolve().relative_to(root.resolve())
    except ValueError:
        return
    subject = document.root.entries.get("subject")
    if not isinstance(subject, Scalar) or not is_subject(subject.value):
        return
    wanted = places_of(subject.value)
    if place.as_posix() not in wanted:
        problems.add(
            document.place(subject),
            "E106",
            f"{subject.value} belongs into {wanted[0]} of {display_path(root)}, not {place.as_posix()}; move the file",
        )


def places_of(subject: str) -> list[str]:
    """List the paths below the corpus's folder where a subject's file may stand; the usual one first."""
    if subject.startswith("notes/"):
        return [f"{subject}.yaml"]
    parts = subject.split(".")[1:]
    if parts[0] == "Tensor":
        # Beside the methods: torch/Tensor.yaml and torch/tensor.yaml are one file on some systems.
        return [f"tensor/{'.'.join(parts[1:]) or 'Tensor'}.yaml"]
    if len(parts) == 1 or parts[0][0].isupper():
        return [f"torch/{'.'.join(parts)}.yaml"]
    ends = [".".join(parts[start:]) for start in range(1, len(parts))]
    # The last part that starts with a capital, with what follows it, is what the documentation lists.
    return [f"{parts[0]}/{end}.yaml" for end in reversed(ends)]


def check_uniqueness(drafts: Sequence[ClaimDraft], problems: Problems) -> list[ClaimDraft]:
    """Check ids across all files; return the claims whose id is theirs alone."""
    living: dict[str, Place] = {}
    good = []
    for draft in drafts:
        first = living.get(draft.id)
        if first is None:
            living[draft.id] = draft.slug_place
            good.append(draft)
        elif first == draft.slug_place:
            problems.add(draft.place, "E302", f"{draft.id} comes from two rows; give each row its own id")
        else:
            problems.add(draft.slug_place, "E302", f"{draft.id} is already at {first}; choose another id")
    former: dict[str, Place] = {}
    result = []
    for draft in good:
        fine = True
        for snippet, name in zip(draft.was, draft.former_ids):
            if name in living:
                report(
                    snippet,
                    0,
                    "E303",
                    f"{name} is the id of the claim at {living[name]}; ids are never used again",
                    problems,
                )
                fine = False
            elif former.setdefault(name, snippet.place) != snippet.place:
                report(
                    snippet,
                    0,
                    "E303",
                    f"{name} is already the former id of the claim at {former[name]}; keep one",
                    problems,
                )
                fine = False
        if fine:
            result.append(draft)
    return result
