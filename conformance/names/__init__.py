"""Looks up public names of torch in every release, without torch.

In: the ranges in ``docs/results/names``, which `conformance.lab.names` measures and records. Out: for a name and a
release, whether it is there, its signature and deprecation, what replaced it, and what differs between two releases.
"""
