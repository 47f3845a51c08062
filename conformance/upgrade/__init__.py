"""What differs between two releases of torch, for a person who upgrades. Nothing here needs torch."""
