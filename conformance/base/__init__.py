"""What every other package stands on; nothing here knows of specs or of torch's behaviour.

In: files, text and commands of the system. Out: bounded reading and safe replacing of files, JSON as dataclasses, the
cache, releases of torch in order and in words, and `processes`, the workers that may die.
"""
