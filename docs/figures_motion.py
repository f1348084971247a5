"""Figures of the theory pages: motion, events, small motions, robots, measuring."""

from __future__ import annotations

import itertools

import numpy as np
from drawing import (
    Plot,
    arc,
    area,
    blob,
    block,
    box,
    curve,
    dot,
    figure,
    floor,
    ground,
    line,
    maths,
    ring,
    spring,
    svg,
    words,
)  # fmt: skip


@figure
def steps() -> str:
    g = Plot(50, 40, 460, 170, (0, 3), (0, 1.1), ("t", "y"))
    f = lambda t: 0.25 + 0.6 * np.sin(1.15 * t) ** 2
    slope = lambda t: 0.69 * np.sin(2.3 * t)
    grid, stages = (0.0, 0.9, 1.6, 2.7), (0.9, 1.04, 1.25, 1.43, 1.6)
    rows = np.linspace(0, 2.7, 13)
    tick = [
        line(
            g(s - 0.07, f(s) - 0.07 * slope(s)),
            g(s + 0.07, f(s) + 0.07 * slope(s)),
            color="orange",
            width=3,
        )
        for s in stages
    ]
    return svg(
        560, 265,
        g.axes(), g.graph(f, a=0, b=2.7, color="blue", width=2.2), (line(g(s, 0), g(s, f(s)), color="gray", width=1, dash="4 4") for s in grid), (dot(g(s, f(s)), "blue", 5) for s in grid), tick, (ring(g(s, f(s)), 3, "green", 1.4) for s in rows),
        line(g(0.9, 0.06), g(1.6, 0.06), tip=True, tail=True), maths((g(1.25, 0)[0], g(0, 0.06)[1] - 8), "h", "middle"), words((150, 250), "orange: slopes of the stages", "middle", "orange"), words((400, 250), "green: rows, by dense output", "middle", "green"),
    )  # fmt: skip


@figure
def located() -> str:
    g = Plot(50, 40, 440, 170, (0, 1), (-0.5, 1.0), ("t", "g"), zero=0.0)
    f = lambda t: 0.95 - 1.9 * t**1.6 + 0.42 * t**4
    lo, hi = 0.0, 1.0
    for _ in range(60):
        lo, hi = (lo, (lo + hi) / 2) if f((lo + hi) / 2) < 0 else ((lo + hi) / 2, hi)
    looks = (0.016, 0.35, 0.7, 1.0)
    return svg(
        560, 265,
        g.axes(), g.graph(f, b=lo, color="blue", width=2.4), g.graph(f, a=lo, color="gray", width=1.6, dash="5 4"), (dot(g(s, f(s)), "green", 4) for s in looks), dot(g(lo, 0), "orange", 6),
        line(g(0, -0.36), g(1, -0.36), color="gray", tip=True, tail=True), words((g(0.5, 0)[0], g(0, -0.36)[1] - 6), "the step that was tried", "middle"), line(g(0, -0.47), g(lo, -0.47), color="orange", tip=True, tail=True), words((g(0.26, 0)[0], g(0, -0.47)[1] + 20), "the step that is taken: it ends at the event", "middle", "orange"),
        words((250, 56), "guard g, looked at four times in a step", color="green"), words((g(lo, 0)[0] + 10, g(lo, 0)[1] - 10), "event: the jump acts", color="orange"),
    )  # fmt: skip


@figure
def potential() -> str:
    g = Plot(40, 40, 230, 160, (-1.5, 1.5), (0, 1.3), ("q", "U"))
    U = lambda q: 0.35 + 0.75 * (q**4 / 3 - 0.62 * q * q + 0.1 * q)
    q0 = -1.0
    for _ in range(60):
        q0 -= (4 * q0**3 / 3 - 1.24 * q0 + 0.1) / (4 * q0 * q0 - 1.24)
    k = 0.75 * (4 * q0 * q0 - 1.24)
    P = Plot(360, 40, 150, 170, (-1, 0.4), (-1, 1), ("Re", ""), zero=0.0)
    return svg(
        560, 260,
        g.axes(), g.graph(U, color="blue", width=2.4), g.graph(lambda q: U(q0) + k * (q - q0) ** 2 / 2, a=q0 - 0.5, b=q0 + 0.72, color="orange", width=2, dash="6 4"), dot(g(q0, U(q0)), "green", 6), dot(g(0.08, U(0.08)), "gray", 5),
        words((150, 232), "rest: no slope; stiffness: curvature", "middle"), P.axes(), line(P(0, -1), P(0, 1.08), width=1.3, tip=True), maths((P(0, 1)[0] + 8, 44), "Im"), (dot(P(-0.3, s), "orange", 5) for s in (0.7, -0.7)), line(P(0, 0), P(-0.3, 0.7), color="blue", tip=True), maths((P(-0.2, 0.3)[0] - 26, P(0, 0.3)[1]), "|l|", color="blue"),
        words((436, 232), "modes: frequency |l|,", "middle"), words((436, 252), "damping −Re/|l|", "middle"),
    )  # fmt: skip


@figure
def saltation() -> str:
    hit = lambda k: (250 + 8 * k, 190.0)
    before = lambda k: lambda t: (60 + (hit(k)[0] - 60) * t, 60 - 34 * k + (130 + 34 * k) * t**1.7)
    after = lambda k: lambda t: (hit(k)[0] + 250 * t, 190 - 128 * t + 34 * t * t - 26 * k * t)
    return svg(
        560, 265,
        line((40, 190), (520, 190), width=2), words((520, 210), "g = 0", "end"), (curve(before(k), 0, 1, color=c, width=2.4 if k == 0 else 1.8, dash=d) + curve(after(k), 0, 0.98, color=c, width=2.4 if k == 0 else 1.8, dash=d, tip=True) for k, c, d in ((0, "blue", ""), (1.6, "orange", "6 4"))),
        dot(hit(0), "blue", 5), dot(hit(1.6), "orange", 5), line((150, 93), (150, 66), color="green", width=2, tip=True), maths((94, 124), "S^{−} dp", color="green"), line((420, 113), (420, 72), color="green", width=2, tip=True), maths((410, 138), "S^{+} dp", color="green"),
        line((250, 204), (263, 204), color="ink", width=2), maths((240, 226), "dτ dp"), words((280, 252), "a neighbor with another p meets its event later by dτ dp", "middle"),
    )  # fmt: skip


def _arm(at, lengths, angles, **how) -> tuple[str, list]:
    p, a = [np.asarray(at, float)], 0.0
    for length, turn in zip(lengths, angles, strict=True):
        a += np.radians(turn)
        p.append(p[-1] + length * np.array([np.cos(a), -np.sin(a)]))
    return "".join(line(x, y, **how) for x, y in itertools.pairwise(p)), p


@figure
def two_arms() -> str:
    at, (l1, l2) = (90, 200), (150, 130)
    goal = np.array([310.0, 120.0])
    d = goal - at
    far, way = np.hypot(*d), np.degrees(np.arctan2(-d[1], d[0]))
    bend = np.degrees(np.arccos((far**2 - l1**2 - l2**2) / (2 * l1 * l2)))
    lift = np.degrees(np.arccos((far**2 + l1**2 - l2**2) / (2 * far * l1)))
    up, p = _arm(at, (l1, l2), (way + lift, -bend), color="blue", width=6)
    down, q = _arm(at, (l1, l2), (way - lift, bend), color="orange", width=4, dash="10 7")
    return svg(
        560, 265,
        down, up, ground(at), (ring(x) for x in (p[0], p[1], q[1])), dot(goal, "green", 6), words((322, 112), "wanted"), line(at, goal, color="gray", width=1.2, dash="4 4"), maths((196, 152), "D", color="gray"),
        maths((322, 190), "D^{2} = l_{1}^{2} + l_{2}^{2} + 2 l_{1} l_{2} cos q_{2}"), words((322, 216), "two elbows, each named"), words((280, 254), "subproblems of this kind, one after the other, solve a whole arm", "middle"),
    )  # fmt: skip


@figure
def profiles() -> str:
    made = []
    ramp = 0.22
    t = np.linspace(0, 1, 200)
    a = np.where(t < ramp, 1, np.where(t > 1 - ramp, -1, 0)) / (ramp * (1 - ramp))
    jerk = np.zeros_like(t)
    for s, e, j in ((0, 0.11, 1), (0.11, 0.22, -1), (0.78, 0.89, -1), (0.89, 1.01, 1)):
        jerk[(t >= s) & (t < e)] = j
    step = t[1]
    smooth = np.cumsum(jerk) * step
    quintic = 60 * t - 180 * t**2 + 120 * t**3
    for k, (name, acc) in enumerate((("trapezoid", a), ("S curve", smooth), ("quintic", quintic))):
        g = Plot(50 + 176 * k, 136, 130, 76, (0, 1), (-11, 11), ("", ""), zero=0.0)
        v = np.cumsum(acc) * step
        acc, v = acc / (np.sum(v) * step), v / (np.sum(v) * step)
        h = Plot(50 + 176 * k, 40, 130, 70, (0, 1), (0, 2.2), ("", ""))
        made += [
            h.axes(),
            h.line(t, v, color="blue", width=2.2),
            g.axes(),
            g.line(t, acc, color="orange", width=2),
            words((115 + 176 * k, 240), name, "middle"),
        ]
    return svg(
        560, 260, made, maths((34, 60), "v", color="blue"), maths((34, 160), "a", color="orange")
    )


@figure
def quickest() -> str:
    g = Plot(60, 40, 400, 170, (0, 1), (0, 1.25), ("s", "s'"))
    limit = lambda s: 0.82 + 0.24 * np.cos(9 * s) + 0.12 * s
    up, down = lambda s: 1.5 * np.sqrt(s), lambda s: 1.42 * np.sqrt(np.maximum(1 - s, 0))
    s = np.linspace(0, 1, 400)
    x = np.minimum(np.minimum(up(s), limit(s)), down(s))
    return svg(
        560, 265,
        g.axes(), g.graph(limit, color="gray", width=1.6, dash="6 4"), words((330, 44), "largest speed"), g.graph(up, b=0.55, color="green", width=1.4), g.graph(down, a=0.42, color="orange", width=1.4), g.line(s, x, color="blue", width=2.8),
        words((128, 176), "full thrust", color="green"), words((330, 176), "full brake", color="orange"), words((280, 250), "the quickest motion is at a limit everywhere along the path", "middle"),
    )  # fmt: skip


@figure
def balanced() -> str:
    O, A = (180, 190), (180, 60)
    turn = np.radians(28)
    B, G = (
        (180 + 88 * np.cos(turn), 190 - 88 * np.sin(turn)),
        (180 + 190 * np.cos(turn), 190 - 190 * np.sin(turn)),
    )
    return svg(
        560, 265,
        floor((180, 60), 80, up=True), line(O, (400, 190), color="gray", width=1.2, dash="5 4"), line(O, G, color="blue", width=7), ground(O), ring(O), spring(A, B, color="orange", width=1.8), dot(A), dot(B), dot(G, "green", 7), line(G, (G[0], G[1] + 66), color="green", width=2.2, tip=True), maths((G[0] + 8, G[1] + 60), "W / l", color="green"),
        line((156, 66), (156, 186), color="gray", tip=True, tail=True), maths((138, 130), "H"), maths((212, 190), "R", color="blue"), arc(O, 120, 0, 28, color="ink", width=1.6, tip=True), maths((308, 172), "q"), maths((238, 100), "k", color="orange"),
        maths((400, 90), "k H R cos q = W cos q"), words((400, 116), "for every q:"), maths((400, 142), "k = W / (H R)"), words((280, 256), "a spring of zero free length holds the arm in every pose", "middle"),
    )  # fmt: skip


@figure
def torque_speed() -> str:
    g = Plot(40, 40, 300, 170, (0, 1.1), (0, 1.1), ("", "torque"))
    w = np.linspace(0, 1, 100)
    peak = np.minimum(0.95, np.maximum(0, 2.4 * (1 - w)))
    t = np.linspace(0, 2 * np.pi, 200)
    x, y = 0.36 + 0.3 * np.cos(t) + 0.05 * np.cos(2 * t), 0.42 + 0.36 * np.sin(t + 0.4)
    return svg(
        560, 265,
        g.under(w, peak, color="blue", opacity=0.1), g.under([0, 0.75], [0.42, 0.36], color="green", opacity=0.16), g.axes(), g.line(w, peak, color="blue", width=2.2), g.line((0, 0.75), (0.42, 0.36), color="green", width=2), g.line(x, y, color="orange", width=2.2, shut=True),
        words((378, 70), "peak, and what the", color="blue"), words((378, 88), "supply leaves", color="blue"), words((378, 118), "continuous: root mean", color="green"), words((378, 136), "square below it", color="green"), words((378, 166), "the cycle at the motor", color="orange"), words((330, 230), "speed", "middle"), words((170, 254), "a motor fits when its cycle stays inside", "middle"),
    )  # fmt: skip


@figure
def reach() -> str:
    at, (l1, l2) = (214, 232), (118, 82)
    made = []
    for far, way in ((60, 150), (110, 120), (160, 95), (196, 70), (130, 50), (70, 35)):
        c = np.array(at) + far * np.array([np.cos(np.radians(way)), -np.sin(np.radians(way))])
        bend = np.arccos((far**2 - l1**2 - l2**2) / (2 * l1 * l2))
        a1 = np.radians(way) - np.arctan2(l2 * np.sin(bend), l1 + l2 * np.cos(bend))
        J = np.array(
            [
                [-(l1 * np.sin(a1) + l2 * np.sin(a1 + bend)), -l2 * np.sin(a1 + bend)],
                [l1 * np.cos(a1) + l2 * np.cos(a1 + bend), l2 * np.cos(a1 + bend)],
            ]
        )
        u, s, _ = np.linalg.svd(J)
        made += [
            arc(
                c,
                0.16 * s[0],
                0,
                360,
                s[1] / s[0],
                np.degrees(np.arctan2(u[1, 0], u[0, 0])),
                color="orange",
                width=1.8,
            ),
            dot(c, "orange", 2.5),
        ]
    return svg(
        560, 265,
        arc(at, l1 + l2, 0, 180, color="blue", width=2), arc(at, l1 - l2, 0, 180, color="blue", width=2), area(*[(at[0] + (l1 + l2) * np.cos(a), at[1] - (l1 + l2) * np.sin(a)) for a in np.linspace(0, np.pi, 60)], *[(at[0] + (l1 - l2) * np.cos(a), at[1] - (l1 - l2) * np.sin(a)) for a in np.linspace(np.pi, 0, 60)], opacity=0.1),
        made, ring(at), line((10, 232), (424, 232), color="gray", width=1), words((426, 92), "speed of the tool"), words((426, 110), "at unit speeds of"), words((426, 128), "the joints: flat"), words((426, 146), "at full stretch"), words((280, 258), "what an arm reaches, and how well it moves there", "middle"),
    )  # fmt: skip


@figure
def feedback() -> str:
    y = 84
    return svg(
        560, 220,
        maths((36, y + 5), "q_{d}"), line((58, y), (92, y), width=1.8, tip=True), ring((104, y), 11), maths((104, y + 5), "−", "middle"), line((116, y), (152, y), width=1.8, tip=True), block((196, y), "K_{p}, K_{d}", 84), line((240, y), (272, y), width=1.8, tip=True),
        block((316, y), "M a* + h", 84), line((360, y), (392, y), width=1.8, tip=True), maths((366, y - 10), "τ"), blob((436, y), 32, 0.3), maths((436, y + 5), "robot", "middle"), line((484, y), (532, y), width=1.8, tip=True), maths((520, y - 12), "q, v"),
        line((506, y), (506, 150), (104, 150), (104, 98), color="blue", width=1.8, tip=True), line((316, 150), (316, 110), color="blue", width=1.8, tip=True), words((280, 200), "the model cancels what it knows; what is left is e'' + K_{d} e' + K_{p} e = 0", "middle"),
        line((316, 28), (316, 60), color="green", width=1.8, tip=True), maths((326, 40), "a_{d}", color="green"),
    )  # fmt: skip


@figure
def excitation() -> str:
    g = Plot(40, 40, 210, 130, (0, 1), (-1, 1), ("t", "q"), zero=0.0)
    one = lambda t: (
        0.45 * np.sin(2 * np.pi * t)
        - 0.3 * np.cos(6 * np.pi * t)
        + 0.2 * np.sin(10 * np.pi * t)
        + 0.1
    )
    two = lambda t: (
        -0.4 * np.cos(2 * np.pi * t) + 0.35 * np.sin(4 * np.pi * t) + 0.15 * np.cos(8 * np.pi * t)
    )
    Y = (
        np.array(
            [[6, 2, 4, 1], [3, 5, 1, 4], [1, 4, 6, 2], [5, 1, 3, 6], [2, 6, 2, 3], [4, 3, 5, 1]]
        )
        / 8
    )
    cells = [
        area(
            (316 + 22 * j, 44 + 22 * i),
            (338 + 22 * j, 44 + 22 * i),
            (338 + 22 * j, 66 + 22 * i),
            (316 + 22 * j, 66 + 22 * i),
            opacity=Y[i, j],
        )
        for i in range(6)
        for j in range(4)
    ]
    return svg(
        560, 250,
        g.axes(), g.graph(one, color="blue", width=2.2), g.graph(two, color="orange", width=2.2), words((150, 206), "exciting motion: few sines,", "middle"), words((150, 226), "within limits, well conditioned", "middle"), line((280, 120), (308, 120), width=1.8, tip=True), cells, maths((358, 36), "Y", "middle"),
        box((440, 110), 22, 88, fill="f-body"), maths((440, 56), "β", "middle"), maths((470, 114), "="), box((500, 110), 22, 132, fill="f-body"), maths((500, 36), "τ", "middle"), words((410, 206), "efforts are linear in the", "middle"), words((410, 226), "base parameters: least squares", "middle"),
    )  # fmt: skip
