"""`torseur laws`: comparison of motion profiles by effort, work and residual vibration."""

from __future__ import annotations

from typing import Any

from ...errors import TorseurError
from ..base import (
    CommandResult,
    command,
    model_arguments,
    named_values,
    parse_quantity,
    read_model,
    report_argument,
)

KINDS = ("trapezoidal", "scurve", "cubic", "quintic", "septic", "cycloidal")


def _options(p):
    model_arguments(p)
    p.add_argument("coordinate", help="what moves: joint2.angle")
    p.add_argument("--start", metavar="VALUE", help="where it begins (as in --motion)")
    p.add_argument("--end", metavar="VALUE", help="where it ends (as in --motion)")
    p.add_argument("--time", metavar="TIME", help="how long the motion lasts (as in --motion)")
    p.add_argument("--motion", metavar="NAME", help="a motion of the model's file (its only one)")
    p.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="laws (all)")
    p.add_argument("--at", nargs="+", metavar="NAME=VALUE", help="where the other joints stay")
    p.add_argument(
        "--frequencies", nargs="+", type=float, default=[], help="of modes that may ring [Hz]"
    )
    report_argument(p)


@command(
    "laws",
    "compare motion laws of a joint: effort, work, residual vibration",
    [
        "laws arm.yaml elbow.angle --motion pick",
        "laws arm.yaml elbow.angle --start 0 --end 60deg --time 1s --frequencies 4.5",
        "laws arm.yaml elbow.angle --start 0 --end 1 --time 0.8 --report laws.html",
    ],
    _options,
)
def laws(args) -> CommandResult:
    """Compare motion profiles of one duration for a joint."""
    from ... import robots

    model = read_model(args)
    system = model.check()
    limits: dict[str, Any] = {}
    if None in (args.start, args.end, args.time):
        limits = _read_profile_limits(robots.design(model), args.motion, args.coordinate)
    a, b = (
        limits[n]
        if x is None
        else named_values(system, [f"{args.coordinate}={x}"])[args.coordinate]
        for n, x in (("start", args.start), ("end", args.end))
    )
    T = limits["duration"] if args.time is None else parse_quantity(args.time, "s")
    if not T > 0 or a == b:
        raise TorseurError("laws: the motion needs a duration above zero and two places")
    displacement = abs(b - a)
    # a third of the time each for speeding up and braking; the jerk takes half of a ramp
    limits_of_ramp = {"speed": 1.5 * displacement / T, "acceleration": 4.5 * displacement / T**2}
    profiles = {
        "trapezoidal": lambda: robots.Trapezoidal(a, b, T, **limits_of_ramp),
        "scurve": lambda: robots.SCurve(
            a,
            b,
            T,
            speed=2 * displacement / T,
            acceleration=8 * displacement / T**2,
            jerk=64 * displacement / T**3,
        ),
        "cubic": lambda: robots.Cubic(a, b, T),
        "quintic": lambda: robots.Quintic(a, b, T),
        "septic": lambda: robots.Septic(a, b, T),
        "cycloidal": lambda: robots.Cycloidal(a, b, T),
    }
    at = named_values(system, args.at) if args.at else None
    comparison = robots.compare_profiles(
        model,
        args.coordinate,
        {k: profiles[k]() for k in args.kinds},
        frequencies=args.frequencies,
        at=at,
    )
    text, data = (
        comparison.table(),
        {"laws": comparison.rows, "frequencies": list(comparison.frequencies)},
    )
    if args.report:
        comparison.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return CommandResult(text, data)


def _read_profile_limits(design, name, coordinate) -> dict[str, float]:
    """Start, end and duration of a coordinate in a motion of the model file."""
    law = design.motion(name).get(coordinate)
    if law is None or not hasattr(law, "duration"):
        raise TorseurError(
            f"laws: no law of {coordinate!r} in the motion {name or 'of the file'!r} says where it "
            "begins, ends and how long it lasts; give --start, --end and --time"
        )
    return {n: float(getattr(law, n)) for n in ("start", "end", "duration")}
