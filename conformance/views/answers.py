"""One row for each subject: whether it shares memory, keeps the graph, gives a leaf or the same object, and raises.

Nothing is inferred. A claim answers a question where its program is one use of its subject, and one of its expressions
is the answer itself. A claim that a release shows to be false answers with what its recorded divergence says instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Optional

from conformance.language.model import Claim, Fragment
from conformance.views.content import Content
from conformance.views.pieces import Piece, Target, Text, code, linked, text_of, words
from conformance.views.recorded import Cell
from conformance.views.releases import in_ranges

Question = Literal["memory", "graph", "leaf", "object"]
#: A claim in every environment.
Known = tuple[Claim, Sequence[Cell]]

QUESTIONS: dict[Question, str] = {
    "memory": "Shares memory?",
    "graph": "Keeps the graph?",
    "leaf": "A leaf?",
    "object": "Same object?",
}
RAISES = "Raises"
#: The expressions that answer yes and no; as patterns, with the names of the result and of an input.
RULES: dict[Question, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "memory": (("shares_storage(y, x)", "sees_writes(y, x)"), ("independent(y, x)",)),
    "graph": (("y.grad_fn is not None", 'grad_fn(y) == "…"'), ("y.grad_fn is None", "grad_fn(y) is None")),
    "leaf": (("y.is_leaf",), ("not y.is_leaf",)),
    "object": (("same_object(y, x)", "y is x"), ("not same_object(y, x)", "y is not x")),
}
#: What a condition is about, by the words in it.
_AXES = {
    "dtype": r"dtype|floating|complex|integral|boolean|differentiable",
    "layout": r"layout|without=|contiguous|stride|is_conj|is_neg|memory_format",
    "autograd state": r"requires_grad|leaf|state=|tensor.*writable=|grad_fn|retains_grad",
    "device": r"device|is_cuda|\.cuda",
    "size": r"numel|ndim|\bdim\(|size|shape",
}
_MOST_LINKS = 6


@dataclass(frozen=True)
class Use:
    """The one statement of a program: what its result is called, and the call as it is written."""

    result: str
    inputs: tuple[str, ...]
    call: str


@dataclass(frozen=True)
class ClaimAnswer:
    """What a claim says to a question in the releases measured, and whether it is false for some inputs."""

    claim: Claim
    said: frozenset[str]
    in_part: bool


@dataclass(frozen=True)
class AnswerCell:
    """The answer to one question: a word, and what stands behind it."""

    question: str
    word: str
    more: Text


@dataclass(frozen=True)
class AnswerRow:
    """A subject with its answers; `None` where no claim asks."""

    subject: Text
    cells: tuple[Optional[AnswerCell], ...]


def answer_rows(content: Content) -> tuple[AnswerRow, ...]:
    """Return the answers of every subject that has some."""
    rows = []
    for subject, claims in content.subjects.items():
        if subject.startswith("notes/"):
            continue
        known = [(claim, content.cells(claim)) for claim in claims]
        cells = [_cell(question, known) for question in QUESTIONS]
        cells.append(_raises(known))
        if any(cells):
            rows.append(AnswerRow(linked(f"`{subject}`", "subject", subject), tuple(cells)))
    return tuple(rows)


def answer_of(claim: Claim, question: Question, cells: Sequence[Cell]) -> Optional[ClaimAnswer]:
    """Return what a claim answers to a question; `None` where it answers nothing, or nothing was measured."""
    use = use_of(claim)
    if use is None or claim.is_timed or claim.unspecified:
        return None
    claimed = _said(claim.expectation.expect, question, use)
    if not claimed:
        return None
    said: set[str] = set()
    in_part = False
    for cell in cells:
        if cell.verdict == "holds" or cell.in_part:
            said |= claimed
            in_part = in_part or cell.in_part
        elif cell.verdict == "diverges":
            for divergence in cell.divergences:
                said |= _said(divergence.instead.expect, question, use)
        elif cell.verdict in ("refuted", "diverges-differently"):
            in_part = True
    return ClaimAnswer(claim, frozenset(said), in_part) if said or in_part else None


def use_of(claim: Claim) -> Optional[Use]:
    """Read a program that is one use of its subject; `None` for every other program."""
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


def is_unconditional(claim: Claim) -> bool:
    """Return whether a claim is about every tensor and a call without further arguments."""
    use = use_of(claim)
    bare = use is not None and not re.search(r"=|\d|\"|'", use.call) and len(claim.given) == 1
    return bare and not claim.assume and all(given.text.strip() == "tensor()" for _, given in claim.given)


def _statements(claim: Claim) -> list[ast.stmt]:
    return _parsed(claim.do.text) if claim.do else []


@cache  # each question asks anew
def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError):
        return []


def _uses(value: ast.expr, subject: str, receivers: Optional[Sequence[str]] = None) -> bool:
    """Return whether an expression uses a subject: calls it by its name, or as a method of one of the receivers."""
    function = value.func if isinstance(value, ast.Call) else value
    if not isinstance(function, ast.Attribute):
        return False
    owner, _, name = subject.rpartition(".")
    if owner == "torch.Tensor" and isinstance(function.value, ast.Name):
        return function.attr == name and (receivers is None or function.value.id in receivers)
    return isinstance(value, ast.Call) and ast.unparse(function) == subject


def _said(expressions: Sequence[Fragment], question: Question, use: Use) -> set[str]:
    return {said for one in expressions for said in (_reading(one.text, question, use),) if said}


def _reading(text: str, question: Question, use: Use) -> str:
    """Read an expression as ``yes`` or ``no``; empty where it is no answer to the question."""
    y = re.escape(use.result)
    x = f"(?:{'|'.join(map(re.escape, use.inputs))})" if use.inputs else r"(?!)"
    pair = rf"\((?:{y}, {x}|{x}, {y})\)"
    patterns: dict[Question, tuple[str, str]] = {
        "memory": (rf"(?:shares_storage|sees_writes){pair}", rf"independent{pair}|not shares_storage{pair}"),
        "graph": (
            rf"{y}\.grad_fn is not None|grad_fn\({y}\) (?:is not None|== [\"'].+[\"'])",
            rf"{y}\.grad_fn is None|grad_fn\({y}\) is None",
        ),
        "leaf": (rf"{y}\.is_leaf", rf"not {y}\.is_leaf"),
        "object": (rf"same_object{pair}|{y} is {x}", rf"not same_object{pair}|{y} is not {x}"),
    }
    found = zip(("yes", "no"), patterns[question])
    return next((word for word, pattern in found if re.fullmatch(pattern, text.strip())), "")


def _cell(question: Question, known: Sequence[Known]) -> Optional[AnswerCell]:
    found = [answer for claim, cells in known if (answer := answer_of(claim, question, cells))]
    if not found:
        return None
    numbers = {answer.claim.id: number for number, answer in enumerate(found, 1)}
    said = {word for answer in found for word in answer.said}
    false = [answer.claim for answer in found if answer.in_part]
    if len(said) == 1 and not false:
        whole = any(is_unconditional(answer.claim) for answer in found)
        note = "" if whole else "for the inputs of "
        return AnswerCell(QUESTIONS[question], said.pop(), text_of(note, _links([one.claim for one in found], numbers)))
    axes = _axes(found, agree=len(said) < 2)
    listed = {word: [answer.claim for answer in found if word in answer.said] for word in ("yes", "no")}
    listed["false for some inputs of"] = false
    parts: list[Text] = [words(f"on {', '.join(axes)}: ")] if axes else []
    separator = ""
    for word, members in listed.items():
        if members:
            parts.append(text_of(f"{separator}{word} ", _links(members, numbers)))
            separator = "; "
    return AnswerCell(QUESTIONS[question], "depends", text_of(*parts))


def _axes(found: Sequence[ClaimAnswer], *, agree: bool) -> list[str]:
    """Name what the conditions of claims speak of where these answer differently, or are false for some inputs."""
    axes = ["the release"] if any(len(answer.said) > 1 for answer in found) else []
    texts: list[str] = []
    for claim in [answer.claim for answer in found if answer.in_part or not agree]:
        texts += [divergence.where.text for divergence in claim.diverges if divergence.where is not None]
        if not agree:
            texts += [given.text for _, given in claim.given] + [condition.text for condition in claim.assume]
            texts += [f"device={claim.applies.device}"] if claim.applies.device else []
    axes += [axis for axis, pattern in _AXES.items() if any(re.search(pattern, text) for text in texts)]
    calls = {use.call for use in (use_of(answer.claim) for answer in found) if use is not None}
    return [*axes, *(["the arguments"] if len(calls) > 1 and not agree else [])]


def _raises(known: Sequence[Known]) -> Optional[AnswerCell]:
    """Name the classes of errors that were observed, each with the claims and, where it changed, the releases."""
    found: dict[tuple[str, str], list[Claim]] = {}
    for claim, cells in known:
        for name, where in _classes(claim, cells):
            found.setdefault((name, where), []).append(claim)
    numbers: dict[str, int] = {}
    for claim in [claim for members in found.values() for claim in members]:
        numbers.setdefault(claim.id, len(numbers) + 1)
    parts: list[Text] = []
    for (name, where), members in found.items():
        told = text_of(code(name), f" {where} " if where else " ", _links(members, numbers))
        parts.append(text_of("; ", told) if parts else told)
    return AnswerCell(RAISES, "", text_of(*parts)) if parts else None


def _classes(claim: Claim, cells: Sequence[Cell]) -> Iterator[tuple[str, str]]:
    body = _statements(claim)
    if claim.expectation.raises is None or not body:
        return
    last = body[-1]
    if not isinstance(last, (ast.Assign, ast.Expr)) or not _uses(last.value, claim.subject):
        return
    told = in_ranges([(cell.release, _error(cell)) for cell in cells])
    for name, where in told.items():
        yield name, where if len(told) > 1 else ""


def _error(cell: Cell) -> Optional[str]:
    seen = cell.verdict in ("holds", "unspecified") or cell.in_part
    if cell.entry is None or cell.entry.facts is None or not seen:
        return None
    raised = cell.entry.facts.raises
    return raised.type if raised is not None and raised.type.isidentifier() else None


def _links(claims: Sequence[Claim], numbers: Mapping[str, int]) -> Text:
    pieces: list[Piece] = []
    for claim in claims[:_MOST_LINKS]:
        pieces += [Piece(" ")] if pieces else []
        pieces.append(Piece(f"[{numbers[claim.id]}]", target=Target("claim", claim.id)))
    left = len(claims) - _MOST_LINKS
    return (*pieces, Piece(f" and {left} more")) if left > 0 else tuple(pieces)
