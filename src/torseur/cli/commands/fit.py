"""`torseur fit`: numbers of a model from tests, by a plan."""

from __future__ import annotations

from ..base import Answer, command, out_argument, report_argument


def _options(p):
    p.add_argument("file", help="plan: model, experiments, free (.yaml, .json)")
    out_argument(p, "write the fitted model there")
    report_argument(p, "write a page with signals and the table")


@command(
    "fit",
    "numbers of a model from tests, by a plan",
    ["fit plan.yaml", "fit plan.yaml -o fitted.yaml --report fit.html"],
    _options,
)
def fit(args) -> Answer:
    """Numbers of a model from tests."""
    from ...identify import run_plan

    found = run_plan(args.file)
    text = f"{found}\n\n{found.table()}"
    data = {
        "values": found.values,
        "confidence": found.confidence,
        "chi2": found.chi2,
        "good": found.good,
        "outcome": found.outcome,
        "active": list(found.active),
        "unreached": list(found.unreached),
        "inseparable": [list(g) for g in found.inseparable],
        "evaluations": found.evaluations,
    }
    if args.out:
        found.model.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        found.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return Answer(text, data)
