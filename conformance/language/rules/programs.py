"""The Python of a claim: inputs, program and expressions. It is parsed and looked at, never run."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Mapping as MappingType
from typing import Callable, Optional

from conformance.language.documents import Mapping, cut_at_comma, did_you_mean, listed
from conformance.language.drafts import ClaimDraft, ExpectationDraft, NamedSnippet
from conformance.language.expressions import BUILTINS, Call, Code, Name, expression, statements
from conformance.language.problems import Problems
from conformance.language.rules.context import ALWAYS, Context, report
from conformance.language.rules.outcomes import cannot_fail
from conformance.language.snippets import Snippet, first_column
from conformance.language.vocabulary import Entry

# The standard library of the oldest Python, as far as a claim about tensors may want it. Written out, so that a spec
# has the same problems under every Python.
_MODULES = """
abc array ast asyncio bz2 cmath collections concurrent contextlib copy copyreg ctypes dataclasses datetime decimal dis
enum fractions functools gc gzip hashlib heapq importlib inspect io itertools json locale logging lzma marshal math
mmap multiprocessing numbers operator os pathlib pickle pickletools platform pprint queue random re shelve shutil
signal statistics string struct subprocess sys tempfile textwrap threading time timeit traceback types typing unittest
uuid warnings weakref zipfile zlib numpy torch
"""
IMPORTABLE = frozenset(_MODULES.split())

_ELSEWHERE = {
    "numpy": "write np",
    "nn": "write torch.nn",
    "F": "write torch.nn.functional",
    "autograd": "write torch.autograd",
    "cuda": "write torch.cuda",
    "Tensor": "write torch.Tensor",
    "ratio": "only a `compare` claim has ratio(...)",
    "pytest": "give `raises` or `warns`",
}


def check_programs(draft: ClaimDraft, context: Context, problems: Problems) -> None:
    """Check every piece of Python in a claim."""
    inputs = input_names(draft)
    common = context.in_programs
    _check_input_names(draft, context, problems)
    _check_given(draft, context, problems)
    program = check_code(draft.do, statements, problems)
    if draft.do is not None and program is not None:
        check_names(draft.do, program, common | inputs, inputs, context, problems)
        _check_calls(draft.do, program, context.checks, problems)
        _check_imports(draft.do, program, problems)
        _check_assigned(draft.do, program, context, problems)
    for snippet in draft.assume:
        code = check_code(snippet, expression, problems)
        if code is not None:
            check_names(snippet, code, common | inputs, inputs, context, problems)
            _check_calls(snippet, code, context.checks, problems)
            _check_mentions(snippet, code, inputs, "an input", "and so it filters nothing", problems)
    if draft.compare is not None:
        return
    outcomes = [draft.expectation]
    for divergence in draft.diverges:
        outcomes.append(divergence.instead)
        if divergence.where is not None:
            code = check_code(divergence.where, expression, problems)
            if code is not None:
                check_names(divergence.where, code, common | inputs, inputs, context, problems)
                _check_calls(divergence.where, code, context.checks, problems)
                _check_mentions(
                    divergence.where,
                    code,
                    inputs,
                    "an input",
                    "and so it chooses nothing; leave it out for every example",
                    problems,
                )
        for number, entry in enumerate(divergence.example):
            code = check_code(entry.snippet, expression, problems)
            if code is not None:
                earlier = frozenset(other.name for other in divergence.example[:number])
                check_names(entry.snippet, code, BUILTINS | ALWAYS | earlier, earlier, context, problems)
    if program is None and "do" in draft.node.entries:
        # What a broken program would define is not known.
        for outcome in outcomes:
            for snippet in outcome.expect:
                code = check_code(snippet, expression, problems)
                if code is not None:
                    _check_calls(snippet, code, context.checks, problems)
                    _check_near_checks(snippet, code, common | inputs, context, problems)
        return
    for outcome in outcomes:
        _check_expect(draft, outcome, program, inputs, common, context, problems)


def unused_inputs(draft: ClaimDraft) -> list[str]:
    """List the inputs that nothing but a filter reads."""
    unread = draft.do is None and "do" in draft.node.entries
    if draft.compare is not None or draft.node.damaged or unread:
        return []
    snippets = [entry.snippet for entry in draft.given]
    codes = [expression(snippet.text) for snippet in snippets]
    for outcome in [draft.expectation, *(divergence.instead for divergence in draft.diverges)]:
        codes += [expression(snippet.text) for snippet in outcome.expect]
    if draft.do is not None:
        codes.append(statements(draft.do.text))
    if any(code.mistake for code in codes):
        return []
    read = {name.name for code in codes for name in code.needs}
    read |= {attribute for code in codes for owner, attribute, _ in code.attributes if owner == "before"}
    return [entry.name for entry in draft.given if entry.name not in read and is_name(entry.name)]


def is_name(text: str) -> bool:
    """Whether text can be a name in Python."""
    return text.isidentifier() and not keyword.iskeyword(text)


def input_names(draft: ClaimDraft) -> frozenset[str]:
    """Collect the names of a claim's inputs, also of those whose kind is wrong."""
    given = draft.node.entries.get("given")
    return frozenset(given.entries) if isinstance(given, Mapping) else frozenset()


def check_code(snippet: Optional[Snippet], look: Callable[[str], Code], problems: Problems) -> Optional[Code]:
    """Look at the code of a snippet; None, and a problem, where it is not Python."""
    if snippet is None or snippet.incomplete:
        return None
    if snippet.pieces is None and "$" in snippet.text:
        column = first_column(snippet.text)
        if column is not None and look(snippet.text).mistake:
            report(snippet, column[0], "E801", f"${column[1]} needs a column '{column[1]}' in `each`", problems)
            return None
    code: Code = look(snippet.text)
    if code.mistake is None:
        return code
    if code.mistake.too_much:
        report(snippet, code.mistake.offset, "E004", code.mistake.message, problems)
        return None
    advice = ""
    if snippet.scalar.style == ">" and look is statements:
        advice = "; '>' joins lines, use '|'"
    elif snippet.scalar.inline and not snippet.scalar.style and cut_at_comma(snippet.scalar.value):
        # Where the mistake shows is up to the Python that looks.
        report(
            snippet, 0, "E201", "YAML cut this at a comma; inside {} and [], text with a comma needs quotes", problems
        )
        return None
    report(snippet, code.mistake.offset, "E201", f"not Python: {code.mistake.message}{advice}", problems)
    return None


def check_names(
    snippet: Snippet, code: Code, defined: frozenset[str], inputs: frozenset[str], context: Context, problems: Problems
) -> None:
    """Report the names in a snippet that are not among the defined ones."""
    called = {call.offset for call in code.calls}
    for name in code.undefined(defined):
        if name.offset in called and name.name not in _ELSEWHERE and name.name not in context.input_kinds:
            if context.checks:
                _report_check(snippet, name, defined, context, problems)
        else:
            message = f"nothing defines '{name.name}'{_advice(name.name, defined, context)}"
            report(snippet, name.offset, "E202", message, problems)
    for owner, attribute, offset in code.attributes:
        if owner == "before" and "before" in defined and attribute not in inputs:
            near = did_you_mean(attribute, inputs) or (f"; inputs are {listed(sorted(inputs))}" if inputs else "")
            report(snippet, offset, "E202", f"before.{attribute} is not an input{near}", problems)


def _report_check(snippet: Snippet, name: Name, defined: frozenset[str], context: Context, problems: Problems) -> None:
    near = did_you_mean(name.name, context.checks) or did_you_mean(name.name, defined)
    advice = near or "; a function of torch is written torch.name, and the checks are listed in the documentation"
    report(snippet, name.offset, "E203", f"'{name.name}' is not a check{advice}", problems)


def _check_near_checks(
    snippet: Snippet, code: Code, defined: frozenset[str], context: Context, problems: Problems
) -> None:
    """Report only the calls that look like a mistyped check, where names that a program defines are not known."""
    called = {call.offset for call in code.calls}
    for name in code.undefined(defined):
        if name.offset in called and did_you_mean(name.name, context.checks):
            _report_check(snippet, name, defined, context, problems)


def _advice(name: str, defined: frozenset[str], context: Context) -> str:
    if name in _ELSEWHERE:
        return f"; {_ELSEWHERE[name]}"
    if name == "before":
        return "; before.x is for `expect`"
    if name in context.input_kinds:
        return f"; {name}(...) is an input kind, which goes under `given`"
    if name in IMPORTABLE:
        return f"; write `import {name}` in `do`"
    own = sorted(defined - BUILTINS)
    return did_you_mean(name, own) or did_you_mean(name, defined)


def _check_calls(snippet: Snippet, code: Code, entries: MappingType[str, Entry], problems: Problems) -> None:
    for call in code.calls:
        entry = entries.get(call.name)
        if entry is not None and call.name not in code.binds:
            _check_arguments(snippet, call, entry, problems)


def _check_arguments(snippet: Snippet, call: Call, entry: Entry, problems: Problems) -> None:
    """Check a call against the signature of what it calls."""
    positional = [parameter for parameter in entry.parameters if parameter.kind == "positional"]
    variable = any(parameter.kind == "variable" for parameter in entry.parameters)
    anything = any(parameter.kind == "variable keyword" for parameter in entry.parameters)
    named = {parameter.name for parameter in entry.parameters if parameter.kind in ("positional", "keyword")}
    if len(call.arguments) > len(positional) and not variable:
        extra = call.arguments[len(positional)][1]
        most = f"{len(positional)} positional argument{'' if len(positional) == 1 else 's'}"
        report(snippet, extra, "E205", f"{entry.name} takes {most}: {entry.signature}", problems)
        return
    filled = {parameter.name for parameter in positional[: len(call.arguments)]}
    for name, offset in call.keywords:
        if name in filled:
            report(snippet, offset, "E205", f"'{name}' is given twice: {entry.signature}", problems)
            return
        if name not in named and not anything:
            near = did_you_mean(name, named) or f": {entry.signature}"
            report(snippet, offset, "E205", f"{entry.name} has no argument '{name}'{near}", problems)
            return
        filled.add(name)
    missing = [parameter.name for parameter in entry.parameters if parameter.required and parameter.name not in filled]
    if missing and call.complete:
        report(snippet, call.offset, "E205", f"{entry.name} lacks {' and '.join(missing)}: {entry.signature}", problems)


def _check_imports(snippet: Snippet, code: Code, problems: Problems) -> None:
    for module, offset in code.imports:
        if module.split(".")[0] not in IMPORTABLE:
            report(
                snippet,
                offset,
                "E211",
                f"a claim can't import '{module}'; it needs only torch, NumPy and Python's own library"
                f"{did_you_mean(module, IMPORTABLE)}",
                problems,
            )


def _check_assigned(snippet: Snippet, code: Code, context: Context, problems: Problems) -> None:
    imported = {module.split(".")[0] for module, _ in code.imports}
    allowed = {name for name, module in (("torch", "torch"), ("np", "numpy")) if module in imported}
    taken = (ALWAYS | {"before"} | set(context.checks)) - allowed
    for name in sorted(code.binds & taken):
        report(snippet, 0, "E210", f"`do` gives '{name}' a new meaning; use another name", problems)


def _check_input_names(draft: ClaimDraft, context: Context, problems: Problems) -> None:
    given = draft.node.entries.get("given")
    if not isinstance(given, Mapping):
        return
    later = [expression(entry.snippet.text) for entry in draft.given]
    for number, (name, key) in enumerate(given.keys.items()):
        place = draft.document.place(key)
        if cut_at_comma(name):
            continue
        if not is_name(name):
            problems.add(place, "E210", f"'{name}' can't be a name in Python; choose another name for this input")
        elif name in ALWAYS or name == "before":
            problems.add(place, "E210", f"'{name}' always has its own meaning; choose another name for this input")
        elif name in context.checks:
            problems.add(place, "E210", f"'{name}' is a check; choose another name for this input")
        elif name in context.input_kinds and any(
            call.name == name for code in later[number + 1 :] for call in code.calls
        ):
            problems.add(
                place, "E210", f"'{name}' is an input kind that is used again below; choose another name for this input"
            )


def _check_given(draft: ClaimDraft, context: Context, problems: Problems) -> None:
    every = input_names(draft)
    earlier: set[str] = set()
    for entry in draft.given:
        code = check_code(entry.snippet, expression, problems)
        if code is not None:
            _check_input(entry, code, earlier, every, context, problems)
        earlier.add(entry.name)


def _check_input(
    entry: NamedSnippet, code: Code, earlier: set[str], every: frozenset[str], context: Context, problems: Problems
) -> None:
    snippet = entry.snippet
    kinds = context.input_kinds
    start = len(snippet.text) - len(snippet.text.lstrip())
    outer = next((call for call in code.calls if call.offset == start and _is_call(code)), None)
    if outer is None:
        example = f"; for a fixed value write one_of({snippet.text.strip()})" if len(snippet.text) < 40 else ""
        report(snippet, start, "E207", f"an input is a call of an input kind, such as tensor(){example}", problems)
        return
    if kinds and outer.name not in kinds:
        advice = did_you_mean(outer.name, kinds) or f"; they are {listed(sorted(kinds))}"
        report(snippet, start, "E204", f"'{outer.name}' is not an input kind{advice}", problems)
        return
    kind = kinds.get(outer.name)
    classes: set[int] = set()
    if kind is not None:
        _check_arguments(snippet, outer, kind, problems)
        variable = next((parameter.name for parameter in kind.parameters if parameter.kind == "variable"), None)
        if variable == "classes":
            for name, offset in outer.arguments:
                classes.add(offset)
                if (
                    name is not None
                    and name not in context.dtype_classes
                    and name not in earlier
                    and context.dtype_classes
                ):
                    advice = did_you_mean(name, context.dtype_classes) or f"; they are {listed(context.dtype_classes)}"
                    report(snippet, offset, "E206", f"'{name}' is not a class of dtypes{advice}", problems)
    defined = context.in_inputs | earlier | {outer.name}
    for name_ in code.undefined(defined):
        if name_.offset in classes:
            continue
        if name_.name in every:
            advice = (
                "; inputs are drawn in order, so move it above"
                if name_.name != entry.name
                else "; it is this input itself"
            )
            report(snippet, name_.offset, "E202", f"'{name_.name}' is not drawn yet{advice}", problems)
        else:
            advice = _advice(name_.name, defined, context)
            report(snippet, name_.offset, "E202", f"nothing defines '{name_.name}'{advice}", problems)


def _is_call(code: Code) -> bool:
    return isinstance(code.tree, ast.Expression) and isinstance(code.tree.body, ast.Call)


def _check_mentions(
    snippet: Snippet, code: Code, names: frozenset[str], what: str, consequence: str, problems: Problems
) -> None:
    if not any(name.name in names for name in code.needs):
        report(snippet, 0, "E208", f"this mentions no {what.split(' ', 1)[1]}, {consequence}", problems)


def _check_expect(
    draft: ClaimDraft,
    outcome: ExpectationDraft,
    program: Optional[Code],
    inputs: frozenset[str],
    common: frozenset[str],
    context: Context,
    problems: Problems,
) -> None:
    assigned = program.binds if program is not None else frozenset()
    gone: frozenset[str] = frozenset()  # where the last statement raises, what it would have bound
    if outcome.raises is not None and program is not None and program.steps:
        gone = assigned.difference(*(step.binds for step in program.steps[:-1])) - common - inputs
    relevant = inputs | assigned | {"before"}
    known = common | relevant
    for snippet in outcome.expect:
        code = check_code(snippet, expression, problems)
        if code is None:
            continue
        lost = [name for name in code.undefined(known - gone) if name.name in gone] if gone else []
        if lost:
            report(
                snippet,
                lost[0].offset,
                "E504",
                f"'{lost[0].name}' is assigned by the statement that raises, so it does not exist then; remove this",
                problems,
            )
        check_names(snippet, code, known, inputs, context, problems)
        _check_calls(snippet, code, context.checks, problems)
        why = cannot_fail(code)
        if why is not None:
            report(snippet, 0, "E208", f"this can't fail: {why}", problems)
        elif not any(name.name in relevant for name in code.needs) and not any(code.undefined(common)):
            report(
                snippet,
                0,
                "E208",
                "this mentions no input and nothing that `do` assigns, so it says nothing about the program;"
                " assign the result in `do`",
                problems,
            )
