"""How far a cause reaches: to every input of a claim, to ordinary ones, or to corners such as empty tensors."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from conformance.language.model import Claim, Divergence

#: The widest reach first.
REACHES = ("everywhere", "ordinary inputs", "rare inputs")
_EVERYWHERE, _ORDINARY, _RARE = REACHES
#: Corners by name: what a condition says that admits nothing else, and the subjects for which it is no corner.
_CORNERS = {
    "empty": (r"numel\(\) == 0|shape\[.*\] == 0|\b0 in \w+\.shape|len\(\w+\) == 0", r"(?!)"),
    "0-d": (r"\b(ndim|dim\(\)) == 0", r"(?!)"),
    "expanded": (r"\b(s|step|stride\(.*\)) == 0|\b0 in \w+\.stride\(\)|'expand'", r"expand|broadcast"),
    "conjugate": (r"\.is_conj\(\)", r"conj"),
    "negative bit": (r"\.is_neg\(\)", r"neg\b|_neg|conj"),
    "negative strides": (r"\b(s|step) < 0", r"(?!)"),
    "sparse": (r"sparse|'(coo|cs[rc]|bs[rc])'", r"sparse|to_dense|coo|cs[rc]|bs[rc]"),
    "mkldnn or quantized": (r"'(mkldnn|quantized)'|quint8|qint", r"mkldnn|quant"),
    "foreign byte order": (r"not \w+\.dtype\.isnative", r"(?!)"),
    "rare dtypes": (r"float8|float4|complex32|uint(16|32|64)", r"(?!)"),
}
#: Layouts that `tensor(layout=…)` draws, as corners.
_LAYOUTS = {"expanded": "expanded", "conj": "conjugate", "neg": "negative bit"}


@dataclass(frozen=True, order=True)
class Reach:
    """How far a cause reaches; ``corners`` are named where it is confined to them."""

    rank: int
    corners: tuple[str, ...] = ()

    def __str__(self) -> str:
        return REACHES[self.rank] + (f" ({', '.join(self.corners)})" if self.corners else "")


def reach_of(claim: Claim, divergence: Divergence) -> Reach:
    """Return how far a divergence reaches, by its condition and by the inputs that the claim is about."""
    where = divergence.where.text if divergence.where is not None else ""
    corners = (_corners(where) if where else frozenset()) | _drawn(claim)
    at_home = {name for name in corners if re.search(_CORNERS[name][1], claim.subject)}
    if corners - at_home:
        return Reach(REACHES.index(_RARE), tuple(sorted(corners - at_home)))
    return Reach(REACHES.index(_ORDINARY if where else _EVERYWHERE))


def widest(reaches: list[Reach]) -> Reach:
    """Return the widest of some reaches; of corners all."""
    rank = min(reach.rank for reach in reaches)
    return Reach(rank, tuple(sorted({name for reach in reaches if reach.rank == rank for name in reach.corners})))


def _corners(condition: str) -> frozenset[str]:
    try:
        return _of(ast.parse(" ".join(condition.split()), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


def _of(node: ast.expr) -> frozenset[str]:
    """Return the corners that a condition confines its inputs to; none where it admits an ordinary input."""
    if isinstance(node, ast.BoolOp):
        parts = [_of(value) for value in node.values]
        confined = all(parts) or isinstance(node.op, ast.And)
        return frozenset().union(*parts) if confined else frozenset()
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.NotEq, ast.NotIn, ast.IsNot)):
        return frozenset()
    text = ast.unparse(node)
    found = {name for name, (pattern, _) in _CORNERS.items() if re.search(pattern, text)}
    # Only this corner is the absence of something.
    return frozenset(found & {"foreign byte order"} if text.startswith("not ") else found)


def _drawn(claim: Claim) -> frozenset[str]:
    """Return the corners that some input of the claim is confined to."""
    found: set[str] = set()
    for _, given in claim.given:
        for listed in re.findall(r"\blayout=(\[[^]]*\]|\"[^\"]*\"|'[^']*')", given.text):
            corners = [_LAYOUTS.get(name, "") for name in re.findall(r"\w+", listed)]
            found |= set(corners) if all(corners) else set()
    return frozenset(found)
