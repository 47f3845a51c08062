"""One row for each name with an answer: what its plainest call did with memory, gradient and errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional

from conformance.lab.views.call_cells import NO_TENSOR, has_tensor, leaf, memory_on, same_object, unseen
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import Text, linked
from conformance.results.trials.model import Group, NameTrials, Trials
from conformance.results.wording import is_about_machine
from conformance.show.trials import differing

HEAD = ("Name and call", "Answer", "Memory", "Same object", "Gradient", "Leaf", "Raises")
_NOT_TRIED = "not tried"


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
    cells = (_memory(call), same_object(call), _gradient(call), _leaf(call)) if call.returns else ("raises",) * 4
    return call.text, (*cells, _raises(tried))


def _memory(call: Trials) -> str:
    """Return what shares memory on the base input, and on other inputs where that differs."""
    return ", or ".join(memory_on((call.base, *differing(call)))) or unseen(call)


def _gradient(call: Trials) -> str:
    """Return where the gradient flows: on the base input, or where that does not require grad, on the non-leaf."""
    if not has_tensor(call):
        return NO_TENSOR
    for group in _with_gradients(call):
        gradients = [f"{fact.value} to {fact.input}" for fact in group.facts if fact.aspect == "gradient"]
        if gradients:
            return ", ".join(gradients)
    return "requires grad" if call.base.value("requires grad") == "yes" else "no gradient"


def _leaf(call: Trials) -> str:
    """Return whether the result is a leaf, on the inputs whose gradient is shown."""
    return next((value for group in _with_gradients(call) if (value := group.value("leaf"))), leaf(call))


def _with_gradients(call: Trials) -> tuple[Group, ...]:
    return (call.base, *(group for group in call.other if "non-leaf" in group.inputs))


def _raises(tried: NameTrials) -> str:
    """Return the classes of errors of calls that are wrong, then those of other inputs."""
    wrong = [call.base for call in tried.wrong]
    others = [group for call in tried.usual for group in differing(call)]
    return ", ".join(_classes(wrong) or _classes(others)) or "nothing that was tried"


def _classes(groups: Iterable[Group]) -> list[str]:
    errors = [group.value("error") for group in groups if not is_about_machine(group.error)]
    return list(dict.fromkeys(filter(None, errors)))
