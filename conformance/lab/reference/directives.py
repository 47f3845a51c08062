"""Directives of the domain: each puts one part of the reference onto a page.

A directive makes titles and anchors, which Sphinx must know; all else is a template over a view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from docutils import nodes
from sphinx import addnodes
from sphinx.builders import Builder
from sphinx.errors import NoUri
from sphinx.util.docutils import SphinxDirective

from conformance.base.release_spans import as_version
from conformance.lab.reference.beside import keep_beside, keep_data, published_at
from conformance.lab.reference.data import Data, changes_data, false_data, subject_data
from conformance.lab.reference.description import ATTRIBUTE as DESCRIPTION
from conformance.lab.reference.domain import ClaimDomain
from conformance.lab.reference.embed import badge, embed_path, embedded_answer
from conformance.lab.reference.loaded import (
    ATTRIBUTE,
    Parts,
    behind_in_words,
    change_parts,
    claim_parts,
    data_file,
    false_blocks,
    file_uri,
    root_uri,
    script_parts,
)
from conformance.lab.reference.loading import library_of
from conformance.lab.reference.pages import Places, places_of
from conformance.lab.reference.templates import html_part, part
from conformance.lab.views.article import article_view
from conformance.lab.views.causes import HARM_WORDS
from conformance.lab.views.changes import changes_of_release
from conformance.lab.views.claim import ClaimView
from conformance.lab.views.content import Content
from conformance.lab.views.costs import by_cost
from conformance.lab.views.falsehood_pages import FalseClaim, false_cause, false_index, false_pages, unexplained_claims
from conformance.lab.views.pieces import Target, bounded
from conformance.lab.views.reach import REACHES
from conformance.lab.views.release_notes import notes_of_release
from conformance.lab.views.release_page import DeviceView, release_view
from conformance.lab.views.subject import SubjectView, subject_view
from conformance.language.addresses import page_name
from conformance.language.condition_words import KINDS


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
        self.state.document[ATTRIBUTE] = data_file(parts, record.impostors if record else {})


#: The key of what changed on rare inputs, in what a page loads; no claim has it.
_RARE = "rare changes"
#: So many claims of a page are shown in full, and so many before the rest is folded.
_IN_FULL, _UNFOLDED = 5, 12
#: So many changes of a severity that claims show, and so many that people wrote of.
_CHANGES_IN_FULL, _WRITTEN_UNFOLDED = 5, 20


class SubjectDirective(ReferenceDirective):
    """The answer, the trials and the claims of a subject."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the answer and what was tried, then a section for each claim; record them."""
        subject = self.arguments[0]
        if subject not in self.content_of_site.pages:
            raise self.error(f"The corpus has no subject {subject}.")
        self.domain.note("subject", subject, self.env.docname, "", subject)
        view = subject_view(subject, self.content_of_site)
        parts = claim_parts(view.claims, _IN_FULL, self.href)
        if view.rare_changes:
            parts[_RARE] = [{"items": [[[bounded(text), 0]] for text in view.rare_changes]}]
        self.keep(parts)
        self.keep_data(subject_data(subject, self.content_of_site))
        if view.answer is not None:
            self.state.document[DESCRIPTION] = " ".join(line.says for line in view.answer.lines).replace("`", "")
            keep_beside(self.state.document, embed_path(subject, "html"), embedded_answer(view.answer))
        if view.claims:
            keep_beside(self.state.document, embed_path(subject, "svg"), badge(subject, self.content_of_site))
        if "/" not in subject:
            yield self.index(subject)
        yield self.part("subject", subject=view, file=self.file, rare=_RARE, embed=self.embed(view))
        for position, claim in enumerate(view.claims):
            self.domain.note("claim", claim.id, self.env.docname, claim.slug, claim.title)
            if position == _UNFOLDED:
                told = f"<details><summary>{len(view.claims) - position} more claims</summary>"
                yield html_part("", told, format="html")
            yield self.claim(claim, in_full=position < _IN_FULL or claim.timings is not None)
        if view.claims[_UNFOLDED:]:
            yield html_part("", "</details>", format="html")

    def embed(self, view: SubjectView) -> dict[str, str]:
        """Return what other pages write to link here, or to show the answer; empty where this site has no address."""
        base, subject = published_at(self.config), self.arguments[0]
        if not base:
            return {}
        page = f"{base}{self.places.page(page_name(subject))}.html"
        found = {"link": f"[{subject}]({page})"}
        if view.claims:
            found["badge"] = f"[![{subject}]({base}{embed_path(subject, 'svg')})]({page})"
        if view.answer is not None:
            source = f"{base}{embed_path(subject, 'html')}"
            found["answer"] = f'<iframe src="{source}" title="{subject}" width="100%" height="220"></iframe>'
        return found

    def claim(self, claim: ClaimView, *, in_full: bool) -> nodes.section:
        """Return the section of a claim."""
        shown = self.part("claim", claim=claim, file=self.file, behind=behind_in_words(claim), in_full=in_full)
        return self.section(claim.slug, claim.title, shown, classes=["claim"])


class ArticleDirective(ReferenceDirective):
    """The rows of an article."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the rows, and record them."""
        key = self.arguments[0]
        article = next((one for one in self.content_of_site.articles if one.letter == key), None)
        if article is None:
            raise self.error(f"The corpus has no article {key}.")
        self.domain.note("article", key, self.env.docname, "", article.title)
        for row in article.rows.values():
            self.domain.note("row", row.id, self.env.docname, row.id.lower(), row.text)
        yield self.index("articles", article.title)
        yield self.part("article", article=article_view(article, self.content_of_site))


class ReleaseDirective(ReferenceDirective):
    """What a release changed."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the comparison with the release before, and record the page."""
        release = self.arguments[0]
        if release not in self.content_of_site.releases:
            raise self.error(f"No result file is about release {release}.")
        self.domain.note("release", release, self.env.docname, "", release)
        view = release_view(release, self.content_of_site)
        written = changes_of_release(release, self.content_of_site)
        self.keep_data({"release": release, "changes": changes_data(written)})
        parts: Parts = {}
        for device in view.devices:
            parts.update(script_parts(device))
            parts.update(change_parts(device, _CHANGES_IN_FULL, self.href))
        self.keep(parts)
        yield self.part("release", release=view)
        if written:
            table = self.part("release_changes", changes=written, most=_WRITTEN_UNFOLDED)
            yield self.section("code", "What it changes for code", table)
        for device in view.devices:
            if len(view.devices) > 1:
                yield self.section(device.device, f"On {device.device}", *self.device(device, f"{device.device}-"))
            else:
                yield self.section("measured", "What claims show", *self.device(device, ""))
        notes = notes_of_release(release, self.content_of_site)
        if notes:
            shown = self.part("release_notes", all_notes=notes, untrue=())
            yield self.section("release-notes", "What its notes announced", shown)
        if view.calls is not None:
            yield self.section("calls", "Calls that changed", self.part("calls", calls=view.calls))

    def device(self, device: DeviceView, prefix: str) -> Iterator[nodes.Node]:
        """Return what changed on a device, a section for each severity."""
        yield self.part("device", device=device)
        for section in device.sections:
            shown = self.part("changes", section=section, device=device, file=self.file, most=_CHANGES_IN_FULL)
            heading = f"{section.severity.capitalize()} ({len(section.changes)})"
            yield self.section(f"{prefix}{section.severity}", heading, shown)


class FalseDirective(ReferenceDirective):
    """The index of everything that a source says and that is false."""

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the worst causes, a form to choose among all, and a table of harms and reaches."""
        causes = by_cost(self.content_of_site)
        self.keep({"false": false_blocks(causes, self.href)})
        self.keep_data(false_data(causes))
        choices = (
            ("module", "module", sorted({module for it in causes for module in it.modules})),
            ("release", "seen on torch", sorted({it for one in causes for it in one.releases}, key=as_version)[::-1]),
            ("harm", "harm", [harm for harm in HARM_WORDS.values() if any(it.harm == harm for it in causes)]),
            ("kind", "kind", [kind for kind in KINDS.values() if any(it.kind == kind for it in causes)]),
        )
        yield self.part(
            "false_index",
            index=false_index(self.content_of_site),
            choices=choices,
            file=self.file,
            root=self.root,
            reaches=REACHES,
            page_href=lambda page: self.uri(self.places.false(page)),
        )


class FalsePageDirective(ReferenceDirective):
    """Everything that a source says and that is false with one harm and reach."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return a section for each cause, then what no cause explains."""
        page, content = self.arguments[0], self.content_of_site
        shown = false_pages(content).get(page)
        if shown is None:
            raise self.error(f"No page of what is false has the name {page}.")
        others = [(name == page, self.uri(self.places.false(name))) for name in shown.parts]
        if others:
            yield self.part("false_parts", parts=others)
        for view in shown.causes:
            cause = false_cause(view, content)
            yield self.section(
                cause.anchor, cause.heading, self.part("false_cause", it=cause), *self.claims(cause.claims)
            )
        if not shown.causes:
            yield from map(self.claim, unexplained_claims(content))
        if others:
            yield self.part("false_parts", parts=others)

    def claims(self, claims: Sequence[FalseClaim]) -> Iterator[nodes.Node]:
        """Return the first claim that a cause makes false, and the others folded."""
        yield self.claim(claims[0])
        if claims[1:]:
            yield html_part(
                "", f"<details><summary>{len(claims) - 1} more that it makes false</summary>", format="html"
            )
            yield from map(self.claim, claims[1:])
            yield html_part("", "</details>", format="html")

    def claim(self, it: FalseClaim) -> html_part:
        """Return a claim; what it loads is in the data of its subject's page."""
        page = f"{self.config.conformance_pages}/{page_name(it.claim.subject)}"
        file = file_uri(self.builder, self.env.docname, page)
        return self.part("false_claim", it=it, file=file)
