"""The program of a claim as a script to run, what it must show, and what it really gave."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from docutils import nodes

from conformance.language.model import Claim, Conditions, Expectation, Raises
from conformance.reference import markup
from conformance.reference.columns import Column
from conformance.reference.strip import names

TIERS = {"error": "It happens", "type": "with its class", "message": "with its message"}
CANNED = ("raises", "warns")
FLAGS = {
    "requires-grad": "requires grad",
    "view-of": "view of {}",
    "shares": "shares memory with {}",
    "same": "is {} itself",
    "grad_fn": "grad_fn {}",
}


def example_recipes(claim: Claim, columns: Sequence[Column]) -> Optional[Mapping[str, str]]:
    """Give the canonical inputs that were used, those of the newest torch first."""
    for column in reversed(columns):
        recipes = column.cell(claim).get("example")
        if isinstance(recipes, Mapping) and set(recipes) == {name for name, _ in claim.given}:
            return {str(name): str(recipe) for name, recipe in recipes.items()}
    return None


def script(claim: Claim, recipes: Mapping[str, str]) -> str:
    """Write the program with its inputs as a script."""
    program = claim.do.text.strip("\n") if claim.do else ""
    inputs = "\n".join(f"{name} = {recipes[name]}" for name, _ in claim.given)
    body = "\n".join(part for part in (inputs, program) if part)
    imports = ["import torch"]
    if re.search(r"\bnp\.", body):
        imports.insert(0, "import numpy as np")
    if re.search(r"\bdevice\b", body):
        imports.append('\ndevice = "cpu"')
    return "\n".join(imports) + "\n\n" + body + "\n"


def _prints(claim: Claim, columns: Sequence[Column]) -> str:
    """Print what the program assigned, so that the script shows what stands below it."""
    for column in reversed(columns):
        facts = column.cell(claim).get("facts")
        if isinstance(facts, Mapping) and facts:
            lines = [f'print(f"{{{name} = }}")' for name in printed_names(facts) if "raises" not in facts]
            return "".join(f"{line}\n" for line in lines)
    return ""


def program_blocks(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show the inputs, the program, what is expected of it, and what it gave."""
    blocks: list[nodes.Node] = []
    recipes = example_recipes(claim, columns)
    if claim.compare is not None:
        blocks += _comparison(claim)
    elif recipes is not None:
        blocks += [markup.label("Example"), markup.listing(script(claim, recipes) + _prints(claim, columns))]
        blocks += output_blocks(claim, columns)
    elif claim.do is not None:
        blocks += [markup.label("Program"), markup.listing(claim.do.text.strip("\n"))]
    if claim.given:
        blocks.append(_domain(claim))
    if claim.unspecified:
        blocks += _observed(claim, columns)
    else:
        blocks += expectation_blocks(claim.expectation, "Must hold")
    conditions = conditions_in_words(claim.applies)
    if conditions:
        blocks.append(markup.paragraph(f"Applies to {conditions} only."))
    return blocks


def _domain(claim: Claim) -> nodes.Node:
    """Say which inputs are tried."""
    items: list[list[markup.Inline]] = [[markup.code(f"{name}: {given.text}")] for name, given in claim.given]
    items += [["only where ", markup.code(assumption.text)] for assumption in claim.assume]
    return markup.folded("Inputs it is tried on", markup.bullets(items))


def _comparison(claim: Claim) -> list[nodes.Node]:
    assert claim.compare is not None
    lines = [claim.compare.setup.text.strip("\n"), ""]
    for name, kernel in claim.compare.kernels:
        lines += [f"# {name}", kernel.text.strip("\n")]
    sizes = ", ".join(f"{size:,}" for size in claim.compare.sizes)
    return [
        markup.label("What is timed"),
        markup.listing("\n".join(lines)),
        markup.paragraph(f"For each n of {sizes}."),
    ]


def expectation_blocks(expectation: Expectation, heading: str) -> list[nodes.Node]:
    """Say what must be true, be raised or be warned."""
    items: list[list[markup.Inline]] = [[markup.code(expression.text)] for expression in expectation.expect]
    if expectation.raises is not None:
        items.append(["the last statement raises ", *_error(expectation.raises, "an error")])
    if expectation.warns is not None:
        items.append(["the last statement warns: ", *_error(expectation.warns, "any warning")])
    if expectation.crashes:
        items.append(["the interpreter crashes"])
    if not items:
        return []
    return [markup.label(heading), markup.bullets(items, classes=["expectations"])]


def _error(raises: Raises, anything: str) -> list[markup.Inline]:
    parts: list[markup.Inline] = [markup.code(raises.type) if raises.type else anything]
    if raises.message:
        parts += [", with ", markup.code(raises.message), " in its message"]
    if raises.promised == "error" and (raises.type or raises.message):
        parts.append(" (the source promises only that it happens; the rest is recorded)")
    elif raises.promised == "type" and raises.message:
        parts.append(" (the source promises the class; the message is recorded)")
    return parts


def output_blocks(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show what the example really gave; environments that gave the same are named together."""
    groups: list[tuple[Mapping[str, Any], list[Column]]] = []
    for column in reversed(columns):
        facts = column.cell(claim).get("facts")
        if not isinstance(facts, Mapping) or not facts:
            continue
        for known, members in groups:
            if known == facts:
                members.insert(0, column)
                break
        else:
            groups.append((facts, [column]))
    blocks: list[nodes.Node] = []
    for facts, members in groups:
        blocks.append(markup.paragraph(f"Gives on {names(members)}:", classes=["gives"]))
        blocks.append(markup.listing("\n".join(_fact_lines(facts)), "text"))
    return blocks


def _fact_lines(facts: Mapping[str, Any]) -> list[str]:
    lines = []
    for name in printed_names(facts):
        fact = facts[name]
        shown, *flags = fact if isinstance(fact, list) else [fact]
        lines.append(f"{name} = {shown}")
        lines += [f"    # {_flags_in_words(str(flag))}" for flag in flags if flag]
    raised = facts.get("raises")
    if isinstance(raised, list) and raised:
        lines.append(": ".join(str(part) for part in raised if part))
    warned = facts.get("warns")
    if isinstance(warned, list):
        lines += [": ".join(str(part) for part in one) if isinstance(one, list) else str(one) for one in warned]
    return lines


def printed_names(facts: Mapping[str, Any]) -> list[str]:
    """Give the names whose values are facts."""
    return [name for name in facts if name not in CANNED and name.isidentifier()]


def _flags_in_words(flags: str) -> str:
    words = []
    for flag in flags.split():
        name, _, value = flag.partition("=")
        words.append(FLAGS[name].format(value) if name in FLAGS else flag)
    return ", ".join(words)


def _observed(claim: Claim, columns: Sequence[Column]) -> list[nodes.Node]:
    """Show, for what the source leaves open, what each environment happens to do."""
    measured = [column for column in columns if column.cell(claim).get("observed") is not None]
    expressions = claim.expectation.expect
    blocks: list[nodes.Node] = [markup.paragraph("The source leaves this open. Nothing here is promised.")]
    if not measured:
        return [*blocks, markup.bullets([[markup.code(expression.text)] for expression in expressions])]
    rows: list[markup.Row] = []
    for position, expression in enumerate(expressions):
        groups: dict[str, list[Column]] = {}
        for column in measured:
            observed = column.cell(claim).get("observed")
            groups.setdefault(str(observed[position]) if position < len(observed) else "not measured", []).append(
                column
            )
        said = [f"{often} on {names(members)}" for often, members in groups.items()]
        rows.append([[markup.code(expression.text)], ["; ".join(said)]])
    return [*blocks, markup.table([["Expression"], ["True"]], rows)]


def tiers_table(claim: Claim, columns: Sequence[Column]) -> Optional[nodes.Node]:
    """Show how far each tier of an error or a warning was reached."""
    groups: dict[tuple[str, ...], list[Column]] = {}
    for column in columns:
        tiers = column.cell(claim).get("tiers")
        if isinstance(tiers, Mapping):
            groups.setdefault(tuple(str(tiers.get(tier, "–")) for tier in TIERS), []).append(column)
    if not groups:
        return None
    rows: list[markup.Row] = [[[names(members)], *[[often] for often in found]] for found, members in groups.items()]
    return markup.table([["Environment"], *[[word] for word in TIERS.values()]], rows)


def conditions_in_words(conditions: Conditions) -> str:
    """Put conditions into words; empty where they admit every environment."""
    parts = []
    for name, text in (("torch", conditions.torch), ("NumPy", conditions.numpy), ("Python", conditions.python)):
        if text:
            parts.append(f"{name} {text}")
    if conditions.device:
        parts.append(f"the device {conditions.device}")
    if conditions.system:
        parts.append(f"the system {conditions.system}")
    return ", ".join(parts)
