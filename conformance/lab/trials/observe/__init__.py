"""The torch side: builds inputs, runs a call on each, and observes everything it did."""
