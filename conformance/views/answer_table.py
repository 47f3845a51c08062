"""One row for each name with an answer: what its plainest call did with memory, gradient and errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional

from conformance.results.wording import is_about_machine
from conformance.trials.model import Group, NameTrials, Trials
from conformance.views.content import Content
from conformance.views.pieces import Text, linked
from conformance.views.trials import differing

HEAD = ("Name and call", "Answer", "Memory", "Same object", "Gradient", "Leaf", "Raises")
_NOT_TRIED = "not tried"
_NO_TENSOR = "no tensor"
_NO_INPUT = "no input"
_NOT_COMPARABLE = "cannot be compared"
_MEMORY = {
    "same object": "{0} itself",
    "view": "view of {0}",
    "shares storage": "shared with {0}",
    "own memory": "own",
}


@dataclass(frozen=True)
class AnswerRow:
    """A name: its plainest call, a cell for each property, and the first line of its answer."""

    name: Text
    call: str
    cells: tuple[str, ...]
    says: str


def answer_rows(content: Content) -> tuple[AnswerRow, ...]:
    """Return a row for every name with an answer; concepts have none."""
    return tuple(
        AnswerRow(linked(f"`{name}`", "subject", name), *_measured(content.trials.of(name)), answer.lines[0].says)
        for name, answer in sorted(content.answers.items(), key=lambda item: item[0].lower())
        if "/" not in name
    )


def _measured(tried: Optional[NameTrials]) -> tuple[str, tuple[str, ...]]:
    """Return the plainest call and its cells; each says why where nothing is known."""
    if tried is None:
        return _NOT_TRIED, (_NOT_TRIED,) * 5
    call = next(iter(tried))
    cells = (_memory(call), _same_object(call), _gradient(call), _leaf(call)) if call.returns else ("raises",) * 4
    return call.text, (*cells, _raises(tried))


def _memory(call: Trials) -> str:
    """Return what shares memory on the base input, and on other inputs where that differs."""
    found: dict[str, None] = {}
    for group in (call.base, *differing(call)):
        shared = [fact for fact in group.facts if fact.aspect == "memory" and fact.value != "own memory"]
        own = [fact for fact in group.facts if fact.aspect == "memory" and fact.value == "own memory"]
        for fact in shared or own[:1]:
            found[_MEMORY.get(fact.value, fact.value).format(fact.input)] = None
    return ", or ".join(found) or _without_memory(call)


def _same_object(call: Trials) -> str:
    memory = [fact.value for fact in call.base.facts if fact.aspect == "memory"]
    return _without_memory(call) if not memory else "yes" if "same object" in memory else "no"


def _without_memory(call: Trials) -> str:
    if not _returns_tensor(call):
        return _NO_TENSOR
    return _NOT_COMPARABLE if call.given.keys() - {"out"} else _NO_INPUT


def _gradient(call: Trials) -> str:
    """Return where the gradient flows: on the base input, or where that does not require grad, on the non-leaf."""
    if not _returns_tensor(call):
        return _NO_TENSOR
    for group in _with_gradients(call):
        gradients = [f"{fact.value} to {fact.input}" for fact in group.facts if fact.aspect == "gradient"]
        if gradients:
            return ", ".join(gradients)
    return "requires grad" if call.base.value("requires grad") == "yes" else "no gradient"


def _leaf(call: Trials) -> str:
    """Return whether the result is a leaf, on the inputs whose gradient is shown."""
    if not _returns_tensor(call):
        return _NO_TENSOR
    # By torch's convention every tensor that does not require grad is one.
    return next((leaf for group in _with_gradients(call) if (leaf := group.value("leaf"))), "yes")


def _with_gradients(call: Trials) -> tuple[Group, ...]:
    return (call.base, *(group for group in call.other if "non-leaf" in group.inputs))


def _returns_tensor(call: Trials) -> bool:
    return "Tensor" in call.base.value("type")


def _raises(tried: NameTrials) -> str:
    """Return the classes of errors of calls that are wrong, then those of other inputs."""
    wrong = [call.base for call in tried.wrong]
    others = [group for call in tried.usual for group in differing(call)]
    return ", ".join(_classes(wrong) or _classes(others)) or "nothing that was tried"


def _classes(groups: Iterable[Group]) -> list[str]:
    errors = [group.value("error") for group in groups if not is_about_machine(group.error)]
    return list(dict.fromkeys(filter(None, errors)))
