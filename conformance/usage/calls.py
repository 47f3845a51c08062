"""What calls give: those of torch, which are noted with their arguments, and those of Python and other packages."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from conformance.usage import torch_data as data
from conformance.usage import torch_results
from conformance.usage.arguments import Arguments, known, tensor_argument
from conformance.usage.expressions import NAMESPACES, as_tensor, as_version, is_version
from conformance.usage.model import Doubt, Evidence, Kind
from conformance.usage.recorder import attribute_place
from conformance.usage.torch_data import words
from conformance.usage.values import (
    BATCH,
    FLAG,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Either,
    Fixed,
    Flag,
    Foreign,
    Instance,
    Items,
    OwnClass,
    OwnFunction,
    Torch,
    Value,
    Version,
    as_chosen,
    is_other,
    item_of,
    join,
    weaker,
)
from conformance.usage.versions import by_name, compared, starts_with

if TYPE_CHECKING:
    from conformance.usage.evaluator import Evaluator

#: Functions that call a method of a tensor, with it; the first give a tensor.
_PROTOCOLS = {
    **{f"builtins.{name}": f"__{name}__" for name in ("abs", "round", "pow", "divmod")},
    "copy.deepcopy": "__deepcopy__",
    "copy.copy": "__copy__",
    **{f"builtins.{name}": f"__{name}__" for name in ("float", "int", "bool", "complex", "len", "hash", "repr")},
    "builtins.str": "__str__",
    "builtins.format": "__format__",
    "numpy.asarray": "__array__",
    "numpy.array": "__array__",
}
_GIVE_TENSOR = frozenset(list(_PROTOCOLS)[:6])
_CONTAINERS = frozenset(f"builtins.{name}" for name in words("list tuple set frozenset sorted reversed iter"))
#: What may be given back: the argument, an item of it, or anything.
_ANYTHING = frozenset(
    f"builtins.{name}" for name in words("getattr vars globals locals eval type object super map filter sum min max")
)
#: Functions and methods that take a dtype, or a class of tensors for it, and do not call it.
_TAKE_A_DTYPE = ("type", "to", "set_default_tensor_type")
#: Functions that run a program or import a module, and those that do nothing with a function or class but look at it.
_ASKS = ("builtins.isinstance", "builtins.issubclass")
#: Functions that give a version again.
_OF_VERSIONS = words("parse Version LooseVersion StrictVersion TorchVersion tuple list map int float str join")
_RUN_TEXT = frozenset(("builtins.eval", "builtins.exec", "builtins.compile"))
_DYNAMIC = _RUN_TEXT | {"importlib.import_module", "builtins.__import__"}
_TIMERS = frozenset(("timeit.timeit", "timeit.repeat", "timeit.Timer"))
_ONLY_LOOK = frozenset(
    (
        *(f"builtins.{name}" for name in words("callable hash id isinstance issubclass print repr str type")),
        *("typing.cast", "typing.NewType", "typing.TypeVar"),
    )
)
#: Methods of an unknown object whose results are neither tensors nor modules.
_NO_TENSOR = words("item numpy tolist size dim numel format strip split join lower upper keys encode read")
#: Functions of torch that take a program as a text.
_TAKE_PROGRAMS = frozenset(("torch.jit.CompilationUnit", "torch.utils.benchmark.Timer"))


class Calls:
    """Evaluates calls."""

    def __init__(self, file: Evaluator) -> None:
        self.file = file

    def arguments(self, node: ast.Call, looked_at: int = 0) -> Arguments:
        """Return the arguments of a call, and note what they use.

        Parameters
        ----------
        looked_at
            How many of the first arguments the function does not call, whatever they are.
        """
        values = [self.file.expressions.value(argument) for argument in node.args]
        keywords = [self.file.expressions.value(keyword.value) for keyword in node.keywords]
        if type(node.func) is ast.Attribute and node.func.attr in _TAKE_A_DTYPE:
            return Arguments(node, values, keywords)
        for argument, value in zip(node.args[looked_at:], values[looked_at:]):
            self.file.expressions.passed_on(argument, value)
        for keyword, value in zip(node.keywords, keywords):
            self.file.expressions.passed_on(keyword.value, value)
        return Arguments(node, values, keywords)

    def foreign_call(self, name: str, node: ast.Call) -> Value:
        """Return what a function of another package gives."""
        before = self.file.looks
        if name in ("builtins.getattr", "builtins.hasattr"):
            return self._by_name(name, node)
        if name in _DYNAMIC:
            return self._dynamic(name, node)
        if name == "builtins.globals":
            return Foreign("builtins.globals()")
        if name == "builtins.locals" or (name == "builtins.vars" and not node.args):
            return Foreign("builtins.locals()")
        if name in ("functools.partial", "functools.partialmethod") and node.args:
            return self._partial(node)
        start = len(self.file.record.uses)
        given = self.arguments(node, len(node.args) if name in _ONLY_LOOK else 0).values
        if name in _ASKS:
            self.file.record.asked(start, Kind.ISINSTANCE)
        if self.file.looks != before and (version := next((one for one in map(as_version, given) if one), None)):
            return version if name.rpartition(".")[2] in _OF_VERSIONS else UNKNOWN
        if name.endswith("metadata.version") and _is_torch(node):
            self.file.looks += 1
            return Version()
        if self._looks_up(name, node, given):
            return UNKNOWN
        first = given[0] if given else NONE
        tensor = as_tensor(first)
        if name in _PROTOCOLS and tensor is not None:
            self.file.record.operator(_PROTOCOLS[name], node, tensor, *map(known, node.args[1:], given[1:]))
            if name == "builtins.abs" and tensor.dtype == "complex":
                return tensor.of("float", tensor.requires_grad)
            return first if name in _GIVE_TENSOR else OTHER
        if name in ("copy.deepcopy", "copy.copy", "builtins.abs") or name.endswith("tqdm"):
            return first
        if name == "builtins.enumerate":
            return Items(Fixed((OTHER, self.file.expressions.iterate(first, node))))
        if name == "builtins.zip":
            return Items(Fixed(tuple([self.file.expressions.iterate(each, node) for each in given])))
        if name in _CONTAINERS:
            return Items(self.file.expressions.iterate(first, node) if given else NOTHING)
        if name == "builtins.next":
            return self.file.expressions.iterate(first, None)
        if name == "builtins.dict" or name in ("collections.OrderedDict", "collections.deque"):
            return Items(NOTHING if not (given or node.keywords) else UNKNOWN)
        if name in data.SUBCLASSES:
            return Instance(data.SUBCLASSES[name])
        return OTHER if torch_results.is_other_package(name.partition(".")[0]) and name not in _ANYTHING else UNKNOWN

    def _partial(self, node: ast.Call) -> Value:
        given = self.arguments(node, looked_at=1)
        call = given.call()
        call = call._replace(positional=call.positional[1:], more_positional=True, more_keywords=True)
        self.file.expressions.passed_on(node.args[0], given.values[0], call)
        return UNKNOWN

    def _looks_up(self, name: str, node: ast.Call, given: list[Value]) -> bool:
        """Note a function that finds torch, or something of it, by a name or a text; return whether it is one."""
        space, _, method = name.rpartition(".")
        if space in NAMESPACES:
            if method in ("get", "pop", "setdefault", "__getitem__") and node.args:
                self.file.expressions.note_namespace(space, node, node.args[0])
        elif name == "builtins.vars" and given and type(given[0]) is Torch:
            self.file.record.doubt(node, Doubt.DYNAMIC_NAME, given[0].name)
        elif name == "operator.methodcaller":
            self.file.record.doubt(node, Doubt.METHOD_BY_NAME)
        elif name == "operator.attrgetter":
            self._attributes_by_name(node)
        elif name in _TIMERS and node.args and type(node.args[0]) is not ast.Lambda:
            self.file.record.doubt(node, Doubt.DYNAMIC_CODE)
        else:
            return False
        return True

    def _attributes_by_name(self, node: ast.Call) -> None:
        for argument in node.args:
            if isinstance(argument, ast.Constant):
                names = torch_results.candidates(str(argument.value).rpartition(".")[2], False)
                self.file.record.add(names, argument.lineno, argument.col_offset, Kind.NAME, Evidence.MAYBE)
            else:
                self.file.record.doubt(node, Doubt.METHOD_BY_NAME)

    def _by_name(self, function: str, node: ast.Call) -> Value:
        given = node.args
        if len(given) < 2:
            self.arguments(node)
            return UNKNOWN
        owner = self.file.expressions.receiver(given[0])
        for more in (*given[2:], *(keyword.value for keyword in node.keywords)):
            self.file.expressions.value(more)
        name = given[1].value if isinstance(given[1], ast.Constant) else None
        if function == "builtins.hasattr":
            if owner is UNKNOWN and isinstance(name, str):
                self.file.record.guard += 1
                self.file.expressions.attribute(owner, name, node.lineno, node.col_offset)
                self.file.record.guard -= 1
            return FLAG if type(owner) is Torch else OTHER
        if not isinstance(name, str):
            self.file.expressions.value(given[1])
            if type(owner) is Torch:
                self.file.record.doubt(node, Doubt.DYNAMIC_NAME, owner.name)
            return UNKNOWN
        self.file.record.guard += len(given) > 2
        found = self.file.expressions.attribute(owner, name, node.lineno, node.col_offset)
        if type(found) is Torch:
            self.file.record.name((found,), node)
        self.file.record.guard -= len(given) > 2
        return as_chosen(found) if len(given) > 2 else found

    def _dynamic(self, function: str, node: ast.Call) -> Value:
        self.arguments(node)
        name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if function in _RUN_TEXT:
            self.file.record.doubt(node, Doubt.DYNAMIC_CODE)
        elif not isinstance(name, str):
            self.file.record.doubt(node, Doubt.DYNAMIC_IMPORT)
        elif name.partition(".")[0] == "torch":
            module = Torch(name[:200])
            self.file.record.name((module,), node, Kind.IMPORT)
            return module
        return UNKNOWN

    def evaluate(self, node: ast.Call) -> Value:
        """Return what a call gives, and note what it uses."""
        before = self.file.looks
        result = self._called(node)
        if self.file.looks == before or (type(result) is Flag and result.holds is not None) or type(result) is Version:
            return result
        return self._version_check(node, result) or result

    def _version_check(self, node: ast.Call, result: Value) -> Optional[Flag]:
        """Return when a helper that compares torch's version holds: one of the project, or one whose name says so."""
        if type(result) is Flag and result.position >= 0:
            named = [keyword.value for keyword in node.keywords if keyword.arg == result.asks[1]]
            given = node.args[result.position : result.position + 1] or named
            bound = self.file.expressions.literal_of(given[0]) if given else None
            return Flag(compared(result.asks[0], bound.literal)) if bound is not None else None
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if result in (OTHER, UNKNOWN, FLAG) and is_version(name):
            literals = [
                bound.literal
                for argument in node.args
                if (bound := self.file.expressions.literal_of(argument)) is not None
            ]
            return Flag(by_name(name, tuple(literals)))
        return None

    def _called(self, node: ast.Call) -> Value:
        function = node.func
        if type(function) is ast.Attribute:
            if _is_super(function.value):
                return self._super(function, node)
            owner = self.file.expressions.receiver(function.value)
            version = as_version(owner) if owner.chosen else None
            if version is not None:
                self.arguments(node)
                return _of_version(version, function.attr, node)
            if type(owner) is not Torch:
                result = self._method(owner, function, node)
                if function.attr == "backward" and isinstance(function.value, ast.Name) and not node.args:
                    self._note_differentiated(function.value.id, owner)
                return result
            return self.call(self.file.expressions.torch_attribute(owner, function.attr), node)
        if type(function) is ast.Name:
            return self.call(self.file.expressions.lookup(function.id), node)
        return self.call(self.file.expressions.value(function), node)

    def _note_differentiated(self, name: str, value: Value) -> None:
        """Note that a tensor requires grad: code calls its `backward`."""
        tensor = as_tensor(value)
        if tensor is not None or value is UNKNOWN:
            self.file.scope.bind(name, (tensor or torch_results.LIKELY_TENSOR).of("float", True))

    def call(self, function: Value, node: ast.Call) -> Value:
        """Return what a call gives, and note it where it calls something of torch."""
        if type(function) is Foreign:
            return self.foreign_call(function.name, node)
        return self._apply(function, node, self.arguments(node))

    def _apply(self, function: Value, node: ast.Call, given: Arguments) -> Value:
        if type(function) is Torch:
            return self._torch_call((function,), node, given)
        if type(function) is OwnFunction:
            return self.file.definitions.result_of(function)
        if type(function) is OwnClass:
            base = function.torch_base()
            if base is not None and function.find("__init__") is None and torch_results.family(base) != "torch.Tensor":
                self.file.record.name((Torch(base),), node, Kind.CALL, given.call())
            return Instance(function)
        if type(function) is Instance:
            return self._instance_call(function, node, given)
        if type(function) is Version:
            return function
        if type(function) is Either:
            torch = tuple(one for one in function.values if type(one) is Torch)
            result = self._torch_call(torch, node, given) if torch else NOTHING
            for one in function.values:
                if type(one) is Instance:
                    result = join(result, self._instance_call(one, node, given))
            return result
        return OTHER if is_other(function) else UNKNOWN

    def _torch_call(self, functions: tuple[Torch, ...], node: ast.Call, given: Arguments) -> Value:
        result: Value = NOTHING
        called, is_unbound = [], False
        for function in functions:
            name = function.name
            owner, _, last = name.rpartition(".")
            if last == "__init__":
                name, is_unbound = owner, True
            elif torch_results.is_class(owner):
                is_unbound = torch_results.has(owner, last, True)
            shown = torch_results.canonical(name) if is_unbound else name
            called.append(Torch(shown, function.evidence, function.chosen))
            found = torch_results.result_of(name, len(given.values), given.keywords)
            found = _described(found, name, given, without_grad=self.file.without_grad)
            if functions[0].evidence is Evidence.MAYBE:
                found = UNKNOWN
            result = join(result, weaker(found, function.evidence))
        self.file.record.name(called, node, Kind.CALL, given.call(is_unbound))
        if any(function.name in _TAKE_PROGRAMS for function in functions):
            self.file.record.doubt(node, Doubt.DYNAMIC_CODE)
        return result

    def _instance_call(self, called: Instance, node: ast.Call, given: Arguments) -> Value:
        cls = called.cls
        if isinstance(cls, OwnClass):
            for name in ("forward", "__call__"):
                found = cls.find(name)
                if isinstance(found, OwnFunction):
                    result = self.file.definitions.result_of(found)
                    is_module = torch_results.family(cls.torch_base() or "") == "torch.nn.Module"
                    return BATCH if result is UNKNOWN and is_module else result
            base = cls.torch_base()
            if base is None or base == "torch.nn.Module":
                return UNKNOWN if base is None else BATCH
            cls = base
        if cls in data.OBJECTS.values():
            self.file.record.add(
                (f"{cls}.__call__",), node.lineno, node.col_offset, Kind.CALL, called.evidence, given.call()
            )
        if torch_results.family(cls) != "torch.nn.Module":
            return UNKNOWN
        names = (f"{cls}.forward",)
        if cls != "torch.nn.Module":
            self.file.record.add(names, node.lineno, node.col_offset, Kind.CALL, called.evidence, given.call())
        return weaker(torch_results.result_of_instance(cls), called.evidence)

    # Methods

    def _method(self, owner: Value, function: ast.Attribute, node: ast.Call) -> Value:
        if type(owner) is Instance:
            return self._instance_method(owner, function, node, self.arguments(node))
        name = function.attr
        if type(owner) is Items:
            given = self.arguments(node)
            if name == "next":  # In Python 3, of iterators only those of torch have had it.
                evidence = Evidence.CERTAIN if owner.item is BATCH else Evidence.LIKELY
                line, column = attribute_place(function)
                self.file.record.add((data.DATA_LOADER_NEXT,), line, column, Kind.CALL, evidence, given.call())
            return _items_method(owner, name, given.values)
        if type(owner) is Either:
            given = self.arguments(node)
            found: Value = NOTHING
            for one in owner.values:
                if type(one) is Instance:
                    found = join(found, self._instance_method(one, function, node, given))
                elif type(one) is Torch:
                    found = join(found, self._apply(self.file.expressions.torch_attribute(one, name), node, given))
            return found
        if owner is UNKNOWN or owner is NONE or owner is BATCH:
            return self._maybe(owner, function, self.arguments(node))
        if type(owner) is OwnClass and owner.find(name) is None:
            given = self.arguments(node)
            base = owner.torch_base()
            if base is None:
                return UNKNOWN
            if name != "__init__":
                self.file.record.name(
                    (Torch(f"{base}.{name}"),), node, Kind.CALL, given.call(torch_results.has(base, name, True))
                )
            return torch_results.LIKELY_TENSOR if name == "apply" else UNKNOWN
        return self.call(self.file.expressions.attribute(owner, name, *attribute_place(function)), node)

    def _instance_method(self, owner: Instance, function: ast.Attribute, node: ast.Call, given: Arguments) -> Value:
        cls, name = owner.cls, function.attr
        if isinstance(cls, OwnClass):
            found = cls.find(name)
            if isinstance(found, OwnFunction) and found.binding == "property":
                found = self.file.definitions.result_of(found)
            if found is not None:
                return self._apply(found, node, given)
            base = cls.torch_base()
            if base is None or not torch_results.has(base, name, True):
                return self._maybe(UNKNOWN, function, given) if cls.is_doubtful() else UNKNOWN
            cls = base
        is_module = torch_results.family(cls) == "torch.nn.Module"
        if is_module and torch_results.holds_others(cls) and not torch_results.has(cls, name, True):
            return UNKNOWN  # A module of its own that is held under this name.
        member = torch_results.member(cls, name, len(given.values), given.keywords, True)
        line, column = attribute_place(function)
        call = given.call(receiver=tensor_argument(owner))
        self.file.record.add(member.names, line, column, Kind.CALL, owner.evidence, call)
        if type(member.result) is Instance and member.result.cls == cls:
            if is_module:
                return owner
            found = _described(member.result, f"{cls}.{name}", given, owner, self.file.without_grad)
            return weaker(found, owner.evidence)
        return torch_results.as_likely(member.result) if owner.evidence is not Evidence.CERTAIN else member.result

    def _maybe(self, owner: Value, function: ast.Attribute, given: Arguments) -> Value:
        """Note a call of a method of an unknown object, where torch has such a method."""
        name = function.attr
        names = torch_results.candidates(name, True)
        if names:
            line, column = attribute_place(function)
            self.file.record.add(names, line, column, Kind.CALL, Evidence.MAYBE, given.call())
        if owner is BATCH:
            return BATCH if name in ("to", "cuda", "pin_memory") else Items(torch_results.LIKELY_TENSOR)
        if name in data.ONLY_OF_TENSORS:
            return torch_results.LIKELY_TENSOR
        return OTHER if name in _NO_TENSOR else UNKNOWN

    def _super(self, function: ast.Attribute, node: ast.Call) -> Value:
        given, name = self.arguments(node), function.attr
        for base in self.file.owner.bases if self.file.owner is not None else ():
            if isinstance(base, OwnClass):
                found = base.find(name)
                if found is not None:
                    return self._apply(found, node, given)
                torch = base.torch_base()
            else:
                torch = base.name if isinstance(base, Torch) else None
            if torch is None:
                continue
            line, column = attribute_place(function)
            member = torch_results.member(torch, name, len(given.values), given.keywords, True)
            names = (torch,) if name == "__init__" else member.names
            self.file.record.add(names, line, column, Kind.CALL, Evidence.CERTAIN, given.call())
            return member.result
        return UNKNOWN


def _is_torch(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == "torch"


def _of_version(version: Version, method: str, node: ast.Call) -> Value:
    """Return what a method of torch's version gives."""
    first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    if method == "startswith":
        return Flag(starts_with(first) if isinstance(first, str) else None)
    return Version(version.part, version.is_split or (method in ("split", "rsplit") and first == "."))


def _described(
    result: Value, name: str, given: Arguments, owner: Optional[Instance] = None, without_grad: bool = False
) -> Value:
    """Return a tensor with what a call tells of its dtype, and of whether it requires grad.

    Parameters
    ----------
    name
        What is called.
    owner
        The object of a method.
    without_grad
        Whether the call runs under `torch.no_grad` or its like.
    """
    if type(result) is not Instance or result.cls != "torch.Tensor":
        return result
    last = name.rpartition(".")[2]
    dtype = torch_results.dtype_among(given.torch_names)
    first = owner or (as_tensor(given.values[0]) if given.values else None)
    if first is not None and first.dtype == "complex" and last in data.FLOAT_OF_COMPLEX:
        dtype = "float"
    elif last in ("stft", "istft") and given.flag("return_complex", False) is not None:
        dtype = "complex" if last == "stft" and given.flag("return_complex", False) else None
    elif dtype is None and "dtype" not in given.keywords:
        keeps = owner is not None and last in data.KEEPS_DTYPE and not given.torch_names
        dtype = owner.dtype if keeps and owner is not None else result.dtype or given.dtype_of_data(name)
    said = given.flag("requires_grad", last == "requires_grad_")
    tensors = [owner, *map(as_tensor, given.values)]
    if said is None and without_grad and last not in ("Parameter", "requires_grad_"):
        # What may give the object itself back requires grad if that does.
        is_same = last.endswith("_") or last in data.MAY_RETURN_SELF
        return result.of(dtype, None if is_same and (first is None or first.requires_grad is not False) else False)
    if said is None and last in ("Parameter", "requires_grad_"):
        said = True
    elif said is None and (last in ("detach", "detach_") or (owner is not None and _is_constant(owner, given))):
        said = False
    elif said is None and any(tensor is not None and tensor.requires_grad for tensor in tensors):
        said = True
    return result.of(dtype, said)


def _is_constant(owner: Instance, given: Arguments) -> bool:
    """Return whether the result of a method requires no grad, since its tensor does not, and there is no other."""
    return owner.requires_grad is False and not given.values


def _is_super(node: ast.expr) -> bool:
    return type(node) is ast.Call and isinstance(node.func, ast.Name) and node.func.id == "super"


def _items_method(owner: Items, name: str, given: list[Value]) -> Value:
    if name in ("append", "add", "insert", "appendleft", "setdefault") and given:
        owner.add(given[-1])
    elif name in ("extend", "update") and given:
        owner.add(item_of(given[0]))
    elif name == "items":
        return Items(Fixed((OTHER, owner.item)))
    elif name in ("values", "copy"):
        return Items(owner.item)
    if name in ("get", "pop", "popleft", "setdefault", "popitem", "next"):
        return owner.item if owner.item is not NOTHING else UNKNOWN
    return OTHER
