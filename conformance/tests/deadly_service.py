"""A module that kills the process that imports it, as a torch built for another machine does."""

import os

print("the last words of an import", flush=True)
os.abort()
