"""`torseur ik`: where the joints must be for a frame to be at a place or pose."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..base import Answer, command, model_arguments, named_values, number, read


def _options(p):
    model_arguments(p)
    p.add_argument("frame", help="the frame or body to bring")
    p.add_argument(
        "--at", nargs=3, required=True, metavar=("X", "Y", "Z"), help="place in the world"
    )
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


@command(
    "ik",
    "where the joints must be for a frame to be at a place or pose",
    [
        "ik puma.yaml tool --at 0.4 0.2 0.3",
        "ik puma.yaml tool --at 40cm 20cm 30cm --rpy 180deg 0 0 --near elbow.angle=-60deg",
    ],
    _options,
)
def ik(args) -> Answer:
    """Coordinates that bring a frame to a place or pose."""
    from ...solve import InverseKinematics, inverse_kinematics

    model = read(args)
    system = model.check()
    pose: ArrayLike = [number(x, "m") for x in args.at]
    if args.rpy:
        from scipy.spatial.transform import Rotation

        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler("xyz", [number(x, "rad") for x in args.rpy]).as_matrix()
        T[:3, 3] = pose
        pose = T
    found = inverse_kinematics(
        model,
        args.frame,
        pose,
        near=named_values(system, args.near) if args.near else None,
        hold=named_values(system, args.hold) if args.hold else None,
        prefer=named_values(system, args.prefer) if args.prefer else None,
        method=args.method,
        starts=args.starts,
    )
    assert isinstance(found, InverseKinematics)  # one pose was asked
    data = {
        "method": found.method,
        "complete": found.complete,
        "coordinates": list(found.coordinates),
        "solutions": [
            {"label": label, "q": q.tolist(), "within_limits": bool(ok)}
            for label, q, ok in zip(found.labels, found.q, found.within_limits, strict=True)
        ],
        "notes": list(found.notes),
    }
    return Answer(str(found), data)
