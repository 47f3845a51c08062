"""The operators: each module holds those for one kind of wrongness, each operator beside an example that it kills.

To add one, write a function with one of the decorators of ``conformance.lab.impostors.engine.registry``, in one of the
modules or a new one: all are found by being here. ``conformance impostors --add FILE`` takes operators from any file.
"""
