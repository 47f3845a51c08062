"""What a program makes on the CPU although its claim is about every device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from conformance.language.factories import dotted, lacks_device, makes_module, says_where
from conformance.language.model import Claim, Fragment, Place


def on_the_cpu(claim: Claim) -> Iterator[tuple[Place, str]]:
    """Yield each call that makes something on the CPU in a claim that runs on any device, and what to write.

    On another device a run itself writes that, unless the program says what is where.
    """
    if claim.applies.device is not None:
        return
    but = "this program says what is where, so it stays there" if says_where(claim) else "a run on a device does so"
    for fragment in filter(None, (claim.do, *claim.expectation.expect)):
        for call in _calls(fragment):
            if lacks_device(call):
                yield fragment.place, f"{dotted(call.func)}() is on the CPU; write device=device ({but})"
            elif makes_module(call):
                yield fragment.place, f"{dotted(call.func)}() has its parameters on the CPU; write .to(device) ({but})"


def _calls(fragment: Fragment) -> list[ast.Call]:
    text = fragment.text.strip()
    for content in (text, f"(\n{text}\n)"):
        try:
            return [node for node in ast.walk(ast.parse(content)) if isinstance(node, ast.Call)]
        except SyntaxError:  # it is told by another rule
            continue
    return []
