"""Figures of the theory pages: python docs/figures.py writes docs/theory/figures.

This file: frames, joints, trees.  `figures_formalisms`, `figures_forces` (loops, contact, crash too) and
`figures_motion` (robots, measuring too) have the others.  Everything is SVG, drawn by `drawing` and kept.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from drawing import (
    FIGURES,
    arc,
    area,
    blob,
    box,
    curve,
    dot,
    figure,
    floor,
    frame,
    ground,
    line,
    maths,
    ring,
    svg,
    words,
)  # fmt: skip

HERE = Path(__file__).parent


@figure
def frames() -> str:
    W, B = (80, 215), (390, 150)
    return svg(
        560, 270,
        blob((420, 135), 68, 0.4),
        frame(W, 62, 0.0, "W"), frame(B, 56, -0.45, "B", "blue"),
        line((88, 212), (382, 152), color="orange", width=1.8, tip=True, dash="6 4"),
        maths((150, 150), "X_{WB} = (R_{WB}, p_{WB})"),
        words((56, 258), "world"), words((450, 66), "body"),
        dot((440, 182), "green", 4.5), maths((449, 188), "c"),
    )  # fmt: skip


@figure
def screws() -> str:
    O = (340, 170)
    return svg(
        560, 280,
        blob((360, 180), 78, 0.1), frame(O, 56, -0.2, "B", "blue"),
        line(O, (340, 46), color="orange", width=2.4, tip=True), arc((340, 78), 25, 110, 420, 0.35, color="orange", width=1.8, tip=True),
        maths((356, 52), "ω", color="orange"),
        line(O, (462, 138), color="green", width=2.4, tip=True), maths((468, 136), "v", color="green"),
        maths((30, 60), "twist  V_{B} = (ω, v)"), maths((30, 92), "wrench  F_{B} = (n, f)"),
        maths((30, 124), "power  F_{B} · V_{B}"),
        words((30, 262), "both at the origin of the body's frame, in its axes"),
    )  # fmt: skip


@figure
def rotations() -> str:
    O, r, up = (150, 220), 92, 120
    C = (150, 220 - up)
    a, b = np.radians(200), np.radians(320)
    p, q = ((C[0] + r * np.cos(t), C[1] - 0.34 * r * np.sin(t)) for t in (a, b))
    x = lambda k: 330 + 62 * k
    turns = [
        line((x(k), 170), (x(k), 96), color=c, width=2.2, tip=True)
        + arc((x(k), 122), 17, 120, 420, 0.35, color=c, tip=True)
        + maths((x(k) - 4, 84), n, "middle", c)
        for k, (n, c) in enumerate((("a_{1}", "blue"), ("a_{2}", "orange"), ("a_{3}", "green")))
    ]
    return svg(
        560, 260,
        arc(C, r, 0, 360, 0.34, color="gray", dash="4 4", width=1.3), line(O, (150, 36), color="orange", width=2.2, tip=True), maths((160, 44), "u", color="orange"),
        line(O, p, color="blue", width=2.2, tip=True), line(O, q, color="blue", width=2.2, tip=True), maths((p[0] - 22, p[1] + 6), "r", color="blue"), maths((q[0] + 8, q[1] + 8), "R r", color="blue"),
        arc(C, r, 205, 315, 0.34, color="ink", tip=True), line(C, p, color="gray", width=1.2), line(C, q, color="gray", width=1.2), maths((147, 122), "t", "middle"),
        dot(O), words((150, 248), "one turn by t about u", "middle"),
        turns, line((x(0) + 22, 134), (x(1) - 24, 134), color="gray", tip=True), line((x(1) + 22, 134), (x(2) - 24, 134), color="gray", tip=True),
        words((392, 200), "three turns, each about an axis", "middle"), words((392, 220), "that the ones before have moved", "middle"),
        maths((392, 248), "R = R_{i}(a_{1}) R_{j}(a_{2}) R_{k}(a_{3})", "middle"),
    )  # fmt: skip


@figure
def exponential() -> str:
    place = lambda t: (90 + 92 * t, 140 - 58 * np.sin(2.1 * t))
    depth = lambda t: 26 * np.cos(2.1 * t)
    path = lambda t: (place(t)[0] + 0.6 * depth(t), place(t)[1] + 0.4 * depth(t))
    poses = [
        frame(path(t), 30, -1.05 * t, "", c, "xy")
        for t, c in ((0.0, "ink"), (2.0, "blue"), (4.0, "blue"))
    ]
    return svg(
        560, 260,
        line((40, 140), (525, 140), color="orange", width=1.6, tip=True, dash="8 5"), words((520, 166), "screw axis", "end"),
        curve(path, 0, 4.0, color="green", width=2), poses,
        maths((92, 196), "1"), maths((path(2.0)[0] + 10, path(2.0)[1] + 24), "exp(V/2)"), maths((path(4.0)[0] + 20, path(4.0)[1] - 8), "exp V"),
        words((280, 246), "a constant twist V moves a body along a helix", "middle"),
    )  # fmt: skip


@figure
def joints() -> str:
    P, F, M = (70, 205), (220, 160), (320, 128)
    return svg(
        560, 280,
        blob((112, 195), 60, 0.2), blob((432, 128), 64, 0.9),
        frame(P, 46, 0.0, "P"), frame(F, 42, -0.15, "F"), frame(M, 42, -0.75, "M", "blue"),
        line((78, 201), (213, 162), color="gray", width=1.4, tip=True, dash="5 4"), line((228, 158), (312, 131), color="orange", width=2, tip=True),
        maths((118, 160), "X_{PF}"), maths((216, 84), "X_{FM}(q)"),
        words((54, 268), "parent"), words((430, 214), "child, frame M"),
        words((200, 244), "a joint grants the twist  S(q) v  of M in F"),
    )  # fmt: skip


@figure
def jacobian() -> str:
    O, B = (90, 200), (420, 92)
    elbow = (230, 92)
    return svg(
        560, 260,
        line(O, elbow, color="blue", width=7), line(elbow, B, color="blue", width=7), ground(O), ring(O), ring(elbow),
        line(O, (90, 66), color="orange", width=2.2, tip=True), maths((100, 72), "w_{k}", color="orange"),
        line(O, (412, 96), color="gray", width=1.4, dash="5 4", tip=True), maths((268, 164), "r", color="gray"),
        line(B, (452, 186), color="green", width=2.4, tip=True), maths((462, 190), "v_{k} + w_{k} × r", color="green"),
        frame(B, 40, -0.3, "B"),
        words((280, 252), "column k of the Jacobian: motion of B when only speed k is one", "middle"),
    )  # fmt: skip


@figure
def tree() -> str:
    at = {0: (90, 210), 1: (90, 130), 2: (50, 60), 3: (130, 60)}
    links = [line(at[a], at[b], color="blue", width=5) for a, b in ((0, 1), (1, 2), (1, 3))]
    size, left, top = 38, 300, 62
    full = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 2)}
    cells = [
        area(
            (left + size * j, top + size * i),
            (left + size * (j + 1), top + size * i),
            (left + size * (j + 1), top + size * (i + 1)),
            (left + size * j, top + size * (i + 1)),
            color="blue",
            opacity=0.5 if i == j else 0.22,
        )
        for i, j in full
    ]
    grid = [
        line((left + size * k, top), (left + size * k, top + 3 * size), color="gray", width=0.8)
        + line((left, top + size * k), (left + 3 * size, top + size * k), color="gray", width=0.8)
        for k in range(4)
    ]
    zero = [
        maths((left + size * (j + 0.5), top + size * (i + 0.5) + 6), "0", "middle")
        for i, j in ((1, 2), (2, 1))
    ]
    return svg(
        560, 260,
        links, ground(at[0]), (ring(p) for p in (at[0], at[1])), (dot(p, "blue", 5) for p in (at[2], at[3])),
        maths((106, 200), "1"), maths((36, 106), "2"), maths((134, 106), "3"), cells, grid, zero,
        maths((210, 126), "H ="), maths((440, 126), "a + C v + G"), words((120, 250), "two branches on one link", "middle"),
        words((362, 206), "entries of two branches are zero", "middle"),
    )  # fmt: skip


@figure
def dh() -> str:
    A, B, C = (130, 190), (130, 92), (390, 92)
    tilt = np.array([0.42, -0.9])
    return svg(
        560, 280,
        line((130, 252), (130, 28), color="orange", width=2, tip=True, dash="9 4"), maths((140, 38), "z_{i−1}, joint axis", color="orange"),
        line(C - 80 * tilt, C + 80 * tilt, color="orange", width=2, tip=True, dash="9 4"), maths((438, 36), "z_{i}", color="orange"),
        line((390, 150), (390, 28), color="gray", width=1.2, dash="3 3"), arc(C, 44, 90, 66, color="green", width=2, tip=True), maths((398, 34), "α", color="green"),
        line(B, C, color="blue", width=3), maths((250, 82), "d, along the common normal", "middle", "blue"),
        line(A, (222, 222), color="ink", width=2, tip=True), maths((230, 230), "x_{i−1}"),
        line(A, (222, 190), color="gray", width=1.2, dash="3 3"), line(C, (480, 92), width=2, tip=True), maths((488, 98), "x_{i}"),
        arc(A, 66, -19, 0, color="green", width=2, tip=True), maths((206, 182), "θ", color="green"),
        line((112, 188), (112, 94), color="blue", width=1.4, tip=True, tail=True), maths((96, 146), "r", color="blue"), dot(A), dot(B), dot(C),
        words((390, 200), "from one axis to the next:", "middle"), words((390, 220), "θ about z and r along it,", "middle"), words((390, 240), "d along x and α about it", "middle"),
    )  # fmt: skip


@figure
def wishbone() -> str:
    A, B, C, D = (120, 175), (290, 190), (275, 78), (150, 92)
    W, wheel = (352, 132), (352, 222)
    ua, ud = np.subtract(A, B), np.subtract(D, C)
    k = np.linalg.solve(np.array([ua, -ud]).T, np.subtract(C, B))[0]
    I = np.array(B) + k * ua
    return svg(
        560, 300,
        floor((330, 222), 400), line((60, 60), (60, 222), color="gray", width=1.2, dash="9 4"), words((60, 48), "middle plane", "middle"),
        box(W, 46, 180, r=10), line(A, B, color="blue", width=6), line(D, C, color="blue", width=6), line(B, C, color="ink", width=5), line((282, 134), W, width=4),
        (ring(p) for p in (A, B, C, D)), line(B, B + 1.62 * ua, color="gray", width=1.1, dash="5 4"), line(C, C + 2.1 * ud, color="gray", width=1.1, dash="5 4"),
        line(wheel, np.array(wheel) + 0.55 * (I - wheel), color="orange", width=1.4, dash="7 4"), dot(wheel, "orange", 4.5),
        dot((60, 222 + (I[1] - 222) * (352 - 60) / (352 - I[0])), "orange", 5), words((68, 248), "roll center"),
        line((420, 160), (420, 104), color="green", width=2.2, tip=True), maths((430, 132), "s", color="green"), words((444, 132), "travel"),
        words((212, 166), "lower arm", "middle"), words((214, 68), "upper arm", "middle"),
        words((280, 286), "one coordinate s; the knuckle's pose X(s) follows from the bars", "middle"),
    )  # fmt: skip


@figure
def rheonomic() -> str:
    P, F = (90, 210), (290, 130)
    path = lambda t: (90 + 200 * t, 210 - 80 * t - 46 * np.sin(np.pi * t))
    M = (410, 190)
    return svg(
        560, 270,
        frame(P, 44, 0.0, "P"), curve(path, 0.08, 0.94, color="orange", width=2, tip=True, dash="6 4"), maths((66, 76), "X_{PF}(t)", color="orange"), words((66, 98), "known in time"),
        frame(F, 40, -0.35, "F", "orange"), line(F, M, color="blue", width=7), ring(F), dot(M, "green", 7),
        line(F, (290, 230), color="gray", width=1.2, dash="5 4"), arc(F, 62, 270, 333, color="blue", width=1.8, tip=True), maths((318, 214), "q", color="blue"),
        line(M, (455, 118), color="green", width=2.2, tip=True), maths((460, 120), "S v + D", color="green"),
        words((280, 260), "the placement adds its twist D; screws S and mass matrix stay the joint's", "middle"),
    )  # fmt: skip


@figure
def beam() -> str:
    O, L = np.array((80.0, 190.0)), 400.0
    bent = lambda x: O + np.array([L * (x - 0.07 * x**3), -130 * x**2 * (1 - x / 3) * 1.5])
    slope = lambda x: (bent(min(x + 0.01, 1.0)) - bent(x - 0.01)) / 0.02
    across = lambda x: np.array([-slope(x)[1], slope(x)[0]]) / np.hypot(*slope(x))
    nodes = (0.03, 0.12, 0.27, 0.45, 0.63, 0.79, 0.91, 0.985)
    tip = bent(1.0)
    return svg(
        560, 260,
        frame(O, 46, 0.0, "", "gray"), line(O, O + np.array([L, 0.0]), color="gray", width=1.2, dash="6 4"), curve(bent, 0.0, 1.0, color="blue", width=3),
        (line(bent(x) - 15 * across(x), bent(x) + 15 * across(x), color="orange", width=3) for x in nodes),
        line(O + np.array([L, 0.0]), (tip[0], O[1]), color="green", width=2.2, tip=True), maths((tip[0] + 10, O[1] + 24), "s", color="green"), line((tip[0], O[1]), tip, color="gray", width=1, dash="4 4"), dot(tip, "ink", 4),
        maths((tip[0] + 8, (O[1] + tip[1]) / 2), "w"), words((250, 60), "slices at the nodes", "middle", "orange"), words((280, 250), "a beam that bends brings its tip nearer by s", "middle"),
    )  # fmt: skip


def made() -> dict[str, str]:
    """Every figure by its name."""
    import figures_forces  # noqa: F401
    import figures_formalisms  # noqa: F401
    import figures_motion  # noqa: F401

    return {name: draw() for name, draw in FIGURES.items()}


def main() -> None:
    out = HERE / "theory" / "figures"
    out.mkdir(parents=True, exist_ok=True)
    for name, text in made().items():
        (out / f"{name}.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
