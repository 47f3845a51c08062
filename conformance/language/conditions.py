"""Whether a claim's or a divergence's conditions admit an environment."""

from __future__ import annotations

from typing import Protocol

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.language.model import Conditions


class Versions(Protocol):
    """What conditions ask of an environment."""

    @property
    def torch(self) -> str: ...  # noqa: D102
    @property
    def numpy(self) -> str: ...  # noqa: D102
    @property
    def python(self) -> str: ...  # noqa: D102
    @property
    def device(self) -> str: ...  # noqa: D102
    @property
    def system(self) -> str: ...  # noqa: D102


def admits(conditions: Conditions, environment: Versions) -> bool:
    """Return whether an environment satisfies the conditions."""
    versions = (
        (conditions.torch, environment.torch),
        (conditions.numpy, environment.numpy),
        (conditions.python, environment.python),
    )
    names = ((conditions.device, environment.device), (conditions.system, environment.system))
    return all(specifier is None or _contains(specifier, version) for specifier, version in versions) and all(
        asked in (None, name) for asked, name in names
    )


def _contains(specifier: str, version: str) -> bool:
    # A nightly of 2.16 is judged as 2.16: it has what that release will have.
    return SpecifierSet(specifier).contains(Version(Version(version).base_version), prereleases=True)
