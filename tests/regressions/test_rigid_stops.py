"""A rigid stop where a motion comes to rest: the run fails and says so."""

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
