"""What travels between the processes of a run: from the session to the worker and back, and to who counts the items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from conformance.language.model import Claim, Place
from conformance.results.model import Device, Entry, Environment


@dataclass(frozen=True)
class JudgeClaim:
    """Judge a claim.

    ``crashes_confirmed`` says that the divergences recorded as crashes were seen to crash, in another process.
    """

    claim: Claim
    device: Device
    examples: int
    seed: int
    crashes_confirmed: bool


@dataclass(frozen=True)
class LookUpSentences:
    """Find the sentence with each key in the docstring of each name."""

    keys: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RunPinned:
    """Run the program on one recorded counterexample; a recorded crash ends the process."""

    claim: Claim
    device: Device
    recipes: Mapping[str, str]


@dataclass(frozen=True)
class Measuring:
    """What the worker is to measure.

    ``devices`` are those asked for; with none, all that are found. ``imports`` are packages that add devices to torch,
    and ``memory`` is how much memory of a device one process may take, in bytes.
    """

    devices: tuple[Device, ...] = ()
    imports: tuple[str, ...] = ()
    memory: int = 0


@dataclass(frozen=True)
class Greeting:
    """What is measured here, by device, and why nothing of a device may be believed, where that is so.

    ``found`` are the device types that have a device here, also where others were asked for; ``absent`` are devices
    that were asked for and are not there, and why.
    """

    environments: Mapping[str, Environment] = field(default_factory=dict)
    voids: Mapping[str, str] = field(default_factory=dict)
    found: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The entry of a claim that was judged, or the hash of each sentence that was looked up."""

    entry: Optional[Entry] = None
    sentences: tuple[Optional[str], ...] = ()


@dataclass(frozen=True)
class ItemRecord:
    """What came of one item of the session.

    ``void`` says why nothing measured in this environment may be believed; ``kept`` that an earlier run has measured
    it; ``influenced`` and ``unsure`` how far to trust the verdict, see `conformance.run.supervisor.Judgement`;
    ``written`` where the spec has the claim: all rows of a table are one entry; ``review`` how the verdict
    compares with what was expected on the device, see `conformance.run.expected.review`.
    """

    claim: str
    environment: Environment
    entry: Entry
    void: Optional[str] = None
    kept: bool = False
    influenced: Optional[str] = None
    unsure: bool = False
    written: Optional[Place] = None
    review: str = ""

    @property
    def fails(self) -> bool:
        """Whether it makes the run fail."""
        return self.review in ("passes", "unexpected") or (self.entry.fails and not self.review)
