"""Checking spec files from the command line: ``python -m conformance.language.check PATH...``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from conformance.language.corpus import check_paths, default_root


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Print every problem of the paths, or of the project's own corpus; 2 if there is one, else 0."""
    names = sys.argv[1:] if arguments is None else arguments
    problems = check_paths([Path(name) for name in names] or [default_root()])
    for problem in problems:
        print(problem)
    return 2 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
