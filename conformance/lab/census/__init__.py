"""The sentences of PyTorch's documentation, and the objects that they belong to."""
