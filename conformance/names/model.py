"""What is known of a name in one release, and the answers to a question about a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

#: Where a signature was read: ``inspect.signature``, the stub file that torch ships, the first line of the docstring.
ORIGINS = ("inspect", "stub", "doc")


@dataclass(frozen=True)
class NameRecord:
    """What one name is in one release.

    Parameters
    ----------
    kind
        ``module``, ``class``, ``function``, ``builtin``, ``method``, ``classmethod``, ``staticmethod``, ``property``,
        ``constant``, ``attribute`` (set on instances, or only annotated, and therefore without a value on the class),
        ``alias`` (defined elsewhere in torch) or ``external`` (not torch's own).
    target
        The canonical name of an alias, the owner of an external, the type of a constant.
    signatures
        Parameters without annotations, such as ``(input, dim=None)``; builtins may have several.
    origin
        One of `ORIGINS`; empty where there is no signature.
    bases
        The canonical names of a class's bases, without ``object``.
    removed
        The message of a callable that does nothing but raise it.
    deprecated
        What torch itself says of the deprecation.
    warns
        The category of the warning that every call gives; empty where none was found in the function itself, and
        its documentation deprecates it.
    error
        Why a module can't be imported on this machine; nothing is known of what is in it.
    """

    kind: str
    target: str = ""
    signatures: tuple[str, ...] = ()
    origin: str = ""
    bases: tuple[str, ...] = ()
    removed: str = ""
    deprecated: str = ""
    warns: str = ""
    error: str = ""


#: The names of one module and what they are: ``""`` is the module itself, ``Linear.forward`` a member of a class.
Section = dict[str, NameRecord]


@dataclass(frozen=True)
class MeasuredNames:
    """Every name of one release, by module."""

    torch: str
    python: str
    modules: dict[str, Section]

    @property
    def without_cuda(self) -> bool:
        """Whether torch was built without CUDA, so that names which only other builds have are missing."""
        version = self.modules.get("torch.version")
        return version is not None and "cuda" not in version  # a name whose value is None is not recorded


@dataclass(frozen=True)
class Found:
    """The name is there; `canonical` is where it is defined."""

    name: str
    canonical: str
    record: NameRecord


@dataclass(frozen=True)
class Gone:
    """The name was there in an earlier release; `since` is the first release without it.

    `message` is what torch says: on removal where the name still exists and only raises, else with the deprecation in
    the last release that had it. `replacements` are the names it gives.
    """

    name: str
    since: str
    message: str
    replacements: tuple[str, ...]


@dataclass(frozen=True)
class NotYet:
    """The name comes with a later release."""

    name: str
    since: str


@dataclass(frozen=True)
class Never:
    """No release that was measured has the name."""

    name: str


@dataclass(frozen=True)
class NotMeasured:
    """Nothing can be said of the name in that release; `reason` says why."""

    name: str
    reason: str


Answer = Union[Found, Gone, NotYet, Never, NotMeasured]
