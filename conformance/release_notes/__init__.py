"""What the notes of releases announced, beside what was measured of it."""
