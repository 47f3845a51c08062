"""Works out what operators and subscripts give, and notes those on tensors."""

from __future__ import annotations

import ast

from conformance.special_methods import BINARY, COMPARISON
from conformance.usage import rules
from conformance.usage.calls import known, literal
from conformance.usage.lookup import NAMESPACES, Names, as_tensor
from conformance.usage.model import Doubt, Evidence
from conformance.usage.values import (
    BATCH,
    NOTHING,
    OTHER,
    UNKNOWN,
    Either,
    Fixed,
    Foreign,
    Instance,
    OwnClass,
    Torch,
    Value,
    is_other,
    item_of,
    join,
)

_LOGICAL = frozenset(("and", "or", "xor"))
_UNARY = {ast.USub: "__neg__", ast.Invert: "__invert__", ast.UAdd: "__pos__"}


class Operators(Names):
    """Evaluates operators."""

    def _binop(self, node: ast.BinOp) -> Value:
        # Long sums are nested as deep as they are long: the left side is walked without recursion.
        spine = [node]
        while type(spine[-1].left) is ast.BinOp:
            spine.append(spine[-1].left)
        value = self.value(spine[-1].left)
        for part in reversed(spine):
            value = self.operation(BINARY[type(part.op)], part, value, self.value(part.right))
        return value

    def operation(self, operator: str, node: ast.BinOp, left: Value, right: Value) -> Value:
        """Return what an operator gives, and note it where one side is a tensor."""
        on_left, on_right = as_tensor(left), as_tensor(right)
        if on_left is not None:
            self.record.operator(f"__{operator}__", node, on_left.evidence, known(node.right, right))
            both = on_left.is_bool and on_right is not None and on_right.is_bool and operator in _LOGICAL
            return on_left.of_bools(True if both else None)
        if on_right is not None:
            evidence = on_right.evidence if is_other(left) else Evidence.MAYBE
            self.record.operator(f"__r{operator}__", node, evidence, known(node.left, left))
            return on_right.of_bools(None) if is_other(left) else rules.LIKELY_TENSOR
        return OTHER if is_other(left) and is_other(right) else UNKNOWN

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if type(node.op) is ast.Not:
            self.truth(node.operand)
            return OTHER
        value = self.value(node.operand)
        tensor = as_tensor(value)
        if tensor is None:
            return literal(node) or (OTHER if is_other(value) else UNKNOWN)
        self.record.operator(_UNARY[type(node.op)], node, tensor.evidence)
        return tensor if type(node.op) is ast.Invert else tensor.of_bools(None)

    def truth(self, node: ast.expr) -> Value:
        """Return what a condition stands for, and note that a tensor is asked for its truth."""
        value = self.value(node)
        tensor = as_tensor(value)
        if tensor is not None:
            self.record.operator("__bool__", node, tensor.evidence)
        return value

    def _boolop(self, node: ast.BoolOp) -> Value:
        found: Value = NOTHING
        for part in node.values[:-1]:
            found = join(found, self.truth(part))
        return join(found, self.value(node.values[-1]))

    def _compare(self, node: ast.Compare) -> Value:
        result: Value = OTHER
        left_node, left = node.left, self.value(node.left)
        for operator, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node)
            method = COMPARISON.get(type(operator))
            tensor = as_tensor(left) or as_tensor(right)
            if method is not None and tensor is not None:
                swapped = as_tensor(left) is None
                other = known(left_node, left) if swapped else known(right_node, right)
                self.record.operator(f"__{method}__", node, tensor.evidence, other)
                result = tensor.of_bools(True)
            elif method is not None and not (is_other(left) or is_other(right)):
                result = UNKNOWN
            elif isinstance(operator, (ast.In, ast.NotIn)):
                inside = as_tensor(right)
                if inside is not None:
                    self.record.operator("__contains__", node, inside.evidence, known(left_node, left))
            left_node, left = right_node, right
        return result

    def _subscript(self, node: ast.Subscript) -> Value:
        owner, index = self.receiver(node.value), self.value(node.slice)
        tensor = as_tensor(owner)
        if tensor is not None:
            self.record.operator("__getitem__", node, tensor.evidence, known(node.slice, index))
            return tensor
        if owner is BATCH:
            return rules.LIKELY_TENSOR
        if isinstance(owner, Foreign) and owner.name in NAMESPACES:
            self.note_namespace(owner.name, node, node.slice)
            return UNKNOWN
        if isinstance(owner, Torch) and owner.name.endswith(".__dict__"):
            self.record.doubt(node, Doubt.DYNAMIC_NAME, owner.name)
            return UNKNOWN
        sliced = isinstance(node.slice, ast.Slice)
        if isinstance(owner, Fixed) and isinstance(node.slice, ast.Constant):
            position = node.slice.value
            if isinstance(position, int) and -len(owner.parts) <= position < len(owner.parts):
                return owner.parts[position]
        if isinstance(owner, Instance) and isinstance(owner.cls, str):
            return owner if sliced else rules.items_of_instance(owner.cls)
        if isinstance(owner, (Torch, Either)):
            self._read(owner, node.value)
            return owner
        if isinstance(owner, (Foreign, OwnClass)):
            return owner
        return owner if sliced else item_of(owner)

    def _slice(self, node: ast.Slice) -> Value:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.value(part)
        return OTHER
