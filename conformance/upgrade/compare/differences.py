"""Claims and calls of which two records say something else."""

from __future__ import annotations

import builtins
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional

from conformance.base.text import bounded, one_line
from conformance.language.model import Claim
from conformance.results.facts import signal_in_words
from conformance.results.model import Environment
from conformance.results.recorded import Cell, Measured
from conformance.results.trials.model import Difference, Fact, Trials
from conformance.results.trials.recorded import RecordedTrials, differences_of
from conformance.results.verdicts import standing
from conformance.run.scripts.observation import name_script, observing_script
from conformance.run.scripts.placement import on_device, placed_text
from conformance.show.trials import in_words
from conformance.upgrade.compare.aspects import Aspect, aspects, same
from conformance.upgrade.harm import Harm, rank

_LONGEST = 400
_MOST_INPUTS = 6
#: What differs between two environments beside torch.
_OTHERS = {
    "python": "Python",
    "numpy": "NumPy",
    "system": "the system",
    "machine": "the machine",
    "build": "the build of torch",
}


class Part(NamedTuple):
    """One thing that differs: what was before, and what is after."""

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class RecordDifference:
    """A claim, or a call of torch, of which two records say something else.

    Attributes
    ----------
    id
        The id of the claim; for a call its name and code.
    title
        What was promised; for a call on which inputs it differs.
    script
        Prints or asserts what differs; empty for a call that did the same on the plain input.
    is_ordinary
        Whether it differs on an input that much code has.
    raised
        Whether it raised before.
    """

    harm: Harm
    subject: str
    id: str
    title: str
    parts: tuple[Part, ...]
    script: str = ""
    is_claim: bool = True
    is_ordinary: bool = True
    raised: bool = False


def claim_differences(
    claims: Iterable[Claim], old: Measured, new: Measured
) -> tuple[tuple[RecordDifference, ...], Mapping[str, str]]:
    """Return the claims that two records judge or observe otherwise, the worst first, and why others can't be compared.

    A claim that one of the two excludes by its own conditions is not compared.
    """
    found: list[RecordDifference] = []
    gaps: dict[str, str] = {}
    for claim in claims:
        before, after = old.cell(claim), new.cell(claim)
        gap = next((f"{_where(cell, old, new)}: {reason}" for cell in (before, after) if (reason := _gap(cell))), "")
        if gap:
            gaps[claim.id] = gap
        elif before.entry is not after.entry and (one := _of_claim(claim, before, after)) is not None:
            found.append(one)
    return tuple(sorted(found, key=_order)), gaps


def trial_differences(
    old: RecordedTrials, old_release: str, new: RecordedTrials, new_release: str, device: str = "cpu"
) -> tuple[RecordDifference, ...]:
    """Return the calls that did something else on the same inputs, the worst first.

    Parameters
    ----------
    device
        Where scripts show it.
    """
    found: list[RecordDifference] = []
    for name in sorted({*old.names} & {*new.names}):
        if old is new:
            differences: Sequence[Difference] = old.differences(name, old_release, new_release)
        else:
            pairs = _same_calls(old.of(name, old_release), new.of(name, new_release))
            differences = [one for pair in pairs for one in differences_of(name, *pair, old_release, new_release)]
        # On another base input nothing can be compared.
        same_input = (one for one in differences if not one.concerns("base input") and not one.is_wording)
        found += (_of_call(one, device) for one in same_input)
    return tuple(sorted(found, key=_order))


def other_differences(old: Environment, new: Environment) -> str:
    """Return what two environments differ in beside torch's release; empty where they don't."""
    pairs = ((word, getattr(old, name), getattr(new, name)) for name, word in _OTHERS.items())
    return ", ".join(f"{word} {before} → {after}" for word, before, after in pairs if before != after)


def harm_of_call(difference: Difference) -> Harm:
    """Return how a change can hurt code that makes the call."""
    before, after = ({fact.aspect: fact.value for fact in facts} for facts in (difference.before, difference.after))
    if "error" in after:
        caught = still_caught(before.get("error", ""), after["error"])
        return "breaks" if "error" not in before else "wording" if caught else "changes"
    if "error" in before:
        return "improvement"
    raised = {(fact.aspect, fact.input) for fact in difference.before if fact.value.startswith("raises")}
    aspects = {
        fact.aspect for fact in (*difference.before, *difference.after) if (fact.aspect, fact.input) not in raised
    }
    if aspects <= {"warning"} and aspects:
        return "warns" if "warning" in after else "improvement"
    if aspects <= {"grad_fn", "message"}:
        # What raised before, such as a gradient, can be of use now.
        raises = {(fact.aspect, fact.input) for fact in difference.after if fact.value.startswith("raises")}
        return "improvement" if raised - raises else "wording"
    return "changes"


def still_caught(old: str, new: str) -> bool:
    """Return whether ``except old`` catches ``new`` too, as far as the classes are Python's own."""
    before, after = getattr(builtins, old, None), getattr(builtins, new, None)
    if isinstance(before, type) and isinstance(after, type):
        return issubclass(after, before)
    return old in ("Exception", "BaseException")


def _order(difference: RecordDifference) -> tuple[int, str, str]:
    return rank(difference.harm), difference.subject, difference.id


def _where(cell: Cell, old: Measured, new: Measured) -> str:
    """Return the release of a cell, and its device where the two records are of two."""
    return cell.release if old.device == new.device else f"{cell.release} on {cell.measured.device}"


def _gap(cell: Cell) -> str:
    if cell.entry is None:
        return cell.gap
    stands = standing(cell.entry.verdict)
    if cell.entry.verdict == "unsupported":
        return "it is not supported"
    return "it could not be judged" if stands is None else "its conditions exclude it" if stands == "excluded" else ""


def _of_claim(claim: Claim, old: Cell, new: Cell) -> Optional[RecordDifference]:
    assert old.entry is not None
    assert new.entry is not None
    before, after = standing(old.entry.verdict), standing(new.entry.verdict)
    if "absent" in (before, after):
        if before == after:
            return None
        harm: Harm = "breaks" if after == "absent" else "improvement"
        part = Part("name", *("there" if stands != "absent" else "no such name" for stands in (before, after)))
        return RecordDifference(harm, claim.subject, claim.id, claim.title, (part,), name_script(claim.subject))
    found = [*_of_verdict(claim, old, new), *_of_aspects(claim, old, new)]
    if not found:
        return None
    harm = min((harm for harm, _, _ in found), key=rank)
    parts = tuple(dict.fromkeys(part for _, part, _ in found))
    script = next(script for one, _, script in found if one == harm)
    return RecordDifference(harm, claim.subject, claim.id, claim.title, parts, script, raised=_raises(old))


_Finding = tuple[Harm, Part, str]


def _of_verdict(claim: Claim, old: Cell, new: Cell) -> Iterator[_Finding]:
    assert old.entry is not None
    assert new.entry is not None
    if old.look.word == new.look.word:
        return
    after = standing(new.entry.verdict)
    harm: Harm = "improvement"
    if after == "crash" or (after == "false" and _raises(new) and not _raises(old)):
        harm = "breaks"
    elif after == "false":
        harm = "changes"
    script = (
        new.entry.counterexample
        or old.entry.counterexample
        or observing_script(on_device(claim, new.measured.device), _example(new), "judged", device=new.measured.device)
    )
    yield harm, Part("verdict", _judged(old), _judged(new)), script


def _raises(cell: Cell) -> bool:
    return cell.entry is not None and cell.entry.facts is not None and cell.entry.facts.raises is not None


def _judged(cell: Cell) -> str:
    notes = " ".join(dict.fromkeys(one_line(divergence.note) for divergence in cell.divergences))
    return bounded(f"{cell.look.word}: {notes}" if notes else cell.look.word, _LONGEST)


def _of_aspects(claim: Claim, old: Cell, new: Cell) -> Iterator[_Finding]:
    assert old.entry is not None
    assert new.entry is not None
    before = aspects(claim, old.entry, old.measured.device)
    after = aspects(claim, new.entry, new.measured.device)
    differing = {
        aspect: (one.value, after[aspect].value)
        for aspect, one in before.items()
        if aspect in after and one.example == after[aspect].example and not same(aspect, one.value, after[aspect].value)
    }
    if any(aspect.kind == "error" for aspect in differing):  # What it returned is not compared with an error.
        differing = {aspect: ends for aspect, ends in differing.items() if aspect.kind in ("error", "warnings")}
    for aspect, ends in differing.items():
        kind = "warning" if aspect.kind == "warnings" else aspect.kind
        device = new.measured.device
        script = observing_script(on_device(claim, device), _example(new), kind, aspect.name, device)
        yield _harm_of(aspect, *ends), _part(claim, aspect, old, new, *ends), script


def _harm_of(aspect: Aspect, before: Hashable, after: Hashable) -> Harm:
    if aspect.kind in ("message", "node"):
        return "wording"
    if aspect.kind == "warnings":
        return "warns" if after - before else "improvement"  # type: ignore[operator]
    if aspect.kind == "error":
        if before is None:
            return "breaks"
        return "improvement" if after is None else "wording" if still_caught(str(before), str(after)) else "changes"
    return "changes"


def _part(claim: Claim, aspect: Aspect, old: Cell, new: Cell, before: Hashable, after: Hashable) -> Part:
    if aspect.kind == "error":
        return Part("error", _error(old), _error(new))
    if aspect.kind == "observed":
        expression = claim.expectation.expect[int(aspect.name)].text
        return Part(f"{one_line(expression)} is true", str(before), str(after))
    what = f"{aspect.kind} of {aspect.name}" if aspect.name else aspect.kind
    return Part(what, *(bounded(_plain(value), _LONGEST) for value in (before, after)))


def _error(cell: Cell) -> str:
    raises = cell.entry.facts.raises if cell.entry is not None and cell.entry.facts is not None else None
    return "none" if raises is None else bounded(signal_in_words(raises), _LONGEST)


def _plain(value: Hashable) -> str:
    if isinstance(value, (tuple, frozenset)):
        return ", ".join(sorted(": ".join(one) if isinstance(one, tuple) else str(one) for one in value)) or "none"
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    return str(value)


def _example(cell: Cell) -> Mapping[str, str]:
    return {} if cell.entry is None else cell.entry.example


def _same_calls(old: Optional[Iterable[Trials]], new: Optional[Iterable[Trials]]) -> Iterator[tuple[Trials, Trials]]:
    after = {trials.text: trials for trials in new or ()}
    return ((trials, after[trials.text]) for trials in old or () if trials.text in after)


def _of_call(difference: Difference, device: str) -> RecordDifference:
    inputs = list(difference.inputs)
    more = [f"{len(inputs) - _MOST_INPUTS} more"] if len(inputs) > _MOST_INPUTS else []
    title = ", ".join([*("a plain input" if name == "base" else name for name in inputs[:_MOST_INPUTS]), *more])
    part = Part("result", _facts(difference.before), _facts(difference.after))
    call = difference.call
    script = _call_script(difference, device) if "base" in difference.inputs else ""
    return RecordDifference(
        harm_of_call(difference),
        difference.name,
        f"{difference.name}: {call}",
        title,
        (part,),
        script,
        is_claim=False,
        is_ordinary=difference.is_ordinary,
        raised=any(fact.aspect == "error" for fact in difference.before),
    )


def _facts(facts: Iterable[Fact]) -> str:
    return bounded(in_words(facts), _LONGEST) or "as usual"


def _call_script(difference: Difference, device: str) -> str:
    *setup, last = difference.call.split("; ")
    inputs = [f"{name} = {expression}" for name, expression in difference.given.items()]
    statement = f"print({last})" if "=" not in last.partition("(")[0] else last
    lines = [*inputs, *setup, statement]
    placed = lines if device == "cpu" else [placed_text(line, f'"{device}"') for line in lines]
    return "\n".join(["import torch", "", *placed]) + "\n"
