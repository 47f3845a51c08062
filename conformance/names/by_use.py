"""How many projects use each public name of torch: the file that ``conformance.lab.popularity`` writes."""

from __future__ import annotations

from pathlib import Path

FILE = "by-use.csv"


def uses_of(folder: Path) -> dict[str, int]:
    """Return the names that programs use, each with the number of projects that do; none where nothing was counted.

    Parameters
    ----------
    folder
        The folder of recorded names.
    """
    path = folder / FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else ()
    rows = (line.split(",") for line in lines if "," in line)
    return {name: int(projects) for name, projects, *_ in rows if projects.isdigit()}
