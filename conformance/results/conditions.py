"""Whether a claim's or a divergence's conditions admit an environment."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.language.model import Conditions
from conformance.results.model import Environment

#: What stands for every device but the CPU.
ACCELERATOR = "accelerator"


def admits(conditions: Conditions, environment: Environment) -> bool:
    """Return whether an environment satisfies the conditions."""
    return all(
        asked is None or _satisfies(name, asked, getattr(environment, name)) for name, asked in vars(conditions).items()
    )


def _satisfies(name: str, asked: str, found: str) -> bool:
    if name == "system":
        return found == asked
    if name == "device":
        return is_device(asked, found)
    return admits_release(asked, found)


def is_device(asked: str, device: str) -> bool:
    """Return whether a device is of the type asked for; ``accelerator`` is every one but the CPU."""
    kind = device.partition(":")[0]
    return kind != "cpu" if asked == ACCELERATOR else kind == asked


def admits_release(specifier: str, release: str) -> bool:
    """Return whether a specifier has a release; a nightly of 2.16 counts as 2.16, whose changes it has."""
    return SpecifierSet(specifier).contains(Version(Version(release).base_version), prereleases=True)
