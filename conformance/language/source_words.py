"""The sources of a claim in words, with their addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from conformance.language.model import Source
from conformance.language.sources import SourceList

#: The documents that PyTorch publishes; an article's mistakes are its author's.
OFFICIAL = ("docs", "note", "release")
_MANNERS = {
    "requires": "it asks this of the caller",
    "limits": "it names a limit",
    "implies": "it implies this",
}
_KINDS = {"docs": "docstring of", "note": "note", "release": "release notes of"}


@dataclass(frozen=True)
class SourceView:
    """A source as it is shown.

    Attributes
    ----------
    source : Source
        What the spec says.
    name : str
        The document in words, such as ``docstring of torch.clone`` or ``article A``.
    title : str
        The title of its page or article; the name of the object for a docstring.
    url : str, optional
        Its address, where one is known.
    """

    source: Source
    name: str
    title: str
    url: Optional[str]

    @property
    def place(self) -> str:
        """Where in the document, such as ``row 3`` or ``at “shares storage”``; empty for the whole of it."""
        if self.source.kind == "article":
            return f"row {self.source.row}"
        return f"at “{self.source.key}”" if self.source.key else ""

    def __str__(self) -> str:
        return f"{self.name}, {self.place}" if self.place else self.name


def manner(source: Source) -> str:
    """Return how a source says it, where it does not simply state it."""
    return _MANNERS.get(source.says or "", "")


def source_view(source: Source, sources: Optional[SourceList] = None) -> SourceView:
    """Return a source as it is shown.

    Parameters
    ----------
    sources
        The documents that claims can cite; without them no title or address is known.
    """
    sources = sources or SourceList()
    name = f"article {source.name}" if source.kind == "article" else f"{_KINDS[source.kind]} {source.name}"
    return SourceView(source, name, sources.title(source), sources.url(source))
