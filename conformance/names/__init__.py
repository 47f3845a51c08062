"""Every importable name of every release of torch: measured, stored as ranges of releases, and looked up."""
