"""What we run to make the corpus, the records and the pages: walks of names, trials, mutants, censuses, benchmarks.

In: everything else. Out: files in ``docs/results``, the pages of the reference, and texts of issues. The commands
``run``, ``check``, ``show`` and ``upgrade`` import nothing of it.
"""
