"""Whether a claim's or a divergence's conditions admit an environment."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.language.model import Conditions
from conformance.results.model import Environment


def admits(conditions: Conditions, environment: Environment) -> bool:
    """Return whether an environment satisfies the conditions."""
    return all(
        asked is None or _satisfies(name, asked, getattr(environment, name)) for name, asked in vars(conditions).items()
    )


def _satisfies(name: str, asked: str, found: str) -> bool:
    if name in ("device", "system"):
        return found == asked
    # A nightly of 2.16 is judged as 2.16: it has what that release will have.
    return SpecifierSet(asked).contains(Version(Version(found).base_version), prereleases=True)
