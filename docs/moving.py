"""Moving pictures of the manual and the README: python docs/moving.py writes docs/images/*.svg.

Each runs an example of the gallery and draws its bodies, at the poses of the run, as lines that
move: one SVG of a few dozen kilobytes that loops by itself, without a script or a video.
"""

from __future__ import annotations

import os
import runpy
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
GALLERY = HERE.parent / "examples" / "gallery"
BLUE, ORANGE, GREEN, GRAY, INK = "#0b5fa5", "#d55e00", "#009e73", "#c3ccd6", "#1b1f24"


@dataclass(frozen=True)
class Track:
    """Points that are joined by a line: (frames, points, 2), in the plane of the picture [m]."""

    points: np.ndarray
    color: str = BLUE
    width: float = 3.0
    closed: bool = False


def drawn(tracks, seconds: float, trail=None, title="", width=420, height=300, floor=None) -> str:
    """The picture: everything fits, z or y upwards."""
    everything = np.concatenate([t.points.reshape(-1, 2) for t in tracks])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = min((width - 40) / (high[0] - low[0]), (height - 40) / (high[1] - low[1]))
    middle = (low + high) / 2

    def at(x):
        x = np.asarray(x)
        return np.stack(
            [
                width / 2 + scale * (x[..., 0] - middle[0]),
                height / 2 - scale * (x[..., 1] - middle[1]),
            ],
            axis=-1,
        )

    def path(points, closed):
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + "Z" * closed

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    if floor is not None:
        y = at((0, floor))[1]
        out.append(f'<path d="M0 {y:.1f}H{width}" stroke="{GRAY}" stroke-width="2"/>')
    if trail is not None:
        out.append(
            f'<path d="{path(at(trail), False)}" fill="none" stroke="{ORANGE}" stroke-width="1.2" opacity="0.55"/>'
        )
    for t in tracks:
        values = ";".join(path(x, t.closed) for x in at(t.points))
        first = values.partition(";")[0]
        out.append(
            f'<path d="{first}" fill="none" stroke="{t.color}" stroke-width="{t.width}" stroke-linejoin="round" '
            f'stroke-linecap="round"><animate attributeName="d" dur="{seconds:g}s" repeatCount="indefinite" '
            f'calcMode="linear" values="{values}"/></path>'
        )
    return "\n".join([*out, "</svg>"]) + "\n"


def example(name: str) -> dict:
    """What an example of the gallery leaves behind."""
    return runpy.run_path(str(GALLERY / f"{name}.py"))


def rows(run, frames: int):
    """Rows of a run at even times, the last left out: it is the first again."""
    return np.searchsorted(run.time, np.linspace(run.time[0], run.time[-1], frames, endpoint=False))


def coordinates(run, keep) -> np.ndarray:
    """Coordinates of the rows of a run, (rows, nq)."""
    return np.stack([run[n][keep] for n in run.provenance["coordinates"]], axis=1)


def places(dyn, q, body, points) -> np.ndarray:
    """World positions (rows, points, 3) of points of a body."""
    X = np.array([dyn.pose(body, x) for x in q])
    return np.einsum("rij,pj->rpi", X[:, :3, :3], np.asarray(points, float)) + X[:, None, :3, 3]


def walker() -> str:
    """Four of Jansen's legs, half a turn apart, as seen by a walker who stays on the spot."""
    import torseur as ts

    s = example("benchmarks/jansen")
    run, dyn = s["run"], ts.compile(s["model"])
    keep = rows(run, 60)
    q = coordinates(run, keep)
    one = (1.0, 0, 0)
    bars = {
        "crank": [(0, 0, 0), np.multiply(one, s["m"])],
        "j": [(0, 0, 0), np.multiply(one, s["j"])],
        "k": [(0, 0, 0), np.multiply(one, s["k"])],
        "thigh": [(0, 0, 0), np.multiply(one, s["b"]), s["local"](s["B"], s["D"], s["F"])],
        "c": [(0, 0, 0), np.multiply(one, s["c"])],
        "f": [(0, 0, 0), np.multiply(one, s["f"])],
        "shin": [(0, 0, 0), np.multiply(one, s["g"]), s["local"](s["E"], s["G"], s["H"])],
    }
    drawn_bars = {n: places(dyn, q, n, p)[..., :2] for n, p in bars.items()}
    tracks = []
    for shift, color in ((30, GRAY), (0, BLUE)):
        for mirror in (1, -1):
            for n, x in drawn_bars.items():
                turned = np.roll(x, shift, axis=0)
                if mirror < 0:  # the other side runs the same crank: reflected, and in its own time
                    turned = turned[::-1] * np.array([-1, 1])
                tracks.append(Track(turned, color, 3.2, n in ("thigh", "shin")))
    lowest = min(t.points[..., 1].min() for t in tracks)
    return drawn(tracks, 2.4, title="Jansen's legs walk: bars at the poses of a run", floor=lowest)


def nut() -> str:
    """The wing nut that turns over, seen obliquely."""
    import torseur as ts

    s = example("teaching/dzhanibekov")
    run, dyn = s["run"], ts.compile(s["model"])
    keep = np.searchsorted(run.time, np.linspace(0, 9.926, 150, endpoint=False))
    shape = [[(0, -1, 0), (0, 1, 0)], [(-0.75, -1, 0), (0.75, -1, 0)], [(0, 1, 0.0), (0, 1, 0.35)]]
    view = np.array([[0.94, 0.0, 0.34], [0.18, 0.85, -0.49]])  # x right, y up, z away
    tracks = [
        Track(places(dyn, coordinates(run, keep), "nut", p) @ view.T, c, w)
        for p, c, w in zip(shape, (INK, BLUE, ORANGE), (4, 9, 5), strict=True)
    ]
    return drawn(
        tracks, 9.926, title="A wing nut spins about its middle axis and turns over", height=300
    )


def pendulum() -> str:
    """The double pendulum with the way of its tip."""
    import torseur as ts

    s = example("teaching/double_pendulum")
    run, dyn = s["runs"][0], ts.compile(s["model"])
    keep = np.arange(0, 600, 5)
    rods = [
        places(dyn, coordinates(run, keep), n, [(0, 0, 0), (0, 0, -0.5)])[..., (0, 2)]
        for n in ("upper", "lower")
    ]
    tip = np.stack([run["tip.position.x"][:600], run["tip.position.z"][:600]], axis=1)[::2]
    tracks = [Track(rods[0], INK, 5), Track(rods[1], BLUE, 5)]
    return drawn(tracks, 6.0, trail=tip, title="A double pendulum and the way of its tip")


PICTURES = {"walker": walker, "nut": nut, "pendulum": pendulum}


def main() -> None:
    os.environ.setdefault("MPLBACKEND", "agg")
    for name, draw in PICTURES.items():
        (HERE / "images" / f"{name}.svg").write_text(draw(), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
