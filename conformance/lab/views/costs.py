"""What false statements cost people: their harm, how many programs have the call, and how many inputs they meet."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from conformance.base.release_spans import minor
from conformance.lab.views.causes import CauseView, is_current, status
from conformance.lab.views.content import Content, broad_module_of
from conformance.lab.views.running_text import Text, linked
from conformance.language.condition_words import KINDS
from conformance.language.model import HARMS

#: How much each of `HARMS` costs, and a harm that nobody has said.
_HARMS = dict(zip(HARMS, (8, 8, 6, 2, 1.5, 1)))
_NOT_SAID = 1
#: How much each of `REACHES` of the views costs.
_REACHES = (4, 3, 1)
#: What few programs have, whatever the inputs of the claim say: it reaches no further than corner inputs do.
_FEW_HAVE = re.compile(
    r"sparse|complex|conjugate|negative bit|coroutine|inference.mode|differentiable=|batched|quantized|mkldnn|nested"
)


@dataclass(frozen=True)
class CostlyCause:
    """A cause in a list of what costs people most.

    Attributes
    ----------
    said
        A promise that it makes false, as a link.
    modules, releases
        Where its promises are from, and the minor releases that show it: readers choose by these.
    status
        Whether it was reported, and whether it is mended.
    """

    title: Text
    said: Text
    subject: str
    harm: str
    reach: str
    kind: str
    modules: tuple[str, ...]
    releases: tuple[str, ...]
    seen: str
    status: Text
    claims: int


@lru_cache(maxsize=4)
def by_cost(content: Content) -> tuple[CostlyCause, ...]:
    """Return what was seen to be false: what the newest release shows before the rest, then what costs most first."""
    seen = [view for view in content.causes if view.environments]
    # What stands in the order of harms stays so where it costs the same.
    in_order = sorted(seen, key=lambda view: (not is_current(view, content.recorded), -cost(view, content)))
    return tuple(_row(view, content) for view in in_order)


def cost(view: CauseView, content: Content) -> float:
    """Return what a cause costs people, to compare it with that of another one."""
    uses = max(content.uses.get(claim.subject, 0) for claim in view.claims)
    is_rare = _FEW_HAVE.search(f"{view.cause.title} {view.claims[0].title}")
    reach = _REACHES[-1] if is_rare else _REACHES[view.reach.rank]
    return _HARMS.get(view.cause.harm, _NOT_SAID) * reach * math.log2(2 + uses)


def _row(view: CauseView, content: Content) -> CostlyCause:
    claim = max(view.claims, key=lambda claim: content.uses.get(claim.subject, 0))
    return CostlyCause(
        linked(view.cause.title, "cause", view.cause.id),
        linked(claim.title, "claim", claim.id),
        claim.subject,
        view.harm,
        str(view.reach),
        KINDS.get(view.cause.kind, view.cause.kind),
        tuple(sorted({broad_module_of(claim.subject) for claim in view.claims})),
        tuple(dict.fromkeys(minor(measured.torch) for measured in view.environments)),
        view.where,
        status(view, content.recorded),
        len(view.claims),
    )
