"""The Python of a claim: inputs, program and expressions. It is parsed and looked at, never run."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Mapping as MappingType
from inspect import Parameter
from typing import Callable, Optional

from conformance.base.python_library import LIBRARY
from conformance.base.text import did_you_mean, listed
from conformance.language.documents import Mapping
from conformance.language.drafts import Draft, named
from conformance.language.expressions import BUILTINS, Call, Code, Name, expression, statements
from conformance.language.model import Expectation, Fragment
from conformance.language.reading import first_column
from conformance.language.rules.context import ALWAYS, Context
from conformance.language.rules.inputs import argument_mistakes
from conformance.language.rules.vacuity import aliases, compares_with_itself, idle, never_true, unreached
from conformance.language.vocabulary import Word
from conformance.language.yaml_lookalikes import cut_at_comma
from conformance.names.signatures import is_positional, is_single

VERSION = "__version__"
IMPORTABLE = LIBRARY | {"numpy", "torch"}

_ELSEWHERE = {
    "numpy": "write np",
    "nn": "write torch.nn",
    "F": "write torch.nn.functional",
    "autograd": "write torch.autograd",
    "cuda": "write torch.cuda",
    "Tensor": "write torch.Tensor",
    "pytest": "give `raises` or `warns`",
}


def check_programs(draft: Draft, context: Context) -> None:
    """Check every piece of Python in a claim."""
    claim = draft.claim
    inputs = input_names(draft)
    known = context.in_programs | inputs
    _check_input_names(draft, context)
    _check_given(draft, context)
    _check_regardless(draft, inputs)
    program = check_code(draft, claim.do, statements)
    if claim.do is not None and program is not None:
        check_names(draft, claim.do, program, known, inputs, context)
        _check_calls(draft, claim.do, program, context.checks)
        _check_imports(draft, claim.do, program)
        _check_assigned(draft, claim.do, program, context)
    _check_timed(draft, program)
    _check_control(draft, known, inputs, context)
    for fragment in claim.assume:
        _check_filter(draft, fragment, "and so it filters nothing", context)
        _check_release(draft, fragment, "`assume`", "`applies` or a divergence's `when` says where a claim is tried")
    for divergence in claim.diverges:
        if divergence.where is not None:
            consequence = "and so it chooses nothing; leave it out for every example"
            _check_filter(draft, divergence.where, consequence, context)
            _check_release(draft, divergence.where, "`where`", "`when` says which releases a divergence is about")
        for number, (_, fragment) in enumerate(divergence.example):
            code = check_code(draft, fragment, expression)
            if code is not None:
                earlier = frozenset(named(divergence.example[:number]))
                check_names(draft, fragment, code, BUILTINS | ALWAYS | earlier, earlier, context)
    for outcome in (claim.expectation, *(divergence.instead for divergence in claim.diverges)):
        if program is None and "do" in draft.entries:
            _check_without_program(draft, outcome, known, context)
        else:
            _check_expect(draft, outcome, program, inputs, context)


def _check_control(draft: Draft, known: frozenset[str], inputs: frozenset[str], context: Context) -> None:
    claim = draft.claim
    program = claim.controlled()
    if claim.do is None or program is None:
        return
    for old, new in claim.control:
        if old not in claim.do.text:
            draft.report_code(new, 0, "E509", f"`do` has no {old!r} that this could replace")
    first = claim.control[0][1]
    code = statements(program)
    if code.mistake:
        draft.report_code(first, 0, "E201", f"`do` with what replaces its parts is no Python: {code.mistake.message}")
    else:
        for name in code.undefined(known):
            draft.report_code(first, 0, "E202", f"nothing defines '{name.name}' in `do` with what replaces its parts")


def _check_timed(draft: Draft, program: Optional[Code]) -> None:
    times = program is not None and any(call.name == "timed" for call in program.calls)
    if draft.claim.family and times != draft.claim.is_timed and (program is not None or draft.claim.do is None):
        message = "a claim is of the family timing if its `do` calls timed(...), and only then"
        draft.report(draft.entries["family"], "E901", message)


def unused_inputs(draft: Draft) -> list[str]:
    """List the inputs that nothing but a filter reads."""
    claim = draft.claim
    if draft.node.damaged or (claim.do is None and "do" in draft.entries):
        return []
    codes = [expression(fragment.text) for _, fragment in claim.given]
    for outcome in (claim.expectation, *(divergence.instead for divergence in claim.diverges)):
        codes += [expression(fragment.text) for fragment in outcome.expect]
    if claim.do is not None:
        codes.append(statements(claim.do.text))
    if any(code.mistake for code in codes):
        return []
    read = {name.name for code in codes for name in code.needs}
    read |= {attribute for code in codes for owner, attribute, _ in code.attributes if owner == "before"}
    return [name for name in named(claim.given) if name not in read and is_name(name)]


def never_reached(draft: Draft) -> dict[int, str]:
    """Return line and text of the statements of a claim's program that can't run."""
    program = draft.claim.do
    if program is None or draft.node.damaged or statements(program.text).mistake:
        return {}
    return unreached(program.text)


def is_name(text: str) -> bool:
    """Whether text can be a name in Python."""
    return text.isidentifier() and not keyword.iskeyword(text)


def input_names(draft: Draft) -> frozenset[str]:
    """Collect the names of a claim's inputs, also of those whose kind is wrong."""
    given = draft.entries.get("given")
    return frozenset(given.entries) if isinstance(given, Mapping) else frozenset()


def check_code(draft: Draft, fragment: Optional[Fragment], look: Callable[[str], Code]) -> Optional[Code]:
    """Look at a piece of Python; None, and a problem, where it is none."""
    if fragment is None:
        return None
    code: Code = look(fragment.text)
    mistake = code.mistake
    if mistake is None:
        return code
    scalar = draft.scalar_of(fragment)
    column = first_column(fragment.text) if draft.row is None else None
    if mistake.too_much:
        draft.report_code(fragment, mistake.offset, "E004", mistake.message)
    elif column is not None:
        message = f"${column[1]} needs a column '{column[1]}' in `each`"
        draft.report_code(fragment, column[0], "E801", message)
    elif scalar.inline and not scalar.style and cut_at_comma(scalar.value):
        # Where the mistake shows is up to the Python that looks.
        message = "YAML cut this at a comma; inside {} and [], text with a comma needs quotes"
        draft.report_code(fragment, 0, "E201", message)
    else:
        advice = "; '>' joins lines, use '|'" if scalar.style == ">" and look is statements else ""
        draft.report_code(fragment, mistake.offset, "E201", f"not Python: {mistake.message}{advice}")
    return None


def _check_filter(draft: Draft, fragment: Fragment, consequence: str, context: Context) -> None:
    """Check an expression over the inputs."""
    code = check_code(draft, fragment, expression)
    if code is None:
        return
    inputs = input_names(draft)
    check_names(draft, fragment, code, context.in_programs | inputs, inputs, context)
    _check_calls(draft, fragment, code, context.checks)
    why = never_true(code)
    if why is not None:
        draft.report_code(fragment, 0, "E214", f"no example satisfies this: {why}")
    elif not any(name.name in inputs for name in code.needs):
        draft.report_code(fragment, 0, "E208", f"this mentions no input, {consequence}")
    elif (why := idle(code)) is not None:
        draft.report_code(fragment, 0, "E208", f"this is always true, {consequence}: {why}")


def _check_release(draft: Draft, fragment: Fragment, key: str, advice: str) -> None:
    """Report a filter over the inputs that asks for the release: what it leaves out would be seen nowhere."""
    place = fragment.text.find(VERSION)
    if place >= 0:
        draft.report_code(fragment, place, "E215", f"{key} is about the inputs, not about the release; {advice}")


def _check_without_program(draft: Draft, outcome: Expectation, known: frozenset[str], context: Context) -> None:
    """Check what is expected after a broken program: what that would define is not known."""
    for fragment in outcome.expect:
        code = check_code(draft, fragment, expression)
        if code is not None:
            _check_calls(draft, fragment, code, context.checks)
            called = {call.offset for call in code.calls}
            for name in code.undefined(known):
                if name.offset in called and did_you_mean(name.name, context.checks):
                    _report_check(draft, fragment, name, known, context)


def check_names(
    draft: Draft,
    fragment: Fragment,
    code: Code,
    defined: frozenset[str],
    inputs: frozenset[str],
    context: Context,
) -> None:
    """Report the names in a piece of Python that are not among the defined ones."""
    called = {call.offset for call in code.calls}
    for name in code.undefined(defined):
        if name.offset in called and name.name not in _ELSEWHERE and name.name not in context.input_kinds:
            if context.checks:
                _report_check(draft, fragment, name, defined, context)
        else:
            message = f"nothing defines '{name.name}'{_advice(draft, name.name, defined, context)}"
            draft.report_code(fragment, name.offset, "E202", message)
    for owner, attribute, offset in code.attributes:
        if owner == "before" and "before" in defined and attribute not in inputs:
            near = did_you_mean(attribute, inputs) or (f"; inputs are {listed(sorted(inputs))}" if inputs else "")
            draft.report_code(fragment, offset, "E202", f"before.{attribute} is not an input{near}")


def _report_check(draft: Draft, fragment: Fragment, name: Name, defined: frozenset[str], context: Context) -> None:
    near = did_you_mean(name.name, context.checks) or did_you_mean(name.name, defined)
    advice = near or "; a function of torch is written torch.name, and the checks are listed in the documentation"
    draft.report_code(fragment, name.offset, "E203", f"'{name.name}' is not a check{advice}")


def _advice(draft: Draft, name: str, defined: frozenset[str], context: Context) -> str:
    if name in _ELSEWHERE:
        return f"; {_ELSEWHERE[name]}"
    if name == "before":
        return "; before.x is for `expect`"
    if name in context.input_kinds:
        return f"; {name}(...) is an input kind, which goes under `given`"
    if name in IMPORTABLE or (draft.claim.own and name == draft.claim.subject.partition(".")[0]):
        return f"; write `import {name}` in `do`"
    own = sorted(defined - BUILTINS)
    return did_you_mean(name, own) or did_you_mean(name, defined)


def _check_calls(draft: Draft, fragment: Fragment, code: Code, entries: MappingType[str, Word]) -> None:
    for call in code.calls:
        entry = entries.get(call.name)
        if entry is not None and call.name not in code.binds:
            _check_arguments(draft, fragment, call, entry)


def _check_arguments(draft: Draft, fragment: Fragment, call: Call, entry: Word) -> None:
    """Check a call against the signature of what it calls."""
    positional = [parameter for parameter in entry.parameters if is_positional(parameter)]
    variable = any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in entry.parameters)
    anything = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in entry.parameters)
    named = {parameter.name for parameter in entry.parameters if is_single(parameter)}
    if len(call.arguments) > len(positional) and not variable:
        extra = call.arguments[len(positional)][1]
        most = f"{len(positional)} positional argument{'' if len(positional) == 1 else 's'}"
        draft.report_code(fragment, extra, "E205", f"{entry.name} takes {most}: {entry.signature}")
        return
    filled = {parameter.name for parameter in positional[: len(call.arguments)]}
    for name, offset in call.keywords:
        if name in filled:
            draft.report_code(fragment, offset, "E205", f"'{name}' is given twice: {entry.signature}")
            return
        if name not in named and not anything:
            near = did_you_mean(name, named) or f": {entry.signature}"
            draft.report_code(fragment, offset, "E205", f"{entry.name} has no argument '{name}'{near}")
            return
        filled.add(name)
    required = [
        parameter for parameter in entry.parameters if is_single(parameter) and parameter.default is Parameter.empty
    ]
    missing = [parameter.name for parameter in required if parameter.name not in filled]
    if missing and call.complete:
        message = f"{entry.name} lacks {' and '.join(missing)}: {entry.signature}"
        draft.report_code(fragment, call.offset, "E205", message)


def _check_imports(draft: Draft, fragment: Fragment, code: Code) -> None:
    for module, offset in code.imports:
        if module.startswith("."):
            message = f"a claim is in no package, so it can't import '{module}'; write the module's full name"
            draft.report_code(fragment, offset, "E211", message)
        elif module.split(".")[0] == "conformance":
            message = "'conformance' is this package, whatever else is called so; rename the module that is meant"
            draft.report_code(fragment, offset, "E211", message)
        elif not draft.claim.own and module.split(".")[0] not in IMPORTABLE:
            allowed = f"it needs only torch, NumPy and Python's own library{did_you_mean(module, IMPORTABLE)}"
            draft.report_code(fragment, offset, "E211", f"a claim of the corpus can't import '{module}'; {allowed}")


def _check_assigned(draft: Draft, fragment: Fragment, code: Code, context: Context) -> None:
    imported = {module.split(".")[0] for module, _ in code.imports}
    allowed = {name for name, module in (("torch", "torch"), ("np", "numpy")) if module in imported}
    taken = (ALWAYS | {"before"} | set(context.checks)) - allowed
    for name in sorted(code.binds & taken):
        draft.report_code(fragment, 0, "E210", f"`do` gives '{name}' a new meaning; use another name")


def _check_input_names(draft: Draft, context: Context) -> None:
    given = draft.entries.get("given")
    if not isinstance(given, Mapping):
        return
    later = [expression(fragment.text) for _, fragment in draft.claim.given]
    for number, (name, key) in enumerate(given.keys.items()):
        if cut_at_comma(name):
            continue
        used_below = {call.name for code in later[number + 1 :] for call in code.calls}
        if not is_name(name):
            why = "can't be a name in Python"
        elif name in ALWAYS or name == "before":
            why = "always has its own meaning"
        elif name in context.checks:
            why = "is a check"
        elif name in context.input_kinds and name in used_below:
            why = "is an input kind that is used again below"
        else:
            continue
        draft.report(key, "E210", f"'{name}' {why}; choose another name for this input")


def _check_regardless(draft: Draft, inputs: frozenset[str]) -> None:
    for name in draft.claim.regardless:
        if name not in inputs:
            hint = did_you_mean(name, inputs)
            draft.report_key("regardless", "E202", f"`regardless` names inputs, and '{name}' is none{hint}")


def _check_given(draft: Draft, context: Context) -> None:
    earlier: dict[str, str] = {}
    for name, fragment in draft.claim.given:
        code = check_code(draft, fragment, expression)
        if code is not None:
            _check_input(draft, name, fragment, code, earlier, context)
        earlier[name] = fragment.text.strip().partition("(")[0]


def _check_input(
    draft: Draft, own_name: str, fragment: Fragment, code: Code, earlier: dict[str, str], context: Context
) -> None:
    every = input_names(draft)
    kinds = context.input_kinds
    start = len(fragment.text) - len(fragment.text.lstrip())
    outer = next((call for call in code.calls if call.offset == start and _is_call(code)), None)
    if outer is None:
        example = f"; for a fixed value write one_of({fragment.text.strip()})" if len(fragment.text) < 40 else ""
        draft.report_code(fragment, start, "E207", f"an input is a call of an input kind, such as tensor(){example}")
        return
    if kinds and outer.name not in kinds:
        advice = did_you_mean(outer.name, kinds) or f"; they are {listed(sorted(kinds))}"
        draft.report_code(fragment, start, "E204", f"'{outer.name}' is not an input kind{advice}")
        return
    kind, before = kinds.get(outer.name), len(draft.problems)
    classes: set[int] = set()
    if kind is not None:
        _check_arguments(draft, fragment, outer, kind)
        variable = next(
            (parameter.name for parameter in kind.parameters if parameter.kind is Parameter.VAR_POSITIONAL), None
        )
        if variable == "classes":
            for name, offset in outer.arguments:
                classes.add(offset)
                known = (*context.dtype_classes, *earlier)
                if context.dtype_classes and name is not None and name not in known:
                    advice = did_you_mean(name, context.dtype_classes) or f"; they are {listed(context.dtype_classes)}"
                    draft.report_code(fragment, offset, "E206", f"'{name}' is not a class of dtypes{advice}")
    defined = context.in_inputs | set(earlier) | {outer.name}
    for name_ in code.undefined(defined):
        if name_.offset in classes:
            continue
        if name_.name in every:
            itself = name_.name == own_name
            advice = "it is this input itself" if itself else "inputs are drawn in order, so move it above"
            draft.report_code(fragment, name_.offset, "E202", f"'{name_.name}' is not drawn yet; {advice}")
        else:
            advice = _advice(draft, name_.name, defined, context)
            draft.report_code(fragment, name_.offset, "E202", f"nothing defines '{name_.name}'{advice}")
    if kind is not None and len(draft.problems) == before:
        offsets = _argument_offsets(code, outer)
        for node, mistake, message in argument_mistakes(_call_of(code), kind, earlier):
            draft.report_code(fragment, offsets[id(node)], mistake, message)


def _is_call(code: Code) -> bool:
    return isinstance(code.tree, ast.Expression) and isinstance(code.tree.body, ast.Call)


def _call_of(code: Code) -> ast.Call:
    assert isinstance(code.tree, ast.Expression)
    assert isinstance(code.tree.body, ast.Call)
    return code.tree.body


def _argument_offsets(code: Code, outer: Call) -> dict[int, int]:
    """Return the offset of each argument of the call that an input is, by the identity of its node."""
    call = _call_of(code)
    plain = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
    named = [keyword.value for keyword in call.keywords if keyword.arg is not None]
    offsets = [offset for _, offset in (*outer.arguments, *outer.keywords)]
    return {id(node): offset for node, offset in zip((*plain, *named), offsets)}


def _check_expect(
    draft: Draft, outcome: Expectation, program: Optional[Code], inputs: frozenset[str], context: Context
) -> None:
    common = context.in_programs
    assigned = program.binds if program is not None else frozenset()
    gone: frozenset[str] = frozenset()  # where the last statement raises, what it would have bound
    if outcome.raises is not None and program is not None and program.steps:
        gone = assigned.difference(*(step.binds for step in program.steps[:-1])) - common - inputs
    relevant = inputs | assigned | {"before"}
    known = common | relevant
    do = draft.claim.do
    same = aliases(do.text) if do is not None and program is not None else {}
    for fragment in outcome.expect:
        code = check_code(draft, fragment, expression)
        if code is None:
            continue
        lost = [name for name in code.undefined(known - gone) if name.name in gone] if gone else []
        if lost:
            assigned_there = f"'{lost[0].name}' is assigned by the statement that raises"
            message = f"{assigned_there}, so it does not exist then; remove this"
            draft.report_code(fragment, lost[0].offset, "E504", message)
        check_names(draft, fragment, code, known, inputs, context)
        _check_calls(draft, fragment, code, context.checks)
        itself = compares_with_itself(code, context.checks, same)
        why = idle(code)
        if itself is not None:
            draft.report_code(fragment, 0, "E213", f"this compares a thing with itself: {itself[:60]}")
        elif why is not None:
            draft.report_code(fragment, 0, "E208", f"this can't fail: {why}")
        elif not any(name.name in relevant for name in code.needs) and not any(code.undefined(common)):
            silent = "this mentions no input and nothing that `do` assigns, so it says nothing about the program"
            draft.report_code(fragment, 0, "E208", f"{silent}; assign the result in `do`")
