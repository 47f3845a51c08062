"""What was computed before from the same files, kept in the user's cache folder; it is never wrong, only absent.

An entry is a file named by a hash of everything that it depends on: the content of files, this package, Python and the
libraries. So another version, another folder or a changed file is another entry. The folder is the user's own, and what
is in it is trusted as compiled Python is.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import pickle
import platform
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from conformance.files import Unreadable, read_bounded

T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent
_LIBRARIES = ("PyYAML", "packaging")
_MOST_ENTRIES = 50
_LARGEST = 64 * 2**20


def content_key(files: Iterable[Path], *said: str) -> Optional[str]:
    """Return a hash of files by path and content, of this package and of what runs it; None where one can't be read.

    Parameters
    ----------
    files
        A folder, or a file that is not there, counts as empty.
    said
        What else decides, such as what is kept under the key.
    """
    digest = hashlib.sha256(f"{platform.python_version()} {said}".encode("utf-8", "surrogateescape"))
    try:
        for name in _LIBRARIES:
            digest.update(f"{name} {version(name)}\0".encode())
        for path in (*files, *_package_files()):
            content = b"" if path.is_dir() or not path.exists() else read_bounded(path, _LARGEST)
            place = os.fsencode(path.absolute()) + b"\0" + os.fsencode(path.resolve())
            digest.update(b"%d %d " % (len(place), len(content)) + place + content)
    except (OSError, RuntimeError, PackageNotFoundError, Unreadable):
        return None
    return digest.hexdigest()


def recall(key: Optional[str]) -> Any:
    """Return what is kept under a key, or None."""
    try:
        content = b"" if key is None else Path(_folder(), key).read_bytes()
    except (OSError, RuntimeError):
        return None
    collects = gc.isenabled()
    gc.disable()  # many small objects and no garbage among them
    try:
        return pickle.loads(content)
    except Exception:  # a damaged file raises anything
        return None
    finally:
        if collects:
            gc.enable()


def keep(key: Optional[str], value: Any) -> None:
    """Keep a value under a key; nothing is kept where that can't be written."""
    if key is None:
        return
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, hidden = tempfile.mkstemp(dir=folder, prefix=".")
        with open(descriptor, "wb") as file:
            pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
        Path(hidden).replace(folder / key)  # at once, whoever else writes it
        for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST_ENTRIES]:
            path.unlink(missing_ok=True)


def kept(key: Optional[str], cls: type[T], compute: Callable[[], T]) -> T:
    """Return what is kept under a key, or compute it and keep it."""
    known = recall(key)
    if isinstance(known, cls):
        return known
    value = compute()
    keep(key, value)
    return value


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if Path(base).is_absolute() else Path.home() / ".cache", "torch-conformance", "kept")


def _package_files() -> Iterator[Path]:
    for pattern in ("*.py", "*.yaml"):
        yield from sorted(path for path in _PACKAGE.rglob(pattern) if "_corpus" not in path.parts)
