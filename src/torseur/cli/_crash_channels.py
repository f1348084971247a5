"""Channels of the command `crash`: metrics of channels, channel lists and ISO-MME files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import TorseurError
from .base import CommandResult


def evaluate_measure(api, line: str, run, test, speed: float):
    """Evaluate an argument of --measure on channels of the test or signals of the run."""
    tokens = line.partition(":")[2].partition(":")[0].replace("+", ",").split(",")
    names = [w.strip() for w in tokens if w.strip()]
    labels = () if test is None else {row.label for row in test.rows}
    if names and all(n.isdecimal() or n in labels for n in names):
        if test is None:
            raise TorseurError(f"--measure {line}: channels of which test? Give --test FILE")
        return api.channel_metric(test, line)
    return api.channel_metric(run, api.expand_vector_signals(run, line), speed)


def record_test(api, run, scene, point):
    """Record accelerations, member forces and the wall force of a run as a test."""
    names = [f.name for f in scene.frames] + [b.name for b in scene.bodies]
    points = [n for n in names if f"{n}.body_acceleration.x" in run.units]
    forces = [f.name for f in scene.forces if run.units.get(f"{f.name}.deflection") == "m"]
    total = {"force on the wall": api.wall_force(run, scene)["total"]}
    return api.test_of_run(run, point, points, forces, None, scene.name, total)


def is_test(path: Path) -> bool:
    return path.is_dir() or path.suffix.lower() in (".zip", ".ev5", ".mme")


def evaluate_test(args, api) -> CommandResult | None:
    """Evaluate a measured test without a simulation: channel list, metrics and ISO-MME export."""
    path = Path(args.file)
    if not is_test(path):
        if args.channels:
            raise TorseurError(f"--channels is for a measured test, not {args.file}")
        return None
    is_requested = args.channels or args.measure or args.mme
    if not is_requested or args.out or args.occupant or args.front:
        return None
    test = api.read_test(path)
    data: dict[str, Any] = {"test": test.name, "title": test.title, "speed": test.speed,
                            "mass": test.mass}  # fmt: skip
    text = [f"test {test.name}: {test.title}".rstrip(": ")]
    if args.channels:
        keys = ("number", "sensor", "location", "axis", "unit", "status", "label")
        data["channels"] = [{k: getattr(r, k) for k in keys} for r in test.rows]
        text += ["  ".join(str(getattr(r, k)) for k in keys) for r in test.rows]
    measures = {line: api.channel_metric(test, line) for line in args.measure or ()}
    data["measures"] = {n: metric_data(x) for n, x in measures.items()}
    text += [api.table(measures)] if measures else []
    if args.mme:
        api.write_test(test, args.mme)
        data["files"] = [args.mme]
        text.append(f"wrote {args.mme}")
    return CommandResult("\n".join(text), data)


def metric_data(x) -> dict:
    return {"value": float(x), "unit": x.unit, "time": x.time}
