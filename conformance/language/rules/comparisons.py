"""Timing claims: named kernels over sizes, and expectations about ratios."""

from __future__ import annotations

import ast

from conformance.language.drafts import Draft
from conformance.language.expressions import BUILTINS, Code, expression, statements
from conformance.language.rules.context import ALWAYS, Context
from conformance.language.rules.programs import check_code, check_names
from conformance.text import did_you_mean, listed


def check_comparison(draft: Draft, context: Context) -> None:
    """Check a claim's ``compare``, or that a claim without it is no timing claim."""
    compare, entries = draft.claim.compare, draft.entries
    if draft.claim.family and ("compare" in entries) != (draft.claim.family == "timing"):
        message = "a claim is of the family timing if it has `compare`, and only then"
        draft.report(entries["family"], "E901", message)
    if compare is None:
        return
    for key in entries.keys() & {"given", "assume", "do", "raises", "warns"}:
        draft.report_key(key, "E901", f"`compare` has its own `setup` and `kernels`; remove `{key}`")
    node, kernels = draft.mapping_of(compare), dict(compare.kernels)
    if len(kernels) < 2 and not node.damaged and "kernels" in node.entries:
        draft.report(node, "E901", "a comparison needs two kernels or more")
    if sorted({0, *compare.sizes}) != [0, *compare.sizes]:
        message = "sizes are whole numbers from 1, each larger than the one before"
        draft.report(node.entries["sizes"], "E901", message)
    defined = BUILTINS | ALWAYS | {"n"}
    codes: list[Code] = []
    for fragment in (compare.setup, *kernels.values()):
        code = check_code(draft, fragment, statements)
        if code is None:
            return
        check_names(draft, fragment, code, defined, frozenset(), context)
        codes.append(code)
        defined |= codes[0].binds
    if kernels and not any(name.name == "n" for code in codes for name in code.needs):
        draft.report(node, "E901", "neither `setup` nor a kernel uses n, the size; make it matter")
    for outcome in (draft.claim.expectation, *(divergence.instead for divergence in draft.claim.diverges)):
        for fragment in outcome.expect:
            code = check_code(draft, fragment, expression)
            if code is None:
                continue
            check_names(draft, fragment, code, BUILTINS | ALWAYS | {"ratio"}, frozenset(), context)
            if not any(call.name == "ratio" for call in code.calls):
                message = 'this mentions no ratio("a", "b") of two kernels, so it says nothing about time'
                draft.report_code(fragment, 0, "E208", message)
            for name in sorted(_compared(code) - kernels.keys()) if kernels else ():
                advice = did_you_mean(name, kernels) or f"; they are {listed(list(kernels))}"
                draft.report_code(fragment, fragment.text.find(name), "E902", f"there is no kernel '{name}'{advice}")


def _compared(code: Code) -> set[str]:
    """Return the names of kernels that ``ratio(...)`` is called with."""
    calls = [node for node in ast.walk(code.tree) if isinstance(node, ast.Call)] if code.tree else []
    arguments = [argument for call in calls if ast.unparse(call.func) == "ratio" for argument in call.args]
    values = {argument.value for argument in arguments if isinstance(argument, ast.Constant)}
    return {value for value in values if isinstance(value, str)}
