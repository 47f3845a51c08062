"""``conformance show``: from what a person types to what is known of it.

In: a name, a message, a question or an id, and the corpus with its results. Out: the answer, claims, trials and changes
in words, from an index (`index`) that is built when these files change.
"""
