"""Derivatives of a run: closed forms where there are, else differences of other runs."""

import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.forces import BristleFriction, CoordinateForce, Limits, Spring
from torseur.kernels import MotionKernels
from torseur.model import field_paths
from torseur.quantities.register import find
from torseur.results import Runs
from torseur.simulation.sensitivity import initial
from torseur.simulation.sensitivity.parameters import directions

EXAMPLES = Path(__file__).parents[2] / "examples"


def block(*laws, mass=3.0, **more):
    forces = tuple(ts.JointForce(f"f{i or ''}", "x", law) for i, law in enumerate(laws))
    return ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", mass),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=forces,
        **more,
    )


def k3():
    """Three masses and six crushing members, of the crash study's own data."""
    members = {
        "box": ("b", "c", 0.0, ((0, 0), (0.01, 90e3), (0.04, 150e3), (0.2, 165e3)), 20e6),
        "frame": (
            "c",
            None,
            0.0,
            ((0, 0), (0.015, 90e3), (0.05, 130e3), (0.15, 95e3), (0.35, 110e3), (0.5, 200e3)),
            20e6,
        ),
        "drive": ("b", "e", 0.06, ((0, 0), (0.02, 15e3), (0.15, 25e3), (0.3, 40e3)), 4e6),
        "sheet": ("b", None, 0.0, ((0, 0), (0.05, 25e3), (0.2, 50e3), (0.5, 70e3)), 8e6),
        "radiator": ("e", None, 0.28, ((0, 0), (0.04, 30e3), (0.1, 90e3), (0.16, 260e3)), 30e6),
    }
    forces = []
    for name, (rear, front, gap, points, steep) in members.items():
        ends = {f"{rear}.displacement": 1} | ({f"{front}.displacement": -1} if front else {})
        (x0, F0), (x1, F1) = points[-2:]
        law = ts.Crush(points, steep, beyond=(F1 - F0) / (x1 - x0), free_length=gap)
        forces.append(CoordinateForce(name, ends, law))
    masses = {"body": 1060.0, "engine": 290.0, "cross": 150.0}
    return ts.Model(
        "k3",
        gravity=(0, 0, 0),
        bodies=tuple(ts.Body(n, m) for n, m in masses.items()),
        joints=tuple(ts.Joint(n[0], "world", n, ts.Prismatic("x")) for n in masses),
        forces=tuple(forces),
        initial=dict.fromkeys((f"{n[0]}.speed" for n in masses), 13.4),
    )


def by_differences(model, name, signal, grid, t_end, h=2e-5, **options):
    """The derivative from four other runs, by Richardson's rule."""
    x = (
        model.initial[name]
        if name in model.initial
        else (model.parameters[name] if name in model.parameters else field_paths.read(model, name))
    )
    h *= max(abs(x), 0.1)

    def value(k):
        new = x + k * h
        if name in model.initial:
            other = replace(model, initial={**model.initial, name: new})
        elif name in model.parameters:
            other = replace(model, parameters={**model.parameters, name: new})
        else:
            other = field_paths.replaced(model, name, new)
        run = ts.simulate(other, t_end, output=grid, rtol=1e-12, atol=1e-14, **options)
        return run[signal][np.searchsorted(run.time, grid, side="right") - 1]

    return (8 * (value(0.5) - value(-0.5)) - (value(1) - value(-1))) / (6 * h)


def agree(model, names, signals, t_end, tolerance=1e-6, rtol=1e-9, **options):
    grid = np.linspace(0, t_end, 23)[1:] * 0.997  # not on round times, where events are
    run = ts.simulate(
        model, t_end, output=grid, sensitivities=names, rtol=rtol, atol=1e-12, **options
    )
    rows = np.searchsorted(run.time, grid, side="right") - 1
    for name in names:
        for signal in signals:
            want = by_differences(model, name, signal, grid, t_end, **options)
            got = run.sensitivity(signal, name)
            assert got.shape == run.time.shape
            np.testing.assert_allclose(
                got[rows],
                want,
                rtol=0,
                atol=tolerance * abs(want).max(),
                err_msg=name,
            )
    return run


def test_a_start_that_names_a_parameter_follows_the_run_s():
    """It was the model's own value that it began with, and its derivative was zero."""
    joint = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    model = ts.Model(bodies=(ts.Body("b", 1.0),), joints=(joint,), parameters={"v": 1.1})
    start = {"x.speed": "2*v"}
    assert ts.simulate(model, 1.0, start, parameters={"v": 1.5})["x.speed"][0] == 3.0
    assert ts.simulate(model, 1.0, start)["x.speed"][0] == 2.2
    rod = ts.Body("b", 1.0, com=(0, 0, -1.0))
    hinge = ts.Joint("x", "world", "b", ts.Revolute("y"))
    swing = ts.Model(bodies=(rod,), joints=(hinge,), parameters={"v": 0.3})
    two = [ts.linearize(swing, {"x.angle": a}, parameters={"v": 0.6}).A for a in ("v", 0.6)]
    assert (two[0] == two[1]).all()
    with pytest.raises(ts.TorseurError, match="'v' also gives the start"):
        ts.simulate(model, 1.0, {"x.speed": "2*v"}, sensitivities="v")


def test_a_spring_has_its_closed_form():
    model = block(Spring("k"), parameters={"k": 200.0}, initial={"x.speed": 2.0})
    run = ts.simulate(model, 1.0, sensitivities=("k", "x.speed", "b.mass"), rtol=1e-10)
    w, t = np.sqrt(200 / 3), run.time
    x = 2 / w * np.sin(w * t)
    dw = (2 * t * np.cos(w * t) - x) / w  # of x by w
    for name, want in (("k", dw * w / 400), ("b.mass", -dw * w / 6), ("x.speed", x / 2)):
        np.testing.assert_allclose(run.sensitivity("x.displacement", name), want, atol=1e-8)
    force = run.sensitivity("f.force", "k")
    np.testing.assert_allclose(force, x + 200 * dw * w / 400, atol=1e-7)


def test_crush_and_rebound_have_their_closed_form():
    """Load k, unload ku: rebound v sqrt(k/ku), crush v sqrt(m/k)."""
    m, k, ku, v = 800.0, 6e5, 2e6, 9.0
    law = ts.Crush(((0, 0), (1.0, k)), ku)
    model = block(law, mass=m, initial={"x.speed": v})
    names = ("f.points[1].force", "f.unloading", "b.mass", "x.speed")
    run = ts.simulate(model, 0.2, sensitivities=names, rtol=1e-10)
    back = run["x.speed"][-1]
    assert back == pytest.approx(-v * np.sqrt(k / ku), rel=1e-8)
    got = [run.sensitivity("x.speed", n)[-1] for n in names]
    np.testing.assert_allclose(
        got, [back / (2 * k), -back / (2 * ku), 0, back / v], rtol=1e-6, atol=1e-9
    )


def test_knots_gaps_and_slopes_through_crush_and_reload():
    curve = ((0.02, 0), (0.1, 2e3), (0.2, 1e3), (0.3, 5e3))
    model = block(ts.Crush(curve, 2e5), Spring(3000.0), initial={"x.speed": 9.0})
    names = (
        "f.points[1].force",
        "f.points[2].deflection",
        "f.unloading",
        "f.points[0].deflection",
        "f1.stiffness",
        "x.speed",
    )
    run = agree(model, names, ("x.displacement", "x.speed"), 0.35)
    assert {e.name for e in run.events} >= {"f: turning", "f: set"}


@pytest.mark.slow
def test_k3_by_differences():
    model = k3()
    names = (
        "box.points[2].force",
        "frame.points[3].force",
        "frame.points[1].deflection",
        "radiator.free_length",
        "radiator.points[2].force",
        "engine.mass",
    )
    run = agree(model, names, ("b.displacement", "e.speed", "frame.force"), 0.11, 2e-6)
    assert len(run.events) > 15


def test_stick_slip_and_stops():
    model = block(
        BristleFriction(5.0), Spring(300.0), initial={"x.displacement": 0.3, "x.speed": 2.0}
    )
    run = agree(model, ("f.force", "f1.stiffness", "x.speed"), ("x.displacement",), 1.1)
    assert "f: sticks" in {e.name for e in run.events}
    model = block(Limits(-0.2, 0.3, 1e5, 10.0), initial={"x.speed": 2.0})
    agree(model, ("f.stiffness", "f.high", "b.mass"), ("x.displacement", "x.speed"), 0.7)


def test_geometry_of_a_tree_and_of_a_loop():
    rod = {"com": (0, 0, -0.25), "inertia": (0.02, 0.02, 0.001, 0, 0, 0)}
    arm = ts.Model(
        bodies=(ts.Body("u", 2.0, **rod), ts.Body("l", 1.0, **rod)),
        joints=(
            ts.Joint("s", "world", "u", ts.Revolute("y")),
            ts.Joint("e", "u", "l", ts.Revolute("y"), at=(0, 0, "L")),
        ),
        parameters={"L": -0.5},
        initial={"s.angle": 1.0, "e.rate": 1.0},
    )
    agree(arm, ("L", "l.com[2]", "s.angle"), ("e.rate", "l.position.x", "e.acceleration"), 0.8)
    bars = ts.load(EXAMPLES / "four_bar.yaml")
    agree(bars, ("L",), ("A0.angle", "B0.rate"), 0.5)


@pytest.mark.parametrize(
    "solution",
    [pytest.param("penalty", marks=pytest.mark.slow), "null_space", "elimination"],
)
def test_every_solution_of_constraints_gives_the_same_derivatives(solution):
    """Independent speeds and all: derivatives are projected with the state (SE.7)."""
    bars = ts.load(EXAMPLES / "four_bar.yaml")
    grid = np.linspace(0, 0.5, 11)[1:]
    options = {"output": grid, "sensitivities": "L", "rtol": 1e-10, "atol": 1e-12}
    want, got = (
        ts.simulate(bars, 0.5, **options, solution=x).sensitivity("B0.rate", "L")
        for x in ("multipliers", solution)
    )
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6 * abs(want).max())


def test_derivatives_govern_the_steps():
    """A spring that stiffens: the phase's derivative grows, and asks for shorter steps."""
    model = block(
        Spring("k"), ts.Expression("x**3"), mass=1.0, parameters={"k": 1.0}, initial={"x.speed": 1}
    )
    fine, loose, judged = (
        ts.simulate(model, 40.0, sensitivities="k", method="dopri5", **o)
        for o in (
            {"rtol": 1e-12, "atol": 1e-14},
            {"rtol": 1e-5, "atol": 1e-7, "judge_sensitivities": False},
            {"rtol": 1e-5, "atol": 1e-7},
        )
    )
    off = [
        abs(x.sensitivity("x.speed", "k") - fine.sensitivity("x.speed", "k")).max()
        for x in (loose, judged)
    ]
    assert off[1] < off[0] / 2
    assert judged.statistics["steps"] > loose.statistics["steps"]


def test_states_of_laws_govern_the_steps_of_their_derivatives():
    """Bristles have a corner, a motor a fast mode, that only derivatives feel; SE.7."""
    grid = np.linspace(0, 1.2, 23)[1:] * 0.997
    start = {"initial": {"x.displacement": 0.3, "x.speed": 1.5}}
    rubbing = block(ts.LuGre(3.0, 4.0, 0.1, 1e3, 5.0, 0.4), Spring(30.0), mass=2.0, **start)
    names = [f"f.{n}" for n in ("stiffness", "static", "stribeck")]
    run = ts.simulate(rubbing, 1.2, output=grid, sensitivities=names)
    for name in names:
        want = by_differences(rubbing, name, "x.displacement", grid, 1.2, h=2e-3)
        got = run.sensitivity("x.displacement", name)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-6 * abs(want).max(), err_msg=name)
    motor = ts.DCMotor(0.1, 0.5, 0.002, 24.0, 2.0, 400.0, 10, 3.0)
    driven, by = block(motor, Spring(30.0), mass=2.0, **start), "f.inductance"
    told = {"output": grid, "sensitivities": by}
    runs = (
        ts.simulate(driven, 1.2, method="rodas5p", **told),
        ts.simulate(driven, 1.2, **told),
        ts.batch(driven, 1.2, initial={"x.speed": [1.5, 1.5]}, **told),
    )
    want, *others = (np.atleast_2d(r.sensitivity("f.force", by))[0] for r in runs)
    for got in others:
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * abs(want).max())


def test_times_of_events_and_impacts_have_their_closed_form():
    """A ball from height h lands after sqrt(2 h / g), and again 2 e sqrt(2 h / g) later."""
    ball = ts.Model(
        bodies=(ts.Body("ball", 0.4, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("z", "world", "ball", ts.Prismatic("z")),),
        constraints=(ts.Contact("floor", "ball", restitution=0.6),),
        initial={"z.displacement": 0.5},
    )
    names = ("z.displacement", "floor.restitution")
    run = ts.simulate(ball, 0.75, sensitivities=names, rtol=1e-10)
    t = np.sqrt(2 * 0.5 / 9.81)
    fall = np.array([t, 2.2 * t]) / (2 * 0.5)
    np.testing.assert_allclose(run.sensitivity("floor: lands", names[0]), fall, rtol=1e-9)
    np.testing.assert_allclose(run.sensitivity("floor: lands", names[1]), [0, 2 * t], atol=1e-9)
    after = run.time > 1.01 * t
    speed = run.sensitivity("z.speed", names[1])[after & (run.time < 2.1 * t)]
    np.testing.assert_allclose(speed, np.full(len(speed), 9.81 * t), rtol=1e-9)


def test_the_motion_itself_is_the_same():
    model = k3()
    plain = ts.simulate(model, 0.08)
    run = ts.simulate(model, 0.08, sensitivities=("engine.mass",), judge_sensitivities=False)
    np.testing.assert_array_equal(plain["b.displacement"], run["b.displacement"])


def test_derivatives_travel_with_a_pickled_run_and_batch():
    model, by = k3(), "engine.mass"
    run = ts.simulate(model, 0.04, output=5, sensitivities=by)
    many = ts.batch(model, 0.04, output=5, initial={"b.speed": [13.0, 14.0]}, sensitivities=by)
    for x in (run, many):
        again = pickle.loads(pickle.dumps(x))
        for signal in ("b.displacement", "frame.force", ts.studies.Peak("frame.force")):
            np.testing.assert_array_equal(again.sensitivity(signal, by), x.sensitivity(signal, by))
    when = run.events[0].name
    again = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(again.sensitivity(when, by), run.sensitivity(when, by))


def test_what_has_no_derivative_is_told():
    model = k3()
    with pytest.raises(ts.TorseurError, match="no number is named 'motor"):
        ts.simulate(model, 0.01, sensitivities=("motor.mass",))
    with pytest.raises(ts.TorseurError, match="does not carry sensitivities"):
        ts.simulate(model, 0.01, sensitivities=("engine.mass",), method="newmark")
    run = ts.simulate(model, 0.01, sensitivities=("engine.mass",))
    with pytest.raises(ts.TorseurError, match="no sensitivity is named 'body"):
        run.sensitivity("b.speed", "body.mass")
    with pytest.raises(ts.TorseurError, match="no signal is named"):
        run.sensitivity("b.speeed", "engine.mass")
    with pytest.raises(ts.TorseurError, match="this run has no derivatives"):
        ts.simulate(model, 0.01).sensitivity("b.speed", "engine.mass")


def test_measures_have_exact_slopes_also_where_they_are_at_an_event():
    """The peak of a force at its knot is the knot's: no start and no abscissa changes it."""
    model = block(
        ts.Crush(((0, 0), (0.05, 3e3), (0.2, 1e3), (0.4, 6e3)), 2e5), initial={"x.speed": 9.0}
    )
    names = ("f.points[1].force", "x.speed", "f.points[1].deflection")
    measures = (
        ts.studies.Mean("f.force"),
        ts.studies.RMS("f.force"),
        ts.studies.Metric("integral", "f.force"),
    )
    own = ts.studies.Metric(lambda run: run["f.force"].max() * run.events[0].time)
    run = ts.simulate(model, 0.1, sensitivities=names, rtol=1e-10)
    slopes = [run.sensitivity(ts.studies.Peak("f.force"), n) for n in names]
    np.testing.assert_allclose(slopes, [1, 0, 0], atol=1e-9)
    for m in (*measures, own):
        want = differences(m, model, names[1], 0.1)
        assert run.sensitivity(m, names[1]) == pytest.approx(want, rel=1e-6)


def differences(measure, model, name, t_end, **options):
    """The slope of a measure from four other runs, by Richardson's rule."""
    x, h = model.initial[name], 1e-3
    runs = [
        ts.simulate(model, t_end, {**model.initial, name: x + k * h}, rtol=1e-11, **options)
        for k in (-1.0, -0.5, 0.5, 1.0)
    ]
    a, b, c, d = (float(x) for x in measure.evaluate_runs(Runs.of(runs)))
    return (8 * (c - b) - (d - a)) / (6 * h)


def test_measures_of_a_run_that_an_impact_ends():
    """Rows at the end move too; the impact that ends the run is in the books."""
    model = block(Limits(-0.2, 0.3, restitution=0.6), Spring(20.0), initial={"x.speed": 2.0})
    stop = {"stop_when": "f: low stop"}
    run = ts.simulate(model, 0.9, sensitivities="x.speed", rtol=1e-10, **stop)
    assert run.completed and run.energy_audit.residual < 1e-8
    for m in (
        ts.studies.EventTime("f: low stop"),
        ts.studies.Mean("x.speed"),
        ts.studies.Final("x.speed"),
    ):
        want = differences(m, model, "x.speed", 0.9, **stop)
        assert run.sensitivity(m, "x.speed") == pytest.approx(want, rel=1e-6)


def stops(upper):
    """Two blocks, each at its own stop after half a second; on each other, or on the world."""
    return ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("a", 1.0), ts.Body("b", 2.0)),
        joints=(
            ts.Joint("x", "world", "a", ts.Prismatic("x")),
            ts.Joint("y", upper, "b", ts.Prismatic("x")),
        ),
        forces=tuple(ts.JointForce(f"{n}_stop", n, Limits(-1, 0.5, restitution=0.5)) for n in "xy"),
        initial={"x.speed": 1.0, "y.speed": 1.0},
    )


def test_events_of_one_instant_whose_order_matters_are_named():
    apart, tied = (
        ts.simulate(stops(x), 1.0, sensitivities=("x_stop.high",)) for x in ("world", "a")
    )
    assert apart.sensitivity("x.displacement", "x_stop.high")[-1] == pytest.approx(1.5)
    assert apart.sensitivity("x_stop: high stop", "x_stop.high") == pytest.approx([1.0])
    assert apart.sensitivity("y_stop: high stop", "x_stop.high") == pytest.approx([0.0])
    with pytest.raises(ts.TorseurError, match="'x_stop: high stop' and 'y_stop: high stop' happen"):
        tied.sensitivity("x.displacement", "x_stop.high")


def test_lanes_carry_the_derivatives_of_single_runs():
    curve, speeds = ((0.02, 0), (0.1, 2e3), (0.2, 1e3), (0.3, 5e3)), [7.0, 9.0]
    model = block(ts.Crush(curve, 2e5), Spring(3000.0))
    names, peak = ("f.points[1].force", "f.unloading", "x.speed"), ts.studies.Peak("f.force")
    many = ts.batch(model, 0.3, {"x.speed": speeds}, sensitivities=names, output=9)
    for i, v in enumerate(speeds):
        run = ts.simulate(model, 0.3, {"x.speed": v}, sensitivities=names, output=9)
        rows = np.searchsorted(run.time, many.time, side="right") - 1
        for n in names:
            for signal in ("x.displacement", "f.force"):
                want = run.sensitivity(signal, n)[rows]
                got = many.sensitivity(signal, n)[i]
                np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9 * abs(want).max())
            want = run.sensitivity(peak, n)
            assert many.sensitivity(peak, n)[i] == pytest.approx(want, rel=1e-7, abs=1e-12)
    with pytest.raises(ts.TorseurError, match="no derivatives"):
        ts.batch(model, 0.01).sensitivity("x.speed", "x.speed")


def test_implicit_steps_carry_derivatives():
    model = block(Spring(300.0), ts.Viscous(1e4), initial={"x.displacement": 0.3})
    names = ("f.stiffness", "f1.damping", "x.displacement")
    one, other = (
        ts.simulate(model, 2.0, sensitivities=names, method=m, rtol=1e-9, atol=1e-12)
        for m in ("rodas5p", "dopri5")
    )
    assert one.statistics["steps"] < other.statistics["steps"] / 3
    for n in names:
        want = other.sensitivity("x.displacement", n)[-1]
        assert one.sensitivity("x.displacement", n)[-1] == pytest.approx(want, rel=1e-7)


def test_numbers_of_inputs_of_time():
    """A table's values and the scale of a push, through knots, turning and sticking."""
    times, push = np.linspace(0, 1, 9), 6 * np.sin(5 * np.linspace(0, 1, 9))
    curve = ts.Crush(((0, 0), (0.05, 2.0), (0.3, 3.0)), 200.0)
    rough = BristleFriction(0.2, stiffness=1e4, bristle_damping=50.0)
    push_by = ts.Effort(input="hand", gain=2.0)
    model = block(push_by, curve, rough, mass=1.3, inputs=(ts.Input("hand"),))
    start = {"initial": {"x.displacement": 0.01, "x.speed": 0.3}}

    def told(y, **more):
        run = ts.simulate(model, 0.97, inputs={"hand": (times, y)}, output=5, **start, **more)
        return run, np.array([run["x.displacement"][-1], run["x.speed"][-1]])

    moves = {"hand.scale": push, "hand.values[3]": np.eye(9)[3]}
    run, _ = told(push, sensitivities=tuple(moves))
    assert {"f1: turning", "f1: bound above"} <= {e.name for e in run.events}
    for name, way in moves.items():
        tight = {"rtol": 1e-12, "atol": 1e-14}
        a, b, c, d = (told(push + k * 1e-4 * way, **tight)[1] for k in (-1.0, -0.5, 0.5, 1.0))
        got = [run.sensitivity(f"x.{n}", name)[-1] for n in ("displacement", "speed")]
        np.testing.assert_allclose(got, (8 * (c - b) - (d - a)) / 6e-4, rtol=1e-6)
    for bad, said in (
        ("hand", "is an input of time; name 'hand.scale'"),
        ("hand.times[2]", "times of a table do not vary"),
        ("hand.values[9]", "there are 9 values"),
    ):
        with pytest.raises(ts.ArgumentError, match=said):
            told(push, sensitivities=bad)


def test_angles_that_are_read_from_a_quaternion():
    """They were those of the quaternion's derivative, read as if it were one."""
    ball = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0, inertia=(1.0, 1.3, 1.5, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "b", ts.Spherical("auto")),),
        initial={"j.qw": 0.8, "j.qx": 0.4, "j.qy": -0.3, "j.qz": 0.33, "j.wx": 2.0, "j.wy": 1.0},
    )
    agree(ball, ("j.wx", "b.inertia[2]"), ("j.angle1", "j.angle3"), 3.0)


def test_inputs_of_several_numbers_and_steps_of_time():
    """`load[1]` is one of them; the time of a step is a name that both of its points have."""
    both = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 2.0, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("load", 6),),
        forces=(ts.Wrench("w", "b", input="load"),),
    )
    run = ts.simulate(both, 1.0, inputs={"load": [0, 0, 0, 3, 0, 0]}, sensitivities="load[3]")
    assert run.sensitivity("x.displacement", "load[3]")[-1] == pytest.approx(0.25)  # t^2 / (2 m)
    with pytest.raises(ts.ArgumentError, match=r"has several numbers; name one: 'load\[0\]'"):
        ts.simulate(both, 1.0, sensitivities="load")
    step = ts.TimeTable(((0, 1), ("t0", 1), ("t0", 4), (1, 4)))
    run = ts.simulate(block(step, parameters={"t0": 0.25}), 1.0, sensitivities="t0")
    # x = (t^2 + 3 (t - t0)^2) / 6
    assert run.sensitivity("x.displacement", "t0")[-1] == pytest.approx(-0.75, rel=1e-9)
    plain = ts.TimeTable(((0, 1), (0.25, 1), (0.25, 4), (1, 4)))
    with pytest.raises(ts.ArgumentError, match=r"one name for both .*f\.points\[1\]\.time"):
        ts.simulate(block(plain), 1.0, sensitivities="f.points[1].time")


def test_a_start_exactly_on_a_boundary_has_no_derivative_where_its_sides_differ():
    names = ("x.displacement", "b.mass")

    def run(law, x, v, **more):
        own = {"initial": {"x.displacement": x, "x.speed": v}, "sensitivities": names, **more}
        return ts.simulate(block(law), 0.4, output=3, **own)

    for law, v in ((Limits(-1, 0.3, restitution=0.5), 1.0), (Limits(-1, 0.3, 1e3), 0.0)):
        on = run(law, 0.3, v)
        with pytest.raises(ts.TorseurError, match="the start lies exactly on 'f"):
            on.sensitivity("x.speed", "x.displacement")
        assert on.sensitivity("x.speed", "b.mass")[-1] == pytest.approx(0, abs=1e-9)
    for law, x, v in (  # either side gives the same
        (Limits(-1, 0.3, 1e3), 0.3, 1.0),
        (Limits(-1, 0.3, restitution=0.5), 0.3, -1.0),
        (ts.Crush(((0, 0), (0.1, 900.0)), 2e4), 0.0, 2.0),
    ):
        on, near = (
            run(law, x + e, v).sensitivity("x.displacement", "x.displacement")[-1]
            for e in (0, -1e-7)
        )
        assert on == pytest.approx(near, rel=1e-5)
    ball = ts.Model(
        bodies=(ts.Body("ball", 0.4, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("z", "world", "ball", ts.Prismatic("z")),),
        constraints=(ts.Contact("floor", "ball", restitution=0.6),),
    )
    for v, exists in ((1.0, True), (-1.0, False), (0.0, False)):
        own = ts.simulate(ball, 0.3, {"z.speed": v}, sensitivities="z.displacement")
        many = ts.batch(ball, 0.3, {"z.speed": [v, 1.0]}, sensitivities="z.displacement")
        if exists:
            for x in (own, many):
                assert np.isfinite(x.sensitivity("z.speed", "z.displacement")).all()
            continue
        with pytest.raises(ts.TorseurError, match="exactly on 'floor'"):
            own.sensitivity("z.speed", "z.displacement")
        with pytest.warns(ts.ModelWarning, match=r"1 of 2 runs \(0\): .*exactly on 'floor'"):
            slopes = many.sensitivity("z.speed", "z.displacement")
        assert np.isnan(slopes[0]).all() and np.isfinite(slopes[1]).all()


def test_a_restitution_of_zero_and_what_closes_or_leaves():
    """A hop takes as much from the contact as its impacts give: zero.  Pulled off at once, it is a
    rebound: the derivative of one side."""
    ways = (("x", "world", "a"), ("z", "a", "b"))
    for pull, closes in ((0.0, True), (15.0, False)):
        model = ts.Model(
            bodies=(ts.Body("a", 0.7), ts.Body("b", 0.4)),
            joints=tuple(ts.Joint(n, p, c, ts.Prismatic(n)) for n, p, c in ways),
            forces=(ts.JointForce("up", "z", ts.Effort(pull)),),
            constraints=(ts.Contact("ramp", "b", normal=(1, 0, 2), restitution="e"),),
            parameters={"e": 0.0},
            initial={"z.displacement": 0.1, "x.speed": -1.0, "z.speed": -3.0},
        )
        told = {"output": [0.05, 0.11], "rtol": 1e-11, "atol": 1e-13}
        run = ts.simulate(model, 0.11, sensitivities="e", **told)
        assert [e.name for e in run.events][:1] == ["ramp: lands"]
        h = 1e-5
        near = [ts.simulate(model, 0.11, parameters={"e": k * h}, **told) for k in (0, 1, 2)]
        for s in ("x.displacement", "x.speed", "z.speed"):
            a, b, c = (r[s][-1] for r in near)
            want = (4 * b - 3 * a - c) / (2 * h)
            assert run.sensitivity(s, "e")[-1] == pytest.approx(want, rel=1e-4, abs=1e-5)
            assert closes == (abs(want) < 1e-3)


def test_a_restitution_of_zero_turns_the_slip_of_an_impact():
    """Across two directions friction of a large impulse turns with the slip that it leaves, which
    those of a hop do not: the derivative was zero."""
    names, masses = "xyz", (0.7, 0.4, 0.3)
    model = ts.Model(
        bodies=tuple(map(ts.Body, names, masses)),
        joints=tuple(
            ts.Joint(f"a{n}", p, n, ts.Prismatic(n))
            for n, p in zip(names, ("world", *names), strict=False)
        ),
        constraints=(ts.Contact("ramp", "z", normal=(1, 2, 4), restitution="e", friction=0.3),),
        parameters={"e": 0.0},
        initial={"az.displacement": 0.1, "ax.speed": 2.0, "ay.speed": -1.0, "az.speed": -3.0},
    )
    told = {"output": [0.05, 0.11], "rtol": 1e-11, "atol": 1e-13}
    run = ts.simulate(model, 0.11, sensitivities="e", **told)
    h = 1e-4
    near = [ts.simulate(model, 0.11, parameters={"e": k * h}, **told) for k in (0, 1, 2)]
    assert [len(r.events) for r in near] == [1, 2, 2]
    for s in ("ax.speed", "ay.speed", "az.speed"):
        a, b, c = (r[s][-1] for r in near)
        want = (4 * b - 3 * a - c) / (2 * h)
        assert abs(want) > 1e-3
        assert run.sensitivity(s, "e")[-1] == pytest.approx(want, rel=1e-4)


def test_fast_modes_are_felt_by_derivatives():
    """Steps as long as stability lets: a damper's force by its number was off by 1e-5 and more."""
    names, grid = ("f1.damping", "f.stiffness"), np.linspace(0, 1, 12)[1:]
    for c in (3e3, 3e4):
        model = block(Spring(300.0), ts.Viscous(c), initial={"x.displacement": 0.3, "x.speed": 1.0})
        run = ts.simulate(model, 1.0, output=grid, sensitivities=names)
        many = ts.batch(model, 1.0, {"x.speed": [1.0, 1.0]}, output=grid, sensitivities=names)
        tight = {"rtol": 1e-12, "atol": 1e-14, "method": "rodas5p"}
        fine = ts.simulate(model, 1.0, output=grid, sensitivities=names, **tight)
        for n in names:
            want = fine.sensitivity("f1.force", n)
            for got, part in ((run.sensitivity("f1.force", n), 1e-6),
                              (many.sensitivity("f1.force", n)[0], 1e-5)):  # fmt: skip
                assert abs(got - want).max() < part * abs(want).max(), (c, n)


def test_numbers_that_put_a_start_on_a_boundary():
    """By a stop's place at rest: refused; by one that is crossed, or leaves: given."""
    start = {"initial": {"x.displacement": 0.3, "x.speed": 0.0}, "output": [0.2, 0.4]}
    for model, given in (
        (block(Limits(-1, 0.3, 1e3)), False),
        (block(Limits(-1, 0.3, 1e3), ts.Effort(-2.0)), True),
        (block(ts.KinematicHardening(1e3, 300.0, 50.0)), False),
        (block(ts.Table(((0, 0), (0.3, 0), (0.5, 10.0)))), False),
    ):
        (by,) = {"f.high", "f.yield_force", "f.points[1].force"} & {
            f"f.{n}" for n in ("high", "yield_force", "points[1].force")
            if hasattr(model.forces[0].law, n.partition("[")[0])
        }  # fmt: skip
        run = ts.simulate(model, 0.4, sensitivities=by, **start)
        if given:
            assert np.isfinite(run.sensitivity("x.speed", by)).all()
            continue
        with pytest.raises(ts.TorseurError, match="the start lies exactly on 'f'"):
            run.sensitivity("x.speed", by)


def test_a_knot_of_time_at_the_start_and_rows_that_begin_later():
    """Its derivative is one: time goes on.  It was refused where no row is at the start."""
    table = ts.TimeTable(((0.0, 1.0), (0.5, 3.0), (1.0, -2.0)))
    by, grid = "f.points[0].time", np.linspace(0, 0.8, 5)[1:]
    agree(block(table), (by,), ("x.speed",), 0.8)
    run = ts.simulate(block(table), 0.8, output=grid, sensitivities=by)
    assert run.sensitivity("x.speed", by)[-1] == pytest.approx(-2 / 0.25 * 0.125 / 3, rel=1e-8)


def test_crush_that_turns_back_without_a_force():
    """It opens at the instant at which it turns: two events, the second without speed."""
    by = "f.points[1].force"

    def run(F, **more):
        law = ts.Crush(((0, 0), (0.1, F)), 2e5)
        model = block(law, Spring(150.0), mass=1.3, initial={"x.speed": 14.0})
        return ts.simulate(model, 0.2, output=[0.1, 0.2], **more)

    got = run(0.0, sensitivities=by)
    a, b, c = (run(F, rtol=1e-12, atol=1e-14) for F in (0.0, 1e-3, 2e-3))
    for s in ("x.displacement", "x.speed"):
        want = (4 * b[s][-1] - 3 * a[s][-1] - c[s][-1]) / 2e-3
        assert got.sensitivity(s, by)[-1] == pytest.approx(want, rel=1e-4)
    soft = ts.Crush(((0, 0), (0.1, 0.0)), 2e5)
    law = ts.Series(ts.Crush(((0.02, 0), (0.1, 2e3)), 2e5), soft, ts.Table(((0, 0), (0.1, 5e3))))
    model = block(law, Spring(150.0), mass=1.3, initial={"x.displacement": 0.011, "x.speed": 14.0})
    told = ts.simulate(model, 0.2, sensitivities="f.laws[1].points[1].force")
    with pytest.raises(ts.TorseurError, match=r"turning there is reached without speed \(grazing"):
        told.sensitivity("x.speed", "f.laws[1].points[1].force")


def test_one_of_many_numbers_that_lets_motions_part_at_rest():
    """Numbers that leave the start where it is are asked together; the one that pushes a block at
    rest against its stop, or off it, is found among strong ones of another body."""
    bodies = (ts.Body("b", 1.0), ts.Body("c", 2.0))
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=bodies,
        joints=tuple(ts.Joint(x, "world", x, ts.Prismatic("x")) for x in "bc"),
        forces=(
            ts.JointForce("stop", "b", ts.Limits(-1.0, 0.0, stiffness=1e3)),
            ts.JointForce("push", "b", ts.Effort(0.0)),
            ts.JointForce("spring", "c", Spring(300.0)),
            ts.JointForce("crush", "c", ts.Crush(((0, 0), (0.1, 20.0), (0.3, 30.0)), 2e3)),
        ),
        initial={"c.speed": 5.0},
    )
    strong = ["c.mass", "spring.stiffness", *(f"crush.points[{k}].force" for k in (1, 2))]
    run = ts.simulate(model, 1.0, sensitivities=["push.value", *strong])
    with pytest.raises(ts.TorseurError, match="the start lies exactly on 'stop'"):
        run.sensitivity("b.displacement", "push.value")
    assert all(np.isfinite(run.sensitivity("c.speed", n)).all() for n in strong)
    assert set(run._slopes.one_sided) == {0}


def bounced(t, e, h, g=9.81):
    """Height of a ball dropped from h whose speeds are e times as large after each impact."""
    v, t = np.sqrt(2 * g * h), t - np.sqrt(2 * h / g)
    if t < 0:
        return h - g * (t + np.sqrt(2 * h / g)) ** 2 / 2
    while True:
        v *= e
        if t < 2 * v / g:
            return v * t - g * t**2 / 2
        t -= 2 * v / g


def test_sixteen_bounces_against_their_closed_form():
    ball = ts.Model(
        "ball",
        gravity=(0, 0, -9.81),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("z", "world", "b", ts.Prismatic("z")),),
        constraints=(ts.Contact("c", ("b", (0, 0, 0)), restitution=0.8),),
        initial={"z.displacement": 1.0},
    )
    t, step = np.linspace(0.2, 3.93, 57), 1e-6
    names = ("c.restitution", "z.displacement")
    run = ts.simulate(ball, 3.94, output=t, sensitivities=names)
    at = np.searchsorted(run.time, t, side="right") - 1
    assert len(run.events) == 16
    for name, moved in zip(names, ((step, 0), (0, step)), strict=True):
        ends = [[bounced(x, 0.8 + s * moved[0], 1 + s * moved[1]) for x in t] for s in (-1, 1)]
        want = np.subtract(ends[1], ends[0]) / (2 * step)
        got = run.sensitivity("z.displacement", name)[at]
        assert abs(got - want).max() < 1e-7 * abs(want).max(), name


def test_friction_under_a_push_that_is_zero_by_the_number_itself_is_refused():
    """A push to one side, a pull without friction to the other; beside another push it is one."""

    def plane(name, law):
        return ts.PlaneForce(name, "b", "world", law, normal="z", friction=0.3)

    J = (0.1, 0.1, 0.1, 0, 0, 0)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0, inertia=J),),
        joints=(ts.Joint("fly", "world", "b", ts.Planar("y", "translation_first")),),
        forces=(
            plane("f", ts.Parallel(ts.Spring(0.0), ts.Spring(50.0))),
            plane("g", ts.Spring(0.0)),
        ),
        initial={"fly.x": -0.1, "fly.speed_y": 1.0},
    )
    run = ts.simulate(model, 0.05, sensitivities=("f.laws[0].stiffness", "g.stiffness"))
    assert run.sensitivity("fly.speed_y", "f.laws[0].stiffness")[-1] < 0
    with pytest.raises(ts.TorseurError, match="the push of 'g' is zero because this number is"):
        run.sensitivity("fly.speed_y", "g.stiffness")


def test_fixed_steps_beside_a_rigid_stop():
    """It asked the record without derivatives for its step, which that did not have."""
    run = ts.simulate(
        block(Limits(-1, 1, restitution=0.5)), 2.0, {"x.speed": 1.0}, method="rk4", step=0.01,
        sensitivities=("f.restitution", "f.high"),
    )  # fmt: skip
    # x = 1 - e (t - 1); the stop moved by d: met d later, so x = high - e (t - high)
    assert run.sensitivity("x.displacement", "f.restitution")[-1] == pytest.approx(-1.0)
    assert run.sensitivity("x.displacement", "f.high")[-1] == pytest.approx(1.5)


def test_lanes_of_a_model_with_time_in_its_formulas():
    """Steps of lanes were chosen with the rates of a state that had derivatives behind it."""
    model = block(ts.Expression("-k*sin(2*t)"), mass=1.0, parameters={"k": 3.0})
    many = ts.batch(model, 1.0, {"x.speed": [0.0, 1.0]}, sensitivities="k")
    want = 0.5 - 0.25 * np.sin(2.0)  # of sin(2 t), integrated twice
    np.testing.assert_allclose(many.sensitivity("x.displacement", "k")[:, -1], want, rtol=1e-8)


def test_a_record_that_begins_at_an_event():
    """Samples of a metric begin with the first row, which moves where it is an event's."""
    model = block(Spring(4000.0), Limits(-9, 0.02, stiffness=9000.0), initial={"x.speed": 4.0})
    grid = np.linspace(0.01, 0.12, 12)
    hic = ts.studies.Metric("hic", "b.acceleration.x")

    def told(v, **more):
        run = ts.simulate(model, 0.12, {"x.speed": v}, output=grid, **more)
        assert run.time[0] < grid[0]  # the edge of the stop
        return run

    runs = [told(4.0 + h, rtol=1e-12, atol=1e-14) for h in (-4e-4, -2e-4, 2e-4, 4e-4)]
    a, b, c, d = hic.evaluate_runs(Runs.of(runs))
    got = told(4.0, sensitivities="x.speed").sensitivity(hic, "x.speed")
    assert got == pytest.approx((8 * (c - b) - (d - a)) / 24e-4, rel=1e-6)


def test_a_metric_that_does_not_exist_has_no_slope_where_nothing_moves():
    model = block(Spring(1.0))
    for start, why in (({"x.speed": 1.0}, "never moves 65 mm"), ({}, "above zero, got 0 m/s")):
        run = ts.simulate(model, 0.01, start, sensitivities="f.stiffness")
        with pytest.raises(ts.ArgumentError, match=why):
            run.sensitivity(ts.studies.Metric("olc", "b.acceleration.x"), "f.stiffness")


@pytest.mark.parametrize("by", ["abs", "max", "min"])
def test_a_peak_between_rows_has_its_closed_form(by):
    """Of rows alone it was 7e-4 too low, its derivative by the stiffness 0.0028 for 0.0067."""
    start = {"x.displacement": -0.2 if by == "min" else 0.2, "x.speed": -0.6}
    model = block(Spring(48.0), mass=3.0, initial=start)
    top, names = ts.studies.Peak("x.speed", by), ("f.stiffness", "x.speed")
    told = {"output": 150, "sensitivities": names}
    run, many = (
        ts.simulate(model, 3.0, start, **told),
        ts.batch(model, 3.0, {n: [x, x] for n, x in start.items()}, **told),
    )
    v = np.hypot(4.0 * 0.2, 0.6)  # v^2 = k x^2 / m + v0^2
    sign = -1 if by == "min" else 1
    want = {"f.stiffness": sign * 0.04 / 3 / (2 * v), "x.speed": sign * -0.6 / v}
    assert top.evaluate_runs(Runs.of([run]))[0] == pytest.approx(sign * v, rel=1e-7)
    for n in names:
        assert run.sensitivity(top, n) == pytest.approx(want[n], rel=2e-6)
        np.testing.assert_allclose(many.sensitivity(top, n), want[n], rtol=2e-6)
    kept = ts.study(model, t_end=3.0, vary={"f.stiffness": [48.0]}, keep={"v": top}, output=150)
    assert kept["v"][0] == pytest.approx(sign * v, rel=1e-7)
    few = ts.simulate(model, 3.0, start, output=4)  # a row a second, periods of 1.6 s: rows alone
    rows = few["x.speed"]
    largest = {"abs": abs(rows).max(), "max": rows.max(), "min": rows.min()}[by]
    assert top.evaluate_runs(Runs.of([few]))[0] == largest


def test_a_peak_beside_an_event():
    """Rows of an event move, and one may stand as near to it as it likes."""
    model = block(Spring(40.0), Limits(-9, 0.1, stiffness=300.0), initial={"x.speed": 1.0})
    when = next(e.time for e in ts.simulate(model, 1.0).events)
    top, names = ts.studies.Peak("x.acceleration"), ("f1.high", "f1.stiffness", "x.speed")
    grid = np.sort([*np.linspace(0, 1.0, 60), when + 1e-6])
    run = ts.simulate(model, output=grid, t_end=1.0, sensitivities=names)
    # energy: 3 v^2 = 40 x^2 + 300 (x - h)^2, and a = (40 x + 300 (x - h)) / 3 at rest
    (h, k), v = (0.1, 300.0), 1.0

    def largest(h, k, v):
        a, b, c = 40 + k, -2 * k * h, k * h**2 - 3 * v**2
        x = (-b + np.sqrt(b**2 - 4 * a * c)) / (2 * a)
        return (40 * x + k * (x - h)) / 3

    assert top.evaluate_runs(Runs.of([run]))[0] == pytest.approx(largest(h, k, v), rel=1e-6)
    for i, n in enumerate(names):
        d = 1e-4 * np.array([h, k, v])[i] * np.eye(3)[i]
        ends = [largest(*(np.array([h, k, v]) + s * d)) for s in (-1, -0.5, 0.5, 1)]
        want = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (6 * d[i])
        assert run.sensitivity(top, n) == pytest.approx(want, rel=2e-6)


def chain(count):
    """Rods on hinges with dampers."""
    rod = {"mass": 1.0, "com": (0.1, 0, 0), "inertia": (1e-3, 4e-3, 4e-3, 0, 0, 0)}
    names = ["world", *(f"b{i}" for i in range(count))]
    joints = tuple(
        ts.Joint(f"j{i}", a, b, ts.Revolute("y"), at=(0.2 if i else 0, 0, 0))
        for i, (a, b) in enumerate(pairwise(names))
    )
    forces = tuple(ts.JointForce(f"d{i}", j.name, ts.Viscous(0.05)) for i, j in enumerate(joints))
    bodies = tuple(ts.Body(n, **rod) for n in names[1:])
    return ts.Model(bodies=bodies, joints=joints, forces=forces, initial={"j0.rate": 2.0})


def test_long_mechanisms_are_gone_along_with():
    """A matrix of derivatives of 16 links took 19 times the operations of the motion."""
    where = directions(chain(16).check(), ("d3.damping", "b7.mass", "j0.rate"))
    s, wide = where.system, where.kernels(None)
    plain = MotionKernels(s)["flow"]
    count = sum(wide._build_columns(find("flow")).operations.values())
    assert count < 8 * sum(plain.program.operations.values())
    rng, p, none = np.random.default_rng(0), np.array([*s.parameters.values()], float), np.zeros(0)
    n, m = wide.state_size, np.zeros(wide.sizes["m"])
    y, S = rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, 3))
    behind = np.concatenate([y[32:], S.ravel()])
    got = wide["flow"](0.0, y[:16], y[16:32], behind, m, none, p)[2][n - 32 :].reshape(n, 3)
    for j, slot in enumerate([*where.p, None]):
        ends = []
        for h in (-1e-3, -5e-4, 5e-4, 1e-3):
            x, other = y + h * S[:, j], p.copy()
            if slot is not None:
                other[slot] += h
            found = plain(0.0, x[:16], x[16:32], x[32:], none, none, other)
            ends.append(np.concatenate(found[:3]))
        a, b, c, d = ends
        want = (8 * (c - b) - (d - a)) / 6e-3
        np.testing.assert_allclose(got[:, j], want, rtol=0, atol=1e-7 * abs(want).max())


def test_only_numbers_that_an_assembly_depends_on_assemble_again(monkeypatch):
    bars = (ts.Body(n, 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02, 0, 0, 0)) for n in "abc")
    hinge = ts.Revolute("y")
    model = ts.Model(
        bodies=tuple(bars),
        joints=(
            ts.Joint("A", "world", "a", hinge),
            ts.Joint("B", "a", "b", hinge, at=(0.4, 0, 0)),
            ts.Joint("D", "world", "c", hinge, at=(0.5, 0, 0)),
        ),
        loops=(ts.Loop("C", "b", "c", hinge, at=(0.6, 0, 0), child_at=(0.5, 0, 0)),),
        forces=(
            ts.JointForce("f", "A", Spring("k")),
            ts.JointForce("g", "A", ts.Effort(input="u")),
        ),
        inputs=(ts.Input("u"),),
        parameters={"k": 3.0},
        initial={"A.angle": -1.0, "A.rate": 1.0},
    )
    found = []
    known = initial.initial_state
    monkeypatch.setattr(initial, "initial_state", lambda *given: found.append(0) or known(*given))
    for name, count in (("k", 0), ("u", 0), ("B.at[0]", 4), ("A.rate", 4)):
        found.clear()
        ts.simulate(model, 0.01, sensitivities=name)
        assert len(found) == count


def test_a_peak_of_level_rows_that_change_otherwise_is_refused():
    """A spring of zero: the speed stays what it was, and every row falls otherwise with it."""
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("s", "x", ts.Spring("k")),),
        parameters={"k": 0.0},
        initial={"x.speed": 1.0, "x.displacement": -0.2},
    )
    run = ts.simulate(model, 0.5, sensitivities=("k", "x.speed", "b.mass"), output=9)
    assert run.sensitivity(ts.studies.Peak("x.speed"), "x.speed") == pytest.approx(1.0)
    assert run.sensitivity(ts.studies.Peak("x.speed"), "b.mass") == 0
    with pytest.raises(ts.TorseurError, match="9 rows are equally large"):
        run.sensitivity(ts.studies.Peak("x.speed"), "k")
