"""`torseur size`: motors and gears of a catalogue for a duty cycle."""

from __future__ import annotations

import math
from pathlib import Path

from ..base import Answer, command, model_arguments, motion_table, read, report_argument


def _options(p):
    model_arguments(p)
    p.add_argument("--motion", required=True, metavar="CSV", help="the duty cycle, as for inverse")
    p.add_argument(
        "--catalogue",
        required=True,
        metavar="FILE",
        help="motors and gearboxes; 'example' is a small invented one",
    )
    p.add_argument("--pause", type=float, default=0.0, help="rest after each cycle [s] (0)")
    p.add_argument("--order", choices=("mass", "margin"), default="mass", help="what is best")
    p.add_argument("--count", type=int, default=3, help="pairs to show for each joint (3)")
    report_argument(p, "write a page there")


@command(
    "size",
    "choose motors and gears of a catalogue for a duty cycle",
    [
        "size arm.yaml --motion cycle.csv --catalogue own.yaml",
        "size arm.yaml --motion cycle.csv --catalogue example --report drives.html",
    ],
    _options,
)
def size(args) -> Answer:
    """Motors and gears of a catalogue that can drive every joint."""
    from ... import robots

    model = read(args)
    t, columns = motion_table(model.check(), Path(args.motion))
    given = robots.example_catalogue() if args.catalogue == "example" else args.catalogue
    found = robots.size(model, {"time": t, **columns}, given, pause=args.pause, order=args.order)
    data = {
        joint: [
            {
                "motor": c.motor.name,
                "gearbox": c.gearbox.name,
                "rms_torque": c.rms_torque,
                "peak_torque": c.peak_torque,
                "top_speed": c.top_speed,
                "inertia_ratio": c.inertia_ratio,
                "binding": c.binding,
                "use": c.use,
                "consumed": c.consumed,
                "regenerated": c.regenerated,
                "temperature": c.temperature,
                "gear_life": c.gear_life if math.isfinite(c.gear_life) else None,
            }
            for c in found[joint][: args.count]
        ]
        for joint in found
    }
    text = found.table(args.count)
    if args.report:
        found.report(args.report)
        text += f"\nwrote {args.report}"
    return Answer(text, {"joints": data})
