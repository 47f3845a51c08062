"""The sentences of a page of the documentation that is no docstring, from its source: reStructuredText or MyST."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.language.sentences import sentences

# A heading, or a line that only frames one.
_FRAME = re.compile(r"^([=\-~^\"'`#*+.:])\1{2,}\s*$")
_LABEL = re.compile(r"^\s*\.\. (?:_[^:]+:|\[[^\]]+\]|\|[^|]+\|)")
_DIRECTIVE = re.compile(r"^(\s*)\.\. ([\w:-]+)::")
# What holds no prose of the page itself.
_WITHOUT_PROSE = (
    *("code-block", "code", "testcode", "testoutput", "doctest", "math", "image", "figure", "toctree", "contents"),
    *("currentmodule", "automodule", "autofunction", "autoclass", "autosummary", "literalinclude"),
)


_FENCE = re.compile(r"^\s*(`{3,}|:{3,}|~{3,})\s*\{?([\w:-]*)\}?")
_MYST_MARK = re.compile(r"^(?:#{1,6} .*|\([^()]+\)=)\s*$")
_NOTES = ("note", "warning", "tip", "important", "admonition", "attention", "caution")


def page_sentences(path: Path) -> list[str]:
    """Read the source of a page and split it as docstrings are split, without headings, code and mark-up."""
    lines = path.read_text(encoding="utf-8").splitlines()
    prose = _myst_prose(lines) if path.suffix == ".md" else _prose(lines)
    return [text for text in sentences("\n".join(prose)) if _is_said(text)]


def _myst_prose(lines: list[str]) -> list[str]:
    """Leave out headings, labels, formulas, and fences around anything but prose."""
    kept: list[str] = []
    notes: list[str] = []
    skipped_to = ""
    for line in lines:
        mark = line.strip()
        fence = _FENCE.match(line)
        if skipped_to:
            skipped_to = "" if mark == skipped_to else skipped_to
        elif mark == "$$":
            skipped_to = mark
        elif fence is None:
            kept.append("" if _MYST_MARK.match(line) else line)
        else:
            kept.append("")
            if notes and mark == notes[-1]:
                notes.pop()
            elif fence.group(2) in _NOTES:
                notes.append(fence.group(1))
            else:
                skipped_to = fence.group(1)
    return kept


def _prose(lines: list[str]) -> list[str]:
    """Leave out headings, labels, comments, code blocks, and directives that hold no prose."""
    kept: list[str] = []
    skipped_below = -1
    for number, line in enumerate(lines):
        indentation = len(line) - len(line.lstrip())
        if skipped_below >= 0:
            if not line.strip() or indentation > skipped_below:
                continue
            skipped_below = -1
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if _FRAME.match(line) or (line.strip() and not line.startswith(" ") and _FRAME.match(following)):
            kept.append("")
            continue
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            if directive.group(2) in _WITHOUT_PROSE:
                skipped_below = len(directive.group(1))
                continue
            kept += ["", line[directive.end() :]]
            continue
        if _LABEL.match(line) or re.match(r"^\s*:[\w-]+:(?:\s|$)", line):
            kept.append("")
            continue
        if re.match(r"^\s*\.\.(?:\s|$)", line):
            skipped_below = indentation
            continue
        if line.rstrip().endswith("::"):
            skipped_below = indentation
            kept += [line.rstrip()[:-1], ""]
            continue
        kept.append(line)
    return kept


def _is_said(text: str) -> bool:
    """Whether there is a word: an item of a list that is a mere link belongs to the sentence before the list."""
    return re.search(r"[a-z]{2}", re.sub(r"(?::[\w:]+:|\{[\w:]+\})`[^`]*`", "", text)) is not None
