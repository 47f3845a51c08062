"""Issue texts: what the documentation promises and torch does not keep, ready to be filed."""
