"""`torseur workspace`: where a frame can go, and how well."""

from __future__ import annotations

from ..base import Answer, command, model_arguments, read


def _options(p):
    model_arguments(p)
    p.add_argument("frame", help="the frame or body to bring")
    p.add_argument("--samples", type=int, default=20000, help="poses tried (20000)")
    p.add_argument("--report", metavar="HTML", help="write a page there")


@command(
    "workspace",
    "where a frame can go, and how well",
    [
        "workspace puma.yaml tool",
        "workspace puma.yaml tool --report space.html",
    ],
    _options,
)
def workspace(args) -> Answer:
    """Where a frame can go, and how well."""
    from ... import robots

    model = read(args)
    found = robots.workspace(model, args.frame, samples=args.samples)
    near, far = found.reach
    data = {
        "reach": [near, far],
        "volume": found.volume(),
        "box": [found.points.min(axis=0).tolist(), found.points.max(axis=0).tolist()],
        "worst_gravity": {n: x for n, (x, _) in found.worst_gravity().items()},
        "least_condition": float(found.condition.min()),
    }
    text = found.table()
    if args.report:
        found.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return Answer(text, data)
