"""Commands that compute: equations, simulate, inverse, modes, equilibrium, bench, view."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import TorseurError, unknown_name
from ..files import write
from ..model.formats.files import load, settings
from ..numbers import values
from .main import Answer
from .models import pairs, read


def equations(args) -> Answer:
    """Exact equations, in one of several languages."""
    from ..symbolic import equations as derive

    eq = derive(read(args).check(), formalism=args.formalism, forces=args.forces)
    if args.code:
        text = eq.code(args.code, args.quantity)
    elif args.latex:
        text = eq.latex()
    elif args.mathml:
        text = eq.mathml()
    elif args.sympy:
        text = "\n".join(map(str, eq.sympy()))
    else:
        text = str(eq)
    data = {"formalism": args.formalism, "coordinates": list(eq.system.coordinates), "text": text}
    if args.out:
        write(args.out, text + "\n")
        return Answer(f"wrote {args.out}", data | {"file": args.out})
    return Answer(text, data)


def simulate(args) -> Answer:
    """Run in time; results go to a folder, whole or not at all."""
    model = read(args)
    system = model.check()
    initial, options = start_of(system, args.file)
    given = pairs(args.initial, _unit_of(system))
    options["initial"] = initial | given
    if given:
        options["keep"] = list(dict.fromkeys([*options.get("keep", initial), *given]))
    if args.inputs:
        options["inputs"] = (options.get("inputs") or {}) | pairs(args.inputs, lambda n: None)
    for name, text in (("t_end", args.t_end), ("step", args.step)):
        if text is not None:
            options[name] = pairs([f"{name}={text}"], lambda n: "s")[name]
    options |= {
        k: x
        for k, x in (
            ("method", args.method),
            ("rtol", args.rtol),
            ("output", args.rows),
            ("solution", args.solution),
        )
        if x is not None
    }
    if "t_end" not in options:
        raise TorseurError("no end time: give --t-end, or 'simulation: {t_end: ...}' in the file")
    from ..simulation import simulate as integrate

    run = integrate(model, **options, progress=False if args.json or args.quiet else None)
    told = settings(args.file).get("outputs")
    names = args.show or (list(told) if isinstance(told, list) else []) or _state(system)
    for name in names:
        if name not in run.units:
            raise TorseurError(unknown_name("signal", name, run.signals, "signals to show"))
    data = {
        "outcome": run.outcome,
        "completed": run.completed,
        "events": len(run.events),
        "statistics": run.statistics,
        "signals": _figures(run, names),
    }
    text = [run.outcome, _table(data["signals"], run.units), str(run.energy_audit)]
    if args.out:
        told = {k: x for k, x in options.items() if k != "initial"}
        carried = replace(model, initial=options["initial"], simulation=told)
        files = _write(run, carried, Path(args.out))
        data["files"] = [str(f) for f in files]
        text.append("wrote " + ", ".join(data["files"]))
    code = 0 if run.completed else 130 if run.statistics.get("interrupted") else 1
    return Answer("\n".join(text), data, code)


def _state(system):
    return [*system.coordinates, *system.speeds]


def start_of(system, where) -> tuple[dict, dict]:
    """The state a file starts from, and its options of a run."""
    from ..solve import start_of as found

    return found(system, where)


def _unit_of(system):
    found = {p.name: p.unit for p in system.ports}
    return lambda name: "" if found.get(name) == "1" else found.get(name)


def _figures(run, names) -> dict:
    return {
        n: {
            "first": float(x[0]),
            "last": float(x[-1]),
            "smallest": float(x.min()),
            "largest": float(x.max()),
            "unit": run.units[n],
        }
        for n in names
        for x in (run[n],)
    }


def _table(figures: dict, units) -> str:
    wide = max((len(n) for n in figures), default=6)
    columns = ("first", "last", "smallest", "largest")
    head = f"{'':<{wide}}  " + "  ".join(f"{k:>12}" for k in columns)
    rows = [
        f"{n:<{wide}}  " + "  ".join(f"{f[k]:>12.6g}" for k in columns) + f"  {units[n]}"
        for n, f in figures.items()
    ]
    return "\n".join([head, *rows])


def _write(run, model, folder: Path) -> list[Path]:
    """The result files; each is renamed into place when it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [run.save(folder / "run.nc"), run.to_csv(folder / "run.csv")]
    model.save(folder / "model.yaml")
    files.append(folder / "model.yaml")
    try:
        from ..show import report
    except ImportError:
        return files
    files.append(Path(report(run, folder / "report.html", model=model)))
    return files


def inverse(args) -> Answer:
    """Efforts along a motion read from a table, and what they are made of."""
    model = read(args)
    system = model.check()
    t, columns = _motion(system, Path(args.motion))
    from ..solve import inverse as efforts_along

    speeds = set(system.speeds)
    near = {n: x for n, x in start_of(system, args.file)[0].items() if n not in speeds}
    run = efforts_along(model, {"time": t, **columns}, near=near, actuators=args.actuators)
    inputs = {e.name for e in system.inputs}
    efforts = [n for n in run.signals if n.endswith(".effort") or n in inputs]
    figures = {
        n: {
            "largest": float(abs(x).max()),
            "rms": float(np.sqrt((x * x).mean())),
            "unit": run.units[n],
        }
        for n in efforts
        for x in (run[n],)
    }
    text = "\n".join(
        f"{n}: largest {f['largest']:.6g} {f['unit']}, rms {f['rms']:.6g} {f['unit']}"
        for n, f in figures.items()
    )
    text = f"{run.outcome}\n{text}"
    data = {"efforts": figures, "outcome": run.outcome}
    if args.out:
        run.to_csv(args.out)
        text += f"\nwrote {args.out}"
        data["file"] = args.out
    return Answer(text, data)


def _motion(system, path: Path):
    """Times and coordinates of a CSV table; headings may carry units: "elbow.angle [deg]".

    A table that a run wrote may be given as it is: its other signals are left alone.
    """
    from ..model.formats.forces import heading, read_rows
    from ..model.formats.nodes import read_text
    from ..model.formats.units import quantity

    try:
        rows = list(read_rows(read_text(path)))
    except ValueError as e:
        raise TorseurError(f"{path.name}: {e}") from None
    names = [c.partition("[")[0].strip() for c in rows[0]] if rows else []
    if "time" not in names:
        raise TorseurError(f"{path.name}: the first line must name the columns, one of them 'time'")
    wanted = {"time": "s"} | {p.name: p.unit for p in system.ports if p.place == "q"}
    others = _signals(system) if set(names) - set(wanted) else ()
    for n in names:
        if n not in wanted and re.sub(r"\.effort\..*", ".effort", n) not in others:
            raise TorseurError(unknown_name("coordinate", n, wanted, f"{path.name}, line 1"))
    table = {}
    try:
        for j, n in enumerate(names):
            if n in wanted:
                u = heading(rows[0][j])[1]
                table[n] = np.array(
                    [
                        float(r[j])
                        if u in ("", "1", wanted[n])
                        else values.nominal(values.exact(quantity(f"{r[j]} {u}", wanted[n])), {})
                        for r in rows[1:]
                    ]
                )
    except (ValueError, IndexError) as e:
        raise TorseurError(f"{path.name}: {e}") from None
    t = table.pop("time")
    if len(np.unique(t)) < 6 or (np.diff(t) < 0).any():
        raise TorseurError(f"{path.name}: needs at least six rows with growing times")
    return t, table


def _signals(system) -> dict:
    """Names and units of everything that a run of the system shows."""
    from ..simulation import signal_units

    return signal_units(system)


def equilibrium_of(model, near, stable=True):
    from ..solve import equilibrium as find

    return find(model, near=near, stable=stable)


def modes_of(model, at):
    from ..solve import modes as find

    return find(model, at=at)


def _at(args, texts):
    """The model, and the state the command line and the file give."""
    model = read(args)
    system = model.check()
    speeds = set(system.speeds)
    state = {n: x for n, x in start_of(system, args.file)[0].items() if n not in speeds}
    return model, system, state | pairs(texts, _unit_of(system))


def modes(args) -> Answer:
    """Natural frequencies and damping about a pose: the one given, or the nearest at rest."""
    model, _, at = _at(args, args.at)
    where = "about the pose given"
    if not args.at:
        at = dict(equilibrium_of(model, near=at).items())
        where = "about " + ", ".join(f"{n} = {round(x, 12) + 0.0:.6g}" for n, x in at.items())
    found = modes_of(model, at=at)
    return Answer(f"{where}\n{found}", {"at": at, **_facts(found)})


def equilibrium(args) -> Answer:
    """A pose at rest: downhill from a guess, or the nearest of any kind."""
    model, _, near = _at(args, args.near)
    found = equilibrium_of(model, near, not args.any)
    return Answer(str(found), _facts(found))


def _facts(found) -> dict:
    """Public data of a result, for machines."""
    names = [n for n in dir(found) if not n.startswith("_")]
    plain = {
        n: x
        for n in names
        for x in (getattr(found, n),)
        if isinstance(x, str | int | float | np.ndarray | tuple | list | dict)
    }
    return {n: _real(x) for n, x in plain.items()}


def _real(x):
    if isinstance(x, np.ndarray) and np.iscomplexobj(x):
        return {"real": x.real, "imaginary": x.imag}
    return x


def bench(args) -> Answer:
    """Times of the compiled kernels, one state and a batch."""
    started = time.perf_counter()
    system = read(args).check()
    data = {"load": time.perf_counter() - started, "nv": system.nv, "kernels": {}}
    from ..quantities import compile

    dyn = compile(system)
    rng = np.random.default_rng(0)
    n = max(1, args.batch)
    q = np.tile(system.neutral(), (n, 1))
    dv, v, a = rng.uniform(-1, 1, (3, n, system.nv))
    q = dyn.integrate(q, dv)
    lines = [
        f"{system.name}: {system.nv} degrees of freedom, read in {data['load'] * 1e3:.1f} ms",
        f"{'':<20}{'first call':>12}{'one state':>12}{f'batch of {n}':>16}{'operations':>12}",
    ]
    for name, call in (
        ("inverse_dynamics", lambda i: dyn.inverse_dynamics(q[i], v[i], a[i])),
        ("forward_dynamics", lambda i: dyn.forward_dynamics(q[i], v[i], a[i])),
        ("mass_matrix", lambda i: dyn.mass_matrix(q[i])),
    ):
        first = _clock(lambda f=call: f(0), 1)
        one = _clock(lambda f=call: f(0), 200)
        many = _clock(lambda f=call: f(slice(None)), 5) / n
        count = sum(dyn.operations(name).values())
        data["kernels"][name] = {
            "first": first,
            "one": one,
            "each_of_batch": many,
            "operations": count,
        }
        lines.append(
            f"{name:<20}{first * 1e3:>9.1f} ms{one * 1e6:>9.2f} µs{many * 1e6:>13.3f} µs{count:>12}"
        )
    return Answer("\n".join(lines), data)


def _clock(call, times: int) -> float:
    """Best of a few repetitions, in seconds a call."""
    best = float("inf")
    for _ in range(1 if times == 1 else 3):
        start = time.perf_counter()
        for _ in range(times):
            call()
        best = min(best, (time.perf_counter() - start) / times)
    return best


def view(args) -> Answer:
    """Open a report, or make one from a model or a result."""
    import tempfile
    import webbrowser

    path = Path(args.file)
    if path.is_dir():
        path = next((p for p in (path / "report.html", path / "run.nc") if p.exists()), path)
    if path.is_dir() or not path.exists():
        raise TorseurError(f"{args.file}: no report.html, run.nc or model to show")
    if path.suffix != ".html":
        from ..show import report

        if path.suffix == ".nc":
            from ..results import Trajectory

            run, beside = Trajectory.load(path), path.with_name("model.yaml")
            model = load(beside) if beside.exists() else None
        else:
            from ..simulation import simulate as integrate

            model = load(path)
            initial, options = start_of(model.check(), path)
            run = integrate(model, initial=initial, progress=False, **{"t_end": 1.0} | options)
        path = Path(report(run, Path(tempfile.mkdtemp()) / "report.html", model=model))
    opened = webbrowser.open(path.resolve().as_uri())
    return Answer(f"{'opened' if opened else 'open in a browser:'} {path}", {"file": str(path)})
