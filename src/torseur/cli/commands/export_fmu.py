"""`torseur export-fmu`: a model as a file for other simulators."""

from __future__ import annotations

from ..base import (
    CommandResult,
    command,
    model_arguments,
    parse_assignments,
    port_unit_lookup,
    read_model,
    start_of,
)


def _options(p):
    model_arguments(p)
    p.add_argument(
        "--initial",
        metavar="NAME=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="coordinates and speeds at the start",
    )
    p.add_argument(
        "--keep", nargs="+", metavar="SIGNAL", help="signals to be outputs, or patterns (*.angle)"
    )
    p.add_argument("--method", help="integrator of co-simulation (auto)")
    p.add_argument("--rtol", type=float, help="relative tolerance (1e-8)")
    p.add_argument("--platforms", nargs="+", metavar="NAME", help="linux64, win64 (default: both)")
    p.add_argument(
        "--cpu", default="x86-64-v2", help="oldest processor: x86-64-v2 (default), -v3, -v4"
    )
    p.add_argument("-o", "--out", metavar="FILE.fmu", required=True, help="write it there")


@command(
    "export-fmu",
    "write a model as an FMU: co-simulation and model exchange",
    [
        "export-fmu arm.yaml -o arm.fmu",
        "export-fmu arm.yaml -o arm.fmu --keep '*.angle' 'tip.*' energy.kinetic",
        "export-fmu arm.yaml -o arm.fmu --platforms linux64 --cpu x86-64-v3",
    ],
    _options,
)
def export_fmu(args) -> CommandResult:
    """Export a model as FMU. No compiler is needed."""
    from ... import fmu

    model = read_model(args)
    system = model.check()
    start, _ = start_of(system, args.file)
    initial = parse_assignments(args.initial, port_unit_lookup(system))
    path = fmu.export_fmu(
        model,
        args.out,
        keep=args.keep,
        initial=(start | initial) if initial else None,
        platforms=args.platforms,
        cpu=args.cpu,
        method=args.method,
        rtol=args.rtol,
    )
    about = fmu.describe_fmu(path)
    text = (
        f"wrote {path}: FMI 2.0, co-simulation and model exchange, {', '.join(about['platforms'])}"
    )
    counts = ", ".join(f"{n} {kind}" for kind, n in about["variables"].items())
    return CommandResult(f"{text}\n{counts}", {"file": str(path), **about})
