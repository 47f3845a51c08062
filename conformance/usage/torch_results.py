"""What torch gives back: the results of its functions and methods, and the names of what its classes have."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple, Optional

from conformance.usage import torch_data as data
from conformance.usage.model import Evidence
from conformance.usage.values import BATCH, OTHER, UNKNOWN, Fixed, Instance, Items, Torch, Value, weaker

TENSOR = Instance("torch.Tensor")
LIKELY_TENSOR = Instance("torch.Tensor", Evidence.LIKELY)
TENSORS = Items(TENSOR)
_BOOLS, _INTEGERS, _FLOATS = TENSOR.of("bool"), TENSOR.of("integer"), TENSOR.of("float")
_COMPLEX = TENSOR.of("complex")
_DTYPES = frozenset(f"torch.{word}" for word in data.DTYPES)
_MODULE = Instance("torch.nn.Module")


_BY_DTYPE = {
    **dict.fromkeys(data.RETURN_BOOL, _BOOLS),
    **dict.fromkeys(data.RETURN_INTEGER, _INTEGERS),
    **dict.fromkeys(data.RETURN_FLOAT, _FLOATS),
    **dict.fromkeys(data.RETURN_COMPLEX, _COMPLEX),
}
_SIGNS = data.ONLY_OF_TENSORS | data.SIGNS | data.ATTRIBUTES_ONLY_OF_TENSORS

#: The methods and attributes of each family of classes, by the class that documents them.
_METHODS = {
    "torch.Tensor": data.METHODS_OF_ONE
    | data.METHODS_OF_SEVERAL
    | data.METHODS_OF_NONE
    | data.TENSORS_WITH_DIM
    | set(data.TENSORS_WITH_KEYWORD),
    "torch.nn.Module": data.MODULE_METHODS,
    "torch.optim.Optimizer": data.OPTIMIZER_METHODS,
    "torch.optim.lr_scheduler.LRScheduler": data.SCHEDULER_METHODS,
    data.DATA_LOADER_NEXT.rpartition(".")[0]: frozenset(("next",)),
}
_ATTRIBUTES = {
    "torch.Tensor": data.TENSOR_ATTRIBUTES | data.NO_TENSOR_ATTRIBUTES,
    "torch.nn.Module": data.MODULE_ATTRIBUTES,
    "torch.optim.Optimizer": data.OPTIMIZER_ATTRIBUTES,
}


class Member(NamedTuple):
    """A method or attribute of an object: the names it has in the documentation, and its value or result."""

    names: tuple[str, ...]
    result: Value


@lru_cache(maxsize=20_000)
def canonical(name: str) -> str:
    """Return the documented name of what some submodule of torch defines: `torch.nn.modules.conv.Conv2d`."""
    for defined, documented in data.ALIASES:
        if name == defined or name.startswith(defined if defined.endswith(".") else f"{defined}."):
            return documented + name[len(defined) :]
    for package in data.FLATTENED:
        if name.startswith(package + "."):
            rest = name[len(package) + 1 :].split(".")
            if len(rest) >= 2 and rest[0].islower() and rest[0] != "lr_scheduler" and rest[1][:1].isupper():
                return ".".join([package.replace(".modules", ""), *rest[1:]])
            if package.endswith("modules") and rest[0][:1].isupper():
                return ".".join(["torch.nn", *rest])
    return name


@lru_cache(maxsize=20_000)
def family(cls: str) -> Optional[str]:
    """Return the class that documents what a class of torch has: tensors, modules, optimizers and schedulers."""
    cls = canonical(cls)
    if cls in data.TENSOR_CLASSES:
        return "torch.Tensor"
    module, _, last = cls.rpartition(".")
    if not last.lstrip("_")[:1].isupper():
        return None
    if module.startswith(("torch.optim.lr_scheduler", "torch.optim.swa_utils")):
        return "torch.optim.lr_scheduler.LRScheduler"
    if module == "torch.optim":
        return "torch.optim.Optimizer"
    if module in ("torch.nn", "torch.nn.parallel") or module.startswith(
        ("torch.nn.qu", "torch.nn.intr", "torch.ao.nn")
    ):
        return "torch.nn.Module" if last not in ("ParameterList", "ParameterDict") else None
    return "torch.nn.Module" if cls == "torch.jit.ScriptModule" else None


def is_class(name: str) -> bool:
    """Return whether a dotted torch name is one of a class, as far as it shows."""
    module, _, last = name.rpartition(".")
    is_acronym = last.isupper() and not module.startswith(("torch.nn", "torch.optim", "torch.ao.nn"))
    return (last.lstrip("_")[:1].isupper() and not is_acronym) or last in data.CLASSES


def is_constant(name: str) -> bool:
    """Return whether a dotted torch name is one of a dtype, a number or a text."""
    module, _, last = name.rpartition(".")
    is_named = last in data.CONSTANTS if module == "torch" else module == "torch.version"
    return is_named or last in ("__version__", "__file__")


@lru_cache(maxsize=20_000)
def instance(cls: str) -> Value:
    """Return an object of a class of torch."""
    if family(cls) != "torch.Tensor":
        return Instance(canonical(cls))
    last = cls.rpartition(".")[2]
    if last == "BoolTensor":
        return _BOOLS
    if last in ("LongTensor", "IntTensor", "ShortTensor", "CharTensor", "ByteTensor"):
        return _INTEGERS
    return _FLOATS if last.endswith("Tensor") and last != "Tensor" else TENSOR


def result_of(name: str, positional: int, keywords: Collection[str]) -> Value:
    """Return what a call of a function or class of torch gives, with so many positional arguments."""
    module, _, last = name.rpartition(".")
    if module == "torch.Tensor":
        return member("torch.Tensor", last, max(positional - 1, 0), keywords, True).result
    if module in ("torch", "torch.functional", "torch._C"):
        return _result_in(last, False, positional - 1, keywords)
    return _result_elsewhere(name)


@lru_cache(maxsize=20_000)
def _result_elsewhere(name: str) -> Value:
    module, _, last = name.rpartition(".")
    if is_class(name):
        return instance(name)
    if name in data.OBJECTS:
        return Instance(data.OBJECTS[name])
    if name in data.TENSOR_FUNCTIONS:
        return TENSOR
    if name in data.TENSORS_FUNCTIONS:
        return TENSORS
    if module == "torch.fft" and last[:1] != "_" and "shift" not in last:
        return _FLOATS if last in data.FFT_OF_REAL else _COMPLEX
    if module in data.TENSOR_MODULES and last[:1] != "_" and last not in data.MODULE_EXCEPTIONS:
        is_functional = module == "torch.nn.functional"
        several = data.FUNCTIONAL_OF_SEVERAL if is_functional else data.METHODS_OF_SEVERAL
        return TENSORS if last in several else TENSOR
    if module in data.TENSOR_MODULES and last in data.MODULE_EXCEPTIONS and last != "calculate_gain":
        return TENSORS
    return OTHER if module.startswith(data.OTHER_MODULES) else UNKNOWN


def _result_in(last: str, is_method: bool, others: int, keywords: Collection[str]) -> Value:
    """Return what a function of `torch` itself, or a method of a tensor, gives; ``others``: arguments but the first."""
    if last in data.TENSORS_WITH_DIM:
        return TENSORS if "dim" in keywords or "axis" in keywords or others > 0 else TENSOR
    if last in data.TENSORS_WITH_KEYWORD:
        return UNKNOWN if others > 0 or any(key in keywords for key in data.TENSORS_WITH_KEYWORD[last]) else TENSOR
    if last == "where" and others == 0:
        return TENSORS
    if last in (data.METHODS_OF_SEVERAL if is_method else data.FUNCTIONS_OF_SEVERAL):
        return TENSORS
    if last in (data.METHODS_OF_ONE if is_method else data.FUNCTIONS_OF_ONE):
        return _BY_DTYPE.get(last, TENSOR)
    if last[:1].isupper() or last in data.CLASSES:
        return instance(f"torch.{last}")
    return OTHER if last in data.FUNCTIONS_OF_NONE else UNKNOWN


def member(cls: str, name: str, positional: int, keywords: Collection[str], is_called: bool) -> Member:
    """Return a method or attribute of an object of a class of torch, and what it gives."""
    kin = family(cls)
    names: tuple[str, ...] = (f"{cls}.{name}",)
    if kin == "torch.Tensor":
        names = (f"torch.Tensor.{name}",)
        if name == "size" or name == "shape":
            return Member(names, OTHER)
        if not is_called:
            return Member(names, _tensor_attribute(name))
        if name == "type":
            return Member(names, TENSOR if positional or keywords else OTHER)
        if name in data.METHODS_OF_NONE:
            return Member(names, OTHER)
        return Member(names, _result_in(name, True, positional, keywords))
    if kin is not None and kin != cls and name in _METHODS[kin] | _ATTRIBUTES.get(kin, frozenset()):
        names = (*names, f"{kin}.{name}")
    if kin == "torch.nn.Module":
        return Member(names, _of_module(cls, name))
    if cls.startswith("torch.distributions.") and name in data.OVERRIDDEN["torch.distributions.Distribution"]:
        return Member(names, UNKNOWN if name in ("expand", "support") else TENSOR)
    return Member(names, UNKNOWN if kin is None else OTHER)


def dtype_among(names: Collection[str]) -> Optional[str]:
    """Return the kind of the dtype among names of torch: "bool", "integer", "float" or "complex"."""
    for name in _DTYPES.intersection(names):
        last = name.rpartition(".")[2]
        is_integer = last.startswith(("int", "uint", "short", "long"))
        if last.startswith(("complex", "cfloat", "cdouble", "chalf")):
            return "complex"
        return last if last == "bool" else "integer" if is_integer else "float" if "float" in last else ""
    return None


def _tensor_attribute(name: str) -> Value:
    if name in data.TENSOR_ATTRIBUTES:
        return TENSOR
    return OTHER if name in data.NO_TENSOR_ATTRIBUTES else UNKNOWN


@lru_cache(maxsize=5_000)
def _of_module(cls: str, name: str) -> Value:
    if name in data.MODULE_SELF:
        return Instance(cls)
    if name in ("weight", "bias", "get_parameter", "get_buffer"):
        return TENSOR
    if name in ("parameters", "buffers", "state_dict"):
        return TENSORS
    if name in ("named_parameters", "named_buffers"):
        return Items(Fixed((OTHER, TENSOR)))
    if name in ("children", "modules"):
        return Items(_MODULE)
    if name in ("named_children", "named_modules"):
        return Items(Fixed((OTHER, _MODULE)))
    if name == "forward":
        return result_of_instance(cls)
    return OTHER if name in _METHODS["torch.nn.Module"] else UNKNOWN


@lru_cache(maxsize=5_000)
def result_of_instance(cls: str) -> Value:
    """Return what it gives to call an object of a class of torch."""
    last = cls.rpartition(".")[2]
    if family(cls) != "torch.nn.Module":
        return UNKNOWN
    if last in data.RETURN_ANYTHING:
        return BATCH
    if last == "Sequential":
        return LIKELY_TENSOR
    return Fixed((TENSOR, UNKNOWN)) if last in data.RETURN_TUPLE else TENSOR


@lru_cache(maxsize=5_000)
def items_of_instance(cls: str) -> Value:
    """Return what iteration over an object of a class of torch gives."""
    if family(cls) == "torch.Tensor":
        return TENSOR
    if cls == "torch.utils.data.DataLoader":
        return BATCH
    if cls in ("torch.nn.ModuleList", "torch.nn.Sequential"):
        return _MODULE
    return TENSOR if cls == "torch.nn.ParameterList" else OTHER if cls == "torch.Size" else UNKNOWN


@lru_cache(maxsize=20_000)
def candidates(name: str, is_called: bool) -> tuple[str, ...]:
    """Return what a method or attribute of an unknown object may be."""
    if not is_called and name in data.COMMON_ATTRIBUTES:
        return ()
    owners = [_METHODS] if is_called else [_ATTRIBUTES]
    if not is_called and "_" in name.strip("_"):
        owners.append(_METHODS)  # Read without a call: a name of two words, such as `zero_grad`, is hardly another's.
    found = [f"{cls}.{name}" for each in owners for cls, names in each.items() if name in names]
    return tuple(dict.fromkeys(found))


def attribute_of_unknown(name: str) -> Value:
    """Return what an attribute of an unknown object is."""
    return _tensor_attribute(name) if name in data.ATTRIBUTES_ONLY_OF_TENSORS else UNKNOWN


def is_sign(name: str) -> bool:
    """Return whether a method or attribute of an unknown object shows that it is one of torch."""
    return name.rpartition(".")[2] in _SIGNS


@lru_cache(maxsize=20_000)
def has(base: str, name: str, is_called: bool) -> bool:
    """Return whether a class of torch is known to have a method or attribute."""
    kin = family(base)
    owners = _METHODS if is_called else _ATTRIBUTES
    if is_called and (name in data.OVERRIDDEN.get(base, ()) or (name in data.CONTAINER_METHODS and holds_others(base))):
        return base != "torch.nn.Module" or name in _METHODS[base]
    return name in owners.get(kin or "", ())


def holds_others(cls: str) -> bool:
    """Return whether a module may have others under any name."""
    return cls.rpartition(".")[2] in data.CONTAINERS and family(cls) == "torch.nn.Module"


@lru_cache(maxsize=5_000)
def overridden(base: str, name: str) -> tuple[str, ...]:
    """Return the names of what a method of a subclass overrides."""
    kin = family(base)
    if kin is not None:
        known = _METHODS[kin]
        found = name in known or (name[:2] == "__" and kin == "torch.Tensor")
        return tuple(dict.fromkeys((f"{base}.{name}", f"{kin}.{name}"))) if found else ()
    return (f"{base}.{name}",) if name in data.OVERRIDDEN.get(base, ()) else ()


def as_likely(value: Value) -> Value:
    """Return the result of something that is only likely what it seems."""
    if isinstance(value, Items):
        return Items(weaker(value.item, Evidence.LIKELY))
    if isinstance(value, Fixed):
        return Fixed(tuple(weaker(part, Evidence.LIKELY) for part in value.parts))
    return weaker(value, Evidence.LIKELY)


def is_without_grad(manager: Value, around: bool) -> bool:
    """Return whether no result requires grad under a context manager or decorator, and in the code ``around``."""
    name = manager.name if isinstance(manager, Torch) else getattr(manager, "cls", "")
    return name in data.WITHOUT_GRAD or (around and name not in data.MAYBE_WITH_GRAD)


def is_other_package(name: str) -> bool:
    """Return whether a package never gives a tensor or a module."""
    return name in data.OTHER_PACKAGES
