"""Finding the claims of a name without reading the whole corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.files import Unreadable, read_bounded
from conformance.language.corpus import default_root, load_corpus, spec_files
from conformance.language.documents import MAXIMUM_BYTES
from conformance.language.kept import load_own_corpus
from conformance.language.model import Claim
from conformance.text import count_of, did_you_mean, listed

#: The word ``subject`` where it may be a key, and its value where that is a plain word.
_SUBJECT = re.compile(
    rb"""(?<!\$)(?<!\$\{)\bsubject\b(?![ \t]+\w|\.)
    (?:["']?\s*:[ \t]*["']?([\w./-]+)["']?[ \t]*(?=[\r\n,}#]|\Z))?""",
    re.VERBOSE,
)
_SHOWN = 3


class UnknownName(Exception):
    """Nothing has that name; the message offers near ones."""


class BadSpecs(Exception):
    """A spec file has a mistake; the message tells the first one."""


def find_claims(name: str) -> tuple[Claim, ...]:
    """Return the claim with an id, or the claims of the subjects with a name, by subject and place in the spec.

    Parameters
    ----------
    name
        An id, a subject, or the end of one: ``detach`` is ``torch.Tensor.detach`` and others.
    """
    root = default_root()
    likely = [path for path in spec_files(root) if _may_have(path, name)]
    return _matching(name, load_corpus(likely, root)[0].claims)


def find_own_claims(name: str, paths: Sequence[Path]) -> tuple[Claim, ...]:
    """Return the claims of a name as `find_claims` does, from specs outside the corpus.

    Raises
    ------
    BadSpecs
        If a file has a mistake: its claims can't be told.
    """
    corpus, problems = load_corpus(paths)
    if problems:
        raise BadSpecs(f"{problems[0]}; {count_of(len(problems), 'mistake')}: run 'conformance check'")
    return _matching(name, corpus.claims)


def find_anywhere(name: str, near: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Return the claims of a name as `find_claims` does, from the whole corpus: an earlier id may be in any file.

    Parameters
    ----------
    near
        Names that may be meant where there is none.

    Raises
    ------
    UnknownName
        If no subject and no claim has that name.
    """
    corpus, _ = load_own_corpus()
    found = _matching(name, corpus.claims)
    if not found:
        raise UnknownName(_not_found(name, corpus.claims, near))
    return found


def _may_have(path: Path, name: str) -> bool:
    try:
        return may_have(read_bounded(path, MAXIMUM_BYTES), name)
    except Unreadable:
        return False


def may_have(content: bytes, name: str) -> bool:
    """Return False where a spec file has no claim with an id or of a subject, as far as can be seen without reading it.

    A file that gives a subject in another way than as a plain word may have any.
    """
    for match in _SUBJECT.finditer(content):
        subject = match[1].decode() if match[1] is not None else None
        if subject is None or _is_named(subject, name) or name.startswith(f"{subject}/"):
            return True
    return False


def _matching(name: str, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    exact = sorted((claim for claim in claims if name == claim.id or name in claim.was), key=lambda claim: claim.id)
    if exact:
        return (exact[0],)
    named = [claim for claim in claims if _is_named(claim.subject, name)]
    return tuple(sorted(named, key=lambda claim: (claim.subject, claim.place)))


def _is_named(subject: str, name: str) -> bool:
    return subject == name or subject.endswith(f".{name}")


def _not_found(name: str, claims: Iterable[Claim], near: Sequence[str]) -> str:
    known = {claim.subject for claim in claims} | {claim.id for claim in claims}
    told = f"; did you mean {listed([repr(one) for one in near[:_SHOWN]])}?" if near else ""
    advice = told or did_you_mean(name, known, most=_SHOWN) or "; the reference lists every subject"
    return f"no claim and no recorded release of torch has the name {name!r}{advice}"
