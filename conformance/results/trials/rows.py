"""The lines of a file of trials: what a call did on some inputs, and the releases that it lasted.

A file has a section for each name. In it, ``call`` begins a call, with what runs before it. Each line below has the
releases, the inputs and what happened there, separated by tabs::

    == torch.Tensor.reshape
    call    x.reshape(-1)
    1.8-    base    tried=tensor modes    given x=torch.ones(2, 3).requires_grad_()    type=Tensor    memory x=view
    1.8-    transposed; expanded    memory x=own memory
    1.8-    untried    negative

``tried`` names sets of inputs. ``inputs.txt`` has them: the set, the releases that can make the input, its name, and
the expression that makes it of the base input. An input that no line of a call names did as the base input.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.names.store import expand
from conformance.results.trials.model import BASE, OF_INPUT, Fact

SECTION = "== "
CALL = "call"
UNTRIED = "untried"
_TRIED = "tried"
_GIVEN = "given "
#: Between the names of two inputs; that of a shape has a comma.
_SEPARATOR = "; "


@dataclass(frozen=True)
class Row:
    """What a call did on some inputs of one release.

    Attributes
    ----------
    inputs
        Their names; `BASE` alone for the base trial, first of all `UNTRIED` for those that were not tried.
    facts
        What happened; for other inputs than the base only what differs.
    given
        For the base trial: name and expression of each input.
    tried
        For the base trial: the sets of inputs that were tried.
    """

    inputs: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    tried: tuple[str, ...] = ()

    @property
    def is_base(self) -> bool:
        """Whether it is the base trial."""
        return self.inputs == (BASE,)


@dataclass
class CallRows:
    """The rows of a call, by release."""

    setup: str
    call: str
    rows: dict[str, list[Row]] = field(default_factory=dict)


def file_name(name: str) -> str:
    """Return the file of a name: one for each module below torch, one for ``torch.Tensor``, and one for the rest."""
    parts = name.split(".")
    has_own = len(parts) > 2 and (parts[1] == "Tensor" or parts[1][:1].islower())
    return f"torch.{parts[1]}.txt" if has_own else "torch.txt"


def read_section(section: str, minors: tuple[str, ...]) -> list[CallRows]:
    """Return the calls of a name; ValueError where a line can't be read."""
    calls: list[CallRows] = []
    for line in section.splitlines():
        first, *fields = line.split("\t")
        if first == CALL:
            *setup, call = fields
            calls.append(CallRows("".join(setup), call))
        elif line:
            row = _row(fields)
            for release in expand(first, minors):
                calls[-1].rows.setdefault(release, []).append(row)
    return calls


def _row(fields: list[str]) -> Row:
    inputs, *rest = fields
    if inputs == UNTRIED:
        return Row((UNTRIED, *rest[0].split(_SEPARATOR)))
    facts: list[Fact] = []
    given: list[tuple[str, str]] = []
    tried: tuple[str, ...] = ()
    for text in rest:
        key, equals, value = text.partition("=")
        if not equals:
            raise ValueError(text)
        if key == _TRIED:
            tried = tuple(value.split())
        elif key.startswith(_GIVEN):
            given.append((key[len(_GIVEN) :], value))
        else:
            aspect, _, of = key.rpartition(" ")
            facts.append(Fact(aspect, of, value) if aspect in OF_INPUT else Fact(key, "", value))
    return Row(tuple(inputs.split(_SEPARATOR)), tuple(facts), tuple(given), tried)


def row_fields(row: Row) -> tuple[str, ...]:
    """Return a row as the fields of a line, without the releases."""
    if row.inputs[0] == UNTRIED:
        return UNTRIED, _SEPARATOR.join(row.inputs[1:])
    fields = [_SEPARATOR.join(row.inputs)]
    fields += [f"{_TRIED}={' '.join(row.tried)}"] if row.tried else []
    fields += [f"{_GIVEN}{name}={expression}" for name, expression in row.given]
    fields += [f"{f'{fact.aspect} {fact.input}'.strip()}={fact.value}" for fact in row.facts]
    return tuple(text.replace("\t", " ").replace("\n", " ") for text in fields)
