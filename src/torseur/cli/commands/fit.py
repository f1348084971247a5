"""`torseur fit`: numbers of a model from tests, by a plan."""

from __future__ import annotations

from ..base import CommandResult, command, out_argument, report_argument


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
def fit(args) -> CommandResult:
    """Numbers of a model from tests."""
    from ...identify import run_plan

    result = run_plan(args.file)
    text = f"{result}\n\n{result.table()}"
    data = {
        "values": result.values,
        "confidence": result.confidence,
        "chi2": result.chi2,
        "good": result.good,
        "outcome": result.outcome,
        "active": list(result.active),
        "unreached": list(result.unreached),
        "inseparable": [list(g) for g in result.inseparable],
        "evaluations": result.evaluations,
    }
    if args.out:
        result.model.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        result.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return CommandResult(text, data)
