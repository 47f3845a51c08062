"""What false statements cost people: their harm, how many programs have the call, and how many inputs they meet."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from conformance.lab.views.causes import CauseView
from conformance.lab.views.content import Content
from conformance.lab.views.pieces import Text, linked
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
    """

    title: Text
    said: Text
    subject: str
    harm: str
    reach: str
    seen: str
    claims: int


@lru_cache(maxsize=4)
def by_cost(content: Content) -> tuple[CostlyCause, ...]:
    """Return what was seen to be false on the newest release that shows any, what costs most first."""
    seen = [view for view in content.causes if view.environments]
    newest = max((view.newest for view in seen), default=None)
    standing = [view for view in seen if view.newest == newest]
    # What stands in the order of harms stays so where it costs the same.
    return tuple(_row(view, content) for view in sorted(standing, key=lambda view: -cost(view, content)))


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
        view.where,
        len(view.claims),
    )
