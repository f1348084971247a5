"""Lines, arrows, words and small plots of the manual's figures: SVG of one style.

Colors are classes (`f-ink`, `f-blue`, ...), so that the manual's style sheet turns a figure with its theme;
alone, a figure is on white paper.  `_{}` and `^{}` in words are indices and exponents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

Point = Sequence[float]
TONES = {
    "ink": "#1b1f24", "gray": "#7b8590", "blue": "#0b5fa5", "orange": "#c45200", "green": "#007a5a",
}  # fmt: skip
STYLE = (
    ".f-paper{fill:#fff}.f-body{fill:#eaf1f8;stroke:#1b1f24}"
    ".f-m{font:italic 16px Georgia,'Times New Roman',serif;fill:#1b1f24}"
    ".f-n{font:14px system-ui,sans-serif;fill:#4b545e}"
    + "".join(f".f-{n}{{stroke:{c};fill:none}}.f-{n}-f{{fill:{c}}}" for n, c in TONES.items())
)
FIGURES: dict[str, Callable[[], str]] = {}


def figure(f: Callable[[], str]) -> Callable[[], str]:
    FIGURES[f.__name__] = f
    return f


def svg(width: float, height: float, *parts: str | Iterable[str]) -> str:
    inside = "".join(p if isinstance(p, str) else "".join(p) for p in parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {width:g} {height:g}" role="img">'
        f'<style>{STYLE}</style><rect class="f-paper" width="100%" height="100%"/>{inside}</svg>\n'
    )


def head(tip: Point, way: Point, color: str, size: float = 9) -> str:
    """An arrowhead at `tip` along `way`."""
    u = np.asarray(way, float) / (np.hypot(*way) or 1.0)
    n, t = np.array([-u[1], u[0]]), np.asarray(tip, float)
    a, b = t - size * u + 0.42 * size * n, t - size * u - 0.42 * size * n
    return f'<path class="f-{color}-f" d="M{t[0]:.1f} {t[1]:.1f}L{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}Z"/>'


def line(*points: Point, color="ink", width=1.6, tip=False, tail=False, dash="", shut=False) -> str:
    """Straight pieces through points, with an arrowhead at the end if `tip`, at the start if `tail`."""
    p = [np.asarray(x, float) for x in points]
    heads = ""
    if tip:
        heads += head(p[-1], p[-1] - p[-2], color)
        p[-1] = p[-1] - 6 * (p[-1] - p[-2]) / np.hypot(*(p[-1] - p[-2]))
    if tail:
        heads += head(p[0], p[0] - p[1], color)
        p[0] = p[0] - 6 * (p[0] - p[1]) / np.hypot(*(p[0] - p[1]))
    d = "L".join(f"{x:.1f} {y:.1f}" for x, y in p) + "Z" * shut
    more = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path class="f-{color}" d="M{d}" stroke-width="{width:g}" stroke-linecap="round" '
        f'stroke-linejoin="round"{more}/>{heads}'
    )


def arc(at: Point, r, start, end, squash=1.0, turn=0.0, n=40, **how) -> str:
    """An arc of an ellipse, angles in degrees, counted from x towards the top of the page."""
    a = np.radians(np.linspace(start, end, n))
    x, y = r * np.cos(a), -r * squash * np.sin(a)
    c, s = np.cos(np.radians(turn)), -np.sin(np.radians(turn))
    return line(*zip(at[0] + c * x - s * y, at[1] + s * x + c * y, strict=True), **how)


def curve(f, a, b, n=80, **how) -> str:
    """`f(t)`, a point of the page, for t from a to b."""
    return line(*(f(t) for t in np.linspace(a, b, n)), **how)


def dot(at: Point, color="ink", r=3.5) -> str:
    return f'<circle class="f-{color}-f" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{r:g}"/>'


def ring(at: Point, r=6, color="ink", width=1.8) -> str:
    """A pin: a circle on paper."""
    return (
        f'<circle class="f-paper" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{r:g}"/>'
        f'<circle class="f-{color}" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{r:g}" stroke-width="{width:g}"/>'
    )


def box(at: Point, width, height, color="ink", r=4, fill="f-body", stroke=1.3) -> str:
    """A rectangle about its middle."""
    return (
        f'<rect class="{fill or "f-" + color}" x="{at[0] - width / 2:.1f}" y="{at[1] - height / 2:.1f}" '
        f'width="{width:g}" height="{height:g}" rx="{r:g}" stroke-width="{stroke:g}"/>'
    )


def area(*points: Point, color="blue", opacity=0.16) -> str:
    d = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="f-{color}-f" fill-opacity="{opacity:g}" d="M{d}Z"/>'


def words(at: Point, said: str, anchor="start", color="") -> str:
    return _text(at, said, "f-n", anchor, color)


def maths(at: Point, said: str, anchor="start", color="") -> str:
    return _text(at, said, "f-m", anchor, color)


def _text(at, said, kind, anchor, color) -> str:
    out, level = "", 0
    for part in re.split(r"([_^]\{[^}]*\})", said.replace("&", "&amp;").replace("<", "&lt;")):
        sign, text = ("", part) if part[:2] not in ("_{", "^{") else (part[0], part[2:-1])
        to = {"": 0, "_": 5, "^": -7}[sign]
        if text:
            size = ' font-size="12"' if sign else ""
            out += f'<tspan dy="{to - level}"{size}>{text}</tspan>' if sign or level else text
            level = to
    kind += f" f-{color}-f" if color else ""
    return (
        f'<text class="{kind}" x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}">{out}</text>'
    )


def blob(at: Point, r, turn=0.0) -> str:
    """A body: a smooth closed shape."""
    t = np.linspace(0, 2 * np.pi, 50)
    rho = r * (1 + 0.16 * np.cos(2 * t + 1) + 0.08 * np.sin(3 * t))
    x, y = at[0] + 1.25 * rho * np.cos(t + turn), at[1] + rho * np.sin(t + turn)
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<path class="f-body" d="M{path}Z" stroke-width="1.2"/>'


OBLIQUE = {"x": (0.95, 0.32), "y": (0.55, -0.52), "z": (0.0, -1.0)}


def frame(at: Point, size, turn, name, color="ink", only="xyz") -> str:
    """A frame seen obliquely: x, y, z arrows turned by an angle [rad] in the page."""
    c, s = np.cos(turn), np.sin(turn)
    out = []
    for axis in only:
        a, b = OBLIQUE[axis]
        w = np.array([c * a - s * b, s * a + c * b])
        end = np.asarray(at) + size * w
        out.append(line(at, end, color=color, width=1.8, tip=True))
        out.append(maths(end + 9 * w + (-5, 5), f"{axis}_{{{name}}}", color=color))
    return "".join(out) + dot(at, color)


def ground(at: Point, width=38) -> str:
    """A bearing on the ground below a pin."""
    x, y = at
    roof = line((x - 11, y + 16), (x, y), (x + 11, y + 16), width=1.4)
    return roof + floor((x, y + 16), width)


def floor(at: Point, width, up=False) -> str:
    """A hatched line."""
    x, y, w = at[0] - width / 2, at[1], -8 if up else 8
    hatch = (
        line((x + k, y), (x + k - 7, y + w), color="gray", width=1.1)
        for k in range(7, int(width) + 1, 8)
    )
    return line((x, y), (x + width, y)) + "".join(hatch)


def spring(a: Point, b: Point, turns=6, r=8, **how) -> str:
    a, b = np.asarray(a, float), np.asarray(b, float)
    u = (b - a) / np.hypot(*(b - a))
    n = np.array([-u[1], u[0]])
    ends = (a + 0.12 * (b - a), a + 0.88 * (b - a))
    t = np.linspace(0, 1, 4 * turns + 1)
    zig = [ends[0] + s * (ends[1] - ends[0]) + r * n * np.sin(2 * np.pi * turns * s) for s in t]
    return line(a, *zig, b, **how)


def damper(a: Point, b: Point, r=8, **how) -> str:
    a, b = np.asarray(a, float), np.asarray(b, float)
    u = (b - a) / np.hypot(*(b - a))
    n, m = np.array([-u[1], u[0]]), (a + b) / 2
    cup = line(
        m + 14 * u + r * n, m - 12 * u + r * n, m - 12 * u - r * n, m + 14 * u - r * n, **how
    )
    return (
        line(a, m - 12 * u, **how)
        + cup
        + line(m + 2 * u + 0.7 * r * n, m + 2 * u - 0.7 * r * n, **how)
        + line(m + 2 * u, b, **how)
    )


class Plot:
    """Axes in a rectangle of the page; `p(x, y)` is the place of a value."""

    def __init__(
        self, left, top, width, height, x=(0.0, 1.0), y=(0.0, 1.0), names=("", ""), zero=None
    ):
        self.box, self.x, self.y, self.names, self.zero = (
            (left, top, width, height),
            x,
            y,
            names,
            zero,
        )

    def __call__(self, x, y) -> tuple[float, float]:
        left, top, width, height = self.box
        (a, b), (c, d) = self.x, self.y
        return left + width * (x - a) / (b - a), top + height * (d - y) / (d - c)

    def axes(self) -> str:
        level = self.y[0] if self.zero is None else self.zero
        o, x1, y1 = self(self.x[0], level), self(self.x[1], level), self(self.x[0], self.y[1])
        foot = self(self.x[0], self.y[0])
        return (
            line(o, (x1[0] + 12, x1[1]), width=1.3, tip=True) + line(foot, (y1[0], y1[1] - 10), width=1.3, tip=True)
            + maths((x1[0] + 15, x1[1] + 5), self.names[0]) + maths((y1[0] + 9, y1[1] - 4), self.names[1])
        )  # fmt: skip

    def line(self, xs, ys, **how) -> str:
        return line(*(self(x, y) for x, y in zip(xs, ys, strict=True)), **how)

    def graph(self, f, n=120, a=None, b=None, **how) -> str:
        t = np.linspace(self.x[0] if a is None else a, self.x[1] if b is None else b, n)
        return self.line(t, [f(s) for s in t], **how)

    def under(self, xs, ys, base=0.0, **how) -> str:
        return area(
            self(xs[0], base),
            *(self(x, y) for x, y in zip(xs, ys, strict=True)),
            self(xs[-1], base),
            **how,
        )


def block(at: Point, said: str, width=92, height=44) -> str:
    return box(at, width, height) + maths((at[0], at[1] + 5), said, "middle")
