"""Which code a change concerns, and how sure that is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Optional

from conformance.base.release_spans import as_version, minor
from conformance.language.model import ArgumentMatch, Change, CodeMatch
from conformance.names.lookup import Names
from conformance.names.model import Found
from conformance.upgrade.signatures import signatures
from conformance.usage import Argument, Call, Evidence, Kind, TorchName, Use, read_project
from conformance.usage.matching import Signature, bind
from conformance.usage.torch_results import canonical
from conformance.usage.versions import runs_on_both_sides

#: How a name is used, by the keys of the form that say no more.
_KINDS = {
    "read": (Kind.NAME, Kind.ISINSTANCE, Kind.EXCEPT),
    "set": (Kind.ASSIGN,),
    "isinstance": (Kind.ISINSTANCE,),
    "except": (Kind.EXCEPT,),
    "base": (Kind.BASE,),
}
_DECORATORS = {"decorator": "function", "class decorator": "class"}
_EVIDENCE = {True: Evidence.CERTAIN, None: Evidence.MAYBE, False: None}
_TENSORS = {f"{kind} tensor": kind for kind in ("bool", "integer", "float", "complex")}


def concerned(pieces: Sequence[tuple[Change, str]], names: Names) -> list[Optional[Evidence]]:
    """Return how surely each change concerns its piece of Python, in which torch is imported; nothing of it is run."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (_, code) in enumerate(pieces):
            Path(folder, f"piece_{number:05}.py").write_text(f"import torch\n{code}\n", encoding="utf-8")
        files = read_project([Path(folder)]).files  # in the order of their names
    return [
        max((found for use in file.uses if (found := concern(change, use, names))), default=None)
        for (change, _), file in zip(pieces, files)
    ]


def concern(change: Change, use: Use, names: Names) -> Optional[Evidence]:
    """Return how surely a change concerns a use; None where it does not, or where the code expects the change.

    What only warns, or gives another result, concerns the body of a ``try`` too: nothing is raised there. Code under a
    comparison of versions is concerned if it runs on a release before the change and on one since. A rare
    change does not concern code that does not show the arguments that it is about.
    """
    is_caught = use.guarded and use.runs_on is None and not (use.tried and change.harm != "breaks")
    if use.evidence is Evidence.MAYBE or is_caught:
        return None
    if use.runs_on is not None and not runs_on_both_sides(use.runs_on, change.release):
        return None
    found = [evidence for match in change.match if (evidence := _matched(match, use, change.release, names))]
    if not found or (max(found) is Evidence.MAYBE and change.reach == "rare"):
        return None
    return min(use.evidence, max(found))


def names_of(use: Use) -> set[str]:
    """Return the names that a use may be one of, each as it is written and as torch documents it."""
    return {name for name in use.names for name in (name, canonical(name))}


def _matched(match: CodeMatch, use: Use, release: str, names: Names) -> Optional[Evidence]:
    if match.caught and match.caught not in use.caught:
        return None
    named = names_of(use)
    if match.how == "use":
        # What makes an object is concerned, and not each method of it.
        is_of_object = use.call is not None and use.call.receiver is not None and use.call.receiver.type == match.name
        is_used = any(f"{name}.".startswith(f"{match.name}.") for name in named) and use.kind is not Kind.OVERRIDE
        return Evidence.CERTAIN if is_used and not is_of_object else None
    if match.name not in named:
        return None
    if match.how in _KINDS:
        return _EVIDENCE[use.kind in _KINDS[match.how]]
    if match.how in _DECORATORS:
        return _EVIDENCE[use.decorates == _DECORATORS[match.how]]
    if match.how == "override":
        defined = {use.decorates, *(parameter.name for parameter in use.parameters or ())}
        return _EVIDENCE[use.kind is Kind.OVERRIDE and not defined.intersection(each.name for each in match.leaves_out)]
    if use.call is None or use.kind is Kind.ASSIGN:
        return None
    is_class = match.name.rpartition(".")[2][:1].isupper()
    if use.kind is Kind.PASSED and is_class and not (use.call.positional or use.call.keywords):
        return Evidence.MAYBE  # as in x.type(torch.cuda.FloatTensor), which makes no object
    found = _EVIDENCE[_is_call(match, use.call, _signatures(match.name, release, names))]
    return Evidence.MAYBE if found and match.rarely_for and match.rarely_for == use.call.result_for else found


def _is_call(match: CodeMatch, call: Call, known: Sequence[Signature]) -> Optional[bool]:
    """Return whether a call is as a change says; None where the code does not show it."""
    passed = dict(call.keywords)
    for signature in known:
        passed.update(bind(call, signature).passed)
        passed.update(_of_stars(call, signature))
    is_open = call.more_keywords or call.more_positional
    answers: list[Optional[bool]] = [
        len(call.positional) >= match.positional or (None if call.more_positional else False)
    ]
    if match.on:
        answers.append(_is_a(call.receiver or next(iter(call.positional), Argument()), match.on))
    if match.passes:
        answers.append(_any([_passes(passed, wanted, is_open) for wanted in match.passes]))
    if match.leaves_out:
        found = _any([_passes(passed, unwanted, is_open) for unwanted in match.leaves_out])
        answers.append(None if found is None else not found)
    return False if False in answers else None if None in answers else True


def _of_stars(call: Call, signature: Signature) -> Iterator[tuple[str, Argument]]:
    """Yield the first of the arguments that a parameter such as ``*size`` takes."""
    for position, parameter in enumerate(signature):
        if parameter.kind == "var_positional" and position < len(call.positional):
            yield parameter.name, call.positional[position]


def _any(answers: Sequence[Optional[bool]]) -> Optional[bool]:
    return True if True in answers else None if None in answers else False


def _passes(passed: dict[str, Argument], wanted: ArgumentMatch, is_open: bool) -> Optional[bool]:
    argument = passed.get(wanted.name)
    if argument is None:
        return None if is_open else False
    if wanted.kind:
        return _is_a(argument, wanted.kind)
    if wanted.value:
        return _shown(argument) == wanted.value if argument.known else None if argument.type is None else False
    return True


def _shown(argument: Argument) -> str:
    return argument.value.name if isinstance(argument.value, TorchName) else repr(argument.value)


def _is_a(argument: Argument, kind: str) -> Optional[bool]:
    """Return whether an argument is of a kind; None where the code does not show it."""
    if argument.type == "torch.Tensor":
        if kind in _TENSORS:
            return None if argument.dtype is None else argument.dtype == _TENSORS[kind]
        return argument.requires_grad if kind == "tensor that requires grad" else kind == "tensor"
    if argument.type is None:
        return False if argument.known else None
    return argument.type == kind


@lru_cache(maxsize=5_000)
def _signatures(name: str, release: str, names: Names) -> tuple[Signature, ...]:
    """Return the signatures of a name in the last release before a change that tells them, or in the first since."""
    known = [minor(one) for one in names.releases]
    earlier = [one for one in known if as_version(one) < as_version(release)]
    for near in (*reversed(earlier), *known[len(earlier) :]):
        found = names.lookup(name, near)
        if isinstance(found, Found) and signatures(found.record):
            return signatures(found.record)
    return ()
