"""Messages of deprecations as they were read: names that torch fills in later are gaps, ``{…}``."""

from __future__ import annotations

import re

GAP = "{…}"


def without_gaps(message: str, name: str) -> str:
    """Return what is told of a name, with the name where it fills a gap, and without the clauses that have others."""
    if GAP not in message:
        return message
    owner, _, last = name.rpartition(".")
    own = owner.rpartition(".")[2] if last == "__init__" else last
    message = message.replace(f"{GAP}.{GAP}", name).replace(f"{owner}.{GAP}", name)
    message = re.sub(rf"^{GAP}|(?<=\bfunction ){GAP}", own, message)
    sentences = re.split(r"(?<=[.!]) +", message)
    return " ".join(told for sentence in sentences if (told := _without(sentence))) or "deprecated"


def _without(sentence: str) -> str:
    clauses = [clause for clause in sentence.split(", ") if GAP not in clause]
    told = ", ".join(clauses)
    return f"{told}." if told and told[-1] not in ".!" and sentence[-1] in ".!" else told
