"""`torseur plot`: figure of signals of a model or a result, or animation of its motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import TorseurError
from ...model.formats import load
from ..base import CommandResult, command, out_argument, parse_assignments, values_argument

ANIMATION_SUFFIXES = (".gif", ".mp4")


def _options(p):
    p.add_argument("file", nargs="+", help="a model, results (.nc) or a folder, measured .csv")
    p.add_argument("--show", nargs="+", default=[], metavar="SIGNAL", help="what to draw")
    p.add_argument("--against", metavar="SIGNAL", help="draw against it instead of time")
    p.add_argument("--width", type=float, default=174.0, help="of the figure [mm]: 84 or 174")
    values_argument(p, "--set", "values of parameters of a model")
    out_argument(p, "figure (.pdf, .svg, .png) or moving picture (.gif, .mp4); plot.png")
    p.set_defaults(out="plot.png")


@command(
    "plot",
    "draw signals of a model or a result as a figure, or its motion as a moving picture",
    [
        "plot arm.yaml -o arm.pdf",
        "plot out/run.nc measured.csv --show elbow.angle -o compared.svg",
        "plot arm.yaml -o arm.gif",
    ],
    _options,
)
def plot(args) -> CommandResult:
    """Plot one or several files over each other."""
    from ...show import animate, plot as drawn

    target = Path(args.out)
    runs = [_load_run(Path(f), args) for f in args.file]
    model = getattr(runs[0], "model", None)
    first: list[Any] = [r.run if isinstance(r, _LoadedRun) else r for r in runs]
    if target.suffix.lower() in ANIMATION_SUFFIXES:
        animate(first[0], target, model=model)
    else:
        drawn(first, *args.show, x=args.against, path=target, width=args.width, show=False)
    return CommandResult(f"wrote {target}", {"file": str(target)})


class _LoadedRun:
    """A run, and its model if the run does not contain it."""

    def __init__(self, run, model=None):
        self.run, self.model = run, model


def _load_run(path: Path, args):
    """Simulate a model, load a saved run, or return the path of a measurement."""
    if path.is_dir():
        path = path / "run.nc"
    if not path.exists():
        raise TorseurError(f"no such file: {path}")
    if path.suffix.lower() == ".csv":
        return path
    if path.suffix == ".nc":
        from ...results import Trajectory

        model_file = path.with_name("model.yaml")
        return _LoadedRun(Trajectory.load(path), load(model_file) if model_file.exists() else None)
    from ...simulation import simulate

    model = load(path)
    if args.set:
        values = parse_assignments(args.set, lambda name: None)
        model = replace(model, parameters=dict(model.parameters) | values)
    return _LoadedRun(simulate(model, progress=False))
