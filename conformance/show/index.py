"""What ``show`` looks up, in an sqlite file of the user's cache, which is built once for the same files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Optional, TypeVar

from conformance.base.cache import keep_bytes, recall_bytes
from conformance.base.codec import decode
from conformance.base.recorded_folder import NAMES, TIMINGS, TRIALS
from conformance.show.model import AnswerView, ClaimLine, MessageView, NameFacts

T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent.parent
_SUFFIX = ".index"
#: Indexes of other checkouts and versions that stay.
_MOST_INDEXES = 4
#: Of so many names, those used most, it is looked up whether they take an argument.
_MOST_TRACED = 60
#: An answer, claims, facts and a message are JSON of the types in `conformance.show.model`.
_TABLES = """
CREATE TABLE subject (name TEXT PRIMARY KEY, last TEXT, uses INT, canonical TEXT, answer TEXT, claims TEXT, facts TEXT);
CREATE INDEX last ON subject (last);
CREATE INDEX used ON subject (uses);
CREATE TABLE claim (id TEXT PRIMARY KEY, now TEXT, page TEXT);
CREATE TABLE message (key TEXT, words TEXT, view TEXT);
CREATE TABLE answer_words (subject TEXT, weight REAL, words TEXT);
CREATE TABLE phrase (plain TEXT, subject TEXT);
CREATE TABLE claim_words (id TEXT, words TEXT);
CREATE TABLE change (name TEXT, line TEXT);
CREATE INDEX changed ON change (name);
CREATE TABLE argument (argument TEXT, taker TEXT, last TEXT, "default" TEXT);
CREATE INDEX taken ON argument (argument);
"""
_SUBJECTS = "SELECT name, uses, answer, claims, facts FROM subject"
#: Names that programs use for what takes an argument, those used most first.
_TAKERS = f"""
SELECT name, taker, "default" FROM (
    SELECT name, uses, canonical, answer IS NULL AND claims IS NULL AS plain FROM subject
    WHERE last IN (SELECT last FROM argument WHERE argument = :argument)
    ORDER BY uses DESC, plain, length(name), name LIMIT {_MOST_TRACED}
) JOIN argument ON taker = canonical AND argument = :argument ORDER BY uses DESC, plain, length(name), name
"""


@dataclass(frozen=True)
class Subject:
    """What the index has of a name, a page of notes or a concept; ``uses`` counts how often programs use it."""

    name: str
    uses: int = 0
    _answer: Optional[str] = None
    _claims: Optional[str] = None
    _facts: Optional[str] = None

    @property
    def is_known(self) -> bool:
        """Whether there is an answer or a claim."""
        return bool(self._answer or self._claims)

    @cached_property
    def answer(self) -> Optional[AnswerView]:
        """What we say of it."""
        return decode(AnswerView, json.loads(self._answer)) if self._answer else None

    @cached_property
    def claims(self) -> tuple[ClaimLine, ...]:
        """Its claims, by place."""
        return _decode_all(ClaimLine, self._claims)

    @cached_property
    def facts(self) -> Optional[NameFacts]:
        """What was measured of it; None where the index leaves that to a look-up."""
        return decode(NameFacts, json.loads(self._facts)) if self._facts else None


class Index:
    """The index of a corpus and its recorded results."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._rows = connection.execute

    def subject(self, name: str) -> Optional[Subject]:
        """Return a name in full as it is recorded or answered; None where nothing has it."""
        row = self._rows(f"{_SUBJECTS} WHERE name = ?", (name,)).fetchone()
        return Subject(*row) if row is not None else None

    def ending(self, last: str) -> tuple[Subject, ...]:
        """Return every name of which the last part is this one, whatever its capitals."""
        return tuple(Subject(*row) for row in self._rows(f"{_SUBJECTS} WHERE last = ?", (last.lower(),)))

    def used(self) -> Iterator[tuple[str, int]]:
        """Yield the names that programs use, or that have an answer, with how many projects use each."""
        yield from self._rows("SELECT name, uses FROM subject WHERE uses > 0 OR answer IS NOT NULL")

    def phrases(self, subjects: str = "%") -> Iterator[tuple[str, str]]:
        """Yield the phrases that lead to answers, as `plain` leaves them, with the subjects of these.

        Parameters
        ----------
        subjects
            A pattern of SQL that the subjects match.
        """
        yield from self._rows("SELECT plain, subject FROM phrase WHERE subject LIKE ?", (subjects,))

    def answers(self, part: str) -> tuple[AnswerView, ...]:
        """Return every answer in which a text of ASCII letters, digits and ``_`` stands."""
        rows = self._rows("SELECT answer FROM subject WHERE instr(answer, ?)", (part,))
        return tuple(decode(AnswerView, json.loads(text)) for (text,) in rows)

    def takers(self, argument: str) -> dict[str, str]:
        """Return each name that takes an argument in the newest release, in full, with the default or nothing."""
        return dict(self._rows('SELECT taker, "default" FROM argument WHERE argument = ?', (argument,)))

    def public_takers(self, argument: str) -> tuple[tuple[str, str, str], ...]:
        """Return the names that programs use for what takes an argument, with that name in full and the default."""
        return tuple(self._rows(_TAKERS, {"argument": argument}))

    def claim(self, identity: str) -> ClaimLine:
        """Return a claim that the index has."""
        subject = self.subject(identity.rpartition("/")[0])
        assert subject is not None
        return next(claim for claim in subject.claims if claim.id == identity)

    def page(self, identity: str) -> Optional[tuple[str, str]]:
        """Return the present id of a claim and its page, also by an earlier id."""
        found: Optional[tuple[str, str]] = self._rows(
            "SELECT now, page FROM claim WHERE id = ?", (identity,)
        ).fetchone()
        return self.page(found[0]) if found is not None and not found[1] else found

    def changes(self, name: str) -> tuple[str, ...]:
        """Return what people wrote of a name in the changes of releases, the newest first."""
        return tuple(line for (line,) in self._rows("SELECT line FROM change WHERE name = ? ORDER BY rowid", (name,)))

    @cached_property
    def answer_words(self) -> dict[str, list[tuple[float, list[str]]]]:
        """Return the words of each answer: of each part with how much they count, by subject."""
        found: dict[str, list[tuple[float, list[str]]]] = {}
        for subject, weight, words in self._rows("SELECT subject, weight, words FROM answer_words"):
            found.setdefault(subject, []).append((weight, words.split()))
        return found

    def claim_words(self) -> dict[str, list[str]]:
        """Return the words of the title of each claim, by id."""
        return {identity: words.split() for identity, words in self._rows("SELECT id, words FROM claim_words")}

    @cached_property
    def message_words(self) -> dict[str, list[str]]:
        """Return the words of each message, by its key."""
        return {key: words.split() for key, words in self._rows("SELECT key, words FROM message")}

    def messages(self, keys: Sequence[str]) -> tuple[MessageView, ...]:
        """Return the messages with one of some keys."""
        among = ", ".join("?" * len(keys))
        found = self._rows(f"SELECT view FROM message WHERE key IN ({among}) ORDER BY rowid", tuple(keys))
        return tuple(decode(MessageView, json.loads(text)) for text in dict.fromkeys(text for (text,) in found))


def _decode_all(cls: type[T], text: Optional[str]) -> tuple[T, ...]:
    return tuple(decode(cls, item) for item in json.loads(text or "[]"))


def open_index(folder: Path, spec: Path) -> Index:
    """Return the index of a corpus and of the results in a folder; it is built where there is none yet.

    Raises
    ------
    conformance.base.json_files.ResultError
        If a file of results, names or trials can't be used.
    """
    try:
        name = f"{_key(folder, spec)}{_SUFFIX}"
    except OSError:
        return Index(_built(folder, spec))  # what can't be looked at is told by what reads it
    known = recall_bytes(name)
    if known is not None:
        with contextlib.suppress(sqlite3.Error):  # damaged
            return Index(_read(known))
    if sys.stderr.isatty():
        print("conformance: reading the corpus and the results, once for this version", file=sys.stderr)
    connection = _built(folder, spec)
    keep_bytes(name, _written(connection), _MOST_INDEXES)
    return Index(connection)


def _read(content: bytes) -> sqlite3.Connection:
    """Return a database from the bytes of its file: another file could take the place of one that is opened by name."""
    connection = sqlite3.connect(":memory:")
    if sys.version_info >= (3, 11):
        connection.deserialize(content)
    else:
        with tempfile.TemporaryDirectory() as private:
            path = Path(private, "index")
            path.write_bytes(content)
            with contextlib.closing(sqlite3.connect(path)) as file:
                file.backup(connection)
    connection.execute("SELECT count(*) FROM message").fetchone()
    return connection


def _written(connection: sqlite3.Connection) -> bytes:
    if sys.version_info >= (3, 11):
        return connection.serialize()
    with tempfile.TemporaryDirectory() as private:
        path = Path(private, "index")
        with contextlib.closing(sqlite3.connect(path)) as file:
            connection.backup(file)
        return path.read_bytes()


def _built(folder: Path, spec: Path) -> sqlite3.Connection:
    from conformance.show.building import tables_of  # reads YAML, which a look-up does not need

    connection = sqlite3.connect(":memory:")
    connection.executescript(_TABLES)
    with connection:
        for table, rows in tables_of(folder, spec).items():
            for row in rows:
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    return connection


def _key(folder: Path, spec: Path) -> str:
    """Return a hash of the name, size and time of change of each file that the index is made of, or that makes it."""
    digest = hashlib.sha256(sys.version.encode())
    of_results = (folder, *(folder / name for name in (NAMES, TRIALS, TIMINGS)))
    for root, is_deep in (*((one, False) for one in of_results), (spec, True), (_PACKAGE, True)):
        for base, inside, files in os.walk(root):
            inside[:] = sorted(name for name in inside if name not in ("__pycache__", "tests")) if is_deep else []
            for name in sorted(files):
                status = os.stat(f"{base}/{name}")  # noqa: PTH116 - of 2,000 files
                digest.update(
                    f"{base}/{name} {status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogateescape")
                )
    return digest.hexdigest()
