"""Scripts for people to paste, with torch and NumPy alone, from claims and examples; written without torch."""
