"""A counterexample as a script: it shows with torch and NumPy alone that a claim is false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from conformance.language.model import Claim, Expectation, Raises
from conformance.results.model import FailedPart
from conformance.run.scripts.program import compile_program
from conformance.run.scripts.script_parts import (
    assertions,
    input_lines,
    printing_error,
    printing_warnings,
    rebuilt_inputs,
    whole_script,
)


def counterexample_script(
    claim: Claim,
    expectation: Expectation,
    recipes: Mapping[str, str],
    device: str,
    failed: Optional[FailedPart] = None,
    seeding: Sequence[str] = (),
) -> str:
    """Write the inputs, the program and the failed part of the expectation as one script.

    Parameters
    ----------
    expectation
        The claim's own, or what a divergence says holds instead.
    recipes
        The inputs by name.
    failed
        The part that was false; `None` shows all of the expectation.
    seeding
        Statements that seed random generators before the program.
    """
    wanted = [fragment.text.strip() for fragment in expectation.expect]
    if failed is not None:
        wanted = [wanted[failed.position]] if failed.position is not None else []
    program = compile_program(claim.do.text if claim.do else "")
    parts = [
        "".join(f"{line}\n" for line in input_lines(recipes)),
        *seeding,
        program.first_text,
        *_under_test(expectation, program.last_text, failed),
        *rebuilt_inputs(recipes, wanted),
        *assertions(wanted),
    ]
    return whole_script(parts, device)


def _under_test(expectation: Expectation, last: str, failed: Optional[FailedPart]) -> list[str]:
    raises, warns = expectation.raises, expectation.warns
    if raises is not None:
        return printing_error(last, "  # " + _promised(raises, "error"))
    if warns is not None and (failed is None or failed.kind == "warns"):
        return printing_warnings(last, "str(item.message)", "  # " + _promised(warns, "warning"))
    return [last]


def _promised(asked: Raises, what: str) -> str:
    named = asked.type or f"any {what}"
    return f"promised: {named}" + (f", '{asked.message}'" if asked.message and asked.promised == "message" else "")
