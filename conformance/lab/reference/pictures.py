"""Pictures as SVG in the page, which follows its colour scheme; pygal draws them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import cycle

import pygal
from markupsafe import Markup
from pygal.style import Style

from conformance.lab.views.pictures import Picture

_TEXT, _FINE = "var(--color-foreground-primary)", "var(--color-foreground-border)"
_LINES = tuple(f"var(--line-{number})" for number in range(1, 7))
#: Lines differ in their dashes too.
_DASHES = ("", "8 3", "2 3", "10 3 2 3", "1 5", "14 4")
#: What pygal writes of itself, with the day, and for a script that these pages do without.
_LEFT_OUT = re.compile(r"<!--.*?-->|<script.*?</script>", re.DOTALL)


@dataclass(frozen=True)
class Swatch:
    """What tells a line or a part of the bars from the others; ``dashes`` are empty for a solid line and for bars."""

    name: str
    colour: str
    dashes: str


def legend(picture: Picture) -> tuple[Swatch, ...]:
    """Return the swatches of a picture."""
    return tuple(
        Swatch(one.name, f"var(--{one.style}-edge)" if one.style else colour, "" if one.style else dashes)
        for one, colour, dashes in zip(picture.series, cycle(_LINES), cycle(_DASHES))
    )


def draw(picture: Picture, number: int) -> Markup:
    """Return a picture as SVG, without its legend; the same numbers stand in a table beside it.

    Parameters
    ----------
    number
        Tells the pictures of a page from each other.
    """
    is_lines = picture.kind == "lines"
    swatches = legend(picture)
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground=_TEXT,
        foreground_strong=_TEXT,
        foreground_subtle=_FINE,
        guide_stroke_color=_FINE,
        major_guide_stroke_color=_FINE,
        colors=tuple(one.colour for one in swatches),
        opacity="0.9",
        opacity_hover="1",
        transition="0s",
        font_family="inherit",
        label_font_size=13,
        major_label_font_size=13,
        value_font_size=12,
    )
    options = {
        "style": style,
        "js": [],
        "width": 560,
        "height": 300,
        "explicit_size": False,
        "disable_xml_declaration": True,
        "show_legend": False,
        "show_x_guides": False,
        "margin": 8,
        "x_label_rotation": 45 if len(picture.labels) > 9 else 0,
        "truncate_label": 30,
        "no_data_text": "",
    }
    chart = pygal.Line(logarithmic=True, dots_size=3, **options) if is_lines else pygal.StackedBar(**options)
    chart.uuid = f"picture-{number}"
    chart.x_labels = picture.labels
    for one, swatch in zip(picture.series, swatches):
        more = {"stroke_style": {"width": 2, "dasharray": swatch.dashes}} if is_lines else {}
        chart.add(one.name, list(one.values), **more)
    text = _LEFT_OUT.sub("", chart.render(is_unicode=True))
    label = Markup.escape(f"{picture.title}. {picture.says}")
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))
