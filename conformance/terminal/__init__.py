"""Views as text for the terminal."""
