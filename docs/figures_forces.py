"""Figures of the theory pages: loops, contact, reactions, forces, drives, crash."""

from __future__ import annotations

import numpy as np
from drawing import (
    Plot,
    arc,
    area,
    blob,
    box,
    curve,
    damper,
    dot,
    figure,
    floor,
    frame,
    ground,
    line,
    maths,
    ring,
    spring,
    svg,
    words,
)  # fmt: skip


@figure
def loops() -> str:
    A, B, C, D = (80, 200), (160, 100), (390, 76), (460, 200)
    return svg(
        560, 265,
        ground(A), ground(D), (line(a, b, color="blue", width=6) for a, b in ((A, B), (B, C), (D, C))), (ring(x) for x in (A, B, C, D)), arc(C, 18, 0, 360, color="orange", width=1.6, dash="5 4"),
        (maths((x + dx, y - 8), n) for n, (x, y), dx in zip("ABCD", (A, B, C, D), (-24, -24, -30, 12), strict=True)), arc(A, 40, 0, 50, color="green", width=1.8, tip=True), maths((122, 182), "q_{1}", color="green"),
        line(C, (430, 40), color="orange", width=2, tip=True), maths((436, 40), "λ", color="orange"), line(C, (350, 112), color="orange", width=2, tip=True), maths((320, 120), "−λ", color="orange"),
        words((270, 36), "the cut hinge: closure(X) = 0", "middle"), words((280, 256), "tree: A, B, D;  rows of the loop: J v = 0, forces J' λ", "middle"),
    )  # fmt: skip


@figure
def rolling() -> str:
    C, r = (150, 128), 78
    low = (150, 206)
    egg = lambda t: (
        410 + 92 * np.cos(t) * np.cos(0.35) - 54 * np.sin(t) * np.sin(0.35),
        142 + 92 * np.cos(t) * np.sin(0.35) + 54 * np.sin(t) * np.cos(0.35),
    )
    foot = max((egg(t) for t in np.linspace(0, 2 * np.pi, 2000)), key=lambda p: p[1])
    return svg(
        560, 265,
        floor((150, 206), 240), arc(C, r, 0, 360, width=2), line(C, low, color="gray", dash="5 4"), dot(C), line(C, (228, 128), color="green", width=2.2, tip=True), maths((232, 122), "u", color="green"),
        arc(C, 40, 120, 20, color="blue", width=2, tip=True), maths((160, 82), "w", color="blue"), dot(low, "orange", 5), maths((124, 176), "arm"), words((150, 240), "u + w × arm = 0 at the contact", "middle"),
        floor((410, foot[1]), 230), curve(egg, 0, 2 * np.pi, width=2), dot((410, 142)), line((410, 142), foot, color="gray", dash="5 4"), dot(foot, "orange", 5),
        line((512, foot[1]), (512, 142), color="blue", width=1.4, tip=True, tail=True), line((410, 142), (512, 142), color="gray", width=0.9, dash="4 4"), maths((494, 130), "h(−R' n)", color="blue"), line(foot, (foot[0], foot[1] + 0.1 - 60), color="green", width=2, tip=True), maths((foot[0] + 8, foot[1] - 44), "n", color="green"),
        words((410, 240), "a convex body by its support h", "middle"),
    )  # fmt: skip


@figure
def self_stress() -> str:
    at = [(70, 190), (70, 70), (230, 70), (230, 190)]
    sides = [line(a, b, color="blue", width=5) for a, b in zip(at, at[1:] + at[:1], strict=True)]
    return svg(
        560, 265,
        sides, line(at[0], at[2], color="orange", width=4), line(at[1], at[3], color="orange", width=4), (ring(p) for p in at),
        line((120, 128), (96, 104), color="ink", width=2, tip=True), line((180, 160), (204, 184), color="ink", width=2, tip=True),
        words((140, 226), "a bar too many: tight", "middle"), words((140, 246), "with no load at all", "middle"),
        blob((400, 120), 52, 0.4), line((458, 92), (512, 66), color="orange", width=2.4, tip=True), maths((508, 56), "F", color="orange"), line((346, 158), (306, 192), color="orange", width=2.4, tip=True), line((400, 120), (400, 196), color="green", width=2.2, tip=True), maths((408, 192), "m g", color="green"),
        ring((456, 94), 5), ring((348, 156), 5), dot((400, 120), "green"), words((400, 226), "a part cut free: cut wrenches", "middle"), words((400, 246), "and its weight move it", "middle"),
    )  # fmt: skip


@figure
def cone() -> str:
    p = (140, 200)
    mu = np.tan(np.radians(28))
    rim = lambda t: (p[0] + 140 * mu * np.cos(t), p[1] - 140 + 18 * np.sin(t))
    g = Plot(300, 40, 120, 180, (-1, 1), (-1.15, 1.15), ("u", ""), zero=0.0)
    return svg(
        560, 265,
        floor((140, 200), 220), area(p, *(rim(t) for t in np.linspace(np.pi, 0, 30)), color="blue"), line(p, rim(np.pi), color="blue"), line(p, rim(0), color="blue"), curve(rim, 0, 2 * np.pi, color="blue", width=1.4),
        line(p, (140, 78), color="gray", width=1.6, dash="5 4"), maths((146, 92), "λ_{n}", color="gray"), line(p, (172, 104), color="orange", width=2.4, tip=True), maths((178, 116), "λ", color="orange"), maths((222, 66), "μ λ_{n}"), words((140, 236), "holds while λ is inside", "middle"),
        g.axes(), maths((368, 40), "f"), g.line((-1, -0.02), (1, 1), color="blue", width=2.2), g.line((0.02, 1), (-1, -1), color="blue", width=2.2), line(g(0, 1), g(0, -1), color="orange", width=3.2),
        line((360, 50), (360, 214), color="gray", width=0.9), words((450, 96), "stuck:"), words((450, 114), "any force"), words((450, 132), "between"), words((380, 250), "sliding: −f against the slip", "middle"),
    )  # fmt: skip


@figure
def sliding() -> str:
    """Filippov: fields on both sides of a knot that point at it hold the motion on it."""
    left, right = (
        [(x, y) for x in (60, 110, 160) for y in (70, 120, 170)],
        [(x, y) for x in (250, 300, 350) for y in (70, 120, 170)],
    )
    return svg(
        560, 260,
        line((205, 40), (205, 206), width=2.2), (line(p, (p[0] + 34, p[1] - 10), color="blue", tip=True) for p in left), (line(p, (p[0] - 34, p[1] - 22), color="green", tip=True) for p in right),
        line((205, 190), (205, 60), color="orange", width=3, tip=True), maths((388, 172), "f = α f^{+} + (1 − α) f^{−}", color="orange"), maths((70, 226), "f^{−}", color="blue"), maths((330, 226), "f^{+}", color="green"), words((205, 226), "knot", "middle"),
        words((388, 84), "both sides push"), words((388, 104), "towards the knot:"), words((388, 124), "the motion stays on it"), words((388, 144), "until one side lets go"),
    )  # fmt: skip


@figure
def laws() -> str:
    a, b = (90, 160), (300, 90)
    g = Plot(400, 70, 120, 120, (0, 1), (0, 1), ("x", "T"))
    return svg(
        560, 260,
        blob((66, 172), 38, 0.2), blob((338, 82), 40, 0.9), spring(a, b, color="blue"), dot(a), dot(b), maths((84, 186), "a"), maths((304, 112), "b"),
        line(a, (150, 140), color="orange", width=2.4, tip=True), maths((140, 128), "T e", "middle", "orange"), line(b, (240, 110), color="orange", width=2.4, tip=True), maths((226, 92), "−T e", "middle", "orange"),
        line((96, 196), (306, 126), color="gray", tip=True, tail=True), maths((206, 184), "x = |b − a|", color="gray"), g.axes(), g.graph(lambda s: 0.2 * s + 0.75 * s**3, color="blue", width=2.2),
        words((280, 232), "a law sees a deflection and its rate;", "middle"), words((280, 252), "the line of action makes forces of its tension", "middle"),
    )  # fmt: skip


@figure
def crushing() -> str:
    g = Plot(70, 40, 300, 180, (0, 1), (0, 1), ("", "force"))
    X, Y = np.array([0, 0.18, 0.5, 0.62, 0.98]), np.array([0, 0.55, 0.62, 0.9, 0.95])
    load = lambda x: float(np.interp(x, X, Y))
    k, turn = 4.2, 0.56
    flat = turn - load(turn) / k
    t = np.linspace(0, turn, 60)
    return svg(
        560, 270,
        g.under([*t, flat], [*(load(s) for s in t), 0.0], color="blue"), area(g(turn, 0), g(turn, load(turn)), g(flat, 0), color="green", opacity=0.3),
        g.axes(), g.line(X, Y, color="blue", width=2.4), g.line((turn, flat), (load(turn), 0), color="orange", width=2.4), dot(g(turn, load(turn)), "orange", 4.5), dot(g(flat, 0), "orange", 4.5),
        line(np.add(g(0.3, load(0.3)), (-20, -10)), np.add(g(0.42, load(0.42)), (-20, -12)), color="blue", tip=True), line(np.add(g(turn, load(turn)), (-10, 24)), np.add(g(turn, load(turn)), (-24, 82)), color="orange", tip=True), line(np.add(g(flat, 0), (14, -14)), np.add(g(flat, 0), (28, -68)), color="orange", tip=True),
        words((388, 78), "loading: the curve"), words((388, 104), "unloading and loading", color="orange"), words((388, 122), "again: one line,", color="orange"), words((388, 140), "slope k_{u}", color="orange"), words((388, 168), "green: comes back,", color="green"), words((388, 186), "F^{2} / (2 k_{u})", color="green"), words((388, 212), "blue: lost for good", color="blue"),
        words((g(flat, 0)[0], 240), "permanent set", "middle"), words((370, 240), "crush", "middle"), maths((g(turn, load(turn))[0] + 8, g(turn, load(turn))[1] + 18), "d*, F*"),
    )  # fmt: skip


@figure
def drive() -> str:
    y = 110
    return svg(
        560, 250,
        box((80, y), 76, 84), maths((80, y + 5), "J, b", "middle"), words((80, 46), "rotor", "middle"), line((118, y), (170, y), width=3),
        area((170, 66), (190, 66), (190, 154), (170, 154), color="ink", opacity=0.3), area((190, 86), (210, 86), (210, 134), (190, 134), color="ink", opacity=0.5), maths((190, 58), "N", "middle"), words((190, 180), "gear", "middle"), line((210, y), (250, y), width=3),
        spring((250, y - 16), (350, y - 16), color="blue"), damper((250, y + 18), (350, y + 18), color="blue"), line((250, y - 16), (250, y + 18)), line((350, y - 16), (350, y + 18)), maths((300, 76), "k", "middle", "blue"), maths((300, 160), "c", "middle", "blue"), words((300, 180), "shaft", "middle"),
        line((350, y), (400, y), width=3), blob((460, y), 44, 0.3), words((470, 180), "link", "middle"), arc((80, y), 58, 60, 120, color="orange", width=2, tip=True), maths((20, 66), "u", color="orange"),
        line((60, 206), (60, 220), (350, 220), (350, 206), color="gray", width=1.2), maths((205, 240), "x = q_{M} − q_{L},  all reduced to the joint: N^{2} J, N u", "middle"),
    )  # fmt: skip


@figure
def members() -> str:
    y = 118
    return svg(
        560, 250,
        line((500, 40), (500, 196), width=3), (line((500, 46 + 14 * k), (512, 54 + 14 * k), color="gray", width=1.2) for k in range(11)), words((506, 216), "wall", "middle"),
        box((110, y), 130, 70), words((110, y + 5), "cabin", "middle"), box((320, y + 14), 60, 44), words((320, y + 18), "engine", "middle"),
        line(*((175 + 9 * k, y - 22 + (7 if k % 2 else -7)) for k in range(17)), (330, y - 44), (490, y - 44), color="blue", width=2), spring((175, y + 16), (290, y + 16), 5, color="blue"), line(*((350 + 8 * k, y + 14 + (7 if k % 2 else -7)) for k in range(18)), color="blue", width=2),
        dot((490, y - 44), "orange", 4.5), maths((482, 62), "a", "middle", "orange"), line((500, 180), (450, 180), color="green", width=2.2, tip=True), maths((452, 200), "n", color="green"),
        line((70, 62), (130, 62), color="orange", width=2.2, tip=True), maths((92, 52), "v_{0}", color="orange"), words((280, 240), "members: laws on the depth of a point a behind a plane with normal n", "middle"),
    )  # fmt: skip


@figure
def pulse() -> str:
    g = Plot(60, 40, 200, 170, (0, 0.1), (0, 1.1), ("t", "v"))
    t = np.linspace(0, 0.1, 80)
    v = np.where(t < 0.075, 0.5 * (1 + np.cos(np.pi * t / 0.075)), 0.0)
    t1, t2 = 0.026, 0.068
    at2 = float(np.interp(t2, t, v))
    h = Plot(330, 40, 180, 170, (0, 0.1), (0, 1.1), ("t", "a"))
    a = lambda s: np.exp(-(((s - 0.05) / 0.018) ** 2)) * (1 + 0.22 * np.sin(420 * s))
    w = np.linspace(0.0425, 0.0575, 30)
    return svg(
        560, 270,
        g.axes(), g.line(t, v, color="blue", width=2.4), words((72, 170), "cabin", color="blue"), g.line((0, t1, t2), (1.0, 1.0, at2), color="orange", width=2.2), words((136, 34), "occupant", color="orange"), dot(g(t1, 1.0), "orange"), dot(g(t2, at2), "orange"),
        maths((g(t1, 0)[0] - 4, 228), "t_{1}"), maths((g(t2, 0)[0] - 4, 228), "t_{2}"), line(g(t1, 0), g(t1, 1), color="gray", width=1, dash="4 4"), line(g(t2, 0), g(t2, at2), color="gray", width=1, dash="4 4"),
        words((160, 258), "OLC: the slope between t_{1} and t_{2}", "middle"), h.under(w, [a(s) for s in w], color="orange", opacity=0.3), h.axes(), h.graph(a, color="blue", width=2.2), maths((h(0.05, 0)[0], 228), "15 ms", "middle"),
        words((420, 258), "HIC: the worst window", "middle"),
    )  # fmt: skip


@figure
def inertia_box() -> str:
    x, y, w, h, d = 90, 90, 150, 80, 44
    g = Plot(350, 40, 170, 160, (0, 1), (0, 1), ("t", ""))
    f = lambda s: 0.2 + 0.25 * np.sin(9 * s) ** 2 + 0.5 * np.exp(-(((s - 0.62) / 0.03) ** 2))
    keep = np.array(
        [0, 0.09, 0.18, 0.27, 0.36, 0.45, 0.54, 0.585, 0.62, 0.655, 0.72, 0.8, 0.9, 1.0]
    )
    top = [(x, y), (x + d, y - 30), (x + w + d, y - 30), (x + w, y)]
    side = [(x + w, y), (x + w + d, y - 30), (x + w + d, y + h - 30), (x + w, y + h)]
    return svg(
        560, 260,
        area(*top, opacity=0.25), area(*side, opacity=0.4), area((x, y), (x + w, y), (x + w, y + h), (x, y + h), opacity=0.14), line(*top, shut=True), line(*side, shut=True), line((x, y), (x + w, y), (x + w, y + h), (x, y + h), shut=True),
        maths((x + w / 2, y + h + 20), "e_{1}", "middle"), maths((x + w + d + 8, y + 16), "e_{2}"), maths((x - 4, y - 14), "e_{3}"), dot((x + w / 2 + d / 2, y + h / 2 - 15), "green", 4.5),
        words((180, 232), "the box with the body's inertia", "middle"), g.axes(), g.graph(f, n=300, color="gray", width=1.2), g.line(keep, [f(s) for s in keep], color="blue", width=2), (dot(g(s, f(s)), "blue", 3) for s in keep), words((440, 232), "rows kept: peaks stay", "middle"),
    )  # fmt: skip


@figure
def contact_frame() -> str:
    surface = lambda t: (60 + 440 * t, 196 - 50 * np.sin(2.6 * t + 0.2))
    p = surface(0.45)
    n, s = np.array([0.075, -1.0]), np.array([1.0, 0.075])
    ball = np.array(p) + 62 * n
    return svg(
        560, 250,
        curve(surface, 0, 1, width=2.2), arc(ball + 18 * n, 50, 0, 360, color="blue", width=2), dot(ball + 18 * n), dot(p, "orange", 4.5), line(p, ball + 12 * n, color="green", width=2.2, tip=True), maths(ball + (8, 6), "n", color="green"), line(p, p + 90 * s, color="blue", width=2, tip=True), maths(p + 96 * s + (0, 6), "d_{1}", color="blue"),
        line(p + 3 * n, p + 29 * n, color="orange", width=1.4), maths((150, 142), "gap ≥ 0"), maths((150, 118), "λ_{n} ≥ 0"), words((280, 240), "closed: gap = 0, the row pushes only; open: no force", "middle"), frame((60, 92), 34, 0.0, "W", only="xz"),
    )  # fmt: skip
