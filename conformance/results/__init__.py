"""Result files, and what they say of claims over releases.

In: outcomes of a run, and the files in ``docs/results``. Out: JSON Lines (`store`) of the types in `model`; the
verdicts and facts of a claim on all releases (`recorded`, `history`); which entries are stale; what trials of calls did
(`trials`).
"""
