"""Notes uses of torch as a file is read."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional, Union

from conformance.usage.arguments import tensor_argument
from conformance.usage.model import Argument, Call, Doubt, Evidence, Kind, Parameter, Unclear, Use
from conformance.usage.values import ROOTS, Instance, Torch, Value
from conformance.usage.versions import ALL

#: Bounds the memory that one hostile file can take.
_MOST_USES = 200_000


class Recorder:
    """The uses of one file; ``guard`` is above zero where the code expects that a name may be missing."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.uses: list[Use] = []
        self.unclear: list[Unclear] = []
        self.guard = 0
        #: How many of these guards are a ``try`` whose body is read: what only warns there is not caught.
        self.tries = 0
        #: The releases that the code runs on; none where a guard is no comparison of versions.
        self.runs_on: Optional[int] = ALL
        #: The classes of errors that the code around catches by name.
        self.caught: tuple[str, ...] = ()

    def add(
        self,
        names: tuple[str, ...],
        line: int,
        column: int,
        kind: Kind,
        evidence: Evidence,
        call: Optional[Call] = None,
        parameters: Optional[tuple[Parameter, ...]] = None,
        guarded: bool = False,
        decorates: str = "",
    ) -> None:
        """Note a use; ``column`` counts bytes from 0, as `ast` does."""
        if len(self.uses) < _MOST_USES and names:
            runs_on = None if guarded else self.runs_on
            is_tried = not guarded and self.guard == self.tries > 0
            guarded = guarded or self.guard > 0
            place = names, self.path, line, column + 1
            use = Use(
                *place, kind, evidence, call, guarded, None, parameters, decorates, runs_on, self.caught, is_tried
            )
            self.uses.append(use)

    def name(
        self,
        found: Sequence[Torch],
        node: Union[ast.expr, ast.stmt],
        kind: Kind = Kind.NAME,
        call: Optional[Call] = None,
    ) -> None:
        """Note a use of a name of torch, or of one of several."""
        names = tuple(value.name for value in found if value.name not in ROOTS)
        evidence = min((value.evidence for value in found), default=Evidence.CERTAIN)
        guarded = any(value.chosen for value in found)
        self.add(names, node.lineno, node.col_offset, kind, evidence, call, guarded=guarded)

    def operator(self, method: str, node: ast.AST, tensor: Instance, *arguments: Argument) -> None:
        """Note that Python calls a method of a tensor."""
        call = Call(arguments, receiver=tensor_argument(tensor))
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        self.add((f"torch.Tensor.{method}",), line, column, Kind.OPERATOR, tensor.evidence, call)

    def decorator(self, found: Value, node: ast.expr, decorates: str) -> None:
        """Note that a name of torch decorates a function or class; where it is called for that, the call was noted."""
        if isinstance(found, Torch) and not isinstance(node, ast.Call):
            if self._is_last(node):
                self.uses.pop()
            self.name((found,), node, Kind.DECORATOR)
        if self._is_last(node):
            self.uses[-1] = self.uses[-1]._replace(decorates=decorates)

    def asked(self, start: int, kind: Kind) -> None:
        """Note how names that were read since there were ``start`` uses are asked about."""
        for position in range(start, len(self.uses)):
            if self.uses[position].kind is Kind.NAME:
                self.uses[position] = self.uses[position]._replace(kind=kind)

    def _is_last(self, node: ast.expr) -> bool:
        """Return whether the place of a node is what was noted last."""
        return bool(self.uses) and (self.uses[-1].line, self.uses[-1].column) == (node.lineno, node.col_offset + 1)

    def doubt(self, node: ast.AST, doubt: Doubt, detail: str = "") -> None:
        """Note a place that cannot be told."""
        if len(self.unclear) < _MOST_USES:
            self.unclear.append(Unclear(self.path, node.lineno, doubt, detail[:200]))  # type: ignore[attr-defined]


def attribute_place(node: ast.Attribute) -> tuple[int, int]:
    """Return the line and column of the name after the dot."""
    return node.end_lineno or node.lineno, (node.end_col_offset or 0) - len(node.attr.encode())
