"""Messages of errors and warnings: what we wrote of them, what gives them, and on which releases they were seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

from conformance.base.release_spans import as_version, minor
from conformance.language.model import Message
from conformance.results.messages import Seen, seen_in_claims, seen_in_trials
from conformance.results.model import Signal
from conformance.results.recorded import Recorded
from conformance.results.trials.recorded import RecordedTrials
from conformance.results.wording import is_like, key_of
from conformance.show.model import MessageView

#: Calls and claims that are shown for a message, and names.
_MOST_SHOWN = 3
_MOST_NAMED = 6


def seen_messages(recorded: Recorded, trials: RecordedTrials) -> Iterator[Seen]:
    """Yield every message that was seen: those of the newest release first, whose wording is kept."""
    if trials.releases:
        yield from seen_in_trials(trials, trials.releases[-1])
    results = [measured.results for measured in recorded.environments if measured.results is not None]
    yield from seen_in_claims(reversed(results))


@dataclass
class _Group:
    """A message that was seen, whatever its numbers and dtypes: by what, and on which releases."""

    signal: Signal
    by: dict[str, str] = field(default_factory=dict)
    releases: set[str] = field(default_factory=set)


def message_views(
    written: Iterable[Message], all_seen: Iterable[Seen], uses: Mapping[str, int]
) -> dict[str, MessageView]:
    """Return every message by its key: what we wrote of it, and where it was seen.

    Parameters
    ----------
    uses
        How many projects use a name, for those that any does.
    """
    groups: dict[str, _Group] = {}
    for seen in all_seen:
        key = key_of(seen.signal.message)
        if key:
            group = groups.setdefault(key, _Group(seen.signal))
            group.by[seen.call or seen.by] = seen.by if seen.call else seen.by.rpartition("/")[0]
            group.releases.add(minor(seen.release))
    written, of_written = list(written), defaultdict[int, list[_Group]](list)
    for key, group in [*groups.items()]:
        like = [(alike, -place) for place, message in enumerate(written) if (alike := _alike(message, group))]
        if like:
            of_written[-max(like)[1]].append(groups.pop(key))
    views = {key_of(one.texts[0]): _view(of_written[place], uses, one) for place, one in enumerate(written)}
    return {**{key: _view([group], uses) for key, group in groups.items()}, **views}


def _alike(message: Message, group: _Group) -> tuple[int, ...]:
    """Return what sorts what we wrote that a message is like: whether a name of it gave it, and its length; else ()."""
    letters = max((len(key_of(text)) for text in message.texts if is_like(text, group.signal.message)), default=0)
    is_named = not {*group.by, *group.by.values()}.isdisjoint({*message.names, *message.claims})
    return (is_named, letters) if letters else ()


def _view(groups: Sequence[_Group], uses: Mapping[str, int], message: Optional[Message] = None) -> MessageView:
    by = {shown: name for group in groups for shown, name in group.by.items()}
    by_use = sorted(by, key=lambda shown: (-uses.get(by[shown], 0), shown))
    releases = sorted({release for group in groups for release in group.releases}, key=as_version)
    seen = tuple(by_use)[:_MOST_SHOWN], len(by), tuple(releases)
    if message is None:
        named = tuple(dict.fromkeys(by[shown] for shown in by_use if not by[shown].startswith("notes/")))
        return MessageView(groups[0].signal.type, (groups[0].signal.message,), named[:_MOST_NAMED], *seen)
    told = message.raised, message.because, message.do, message.unmeasured
    wordings = tuple(dict.fromkeys(group.signal.message for group in groups))
    return MessageView(message.type, message.texts, message.names, *seen, *told, wordings)
