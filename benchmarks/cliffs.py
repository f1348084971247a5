"""What a user of a large model meets: every usual call on every kind of it, in CPU seconds.

    python benchmarks/cliffs.py [models] [--call name] [--share 0.3] [--most 20] [--out FILE]

Each cell is a process of its own, ended after `--most` CPU seconds, what comes before the call
included; those of a model share a kernel cache that is empty at first, in the order of `CALLS`, as
a session has them.  `--share` makes all models smaller: what then falls by more is worse than
linear.  With `--out` figures are kept as JSON, and what is there is not measured again.  The table
of the page `docs/benchmarks/scaling.md` comes at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import select
import tempfile
import warnings
from pathlib import Path

import cliffs_models
import numpy as np
import timing
from scaling_peers import spent

import torseur as ts

MOST = 60  # CPU s of a cell
ROOM = 8 << 30  # bytes of its memory
RUN = {"t_end": 0.02, "output": 5}
STATE = ("inverse_dynamics", "forward_dynamics", "reactions",
         "inverse_dynamics_derivatives", "forward_dynamics_derivatives")  # fmt: skip


def run(model):
    return ts.simulate(model, **RUN)


def speed(model) -> str:
    return model.check().speeds[0]


def masses(model, n: int) -> list[str]:
    """Names of some numbers: parameters, then masses."""
    own = [f"{b.name}.mass" for b in model.bodies if isinstance(b.mass, float) and b.mass]
    return [*model.parameters, *own][:n]


def batch(n: int, *more):
    def prepared(model):
        start = {speed(model): np.linspace(0.1, 0.2, n)}
        run(model)
        return lambda: ts.batch(model, RUN["t_end"], start, *more, threads=1)

    return prepared


def dynamics(name: str, *, frame: bool = False):
    def prepared(model):
        s = model.check()
        given = [np.array(s.neutral()), *[np.zeros(s.nv)] * 2 * (name in STATE)]
        first = [model.bodies[-1].name] * frame
        time = {"t": 0.0} if s.rheonomic else {}
        return lambda: getattr(ts.compile(s), name)(*first, *given, **time)

    return prepared


def checked(call):
    """A call on a model that was checked before."""

    def prepared(model):
        model.check()
        return lambda: call(model)

    return prepared


def after(call):
    """A call on a model and its run."""

    def prepared(model):
        made = run(model)
        return lambda: call(model, made)

    return prepared


def studied(name, low: float, high: float):
    def call(model, _run):
        vary, keep = (
            {name(model): ts.studies.Uniform(low, high)},
            {"peak": ts.studies.Peak(speed(model))},
        )
        more = {"samples": 8, "t_end": RUN["t_end"], "progress": False}
        return ts.study(model, vary=vary, keep=keep, **more)

    return after(call)


def saved(model):
    model.save("model.yaml")
    return lambda: ts.load("model.yaml")


def signal(name: str):
    return after(lambda model, made: made[f"{model.bodies[-1].name}.{name}"])


def sensitive(n: int):
    return after(lambda model, _: ts.simulate(model, sensitivities=masses(model, n), **RUN))


CALLS = {
    "check": lambda model: model.check,
    "first run": checked(run),
    "run again": after(lambda model, _: run(model)),
    "first run, rodas5p": checked(lambda model: ts.simulate(model, method="rodas5p", **RUN)),
    "batch of 8": batch(8),
    "batch of 64": batch(64),
    "batch of 8, rk4": batch(8, "rk4", 1e-3),
    "one sensitivity": sensitive(1),
    "five sensitivities": sensitive(5),
    "linearize": checked(ts.linearize),
    "modes": checked(ts.modes),
    "equilibrium": checked(ts.equilibrium),
    "inverse": after(lambda model, made: ts.inverse(model, made, RUN["t_end"] * np.arange(3) / 2)),
    **{name: dynamics(name) for name in (*STATE, "mass_matrix")},
    **{name: dynamics(name, frame=True) for name in ("pose", "jacobian")},
    "export": checked(lambda model: ts.compile(model).export("all.c")),
    "first position": signal("position.x"),
    "first acceleration": signal("acceleration.x"),
    "first energy": after(lambda _, made: made["energy.kinetic"]),
    "first reaction": after(lambda m, made: made[f"{m.joints[-1].name}.reaction.force.x"]),
    "report": after(lambda _, made: made.report("run.html")),
    "run.save": after(lambda _, made: made.save("run.nc")),
    "model.save": lambda model: lambda: model.save("model.yaml"),
    "ts.load": saved,
    "pickled": after(lambda model, made: pickle.loads(pickle.dumps((model, made)))),
    "study of a start, 8": studied(speed, 0.1, 0.2),
    "study of a mass, 8": studied(lambda model: masses(model, 1)[0], 0.9, 1.1),
}


def child(make, n: int, call: str, at: str, write: int) -> None:
    """One cell, in this process, written as a line of JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    os.chdir(at)
    warnings.simplefilter("ignore")
    try:
        took, _ = spent(CALLS[call](make(n)))
        out: dict = {"s": took, "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    except Exception as e:
        out = {"error": f"{type(e).__name__}: {str(e)[:300]}"}
    os.write(write, json.dumps(out).encode())
    os._exit(0)


def cell(make, n: int, call: str, at: str, most: float = MOST) -> dict:
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        child(make, n, call, at, write)
    os.close(write)
    with os.fdopen(read) as told:
        while not select.select([told], [], [], 1.0)[0]:
            if timing.used(pid) > most:
                timing.end(pid)
        text = told.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else {"late": most}


def shown(x: dict | None) -> str:
    """A cell: CPU seconds, late, or what was told with a sentence."""
    if not x:
        return "-"
    return "late" if "late" in x else "told" if "error" in x else f"{x['s']:.2g}"


def table(found: dict) -> str:
    """Calls as rows, models as columns."""
    lines = [f"| CPU s | {' | '.join(found)} |", "|---" * (1 + len(found)) + "|"]
    for call in CALLS:
        if any(call in own for own in found.values()):
            own = " | ".join(shown(x.get(call)) for x in found.values())
            lines.append(f"| {call} | {own} |")
    return "\n".join(lines)


def warm() -> None:
    """What does not depend on the model is no part of a cell."""
    from torseur.dynamics.contact.native import LIBRARY
    from torseur.integrate import advance
    from torseur.integrate.record import EXPLICIT, ROSENBROCK

    _ = LIBRARY.code
    for family in (EXPLICIT, ROSENBROCK):
        advance.compile_advance(family)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("words", nargs="*")
    asked.add_argument("--call", action="append", default=[])
    asked.add_argument("--most", type=float, default=MOST, help="CPU s of a cell")
    asked.add_argument("--share", type=float, default=1.0)
    asked.add_argument("--out", type=Path)
    given = asked.parse_args()
    out, found = given.out, {}
    if out and out.exists():
        found = json.loads(out.read_text(encoding="utf-8"))
    calls = given.call or list(CALLS)
    for name, (make, n) in cliffs_models.MODELS.items():
        if given.words and not any(w in name for w in given.words):
            continue
        own = found.setdefault(name, {})
        with tempfile.TemporaryDirectory() as at:
            os.environ["TORSEUR_CACHE"] = at
            warm()
            for call in (x for x in calls if x not in own):
                size = max(2, round(given.share * n))
                own[call] = cell(make, size, call, at, given.most)
                print(f"{name:36s} {call:30s} {json.dumps(own[call])}", flush=True)
                if out:
                    out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(table(found))


if __name__ == "__main__":
    main()
