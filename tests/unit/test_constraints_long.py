"""What a closed mechanism says when it cannot close, where it could branch, and after long runs."""

import re

import numpy as np
import pytest

import torseur as ts
from torseur.errors import AssemblyError

PIN = ts.Revolute("z")


def bar(name, L):
    return ts.Body(name, mass=1.0, com=(L / 2, 0, 0), inertia=(0.001, 0.1, 0.1, 0, 0, 0))


def four_bar(crank=0.3, coupler=0.8, rocker=0.6, ground=0.9) -> ts.Model:
    return ts.Model(
        "four-bar",
        gravity=(0, -9.81, 0),
        bodies=(bar("crank", crank), bar("coupler", coupler), bar("rocker", rocker)),
        joints=(
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "coupler", PIN, at=(crank, 0, 0)),
            ts.Joint("D", "world", "rocker", PIN, at=(ground, 0, 0)),
        ),
        loops=(
            ts.Loop("C", "rocker", "coupler", PIN, at=(rocker, 0, 0), child_at=(coupler, 0, 0)),
        ),
    )


NEAR = {"A.angle": 1.0, "A.rate": 4.0, "B.angle": -0.6, "D.angle": 1.6}


def test_a_failure_tells_the_loop_the_gap_and_a_state_that_closes():
    """Two bars of 0.3 m, their pins a meter apart: 0.4 m are missing, and nothing can be done."""
    short = ts.Model(
        bodies=(bar("a", 0.3), bar("b", 0.3)),
        joints=(ts.Joint("A", "world", "a", PIN), ts.Joint("B", "world", "b", PIN, at=(1, 0, 0))),
        loops=(ts.Loop("meet", "a", "b", PIN, at=(0.3, 0, 0), child_at=(0.3, 0, 0)),),
    )
    with pytest.raises(AssemblyError) as e:
        ts.assemble(short, {"A.angle": 0.1, "B.angle": 3.0}, keep=())
    text = str(e.value)
    assert "loop 'meet': its parts are 0.4 m" in text and "the search ended at" in text
    with pytest.raises(AssemblyError) as e:  # this one closes, if it may move
        ts.assemble(four_bar(), NEAR | {"D.angle": 2.9}, keep=("A.angle", "B.angle", "D.angle"))
    found = dict(re.findall(r"([ABD]\.angle) = ([-\d.e]+)", str(e.value).splitlines()[-1]))
    assert len(found) == 3
    q, _ = ts.assemble(four_bar(), {n: float(x) for n, x in found.items()}, keep=())
    names = four_bar().check().coordinates
    np.testing.assert_allclose(q, [float(found[n]) for n in names], atol=1e-5)


def test_a_constraint_that_is_not_met_is_named_with_its_unit():
    model = ts.Model(
        bodies=(bar("a", 0.5),),
        joints=(ts.Joint("A", "world", "a", PIN),),
        constraints=(ts.Distance("rope", ("a", (0.5, 0, 0)), ("world", (2, 0, 0)), length=1.0),),
    )
    with pytest.raises(AssemblyError, match=r"constraint 'rope' is off by 0\.5 m"):
        ts.assemble(model)


def test_the_margin_of_a_run_falls_where_the_mechanism_could_branch():
    """A parallelogram: flat when its bars lie along the ground, and only there."""
    run = ts.simulate(
        four_bar(0.5, 0.9, 0.5, 0.9),
        2.0,
        {"A.angle": 1.5, "A.rate": 8.0, "B.angle": -1.5, "D.angle": 1.5},
        keep=("A.angle", "A.rate"),
        method="rk4",
        step=1e-3,
        output=2001,
    )
    assert run.completed, run.outcome
    flat = abs(np.sin(run["A.angle"]))
    margin = run["constraints.margin"]
    assert margin[flat < 0.01].max() < 0.01 < 0.2 < margin[flat > 0.7].min()
    assert (np.diff(np.sign(np.sin(run["A.angle"]))) != 0).sum() >= 3  # passed, not avoided
    np.testing.assert_allclose(np.cos(run["D.angle"]), np.cos(run["A.angle"]), atol=1e-9)


@pytest.mark.parametrize(
    "solution, end",
    [
        ("multipliers", 1000.0),
        pytest.param("penalty", 1000.0, marks=pytest.mark.slow),
        ("penalty", 60.0),
        ("null_space", 60.0),
        ("elimination", 60.0),
    ],
)
def test_no_duration_opens_a_loop(solution, end):
    """A thousand seconds, nine hundred turns: what is left is rounding of the crank's angle."""
    run = ts.simulate(
        four_bar(),
        end,
        NEAR,
        keep=("A.angle", "A.rate"),
        rtol=1e-9,
        atol=1e-10,
        method="dopri5",
        output=501,
        solution=solution,
    )
    c = ts.solve.constrained_system(four_bar())
    q = np.array([run[n] for n in c.system.coordinates]).T
    v = np.array([run[n] for n in c.system.speeds]).T
    ulp = np.finfo(float).eps * np.maximum(1.0, abs(q).max(axis=1))
    opened = np.array([abs(c.position(x)[0]).max() for x in q])
    assert (opened < 4 * ulp).all()
    assert max(abs(c.terms(x, y).psi).max() for x, y in zip(q, v, strict=True)) < 1e-14
    assert abs(run["energy.residual"]).max() < 1e-8 * end
