"""`torseur study`: many members of a model, from a plan in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...files import write
from ..base import CommandResult, command, out_argument


def _options(p):
    p.add_argument("file", help="plan: model, vary, keep, samples, design (YAML)")
    p.add_argument("--engine", default="auto", help="auto, lanes, processes, or tcp://... of Dask")
    p.add_argument("--workers", type=int, help="processes (all cores)")
    p.add_argument("--store", metavar="FOLDER", help="Zarr store; the same call goes on from it")
    out_argument(p, "write table.csv and report.html there", "FOLDER", ("table.csv", "report.html"))


@command(
    "study",
    "run many members of a model: what varies, what is kept",
    ["study plan.yaml -o out/", "study plan.yaml --store s.zarr --engine processes"],
    _options,
)
def study(args) -> CommandResult:
    """Run a study plan, print a summary, write table and report."""
    from ...studies import read_plan, study as run

    plan = read_plan(Path(args.file))
    store = args.store or plan.pop("store", None)
    result = run(
        plan.pop("model"),
        **plan,
        store=store,
        engine=args.engine,
        workers=args.workers,
        progress=False if args.json or args.quiet else None,
    )
    table = result.table
    numbers = [n for n in result.plan.keep if result[n].ndim == 1]
    failed = int((~result["completed"]).sum())
    text = [f"{len(result)} members, {failed} not complete"]
    if numbers:
        text.append(table[numbers].describe().to_string())
    data: dict[str, Any] = {
        "members": len(result),
        "failed": failed,
        "kept": {n: table[n].describe().to_dict() for n in numbers},
    }
    if args.out:
        folder = Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        files = [write(folder / "table.csv", table.to_csv()), result.report(folder / "report.html")]
        data["files"] = [str(f) for f in files]
        text.append("wrote " + ", ".join(data["files"]))
    return CommandResult("\n".join(text), data, 0)
