"""``conformance upgrade``, ``compare`` and ``bisect``: what differs between two releases of torch.

In: changes that people wrote, measured names, two records, and the uses in somebody's code. Out: the entries of a
report as text, JSON, SARIF or annotations, and rewrites of their files. Nothing here needs torch.
"""
