"""`torseur check`: problems of a model, or its summary."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ...errors import ModelError, TorseurError, unknown_name_message
from ...model.formats import dh_table, settings
from ..base import CommandResult, command, model_arguments, read_model, system_data


@command(
    "check",
    "read a model and say everything that is wrong with it",
    [
        "check arm.yaml",
        "check *.yaml --json",
    ],
    lambda p: model_arguments(p, several=True),
)
def check(args) -> CommandResult:
    """Read models and list all problems of each."""
    paragraphs, reports, code = [], [], 0
    for path in args.file:
        try:
            system = lower_model(read_model(args, path))
        except ModelError as e:
            code = 1
            reports.append({"file": path, "ok": False, "problems": list(e.problems)})
            head = f"{path}: {len(e.problems)} problem{'s' * (len(e.problems) > 1)}"
            paragraphs.append("\n  - ".join([head, *e.problems]))
            continue
        if problems := find_run_problems(system, path):
            code = 1
            reports.append({"file": path, "ok": False, "problems": problems})
            head = (
                f"{path}: {len(problems)} problem{'s' * (len(problems) > 1)} of its run or design"
            )
            paragraphs.append("\n  - ".join([head, *problems]))
            continue
        closed, facts = assess_mobility(path, system)
        reports.append({"file": path, "ok": True, **system_data(system), **facts})
        table = dh_table(path)
        dh_text = "" if table is None else "\n  " + str(table).replace("\n", "\n  ")
        paragraphs.append(f"{path}: no errors\n{describe_system(system)}{closed}{dh_text}")
    return CommandResult("\n\n".join(paragraphs), {"files": reports}, code)


def lower_model(model):
    """Check a model without its `initial` and `simulation`, which `find_run_problems` checks."""
    from ...system import check

    try:
        return model.check()
    except ModelError:
        with suppress(ModelError):
            return check(model)
        raise


def find_run_problems(system, path) -> list[str]:
    """List the problems of `initial`, `simulation`, `outputs` and the design of a model file."""
    from ...integrate import METHODS
    from ...robots import design
    from ...signals import signal_units
    from ...simulation import Options, caps, check_row_budget, kinds
    from ...solve import SOLUTIONS, arguments
    from ...system import collected, start_problems

    _, options, _ = collected(system, "")
    start, end = options.get("t_start", 0.0), options.get("t_end")
    problems = [*start_problems(system)]
    choices = {"method": ("auto", *METHODS, "cvode"), "solution": tuple(SOLUTIONS)}
    for name, names in choices.items():
        x = options.get(name)
        if isinstance(x, str) and x not in names and not x.startswith("scipy:"):
            problems.append(unknown_name_message("name", x, names, f"simulation.{name}"))
    method = METHODS.get(str(options.get("method")))
    if method is not None and not method.adaptive and "step" not in options:
        problems.append(f"simulation.method: {method.name!r} has a fixed step; give step [s]")
    row_width = 1 + system.nq + system.nv + len(system.layout.z)

    def check_budget():
        """Check the number of output rows against the memory limits."""
        limits = {n: x for n, x in options.items() if n.startswith("max_") and n != "max_step"}
        budget = caps(Options(**limits), None, row_width)
        check_row_budget(arguments.count_rows(options.get("output")), row_width, budget.rows)
        arguments.rows(options.get("output"), start, end)

    checks: tuple[Callable, ...] = (
        lambda: kinds(system.layout.guards, options.get("stop_when")),
        lambda: arguments.tolerances(
            options.get("rtol", 1.0), options.get("atol", 1.0), "rtol, atol"
        ),
        check_budget,
    )
    for run_check in checks:
        try:
            run_check()
        except TorseurError as e:
            problems.append(f"simulation: {e}")
    try:
        design(system.model)
    except ModelError as e:
        # a design checks its model, which tells of its start again, with the file behind it
        problems += [p for p in e.problems if p.rpartition(" (")[0] not in problems]
    outputs, units = settings(path).get("outputs"), signal_units(system)
    for name in outputs if isinstance(outputs, list) else ():
        if not isinstance(name, str) or name not in units:
            problems.append(unknown_name_message("signal", name, units, "outputs"))
    return list(dict.fromkeys(problems))


def assess_mobility(path, system) -> tuple[str, dict]:
    """Mobility of a closed-loop model at its initial state, as text and as data."""
    if not system.closures and not system.model.constraints:
        return "", {}
    from ...solve import mobility_report
    from ...system import start_of

    initial, options = start_of(system, path)
    try:
        report = mobility_report(system.model, near=initial, keep=options.get("keep"))
    except TorseurError as e:
        text = str(e).splitlines()[0]
        return f"\n  not assembled: {text}", {"assembled": False, "why": str(e)}
    return "\n  " + str(report).replace("\n", "\n  "), {
        "assembled": True,
        "mobility": report.mobility,
        "n_b": report.n_b,
        "I_s": report.I_s,
        "n_q": report.n_q,
        "unknowns": dict(report.unknowns),
        "independent": list(report.independent),
        "undetermined": list(report.undetermined),
    }


def describe_system(system) -> str:
    """Describe bodies, joints, coordinates and elements of a system."""
    model = system.model
    mass = _format_mass(system)
    bodies = _format_count(len(system.bodies), "body", "bodies")
    joints = _format_count(len(system.links) - len(system.slices), "moving joint")
    rows = [f"  {system.name}: {bodies}{mass}, {joints}, {_format_count(system.nv, 'speed')}"]
    for k in system.owners:
        parent = "world" if not k.parent else system.links[k.parent - 1].body
        names = ", ".join(f"{k.name}.{n} [{u}]" for n, u in k.joint.coordinates)
        kind = type(k.joint).__name__.lower()
        connection = f"{kind}, {parent} to {k.body}" if k.index not in system.slices else "beam"
        rows.append(f"    {k.name}: {connection}: {names}")
    for what in ("loops", "constraints", "forces", "inputs"):
        if elements := getattr(model, what):
            rows.append(f"  {what}: {', '.join(x.name for x in elements)}")
    if system.parameters:
        rows.append(
            "  parameters: "
            + ", ".join(n if x is None else f"{n} = {x:.6g}" for n, x in system.parameters.items())
        )
    return "\n".join(rows)


def _format_count(n: int, one: str, several: str | None = None) -> str:
    return f"{n} {one if n == 1 else several or one + 's'}"


def _format_mass(system) -> str:
    """Total mass of a model as text, empty if it has no value."""
    from ...scalars.values import value

    try:
        masses = [
            value.nominal(value.exact(b.mass), system.parameters) for b in system.model.bodies
        ]
    except (TypeError, KeyError, ValueError, TorseurError):
        return ""
    return f" of {sum(masses):.6g} kg"
