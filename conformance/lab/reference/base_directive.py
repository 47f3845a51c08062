"""What all directives of the reference have in common: the content of the site, addresses, and parts from templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from docutils import nodes
from sphinx import addnodes
from sphinx.builders import Builder
from sphinx.errors import NoUri
from sphinx.util.docutils import SphinxDirective

from conformance.lab.reference.companion_files import keep_beside, keep_data
from conformance.lab.reference.domain import ClaimDomain
from conformance.lab.reference.loaded import Parts, data_file, file_uri, loaded_path, root_uri
from conformance.lab.reference.loading import library_of
from conformance.lab.reference.page_data import Data
from conformance.lab.reference.pages import Places, places_of
from conformance.lab.reference.templates import html_part, part
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import Target, bounded


class ReferenceDirective(SphinxDirective):
    """A directive that is made from the corpus or the results."""

    has_content = False

    @property
    def content_of_site(self) -> Content:
        """All that the pages are made from."""
        return library_of(self.config).content

    @property
    def domain(self) -> ClaimDomain:
        """Where objects are recorded."""
        return cast(ClaimDomain, self.env.get_domain("claim"))

    @property
    def places(self) -> Places:
        """Where the objects of the site are."""
        return places_of(self.content_of_site, self.config.conformance_pages)

    @property
    def builder(self) -> Builder:
        """What writes the site: it knows the addresses of pages."""
        return library_of(self.config).builder

    @property
    def file(self) -> str:
        """The address of this page's data."""
        return file_uri(self.builder, self.env.docname, self.env.docname)

    @property
    def root(self) -> str:
        """The address of the root of the pages, as it is seen from this one."""
        return root_uri(self.builder, self.env.docname)

    @property
    def glossary(self) -> str:
        """The address of the glossary; empty where the site has none."""
        return self.uri("glossary") if "glossary" in self.env.found_docs else ""

    def run(self) -> list[nodes.Node]:
        """Return the content, and note that this page depends on it."""
        self.domain.note_document(self.env.docname)
        return list(self.blocks())

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the content."""
        raise NotImplementedError

    def part(self, template: str, **values: object) -> html_part:
        """Return a part of the page from a template."""
        return part(template, self.href, self.glossary, **values)

    def href(self, target: Target) -> str:
        """Return the address of an object as it is seen from this page; empty where there is none."""
        place = self.places.of(target)
        return "" if place is None else self.uri(*place)

    def uri(self, document: str, anchor: str = "") -> str:
        """Return the address of a page as it is seen from this one; empty where the output has none."""
        try:
            path = self.builder.get_relative_uri(self.env.docname, document)
        except NoUri:
            return ""
        if anchor:
            return f"#{anchor}" if document == self.env.docname else f"{path}#{anchor}"
        return path

    def section(self, anchor: str, title: str, *body: nodes.Node, classes: Sequence[str] = ()) -> nodes.section:
        """Return a section; whatever its title says is text."""
        shown = bounded(title)
        return nodes.section("", nodes.title(shown, shown), *body, ids=[anchor], names=[], classes=list(classes))

    def index(self, *parts: str) -> addnodes.index:
        """Return an entry of the general index that leads to this page."""
        entry = "; ".join(bounded(text).replace(";", ",") for text in parts)
        return addnodes.index(entries=[("single", entry, "", "", None)])

    def keep_data(self, data: Data) -> None:
        """Keep what the page says as data, until the page is written."""
        keep_data(self.state.document, self.env.docname, data)

    def keep(self, parts: Parts) -> None:
        """Keep what the page loads when it is asked for, until the page is written."""
        record = self.content_of_site.mutation
        text = data_file(parts, record.impostors if record else {})
        keep_beside(self.state.document, loaded_path(self.env.docname), text)
