from __future__ import annotations


def coverage_lines(folder, with_names=False):
    return []
