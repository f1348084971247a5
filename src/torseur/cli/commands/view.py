"""`torseur view`: a model or a result in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import TorseurError
from ...model.formats import load
from ..base import CommandResult, command, start_of


def _options(p):
    p.add_argument("file", help="a model, a result (.nc), a report (.html) or a folder")


@command(
    "view",
    "show a model or a result in the browser",
    [
        "view out/",
        "view arm.yaml",
    ],
    _options,
)
def view(args) -> CommandResult:
    """Open a report, or create one from a model or a result."""
    import tempfile
    import webbrowser

    path = Path(args.file)
    if path.is_dir():
        path = next((p for p in (path / "report.html", path / "run.nc") if p.exists()), path)
    if path.is_dir() or not path.exists():
        raise TorseurError(f"{args.file}: no report.html, run.nc or model to show")
    if path.suffix != ".html":
        from ...show import report

        if path.suffix == ".nc":
            from ...results import Trajectory

            run, model_file = Trajectory.load(path), path.with_name("model.yaml")
            model = load(model_file) if model_file.exists() else None
        else:
            from ...simulation import simulate as integrate

            model = load(path)
            initial, options = start_of(model.check(), path)
            run_options: dict[str, Any] = {"t_end": 1.0, **options}
            run = integrate(model, initial=initial, progress=False, **run_options)
        path = Path(report(run, Path(tempfile.mkdtemp()) / "report.html", model=model))
    opened = webbrowser.open(path.resolve().as_uri())
    return CommandResult(
        f"{'opened' if opened else 'open in a browser:'} {path}", {"file": str(path)}
    )
