"""`torseur convert`: from one format of models to another."""

from __future__ import annotations

import warnings
from pathlib import Path

from ...errors import ModelWarning
from ...model.formats import load
from ..base import CommandResult, command, system_data


def _options(p):
    p.add_argument("source", help="model to read")
    p.add_argument("target", help="model to write: .yaml, .json or .urdf")
    p.add_argument(
        "--repair", action="store_true", help="move impossible inertias to the nearest possible"
    )
    p.add_argument(
        "--right-angles", action="store_true", help="URDF: angles such as 1.5708 are right angles"
    )
    p.add_argument("--free", action="store_true", help="URDF: let the root float")
    p.add_argument(
        "--search",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="URDF: where packages of meshes are",
    )


@command(
    "convert",
    "translate between YAML, JSON, URDF and MJCF",
    [
        "convert robot.urdf robot.yaml",
        "convert robot.urdf robot.yaml --repair",
        "convert humanoid.xml humanoid.yaml",
    ],
    _options,
)
def convert(args) -> CommandResult:
    """Convert a model file to another format. The model must have no errors."""
    source, target = Path(args.source), Path(args.target)
    options = {}
    if source.suffix.lower() in (".urdf", ".xml"):
        from ...model.formats import is_urdf

        if source.suffix.lower() == ".urdf" or (source.is_file() and is_urdf(source)):
            options = {
                "right_angles": args.right_angles,
                "base": "free" if args.free else "weld",
                "search": args.search,
            }
        options["repair"] = args.repair
    model = load(source, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        system = model.check()
    model.save(target)
    return CommandResult(
        f"wrote {target}: {len(system.bodies)} bodies, {system.nv} degrees of freedom",
        {"file": str(target), **system_data(system)},
    )
