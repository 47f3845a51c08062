"""Assertions beside the sentence: what claims are apt to look at though no source says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from conformance.language.drafts import Draft


class _Suspect(NamedTuple):
    """What an assertion looks at, as a pattern, and which words of a source or of the subject are about that."""

    name: str
    pattern: re.Pattern[str]
    words: re.Pattern[str]


#: A condition, such as ``if x.is_contiguous()``, asserts nothing.
_SUSPECTS = (
    _Suspect("how many versions", re.compile(r"\bversion\(.*(==|\bin\b).*[+\d]"), re.compile(r"version count", re.I)),
    _Suspect("is_leaf", re.compile(r"\.is_leaf\b"), re.compile(r"\bleaf|\bleaves|is_leaf", re.I)),
    _Suspect(
        "strides",
        re.compile(r"(?<!if )\b\w+(\.grad)?\.(stride|is_contiguous)\(|\bsame_strides\("),
        re.compile(r"strid|contiguous|format|layout|laid out|expanding", re.I),
    ),
    _Suspect(
        "a type",
        re.compile(r"\bcallable\(|\btype\(.*\) is torch\.|\bisinstance\(.*\btorch\."),
        re.compile(r"type|class|instance", re.I),
    ),
)
#: What makes a claim one about everything that another name does.
_AS_ANOTHER = re.compile(r"\balias|equivalent|same as|\bversion of", re.I)


def check_suspects(drafts: Sequence[Draft]) -> None:
    """Check that sentences which only state something have a word of what the claims of an entry look at."""
    for draft in drafts:
        claim = draft.claim
        if claim.unspecified or any(source.says != "states" or not source.key for source in claim.sources):
            continue
        said = " ".join([*(source.key or "" for source in claim.sources), claim.subject])
        for fragment in claim.expectation.expect:
            for suspect in _SUSPECTS:
                found = suspect.pattern.search(fragment.text)
                if found and not suspect.words.search(said) and not (_AS_ANOTHER.search(said) or _named(found, said)):
                    message = (
                        f"no key has a word of {suspect.name}; give it a claim of its own with"
                        " `guarantee: unspecified`, or a source that says or implies it"
                    )
                    draft.report_code(fragment, found.start(), "E411", message)


def _named(found: re.Match[str], said: str) -> bool:
    """Return whether the class that an assertion names is a word of the sentence too."""
    named = re.search(r"\btorch(?:\.\w+)*\.(\w+)", found.string[found.start() :])
    return named is not None and re.search(rf"\b{named.group(1)}", said, re.I) is not None
