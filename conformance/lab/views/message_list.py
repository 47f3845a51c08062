"""All messages of errors and warnings: those that we wrote of by area, and those that were only recorded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from conformance.lab.views.content import Content
from conformance.results.wording import key_of
from conformance.show.model import MessageView


def message_list(content: Content) -> tuple[Mapping[str, tuple[tuple[str, MessageView], ...]], tuple[MessageView, ...]]:
    """Return what we wrote of messages, each with its id, by the name of its file; and all others that were seen."""
    views = dict(content.messages)
    areas: dict[str, tuple[tuple[str, MessageView], ...]] = {}
    for message in content.corpus.messages:
        view = views.pop(key_of(message.texts[0]))
        area = Path(message.place.path).stem
        areas[area] = (*areas.get(area, ()), (message.id, view))
    return dict(sorted(areas.items())), tuple(sorted(views.values(), key=lambda view: (view.type, view.texts)))
