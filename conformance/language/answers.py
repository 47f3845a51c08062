"""The answers of spec files: a few lines about a subject, and the claims that prove each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Callable, Optional

from conformance.base.text import did_you_mean, one_line
from conformance.language.documents import Document, Mapping, Node
from conformance.language.forms import FORMS, MAXIMUM_ANSWER, MAXIMUM_SAYS
from conformance.language.model import Answer, AnswerLine
from conformance.language.problems import Problems
from conformance.language.rules.conditions import specifier_mistake
from conformance.language.rules.identity import is_concept, is_subject
from conformance.language.shapes import Shapes


def read_answer(top: Optional[Mapping], document: Document, problems: Problems) -> Optional[Answer]:
    """Read the answer of a spec file; None where it has none, or one with a mistake."""
    keys = [key for key in MAXIMUM_ANSWER if top is not None and key in top.entries]
    if top is None or not keys:
        return None
    return _Reader(document, problems).read(top, keys)


def check_proofs(answers: Sequence[Answer], claims: Collection[str], problems: Problems) -> None:
    """Check that the corpus has the claims that prove each line."""
    for line in (line for answer in answers for line in answer.lines):
        for claim in line.claims:
            if claim not in claims:
                subject = claim.rpartition("/")[0]
                near = did_you_mean(claim, [other for other in claims if other.rpartition("/")[0] == subject])
                problems.add(line.place, "EA02", f"the corpus has no claim '{claim}'{near or '; write it first'}")


def check_neighbours(answers: Sequence[Answer], has_name: Callable[[str], bool], problems: Problems) -> None:
    """Check that some recorded release has each name in ``see``, and that a concept there has an answer."""
    subjects = {answer.subject for answer in answers}
    for answer in answers:
        for name in answer.see:
            if name not in subjects and not name.startswith("notes/") and ("/" in name or not has_name(name)):
                message = f"`see`: no recorded release has the name '{name}'; correct or remove it"
                problems.add(answer.place, "EA04", message)


class _Reader:
    """Reads one answer."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self.shapes = Shapes(document, problems)

    def read(self, top: Mapping, keys: list[str]) -> Optional[Answer]:
        before = len(self.problems)
        subject = self.shapes.text(top.entries.get("subject"), "`subject`")
        for missing in ("subject", "answer"):
            if missing not in top.entries:
                message = f"a file with `{keys[0]}` lacks '{missing}'; add it"
                self.problems.add(self.document.place(top.keys[keys[0]]), "E102", message)
        if subject is not None and not (is_subject(subject.value) or is_concept(subject.value)):
            message = f"'{subject.value}' is not a subject; write the full public name, notes/ or concepts/ and a word"
            self.problems.add(self.document.place(subject), "E304", message)
        items = {key: self._items(top.entries[key], key) for key in keys}
        lines = [self._line(node, subject.value if subject else "") for node in items.get("answer", ())]
        see, asked = (tuple(self._texts(items.get(key, ()), f"`{key}`")) for key in ("see", "asked"))
        if subject is None or len(self.problems) > before:
            return None
        read = tuple(line for line in lines if line is not None)
        return Answer(subject.value, read, self.document.place(top.entries.get("see", subject)), see, asked)

    def _items(self, node: Node, key: str) -> list[Node]:
        wanted = FORMS["file"].keys[key].wanted
        what = f"`{key}`"
        listed = self.shapes.listing if key == "answer" else self.shapes.one_or_list
        items = listed(node, what, wanted) or []
        most = MAXIMUM_ANSWER[key]
        if len(items) > most:
            message = f"{what} has {len(items)} entries, and {most} are the most; leave some out"
            self.problems.add(self.document.place(items[most]), "EA03", message)
        return items

    def _line(self, node: Node, subject: str) -> Optional[AnswerLine]:
        mapping = self.shapes.form(node, FORMS["line"])
        if mapping is None:
            return None
        text = {key: self._text(mapping, key) for key in ("says", "except", "torch")}
        if len(text["says"]) > MAXIMUM_SAYS:
            message = f"the line has {len(text['says'])} characters, and {MAXIMUM_SAYS} are the most; shorten it"
            self.problems.add(self.document.place(mapping.entries["says"]), "EA03", message)
        if text["torch"] and (mistake := specifier_mistake("torch", text["torch"])):
            self.problems.add(self.document.place(mapping.entries["torch"]), *mistake)
        if "claims" not in mapping.entries:
            message = "this line names no `claims`; add those that prove it"
            self.problems.add(self.document.place(mapping), "EA01", message)
            return None
        named = self.shapes.one_or_list(mapping.entries["claims"], "`claims`", "a claim")
        claims = tuple(claim if "/" in claim else f"{subject}/{claim}" for claim in self._texts(named, "`claims`"))
        return AnswerLine(text["says"], claims, self.document.place(mapping), text["except"], text["torch"])

    def _text(self, mapping: Mapping, key: str) -> str:
        scalar = self.shapes.text(mapping.entries.get(key), f"`{key}`")
        return one_line(scalar.value) if scalar is not None else ""

    def _texts(self, nodes: Sequence[Node], what: str) -> Iterator[str]:
        for node in nodes:
            scalar = self.shapes.text(node, f"an entry of {what}")
            if scalar is not None:
                yield one_line(scalar.value)
