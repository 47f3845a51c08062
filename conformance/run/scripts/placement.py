"""Claims on another device than the CPU: what a program makes there on the CPU is made on the device under test.

Most programs were written for the CPU and say nothing of a device: ``torch.zeros(3)`` is on the CPU. On another device
that call gets ``device=device``, and a module that was just made is moved. On the CPU nothing is changed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Optional

from conformance.language.factories import lacks_device, makes_module, says_where
from conformance.language.model import Claim, Expectation, Fragment

_WORD = re.compile(r"\w+")


def on_device(claim: Claim, device: str) -> Claim:
    """Return a claim whose programs make everything on a device; one that says itself what is where stays as it is."""
    if device == "cpu" or claim.applies.device is not None or says_where(claim):
        return claim
    control = claim.controlled()
    placed = replace(
        claim,
        do=_placed(claim.do),
        assume=tuple(map(_fragment, claim.assume)),
        expectation=_expectation(claim.expectation),
        diverges=tuple(
            replace(one, where=_placed(one.where), instead=_expectation(one.instead)) for one in claim.diverges
        ),
    )
    if control is None or claim.do is None or placed.do is None:
        return placed
    put_right = replace(claim.do, text=placed_text(control, "device"))
    return replace(placed, control=((placed.do.text, put_right),))


def placed_recipes(claim: Claim, recipes: Mapping[str, str], device: str) -> dict[str, str]:
    """Return recipes that somebody wrote down for a claim's inputs, for a device.

    An input that the claim wants on another device stays as it is, and so does one that is drawn like it.
    """
    if device == "cpu":
        return dict(recipes)
    fixed: set[str] = set()
    for name, fragment in claim.given:
        if "device=" in fragment.text.replace("device=device", "") or fixed & set(_WORD.findall(fragment.text)):
            fixed.add(name)
    literal = f'"{device}"'
    return {name: recipe if name in fixed else placed_text(recipe, literal) for name, recipe in recipes.items()}


@cache
def placed_text(text: str, device: str) -> str:
    """Return Python with ``device=`` in each call that lacks it, and with new modules moved.

    Parameters
    ----------
    device
        The expression for the device.
    """
    # An expression over several lines is one only in brackets.
    first, last = ("(\n", "\n)") if _is_long_expression(text) else ("", "")
    content = f"{first}{text.strip()}{last}"
    try:
        tree = ast.parse(content)
    except SyntaxError:  # it is told when it is compiled
        return text
    lines = content.encode().split(b"\n")
    edits: list[tuple[int, int, str]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node.end_lineno is None or node.end_col_offset is None:
            continue
        line, column = node.end_lineno - 1, node.end_col_offset
        if lacks_device(node):
            has_comma = lines[line][: column - 1].rstrip().endswith(b",")
            comma = ", " if (node.args or node.keywords) and not has_comma else ""
            edits.append((line, column - 1, f"{comma}device={device}"))
        elif makes_module(node):
            edits.append((line, column, f".to({device})"))
    for line, column, added in sorted(edits, reverse=True):
        lines[line] = lines[line][:column] + added.encode() + lines[line][column:]
    placed = b"\n".join(lines).decode()
    return placed[len(first) : len(placed) - len(last)]


def _is_long_expression(text: str) -> bool:
    try:
        ast.parse(text.strip())
    except SyntaxError:
        return True
    return False


def _placed(fragment: Optional[Fragment]) -> Optional[Fragment]:
    return None if fragment is None else _fragment(fragment)


def _fragment(fragment: Fragment) -> Fragment:
    return replace(fragment, text=placed_text(fragment.text, "device"))


def _expectation(expectation: Expectation) -> Expectation:
    return replace(expectation, expect=tuple(map(_fragment, expectation.expect)))
