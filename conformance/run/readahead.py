"""What a command read before it started a session of pytest, so that no file is read twice in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from conformance.language.corpus import Corpus
from conformance.language.display_path import display_path
from conformance.language.model import Claim


class ReadAhead:
    """A plugin of pytest that does nothing but hold claims.

    Parameters
    ----------
    corpus
        Claims of files without a mistake.
    whole
        Whether it is all of the project's own corpus.
    selects
        The session chooses among the claims, and measures those whatever is known of them.
    """

    def __init__(self, corpus: Corpus, *, whole: bool, selects: bool = False) -> None:
        self.corpus = corpus
        self.is_whole = whole
        self.selects = selects
        self._of_files: dict[str, list[Claim]] = {}
        for claim in sorted(corpus.claims, key=lambda claim: (claim.place.line, claim.place.column)):
            self._of_files.setdefault(claim.place.path, []).append(claim)

    def claims(self, path: Path) -> Optional[list[Claim]]:
        """Return the claims of a file in its order; None where it was not read."""
        return self._of_files.get(display_path(path))


def read_ahead(config: pytest.Config) -> Optional[ReadAhead]:
    """Find what was read before this session, if anything was."""
    return next((plugin for plugin in config.pluginmanager.get_plugins() if isinstance(plugin, ReadAhead)), None)
