"""What calls of torch did when they were tried, as it was recorded on each release.

In: the text files in ``docs/results/trials``, which ``conformance.lab.trials`` writes. Out: the calls of a name, what
each did on a base input, on which other inputs it did something else, and what differs between two releases.
"""
