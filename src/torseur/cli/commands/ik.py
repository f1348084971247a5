"""`torseur ik`: inverse kinematics of a frame at a position or pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import TorseurError
from ..base import (
    CommandResult,
    command,
    model_arguments,
    named_values,
    out_argument,
    parse_quantity,
    read_model,
)


def _options(p):
    model_arguments(p)
    p.add_argument("frame", nargs="?", help="the frame or body to bring")
    p.add_argument("--at", nargs=3, metavar=("X", "Y", "Z"), help="place in the world")
    p.add_argument("--path", metavar="NAME", help="follow a path of the model's file instead")
    p.add_argument(
        "--rpy",
        nargs=3,
        metavar=("ROLL", "PITCH", "YAW"),
        help="orientation too: turns about fixed x, y, z",
    )
    p.add_argument("--near", metavar="NAME=VALUE", nargs="+", help="sort solutions from here")
    p.add_argument("--hold", metavar="NAME=VALUE", nargs="+", help="coordinates that stay")
    p.add_argument(
        "--prefer", metavar="NAME=VALUE", nargs="+", help="where a redundant arm shall rather be"
    )
    p.add_argument("--method", choices=("auto", "closed", "numerical"), default="auto")
    p.add_argument("--starts", type=int, default=64, help="starting points of a search (64)")
    out_argument(p, "write the coordinates along the path there", "CSV")


@command(
    "ik",
    "where the joints must be for a frame to be at a place or pose",
    [
        "ik puma.yaml tool --at 0.4 0.2 0.3",
        "ik puma.yaml --path seam -o seam.csv",
        "ik puma.yaml tool --at 40cm 20cm 30cm --rpy 180deg 0 0 --near elbow.angle=-60deg",
    ],
    _options,
)
def ik(args) -> CommandResult:
    """Find coordinates that bring a frame to a position or pose."""
    from ...solve import InverseKinematics, inverse_kinematics

    model = read_model(args)
    system = model.check()
    if args.path:
        return _solve_path(model, args)
    if args.frame is None or args.at is None:
        raise TorseurError("ik: give a frame and --at X Y Z, or --path NAME of the model's file")
    if args.out:
        raise TorseurError("ik: -o is for --path; solutions of one pose are printed (--json)")
    pose: ArrayLike = [parse_quantity(x, "m") for x in args.at]
    if args.rpy:
        from scipy.spatial.transform import Rotation

        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler(
            "xyz", [parse_quantity(x, "rad") for x in args.rpy]
        ).as_matrix()
        T[:3, 3] = pose
        pose = T
    result = inverse_kinematics(
        model,
        args.frame,
        pose,
        near=named_values(system, args.near) if args.near else None,
        hold=named_values(system, args.hold) if args.hold else None,
        prefer=named_values(system, args.prefer) if args.prefer else None,
        method=args.method,
        starts=args.starts,
    )
    assert isinstance(result, InverseKinematics)  # for one pose
    data = {
        "method": result.method,
        "complete": result.complete,
        "coordinates": list(result.coordinates),
        "solutions": [
            {"label": label, "q": q.tolist(), "within_limits": bool(ok)}
            for label, q, ok in zip(result.labels, result.q, result.within_limits, strict=True)
        ],
        "notes": list(result.notes),
    }
    return CommandResult(str(result), data)


def _solve_path(model, args) -> CommandResult:
    """Coordinates along a path of the model file."""
    from ...files import write
    from ...robots import design

    result: Any = design(model).followed(args.path)
    names, t = result.coordinates, result.times
    units = {p.name: p.unit for p in model.check().ports}
    rows = [
        f"{n}: {q.min():.6g} to {q.max():.6g} {units[n]}, up to {abs(v).max():.6g} {units[n]}/s"
        for n, q, v in zip(names, result.q.T, result.v.T, strict=True)
    ]
    worst = int(result.condition.argmax())
    text = [
        f"{len(t)} poses in {t[-1] - t[0]:.6g} s, one branch",
        *rows,
        f"nearest to a singular pose at {t[worst]:.4g} s: condition {result.condition[worst]:.4g}",
    ]
    data = {"coordinates": list(names), "time": t, "q": result.q, "condition": result.condition}
    if args.out:
        head = ",".join(["time [s]", *(f"{n} [{units[n]}]" for n in names)])
        table = np.column_stack([t, result.q])
        lines = (",".join(repr(float(x)) for x in row) for row in table)
        write(args.out, "\n".join([head, *lines]) + "\n")
        text.append(f"wrote {args.out}")
        data["file"] = args.out
    return CommandResult("\n".join(text), data)
