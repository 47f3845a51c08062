"""The torch side of a run: judges claims in a process that may die. Only what runs in that process imports this."""
