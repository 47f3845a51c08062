"""Timing claims: named kernels over sizes, and expectations about ratios."""

from __future__ import annotations

import ast
from typing import Optional

from conformance.language.documents import did_you_mean, listed
from conformance.language.drafts import ClaimDraft, ComparisonDraft
from conformance.language.expressions import BUILTINS, Code, expression, statements
from conformance.language.problems import Problems
from conformance.language.rules.context import ALWAYS, Context, report
from conformance.language.rules.programs import check_code, check_names

SIZE = "n"
RATIO = "ratio"
_NOT_BESIDE = ("given", "assume", "do", "raises", "warns")


def check_comparison(draft: ClaimDraft, context: Context, problems: Problems) -> None:
    """Check a claim's ``compare``, or that a claim without it is no timing claim."""
    compare = draft.compare
    if compare is None:
        if draft.family == "timing" and "compare" not in draft.node.entries:
            problems.add(
                draft.document.place(draft.node.entries["family"]),
                "E901",
                "a timing claim has `compare`; add it, or choose another family",
            )
        return
    place = draft.document.place(compare.node)
    if draft.family is not None and draft.family != "timing":
        problems.add(
            draft.document.place(draft.node.entries["family"]), "E901", "a claim with `compare` is of the family timing"
        )
    for key in _NOT_BESIDE:
        if key in draft.node.entries:
            problems.add(
                draft.document.place(draft.node.keys[key]),
                "E901",
                f"`compare` has its own `setup` and `kernels`; remove `{key}`",
            )
    if len(compare.kernels) < 2 and not compare.node.damaged and "kernels" in compare.node.entries:
        problems.add(place, "E901", "a comparison needs two kernels or more")
    if compare.sizes_node is not None and compare.sizes:
        ordered = all(first < second for first, second in zip(compare.sizes, compare.sizes[1:]))
        if not ordered or compare.sizes[0] < 1:
            problems.add(
                draft.document.place(compare.sizes_node),
                "E901",
                "sizes are whole numbers from 1, each larger than the one before",
            )
    _check_code(draft, compare, context, problems)


def _check_code(draft: ClaimDraft, compare: ComparisonDraft, context: Context, problems: Problems) -> None:
    known = frozenset(BUILTINS | ALWAYS | {SIZE})
    assigned: Optional[frozenset[str]] = frozenset()
    codes: list[Code] = []
    if compare.setup is not None:
        setup = check_code(compare.setup, statements, problems)
        assigned = setup.binds if setup else None
        if setup is not None:
            codes.append(setup)
            check_names(compare.setup, setup, known, frozenset(), context, problems)
    for kernel in compare.kernels:
        code = check_code(kernel.snippet, statements, problems)
        if code is not None:
            codes.append(code)
            if assigned is not None:
                check_names(kernel.snippet, code, known | assigned, frozenset(), context, problems)
    if assigned is not None and compare.kernels and not any(name.name == SIZE for code in codes for name in code.needs):
        problems.add(
            draft.document.place(compare.node),
            "E901",
            f"neither `setup` nor a kernel uses {SIZE}, the size; make it matter",
        )
    names = [kernel.name for kernel in compare.kernels]
    for outcome in [draft.expectation, *(divergence.instead for divergence in draft.diverges)]:
        for snippet in outcome.expect:
            code = check_code(snippet, expression, problems)
            if code is None:
                continue
            check_names(snippet, code, frozenset(BUILTINS | ALWAYS | {RATIO}), frozenset(), context, problems)
            if not any(call.name == RATIO for call in code.calls):
                report(
                    snippet,
                    0,
                    "E208",
                    'this mentions no ratio("a", "b") of two kernels, so it says nothing about time',
                    problems,
                )
            for text, offset in _ratio_arguments(code, snippet.text):
                if text not in names and names:
                    advice = did_you_mean(text, names) or f"; they are {listed(names)}"
                    report(snippet, offset, "E902", f"there is no kernel '{text}'{advice}", problems)


def _ratio_arguments(code: Code, text: str) -> list[tuple[str, int]]:
    found = []
    tree = code.tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == RATIO:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    lines = text.lstrip().split("\n")
                    base = len(text) - len(text.lstrip())
                    start = base + sum(len(line) + 1 for line in lines[: argument.lineno - 1])
                    column = len(lines[argument.lineno - 1].encode()[: argument.col_offset].decode(errors="ignore"))
                    found.append((argument.value, start + column))
    return found
