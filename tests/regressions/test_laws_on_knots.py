"""Laws that start on a knot, or turn back on one: the exact motion, by every method."""

import numpy as np
import pytest

import torseur as ts
from torseur.integrate import METHODS

EVERY = pytest.mark.parametrize("method", METHODS)


def block(law, *forces, **more):
    return ts.Model(
        "b",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law), *forces),
        **more,
    )


def pull(force):
    return ts.JointForce("pull", "x", ts.Effort(-force))


def run(model, t_end, initial, method, step=1e-3):
    return ts.simulate(
        model, t_end, initial, method=method, step=None if METHODS[method].adaptive else step
    )


FREE_BELOW = ts.Table(((-1, 0), (0, 0), (1, 1e4)))
METAL = ts.Crush(((0, 0), (1, 1e4)), 1e5)
KNEE = ts.Table(((-2, -20), (0, 0), (1, 10), (2, 100)))
PLATEAU = ts.Crush(((0, 0), (0.1, 2e3), (0.2, 0.0), (2.0, 0.0)), 1e6)


@EVERY
def test_a_table_left_to_the_side_without_force(method):
    r = run(block(FREE_BELOW), 0.5, {"x.speed": -1.0}, method)
    assert not r["f.force"].any()
    assert r["x.displacement"][-1] == pytest.approx(-0.5, abs=1e-12)


@EVERY
def test_metal_is_left_without_being_touched(method):
    r = run(block(METAL), 0.5, {"x.speed": -1.0}, method)
    assert not r["f.force"].any()
    assert r["x.displacement"][-1] == pytest.approx(-0.5, abs=1e-12)


@EVERY
def test_a_knee_left_from_rest(method):
    r = run(block(KNEE), 0.4, {"x.displacement": 1.0}, method)
    near = {"euler": 2e-2, "semi_implicit": 2e-2, "newmark": 1e-5}.get(method, 1e-7)
    assert r["x.displacement"][-1] == pytest.approx(np.cos(0.4 * 10**0.5), abs=near)


@EVERY
def test_metal_does_not_hold_back_what_is_pulled_off(method):
    r = run(block(METAL, pull(10.0)), 0.5, {}, method)
    assert abs(r["f.force"]).max() <= (1.0 if method == "euler" else 0.0)  # its rows are rough
    near = 1e-2 if method in ("euler", "semi_implicit") else 1e-9
    assert r["x.displacement"][-1] == pytest.approx(-1.25, abs=near)


@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].adaptive])
def test_a_crushed_plateau_without_force_never_pulls(method):
    """20.2 m/s against 200 J of metal and 10 N: it turns at (20.2^2 / 2 - 200) / 10 m."""
    r = run(block(PLATEAU, pull(10.0)), 1.0, {"x.speed": 20.2}, method)
    assert r["f.force"].min() > -1e-6
    assert r["x.displacement"].max() == pytest.approx((20.2**2 / 2 - 200) / 10, abs=1e-6)
    assert r["energy.dissipated"][-1] == pytest.approx(200.0, abs=1e-4)


def test_batches_take_the_same_pieces():
    many = ts.batch(block(KNEE), 0.4, {"x.displacement": [1.0, 1.0 + 1e-12, 1.0 - 1e-12]})
    np.testing.assert_allclose(many["x.displacement"][:, -1], np.cos(0.4 * 10**0.5), atol=1e-7)
    many = ts.batch(block(METAL), 0.5, {"x.speed": [-1.0, -2.0]})
    np.testing.assert_allclose(many["x.displacement"][:, -1], [-0.5, -1.0], atol=1e-12)


def test_rest_on_a_knot_ends_when_a_load_comes():
    """At rest on the knot for a second; then a table of time pulls, ever more."""
    late = ts.JointForce("late", "x", ts.TimeTable(((0, 0), (1, 0), (2, -6))))
    r = ts.simulate(block(FREE_BELOW, late), 2.0)
    assert not r["f.force"].any()
    assert r["x.displacement"][-1] == pytest.approx(-1.0, abs=1e-8)  # -6 t^3 / 6


def test_a_start_on_a_rigid_stop_into_it_bounces():
    stop = ts.Limits(-1.0, 0.0, restitution=0.5)
    r = ts.simulate(block(stop), 0.2, {"x.speed": 2.0})
    assert [e.name for e in r.events] == ["f: high stop"] and r.events[0].time == 0
    assert r["x.displacement"][-1] == pytest.approx(-0.2, abs=1e-12)
    away = ts.simulate(block(stop), 0.2, {"x.speed": -2.0})
    assert not away.events and away["x.displacement"][-1] == pytest.approx(-0.4, abs=1e-12)


@pytest.mark.parametrize("law", [ts.Limits(-1, 0.5, 1e4, 300.0), ts.Backlash(0.5, 1e4, 300.0)])
def test_stops_press_and_never_pull(law):
    """A damped spring that lets go where its damper would pull: closed form of the half wave."""
    r = ts.simulate(block(law), 0.1, {"x.displacement": 0.5, "x.speed": 2.0}, rtol=1e-11)
    assert r["f.force"].min() > -1e-6
    w, d = 100.0, 150.0  # beyond critical: x = v (e^-at - e^-bt) / (b - a)
    a, b = d - np.sqrt(d * d - w * w), d + np.sqrt(d * d - w * w)
    # no force where k x + c x' = 0, that is x'' = 0
    t = np.log(b * b / (a * a)) / (b - a)
    speed = 2.0 * (b * np.exp(-b * t) - a * np.exp(-a * t)) / (b - a)
    assert r["x.speed"][-1] == pytest.approx(speed, rel=1e-8)
    assert abs(r["energy.residual"]).max() < 1e-8


def test_an_impact_turns_the_metal_that_was_loading():
    """A rigid stop throws the block back while its metal is loading: that is unloading at once."""
    stop = ts.JointForce("stop", "x", ts.Limits(-100.0, 0.05, restitution=1.0))
    r = ts.simulate(block(METAL, stop), 0.2, {"x.speed": 20.0}, rtol=1e-11)
    v = np.sqrt(400 - 1e4 * 0.05**2)  # at the stop
    F = 500.0
    assert r["f.force"].min() > -1e-6
    assert r["x.speed"][-1] == pytest.approx(-np.sqrt(v * v + F * F / 1e5), rel=1e-9)


def test_derivatives_are_those_of_the_piece_that_the_motion_leaves_to():
    """x = cos(w t), w^2 = F / m, F the force at the knot it starts on."""
    names, w, t = ("f.points[2].force", "b.mass"), 10**0.5, 0.4
    run = ts.simulate(
        block(KNEE), t, {"x.displacement": 1.0}, rtol=1e-11, atol=1e-12, sensitivities=names
    )
    force, mass = (float(np.ravel(run.sensitivity("x.displacement", n))[-1]) for n in names)
    assert force == pytest.approx(-t / (2 * w) * np.sin(w * t), rel=1e-9)
    assert mass == pytest.approx(t * w / 2 * np.sin(w * t), rel=1e-9)


def test_a_set_that_one_side_keeps_parts_the_derivatives_when_the_metal_is_met_again():
    """A start just inside the edge that it leaves has crushed it, and meets its damper sooner."""
    damped = ts.Crush(((0, 0), (1, 1e4)), 1e5, damping=5.0)
    model = block(damped, ts.JointForce("back", "x", ts.Spring(100.0)))
    half = np.pi / 10  # of a period: it comes back
    start = {"x.displacement": 0.0, "x.speed": -1.0}
    before = ts.simulate(model, 0.9 * half, start, sensitivities="x.displacement")
    slope = before.sensitivity("x.displacement", "x.displacement")[-1]
    assert slope == pytest.approx(np.cos(0.9 * np.pi), rel=1e-7)
    for name in ("x.displacement", "f.gap"):
        after = ts.simulate(model, 1.1 * half, start, sensitivities=name)
        with pytest.raises(ts.TorseurError, match="the start lies exactly on 'f'"):
            after.sensitivity("x.displacement", name)
