"""An answer as other sites embed it: a badge that counts true promises, and a small page for an ``<iframe>``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from markupsafe import Markup

from conformance.base.release_spans import minor
from conformance.base.text import printable
from conformance.lab.reference.templates import part
from conformance.lab.views.content import Content
from conformance.language.addresses import page_name
from conformance.language.model import Claim
from conformance.results.verdicts import truth
from conformance.show.model import AnswerView

FOLDER = "embed"
#: How wide a character of a badge is, and what stands beside its text, in pixels.
_CHARACTER, _MARGIN = 6.6, 10
_GOOD, _KNOWN, _NONE = "#22663b", "#7a4a00", "#4a5260"
_BADGE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{name}: {says}">'
    '<title>{name}: {says}</title><g font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" fill="#fff">'
    '<rect width="{width}" height="20" rx="3" fill="{colour}"/><rect width="{left}" height="20" rx="3" fill="#343a42"/>'
    '<text x="{margin}" y="14" textLength="{name_width}" lengthAdjust="spacingAndGlyphs">{name}</text>'
    '<text x="{start}" y="14" textLength="{says_width}" lengthAdjust="spacingAndGlyphs">{says}</text></g></svg>\n'
)


def embed_path(subject: str, ending: str) -> str:
    """Return where what others embed of a subject is, from the root of the pages."""
    return f"{FOLDER}/{page_name(subject)}.{ending}"


def badge(subject: str, content: Content) -> str:
    """Return a badge that says how many promises of a subject are true on the newest release, as SVG."""
    true, judged, release = _counted(content.subjects.get(subject, ()), content)
    says = f"{true} of {judged} promises true on torch {minor(release)}" if release else "not measured"
    name_width, says_width = (round(len(text) * _CHARACTER) for text in (subject, says))
    left = name_width + 2 * _MARGIN
    return Markup(_BADGE).format(
        name=printable(subject),
        says=says,
        colour=_NONE if not release else _GOOD if true == judged else _KNOWN,
        margin=_MARGIN,
        left=left,
        start=left + _MARGIN,
        name_width=name_width,
        says_width=says_width,
        width=left + says_width + 2 * _MARGIN,
    )


def embedded_answer(answer: AnswerView) -> str:
    """Return an answer as a page of its own, with a link to that of its subject."""
    address = f"../reference/{page_name(answer.subject)}.html"
    return part("embed", lambda target: "", answer=answer, address=address).astext()


def _counted(claims: Sequence[Claim], content: Content) -> tuple[int, int, Optional[str]]:
    """Return how many promises are true on the newest release of those that are judged there, and which that is."""
    newest = next(reversed(content.recorded.by_device.get("cpu", ())), None)
    verdicts = [newest.cell(claim).verdict for claim in claims] if newest else []
    truths = [truth(verdict) for verdict in verdicts if verdict is not None]
    judged = [one for one in truths if one in ("true", "false", "crash")]
    return judged.count("true"), len(judged), newest.torch if newest and judged else None
