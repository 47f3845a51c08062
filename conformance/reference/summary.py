"""Numbers and lists over the whole corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.article import article_facts, claim_line
from conformance.reference.changes import change_blocks
from conformance.reference.columns import Column
from conformance.reference.content import Reference
from conformance.reference.falsehood import KINDS, affected, divergence_box, falsehoods, is_false
from conformance.reference.sources import source_link
from conformance.reference.strip import brief, names, strip
from conformance.reference.verdicts import APPEARANCES, HOLE, IN_PART, UNEXPECTED, appearance

MOST_COLUMNS = 4


def numbers(reference: Reference, document: str) -> list[nodes.Node]:
    """Say how far the corpus and the measurements go."""
    claims = reference.corpus.claims
    documented = {(source.kind, source.name) for claim in claims for source in claim.sources}
    articles = {name for kind, name in documented if kind == "article"}
    wrong = [claim for claim in claims if is_false(claim, reference.columns)]
    tiles = [
        (len(claims), "claims"),
        (len({claim.subject for claim in claims}), "subjects"),
        (len(documented) - len(articles), "documents cited"),
        (len(articles), "articles"),
        (len(reference.history.releases()), "releases measured"),
        (len(reference.columns), "environments"),
        (len(wrong), "false somewhere"),
    ]
    items: list[list[markup.Inline]] = [[nodes.strong("", f"{count:,}"), f" {word}"] for count, word in tiles]
    return [markup.bullets(items, classes=["tiles"]), *verdict_counts(claims, reference.columns)]


def verdict_counts(claims: Sequence[Claim], columns: Sequence[Column]) -> list[nodes.Node]:
    """Count the verdicts of each environment; of many, those of the newest release are not folded."""
    if not columns:
        return [markup.paragraph("Nothing has been measured yet, so every verdict is a hole.", classes=["missing"])]
    if len(columns) <= MOST_COLUMNS:
        blocks: list[nodes.Node] = [_counts_table(claims, columns)]
    else:
        newest = [[column for column in columns if column.device == device][-1] for device in _devices(columns)]
        every = markup.folded(f"Verdicts in all {len(columns)} environments", _counts_table(claims, columns))
        blocks = [_counts_table(claims, newest), every]
    for column in columns:
        if column.void:
            blocks.append(markup.paragraph(f"{column.label} is void: {column.void}", classes=["missing"]))
    return blocks


def _counts_table(claims: Sequence[Claim], columns: Sequence[Column]) -> nodes.Node:
    counts = [Counter(column.cell(claim).verdict for claim in claims) for column in columns]
    found = [verdict for verdict in [*APPEARANCES, None] if any(count[verdict] for count in counts)]
    head: markup.Row = [["Environment"], *[[_chip(verdict)] for verdict in found]]
    rows: list[markup.Row] = [
        [[column.label], *[[f"{count[verdict]:,}"] for verdict in found]] for column, count in zip(columns, counts)
    ]
    if len(columns) <= MOST_COLUMNS:
        # Few environments fit beside each other even on a phone.
        turned = [list(cells) for cells in zip(head, *rows)]
        head, rows = [["Verdict"], *turned[0][1:]], turned[1:]
    return markup.table(head, rows, "counts")


def _devices(columns: Sequence[Column]) -> list[str]:
    return list(dict.fromkeys(column.device for column in columns))


def _chip(verdict: object) -> nodes.inline:
    look = appearance(verdict if isinstance(verdict, str) else None)
    return markup.span(f"{look.symbol} {look.word}", "chip", f"verdict-{look.style}")


def verdict_legend() -> nodes.Node:
    """Explain every verdict and its sign."""
    rows: list[markup.Row] = []
    for verdict, look in APPEARANCES.items():
        fails = "yes" if verdict in UNEXPECTED else "no"
        rows.append([[_chip(verdict)], [look.meaning], [fails]])
        if verdict == "diverges":
            part = markup.span(f"{IN_PART.symbol} {IN_PART.word}", "chip", f"verdict-{IN_PART.style}")
            rows.append([[part], [IN_PART.meaning], [fails]])
    rows.append([[_chip(None)], [HOLE.meaning], ["no"]])
    return markup.table([["Verdict"], ["Meaning"], ["Fails a run"]], rows, "legend")


def articles_list(reference: Reference, document: str) -> list[nodes.Node]:
    """List the articles, with the number of rows that hold."""
    items: list[tuple[list[markup.Inline], list[nodes.Node]]] = []
    for article in reference.articles():
        wrong = 0
        for row in article.rows.values():
            wrong += any(
                is_false(claim, reference.columns) for claim in reference.claims_of_row(article.letter, row.id)
            )
        facts = ", ".join(text for _, text in article_facts(article))
        said = f"{len(article.rows)} rows; {wrong} of them false somewhere." + (f" {facts}." if facts else "")
        term: list[markup.Inline] = [
            markup.cite(
                "article",
                article.letter,
                document,
                nodes.inline("", "", *markup.prose(f"{article.letter}: {article.title}")),
            )
        ]
        items.append((term, [markup.paragraph(nodes.Text(said))]))
    if not items:
        return [markup.paragraph("No article is part of the corpus.")]
    return [markup.definitions(items)]


def subject_summary(claims: Sequence[Claim], columns: Sequence[Column]) -> nodes.Node:
    """Say in a line what a page has."""
    count = f"{len(claims)} claim{'' if len(claims) == 1 else 's'}"
    wrong = sum(is_false(claim, columns) for claim in claims)
    where = f" Measured on {names(columns)}." if columns else " Not measured in any environment."
    return markup.paragraph(f"{count}, {wrong or 'none'} of them false somewhere.{where}")


def facts_table(claims: Sequence[Claim], columns: Sequence[Column], document: str) -> nodes.Node:
    """Show every fact of a page with its verdicts, at a glance."""
    rows: list[markup.Row] = []
    for claim in claims:
        title = markup.cite("claim", claim.id, document, nodes.inline("", "", *markup.prose(claim.title)))
        rows.append([[title], list(brief(claim, columns))])
    return markup.table([["Fact"], ["Verdict"]], rows, "glance")


def false_page(reference: Reference, document: str) -> list[nodes.Node]:
    """Show everything that a source says and that is false, by kind."""
    columns = reference.columns
    claims = reference.corpus.claims
    unexplained = [
        claim for claim in claims if any(column.cell(claim).verdict in ("refuted", "changed") for column in columns)
    ]
    sections: list[nodes.Node] = []
    if unexplained:
        section = _section("unexplained", "False, and not yet explained")
        for claim in unexplained:
            section += _false_claim(claim, reference, document, falsehoods(claim, columns))
        sections.append(section)
    for kind, heading in KINDS.items():
        section = _section(kind, heading)
        for claim in claims:
            found = [
                divergence_box(claim, position, divergence, columns)
                for position, divergence in enumerate(claim.diverges)
                if divergence.kind == kind
            ]
            if found:
                section += _false_claim(claim, reference, document, found)
        if len(section) > 1:
            sections.append(section)
    recorded = [(claim, position) for claim in claims for position in range(len(claim.diverges))]
    seen = sum(bool(affected(claim, position, columns)) for claim, position in recorded)
    intro = markup.paragraph(
        f"{len(recorded)} recorded divergence{'' if len(recorded) == 1 else 's'}, {seen} of them seen in the "
        f"environments measured here; {len(unexplained)} claim{'' if len(unexplained) == 1 else 's'} false without "
        "a record."
    )
    return [intro, *sections]


def _false_claim(claim: Claim, reference: Reference, document: str, body: Sequence[nodes.Node]) -> nodes.Node:
    sources: list[markup.Inline] = ["Said by "]
    for position, source in enumerate(claim.sources):
        sources += ["; "] if position else []
        sources += source_link(source, reference, document)
    section = nodes.section(ids=[claim.id.replace("/", "--").replace(".", "-")], names=[], classes=["claim"])
    title = markup.bounded(claim.title)
    section += nodes.title(title, title)
    section += markup.paragraph(markup.cite("claim", claim.id, document), classes=["claim-line"])
    section += markup.paragraph(*sources)
    section += strip(claim, reference.columns)
    section += change_blocks(claim, reference)
    section += list(body)
    return section


def _section(anchor: str, heading: str) -> nodes.section:
    return nodes.section("", nodes.title(heading, heading), ids=[anchor], names=[])


def timings_list(reference: Reference, document: str) -> list[nodes.Node]:
    """List the timing claims."""
    timed = [claim for claim in reference.corpus.claims if claim.compare is not None]
    if not timed:
        return [markup.paragraph("The corpus has no timing claim.")]
    return [claim_line(claim, reference.columns, document) for claim in timed]


def environments_table(reference: Reference) -> list[nodes.Node]:
    """List the environments that were measured."""
    if not reference.columns:
        return [markup.paragraph("No environment has been measured.")]
    names_of = {
        "torch": "torch",
        "build": "build",
        "python": "Python",
        "numpy": "NumPy",
        "device": "Device",
        "system": "System",
        "machine": "Machine",
    }
    rows: list[markup.Row] = []
    for column in reference.columns:
        facts: markup.Row = [[nodes.Text(str(column.environment.get(name, "")))] for name in names_of]
        rows.append(
            [
                *facts,
                [str(column.examples if column.examples is not None else "")],
                [str(column.seed if column.seed is not None else "")],
            ]
        )
    made = markup.table([*[[name] for name in names_of.values()], ["Examples"], ["Seed"]], rows, "environments")
    return [made if len(rows) <= MOST_COLUMNS else markup.folded(f"The {len(rows)} environments", made)]
