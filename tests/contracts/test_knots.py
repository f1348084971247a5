"""The piece is where the motion goes: every law, every knot, every way of leaving it.

A start exactly on a knot, and 1e-12 to either side of it, gives one motion, and the energy audit
closes.  Exceptions, by nature: rest that is not stable (none of the ways below); rest that is
pushed into a rigid stop, which cannot hold; and the bristle of a dry friction, which starts bent
with a speed and straight without: motions differ by its bend.
"""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW
from torseur.integrate import METHODS
from torseur.scalars import Floats

F = Floats()
NEAR = (0.0, 1e-12, -1e-12)
# rate, then what pushes: a0 + a1 t + a3 t^3
WAYS = {
    "forward": (0.5, (0, 0, 0)),
    "backward": (-0.5, (0, 0, 0)),
    "rest": (0.0, (0, 0, 0)),
    "pushed": (0.0, (40.0, 0, 0)),
    "pulled": (0.0, (-40.0, 0, 0)),
    "pushed ever more": (0.0, (0, 400.0, 0)),
    "pulled ever more": (0.0, (0, -400.0, 0)),
    "pulled late": (0.0, (0, 0, -4e5)),
    "there and back": (0.5, (-40.0, 0, 0)),  # past the knot it left, after 0.025 s
    "back and there": (-0.5, (40.0, 0, 0)),
}


def pushed(law):
    """A block of 1 kg under the law and a push of three named numbers."""
    push = ts.Expression("-(a0 + a1*t + a3*t**3)", work="supplied")
    return ts.Model(
        "knots",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("push"),),
        parameters={"a0": 0.0, "a1": 0.0, "a3": 0.0},
        forces=(ts.JointForce("f", "x", law), ts.JointForce("push", "x", push)),
    ).check()


def motion(system, x, way, t_start=0.0, rate=None, **options):
    own, numbers = WAYS[way]
    return ts.simulate(
        system,
        t_start + 0.05,
        {"x.displacement": float(x), "x.speed": own if rate is None else rate},
        t_start=t_start,
        parameters=dict(zip(("a0", "a1", "a3"), numbers, strict=True)),
        **{"method": "dopri5", "rtol": 1e-10, "atol": 1e-12, "output": 6} | options,
    )


def state(run):
    last = [np.flatnonzero(run.time == t)[-1] for t in np.unique(run.time)[-1:]]
    return np.array([run["x.displacement"][last], run["x.speed"][last]]).ravel()


def one_motion(runs, bend=0.0):
    """Positions and speeds agree; books close."""
    for run in runs:
        assert run.completed, run.outcome
        scale = max(abs(run["energy.kinetic"]).max(), abs(run["energy.potential"]).max(), 1e-6)
        assert abs(run["energy.residual"]).max() <= 1e-7 * scale
    first, *others = map(state, runs)
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-7, atol=1e-9 + 1500 * bend)


STEP = ts.Table(((-1, -10), (0, -10), (0, 10), (1, 10)))
FALL = ts.Table(((-1, -5), (0, 10), (0, -10), (1, 5)))  # -+10 + 15 x: pushed off from 0
STEPS = (  # laws whose tension rises at once
    STEP,
    ts.Table(((-1, -60), (0, -50), (0, 20), (0.2, 30), (0.2, 90), (1, 95)), free_length=0.01),
    ts.Parallel(STEP, ts.Spring(300.0), ts.Viscous(1.0)),
)
PLATEAUS = (  # metal that turns back without a force has no path to climb again
    ts.Crush(((0, 0), (0.02, 0), (0.07, 460)), 2e4, tension="mirror", gap=0.01),
    ts.Crush(((0, 0), (0.02, 0), (0.07, 460)), 2e4, second_slope=1e4, second_below=0.3),
    ts.Crush(((0, 0), (0.02, 0), (0.07, 460)), unloading_curve=((0, 0), (0.01, 100), (0.02, 500))),
)
KNOTTED = [*(law for law in EVERY_LAW if law.knots(F)), *STEPS, *PLATEAUS]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", KNOTTED, ids=lambda law: repr(law)[:60])
def test_every_way_of_leaving_every_knot(law, every):
    """Of laws with several knots each way at some; at `every` knot with the slow tests."""
    system, rigid = pushed(law), getattr(law, "rigid", False)
    knots = [*map(float, law.knots(F))]
    for i, knot in enumerate(knots):
        for way in WAYS if every else [*WAYS][i % min(3, len(knots)) :: min(3, len(knots))]:
            if rigid and "pu" in way:
                continue  # cannot hold: told elsewhere
            one_motion([motion(system, knot + e, way) for e in NEAR])


FIXED = {name: method for name, method in METHODS.items() if not method.adaptive}
WITHIN = {1: 0.35, 2: 1e-3, 4: 1e-6}  # by order, of steps of 5e-5 s on stiffnesses of 2e5 N/m


FIRST = {type(law): law for law in reversed(KNOTTED)}  # of each class one, the rest is slow


@pytest.mark.parametrize(
    "law",
    [
        pytest.param(law, marks=[pytest.mark.slow] * (law is not FIRST[type(law)]))
        for law in KNOTTED
    ],
    ids=lambda law: repr(law)[:60],
)
def test_every_way_of_leaving_every_knot_by_fixed_steps(law):
    """Near the motion by adaptive steps, as the order says; what never pulls there never does."""
    system, rigid, turns = pushed(law), getattr(law, "rigid", False), count()
    for i, knot in enumerate(map(float, law.knots(F))):
        ways = [*WAYS][i % 2 :: 2]  # at one knot these, at the next the others
        for way in ways if not rigid else ("forward", "backward", "rest"):
            true = motion(system, knot, way)
            turn = next(turns)  # every method at every law, not at every way of every knot
            for name, method in [*FIXED.items()][turn % 2 :: 2]:
                run = motion(system, knot, way, method=name, step=5e-5, output=51)
                assert run.completed, run.outcome
                assert abs(state(run) - state(true)).max() < WITHIN[method.order]
                if true["f.force"].min() > -1e-9:
                    assert run["f.force"].min() > -1e-6


@pytest.mark.parametrize("name", FIXED)
def test_fixed_steps_keep_their_order_and_their_grid_where_they_are_split(name):
    """Into metal, past two knots, back out of it, and away: four events."""
    system = pushed(ts.Crush(((0, 0), (0.02, 300), (0.1, 600)), 5e4))
    start, errors = {"x.displacement": -0.0123, "x.speed": 3.0}, []
    exact = ts.simulate(system, 0.06, start, rtol=1e-12, atol=1e-14, output=2)
    for step in (1e-3, 1e-3 / 8):
        run = ts.simulate(system, 0.06, start, method=name, step=step, output="steps")
        assert [e.name for e in run.events] == [e.name for e in exact.events]
        assert run["f.force"].min() > -1e-9
        grid = np.setdiff1d(run.time, [e.time for e in run.events])
        np.testing.assert_allclose(grid, step * np.arange(len(grid)), atol=1e-12)
        errors.append(abs(state(run) - state(exact)).max())
        many = ts.batch(system, 0.06, {n: [x] * 2 for n, x in start.items()}, name, step)
        np.testing.assert_allclose(many["x.speed"][:, -1], run["x.speed"][-1], rtol=1e-12)
    assert errors[0] / errors[1] > 0.5 * 8 ** METHODS[name].order


@pytest.mark.parametrize("name", FIXED)
def test_fixed_steps_land_where_the_ball_lands(name):
    ball = ts.Model(
        "ball",
        gravity=(0, 0, -10),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("z", "world", "b", ts.Prismatic("z")),),
        constraints=(ts.Contact("floor", "b", restitution=0.5),),
    )
    run = ts.simulate(ball, 0.9, {"z.displacement": 1.25}, method=name, step=7e-3)
    rough = 1e-12 if METHODS[name].order > 1 else 7e-3  # of a parabola
    assert run["z.displacement"].min() > -1e-12
    assert run.events[0].time == pytest.approx(0.5, abs=rough)
    assert run["z.displacement"][-1] == pytest.approx(2.5 * 0.4 - 5 * 0.4**2, abs=6 * rough)


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_every_way_of_leaving_rest(law):
    """The knot of friction is no speed."""
    bend = 0.0
    if isinstance(law, ts.BristleFriction):
        law = ts.BristleFriction(law.force_, law.static)  # stiff, as by default
        bend = law.static / law.stiffness
    system = pushed(law)
    for way in ("pushed", "pulled", "pulled ever more"):
        one_motion([motion(system, 0.06, way, rate=e) for e in NEAR], bend)


@pytest.mark.parametrize(
    "law", [law for law in EVERY_LAW if law.times(F)], ids=lambda law: repr(law)[:60]
)
def test_every_knot_of_time(law):
    system = pushed(law)
    for t in map(float, law.times(F)):
        one_motion([motion(system, 0.0, "forward", t_start=t + e) for e in NEAR])


@pytest.mark.parametrize("push", [0.0, 5.0, -5.0, 9.99, -10.0, 10.5, -12.0])
def test_at_rest_on_a_step_it_holds_with_any_force_between_or_leaves(push):
    run = ts.simulate(
        pushed(STEP), 0.5, {}, parameters={"a0": push}, rtol=1e-10, atol=1e-12, output=11
    )
    excess = np.sign(push) * max(abs(push) - 10, 0)
    np.testing.assert_allclose(run["x.displacement"], excess * run.time**2 / 2, atol=1e-14)
    np.testing.assert_allclose(run["x.speed"], excess * run.time, atol=1e-13)
    np.testing.assert_allclose(run["f.force"], push - excess, rtol=1e-12, atol=1e-12)
    assert (run["f.step.mode"] == np.sign(excess)).all()


def test_a_step_is_left_when_the_push_has_grown_and_its_sensitivity_knows():
    system = pushed(STEP)
    run = ts.simulate(
        system, 1.0, {}, parameters={"a1": 20.0}, sensitivities=("a0",), rtol=1e-10, atol=1e-12
    )
    (left,) = run.events
    assert left.name == "f.step: leaves the step" and abs(left.time - 0.5) < 1e-12
    after = np.maximum(run.time - 0.5, 0)
    np.testing.assert_allclose(run["x.displacement"], 20 * after**3 / 6, atol=1e-10)
    np.testing.assert_allclose(run.sensitivity("x.displacement", "a0"), after**2 / 2, atol=1e-9)


def test_a_step_is_crossed_as_an_event_and_its_energy_is_stored():
    """Under 5 N: -15 times the side below, 5 above; arcs of parabolas between crossings."""
    run = ts.simulate(
        pushed(STEP), 1.0, {"x.speed": -1.0}, parameters={"a0": 5.0}, rtol=1e-10, atol=1e-12
    )
    met = [e.time for e in run.events if e.name == "f.step: meets the step"]
    np.testing.assert_allclose(met, [2 / 15, 2 / 15 + 0.4, 4 / 15 + 0.4], atol=1e-12)
    x, t = run["x.displacement"], 1 - met[-1]
    np.testing.assert_allclose(x[-1], t - 2.5 * t * t, atol=1e-12)
    np.testing.assert_allclose(run["f.energy.stored"], 10 * abs(x) - 10, atol=1e-12)
    np.testing.assert_allclose(run["energy.residual"], 0, atol=1e-12)


def test_friction_brings_it_to_rest_on_a_step_and_there_it_stays():
    rub = ts.DryFriction("rub", "x.displacement", force=1.0)
    system = replace(pushed(STEP).model, constraints=(rub,)).check()
    run = ts.simulate(system, 4.0, {"x.speed": 1.0}, parameters={"a0": 5.0}, output=5)
    assert abs(run["x.displacement"][-1]) < 1e-12 and run["x.speed"][-1] == 0
    assert run["f.step.mode"][-1] == 0 and abs(run["energy.residual"]).max() < 1e-7
    held = run["f.force"][-1] - run["rub.multiplier"][-1]
    assert abs(held - 5.0) < 1e-9


def test_steps_in_lanes_move_as_they_do_alone():
    system, starts = pushed(STEP), np.array([-1.0, -0.3, 0.0, 0.0, 0.2, 0.7, 1.0, 0.0])
    some = {"x.speed": starts, "x.displacement": 0.1 * starts[::-1]}
    many = ts.batch(system, 0.8, some, parameters={"a0": 5.0}, output=3, threads=1)
    for i, v in enumerate(starts):
        start = {"x.speed": v, "x.displacement": some["x.displacement"][i]}
        one = ts.simulate(system, 0.8, start, parameters={"a0": 5.0}, output=3)
        for name in ("x.displacement", "f.force"):
            np.testing.assert_allclose(many[name][i, -1], one[name][-1], rtol=1e-9, atol=1e-12)


def on(law, line=None):
    rail = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    force = line or ts.JointForce("f", "x", law)
    return ts.Model("s", bodies=(ts.Body("b", 1.0),), joints=(rail,), forces=(force,))


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (on(ts.Table(((-1, 9), (0, 9), (0, 9), (1, -9)))), "0 follows 0"),
        (on(ts.Series(ts.Spring(9.0), FALL)), "cannot be in a Series: .* fall at once"),
        (on(ts.Table((1, 2, 3))), "needs pairs"),
        (on(ts.Table(((0, 0), (0, 1), (1, 2)))), "0 follows 0; a step is two points"),
        (on(ts.Table(((-1, 0), (0, 0), (0, 1), (0, 2), (1, 2)))), "0 follows 0; a step is two"),
        (on(ts.Series(ts.Spring(9.0), STEP)), "cannot be in a Series: it has a vertical step"),
        (on(None, ts.PointForce("f", "world", "b", STEP)), "only a line of coordinates can hold"),
    ],
)
def test_steps_that_have_no_answer_are_refused(model, says):
    with pytest.raises(ts.TorseurError, match=says):
        model.check()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("x", "v"), [(-0.2, 6.0), (0.3, -6.0), (0.0, 2.0), (0.0, -2.0)])
def test_a_fall_is_crossed_at_speed(name, x, v):
    """Arcs of two oscillators about +-2/3; the energy at the fall is continuous."""
    step = None if METHODS[name].adaptive else 2e-4
    law = pushed(FALL)
    run = motion(law, x, "rest", rate=v, method=name, step=step, t_start=0.0)
    w, side = 15**0.5, np.sign(x) or np.sign(v)
    t = run.time[-1]

    def arc(x, v, side, t):
        c = side * 2 / 3
        return (
            c + (x - c) * np.cos(w * t) + v / w * np.sin(w * t),
            v * np.cos(w * t) - (x - c) * w * np.sin(w * t),
        )

    if run.events:
        (met,) = (e.time for e in run.events)
        there = arc(x, v, side, met)
        assert abs(there[0]) < (1e-9 if METHODS[name].order > 2 else 2e-2)
        exact = arc(0.0, there[1], -side, t - met)
    else:
        exact = arc(x, v, side, t)
    rough = {1: 2e-2, 2: 1e-5}.get(METHODS[name].order, 1e-8)
    np.testing.assert_allclose(state(run), exact, atol=rough)
    if METHODS[name].adaptive:
        assert abs(run["energy.residual"]).max() < 1e-8


def test_no_run_starts_at_rest_on_a_fall_and_either_side_leaves_it():
    law = pushed(FALL)
    with pytest.raises(ts.TorseurError, match="force 'f': nothing can be at rest on the fall"):
        motion(law, 0.0, "rest")
    for e in (1e-12, -1e-12):
        x = np.sign(e) * 2 / 3 * (1 - np.cos(15**0.5 * 0.05))
        assert state(motion(law, e, "rest"))[0] == pytest.approx(x, rel=1e-8)
    many = ts.batch(law, 0.05, {"x.displacement": [0.0, 1e-12], "x.speed": [0.0, 0.0]})
    assert list(many.completed) == [False, True] and "on the fall" in many.outcomes[0]


def test_a_step_goes_through_a_file(tmp_path):
    model = on(STEP)
    ts.save(model, tmp_path / "step.yaml")
    assert ts.load(tmp_path / "step.yaml").forces[0].law.steps() == ((0, 10.0),)
