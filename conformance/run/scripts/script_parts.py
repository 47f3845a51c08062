"""The parts that every script is made of: imports and helpers, inputs, the statement under test, assertions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from conformance.run.scripts.plain_checks import PLAIN_CHECKS
from conformance.run.scripts.program import compile_expression


def whole_script(parts: Sequence[str], device: str) -> str:
    """Join the parts of a script below the imports and the helpers that they need.

    Parameters
    ----------
    parts
        Pieces of Python; empty ones are left out.
    device
        What the name ``device`` means.
    """
    text = "\n".join(part for part in parts if part)
    return _preamble(text, device) + text + "\n"


def input_lines(recipes: Mapping[str, str]) -> list[str]:
    """Return an assignment for each input."""
    return [f"{name} = {recipe}" for name, recipe in recipes.items()]


def rebuilt_inputs(recipes: Mapping[str, str], expressions: Sequence[str]) -> list[str]:
    """Return the lines that build the inputs a second time, as ``before``, where an expression asks for them."""
    if not any("before" in compile_expression(text).names for text in expressions):
        return []
    # A recipe that uses an earlier input must use the rebuilt one.
    names = "|".join(map(re.escape, recipes))
    earlier = re.compile(rf"(?<![\w.])(?=(?:{names})\b(?!\s*=))" if recipes else r"(?!)")
    lines = [f"before.{name} = {earlier.sub('before.', recipe)}" for name, recipe in recipes.items()]
    return ["from types import SimpleNamespace", "before = SimpleNamespace()", *lines]


def printing_error(statement: str, remark: str = "") -> list[str]:
    """Return lines that run a statement and print the error that it raises."""
    return [
        "try:",
        _indented(statement or "pass"),
        "except Exception as error:",
        f"    print(type(error).__name__, error){remark}",
        "else:",
        f'    print("nothing was raised"){remark}',
    ]


def printing_warnings(statement: str, shown: str, remark: str = "") -> list[str]:
    """Return lines that run a statement and print its warnings.

    Parameters
    ----------
    shown
        What to print of each warning, as an expression over ``item``.
    """
    return [
        "with warnings.catch_warnings(record=True) as caught:",
        '    warnings.simplefilter("always")',
        _indented(statement or "pass"),
        f"print([{shown} for item in caught]){remark}",
    ]


def assertions(expressions: Sequence[str]) -> list[str]:
    """Return an assertion for each expression."""
    return [f"assert ({text})" if "\n" in text else f"assert {text}" for text in expressions]


def _preamble(text: str, device: str) -> str:
    helpers = [check for name, check in PLAIN_CHECKS.items() if re.search(rf"(?<![\w.]){name}\(", text)]
    everything = "\n".join([text, *helpers])
    lines = ["import torch"]
    if re.search(r"\bnp\.", everything):
        lines.append("import numpy as np")
    if re.search(r"\bwarnings\.", everything) and "import warnings" not in everything:
        lines.append("import warnings")
    if re.search(r"(?<![\w.])device(?!\s*=)\b", text):
        lines.append(f'device = "{device}"')
    return "\n".join([*lines, *([""] if helpers else []), *helpers, "", ""])


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())
