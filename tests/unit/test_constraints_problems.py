"""Equilibrium, linear models and modes of mechanisms with loops."""

import numpy as np
import pytest

import torseur as ts
from torseur.errors import TorseurError

G = 9.81


def rod(name, L):
    J = 2 * L**3 / 12
    return ts.Body(name, mass=2 * L, com=(L / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))


def parallelogram() -> ts.Model:
    """Two hanging bars of 1 m and a coupler: as one pendulum of known frequency."""
    pin = ts.Revolute("z")
    return ts.Model(
        "swing",
        gravity=(0, -G, 0),
        bodies=(rod("a", 1.0), rod("c", 2.0), rod("b", 1.0)),
        joints=(
            ts.Joint("A", "world", "a", pin),
            ts.Joint("B", "a", "c", pin, at=(1, 0, 0)),
            ts.Joint("D", "world", "b", pin, at=(2, 0, 0)),
        ),
        loops=(ts.Loop("C", "b", "c", pin, at=(1, 0, 0), child_at=(2, 0, 0)),),
    )


DOWN = {"A.angle": -np.pi / 2, "B.angle": np.pi / 2, "D.angle": -np.pi / 2}


def test_equilibrium_and_modes_of_a_swing():
    near = {"A.angle": -1.2, "B.angle": 1.2, "D.angle": -1.2}
    found = ts.equilibrium(parallelogram(), near=near)
    for name, want in DOWN.items():
        assert found[name] == pytest.approx(want, abs=1e-10)
    assert found.stable
    modes = ts.modes(parallelogram(), at=found)
    I, P = 2 * 2 / 3 + 4, 2 * 2 / 2 + 4  # two bars, and the coupler's 4 kg at 1 m
    assert len(modes) == 1
    assert modes.omega[0] == pytest.approx(np.sqrt(P * G / I), rel=1e-9)
    shape = dict(zip(modes.speeds, modes.shapes[0].real, strict=True))
    assert shape["A.rate"] == pytest.approx(shape["D.rate"]) == pytest.approx(-shape["B.rate"])


def test_linear_model_has_the_leading_speeds_only():
    linear = ts.linearize(parallelogram(), at=DOWN)
    assert linear.A.shape == (2, 2) and len(linear.states) == 2
    assert linear.states == ("d(D.angle)", "D.rate") or linear.states == ("d(A.angle)", "A.rate")


def test_the_upper_position_is_unstable():
    up = {"A.angle": np.pi / 2 + 0.01, "B.angle": -np.pi / 2 - 0.01, "D.angle": np.pi / 2 + 0.01}
    found = ts.equilibrium(parallelogram(), near=up, stable=False)
    assert not found.stable and found.negative == 1
    down = ts.equilibrium(parallelogram(), near=up)
    assert down.stable and np.sin(down["A.angle"]) == pytest.approx(-1)


def test_what_these_problems_do_not_take():
    block = ts.Model(
        bodies=(ts.Body("b", mass=1),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        constraints=(ts.DryFriction("rub", "x.displacement", force=1),),
    )
    with pytest.raises(TorseurError, match="dry friction"):
        ts.equilibrium(block)
