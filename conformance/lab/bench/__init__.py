"""How fast the engine is, as ratios measured in one run on one machine: ``python -m conformance.lab.bench``."""
