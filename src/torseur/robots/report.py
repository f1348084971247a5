"""Reports of design results: tables and figures in one self-contained HTML file."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import needs
from ..files import write_page
from ..show import figure_svg, html_page
from ..solve import coordinate_limits, whole_turns
from .french import FRENCH

if TYPE_CHECKING:
    from .balancing.result import Balance
    from .drives.sizing import Sizing
    from .trajectories.profile_comparison import ProfileComparison
    from .workspace_analysis import Workspace

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;
color:#1b1f24;background:#fff}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.lines{background:#f4f5f7;padding:1rem;border-radius:6px;overflow-x:auto}.lines p{margin:0}
.lines p.in{padding-left:1.5rem}
table{border-collapse:collapse;margin-bottom:.7rem;white-space:nowrap}
td,th{padding:.15rem .8rem;text-align:right;border-bottom:1px solid #ddd;font-weight:400;
font-variant-numeric:tabular-nums}th{color:#57606a}
td:first-child,th:first-child{text-align:left;padding-left:0}
svg{max-width:100%;height:auto}"""
CLOUD_STYLE = """.cloud{margin:0}.cloud canvas{width:100%;height:32rem;touch-action:none}
.cloud .bar{display:inline-block;width:8rem;height:.7rem;vertical-align:middle;background:
linear-gradient(90deg,#440154,#3b528b,#21918c,#5ec962,#fde725)}.cloud label{margin-right:1rem}"""
MAX_POINTS = 20000  # points that a page draws


def draw_svg(draw: Callable, rows: int = 1, columns: int = 1, height: float = 3.2) -> str:
    """SVG of the figure that `draw(axes)` makes.  `axes` is a flat list."""
    with needs("robots", "the report of a robot design"):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

    fig = Figure(figsize=(9.0, height * rows), layout="constrained")
    FigureCanvasSVG(fig)
    axes = np.atleast_1d(fig.subplots(rows, columns)).ravel()
    for ax in axes:
        ax.grid(alpha=0.3)
    draw(list(axes))
    return figure_svg(fig)


def make_page(title: str, parts: Sequence[tuple[str, str]]) -> str:
    """HTML page of titled parts: each an SVG, a point cloud, a table, or plain text."""
    body = f"<h1>{escape(title)}</h1>" + "".join(
        f"<h2>{escape(head)}</h2>"
        + (x if x.startswith(("<svg", "<figure", "<div")) else make_table(x.split("\n")))
        for head, x in parts
    )
    return html_page(title, body, STYLE + CLOUD_STYLE, FRENCH)


def make_table(lines: Sequence[str], cells: Sequence[Sequence[str]] = ()) -> str:
    """HTML of a table with a header row, and of text lines below it.

    >>> "<th>peak" in make_table(["b: 1"], [("joint", "peak"), ("j", "2")])
    True
    """
    table = "".join(
        "<tr>" + "".join(f"<{tag}>{escape(x)}</{tag}>" for x in row) + "</tr>"
        for tag, row in zip(("th", *["td"] * len(cells)), cells, strict=False)
    )
    paragraphs = "".join(
        f"<p{' class=in' if x.startswith('  ') else ''}>{escape(x.strip())}</p>" for x in lines
    )
    return f'<div class="lines">{f"<table>{table}</table>" if table else ""}{paragraphs}</div>'


def draw_point_cloud(points: np.ndarray, maps: Mapping[str, np.ndarray], arm: np.ndarray) -> str:
    """HTML of points (n, 3) [m] colored by maps (n,), and a line `arm` (m, 3) [m].

    Nonfinite values are gray.  The page needs no network.  Drag or arrow keys rotate, the wheel
    zooms.

    >>> text = draw_point_cloud(np.zeros((3, 3)), {"height [m]": np.arange(3.0)}, np.zeros((2, 3)))
    >>> text.startswith("<figure") and "height [m]" in text
    True
    """
    keep = np.linspace(0, len(points) - 1, min(len(points), MAX_POINTS)).astype(int)
    rows = []
    for name, values in maps.items():
        x = np.asarray(values, float)[keep]
        good = np.isfinite(x)
        low, high = (float(x[good].min()), float(x[good].max())) if good.any() else (0.0, 0.0)
        missing = bool(not good.all())
        levels = 254 * (np.where(good, x, low) - low) / ((high - low) or 1.0)
        level = np.where(good, np.round(levels), 255).astype(np.uint8)
        rows.append(
            {
                "name": name,
                "low": f"{low:.4g}",
                "high": f"{high:.4g}",
                "missing": missing,
                "level": b64encode(level.tobytes()).decode(),
            }
        )
    data = {
        "points": b64encode(np.ascontiguousarray(points[keep], "<f4").tobytes()).decode(),
        "maps": rows,
        "arm": np.asarray(arm, float).round(6).tolist(),
    }
    text = json.dumps(data).replace("<", "\\u003c")
    script = Path(__file__).with_name("assets").joinpath("cloud.js").read_text(encoding="utf-8")
    label = escape(f"{len(keep)} places in space")
    options = "".join(f'<option value="{i}">{escape(n)}</option>' for i, n in enumerate(maps))
    return (
        '<figure class="cloud"><p><label>Color: '
        f"<select>{options}</select></label> "
        '<span class="low"></span> <span class="bar"></span> <span class="high"></span> '
        '<label><input type="checkbox"> cut through the middle</label></p>'
        f'<canvas tabindex="0" role="img" aria-label="{label}"></canvas>'
        f'<script type="application/json">{text}</script><script>{script}</script></figure>'
    )


def write_balance_page(
    balance: Balance, path: str | os.PathLike[str], front: np.ndarray | None = None
) -> None:
    """Write table, efforts, reactions, inertia, springs, stability, Pareto front of a balance."""
    parts = [
        ("Result", make_table(balance.lines(), balance.cells())),
        ("Effort of the joints", _effort_curves(balance)),
    ]
    if maps := _effort_maps(balance):
        parts.append(maps)
    if pushed := balance.reactions():
        lines = [f"{n}: {a:.6g} before, {b:.6g} after" for n, (a, b) in pushed.items()]
        parts.append(("Largest force in the bearings [N]", "\n".join(lines)))
    inertia = "\n".join(
        f"{n}: {a:.6g} before, {b:.6g} after" for n, (a, b) in balance.apparent_inertia().items()
    )
    parts.append(("Apparent inertia [kg m2]", inertia))
    if springs := balance.springs():
        lines = [
            f"{n}: " + ", ".join(f"{k} {x:.6g}" for k, x in row.items())
            for n, row in springs.items()
        ]
        parts.append(("Springs [m, N]", "\n".join(lines)))
    stable = "\n".join(f"{n}: {x:.6g}" for n, x in balance.stability().items())
    min_stiffness = balance.least_stiffness()
    stable += f"\nall together: {min_stiffness:.6g}, " + (
        "so the joints hold their poses or return"
        if min_stiffness >= -1e-9 * abs(balance.before).max()
        else "so some pose runs away from where it is without motors or brakes"
    )
    parts.append(("Stability: least slope of the effort by the joint [N m/rad]", stable))
    if front is not None:
        best = np.minimum.accumulate(front[:, 1])
        # the others weigh more for no less effort
        is_optimal = np.append(True, front[1:, 1] < best[:-1])

        def draw_front(axes: Any):
            axes[0].plot(*front[is_optimal].T, "o-", color="#1769aa", label="front")
            if not is_optimal.all():
                axes[0].plot(
                    *front[~is_optimal].T, "o", color="#8a94a0", label="heavier for no less"
                )
                axes[0].legend()
            axes[0].set(xlabel="added mass [kg]", ylabel=f"{balance.criterion} left")

        parts.append(("Effort against added mass", draw_svg(draw_front)))
    write_page(path, make_page(f"Static balance of {balance.original.name}", parts))


def _effort_curves(balance: Balance) -> str:
    """SVG of the efforts of each joint before and after, over time, one coordinate, or poses."""
    poses, names = balance.poses, balance.original.check().coordinates
    varied = [i for i in range(poses.q.shape[1]) if np.ptp(poses.q[:, i]) > 1e-12]
    if poses.time is not None:
        x, label = poses.time, "time [s]"
    elif len(varied) == 1:
        x, label = poses.q[:, varied[0]], names[varied[0]]
    else:
        x, label = np.arange(len(poses.q)), "pose"

    def draw_efforts(axes: Any):
        for i, (ax, joint) in enumerate(zip(axes, balance.joints, strict=True)):
            ax.plot(x, balance.before[:, i], label="before", color="#8a94a0")
            ax.plot(x, balance.after[:, i], label="after", color="#1769aa")
            ax.set(xlabel=label, ylabel=f"{joint} effort [N m]")
            ax.legend()

    return draw_svg(draw_efforts, len(balance.joints))


def _effort_maps(balance: Balance):
    """Title and SVG of efforts over two joints, before and after, or None for one joint.

    The joints are those that vary in the evaluation, then the joints that count, then the last
    ones.
    """
    from .balancing.device_models import evaluate_efforts
    from .balancing.gravity_efforts import PoseSet

    s = balance.original.check()
    revolute = [k for k in s.links if k.joint.nv == 1 and k.joint.nq == 1]
    low, high = coordinate_limits(s)
    varied = [k for k in revolute if np.ptp(balance.poses.q[:, k.q.start]) > 1e-12]
    counted = [k for k in revolute if k.name in balance.joints]
    links = list(dict.fromkeys([*(varied if len(varied) == 2 else ()), *counted, *varied]))
    links = (links + [k for k in reversed(revolute) if k not in links])[:2]
    if len(links) < 2:
        return None
    over = {}
    for k in sorted(links, key=lambda k: k.index):
        i = k.q.start
        x = balance.poses.q[:, i]
        a, b = (x.min(), x.max()) if np.ptp(x) > 1e-12 else (low[i], high[i])
        a, b = map(float, whole_turns(a, b, x[0]))
        over[s.coordinates[i]] = np.linspace(float(a), float(b), 25)
    at = {n: float(x) for n, x in zip(s.coordinates, balance.poses.q[0], strict=True)}
    poses = PoseSet(balance.original, over, at)
    tau = [evaluate_efforts(balance, m, poses) for m in (balance.original, balance.model)]
    (a, x), (b, y) = over.items()

    def draw_maps(axes: Any):
        """Contours of the effort of each joint over two coordinates."""
        for i, joint in enumerate(balance.joints):
            limit = max(float(abs(t[:, i]).max()) for t in tau) or 1.0
            for k, label in enumerate(("before", "after")):
                ax = axes[2 * i + k]
                contours = ax.contourf(
                    x,
                    y,
                    tau[k][:, i].reshape(25, 25).T,
                    np.linspace(-limit, limit, 17),
                    cmap="RdBu_r",
                )
                ax.figure.colorbar(contours, ax=ax)
                ax.set(title=f"{joint} {label} [N m]", xlabel=f"{a}", ylabel=f"{b}")

    return "Effort over two joints, at rest", draw_svg(draw_maps, len(balance.joints), 2)


def write_profile_page(
    comparison: ProfileComparison, residual_vibration: Callable, path: str | os.PathLike[str]
) -> None:
    """Write table, effort, power and residual vibration of compared motion profiles."""
    joint = comparison.coordinate.rpartition(".")[0]
    max_frequency = 2 * max(
        (*comparison.frequencies, *(4 / r["duration"] for r in comparison.rows.values()))
    )
    grid = np.linspace(max_frequency / 200, max_frequency, 200)

    def draw_curves(axes: Any):
        """Effort and power over time, residual vibration over frequency."""
        for name, run in comparison.runs.items():
            axes[0].plot(run.time, run[f"{joint}.effort"], label=name)
            axes[1].plot(run.time, run[f"{joint}.power"], label=name)
            law = comparison.profiles[name]
            axes[2].semilogy(grid, [max(residual_vibration(law, f), 1e-12) for f in grid])
        axes[0].set(xlabel="time [s]", ylabel="effort [N m]")
        axes[1].set(xlabel="time [s]", ylabel="power [W]")
        axes[2].set(xlabel="frequency [Hz]", ylabel="vibration left")
        axes[0].legend(fontsize=8)

    parts = [
        ("Laws", make_table((), comparison.cells())),
        ("Effort, power, vibration", draw_svg(draw_curves, 3)),
    ]
    write_page(path, make_page(f"Motion laws of {comparison.coordinate}", parts))


def write_sizing_page(sizing: Sizing, path: str | os.PathLike[str]) -> None:
    """Write candidates, torque over speed in the envelopes, temperatures and limits of drives."""
    parts = [("Pairs that can drive each joint", sizing.table(5))]
    names = list(sizing)

    def draw_torques(axes: Any):
        """Torque over speed of the best candidate of each joint, with its envelope."""
        for ax, joint in zip(axes, names, strict=True):
            best = sizing[joint][0]
            w = np.linspace(0, best.motor.speed, 200)
            rpm = 30 / np.pi
            ax.plot(w * rpm, best.motor.envelope(w), color="#b3261e", label="peak envelope")
            ax.axhline(best.motor.torque, color="#1769aa", label="continuous")
            ax.axvline(best.motor.speed * rpm, color="#8a94a0")
            ax.plot(
                abs(best.speed) * rpm, abs(best.torque), ".", ms=2, color="#1b1f24", label="cycle"
            )
            ax.plot([], [], " ", label=f"rms {best.rms_torque:.3g} N m")
            ax.set(
                title=f"{joint}: {best.motor.name}, {best.gearbox.name}",
                xlabel="speed of the motor [rpm]",
                ylabel="torque [N m]",
            )
            ax.legend(fontsize=8)

    parts.append(("Torque and speed", draw_svg(draw_torques, len(names))))
    warm = {j: c.heat for j in names if (c := sizing[j][0]).heat is not None}
    if warm:

        def draw_temperatures(axes: Any):
            """Temperatures in the steady cycle and during warm-up."""
            for j, h in warm.items():
                line = axes[0].plot(h.time, h.winding, label=j)
                t, both = h.warming()
                axes[1].plot(t / 60, both[:, 0], color=line[0].get_color(), label=j)
                axes[1].plot(t / 60, both[:, 1], color=line[0].get_color(), ls=":")
            axes[0].set(xlabel="time in the steady cycle [s]", ylabel="winding above ambient [K]")
            axes[1].set(
                xlabel="time from cold [min]", ylabel="winding, housing (dotted) [K above ambient]"
            )
            axes[0].legend()

        parts.append(("Temperature", draw_svg(draw_temperatures, 1, 2)))
    lines = []
    for j in names:
        c = sizing[j][0]
        lines.append(
            f"{j}: consumed {c.consumed:.4g} J, regenerated {c.regenerated:.4g} J a cycle, mean "
            f"{c.mean_power:.4g} W; gear: cubic mean torque {c.cubic_torque:.4g} N m, life "
            f"{c.gear_life / 3600:.4g} h"
        )
        lines += [f"    {n}: {100 * x:.3g} % used" for n, x in c.use.items() if x > 0]
    parts.append(("Energy, gears, limits", "\n".join(lines)))
    write_page(path, make_page(f"Drives of {sizing.name}", parts))


def write_workspace_page(
    workspace: Workspace, path: str | os.PathLike[str], dexterity: int = 0
) -> None:
    """Write the table of a workspace and its 3D view with a selectable color map."""
    title = f"Workspace of {workspace.model.name}: {workspace.frame}"
    write_page(path, make_page(title, make_workspace_parts(workspace, dexterity)))


def make_workspace_parts(workspace: Workspace, dexterity: int = 0) -> list[tuple[str, str]]:
    """Titled parts: table, reachable space, singular loci, fraction of orientations."""
    parts = [
        ("Figures", workspace.table()),
        (
            "Reachable space",
            draw_point_cloud(workspace.points, workspace.maps(), workspace.skeleton()),
        ),
    ]
    q, positions = workspace.loci()
    if len(q):
        maps = {f"{n}": x for n, x in zip(workspace.coordinates, q.T, strict=True)}
        parts.append(("Singular loci", draw_point_cloud(positions, maps, workspace.skeleton())))
    if dexterity:
        points = workspace.points[:dexterity]  # the first of a sequence that fills the space
        maps = {"share of orientations": workspace.dexterity(points)}
        parts.append(("Dexterous space", draw_point_cloud(points, maps, workspace.skeleton())))
    return parts


__all__ = [
    "draw_svg",
    "make_page",
    "write_balance_page",
    "write_profile_page",
    "write_sizing_page",
    "write_workspace_page",
]
