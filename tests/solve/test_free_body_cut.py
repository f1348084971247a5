"""Joints in parts, power of reactions, what crosses a cut, derivatives in moving frames."""

import numpy as np
import pytest

import torseur as ts
from torseur.scalars import Floats, vector
from torseur.spatial import (
    Momentum,
    Twist,
    Wrench,
    classical_acceleration,
    exp,
    moving_derivative,
    spatial_acceleration,
)

TOP = ts.Body("top", mass=2.0, com=(0.05, 0.02, 0.2), inertia=(0.3, 0.5, 0.7, 0.02, 0, 0.01))


@pytest.mark.parametrize(
    "kind", [ts.Spherical("yxz"), ts.Planar("y"), ts.Cylindrical("x"), ts.Free("zxz")], ids=repr
)
def test_a_joint_in_parts_moves_as_the_joint(kind):
    own = [n for n, _ in kind.coordinates]
    start = {f"j.{n}": 0.2 + 0.1 * i for i, n in enumerate(own)}
    model = ts.Model(
        "whole",
        bodies=(TOP,),
        joints=(
            ts.Joint(
                "j",
                "world",
                "top",
                kind,
                at=(0.1, 0, 0.3),
                rpy=(0.2, 0.1, 0),
                child_at=(0, 0.1, 0),
                damping=tuple(0.1 + 0.1 * i for i in range(kind.nv)),
            ),
        ),
        forces=(
            ts.JointForce("k", "j", ts.Spring(5.0), own[-1]),
            ts.CoordinateForce("c", {f"j.{own[0]}": 2.0, f"j.{own[-1]}": -1.0}, ts.Spring(3.0)),
        ),
        initial=start,
    )
    parts = ts.decomposed(model, "j")
    one, two = (ts.simulate(m, 0.4, rtol=1e-10) for m in (model, parts))
    for c in "xyz":
        name = f"top.position.{c}"
        np.testing.assert_allclose(two[name], one[name], atol=1e-7)
    step = kind.steps()[-1]  # the wrench on the last body is the joint's own
    last = f"j_{own[step.index]}.reaction.force"
    size = [
        np.sqrt(sum(run[f"{n}.{c}"] ** 2 for c in "xyz"))
        for run, n in ((one, "j.reaction.force"), (two, last))
    ]
    np.testing.assert_allclose(size[1], size[0], atol=1e-6)


def test_what_is_no_chain_is_told():
    ball = ts.Joint("ball", "world", "top", ts.Spherical())
    model = ts.Model("m", bodies=(TOP,), joints=(ball,))
    with pytest.raises(ts.TorseurError, match="no chain of elementary motions"):
        ts.decomposed(model, "ball")
    with pytest.raises(ts.TorseurError, match="no joint is named 'bal'"):
        ts.decomposed(model, "bal")


def arm(**more):
    rod = ts.Body("rod", mass=1.0, com=(0.3, 0, 0), inertia=(0.01, 0.02, 0.03, 0, 0, 0))
    tip = ts.Body("tip", mass=0.5, com=(0.2, 0.1, 0), inertia=(0.01, 0.02, 0.02, 0, 0, 0))
    joints = (
        ts.Joint("a", "world", "rod", ts.Revolute("z"), damping=0.3),
        ts.Joint("b", "rod", "tip", ts.Spherical("zyx"), at=(0.6, 0, 0)),
    )
    spring = ts.PointForce("s", ("tip", (0.4, 0, 0)), "world", ts.Spring(40.0, 0.2))
    inner = ts.PointForce("i", ("tip", (0, 0.4, 0)), "rod", ts.Spring(20.0, 0.2))
    return ts.Model("arm", bodies=(rod, tip), joints=joints, forces=(spring, inner), **more)


def test_perfect_joints_give_no_power_and_others_what_they_lose():
    run = ts.simulate(arm(), 0.5, {"b.angle1": 0.3, "a.rate": 2.0}, rtol=1e-9)
    np.testing.assert_allclose(run["b.reaction.power"], 0, atol=1e-9)
    np.testing.assert_allclose(run["a.reaction.power"], -0.3 * run["a.rate"] ** 2, atol=1e-8)
    dyn = ts.compile(arm())
    rng = np.random.default_rng(1)
    q, v, a = rng.uniform(-1, 1, (3, 4))
    found = dyn.kernel("reaction_power")(q, v, a)
    tau = dyn.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(found, [tau[0] * v[0], tau[1:] @ v[1:]], atol=1e-12)


@pytest.mark.parametrize("bodies", ["tip", ("rod", "tip"), "rod"])
def test_what_crosses_a_cut_is_the_dynamic_screw(bodies):
    """And that is the rate of momentum, less the weight: by differences of the momentum."""
    model = arm()
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-0.8, 0.8, (2, 4))
    cut = ts.solve.isolate(model, bodies, q, v)
    total = sum((F.array for F in cut.across.values()), start=np.zeros(6)).astype(float)
    np.testing.assert_allclose(total, cut.dynamic.array.astype(float), atol=1e-10)
    inside = {bodies} if isinstance(bodies, str) else set(bodies)
    assert ("s" in cut.across) == ("tip" in inside)
    assert ("i" in cut.across) == (len(inside) == 1)

    h = 1e-4
    now = dict(zip((*model.check().coordinates, *model.check().speeds), [*q, *v], strict=True))
    run = ts.simulate(model, 2 * h, now, rtol=1e-12, output=[0, h, 2 * h])
    momenta, weight, m = [], 0, {b.name: b.mass for b in model.bodies}
    for i in range(3):
        p = np.zeros(3)
        for b in inside:
            body = next(x for x in model.bodies if x.name == b)
            w = [run[f"{b}.angular_velocity.{c}"][i] for c in "xyz"]
            u = [run[f"{b}.velocity.{c}"][i] for c in "xyz"]
            R = _matrix([run[f"{b}.orientation.{c}"][i] for c in "wxyz"])
            p += body.mass * (np.array(u) + np.cross(w, R @ np.array(body.com, dtype=float)))
        momenta.append(p)
    weight = sum(m[b] for b in inside) * np.array([0, 0, -9.81])
    rate = (-3 * momenta[0] + 4 * momenta[1] - momenta[2]) / (2 * h) - weight
    np.testing.assert_allclose(cut.dynamic.force.astype(float), rate, atol=1e-3)


def _matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_a_cut_through_a_loop():
    """A four-bar: the coupler alone, joined by a pin and by a loop."""
    rods = [ts.Body(n, mass=1.0, com=(x, 0, 0), inertia=(0.01, 0.1, 0.1, 0, 0, 0))
            for n, x in (("crank", 0.2), ("coupler", 0.5), ("rocker", 0.4))]  # fmt: skip
    model = ts.Model(
        "fourbar",
        gravity=(0, 0, -9.81),
        bodies=rods,
        joints=(
            ts.Joint("A", "world", "crank", ts.Revolute("y")),
            ts.Joint("B", "crank", "coupler", ts.Revolute("y"), at=(0.4, 0, 0)),
            ts.Joint("D", "world", "rocker", ts.Revolute("y"), at=(1.0, 0, 0)),
        ),
        loops=(
            ts.Loop("C", "coupler", "rocker", ts.Revolute("y"), at=(1, 0, 0), child_at=(0.8, 0, 0)),
        ),
    )
    state = ts.assemble(
        model,
        {"A.angle": -1.0, "B.angle": 0.6, "D.angle": -1.4, "A.rate": 1.0},
        keep=["A.angle", "A.rate"],
    )
    cut = ts.solve.isolate(model, "coupler", state.q, state.v)
    assert set(cut.across) == {"B", "C"}
    total = sum(F.array.astype(float) for F in cut.across.values())
    np.testing.assert_allclose(total, cut.dynamic.array.astype(float), atol=1e-9)


def test_derivatives_in_a_moving_frame():
    """A screw fixed in a frame that moves, by differences of its components at rest."""
    rng = np.random.default_rng(5)
    V, s, F = (rng.uniform(-1, 1, 6) for _ in range(3))
    h, e = 1e-6, Twist.of(V.tolist())
    ahead, back = (exp(e * x) for x in (h, -h))
    seen = Twist.of(s.tolist())
    moved = [X.inverse().pull_twist(seen).array.astype(float) for X in (ahead, back)]
    found = moving_derivative(e, seen).array.astype(float)
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * h), atol=1e-8)
    W = Wrench.of(F.tolist())
    moved = [np.array(X.push_wrench(W).array, dtype=float) for X in (ahead, back)]
    found = moving_derivative(e, W).array.astype(float)
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * h), atol=1e-8)
    assert isinstance(moving_derivative(e, Momentum(F[:3].tolist(), F[3:].tolist())), Momentum)
    grows = Twist.of([1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(
        (moving_derivative(e, seen, grows) - moving_derivative(e, seen)).array.astype(float),
        range(1, 7), atol=1e-15,
    )  # fmt: skip


def test_the_two_accelerations_of_a_body():
    from torseur.kinematics import acceleration, accelerations

    system = arm().check()
    tree = system.over(Floats())
    rng = np.random.default_rng(7)
    q, v, a = (vector(rng.uniform(-1, 1, 4).tolist()) for _ in range(3))
    place = tree.place("tip")
    moving, A = accelerations(tree, q, v, a)[place.link]
    V, A = (place.X_LB.pull_twist(x) for x in (moving.V, A))
    both = classical_acceleration(A, V)
    X = moving.X_W @ place.X_LB
    want = acceleration(tree, "tip", q, v, a).astype(float)
    np.testing.assert_allclose(X.rotate(both.linear).astype(float), want[3:], atol=1e-12)
    back = spatial_acceleration(both, V)
    np.testing.assert_allclose(back.array.astype(float), A.array.astype(float), atol=1e-14)
