"""Result files: their format, reading and writing them, and comparing them with the corpus."""
