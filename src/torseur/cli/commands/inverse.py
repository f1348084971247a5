"""`torseur inverse`: inverse dynamics along a motion."""

from __future__ import annotations

import numpy as np

from ..base import (
    CommandResult,
    command,
    model_arguments,
    out_argument,
    read_model,
    read_motion,
    start_of,
)


def _options(p):
    model_arguments(p)
    p.add_argument(
        "--motion",
        metavar="NAME or CSV",
        help="a motion or path of the file (its only one), or a table with a column 'time' and one "
        "for each coordinate, by name; the CSV of a run will do",
    )
    p.add_argument(
        "--actuators",
        metavar="NAME",
        nargs="+",
        help="joints, or forces with inputs, that make the effort (those that lead)",
    )
    p.add_argument(
        "--show",
        nargs="+",
        default=[],
        metavar="SIGNAL",
        help="other signals of the table and the file: elbow.reaction.force.x, energy.supplied",
    )
    out_argument(p, "write efforts, motion and power there", "CSV")


@command(
    "inverse",
    "efforts that give a motion",
    [
        "inverse arm.yaml --motion motion.csv -o efforts.csv",
        "inverse arm.yaml --motion motion.csv --show shoulder.reaction.force.z energy.supplied",
    ],
    _options,
)
def inverse(args) -> CommandResult:
    """Compute efforts along a motion, and other signals on request."""
    model = read_model(args)
    system = model.check()
    motion = read_motion(model, args.motion)
    from ...solve import inverse as efforts_along

    speeds = set(system.speeds)
    guess = {n: x for n, x in start_of(system, args.file)[0].items() if n not in speeds}
    run = efforts_along(model, motion, near=guess, actuators=args.actuators)
    inputs = {e.name for e in system.inputs}
    extra_signals = run.named(*args.show)
    efforts = [n for n in run.signals if n.endswith(".effort") or n in inputs]
    figures = {
        n: {
            "largest": float(abs(x).max()),
            "rms": float(np.sqrt((x * x).mean())),
            "unit": run.units[n],
        }
        for n in dict.fromkeys([*efforts, *extra_signals])
        for x in (run[n],)
    }
    text = "\n".join(
        f"{n}: largest {f['largest']:.6g} {f['unit']}, rms {f['rms']:.6g} {f['unit']}"
        for n, f in figures.items()
    )
    text = f"{run.outcome}\n{text}"
    data = {"efforts": figures, "outcome": run.outcome}
    if args.out:
        owners = {k.name for k in system.links} | inputs
        columns = [
            n
            for n in run.signals
            if n.endswith(".multiplier") or (n.split(".")[0] in owners and ".reaction." not in n)
        ]
        run.to_csv(args.out, dict.fromkeys([*columns, *extra_signals]))
        text += f"\nwrote {args.out}"
        data["file"] = args.out
    return CommandResult(text, data)
