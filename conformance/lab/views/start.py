"""The first screen: what most visitors want to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from conformance.lab.views.changes import minors
from conformance.lab.views.content import Content
from conformance.lab.views.costs import CostlyCause, by_cost
from conformance.lab.views.pieces import Text, linked
from conformance.results.wording import GAP

#: What people ask about copies.
_COPIES = (
    *("torch.Tensor.reshape", "torch.Tensor.view", "torch.Tensor.detach", "torch.Tensor.clone", "torch.Tensor.to"),
    *("torch.Tensor.contiguous", "torch.Tensor.expand", "torch.Tensor.flatten", "torch.Tensor.numpy"),
    *("torch.from_numpy", "torch.tensor", "torch.nn.Module.state_dict"),
)
#: Messages that people meet, by their ids.
_MESSAGES = (
    *("numpy-requires-grad", "modified-in-place", "no-grad-fn", "leaf-in-place", "backward-twice", "weights-only"),
    "different-devices",
)
_WORST = 5
#: The selectors begin with an upgrade over so many releases.
_UPGRADE = 5


@dataclass(frozen=True)
class Start:
    """What the first screen leads to.

    Attributes
    ----------
    copies
        Names, as links.
    messages
        Messages with their anchors on the page of all.
    releases
        Minor releases, oldest first.
    older
        The release that an upgrade begins with, before the reader chooses one.
    worst
        What is documented and false, and costs people most.
    """

    copies: tuple[Text, ...]
    messages: tuple[tuple[str, str], ...]
    releases: tuple[str, ...]
    older: Optional[str]
    worst: tuple[CostlyCause, ...]


def start_view(content: Content) -> Start:
    """Return what the first screen leads to, as far as the corpus has it."""
    texts = {message.id: message.texts[0].rstrip(f".: {GAP}") for message in content.corpus.messages}
    releases = minors(content)
    return Start(
        tuple(linked(f"`{_short(name)}`", "subject", name) for name in _COPIES if name in content.pages),
        tuple((name, texts[name]) for name in _MESSAGES if name in texts),
        releases,
        releases[max(0, len(releases) - 1 - _UPGRADE)] if len(releases) > 1 else None,
        by_cost(content)[:_WORST],
    )


def _short(name: str) -> str:
    """Return a name as people write it."""
    for owner, shown in (("torch.Tensor.", "x."), ("torch.nn.Module.", "model.")):
        name = name.replace(owner, shown)
    return f"{name}()"
