"""A small line plot as SVG, drawn in the colour of the text around it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 44
DASHES = ("", "7 4", "2 4", "10 4 2 4", "4 2", "12 6")
MARKS = ("circle", "square", "diamond", "triangle", "cross", "ring")


def ratio_plot(sizes: Sequence[float], series: Mapping[str, Sequence[float]], description: str) -> str:
    """Draw ratios over sizes, both on logarithmic scales; each series has a dash and a mark of its own."""
    values = [value for ratios in series.values() for value in ratios if _drawable(value)]
    if not sizes or not values:
        return ""
    low, high = min([*values, 0.9]) / 1.1, max([*values, 1.1]) * 1.1
    svg = ElementTree.Element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "role": "img",
            "aria-label": description,
            "class": "plot",
            "xmlns": "http://www.w3.org/2000/svg",
        },
    )
    ElementTree.SubElement(svg, "title").text = description
    _axes(svg, sizes, low, high)
    for position, (_, ratios) in enumerate(series.items()):
        points = [
            (_across(size, sizes), _up(value, low, high)) for size, value in zip(sizes, ratios) if _drawable(value)
        ]
        _series(svg, points, position)
    return ElementTree.tostring(svg, encoding="unicode", short_empty_elements=True)


def mark_only(position: int) -> str:
    """Draw the mark and the dash of a series, for a legend."""
    svg = ElementTree.Element(
        "svg",
        {"viewBox": "0 0 40 14", "class": "legend-mark", "aria-hidden": "true", "xmlns": "http://www.w3.org/2000/svg"},
    )
    _series(svg, [(2, 7), (20, 7), (38, 7)], position, ends=False)
    return ElementTree.tostring(svg, encoding="unicode")


def _drawable(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value) and value > 0


def _across(size: float, sizes: Sequence[float]) -> float:
    first, last = math.log(max(min(sizes), 1)), math.log(max(max(sizes), 1))
    share = 0.5 if last == first else (math.log(max(size, 1)) - first) / (last - first)
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _up(value: float, low: float, high: float) -> float:
    share = (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _axes(svg: ElementTree.Element, sizes: Sequence[float], low: float, high: float) -> None:
    for tick in _ticks(low, high):
        height = _up(tick, low, high)
        style = "baseline" if tick == 1 else "grid"
        _line(svg, LEFT, height, WIDTH - RIGHT, height, style)
        _text(svg, LEFT - 8, height + 4, f"{tick:g}×", "end")
    step = max(1, math.ceil(len(sizes) / 7))
    for size in sizes[::step]:
        across = _across(size, sizes)
        _line(svg, across, HEIGHT - BOTTOM, across, HEIGHT - BOTTOM + 5, "axis")
        _text(svg, across, HEIGHT - BOTTOM + 18, _short(size), "middle")
    _line(svg, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")
    _text(svg, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "n, logarithmic", "middle")


def _ticks(low: float, high: float) -> list[float]:
    ticks: list[float] = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        ticks += [factor * 10.0**power for factor in (1, 2, 5)]
    inside = [tick for tick in ticks if low <= tick <= high]
    if len(inside) > 8:
        inside = [tick for tick in inside if math.log10(tick).is_integer()]
    return inside


def _short(size: float) -> str:
    if size >= 1024 and size % 1024 == 0:
        return f"{size / 1024:g}Ki" if size < 1024**2 else f"{size / 1024**2:g}Mi"
    return f"{size:g}"


def _line(svg: ElementTree.Element, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
    where = {"x1": f"{x1:g}", "y1": f"{y1:g}", "x2": f"{x2:g}", "y2": f"{y2:g}"}
    ElementTree.SubElement(svg, "line", {**where, "class": style})


def _text(svg: ElementTree.Element, x: float, y: float, text: str, anchor: str) -> None:
    element = ElementTree.SubElement(svg, "text", {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor})
    element.text = text


def _series(svg: ElementTree.Element, points: Sequence[tuple[float, float]], position: int, ends: bool = True) -> None:
    group = ElementTree.SubElement(svg, "g", {"class": f"series series-{position % len(DASHES)}"})
    line = {"points": " ".join(f"{x:g},{y:g}" for x, y in points), "class": "line"}
    if DASHES[position % len(DASHES)]:
        line["stroke-dasharray"] = DASHES[position % len(DASHES)]
    ElementTree.SubElement(group, "polyline", line)
    for x, y in points if ends else points[1:-1]:
        _mark(group, x, y, MARKS[position % len(MARKS)])


def _mark(group: ElementTree.Element, x: float, y: float, kind: str) -> None:
    if kind in ("circle", "ring"):
        ElementTree.SubElement(group, "circle", {"cx": f"{x:g}", "cy": f"{y:g}", "r": "4", "class": kind})
        return
    shapes = {
        "square": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
        "diamond": [(0, -5), (5, 0), (0, 5), (-5, 0)],
        "triangle": [(0, -5), (5, 4), (-5, 4)],
        "cross": [(-5, -2), (5, -2), (5, 2), (-5, 2)],
    }
    points = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in shapes[kind])
    ElementTree.SubElement(group, "polygon", {"points": points, "class": "mark"})
