"""The reference: a Sphinx extension that makes pages from the corpus and the result files.

Neither is trusted: whatever they say is shown as text. Nothing here imports torch.

Configuration values
--------------------
conformance_spec : list of str
    Folders or files of the corpus, relative to the configuration folder. Where it is empty no page is
    written: a project that only cites claims of another site needs no more than that.
conformance_results : str or None
    The folder of result files, relative to the configuration folder.
conformance_sentences : str or None
    The cache of sentences of the installed documentation, relative to the configuration folder.
conformance_collect_sentences : bool
    Write that cache first, where this Python has torch.
conformance_pages : str
    The folder that pages are written to, relative to the source folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, cast

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

from conformance.language.corpus import Corpus, load_corpus
from conformance.language.sources import SourceList
from conformance.reference import markup
from conformance.reference.census_page import load_census
from conformance.reference.columns import load_columns
from conformance.reference.content import Reference, reference_of, set_reference
from conformance.reference.directives import DIRECTIVES
from conformance.reference.domain import ClaimDomain, short_roles
from conformance.reference.footer import footer
from conformance.reference.impostors import Impostors, load_impostors
from conformance.reference.pages import write_pages
from conformance.reference.scaling import load_scaling
from conformance.reference.search_index import escape_titles
from conformance.reference.sentences import collect_sentences, load_sentences
from conformance.results.store import ResultError

STATIC = Path(__file__).parent / "static"

_logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.add_config_value("conformance_spec", [], "env", [list, tuple])
    app.add_config_value("conformance_results", "results", "env", [str, type(None)])
    app.add_config_value("conformance_sentences", None, "env", [str, type(None)])
    app.add_config_value("conformance_collect_sentences", False, "env", [bool])
    app.add_config_value("conformance_pages", "reference", "env", [str])
    for name, directive in DIRECTIVES.items():
        ClaimDomain.directives[name] = directive
    app.add_domain(ClaimDomain)
    for name, role in short_roles():
        app.add_role(name, role)
    nothing = (markup.visit_nothing, markup.visit_nothing)
    app.add_node(
        markup.disclosure,
        html=(markup.visit_disclosure, markup.depart_disclosure),
        latex=nothing,
        text=nothing,
        man=nothing,
        texinfo=nothing,
    )
    app.add_node(
        markup.drawing,
        html=(markup.visit_drawing, None),
        text=(markup.visit_drawing_as_text, None),
        latex=nothing,
        man=nothing,
        texinfo=nothing,
    )
    app.add_node(
        markup.emblem, html=(markup.visit_emblem, None), latex=nothing, text=nothing, man=nothing, texinfo=nothing
    )
    app.add_node(
        markup.bar,
        html=(markup.visit_bar, None),
        text=(markup.visit_bar_as_text, None),
        latex=nothing,
        man=nothing,
        texinfo=nothing,
    )
    app.connect("builder-inited", prepare)
    app.connect("env-get-outdated", find_outdated)
    app.connect("html-page-context", add_footer)
    app.connect("html-collect-pages", escape_titles)
    app.add_css_file("reference.css")
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}


def prepare(app: Sphinx) -> None:
    """Load everything and write the pages."""
    app.config.html_static_path = [*app.config.html_static_path, str(STATIC)]
    here = Path(app.confdir)
    if not app.config.conformance_spec:
        set_reference(app.config, Reference(Corpus((), SourceList(), here)))
        return
    corpus, problems = load_corpus([here / path for path in app.config.conformance_spec])
    for problem in problems:
        _logger.warning("%s", problem, type="conformance", subtype="spec")
    results = _path(here, app.config.conformance_results)
    sentences = _path(here, app.config.conformance_sentences)
    if sentences is not None and app.config.conformance_collect_sentences and not collect_sentences(sentences):
        _logger.warning("the sentences of the installed documentation can't be read", type="conformance")
    try:
        columns = load_columns(results) if results else ()
    except ResultError as error:
        raise ExtensionError(str(error)) from None
    impostors = load_impostors(results / "impostors") if results else Impostors()
    census = load_census(results) if results else None
    scaling = load_scaling(results) if results else None
    reference = Reference(corpus, columns, load_sentences(sentences), impostors, census, scaling)
    set_reference(app.config, reference)
    write_pages(Path(app.srcdir) / app.config.conformance_pages, reference)


def _path(here: Path, text: Optional[str]) -> Optional[Path]:
    return None if text is None else here / text


def find_outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Give the pages that are made from the corpus or the results, where either has changed."""
    domain = cast(ClaimDomain, env.get_domain("claim"))
    digest = reference_of(app.config).digest()
    if domain.data["digest"] == digest:
        return []
    domain.data["digest"] = digest
    return [document for document in domain.data["documents"] if document in env.found_docs and document not in removed]


def add_footer(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    """Give the template what it says at the end of every page."""
    context["conformance"] = footer(reference_of(app.config))
