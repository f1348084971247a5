"""Dry friction that truly sticks: O-D1, slopes, bearings, stick-slip, messages."""

import numpy as np
import pytest

import torseur as ts
from torseur.constraints import DryFriction, PointOnPlane
from torseur.errors import ModelError
from torseur.forces import Effort, Expression, JointForce, Spring, Wrench
from torseur.joints import Planar, Prismatic, Revolute
from torseur.model import Body, Joint, Model
from torseur.simulation import simulate

G = 9.81


def slider(*constraints, mass=2.0, forces=(), gravity=(0, 0, -G)):
    return Model(
        "slider",
        gravity=gravity,
        bodies=(Body("block", mass=mass),),
        joints=(Joint("slide", "world", "block", Prismatic("x")),),
        forces=forces,
        constraints=constraints,
    )


def run(model, t_end, initial=None, rtol=1e-11, **options):
    out = simulate(model, t_end, initial, rtol=rtol, atol=0.1 * rtol, **options)
    assert out.completed, out.outcome
    return out


def test_D1_oscillator_stops_after_five_half_cycles():
    model = slider(
        DryFriction("rub", "slide.displacement", force=30.0),
        forces=(JointForce("spring", "slide", law=Spring(800.0)),),
    )
    out = run(model, 2.0, {"slide.displacement": 0.4}, output=[0.0, 0.25, 0.5, 1.0, 2.0])
    x = {
        round(float(t), 9): (a, b)
        for t, a, b in zip(out.time, out["slide.displacement"], out["slide.speed"], strict=True)
    }
    np.testing.assert_allclose(x[0.25], [0.0440528783, 5.5138145793], rtol=2e-9)
    np.testing.assert_allclose(x[0.5][0], -0.1528723352, rtol=2e-9)
    assert [e.name for e in out.events] == ["rub: stops"] * 5
    times = [e.time for e in out.events]
    np.testing.assert_allclose(times, np.pi / 20 * np.arange(1, 6), rtol=1e-11)
    np.testing.assert_allclose(x[2.0][0], -0.025, rtol=1e-9)
    assert x[2.0][1] == 0.0  # not slow: at rest
    np.testing.assert_allclose(out["energy.dissipated"][-1], 63.75, rtol=1e-10)
    assert abs(out["energy.residual"]).max() < 1e-8
    np.testing.assert_allclose(out["rub.multiplier"][-1], 800 * -0.025, rtol=1e-9)


@pytest.mark.parametrize("angle, moves", [(15.0, False), (25.0, True)])
def test_block_on_a_slope(angle, moves):
    """It stays when tan(angle) < mu, and slides at g (sin - mu cos) otherwise."""
    s, c, mu = np.sin(np.radians(angle)), np.cos(np.radians(angle)), 0.35
    model = Model(
        "slope",
        gravity=(G * s, 0, -G * c),
        bodies=(Body("block", mass=3.0, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(Joint("free", "world", "block", Planar("y")),),
        constraints=(
            PointOnPlane("floor", "block"),
            DryFriction("rub", ("block", "x"), coefficient=mu, normal="floor"),
        ),
    )
    out = run(model, 1.0, output=[0.0, 0.5, 1.0])
    want = 0.5 * G * (s - mu * c) * out.time**2 if moves else 0 * out.time
    np.testing.assert_allclose(out["block.position.x"], want, atol=1e-10)
    np.testing.assert_allclose(out["floor.multiplier"], 3 * G * c, rtol=1e-10)
    force = -mu * 3 * G * c if moves else -3 * G * s
    np.testing.assert_allclose(out["rub.multiplier"][1:], force, rtol=1e-9)


def test_ramp_breaks_loose_at_the_static_limit():
    """A growing pull: nothing moves until 30 N, then 20 N brake."""
    model = slider(
        DryFriction("rub", "slide.displacement", force=20.0, static=30.0),
        forces=(JointForce("pull", "slide", law=Expression("-10*t")),),
    )
    out = run(model, 4.0, output=[0.0, 1.0, 2.9, 4.0])
    assert [e.name for e in out.events] == ["rub: breaks loose"]
    assert out.events[0].time == pytest.approx(3.0, abs=1e-9)
    held = out.time < 2.95
    assert abs(out["slide.displacement"][held]).max() < 1e-15
    speed = (10 * (16 - 9) / 2 - 20) / 2.0
    np.testing.assert_allclose(out["slide.speed"][-1], speed, rtol=1e-9)
    assert abs(out["energy.residual"]).max() < 1e-8


def test_stick_slip_on_a_belt_pulled_by_a_spring():
    """The slow pull of a spring: a cycle of sticking and slipping of known jump."""
    model = slider(
        DryFriction("rub", "slide.displacement", force=20.0, static=30.0),
        mass=1.0,
        forces=(JointForce("spring", "slide", law=Expression("400*(x - 0.1*t)")),),
    )
    out = run(model, 4.0, rtol=1e-10, output=400)
    loose = [e.time for e in out.events if e.name == "rub: breaks loose"]
    stops = [e.time for e in out.events if e.name == "rub: stops"]
    assert len(loose) >= 3 and len(stops) >= 3
    assert loose[0] == pytest.approx(30 / (400 * 0.1), abs=1e-8)
    # while slipping: x'' = 400 (0.1 t - x) - 20, so the spring loses about twice the difference
    w, v = 20.0, 0.1
    phase = 2 * np.pi - 2 * np.arctan((30 - 20) / (1.0 * w * v))
    assert stops[0] - loose[0] == pytest.approx(phase / w, rel=1e-8)
    assert abs(out["energy.residual"]).max() < 1e-7


def test_two_blocks_one_on_the_other_let_go_together():
    """The lower block is pulled; the upper rides along until its own friction gives way."""

    def model(pull):
        return Model(
            "stack",
            bodies=(Body("lower", mass=2.0), Body("upper", mass=1.0)),
            joints=(
                Joint("low", "world", "lower", Prismatic("x")),
                Joint("high", "lower", "upper", Prismatic("x")),
            ),
            forces=(JointForce("pull", "low", law=Effort(pull)),),
            constraints=(
                DryFriction("ground", "low.displacement", force=5.0),
                DryFriction("between", "high.displacement", force=4.0),
            ),
        )

    still, together, apart = (run(model(p), 1.0, output=[0.0, 1.0]) for p in (4.0, 10.0, 25.0))
    assert abs(still["low.displacement"]).max() < 1e-15
    np.testing.assert_allclose(together["low.displacement"][-1], 0.5 * (10 - 5) / 3, rtol=1e-9)
    assert abs(together["high.displacement"][-1]) < 1e-15
    np.testing.assert_allclose(apart["low.displacement"][-1], 0.5 * (25 - 5 - 4) / 2, rtol=1e-9)
    np.testing.assert_allclose(apart["high.displacement"][-1], 0.5 * (4 - 8), rtol=1e-9)


def test_bearing_friction_from_the_reaction():
    """A pendulum on a shaft: the moment is mu r |F|, F found together with the acceleration."""
    m, L, J, mu, r = 2.0, 0.5, 0.1, 0.8, 0.05
    model = Model(
        "pendulum",
        bodies=(Body("rod", mass=m, com=(0, 0, -L), inertia=(J, J, J, 0, 0, 0)),),
        joints=(Joint("pivot", "world", "rod", Revolute("y")),),
        constraints=(
            DryFriction("shaft", "pivot.angle", coefficient=mu, radius=r, normal="joint"),
        ),
    )
    out = run(model, 15.0, {"pivot.angle": 1.2}, output=61)
    x, w, a = (out[f"pivot.{n}"] for n in ("angle", "rate", "acceleration"))
    moving = abs(w) > 1e-6
    along = m * (L * w**2 + G * np.cos(x))  # reaction on the rod, its axes
    across = m * (L * a + G * np.sin(x))
    moment = mu * r * np.hypot(along, across)
    want = -(m * G * L * np.sin(x) + np.sign(w) * moment) / (J + m * L**2)
    np.testing.assert_allclose(a[moving], want[moving], rtol=1e-8, atol=1e-8)
    assert abs(w[-1]) < 1e-15 and abs(x[-1]) < 0.1
    assert abs(out["energy.residual"]).max() < 1e-6


def test_pressed_guide_shares_its_load():
    """A block in a guide pushed sideways: friction from the multiplier of the guide."""
    block = Body("block", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    model = Model(
        "guide",
        gravity=(0, 0, 0),
        bodies=(block,),
        joints=(Joint("free", "world", "block", Planar("z")),),
        forces=(Wrench("push", "block", wrench=(0, 0, 0, 10.0, 20.0, 0)),),
        constraints=(
            PointOnPlane("wall", "block", normal="y"),
            DryFriction("rub", ("block", "x"), coefficient=0.2, normal="wall"),
        ),
    )
    out = run(model, 1.0, output=[0.0, 1.0])
    np.testing.assert_allclose(out["block.position.x"][-1], 0.5 * (10 - 0.2 * 20), rtol=1e-9)


def test_messages():
    with pytest.raises(ModelError, match="give either force= or coefficient="):
        slider(DryFriction("rub", "slide.displacement")).check()
    with pytest.raises(ModelError, match=r"no coordinate is named 'slide\.angle'"):
        slider(DryFriction("rub", "slide.angle", force=1)).check()
    with pytest.raises(ModelError, match="static friction 1 is less than sliding friction 2"):
        slider(DryFriction("rub", "slide.displacement", force=2, static=1)).check()
    with pytest.raises(ModelError, match="no constraint is named 'floor'"):
        slider(DryFriction("rub", "slide.displacement", coefficient=0.1, normal="floor")).check()


@pytest.mark.parametrize("from_", [0.0, 0.2])
def test_a_command_of_a_controller_breaks_what_held(from_):
    """An input that jumps is an event: frictions let go and contacts lift off, at once."""

    def model(axis, constraint):
        return ts.Model(
            bodies=(ts.Body("b", mass=2.0),),
            constraints=(constraint,),
            joints=(ts.Joint("j", "world", "b", ts.Prismatic(axis)),),
            forces=(ts.JointForce("push", "j", law=ts.Effort(input="F")),),
            inputs=(ts.Input("F", unit="N"),),
        )

    def push(t, q, v):
        return {"F": 30.0 if t > from_ - 1e-9 else 5.0}

    for axis, constraint, accelerated in (
        ("x", ts.DryFriction("f", "j.displacement", force=10.0, static=12.0), (30 - 10) / 2),
        ("z", ts.Contact("f", "b"), 30 / 2 - 9.81),
    ):
        run = ts.simulate(model(axis, constraint), 1.0, control=push, period=0.1)
        want = accelerated * (1 - from_) ** 2 / 2
        assert run["j.displacement"][-1] == pytest.approx(want, rel=1e-9)
        assert len(run.events) == (from_ > 0)
        assert run.energy_audit.relative < 1e-9


@pytest.mark.parametrize("after", [13.0, 30.0, 500.0])
def test_a_force_that_leaps_breaks_it_loose_at_that_instant(after):
    law = Expression(f"-(5 + {after - 5}*(sign(t - 0.3) + 1)/2)", work="supplied")
    model = Model(
        bodies=(Body("b", mass=2.0),),
        forces=(JointForce("push", "j", law=law),),
        joints=(Joint("j", "world", "b", Prismatic("x")),),
        constraints=(DryFriction("rub", "j.displacement", force=10.0, static=12.0),),
    )
    run = simulate(model, 1.0)
    assert [e.name for e in run.events] == ["push: switch 1", "rub: breaks loose"]
    assert [e.time for e in run.events] == pytest.approx([0.3, 0.3], abs=1e-9)
    assert run["j.displacement"][-1] == pytest.approx((after - 10) / 2 * 0.7**2 / 2, rel=1e-8)


def test_the_constraint_in_place_of_a_law_is_told():
    rub = ts.DryFriction("rub", "j.displacement", force=1.0)
    with pytest.raises(
        ts.ModelError, match=r"expected a law such as .*, got DryFriction\(name='rub'"
    ):
        ts.Model(
            bodies=(ts.Body("b", mass=1),),
            joints=(ts.Joint("j", "world", "b", ts.Prismatic("x")),),
            forces=(ts.JointForce("f", "j", rub),),
        ).check()


def test_a_friction_that_lets_go_with_another_never_drives():
    """Where one of three stops, the other that was stuck lets go as well, and sticks anew: it went
    on in the wrong direction, pushed by its own friction, in one of twenty chains of blocks."""
    masses, pulls = (2.5, 1.7, 1.7), (0.0, -8.4, -3.6)
    limits = (4.5, 5.6), (1.35, 1.35), (1.2, 1.5)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=tuple(ts.Body(f"m{i}", m) for i, m in enumerate(masses)),
        joints=tuple(
            ts.Joint(f"x{i}", p, f"m{i}", ts.Prismatic("x"))
            for i, p in enumerate(("world", "m0", "m1"))
        ),
        forces=tuple(ts.JointForce(f"pull{i}", f"x{i}", ts.Effort(F)) for i, F in enumerate(pulls)),
        constraints=tuple(
            ts.DryFriction(f"rub{i}", f"x{i}.displacement", force=low, static=high)
            for i, (low, high) in enumerate(limits)
        ),
        initial={"x0.speed": -2.0, "x1.speed": 2.3},
    )
    run = ts.simulate(model, 0.35, output=50)
    assert [e.name for e in run.events][:2] == ["rub1: stops", "rub2: stops"]
    for i, (low, high) in enumerate(limits):
        mode, slip = run[f"rub{i}.mode"], run[f"x{i}.speed"]
        held = abs(run[f"rub{i}.multiplier"])
        assert (mode * slip > -1e-9).all()
        assert (held[mode == 0] <= high * (1 + 1e-9)).all()
        np.testing.assert_allclose(held[mode != 0], low, rtol=1e-9)
