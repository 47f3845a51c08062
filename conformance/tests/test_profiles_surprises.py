"""What surprises is so in the recorded profiles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from conformance.profiles.store import Profiles, load_profiles
from conformance.profiles.surprises import Surprise, surprises
from conformance.results.recorded import CALLS, recorded_folder, result_files
from conformance.views.releases import as_version

RECORDED = {path.stem.split("-")[1]: path for path in result_files(recorded_folder() / CALLS)}


@cache
def profiles(path: Path) -> Profiles:
    return load_profiles(path)


def said(surprise: Surprise, release: str) -> tuple[str, ...]:
    (profile,) = [one for one in profiles(RECORDED[release]).of(surprise.name) if one.call == surprise.call]
    return surprise.said(profile)


def test_there_are_twenty() -> None:
    assert len(surprises()) == len({one.sentence for one in surprises()}) == 20


@pytest.mark.skipif(not RECORDED, reason="no recorded profiles")
@pytest.mark.parametrize("surprise", surprises(), ids=lambda one: one.name)
def test_the_newest_profile_says_so(surprise: Surprise) -> None:
    assert surprise.seen in said(surprise, max(RECORDED, key=as_version))


@pytest.mark.parametrize("surprise", [one for one in surprises() if one.before], ids=lambda one: one.name)
def test_the_older_profile_says_what_was_before(surprise: Surprise) -> None:
    assert surprise.before is not None
    if surprise.before.release not in RECORDED:
        pytest.skip("not recorded")
    assert surprise.before.seen in said(surprise, surprise.before.release)
    assert surprise.seen not in said(surprise, surprise.before.release)
