"""The language of a spec: from YAML to claims, with every mistake that an author can make. No torch here."""
