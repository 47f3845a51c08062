"""The reference: a Sphinx extension that makes pages from the corpus and the result files.

Neither is trusted: whatever they say is shown as text. Nothing here imports torch.

Configuration values
--------------------
conformance_spec : list of str
    Folders or files of the corpus, relative to the configuration folder. Where it is empty no page is
    written: a project that only cites claims of another site needs no more than that.
conformance_results : str, list of str or None
    The folder of result files, relative to the configuration folder; or several, of which the first has all else that
    is recorded.
conformance_sentences : str or None
    The cache of sentences of the installed documentation, relative to the configuration folder.
conformance_collect_sentences : bool
    Write that cache first, where this Python has torch.
conformance_pages : str
    The folder that pages are written to, relative to the source folder.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional, cast

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

import conformance
from conformance.base.json_files import ResultError
from conformance.lab.reference import templates
from conformance.lab.reference.companion_files import data_path, has_data, published_at, write_beside, write_file
from conformance.lab.reference.description import description_tag
from conformance.lab.reference.domain import ClaimDomain, short_roles
from conformance.lab.reference.feed import FEED, SITE_MAP, feed, feed_entries, site_map
from conformance.lab.reference.lists import DIRECTIVES
from conformance.lab.reference.loaded import Parts, data_file, items, loaded_path, root_uri
from conformance.lab.reference.loading import Library, Sources, collect_sentences, library_of, set_library
from conformance.lab.reference.pages import places_of, write_pages
from conformance.lab.reference.search_index import PAGES, pages_file, search_files
from conformance.lab.reference.sidebar import keep_sidebar
from conformance.lab.reference.ways import WaysParser
from conformance.lab.views.content import Content
from conformance.lab.views.overview import environment_in_words
from conformance.lab.views.running_text import words

STATIC = Path(__file__).parent / "static"
#: The name of the file of environments, which the footer loads, and of their part in it.
ENVIRONMENTS = "environments"

_logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.add_config_value("conformance_spec", [], "env", [list, tuple])
    app.add_config_value("conformance_results", "results", "env", [str, list, tuple, type(None)])
    app.add_config_value("conformance_sentences", None, "env", [str, type(None)])
    app.add_config_value("conformance_collect_sentences", False, "env", [bool])
    app.add_config_value("conformance_pages", "reference", "env", [str])
    for name, directive in DIRECTIVES.items():
        ClaimDomain.directives[name] = directive
    app.add_domain(ClaimDomain)
    app.add_source_parser(WaysParser)
    for name, role in short_roles():
        app.add_role(name, role)
    as_text, nothing = (templates.show_as_text, None), (templates.leave_out, None)
    app.add_node(templates.html_part, text=as_text, man=nothing, latex=nothing, texinfo=nothing)
    app.connect("builder-inited", prepare)
    app.connect("env-get-outdated", find_outdated)
    app.connect("html-page-context", add_to_page, priority=400)
    app.connect("html-collect-pages", write_shared_data)
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write_lists_of_pages)
    app.add_css_file("reference.css")
    app.add_js_file("loaded.js", loading_method="defer")
    app.add_js_file("copy.js", loading_method="defer")
    app.add_js_file("tables.js", loading_method="defer")
    app.add_js_file("scrolling.js", loading_method="defer")
    return {"version": "2", "env_version": 5, "parallel_read_safe": True, "parallel_write_safe": True}


def prepare(app: Sphinx) -> None:
    """Find what the pages are made from; write the pages where it changed."""
    if app.config.conformance_spec and isinstance(app.builder, StandaloneHTMLBuilder):
        app.builder.search = False  # the pages have a search of their own
    app.config.html_static_path = [*app.config.html_static_path, str(STATIC)]
    here = Path(app.confdir)
    spec = tuple(here / path for path in app.config.conformance_spec)
    folders = app.config.conformance_results or ()
    results = tuple(here / path for path in ([folders] if isinstance(folders, str) else folders))
    sentences = _path(here, app.config.conformance_sentences)
    library = Library(Sources(spec, results, sentences), app.builder)
    set_library(app.config, library)
    last = _domain(app.env).data["digest"]
    wanted = sentences if spec and app.config.conformance_collect_sentences else None
    try:
        if wanted is not None and collect_sentences(wanted, library.corpus if last != library.digest else None):
            del library.digest  # which is of that file too
        if spec and last != library.digest:
            write_pages(Path(app.srcdir) / app.config.conformance_pages, library.content)
    except ResultError as error:
        # An entry is decoded when it is first looked at, which is here.
        raise ExtensionError(str(error)) from None


def _path(here: Path, text: Optional[str]) -> Optional[Path]:
    return None if text is None else here / text


def _domain(env: BuildEnvironment) -> ClaimDomain:
    return cast(ClaimDomain, env.get_domain("claim"))


def find_outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages that are made from the corpus or the results, where either has changed."""
    data = _domain(env).data
    digest = library_of(app.config).digest
    if data["digest"] == digest:
        return []
    data["digest"] = digest
    library = library_of(app.config)
    if library.sources.spec:
        library.content.derive()  # before Sphinx shares the pages out to processes
        gc.freeze()  # what was loaded stays until the end
        data["footer"] = _footer(library.content)
        data["feed"] = feed_entries(library.content)
        data["shared"] = {ENVIRONMENTS: data_file(_environments(library.content), {}), **_search(app, library.content)}
    return [document for document in data["documents"] if document in env.found_docs and document not in removed]


def add_to_page(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    """Give the template what it says at the end of every page, and write what the page loads."""
    context["conformance"] = _domain(app.env).data["footer"]
    context["metatags"] = f"{context.get('metatags', '')}{description_tag(doctree, context.get('title', ''))}"
    context["page_data"] = data_path(pagename) if has_data(doctree, pagename) else None
    context["feed"] = FEED if _domain(app.env).data["feed"] else None
    write_beside(doctree, Path(app.outdir))
    keep_sidebar(app, pagename, context)


def _search(app: Sphinx, content: Content) -> dict[str, str]:
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return {}
    return search_files(content, places_of(content, app.config.conformance_pages), app.builder.get_target_uri)


def write_shared_data(app: Sphinx) -> tuple[()]:
    """Write what many pages load: the environments of the footer, and what the search looks in."""
    shared: dict[str, str] = dict(_domain(app.env).data["shared"])
    if shared:
        shared[PAGES] = pages_file(app.env, app.builder.get_target_uri)
    for name, text in shared.items():
        write_file(Path(app.outdir, loaded_path(name)), text)
    return ()


def write_lists_of_pages(app: Sphinx, exception: Optional[Exception]) -> None:
    """Write the feed of changes and, where it is known where the pages are published, the map of the site."""
    if exception is not None or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    base, entries = published_at(app.config), _domain(app.env).data["feed"]
    if entries:
        Path(app.outdir, FEED).write_text(feed(entries, base), encoding="utf-8")
    if base:
        pages = map(app.builder.get_target_uri, app.env.found_docs)
        Path(app.outdir, SITE_MAP).write_text(site_map(pages, base), encoding="utf-8")


def search_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the page of the search."""
    if isinstance(app.builder, StandaloneHTMLBuilder) and not app.builder.search:
        box = templates.part("search_box", lambda target: "", root=root_uri(app.builder, "search"))
        yield "search", {"title": "Search", "body": f"<h1>Search</h1>{box.astext()}"}, "page.html"


def _footer(content: Content) -> dict[str, object]:
    """Return the words of the footer; the template escapes them."""
    torch = content.sentences.torch
    return {
        "version": conformance.__version__,
        "corpus": content.revision,
        "claims": content.corpus.counts().in_words(),
        "environments": len(content.recorded.environments),
        "sentences": f"torch {torch}" if torch else "",
    }


def _environments(content: Content) -> Parts:
    """Return what the footer loads: everything that each environment was measured with."""
    found = [words(environment_in_words(it, content.revision)) for it in content.recorded.environments]
    return {ENVIRONMENTS: [items(found)]}
