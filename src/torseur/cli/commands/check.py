"""`torseur check`: everything that is wrong with a model, or its summary."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ...errors import ModelError, TorseurError, unknown_name
from ...model.formats import dh_table, settings
from ..base import Answer, command, model_arguments, read, summary


@command(
    "check",
    "read a model and say everything that is wrong with it",
    [
        "check arm.yaml",
        "check *.yaml --json",
    ],
    lambda p: model_arguments(p, many=True),
)
def check(args) -> Answer:
    """Read models and list every problem of every one."""
    texts, found, code = [], [], 0
    for path in args.file:
        try:
            system = lowered(read(args, path))
        except ModelError as e:
            code = 1
            found.append({"file": path, "ok": False, "problems": list(e.problems)})
            head = f"{path}: {len(e.problems)} problem{'s' * (len(e.problems) > 1)}"
            texts.append("\n  - ".join([head, *e.problems]))
            continue
        if wrong := run_problems(system, path):
            code = 1
            found.append({"file": path, "ok": False, "problems": wrong})
            head = f"{path}: {len(wrong)} problem{'s' * (len(wrong) > 1)} of its run or design"
            texts.append("\n  - ".join([head, *wrong]))
            continue
        closed, facts = mobility(path, system)
        found.append({"file": path, "ok": True, **summary(system), **facts})
        table = dh_table(path)
        shown = "" if table is None else "\n  " + str(table).replace("\n", "\n  ")
        texts.append(f"{path}: sound\n{describe(system)}{closed}{shown}")
    return Answer("\n\n".join(texts), {"files": found}, code)


def lowered(model):
    """The system of a model, whatever its `initial` and `simulation` say: these come later."""
    from ...system import check

    try:
        return model.check()
    except ModelError:
        with suppress(ModelError):
            return check(model)
        raise


def run_problems(system, path) -> list[str]:
    """What is wrong with a file's run (`initial`, `simulation`, `outputs`) and its design."""
    from ...integrate import METHODS
    from ...robots import design
    from ...signals import signal_units
    from ...simulation import Options, caps, kinds, refuse_rows
    from ...solve import SOLUTIONS, arguments
    from ...system import collected, start_problems

    _, options, _ = collected(system, "")
    start, end = options.get("t_start", 0.0), options.get("t_end")
    problems = [*start_problems(system)]
    known = {"method": ("auto", *METHODS, "cvode"), "solution": tuple(SOLUTIONS)}
    for name, names in known.items():
        x = options.get(name)
        if isinstance(x, str) and x not in names and not x.startswith("scipy:"):
            problems.append(unknown_name("name", x, names, f"simulation.{name}"))
    method = METHODS.get(str(options.get("method")))
    if method is not None and not method.adaptive and "step" not in options:
        problems.append(f"simulation.method: {method.name!r} has a fixed step; give step [s]")
    wide = 1 + system.nq + system.nv + len(system.layout.z)

    def affordable():
        told = {n: x for n, x in options.items() if n.startswith("max_") and n != "max_step"}
        most = caps(Options(**told), None, wide)
        refuse_rows(arguments.count_of_rows(options.get("output")), wide, most.rows)
        arguments.rows(options.get("output"), start, end)

    tries: tuple[Callable, ...] = (
        lambda: kinds(system.layout.guards, options.get("stop_when")),
        lambda: arguments.tolerances(
            options.get("rtol", 1.0), options.get("atol", 1.0), "rtol, atol"
        ),
        affordable,
    )
    for one in tries:
        try:
            one()
        except TorseurError as e:
            problems.append(f"simulation: {e}")
    try:
        design(system.model)
    except ModelError as e:
        # a design checks its model, which tells of its start again, with the file behind it
        problems += [p for p in e.problems if p.rpartition(" (")[0] not in problems]
    told, units = settings(path).get("outputs"), signal_units(system)
    for name in told if isinstance(told, list) else ():
        if not isinstance(name, str) or name not in units:
            problems.append(unknown_name("signal", name, units, "outputs"))
    return list(dict.fromkeys(problems))


def mobility(path, system) -> tuple[str, dict]:
    """What loops and constraints leave free, at the state the file starts from."""
    if not system.closures and not system.model.constraints:
        return "", {}
    from ...solve import mobility_report
    from ...system import start_of

    initial, options = start_of(system, path)
    try:
        found = mobility_report(system.model, near=initial, keep=options.get("keep"))
    except TorseurError as e:
        text = str(e).splitlines()[0]
        return f"\n  not assembled: {text}", {"assembled": False, "why": str(e)}
    return "\n  " + str(found).replace("\n", "\n  "), {
        "assembled": True,
        "mobility": found.mobility,
        "n_b": found.n_b,
        "I_s": found.I_s,
        "n_q": found.n_q,
        "unknowns": dict(found.unknowns),
        "independent": list(found.independent),
        "undetermined": list(found.undetermined),
    }


def describe(system) -> str:
    """Facts of a system, for people."""
    model = system.model
    mass = _total(system)
    many = _count(len(system.bodies), "body", "bodies")
    joints = _count(len(system.links) - len(system.slices), "moving joint")
    rows = [f"  {system.name}: {many}{mass}, {joints}, {_count(system.nv, 'speed')}"]
    for k in system.owners:
        parent = "world" if not k.parent else system.links[k.parent - 1].body
        names = ", ".join(f"{k.name}.{n} [{u}]" for n, u in k.joint.coordinates)
        kind = type(k.joint).__name__.lower()
        way = f"{kind}, {parent} to {k.body}" if k.index not in system.slices else "beam"
        rows.append(f"    {k.name}: {way}: {names}")
    for what in ("loops", "constraints", "forces", "inputs"):
        if found := getattr(model, what):
            rows.append(f"  {what}: {', '.join(x.name for x in found)}")
    if system.parameters:
        rows.append(
            "  parameters: "
            + ", ".join(n if x is None else f"{n} = {x:.6g}" for n, x in system.parameters.items())
        )
    return "\n".join(rows)


def _count(n: int, one: str, several: str | None = None) -> str:
    return f"{n} {one if n == 1 else several or one + 's'}"


def _total(system) -> str:
    from ...scalars.values import value

    try:
        masses = [
            value.nominal(value.exact(b.mass), system.parameters) for b in system.model.bodies
        ]
    except (TypeError, KeyError, ValueError, TorseurError):
        return ""
    return f" of {sum(masses):.6g} kg"
