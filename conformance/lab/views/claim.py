"""One claim as a reader sees it: what it promises, where that holds, why it is believed, and what is false about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.base.release_spans import in_ranges
from conformance.lab.impostors.record import Killed
from conformance.lab.views.content import Content
from conformance.lab.views.falsehoods import Falsehood, falsehoods
from conformance.lab.views.program import expectation, in_groups, inputs_of, observed, outputs, script_of, tiers
from conformance.lab.views.running_text import Table, Text, code, link, linked, prose, text_of, words
from conformance.lab.views.verdict_chips import Line, strip
from conformance.language.condition_words import conditions_in_words
from conformance.language.model import Claim, Source
from conformance.language.source_words import manner
from conformance.results.history import since, truth_timeline
from conformance.results.model import Coverage
from conformance.results.recorded import Cell, environments_in_words
from conformance.show.sentences import TRUE, documentation_states, trace, without_roles
from conformance.show.tried import kinds_tried, on_kinds

_AXES = ("dtypes", "layouts", "sizes", "autograd states")


@dataclass(frozen=True)
class ClaimView:
    """One claim as a reader sees it.

    Attributes
    ----------
    verdicts : tuple of Line
        The verdicts, a line for each device.
    kinds : str
        On which kinds of tensors a firm claim was tried, as ``on dense tensors``.
    history : tuple of (str, str)
        What is told of its change points and its documentation: a heading and a sentence.
    quotes : tuple of (Text, str)
        Documented sentences as the torch at hand has them, each with its origin.
    label, script : str
        What the script is: an example, or a program without inputs.
    outputs : tuple of (str, str)
        Where, and what the example gave there, on the newest torch first.
    inputs : tuple of Text
        The inputs that the claim is tried on, and why they are narrowed.
    must_hold : tuple of Text
        What is judged; where nothing is promised what is only looked at.
    tiers : Table, optional
        How far each tier of a promised error or warning was met.
    sources : tuple of Text
        Who says it, and what became of each sentence.
    evidence : tuple of Text
        What was tried, for each environment.
    timings : tuple of (Text, Table), optional
        The ratios of a timing claim in each environment.
    killed : Killed, optional
        What mutation testing showed.
    """

    claim: Claim
    verdicts: tuple[Line, ...]
    kinds: str
    history: tuple[tuple[str, str], ...]
    quotes: tuple[tuple[Text, str], ...]
    falsehoods: tuple[Falsehood, ...]
    label: str
    script: str
    outputs: tuple[tuple[str, str], ...]
    inputs: tuple[Text, ...]
    must_hold: tuple[Text, ...]
    observed: Optional[Table]
    tiers: Optional[Table]
    applies: str
    timings: Optional[tuple[tuple[Text, Table], ...]]
    sources: tuple[Text, ...]
    place: str
    evidence: tuple[Text, ...]
    killed: Optional[Killed]


def claim_view(claim: Claim, content: Content) -> ClaimView:
    """Return a claim as a reader sees it."""
    cells = content.cells(claim)
    label, script = script_of(claim, cells)
    return ClaimView(
        claim=claim,
        verdicts=strip(claim, cells),
        kinds="" if claim.unspecified or claim.is_timed else on_kinds(kinds_tried(claim)),
        history=tuple(claim_history(claim, content)),
        quotes=tuple(quotes(claim, content)),
        falsehoods=falsehoods(claim, cells),
        label=label,
        script=script,
        outputs=outputs(cells) if label == "Example" else (),
        inputs=inputs_of(claim),
        must_hold=expectation(claim.expectation, judged=not claim.unspecified),
        observed=observed(claim, cells) if claim.unspecified else None,
        tiers=tiers(cells),
        applies=conditions_in_words(claim.applies),
        timings=tuple(_timings(cells)) if claim.is_timed else None,
        sources=tuple(_source(claim, source, content) for source in claim.sources),
        place=content.place_of(claim),
        evidence=tuple(_evidence(cells)),
        killed=content.killed(claim),
    )


def claim_history(claim: Claim, content: Content) -> Iterator[tuple[str, str]]:
    """Return where the truth of a claim changed, and where documentation and truth do not go together."""
    if claim.is_timed:
        return
    paths = content.recorded.by_device
    for device, path in paths.items():
        where = f" on {device}" if len(paths) > 1 else ""
        if truth_timeline(claim, path).changes():
            yield f"Change points{where}:", f"{since(claim, path)}."
        states = documentation_states(claim, path)
        if {state for state in states.values() if state is not None} - {TRUE}:
            told = "; ".join(f"{state} {releases}" for state, releases in in_ranges(list(states.items())).items())
            yield f"Documentation{where}:", f"{told}."


def source_link(source: Source, content: Content) -> Text:
    """Return the name of a source, with a link where one is known."""
    if source.kind == "article":
        article = linked(f"article {source.name}", "article", source.name)
        return text_of(article, ", row ", linked(source.row or "?", "row", source.row or ""))
    name = link(*content.describe(source))
    return text_of(name, f" (“{source.key}”)") if source.key else name


def quotes(claim: Claim, content: Content) -> Iterator[tuple[Text, str]]:
    """Return the sentences of the documentation that a claim is from, with their origin."""
    for source in claim.sources:
        if source.kind == "docs":
            hashes = trace(claim, source, content.cells(claim))[1]
            sentence = content.sentences.find(source, hashes)
            if sentence is not None:
                origin = f"Documentation of torch {content.sentences.torch}, {source.name}"
                yield prose(without_roles(sentence)), origin


def _source(claim: Claim, source: Source, content: Content) -> Text:
    how = manner(source)
    parts = [source_link(source, content), *([words(f"; {how}")] if how else [])]
    if source.kind == "docs":
        traces, _ = trace(claim, source, content.cells(claim))
        states = "; ".join(f"{state} in {where}" for state, where in in_groups([(t.measured, t.state) for t in traces]))
        parts += [words(f". The sentence is {states}")] if states else []
        if not content.sentences.texts:
            parts.append(words(". It is shown when built where torch is installed"))
    return text_of(*parts)


def _evidence(cells: Sequence[Cell]) -> Iterator[Text]:
    """Return how many examples were tried and what they covered; like environments are named together."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        told = _tried(cell)
        if told:
            groups.setdefault(told, []).append(cell)
    for told, members in groups.items():
        yield text_of(f"{environments_in_words([cell.measured for cell in members])}: ", prose(told))


def _tried(cell: Cell) -> str:
    entry = cell.entry
    if entry is None or entry.examples is None:
        return ""
    parts = [f"{entry.examples:,} example{'' if entry.examples == 1 else 's'}"]
    parts += [f"`{name}` in {_coverage(covered)}" for name, covered in entry.covered.items()]
    told = "; ".join(parts) + "."
    missing = [f"{', '.join(dtypes)} ({error})" for error, dtypes in entry.missing_kernels.items()]
    if missing or entry.no_kernel:
        told += f" This torch has no kernel for {', '.join([*missing, *entry.no_kernel])}: these do not count."
    if entry.detail and entry.verdict in ("invalid", "crashed", "timed-out"):
        told += f" {entry.detail}"
    return told


def _coverage(covered: Coverage) -> str:
    if len(covered.axes) != len(_AXES):
        return ", ".join(f"{count} forms" for count in covered.axes)
    named = [f"{count} {plural}" for count, plural in zip(covered.axes, _AXES)]
    return ", ".join([*named, f"{covered.pairs} pairs of these"])


def _timings(cells: Sequence[Cell]) -> Iterator[tuple[Text, Table]]:
    for cell in cells:
        entry, timings = cell.entry, cell.measured.timings
        if entry is None or timings is None or not entry.kernels:
            continue
        place = ", ".join(filter(None, (cell.measured.label, timings.environment.processor)))
        # The others are relative to it.
        names = sorted(entry.kernels, key=lambda name: set(entry.kernels[name]) != {1})
        lines = zip(entry.sizes, *(entry.kernels[name] for name in names))
        rows = tuple((words(f"{n:,}"), *(words(f"{ratio:.2f}×") for ratio in ratios)) for n, *ratios in lines)
        table = Table((words("n"), *map(code, names)), rows)
        yield text_of("Time relative to ", code(names[0]), f" on {place}. Less is faster."), table
