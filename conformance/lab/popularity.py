"""How many programs use each public name of torch: ``python -m conformance.lab.popularity DIR…`` writes the counts.

Each folder holds one project and is named after it, such as ``karpathy+nanoGPT@3adf61e154c3``: the owner, the name and
the revision, which the counts list as their source. The projects are read, never run.

A use counts where its object is known, or likely, to be one of torch's. Of an unknown object it counts where only one
class of torch has the name, and neither Python's own types nor NumPy's arrays do: ``x.detach()`` counts, ``x.sum()``
does not. A module that is called counts for its class. Imports don't count.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from conformance.base.recorded_folder import recorded_folder
from conformance.names.lookup import Names
from conformance.names.model import Found
from conformance.usage import Evidence, Kind, Use, read_project
from conformance.usage.torch_results import canonical, is_class

_OTHER_TYPES = (bool, bytes, bytearray, complex, dict, float, frozenset, int, list, object, set, str, tuple, np.ndarray)
_OF_OTHER_TYPES = frozenset(name for kind in _OTHER_TYPES for name in dir(kind))
_WRITTEN = 1000


class Popularity(NamedTuple):
    """How often a name is used, and by how many projects."""

    name: str
    projects: int
    uses: int


def count_names(folders: Iterable[Path], names: Names) -> list[Popularity]:
    """Return the public names of the newest recorded release that projects use, those of most projects first."""
    projects: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    spellings: dict[str, str] = {}
    for folder in folders:
        own: Counter[str] = Counter()
        for group in read_project([folder]).groups():
            name = _public_name(group.use, names) if _counts(group.use) else None
            if name is not None:
                own[name.defined] += len(group.places)
                spellings[name.defined] = min(name.spelling, spellings.get(name.defined, name.spelling), key=_rank)
        projects.update(own.keys())
        uses.update(own)
    found = [Popularity(_spell(name, spellings), projects[name], uses[name]) for name in uses]
    return sorted(found, key=lambda item: (-item.projects, -item.uses, item.name))


class _Name(NamedTuple):
    """A name where torch defines it, and as the code spells it."""

    defined: str
    spelling: str


def _counts(use: Use) -> bool:
    if use.evidence is not Evidence.MAYBE:
        return use.kind is not Kind.IMPORT
    last = use.names[0].rpartition(".")[2]
    return len(use.names) == 1 and use.kind is not Kind.OPERATOR and last not in _OF_OTHER_TYPES


def _public_name(use: Use, names: Names) -> Optional[_Name]:
    """Return what is used; none where it is a module, private, or not in the newest release."""
    owner, _, last = use.names[0].rpartition(".")
    is_called_module = last == "forward" and owner.startswith("torch.nn.") and owner != "torch.nn.Module"
    for written in [owner] if is_called_module else reversed(use.names):  # The class that documents it comes last.
        answer = names.lookup(written, names.releases[-1])
        if not isinstance(answer, Found) or answer.record.kind == "module":
            continue
        defined = canonical(answer.canonical).replace("torch._C.TensorBase", "torch.Tensor")
        is_member = is_class(defined.rpartition(".")[0])
        spellings = [name for name in (defined, canonical(written)) if _is_public(name)]
        if spellings:
            return _Name(defined, spellings[0] if is_member else min(spellings, key=_rank))
    return None


def _spell(name: str, spellings: Mapping[str, str]) -> str:
    """Return a name as it is shortest in public modules; that of a member with the shortest name of its class."""
    owner, _, last = name.rpartition(".")
    return f"{spellings[owner]}.{last}" if is_class(owner) and owner in spellings else spellings[name]


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _rank(spelling: str) -> tuple[int, int, str]:
    return spelling.count("."), len(spelling), spelling


def write_counts(counts: list[Popularity], projects: Iterable[str], path: Path) -> None:
    """Write the names that most projects use as CSV, below a line for each project."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(
            "# Public names of torch and their uses in these projects, as conformance.lab.popularity counts them.\n"
        )
        file.writelines(f"# {project}\n" for project in projects)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Popularity._fields)
        writer.writerows(counts)


def main(arguments: Optional[list[str]] = None) -> int:
    """Count the names that some projects use; return the exit status."""
    parser = argparse.ArgumentParser(prog="conformance.lab.popularity", description="Count what programs use of torch.")
    parser.add_argument("projects", type=Path, nargs="+", metavar="DIR", help="a project, named owner+name@revision")
    parser.add_argument("--output", type=Path, default=recorded_folder() / "names" / "by-use.csv", metavar="FILE")
    given = parser.parse_args(arguments)
    folders = sorted(given.projects, key=lambda folder: folder.name.lower())
    counts = count_names(folders, Names())
    write_counts(counts[:_WRITTEN], (folder.name.replace("+", "/") for folder in folders), given.output)
    print(
        f"{len(counts)} names in {len(folders)} projects; the first {min(len(counts), _WRITTEN)} are in {given.output}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
