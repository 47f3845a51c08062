"""What was computed before from the same files, kept in the user's cache folder; it is never wrong, only absent.

An entry is a file named by a hash of everything that it depends on: the content of files, this package, Python and the
libraries. So another version, another folder or a changed file is another entry. Reading an entry can run code, so the
folder and what is in it are ignored where they are not the user's own, or where others may write to them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import platform
import stat
import uuid
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar

from conformance.base.files import Unreadable, Why, read_bounded
from conformance.base.garbage_collection import without_collection

T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent.parent
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
        digest.update(_package_digest())
        _add_files(digest, files)
    except (OSError, RuntimeError, ImportError, Unreadable):
        return None
    return digest.hexdigest()


@cache
def _package_digest() -> bytes:
    from importlib.metadata import version  # slow to import, and a look-up in the index needs no key

    digest = hashlib.sha256()
    for name in _LIBRARIES:
        digest.update(f"{name} {version(name)}\0".encode())
    for pattern in ("*.py", "*.yaml"):
        _add_files(digest, sorted(path for path in _PACKAGE.rglob(pattern) if "_corpus" not in path.parts))
    return digest.digest()


def _add_files(digest: hashlib._Hash, files: Iterable[Path]) -> None:
    folders: dict[str, str] = {}
    for path in files:
        place = os.path.abspath(path)  # noqa: PTH100 - a thousand paths, and a `Path` takes ten times as long
        folder, name = os.path.split(place)
        if folder not in folders:
            folders[folder] = os.path.realpath(folder)
        real = os.path.realpath(place) if os.path.islink(place) else os.path.join(folders[folder], name)  # noqa: PTH114, PTH118
        try:
            content = read_bounded(path, _LARGEST)
        except Unreadable as error:
            if error.why is not Why.MISSING and not path.is_dir():
                raise
            content = b""
        where = os.fsencode(place) + b"\0" + os.fsencode(real)
        digest.update(b"%d %d " % (len(where), len(content)) + where)
        digest.update(content)


def recall(key: Optional[str]) -> Any:
    """Return what is kept under a key, or None."""
    content = recall_bytes(key) if key is not None else None
    if content is None:
        return None
    try:
        with without_collection():
            return pickle.loads(content)
    except Exception:  # a damaged file raises anything
        return None


def recall_bytes(name: str) -> Optional[bytes]:
    """Return the content of the entry with a name, or None."""
    try:
        with _folder() as folder, open(_open(name, stat.S_ISREG, folder), "rb") as file:
            return file.read()
    except (OSError, RuntimeError):
        return None


def keep(key: Optional[str], value: Any) -> None:
    """Keep a value under a key; nothing is kept where that can't be written."""
    if key is not None:
        with without_collection():
            content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        keep_bytes(key, content)


def keep_bytes(name: str, content: bytes, most: int = _MOST_ENTRIES) -> None:
    """Keep the content of an entry with a name; nothing is kept where that can't be written.

    Parameters
    ----------
    most
        How many entries stay whose names end, behind the last dot, as this one does.
    """
    with contextlib.suppress(OSError, RuntimeError), _folder() as folder:
        hidden = f".{uuid.uuid4().hex}"
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(hidden, name, src_dir_fd=folder, dst_dir_fd=folder)  # at once, whoever else writes it
        ending = Path(name).suffix
        with os.scandir(folder) as entries:
            alike = [entry for entry in entries if Path(entry.name).suffix == ending]
            aged = sorted(alike, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)
        for entry in aged[:-most]:
            with contextlib.suppress(OSError):  # it is gone, or no file
                os.unlink(entry.name, dir_fd=folder)


def kept(key: Optional[str], cls: type[T], compute: Callable[[], T], good: Callable[[], bool] = lambda: True) -> T:
    """Return what is kept under a key, or compute it and keep it.

    Parameters
    ----------
    good
        Whether what was computed is to be kept: not where a mistake has to be told each time.
    """
    known = recall(key)
    if isinstance(known, cls):
        return known
    value = compute()
    if good():
        keep(key, value)
    return value


@contextlib.contextmanager
def _folder() -> Iterator[int]:
    """Open the folder of the entries, and make it where it is missing; raises OSError where it is not to be trusted."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.ExitStack() as opened:
        folder = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
        opened.callback(os.close, folder)
        for name in ("torch-conformance", "kept"):
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=folder)
            folder = _open(name, stat.S_ISDIR, folder)
            opened.callback(os.close, folder)
        yield folder


def _open(name: str, kind: Callable[[int], bool], folder: int) -> int:
    """Open what is in a folder; raises OSError unless it is of a kind, the user's own, and writable to nobody else."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)  # a pipe would block
    status = os.fstat(descriptor)
    if not kind(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        os.close(descriptor)
        raise PermissionError(f"{name}: not the user's own")
    return descriptor
