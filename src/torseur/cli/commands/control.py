"""`torseur control`: a controller of an arm, as C with its model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import TorseurError
from ..base import CommandResult, command, model_arguments, named_values, read_model


def _options(p):
    model_arguments(p)
    p.add_argument("--name", help="a controller of the model's file (its only one)")
    p.add_argument(
        "--kind",
        choices=("computed_torque", "pd", "lqr"),
        help="follow a motion (default), go to a pose with gravity held, or the best regulator",
    )
    p.add_argument("--pose", nargs="+", default=[], metavar="NAME=VALUE", help="pose to go to")
    p.add_argument("--kp", type=float, default=400.0, help="gain on places (400)")
    p.add_argument("--kd", type=float, default=40.0, help="gain on speeds (40)")
    p.add_argument("--weights", type=float, default=1.0, help="of the state, for lqr (1)")
    p.add_argument("--effort", type=float, default=1.0, help="of the inputs, for lqr (1)")
    p.add_argument(
        "-o", "--out", metavar="FILE.c", required=True, help="write the controller there"
    )


@command(
    "control",
    "write a controller of an arm as C, with its model",
    [
        "control arm.yaml -o control.c",
        "control arm.yaml --name hold -o control.c",
        "control arm.yaml --kind pd --pose elbow.angle=30deg --kp 200 --kd 20 -o control.c",
        "control arm.yaml --kind lqr --pose elbow.angle=30deg --weights 10 -o control.c",
    ],
    _options,
)
def control(args) -> CommandResult:
    """Export a controller as a C function. Joints without an input get a motor."""
    from ... import robots
    from ...model import actuated

    model = actuated(read_model(args))
    system = model.check()
    target = named_values(system, args.pose) if args.pose else {}
    design = robots.design(model)
    named, kind = (
        args.name or (design.controllers and not args.kind),
        args.kind or "computed_torque",
    )
    controller: Any
    if named:
        controller = design.controller(args.name)
    elif kind == "computed_torque":
        if target:
            raise TorseurError("control: --pose is for pd and lqr; computed torque takes q_d")
        controller = robots.ComputedTorque(model, {}, args.kp, args.kd)
    elif kind == "pd":
        controller = robots.PDGravity(model, target, args.kp, args.kd)
    else:
        controller = robots.lqr(model, target, weights=args.weights, effort=args.effort)
    data: dict = {"kind": type(controller).__name__, "file": args.out}
    if isinstance(controller, robots.Regulator):
        data["gains"] = np.asarray(controller.K).tolist()
        data["slowest"] = float(np.real(controller.eigenvalues).max())
    robots.export_controller(controller, args.out)
    data["inputs"] = list(controller.pushes)
    text = f"wrote {args.out}: control(q, v, {''.join(f'{n}, ' for n in controller.references)}u)"
    text += f"\nu: {', '.join(controller.pushes)}"
    if "slowest" in data:
        text += f"\nthe slowest motion of the closed loop fades with {-data['slowest']:.4g} 1/s"
    return CommandResult(text, data)
