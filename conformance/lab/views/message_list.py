"""All messages of errors and warnings: those that we wrote of by area, and those that were only recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.lab.views.content import Content
from conformance.lab.views.pieces import joined, linked, words
from conformance.lab.views.program import Table
from conformance.results.wording import key_of
from conformance.show.model import MessageView

_MOST_NAMES = 3


def message_list(content: Content) -> tuple[Mapping[str, tuple[tuple[str, MessageView], ...]], tuple[MessageView, ...]]:
    """Return what we wrote of messages, each with its id, by the name of its file; and all others that were seen."""
    views = dict(content.messages)
    areas: dict[str, tuple[tuple[str, MessageView], ...]] = {}
    for message in content.corpus.messages:
        view = views.pop(key_of(message.texts[0]))
        area = Path(message.place.path).stem
        areas[area] = (*areas.get(area, ()), (message.id, view))
    return dict(sorted(areas.items())), tuple(sorted(views.values(), key=lambda view: (view.type, view.texts)))


def recorded_table(messages: Sequence[MessageView]) -> Table:
    """Return the messages that nobody wrote of, with what gave each, that which programs use most first."""
    rows = (
        (
            words(view.type),
            words(view.texts[0]),
            joined(linked(f"`{name}`", "subject", name) for name in view.names[:_MOST_NAMES]),
            words(view.releases[0] if len(view.releases) == 1 else f"{view.releases[0]} to {view.releases[-1]}"),
        )
        for view in messages
    )
    return Table((words("Class"), words("Message"), words("Given by"), words("Releases")), tuple(rows))
