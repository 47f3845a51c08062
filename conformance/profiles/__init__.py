"""Profiles: what a call of torch does over the whole domain of its inputs, measured and explained, not judged."""
