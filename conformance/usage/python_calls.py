"""Works out what calls of Python's own functions and of other packages give."""

from __future__ import annotations

import ast

from conformance.usage import rules
from conformance.usage import torch_data as data
from conformance.usage.calls import Arguments, known
from conformance.usage.expressions import Expressions
from conformance.usage.lookup import NAMESPACES, as_tensor, as_version
from conformance.usage.model import Doubt, Evidence, Kind
from conformance.usage.torch_data import words
from conformance.usage.values import (
    FLAG,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Fixed,
    Foreign,
    Instance,
    Items,
    Torch,
    Value,
    Version,
    as_chosen,
)

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


class PythonCalls(Expressions):
    """Evaluates calls of what is not of torch."""

    def arguments(self, node: ast.Call, looked_at: int = 0) -> Arguments:
        """Return the arguments of a call, and note what they use.

        Parameters
        ----------
        looked_at
            How many of the first arguments the function does not call, whatever they are.
        """
        values = [self.value(argument) for argument in node.args]
        keywords = [self.value(keyword.value) for keyword in node.keywords]
        if type(node.func) is ast.Attribute and node.func.attr in _TAKE_A_DTYPE:
            return Arguments(node, values, keywords)
        for argument, value in zip(node.args[looked_at:], values[looked_at:]):
            self.passed_on(argument, value)
        for keyword, value in zip(node.keywords, keywords):
            self.passed_on(keyword.value, value)
        return Arguments(node, values, keywords)

    def foreign_call(self, name: str, node: ast.Call) -> Value:
        """Return what a function of another package gives."""
        before = self.looks
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
        start = len(self.record.uses)
        given = self.arguments(node, len(node.args) if name in _ONLY_LOOK else 0).values
        if name in _ASKS:
            self.record.asked(start, Kind.ISINSTANCE)
        if self.looks != before and (version := next((one for one in map(as_version, given) if one), None)):
            return version if name.rpartition(".")[2] in _OF_VERSIONS else UNKNOWN
        if name.endswith("metadata.version") and _is_torch(node):
            self.looks += 1
            return Version()
        if self._looks_up(name, node, given):
            return UNKNOWN
        first = given[0] if given else NONE
        tensor = as_tensor(first)
        if name in _PROTOCOLS and tensor is not None:
            self.record.operator(_PROTOCOLS[name], node, tensor, *map(known, node.args[1:], given[1:]))
            if name == "builtins.abs" and tensor.dtype == "complex":
                return tensor.of("float", tensor.requires_grad)
            return first if name in _GIVE_TENSOR else OTHER
        if name in ("copy.deepcopy", "copy.copy", "builtins.abs") or name.endswith("tqdm"):
            return first
        if name == "builtins.enumerate":
            return Items(Fixed((OTHER, self.iterate(first, node))))
        if name == "builtins.zip":
            return Items(Fixed(tuple([self.iterate(each, node) for each in given])))
        if name in _CONTAINERS:
            return Items(self.iterate(first, node) if given else NOTHING)
        if name == "builtins.next":
            return self.iterate(first, None)
        if name == "builtins.dict" or name in ("collections.OrderedDict", "collections.deque"):
            return Items(NOTHING if not (given or node.keywords) else UNKNOWN)
        if name in data.SUBCLASSES:
            return Instance(data.SUBCLASSES[name])
        return OTHER if rules.is_other_package(name.partition(".")[0]) and name not in _ANYTHING else UNKNOWN

    def _partial(self, node: ast.Call) -> Value:
        given = self.arguments(node, looked_at=1)
        call = given.call()
        call = call._replace(positional=call.positional[1:], more_positional=True, more_keywords=True)
        self.passed_on(node.args[0], given.values[0], call)
        return UNKNOWN

    def _looks_up(self, name: str, node: ast.Call, given: list[Value]) -> bool:
        """Note a function that finds torch, or something of it, by a name or a text; return whether it is one."""
        space, _, method = name.rpartition(".")
        if space in NAMESPACES:
            if method in ("get", "pop", "setdefault", "__getitem__") and node.args:
                self.note_namespace(space, node, node.args[0])
        elif name == "builtins.vars" and given and type(given[0]) is Torch:
            self.record.doubt(node, Doubt.DYNAMIC_NAME, given[0].name)
        elif name == "operator.methodcaller":
            self.record.doubt(node, Doubt.METHOD_BY_NAME)
        elif name == "operator.attrgetter":
            self._attributes_by_name(node)
        elif name in _TIMERS and node.args and type(node.args[0]) is not ast.Lambda:
            self.record.doubt(node, Doubt.DYNAMIC_CODE)
        else:
            return False
        return True

    def _attributes_by_name(self, node: ast.Call) -> None:
        for argument in node.args:
            if isinstance(argument, ast.Constant):
                names = rules.candidates(str(argument.value).rpartition(".")[2], False)
                self.record.add(names, argument.lineno, argument.col_offset, Kind.NAME, Evidence.MAYBE)
            else:
                self.record.doubt(node, Doubt.METHOD_BY_NAME)

    def _by_name(self, function: str, node: ast.Call) -> Value:
        given = node.args
        if len(given) < 2:
            self.arguments(node)
            return UNKNOWN
        owner = self.receiver(given[0])
        for more in (*given[2:], *(keyword.value for keyword in node.keywords)):
            self.value(more)
        name = given[1].value if isinstance(given[1], ast.Constant) else None
        if function == "builtins.hasattr":
            if owner is UNKNOWN and isinstance(name, str):
                self.record.guard += 1
                self.attribute(owner, name, node.lineno, node.col_offset)
                self.record.guard -= 1
            return FLAG if type(owner) is Torch else OTHER
        if not isinstance(name, str):
            self.value(given[1])
            if type(owner) is Torch:
                self.record.doubt(node, Doubt.DYNAMIC_NAME, owner.name)
            return UNKNOWN
        self.record.guard += len(given) > 2
        found = self.attribute(owner, name, node.lineno, node.col_offset)
        if type(found) is Torch:
            self.record.name((found,), node)
        self.record.guard -= len(given) > 2
        return as_chosen(found) if len(given) > 2 else found

    def _dynamic(self, function: str, node: ast.Call) -> Value:
        self.arguments(node)
        name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if function in _RUN_TEXT:
            self.record.doubt(node, Doubt.DYNAMIC_CODE)
        elif not isinstance(name, str):
            self.record.doubt(node, Doubt.DYNAMIC_IMPORT)
        elif name.partition(".")[0] == "torch":
            module = Torch(name[:200])
            self.record.name((module,), node, Kind.IMPORT)
            return module
        return UNKNOWN


def _is_torch(node: ast.Call) -> bool:
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == "torch"
