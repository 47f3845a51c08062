"""Names in specs that no recorded release of torch has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.language.model import Claim, Place
from conformance.names.lookup import Names
from conformance.names.model import Never


def misspelled(claims: Iterable[Claim]) -> Iterator[str]:
    """Yield a line for each subject or cited docstring whose name is in no recorded release, with near names."""
    names = Names()
    places: dict[str, Place] = {}
    for claim in claims:
        for name in (claim.subject, *(name for name, _ in claim.keys)):
            places.setdefault(name, claim.place)
    for name, place in places.items():
        known = not name.startswith("torch.") or not names.releases
        if not known and all(isinstance(span.answer, Never) for span in names.history(name)):
            near = " or ".join(names.suggest(name))
            yield f"{place}: no recorded release has {name}{f'; did you mean {near}?' if near else ''}"
