"""One claim on one example: run the program, judge the expectation."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal, Optional, Union

import numpy
import torch

from conformance.base.processes.service import WorkEnded
from conformance.checks import NotJudged, vocabulary
from conformance.inputs.devices import Accelerator, accelerator, is_out_of_memory
from conformance.inputs.given import Example
from conformance.inputs.recipes import Namespace
from conformance.language.model import PROMISES, Raises
from conformance.results.model import FailedPart, Tier
from conformance.run.scripts.program import Plan, Program, compile_expression
from conformance.run.worker.explain import explain, without_addresses

# A kernel that this torch does not have for a dtype: the example shows nothing about the promise.
_NO_KERNEL = re.compile(r"not implemented for '(\w+)'")
# An operator without a kernel, on another device than the CPU: on the CPU itself that is what torch does. A device that
# falls back to the CPU lacks what the CPU lacks.
_NO_OPERATOR = re.compile(r"Could not run '(?P<name>[\w:.]+)' with arguments from the '(?!Meta)\w+' backend")
_NOT_YET = re.compile(
    r"[Tt]he operator '(?P<name>[\w:.]+)' is not currently (?:implemented|supported)"
    r"|(?P<convolution>\bconvolution(?:_backward)?)_overrideable|(?P<stub>DispatchStub): missing kernel for"
    r"|^NYI: CUDA (?P<nyi>\w+) is not implemented"
)
# What torch 2.1 says of a float8 dtype, for which its table of type promotion has no place.
_NO_PROMOTION = "Unsupported TypeMeta in ATen"


Status = Literal["satisfied", "failed", "not-judged", "no-kernel", "invalid"]


@dataclass(frozen=True)
class Failure:
    """What was false: the part of the expectation, and the values behind it."""

    part: FailedPart
    detail: str


@dataclass(frozen=True)
class MissingKernel:
    """The dtype or operator that torch has no kernel for, as its error names it, and the class of that error."""

    dtype: str
    error: str


@dataclass
class Trial:
    """What one example showed.

    ``status`` is ``not-judged`` where the example proves nothing, ``no-kernel`` where torch lacks one (see
    ``missing_kernel``), and ``invalid`` where the claim itself is broken, see ``reason``. ``tiers`` tells, for each of
    error, type and message, whether a ``raises`` or ``warns`` was met so far; ``observed`` has one truth value per
    expression; ``leaks`` names what the program left in the interpreter; ``device`` is the device under test,
    and ``out_of_memory`` says that it had too little memory.
    """

    status: Status
    failure: Optional[Failure] = None
    reason: str = ""
    missing_kernel: Optional[MissingKernel] = None
    tiers: dict[Tier, bool] = field(default_factory=dict)
    observed: list[Optional[bool]] = field(default_factory=list)
    error: Optional[BaseException] = None
    warned: list[tuple[str, str]] = field(default_factory=list)
    namespace: Namespace = field(default_factory=dict)
    leaks: str = ""
    device: str = "cpu"
    out_of_memory: bool = False


_TIERS: tuple[Tier, ...] = ("error", "type", "message")
_VOCABULARY = vocabulary()
_NOTHING = nullcontext()


def namespace_for(values: Mapping[str, Any], device: str) -> Namespace:
    """Return the names that a program sees: torch, np, device, the checks and the inputs."""
    return {"torch": torch, "np": numpy, "device": device, **_VOCABULARY, **values}


def run_trial(
    plan: Plan,
    example: Example,
    device: str,
    *,
    record_warnings: bool = False,
    impostor: Optional[AbstractContextManager[Any]] = None,
) -> Trial:
    """Run a program on one example and judge its expectation.

    Parameters
    ----------
    record_warnings
        Record the warnings of the last statement even where the expectation does not ask for any.
    impostor
        A wrong torch: entered while the program runs and again while the expressions are evaluated, but not while
        inputs are built. Under it every expression is evaluated, also behind a false one.
    """
    expectation = plan.expectation
    namespace = namespace_for(example.values, device)
    trial = Trial("satisfied", namespace=namespace, device=device)
    with impostor or _NOTHING:
        records = record_warnings or expectation.warns is not None
        raised_early = _execute(plan.program, namespace, trial, records, accelerator(device))
    if trial.leaks:
        return _ended(trial, "invalid", f"it leaks {trial.leaks}")
    if isinstance(trial.error, NotJudged):
        return _ended(trial, "not-judged", message_of(trial.error))
    if device != "cpu" and trial.error is not None and _is_unforeseen_lack_of_memory(trial.error, expectation.raises):
        trial.out_of_memory = True
        return _ended(trial, "not-judged", f"{device} has too little memory")
    if isinstance(trial.error, (NameError, SyntaxError)) and expectation.raises is None:
        return _ended(trial, "invalid", f"do: {type(trial.error).__name__}: {message_of(trial.error)}")
    if trial.error is not None and expectation.raises is None:
        return _unexpected(trial, trial.error, raised_early)
    if expectation.raises is not None:
        _judge_raises(trial, expectation.raises, raised_early, judged=not plan.observes_only)
    if expectation.warns is not None:
        _judge_warns(trial, expectation.warns, judged=not plan.observes_only)
    if plan.expressions and trial.status == "satisfied":
        _judge_expressions(trial, plan, example, impostor)
    if plan.control is not None and trial.status == "satisfied" and impostor is None:
        _try_control(trial, plan.control, example, device)
    return trial


def _try_control(trial: Trial, control: Program, example: Example, device: str) -> None:
    """Leave the example out where the program raises even without the mistake."""
    other = Trial("satisfied", device=device)
    _execute(control, namespace_for(example.rebuild(), device), other, False, accelerator(device))
    if other.error is None:
        return
    missing = _missing_kernel(other.error, device)
    if missing:
        _without_kernel(trial, missing)
    else:
        _ended(trial, "not-judged", f"the control raised {type(other.error).__name__}")


def _execute(
    program: Program, namespace: Namespace, trial: Trial, record_warnings: bool, device: Optional[Accelerator]
) -> bool:
    """Run the statements, note in the trial what was raised and warned; return whether an early statement raised.

    Raises
    ------
    WorkEnded
        If the device is lost by it: nothing works there until the process ends.
    """
    early = True
    tracing = sys.gettrace(), sys.getprofile()
    try:
        if program.first is not None:
            exec(program.first, namespace)
        early = False
        if program.last is not None:
            if record_warnings:
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    try:
                        exec(program.last, namespace)
                    finally:
                        trial.warned = [(item.category.__name__, _text_of(item.message)) for item in caught]
            else:
                exec(program.last, namespace)
        if device is not None:
            device.synchronize()  # what fails later than it was asked failed in this program
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: a claim that raises them has raised
        if device is not None and (lost := device.is_lost) is not None:
            raise WorkEnded(f"lost the device {device.name}: {lost}") from None
        trial.error = error
        return early
    finally:
        # What follows the calls of this thread is put back before a function of ours is called.
        try:
            left = (sys.gettrace(), sys.getprofile()) != tracing
        except BaseException:  # a function for profiles sees these two calls, and raised
            left = True
        if left:
            sys.setprofile(tracing[1])
            sys.settrace(tracing[0])
            trial.leaks = "a function that traces or profiles calls"
    return False


def _unexpected(trial: Trial, error: BaseException, early: bool) -> Trial:
    missing = _missing_kernel(error, trial.device)
    if missing:
        return _without_kernel(trial, missing)
    trial.status = "failed"
    trial.failure = Failure(
        FailedPart("earlier-statement" if early else "do"), f"raised {type(error).__name__}: {first_line(error)}"
    )
    return trial


def _judge_raises(trial: Trial, raises: Raises, early: bool, *, judged: bool) -> None:
    if early:
        error = trial.error
        assert error is not None
        missing = _missing_kernel(error, trial.device)
        if missing:
            _without_kernel(trial, missing)
            return
        trial.status = "failed"
        trial.failure = Failure(
            FailedPart("raises"), f"an earlier statement raised {type(error).__name__}: {first_line(error)}"
        )
        return
    if trial.error is None:
        trial.tiers = {"error": False}
        if judged:
            trial.status, trial.failure = "failed", Failure(FailedPart("raises"), "nothing was raised")
        return
    missing = _missing_kernel(trial.error, trial.device)
    if missing and (raises.message is None or raises.message not in message_of(trial.error)):
        _without_kernel(trial, missing)
        return
    got: dict[Tier, bool] = {
        "error": True,
        "type": raises.type is None or _is_a(type(trial.error), raises.type),
        "message": raises.message is None or raises.message in message_of(trial.error),
    }
    shown = f"{type(trial.error).__name__}: {first_line(trial.error)}"
    _judge_tiers(trial, raises, got, shown, "raises", judged=judged)


def _judge_warns(trial: Trial, warns: Raises, *, judged: bool) -> None:
    if trial.status != "satisfied":
        return
    typed = [item for item in trial.warned if warns.type is None or item[0] == warns.type]
    worded = [item for item in typed if warns.message is None or warns.message in item[1]]
    got: dict[Tier, bool] = {"error": bool(trial.warned), "type": bool(typed), "message": bool(worded)}
    shown = (
        "; ".join(f"{name}: {(message.splitlines() or [''])[0]}" for name, message in trial.warned)
        or "nothing was warned"
    )
    _judge_tiers(trial, warns, got, shown, "warns", judged=judged)


def _judge_tiers(
    trial: Trial, asked: Raises, got: Mapping[Tier, bool], shown: str, kind: Literal["raises", "warns"], *, judged: bool
) -> None:
    asked_for: dict[Tier, bool] = {
        "error": True,
        "type": asked.type is not None,
        "message": asked.message is not None,
    }
    trial.tiers = {tier: met for tier, met in got.items() if asked_for[tier]}
    decisive = _TIERS[: PROMISES.index(asked.promised) + 1]
    missed = [tier for tier in decisive if not got[tier]]
    if missed and judged:
        trial.status, trial.failure = "failed", Failure(FailedPart(kind, tier=missed[0]), shown)


def _judge_expressions(
    trial: Trial, plan: Plan, example: Example, impostor: Optional[AbstractContextManager[Any]]
) -> None:
    namespace = trial.namespace
    if plan.needs_before:
        namespace["before"] = SimpleNamespace(**example.rebuild())
    if trial.error is not None:
        namespace["error"] = trial.error
    if impostor is None:
        _evaluate(trial, plan, every=plan.observes_only)
    else:
        with impostor:
            _evaluate(trial, plan, every=True)


def _evaluate(trial: Trial, plan: Plan, *, every: bool) -> None:
    """Evaluate the expressions, up to the first false one or every one; one that can't tell then counts as None."""
    namespace, unspecified = trial.namespace, plan.observes_only
    for position, expression in enumerate(plan.expressions):
        try:
            truth = bool(eval(expression.code, namespace))
        except NotJudged as reason:
            if every:
                trial.observed.append(None)
                continue
            _ended(trial, "not-judged", message_of(reason))
            return
        except NameError as error:
            if every and not unspecified:
                trial.observed.append(None)
                continue
            _ended(trial, "invalid", f"expect[{position}]: {message_of(error)}")
            return
        except Exception as error:
            missing = _missing_kernel(error, trial.device)
            if missing and every and not unspecified:
                trial.observed.append(None)
                continue
            if missing:
                _without_kernel(trial, missing)
                return
            # An expression that raises is not one that is false: to be shown to fail, it must be answered.
            trial.observed.append(None if every and not unspecified else False)
            if not unspecified:
                _falsify(trial, position, expression.text, f"raised {type(error).__name__}: {first_line(error)}")
            if every:
                continue
            return
        trial.observed.append(truth)
        if not truth and not unspecified:
            _falsify(trial, position, expression.text, "" if every else explain(expression.text, namespace))
            if not every:
                return


def _falsify(trial: Trial, position: int, text: str, detail: str) -> None:
    if trial.failure is None:
        trial.status, trial.failure = "failed", Failure(FailedPart("expect", position, text), detail)


def satisfies(text: str, values: Mapping[str, Any], device: str) -> bool:
    """Evaluate an ``assume`` or ``where`` expression over the inputs; an error in it counts as false."""
    try:
        return bool(eval(compile_expression(text).code, namespace_for(values, device)))
    except Exception:
        return False


def message_of(error: BaseException) -> str:
    """Return the message of an error or a warning, also of one that can't be printed."""
    try:
        return str(error)
    except BaseException as other:  # its class is the claim's, and may raise anything
        return f"<{type(error).__name__}: str raised {type(other).__name__}>"


def _text_of(message: Union[Warning, str]) -> str:
    return message if isinstance(message, str) else message_of(message)


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without addresses, at most 300 characters."""
    return without_addresses((message_of(error).strip().splitlines() or [""])[0])[:300]


def _missing_kernel(error: BaseException, device: str) -> Optional[MissingKernel]:
    """Return what torch has no kernel for, if that is what an error says.

    An operator that the CPU lacks is told as any error; one that only another device lacks is no defect of the claim.
    """
    message = message_of(error)
    found = _NO_KERNEL.search(message)
    dtype = "float8 type promotion" if _NO_PROMOTION in message else found and found.group(1)
    if (
        not dtype
        and device != "cpu"
        and (operator := _NO_OPERATOR.search(message) or _NOT_YET.search(message)) is not None
    ):
        dtype = next(filter(None, operator.groups()))
    return MissingKernel(dtype, type(error).__name__) if dtype else None


def _is_unforeseen_lack_of_memory(error: BaseException, raises: Optional[Raises]) -> bool:
    promised = raises is not None and f"{raises.type} {raises.message}".lower()
    return is_out_of_memory(error) and not (promised and re.search("out ?of ?memory", promised))


def _is_a(raised: type[BaseException], name: str) -> bool:
    return any(
        name in (ancestor.__name__, f"{ancestor.__module__}.{ancestor.__qualname__}") for ancestor in raised.__mro__
    )


def _without_kernel(trial: Trial, missing: MissingKernel) -> Trial:
    trial.missing_kernel = missing
    return _ended(trial, "no-kernel", missing.dtype)


def _ended(trial: Trial, status: Status, reason: str) -> Trial:
    trial.status, trial.reason = status, reason
    return trial
