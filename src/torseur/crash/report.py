"""The crash tab of a report: metrics, pulse with its OLC, loops, energies, force on the wall."""

from __future__ import annotations

from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TorseurError
from ..results import Trajectory
from ..show import Card, report, svg_plots
from .criteria.cfc import cfc
from .criteria.iso18571 import score
from .criteria.metric_value import G0, Measure
from .criteria.pulse import PulseMotion as Way
from .french import FRENCH
from .results import (
    initial_speed,
    judged,
    member_energies,
    metrics,
    pulse_of,
    ruptured_members,
    stopping,
    wall_force,
    wall_peak,
)
from .sled_model import filtered_resultant, occupant_metrics

Line, figure = svg_plots.Line, svg_plots.figure

CARDS = {
    "peak": "Peak deceleration",
    "crush": "Crush",
    "delta_v": "Change of speed",
    "olc": "OLC",
}  # the rest is in a table


def compare_with_test(
    run: Trajectory, name: str, test: Any, axis: str = "x"
) -> tuple[dict[str, Measure], Measure | str]:
    """Metrics of a test, and the ISO 18571 score of the run's pulse against it (CFC 60).

    The score is a sentence where the optional library is missing.
    """
    time, a = pulse_of(run, name, axis)
    moments, acceleration = test.mean(*test.cabin())
    both = time[time <= moments[-1]]
    measured = np.interp(both, moments, cfc(moments, acceleration, 60))
    try:
        rated: Measure | str = score(both, measured, cfc(time, a, 60)[: both.size])
    except TorseurError as e:
        rated = str(e)
    return test.summary(), rated


def crash_tab(
    run: Trajectory,
    scene: Any,
    name: str,
    test: Any = None,
    occupants: Any = (),
    axis: str = "x",
    measures: Any = None,
) -> str:
    """HTML of the crash tab of a run, for the body or point `name`; `occupants` are pairs of a name
    and the body it sits in, `axis` is where the struck face looks, `measures` are more metrics by
    name."""
    values = metrics(run, name, axis=axis)
    parts = [*_pulse_section(run, name, values, test, axis)]
    kilo, riders = 1e-3, [n for n, _ in occupants]
    loops = [
        Line(f.name, 1e3 * run[f"{f.name}.deflection"], kilo * run[f"{f.name}.force"])
        for f in scene.forces
        if run.units.get(f"{f.name}.deflection") == "m"
        and abs(run[f"{f.name}.force"]).max() > 0
        and (f.name.endswith("belt") or not any(f.name.startswith(f"{n}_") for n in riders))
    ]
    parts.append(figure("Force against crush", loops, "crush [mm]", "[kN]", height=210))
    ms = 1e3 * run.time
    every = member_energies(run, scene, riders)
    energies = {n: kilo * x for n, x in every.items() if abs(x).max() > 0}
    order = sorted(energies, key=lambda n: -energies[n][-1])
    parts.append(
        figure("Energy by member", [Line(n, ms, energies[n]) for n in order], "time [ms]",
               "[kJ]", stacked=True)
    )  # fmt: skip
    wall = wall_force(run, scene)
    rows = [Line(n, ms, kilo * x) for n, x in wall.items() if n != "total" or len(wall) != 2]
    if wall["total"].any():
        parts.append(figure(stopping(scene), rows, "time [ms]", "[kN]"))
    if broken := ruptured_members(run):
        names = ", ".join(f"{n} ({1e3 * t:.4g} ms)" for n, t in broken.items())
        parts.append(f'<p class="note" data-say>Torn: {escape(names)}.</p>')
    for who, carrier in occupants:
        parts += _occupant_section(run, who, carrier)
    values |= measures or {}
    parts.append(_metric_tables(values, energies, order, run, name, test, axis))
    return "".join(parts)


def _occupant_section(run, who, carrier):
    """HTML of an occupant: accelerations, belt forces, table of criteria."""
    head, chest = f"{who}_head_cg", f"{who}_chest"
    points = [(head, "head", 1000), (chest, "chest", 180)]
    if f"{head}.acceleration.x" not in run.units:
        points = [(who, "mass", 180)]
    lines = []
    for point, label, channel_class in points:
        time, a = filtered_resultant(run, point, channel_class)
        lines.append(Line(f"{label}, CFC {channel_class}", 1e3 * time, a / G0))
    yield figure(f"{who}: accelerations", lines, "time [ms]", "[g]")
    held = [n for n in run.signals if n.startswith(f"{who}_") and n.endswith("belt.force")]
    belts = [(n.removeprefix(f"{who}_").removesuffix(".force").replace("_", " "), n) for n in held]
    ms = 1e3 * run.time
    yield figure(f"{who}: belts", [Line(said, ms, 1e-3 * run[n]) for said, n in belts],
                 "time [ms]", "[kN]")  # fmt: skip
    hurt = judged(occupant_metrics(run, who, carrier))
    yield _table(who, ["", ""], [(n, f"{x} {unit}".strip()) for n, x, unit in hurt])


def _pulse_section(run, name, values, test, axis):
    """HTML of the pulse: deceleration, speed and displacement, with the construction of the OLC."""
    time, a = pulse_of(run, name, axis)
    ms = 1e3 * time
    motion = Way(time, cfc(time, a, 180), initial_speed(run, name, axis))
    lines = [
        [
            Line("as computed", ms, -a / G0, soft=True),
            Line("CFC 60", ms, -cfc(time, a, 60) / G0),
        ],
        [Line(name, 1e3 * motion.time, motion.v)],
        [Line(name, 1e3 * motion.time, 1e3 * motion.x)],
    ]
    if test is not None:
        moments, acceleration = test.mean(*test.cabin())
        visible = (moments >= 0) & (moments <= time[-1])
        path = Way(moments, cfc(moments, acceleration, 180), test.required_number("speed"))
        within_run = path.time <= time[-1]
        lines[0].append(
            Line(
                "measured, CFC 60",
                1e3 * moments[visible],
                -cfc(moments, acceleration, 60)[visible] / G0,
            )
        )
        lines[1].append(
            Line("measured", 1e3 * path.time[within_run], path.v[within_run], soft=True)
        )
        lines[2].append(
            Line("measured", 1e3 * path.time[within_run], 1e3 * path.x[within_run], soft=True)
        )
    if "olc" in values:
        o = values["olc"]
        times = [0.0, 1e3 * o.start, 1e3 * o.end]
        end = o.speed - float(o) * (o.end - o.start)
        label = f"OLC {float(o) / G0:.4g} g"
        lines[1].append(Line(label, times, [o.speed, o.speed, end], dashed=True))
    yield figure("Deceleration", lines[0], "time [ms]", "[g]")
    yield figure("Speed", lines[1], "time [ms]", "[m/s]")
    yield figure("Way", lines[2], "time [ms]", "[mm]")


def _metric_tables(values, energies, order, run, name, test, axis) -> str:
    rows: list[tuple[str, ...]] = [(n, f"{x} {unit}".strip()) for n, x, unit in judged(values)]
    heads = ["", name]
    if test is not None:
        comparison, rated = compare_with_test(run, name, test, axis)
        other = {n: f"{x} {unit}".strip() for n, x, unit in judged(comparison)}
        rows = [(n, x, other.get(n, "")) for n, x in rows]
        score = f"{float(rated):.3f}" if isinstance(rated, Measure) else rated
        rows.append(("ISO 18571 score", score, ""))
        heads.append(f"test {test.name}")
    out = [_table("Metrics", heads, rows)]
    if energies:
        out.append(
            _table("Energy at the end", ["member", "[kJ]"],
                   [(n, f"{energies[n][-1]:.4g}") for n in order])
        )  # fmt: skip
    return "".join(out)


def _table(caption, heads, rows) -> str:
    head = "".join(f"<th data-say>{escape(h)}</th>" for h in heads)
    lines = "".join(
        "<tr>" + "".join(f"<td data-say>{escape(str(c))}</td>" for c in row) + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table>"
    )


def crash_report(
    run: Trajectory,
    scene: Any,
    path: str | PathLike[str],
    name: str,
    test: Any = None,
    occupants: Any = (),
    axis: str = "x",
    measures: Any = None,
    **options: Any,
) -> Path:
    """Write the page of a crash: the report of any run, with a crash tab in front.

    `name` is the body or point whose pulse is judged; `test` a measured one to lay over it;
    `occupants` pairs of a name and the body it sits in; `axis` is where the face looks that is
    struck, in axes of the body; `measures` more metrics by name (`measured`).
    """
    page = crash_tab(run, scene, name, test, occupants, axis, measures)
    cards = crash_cards(run, scene, name, axis)
    tabs = (("crash", "Crash", page),)
    return report(
        run, path, model=scene, tabs=tabs, cards=cards, words=FRENCH.translate_html(page), **options
    )


def crash_cards(run, scene, name: str, axis: str = "x") -> list[Card]:
    """Cards of the report: the main crash metrics."""
    values = metrics(run, name, axis=axis)
    out = []
    for key, label in CARDS.items():
        if key in values:
            m = values[key]
            value, unit = (float(m) / G0, "g") if m.unit == "m/s^2" else (float(m), m.unit or "1")
            note = "CFC 60" if key == "peak" else ""
            out.append(
                Card(label, abs(value), unit, at=m.time if key != "olc" else None, note=note)
            )
    if top := wall_peak(run, scene):
        out.append(Card(stopping(scene), float(top), "N", at=top.time))
    return out
