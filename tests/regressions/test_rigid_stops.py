"""A rigid stop where a motion comes to rest: the run fails and says so."""

import numpy as np
import pytest

import torseur as ts

ROD = ts.Body("rod", mass=1.0, com=(0, 0, -1))


def hinge(**limits):
    return ts.Model(
        "hinge",
        bodies=(ROD,),
        joints=(ts.Joint("a", "world", "rod", ts.Revolute("y")),),
        forces=(ts.JointForce("stop", "a", ts.Limits(0.1, 1.0, **limits)),),
    )


def test_going_through_a_stop_is_a_failure():
    run = ts.simulate(hinge(restitution=0.5), 2.0, {"a.angle": 0.11})
    assert not run.completed and "'stop'" in run.outcome and "only bounces" in run.outcome
    with pytest.raises(ts.IntegrationError, match="only bounces"):
        run.check()


def test_a_ball_that_comes_to_rest_names_its_stop():
    floor = ts.JointForce("floor", "z", ts.Limits(0, 10, restitution=0.5))
    ball = ts.Model(
        bodies=(ts.Body("ball", mass=1.0),),
        forces=(floor,),
        joints=(ts.Joint("z", "world", "ball", ts.Prismatic("z")),),
    )
    run = ts.simulate(ball, 3.0, {"z.displacement": 1.0})
    assert not run.completed and "floor" in run.outcome and "only bounces" in run.outcome
    assert run["z.displacement"].min() > -1e-9


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}])
def test_bounces_before_rest_are_a_run_that_finished(options):
    run = ts.simulate(hinge(restitution=0.9), 1.5, {"a.angle": 0.9}, **options)
    assert run.completed and len(run.events) > 0, run.outcome


def test_the_remedy_works():
    run = ts.simulate(hinge(stiffness=1e4, damping=100.0), 4.0, {"a.angle": 0.11})
    assert run.completed
    assert run["a.angle"][-1] == pytest.approx(0.1, abs=2e-4)


def test_a_stop_in_a_loop_that_a_drive_moves_bounces_with_all_that_is_tied_and_books_what_is_lost():
    """A pendulum on a driven cart, a slider tied to its bob: one rate, two bodies; by hand."""
    r, l, h, e = 0.4, 0.7, 0.3, 0.5  # the bob, the rod to the slider, where that slides
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("cart", 1.0), ts.Body("arm", 0.5, com=(r, 0, 0)), ts.Body("slider", 2.0)),
        joints=(
            ts.Joint("x", "world", "cart", ts.Prismatic("x")),
            ts.Joint(
                "turn", "cart", "arm", ts.Revolute("z"), limits=ts.Limits(-1, 1, restitution=e)
            ),
            ts.Joint("s", "world", "slider", ts.Prismatic("x"), at=(0, -h, 0)),
        ),
        constraints=(
            ts.Driven("drive", "x.displacement", "0.3*t"),
            ts.Distance("rod", ("arm", (r, 0, 0)), "slider", l),
        ),
    )
    start = {"turn.angle": 0.8, "turn.rate": 1.5, "s.displacement": 0.8}
    keep = ("turn.angle", "turn.rate")
    run = ts.simulate(model, 0.2, initial=start, keep=keep, output="steps", rtol=1e-11, atol=1e-12)
    total = run["energy.kinetic"] + run["energy.dissipated"] - run["energy.supplied"]
    assert len(run.events) == 1 and np.ptp(total) < 1e-9 and run["energy.dissipated"][-1] > 0.1
    at = int(np.argmax(np.diff(run.time) == 0))
    q, w, x = (run[n] for n in ("turn.angle", "turn.rate", "s.speed"))
    assert abs(w[at + 1] + e * w[at]) < 1e-9 * w[at]

    def slider(k):  # its speed, as the rod stays as long
        d = np.array([run["x.displacement"][k], h]) + r * np.array([np.cos(q[k]), np.sin(q[k])])
        d[0] -= run["s.displacement"][k]
        bob = np.array([0.3 - r * w[k] * np.sin(q[k]), r * w[k] * np.cos(q[k])])
        return d @ bob / d[0]

    assert max(abs(slider(k) - x[k]) for k in (at, at + 1)) < 1e-9
    assert run["turn.limits.energy.dissipated"][-1] == run["energy.dissipated"][-1]
