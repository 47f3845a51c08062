"""The oldest torch that a project supports: what is rewritten must run there too."""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from conformance.base.files import Unreadable, read_bounded
from conformance.base.release_spans import as_version, minor
from conformance.names.lookup import Names
from conformance.names.model import Found
from conformance.upgrade.settings import read_toml
from conformance.upgrade.signatures import signatures

_LARGEST = 2**20
#: Poetry's way: the version and what is compatible with it.
_CARET = re.compile(r"^[\^~](?=\d)")


@dataclass(frozen=True)
class Floor:
    """The oldest torch, such as ``1.13``, and the file or option that says so."""

    release: str
    source: str

    def lacks(self, names: Names, name: str, argument: str = "") -> str:
        """Return why a name, or an argument of it, can't be used there; empty if it can."""
        known = sorted(map(minor, names.releases), key=as_version)
        # Before the first release that is recorded, the first one stands for it.
        release = ([each for each in known if as_version(each) <= as_version(self.release)] or known[:1])[-1]
        found = names.lookup(name, release)
        if not isinstance(found, Found):
            return f"torch {self.release} has no {name} ({self.source})"
        taken = [parameter for signature in signatures(found.record) for parameter in signature]
        # Keyword arguments without names (``**kwargs``) may lead anywhere.
        if argument and taken and argument not in [parameter.name for parameter in taken]:
            return f"{name} of torch {self.release} has no {argument} ({self.source})"
        return ""


def find_floor(paths: Iterable[Path]) -> Optional[Floor]:
    """Return the oldest torch that the files of a project allow; none where none says so.

    Read are pyproject.toml (also Poetry's table), setup.cfg, setup.py and requirements.txt, in the folder of each path
    and above it, up to the first that has one of them. A file that can't be read says nothing.
    """
    for path in paths:
        whole = path.absolute()
        for folder in (whole, *whole.parents):
            files = [folder / name for name in _READERS if (folder / name).is_file()]
            for file in files:
                lowest = [bound for text in _requirements(file) for bound in _bounds(text)]
                if lowest:
                    return Floor(str(max(lowest)), file.name)
            if files:
                break
    return None


def _requirements(file: Path) -> Sequence[str]:
    try:
        return tuple(_READERS[file.name](read_bounded(file, _LARGEST).decode()))
    except (Unreadable, ValueError, SyntaxError, RecursionError, AttributeError, TypeError, configparser.Error):
        return ()  # whatever stands where a table is meant


def _bounds(text: str) -> Iterator[Version]:
    """Yield the lower bound of a requirement, if it is one of torch."""
    try:
        requirement = Requirement(text.partition("#")[0].strip())
    except InvalidRequirement:
        return
    if requirement.name.lower() == "torch":
        for specifier in requirement.specifier:
            if specifier.operator in (">=", "==", "~=", ">"):
                try:
                    yield Version(specifier.version.rstrip(".*"))
                except InvalidVersion:
                    continue


def _pyproject(text: str) -> Iterator[str]:
    document: Any = read_toml(text)
    project = document.get("project", {})
    yield from map(str, project.get("dependencies", ()))
    for extra in dict(project.get("optional-dependencies", {})).values():
        yield from map(str, extra)
    poetry = document.get("tool", {}).get("poetry", {}).get("dependencies", {}).get("torch")
    wanted = poetry.get("version", "") if isinstance(poetry, dict) else poetry
    if isinstance(wanted, str):
        yield f"torch{_CARET.sub('>=', wanted) if _CARET.match(wanted) or not wanted[:1].isdigit() else f'=={wanted}'}"


def _setup_cfg(text: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    yield from parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        for _, extra in parser.items("options.extras_require"):
            yield from extra.splitlines()


def _setup_py(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


_READERS: dict[str, Callable[[str], Iterable[str]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
    "requirements.txt": str.splitlines,
}
