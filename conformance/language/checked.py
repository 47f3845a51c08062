"""What was checked before and had no mistake, by content: where nothing changed, nothing is read as claims again.

An entry is a small file in the user's cache folder, named by a hash of everything that the check depends on.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Optional

from conformance.language.sources import FILE_NAME

_PACKAGE = Path(__file__).resolve().parents[1]
_LIBRARIES = ("PyYAML", "packaging")
_MOST_REMEMBERED = 50


def check_key(folders: Sequence[Path], root: Path) -> Optional[str]:
    """Return a hash of all that decides on the mistakes in folders; None where a file can't be read.

    That is the YAML below them and the sources of the corpus at ``root``, by path and content; this package; and the
    Python and the libraries that read them.
    """
    digest = hashlib.sha256(f"{platform.python_version()} {root.resolve()}".encode())
    try:
        for name in _LIBRARIES:
            digest.update(f"{name} {version(name)}\0".encode())
        for path in _files(folders, root):
            content = path.read_bytes() if path.is_file() else b""
            place = os.fsencode(path.absolute()) + b"\0" + os.fsencode(path.resolve())
            digest.update(b"%d %d " % (len(place), len(content)) + place + content)
    except (OSError, RuntimeError, PackageNotFoundError):
        return None
    return digest.hexdigest()


def remembered(key: str) -> Optional[int]:
    """Return how many claims were checked under a key without a mistake, or None."""
    try:
        return int(Path(_folder(), key).read_text(encoding="ascii"))
    except (OSError, ValueError, RuntimeError):
        return None


def remember(key: str, claims: int) -> None:
    """Keep the number of claims that were checked under a key; nothing is kept where that can't be written."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, hidden = tempfile.mkstemp(dir=folder, prefix=".")
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(str(claims))
        Path(hidden).replace(folder / key)  # at once, whoever else writes it
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST_REMEMBERED]:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if Path(base).is_absolute() else Path.home() / ".cache", "torch-conformance", "checked")


def _files(folders: Sequence[Path], root: Path) -> Iterator[Path]:
    yield root / FILE_NAME
    for folder in folders:
        yield folder
        yield folder.absolute().parent / FILE_NAME  # whether there is one tells what a folder is for
        yield from sorted(folder.rglob("*.y*ml"))
    for pattern in ("*.py", "*.yaml"):
        yield from sorted(path for path in _PACKAGE.rglob(pattern) if "_corpus" not in path.parts)
