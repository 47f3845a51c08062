"""Directives over the whole corpus: numbers, lists, tables, and the vocabulary of the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Callable, Optional

from docutils import nodes

from conformance.lab.reference.base_directive import ReferenceDirective
from conformance.lab.reference.commands import commands
from conformance.lab.reference.directives import (
    ArticleDirective,
    FalseDirective,
    FalsePageDirective,
    ReleaseDirective,
    SubjectDirective,
)
from conformance.lab.reference.docstring import docstring_blocks
from conformance.lab.reference.fields import fields_of
from conformance.lab.reference.loaded import change_blocks, table_block
from conformance.lab.reference.page_data import changes_data, messages_data
from conformance.lab.reference.pictures import draw, legend
from conformance.lab.reference.ways import WaysDirective
from conformance.lab.views import answer_table, impostors, overview, release_notes, release_page
from conformance.lab.views.article import article_facts
from conformance.lab.views.census import census_numbers, census_tables
from conformance.lab.views.changes import minors, written_changes
from conformance.lab.views.costs import by_cost
from conformance.lab.views.falsehoods import false_somewhere
from conformance.lab.views.pictures import (
    Picture,
    changes_by_release,
    coverage_by_family,
    false_by_release,
    timing_pictures,
)
from conformance.lab.views.running_text import Table, Target, code, joined, linked, prose, words
from conformance.lab.views.subject import subject_rows
from conformance.language import vocabulary
from conformance.language.codes import CODES, GROUPS
from conformance.results.schema import line_schemas
from conformance.results.wording import GAP, key_of
from conformance.show.model import MessageView

#: Makes a part of a page over the whole corpus.
Make = Callable[[ReferenceDirective], Iterator[nodes.Node]]

#: What people ask about copies: names on the first page.
_COPIES = (
    *("torch.Tensor.reshape", "torch.Tensor.view", "torch.Tensor.detach", "torch.Tensor.clone", "torch.Tensor.to"),
    *("torch.Tensor.contiguous", "torch.Tensor.expand", "torch.Tensor.flatten", "torch.Tensor.numpy"),
    *("torch.from_numpy", "torch.tensor", "torch.nn.Module.state_dict"),
)
#: Messages that people meet, by their ids: those on the first page.
_MESSAGES = (
    *("numpy-requires-grad", "modified-in-place", "no-grad-fn", "leaf-in-place", "backward-twice", "weights-only"),
    "different-devices",
)
#: Of what is false and of the releases of an upgrade so many stand on the first page; so many names below a message.
_WORST, _UPGRADE, _MOST_NAMES = 5, 5, 3


def _pictures(page: ReferenceDirective, *pictures: Optional[Picture]) -> Iterator[nodes.Node]:
    for number, picture in enumerate(filter(None, pictures)):
        yield page.part("picture", it=picture, svg=draw(picture, number), legend=legend(picture))


def _numbers(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    environments = content.recorded.environments
    # Of many environments the newest on each device; all of them folded.
    newest = tuple({measured.device: measured for measured in environments}.values())
    shown = [newest, environments] if len(environments) > overview.FEW else [environments]
    counts = [overview.counts(content.corpus.claims, found) for found in shown if found]
    void = [item for item in environments if item.void]
    yield page.part("numbers", numbers=overview.numbers(content), counts=counts, void=void)


def _verdicts(page: ReferenceDirective) -> Iterator[nodes.Node]:
    yield page.part("verdicts", legend=overview.legend())


def _environments(page: ReferenceDirective) -> Iterator[nodes.Node]:
    environments = page.content_of_site.recorded.environments
    yield page.part("environments", it=overview.environments_table(environments), few=overview.FEW)


def _subjects(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    told = "False: claims that are false in some environment. Not tried: claims that none could judge."
    yield page.part("sentence", sentence=told if content.modules else "The corpus is empty.", style="")
    for module, subjects in content.modules.items():
        rows = [*subject_rows(subjects, content)]
        yield page.section(nodes.make_id(f"module-{module}"), module, page.part("subjects", rows=rows))


def _articles(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    rows = []
    for article in content.articles:
        cited = [[content.cells(one) for one in content.claims_of_row(article.letter, row)] for row in article.rows]
        false = sum(any(map(false_somewhere, cells)) for cells in cited)
        name = linked(f"{article.letter}: {article.title}", "article", article.letter)
        rows.append((name, len(article.rows), false, ", ".join(fact for _, fact in article_facts(article))))
    yield page.part("articles", articles=rows)


def _releases(page: ReferenceDirective) -> Iterator[nodes.Node]:
    rows = release_page.release_rows(page.content_of_site)
    yield from _pictures(page, changes_by_release(page.content_of_site), false_by_release(page.content_of_site))
    yield page.part("releases", rows=rows, legend=release_page.severity_legend())


def _release_notes(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    if not content.judged_notes:
        yield page.part("sentence", sentence="No release notes are encoded yet.", style="missing")
        return
    rows = release_notes.notes_rows(content)
    yield page.part("release_notes_index", rows=rows, legend=release_notes.outcome_legend())
    untrue = release_notes.untrue_notes(content)
    if untrue:
        shown = page.part("release_notes", all_notes=(), untrue=untrue)
        yield page.section("untrue", "What did not come true as written", shown)


def _answers(page: ReferenceDirective) -> Iterator[nodes.Node]:
    rows, releases = answer_table.answer_rows(page.content_of_site), page.content_of_site.trials.releases
    yield page.part("answers", rows=rows, head=answer_table.HEAD, release=releases[-1] if releases else "")


def _messages(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    views = dict(content.messages)
    areas: dict[str, list[tuple[str, MessageView]]] = {}
    for message in content.corpus.messages:
        areas.setdefault(Path(message.place.path).stem, []).append((message.id, views.pop(key_of(message.texts[0]))))
    page.keep_data(messages_data({key: view for area in sorted(areas) for key, view in areas[area]}))
    # What nobody wrote of.
    rows = tuple(
        (
            words(view.type),
            words(view.texts[0]),
            joined(linked(f"`{name}`", "subject", name) for name in view.names[:_MOST_NAMES]),
            words(view.releases[0] if len(view.releases) == 1 else f"{view.releases[0]} to {view.releases[-1]}"),
        )
        for view in sorted(views.values(), key=lambda view: (view.type, view.texts))
    )
    recorded = Table(tuple(map(words, ("Class", "Message", "Given by", "Releases"))), rows)
    page.keep({"recorded": [table_block(recorded, page.href, "sortable")]})
    for area, messages in sorted(areas.items()):
        yield page.section(f"messages-{area}", area.capitalize(), page.part("messages", messages=messages))
    if rows:
        yield page.section(
            "recorded", "All that were recorded", page.part("recorded_messages", count=len(rows), file=page.file)
        )
    if not areas and not rows:
        yield page.part("sentence", sentence="No message is recorded yet.", style="missing")


def _timings(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    timed = [claim for claim in content.corpus.claims if claim.is_timed]
    yield from _pictures(page, *timing_pictures(timed, content))
    yield page.part("timings", claims=timed, content=content)


def _census(page: ReferenceDirective) -> Iterator[nodes.Node]:
    record = page.content_of_site.census
    if record is None:
        yield page.part("sentence", sentence="No census is recorded yet.", style="missing")
        return
    yield page.part("census", numbers=census_numbers(record), torch=record.torch)
    yield from _pictures(page, coverage_by_family(record))
    for anchor, heading, told, table in census_tables(record):
        yield page.section(anchor, heading, page.part("table", it=table, caption=told, style="census"))


def _impostors(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    claims, record, judged = content.corpus.claims, content.mutation, impostors.judged_claims(content)
    excused = sum(claim.unkillable is not None for claim in claims)
    if record is None:
        yield page.part("impostors", numbers=())
    else:
        scope = impostors.impostor_scope(record, len(claims) - len(judged))
        yield page.part("impostors", numbers=[*impostors.impostor_numbers(judged, record, excused)], scope=scope)
        table = page.part("table", it=impostors.impostors_table(judged, record), caption="", style="impostors")
        yield page.section("impostors", "The impostors", table)
    for anchor, heading, told, pairs in impostors.survivors(judged, claims):
        if pairs:
            said = [page.part("sentence", sentence=told, style="")] if told else []
            yield page.section(anchor, heading, *said, page.part("pairs", pairs=pairs))


def _start(page: ReferenceDirective) -> Iterator[nodes.Node]:
    content = page.content_of_site
    others = ("changes", "messages", "documented-and-false", "ways/copying", "ways/views")
    texts = {message.id: message.texts[0].rstrip(f".: {GAP}") for message in content.corpus.messages}
    releases = minors(content)
    yield page.part(
        "start",
        copies=[linked(f"`{_as_written(name)}`", "subject", name) for name in _COPIES if name in content.pages],
        messages=[(name, texts[name]) for name in _MESSAGES if name in texts],
        releases=releases,
        # The selectors begin with an upgrade over a few releases.
        older=releases[max(0, len(releases) - 1 - _UPGRADE)] if len(releases) > 1 else None,
        worst=by_cost(content)[:_WORST],
        uris={name: page.uri(name) if name in page.env.found_docs else "" for name in others},
        root=page.root,
    )


def _as_written(name: str) -> str:
    """Return a name as people write it."""
    for owner, shown in (("torch.Tensor.", "x."), ("torch.nn.Module.", "model.")):
        name = name.replace(owner, shown)
    return f"{name}()"


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
