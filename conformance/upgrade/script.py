"""A script to paste that shows a change: inputs and program of a claim, then what to look at; never run here."""

from __future__ import annotations

import ast
import re
from typing import Any

from conformance.language.model import Claim
from conformance.runner.plain import PLAIN_CHECKS
from conformance.runner.program import compile_program

_LONGEST = 6000
#: Dtypes that an error about a missing kernel names otherwise.
_DTYPES = {"Half": "float16", "Float": "float32", "Double": "float64", "ComplexHalf": "complex32"}


def documentation_script(name: str) -> str:
    """Return a script that prints the docstring of a public name."""
    return f"import torch\n\nprint({name}.__doc__)\n"


def name_script(name: str) -> str:
    """Return a script that fails where torch has no such name."""
    return f"import torch\n\nprint({name})\n"


def observing_script(claim: Claim, entry: dict[str, Any], kind: str, name: str = "", device: str = "cpu") -> str:
    """Write the canonical example and the program, then print what changed.

    Parameters
    ----------
    entry
        An entry of a result file that has the example.
    kind, name
        The aspect to print: ``error`` or ``warning``, or a flag of the value ``name``; ``unsupported`` with the dtype
        that an error about a missing kernel names; ``judged`` to assert what the claim says.
    """
    program = compile_program(claim.do.text if claim.do else "")
    last = _last(program.last_text, kind, claim.expectation.raises is not None)
    inputs = _inputs(entry)
    if kind == "unsupported":
        inputs = [_with_dtype(line, name) for line in inputs]
    lines = [*inputs, program.first_text, *last, *_printing(claim, entry, kind, name)]
    text = "\n".join(line for line in lines if line)
    return (_preamble(text, device) + text)[:_LONGEST] + "\n"


def _inputs(entry: dict[str, Any]) -> list[str]:
    lines = []
    for name, recipe in entry.get("example", {}).items():
        # A recipe is one expression; anything else has no business in a script that a person pastes.
        if name.isidentifier() and _is_expression(recipe):
            lines.append(f"{name} = {recipe.strip()}")
        else:
            lines.append(f"# the recorded recipe of {name!r} is no expression")
    return lines


def _with_dtype(line: str, kernel: str) -> str:
    dtype = _DTYPES.get(kernel, kernel.lower())
    if not dtype.isidentifier() or "dtype=" in line or not re.search(r"= torch\.tensor\(.*\)$", line):
        return line
    return f"{line[:-1]}, dtype=torch.{dtype})"


def _is_expression(text: str) -> bool:
    if "\n" in text.strip() or len(text) > _LONGEST:
        return False
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _last(text: str, kind: str, raises: bool) -> list[str]:
    if kind in ("error", "message", "tier", "unsupported") or (kind == "judged" and raises):
        return [
            "try:",
            _indent(text or "pass"),
            "except Exception as error:",
            "    print(type(error).__name__, error)",
            "else:",
            '    print("nothing was raised")',
        ]
    if kind == "warning":
        return [
            "with warnings.catch_warnings(record=True) as caught:",
            '    warnings.simplefilter("always")',
            _indent(text or "pass"),
            "print([(item.category.__name__, str(item.message)) for item in caught])",
        ]
    return [text]


def _printing(claim: Claim, entry: dict[str, Any], kind: str, name: str) -> list[str]:
    inputs = [given for given, _ in claim.given if given in entry.get("example", {})]
    if kind == "observed":
        position = int(name)
        return [f"print({claim.expectation.expect[position].text.strip()})"]
    if kind == "judged":
        return _asserting(claim, entry)
    if not name.isidentifier():
        return []
    shown = {
        "leaf": f"{name}.is_leaf",
        "requires-grad": f"{name}.requires_grad",
        "history": f"{name}.grad_fn",
        "node": f"{name}.grad_fn",
        "dtype": f"{name}.dtype",
        "value": name,
        "flags": name,
    }
    if kind in shown:
        return [f"print({shown[kind]})"]
    relation = {"shares": "shares_storage({0}, {1})", "same": "{0} is {1}", "view-of": "{0}._base is {1}"}.get(kind, "")
    return [f"print({relation.format(name, other)})" for other in inputs if relation]


def _asserting(claim: Claim, entry: dict[str, Any]) -> list[str]:
    wanted = [" ".join(fragment.text.split()) for fragment in claim.expectation.expect]
    lines = [f"assert {text}" for text in wanted]
    if any(re.search(r"\bbefore\.", text) for text in wanted):
        names = [name for name, recipe in entry.get("example", {}).items() if _is_expression(recipe)]
        # The inputs as they were, built a second time; a recipe that names an earlier input must mean the second one.
        earlier = rf"(?<![\w.])(?=(?:{'|'.join(map(re.escape, names))})\b(?!\s*=))" if names else r"(?!)"
        recipes = [f"before.{name} = {re.sub(earlier, 'before.', entry['example'][name].strip())}" for name in names]
        lines = ["from types import SimpleNamespace", "before = SimpleNamespace()", *recipes, *lines]
    return lines


def _preamble(text: str, device: str) -> str:
    lines = ["import torch"]
    helpers = [PLAIN_CHECKS[name] for name in PLAIN_CHECKS if re.search(rf"(?<![\w.]){name}\(", text)]
    everything = "\n".join([text, *helpers])
    if re.search(r"\bnp\.", everything):
        lines.append("import numpy as np")
    if re.search(r"\bwarnings\.", everything) and "import warnings" not in everything:
        lines.append("import warnings")
    if re.search(r"(?<![\w.])device(?!\s*=)\b", text):
        lines.append(f'device = "{device}"')
    return "\n".join([*lines, *([""] if helpers else []), *helpers, "", ""])


def _indent(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())
