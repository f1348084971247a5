"""What the command `crash` does with channels: metrics of them, lists, ISO-MME."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import TorseurError
from .base import Answer


def measured(room, line: str, run, test, speed: float):
    """A line of --measure: of the test's channels where it names such, else of the run."""
    words = line.partition(":")[2].partition(":")[0].replace("+", ",").split(",")
    names = [w.strip() for w in words if w.strip()]
    labels = () if test is None else {row.label for row in test.rows}
    if names and all(n.isdecimal() or n in labels for n in names):
        if test is None:
            raise TorseurError(f"--measure {line}: channels of which test? Give --test FILE")
        return room.channel_metric(test, line)
    return room.channel_metric(run, room.expand_vector_signals(run, line), speed)


def recorded(room, run, scene, judged):
    """The run as a test: every body and point, every member that pushes, the force on the wall."""
    names = [f.name for f in scene.frames] + [b.name for b in scene.bodies]
    places = [n for n in names if f"{n}.body_acceleration.x" in run.units]
    forces = [f.name for f in scene.forces if run.units.get(f"{f.name}.deflection") == "m"]
    total = {"force on the wall": room.wall_force(run, scene)["total"]}
    return room.test_of_run(run, judged, places, forces, None, scene.name, total)


def is_test(path: Path) -> bool:
    return path.is_dir() or path.suffix.lower() in (".zip", ".ev5", ".mme")


def channels_only(args, room) -> Answer | None:
    """What is asked of a measured test alone: its channels, metrics of them, ISO-MME."""
    path = Path(args.file)
    if not is_test(path):
        if args.channels:
            raise TorseurError(f"--channels is for a measured test, not {args.file}")
        return None
    asked = args.channels or args.measure or args.mme
    if not asked or args.out or args.occupant or args.front:
        return None
    test = room.read_test(path)
    data: dict[str, Any] = {"test": test.name, "title": test.title, "speed": test.speed,
                            "mass": test.mass}  # fmt: skip
    text = [f"test {test.name}: {test.title}".rstrip(": ")]
    if args.channels:
        keys = ("number", "sensor", "location", "axis", "unit", "status", "label")
        data["channels"] = [{k: getattr(r, k) for k in keys} for r in test.rows]
        text += ["  ".join(str(getattr(r, k)) for k in keys) for r in test.rows]
    found = {line: room.channel_metric(test, line) for line in args.measure or ()}
    data["measures"] = {n: plain(x) for n, x in found.items()}
    text += [room.table(found)] if found else []
    if args.mme:
        room.write_test(test, args.mme)
        data["files"] = [args.mme]
        text.append(f"wrote {args.mme}")
    return Answer("\n".join(text), data)


def plain(x) -> dict:
    return {"value": float(x), "unit": x.unit, "time": x.time}
