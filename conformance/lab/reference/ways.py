"""Pages of ways: a YAML file among the sources is one, where the configuration says so.

``source_suffix = {".rst": "restructuredtext", ".yaml": "ways"}`` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Union

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.parsers import RSTParser

from conformance.lab.reference.base_directive import ReferenceDirective
from conformance.lab.views.call_cells import NONE
from conformance.lab.views.ways import COST, WaysPage, anchors_of, read_ways, timed_on, way_rows

#: Cells with more characters are wide.
_LONG = 30


class WaysParser(RSTParser):
    """Makes a page of a file of ways."""

    supported = ("ways",)

    def parse(self, inputstring: Union[str, StringList], document: nodes.document) -> None:
        """Put the title and the directive, which reads the file, onto the page."""
        title = _page(document.settings.env).title
        super().parse(f"{title}\n{'=' * len(title)}\n\n.. claim:ways::\n", document)


class WaysDirective(ReferenceDirective):
    """The questions and the table of the file that is the page."""

    def blocks(self) -> Iterator[nodes.Node]:
        """Return what stands below the title."""
        page, content = _page(self.env), self.content_of_site
        yield self.part(
            "ways",
            page=page,
            rows=way_rows(page, content),
            anchors=anchors_of(page),
            release=next(reversed(content.trials.releases), ""),
            timed=timed_on(page, content),
            dash=NONE,
            cost=COST,
            long=_LONG,
        )


def _page(env: BuildEnvironment) -> WaysPage:
    try:
        return read_ways(Path(env.doc2path(env.docname)))
    except ValueError as error:
        raise ExtensionError(str(error)) from None
