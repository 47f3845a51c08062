"""Which torch names and tensor methods a program uses: its sources are read, never run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from conformance.language.model import Claim
from conformance.language.places import display_path
from conformance.upgrade.scopes import FileUses, read_uses

_LARGEST = 2 * 2**20
_MOST_FILES = 50_000
_SKIPPED = {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"}
#: Names that the programs of claims use to make their inputs and look at them: no use of a subject.
_SCAFFOLDING = {
    "tensor",
    "zeros",
    "ones",
    "empty",
    "full",
    "float32",
    "float64",
    "ones_like",
    "zeros_like",
    "sum",
    "shape",
}


@dataclass(frozen=True, order=True)
class Use:
    """A place in someone's code; not ``certain`` where the object may be no tensor at all."""

    path: str
    line: int
    name: str
    certain: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass
class Uses:
    """What a program uses.

    ``names`` maps a dotted torch name to its places, ``attributes`` the name of a method or attribute to the places
    where some object is asked for it. ``unknown`` says what could not be told.
    """

    names: dict[str, list[Use]] = field(default_factory=dict)
    attributes: dict[str, list[Use]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    files: int = 0
    _found: dict[str, tuple[Use, ...]] = field(default_factory=dict, repr=False)

    def of_claim(self, claim: Claim) -> tuple[Use, ...]:
        """Return the places that a claim concerns; none where its subject is not used."""
        if claim.id not in self._found:
            self._found[claim.id] = tuple(
                self._of_note(claim) if claim.subject.startswith("notes/") else self.of_subject(claim.subject)
            )
        return self._found[claim.id]

    def of_subject(self, subject: str) -> list[Use]:
        """Return the places that use a public name, the certain ones first."""
        found = list(self.names.get(subject, ()))
        for name, uses in self._moved.items():
            if name == subject:
                found.extend(uses)
        owner, _, last = subject.rpartition(".")
        if owner == "torch.Tensor":
            # x.clone() and torch.clone(x) are one operation.
            found.extend(self.attributes.get(last, ()))
            found.extend(self.names.get(f"torch.{last}", ()))
        elif owner == "torch":
            found.extend(use for use in self.attributes.get(last, ()) if use.certain)
        elif _is_class(owner):
            found.extend(use for use in self.attributes.get(last, ()) if not use.certain)
        return sorted(set(found), key=lambda use: (not use.certain, use))

    @cached_property
    def _moved(self) -> dict[str, list[Use]]:
        """Names with one module of the middle left out: ``torch.nn.parameter.Parameter`` is ``torch.nn.Parameter``."""
        moved: dict[str, list[Use]] = {}
        for name, uses in self.names.items():
            parts = name.split(".")
            for position in range(1, len(parts) - 1):
                if parts[position].islower():
                    shorter = ".".join(parts[:position] + parts[position + 1 :])
                    moved.setdefault(shorter, []).extend(uses)
        return moved

    def _of_note(self, claim: Claim) -> list[Use]:
        """Return the places of a claim about a page of the documentation, if all that its program uses is used."""
        program = read_uses(claim.do.text if claim.do else "", torch_names={"torch": "torch"})
        wanted = [name for name, _, _ in program.names if name.rsplit(".", 1)[-1] not in _SCAFFOLDING]
        methods = [name for name, _, _ in program.attributes if name not in _SCAFFOLDING]
        places = [self.names.get(name, []) for name in wanted] + [self.attributes.get(name, []) for name in methods]
        if not places or not all(places):
            return []
        rarest = min(places, key=len)
        return sorted({Use(use.path, use.line, use.name, False) for use in rarest})


def find_uses(paths: Iterable[Path]) -> Uses:
    """Read Python files, and all below folders.

    Hidden folders, virtual environments and build outputs are left out; ``unknown`` tells what can't be read or parsed.
    """
    uses = Uses()
    for path in paths:
        for file in _files(path, uses):
            if uses.files >= _MOST_FILES:
                uses.unknown.append(f"{path}: more than {_MOST_FILES} files; the rest was not read")
                return uses
            uses.files += 1
            _read(file, uses)
    for places in (*uses.names.values(), *uses.attributes.values()):
        places.sort()
    return uses


def _files(path: Path, uses: Uses) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, names, files in os.walk(path):
        here = Path(folder)
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".") and name not in _SKIPPED and not (here / name / "pyvenv.cfg").exists()
        )
        for name in sorted(files):
            if name.endswith((".py", ".pyw")):
                yield here / name
            elif name.endswith((".ipynb", ".pyx")):
                uses.unknown.append(f"{display_path(here / name)}: not read, since it is no plain Python")


def _read(path: Path, uses: Uses) -> None:
    try:
        if path.stat().st_size > _LARGEST:
            uses.unknown.append(f"{display_path(path)}: not read, since it is larger than {_LARGEST >> 20} MiB")
            return
        content = path.read_bytes()
    except OSError as error:
        uses.unknown.append(f"{display_path(path)}: can't be read: {error.strerror}")
        return
    try:
        found = read_uses(content)
    except SyntaxError as error:
        uses.unknown.append(
            f"{display_path(path)}:{error.lineno or 1}: no Python that this Python can parse: {error.msg}"
        )
        return
    except (ValueError, RecursionError, MemoryError):
        uses.unknown.append(f"{display_path(path)}: can't be parsed: too deeply nested, or no text")
        return
    _take(display_path(path), found, uses)


def _take(path: str, found: FileUses, uses: Uses) -> None:
    for name, line, certain in found.names:
        uses.names.setdefault(name, []).append(Use(path, line, name, certain))
    for name, line, certain in found.attributes:
        uses.attributes.setdefault(name, []).append(Use(path, line, f".{name}", certain))
    uses.unknown.extend(f"{path}:{line}: {text}" for line, text in found.unknown)


def _is_class(name: str) -> bool:
    return name.startswith("torch.") and name.rpartition(".")[2][:1].isupper()


def is_special(subject: str) -> bool:
    """Say whether Python itself calls a method, so that no attribute access shows its use."""
    last = subject.rpartition(".")[2]
    return last.startswith("__") and last.endswith("__")
