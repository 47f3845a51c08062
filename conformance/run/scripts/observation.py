"""Scripts that run a claim's program on recorded inputs and print what it gives; they are never run here."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from conformance.language.model import Claim
from conformance.run.scripts.program import compile_program
from conformance.run.scripts.script_parts import (
    assertions,
    input_lines,
    printing_error,
    printing_warnings,
    rebuilt_inputs,
    whole_script,
)

_LONGEST = 6000
# What to print of a value, and of a value and an input.
_OF_VALUE = {
    "leaf": "{0}.is_leaf",
    "requires-grad": "{0}.requires_grad",
    "history": "{0}.grad_fn",
    "node": "{0}.grad_fn",
    "dtype": "{0}.dtype",
    "value": "{0}",
    "flags": "{0}",
}
_OF_BOTH = {"shares": "shares_storage({0}, {1})", "same": "{0} is {1}", "view-of": "{0}._base is {1}"}
_OF_ERROR = ("error", "message")


def name_script(name: str) -> str:
    """Return a script that fails where torch has no such name."""
    return f"import torch\n\nprint({name})\n"


def example_script(claim: Claim, recipes: Mapping[str, str], names: Iterable[str] = ()) -> str:
    """Return a script of the program on these inputs; it prints what some names hold then."""
    program = claim.do.text.strip("\n") if claim.do else ""
    prints = [f'print(f"{{{name} = }}")' for name in names if name.isidentifier()]
    return whole_script([*_inputs(_in_order(claim, recipes)), program, *prints], "cpu")


def observing_script(claim: Claim, recipes: Mapping[str, str], kind: str, name: str = "", device: str = "cpu") -> str:
    """Return a script of the program on these inputs that prints one aspect of what it gives.

    Parameters
    ----------
    recipes
        The inputs by name, as a result file has them.
    kind, name
        The aspect: ``error`` or ``warning``, or a flag of the value ``name``; ``observed`` with the position of an
        expression; ``judged`` to assert what the claim says.
    """
    program = compile_program(claim.do.text if claim.do else "")
    recipes = _in_order(claim, recipes)
    inputs = _inputs(recipes)
    raises = claim.expectation.raises is not None
    parts = [
        *inputs,
        program.first_text,
        *_last(program.last_text, kind, raises),
        *_printing(claim, recipes, kind, name),
    ]
    return whole_script(parts, device)[:_LONGEST].rstrip("\n") + "\n"


def _in_order(claim: Claim, recipes: Mapping[str, str]) -> dict[str, str]:
    # A recipe may use the inputs before it, and a result file has them by name.
    return {name: recipes[name] for name, _ in claim.given if name in recipes}


def _inputs(recipes: Mapping[str, str]) -> list[str]:
    lines = []
    for name, recipe in recipes.items():
        # A recipe is one expression; anything else has no business in a script that a person pastes.
        if name.isidentifier() and _is_expression(recipe):
            lines += input_lines({name: recipe.strip()})
        else:
            lines.append(f"# the recorded recipe of {name!r} is no expression")
    return lines


def _is_expression(text: str) -> bool:
    if "\n" in text.strip() or len(text) > _LONGEST:
        return False
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _last(statement: str, kind: str, raises: bool) -> list[str]:
    if kind in _OF_ERROR or (kind == "judged" and raises):
        return printing_error(statement)
    if kind == "warning":
        return printing_warnings(statement, "(item.category.__name__, str(item.message))")
    return [statement]


def _printing(claim: Claim, recipes: Mapping[str, str], kind: str, name: str) -> list[str]:
    if kind == "observed":
        return [f"print({claim.expectation.expect[int(name)].text.strip()})"]
    if kind == "judged":
        return _asserting(claim, recipes)
    if not name.isidentifier():
        return []
    if kind in _OF_VALUE:
        return [f"print({_OF_VALUE[kind].format(name)})"]
    inputs = [given for given, _ in claim.given if given in recipes]
    return [f"print({_OF_BOTH[kind].format(name, other)})" for other in inputs if kind in _OF_BOTH]


def _asserting(claim: Claim, recipes: Mapping[str, str]) -> list[str]:
    wanted = [" ".join(fragment.text.split()) for fragment in claim.expectation.expect]
    usable = {
        name: recipe.strip() for name, recipe in recipes.items() if name.isidentifier() and _is_expression(recipe)
    }
    return [*rebuilt_inputs(usable, wanted), *assertions(wanted)]
