"""`torseur workspace`: where a frame can go, and how well."""

from __future__ import annotations

from ..base import (
    CommandResult,
    command,
    model_arguments,
    out_argument,
    parse_quantity,
    read_model,
    report_argument,
)


def _options(p):
    model_arguments(p)
    p.add_argument("frame", help="the frame or body to bring")
    p.add_argument("--samples", type=int, default=20000, help="poses tried (20000)")
    p.add_argument(
        "--stiffness", nargs="+", metavar="JOINT=VALUE", help="of joints [N m/rad]: deflection too"
    )
    p.add_argument(
        "--load", nargs=3, type=float, default=(0, 0, -100), help="force for it [N] (0 0 -100)"
    )
    p.add_argument(
        "--dexterity", type=int, default=0, metavar="N", help="orientations tried at N points (0)"
    )
    out_argument(p, "write every pose and its numbers there", "CSV")
    report_argument(p, "write a page in 3D there")


@command(
    "workspace",
    "where a frame can go, and how well",
    [
        "workspace puma.yaml tool",
        "workspace puma.yaml tool --report space.html --dexterity 200",
        "workspace puma.yaml tool --stiffness joint2=2e4 joint3=2e4 --load 0 0 -50 -o space.csv",
    ],
    _options,
)
def workspace(args) -> CommandResult:
    """Where a frame can go, and how well."""
    from ... import robots

    model = read_model(args)
    stiffness = None
    if args.stiffness:
        pairs = (text.partition("=") for text in args.stiffness)
        stiffness = {n: parse_quantity(x, "N m/rad") for n, _, x in pairs}
    space = robots.workspace(
        model, args.frame, samples=args.samples, stiffness=stiffness, load=args.load
    )
    min_reach, max_reach = space.reach
    data = {
        "reach": [min_reach, max_reach],
        "volume": space.volume(),
        "box": [space.points.min(axis=0).tolist(), space.points.max(axis=0).tolist()],
        "worst_gravity": {n: x for n, (x, _) in space.worst_gravity().items()},
        "least_condition": float(space.condition.min()),
    }
    text = space.table()
    if args.out:
        space.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        space.report(args.report, args.dexterity)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return CommandResult(text, data)
