"""Placements that time moves: every joint on them, every formalism, every scalar, every book.

The independent side is Lagrange from energies (with explicit time), differences of poses, closed
forms, or the same mechanism with the moving frame written as joints that `Driven` moves.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from zoo import around, close, label, one_of_each, state, tree

import torseur as ts
from torseur.formalisms import (
    FORMALISMS,
    articulated_body,
    composite_body,
    lagrange,
    newton_euler,
    virtual_power,
)
from torseur.integrate import METHODS
from torseur.joints import EVERY_JOINT
from torseur.kinematics import acceleration, pose, velocity
from torseur.scalars import Floats, Graph

AT = ("0.3*sin(2*t)", "0.2*t**2", "0.1*cos(3*t) - 0.4*t")
RPY = ("0.5*sin(t)", "0.7*t", "0.3*cos(2*t)")
T = 0.83


def carried(model, names=(), at=AT, rpy=RPY):
    """The model with the placements of some joints (or all) moved by time."""
    joints = (
        replace(j, at=tuple(f"({x}) + {y}" for x, y in zip(j.at, at, strict=True)), rpy=rpy)
        if not names or j.name in names
        else j
        for j in model.joints
    )
    return replace(model, joints=tuple(joints))


def over_graph(system, f, q, v, a, t):
    """Numbers of `f(tree, q, v, a)` as a graph in which time is a symbol."""
    K = Graph()
    tree = system.over(K)
    symbols = [
        K.symbols(f"{p}{i}" for i in range(n))
        for p, n in zip("qva", (system.nq, system.nv, system.nv), strict=True)
    ]
    given = [K.sx(x) for x in symbols] + [K.parameters["t"].x]
    run = ca.Function("f", given, [K.sx(f(tree, *symbols))])
    return np.array(run(q, v, a, t)).ravel()


@pytest.mark.parametrize("joint", one_of_each(EVERY_JOINT))
def test_every_joint_moved_by_time_agrees_with_lagrange(joint):
    model = tree((joint, ts.Revolute("x")), 4, parents=(-1, 0), armature=True)
    system = carried(model, (model.joints[0].name,)).check()
    assert system.rheonomic and system.nv == model.check().nv
    numbers = system.over(Floats({"t": T}))
    q, v, a = state(system, np.random.default_rng(3))
    want = over_graph(system, lagrange.inverse_dynamics, q, v, a, T)
    got = newton_euler.inverse_dynamics(numbers, q, v, a)
    close(got, want, 1e5)
    for name, formalism in FORMALISMS.items():
        if name in ("uicker", "global_inertia") and not _counted(name, joint):
            continue
        if "derive" not in formalism.needs:
            close(formalism(numbers, q, v, a), want, 1e5)
    close(articulated_body.forward_dynamics(numbers, q, v, got), a, 1e6)
    M, h = (
        composite_body.mass_matrix(numbers, q),
        newton_euler.inverse_dynamics(numbers, q, v, 0 * a),
    )
    close(M @ a + h, want, 1e5)


def _counted(name, joint) -> bool:
    """Whether a formalism that counts speeds takes this joint at all."""
    system = around(joint, seed=4).check()
    try:
        FORMALISMS[name](system.floats(), *state(system, np.random.default_rng(0)))
    except ts.TorseurError:
        return False
    return True


def test_poses_velocities_and_accelerations_are_derivatives():
    model = carried(around(ts.Spherical("zyx"), seed=2))
    system = replace(model, frames=(ts.Frame("tip", "b1", at=AT, rpy=RPY),)).check()
    q, v, a = state(system, np.random.default_rng(1))
    want = over_graph(system, lagrange.inverse_dynamics, q, v, a, T)
    close(over_graph(system, virtual_power.inverse_dynamics, q, v, a, T), want, 1e5)
    assert all(k.joint.holonomic for k in system.links)
    h = 1e-4

    def at(s):
        K = Floats({"t": T + s})
        here = system.over(K)
        x, u = q + s * v + s * s / 2 * a, v + s * a
        return pose(here, "tip", x), velocity(here, "tip", x, u), acceleration(here, "tip", x, u, a)

    (X0, V0, A0), (X1, V1, _), (X2, V2, _) = (at(s) for s in (0.0, h, -h))
    close(V0[3:], (X1.p - X2.p) / (2 * h), 1, scale=1e9)
    W = (X1.R - X2.R).astype(float) / (2 * h) @ X0.R.T.astype(float)
    close(V0[:3], (W[2, 1], W[0, 2], W[1, 0]), 1, scale=1e9)
    close(A0, (V1 - V2) / (2 * h), 1, scale=3e9)


def kapitza(**more):
    bob = ts.Body("bob", mass=1.5, com=(0, 0, -0.8), inertia=(0.12, 0.2, 0.25, 0.01, 0, 0.02))
    pivot = ts.Joint("piv", "world", "bob", ts.Revolute("y"), at=(0, 0, "0.1*sin(20*t)"))
    return ts.Model("kapitza", bodies=(bob,), joints=(pivot,), **more)


@pytest.mark.parametrize("t", [0.0, 0.1, 0.37])
def test_a_pivot_that_moves(t):
    dyn, J = ts.compile(kapitza()), 0.2 + 1.5 * 0.8**2
    tau = dyn.inverse_dynamics([0.4], [0.3], [0.2], t=t)
    close(tau, [J * 0.2 + 1.5 * 0.8 * (9.81 - 40 * np.sin(20 * t)) * np.sin(0.4)], 100)
    close(dyn.forward_dynamics([0.4], [0.3], tau, t=t), [0.2], 100)
    lift = 2 * np.cos(20 * t)
    V = lift + 0.3 * 0.8 * np.sin(0.4), 0.3 * 0.8 * np.cos(0.4)
    kinetic, potential = dyn.energy([0.4], [0.3], t=t)
    close(kinetic, (1.5 * (V[0] ** 2 + V[1] ** 2) + 0.2 * 0.3**2) / 2, 100)
    close(potential, 1.5 * 9.81 * (0.1 * np.sin(20 * t) - 0.8 * np.cos(0.4)), 100)
    close(dyn.gravity_forces([0.4], t=t), [1.5 * 9.81 * 0.8 * np.sin(0.4)], 100)
    with pytest.raises(ts.TorseurError, match="use bias"):
        dyn.coriolis_matrix([0.4], [0.3], t=t)


def base_model(moved):
    """An arm on a platform: its motion as a placement, or by driven joints."""
    arm = ts.Body("a", 2.0, com=(0, 0.1, -0.3), inertia=(0.2, 0.21, 0.1, 0, 0, 0))
    deck = ts.Body("deck", 30.0, com=(0.1, 0, 0), inertia=(3, 4, 5, 0, 0, 0))
    up = ts.Joint("up", "deck", "a", ts.Revolute("y"), at=(0.2, 0, -0.1))
    heave, roll = "0.2*sin(3*t)", "0.3*sin(2*t + 1/2)"
    spring = ts.PointForce("s", ("a", (0, 0, -0.3)), "world", ts.Spring(40.0, 0.2))
    if moved:
        joint = ts.Joint("hull", "world", "deck", ts.Weld(), at=(0, 0, heave), rpy=(roll, 0, 0))
        return ts.Model("ship", bodies=(deck, arm), joints=(joint, up), forces=(spring,))
    lift = ts.Joint("heave", "world", "lift", ts.Prismatic("z"))
    turn = ts.Joint("roll", "lift", "deck", ts.Revolute("x"))
    drives = (ts.Driven("h", "heave.displacement", heave), ts.Driven("r", "roll.angle", roll))
    bodies = (ts.Body("lift"), deck, arm)
    return ts.Model(
        "ship", bodies=bodies, joints=(lift, turn, up), constraints=drives, forces=(spring,)
    )


START = {"up.angle": 0.3, "up.rate": 1.0}


def test_a_moving_base_moves_as_driven_joints_and_closes_its_books():
    moved = ts.simulate(base_model(True), 1.0, START, rtol=1e-10)
    driven = ts.simulate(base_model(False), 1.0, START, rtol=1e-10)
    assert moved.completed and driven.completed
    for name in ("up.angle", "up.rate", "a.position.x", "deck.orientation.x", "energy.kinetic"):
        close(moved[name][-1], driven[name][-1], 1, scale=1e7)
    close(moved["energy.supplied"][-1], driven["energy.supplied"][-1], 1, scale=1e8)
    close(moved["hull.reaction.force.z"][-1], driven["roll.reaction.force.z"][-1], 1, scale=1e9)
    assert abs(moved["energy.residual"]).max() < 1e-8 * abs(moved["energy.kinetic"]).max()


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_moves_the_pivot(method):
    reference = ts.simulate(kapitza(), 0.2, {"piv.angle": 0.4}, rtol=1e-11)
    fixed = {"step": 1e-4} if method in ("euler", "newmark", "rk4", "semi_implicit") else {}
    run = ts.simulate(kapitza(), 0.2, {"piv.angle": 0.4}, method=method, **fixed)
    assert run.completed
    room = {"euler": 1e-3, "semi_implicit": 1e-3, "newmark": 1e-6}.get(method, 1e-8)
    assert abs(run["piv.angle"][-1] - reference["piv.angle"][-1]) < room
    assert abs(run["energy.residual"]).max() < 20 * max(room, 1e-6)


def test_batches_files_and_derivatives(tmp_path):
    model = kapitza(initial={"piv.angle": 0.4})
    model.save(tmp_path / "k.yaml")
    run = ts.simulate(ts.load(tmp_path / "k.yaml"), 0.3, rtol=1e-11)
    several = ts.batch(model, 0.3, {"piv.angle": np.array([0.1, 0.4])}, rtol=1e-11)
    close(several["piv.angle"][1, -1], run["piv.angle"][-1], 1, scale=1e6)
    run = ts.simulate(model, 0.3, rtol=1e-11, sensitivities=("piv.angle",))
    h = 1e-5
    low, high = (
        ts.simulate(model, 0.3, {"piv.angle": 0.4 + x}, rtol=1e-11)["piv.rate"][-1] for x in (-h, h)
    )
    found = run.sensitivity("piv.rate", "piv.angle")[-1]
    assert abs(found - (high - low) / (2 * h)) < 1e-7 * abs(found)


def test_efforts_along_a_motion_take_the_moving_base_into_account():
    run = ts.inverse(kapitza(), {"piv.angle": "0.3*sin(2*t)"}, times=np.linspace(0, 1, 11))
    t = run.time
    angle, acceleration = 0.3 * np.sin(2 * t), -1.2 * np.sin(2 * t)
    lift, J = -40 * np.sin(20 * t), 0.2 + 1.5 * 0.64
    close(run["piv.effort.transport"], 1.5 * 0.8 * lift * np.sin(angle), 100)
    close(run["piv.effort.gravity"], 1.5 * 0.8 * 9.81 * np.sin(angle), 100)
    close(run["piv.effort.inertia"], J * acceleration, 100)
    close(run["piv.effort.coriolis"], 0 * t, 100)
    whole = J * acceleration + 1.5 * 0.8 * (9.81 + lift) * np.sin(angle)
    close(run["piv.effort"], whole, 100)


def test_what_turns_evenly_has_an_equilibrium_and_what_shakes_has_none():
    def governor(turn):
        rod = ts.Body("rod", mass=1.0, com=(0, 0, -0.5))
        pivot = ts.Joint("p", "world", "rod", ts.Revolute("y"), rpy=(0, 0, turn))
        return ts.Model("governor", bodies=(rod,), joints=(pivot,))

    found = ts.equilibrium(governor("6*t"), {"p.angle": 0.8})
    close(np.cos(found["p.angle"]), 9.81 / (36 * 0.5), 1e4)
    w = ts.modes(governor("6*t"), {"p.angle": found["p.angle"]}).omega[0]
    close(w, 6 * np.sin(found["p.angle"]), 1e6)
    with pytest.raises(ts.TorseurError, match="not at rest later"):
        ts.equilibrium(governor("6*t + 0.1*t**2"), {"p.angle": 0.8})
    A = ts.linearize(kapitza(), {"piv.angle": 0.4}, t=0.1).A
    close(A[1, 0], -1.2 * (9.81 - 40 * np.sin(2)) * np.cos(0.4) / (0.2 + 0.96), 1e3)


@pytest.mark.parametrize("friction, restitution", [(0.0, 0.5), (0.3, 0.0), (0.4, 0.6)])
def test_contacts_on_a_moving_plate_close_their_books(friction, restitution):
    box = ts.Body("box", 2.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    plate = ts.Body("plate", 5.0, inertia=(1, 1, 1, 0, 0, 0))
    joints = (
        ts.Joint(
            "shaker",
            "world",
            "plate",
            ts.Weld(),
            at=("0.1*sin(6*t)", 0, "0.05*sin(11*t)"),
            rpy=(0, "0.1*sin(3*t)", 0),
        ),
        ts.Joint("fly", "world", "box", ts.Planar("y", order="translation_first")),
    )
    touch = ts.Contact("c", "box", ground="plate", friction=friction, restitution=restitution)
    model = ts.Model("shaken", bodies=(box, plate), joints=joints, constraints=(touch,))
    run = ts.simulate(model, 0.6, {"fly.x": 0.1}, rtol=1e-9)
    assert run.completed and any("lands" in e.name for e in run.events)
    assert abs(run["energy.residual"]).max() < 1e-6
    assert (np.diff(run["energy.dissipated"]) > -1e-9).all()


def test_a_frame_and_an_end_of_a_loop_that_move():
    def rod(name):
        return ts.Body(name, 1.0, com=(0.2, 0, 0), inertia=(0.01, 0.05, 0.05, 0, 0, 0))

    pin = ts.Revolute("y")
    joints = (ts.Joint("A", "world", "a", pin), ts.Joint("B", "a", "b", pin, at=(0.4, 0, 0)))
    place = ("0.5 + 0.05*sin(7*t)", 0, "0.1*t")
    loop = ts.Loop("C", "world", "b", pin, at=place, child_at=(0.4, 0, 0))
    frame = ts.Frame("guide", "world", at=place)
    model = ts.Model("two bars", bodies=(rod("a"), rod("b")), joints=joints, loops=(loop,))
    model = replace(model, frames=(frame, ts.Frame("end", "b", at=(0.4, 0, 0))))
    run = ts.simulate(model, 0.5, {"A.angle": -0.9, "B.angle": 1.8}, keep=(), rtol=1e-9)
    assert run.completed
    for axis in "xz":
        close(run[f"end.position.{axis}"], run[f"guide.position.{axis}"], 1, scale=1e7)
        close(run[f"end.velocity.{axis}"], run[f"guide.velocity.{axis}"], 1, scale=1e8)
    assert abs(run["energy.residual"]).max() < 1e-8
    size = (np.hypot(*(run[f"{n}.reaction.force.{i}"] for i in "xz")) for n in ("C.carriage", "C"))
    close(*size, 1, scale=1e9)


LETTERS = {
    "a pivot shaken": ((0, 0, "A*cos(w*t)"), (0, 0, 0)),
    "a pivot turned": (("R*cos(W*t)", "R*sin(W*t)", 0), (0, 0, "W*t")),
    "a pivot tilted": (("b*t**2", 0, "c*t"), ("W*t", 0.3, 0)),
}


def lettered(at, rpy, kind):
    bob = ts.Body("bob", mass="m", com=(0, 0, "-L"), inertia=("J", "J", "J", 0, 0, 0))
    joint = ts.Joint("piv", "world", "bob", kind, at=at, rpy=rpy)
    return ts.Model("letters", gravity=(0, 0, "-g"), bodies=(bob,), joints=(joint,))


@pytest.mark.parametrize("kind", [ts.Revolute("y"), ts.Universal("x", "y")], ids=label)
@pytest.mark.parametrize("place", LETTERS)
def test_the_ring_proves_every_formalism_equal(place, kind):
    model = lettered(*LETTERS[place], kind)
    eq = ts.equations(model)
    assert "t" in eq.parameters
    for formalism in ("lagrange", "lie_group", "uicker", "global_inertia"):
        assert ts.equations(model, formalism) == eq
    n = model.check().nv
    for i in range(n):  # the parts are the whole
        whole = eq.gravity[i] + eq.transport[i]
        a, v = ([eq.read(f"{d}q{j + 1}") for j in range(n)] for d in ("d2", "d"))
        for j in range(n):
            whole = whole + eq.mass_matrix[i, j] * a[j] + eq.centrifugal[i, j] * (v[j] * v[j])
            for k in range(j + 1, n):
                whole = whole + eq.coriolis[i, j, k] * (v[j] * v[k])
        assert whole == eq.tau[i]
    with pytest.raises(ts.TorseurError, match=r"eq\.transport"):
        _ = eq.matrices


def test_printed_equations_evaluate_as_kernels_and_as_code():
    model = lettered(*LETTERS["a pivot turned"], ts.Universal("x", "y"))
    eq, system = ts.equations(model), model.check()
    p = {"g": 9.81, "m": 1.3, "L": 0.7, "J": 0.2, "R": 0.4, "W": 1.7, "t": 0.6}
    q, v, a = state(system, np.random.default_rng(5))
    names = tuple(n for n in p if n != "t")
    kernel = ts.compile(system, parameters=names)
    want = kernel.inverse_dynamics(q, v, a, p=[p[n] for n in names], t=p["t"])
    close(eq.evaluate(q, v, a, p), want, 100)
    space: dict = {}
    exec(eq.code("python"), space)
    close(space["tau"](q, v, a, [p[n] for n in eq.parameters]), want, 100)
    with pytest.raises(ts.TorseurError, match="no value for t"):
        eq.evaluate(q, v, a, {n: p[n] for n in names})
    still, moved = (
        ts.equations(lettered((x, 0, 0), (0, 0, 0), ts.Revolute("y"))) for x in (0, "b*t")
    )
    assert moved.tau[0] == still.tau[0].text()  # an even motion asks for nothing
    assert str(moved.energies[0]) != str(still.energies[0])


def test_rows_that_time_moves_print_what_they_ask_of_speeds():
    model = lettered((0, 0, 0), (0, 0, 0), ts.Revolute("y"))
    driven = replace(model, constraints=(ts.Driven("d", "piv.angle", "b*sin(w*t)"),))
    eq = ts.equations(driven)
    assert eq.constraints.nu[0] == "b w cos(w t)"
    assert "J v = nu" in str(eq) and "nu1 = b w cos(w t)" in str(eq)
    assert r"\nu_{1}" in eq.latex() and "&#x3BD;" in eq.mathml()
    assert "nu" not in str(ts.equations(model))


def test_kernels_ask_for_the_time_and_odd_motions_are_refused():
    with pytest.raises(ts.TorseurError, match="give t="):
        ts.compile(kapitza()).bias([0.1], [0.2])
    for text in ("abs(t)", "max(t, 1)", "sign(t)"):
        pivot = replace(kapitza().joints[0], at=(0, 0, text))
        with pytest.raises(ts.ModelError, match="second derivative"):
            replace(kapitza(), joints=(pivot,)).check()
