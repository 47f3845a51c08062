"""A run: claims in, an outcome for each of them out, and a result file.

The session has no torch: it makes pytest items (`conformance.plugin`), asks a worker for verdicts (`supervisor`), keeps
them as they come (`tally`) and prints the end (`summary`). `worker` is the other side, with torch; `scripts` writes
what it found as programs to paste.
"""
