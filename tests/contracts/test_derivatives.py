"""Derivatives of every registered element at usual tolerances, against differences of other runs.

A small model exercises each example of every law, line, joint and constraint; forces, deflections,
states, coordinates and times of events are differentiated by its numbers that may be names, by a
mass, a start and inputs.  The other runs have rtol 1e-12; differences by Richardson's rule, taken
anew with other steps where they are noise.  Where they stay so (stiff bristles, currents) two
routes are asked: derivatives of another method a thousand times finer to 1e-6, which agree with
the differences to their noise.
"""

from dataclasses import replace
from functools import cache
from numbers import Real

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.joints import joint
from torseur.model import field_paths

WITHIN = 1e-6  # of the largest derivative
IN_LANES = 5e-6  # the same; lanes stay explicit where modes are fast
LEAST = 1e-4  # of a signal over its number: smaller derivatives are what is left of larger ones
BOOKS = 1e-2  # the size that these count as, and energies, which do not govern the steps
NOTHING = 1e-9  # of signals of its kin: rounding
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def slider(one):
    """A block on a spring under a law: 1.5 m/s, or 14 m/s into metal."""
    return ts.Model(
        "slider",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.3),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(
            ts.JointForce("own", "x", one),
            ts.JointForce("back", "x", ts.Spring(150.0)),
        ),
        inputs=tuple(map(ts.Input, one.inputs)),
        initial={
            "x.displacement": 0.011,
            "x.speed": 14.0 if "Crush" in repr(one) else 1.5,
        },
        simulation={"t_end": 0.37 if "Crush" in repr(one) else 0.9},
    )


def jointed(kind):
    body = ts.Body("b", 1.3, com=(0.1, 0.05, -0.2), inertia=(1, 1.2, 1.1, 0.01, 0.02, -0.03))
    frames = {
        "at": (0.1, 0.2, 0.3),
        "rpy": (0.2, 0.1, -0.3),
        "child_at": (0.02, 0.01, 0.03),
    }
    return ts.Model(bodies=(body,), joints=(ts.Joint("own", "world", "b", kind, **frames),))


def lean(model):
    """The mechanism without the branches that its element does not need: less to compile."""
    for j in reversed(model.joints):
        if j.name == "own" or any(j.child == other.parent for other in model.joints):
            continue
        less = replace(
            model,
            bodies=tuple(b for b in model.bodies if b.name != j.child),
            joints=tuple(x for x in model.joints if x is not j),
            frames=tuple(f for f in model.frames if f.body != j.child),
        )
        try:
            less.check()
        except ts.TorseurError:
            continue
        return lean(less)
    return model


CASES = {
    "law": [slider(x) for x in law.examples()],
    "line": [
        # directions along the plane of a MeetForce are none at 0.102 s and 0.144 s: CV.7
        zoo.mechanism(
            forces=(replace(x, name="own"),),
            simulation={"t_end": 0.08 if isinstance(x, ts.MeetForce) else 0.3},
        )
        for x in line.examples()
    ],
    "joint": [jointed(x) for x in joint.examples() if x.nv],
    "constraint": [
        zoo.mechanism(constraints=(replace(x, name="own"),)) for x in constraint.examples()
    ],
}


def started(model):
    """The model with a start off every singularity, and an end."""
    system = model.check()
    rng = np.random.default_rng(1)
    own = dict(model.initial)
    if not own and not system.held:
        own = dict(zip(system.speeds, rng.uniform(0.1, 0.5, system.nv).round(3), strict=True))
    for name in system.coordinates:
        if name.endswith((".angle2", ".radius", ".polar")) and name not in own:
            own[name] = 0.8
    made = replace(model, initial=own, simulation={"t_end": 0.3, **model.simulation})
    for _ in range(40 * bool(system.switched)):  # off its ground
        try:
            ts.simulate(made, 1e-6, output=2)
            break
        except ts.TorseurError:
            q, v, _ = zoo.state(system, rng)
            q *= rng.choice([1.0, 2.0])
            at = zip((*system.coordinates, *system.speeds), (*q, *v), strict=True)
            made = replace(made, initial={n: float(x) for n, x in at})
    for _ in range(4):
        if ts.simulate(made, output=2, inputs=inputs_of(made)).completed:
            break
        made = replace(made, simulation={"t_end": made.simulation["t_end"] / 2})
    return made


def numbers(model):
    """Paths of the element's plain numbers in whose place a parameter may stand."""
    for path in field_paths.numbers(model):
        if path.startswith("own.") and isinstance(field_paths.read(model, path), Real):
            try:
                field_paths.parametrize_paths(model, [path])[0].check()
            except ts.TorseurError:
                continue
            yield path


class Runs:
    """Runs of a model at tight tolerances, with one of its numbers moved."""

    def __init__(self, model, names, starts, inputs, grid, signals):
        named, self.parameter = field_paths.parametrize_paths(model, names)
        self.system, self.model, self.inputs = named.check(), model, inputs
        self.starts, self.grid, self.signals = starts, grid, signals

    def value(self, name) -> float:
        if name in self.inputs:
            return self.inputs[name]
        if name in self.starts:
            return self.model.initial.get(name, 0.0)
        return float(self.system.parameters[self.parameter[name]])

    def run(self, name, h, **more):
        given = {self.parameter[name]: self.value(name) + h} if name in self.parameter else {}
        start, inputs = dict(self.model.initial), dict(self.inputs)
        if name in inputs:
            inputs[name] += h
        elif name in self.starts:
            start[name] = self.value(name) + h
        options = {"inputs": inputs, "output": self.grid, **TIGHT, **more}
        run = ts.simulate(self.system, None, start, parameters=given, **options)
        assert run.completed, run.outcome
        return run

    def differences(self, name, h, **more):
        """By signal, NaN at rows that an event passes on the way; and of times of events."""
        a, b, c, d = (self.run(name, k * h, **more) for k in (-1.0, -0.5, 0.5, 1.0))
        order = [e.name for e in b.events]
        if any([e.name for e in x.events] != order for x in (a, c, d)):
            return None  # other motions
        times = np.array([[e.time for e in x.events] for x in (a, b, c, d)])
        passed = np.zeros(len(self.grid), bool)
        for low, high in zip(times.min(axis=0), times.max(axis=0), strict=True):
            passed |= (self.grid > low - 1e-9) & (self.grid < high + 1e-9)
        out = {}
        for s in self.signals:
            y = [x[s][rows(x, self.grid)] for x in (a, b, c, d)]
            out[s] = np.where(passed, np.nan, richardson(y, h))
        return out | {"": richardson(times, h)}


def rows(run, grid):
    return np.searchsorted(run.time, grid, side="right") - 1


def richardson(y, h):
    return (8 * (y[2] - y[1]) - (y[3] - y[0])) / (6 * h)


def slopes(run, name, grid, signals):
    """Those of a run with derivatives, as `Runs.differences` has them."""
    out = {s: run.sensitivity(s, name)[rows(run, grid)] for s in signals}
    seen: dict[str, int] = {}
    times = []
    for e in run.events:
        seen[e.name] = seen.get(e.name, -1) + 1
        times.append(run.sensitivity(e.name, name)[seen[e.name]])
    return out | {"": np.array(times)}


def off(got, want, size):
    """Largest difference of two sets of derivatives, each signal over its largest derivative."""
    worst = 0.0
    for s, w in want.items():
        if w.size and got[s].shape == w.shape:
            scale = np.nanmax(abs(w), initial=0)
            if ".energy." in s or scale < LEAST * size[s]:
                scale = max(scale, BOOKS * size[s])
            worst = max(worst, np.nanmax(abs(got[s] - w), initial=0) / max(scale, 1e-8))
        else:
            assert got[s].shape == w.shape
    return worst


def sizes(run, signals):
    """Of each signal; what is nothing but rounding of its kin counts as these: multipliers of rows
    that only place a point of contact, accelerations that are zero."""
    found = {s: abs(run[s]).max() for s in signals}

    def kin(s):
        home, _, last = s.rpartition(".")
        group = f"{home}." if "." in home else s
        return max(x for o, x in found.items() if o.startswith(group) or o.endswith(f".{last}"))

    return {s: x if x > NOTHING * kin(s) else kin(s) for s, x in found.items()} | {"": 1.0}


def agree(model, names, starts=(), inputs=None, **more):
    """Derivatives by every name within 1e-6; how many had to be decided by two routes."""
    model, inputs = started(model), inputs or {}
    grid = np.linspace(0, model.simulation["t_end"], 24)[1:] * 0.9973
    asked = (*names, *starts, *inputs)
    told = {"inputs": inputs, "output": grid, "sensitivities": asked, **more}
    run = ts.simulate(model, **told)
    assert run.completed, run.outcome
    system = model.check()
    own = [
        s
        for s in run.signals
        if s.startswith("own.")
        and not s.endswith(("power", ".state"))
        and ".power." not in s
        and "reaction" not in s
    ]
    signals = [*dict.fromkeys([*system.coordinates, *system.speeds, *own])]
    others = Runs(model, names, starts, inputs, grid, signals)
    size = sizes(run, signals)
    if not more:
        in_lanes(model, run, told, [*system.coordinates, *system.speeds])
    undecided, fine = 0, finer(model, told)
    for name in asked:
        x = max(abs(others.value(name)), 0.02)
        scale = {s: y / x for s, y in size.items()}
        try:
            got = slopes(run, name, grid, signals)
        except ts.TorseurError as e:  # a table of a series begins on its first knot
            assert name.startswith("own.") and "the start lies exactly on 'own'" in str(e)
            continue
        tried = []
        for h in (1e-3 * x, 1e-4 * x, 1e-5 * x, 1e-2 * x):
            try:
                want = others.differences(name, h, **more)
            except ts.ModelError:  # at the end of its range
                want = None
            if want is not None:
                tried.append(want)
                if off(got, want, scale) <= WITHIN:
                    break
        else:
            if len(tried) < 2:
                continue  # a start or a number on a boundary: told elsewhere
            undecided += 1
            noise = off(tried[1], tried[0], scale)
            other = fine(name)  # without what a number of zero brings when it has a name
            second = slopes(other, name, grid, [s for s in signals if s in other])
            assert off(got, second, scale) <= WITHIN, (name, off(got, second, scale), noise)
            common = {s: x for s, x in tried[0].items() if s in second}
            assert off(second, common, scale) <= 3 * noise, (name, noise)
    return undecided


def in_lanes(model, run, told, signals):
    """The same derivatives of the same run in a lane, to what other steps may differ by."""
    first = next(iter(model.check().coordinates), None)  # where nothing is named: one that is free
    twice = {n: [x, x] for n, x in model.initial.items()} or {first: [ts.assemble(model).q[0]] * 2}
    many = ts.batch(model, None, twice, **told)
    if not model.initial:  # what is given is held, and what is assembled moves: both runs alike
        run = ts.simulate(model, None, {n: x[1] for n, x in twice.items()}, **told)
    assert many.outcomes[1].startswith("reached"), many.outcomes[1]
    for name in told["sensitivities"]:
        if run._slopes.why(name):
            continue
        for s in signals:
            want = run.sensitivity(s, name)[rows(run, told["output"])]
            got = many.sensitivity(s, name)[1]
            np.testing.assert_allclose(
                got, want, rtol=0, atol=IN_LANES * max(abs(want).max(), 1e-6)
            )


def finer(model, told):
    """Runs with derivatives by another method, a thousand times finer, by the names they give.

    Where there is much to factorize, explicit steps by all names at once: their kernels exist.
    """
    s = model.check()
    if s.nv < 4 and not s.held:
        make = {"method": "rodas5p"}
        return cache(lambda n: ts.simulate(model, **{**told, **TIGHT, **make, "sensitivities": n}))
    every = cache(lambda: ts.simulate(model, **{**told, **TIGHT, "method": "dop853"}))
    return lambda name: every()


def ids(model):
    every = (*model.forces, *model.constraints, *model.joints)
    own = next(e for e in every if e.name == "own")
    part = own.law if len(model.forces) == 2 else getattr(own, "kind", own)
    return repr(part)[:60]


def one_of_each(models):
    """The first of each class; the others with the slow tests, which ask of all their numbers."""
    return [*{ids(m).partition("(")[0]: m for m in reversed(models)}.values()]


def inputs_of(model):
    return {i.name: 0.4 for i in model.inputs if i.size == 1}


def quick(model, count):
    """By some numbers, of different fields, the last points of a curve rather than its first."""
    by = {n.rpartition(".")[2].partition("[")[0]: n for n in numbers(model)}
    return [*by.values()][-count:]


@pytest.mark.parametrize("model", one_of_each(CASES["law"]), ids=ids)
def test_laws(model):
    agree(model, [*quick(model, 2), "b.mass"], (), inputs_of(model))


@pytest.mark.slow
@pytest.mark.parametrize("model", [m for own in CASES.values() for m in own], ids=ids)
def test_every_number_of_every_element(model):
    model = started(lean(model))
    heavy = model.bodies[0].name
    starts = tuple(model.initial)[:2] if not model.check().held else ()
    names = [*numbers(model), f"{heavy}.mass", f"{heavy}.com[1]"]
    agree(model, names, starts, inputs_of(model))
