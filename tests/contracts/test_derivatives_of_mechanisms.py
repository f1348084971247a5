"""Derivatives of whole mechanisms through what happens to them, against differences of other runs.

As in `test_derivatives`, states, forces and times of events by numbers of different kinds; then
measures of the same runs, and lanes beside the single run.
"""

import numpy as np
import pytest
from test_derivatives import TIGHT, Runs, agree, richardson, rows

import torseur as ts
from torseur.results import Runs as Many

WITHIN = 1e-6


def rod(name, length, mass=1.0):
    J = mass * length**2 / 12
    return ts.Body(name, mass, com=(length / 2, 0, 0), inertia=(1e-3, J, J, 0, 0, 0))


def hinge(name, parent, child, x=0.0, **more):
    return ts.Joint(name, parent, child, ts.Revolute("z"), at=(x, 0, 0), **more)


def four_bar():
    """A bar of metal across its corner yields, and tears."""
    metal = ts.Crush(
        ((0, 0), (0.004, 60.0), (0.05, 90.0), (0.3, 100.0)), 2e4, free_length=0.95, rupture=0.1
    )
    model = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=(rod("crank", 0.4), rod("coupler", 1.0, 2.0), rod("rocker", 0.8, 1.5)),
        joints=(
            hinge("A", "world", "crank"),
            hinge("B", "crank", "coupler", 0.4),
            hinge("D", "world", "rocker", 1.1),
        ),
        loops=(
            ts.Loop(
                "C", "coupler", "rocker", ts.Revolute("z"), at=(1.0, 0, 0), child_at=(0.8, 0, 0)
            ),
        ),
        forces=(ts.PointForce("own", ("crank", (0.4, 0, 0)), ("world", (1.1, 0, 0)), metal),),
        initial={"A.angle": 0.7, "A.rate": -9.0},
        simulation={"t_end": 0.4},
    )
    names = ("own.rupture", "own.points[1].force", "coupler.mass", "C.child_at[0]", "own.b[1][0]")
    return model, names, ("A.rate",), {}, "own: torn"


def slider_crank():
    """Dry friction of its piston holds and lets go."""
    model = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=(rod("crank", 0.2), rod("conrod", 0.6, 0.8), ts.Body("piston", 2.0)),
        joints=(
            hinge("A", "world", "crank"),
            hinge("B", "crank", "conrod", 0.2),
            ts.Joint("guide", "world", "piston", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("C", "conrod", "piston", ts.Revolute("z"), at=(0.6, 0, 0)),),
        forces=(ts.JointForce("pull", "A", ts.Effort(input="torque")),),
        constraints=(ts.DryFriction("own", "guide.displacement", force=8.0, static=11.0),),
        inputs=(ts.Input("torque"),),
        initial={"A.angle": 1.2, "A.rate": 3.0},
        simulation={"t_end": 0.9},
    )
    names = ("own.force", "piston.mass", "B.at[0]", "C.at[0]")
    return model, names, ("A.rate",), {"torque": 0.4}, "own: stops"


def pendulum():
    """Two rods, of which one strikes its stops."""
    parts = (("a", 1.0, -0.5, 0.1), ("b", 0.7, -0.4, 0.05))
    model = ts.Model(
        bodies=tuple(ts.Body(n, m, (0, 0, c), (J, J, 0.01, 0, 0, 0)) for n, m, c, J in parts),
        joints=(
            ts.Joint("p", "world", "a", ts.Revolute("y")),
            ts.Joint("q", "a", "b", ts.Revolute("y"), at=(0, 0, -1.0)),
        ),
        forces=(ts.JointForce("own", "q", ts.Limits(-0.5, 0.3, restitution=0.6)),),
        initial={"p.angle": 1.0, "p.rate": 0.4},
        simulation={"t_end": 1.4},
    )
    names = ("own.high", "own.restitution", "b.mass", "q.at[2]", "a.com[2]")
    return model, names, ("p.angle", "p.rate"), {}, "own: low stop"


def shaken():
    """A block on a base that a force drives: it breaks loose and stops."""
    model = ts.Model(
        bodies=(ts.Body("base", 5.0), ts.Body("block", 2.0)),
        joints=(
            ts.Joint("shake", "world", "base", ts.Prismatic("x")),
            ts.Joint("slide", "base", "block", ts.Prismatic("x")),
        ),
        forces=(
            ts.JointForce("drive", "shake", ts.Effort(input="push")),
            ts.JointForce("back", "shake", ts.Spring(300.0)),
            ts.JointForce("tie", "slide", ts.Spring(40.0)),
        ),
        constraints=(ts.DryFriction("own", "slide.displacement", force=3.0, static=4.0),),
        inputs=(ts.Input("push"),),
        initial={"shake.speed": 1.0},
        simulation={"t_end": 1.2},
    )
    names = ("own.force", "own.static", "block.mass", "back.stiffness")
    return model, names, ("shake.speed",), {"push": 12.0}, "own: breaks loose"


def geared():
    """Two axes, one with play in its gear."""
    play = ts.Backlash(0.004, 4e3, 8.0)
    model = ts.Model(
        bodies=(rod("arm", 0.8, 3.0), rod("fore", 0.6, 1.5)),
        joints=(
            hinge(
                "own",
                "world",
                "arm",
                drive=ts.Drive(50, 4e-4, stiffness=play, friction=1e-3, input="tau1"),
            ),
            hinge("elbow", "arm", "fore", 0.8, drive=ts.Drive(30, 2e-4, 2e3, 4.0, input="tau2")),
        ),
        gravity=(0, -9.81, 0),
        inputs=(ts.Input("tau1"), ts.Input("tau2")),
        initial={"elbow.angle": 0.4},
        simulation={"t_end": 0.1},
    )
    names = ("own.drive.stiffness.gap", "elbow.drive.ratio", "fore.mass", "own.drive.rotor_inertia")
    return model, names, ("own.rate",), {"tau1": 0.8, "tau2": 0.3}, "own.motor.shaft: edge below"


def ball():
    """It hops on a slope and back from a wall, and friction spins it."""
    J = 0.4 * 0.4 * 0.06**2
    model = ts.Model(
        bodies=(ts.Body("ball", 0.4, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "ball", ts.Planar("y", "translation_first")),),
        constraints=tuple(
            ts.Contact(n, "ball", ("world", (x, 0, 0)), at, 0.06, restitution=e, friction=mu)
            for n, x, at, e, mu in (
                ("own", 0.0, (0.1, 0, 1), 0.7, 0.05),
                ("wall", 1.2, (-1, 0, 0.2), 0.6, 0.3),
            )
        ),
        initial={"fly.x": 0.7, "fly.y": 0.2, "fly.rate": 2.0, "fly.speed_y": 1.5},
        simulation={"t_end": 1.2},
    )
    names = ("own.restitution", "own.friction", "own.radius", "wall.ground[1][0]", "ball.mass")
    return model, names, ("fly.speed_y", "fly.x"), {}, "wall: lands"


def two_arms():
    """They hold one point, a servo drives them, and a stop catches one."""
    model = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=(rod("l1", 0.5), rod("l2", 0.6), rod("r1", 0.5), rod("r2", 0.6)),
        joints=(
            hinge("a", "world", "l1"),
            hinge("b", "l1", "l2", 0.5),
            hinge("c", "world", "r1", 0.4),
            hinge("d", "r1", "r2", 0.5),
        ),
        loops=(ts.Loop("e", "l2", "r2", ts.Revolute("z"), at=(0.6, 0, 0), child_at=(0.6, 0, 0)),),
        forces=(
            ts.JointForce("s1", "a", ts.Servo(80.0, 6.0, "aim")),
            ts.JointForce("s2", "c", ts.Servo(80.0, 6.0, 1.0)),
            ts.JointForce("own", "a", ts.Limits(1.0, 2.05, stiffness=800.0, damping=4.0)),
        ),
        inputs=(ts.Input("aim"),),
        initial={"a.angle": 1.9, "c.angle": 1.2},
        simulation={"t_end": 0.4},
    )
    names = ("l2.mass", "b.at[0]", "e.child_at[0]", "s1.kp", "own.high")
    return model, names, ("a.rate",), {"aim": 2.3}, "own: high stop"


def corner():
    """A corner of a car drops onto its tire, which crushes, and meets its bump stop."""
    sedan = ts.DoubleWishbone(
        upper_front=(-0.100, 0.470, 0.105),
        upper_rear=(-0.250, 0.510, 0.110),
        upper_ball=(-0.040, 0.695, 0.105),
        lower_front=(0.200, 0.420, -0.270),
        lower_rear=(-0.200, 0.470, -0.265),
        lower_ball_at=(0, 0.770, -0.320),
        tie_inner=(-0.200, 0.420, -0.120),
        tie_outer=(-0.150, 0.770, -0.120),
        wheel_center=(0, 0.7979, -0.1199),
    )
    tire = ts.Crush(((0, 0), (0.02, 4000.0), (0.2, 60000.0)), 6e5)
    model = ts.Model(
        bodies=(ts.Body("sprung", 350.0), ts.Body("knuckle", 45.0, inertia=(1.4, 2.3, 1.4))),
        joints=(
            ts.Joint("heave", "world", "sprung", ts.Prismatic("z")),
            ts.Joint("wheel", "sprung", "knuckle", sedan),
        ),
        forces=(
            ts.JointForce("spring", "wheel", ts.Spring(22000.0, -0.16)),
            ts.JointForce("damper", "wheel", ts.Viscous(1500.0)),
            ts.JointForce("stop", "wheel", ts.Limits(-0.05, 0.03, stiffness=1e5, damping=500.0)),
            ts.PlaneForce("own", ("knuckle", (0, 0, -0.32)), "world", tire, normal="z"),
        ),
        initial={"heave.displacement": 0.42, "heave.speed": -1.0},
        simulation={"t_end": 0.4},
    )
    names = ("sprung.mass", "stop.high", "own.points[1].force", "wheel.kind.upper_ball[2]")
    return model, names, ("heave.speed",), {}, "stop: high stop"


def half_car():
    """It drives up a curb: both axles have stops, tires only push and crush, and one lifts off."""

    def axle(n):
        tire = ts.Crush(((0, 0), (0.03, 6e3), (0.2, 6e4)), 3e6)
        foot, curb = (n, (0, 0, -0.3)), (n, (0.15, 0, -0.26))
        stop = ts.Limits(-0.06, 0.05, stiffness=2e5, damping=1e3)
        return (
            ts.JointForce(f"{n}_spring", f"{n}_travel", ts.Spring(2.2e4, -0.16)),
            ts.JointForce(f"{n}_damper", f"{n}_travel", ts.Viscous(1.5e3)),
            ts.JointForce("own" if n == "front" else "stop", f"{n}_travel", stop),
            ts.PlaneForce(f"{n}_tire", foot, "world", tire, normal="z"),
            ts.PlaneForce(f"{n}_curb", curb, ("world", (1.9, 0, 0)), tire, (-0.5, 0, 0.866)),
        )

    axles = (("front", 1.2), ("rear", -1.3))
    travel = (
        ts.Joint(f"{n}_travel", "car", n, ts.Prismatic("z"), at=(x, 0, -0.25)) for n, x in axles
    )
    model = ts.Model(
        bodies=(
            ts.Body("car", 700.0, inertia=(300, 1100, 1000, 0, 0, 0)),
            ts.Body("front", 40.0),
            ts.Body("rear", 40.0),
        ),
        joints=(
            ts.Joint("drive", "world", "car", ts.Planar("y", "translation_first")),
            *travel,
        ),
        forces=(*axle("front"), *axle("rear")),
        initial={"drive.x": 0.54, "drive.speed_y": 5.0},
        simulation={"t_end": 0.35},
    )
    numbers = ("car.mass", "own.high", "front_spring.stiffness", "front_travel.at[0]")
    return model, (*numbers, "front_curb.plane[1][0]"), ("drive.speed_y",)


def test_a_half_car_on_a_curb():
    model, names, starts = half_car()
    events = {e.name for e in ts.simulate(model).events}
    assert events >= {"own: high stop", "front_tire: set", "front_curb: turning"}
    assert agree(model, names, starts) == 0


@pytest.mark.slow
def test_a_staircase():
    """A block lands on soft treads, rubs, slides off each and falls to the next."""
    rubber = ts.Crush(((0, 0), (0.01, 60.0), (0.1, 900.0)), 4e4)
    treads = tuple(
        ts.PlaneForce(n, "block", ("world", (0.3 * i, 0, -0.15 * i)), rubber, "z",
                      friction=0.2, presliding=1e-3, edges=(-9.0, 0.3))
        for i, n in enumerate(("upper", "own", "lower"))
    )  # fmt: skip
    model = ts.Model(
        bodies=(ts.Body("block", 0.8, inertia=(0.01, 0.01, 0.01, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "block", ts.Planar("y", "translation_first")),),
        forces=treads,
        initial={"fly.x": 0.05, "fly.y": 0.05, "fly.speed_y": 1.6},
        simulation={"t_end": 0.7},
    )
    events = [e.name for e in ts.simulate(model).events]
    assert {"upper: slid off", "own: slid off", "lower: turning"} <= {*events}
    names = ("own.friction", "own.edges[1]", "own.plane[1][2]", "upper.points[1].force")
    agree(model, (*names, "block.mass", "upper.edges[1]"), ("fly.speed_y", "fly.x"))


QUICK = (four_bar, slider_crank, pendulum, shaken, geared)


@pytest.mark.parametrize(
    "make", [*QUICK, *(pytest.param(x, marks=pytest.mark.slow) for x in (two_arms, ball, corner))]
)
def test_mechanisms(make):
    model, names, starts, inputs, event = make()
    assert agree(model, names, starts, inputs) == 0
    measured(model, names, starts, inputs, event)


@pytest.mark.slow
@pytest.mark.parametrize("solution", ts.solve.SOLUTIONS)
@pytest.mark.parametrize("make", [four_bar, slider_crank, two_arms])
def test_all_solutions(make, solution):
    model, names, starts, inputs, _ = make()
    assert agree(model, names, starts, inputs, solution=solution) == 0


def measured(model, names, starts, inputs, event):
    """Measures of the run, their slopes by differences; and the same run in a lane."""
    grid = np.linspace(0, model.simulation["t_end"], 24) * 0.9973
    told = {"inputs": inputs, "output": grid}
    asked = (*names, *starts, *inputs)
    run = ts.simulate(model, sensitivities=asked, **told)
    s = model.check()
    speed, place = s.speeds[-1], s.coordinates[0]
    measures = (
        ts.studies.EventTime(event),
        ts.studies.Mean(place),
        ts.studies.RMS(speed),
        ts.studies.Final(speed),
    )
    measures += (ts.studies.Peak(place), ts.studies.Peak(speed, "max"))
    many = ts.batch(
        model,
        None,
        {n: [model.initial.get(n, 0.0)] * 2 for n in starts},
        sensitivities=asked,
        **told,
    )
    others = Runs(model, names, starts, inputs, grid[1:], ())
    others.grid, here = grid, rows(run, grid)
    for name in asked:
        size = max(abs(others.value(name)), 0.02)
        h = 1e-4 * size
        runs = [others.run(name, k * h, **TIGHT) for k in (-1.0, -0.5, 0.5, 1.0)]
        for m in measures:
            y = [float(x) for x in m.evaluate_runs(Many.of(runs))]
            want, got = richardson(y, h), run.sensitivity(m, name)
            near = {"rel": WITHIN, "abs": 1e-8 * max(abs(y[0]), 0.01) / size}
            assert got == pytest.approx(want, **near)
            assert many.sensitivity(m, name)[1] == pytest.approx(got, **near)
        for signal in (place, speed):
            want = run.sensitivity(signal, name)[here]
            got = many.sensitivity(signal, name)[1]
            np.testing.assert_allclose(got, want, rtol=0, atol=1e-8 * abs(want).max())
