"""What many calls do is written once in a profile file: a finding on a line of its own, which calls name by a key."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from conformance.profiles.model import Domain, Profile, Row, Rule, field_of
from conformance.results.codec import encode, to_line

_KEY = 4


@dataclass(frozen=True)
class Finding:
    """What was seen of one aspect: the same outcome always, a rule, or a table."""

    aspect: str = field_of("The aspect.")
    of: str = field_of("The input that it is about; empty for the result.", "")
    always: Optional[str] = field_of("The outcome of every example.", None)
    rule: Optional[Rule] = field(default=None, metadata={"description": "The rule that decides every example."})
    table: tuple[Row, ...] = field_of("How often each outcome was seen.", ())


@dataclass(frozen=True)
class StoredProfile:
    """A profile as its line says it."""

    subject: str = field_of("The name that is called.", longest=300)
    call: str = field_of("The call.")
    domain: Optional[str] = field_of("Key of what was tried.", None)
    given: Mapping[str, str] = field_of("Expression of each input, where nothing was tried.", dict)
    returned: int = field_of("In how many examples it returned.", 0, least=0)
    seen: tuple[str, ...] = field_of("Keys of what other calls do too.", ())
    alone: tuple[Finding, ...] = field_of("What no other call does.", ())
    values: tuple[Optional[str], ...] = field_of("Printed results of the printed examples of the domain.", ())
    varies: bool = field_of("Whether a result is another one with another seed or in other fresh memory.", False)
    failed: Optional[str] = field_of("Why the call could not be measured.", None)


def domain_key(given: Mapping[str, str]) -> str:
    """Return the key of what was tried for inputs: the same in every release, whichever values it has for them."""
    return _key(given)


def by_key(domains: Iterable[Domain]) -> dict[str, Domain]:
    """Return domains by their keys."""
    return {domain_key(domain.given): domain for domain in domains}


class Shared:
    """What more than one of some calls does.

    Attributes
    ----------
    findings
        By key; that depends on nothing but the finding, so that files of two releases have the same.
    """

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self._keys: dict[str, str] = {}
        self.findings: dict[str, Finding] = {}
        every = [(_line(finding), finding) for profile in profiles for finding in _findings(profile)]
        counts = Counter(line for line, _ in every)
        for line, finding in sorted(every, key=lambda item: item[0]):
            key = _key(finding)
            # One whose key is taken is written with each call.
            if counts[line] > 1 and line not in self._keys and key not in self.findings:
                self._keys[line] = key
                self.findings[key] = finding

    def key(self, finding: Finding) -> Optional[str]:
        """Return the key of a finding; None where it is not shared."""
        return self._keys.get(_line(finding))


def stored(profile: Profile, shared: Shared, domain: Optional[Domain]) -> StoredProfile:
    """Return a profile as its line says it.

    Parameters
    ----------
    domain
        What was tried; None where nothing was.
    """
    seen, alone = [], []
    for finding in _findings(profile):
        key = shared.key(finding)
        if key is None:
            alone.append(finding)
        else:
            seen.append(key)
    return StoredProfile(
        profile.subject,
        profile.call,
        None if domain is None or not profile.given else domain_key(domain.given),
        profile.given if domain is None else {},
        profile.returned,
        tuple(seen),
        tuple(alone),
        profile.values,
        profile.varies,
        profile.failed,
    )


def restored(line: StoredProfile, shared: Mapping[str, Finding], domains: Mapping[str, Domain]) -> Profile:
    """Return the profile that a line says.

    Raises
    ------
    KeyError
        If it names a finding or a domain that is not there.
    """
    always: dict[str, dict[str, str]] = {}
    rules: dict[str, dict[str, Rule]] = {}
    tables: dict[str, dict[str, tuple[Row, ...]]] = {}
    for finding in (*(shared[key] for key in line.seen), *line.alone):
        if finding.always is not None:
            always.setdefault(finding.aspect, {})[finding.of] = finding.always
        elif finding.rule is not None:
            rules.setdefault(finding.aspect, {})[finding.of] = finding.rule
        else:
            tables.setdefault(finding.aspect, {})[finding.of] = finding.table
    return Profile(
        line.subject,
        line.call,
        line.given if line.domain is None else domains[line.domain].given,
        line.returned,
        always,
        rules,
        tables,
        line.values,
        line.varies,
        line.failed,
    )


def _findings(profile: Profile) -> Iterator[Finding]:
    for aspect, of, rule in profile.findings():
        if of in profile.always.get(aspect, {}):
            yield Finding(aspect, of, always=profile.always[aspect][of])
        elif rule is not None:
            yield Finding(aspect, of, rule=rule)
        else:
            yield Finding(aspect, of, table=profile.tables[aspect][of])


def _line(finding: Finding) -> str:
    return to_line(encode(finding))


def _key(content: Any) -> str:
    digest = hashlib.sha256(to_line(encode(content)).encode()).digest()
    return base64.urlsafe_b64encode(digest)[:_KEY].decode("ascii")
