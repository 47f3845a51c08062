"""Entries from profiles: calls in somebody's code that do something else in the new release."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Optional

from conformance.cache import Kept
from conformance.names.replacements import written_instead
from conformance.profiles.compare import VALUE, Difference
from conformance.profiles.words import news_in_words, outcome_in_words
from conformance.text import bounded
from conformance.upgrade.code_uses import CodeUses, best, under_doubts
from conformance.upgrade.model import ReportEntry, places_of
from conformance.upgrade.severity import SEVERITIES, Severity, rank
from conformance.usage import Call, Evidence, Kind, TorchName, Use, UseGroup
from conformance.usage.matching import Match
from conformance.usage.rules import canonical
from conformance.usage.snippets import read_snippet
from conformance.views.calls import CallChange, CallHistory

_LONGEST, _MOST_NOTES = 200, 3
#: Values that code must pass to make the same call; numbers may differ.
_FIXED = (bool, str, type(None), TorchName)
#: The kind of an entry, by the aspect that differs; "value" for others.
_KINDS = {
    "error": "error",
    "warning": "warning",
    "memory": "shares",
    "writes": "shares",
    "autograd": "requires-grad",
    "gradient": "history",
    "dtype": "dtype",
    "type": "dtype",
}
#: What little code looks at.
_RARELY_SEEN = frozenset(("bits", "version", "input autograd"))
#: What arguments made in the measured call itself may well do in other code, too.
_OF_ARGUMENTS = frozenset(("error", "warning"))
#: Arguments that code like the user's can't be compared with.
_ODD = (ast.Set, ast.Dict, ast.Lambda, ast.ListComp, ast.Starred)
#: Inputs that most code has; a condition that holds for one of them is likely met.
_TYPICAL = tuple(
    {"dtype": "float32", "layout": "contiguous", "size": "2-d", "state": state}
    for state in ("plain", "leaf", "nonleaf")
)


@dataclass(frozen=True)
class _Program:
    """What is measured: the call of the name in a program.

    Parameters
    ----------
    call
        Its arguments; None where the name is only read, as an attribute is.
    is_function
        Whether it is one of a function of a module, not of a method.
    is_plain
        Whether it is made of inputs and literals alone, so that nothing else decides what happens.
    """

    call: Optional[Call]
    is_function: bool
    is_plain: bool


def compare_calls(
    uses: CodeUses,
    history: CallHistory,
    old: str,
    new: str,
    kept: Optional[Kept] = None,
    dated: Container[Severity] = SEVERITIES,
) -> list[ReportEntry]:
    """Return what calls in somebody's code do otherwise in the new release: one entry for a name and a harm.

    Parameters
    ----------
    kept
        What was found before, of the same files.
    dated
        For which harms the steps between the releases are looked up; others only came between the two.
    """
    found: dict[tuple[str, Severity], list[_Told]] = {}
    kept = kept or Kept()
    for name in sorted(uses.subjects.intersection(kept.of(("calls of", old), partial(history.names_in, old)))):
        for number, change in enumerate(kept.of(("ends", name), partial(history.ends, name, old, new))):
            given = tuple(change.given.items())
            program = kept.of(("program", name, change.call, given), partial(_read, name, change.call, given))
            told = _told(uses, change, program) if program is not None else None
            if told is not None:
                if told.severity in dated:
                    steps = kept.of(("dated", name, number), partial(history.dated, change, old, new))
                    told = replace(told, change=steps)
                found.setdefault((name, told.severity), []).append(told)
    return [_entry(name, severity, told) for (name, severity), told in found.items()]


#: Inputs over the whole domain.
_WHOLE = frozenset(("tensor()", "tensor_like(x)"))


@dataclass(frozen=True)
class _Told:
    """A change of a call, with the places that make it."""

    change: CallChange
    severity: Severity
    places: Mapping[int, tuple[UseGroup, Evidence]]

    @property
    def words(self) -> str:
        return news_in_words(self.change.change, self.change.worst)

    def order(self) -> tuple[int, int]:
        """Return the key that sorts changes: the surest and the one that reaches furthest first."""
        sure = max(evidence for _, evidence in self.places.values())
        return -sure, ("everywhere", "ordinary", "corner", "unknown").index(self.change.worst.reach)


def _told(uses: CodeUses, change: CallChange, program: _Program) -> Optional[_Told]:
    if not (program.is_plain or change.change.aspect in _OF_ARGUMENTS):
        return None
    sure = _evidence(change, program)
    places: dict[int, tuple[UseGroup, Evidence]] = {}
    for group, name in uses.of(change.name):
        use = group.use
        match = _match(uses, program, use, name)
        doubts = (match is Match.UNKNOWN, use.evidence is Evidence.MAYBE, sure is Evidence.MAYBE, use.guarded)
        evidence = under_doubts(doubts, sure, use.evidence) if match is not Match.NO else None
        if evidence is not None:
            _, known = places.get(id(group), (group, Evidence.MAYBE))
            places[id(group)] = group, max(evidence, known)
    aspect, severity = change.change.aspect, change.severity
    is_rare = aspect in _RARELY_SEEN or (aspect in ("autograd", "gradient") and not _is_typical(change.worst))
    if is_rare and rank(severity) < rank("corner"):
        severity = "corner"
    return _Told(change, severity, places) if places else None


def _match(uses: CodeUses, program: _Program, use: Use, name: str) -> Match:
    used = use.call
    if program.call is None or used is None:
        return Match.YES if program.call is used else Match.NO
    if use.kind is Kind.PASSED:
        return Match.UNKNOWN
    if used.more_positional or used.more_keywords:
        return Match.NO  # What else is passed decides.
    return best([uses.same(program.call, program.is_function, used, name, fixed=_FIXED)])


def _evidence(change: CallChange, program: _Program) -> Evidence:
    """Return how sure it can be that inputs are like those of a call; the source does not tell them."""
    worst = change.worst
    if not (program.is_plain and _is_typical(worst)):
        return Evidence.MAYBE
    # A call without arguments is always the same, and one of any tensor is like that of any other.
    is_whole = program.call == Call() if not change.given else set(change.given.values()) <= _WHOLE
    everywhere = worst.reach == "everywhere" and is_whole and change.change.aspect != VALUE
    return Evidence.CERTAIN if everywhere else Evidence.LIKELY


def _is_typical(difference: Difference) -> bool:
    """Return whether a difference concerns an input that most code has."""
    branches = (*difference.where, *difference.unless)
    if not branches:
        return difference.reach == "everywhere" or bool(difference.example)
    axes = {(condition.input, condition.axis) for branch in branches for condition in branch.conditions}
    for values in _TYPICAL:
        example = {(name, axis): values.get(axis, "") for name, axis in axes}
        if difference.where and any(branch.holds(example) for branch in difference.where):
            return True
        if difference.unless and not any(branch.holds(example) for branch in difference.unless):
            return True
    return False


def _read(name: str, text: str, given: tuple[tuple[str, str], ...]) -> Optional[_Program]:
    """Return the call that gives what was looked at; None where it is of another name, or of odd arguments."""
    nodes = list(ast.walk(ast.parse(text).body[-1]))
    last = name.rpartition(".")[2]
    if any(isinstance(node, _ODD) for node in nodes) or _looked_through(nodes[0], last):
        return None
    tensors = [input for input, kind in given if kind.startswith("tensor")]
    uses = read_snippet(text, tensors, [input for input, _ in given if input not in tensors])
    names = {name, name.replace("torch.Tensor.", "torch.")}
    if not uses or not names.intersection([*uses[-1].names, *map(canonical, uses[-1].names)]):
        return None
    made = sum(isinstance(node, (ast.Call, ast.BinOp, ast.Compare, ast.Subscript)) for node in nodes)
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    is_plain = made <= 1 and read <= {"torch", *(input for input, _ in given)}
    return _Program(uses[-1].call, not uses[-1].names[0].startswith("torch.Tensor."), is_plain)


def _looked_through(statement: ast.AST, last: str) -> bool:
    """Return whether a function of Python's own, such as `repr`, comes between a call and what was looked at."""
    value = getattr(statement, "value", None)
    outer = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else last
    return outer != last and not last.startswith("__")


def compared_names(
    uses: CodeUses, history: CallHistory, old: str, new: str, kept: Optional[Kept] = None
) -> frozenset[str]:
    """Return the names in somebody's code of which calls were measured in both releases."""
    kept = kept or Kept()
    known = uses.subjects.intersection(
        *(kept.of(("calls of", end), partial(history.names_in, end)) for end in (old, new))
    )
    return frozenset(name for name in known if kept.of(("compared", name), partial(history.compared, name, old, new)))


def _entry(name: str, severity: Severity, told: Sequence[_Told]) -> ReportEntry:
    first, *others = sorted(told, key=_Told.order)
    aspect, worst = first.change.change, first.change.worst
    places: dict[int, tuple[UseGroup, Evidence]] = {}
    for one in told:
        for key, (group, evidence) in one.places.items():
            _, known = places.get(key, (group, Evidence.MAYBE))
            places[key] = group, max(evidence, known)
    before, after = (
        bounded(outcome_in_words(aspect.aspect, aspect.of, seen.outcome, seen.message), _LONGEST)
        for seen in (worst.before, worst.after)
    )
    notes = [f"{one.change.call}: {bounded(one.words, _LONGEST)}" for one in others if one.words != first.words]
    what = f"{name}: {bounded(first.words, _LONGEST)}"
    return ReportEntry(
        f"{name}:{severity}",
        severity,
        _KINDS.get(aspect.aspect, "value"),
        what,
        before,
        after,
        "since " + ", then ".join(step.since() for step in first.change.when),
        script=_script(first.change.call, worst.example),
        notes=(f"measured as {first.change.call}", *tuple(dict.fromkeys(notes))[:_MOST_NOTES]),
        instead=written_instead(name) if aspect.aspect == "warning" else "",
        subject=name,
        places=places_of(places.values()),
    )


def _script(call: str, example: Mapping[str, str]) -> str:
    """Return a program that prints a result on the inputs on which it differs; nothing where none are known."""
    return "\n".join(_lines(call, example)) if example else ""


def _lines(call: str, example: Mapping[str, str]) -> Iterator[str]:
    yield "import torch"
    for name, recipe in example.items():
        yield f"{name} = {recipe}"
    *before, last = ast.parse(call).body
    yield from map(ast.unparse, before)
    target = (
        last.targets[0] if isinstance(last, ast.Assign) else last.target if isinstance(last, ast.AugAssign) else None
    )
    if target is not None:
        yield ast.unparse(last)
    shown = target if target is not None else last.value if isinstance(last, ast.Expr) else None
    yield ast.unparse(last) if shown is None else f"print({ast.unparse(shown)})"
