"""Batches: every lane is the run it stands for, whatever its neighbors do."""

import pickle

import numpy as np
import pytest

import torseur as ts
from torseur.forces import JointForce, LuGre, Spring
from torseur.simulation import batch, simulate


def pendulum(**model):
    rod = ts.Body("rod", mass="m", com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    return ts.Model(
        bodies=(rod,),
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),),
        parameters={"m": 2.0, "k": 5.0},
        forces=(JointForce("k", "pivot", Spring("k")),),
        **model,
    )


@pytest.mark.parametrize("count", [1, 3, 8, 19])
@pytest.mark.parametrize("method", ["rk4", "euler", "semi_implicit"])
def test_lanes_are_single_runs(count, method):
    rng = np.random.default_rng(count)
    angles, masses = rng.uniform(-2, 2, count), rng.uniform(1, 3, count)
    many = batch(
        pendulum(), 1.0, {"pivot.angle": angles}, method, 0.01, parameters={"m": masses}, output=5
    )
    assert many["pivot.angle"].shape == (count, 5)
    for i in {0, count // 2, count - 1}:
        one = simulate(
            pendulum(),
            1.0,
            {"pivot.angle": angles[i]},
            method=method,
            step=0.01,
            parameters={"m": masses[i]},
            output=5,
        )
        np.testing.assert_allclose(many["pivot.angle"][i], one["pivot.angle"], rtol=0, atol=1e-13)
        np.testing.assert_allclose(many["pivot.rate"][i], one["pivot.rate"], rtol=0, atol=1e-13)


def test_quaternions_stay_unit_in_lanes():
    body = ts.Body("b", mass=1.0, inertia=(1.0, 2.0, 2.5, 0, 0, 0))
    model = ts.Model(bodies=(body,), joints=(ts.Joint("f", "world", "b", ts.Free()),))
    many = batch(model, 1.0, {"f.wx": np.linspace(0, 3, 11), "f.wy": 1.0}, step=0.01)
    size = np.linalg.norm(many.q[:, -1, 3:7], axis=1)
    assert abs(size - 1).max() <= 4 * np.finfo(float).eps


def test_adaptive_batches_and_models_with_events():
    angles = np.linspace(0.1, 1.0, 4)
    many = batch(pendulum(), 1.0, {"pivot.angle": angles}, "dop853")
    one = simulate(pendulum(), 1.0, {"pivot.angle": angles[2]}, method="dop853")
    assert many["pivot.angle"][2, -1] == pytest.approx(one["pivot.angle"][-1], abs=1e-9)
    car = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("car", mass=1000.0),),
        joints=(ts.Joint("slide", "world", "car", ts.Prismatic("x")),),
        forces=(JointForce("bumper", "slide", law=ts.Crush(((0, 0), (0.3, 2e5)), 2e7)),),
    )
    hits = batch(car, 0.2, {"slide.speed": [5.0, 10.0, 15.0]}, "dopri5")
    assert (hits["slide.speed"][:, -1] < 0).all() and "dopri5 in" in hits.method


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
@pytest.mark.parametrize("count", [1, 6, 150])
def test_adaptive_lanes_are_single_runs_whatever_their_neighbors(count, method):
    rng = np.random.default_rng(count)
    angles, masses = rng.uniform(-2, 2, count), rng.uniform(0.1, 9, count)
    many = batch(
        pendulum(),
        3.0,
        {"pivot.angle": angles},
        method,
        parameters={"m": masses},
        output=7,
        rtol=1e-10,
        atol=1e-12,
    )
    assert "lanes" in many.method
    for i in {0, count // 2, count - 1}:
        one = simulate(
            pendulum(),
            3.0,
            {"pivot.angle": angles[i]},
            method=method,
            output=7,
            parameters={"m": masses[i]},
            rtol=1e-10,
            atol=1e-12,
        )
        np.testing.assert_allclose(many["pivot.angle"][i], one["pivot.angle"], rtol=0, atol=1e-8)
        alone = batch(
            pendulum(),
            3.0,
            {"pivot.angle": angles[i]},
            method,
            output=7,
            parameters={"m": masses[i]},
            rtol=1e-10,
            atol=1e-12,
        )
        assert (many["pivot.angle"][i] == alone["pivot.angle"][0]).all()
    assert (many["pivot.angle"][:, 0] == angles).all()


def test_adaptive_lanes_keep_quaternions_unit_at_every_row():
    body = ts.Body("b", mass=1.0, inertia=(1.0, 2.0, 2.5, 0, 0, 0))
    model = ts.Model(bodies=(body,), joints=(ts.Joint("f", "world", "b", ts.Free()),))
    start = {"f.wx": np.linspace(0, 3, 11), "f.wy": 1.0}
    many = batch(model, 2.0, start, output=9)
    assert abs(np.linalg.norm(many.q[..., 3:7], axis=2) - 1).max() <= 4 * np.finfo(float).eps
    one = simulate(model, 2.0, {"f.wx": 3.0, "f.wy": 1.0}, output=9)
    np.testing.assert_allclose(many["f.qx"][-1], one["f.qx"], atol=1e-7)


def test_a_run_of_a_batch_that_cannot_go_on_is_named():
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=1.0),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(JointForce("push", "x", ts.Polynomial((0, 0, 0, -100))),),
    )
    start = {"x.displacement": [0.0, 0.01, 1.0], "x.speed": [0.0, 0.0, 5.0]}
    many = batch(model, 3.0, start, output=7)
    assert many.completed.tolist() == [True, True, False] and many.failed == (2,)
    assert "did not reach t = 3 s: its step fell to nothing" in many.outcomes[2]
    came = np.isfinite(many["x.speed"])
    assert came[:2].all() and came[2, 0] and not came[2, -1]
    with pytest.raises(ts.IntegrationError, match="run 2 of the batch did not reach"):
        many.check()
    fixed = batch(model, 3.0, start, "rk4", 0.01, output=7)
    assert fixed.failed == (2,) and "grew without bound after t =" in fixed.outcomes[2]


def test_states_of_elements_start_in_every_lane():
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=1.0),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(JointForce("mu", "x", LuGre(1.0, 1.5, 0.1, 1e3, 10.0)),),
    )
    many = batch(model, 0.5, {"x.speed": [0.5, 1.0]}, step=1e-3)
    one = simulate(model, 0.5, {"x.speed": 1.0}, method="rk4", step=1e-3)
    assert many["x.displacement"][1, -1] == pytest.approx(one["x.displacement"][-1], abs=1e-12)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"method": "rk4"}, "needs step="),
        ({"step": 0.3}, "does not divide"),
        (
            {"step": 0.01, "initial": {"pivot.angle": [1, 2], "pivot.rate": [1, 2, 3]}},
            "of one length",
        ),
    ],
)
def test_messages(options, text):
    with pytest.raises(ts.TorseurError, match=text):
        batch(pendulum(), 1.0, **options)


def test_long_chains_run_by_the_looped_kernel():
    n = 70
    bodies = tuple(
        ts.Body(f"b{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12, 0, 0, 0))
        for i in range(n)
    )
    joints = tuple(
        ts.Joint(
            f"j{i}",
            "world" if i == 0 else f"b{i - 1}",
            f"b{i}",
            ts.Revolute("z"),
            at=(1 if i else 0, 0, 0),
        )
        for i in range(n)
    )
    chain = ts.Model(gravity=(0, -9.81, 0), bodies=bodies, joints=joints).check()
    run = simulate(chain, 0.2, rtol=1e-9, output=[0.0, 0.2])
    dyn = ts.compile(chain)
    q, v = (np.array([run[x] for x in names])[:, -1] for names in (chain.coordinates, chain.speeds))
    kinetic, potential = dyn.energy(q, v)
    assert kinetic + potential == pytest.approx(dyn.energy(chain.neutral(), 0 * v)[1], abs=1e-5)
    assert kinetic > 1


NAN = float("nan")


@pytest.mark.parametrize(
    "options, text",
    [
        ({"initial": {"a.angle": [0.1, NAN]}}, "a.angle is nan in run 1; expected finite numbers"),
        ({"initial": {"a.angle": np.ones((2, 2))}}, "a.angle has the shape (2, 2)"),
        ({"initial": {"a.angle": []}}, "a.angle has the shape (0,)"),
        ({"initial": {"a.angle": ["x"]}}, "a.angle = ['x']; expected numbers"),
        ({"initial": [0.1]}, "initial = [0.1]; expected a dictionary"),
        ({"parameters": {"c": [0.1, NAN]}}, "c is nan in run 1"),
        ({"t_end": -1.0}, "t_end = -1.0 s lies before the start"),
        ({"t_end": None}, "batch: t_end = None; expected a number of seconds"),
        ({"step": 1e-300}, "less than rounding of the time"),
        ({"output": "steps"}, "output = 'steps'; expected a number of rows"),
        ({"rtol": -1}, "batch: rtol = -1; use a number greater than zero"),
        ({"method": "cvode"}, "batch: method 'cvode' is a reference of single runs"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_wrong_input_is_told(options, text):
    with pytest.raises(ts.TorseurError) as caught:
        ts.batch(_hinge(ts.Viscous("c")), **{"t_end": 1.0} | options)
    assert text in str(caught.value)


def _hinge(law):
    return ts.Model(
        "hinge",
        bodies=(ts.Body("rod", mass=1.0, com=(0, 0, -1)),),
        joints=(ts.Joint("a", "world", "rod", ts.Revolute("y")),),
        forces=(ts.JointForce("f", "a", law),),
        parameters={"c": 0.1},
    )


@pytest.mark.parametrize("step", [None, 0.1])
def test_no_time_is_the_start(step):
    many = ts.batch(_hinge(ts.Viscous(0.1)), 0.0, {"a.angle": [0.5, 1.0]}, step=step, output=3)
    assert (many["a.angle"] == [[0.5] * 3, [1.0] * 3]).all()


def test_a_run_with_events_that_fails_is_named():
    model = _hinge(ts.Limits(0.1, 1.0, restitution=0.5))
    many = ts.batch(model, 0.48, {"a.angle": [0.9, 0.11]}, threads=1)
    assert many.completed.tolist() == [True, False]
    with pytest.raises(ts.IntegrationError, match=r"run 1 of the batch failed .*only bounces"):
        many.check()


def _told(many):
    with pytest.raises(ts.IntegrationError) as caught:
        many.check()
    return str(caught.value)


TIMES = np.array([0.05, 0.31, 0.32])


def swinging(kind, **more):
    """A body on a damped spring, by a joint with or without quaternions."""
    body = ts.Body("top", mass=2.0, com=(0.1, 0, 0.4), inertia=(0.3, 0.25, 0.2, 0, 0, 0))
    line = ts.PointForce(
        "line", a=("top", (0, 0.3, 0.4)), b=("world", (0.5, 1, 1)), law=ts.Spring("k", 0.4)
    )
    joint = ts.Joint("ball", "world", "top", kind, damping=0.1)
    return ts.Model(bodies=(body,), joints=(joint,), forces=(line,), parameters={"k": 20.0}, **more)


def same_as_single_runs(model, many, t_end, starts, parameters, names, tolerance):
    for i in range(len(many)):
        run = ts.simulate(
            model,
            t_end,
            {n: x[i] for n, x in starts.items()},
            parameters={n: x[i] for n, x in parameters.items()},
            output=np.array([0.0, *TIMES, t_end]),
        )
        for n in names:
            want = run[n][np.searchsorted(run.time, TIMES, side="right") - 1]
            np.testing.assert_allclose(many[n][i], want, rtol=tolerance, atol=tolerance)


def test_any_signal_at_any_times_in_lanes():
    """Forces, reactions, energies and unit quaternions are those of single runs."""
    model = swinging(ts.Spherical())
    starts = {"ball.rate1": np.array([0.0, 1.0, 20.0]), "ball.rate3": np.array([2.0, -3.0, 9.0])}
    parameters = {"k": np.array([20.0, 20.0, 50.0])}
    every = ts.batch(model, 0.4, starts, parameters=parameters, output=TIMES)
    assert "lanes" in every.method and len(every.signals) > 40
    same_as_single_runs(model, every, 0.4, starts, parameters, every.signals, 3e-6)
    names = ("line.force", "top.orientation.w", "energy.residual")
    some = ts.batch(model, 0.4, starts, parameters=parameters, output=TIMES, keep=names)
    assert some.signals == names
    assert all(np.array_equal(some[n], every[n]) for n in names)
    with pytest.raises(ts.TorseurError, match="was not kept"):
        some["ball.rate1"]
    wild = ts.batch(model, 0.4, {"ball.rate1": [0.5, 1e200]})
    assert wild.failed == (1,) and "run 1 of the batch did not reach" in _told(wild)
    again = pickle.loads(pickle.dumps(every))
    assert np.array_equal(again["line.energy.stored"], every["line.energy.stored"])
    table = some.to_xarray()
    assert table["line.force"].dims == ("run", "time")
    assert table["line.force"].attrs["units"] == "N" and len(table["outcome"]) == 3


def test_any_signal_events_and_outcomes_of_runs_one_by_one():
    """Runs that stop at events: rows beyond are NaN, and events and outcomes those of simulate."""
    model = _hinge(ts.Limits(-0.5, 0.5, stiffness=1e4))
    starts = {"a.rate": np.array([0.0, 4.0])}
    options = {"output": TIMES, "stop_when": "f", "keep": ("f.force", "energy.kinetic")}
    many = ts.batch(model, 0.4, starts, **options)
    assert many.completed.all() and many.outcomes[1].startswith("stopped at t = ")
    assert [len(e) for e in many.events] == [0, 1]
    run = ts.simulate(model, 0.4, {"a.rate": 4.0}, stop_when="f")
    assert [e.name for e in many.events[1]] == [e.name for e in run.events]
    assert np.isclose(many.events[1][0].time, run.events[0].time, rtol=1e-14)
    gone = TIMES > run.time[-1]
    assert gone.tolist() == [False, True, True]
    assert np.array_equal(np.isnan(many["f.force"]), [[False] * 3, gone])
    same_as_single_runs(
        model,
        ts.batch(model, 0.4, starts, output=TIMES),
        0.4,
        starts,
        {},
        ("f.force", "energy.kinetic", "energy.residual"),
        1e-9,
    )


def test_what_cannot_be_kept_is_told():
    with pytest.raises(ts.ArgumentError, match="forse"):
        ts.batch(swinging(ts.Revolute("x")), 1.0, keep=("line.forse", "line.force"))
    with pytest.raises(ts.TorseurError, match="output times must grow"):
        ts.batch(swinging(ts.Revolute("x")), 1.0, output=[0.2, 0.1])
    with pytest.raises(ts.TorseurError, match="does not divide"):
        ts.batch(swinging(ts.Revolute("x")), 1.0, output=[0.2, 0.25], step=0.1)


def test_a_batch_starts_where_its_model_does():
    model = swinging(ts.Revolute("x"), initial={"ball.angle": 0.3}, simulation={"t_end": 0.2})
    many = ts.batch(model, initial={"ball.rate": [0.0, 1.0]})
    assert many["ball.angle"][:, 0].tolist() == [0.3, 0.3] and many.time[-1] == 0.2


def test_inputs_of_time_and_with_units_in_a_batch():
    """They were refused in words of single runs that hold no longer."""
    cart = ts.Model(
        "cart",
        gravity=(0, 0, 0),
        bodies=(ts.Body("cart", 2.0),),
        joints=(ts.Joint("x", "world", "cart", ts.Prismatic("x")),),
        forces=(ts.JointForce("push", "x", ts.Effort(input="u")),),
        inputs=(ts.Input("u", unit="N"),),
    )
    points = ([0, 1], [0, 6.0])
    for given, want in (("6*t", 1.5), (points, 1.5), (np.cos, np.sin(1) / 2), ("4 N", 2.0)):
        many = ts.batch(cart, 1.0, {"x.speed": [0.0, 1.0]}, inputs={"u": given}, output=2)
        np.testing.assert_allclose(many["x.speed"][:, -1], [want, want + 1], rtol=1e-8)
