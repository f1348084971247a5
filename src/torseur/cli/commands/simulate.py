"""`torseur simulate`: simulation of a model file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import TorseurError, said
from ...model.formats import settings
from ...scalars.values import value
from ..base import (
    CommandResult,
    command,
    exit_code,
    model_arguments,
    out_argument,
    parse_assignments,
    port_unit_lookup,
    read_model,
    start_of,
)


def _options(p):
    model_arguments(p)
    p.add_argument("--t-end", metavar="TIME", help="end of the run [s]; default: the file's")
    p.add_argument(
        "--initial",
        metavar="NAME=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="coordinates and speeds at the start",
    )
    p.add_argument(
        "--inputs",
        metavar="NAME=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="inputs, held",
    )
    p.add_argument("--method", help="integrator (auto)")
    p.add_argument(
        "--solution",
        help="of loops and constraints: multipliers (default), null_space, elimination, penalty",
    )
    p.add_argument("--rtol", type=float, help="relative tolerance (1e-8)")
    p.add_argument("--step", metavar="TIME", help="step of a fixed-step method [s]")
    p.add_argument("--rows", type=int, help="rows of the result (1001)")
    p.add_argument(
        "--show",
        nargs="+",
        default=[],
        metavar="SIGNAL",
        help="signals of the printed table, drawn first, or patterns such as *.angle (the file's "
        "outputs, else the state)",
    )
    out_argument(
        p,
        "write run.nc and run.csv there",
        "FOLDER",
        ("run.nc", "run.csv", "model.yaml", "report.html"),
    )


@command(
    "simulate",
    "run a model in time and write the results",
    [
        "simulate arm.yaml --t-end 5 -o out/",
        "simulate arm.yaml --t-end 5 --initial elbow.angle=30deg --set L2=0.4",
        "simulate crash.yaml --show front.force travel.displacement",
    ],
    _options,
)
def simulate(args) -> CommandResult:
    """Simulate a model and write the results to a folder."""
    model = read_model(args)
    system = model.check()
    initial, options = start_of(system, args.file)
    assigned = parse_assignments(args.initial, port_unit_lookup(system))
    options["initial"] = initial | assigned
    if assigned:
        options["keep"] = list(dict.fromkeys([*options.get("keep", initial), *assigned]))
    if args.inputs:
        options["inputs"] = (options.get("inputs") or {}) | parse_assignments(
            args.inputs, lambda n: None
        )
    for name, text in (("t_end", args.t_end), ("step", args.step)):
        if text is not None:
            expects = f"--{name.replace('_', '-')} {text!r}: expected a time such as 5 or '150 ms'"
            try:
                options[name] = parse_assignments([f"{name}={text}"], lambda n: "s")[name]
                unknown = set(value.symbols(value.exact(options[name]))) - {*model.parameters}
            except TorseurError as e:
                raise TorseurError(f"{expects} ({said(e)})") from None
            if unknown:
                raise TorseurError(expects)
    options |= {
        k: x
        for k, x in (
            ("method", args.method),
            ("rtol", args.rtol),
            ("output", args.rows),
            ("solution", args.solution),
        )
        if x is not None
    }
    if "t_end" not in options:
        raise TorseurError("no end time: give --t-end, or 'simulation: {t_end: ...}' in the file")
    from ...simulation import simulate as integrate

    run = integrate(model, **options, progress=False if args.json or args.quiet else None)
    names = run.named(*(args.show or _file_outputs(args.file) or _state(system)))
    data: dict[str, Any] = {
        "outcome": run.outcome,
        "completed": run.completed,
        "events": len(run.events),
        "statistics": run.statistics,
        "signals": _signal_ranges(run, names),
    }
    text = [run.outcome, _format_table(data["signals"], run.units), str(run.energy_audit)]
    if args.out:
        run_options = {k: x for k, x in options.items() if k != "initial"}
        saved_model = replace(model, initial=options["initial"], simulation=run_options)
        first = names if args.show or _file_outputs(args.file) else None
        files = _write_results(run, saved_model, Path(args.out), first)
        data["files"] = [str(f) for f in files]
        text.append("wrote " + ", ".join(data["files"]))
    return CommandResult("\n".join(text), data, exit_code(run))


def _file_outputs(path) -> list[str]:
    """Signals in the `outputs` of a model file."""
    outputs = settings(path).get("outputs")
    return list(outputs) if isinstance(outputs, list) else []


def _state(system):
    return [*system.coordinates, *system.speeds]


def _signal_ranges(run, names) -> dict:
    """First, last, smallest and largest value of some signals."""
    return {
        n: {
            "first": float(x[0]),
            "last": float(x[-1]),
            "smallest": float(x.min()),
            "largest": float(x.max()),
            "unit": run.units[n],
        }
        for n in names
        for x in (run[n],)
    }


def _format_table(figures: dict, units) -> str:
    """Format the ranges of signals as a text table."""
    width = max((len(n) for n in figures), default=6)
    columns = ("first", "last", "smallest", "largest")
    head = f"{'':<{width}}  " + "  ".join(f"{k:>12}" for k in columns)
    rows = [
        f"{n:<{width}}  " + "  ".join(f"{f[k]:>12.6g}" for k in columns) + f"  {units[n]}"
        for n, f in figures.items()
    ]
    return "\n".join([head, *rows])


def _write_results(run, model, folder: Path, plotted) -> list[Path]:
    """Write run.nc, run.csv, model.yaml and report.html to a folder, each file atomically.

    `plotted` are the names of the signals that the report plots.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [run.save(folder / "run.nc"), run.to_csv(folder / "run.csv")]
    model.save(folder / "model.yaml")
    files.append(folder / "model.yaml")
    from ...show import report

    files.append(Path(report(run, folder / "report.html", model=model, plotted=plotted)))
    return files
