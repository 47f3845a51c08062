"""The torch side of profiles: draws examples, runs a call on each, and looks at everything it did."""
