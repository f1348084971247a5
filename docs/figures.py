"""Figures of the manual in one line style: python docs/figures.py writes docs/theory/figures.

Frames are drawn from poses, joints and loops from lines; everything is SVG, made here and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
INK, GREY, BLUE, ORANGE, GREEN = "#1b1f24", "#8a939e", "#0b5fa5", "#d55e00", "#009e73"
FIGURES: dict[str, Callable[[], str]] = {}


def figure(f: Callable[[], str]) -> Callable[[], str]:
    FIGURES[f.__name__] = f
    return f


def svg(width: float, height: float, *parts: str) -> str:
    style = (
        "text{font:italic 15px Georgia,'Times New Roman',serif;fill:#1b1f24}"
        ".n{font:13px system-ui,sans-serif;fill:#57606a;font-style:normal}"
    )
    tips = "".join(
        f'<marker id="{n}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 1l9 4-9 4z" fill="{c}"/></marker>'
        for n, c in (("k", INK), ("b", BLUE), ("o", ORANGE), ("g", GREEN), ("e", GREY))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">'
        f'<rect width="100%" height="100%" fill="#fff"/><style>{style}</style><defs>{tips}</defs>'
        f"{''.join(parts)}</svg>\n"
    )


def line(a, b, color=INK, width=1.6, tip="", dash="") -> str:
    more = f' marker-end="url(#{tip})"' if tip else ""
    more += f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path d="M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" stroke="{color}" '
        f'stroke-width="{width}" fill="none" stroke-linecap="round"{more}/>'
    )


def text(at, words, kind="", anchor="start") -> str:
    return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}" class="{kind}">{words}</text>'


def sub(a, b) -> str:
    return f'{a}<tspan baseline-shift="sub" font-size="11">{b}</tspan>'


def blob(at, r, turn=0.0) -> str:
    """A body: a smooth closed shape."""
    t = np.linspace(0, 2 * np.pi, 60)
    rho = r * (1 + 0.16 * np.cos(2 * t + 1) + 0.08 * np.sin(3 * t))
    x, y = at[0] + 1.25 * rho * np.cos(t + turn), at[1] + rho * np.sin(t + turn)
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<path d="M{path}Z" fill="#eef3f8" stroke="{INK}" stroke-width="1.2"/>'


def axes(at, size, turn, name, color=INK, tip="k") -> str:
    """A frame seen obliquely: x, y, z arrows turned by an angle in the page."""
    base = {"x": (0.95, 0.32), "y": (0.55, -0.52), "z": (0.0, -1.0)}
    c, s = np.cos(turn), np.sin(turn)
    out = []
    for axis, (a, b) in base.items():
        end = (at[0] + size * (c * a - s * b), at[1] + size * (s * a + c * b))
        out.append(line(at, end, color, 1.8, tip))
        out.append(text((end[0] + 4, end[1] + 4), sub(axis, name)))
    dot = f'<circle cx="{at[0]}" cy="{at[1]}" r="3" fill="{color}"/>'
    return "".join(out) + dot


def pin(at, r=6) -> str:
    return (
        f'<circle cx="{at[0]}" cy="{at[1]}" r="{r}" fill="#fff" stroke="{INK}" stroke-width="1.8"/>'
    )


def ground(at, width=34) -> str:
    x, y = at
    hatch = "".join(
        line((x - width / 2 + k, y + 14), (x - width / 2 + k - 7, y + 22), GREY, 1.1)
        for k in range(6, int(width) + 1, 7)
    )
    roof = f'<path d="M{x} {y}l-10 14h20z" fill="none" stroke="{INK}" stroke-width="1.4"/>'
    return roof + line((x - width / 2, y + 14), (x + width / 2, y + 14)) + hatch


@figure
def frames() -> str:
    W, B = (90, 220), (430, 150)
    return svg(
        600, 280,
        blob((450, 140), 68, 0.4),
        axes(W, 62, 0.0, "W"), axes(B, 58, -0.45, "B", BLUE, "b"),
        line((96, 216), (424, 153), ORANGE, 1.8, "o", "6 4"),
        text((200, 150), f"{sub('X', 'WB')} = ({sub('R', 'WB')}, {sub('p', 'WB')})"),
        text((66, 262), "world", "n"), text((490, 96), "body", "n"),
        f'<circle cx="470" cy="128" r="4" fill="{GREEN}"/>', text((479, 127), "c"),
    )  # fmt: skip


@figure
def screws() -> str:
    O = (300, 170)
    turn = '<path d="M276 66a26 9 0 1 0 46 -4" fill="none" stroke="{}" stroke-width="1.8" marker-end="url(#{})"/>'
    return svg(
        600, 290,
        blob((320, 180), 78, 0.1), axes(O, 60, -0.2, "B", BLUE, "b"),
        line(O, (300, 48), ORANGE, 2.4, "o"), turn.format(ORANGE, "o"), text((316, 60), "ω"),
        line(O, (420, 150), GREEN, 2.4, "g"), text((428, 150), "v"),
        text((40, 60), f"twist {sub('V', 'B')} = (ω, v)"), text((40, 88), f"wrench {sub('F', 'B')} = (n, f)"),
        text((40, 116), f"power = {sub('F', 'B')} · {sub('V', 'B')}"),
        text((40, 262), "both at the origin of the frame, in its axes", "n"),
    )  # fmt: skip


@figure
def joints() -> str:
    P, F, M = (80, 210), (250, 160), (360, 130)
    return svg(
        640, 290,
        blob((120, 200), 62, 0.2), blob((480, 130), 66, 0.9),
        axes(P, 48, 0.0, "P"), axes(F, 44, -0.15, "F"), axes(M, 44, -0.75, "M", BLUE, "b"),
        line((88, 206), (243, 162), GREY, 1.4, "e", "5 4"), line((258, 158), (352, 132), ORANGE, 2, "o"),
        text((140, 168), sub("X", "PF")), text((268, 108), f"{sub('X', 'FM')}(q)"),
        text((60, 276), "parent", "n"), text((470, 222), "child = M", "n"),
        text((230, 250), "a joint grants S(q) v between F and M", "n"),
    )  # fmt: skip


@figure
def loops() -> str:
    A, B, C, D = (110, 210), (190, 110), (430, 80), (500, 210)
    bars = [line(a, b, BLUE, 6) for a, b in ((A, B), (B, C), (D, C))]
    cut = '<circle cx="430" cy="80" r="17" fill="none" stroke="#d55e00" stroke-width="1.6" stroke-dasharray="5 4"/>'
    return svg(
        620, 270,
        ground(A), ground(D), *bars, *(pin(x) for x in (A, B, C, D)), cut,
        *(text((x - 22, y - 10), n) for n, (x, y) in zip("ABCD", (A, B, C, D), strict=True)),
        text((300, 40), "the cut hinge is a loop: closure(X) = 0", "n", "middle"),
        text((300, 250), "tree: A, B, D;  rows of the loop: J v = 0, forces J' λ", "n", "middle"),
    )  # fmt: skip


@figure
def tensors() -> str:
    O1, O2, O3 = (90, 200), (240, 150), (400, 120)
    bodies = [blob((150, 178), 40, 0.3), blob((318, 140), 40, 0.6), blob((480, 110), 44, 0.9)]
    hull = '<path d="M225 96Q420 20 560 80Q580 160 440 190Q300 220 230 190Z" fill="none" stroke="#d55e00" stroke-width="1.6" stroke-dasharray="6 4"/>'
    return svg(
        640, 260,
        *bodies, line(O1, O2, GREY, 1.4), line(O2, O3, GREY, 1.4), hull,
        *(pin(x) for x in (O1, O2, O3)),
        text((78, 228), sub("O", "i")), text((232, 178), sub("O", "j")), text((392, 148), sub("O", "k")),
        text((420, 34), f"{sub('G', 'ij')} = ∫ [{sub('O', 'i')}M; 1] [{sub('O', 'j')}M; 1]' dm", "", "middle"),
        text((320, 248), "the bodies that joint j carries, seen from two origins", "n", "middle"),
    )  # fmt: skip


@figure
def recursions() -> str:
    O = [(80, 190), (230, 150), (380, 170), (530, 130)]
    bodies = [blob((a[0] + 75, a[1] - 12), 30, 0.2 * i) for i, a in enumerate(O[:3])]
    out = [line((a[0] + 12, a[1] - 58), (b[0] - 14, b[1] - 62), BLUE, 2.2, "b") for a, b in zip(O, O[1:], strict=False)]
    back = [line((b[0] - 14, b[1] + 58), (a[0] + 12, a[1] + 62), ORANGE, 2.2, "o") for a, b in zip(O, O[1:], strict=False)]
    return svg(
        620, 290,
        *bodies, *(line(a, b, GREY, 1.4) for a, b in zip(O, O[1:], strict=False)), ground(O[0]), *(pin(x) for x in O[:3]), *out, *back,
        text((300, 46), "out: twists V and accelerations A of the links", "n", "middle"),
        text((300, 276), "back: wrenches F, and the efforts S' F of the joints", "n", "middle"),
        text((196, 78), f"{sub('V', 'i')}, {sub('A', 'i')}"), text((238, 232), sub("F", "i")),
    )  # fmt: skip


@figure
def teaching() -> str:
    O, P = (130, 60), (130 + 62, 60 + 150)
    A, B, C = (330, 190), (450, 120), (560, 140)
    arc = '<path d="M130 130A70 70 0 0 0 157 125" fill="none" stroke="{}" stroke-width="1.5"/>'
    more = '<path d="M382 190A52 52 0 0 0 375 164" fill="none" stroke="{0}" stroke-width="1.5"/><path d="M493 95A50 50 0 0 1 499 129" fill="none" stroke="{0}" stroke-width="1.5"/>'
    return svg(
        640, 270,
        line(O, (130, 200), GREY, 1.2, "", "5 4"), line(O, P, BLUE, 6), pin(O), arc.format(ORANGE), text((134, 148), "q"),
        f'<circle cx="161" cy="135" r="4" fill="{GREEN}"/>', text((172, 132), "m, J"), text((196, 186), "L"),
        line((96, 60), (164, 60)), line((40, 90), (40, 140), INK, 1.8, "k"), text((48, 120), "g"),
        ground(A), line(A, (420, 190), GREY, 1.2, "", "5 4"), line(B, (510, 85), GREY, 1.2, "", "5 4"), line(A, B, BLUE, 6), line(B, C, BLUE, 6),
        pin(A), pin(B), more.format(ORANGE), text((390, 182), sub("q", "1")), text((504, 112), sub("q", "2")), text((372, 146), "l"),
        *(f'<circle cx="{x}" cy="{y}" r="4" fill="{GREEN}"/>' for x, y in ((390, 155), (505, 130))),
        text((394, 136), sub("r", "1")), text((508, 154), sub("r", "2")),
        text((130, 252), "the pendulum", "n", "middle"), text((450, 252), "the arm", "n", "middle"),
    )  # fmt: skip


def main() -> None:
    out = HERE / "theory" / "figures"
    out.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        (out / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
