"""What a claim expects: that there is something, and that it fits together."""

from __future__ import annotations

import builtins
import re

from conformance.base.text import did_you_mean
from conformance.language.drafts import Draft
from conformance.language.expressions import BUILTINS
from conformance.language.model import Expectation

_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+")


def _builtin_classes(base: type) -> frozenset[str]:
    return frozenset(
        name
        for name in BUILTINS
        if isinstance(getattr(builtins, name), type) and issubclass(getattr(builtins, name), base)
    )


EXCEPTIONS = _builtin_classes(BaseException)
WARNINGS = _builtin_classes(Warning)


def check_outcome(draft: Draft) -> None:
    """Check what a claim expects as a whole; each expression is for `check_programs`."""
    if draft.node.damaged:
        return
    entries = draft.entries
    if not any(name in entries for name in ("expect", "raises", "warns")):
        message = "a claim expects something: give `expect` (what is true afterwards), `raises` or `warns`"
        draft.report(None, "E501", message)
    for key in ("raises", "warns"):
        if getattr(draft.claim.expectation, key) is not None and "do" not in entries and "compare" not in entries:
            message = f"`{key}` is about the last statement of `do`, and there is no `do`; add the program"
            draft.report(entries[key], "E502", message)
    if draft.claim.control and draft.claim.expectation.raises is None:
        message = "a control shows that an error is the promised one, and this claim has no `raises`; remove it"
        draft.report_key("control", "E508", message)
    check_raises(draft, draft.claim.expectation)
    if draft.claim.unspecified and not all(divergence.instead.crashes for divergence in draft.claim.diverges):
        message = (
            "`guarantee: unspecified` only records what happens, so that nothing but a crash diverges; remove this"
        )
        draft.report_key("diverges", "E503", message)
    _check_promised(draft)


def _check_promised(draft: Draft) -> None:
    """Check that some source promises the error or warning that a claim judges."""
    claim = draft.claim
    if claim.unspecified or not claim.sources or any(source.judges_errors for source in claim.sources):
        return
    for key in ("raises", "warns"):
        if key in draft.entries:
            advice = f"make it an observation, with `guarantee: unspecified` beside `{key}`"
            draft.report_key(key, "E507", f"no source promises this: they only require or limit; {advice}")


def check_raises(draft: Draft, expectation: Expectation) -> None:
    """Check ``raises`` and ``warns`` by themselves."""
    for raises, known, what in (
        (expectation.raises, EXCEPTIONS, "an exception"),
        (expectation.warns, WARNINGS, "a warning"),
    ):
        if raises is None:
            continue
        name = raises.type
        if name is not None and name not in known and not _DOTTED.fullmatch(name):
            in_full = "; one that is not built in is written in full, such as torch.cuda.OutOfMemoryError"
            advice = did_you_mean(name, known) or in_full
            draft.report(draft.value(raises, "type"), "E505", f"'{name}' is not {what} class{advice}")
        wanted = raises.promised
        if wanted in ("type", "message") and getattr(raises, wanted) is None:
            message = f"`promised: {wanted}`, and no {wanted} is given; add it, or promise less"
            draft.report(draft.value(raises, "promised"), "E506", message)
