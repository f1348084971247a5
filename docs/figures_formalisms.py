"""Figures of the theory pages: the formalisms, their costs and their kernels."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
from drawing import (
    arc,
    area,
    blob,
    block,
    box,
    curve,
    dot,
    figure,
    frame,
    ground,
    line,
    maths,
    ring,
    svg,
    words,
)  # fmt: skip

HERE = Path(__file__).parent


CHAIN = [(60, 190), (205, 150), (345, 172), (490, 132)]


def _chain() -> list[str]:
    bodies = [
        blob(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), 28, 0.2 * i)
        for i, (a, b) in enumerate(itertools.pairwise(CHAIN))
    ]
    bars = [line(a, b, color="gray", width=1.4) for a, b in itertools.pairwise(CHAIN)]
    return [*bodies, *bars, ground(CHAIN[0]), *(ring(p) for p in CHAIN[:3])]


@figure
def recursions() -> str:
    pairs = list(itertools.pairwise(CHAIN))
    return svg(
        560, 290,
        _chain(), (line((a[0] + 12, a[1] - 56), (b[0] - 14, b[1] - 58), color="blue", width=2.2, tip=True) for a, b in pairs),
        (line((b[0] - 14, b[1] + 58), (a[0] + 14, a[1] + 60), color="orange", width=2.2, tip=True) for a, b in pairs),
        words((270, 44), "out: twists V and accelerations A of the links", "middle"), words((290, 280), "back: wrenches F, and the efforts S' F of the joints", "middle"),
        maths((166, 78), "V_{i}, A_{i}", color="blue"), maths((222, 236), "F_{i}", color="orange"),
    )  # fmt: skip


@figure
def composite() -> str:
    hull = curve(
        lambda t: (345 + 190 * np.cos(t), 152 + (78 + 10 * np.sin(t)) * np.sin(t)),
        0,
        2 * np.pi,
        color="orange",
        width=1.6,
        dash="6 4",
    )
    return svg(
        560, 290,
        _chain(), hull, arc(CHAIN[1], 40, 40, 130, color="blue", width=2.2, tail=True), maths((176, 96), "S_{i}", color="blue"),
        line((205, 150), (96, 188), color="orange", width=2.2, tip=True), maths((128, 160), "h", color="orange"),
        words((345, 54), "moves as one rigid body: momentum h = I S_{i}", "middle"), maths((70, 240), "M_{ij} = S_{j}' h"),
        words((280, 280), "when only speed i moves, all that joint i carries is one body", "middle"),
    )  # fmt: skip


@figure
def articulated() -> str:
    return svg(
        560, 290,
        _chain(), line((205, 150), (205, 66), color="green", width=2.4, tip=True), maths((214, 78), "A", color="green"), line((205, 150), (128, 92), color="orange", width=2.4, tip=True), maths((112, 84), "F = I^{A} A + p", "end", "orange"),
        arc(CHAIN[2], 30, 30, 150, color="blue", width=1.8, tip=True, tail=True), words((345, 128), "free", "middle"),
        words((280, 44), "pull at a link: what it carries gives way at its joints", "middle"),
        words((280, 252), "articulated inertia: what is left for the parent", "middle"),
        maths((280, 278), "I − U D^{−1} U'", "middle"),
    )  # fmt: skip


@figure
def virtual() -> str:
    path = lambda k: (
        lambda t: (60 + 440 * t, 190 - 90 * np.sin(np.pi * t / 1.25) - 46 * k * np.sin(np.pi * t))
    )
    p, q = path(0.0)(0.55), path(1.0)(0.55)
    return svg(
        560, 260,
        curve(path(0.0), 0, 1, color="blue", width=2.4), curve(path(1.0), 0, 1, color="orange", width=1.8, dash="6 4"),
        dot(path(0.0)(0)), dot(path(0.0)(1)), words((60, 216), "start", "middle"), words((500, 182), "end", "middle"), line(p, q, color="green", width=2.2, tip=True), maths((q[0] + 10, (p[1] + q[1]) / 2 + 4), "δq", color="green"),
        words((430, 166), "the motion", "end"), words((300, 38), "a neighbor that the joints allow", "middle"),
        maths((280, 248), "d/dt ∂T/∂v − ∂T/∂q + ∂U/∂q = τ", "middle"),
    )  # fmt: skip


@figure
def lie_group() -> str:
    group = lambda t: np.array(
        [40 + 480 * t, 214 - 92 * np.sin(np.pi * t) - 22 * np.sin(2 * np.pi * t)]
    )
    along = lambda t: (
        (group(t + 1e-3) - group(t - 1e-3)) / np.hypot(*(group(t + 1e-3) - group(t - 1e-3)))
    )
    e, d, u, w = group(0.2), group(0.7), along(0.2), along(0.7)
    return svg(
        560, 270,
        curve(group, 0, 1, width=2), words((520, 236), "group of displacements", "end"), line(e - 95 * u, e + 120 * u, color="blue", width=1.6), words((24, 44), "algebra: fields X"), words((24, 62), "at the identity"), line(e, e + 80 * u, color="blue", width=3, tip=True), maths(e + 88 * u + (-26, -2), "X", color="blue"),
        line(d - 80 * w, d + 120 * w, color="green", width=1.6), line(d, d + 80 * w, color="green", width=3, tip=True), maths(d + 86 * w + (6, -8), "Ad d X", color="green"),
        curve(lambda t: e + (d - e) * t - np.array([0, 78 * np.sin(np.pi * t)]), 0.05, 0.94, color="orange", width=1.8, tip=True, dash="6 4"), maths((300, 46), "d", color="orange"), dot(e, r=5), dot(d, r=5), maths(e + (4, 24), "1"), maths(d + (-6, 24), "d"),
        words((280, 262), "one vector and one moment at a point, carried by Ad", "middle"),
    )  # fmt: skip


@figure
def uicker() -> str:
    at = [(70, 200), (190, 110), (330, 130), (450, 70)]
    arrows = [
        curve(
            lambda t, a=a, b=b: (
                a[0] + (b[0] - a[0]) * t,
                a[1] + (b[1] - a[1]) * t + 44 * np.sin(np.pi * t),
            ),
            0.06,
            0.92,
            color="orange",
            width=1.8,
            tip=True,
        )
        for a, b in itertools.pairwise(at)
    ]
    names = [
        maths(p, n, "middle", "orange")
        for p, n in (((160, 214), "T_{01}"), ((262, 184), "T_{12}"), ((412, 160), "T_{23}"))
    ]
    return svg(
        560, 270,
        (line(a, b, color="blue", width=6) for a, b in itertools.pairwise(at)), (frame(p, 30, -0.2 * i, str(i), only="xz") for i, p in enumerate(at)), arrows, names,
        dot((500, 96), "green", 4.5), maths((470, 122), "[x; 1]", color="green"),
        maths((250, 250), "T_{03} = T_{01} T_{12} T_{23},   dT_{03}/dq_{2} = T_{01} Ω T_{12} T_{23}", "middle"),
    )  # fmt: skip


@figure
def tensors() -> str:
    O1, O2, O3 = (70, 200), (205, 150), (345, 122)
    hull = curve(
        lambda t: (370 + 180 * np.cos(t) + 16 * np.sin(t), 130 + 72 * np.sin(t) - 30 * np.cos(t)),
        0,
        2 * np.pi,
        color="orange",
        width=1.6,
        dash="6 4",
    )
    M = (440, 96)
    return svg(
        560, 260,
        blob((130, 178), 36, 0.3), blob((272, 140), 36, 0.6), blob((420, 110), 40, 0.9), line(O1, O2, color="gray", width=1.4), line(O2, O3, color="gray", width=1.4), hull,
        line(O1, M, color="green", width=1.4, tip=True), line(O2, M, color="blue", width=1.4, tip=True), dot(M, "ink", 4), maths((448, 92), "M"), (ring(x) for x in (O1, O2, O3)),
        maths((54, 228), "O_{i}"), maths((196, 182), "O_{j}"), maths((338, 152), "O_{k}"), maths((30, 60), "G_{ij} = ∫ [O_{i}M; 1] [O_{j}M; 1]' dm"),
        words((280, 250), "the bodies that joint j carries, seen from two origins", "middle"),
    )  # fmt: skip


@figure
def teaching() -> str:
    O, P = (110, 60), (172, 210)
    A, B, C = (280, 190), (392, 120), (500, 140)
    return svg(
        560, 270,
        line(O, (110, 200), color="gray", width=1.2, dash="5 4"), line(O, P, color="blue", width=6), ring(O), arc(O, 70, 270, 292, color="orange", width=1.6), maths((116, 152), "q", color="orange"),
        dot((141, 135), "green", 4.5), maths((152, 132), "m, J"), maths((178, 186), "L"), line((76, 60), (144, 60)), line((30, 90), (30, 140), width=1.8, tip=True), maths((38, 120), "g"),
        ground(A), line(A, (370, 190), color="gray", width=1.2, dash="5 4"), line(B, (448, 85), color="gray", width=1.2, dash="5 4"), line(A, B, color="blue", width=6), line(B, C, color="blue", width=6), ring(A), ring(B),
        arc(A, 52, 0, 32, color="orange", width=1.6), arc(B, 52, -10, 32, color="orange", width=1.6), maths((340, 184), "q_{1}", color="orange"), maths((450, 112), "q_{2}", color="orange"), maths((366, 112), "l"),
        dot((336, 155), "green", 4.5), dot((446, 130), "green", 4.5), maths((330, 138), "r_{1}"), maths((440, 158), "r_{2}"),
        words((110, 256), "the pendulum", "middle"), words((390, 256), "the arm", "middle"),
    )  # fmt: skip


@figure
def operations() -> str:
    """The column of the largest mechanism in the table of comparison.md, as bars."""
    page = (HERE / "theory" / "comparison.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([\w -]+)\]\([^)]*\)((?:[^|\n]*\|)+)$", page, re.M)
    made = [(n, int(cells.split("|")[5])) for n, cells in rows]
    top, wide = max(v for _, v in made), 300
    bars = [
        words((150, 30 + 30 * k), n, "end")
        + area(
            (160, 16 + 30 * k),
            (160 + wide * v / top, 16 + 30 * k),
            (160 + wide * v / top, 36 + 30 * k),
            (160, 36 + 30 * k),
            opacity=0.75,
        )
        + words((168 + wide * v / top, 31 + 30 * k), str(v))
        for k, (n, v) in enumerate(made)
    ]
    return svg(
        560,
        50 + 30 * len(made),
        bars,
        words(
            (300, 40 + 30 * len(made)),
            "operations of the inverse dynamics of a Stanford arm",
            "middle",
        ),
    )


@figure
def terms() -> str:
    parts = (
        ("A_{ij} a_{j}", "inertia", "blue"),
        ("C_{ij} v_{j}^{2}", "centrifugal", "green"),
        ("B_{ijk} v_{j} v_{k}", "Coriolis", "green"),
        ("G_{i}", "weight", "orange"),
        ("J_{ri} λ_{r}", "constraint", "orange"),
    )
    x = [112, 218, 330, 424, 512]
    boxes = [
        box((a, 90), 84 if k < 2 else 100 if k == 2 else 52 if k == 3 else 74, 52)
        + maths((a, 95), said, "middle", c)
        + words((a, 138), name, "middle")
        for k, (a, (said, name, c)) in enumerate(zip(x, parts, strict=True))
    ]
    signs = [
        maths((a, 96), s, "middle") for a, s in ((165, "+"), (270, "+"), (389, "+"), (462, "−"))
    ]
    return svg(
        560,
        190,
        maths((36, 96), "τ_{i} =", "middle"),
        boxes,
        signs,
        words(
            (280, 180),
            "each coefficient is a polynomial in sines, cosines, lengths and masses",
            "middle",
        ),
    )


@figure
def derivatives() -> str:
    pairs = list(itertools.pairwise(CHAIN))
    return svg(
        560, 290,
        _chain(), arc(CHAIN[1], 42, 30, 150, color="blue", width=2.2, tip=True), maths((196, 92), "dq_{i}", color="blue"),
        (line((a[0] + 12, a[1] - 50), (b[0] - 14, b[1] - 54), color="green", width=2.2, tip=True) for a, b in pairs[1:]), maths((380, 84), "V', A'", color="green"),
        (line((b[0] - 14, b[1] + 54), (a[0] + 14, a[1] + 58), color="orange", width=2.2, tip=True) for a, b in pairs), maths((222, 230), "2 B V' + I A'", color="orange"),
        words((280, 44), "joint i moves a little: everything outboard turns as one", "middle"), words((280, 282), "its composite wrench, carried back, is a column of ∂τ/∂q", "middle"),
    )  # fmt: skip


@figure
def lean() -> str:
    A, B = (90, 176), (270, 136)
    return svg(
        560, 260,
        blob((170, 156), 40, 0.2), blob((350, 116), 40, 0.7), line(A, B, color="gray", width=1.4), ground(A), ring(A), line((270, 196), (270, 60), color="orange", width=1.8, dash="9 4", tip=True), maths((280, 66), "z", color="orange"), ring(B),
        curve(lambda t: (350 - 180 * t, 122 + 20 * np.sin(np.pi * t) - 90 * t * (1 - t)), 0.06, 0.95, color="blue", width=2.2, tip=True), maths((236, 100), "D", "middle", "blue"), dot((350, 120), "blue", 4.5),
        words((430, 130), "m, h_{z}, J_{xx} = J_{yy}"), words((280, 226), "what a hinge cannot show of the outer link", "middle"), words((280, 246), "is counted with the inner one: fewer products, same efforts", "middle"),
    )  # fmt: skip


@figure
def flow() -> str:
    y = 90
    return svg(
        560, 190,
        block((90, y), "q, v, z, m"), block((260, y), "flow", 86), block((430, y), "v̇, ż, q̇ = N v", 128), line((138, y), (215, y), width=1.8, tip=True), line((305, y), (364, y), width=1.8, tip=True),
        line((430, 114), (430, 150), (90, 150), (90, 114), color="blue", width=1.8, tip=True), words((260, 168), "integrator: a step further", "middle"),
        line((260, 28), (260, 66), color="orange", width=1.8, tip=True), maths((270, 40), "t, u, p", color="orange"), words((320, 40), "time, inputs, parameters"),
    )  # fmt: skip
