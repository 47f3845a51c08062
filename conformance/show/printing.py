"""What was found, as text for a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest

from conformance.base.text import bounded, count_of
from conformance.show.model import (
    AnswerView,
    ArgumentFinding,
    CallView,
    ClaimLine,
    ClaimsFinding,
    Finding,
    LineView,
    MessageFinding,
    MessageView,
    NameFinding,
    PairFinding,
    Truth,
)

_WIDTH = 112
_LABEL = 11
_SHOWN_CALLS = 2
_SHOWN_GROUPS = 4
_SHOWN_CHANGES = 3
_SHOWN_FALSE = 4
_LONGEST_NOTE = 2 * (_WIDTH - _LABEL - 3)
MARKS: dict[Truth, str] = {"true": "✓", "except": "✓", "false": "✗", "unknown": "?"}
#: The marks of claims in words, for counts.
_COUNTED = {
    "yes": ("holds", "hold"),
    "open": ("is not promised", "are not promised"),
    "absent": ("is of another release", "are of other releases"),
    "n/a": ("does not apply", "do not apply"),
    "?": ("is not measured", "are not measured"),
}


def as_text(findings: Sequence[Finding], *, everything: bool = False) -> str:
    """Return what was found, in the order in which it was.

    Parameters
    ----------
    everything
        Whether all calls, changes and claims are listed.
    """
    return "\n\n".join("\n".join(_lines(one, everything)) for one in findings)


def _lines(finding: Finding, everything: bool) -> Iterator[str]:
    if isinstance(finding, NameFinding):
        yield from _name(finding, everything)
    elif isinstance(finding, PairFinding):
        yield from _pair(finding)
    elif isinstance(finding, ArgumentFinding):
        yield from _argument(finding, everything)
    elif isinstance(finding, MessageFinding):
        for position, view in enumerate(finding.messages):
            yield from [""] if position else []
            yield from _message(view, everything)
    elif isinstance(finding, ClaimsFinding):
        yield "claims with these words:"
        for claim in finding.claims:
            yield from _labelled(claim.newest, f"{claim.title} [{claim.id}]")
    else:
        yield finding.page


def _name(finding: NameFinding, everything: bool) -> Iterator[str]:
    yield from [finding.note] if finding.note else []
    kind, _, word = finding.name.rpartition("/")
    heading = f"{word.replace('-', ' ')}, a concept" if kind == "concepts" else finding.name
    kinds = f", {finding.answer.kinds}" if finding.answer is not None and finding.answer.kinds else ""
    releases = f"  torch {finding.releases}, cpu{kinds}" if finding.releases else ""
    yield f"{heading}{releases:>{_WIDTH - len(heading)}}" if releases else heading
    yield from _wrapped(finding.standing, _WIDTH, "  ", "  ") if finding.standing else ()
    if finding.answer is not None:
        yield from _answer(finding.answer, finding.name)
    if finding.tried is not None:
        yield from _tried(finding, everything)
    see = finding.answer.see if finding.answer is not None else ()
    yield from _labelled("see", ", ".join(_short(name, finding.name) for name in see))
    yield from _labelled("also", ", ".join(finding.others))
    yield from _changed(finding, everything)
    yield from _claims(finding.claims, everything)
    if not finding.claims and finding.answer is None and finding.tried is None:
        yield from _labelled("claims", "none, and no call of it was tried")


def _short(name: str, beside: str) -> str:
    """Return a name as one says it beside another of the same class or module."""
    owner = beside.rpartition(".")[0]
    if name.startswith("concepts/"):
        return name.partition("/")[2].replace("-", " ")
    return name[len(owner) + 1 :] if owner and name.rpartition(".")[0] == owner else name


def _answer(answer: AnswerView, name: str) -> Iterator[str]:
    if answer.subject != name:
        yield f"  as {answer.subject}:"
    for line in answer.lines:
        mark = marks(line)
        says = f"{line.says} Except: {line.exception}." if line.exception else line.says
        *first, last = _wrapped(says, _WIDTH - 2)
        if len(last) + len(mark) + 4 > _WIDTH:
            *more, last = _wrapped(last, _WIDTH - len(mark) - 4)
            first += more
        yield from (f"  {part}" for part in first)
        yield f"  {last}{mark:>{_WIDTH - 2 - len(last)}}"


def marks(line: LineView) -> str:
    """Return the mark of a line with its releases, the newest first, such as ``✓ 2.0 to 2.15  ✗ 1.8 to 1.13``."""
    told = []
    for mark, group in groupby(line.chips, key=lambda chip: MARKS[chip.truth]):
        releases = [release for chip in reversed(list(group)) for release in chip.releases]
        is_all = len(releases) == sum(len(chip.releases) for chip in line.chips) > 1
        told.append(f"{mark} {f'all {len(releases)}' if is_all else range_of(releases)}")
    for chip in line.on_devices:
        told.append(
            f"{MARKS[chip.truth]} {range_of([*reversed(chip.releases)])} on {chip.device}"
            if chip.releases
            else "(GPU not measured)"
        )
    return "  ".join(told)


def _tried(finding: NameFinding, everything: bool) -> Iterator[str]:
    tried = finding.tried
    assert tried is not None
    shown = tried.usual if everything else tried.usual[:_SHOWN_CALLS]
    yield ""
    for position, call in enumerate(shown):
        yield from _call(call, everything or position == 0)
    more = len(tried.usual) - len(shown)
    yield from _labelled("", f"{count_of(more, 'more call')} (--all)" if more else "")
    wrong = tried.wrong if everything else tried.wrong[:_SHOWN_CALLS]
    for position, (call_text, error) in enumerate(wrong):
        yield from _labelled("" if position else "wrong", f"{call_text}: {error}")
    yield from _labelled(
        "not tried", ", ".join(tried.lacking) and f"{', '.join(tried.lacking)}: not possible where it was measured"
    )
    yield ""


def _call(call: CallView, whole: bool) -> Iterator[str]:
    given = ", ".join(f"{name} = {text}" for name, text in call.given)
    yield from _labelled("tried", f"{call.call} with {given}: {call.base}" if given else f"{call.call}: {call.base}")
    if not whole:
        return
    groups = call.other[:_SHOWN_GROUPS]
    for position, (inputs, text) in enumerate(groups):
        yield from _labelled("" if position else "other when", f"{', '.join(inputs)}: {text}")
    rest = [name for inputs, _ in call.other[_SHOWN_GROUPS:] for name in inputs]
    yield from _labelled("", f"and for {', '.join(rest)}" if rest else "")
    nearly = f"but for {', '.join(call.aspects)} also {', '.join(call.nearly)}" if call.nearly else ""
    yield from _labelled("the same", "; ".join(filter(None, [", ".join(call.same), nearly])))


def _changed(finding: NameFinding, everything: bool) -> Iterator[str]:
    shown = finding.changed if everything else finding.changed[:_SHOWN_CHANGES]
    more = len(finding.changed) - len(shown)
    told = list(shown)
    told += [f"{count_of(more, 'earlier change')} (--all)"] if more else []
    told += (
        [f"{count_of(finding.corner_changes, 'change')} to unusual inputs or wording"] if finding.corner_changes else []
    )
    for position, text in enumerate(told):
        yield from _labelled("" if position else "changed", text)


def _claims(claims: Sequence[ClaimLine], everything: bool) -> Iterator[str]:
    """Yield the claims that are false on the newest release, the worst first, and the others as counts."""
    false = sorted((one for one in claims if one.is_false), key=lambda one: (one.newest == "partly", one.harm))
    for claim in () if everything else false[:_SHOWN_FALSE]:
        yield from _labelled(claim.newest, f"{claim.title} [{claim.id}]")
        yield from _labelled("", bounded("; ".join(claim.notes), _LONGEST_NOTE))
    if everything:
        for claim in (*false, *(one for one in claims if not one.is_false)):
            yield from _claim(claim)
        return
    counts = Counter(one.newest for one in claims if not one.is_false)
    told = [f"{number} {_COUNTED[mark][number > 1]}" for mark, number in counts.items() if mark in _COUNTED]
    more = len(false) - _SHOWN_FALSE
    told = [f"{more} more are false", *told] if more > 0 else told
    yield from _labelled("claims", f"{', '.join(told)} (--all lists them)" if told else "")


def _claim(claim: ClaimLine) -> Iterator[str]:
    yield from _labelled(claim.newest, claim.title)
    yield from _labelled("", claim.id)
    if len(claim.marks) > 1:
        yield from _labelled("", "; ".join(f"{mark} {where}" for mark, where in claim.marks))
    for note in claim.notes:
        yield from _labelled("", note)


def _pair(finding: PairFinding) -> Iterator[str]:
    """Yield two names in two columns."""
    width = (_WIDTH - 3) // 2
    columns = [[it.name, *_column(it, width)] for it in (finding.left, finding.right)]
    for left, right in zip_longest(*columns, fillvalue=""):
        yield f"{left:{width}} │ {right}".rstrip()


def _column(finding: NameFinding, width: int) -> Iterator[str]:
    for line in finding.answer.lines if finding.answer is not None else ():
        says = f"{line.says} Except: {line.exception}." if line.exception else line.says
        yield from _wrapped(f"{says}  {marks(line)}", width, then="  ")
    for call in finding.tried.usual[:1] if finding.tried is not None else ():
        yield ""
        yield from _wrapped(f"{call.call}: {call.base}", width, then="  ")
        for inputs, text in call.other[:_SHOWN_GROUPS]:
            yield from _wrapped(f"{', '.join(inputs)}: {text}", width, "  ", "    ")
    if finding.answer is None and finding.tried is None:
        yield f"{count_of(len(finding.claims), 'claim')}: conformance show {finding.name}"


def _argument(finding: ArgumentFinding, everything: bool) -> Iterator[str]:
    named = ", ".join(f"{name}({finding.argument}={default})" if default else name for name, default in finding.takers)
    more = finding.count - len(finding.takers)
    yield f"{finding.argument}: an argument"
    for subject, line in finding.lines:
        yield from _answer(AnswerView(subject, (line,)), "")
    yield from _labelled("taken by", f"{named}{f' and {more} more' if more > 0 else ''}")
    yield from _claims(finding.claims, everything)


def _message(view: MessageView, everything: bool) -> Iterator[str]:
    text = f"{view.type}: {view.texts[0]}"
    yield from _wrapped(text if everything else bounded(text, _WIDTH), _WIDTH)
    yield from _labelled("raised by", view.raised or ", ".join(view.names))
    yield from _labelled("do", view.do)
    yield from _labelled("because", view.because)
    more = view.count - len(view.by)
    yield from _labelled("seen in", ", ".join(view.by) + (f" and {more} more" if more > 0 else ""))
    releases = f"torch {range_of(view.releases)}" if view.releases else ""
    yield from _labelled("seen on", releases or (f"no release: {view.unmeasured}" if view.unmeasured else ""))
    yield from _labelled("see", "; ".join(f"conformance show {name}" for name in view.names[:2]))


def range_of(releases: Sequence[str]) -> str:
    """Return neighbouring releases in words, such as ``2.0 to 2.15``."""
    return releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"


def _wrapped(text: str, width: int, first: str = "", then: str = "") -> list[str]:
    """Return lines of at most so many characters; names and ids are never cut."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=then, break_on_hyphens=False, break_long_words=False
    )


def _labelled(label: str, text: str) -> Iterable[str]:
    """Return a text beside a label, wrapped; nothing without a text."""
    indent = " " * (_LABEL + 3)
    return _wrapped(text, _WIDTH, f"  {label:{_LABEL}} ", indent) if text else ()
