"""Pages of ways: a YAML file among the sources is one, where the configuration says so.

``source_suffix = {".rst": "restructuredtext", ".yaml": "ways"}`` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Union

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.parsers import RSTParser

from conformance.reference.directives import ReferenceDirective
from conformance.views.call_cells import NONE
from conformance.views.ways import COST, read_ways, ways_view


class WaysParser(RSTParser):
    """Makes a page of a file of ways."""

    supported = ("ways",)

    def parse(self, inputstring: Union[str, StringList], document: nodes.document) -> None:
        """Put the title and the directive, which reads the file, onto the page."""
        title = read_ways(Path(self.env.doc2path(self.env.docname))).title
        super().parse(f"{title}\n{'=' * len(title)}\n\n.. claim:ways::\n", document)


class WaysDirective(ReferenceDirective):
    """The questions and the table of the file that is the page."""

    def blocks(self) -> Iterator[nodes.Node]:
        """Return what stands below the title."""
        page = read_ways(Path(self.env.doc2path(self.env.docname)))
        yield self.part("ways", it=ways_view(page, self.content_of_site), none=NONE, cost=COST)
