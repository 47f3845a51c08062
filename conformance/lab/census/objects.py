"""The public objects of the torch at hand, each under one name.

An object is public where a public module offers it: by ``__all__`` where the module has one, else by defining it. Its
methods and attributes count too, except those with an underscore. Two names with the same docstring are aliases: what
it says is read once, and a claim about either covers it.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import pkgutil
import re
import types
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Optional

from conformance.base.cache import content_key, kept
from conformance.run.worker.docstrings import resolve

# Packages below torch that the census does not read: other languages, other machines, or tools around torch.
_ELSEWHERE = """
    accelerator ao autograd.profiler_legacy autograd.profiler_util backends compiler contrib cpu cuda distributed
    distributions export futures fx headeronly hub include jit lib library masked monitor mps mtia nativert
    nn.backends nn.intrinsic nn.qat nn.quantizable nn.quantized numa onnx ops overrides package profiler
    quantization return_types signal testing torch_version types utils.benchmark utils.bundled_inputs
    utils.cpp_backtrace utils.cpp_extension utils.data.datapipes utils.hipify utils.jit utils.mkldnn
    utils.mobile_optimizer utils.model_dump utils.model_zoo utils.show_pickle utils.tensorboard
    utils.throughput_benchmark utils.viz version xpu
"""
_PRIVATE = re.compile(r"torch\.(?:.*\.)?_")
# What collections.namedtuple and the bindings write by themselves.
_GENERATED = re.compile(r"Alias for field number \d+|\w+\([^\n]*\)(?: -> [^\n]*)?(?:\nOverloaded function\.(?s:.*))?")
_MODULE_FILES = re.compile(r"^([^,\n]+\.(?:py|so)),", re.MULTILINE)  # in a RECORD
_OVERRIDING = re.compile(r"(?:has|handle)_torch_function")


@dataclass(frozen=True)
class PublicObject:
    """A documented object.

    Attributes
    ----------
    name : str
        The shortest of its public names.
    aliases : tuple of str
        The other names, sorted.
    docstring : str
        What it says.
    """

    name: str
    aliases: tuple[str, ...]
    docstring: str


def installed() -> tuple[str, list[PublicObject]]:
    """Return the release of the installed torch and its documented public objects.

    They come from the cache where torch and the packages beside it are as they were.

    Raises
    ------
    ImportError
        If there is no torch.
    """
    found = find_spec("torch")
    if found is None:
        raise ModuleNotFoundError("torch")
    return kept(_installed_key(found.origin), tuple, _installed)


def _installed() -> tuple[str, list[PublicObject]]:
    import torch

    return str(torch.__version__).split("+")[0], public_objects()


def _installed_key(origin: Optional[str]) -> Optional[str]:
    """Return a key for a torch that was installed as a package and stands where Python finds it; else None."""
    try:
        torch = distribution("torch")
        record = torch.read_text("RECORD")
        folder = Path(str(torch.locate_file("")))
        if record is None or origin is None or not Path(origin).samefile(folder / "torch" / "__init__.py"):
            return None
        packages = sorted(path.name for path in folder.iterdir())  # some modules only import where another package is
        states = [(folder / name).stat() for name in _MODULE_FILES.findall(record)]
    except (PackageNotFoundError, OSError):
        return None
    said = repr((packages, [(state.st_size, state.st_mtime_ns) for state in states]))
    return content_key([], "objects", torch.version, hashlib.sha256(said.encode()).hexdigest())


def left_out_of_census(but: Collection[str] = ()) -> re.Pattern[str]:
    """Return what matches the names that the census does not read, apart from those of some modules."""
    modules = [re.escape(module) for module in _ELSEWHERE.split() if module not in but]
    return re.compile(rf"torch\.(?:{'|'.join(modules)})(?:\.|$)")


def public_objects(left_out: Optional[re.Pattern[str]] = None) -> list[PublicObject]:
    """Find the documented public objects of the installed torch, by name.

    Parameters
    ----------
    left_out
        What matches the names that do not count; those that the census does not read, if it is not given.
    """
    names: dict[str, list[str]] = {}
    for name, value in _named_values(left_out or left_out_of_census()):
        text = getattr(value, "__doc__", None)
        if isinstance(text, str) and text.strip() and not _GENERATED.fullmatch(text.strip()):
            known = names.setdefault(text.strip(), [])
            if name not in known:
                known.append(name)
    found = []
    for text, same in names.items():
        first, *others = sorted(same, key=_rank)
        found.append(PublicObject(first, tuple(sorted(others)), text))
    return sorted(found, key=lambda item: item.name)


def _rank(name: str) -> tuple[int, int, str]:
    return name.count("."), len(name), name


def _named_values(left_out: re.Pattern[str]) -> Iterator[tuple[str, Any]]:
    for module in _modules(left_out):
        prefix = module.__name__
        # A function may hide the module of its name.
        if resolve(prefix) is module:
            yield prefix, module
        for name, value in _members(module, left_out):
            if isinstance(value, types.ModuleType) or left_out.match(f"{prefix}.{name}"):
                continue
            if not inspect.isclass(value) and not callable(value):
                continue
            yield f"{prefix}.{name}", value
            if inspect.isclass(value):
                yield from _attributes(f"{prefix}.{name}", value)


def _modules(left_out: re.Pattern[str]) -> Iterator[types.ModuleType]:
    """Import what is neither private nor left out; a module that does not import here documents nothing here."""
    import torch

    yield torch
    waiting = [torch]
    while waiting:
        package = waiting.pop(0)
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if left_out.match(found.name) or _PRIVATE.match(found.name):
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    module = importlib.import_module(found.name)
            except Exception:
                continue
            yield module
            if found.ispkg:
                waiting.append(module)


def _members(module: types.ModuleType, left_out: re.Pattern[str]) -> Iterator[tuple[str, Any]]:
    offered = set(map(str, getattr(module, "__all__", ())))
    for name in sorted(offered | set(dir(module))):
        if name.startswith("_") or _OVERRIDING.match(name):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = getattr(module, name)
        except Exception:
            continue
        if not _is_foreign(value, module, left_out, listed=name in offered):
            yield name, value


def _is_foreign(value: Any, module: types.ModuleType, left_out: re.Pattern[str], *, listed: bool) -> bool:
    """Whether a module only happens to hold a value: another package's, or a binding that nobody documents."""
    if type(value).__name__ == "pybind11_type" or type(type(value)).__name__ == "pybind11_type":
        return True
    home = getattr(value, "__module__", None)
    if not isinstance(home, str):
        return False
    if home == "builtins":
        return inspect.isclass(value)
    if left_out.match(home):
        return True
    # torch takes over much from its parts; what else lists nothing offers what is defined in it or below it.
    return (
        not home.startswith("torch" if listed or module.__name__ == "torch" else (module.__name__, "torch._C"))
        and home != "torch"
    )


def _attributes(prefix: str, kind: type) -> Iterator[tuple[str, Any]]:
    # A tensor's methods come from its base class, which is private; elsewhere a base class is public itself.
    names = dir(kind) if prefix == "torch.Tensor" else list(vars(kind))
    for name in names:
        if name.startswith("_"):
            continue
        value = inspect.getattr_static(kind, name)
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        described = isinstance(value, property) or inspect.isroutine(value) or inspect.isdatadescriptor(value)
        if described:
            yield f"{prefix}.{name}", value
