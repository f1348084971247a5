"""`method="auto"`: on stiff and other models it takes about the steps of the better method."""

import numpy as np
import pytest

import torseur as ts

BLOCK = ts.Body("block", mass=0.1)
SLIDE = ts.Joint("x", "world", "block", ts.Prismatic("x"))
PUSHED = (
    ts.JointForce("spring", "x", ts.Spring("k")),
    ts.JointForce("damper", "x", ts.Viscous("c")),
)


def carried() -> ts.Model:
    """A pendulum that swings for ever, and a block on it between a spring and a damper."""
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    return ts.Model(
        bodies=(rod, BLOCK),
        joints=(
            ts.Joint("pivot", "world", "rod", ts.Revolute("y")),
            ts.Joint("x", "rod", "block", ts.Prismatic("x"), at=(0, 0, -0.5)),
        ),
        forces=PUSHED,
        parameters={"k": 50.0, "c": 1.0},
        initial={"pivot.angle": 1.0},
        simulation={"t_end": 10.0, "output": 20},
    )


@pytest.fixture(scope="module")
def pendulum():
    return carried().check()


def attempts(system, method, **options):
    run = ts.simulate(system, method=method, **options)
    return run.statistics["steps"] + run.statistics["rejected"], run


SPENT = 60  # attempts before a change


@pytest.mark.parametrize("rtol, explicit", [(1e-8, "dop853"), (1e-4, "dopri5")])
@pytest.mark.parametrize(
    "k, c, ends",
    [
        (50.0, 1.0, "explicit"),
        (50.0, 100.0, "rodas5p"),
        (50.0, 300.0, "rodas5p"),  # from the start on
        (1e5, 10.0, "rodas5p"),  # an oscillation that dies
        (50.0, 1e4, "rodas5p"),
    ],
)
def test_steps_are_those_of_the_better_method(pendulum, k, c, ends, rtol, explicit):
    options = {"parameters": {"k": k, "c": c}, "rtol": rtol}
    mine, run = attempts(pendulum, "auto", **options)
    others = [attempts(pendulum, m, **options)[0] for m in (explicit, "rodas5p") if c < 1e4]
    assert mine <= 1.5 * min(others, default=450) + SPENT
    assert run.provenance["method"].endswith(explicit if ends == "explicit" else "rodas5p")


def test_an_oscillation_without_damping_is_never_lost(pendulum):
    """An implicit method would take fewer steps and kill it."""
    for rtol, method in ((1e-8, "dop853"), (1e-4, "dopri5")):
        run = ts.simulate(pendulum, parameters={"k": 1e6, "c": 0.0}, output=20_000, rtol=rtol)
        assert run.provenance["method"] == method
    speeds = run["x.speed"]
    assert abs(speeds[-200:]).max() > 0.5 * abs(speeds[:200]).max() > 1e-4  # 500 times a second


def test_a_change_is_told_and_the_motion_goes_on(pendulum):
    options = {"parameters": {"k": 1e6, "c": 100.0}, "output": 2001}
    run = ts.simulate(pendulum, **options)
    assert run.completed and "steps of dop853 and rodas5p" in run.outcome
    assert run.provenance["method"] == "dop853, rodas5p"
    assert "stiff from t = " in run.provenance["why"]
    assert np.array_equal(run.time, np.linspace(0, 10, 2001))
    fine = ts.simulate(pendulum, method="rodas5p", rtol=1e-11, atol=1e-13, **options)
    for name in ("pivot.angle", "x.displacement"):
        assert abs(run[name] - fine[name]).max() < 2e-6 * abs(fine[name]).max()


def test_overdamped_block_by_both_methods_is_the_closed_form():
    """m x'' + c x' + k x = 0."""
    m, c, k, x0 = 0.1, 150.0, 40.0, 0.5
    model = ts.Model(bodies=(BLOCK,), joints=(SLIDE,), forces=PUSHED, parameters={"k": k, "c": c})
    run = ts.simulate(model, 5.0, {"x.displacement": x0})
    assert run.provenance["method"] == "dop853, rodas5p"
    slow, fast = np.roots([m, c, k])[::-1]
    t = run.time
    exact = x0 * (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (fast - slow)
    assert abs(run["x.displacement"] - exact).max() < 1e-7


def test_an_implicit_start_gives_way_where_nothing_is_stiff(pendulum):
    """Mild damping over a long time decays many times as well."""
    run = ts.simulate(pendulum, 5000.0, parameters={"c": 1.0}, rtol=1e-6, max_steps=2000)
    assert run.provenance["method"] == "rodas5p, dop853"
    assert "not stiff from t = " in run.provenance["why"]


def test_events_go_on_after_a_change():
    """A block that a damper lets sink slowly onto a stop: one event, whatever the method."""
    system = ts.Model(
        bodies=(BLOCK,),
        joints=(ts.Joint("z", "world", "block", ts.Prismatic("z")),),
        forces=(
            ts.JointForce("damper", "z", ts.Viscous(200.0)),
            ts.JointForce("floor", "z", ts.Limits(-0.03, 1.0, stiffness=100.0)),
        ),
    ).check()
    runs = [ts.simulate(system, 8.0, method=m) for m in ("auto", "rodas5p")]
    assert runs[0].provenance["method"] == "dopri5, rodas5p"
    one, other = ([(e.name, round(e.time, 6)) for e in run.events] for run in runs)
    assert one == other and len(one) == 1
    assert abs(runs[0]["z.displacement"] - runs[1]["z.displacement"]).max() < 1e-8


def test_a_fast_mode_that_decays_very_often_does_not_govern_a_long_run(pendulum):
    """A damping ratio of 0.02 at 3160 rad/s: gone after 0.1 s, and the pendulum swings 500 s."""
    numbers = {"k": 1e6, "c": 2 * 0.02 * np.sqrt(1e6 * 0.1)}
    told = {"parameters": numbers, "t_end": 500.0, "rtol": 1e-8}
    few, run = attempts(pendulum, "auto", **told)
    many, _ = attempts(pendulum, "dop853", **told)
    assert run.completed and few < many / 3
