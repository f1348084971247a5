"""`torseur identify`: a robot from measured torques."""

from __future__ import annotations

from ..base import (
    CommandResult,
    command,
    model_arguments,
    out_argument,
    read_model,
    report_argument,
)


def _options(p):
    model_arguments(p)
    p.add_argument(
        "data",
        help="table (.csv, .csv.gz), units in the headings: time [s], q1 [rad], ..., tau1 [N m], "
        "... or names of signals",
    )
    p.add_argument(
        "--friction",
        nargs="*",
        default=["coulomb", "viscous", "offset"],
        metavar="MODEL",
        help="friction of every joint: coulomb viscous offset (default), stribeck, square, load",
    )
    p.add_argument(
        "--free",
        nargs="+",
        default=[],
        metavar="BODY",
        help="look for the masses of these bodies alone (a tool, a load); the others are known",
    )
    p.add_argument("--no-rotors", action="store_true", help="joints have no inertia of their own")
    p.add_argument(
        "--stiffness",
        action="store_true",
        help="stiffness and damping of elastic drives too; data has the angles of their rotors",
    )
    p.add_argument(
        "--unconstrained",
        action="store_true",
        help="least squares alone, even if no distribution of mass has such parameters",
    )
    p.add_argument("--method", default="balanced", help="ols, wls, balanced (default), irls, tls")
    p.add_argument("--cutoff", type=float, default=10.0, help="low pass without shift [Hz] (10)")
    out_argument(p, "write the identified model there")
    report_argument(p, "write a page with efforts and the table")


@command(
    "identify",
    "masses, inertias and friction of a robot from measured motion and efforts",
    [
        "identify robot.yaml measured.csv",
        "identify robot.yaml measured.csv -o found.yaml --report found.html",
        "identify robot.yaml measured.csv --free tool",
    ],
    _options,
)
def identify(args) -> CommandResult:
    """Parameters of a robot from a table of measurements."""
    from ...identify import robot

    result = robot(
        read_model(args),
        args.data,
        friction=tuple(args.friction),
        rotors=False if args.no_rotors else None,
        consistent=not args.unconstrained,
        method=args.method,
        cutoff=args.cutoff,
        stiffness=args.stiffness,
        free=args.free,
    )
    text = f"{result}\n\n{result.table()}"
    data = {
        "base": result.base,
        "sigma": result.sigma,
        "combinations": result.combinations,
        "essential": list(result.essential),
        "errors": result.errors().tolist(),
    }
    if args.out:
        result.model.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        result.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return CommandResult(text, data)
