"""One row for each subject: whether it shares memory, keeps the graph, gives a leaf or the same object, and raises.

Nothing is inferred. A claim answers a question where its program is one use of its subject, and one of its expressions
is the answer itself. A claim that a release shows to be false answers with what its recorded divergence says instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from docutils import nodes

from conformance.language.model import Claim, Divergence, Fragment
from conformance.reference import markup
from conformance.reference.columns import Cell, Column
from conformance.reference.content import Reference
from conformance.reference.ranges import in_ranges

QUESTIONS = {
    "memory": "Shares memory?",
    "graph": "Keeps the graph?",
    "leaf": "A leaf?",
    "object": "Same object?",
}
RAISES = "Raises"
RULES = {
    "memory": (("shares_storage(y, x)", "sees_writes(y, x)"), ("independent(y, x)",)),
    "graph": (("y.grad_fn is not None", 'grad_fn(y) == "…"'), ("y.grad_fn is None", "grad_fn(y) is None")),
    "leaf": (("y.is_leaf",), ("not y.is_leaf",)),
    "object": (("same_object(y, x)", "y is x"), ("not same_object(y, x)", "y is not x")),
}
#: What a condition is about, by the words in it.
AXES = {
    "dtype": r"dtype|floating|complex|integral|boolean|differentiable",
    "layout": r"layout|contiguous|stride|is_conj|is_neg|memory_format",
    "autograd state": r"requires_grad|leaf|state=|grad_fn|retains_grad",
    "device": r"device|is_cuda|\.cuda",
    "size": r"numel|ndim|\bdim\(|size|shape",
}
MOST_LINKS = 6


@dataclass(frozen=True)
class Use:
    """The one statement of a program: what its result is called, and the call as it is written."""

    result: str
    inputs: tuple[str, ...]
    call: str


@dataclass(frozen=True)
class Answer:
    """What a claim says to a question in the releases measured, and whether it is false for some inputs."""

    claim: Claim
    said: frozenset[str]
    in_part: bool


def answers_page(reference: Reference, document: str) -> list[nodes.Node]:
    """Make the table, and say how it was made."""
    rows: list[markup.Row] = []
    for subject, claims in reference.subjects.items():
        if subject.startswith("notes/"):
            continue
        cells: list[list[markup.Inline]] = []
        for question, heading in QUESTIONS.items():
            found = [answer for answer in (answer_of(claim, question, reference.columns) for claim in claims) if answer]
            cells.append(_labelled(heading, _cell(found, document)))
        cells.append(_labelled(RAISES, _raises(claims, reference.columns, document)))
        if any(cells):
            rows.append([[markup.cite("subject", subject, document)], *cells])
    if not rows:
        return [markup.paragraph("No claim that was measured answers any of these questions.", classes=["missing"])]
    head: markup.Row = [["Subject"], *[[heading] for heading in QUESTIONS.values()], [RAISES]]
    return [markup.table(head, rows, "glance", "answers"), *_legend()]


def answer_of(claim: Claim, question: str, columns: Sequence[Column]) -> Optional[Answer]:
    """Say what a claim answers to a question; None where it answers nothing, or nothing was measured."""
    use = use_of(claim)
    if use is None or claim.compare is not None or claim.unspecified:
        return None
    claimed = _told(claim.expectation.expect, question, use)
    if not claimed:
        return None
    said: set[str] = set()
    in_part = False
    for column in columns:
        cell = column.cell(claim)
        if cell.verdict in ("holds", "diverges") and not (cell.verdict == "diverges" and not cell.in_part):
            said |= claimed
            in_part = in_part or cell.in_part
        elif cell.verdict == "diverges":
            for divergence in _applied(cell, claim):
                said |= _told(divergence.instead.expect, question, use)
        elif cell.verdict in ("refuted", "changed"):
            in_part = True
    return Answer(claim, frozenset(said), in_part) if said or in_part else None


def use_of(claim: Claim) -> Optional[Use]:
    """Read a program that is one use of its subject; None for every other program."""
    body = _statements(claim)
    if len(body) != 1:
        return None
    statement = body[0]
    inputs = tuple(name for name, _ in claim.given)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name) and _uses(statement.value, claim.subject, inputs):
            return Use(target.id, inputs, ast.unparse(statement.value))
    if isinstance(statement, ast.Expr) and claim.subject.endswith("_") and not claim.subject.endswith("__"):
        # A method that works in place: its tensor is its result.
        value = statement.value
        if _uses(value, claim.subject, inputs) and isinstance(value, ast.Call):
            receiver = value.func.value if isinstance(value.func, ast.Attribute) else None
            if isinstance(receiver, ast.Name):
                return Use(receiver.id, (), ast.unparse(value))
    return None


def _statements(claim: Claim) -> list[ast.stmt]:
    try:
        return ast.parse(claim.do.text).body if claim.do else []
    except (SyntaxError, ValueError):
        return []


def _uses(value: ast.expr, subject: str, receivers: Optional[Sequence[str]] = None) -> bool:
    """Whether an expression uses a subject: calls it by its name, or as a method of one of the receivers."""
    function = value.func if isinstance(value, ast.Call) else value
    if not isinstance(function, ast.Attribute):
        return False
    owner, _, name = subject.rpartition(".")
    if owner == "torch.Tensor" and isinstance(function.value, ast.Name):
        return function.attr == name and (receivers is None or function.value.id in receivers)
    return isinstance(value, ast.Call) and ast.unparse(function) == subject


def _told(expressions: Sequence[Fragment], question: str, use: Use) -> set[str]:
    return {said for one in expressions for said in (_reading(one.text, question, use),) if said}


def _reading(text: str, question: str, use: Use) -> str:
    """Read an expression as ``yes`` or ``no``; empty where it is no answer to the question."""
    y = re.escape(use.result)
    x = f"(?:{'|'.join(map(re.escape, use.inputs))})" if use.inputs else r"(?!)"
    pair = rf"\((?:{y}, {x}|{x}, {y})\)"
    patterns = {
        "memory": (rf"(?:shares_storage|sees_writes){pair}", rf"independent{pair}|not shares_storage{pair}"),
        "graph": (
            rf"{y}\.grad_fn is not None|grad_fn\({y}\) (?:is not None|== [\"'].+[\"'])",
            rf"{y}\.grad_fn is None|grad_fn\({y}\) is None",
        ),
        "leaf": (rf"{y}\.is_leaf", rf"not {y}\.is_leaf"),
        "object": (rf"same_object{pair}|{y} is {x}", rf"not same_object{pair}|{y} is not {x}"),
    }
    found = dict(zip(("yes", "no"), patterns[question]))
    return next((word for word, pattern in found.items() if re.fullmatch(pattern, text.strip())), "")


def _applied(cell: Cell, claim: Claim) -> list[Divergence]:
    seen = cell.get("divergence")
    if not isinstance(seen, list):
        return list(claim.diverges) if len(claim.diverges) == 1 else []
    return [claim.diverges[number] for number in seen if isinstance(number, int) and number < len(claim.diverges)]


def _cell(found: Sequence[Answer], document: str) -> list[markup.Inline]:
    if not found:
        return []
    numbers = {answer.claim.id: number for number, answer in enumerate(found, 1)}
    words = {word for answer in found for word in answer.said}
    false = [answer for answer in found if answer.in_part]
    if len(words) == 1 and not false:
        whole = any(is_unconditional(answer.claim) for answer in found)
        note: list[markup.Inline] = [] if whole else [" ", markup.span("for the inputs of", "note")]
        links = _links([answer.claim for answer in found], numbers, document)
        return [nodes.strong("", words.pop()), *note, " ", *links]
    axes = _axes(found, agree=len(words) < 2)
    parts: list[markup.Inline] = [nodes.strong("", "depends"), f" on {', '.join(axes)}: " if axes else ": "]
    listed = {word: [answer.claim for answer in found if word in answer.said] for word in ("yes", "no")}
    listed["false for some inputs of"] = [answer.claim for answer in false]
    for word, claims in listed.items():
        if claims:
            parts += ["; "] if len(parts) > 2 else []
            parts += [f"{word} ", *_links(claims, numbers, document)]
    return parts


def is_unconditional(claim: Claim) -> bool:
    """Whether a claim is about every tensor and a call without further arguments."""
    use = use_of(claim)
    names = [name for name, _ in claim.given]
    bare = use is not None and not re.search(r"=|\d|\"|'", use.call) and len(names) == 1
    return bare and not claim.assume and all(given.text.strip() == "tensor()" for _, given in claim.given)


def _axes(found: Sequence[Answer], *, agree: bool) -> list[str]:
    """Name what the conditions of claims speak of where these answer differently, or are false for some inputs."""
    axes = ["the release"] if any(len(answer.said) > 1 for answer in found) else []
    texts: list[str] = []
    for claim in [answer.claim for answer in found if answer.in_part or not agree]:
        texts += [divergence.where.text for divergence in claim.diverges if divergence.where is not None]
        if not agree:
            texts += [given.text for _, given in claim.given] + [condition.text for condition in claim.assume]
            texts += [f"device={claim.applies.device}"] if claim.applies.device else []
    axes += [axis for axis, pattern in AXES.items() if any(re.search(pattern, text) for text in texts)]
    calls = {use.call for use in (use_of(answer.claim) for answer in found) if use is not None}
    return [*axes, *(["the arguments"] if len(calls) > 1 and not agree else [])]


def _raises(claims: Sequence[Claim], columns: Sequence[Column], document: str) -> list[markup.Inline]:
    """Name the classes of errors that were observed, each with the claims and, where it changed, the releases."""
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        for told in _classes(claim, columns):
            found.setdefault(told, []).append(claim)
    numbers: dict[str, int] = {}
    for claim in [claim for members in found.values() for claim in members]:
        numbers.setdefault(claim.id, len(numbers) + 1)
    parts: list[markup.Inline] = []
    for told, members in found.items():
        parts += ["; "] if parts else []
        name, _, where = told.partition(" ")
        parts += [markup.code(name), f" {where} " if where else " ", *_links(members, numbers, document)]
    return parts


def _classes(claim: Claim, columns: Sequence[Column]) -> Iterator[str]:
    body = _statements(claim)
    if claim.expectation.raises is None or not body:
        return
    last = body[-1]
    if not isinstance(last, (ast.Assign, ast.Expr)) or not _uses(last.value, claim.subject):
        return
    seen: list[tuple[str, Optional[str]]] = []
    for column in columns:
        cell = column.cell(claim)
        facts = cell.get("facts")
        raised = facts.get("raises") if isinstance(facts, Mapping) else None
        holds = cell.verdict == "holds" or cell.in_part
        name = str(raised[0]) if holds and isinstance(raised, list) and raised else None
        seen.append((column.torch, name if name and name.isidentifier() else None))
    told = in_ranges(seen)
    for name, where in told.items():
        yield name if len(told) == 1 else f"{name} {where}"


def _links(claims: Sequence[Claim], numbers: Mapping[str, int], document: str) -> list[markup.Inline]:
    parts: list[markup.Inline] = []
    for claim in claims[:MOST_LINKS]:
        parts += [" "] if parts else []
        number = nodes.inline("", "", nodes.Text(f"[{numbers[claim.id]}]"))
        parts.append(markup.cite("claim", claim.id, document, number))
    if len(claims) > MOST_LINKS:
        parts.append(f" and {len(claims) - MOST_LINKS} more")
    return parts


def _labelled(heading: str, parts: list[markup.Inline]) -> list[markup.Inline]:
    return [markup.span(f"{heading} ", "narrow-only"), *parts] if parts else []


def _legend() -> list[nodes.Node]:
    rows: list[markup.Row] = []
    for question, heading in QUESTIONS.items():
        cells: list[list[markup.Inline]] = []
        for expressions in RULES[question]:
            parts: list[markup.Inline] = []
            for expression in expressions:
                parts += [", "] if parts else []
                parts.append(markup.code(expression))
            cells.append(parts)
        rows.append([[heading], *cells])
    return [
        nodes.rubric("", "How it was made"),
        markup.paragraph(
            "A claim answers where its program is one use of its subject on an input, such as `y = x.detach()`, and an "
            "expression that must hold is one of these. Where a release shows the claim to be false, the expressions "
            "of the recorded divergence answer in its place. An empty cell means that no claim asks."
        ),
        markup.table([["Question"], ["Yes"], ["No"]], rows, "rules"),
        markup.paragraph(
            "“For the inputs of” means that the claims have conditions: they say nothing about other inputs. “Depends” "
            "means that claims or releases answer differently, or that a claim is false for some inputs. What it "
            "depends on is taken from the words of their conditions; the claims say exactly how. Errors are the "
            "classes that were seen, where the claim that an error comes holds."
        ),
    ]
