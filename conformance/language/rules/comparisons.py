"""Timing claims: named kernels over sizes, and expectations about ratios."""

from __future__ import annotations

import ast

from conformance.language.drafts import Draft, named
from conformance.language.expressions import BUILTINS, Code, expression, statements
from conformance.language.rules.context import ALWAYS, Context
from conformance.language.rules.programs import check_code, check_names
from conformance.text import did_you_mean, listed

SIZE = "n"
RATIO = "ratio"
_NOT_BESIDE = ("given", "assume", "do", "raises", "warns")


def check_comparison(draft: Draft, context: Context) -> None:
    """Check a claim's ``compare``, or that a claim without it is no timing claim."""
    compare = draft.claim.compare
    if ("compare" in draft.entries) != (draft.claim.family == "timing") and draft.claim.family:
        draft.report(
            draft.entries["family"], "E901", "a claim is of the family timing if it has `compare`, and only then"
        )
    if compare is None:
        return
    for key in _NOT_BESIDE:
        if key in draft.entries:
            draft.report_key(key, "E901", f"`compare` has its own `setup` and `kernels`; remove `{key}`")
    node = draft.mapping_of(compare)
    if len(compare.kernels) < 2 and not node.damaged and "kernels" in node.entries:
        draft.report(node, "E901", "a comparison needs two kernels or more")
    if sorted({0, *compare.sizes}) != [0, *compare.sizes]:
        message = "sizes are whole numbers from 1, each larger than the one before"
        draft.report(node.entries["sizes"], "E901", message)
    _check_code(draft, context)


def _check_code(draft: Draft, context: Context) -> None:
    compare = draft.claim.compare
    assert compare is not None
    defined = frozenset(BUILTINS | ALWAYS | {SIZE})
    codes: list[Code] = []
    for fragment in (compare.setup, *(kernel for _, kernel in compare.kernels)):
        code = check_code(draft, fragment, statements)
        if code is None:
            return
        check_names(draft, fragment, code, defined, frozenset(), context)
        codes.append(code)
        defined |= codes[0].binds
    if compare.kernels and not any(name.name == SIZE for code in codes for name in code.needs):
        message = f"neither `setup` nor a kernel uses {SIZE}, the size; make it matter"
        draft.report(draft.mapping_of(compare), "E901", message)
    kernels = named(compare.kernels)
    for outcome in [draft.claim.expectation, *(divergence.instead for divergence in draft.claim.diverges)]:
        for fragment in outcome.expect:
            code = check_code(draft, fragment, expression)
            if code is None:
                continue
            check_names(draft, fragment, code, frozenset(BUILTINS | ALWAYS | {RATIO}), frozenset(), context)
            if not any(call.name == RATIO for call in code.calls):
                message = 'this mentions no ratio("a", "b") of two kernels, so it says nothing about time'
                draft.report_code(fragment, 0, "E208", message)
            for name in _compared(code):
                if name not in kernels and kernels:
                    advice = did_you_mean(name, kernels) or f"; they are {listed(kernels)}"
                    draft.report_code(
                        fragment, fragment.text.find(name), "E902", f"there is no kernel '{name}'{advice}"
                    )


def _compared(code: Code) -> list[str]:
    """Return the names of kernels that ``ratio(...)`` is called with."""
    calls = [node for node in ast.walk(code.tree) if isinstance(node, ast.Call)] if code.tree else []
    arguments = [node.args for node in calls if isinstance(node.func, ast.Name) and node.func.id == RATIO]
    constants = [node.value for nodes in arguments for node in nodes if isinstance(node, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]
