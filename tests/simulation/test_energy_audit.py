"""Complete means sound: energy books and constraints hold, or the outcome says which did not."""

import re

import numpy as np
import pytest
from soak.models import loop, moving, state_of

import torseur as ts
from torseur.dynamics import SOLUTIONS

LENGTHS = {"crank": 0.3, "coupler": 0.8, "rocker": 0.6}
START = {"A.angle": 1.0, "A.rate": 2.0, "B.angle": -0.6, "D.angle": 1.6}
KEEP = ("A.angle", "A.rate")


def four_bar(heavy):
    """A coupler so many times, and a rocker so many times less, than the crank's mass."""
    masses, pin = {"crank": 1.0, "coupler": heavy, "rocker": 1 / heavy}, ts.Revolute("z")
    bodies = [
        ts.Body(n, m := masses[n], (x / 2, 0, 0), (1e-3 * m, m * x**2 / 12, m * x**2 / 12, 0, 0, 0))
        for n, x in LENGTHS.items()
    ]
    joints = (
        ts.Joint("A", "world", "crank", pin),
        ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
        ts.Joint("D", "world", "rocker", pin, at=(0.9, 0, 0)),
    )
    loop = ts.Loop("C", "rocker", "coupler", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0))
    return ts.Model("f", bodies=bodies, joints=joints, loops=(loop,), gravity=(0, -9.81, 0))


@pytest.mark.parametrize("heavy", [1.0, 1e3, 1e7])
@pytest.mark.parametrize("solution", SOLUTIONS)
def test_complete_implies_sound(solution, heavy):
    run = ts.simulate(four_bar(heavy), 1.0, START, keep=KEEP, solution=solution, output=51)
    sound = run.energy_audit.relative <= 100 * 1e-8 and run["constraints.residual"].max() <= 0.9e-9
    assert run.completed <= sound
    assert heavy > 1 or run.completed, run.outcome
    if not run.completed and run.outcome.startswith("reached"):
        assert re.search(r"(audit is off|are open|constraints slip).* from t = ", run.outcome)
        with pytest.raises(ts.IntegrationError, match="not a motion to trust"):
            run.check()


def test_a_wrong_motion_is_not_complete():
    """Penalties too soft for these masses: the loop opens, and the run says since when."""
    run = ts.simulate(four_bar(1e3), 1.0, START, keep=KEEP, solution="penalty", output=51)
    assert not run.completed and "constraints are open by up to" in run.outcome
    good = ts.simulate(four_bar(1e3), 1.0, START, keep=KEEP, solution="null_space", output=51)
    assert good.completed, good.outcome


def test_speeds_that_slip_are_told():
    """Nearly singular, shut to 1e-9, and yet a rate is off by 4e-4 of the speeds in play."""
    rng = np.random.default_rng((208, 9))
    model, q = loop(rng)
    found = ts.solve.constrained_system(model)
    start = state_of(found.system, q, moving(found, q, rng))
    run = ts.simulate(found.system, 0.05, start, keep=(), solution="penalty", output=3)
    assert not run.completed and "the constraints slip by up to" in run.outcome


def test_a_block_at_rest_has_no_energy_to_be_off_of():
    body, joint = ts.Body("b", 2.0), ts.Joint("x", "world", "b", ts.Prismatic("x"))
    hold = ts.DryFriction("hold", "x.displacement", force=10.0)
    push = ts.Wrench("push", "b", (0, 0, 0, 3.0, 0, 0))
    model = ts.Model("m", bodies=(body,), joints=(joint,), constraints=(hold,), forces=(push,))
    run = ts.simulate(model, 1.0)
    assert run.completed, run.outcome


def test_fixed_steps_only_report():
    run = ts.simulate(four_bar(1.0), 0.5, START, keep=KEEP, method="rk4", step=0.02)
    assert run.completed and run.energy_audit.relative > 1e-6


def fleeing(text="-20/x"):
    """A mass that a spring without bound pushes away from x = 0."""
    force = ts.JointForce("f", "x", ts.Expression(text))
    joint = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    bodies = (ts.Body("b", 1.0),)
    return ts.Model("flees", gravity=(0, 0, 0), bodies=bodies, joints=(joint,), forces=(force,))


def test_many_runs_are_judged_as_one_is():
    """Starts so near the pole that tolerances step over it: 5e53 and 3e154 m instead of 68, 83."""
    starts, model = np.array([0.4, 1e-200, 1e-300]), fleeing()
    single = [ts.simulate(model, 0.5, {"x.displacement": x}, output=11) for x in starts]
    assert [r.completed for r in single] == [True, False, False]
    assert "2e+201 N leave nothing" in single[1].outcome
    for method in ("dop853", "dopri5"):
        many = ts.batch(model, 0.5, {"x.displacement": starts}, method=method, output=11)
        assert many.completed.tolist() == [True, False, False]
        told = [x for x in many.outcomes[1:] if x.startswith("reached")]
        assert all("not a motion to trust" in x for x in told)


@pytest.mark.slow
def test_members_of_a_study_are_judged_as_one_is():
    starts, model = np.array([0.4, 1e-200, 1e-300]), fleeing()
    found = ts.study(
        model, t_end=0.5, vary={"x.displacement": ts.studies.Grid(starts.tolist())}, engine="lanes",
        keep={"end": ts.studies.Final("x.displacement")}, progress=False,
    )  # fmt: skip
    assert np.asarray(found["completed"]).tolist() == [True, False, False]


def test_many_runs_close_their_books():
    """Steps too wide for a motion that is called by its audit: told of a batch as of a run."""
    q = {"x.displacement": np.linspace(0.5, 1.5, 9)}
    model = fleeing("40*sin(30*x) + 0.2*rate")
    for rtol in (1e-8, 1e-3):
        alone = [
            ts.simulate(model, 3.0, {"x.displacement": x}, rtol=rtol, method="dopri5", output=31)
            for x in q["x.displacement"]
        ]
        many = ts.batch(model, 3.0, q, rtol=rtol, method="dopri5", output=31)
        assert many.completed.tolist() == [r.completed for r in alone], (rtol, many.outcomes)


def test_a_block_that_friction_holds_has_closed_books():
    """Its rows differ by 1e-18 m: rounding, which is no part of the energy in play."""
    held = ts.Model(
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic((1, 0, -0.1))),),
        constraints=(ts.DryFriction("f", "x.displacement", 5.0),),
    )
    run = ts.simulate(held, 2.0)
    assert run.completed and run.energy_audit.residual < 1e-15
    assert run.energy_audit.relative == 0.0
