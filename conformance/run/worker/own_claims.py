"""What a claim outside the corpus needs of the environment: its modules, its subject, and the sentences it cites."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module

from conformance.base.text import did_you_mean
from conformance.language.model import Claim
from conformance.language.sentences import find_sentences
from conformance.run.worker.docstrings import docstring, exists, resolve
from conformance.run.worker.trial import first_line


def unmet_need(claim: Claim) -> str:
    """Import what a claim is about; return why it can't be judged here, empty where it can.

    Whether torch has the subject decides on the verdict ``absent``, which is no failure. A module of somebody else
    that is missing is one: otherwise a claim would pass because nobody had installed what it is about.
    """
    for module in dict.fromkeys(_modules(claim)):
        try:
            import_module(module)
        except BaseException as error:  # whatever a module does, such as ending the process
            return f"import {module} raised {type(error).__name__}: {first_line(error)}"
    try:
        return _lacking(claim)
    except Exception as error:  # of a module that is imported for a name in it
        return f"looking up {claim.subject} raised {type(error).__name__}: {first_line(error)}"


def _lacking(claim: Claim) -> str:
    if not exists(claim.subject):
        return "" if claim.subject.startswith("torch.") else _absent(claim.subject)
    for name, key in claim.keys:
        if not exists(name):
            return _absent(name)
        text = docstring(name)
        if not find_sentences(text, key):
            advice = "write a few words of one sentence, as they stand there"
            return (
                f"no sentence of the docstring of {name} has “{key}”; {advice}" if text else f"{name} has no docstring"
            )
    return ""


def _modules(claim: Claim) -> Iterator[str]:
    """Yield the packages of the names, and what the program imports before the statement under test."""
    for name in (claim.subject, *(name for name, _ in claim.keys)):
        if "/" not in name:
            yield name.partition(".")[0]
    for statement in ast.parse(claim.do.text).body[:-1] if claim.do else ():
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module


def _absent(name: str) -> str:
    owner, _, last = name.rpartition(".")
    return f"there is no {name} here{did_you_mean(last, dir(resolve(owner))) if owner and exists(owner) else ''}"
