"""The session side of a run: options, items of pytest, the worker's supervisor, what is kept and told; no torch."""
