"""Several processes that share the claims; where torch ends one, its claim is tried again without the attempt."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Optional

from conformance.impostors.finding import HONEST, NO_HINT, Finding, Hint
from conformance.impostors.worker import NOTE_SIZE, Options, attempt_in, serve
from conformance.language.model import Claim

#: How long one attempt may take, in seconds.
ATTEMPT_LIMIT = 30.0
_START_LIMIT = 300.0
_MOST_CRASHES = 25

_context = multiprocessing.get_context("spawn")


class CrewFailed(Exception):
    """A process could not start: torch is missing or does not import; the message has what it printed."""


class Crew:
    """Confronts claims with impostors in several processes.

    Parameters
    ----------
    processes
        How many.
    device
        The device under test.
    plugins
        Python files that define further impostors.
    only
        Names of the impostors to use; none for all.
    attempt_limit
        How long one attempt may take, in seconds, before its process is ended.
    """

    def __init__(
        self,
        processes: int,
        device: str = "cpu",
        plugins: Iterable[Path] = (),
        only: Iterable[str] = (),
        attempt_limit: float = ATTEMPT_LIMIT,
    ) -> None:
        options = Options(device, tuple(map(str, plugins)), tuple(only))
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-")
        self._members = [
            _Member(Path(self._folder.name, f"log{number}"), options, attempt_limit) for number in range(processes)
        ]
        #: What is measured, and the impostors by name with what is wrong with them.
        self.environment: dict[str, str] = {}
        self.impostors: dict[str, str] = {}

    def confront(
        self,
        claims: Iterable[Claim],
        tell: Callable[[int], None] = lambda done: None,
        hints: Mapping[str, Hint] = MappingProxyType({}),
    ) -> dict[str, Finding]:
        """Confront every claim and return what was found, by id; what stands or fails is confronted twice.

        Parameters
        ----------
        hints
            What an earlier campaign showed, by id.
        tell
            Called with the number of claims done, now and then.

        Raises
        ------
        CrewFailed
            If torch can't be imported.
        """
        claims = list(claims)
        findings = self._round(claims, tell, hints)
        doubtful = [claim for claim in claims if _is_doubtful(claim, findings[claim.id], hints.get(claim.id, NO_HINT))]
        if doubtful:
            # A busy machine, or what was tried on other claims before, may be to blame: once more, in new processes.
            for identity, finding in self._round(doubtful, lambda done: None, hints).items():
                if finding.is_better_than(findings[identity]):
                    findings[identity] = finding
        return findings

    def _round(
        self, claims: Iterable[Claim], tell: Callable[[int], None], hints: Mapping[str, Hint]
    ) -> dict[str, Finding]:
        """Let new processes share the claims."""
        waiting = list(claims)[::-1]
        findings: dict[str, Finding] = {}
        for member in self._members:
            member.stop()
            member.start()
        for member in self._members:
            self.environment, self.impostors = member.greeting()
        while waiting or any(member.claim for member in self._members):
            for member in self._members:
                if member.claim is None and waiting:
                    claim = waiting.pop()
                    member.ask(claim, hints.get(claim.id))
            busy = [member for member in self._members if member.claim]
            multiprocessing.connection.wait([handle for member in busy for handle in member.handles], timeout=0.5)
            for member in busy:
                answer = member.answer()
                if answer is not None:
                    findings[answer[0]] = answer[1]
            tell(len(findings))
        return findings

    def close(self) -> None:
        """End the processes and remove their files."""
        for member in self._members:
            member.stop()
        self._folder.cleanup()


def _is_doubtful(claim: Claim, finding: Finding, hint: Hint) -> bool:
    """Tell whether a finding would fail the campaign, and may be no fault of the claim."""
    stands = {part.name for part in finding.standing} - hint.standing
    return finding.status == "unsound" or bool(stands and claim.unkillable is None)


class _Member:
    """One process and the claim it is at."""

    def __init__(self, log: Path, options: Options, attempt_limit: float) -> None:
        self._log = log
        self._attempt_limit = attempt_limit
        self._options = options
        self._process: Any = None
        self._connection: Any = None
        self._note: Any = None
        self.claim: Optional[Claim] = None
        self._hint: Optional[Hint] = None
        self._starting = False
        self._served = 0
        self._skip: frozenset[str] = frozenset()
        self._crashed: frozenset[str] = frozenset()
        self._seen: Optional[bytes] = None
        self._since = 0.0

    @property
    def handles(self) -> list[Any]:
        """Return what becomes ready when there is an answer or the process ends."""
        return [self._connection, self._process.sentinel]

    def start(self) -> None:
        """Start the process."""
        self._served = 0
        self._note = _context.RawArray("c", NOTE_SIZE)
        self._connection, other = _context.Pipe()
        arguments = (other, self._note, str(self._log), self._options)
        # Programs may start processes of their own, which a daemon may not.
        self._process = _context.Process(target=serve, args=arguments, daemon=False)
        self._process.start()
        self._starting = True
        other.close()

    def greeting(self) -> tuple[dict[str, str], dict[str, str]]:
        """Wait until the process is ready, and return its environment and impostors."""
        try:
            if self._connection.poll(_START_LIMIT):
                greeting: tuple[dict[str, str], dict[str, str]] = self._connection.recv()
                self._starting = False
                return greeting
        except (EOFError, OSError):
            pass
        raise self._failed()

    def ask(self, claim: Claim, hint: Optional[Hint]) -> None:
        """Let the process confront a claim."""
        self.claim, self._hint = claim, hint
        self._skip = self._crashed = frozenset()
        self._send()

    def answer(self) -> Optional[tuple[str, Finding]]:
        """Return id and finding if there is one; start anew where the process died or hangs."""
        assert self.claim is not None
        try:
            if self._connection.poll():
                return self._received()
        except (EOFError, OSError):
            return self._start_over(crashed=True)
        if not self._process.is_alive():
            return self._start_over(crashed=True)
        if self._note.value != self._seen:
            self._seen, self._since = self._note.value, time.monotonic()
        elif time.monotonic() - self._since > (_START_LIMIT if self._starting else self._attempt_limit):
            return self._start_over(crashed=False)
        return None

    def _received(self) -> Optional[tuple[str, Finding]]:
        assert self.claim is not None
        if self._starting:
            self.greeting()
            self._seen = None
            return None
        finding: Finding = self._connection.recv()
        if finding.status == "unsound" and self._served:
            self._send_to_another()  # what was tried before it may have spoiled something in this process
            return None
        self._served += 1
        finding.crashes = sorted(self._skip)
        identity, self.claim = self.claim.id, None
        return identity, finding

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None

    def _failed(self) -> CrewFailed:
        self.stop()
        printed = self._log.read_text(errors="replace") if self._log.exists() else ""
        return CrewFailed(f"the process that imports torch did not start\n{printed[-2000:]}")

    def _start_over(self, *, crashed: bool) -> Optional[tuple[str, Finding]]:
        assert self.claim is not None
        if self._starting:
            raise self._failed()
        attempt = attempt_in(self._note)
        if attempt is None and self._served:
            self._send_to_another()  # what was tried on other claims before may be to blame
            return None
        if attempt is None or attempt in self._skip or len(self._skip) > _MOST_CRASHES:
            end = "crashes" if crashed else "hangs"
            identity, self.claim = self.claim.id, None
            self.stop()
            self.start()
            return identity, Finding("unsound", detail=f"torch {end} on it, {attempt or 'without an impostor'}")
        self._skip |= {attempt}
        name = attempt.partition(" ")[0]
        if crashed and name != HONEST:
            self._crashed |= {name}
        self._send_to_another()
        return None

    def _send_to_another(self) -> None:
        """Let a new process confront the claim; while it starts, the others go on."""
        self.stop()
        self.start()
        self._send()

    def _send(self) -> None:
        self._seen, self._since = None, time.monotonic()
        self._connection.send((self.claim, self._skip, self._crashed, self._hint))


def processors() -> int:
    """Return how many processes this machine can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
