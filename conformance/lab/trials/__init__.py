"""Trying calls: each on a base input, and on inputs that differ from it in one thing.

In: the calls in ``spec/calls``, the inputs in `inputs`, and the torch that is installed. Out: text files in
``docs/results/trials``, which `conformance.results.trials` reads. Only ``observe`` imports torch.
"""
