"""The process that imports torch: it judges claims one by one as the supervisor asks, so that torch may crash here."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Union

from conformance.base.codec import encode
from conformance.base.processes.service import Channel, Service, WorkEnded
from conformance.inputs.devices import absence, accelerator, devices, import_extensions
from conformance.inputs.given import Example
from conformance.language.model import Claim
from conformance.results.conditions import admits
from conformance.results.model import LONGEST_TEXT, Entry, Environment
from conformance.run.protocol import Answer, Greeting, JudgeClaim, LookUpSentences, Measuring, RunPinned
from conformance.run.scripts.placement import on_device, placed_recipes
from conformance.run.scripts.program import plan
from conformance.run.worker.environment import describe
from conformance.run.worker.generators import Generators
from conformance.run.worker.judge import judge, sentences
from conformance.run.worker.own_claims import unmet_need
from conformance.run.worker.pinned import example_from_recipes
from conformance.run.worker.process_state import ProcessState
from conformance.run.worker.smoke import void
from conformance.run.worker.torch_state import must_restart
from conformance.run.worker.trial import run_trial


def make_service(channel: Channel, options: Measuring) -> Service:
    """Make the service of a process that judges claims."""
    import_extensions(options.imports)
    found = devices()
    absent = {device: why for device in options.devices if (why := absence(device)) is not None}
    if absent:  # nothing is asked then, and half a device makes functions of torch raise
        return Service(encode(Greeting(found=found, absent=absent)), _refuse)
    judging = _Judging(channel, options.devices or found, options.memory)
    voids = {device: why for device in judging.environments if (why := void(device)) is not None}
    return Service(encode(Greeting(judging.environments, voids, found)), judging.answer)


def _refuse(request: object) -> None:
    raise AssertionError("a device is absent")


class _Judging:
    def __init__(self, channel: Channel, names: tuple[str, ...], memory: int) -> None:
        for device in filter(None, map(accelerator, names)):
            device.limit(memory)
        self.environments: dict[str, Environment] = {name: describe(name) for name in names}
        self._channel = channel
        self._state = ProcessState(channel.descriptors)

    def answer(self, request: Union[JudgeClaim, LookUpSentences, RunPinned]) -> Any:
        """Return the answer to a request as JSON."""
        try:
            if isinstance(request, RunPinned):
                answer = self._run_pinned(request)
            elif isinstance(request, LookUpSentences):
                answer = Answer(sentences=sentences(request.keys))
            else:
                answer = self._judge(request)
        except BaseException as error:
            leaks = [*self._state.recover(), *self._state.leaks()]
            if isinstance(request, JudgeClaim) and leaks:
                answer = Answer(_leaking(request.claim, leaks))
            elif isinstance(error, Exception):
                raise  # a mistake of this package
            elif isinstance(error, WorkEnded):
                raise
            else:  # the claim wanted to end this process, outside of what 'do' may raise
                raise WorkEnded(f"raised {type(error).__name__} outside of 'do'") from None
        self._channel.must_restart = self._state.must_restart or must_restart()
        return _clipped(encode(answer))

    def _judge(self, request: JudgeClaim) -> Answer:
        claim, environment = request.claim, self.environments[request.device]
        if claim.own and admits(claim.applies, environment):
            modules = len(sys.modules)
            unmet = unmet_need(claim)
            if len(sys.modules) != modules:  # what a module does when it is imported is no leak of the claim
                self._state = ProcessState(self._channel.descriptors)
            if unmet:
                return Answer(_invalid(claim, unmet))
        entry = judge(
            claim,
            environment,
            examples=request.examples,
            seed=request.seed,
            progress=self._progress,
            crashes_confirmed=request.crashes_confirmed,
        )
        leaks = self._state.leaks()
        return Answer(_leaking(claim, leaks) if leaks else entry)

    def _run_pinned(self, request: RunPinned) -> Answer:
        recipes = placed_recipes(request.claim, request.recipes, request.device)
        example = example_from_recipes(recipes, request.device)
        self._progress(example)
        Generators(device=request.device)  # one state, whatever ran before
        run_trial(plan(on_device(request.claim, request.device)), example, request.device)
        self._state.leaks()
        return Answer()

    def _progress(self, example: Example) -> None:
        self._channel.progress(example.script())


def _leaking(claim: Claim, leaks: Iterable[str]) -> Entry:
    return _invalid(claim, "it leaks: " + ", ".join(leaks))


def _invalid(claim: Claim, detail: str) -> Entry:
    return Entry(claim.fingerprint(), "invalid", detail=detail)


def _clipped(value: Any) -> Any:
    """Shorten the texts in a JSON document to what a result file may hold."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    if isinstance(value, dict):
        return {name: _clipped(item) for name, item in value.items()}
    return [_clipped(item) for item in value] if isinstance(value, list) else value
