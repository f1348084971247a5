"""Efforts along motions of mechanisms with loops: powers, drives, closed forms."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import torseur as ts
from torseur.errors import AssemblyError, TorseurError
from torseur.forces import Effort, JointForce, Spring, Viscous
from torseur.robots import Quintic

G, PIN = 9.81, ts.Revolute("z")
TIMES = np.linspace(0, 1, 201)
NEAR = {"B.angle": -0.6, "D.angle": 1.6}
TURN = "1 + 5*t + 0.4*sin(6*t)"


def rod(name, L):
    J = 2 * L**3 / 12
    return ts.Body(name, mass=2 * L, com=(L / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))


def four_bar(**more):
    return ts.Model(
        "four-bar",
        gravity=(0, -G, 0),
        bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
        joints=(
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "coupler", PIN, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", PIN, at=(0.9, 0, 0)),
        ),
        loops=(ts.Loop("C", "rocker", "coupler", PIN, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
        **more,
    )


def slider_crank():
    bodies = (rod("crank", 0.2), rod("rod", 0.7), ts.Body("piston", mass=1.5))
    return ts.Model(
        "slider-crank",
        gravity=(0, -G, 0),
        bodies=bodies,
        joints=(
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "rod", PIN, at=(0.2, 0, 0)),
            ts.Joint("bore", "world", "piston", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("pin", "piston", "rod", PIN, child_at=(0.7, 0, 0)),),
    )


def five_bar():
    bodies = tuple(rod(n, L) for n, L in (("a", 0.4), ("b", 0.7), ("c", 0.4), ("d", 0.7)))
    return ts.Model(
        "five-bar",
        gravity=(0, -G, 0),
        bodies=bodies,
        joints=(
            ts.Joint("A", "world", "a", PIN),
            ts.Joint("B", "a", "b", PIN, at=(0.4, 0, 0)),
            ts.Joint("E", "world", "c", PIN, at=(0.8, 0, 0)),
            ts.Joint("F", "c", "d", PIN, at=(0.4, 0, 0)),
        ),
        loops=(ts.Loop("tip", "b", "d", PIN, at=(0.7, 0, 0), child_at=(0.7, 0, 0)),),
    )


def states(model, run):
    s = model.check()
    return (np.stack([run[n] for n in names], 1) for names in (s.coordinates, s.speeds))


def energy_rate(model, run):
    """dE/dt of the bodies by a spline through the energies of the rows."""
    E = sum(ts.compile(model).energy(*states(model, run)))
    return make_interp_spline(run.time, E, 7)(run.time, 1)


CASES = {
    "four-bar": (four_bar, {"A.angle": TURN}, NEAR),
    "slider-crank": (slider_crank, {"A.angle": TURN}, {"B.angle": -1.2, "bore.displacement": 0.8}),
    "piston leads": (
        slider_crank,
        {"bore.displacement": "0.75 + 0.05*sin(6*t)"},
        {"A.angle": 1.0, "B.angle": -1.2},
    ),
    "five-bar": (
        five_bar,
        {"A.angle": "2 + 0.3*sin(6*t)", "E.angle": Quintic(1.2, 0.8, 1.0)},
        {"B.angle": -1.2, "F.angle": 1.2},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_power_of_the_efforts_is_the_rate_of_the_energy(case):
    make, motion, near = CASES[case]
    run = ts.inverse(make(), motion, TIMES, near=near)
    speeds = {n: n.rpartition(".")[0] for n in motion}
    power = sum(
        run[f"{j}.effort"] * run[f"{j}.{'speed' if j == 'bore' else 'rate'}"]
        for j in speeds.values()
    )
    np.testing.assert_allclose(power, energy_rate(make(), run), atol=2e-6 * abs(power).max())
    q, v = states(make(), run)
    dyn = ts.compile(make())
    assert abs(dyn.constraint_residual(q)).max() < 1e-13
    assert abs(np.einsum("nij,nj->ni", dyn.constraint_jacobian(q), v)).max() < 1e-12
    for j in speeds.values():
        parts = [n for n in run.signals if n.startswith(f"{j}.effort.")]
        assert len(parts) == 4
        np.testing.assert_allclose(sum(run[n] for n in parts), run[f"{j}.effort"], atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_a_driven_run_needs_the_same_efforts(case):
    """The multiplier of a drive is its effort; those of the loop agree as well."""
    from dataclasses import replace

    make, motion, near = CASES[case]
    if case == "five-bar":
        motion = motion | {"E.angle": "1.2 - 0.2*sin(3*t)"}
    run = ts.inverse(make(), motion, TIMES, near=near)
    drives = tuple(ts.Driven(f"drive{i}", n, law) for i, (n, law) in enumerate(motion.items()))
    start = near | {n: run[n][0] for n in motion}
    driven = ts.simulate(
        replace(make(), constraints=drives),
        1.0,
        start,
        keep=tuple(motion),
        output=TIMES,
        rtol=1e-11,
        atol=1e-12,
    )
    for i, n in enumerate(motion):
        effort = run[f"{n.rpartition('.')[0]}.effort"]
        np.testing.assert_allclose(
            effort, driven[f"drive{i}.multiplier"], atol=1e-9 * abs(effort).max()
        )
    loops = [n for n in run.signals if n.endswith("multiplier")]
    assert len(loops) == 2
    for n in loops:
        np.testing.assert_allclose(run[n], driven[n], atol=1e-9 * abs(driven[n]).max())
        assert run.units[n] == driven.units[n]


def test_kinds_of_velocity_terms():
    """One degree of freedom has centrifugal terms only; they grow with the square of the speed."""
    runs = [ts.inverse(four_bar(), {"A.angle": f"1 + {w}*t"}, [0.4 / w], near=NEAR) for w in (1, 3)]
    assert abs(runs[1]["A.effort.coriolis"]).max() < 1e-10
    ratio = runs[1]["A.effort.centrifugal"] / runs[0]["A.effort.centrifugal"]
    np.testing.assert_allclose(ratio, 9.0, rtol=1e-9)
    np.testing.assert_allclose(runs[0]["A.effort.inertia"], 0.0, atol=1e-12)
    make, motion, near = CASES["five-bar"]
    two = ts.inverse(make(), motion, TIMES, near=near)
    assert abs(two["A.effort.coriolis"]).max() > 0.01


def test_gears_in_closed_form():
    """Two geared discs: the effort of the first carries both inertias and the other's damper."""
    sizes = (("a", 1.0), ("b", 0.5))
    bodies = tuple(ts.Body(n, mass=1.0, inertia=(1, 1, J, 0, 0, 0)) for n, J in sizes)
    model = ts.Model(
        bodies=bodies,
        joints=tuple(ts.Joint(j, "world", b, PIN) for j, b in (("p", "a"), ("w", "b"))),
        constraints=(ts.Gear("mesh", "w.angle", "p.angle", ratio=3),),
        forces=(JointForce("brake", "w", Viscous(0.2)),),
    )
    k = ts.inverse(model, {"p.angle": "t**3"}, [0.5, 1.0])
    ratio = k["w.rate"] / k["p.rate"]
    t = k.time
    np.testing.assert_allclose(
        k["p.effort"], (1 + 0.5 * ratio**2) * 6 * t + 0.2 * ratio**2 * 3 * t**2, rtol=1e-12
    )
    np.testing.assert_allclose(k["p.effort.brake"], 0.2 * ratio**2 * 3 * t**2, rtol=1e-12)
    assert abs(ratio[0]) in (3.0, pytest.approx(1 / 3))


def test_redundant_actuators_share_with_the_least_squares():
    alone = ts.inverse(four_bar(), {"A.angle": TURN}, TIMES, near=NEAR)
    both = ts.inverse(four_bar(), {"A.angle": TURN}, TIMES, near=NEAR, actuators=("A", "D.angle"))
    r = alone["D.rate"] / alone["A.rate"]
    np.testing.assert_allclose(both["A.effort"], alone["A.effort"] / (1 + r * r), atol=1e-10)
    np.testing.assert_allclose(both["D.effort"], alone["A.effort"] * r / (1 + r * r), atol=1e-10)
    assert "2 actuators for 1 degree of freedom" in both.outcome and "A.rate leads" in both.outcome
    other = ts.inverse(four_bar(), {"A.angle": TURN}, TIMES[:20], near=NEAR, actuators="D")
    np.testing.assert_allclose(other["D.effort"] * r[:20], alone["A.effort"][:20], atol=1e-9)
    assert "A.effort" not in other.signals


def test_a_cylinder_between_two_points_is_an_actuator():
    """A push along a line: its power, force times rate of length, moves the mechanism."""
    push = ts.PointForce(
        "cylinder", ("crank", (0.2, 0, 0)), ("world", (0, -0.5, 0)), Effort(input="oil")
    )
    model = four_bar(forces=(push,), inputs=(ts.Input("oil", unit="N"),))
    motion = {"A.angle": "0.5 + 0.3*sin(6*t)"}
    run = ts.inverse(model, motion, TIMES, near=NEAR, actuators=["cylinder"])
    angle, rate = run["A.angle"], run["A.rate"]
    x, y = 0.2 * np.cos(angle), 0.2 * np.sin(angle) + 0.5
    length_rate = 0.2 * rate * (-x * np.sin(angle) + y * np.cos(angle)) / np.hypot(x, y)
    alone = ts.inverse(four_bar(), motion, TIMES, near=NEAR)
    np.testing.assert_allclose(run["oil"] * length_rate, alone["A.effort"] * rate, atol=1e-9)
    assert run.units["oil"] == "N"
    tree = ts.Model(
        bodies=(rod("crank", 0.3),),
        gravity=(0, -G, 0),
        inputs=(ts.Input("oil"),),
        joints=(ts.Joint("A", "world", "crank", PIN),),
        forces=(push,),
    )
    open_ = ts.inverse(tree, {"A.angle": "0.5 + 0.3*sin(6*t)"}, TIMES, actuators="cylinder")
    still = ts.inverse(tree, {"A.angle": "0.5 + 0.3*sin(6*t)"}, TIMES)
    np.testing.assert_allclose(open_["oil"] * length_rate, still["A.effort"] * rate, atol=1e-9)


def test_inputs_that_would_make_the_efforts_are_given():
    motor = JointForce("motor", "A", Effort(input="u", gain=50))
    model = four_bar(forces=(motor,), inputs=(ts.Input("u"),))
    run = ts.inverse(model, {"A.angle": TURN}, TIMES, near=NEAR)
    np.testing.assert_allclose(run["u"] * 50, run["A.effort"], rtol=1e-14)
    start = {n: run[n][0] for n in ("A.angle", "B.angle", "D.angle", "A.rate")}
    moved = ts.simulate(
        model,
        0.3,
        start,
        keep=("A.angle", "A.rate"),
        period=2e-4,
        control=lambda t, q, v: [np.interp(t + 1e-4, run.time, run["u"])],
    )
    want = 1 + 5 * moved.time + 0.4 * np.sin(6 * moved.time)
    assert abs(moved["A.angle"] - want).max() < 2e-4


def test_springs_in_loops_are_contributions():
    spring = JointForce("spring", "D", Spring(40.0))
    run = ts.inverse(four_bar(forces=(spring,)), {"A.angle": TURN}, TIMES, near=NEAR)
    bare = ts.inverse(four_bar(), {"A.angle": TURN}, TIMES, near=NEAR)
    want = 40 * run["D.angle"] * run["D.rate"] / run["A.rate"]
    np.testing.assert_allclose(run["A.effort.spring"], want, atol=1e-10)
    np.testing.assert_allclose(run["A.effort"] - bare["A.effort"], want, atol=1e-10)


def test_dry_friction_in_a_loop():
    """Against a run in which the drive overcomes it."""
    rub = ts.DryFriction("rub", "D.angle", force=2.0)
    drive = ts.Driven("drive", "A.angle", "1 + 6*t")
    run = ts.inverse(four_bar(constraints=(rub,)), {"A.angle": "1 + 6*t"}, TIMES[:41], near=NEAR)
    driven = ts.simulate(
        four_bar(constraints=(rub, drive)),
        0.2,
        NEAR | {"A.angle": 1.0},
        keep=("A.angle",),
        output=TIMES[:41],
        rtol=1e-10,
        atol=1e-12,
    )
    assert abs(run["D.rate"]).min() > 0.1  # it slides all the time
    np.testing.assert_allclose(run["A.effort"], driven["drive.multiplier"], atol=1e-8)
    np.testing.assert_allclose(run["A.effort.rub"] * 6, 2 * abs(run["D.rate"]), rtol=1e-12)


def test_models_moved_by_time_alone():
    """With a drive among the constraints nothing need be given: its multiplier is the effort."""
    model = four_bar(constraints=(ts.Driven("drive", "A.angle", TURN),))
    run = ts.inverse(model, {}, TIMES, near=NEAR | {"A.angle": 1.0})
    free = ts.inverse(four_bar(), {"A.angle": TURN}, TIMES, near=NEAR)
    np.testing.assert_allclose(run["drive.multiplier"], free["A.effort"], atol=1e-10)
    np.testing.assert_allclose(run["D.acceleration"], free["D.acceleration"], atol=1e-10)
    assert "time alone leads" in run.outcome


def test_a_run_can_be_given():
    """Every coordinate is there: the first leads, the others follow where they were."""
    start = NEAR | {"A.angle": 1.0, "A.rate": 3.0}
    fall = ts.simulate(
        four_bar(), 0.5, start, keep=("A.angle", "A.rate"), rtol=1e-11, atol=1e-12, output=201
    )
    run = ts.inverse(four_bar(), fall)
    assert abs(run["A.effort"][10:-10]).max() < 1e-5  # nothing pushed it
    assert "A.rate leads; D.angle follows, up to" in run.outcome


def test_parameters_reach_the_loops():
    from dataclasses import replace

    model = four_bar(parameters={"L": 0.6})
    bodies = (
        *model.bodies[:2],
        ts.Body("rocker", mass="2*L", com=("L/2", 0, 0), inertia=(0, "L**3/6", "L**3/6", 0, 0, 0)),
    )
    loop = ts.Loop("C", "rocker", "coupler", PIN, at=("L", 0, 0), child_at=(0.8, 0, 0))
    model = replace(model, bodies=bodies, loops=(loop,))
    one = ts.inverse(model, {"A.angle": TURN}, TIMES[:9], near=NEAR, parameters={"L": 0.7})
    two = ts.inverse(replace(model, parameters={"L": 0.7}), {"A.angle": TURN}, TIMES[:9], near=NEAR)
    np.testing.assert_allclose(one["A.effort"], two["A.effort"], rtol=1e-12)
    base = ts.inverse(model, {"A.angle": TURN}, TIMES[:9], near=NEAR)
    assert abs(base["A.effort"] - one["A.effort"]).max() > 0.01


def test_what_cannot_be_followed_is_told():
    with pytest.raises(TorseurError, match=r"leaves .* undetermined; give 1 more coordinate"):
        ts.inverse(five_bar(), {"A.angle": "2 + t"}, TIMES, near=CASES["five-bar"][2])
    with pytest.raises(AssemblyError, match=r"t = 0\.\d+ s the mechanism cannot follow 'D.angle'"):
        ts.inverse(four_bar(), {"D.angle": "1.6 + 2*t"}, TIMES, near={"A.angle": 1, "B.angle": -1})
    with pytest.raises(TorseurError, match=r"'bore\.speed' cannot make the efforts of 1 degree of"):
        ts.inverse(
            slider_crank(),
            {"A.angle": "t"},
            np.linspace(0, 1, 11),
            actuators="bore",
            near={"bore.displacement": 0.9},
        )
    with pytest.raises(TorseurError, match=r"near: no coordinate is named 'B'"):
        ts.inverse(four_bar(), {"A.angle": "1+t"}, TIMES[:2], near={"B": -0.6})
    with pytest.raises(TorseurError, match="no joint, coordinate or driven force is named 'X'"):
        ts.inverse(four_bar(), {"A.angle": "1+t"}, TIMES[:2], near=NEAR, actuators=["X"])
    with pytest.raises(TorseurError, match=r"'B.rate' undetermined; give .* dead center"):
        ts.inverse(slider_crank(), {"bore.displacement": "0.9 - 0.1*t"}, TIMES)
    with pytest.raises(TorseurError, match=r"at t = \S+ s .* no longer say .*\(a dead center\)"):
        ts.inverse(
            slider_crank(),
            {"bore.displacement": "0.85 + 0.05*t"},
            TIMES,
            near={"A.angle": 0.5, "B.angle": -0.7},
        )
    sled = ts.Model(
        bodies=(ts.Body("s", mass=1, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("p", "world", "s", ts.Planar("z")),),
        constraints=(ts.KnifeEdge("blade", "s"),),
    )
    with pytest.raises(TorseurError, match="'blade' constrains speeds"):
        ts.inverse(sled, {"p.angle": "t"}, TIMES)
