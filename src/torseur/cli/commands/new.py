"""`torseur new`: a model file to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ...files import write
from ..base import CommandResult, command

TEMPLATE_FOLDERS = ("model/templates", "crash/vehicles", "crash/scenes")


def list_templates(folder: str = TEMPLATE_FOLDERS[0]) -> list[str]:
    """Names of the templates of a folder: models, vehicles or crashes."""
    files = resources.files("torseur").joinpath(folder).iterdir()
    return sorted(f.name.removesuffix(".yaml") for f in files if f.name.endswith(".yaml"))


def _options(p):
    p.add_argument(
        "kind", choices=[k for folder in TEMPLATE_FOLDERS for k in list_templates(folder)]
    )
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
def new(args) -> CommandResult:
    """Write a template."""
    target = Path(args.target or f"{args.kind}.yaml")
    folder = next(r for r in TEMPLATE_FOLDERS if args.kind in list_templates(r))
    text = resources.files("torseur").joinpath(folder, f"{args.kind}.yaml").read_text("utf-8")
    write(target, text)
    next_command = {
        TEMPLATE_FOLDERS[0]: f"torseur check {target}",
        TEMPLATE_FOLDERS[1]: f'torseur crash {target} --speed "50 km/h"',
        TEMPLATE_FOLDERS[2]: f"torseur crash {target} -o out/",
    }[folder]
    return CommandResult(f"wrote {target}; next: {next_command}", {"file": str(target)})
