"""What a title says of the inputs: a claim about complex tensors must meet one."""

from __future__ import annotations

import re

#: What examples may have to be, and the words of a title that say so, as a pattern.
_PATTERNS = {
    "0-d": r"(?<!as a )\b0-d\b",
    "empty": r"\bempty (?:tensor|array|result|input)\b",
    "complex": r"\bcomplex\b",
    "bool": r"(?<!non-)\bbool(?:ean)?\b",
    "integer": r"\binteger (?:tensor|array|input|result)s?\b",
    "conjugated": r"\bconjugate bit\b|\bconjugated\b",
    "negative": r"\bnegative bit\b",
    "expanded": r"\bexpanded\b",
    "transposed": r"\bnon-contiguous\b|\btransposed\b",
    "parameter": r"\bparameters?\b",
    "non-leaf": r"\bnon-leaf\b",
    "leaf": r"(?<!non-)\bleaf\b",
    "bfloat16": r"\bbfloat16\b",
    "float16": r"\bfloat16\b",
    "float64": r"\bfloat64\b",
    "int64": r"\bint64\b",
}


def terms_of(title: str) -> dict[str, str]:
    """Return what some example must be, with the words of the title that say so."""
    return {term: found.group() for term, pattern in _PATTERNS.items() if (found := re.search(pattern, title))}
