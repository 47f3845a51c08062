"""Works out what operators and subscripts give, and notes those on tensors."""

from __future__ import annotations

import ast
from typing import Optional, Union

from conformance.base.special_methods import BINARY, COMPARISON
from conformance.usage import rules
from conformance.usage.calls import known, literal
from conformance.usage.lookup import NAMESPACES, Names, as_tensor, as_version
from conformance.usage.model import Argument, Doubt, Evidence
from conformance.usage.values import (
    BATCH,
    FLAG,
    NOTHING,
    OTHER,
    UNKNOWN,
    Constant,
    Either,
    Fixed,
    Flag,
    Foreign,
    Instance,
    OwnClass,
    Torch,
    Value,
    Version,
    is_other,
    item_of,
    join,
)
from conformance.usage.versions import FLIPPED, NAMES, Holds, both, compared, either

_LOGICAL = frozenset(("and", "or", "xor"))
_NUMBERS = {"bool": "bool", "int": "integer", "float": "float", "complex": "complex"}
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
            self.record.operator(f"__{operator}__", node, on_left, known(node.right, right))
            return self._tracked(_combined(operator, on_left, on_right or known(node.right, right)))
        if on_right is not None:
            evidence = on_right.evidence if is_other(left) else Evidence.MAYBE
            tensor = Instance(on_right.cls, evidence, on_right.dtype, on_right.requires_grad)
            self.record.operator(f"__r{operator}__", node, tensor, known(node.left, left))
            if not is_other(left):
                return rules.LIKELY_TENSOR
            return self._tracked(_combined(operator, on_right, known(node.left, left)))
        return OTHER if is_other(left) and is_other(right) else UNKNOWN

    def _tracked(self, result: Instance) -> Instance:
        """Return a new tensor, which requires no grad where the code runs without."""
        return result.of(result.dtype, False) if self.without_grad else result

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if type(node.op) is ast.Not:
            test = self.truth(node.operand)
            return Flag(test.holds.negated()) if type(test) is Flag and test.holds is not None else OTHER
        value = self.value(node.operand)
        tensor = as_tensor(value)
        if tensor is None:
            return literal(node) or (OTHER if is_other(value) else UNKNOWN)
        self.record.operator(_UNARY[type(node.op)], node, tensor)
        keeps = type(node.op) is ast.Invert or tensor.dtype != "bool"
        return tensor if keeps else tensor.of(None)

    def truth(self, node: ast.expr) -> Value:
        """Return what a condition stands for, and note that a tensor is asked for its truth."""
        value = self.value(node)
        tensor = as_tensor(value)
        if tensor is not None:
            self.record.operator("__bool__", node, tensor)
        return value

    def _boolop(self, node: ast.BoolOp) -> Value:
        found: Value = NOTHING
        holds: list[Holds] = []
        vague = False
        for part in node.values:
            before = self.looks
            value = self.value(part) if part is node.values[-1] else self.truth(part)
            found = join(found, value)
            if type(value) is Flag and value.holds is not None:
                holds.append(value.holds)
            elif self.looks != before:
                vague = True
            else:
                holds.append(Holds())
        if not vague and any(each != Holds() for each in holds):
            return Flag(both(holds) if type(node.op) is ast.And else either(holds))
        return found

    def _compare(self, node: ast.Compare) -> Value:
        result: Value = OTHER
        left_node, left = node.left, self.value(node.left)
        asked: list[Flag] = []
        for operator, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node)
            if left.chosen or right.chosen:
                asked.append(self._compared_version(operator, (left_node, left), (right_node, right)))
            method = COMPARISON.get(type(operator))
            tensor = as_tensor(left) or as_tensor(right)
            if method is not None and tensor is not None:
                swapped = as_tensor(left) is None
                other = known(left_node, left) if swapped else known(right_node, right)
                self.record.operator(f"__{method}__", node, tensor, other)
                result = tensor.of("bool")
            elif method is not None and not (is_other(left) or is_other(right)):
                result = UNKNOWN
            elif isinstance(operator, (ast.In, ast.NotIn)):
                inside = as_tensor(right)
                if inside is not None:
                    self.record.operator("__contains__", node, inside, known(left_node, left))
            left_node, left = right_node, right
        if asked and all(flag.holds is not None for flag in asked):
            return Flag(both([flag.holds for flag in asked if flag.holds is not None]))
        return asked[0] if asked and asked[0].asks[1] else result

    def _compared_version(
        self, operator: ast.cmpop, left: tuple[ast.expr, Value], right: tuple[ast.expr, Value]
    ) -> Flag:
        """Return when a comparison of torch's version with a literal, or with a parameter, holds."""
        sign = NAMES.get(type(operator).__name__, "")
        version, other = as_version(left[1]), right
        if version is None:
            version, other, sign = as_version(right[1]), left, FLIPPED.get(sign, "")
        if version is None:
            return FLAG
        node = other[0]
        while isinstance(node, ast.Call) and len(node.args) == 1:
            node = node.args[0]
        if isinstance(node, ast.Name) and type(self.lookup(node.id)) is not Constant:
            return Flag(None, (sign, node.id))
        bound = self.literal_of(node)
        return Flag(compared(sign, bound.literal, version.part)) if bound is not None else FLAG

    def literal_of(self, node: ast.expr) -> Optional[Constant]:
        """Return the literal that an expression is, or a name stands for."""
        found = self.lookup(node.id) if isinstance(node, ast.Name) else None
        return found if type(found) is Constant else literal(node)

    def _subscript(self, node: ast.Subscript) -> Value:
        owner, index = self.receiver(node.value), self.value(node.slice)
        tensor = as_tensor(owner)
        if tensor is not None:
            self.record.operator("__getitem__", node, tensor, known(node.slice, index))
            return tensor
        version = as_version(owner) if owner.chosen else None
        if version is not None:
            return _part_of(version, type(owner) is Torch, node.slice)
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


def _combined(operator: str, one: Instance, two: Union[Instance, Argument]) -> Instance:
    """Return what an operator gives for a tensor and another operand."""
    kinds = {one.dtype, two.dtype if isinstance(two, Instance) else _NUMBERS.get(two.type or "")}
    requires_grad = True if one.requires_grad or two.requires_grad else None
    if "complex" in kinds:
        return one.of("complex", requires_grad)
    if "float" in kinds or (operator == "truediv" and None not in kinds):
        return one.of("float", requires_grad)
    if None in kinds:
        return one.of(None, requires_grad)
    return one.of("integer" if "integer" in kinds or operator not in _LOGICAL else "bool")


def _part_of(version: Version, is_text: bool, index: ast.expr) -> Value:
    """Return an item of a version: of its numbers, of its text, or of what its text was split at another mark into."""
    position = index.value if isinstance(index, ast.Constant) else None
    if isinstance(index, ast.Slice) or not (version.is_split or is_text):
        return version
    return Version(position) if position in (0, 1) and isinstance(position, int) else UNKNOWN
