"""Directives of the domain: each puts one part of the reference onto a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, cast

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from conformance.language import vocabulary
from conformance.reference import codes, markup, summary
from conformance.reference.answers import answers_page
from conformance.reference.article import article_blocks
from conformance.reference.census_page import census_page
from conformance.reference.claim_section import claim_section
from conformance.reference.content import Reference, reference_of
from conformance.reference.docstring import entry_section
from conformance.reference.domain import ClaimDomain
from conformance.reference.impostor_page import impostors_page
from conformance.reference.release_page import release_blocks, releases_list, releases_with_a_page
from conformance.reference.scaling import scaling_plot
from conformance.reference.subject_index import subject_index


class ReferenceDirective(SphinxDirective):
    """A directive that is made from the corpus or the results."""

    has_content = False

    @property
    def reference(self) -> Reference:
        """The content of the site."""
        return reference_of(self.config)

    @property
    def domain(self) -> ClaimDomain:
        """Where objects are recorded."""
        return cast(ClaimDomain, self.env.get_domain("claim"))

    def run(self) -> list[nodes.Node]:
        """Make the content, and note that this page depends on it."""
        self.domain.note_document(self.env.docname)
        return list(self.blocks())

    def blocks(self) -> Sequence[nodes.Node]:
        """Make the content."""
        raise NotImplementedError

    def index(self, entry: str, anchor: str) -> addnodes.index:
        """Make an entry of the general index; ``|`` parts it in two."""
        first, _, second = entry.replace(";", ",").partition("|")
        return addnodes.index(entries=[("single", f"{first}; {second}" if second else first, anchor, "", None)])


class SubjectDirective(ReferenceDirective):
    """All claims of a subject."""

    required_arguments = 1

    def blocks(self) -> Sequence[nodes.Node]:
        """Make a section for each claim, and record them."""
        subject = self.arguments[0]
        claims = self.reference.subjects.get(subject)
        if claims is None:
            raise self.error(f"The corpus has no subject {subject}.")
        self.domain.note("subject", subject, self.env.docname, "", subject)
        found: list[nodes.Node] = [
            summary.subject_summary(claims, self.reference.columns),
            summary.facts_table(claims, self.reference.columns, self.env.docname),
        ]
        for claim in claims:
            self.domain.note("claim", claim.id, self.env.docname, claim.slug, claim.title)
            section = claim_section(claim, self.reference, self.env.docname)
            section.insert(1, self.index(f"{subject}|{claim.title}", claim.slug))
            found.append(section)
        return found


class ArticleDirective(ReferenceDirective):
    """The rows of an article."""

    required_arguments = 1

    def blocks(self) -> Sequence[nodes.Node]:
        """Make a block for each row, and record them."""
        key = self.arguments[0]
        for article in self.reference.articles():
            if article.letter == key:
                self.domain.note("article", key, self.env.docname, "", article.title)
                for row in article.rows.values():
                    self.domain.note("row", row.id, self.env.docname, row.id.lower(), row.text)
                entry = self.index(f"articles|{article.title}", "")
                title = markup.paragraph(article.title, classes=["article-title"])
                return [entry, title, *article_blocks(article, self.reference, self.env.docname)]
        raise self.error(f"The corpus has no article {key}.")


class ReleaseDirective(ReferenceDirective):
    """What a release changed."""

    required_arguments = 1

    def blocks(self) -> Sequence[nodes.Node]:
        """Make the comparison with the release before, and record the page."""
        release = self.arguments[0]
        if release not in releases_with_a_page(self.reference):
            raise self.error(f"No result file is about release {release}.")
        self.domain.note("release", release, self.env.docname, "", release)
        return release_blocks(release, self.reference, self.env.docname)


def _made_by(make: Callable[[Reference, str], Sequence[nodes.Node]]) -> type[ReferenceDirective]:
    class Made(ReferenceDirective):
        """Content over the whole corpus."""

        def blocks(self) -> Sequence[nodes.Node]:
            """Make the content."""
            return make(self.reference, self.env.docname)

    return Made


class ChecksDirective(ReferenceDirective):
    """The check vocabulary."""

    def blocks(self) -> Sequence[nodes.Node]:
        """Make a section for each check."""
        return vocabulary_sections(vocabulary.checks(), "check", "No check is defined yet.")


class InputsDirective(ReferenceDirective):
    """The input vocabulary."""

    def blocks(self) -> Sequence[nodes.Node]:
        """Make a section for each input kind, after the classes of dtypes that some take."""
        return vocabulary_sections(vocabulary.input_kinds(), "input", "No input kind is defined yet.")


def vocabulary_sections(entries: dict[str, vocabulary.Entry], kind: str, empty: str) -> list[nodes.Node]:
    """Make a list of links, then the sections they lead to."""
    if not entries:
        return [markup.paragraph(empty)]
    rows: list[markup.Row] = []
    sections: list[nodes.Node] = []
    for name, entry in sorted(entries.items()):
        anchor = f"{kind}-{name}"
        rows.append([[nodes.reference("", "", markup.code(name), refid=anchor, internal=True)], [entry.summary]])
        sections.append(entry_section(entry, anchor))
    return [markup.table([["Name"], ["Meaning"]], rows), *sections]


DIRECTIVES: dict[str, type[ReferenceDirective]] = {
    "subject": SubjectDirective,
    "article": ArticleDirective,
    "release": ReleaseDirective,
    "releases": _made_by(releases_list),
    "checks": ChecksDirective,
    "inputs": InputsDirective,
    "numbers": _made_by(summary.numbers),
    "verdicts": _made_by(lambda reference, document: [summary.verdict_legend()]),
    "subjects": _made_by(subject_index),
    "articles": _made_by(summary.articles_list),
    "answers": _made_by(answers_page),
    "impostors": _made_by(impostors_page),
    "census": _made_by(census_page),
    "false": _made_by(summary.false_page),
    "scaling": _made_by(scaling_plot),
    "timings": _made_by(summary.timings_list),
    "environments": _made_by(lambda reference, document: summary.environments_table(reference)),
    "codes": _made_by(lambda reference, document: codes.codes_blocks()),
}
