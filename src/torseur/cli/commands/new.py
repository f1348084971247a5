"""`torseur new`: a model file to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ...files import write
from ..base import Answer, command

ROOMS = ("model/templates", "crash/vehicles", "crash/scenes")


def templates(room: str = ROOMS[0]) -> list[str]:
    """Kinds of files there are to start from: models, or vehicles and crashes."""
    found = resources.files("torseur").joinpath(room).iterdir()
    return sorted(f.name.removesuffix(".yaml") for f in found if f.name.endswith(".yaml"))


def _options(p):
    p.add_argument("kind", choices=[k for room in ROOMS for k in templates(room)])
    p.add_argument("target", metavar="file", nargs="?", help="where to write it (KIND.yaml)")


@command(
    "new",
    "write a model file to start from",
    [
        "new robot",
        "new crash my_car.yaml",
        "new k3",
        "new oblique_driver",
    ],
    _options,
)
def new(args) -> Answer:
    """Write a template."""
    target = Path(args.target or f"{args.kind}.yaml")
    room = next(r for r in ROOMS if args.kind in templates(r))
    text = resources.files("torseur").joinpath(room, f"{args.kind}.yaml").read_text("utf-8")
    write(target, text)
    then = {
        ROOMS[0]: f"torseur check {target}",
        ROOMS[1]: f'torseur crash {target} --speed "50 km/h"',
        ROOMS[2]: f"torseur crash {target} -o out/",
    }[room]
    return Answer(f"wrote {target}; next: {then}", {"file": str(target)})
