"""Massless bars in loops, against massless rods that are rows, and against light bars."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts

LENGTHS = {"crank": 0.2, "coupler": 0.6, "rocker": 0.5}
PIN = ts.Revolute("y")


def bar(name, mass) -> ts.Body:
    L = LENGTHS[name]
    small = mass * L**2
    return ts.Body(
        name, mass, com=(L / 2, 0, 0), inertia=(small / 100, small / 12, small / 12, 0, 0, 0)
    )


def four_bar(crank, coupler, rocker) -> ts.Model:
    masses = {"crank": crank, "coupler": coupler, "rocker": rocker}
    return ts.Model(
        "four-bar",
        bodies=[bar(n, m) if m else ts.Body(n) for n, m in masses.items()],
        joints=[
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "coupler", PIN, at=(0.2, 0, 0)),
            ts.Joint("D", "world", "rocker", PIN, at=(0.7, 0, 0)),
        ],
        loops=[ts.Loop("C", "rocker", "coupler", PIN, at=(0.5, 0, 0), child_at=(0.6, 0, 0))],
    )


def run(model, **options):
    return ts.simulate(model, 0.3, initial={"A.angle": -1.0}, rtol=1e-9, **options)


@pytest.mark.parametrize("solution", ["multipliers", "null_space", "elimination", "penalty"])
def test_a_massless_coupler_is_a_rod(solution):
    """The same mechanism with the coupler as a row that keeps a distance."""
    rod = ts.Distance("rod", ("crank", (0.2, 0, 0)), ("rocker", (0.5, 0, 0)), 0.6)
    model = ts.Model(
        "rod",
        bodies=[bar("crank", 1.0), bar("rocker", 2.0)],
        joints=[
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("D", "world", "rocker", PIN, at=(0.7, 0, 0)),
        ],
        constraints=[rod],
    )
    want, got = run(model), run(four_bar(1.0, 0, 2.0), solution=solution)
    for name in ("A.angle", "D.angle", "A.rate"):
        assert got[name][-1] == pytest.approx(want[name][-1], abs=1e-8)


@pytest.mark.parametrize("masses", [(1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)])
def test_one_heavy_bar_of_three(masses):
    """What light bars tend to, in proportion to their mass."""
    got = run(four_bar(*masses))["A.angle"][-1]
    off = [
        run(four_bar(*(m or light for m in masses)))["A.angle"][-1] - got for light in (1e-4, 2e-4)
    ]
    assert abs(off[0]) < 2e-3
    assert off[1] == pytest.approx(2 * off[0], rel=1e-2)


def test_the_tree_alone_says_nothing_of_a_massless_bar():
    dyn = ts.compile(four_bar(1.0, 0, 2.0))
    with pytest.raises(ts.TorseurError, match=r"B\.rate has no inertia.*massless bodies alone"):
        dyn.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("mass", [0, "m"])
def test_nothing_with_mass_in_the_loop_is_told(mass):
    """And a mass that is zero by its parameter's value is still no massless bar."""
    model = four_bar(0, 0, 0) if mass == 0 else None
    if model is None:
        light = ts.Body("coupler", mass="m", com=(0.3, 0, 0))
        base = four_bar(1.0, 0, 2.0)
        bodies = [light if b.name == "coupler" else b for b in base.bodies]
        model = replace(base, bodies=bodies, parameters={"m": 0.0})
    with pytest.raises(ts.ModelError, match=r"joint 'B' cannot move.*no constraint couples it"):
        model.check()
