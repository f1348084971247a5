"""Derivatives at ends of ranges and on switches: of the side that exists, of both, or refused.

Ends are found by trying: zero, one and the element's own other numbers, where one step to a side is
refused by `check`.  What is given agrees with differences to every side that exists; what is not
given is refused in a sentence that has the user's names.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from test_derivatives import CASES, ids, inputs_of, lean, numbers, rows, slider, started

import torseur as ts
from torseur.forces import law
from torseur.model import field_paths
from torseur.scalars import Floats

TIGHT = {"rtol": 1e-12, "atol": 1e-14}
WITHIN = 1e-4  # of the largest derivative: differences to one side
STEPS = (1e-3, 1e-5, 1e-4, 1e-6, 1.0, 1e3, 1e-7, 1e-9)  # of a size; from rest they feel its root


class Sides:
    """Runs of a model whose numbers have names, and differences to one side."""

    def __init__(self, model, names, grid, also=()):
        """`also` are numbers besides that `test_derivatives` asks by: its kernels are found."""
        named, self.parameter = field_paths.parametrize_paths(model, (*names, *also))
        self.system, self.model, self.grid = named.check(), model, grid
        self.state = (*self.system.coordinates, *self.system.speeds)
        self.told = {"inputs": inputs_of(model), "output": grid}

    def run(self, values, start=None, **more):
        given = {self.parameter[n]: x for n, x in values.items() if n in self.parameter}
        begin = {**self.model.initial, **(start or {})}
        begin |= {n: x for n, x in values.items() if n not in self.parameter}
        return ts.simulate(self.system, None, begin, parameters=given, **self.told, **more)

    def given(self, values, name, start=None):
        """Derivatives of the state, or the sentence that refuses them; all are asked at once, so
        that kernels are made once, and this one alone where that is refused."""
        by = self.parameter.get(name, name)
        begun = tuple(self.model.initial)[:2] if not self.system.held else ()
        every = (*self.parameter.values(), *inputs_of(self.model), *begun)
        try:
            try:
                run = self.run(values, start, sensitivities=dict.fromkeys((*every, by)))
            except ts.TorseurError:
                run = self.run(values, start, sensitivities=by)
            if not run.completed:  # nor does the motion alone: a dead point
                assert not self.run(values, start).completed, run.outcome
                return f"own: {run.outcome}"
            here = rows(run, self.grid)
            self.size = np.array([abs(run[s]).max() for s in self.state])
            return np.array([run.sensitivity(s, by)[here] for s in self.state])
        except ts.TorseurError as e:
            return str(e)

    def differences(self, values, name, sign, h, start=None):
        """To one side, by Richardson's rule; None where that side is refused."""
        x = values[name]
        try:
            runs = [self.run({**values, name: x + sign * k * h}, start, **TIGHT)
                    for k in (0.0, 1.0, 0.5, 0.25)]  # fmt: skip
        except ts.TorseurError:
            return None
        if not all(r.completed for r in runs):
            return None
        y = [np.array([r[s][rows(r, self.grid)] for s in self.state]) for r in runs]
        a, b, c = ((y[i] - y[0]) / (sign * k * h) for i, k in ((1, 1.0), (2, 0.5), (3, 0.25)))
        out = (8 * c - 6 * b + a) / 3
        when = np.array([e.time for r in runs for e in r.events])
        near = abs(when[:, None] - self.grid).min(axis=0, initial=np.inf)
        return np.where(near < 1e-3 * self.grid[-1], np.nan, out)

    def told_apart(self, values, name, size, start=None):
        """What is wrong with a derivative, or ""; whether it was given."""
        got = self.given(values, name, start)
        if isinstance(got, str):
            return ("" if "own" in got else f"{name}: {got}"), False
        for sign in (1, -1):
            off, rough = [], np.inf
            for h in STEPS:
                want = self.differences(values, name, sign, h * size, start)
                if want is None:
                    continue
                least = 1e-3 * self.size / size + 1e-12  # of each: smaller derivatives are none
                scale = np.maximum(np.nanmax(abs(want), axis=1, initial=0), least)
                off.append(np.nanmax(abs(got - want) / scale[:, None], initial=0))
                if off[-1] < WITHIN:
                    break
                whole = np.maximum(scale, 300 * least)  # from rest: it falls with the root of h
                rough = min(rough, np.nanmax(abs(got - want) / whole[:, None], initial=0))
            else:
                if off and min(off) > 10 * WITHIN and rough > 100 * WITHIN:
                    return f"{name} {'+-'[sign < 0]}: {[f'{x:.1g}' for x in off]}", True
        return "", True


def allowed(model, path, x) -> bool:
    try:
        field_paths.replaced(model, path, x).check()
    except ts.TorseurError:
        return False
    return True


def ends(model, names):
    """Numbers at ends of their ranges, and at zero: (path, value, size of a step)."""
    value = {n: float(field_paths.read(model, n)) for n in names}
    for n, x in value.items():
        size = max(abs(x), 0.02)
        for c in dict.fromkeys((0.0, 1.0, *value.values())):
            if (c == x and c != 0) or not allowed(model, n, c):
                continue
            if c == 0 or not (
                allowed(model, n, c + 1e-6 * size) and allowed(model, n, c - 1e-6 * size)
            ):
                yield n, c, size


def wrong_at_ends(model):
    """What is wrong with derivatives at every end of every number; how many were refused."""
    model = started(model)
    names = [*numbers(model)]
    grid = np.linspace(0, model.simulation["t_end"], 12)[1:] * 0.9973
    heavy, wrong, refused = model.bodies[0].name, [], []
    sides = Sides(model, names, grid, (f"{heavy}.mass", f"{heavy}.com[1]"))
    for name, c, size in ends(model, names):
        said, given = sides.told_apart({name: c}, name, size)
        wrong += [f"{c:g}: {said}"] if said else []
        refused += [] if given else [(name, c)]
    return wrong, refused


def wrong_on_knots(one, push):
    """The same of starts exactly on the boundaries of a law, in three ways; by all its numbers."""
    model = slider(one)
    model = replace(model, forces=(*model.forces, ts.JointForce("push", "x", ts.Effort(push))))
    names, K = [*numbers(model)], Floats()
    # without a push the mirror image of the start, another edge, is grazed at 0.2925 s: told in SE
    t_end = 0.3 if push else 0.29
    grid, wrong, refused = np.linspace(0, t_end, 12)[1:] * 0.9973, [], []
    sides = Sides(replace(model, simulation={"t_end": t_end}), names, grid)
    for x, v in product(dict.fromkeys(map(float, one.knots(K))), (0.0, 1.0, -1.0)):
        start = {"x.displacement": x, "x.speed": v}
        values = {n: float(field_paths.read(model, n)) for n in names} | start
        for name in (*names, *start):
            size = max(abs(values[name]), 0.02)
            said, given = sides.told_apart({name: values[name]}, name, size, start)
            wrong += [f"x = {x:g}, v = {v:g}, {said}"] if said else []
            refused += [] if given else [(x, v, name)]
    return wrong, refused


LAWS = law.examples()
QUICK = (ts.Limits(-0.2, 0.3, restitution=0.5), ts.BristleFriction(3.0, 4.0, 1e4, 50.0))


@pytest.mark.parametrize("one", QUICK, ids=lambda x: type(x).__name__)
def test_ends_of_some_ranges(one):
    assert not wrong_at_ends(slider(one))[0]


@pytest.mark.slow
@pytest.mark.parametrize("model", [m for own in CASES.values() for m in own], ids=ids)
def test_ends_of_every_range(model):
    assert not wrong_at_ends(lean(model))[0]


@pytest.mark.parametrize(
    ("one", "push"),
    [
        pytest.param(x, push, marks=[pytest.mark.slow] * (x is not LAWS[1] or push != 0))
        for x in LAWS  # states of laws are stiff: differences are noise
        if [*x.knots(Floats())] and not x.states and not getattr(x, "laws", ())
        for push in (0.0, 3.0, -3.0)
    ],
    ids=repr,
)
def test_starts_exactly_on_a_knot(one, push):
    wrong, refused = wrong_on_knots(one, push)
    assert not wrong
    assert len(refused) < 2 * len([*one.knots(Floats())]) * (2 + len([*numbers(slider(one))]))
