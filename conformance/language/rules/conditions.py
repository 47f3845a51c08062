"""Version specifiers: that they can be read, and that some release fits."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Optional

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from conformance.base.text import did_you_mean
from conformance.language.drafts import Draft
from conformance.language.model import Conditions

_PATCHES = 31
_MINORS = {
    "torch": [(1, minor) for minor in range(8, 14)] + [(2, minor) for minor in range(100)],
    "numpy": [(1, minor) for minor in range(16, 27)] + [(major, minor) for major in (2, 3) for minor in range(100)],
    "python": [(3, minor) for minor in range(9, 100)],
}
#: The types of device that torch names itself; an extension has one of its own.
_DEVICES = ("cpu", "cuda", "hpu", "mps", "mtia", "xla", "xpu", "accelerator")
_DEVICE = re.compile("[a-z][a-z0-9_]*")
_RANGES = {"torch": "1.8 to 2.99", "numpy": "1.16 to 3.99", "python": "3.9 to 3.99"}


def check_conditions(draft: Draft) -> None:
    """Check ``applies``, and the ``when`` of each divergence by itself and within ``applies``."""
    applies = draft.claim.applies
    _check_specifiers(draft, applies)
    for divergence in draft.claim.diverges:
        when = divergence.when
        if not _check_specifiers(draft, when):
            continue
        for name, text in _given(when):
            outer = getattr(applies, name)
            if outer is None:
                continue
            apart = not _fits(name, f"{outer},{text}") if name in _MINORS else _are_apart(outer, text)
            if apart and (name not in _MINORS or _fits(name, outer)):
                message = f"the claim applies to {name} {outer} only, never to {text}; change one of the two"
                draft.report(draft.value(when, name), "E602", message)


def _are_apart(outer: str, inner: str) -> bool:
    """Return whether two words, such as ``accelerator`` and ``cuda``, name devices or systems of which none is both."""
    return outer != inner and ("cpu" in (outer, inner) or "accelerator" not in (outer, inner))


def _given(conditions: Conditions) -> list[tuple[str, str]]:
    return [(name, text) for name, text in vars(conditions).items() if text is not None]


def _check_specifiers(draft: Draft, conditions: Conditions) -> bool:
    fine = True
    for name, text in _given(conditions):
        mistake = specifier_mistake(name, text) if name in _MINORS else None
        mistake = _device_mistake(text) if name == "device" else mistake
        if mistake is not None:
            draft.report(draft.value(conditions, name), *mistake)
            fine = False
    return fine


def _device_mistake(text: str) -> Optional[tuple[str, str]]:
    if not _DEVICE.fullmatch(text):
        return "E104", f"`device` is '{text}' and must be the type of a device, such as cpu or cuda"
    near = "; write 'cuda' or 'accelerator'" if text == "gpu" else did_you_mean(text, _DEVICES)
    return ("E104", f"torch has no type of device called '{text}'{near}") if near and text not in _DEVICES else None


def specifier_mistake(name: str, text: str) -> Optional[tuple[str, str]]:
    """Return code and message for a specifier of the versions of ``torch``, ``numpy`` or ``python`` that is wrong."""
    advice = _malformed(text)
    if advice is not None:
        return "E601", f"'{text}' is not a version specifier; {advice}"
    if not _fits(name, text):
        return "E602", f"no release of {name} from {_RANGES[name]} satisfies '{text}'; change it"
    return None


@lru_cache(maxsize=4096)
def _malformed(text: str) -> Optional[str]:
    """Tell what to do about a specifier that can't be read."""
    if len(text) > 200:
        return "it is too long"
    try:
        specifiers = SpecifierSet(text)
    except InvalidSpecifier:
        if text[:1].isdigit():
            return f"it needs an operator: '>={text}', '=={text}'"
        if " " in text and "," not in text:
            return "put a comma between its parts, as in '>=1.11,<2'"
        return "write it as in '>=1.11,<2'"
    if not len(specifiers):
        return "write it as in '>=1.11,<2'"
    for specifier in specifiers:
        if "+" in specifier.version:
            return "leave the build out (what follows '+'); use `device` for what depends on it"
        if specifier.operator == "===":
            return "use '=='"
    return None


@lru_cache(maxsize=4096)
def _fits(name: str, text: str) -> bool:
    """Whether some release satisfies a specifier."""
    try:
        specifiers = SpecifierSet(text)
    except InvalidSpecifier:
        return False
    minors = _MINORS[name]
    mentioned = {_release(specifier.version)[:2] for specifier in specifiers}
    candidates = [(*minor, 0) for minor in minors]
    candidates += [(*minor, patch) for minor in minors if minor in mentioned for patch in range(1, _PATCHES)]
    return any(
        specifiers.contains(Version(".".join(map(str, candidate))), prereleases=True) for candidate in candidates
    ) or any(
        # A specifier may single out a pre-release.
        specifier.operator == "=="
        and "*" not in specifier.version
        and specifiers.contains(specifier.version, prereleases=True)
        and _release(specifier.version)[:2] in minors
        for specifier in specifiers
    )


def _release(version: str) -> tuple[int, ...]:
    release = Version(version.replace(".*", "")).release
    return (*release, 0, 0)
