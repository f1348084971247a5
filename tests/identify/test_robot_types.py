"""Identification of robots of many kinds: exact data give exact parameters, and the same model."""

import importlib
import re
from dataclasses import replace

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.identify import base, exact_base, linear, robot
from torseur.identify.robots.base_parameters import random_states

WIDTH = 0.05


def made(name, *joints, **more) -> ts.Model:
    rng = np.random.default_rng(7)
    return ts.Model(name, bodies=[zoo.body(j.child, rng) for j in joints], joints=joints, **more)


def scara():
    return made(
        "scara",
        ts.Joint("j1", "world", "l1", ts.Revolute("z"), at=(0, 0, 0.3)),
        ts.Joint("j2", "l1", "l2", ts.Revolute("z"), at=(0.35, 0, 0)),
        ts.Joint("j3", "l2", "quill", ts.Prismatic("z"), at=(0.25, 0, 0)),
        ts.Joint("j4", "quill", "tool", ts.Revolute("z")),
    )


def screw():
    return made(
        "screw",
        ts.Joint("turn", "world", "a", ts.Revolute("z")),
        ts.Joint("screw", "a", "b", ts.Helical("x", 0.01), at=(0.2, 0, 0)),
        ts.Joint("wrist", "b", "c", ts.Revolute("y"), at=(0.1, 0, 0.1), rpy=(0.3, 0, "pi/4")),
    )


def ram():
    return made(
        "ram",
        ts.Joint("turn", "world", "a", ts.Revolute("y")),
        ts.Joint("ram", "a", "b", ts.Cylindrical("x"), at=(0.2, 0, 0)),
        ts.Joint("wrist", "b", "c", ts.Universal("x", "y"), at=(0.1, 0, 0.1)),
    )


def cart():
    return made(
        "cart",
        ts.Joint("base", "world", "a", ts.Planar("z")),
        ts.Joint("left", "a", "b", ts.Revolute("y"), at=(0.2, 0.1, 0)),
        ts.Joint("right", "a", "c", ts.Revolute("x"), at=(0.2, -0.1, 0.1)),
    )


def drone():
    return made(
        "drone",
        ts.Joint("base", "world", "a", ts.Free()),
        ts.Joint("arm", "a", "b", ts.Revolute("y"), at=(0.2, 0.1, 0)),
        ts.Joint("ball", "b", "c", ts.Spherical(), at=(0.2, 0, 0)),
    )


def geared():
    """What the model says of friction and rotors is wrong, as it often is."""
    stages = (ts.DriveStage("motor", 1e-4, 60), ts.DriveStage("wheel", 1e-3, 3, friction=0.02))
    return made(
        "geared",
        ts.Joint("s", "world", "a", ts.Revolute("y"), damping=3.0,
                 drive=ts.Drive(ratio=80, rotor_inertia=2e-4, friction=1e-3)),
        ts.Joint("e", "a", "b", ts.Revolute("x"), at=(0, 0, 0.4), armature=0.1,
                 drive=ts.Drive(stages=stages)),
        ts.Joint("w", "b", "c", ts.Revolute("x"), at=(0, 0, 0.3),
                 drive=ts.Drive(ratio=50, rotor_inertia=2e-4, stiffness=900, friction=1e-3)),
        forces=(
            ts.JointForce("rub", "s", ts.Coulomb(4.0, damping=2.0)),
            ts.JointForce("w_friction", "w", ts.LuGre(1.0)),
            ts.JointForce("balance", "e", ts.Spring(30.0, 0.2)),
        ),
    )  # fmt: skip


KINDS = [scara, screw, ram, cart, drone, geared]


def motion(system, n=300, time=20.0, seed=2):
    """Sums of sines, or generic states where speeds are no rates of coordinates."""
    if system.nq != system.nv:
        return None, *random_states(system, n, seed)
    rng, t = np.random.default_rng(seed), np.linspace(0, time, n)
    w, size = rng.uniform(0.3, 3, (5, system.nv)), rng.uniform(-0.7, 0.7, (5, system.nv))
    turn = w * t[:, None, None] + rng.uniform(0, 6, (5, system.nv))
    shapes = np.sin(turn) / w, np.cos(turn), -w * np.sin(turn)
    return t, *((size * x).sum(axis=1) for x in shapes)


def truth(lin, seed=3):
    """Parameters of the model's masses, with other rotors and friction than it has."""
    rng, p = np.random.default_rng(seed), lin.values()
    for c, (_, _, kind, _) in enumerate(lin.columns):
        if kind != "inertia":
            p[c] = rng.uniform(0.1, 1)
    return p


def measured(model, **more):
    lin = linear(model, **more)
    t, q, v, a = motion(lin.system)
    own = {("coulomb", i): WIDTH for i in range(lin.system.nv)}
    p, like = truth(lin), type(lin)(lin.system, lin.friction, lin.rotors, own)
    tau = like.regressor(q, v, a) @ p + like.known_efforts(q, v, a)
    return p, ((q, v, a, tau) if t is None else (t, q, v, a, tau))


@pytest.mark.parametrize("make", zoo.few(KINDS, ram, drone, geared))
def test_exact_data_of_a_motion_give_exact_parameters_and_a_model_that_says_the_same(make):
    model = make()
    p, data = measured(model)
    q, v, a, tau = data[-4:]
    for consistent in (False, True):
        found = robot(model, data, consistent=consistent)
        want = found.groups.values(p)
        np.testing.assert_allclose(found.estimate.beta, want, atol=1e-9 * abs(want).max(), rtol=0)
        np.testing.assert_allclose(found.predict(q, v, a), tau, atol=1e-9 * abs(tau).max())
    said = ts.compile(found.model).inverse_dynamics(q, v, a, forces=True)
    np.testing.assert_allclose(said, tau, atol=1e-6 * abs(tau).max())
    again = robot(found.model, data)  # its friction is identified again, and its names are free
    np.testing.assert_allclose(again.estimate.beta, want, atol=1e-9 * abs(want).max(), rtol=0)
    assert len(again.model.forces) == len(found.model.forces)
    assert ts.simulate(again.model, 0.01).completed


@pytest.mark.parametrize("friction", [("coulomb", "stribeck"), ("load", "viscous"), ("square",)])
def test_consistent_parameters_of_other_friction(friction):
    """Stribeck's is nothing at usual speeds, which must not spoil what is consistent."""
    model = scara()
    s = model.check()
    _, q, v, a = motion(s, 500)
    v, a = 2 * v, 4 * a
    rigid = ts.compile(s).inverse_dynamics(q, v, a)
    shapes = {
        "coulomb": 0.8 * np.tanh(v / 0.02),
        "stribeck": 0.4 * np.tanh(10 * v / 0.2) * np.exp(-((v / 0.2) ** 2)),
        "load": 0.05 * abs(rigid) * np.tanh(v / 0.06),
        "viscous": 0.5 * v,
        "square": 0.3 * v * abs(v),
    }
    tau = rigid + sum(shapes[n] for n in friction)
    found = robot(model, (q, v, a, tau), friction=friction, rotors=False)
    np.testing.assert_allclose(found.predict(q, v, a), tau, atol=1e-8 * abs(tau).max())


def test_the_smallest_parameters_have_the_same_efforts_whatever_sizes_are_usual():
    from torseur.identify.robots import physical_consistency as consistent, prior

    lin = linear(scara(), ("stribeck",))
    p, groups = truth(lin), base(lin)
    scale = np.where([n.endswith("stribeck") for n in lin.names], 1e13, 0.1)
    size = prior.ParameterScales(2.0, 0.2, scale)
    near = consistent.find_equivalent_consistent(lin, p, groups.B, groups.independent, size, 0 * p)
    assert near is not None and abs(near - p).max() > 0.01
    np.testing.assert_allclose(groups.B @ near, groups.B @ p, atol=1e-9)


def row_of(text, names):
    """Coefficients of a combination written as text."""
    known = {f"X{i}": x for i, x in enumerate(np.eye(len(names)))}
    text = re.sub(r"[A-Za-z_]\w*(?:\.\w+)+", lambda m: f"X{names.index(m[0])}", text)
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", text.replace("^", "**"))
    return eval(text, known | {"cos": np.cos, "sin": np.sin, "sqrt": np.sqrt})


def oblique():
    """Right angles, others, roots and a name."""
    turns = [(0, 0, 0), (0.3, 0, 0), ("pi/4", 0, 0), ("pi/3", 0, 0.7)]
    names = ["world", "a", "b", "c", "d"]
    joints = [
        ts.Joint(f"j{b}", a, b, ts.Revolute("z"), at=(0.1, 0.2, 0.05), rpy=rpy)
        for a, b, rpy in zip(names[:4], names[1:], turns, strict=True)
    ]
    return made("oblique", *joints)


@pytest.mark.parametrize("make", [scara, screw, ram, cart, drone, geared, oblique])
def test_combinations_in_the_ring_are_those_of_numbers(make):
    model = make()
    exact, numeric = exact_base(model), base(model)
    assert [*exact] == [*numeric.names] or {*exact} == {*numeric.names}
    for name, row in zip(numeric.names, numeric.B, strict=True):
        np.testing.assert_allclose(row_of(exact[name], list(numeric.all)), row, atol=1e-8)


def test_what_the_model_says_of_friction_is_not_known():
    """Only what is looked for: with friction=() the model's own acts, as springs always do."""
    model = geared()
    assert {f.name for f in linear(model).system.forces} >= {"balance"}
    assert not {"rub", "w_friction"} & {f.name for f in linear(model).system.forces}
    dry = linear(model, friction=("coulomb",)).system  # `rub` is viscous too, damping stays
    assert "rub" in {f.name for f in dry.forces} and float(dry.links[0].damping[0]) > 3
    none = linear(model, friction=()).system
    assert {"rub", "w_friction", "balance"} <= {f.name for f in none.forces}


def test_friction_is_no_matter_of_free_and_ball_joints():
    assert not any(n.startswith(("base.", "ball.")) for n in linear(drone()).names)


def test_robots_that_cannot_be_identified_are_refused_by_name():
    post = ts.Model("post", bodies=(ts.Body("b", 1.0, inertia=(1, 1, 1)),), joints=(
        ts.Joint("w", "world", "b", ts.Weld()),))  # fmt: skip
    with pytest.raises(ts.TorseurError, match="'post' has no joint that moves"):
        base(post)


def test_masses_that_no_body_has_are_no_fault_of_what_looks_for_them():
    bad = ts.Body("b", 1.0, inertia=(1, 1, 5))
    model = ts.Model(bodies=(bad,), joints=(ts.Joint("j", "world", "b", ts.Revolute("y")),))
    with pytest.raises(ts.ModelError, match="cannot have"):
        model.check()
    assert base(model, friction=(), rotors=False).names == ("b.mx", "b.Iyy", "b.mz")


def held(n=400):
    """Exact efforts of an arm with wrong places for errors: the last joint does not move."""
    model = scara()
    t, q, v, a = motion(model.check(), n)
    q[:, 3], v[:, 3], a[:, 3] = 0.3, 0.0, 0.0
    tau = ts.compile(model).inverse_dynamics(q, v, a) + 0.5 * v + 0.3 * np.sign(v)
    return model, t, q, v, a, tau + 0.01 * np.random.default_rng(0).normal(size=tau.shape)


def test_what_the_motion_does_not_show_is_named(tmp_path):
    model, t, q, v, a, tau = held()
    found = robot(model, (t, q, v, a, tau))
    assert found.resting == ("j4",)
    assert {*found.unseen} == {"j4.coulomb", "j4.viscous", "j4.rotor"} & {*found.base}
    assert "hardly moved: j4; not shown by this motion: " in str(found)
    shown = {row["parameter"]: row["essential"] for row in found.table()}
    assert shown["j4.viscous"] == "not shown" and shown["j1.viscous"] is True
    page = found.report(tmp_path / "found.html").read_text()
    assert "Joints that hardly moved: j4" in page and "[N m]" in page


@pytest.mark.parametrize(
    "spoil, said",
    [
        (("q", (7, 2), np.nan), r"q3 \(j3.displacement\) is no number in row 8 \(1 such"),
        (("tau", (5, 1), np.inf), r"tau2 \(j2\) is no number in row 6"),
        (("t", 9, 0.0), "to 0 s in row 10; time must increase"),
    ],
)
def test_faults_of_data_are_told_by_their_place(spoil, said):
    model, t, q, _, _, tau = held(40)
    name, place, x = spoil
    {"q": q, "tau": tau, "t": t}[name][place] = x
    with pytest.raises(ts.ArgumentError, match=said):
        robot(model, {"time": t, "q": q, "tau": tau})


def test_friction_of_a_sign_speaks_for_itself_at_low_speeds():
    """Of (time, q, tau): a wrong width left so much over that what is usual kept it."""
    rng = np.random.default_rng(5)
    rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    t = np.arange(0, 10, 0.005)
    k, size, phase = (rng.uniform(*x, 4)[:, None] for x in ((0.5, 4), (0.01, 0.04), (0, 6)))
    q, v, a = (
        (size * k**n * np.sin(k * t + phase + n * np.pi / 2)).sum(axis=0)[:, None] for n in range(3)
    )
    tau = ts.compile(arm).inverse_dynamics(q, v, a) + 8 * np.sign(v) + 6 * v
    tau += 0.08 * rng.normal(size=tau.shape)
    found = robot(arm, (t, q, tau), rotors=False)
    assert found.friction_parameters["pivot.coulomb"] == 0
    for name, true in (("coulomb", 8), ("viscous", 6)):
        name = f"pivot.{name}"
        assert abs(found.base[name] - true) < 3.5 * found.sigma[name] < 0.4


def pendulum(*laws, **more) -> ts.Model:
    """A rod with laws at its pivot, by their names."""
    rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    pivot = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
    forces = [ts.JointForce(n, "pivot", law=law) for n, law in laws]
    return ts.Model(bodies=(rod,), joints=(pivot,), forces=forces, **more)


RUBS = (("rubs", ts.Viscous(0.3)), ("spring", ts.Spring(20.0, 0.0)), ("bias", ts.Effort(0.7)))


@pytest.mark.parametrize("motor", ["input", "time", "servo", "gain"])
def test_efforts_of_a_simulated_run_are_those_of_its_motors(motor):
    """Its signal `effort` is of all forces: friction was found zero, springs counted twice."""
    swing = {"u": lambda t: 8 * np.sin(3 * t) + 5 * np.sin(7.3 * t)}
    law, how = {
        "input": (ts.Effort(input="u"), {"control": lambda t, q, v: swing["u"](t), "period": 0.01}),
        "time": (ts.Effort(input="u"), {"inputs": swing}),
        "servo": (ts.Servo(kp=60.0, kd=0.5, target=0.8), {}),
        "gain": (ts.Effort(input="u", gain=-3.0), {"inputs": swing}),
    }[motor]
    inputs = (ts.Input("u"),) if motor != "servo" else ()
    plant = pendulum(("motor", law), *RUBS, inputs=inputs)
    run = ts.simulate(plant, 4.0, output=801, rtol=1e-10, **how)
    for model in (plant, pendulum(*RUBS[1:])):
        found = robot(model, run, friction=("viscous",), rotors=False, consistent=False)
        assert found.base["pivot.viscous"] == pytest.approx(0.3, rel=1e-6)
        assert found.base["rod.Iyy"] == pytest.approx(0.6, rel=1e-6)
        assert found.base["rod.mz"] == pytest.approx(-1.0, rel=1e-6)
    assert {f.name for f in found.system.model.forces} == {"spring", "bias"}


def test_a_saved_run_has_the_same_efforts(tmp_path):
    plant = pendulum(("motor", ts.Effort(input="u")), *RUBS, inputs=(ts.Input("u"),))
    run = ts.simulate(plant, 4.0, output=401, inputs={"u": "9*sin(3*t) + 5*sin(7.3*t)"})
    run.save(tmp_path / "run.nc")
    both = [
        robot(plant, r, rotors=False).base for r in (run, ts.Trajectory.load(tmp_path / "run.nc"))
    ]
    assert both[0] == both[1]


def test_runs_whose_motors_are_not_known_are_refused():
    free = ts.simulate(pendulum(*RUBS), 1.0, initial={"pivot.angle": 0.3})
    with pytest.raises(ts.TorseurError, match="no motor pushes in this run"):
        robot(pendulum(*RUBS), free)
    hand = ts.Wrench("hand", "rod", input="w")
    pushed = pendulum(
        ("motor", ts.Effort(input="u")), inputs=(ts.Input("u"), ts.Input("w", size=6))
    )
    pushed = replace(pushed, forces=(*pushed.forces, hand))
    run = ts.simulate(pushed, 1.0, inputs={"u": 2.0})
    with pytest.raises(ts.TorseurError, match="'hand' also brings work"):
        robot(pushed, run)


@pytest.mark.parametrize(
    ("law", "why"),
    [
        (ts.Expression("3*sin(t)*x"), "'odd', which depends on time"),
        (ts.BoucWen.examples()[0], "'odd', which has history"),
        (ts.LuGre(1.0, stiffness=100.0), "'odd', which has history"),
    ],
)
def test_forces_that_do_not_follow_from_place_and_speed_are_refused(law, why):
    q, v, a, tau = np.random.default_rng(0).normal(size=(4, 50, 1))
    with pytest.raises(ts.TorseurError, match=why):
        robot(pendulum(("odd", law), *RUBS), (q, v, a, tau), friction=("viscous",))


def test_efforts_of_an_inverse_problem_beside_a_servo():
    plant = pendulum(("servo", ts.Servo(kp=200.0, kd=20.0, target=0.8)), *RUBS)
    t = np.linspace(0, 4, 1001)
    motion = {"time": t, "pivot.angle": 0.6 * np.sin(2 * t) + 0.3 * np.sin(5.1 * t)}
    run = ts.inverse(plant, motion, times=t[50:-50])
    found = robot(plant, run, friction=("viscous",), rotors=False, consistent=False)
    assert found.base["pivot.viscous"] == pytest.approx(0.3, rel=1e-6)
    assert found.base["rod.mz"] == pytest.approx(-1.0, rel=1e-6)


def written(n=7, slide=False):
    """An arm whose right angles are written 1.5708, on a rail that is tilted if it slides."""
    rng = np.random.default_rng(5)
    turns = [(0.3, 0.2, 0), *[((-1) ** i * 1.5708, 0, 0) for i in range(n - 1)]]
    joints = [
        ts.Joint(
            f"j{i}",
            f"b{i - 1}" if i else "world",
            f"b{i}",
            ts.Prismatic("x") if slide and not i else ts.Revolute("z"),
            at=tuple(rng.uniform(-0.4, 0.4, 3).round(3).tolist()),
            rpy=turn,
        )
        for i, turn in enumerate(turns)
    ]
    return made("written", *joints)


@pytest.mark.filterwarnings("ignore:.*right angle")
@pytest.mark.parametrize("slide", [False, True])
def test_seven_joints_with_oblique_angles_are_exact_at_once(slide, monkeypatch):
    """Link by link: nothing is expanded, and what regroups has the very same efforts."""
    import torseur.symbolic as symbolic

    regressors = importlib.import_module(symbolic.base_parameters.__module__)
    monkeypatch.setattr(regressors, "regressor", None)  # the long way
    model = written(slide=slide)
    exact, lin = exact_base(model), linear(model)
    B = np.stack([row_of(text, list(lin.names)) for text in exact.values()])
    kept = [lin.names.index(n) for n in exact]
    assert len(exact) >= len(base(model))
    q, v, a = np.random.default_rng(1).normal(size=(3, 40, 7))
    Y = lin.regressor(q, v, a)
    np.testing.assert_allclose(Y[:, :, kept] @ B, Y, atol=1e-11 * abs(Y).max())


@pytest.mark.parametrize("make", [screw, ram, drone, geared, oblique])
def test_link_by_link_is_what_elimination_finds(make):
    from torseur.identify.robots.base_parameters import symbolic_linear_model
    from torseur.symbolic import base_parameters, equations, regressor

    lin = symbolic_linear_model(make(), ("viscous", "offset"), rotors=True)
    own = {i for k in lin.system.links if k.auxiliary for i in range(k.v.start, k.v.stop)}
    more = [(n, kind, i) for n, _, kind, i in lin.columns if kind != "inertia" and i not in own]
    want = regressor(equations(lin.system), more).base_parameters
    assert base_parameters(lin.system, more) == want
