"""Files and folders that may be anything: what can't be read or entered is named; what is written is written whole."""

from __future__ import annotations

import enum
import errno
import fnmatch
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from conformance.base.text import bounded, printable


class Why(enum.Enum):
    """Why a file was not read."""

    MISSING = "no such file"
    LOOP = "a link that leads in a circle"
    SPECIAL = "no regular file"
    NAME = "its name is not UTF-8, or has control characters"
    LARGE = "larger than"
    FAILED = "can't be read"


#: Asking for the bound at once would allocate it for each small file, and some processes have all memory written to.
_PORTION = 2**16
_OF_SYSTEM = {errno.ENOENT: Why.MISSING, errno.ENOTDIR: Why.MISSING, errno.ELOOP: Why.LOOP}


class Unreadable(Exception):
    """A file was not read; the message says why, and leaves out which."""

    def __init__(self, why: Why, detail: str = "") -> None:
        super().__init__(f"{why.value}{detail}; it was not read")
        self.why = why


def read_bounded(path: Path, most: int) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    most
        The most bytes that it may have; what is read counts, not what the system says.

    Raises
    ------
    Unreadable
        If it is missing, no regular file, too large, or its name is not UTF-8.
    """
    content = read_start(path, most + 1)
    if len(content) > most:
        bound = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise Unreadable(Why.LARGE, f" {bound}")
    return content


def read_start(path: Path, most: int) -> bytes:
    """Return at most so many bytes of the beginning of a regular file.

    Raises
    ------
    Unreadable
        If it is missing, no regular file, or its name is not UTF-8.
    """
    try:
        os.fsencode(path).decode()
        # Opening a pipe would wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except UnicodeError:
        raise Unreadable(Why.NAME) from None
    except (OSError, ValueError) as error:
        raise _unreadable(error) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(Why.SPECIAL)
        content = bytearray()
        while len(content) < most and (portion := os.read(descriptor, min(_PORTION, most - len(content)))):
            content += portion
    except OSError as error:
        raise _unreadable(error) from None
    finally:
        os.close(descriptor)
    return bytes(content)


def _unreadable(error: Exception) -> Unreadable:
    number = getattr(error, "errno", None)
    if number in _OF_SYSTEM:
        return Unreadable(_OF_SYSTEM[number])
    return Unreadable(Why.FAILED, f" ({getattr(error, 'strerror', None) or error})")


class NotEntered(NamedTuple):
    """A folder that can't be listed, such as one without permission or one whose path is too long; ``why`` says so."""

    path: str
    why: str

    def __str__(self) -> str:
        return f"{printable(bounded(self.path, 200))}: can't be entered ({self.why}); it was passed over"


def can_enter(path: Path) -> bool:
    """Return whether a folder can be listed; true for all that is no folder."""
    try:
        os.scandir(path).close()
    except OSError as error:
        return error.errno in (errno.ENOTDIR, errno.ENOENT, errno.ELOOP)
    return True


def print_passed_over(not_entered: Iterable[NotEntered]) -> None:
    """Say on the standard error which folders were passed over."""
    for each in not_entered:
        print(f"conformance: {each}", file=sys.stderr)


def why_missing(path: Path) -> Optional[str]:
    """Return why nothing is found at a path; None where something is."""
    try:
        os.lstat(path)
    except OSError as error:
        missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        return "no such file or folder" if missing else f"can't be reached ({error.strerror})"
    except ValueError as error:
        return str(error)
    return None


def files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a folder by name; none where it can't be listed."""
    try:
        with os.scandir(folder) as listing:
            return sorted(Path(entry.path) for entry in listing if fnmatch.fnmatchcase(entry.name, pattern))
    except OSError:
        return []


def files_below(
    folder: Path,
    not_entered: list[NotEntered],
    enters: Callable[[str], bool] = lambda folder: True,
) -> Iterator[str]:
    """Yield the paths of all files in a folder and the folders below it: those of a folder first, each by name.

    Links to folders are not followed, and are neither files nor folders here. A folder that can't be listed is passed
    over.

    Parameters
    ----------
    not_entered
        Gets the folders that were passed over.
    enters
        Whether to go into a folder; it is asked about links to folders too.
    """
    root = os.fspath(folder)
    waiting = ["" if root == "." else root]  # No recursion: a path may have two thousand parts.
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here or ".") as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            not_entered.append(NotEntered(here or ".", error.strerror or str(error)))
            continue
        entered = []
        for entry in entries:
            path = os.path.join(here, entry.name)  # noqa: PTH118 - a path a thousand times over
            if not _is_folder(entry):
                yield path
            elif enters(path) and not entry.is_symlink():
                entered.append(path)
        waiting += reversed(entered)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # Such as a link that leads in a circle.
        return False


def replace_content(path: Path, content: bytes) -> None:
    """Write a file at once: an interruption or a full disk leaves what was there as it was.

    A file that is there keeps its mode, owner and extended attributes; a new one can be read by everybody.

    Raises
    ------
    OSError
        If nothing was written.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".conformance-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if path.exists():
                _take_over_attributes(path, temporary)
            else:
                Path(temporary).chmod(0o644)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink()
        raise
    _sync_folder(path.parent)


def link_again(path: Path, other: Path) -> None:
    """Make another name of a file that was replaced a name of the new one.

    Raises
    ------
    OSError
        If the other name stays with the old content.
    """
    folder = Path(tempfile.mkdtemp(dir=other.parent, prefix=".conformance-"))
    try:
        os.link(path, folder / "link")
        (folder / "link").replace(other)
    finally:
        (folder / "link").unlink(missing_ok=True)
        folder.rmdir()


def _take_over_attributes(path: Path, temporary: str) -> None:
    status = path.stat()
    with suppress(OSError):  # Only root may give a file away.
        os.chown(temporary, status.st_uid, status.st_gid)
    shutil.copystat(path, temporary)
    os.utime(temporary)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # Some file systems can't.
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
