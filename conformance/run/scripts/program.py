"""A claim's Python, compiled once: the program, its last statement, and the expressions."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Optional

from conformance.language.model import Claim, Expectation


@dataclass(frozen=True)
class Expression:
    """An expression of a spec: its text, its code, and what it names."""

    text: str
    code: CodeType
    names: frozenset[str]


@dataclass(frozen=True)
class Program:
    """The statements of ``do``: all but the last, the last one, and the names that they assign.

    ``first_text`` and ``last_text`` are the source of the two parts.
    """

    first: Optional[CodeType]
    last: Optional[CodeType]
    first_text: str
    last_text: str
    assigned: tuple[str, ...]


@cache
def compile_expression(text: str) -> Expression:
    """Compile one expression of a spec."""
    folded = text.strip()
    tree = ast.parse(f"(\n{folded}\n)" if "\n" in folded else folded, mode="eval")
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return Expression(folded, compile(tree, "<spec>", "eval"), names)


@cache
def compile_program(text: str) -> Program:
    """Compile the statements of ``do``."""
    tree = ast.parse(text)
    if not tree.body:
        return Program(None, None, "", "", ())
    first, last = tree.body[:-1], tree.body[-1]
    start = min([last.lineno, *(decorator.lineno for decorator in getattr(last, "decorator_list", []))])
    lines = text.splitlines()
    first_text = "\n".join(lines[: start - 1])
    if first and first[-1].end_lineno == start:  # two statements on one line
        first_text, last_text = "\n".join(ast.unparse(node) for node in first), ast.unparse(last)
    else:
        last_text = "\n".join(lines[start - 1 :])
    return Program(
        compile(ast.Module(first, []), "<do>", "exec") if first else None,
        compile(ast.Module([last], []), "<do>", "exec"),
        first_text.rstrip(),
        last_text.rstrip(),
        tuple(_assigned(tree)),
    )


@dataclass(frozen=True)
class Plan:
    """A program together with one expectation: the claim's own, or what a divergence says holds instead.

    ``control`` is the program without the mistake that raises.
    """

    program: Program
    expectation: Expectation
    expressions: tuple[Expression, ...]
    needs_before: bool
    observes_only: bool
    control: Optional[Program] = None


def plan(claim: Claim, expectation: Optional[Expectation] = None) -> Plan:
    """Compile a claim's program with its own expectation, or with another one."""
    chosen = claim.expectation if expectation is None else expectation
    expressions = tuple(compile_expression(fragment.text) for fragment in chosen.expect)
    return Plan(
        compile_program(claim.do.text if claim.do else ""),
        chosen,
        expressions,
        any("before" in expression.names for expression in expressions),
        claim.unspecified,
        compile_program(control) if expectation is None and (control := claim.controlled()) is not None else None,
    )


def _assigned(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in names:
            names.append(node.id)
    return names
