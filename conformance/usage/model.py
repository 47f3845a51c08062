"""What reading a project gives: its uses of torch, with their evidence, and what could not be read or told."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Optional, Union

from conformance.usage.versions import ALL


class Evidence(enum.IntEnum):
    """How sure it is that a use is a use of its name."""

    #: The object is unknown; only the name of the method fits.
    MAYBE = 1
    #: The object is one in some branch or by convention, such as a parameter of `forward`.
    LIKELY = 2
    CERTAIN = 3


class Kind(enum.Enum):
    """How a name is used."""

    IMPORT = "import"
    #: Read without a call: an attribute, a class in an annotation or in `isinstance`.
    NAME = "name"
    CALL = "call"
    #: Other code gets it, and may call it; `Use.call` has the arguments that are known.
    PASSED = "passed"
    #: Python calls it with what it decorates.
    DECORATOR = "decorator"
    #: Python calls it: an operator, `float(x)`, `x[i]`, `with`, iteration.
    OPERATOR = "operator"
    #: Something is stored in it; the value is the only argument of the call.
    ASSIGN = "assign"
    #: A class has it as its base.
    BASE = "base"
    #: `isinstance` or `issubclass` is asked about it, or an `except` clause catches it.
    ISINSTANCE = "isinstance"
    EXCEPT = "except"
    #: A subclass defines it; `Use.parameters` says how.
    OVERRIDE = "override"


class TorchName(NamedTuple):
    """A name of torch as the value of an argument, such as `torch.float64`."""

    name: str


#: What an argument may be known to be.
Value = Union[None, bool, int, float, complex, str, bytes, TorchName, "tuple[Value, ...]"]


class Argument(NamedTuple):
    """An argument of a call: its value where ``known``, and its class where that is known (`torch.Tensor`, `str`)."""

    known: bool = False
    value: Value = None
    type: Optional[str] = None
    #: The kind of dtype of a tensor, or of what may be one: "bool", "integer", "float" or "complex"; none where it is
    #: not known.
    dtype: Optional[str] = None
    #: Whether a tensor requires grad; none where that is not known.
    requires_grad: Optional[bool] = None


class Call(NamedTuple):
    """The arguments of a call, without the object that a method is called on."""

    positional: tuple[Argument, ...] = ()
    keywords: tuple[tuple[str, Argument], ...] = ()
    #: There is a ``*args``: the arguments after those before it are unknown.
    more_positional: bool = False
    #: There is a ``**kwargs``.
    more_keywords: bool = False
    #: The object of a method or an operator.
    receiver: Optional[Argument] = None
    #: The method that the result, or parts of it by key, go to alone; empty where it is not known.
    result_for: str = ""


class Parameter(NamedTuple):
    """A parameter of a function: its ``default`` as source text, or none; ``kind`` as in ``inspect``, in lower case."""

    name: str
    kind: str = "positional_or_keyword"
    default: Optional[str] = None


class Use(NamedTuple):
    """One place that uses something of torch.

    Parameters
    ----------
    names
        The dotted names that it may mean: a method's own class first and then the class that documents it. Where the
        evidence is `MAYBE`, these are alternatives.
    line, column
        From 1; in a notebook, of the code cell ``cell`` (from 1).
    guarded
        Whether the place expects that the name may be missing: in a ``try`` that catches it, under a look at the
        version, or after ``hasattr``; also under a flag that is set there, or of a name that is chosen there.
    call
        The arguments; none where nothing is called. Those of what is passed on are open.
    parameters
        The parameters of a method that overrides one of torch.
    decorates
        What it decorates, "function" or "class"; of a method that overrides one, how it is bound ("classmethod").
    runs_on
        The releases that the code runs on, as `versions` has them; none where another guard decides.
    caught
        The classes of errors that the code around names, up to one that catches all.
    tried
        Whether it is guarded by a ``try`` alone, whose body it is in: it runs on each release that has the name.
    """

    names: tuple[str, ...]
    path: str
    line: int
    column: int
    kind: Kind
    evidence: Evidence
    call: Optional[Call] = None
    guarded: bool = False
    cell: Optional[int] = None
    parameters: Optional[tuple[Parameter, ...]] = None
    decorates: str = ""
    runs_on: Optional[int] = ALL
    caught: tuple[str, ...] = ()
    tried: bool = False

    @property
    def spot(self) -> tuple[object, ...]:
        """Where it is, as a key."""
        return self.path, self.cell, self.line, self.column

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.path}:{cell}{self.line}:{self.column}"


#: The most bytes of a file of Python that are read.
LARGEST = 2 * 2**20


class UseGroup(NamedTuple):
    """Uses that differ in their places alone: what is true of the first is true of each."""

    use: Use
    places: list[Use]


class Cause(enum.Enum):
    """Why a file was not read."""

    PYTHON_2 = "Python 2"
    SYNTAX = "not Python that this Python can parse"
    ENCODING = "not UTF-8"
    TOO_LARGE = "too large"
    TOO_MANY = "too many files"
    TOO_DEEP = "nested too deeply"
    NO_FILE = "not a regular file"
    LINK = "a link that leads in a circle, or to a folder that was not read"
    UNREADABLE = "cannot be opened"
    FOLDER = "a folder that cannot be entered"
    LEFT_OUT = "left out for its name: read it with --uses, or leave it out with --exclude"
    DIALECT = "Cython or IPython"
    NO_NOTEBOOK = "not a notebook in JSON"
    CELL = "not a cell of code or text"
    MAGIC = "a magic of IPython"


class NotRead(NamedTuple):
    """A file, or a cell of a notebook, that was not read."""

    path: str
    cause: Cause
    line: Optional[int] = None
    cell: Optional[int] = None
    detail: str = ""


class Doubt(enum.Enum):
    """What hides a use from a reader who runs nothing."""

    STAR_IMPORT = "imports all names of a module that is not part of the project"
    DYNAMIC_NAME = "looks up a name of torch that is made at run time"
    DYNAMIC_IMPORT = "imports a module whose name is made at run time"
    NAMESPACE = "looks torch up in globals(), vars() or sys.modules"
    METHOD_BY_NAME = "calls a method, or reads an attribute, by a name that is passed on"
    DYNAMIC_CODE = "runs code from a string"


class Unclear(NamedTuple):
    """A place that may use torch in a way that cannot be told."""

    path: str
    line: int
    doubt: Doubt
    detail: str = ""
    cell: Optional[int] = None


class IgnoreComment(NamedTuple):
    """A comment ``# conformance: ignore[ID, …]``, and the lines of the statement that it stands in."""

    path: str
    line: int
    ids: tuple[str, ...]
    first: int
    last: int
    cell: Optional[int] = None

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.path}:{cell}{self.line}"

    def covers(self, use: Use) -> bool:
        """Whether a use is in the statement."""
        return (self.path, self.cell) == (use.path, use.cell) and self.first <= use.line <= self.last


@dataclass(frozen=True)
class FileUses:
    """What one file uses; ``not_read`` says why the file, or a cell of it, was not read."""

    path: str
    uses: tuple[Use, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    not_read: tuple[NotRead, ...] = ()
    read: bool = True
    ignores: tuple[IgnoreComment, ...] = ()


@dataclass(frozen=True)
class Project:
    """What a project uses of torch.

    Parameters
    ----------
    files
        What each file uses, in the order of their paths.
    skipped
        Folders that were not entered, since they were excluded or hold nothing a person wrote for the project.
    """

    files: tuple[FileUses, ...]
    skipped: tuple[str, ...] = ()

    def uses(self) -> Iterator[Use]:
        """Yield every use, by file and place."""
        for file in self.files:
            yield from file.uses

    def groups(self) -> list[UseGroup]:
        """Return every use, with those like it."""
        found: dict[tuple[object, ...], UseGroup] = {}
        for use in self.uses():
            guards = use.guarded, use.runs_on, use.caught, use.tried
            key = use.names, use.kind, use.evidence, use.call, use.decorates, *guards
            known = found.get(key)
            if known is None:
                found[key] = UseGroup(use, [use])
            else:
                known.places.append(use)
        return list(found.values())

    def unclear(self) -> Iterator[Unclear]:
        """Yield every place that cannot be told."""
        for file in self.files:
            yield from file.unclear

    def not_read(self) -> Iterator[NotRead]:
        """Yield every file, and every cell of a notebook, that was not read."""
        for file in self.files:
            yield from file.not_read

    def ignores(self) -> Iterator[IgnoreComment]:
        """Yield every comment that leaves entries out of a report."""
        for file in self.files:
            yield from file.ignores

    @property
    def read(self) -> int:
        """The number of files that were read."""
        return sum(file.read for file in self.files)
