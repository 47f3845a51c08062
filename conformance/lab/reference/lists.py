"""Directives over the whole corpus: numbers, lists, tables, and the vocabulary of the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Callable, Optional

from docutils import nodes

from conformance.lab.reference.commands import commands
from conformance.lab.reference.data import changes_data, messages_data
from conformance.lab.reference.directives import (
    ArticleDirective,
    FalseDirective,
    FalsePageDirective,
    ReferenceDirective,
    ReleaseDirective,
    SubjectDirective,
)
from conformance.lab.reference.docstring import docstring_blocks
from conformance.lab.reference.fields import fields_of
from conformance.lab.reference.loaded import change_blocks, table_block
from conformance.lab.reference.pictures import draw, legend
from conformance.lab.reference.ways import WaysDirective
from conformance.lab.views import answer_table, impostors, message_list, overview, release_notes, release_page
from conformance.lab.views.article import article_summaries, claim_line
from conformance.lab.views.census import census_view
from conformance.lab.views.changes import minors, written_changes
from conformance.lab.views.pictures import (
    Picture,
    changes_by_release,
    coverage_by_family,
    false_by_release,
    timing_pictures,
)
from conformance.lab.views.pieces import Target, code, prose, words
from conformance.lab.views.program import Table
from conformance.lab.views.start import start_view
from conformance.lab.views.subject import subject_index
from conformance.language import vocabulary
from conformance.language.codes import CODES, GROUPS
from conformance.results.schema import line_schemas

#: Makes a part of a page over the whole corpus.
Make = Callable[[ReferenceDirective], Iterator[nodes.Node]]


def _pictures(page: ReferenceDirective, *pictures: Optional[Picture]) -> Iterator[nodes.Node]:
    for number, picture in enumerate(filter(None, pictures)):
        yield page.part("picture", it=picture, svg=draw(picture, number), legend=legend(picture))


def _numbers(page: ReferenceDirective) -> Iterator[nodes.Node]:
    yield page.part("numbers", numbers=overview.numbers(page.content_of_site))


def _verdicts(page: ReferenceDirective) -> Iterator[nodes.Node]:
    yield page.part("verdicts", legend=overview.legend())


def _environments(page: ReferenceDirective) -> Iterator[nodes.Node]:
    environments = page.content_of_site.recorded.environments
    yield page.part("environments", it=overview.environments_table(environments), few=overview.FEW)


def _subjects(page: ReferenceDirective) -> Iterator[nodes.Node]:
    modules = subject_index(page.content_of_site)
    told = "False: claims that are false in some environment. Not measured: claims that were measured in none."
    yield page.part("sentence", sentence=told if modules else "The corpus is empty.", style="")
    for module, rows in modules.items():
        yield page.section(nodes.make_id(f"module-{module}"), module, page.part("subjects", rows=rows))


def _articles(page: ReferenceDirective) -> Iterator[nodes.Node]:
    yield page.part("articles", articles=article_summaries(page.content_of_site))


def _releases(page: ReferenceDirective) -> Iterator[nodes.Node]:
    rows = release_page.release_rows(page.content_of_site)
    yield from _pictures(page, changes_by_release(page.content_of_site), false_by_release(page.content_of_site))
    yield page.part("releases", rows=rows, legend=release_page.severity_legend())


def _release_notes(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    rows = release_notes.notes_rows(content)
    if not rows:
        yield page.part("sentence", sentence="No release notes are encoded yet.", style="missing")
        return
    yield page.part("release_notes_index", rows=rows, legend=release_notes.outcome_legend())
    untrue = release_notes.untrue_notes(content)
    if untrue:
        shown = page.part("release_notes", all_notes=(), untrue=untrue)
        yield page.section("untrue", "What did not come true as written", shown)


def _answers(page: ReferenceDirective) -> Iterator[nodes.Node]:
    rows, releases = answer_table.answer_rows(page.content_of_site), page.content_of_site.trials.releases
    yield page.part("answers", rows=rows, head=answer_table.HEAD, release=releases[-1] if releases else "")


def _messages(page: ReferenceDirective) -> Iterator[nodes.Node]:
    areas, others = message_list.message_list(page.content_of_site)
    page.keep_data(messages_data({key: view for messages in areas.values() for key, view in messages}))
    page.keep({"recorded": [table_block(message_list.recorded_table(others), page.href, "sortable")]})
    for area, messages in areas.items():
        yield page.section(f"messages-{area}", area.capitalize(), page.part("messages", messages=messages))
    if others:
        yield page.section(
            "recorded", "All that were recorded", page.part("recorded_messages", count=len(others), file=page.file)
        )
    if not areas and not others:
        yield page.part("sentence", sentence="No message is recorded yet.", style="missing")


def _timings(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    timed = [claim for claim in content.corpus.claims if claim.is_timed]
    yield from _pictures(page, *timing_pictures(timed, content))
    yield page.part("timings", claims=[claim_line(claim, content) for claim in timed])


def _census(page: ReferenceDirective) -> Iterator[nodes.Node]:
    record = page.content_of_site.census
    if record is None:
        yield page.part("sentence", sentence="No census is recorded yet.", style="missing")
        return
    view = census_view(record)
    yield page.part("census", census=view)
    yield from _pictures(page, coverage_by_family(record))
    for anchor, heading, told, table in view.tables:
        yield page.section(anchor, heading, page.part("table", it=table, caption=told, style="census"))


def _impostors(page: ReferenceDirective) -> Iterator[nodes.Node]:
    view = impostors.impostors_view(page.content_of_site)
    yield page.part("impostors", impostors=view)
    if view.impostors:
        table = page.part("table", it=view.impostors, caption="", style="impostors")
        yield page.section("impostors", "The impostors", table)
    if view.survivors:
        heading = "Claims with a part that no impostor makes false"
        yield page.section("survivors", heading, page.part("pairs", pairs=view.survivors))
    if view.missed:
        heading = "Arguments that may be wrong unnoticed"
        yield page.section("missed-arguments", heading, page.part("pairs", pairs=view.missed))
    if view.unnoticed:
        told = page.part("sentence", sentence="The spec gives the reason for each.", style="")
        heading = "Wrong arguments that no claim has to notice"
        yield page.section("unnoticed-arguments", heading, told, page.part("pairs", pairs=view.unnoticed))
    if view.excused:
        told = page.part("sentence", sentence="The spec gives the reason for each.", style="")
        heading = "Claims that no impostor can make false"
        yield page.section("unkillable", heading, told, page.part("pairs", pairs=view.excused))


def _start(page: ReferenceDirective) -> Iterator[nodes.Node]:
    others = ("changes", "messages", "documented-and-false", "ways/copying", "ways/views")
    uris = {name: page.uri(name) if name in page.env.found_docs else "" for name in others}
    yield page.part("start", it=start_view(page.content_of_site), uris=uris, root=page.root)


def _changes(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    changes, releases = written_changes(content), minors(content)
    blocks = change_blocks(changes, lambda release: page.href(Target("release", release)) if release else "")
    page.keep({"changes": blocks})
    page.keep_data({"changes": changes_data(changes)})
    modules = sorted({change.module for change in changes})
    yield page.part("changes_between", releases=releases, modules=modules, file=page.file, root=page.root)


def _checks(page: ReferenceDirective) -> Iterator[nodes.Node]:
    yield from _vocabulary(page, vocabulary.checks(), "check")


def _inputs(page: ReferenceDirective) -> Iterator[nodes.Node]:
    yield from _vocabulary(page, vocabulary.input_kinds(), "input")


def _vocabulary(page: ReferenceDirective, entries: Mapping[str, vocabulary.Word], kind: str) -> Iterator[nodes.Node]:
    rows = [(f"{kind}-{name}", name, [entry.summary]) for name, entry in sorted(entries.items())]
    yield page.part("names", head=("Name", "Meaning"), rows=rows)
    for name, entry in sorted(entries.items()):
        shown = page.part("vocabulary", entry=entry, blocks=docstring_blocks(entry.doc))
        section = page.section(f"{kind}-{name}", name, shown, classes=["vocabulary"])
        yield section


def _codes(page: ReferenceDirective) -> Iterator[nodes.Node]:
    rows = [(name.lower(), name, [code.name, code.rule]) for name, code in CODES.items()]
    yield page.part("names", head=("Code", "Name", "Rule"), rows=rows)
    for prefix, heading in GROUPS.items():
        members = [(name, code) for name, code in CODES.items() if name.startswith(prefix)]
        sections = [
            page.section(name.lower(), f"{name} {code.name}", page.part("code", code=code)) for name, code in members
        ]
        if sections:
            yield page.section(f"codes-{prefix.lower()}", heading, *sections)


def _made_by(make: Make) -> type[ReferenceDirective]:
    class Made(ReferenceDirective):
        """Content over the whole corpus."""

        def blocks(self) -> Iterator[nodes.Node]:
            """Return the content."""
            return make(self)

    return Made


class CommandDirective(ReferenceDirective):
    """The usage and the options of a command."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return what the parser of the command line says of it."""
        from conformance.__main__ import parser

        found = commands(parser())
        if self.arguments[0] not in found:
            raise self.error(f"There is no command {self.arguments[0]}; there are {', '.join(found)}.")
        yield self.part("command", command=found[self.arguments[0]])


class FieldsDirective(ReferenceDirective):
    """The fields of a line of a result file: ``header`` or ``entry``."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return a table of the fields."""
        lines = line_schemas()["definitions"]
        if self.arguments[0] not in lines:
            raise self.error(f"There is no line {self.arguments[0]}; there are {', '.join(lines)}.")
        rows = tuple((code(name), prose(told)) for name, told in fields_of(lines[self.arguments[0]]))
        yield self.part("table", it=Table((words("Field"), words("Meaning")), rows), caption="", style="fields")


DIRECTIVES: dict[str, type[ReferenceDirective]] = {
    "subject": SubjectDirective,
    "article": ArticleDirective,
    "release": ReleaseDirective,
    "false": FalseDirective,
    "false-page": FalsePageDirective,
    "command": CommandDirective,
    "fields": FieldsDirective,
    "ways": WaysDirective,
    "releases": _made_by(_releases),
    "release-notes": _made_by(_release_notes),
    "checks": _made_by(_checks),
    "inputs": _made_by(_inputs),
    "numbers": _made_by(_numbers),
    "verdicts": _made_by(_verdicts),
    "subjects": _made_by(_subjects),
    "articles": _made_by(_articles),
    "answers": _made_by(_answers),
    "changes": _made_by(_changes),
    "messages": _made_by(_messages),
    "start": _made_by(_start),
    "impostors": _made_by(_impostors),
    "census": _made_by(_census),
    "timings": _made_by(_timings),
    "environments": _made_by(_environments),
    "codes": _made_by(_codes),
}
