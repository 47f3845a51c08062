"""``conformance show``: from what a person types to what is known of it."""
