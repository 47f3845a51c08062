"""Directives of one object each: a subject, an article, a release, and what is false.

A directive makes titles and anchors, which Sphinx must know; all else is a template over a view.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from docutils import nodes

from conformance.base.release_spans import as_version
from conformance.lab.reference.base_directive import ReferenceDirective
from conformance.lab.reference.companion_files import keep_beside, published_at
from conformance.lab.reference.description import ATTRIBUTE as DESCRIPTION
from conformance.lab.reference.embed import badge, embed_path, embedded_answer
from conformance.lab.reference.loaded import (
    Parts,
    behind_in_words,
    change_parts,
    claim_parts,
    false_blocks,
    file_uri,
)
from conformance.lab.reference.page_data import changes_data, false_data, subject_data
from conformance.lab.reference.templates import html_part
from conformance.lab.views.article import article_facts
from conformance.lab.views.causes import HARM_WORDS, file_name, status
from conformance.lab.views.changes import changes_of_release
from conformance.lab.views.claim import ClaimView, claim_history, claim_view, quotes, source_link
from conformance.lab.views.costs import by_cost
from conformance.lab.views.example import example_of
from conformance.lab.views.falsehood_pages import false_pages, harm_rows, unexplained_claims
from conformance.lab.views.falsehoods import NOT_FILED, falsehoods
from conformance.lab.views.reach import REACHES
from conformance.lab.views.release_notes import notes_of_release
from conformance.lab.views.release_page import (
    STYLES,
    DeviceView,
    change_heading,
    neighbours,
    release_before,
    release_devices,
    severity_chip,
)
from conformance.lab.views.running_text import bounded, joined, link, linked, text_of, words
from conformance.lab.views.subject import claims_at_a_glance, claims_of_subject, summary, written_changes_of
from conformance.lab.views.trial_changes import shared_changes
from conformance.language.addresses import page_name
from conformance.language.condition_words import KINDS
from conformance.language.model import Claim
from conformance.show.name import changes_of_parameters, is_of_torch, releases_in_words
from conformance.show.trials import changes_of_calls, tried_view
from conformance.upgrade.harm import MEANING

#: The key of what changed on rare inputs, in what a page loads; no claim has it.
_RARE = "rare changes"
#: So many claims of a page are shown in full, and so many before the rest is folded.
_IN_FULL, _UNFOLDED = 5, 12
#: So many changes of a severity that claims show, and so many that people wrote of.
_CHANGES_IN_FULL, _WRITTEN_UNFOLDED = 5, 20
#: So many changes of calls are shown, each with so many calls.
_MOST_CALL_CHANGES, _MOST_CALLS = 60, 4
#: Of what is false so much is in the page; the rest is loaded.
_WORST = 20


class SubjectDirective(ReferenceDirective):
    """The answer, the trials and the claims of a subject."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the answer and what was tried, then a section for each claim; record them."""
        subject = self.arguments[0]
        if subject not in self.content_of_site.pages:
            raise self.error(f"The corpus has no subject {subject}.")
        self.domain.note("subject", subject, self.env.docname, "", subject)
        content, is_name = self.content_of_site, is_of_torch(subject)
        claims = claims_of_subject(subject, content)
        views = [claim_view(claim, content) for claim in claims]
        answer, tried = content.answers.get(subject), content.trials.of(subject)
        ordinary, rare = changes_of_calls(content.trials.history(subject))
        documentation = content.documentation(subject) if is_name or "/" in subject else ""
        parts = claim_parts(views, _IN_FULL, self.href)
        if rare:
            parts[_RARE] = [{"items": [[[bounded(text), 0]] for text in rare]}]
        self.keep(parts)
        self.keep_data(subject_data(subject, content))
        if answer is not None:
            self.state.document[DESCRIPTION] = " ".join(line.says for line in answer.lines).replace("`", "")
            keep_beside(self.state.document, embed_path(subject, "html"), embedded_answer(answer))
        if claims:
            keep_beside(self.state.document, embed_path(subject, "svg"), badge(subject, content))
        if "/" not in subject:
            yield self.index(subject)
        yield self.part(
            "subject",
            releases=releases_in_words(content.names, subject) if is_name else "",
            documentation=link("torch's page", documentation) if documentation else (),
            answered=answer,
            see=joined(linked(f"`{one}`", "subject", one) for one in (answer.see if answer else ())),
            example=example_of(tried, content.trials.expressions) if tried is not None else "",
            tried=tried_view(tried),
            written=[*written_changes_of(subject, content)],
            changed=(*(changes_of_parameters(content.names, subject) if is_name else ()), *ordinary),
            rare_changes=rare,
            summary=summary(claims, content),
            families=claims_at_a_glance(claims, content),
            file=self.file,
            rare=_RARE,
            embed=self.embed(has_claims=bool(claims), has_answer=answer is not None),
        )
        for position, view in enumerate(views):
            self.domain.note("claim", view.claim.id, self.env.docname, view.claim.slug, view.claim.title)
            if position == _UNFOLDED:
                told = f"<details><summary>{len(views) - position} more claims</summary>"
                yield html_part("", told, format="html")
            yield self.claim(view, in_full=position < _IN_FULL or view.timings is not None)
        if views[_UNFOLDED:]:
            yield html_part("", "</details>", format="html")

    def embed(self, *, has_claims: bool, has_answer: bool) -> dict[str, str]:
        """Return what other pages write to link here, or to show the answer; empty where this site has no address."""
        base, subject = published_at(self.config), self.arguments[0]
        if not base:
            return {}
        page = f"{base}{self.places.page(page_name(subject))}.html"
        found = {"link": f"[{subject}]({page})"}
        if has_claims:
            found["badge"] = f"[![{subject}]({base}{embed_path(subject, 'svg')})]({page})"
        if has_answer:
            source = f"{base}{embed_path(subject, 'html')}"
            found["answer"] = f'<iframe src="{source}" title="{subject}" width="100%" height="220"></iframe>'
        return found

    def claim(self, view: ClaimView, *, in_full: bool) -> nodes.section:
        """Return the section of a claim."""
        shown = self.part("claim", view=view, file=self.file, behind=behind_in_words(view), in_full=in_full)
        return self.section(view.claim.slug, view.claim.title, shown, classes=["claim"])


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
        facts = [(name, words(text)) for name, text in article_facts(article)]
        facts = [("Address", link(None, article.url)), *facts] if article.url else facts
        loose = sum(row.loose for row in article.rows.values())
        yield self.part("article", article=article, facts=facts, loose=loose, content=self.content_of_site)


class ReleaseDirective(ReferenceDirective):
    """What a release changed."""

    required_arguments = 1

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the comparison with the release before, and record the page."""
        release = self.arguments[0]
        if release not in self.content_of_site.releases:
            raise self.error(f"No result file is about release {release}.")
        self.domain.note("release", release, self.env.docname, "", release)
        content = self.content_of_site
        written, devices = changes_of_release(release, content), release_devices(release, content)
        self.keep_data({"release": release, "changes": changes_data(written)})
        parts: Parts = {}
        for device in devices:
            parts.update(change_parts(device, _CHANGES_IN_FULL, self.href))
        self.keep(parts)
        yield self.part("release", neighbours=neighbours(release, content), devices=devices)
        if written:
            table = self.part("release_changes", changes=written, severity=severity_chip, most=_WRITTEN_UNFOLDED)
            yield self.section("code", "What it changes for code", table)
        for device in devices:
            if len(devices) > 1:
                yield self.section(device.device, f"On {device.device}", *self.device(device, f"{device.device}-"))
            else:
                yield self.section("measured", "What claims show", *self.device(device, ""))
        notes = notes_of_release(release, content)
        if notes:
            shown = self.part("release_notes", all_notes=notes, untrue=())
            yield self.section("release-notes", "What its notes announced", shown)
        older = release_before(release, content)
        if older is not None:
            calls = self.part(
                "calls",
                older=older,
                release=release,
                rows=shared_changes(content.trial_changes.get(release, ())),
                severity=severity_chip,
                most=_MOST_CALL_CHANGES,
                most_calls=_MOST_CALLS,
            )
            yield self.section("calls", "Calls that changed", calls)

    def device(self, device: DeviceView, prefix: str) -> Iterator[nodes.Node]:
        """Return what changed on a device, a section for each severity."""
        yield self.part("device", device=device)
        for harm, changes in device.sections.items():
            shown = self.part(
                "changes",
                changes=changes,
                meaning=MEANING[harm],
                style=STYLES[harm],
                heading=change_heading,
                key=f"{device.device}/{harm}",
                file=self.file,
                most=_CHANGES_IN_FULL,
            )
            yield self.section(f"{prefix}{harm}", f"{harm.capitalize()} ({len(changes)})", shown)


class FalseDirective(ReferenceDirective):
    """The index of everything that a source says and that is false."""

    def blocks(self) -> Iterator[nodes.Node]:
        """Return the worst causes, a form to choose among all, and a table of harms and reaches."""
        content = self.content_of_site
        causes = by_cost(content)
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
            worst=causes[:_WORST],
            rows=harm_rows(content),
            recorded=len(content.causes),
            seen=len(causes),
            unexplained=len(unexplained_claims(content)),
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
            cause = view.cause
            searched = cause.searched if cause.link == NOT_FILED else None
            said = self.part(
                "false_cause",
                cause=cause,
                kind=KINDS.get(cause.kind, cause.kind),
                reach=view.reach,
                seen=view.where,
                status=text_of(status(view, content.recorded), f"; searched for on {searched}" if searched else ""),
            )
            positions: dict[str, list[int]] = {}
            for way in view.ways:
                positions.setdefault(way.claim.id, []).append(way.position)
            claims = [self.claim(claim, positions[claim.id]) for claim in view.claims]
            yield self.section(file_name(view), cause.title.replace("`", ""), said, *_folded(claims))
        if not shown.causes:
            for claim in unexplained_claims(content):
                yield self.claim(claim, range(len(claim.diverges), 99))
        if others:
            yield self.part("false_parts", parts=others)

    def claim(self, claim: Claim, positions: Container[int]) -> html_part:
        """Return a claim and some ways in which it is false; what it loads is in the data of its subject's page."""
        content = self.content_of_site
        page = f"{self.config.conformance_pages}/{page_name(claim.subject)}"
        ways = [way for way in falsehoods(claim, content.cells(claim)) if way.position in positions]
        return self.part(
            "false_claim",
            claim=claim,
            content=content,
            quotes=[*quotes(claim, content)],
            sources=joined((source_link(source, content) for source in claim.sources), "; "),
            told=[*claim_history(claim, content)],
            # The cause has said the rest.
            ways=[replace(way, note=(), wording=(), origin=()) for way in ways],
            file=file_uri(self.builder, self.env.docname, page),
        )


def _folded(claims: Sequence[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield the first claim that a cause makes false, and the others folded."""
    yield claims[0]
    if claims[1:]:
        yield html_part("", f"<details><summary>{len(claims) - 1} more that it makes false</summary>", format="html")
        yield from claims[1:]
        yield html_part("", "</details>", format="html")
