"""What a person reads about one claim that fails the run."""

from __future__ import annotations

from typing import Any

from conformance.language.model import Claim, Source

_MEANING = {
    "refuted": "a counterexample that no recorded divergence explains",
    "fixed": "a recorded divergence no longer happens: update 'diverges'",
    "changed": "false, but not as recorded: update 'diverges'",
    "crashed": "the interpreter died",
    "timed-out": "no verdict within the time limit",
    "invalid": "the claim itself is broken",
}


def failure_text(claim: Claim, outcome: dict[str, Any]) -> str:
    """Return title, sources, what was false, the smallest counterexample, and the place in the spec."""
    verdict = outcome["verdict"]
    lines = [
        f"{claim.title}",
        f"  claim    {claim.id}",
        f"  source   {'; '.join(source_text(source) for source in claim.sources)}",
        f"  spec     {claim.place}",
        f"  verdict  {verdict}: {_MEANING[verdict]}",
    ]
    if "failed" in outcome:
        lines.append(f"  false    {outcome['failed']}")
    if "detail" in outcome:
        lines += [
            f"  {'because' if not number else '       '}  {line}"
            for number, line in enumerate(outcome["detail"].splitlines())
        ]
    if "printed" in outcome:
        lines += ["  last lines printed:", *(f"    {line}" for line in outcome["printed"].splitlines())]
    if "counterexample" in outcome:
        lines += [
            "",
            "  smallest counterexample:",
            "",
            *(f"    {line}" for line in outcome["counterexample"].splitlines()),
        ]
    return "\n".join(_printable(line) for line in lines)


def source_text(source: Source) -> str:
    """Name a source in a few words."""
    if source.kind == "article":
        return f"article {source.name}, row {source.row}"
    named = {"docs": "docstring of", "note": "note", "release": "release notes of"}[source.kind]
    return f"{named} {source.name}, at “{source.key}”"


def _printable(line: str) -> str:
    # A title or a message must not drive the terminal.
    return "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in line)
