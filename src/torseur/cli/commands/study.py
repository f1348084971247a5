"""`torseur study`: many members of a model, from a plan in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import ModelError, TorseurError, unknown_name
from ...files import write
from ..base import Answer, command, out_argument

KEYS = ("model", "vary", "keep", "samples", "design", "seed", "store", "t_end", "simulation",
        "schema_version", "description")  # fmt: skip


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
def study(args) -> Answer:
    """Run a plan, print what was kept, write the table and the page."""
    from ...studies import study as run

    plan = read_plan(Path(args.file))
    store = args.store or plan.pop("store", None)
    found = run(
        plan.pop("model"),
        **plan,
        store=store,
        engine=args.engine,
        workers=args.workers,
        progress=False if args.json or args.quiet else None,
    )
    table = found.table
    numbers = [n for n in found.plan.keep if found[n].ndim == 1]
    failed = int((~found["completed"]).sum())
    text = [f"{len(found)} members, {failed} not complete"]
    if numbers:
        text.append(table[numbers].describe().to_string())
    data: dict[str, Any] = {
        "members": len(found),
        "failed": failed,
        "kept": {n: table[n].describe().to_dict() for n in numbers},
    }
    if args.out:
        folder = Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        files = [write(folder / "table.csv", table.to_csv()), found.report(folder / "report.html")]
        data["files"] = [str(f) for f in files]
        text.append("wrote " + ", ".join(data["files"]))
    return Answer("\n".join(text), data, 0)


def read_plan(path: Path) -> dict[str, Any]:
    """A plan file as arguments of `ts.study`; every problem at once."""
    from ...model import load
    from ...model.formats import parse, read_text
    from ...studies import MEASURES

    if not path.is_file():
        raise ModelError([f"{path}: no such file; check the path"])
    tree, problems = parse(read_text(path), path.name)
    given: Any = _plain(tree)
    if not isinstance(given, dict):
        raise ModelError([f"{path.name}: expected keys such as 'model', 'vary' and 'keep'"])
    problems = list(problems)
    problems += [unknown_name("key", k, KEYS, path.name) for k in given if k not in KEYS]
    problems += [f"{path.name}: no {k!r}" for k in ("model", "vary", "keep") if k not in given]
    vary = given.get("vary")
    out: dict[str, Any] = {}
    if isinstance(vary, dict):
        out["vary"] = {
            n: _made(x, _spreads(), f"{path.name}: vary.{n}", problems) for n, x in vary.items()
        }
    elif isinstance(vary, str):
        out["vary"] = path.parent / vary
    keep = given.get("keep")
    if isinstance(keep, dict):
        known = {n: MEASURES[n] for n in MEASURES}
        out["keep"] = {
            n: _made(x, known, f"{path.name}: keep.{n}", problems) for n, x in keep.items()
        }
    elif "keep" in given:
        problems.append(f"{path.name}: keep: expected names, each with a measure")
    if problems:
        raise ModelError(problems)
    out["model"] = load(path.parent / given["model"])
    for name in ("samples", "design", "seed", "store"):
        if name in given:
            out[name] = given[name]
    options: dict[str, Any] = dict(given.get("simulation") or {})
    if "t_end" in given:
        options["t_end"] = given["t_end"]
    if isinstance(options.get("t_end"), str):
        from ...studies import spreads

        options["t_end"] = spreads.number(options["t_end"], f"{path.name}: t_end")
    return {**out, **options}


def _spreads() -> dict[str, Any]:
    from ... import studies

    return {n: getattr(studies, n) for n in ("normal", "uniform", "lognormal", "grid")}


def _made(given, known, where, problems):
    """`{normal: [1, 0.1]}` or `{signal: x.speed, at: [...]}` as an object; a list stays a list."""
    if isinstance(given, list):
        return given
    if not isinstance(given, dict) or not given:
        problems.append(
            f"{where}: expected one of {', '.join(known)}, such as {{{next(iter(known))}: ...}}"
        )
        return None
    name, first = next(iter(given.items()))
    if name not in known:
        problems.append(unknown_name("kind", name, known, where))
        return None
    rest = {k: x for k, x in given.items() if k != name}
    spread = issubclass(known[name], _spread_class())
    try:
        return known[name](*(first if isinstance(first, list) and spread else [first]), **rest)
    except (TypeError, ValueError, TorseurError) as e:
        problems.append(f"{where}: {e}")
        return None


def _spread_class():
    from ...studies import Spread

    return Spread


def _plain(node):
    """A tree of nodes as plain data."""
    x = node.value
    if isinstance(x, dict):
        return {k: _plain(v) for k, v in x.items()}
    return [_plain(v) for v in x] if isinstance(x, list) else x
