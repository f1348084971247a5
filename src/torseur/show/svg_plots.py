"""Inline SVG figures of lines, loops and stacked areas, in the colors of the page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

FALLBACK_COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b08900",
    "#56b4e9",
    "#7f7f7f",
    "#8c564b",
)
"""Okabe and Ito's, a little darker where they are lines on white."""
COLORS = tuple(f"var(--ink{i}, {c})" for i, c in enumerate(FALLBACK_COLORS))
"""The page's own, which tell lines apart on white and on black; plain ones in a notebook."""
TIME_AXIS_SCALES = {"time [s]": 1.0, "time [ms]": 1e-3}  # axes that are the page's time, in seconds
FIGURE_WIDTH = 460  # of the drawing; its text is 11 of these units high
MAX_LINE_POINTS = 700  # points of a line: more than the figure has pixels


class Line(NamedTuple):
    """One line of a figure. `dashed` marks constructions, `soft` lines are in the background."""

    name: str
    x: Any
    y: Any
    dashed: bool = False
    soft: bool = False


def figure(
    title: str,
    lines: Iterable[Line],
    x_label: str,
    y_label: str,
    *,
    stacked: bool = False,
    height: int = 160,
) -> str:
    """SVG figure of lines over a common x. `stacked` adds them up as areas.

    >>> text = figure("Speed", [Line("car", [0, 1], [10, 0])], "time [s]", "v [m/s]")
    >>> text.startswith("<figure"), text.count('fill="none"'), 'data-clock="0 1 ' in text
    (True, 1, True)
    >>> 'stroke="var(--ink0, #0072b2)"' in text  # a notebook has no colors of the page
    True
    """
    lines = [l for l in lines if len(l.x)]
    if not lines:
        return ""
    curves = [(l, *_decimate_line(l.x, l.y)) for l in lines]
    if stacked:  # one set of moments for all
        times = _decimate_line(lines[0].x, np.sum([l.y for l in lines], axis=0))[0]
        curves = [(l, times, np.interp(times, l.x, l.y)) for l in lines]
        base, total = [], np.zeros(len(curves[0][2]))
        for _, _, y in curves:
            base.append(total)
            total = total + y
        low, high = min(0.0, float(total.min())), float(total.max())
    else:
        low = min(float(np.min(y)) for _, _, y in curves)
        high = max(float(np.max(y)) for _, _, y in curves)
    xs = np.concatenate([x for _, x, _ in curves])
    axes = _Axes(float(xs.min()), float(xs.max()), low, high, FIGURE_WIDTH, height)
    body, keys, color = [axes.axes_svg(x_label, y_label)], [], 0
    for i, (l, x, y) in enumerate(curves):
        ink = "var(--soft)" if l.soft else COLORS[color % len(COLORS)]
        color += not l.soft
        label = f"<span data-say>{escape(l.name)}</span>"
        keys.append(f'<span class="key"><i style="background:{ink}"></i>{label}</span>')
        if stacked:
            under, over = base[i], base[i] + y
            path = axes.path_data(np.append(x, x[::-1]), np.append(over, under[::-1]))
            body.append(f'<path d="{path}Z" fill="{ink}" fill-opacity="0.75" stroke="none"/>')
            continue
        dash = ' stroke-dasharray="5 4"' if l.dashed else ""
        body.append(
            f'<path d="{axes.path_data(x, y)}" fill="none" stroke="{ink}" '
            f'stroke-width="{1 if l.soft else 1.5}" stroke-linejoin="round"{dash}/>'
        )
    clock = ""
    if x_label in TIME_AXIS_SCALES:  # the page moves a line along it, and goes where it is clicked
        left, top, right, bottom = axes.box
        numbers = (*axes.x, left, right, TIME_AXIS_SCALES[x_label])
        clock = f' data-clock="{" ".join(f"{x:.9g}" for x in numbers)}"'
        body.append(f'<path class="now" d="M0 {top}V{bottom}" stroke="var(--accent)"/>')
    return (
        f"<figure><figcaption><b>{escape(title)}</b>{''.join(keys)}</figcaption>"
        f'<svg viewBox="0 0 {FIGURE_WIDTH} {height}" role="img"{clock} '
        f'aria-label="{escape(title, quote=True)}" '
        f'style="width:100%;height:auto;display:block">{"".join(body)}</svg></figure>'
    )


def cards(entries: Iterable[tuple[Any, ...]]) -> str:
    """HTML row of key figures: (name, number, unit and time) each."""
    box = (
        '<div style="border:1px solid var(--line);border-radius:8px;padding:5px 11px">'
        '<small>{}</small><br><b style="font-size:17px">{}</b> <small>{}</small></div>'
    )
    boxes = "".join(box.format(*(escape(str(e)) for e in entry)) for entry in entries)
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px;margin-bottom:10px">{boxes}</div>'


class _Axes:
    """Axes of a figure and their mapping of values to pixels."""

    def __init__(self, x0, x1, y0, y1, width, height):
        self.box = (42, 18, width - 10, height - 30)
        pad = 0.04 * (y1 - y0) or max(abs(y1), 1.0) * 0.1
        self.x, self.y = (x0, x1 if x1 > x0 else x0 + 1), (y0 - pad, y1 + pad)

    def to_figure(self, x, y):
        left, top, right, bottom = self.box
        u = left + (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0]) * (right - left)
        v = bottom - (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0]) * (bottom - top)
        return u, v

    def path_data(self, x, y) -> str:
        u, v = self.to_figure(x, y)
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(u, v, strict=True))

    def axes_svg(self, x_label, y_label) -> str:
        """SVG of grid lines, tick labels and axis labels."""
        left, top, right, bottom = self.box
        text = 'font-size="11" fill="var(--soft)" data-say'
        out = []
        for value in round_ticks(self.y[0], self.y[1], 4):
            y = float(self.to_figure(self.x[0], value)[1])
            strong = "--grid-strong" if value == 0 else "--grid"
            out.append(f'<path d="M{left} {y:.1f}H{right}" stroke="var({strong})"/>')
            out.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end" {text}>')
            out.append(f"{_format_number(value)}</text>")
        for value in round_ticks(self.x[0], self.x[1], 6):
            x = float(self.to_figure(value, self.y[0])[0])
            out.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" {text}>')
            out.append(f"{_format_number(value)}</text>")
        out.append(f'<text x="{right}" y="{bottom + 27}" text-anchor="end" {text}>')
        out.append(f"{escape(x_label)}</text>")
        out.append(f'<text x="{left - 5}" y="{top - 5}" text-anchor="end" {text}>')
        out.append(f"{escape(y_label)}</text>")
        return "".join(out)


def round_ticks(low: float, high: float, about: int) -> list[float]:
    """Round tick values between two bounds.

    >>> round_ticks(0, 97, 5)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    span = (high - low) / about
    if not span > 0 or not math.isfinite(span):
        return [low]
    power = 10.0 ** math.floor(math.log10(span))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= span * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(round(i * step, 12)) for i in range(first, last + 1)]


def _format_number(x: float) -> str:
    return f"{x:g}".replace("-", "\N{MINUS SIGN}")


def _decimate_line(x, y):
    """Reduce a line to `MAX_LINE_POINTS` points: minimum and maximum of each interval."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.size <= MAX_LINE_POINTS:
        return x, y
    edges = np.linspace(0, x.size, MAX_LINE_POINTS // 2 + 1).astype(int)
    keep = {0, x.size - 1}
    for a, b in pairwise(edges):
        keep |= {a + int(y[a:b].argmin()), a + int(y[a:b].argmax())}
    index = sorted(keep)
    return x[index], y[index]
