"""The checker's rules: what each code means, why there is such a rule, and how to do it right.

They stand in ``codes.yaml``, in the order of the codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class Code:
    """A rule of the checker.

    Attributes
    ----------
    code : str
        What a message shows, such as ``E203``. Permanent.
    name : str
        A name in words, such as ``unknown-check``.
    rule : str
        The rule, in a line.
    why : str
        What goes wrong without it.
    bad, good : str
        A part of a spec that breaks the rule, and one that keeps it.
    """

    code: str
    name: str
    rule: str
    why: str
    bad: str
    good: str


GROUPS = {
    "E0": "Files and YAML",
    "E1": "Keys and values",
    "E2": "Python in a spec",
    "E3": "Ids, subjects and titles",
    "E4": "Sources",
    "E5": "Expectations",
    "E6": "Conditions",
    "E7": "Divergences",
    "E8": "Tables (each)",
    "E9": "Timing",
    "EA": "Answers",
    "EB": "Changes",
    "EC": "Decisions of the census",
}

_ENTRIES = yaml.load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"), _LOADER)
CODES = {code: Code(code, **entry) for code, entry in _ENTRIES.items()}
