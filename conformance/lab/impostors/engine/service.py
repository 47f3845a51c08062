"""What the process does in which mutants run, so that torch may crash or hang there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance.base.codec import encode, to_line
from conformance.base.processes.service import Channel, Service, WorkEnded
from conformance.lab.impostors.engine.mutation import run_mutants
from conformance.lab.impostors.engine.registry import add_file, operators
from conformance.lab.impostors.outcome import Attempt, Options, Request
from conformance.run.worker.environment import describe


def make_service(channel: Channel, options: Options) -> Service:
    """Return the service: it greets with a `Greeting`, takes a `Request` and answers with a `MutationOutcome`."""
    for file in options.added:
        add_file(Path(file))
    environment = describe(options.device)
    chosen = [item for item in operators().values() if not options.only or item.name in options.only]
    only = [item.name for item in chosen]

    def progress(attempt: Attempt) -> None:
        channel.progress(to_line(encode(attempt)))

    def answer(request: Request) -> Any:
        try:
            return encode(run_mutants(request, environment, progress=progress, only=only))
        except BaseException as error:
            # A mutant got at this code, or left what can't be put right: it counts as a crash.
            raise WorkEnded(f"raised {type(error).__name__} outside of a program: {error}") from None

    statements = {item.name: item.statement for item in chosen}
    return Service({"environment": encode(environment), "operators": statements}, answer)
