"""HTML from templates: everything is escaped, and code is highlighted as Sphinx does it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Callable

from docutils import nodes
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Name, Number, Operator, Punctuation, String, Text, _TokenType

from conformance.base.text import printable
from conformance.lab.views.running_text import Target, bounded, code, linked, prose
from conformance.lab.views.verdict_chips import strip

#: Returns the address of an object as it is seen from a page; empty where there is none.
Href = Callable[[Target], str]


class _Formatter(HtmlFormatter):  # type: ignore[misc]
    """Colours what carries meaning; a span around each name, sign and space would double a page."""

    def _get_css_classes(self, ttype: _TokenType) -> str:
        if any(ttype in plain for plain in _PLAIN):
            return ""
        if ttype in String:
            # A span for the string, not one each for its prefix, its quotes and its braces.
            return "s"
        return str(super()._get_css_classes(ttype))


_FORMATTER = _Formatter(nowrap=True)
#: The search drops tags; without a space between blocks it would read the words at their ends as one.
_BLOCK_END = re.compile(r"(</(?:td|th|p|li|dt|dd|div|dl|ul|pre|summary)>)(?=<[a-z/])")
_PLAIN = (Name, Number, Operator, Punctuation, Text)


class html_part(nodes.raw):
    """A part of a page that a template made; the search of Sphinx reads its text."""


def part(template: str, href: Href, glossary: str = "", **values: object) -> html_part:
    """Return a part of a page.

    Parameters
    ----------
    template
        The name of a template, without its ending.
    glossary
        The address of the glossary; without it terms are no links.
    values
        What the template shows, views above all.
    """
    links = {
        "href": href,
        "claim_href": lambda identity: href(Target("claim", identity)),
        "glossary": glossary,
        "subject_href": lambda name: href(Target("subject", name)),
    }
    text = _environment().get_template(f"{template}.html").render(**links, **values)
    # No escape of HTML keeps a bidirectional control from turning what stands around it.
    return html_part("", _BLOCK_END.sub(r"\1 ", printable(text, keep="\n\t")), format="html")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("conformance.lab.reference"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.filters.update(listing=listing, prose=_prose, zip=zip)
    made.globals.update(code=code, linked=linked, prose=prose, strip=strip)
    return made


@lru_cache(maxsize=4096)
def listing(text: str, language: str = "python") -> Markup:
    """Return a block of code."""
    shown = bounded(text).rstrip("\n") + "\n"
    coloured = Markup(highlight(shown, _lexer(language), _FORMATTER)) if language != "text" else Markup.escape(shown)
    style = "highlight output" if language == "text" else "highlight"
    return Markup('<div class="{}"><pre>{}</pre></div>').format(style, coloured)


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False)


def _prose(text: str) -> Markup:
    """Return running text in which `code` is code."""
    as_code = Markup("<code>{}</code>")
    return Markup("").join(as_code.format(it.text) if it.code else Markup.escape(it.text) for it in prose(text))


def show_as_text(translator: object, node: nodes.Element) -> None:
    """Show a part in an output that is not HTML: its words only."""
    translator.add_text(Markup(node.astext()).striptags())  # type: ignore[attr-defined]
    raise nodes.SkipNode


def leave_out(translator: object, node: nodes.Element) -> None:
    """Leave a part out of an output that can't show it."""
    raise nodes.SkipNode
