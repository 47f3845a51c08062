"""A counterexample as a script to paste: it needs torch and NumPy only, not this package."""

from __future__ import annotations

import re
from typing import Optional

from conformance.inputs.given import Example
from conformance.language.model import Claim, Expectation, Raises
from conformance.runner.plain import PLAIN_CHECKS
from conformance.runner.program import compile_expression, compile_program


def script(claim: Claim, expectation: Expectation, example: Example, device: str, failed: Optional[str] = None) -> str:
    """Write the inputs, the program and the failed part of the expectation as one script.

    Parameters
    ----------
    expectation
        The claim's own, or what a divergence says holds instead.
    failed
        The part that was false as a trial names it (``expect[1]: …``, ``raises``); None shows all of the expectation.
    """
    wanted = [fragment.text.strip() for fragment in expectation.expect]
    match = re.match(r"expect\[(\d+)\]", failed or "")
    if match:
        wanted = [wanted[int(match.group(1))]]
    elif failed is not None:
        wanted = []
    program = compile_program(claim.do.text if claim.do else "")
    body = [example.script(), program.first_text]
    body += _under_test(expectation, program.last_text, failed)
    body += _before(wanted, example)
    body += [f"assert {_on_one_line(text)}" for text in wanted]
    text = "\n".join(part for part in body if part)
    return _preamble(text, device) + text + "\n"


def _under_test(expectation: Expectation, last: str, failed: Optional[str]) -> list[str]:
    raises, warns = expectation.raises, expectation.warns
    about_warning = warns is not None and (failed is None or failed.startswith("warns"))
    if raises is None and about_warning and warns is not None:
        return [
            "with warnings.catch_warnings(record=True) as caught:",
            '    warnings.simplefilter("always")',
            _indent(last),
            "print([str(item.message) for item in caught])  # " + _asked(warns, "warning"),
        ]
    if raises is None:
        return [last]
    return [
        "try:",
        _indent(last),
        "except Exception as error:",
        "    print(type(error).__name__, error)  # " + _asked(raises, "error"),
        "else:",
        '    print("nothing was raised")  # ' + _asked(raises, "error"),
    ]


def _asked(asked: Raises, what: str) -> str:
    named = asked.type or f"any {what}"
    return f"promised: {named}" + (f", '{asked.message}'" if asked.message and asked.promised == "message" else "")


def _before(wanted: list[str], example: Example) -> list[str]:
    if not any("before" in compile_expression(text).names for text in wanted):
        return []
    lines = [
        f"before.{name} = {re.sub(_names(example), r'before.', recipe)}" for name, recipe in example.recipes.items()
    ]
    return ["from types import SimpleNamespace", "before = SimpleNamespace()", *lines]


def _names(example: Example) -> str:
    # A recipe that uses an earlier input must use the rebuilt one.
    names = "|".join(re.escape(name) for name in example.recipes)
    return rf"(?<![\w.])(?=(?:{names})\b(?!\s*=))"


def _preamble(text: str, device: str) -> str:
    lines = ["import torch"]
    used = [name for name in PLAIN_CHECKS if re.search(rf"\b{name}\(", text)]
    helpers = [PLAIN_CHECKS[name] for name in used]
    everything = "\n".join([text, *helpers])
    if re.search(r"\bnp\.", everything):
        lines.append("import numpy as np")
    if "warnings." in everything and "import warnings" not in everything:
        lines.append("import warnings")
    if re.search(r"(?<![\w.])device(?!\s*=)\b", text):
        lines.append(f'device = "{device}"')
    return "\n".join([*lines, *([""] if helpers else []), *helpers, "", ""])


def _indent(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def _on_one_line(text: str) -> str:
    return f"({text})" if "\n" in text else text
