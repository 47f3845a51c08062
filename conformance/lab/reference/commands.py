"""The options of each command, from the parser of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A command: how it is called, and its arguments and options, each with its meaning."""

    usage: str
    options: tuple[tuple[tuple[str, ...], str], ...]


def commands(parser: argparse.ArgumentParser) -> dict[str, Command]:
    """Return the commands of a parser by name, without those for maintainers, which declare their options elsewhere."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: _command(made) for action in actions for name, made in action.choices.items() if made.add_help}


def _command(parser: argparse.ArgumentParser) -> Command:
    usage = " ".join(parser.format_usage().split()[1:]).replace(" [-h]", "")
    return Command(usage, tuple(_options(parser)))


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[tuple[str, ...], str]]:
    formatter = parser._get_formatter()
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction) and action.help != argparse.SUPPRESS:
            yield tuple(_names(action)), formatter._expand_help(action) if action.help else ""


def _names(action: argparse.Action) -> Iterator[str]:
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""
    value = str(action.metavar or choices or action.dest.upper()) if action.nargs != 0 else ""
    if not action.option_strings:
        yield value if action.metavar or choices else action.dest
    for name in action.option_strings:
        yield f"{name} {value}".strip() if name.startswith("--") or len(action.option_strings) == 1 else name
