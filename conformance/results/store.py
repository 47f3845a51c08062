"""Result files: read as hostile text, written atomically, one claim on a line."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from conformance.results.schema import VERSION, validator

#: The largest result file that is read, in bytes.
LARGEST = 64 * 2**20
_LONGEST_MESSAGE = 600


class ResultError(Exception):
    """A result file can't be used; the message says which, why and what to do."""

    def __init__(self, message: str) -> None:
        # What a file says, or how it is called, must neither make a second line nor drive the terminal.
        shown = (one if one.isprintable() else ascii(one)[1:-1] for one in message[:_LONGEST_MESSAGE])
        super().__init__("".join(shown))


@dataclass
class Results:
    """What one run measured in one environment on one device; ``claims`` maps id to entry."""

    environment: dict[str, str]
    corpus: str
    examples: int
    seed: int
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)
    void: Optional[str] = None

    @property
    def name(self) -> str:
        """The file's name without its ending, such as ``torch-2.13.0-cpu``."""
        return f"torch-{self.environment['torch']}-{self.environment['device']}"


@dataclass
class Timings:
    """Ratios of timing claims measured in one environment."""

    environment: dict[str, str]
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)


def load_results(path: Path) -> Results:
    """Read a result file.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no JSON, or breaks the schema.
    """
    document = _load(path, timings=False)
    return Results(
        document["environment"],
        document["corpus"],
        document["examples"],
        document["seed"],
        document["claims"],
        document.get("void"),
    )


def load_timings(path: Path) -> Timings:
    """Read a file of timing ratios; raises ``ResultError`` as ``load_results`` does."""
    document = _load(path, timings=True)
    return Timings(document["environment"], document["claims"])


def load_folder(folder: Path) -> list[Results]:
    """Read every result file of a folder, oldest torch first, ``cpu`` before ``cuda``."""
    from packaging.version import Version

    found = [load_results(path) for path in sorted(folder.glob("torch-*.json"))]
    return sorted(found, key=lambda item: (Version(item.environment["torch"]), item.environment["device"]))


def save_results(results: Results, path: Path) -> None:
    """Write a result file; what stood there before is replaced at once or not at all."""
    _save(header_text(results), results.claims, path)


def header_text(results: Results) -> str:
    """Return the lines of a result file before its claims."""
    header = {
        "schema": VERSION,
        "environment": results.environment,
        "corpus": results.corpus,
        "examples": results.examples,
        "seed": results.seed,
        "void": results.void,
    }
    return _header_lines(header)


def entry_text(identity: str, entry: Mapping[str, Any]) -> str:
    """Return the line of one claim in a result file, without the comma after it."""
    return f"{json.dumps(identity)}: {_compact(_kept(entry))}"


def save_timings(timings: Timings, path: Path) -> None:
    """Write a file of timing ratios, as ``save_results`` does."""
    _save(_header_lines({"schema": VERSION, "environment": timings.environment}), timings.claims, path)


def _header_lines(header: Mapping[str, Any]) -> str:
    return "{\n" + "".join(f"{json.dumps(name)}: {_compact(value)},\n" for name, value in header.items())


def _save(header: str, claims: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    entries = [entry_text(name, claims[name]) for name in sorted(claims)]
    replace_file(path, header + '"claims": {\n' + ",\n".join(entries) + "\n}\n}\n")


def replace_file(path: Path, text: str) -> None:
    """Replace a file's content at once: a full disk or an interruption leaves the old one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink()
        raise


def _kept(entry: Mapping[str, Any]) -> dict[str, Any]:
    # What a crashing torch printed holds addresses and paths: shown on the terminal, not stored.
    return {name: value for name, value in entry.items() if name != "printed"}


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def read_document(path: Path, named: str, remedy: str) -> Any:
    """Read a JSON file of ours, whoever wrote it.

    Parameters
    ----------
    path
        The file.
    named
        What it should be, such as ``"record"``.
    remedy
        The command that makes such a file, for the message.

    Raises
    ------
    ResultError
        If it can't be read, is too large or is no JSON.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise ResultError(f"{path}: larger than {LARGEST >> 20} MiB, so no {named} of ours; it was not read")
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultError(f"{path}: can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: no JSON: {error}; make it again with '{remedy}'") from None


def read_record(path: Path, schema: dict[str, Any], remedy: str) -> dict[str, Any]:
    """Read a JSON file that has a schema of its own.

    Raises
    ------
    ResultError
        As `read_document`, and if it breaks the schema.
    """
    import fastjsonschema

    document = read_document(path, "record", remedy)
    try:
        fastjsonschema.compile(schema)(document)
    except fastjsonschema.JsonSchemaValueException as error:
        raise ResultError(f"{path}: no record of this format: {str(error.message)[:300]}") from None
    return dict(document)


def _load(path: Path, *, timings: bool) -> dict[str, Any]:
    import fastjsonschema

    document = read_document(path, "result file", "conformance run")
    version = document.get("schema") if isinstance(document, dict) else None
    if version != VERSION:
        shown = repr(version)[:40]
        raise ResultError(f"{path}: format {shown}, this conformance reads format {VERSION}; measure it again")
    try:
        validator(timings)(document)
    except fastjsonschema.JsonSchemaValueException as error:
        raise ResultError(f"{path}: breaks the result schema: {str(error.message)[:300]}") from None
    return dict(document)
