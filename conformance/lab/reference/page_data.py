"""What pages say, as data for programs; the page about data documents every field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conformance.lab.views.changes import WrittenChange, changes_of_name
from conformance.lab.views.content import Content
from conformance.lab.views.costs import CostlyCause
from conformance.lab.views.running_text import plain, prose
from conformance.language.addresses import subject_page
from conformance.language.model import Claim
from conformance.show.model import LineView, MessageView

#: A value of JSON.
Data = Mapping[str, object]
#: What a change says in running text.
CHANGE_TEXTS = ("title", "condition", "before", "after", "instead")


def subject_data(subject: str, content: Content) -> Data:
    """Return the answer, the verdicts of the claims and the changes of a subject."""
    answer = content.answers.get(subject)
    return {
        "subject": subject,
        "page": subject_page(subject),
        "documentation": content.documentation(subject) or None,
        "answer": [_line(line) for line in answer.lines] if answer else [],
        "see": answer.see if answer else (),
        "claims": [_claim(claim, content) for claim in content.subjects.get(subject, ())],
        "changes": changes_data(changes_of_name(subject, content)),
    }


def changes_data(changes: Iterable[WrittenChange]) -> list[Data]:
    """Return what people wrote of changes."""
    return [
        {
            "harm": it.change.harm,
            "id": it.change.id,
            "release": it.change.release,
            "reach": it.change.reach,
            "module": it.module,
            "names": it.names,
            "proof": it.proof,
            **{name: plain(prose(getattr(it.change, name))) for name in CHANGE_TEXTS},
        }
        for it in changes
    ]


def false_data(causes: Sequence[CostlyCause]) -> Data:
    """Return what is documented and false, what costs people most first."""
    shown = ("subject", "harm", "kind", "reach", "modules", "releases")
    texts = ("title", "said", "status")
    return {
        "causes": [
            {**{name: getattr(it, name) for name in shown}, **{name: plain(getattr(it, name)) for name in texts}}
            for it in causes
        ]
    }


def messages_data(messages: Mapping[str, MessageView]) -> Data:
    """Return the messages of errors and warnings that people wrote of, by their ids."""
    shown = ("type", "texts", "names", "releases", "raised", "because", "do")
    return {
        "messages": [{"id": key, **{name: getattr(view, name) for name in shown}} for key, view in messages.items()]
    }


def _line(line: LineView) -> Data:
    releases: dict[str, list[str]] = {}
    for chip in reversed(line.chips):
        releases.setdefault(chip.truth, []).extend(chip.releases)
    return {"says": line.says, "exception": line.exception, "claims": line.claims, "releases": releases}


def _claim(claim: Claim, content: Content) -> Data:
    verdicts: dict[str, dict[str, list[str]]] = {}
    for cell in content.cells(claim):
        of_device = verdicts.setdefault(cell.measured.device, {})
        of_device.setdefault(cell.verdict or "not measured", []).append(cell.release)
    return {"id": claim.id, "title": claim.title, "family": claim.family, "verdicts": verdicts}
