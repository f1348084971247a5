"""`torseur size`: motors and gears of a catalog for a duty cycle."""

from __future__ import annotations

import math

from ..base import (
    CommandResult,
    command,
    model_arguments,
    parse_quantity,
    read_model,
    read_motion,
    report_argument,
)


def _options(p):
    model_arguments(p)
    p.add_argument(
        "--motion",
        metavar="NAME or CSV",
        help="the duty cycle: a motion of the file, or a table (that of its 'sizing')",
    )
    p.add_argument(
        "--catalog",
        metavar="FILE",
        help="motors and gearboxes (those of the model's file); 'example' is a small invented one",
    )
    p.add_argument("--pause", metavar="TIME", help="rest after each cycle (0)")
    p.add_argument("--order", choices=("mass", "margin"), help="what is best (mass)")
    p.add_argument("--count", type=int, default=3, help="pairs to show for each joint (3)")
    report_argument(p, "write a page there")


@command(
    "size",
    "choose motors and gears of a catalog for a duty cycle",
    [
        "size arm.yaml",
        "size arm.yaml --motion pick --catalog own.yaml",
        "size arm.yaml --motion cycle.csv --catalog example --report drives.html",
    ],
    _options,
)
def size(args) -> CommandResult:
    """Motors and gears of a catalog that can drive every joint."""
    from ... import robots

    model = read_model(args)
    motion = read_motion(model, args.motion) if args.motion else None
    catalog = robots.example_catalog() if args.catalog == "example" else args.catalog
    arguments = {"pause": args.pause and parse_quantity(args.pause, "s"), "order": args.order}
    options = {n: x for n, x in arguments.items() if x is not None}
    drives = robots.design(model).size(motion, catalog, **options)
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
            for c in drives[joint][: args.count]
        ]
        for joint in drives
    }
    text = drives.table(args.count)
    if args.report:
        drives.report(args.report)
        text += f"\nwrote {args.report}"
    return CommandResult(text, {"joints": data})
