"""Reactions of loops and constraints: wrenches that balance every body and do no work."""

import numpy as np
import pytest
from zoo import close

import torseur as ts
from torseur.constraints import Distance, Driven, KnifeEdge, Rolling
from torseur.dynamics.constraints.reactions import isolate
from torseur.errors import TorseurError
from torseur.formalisms import newton_euler
from torseur.joints import Free, Prismatic, Revolute, Spherical, Universal
from torseur.kinematics import poses
from torseur.model import Body, Joint, Loop, Model
from torseur.scalars import vector
from torseur.solve.constraint_system import constrained_system
from torseur.spatial import Wrench

BODY = {"mass": 2.0, "com": (0.1, 0.05, -0.1), "inertia": (0.1, 0.2, 0.15, 0.01, 0.02, 0.005)}


def spatial_loop() -> Model:
    """Two hinges at right angles joined by a rod with a ball and a universal joint; driven."""
    return Model(
        "RSUR",
        bodies=[Body(n, **BODY) for n in ("crank", "rod", "rocker")],
        joints=(
            Joint("A", "world", "crank", Revolute("x")),
            Joint("B", "crank", "rod", Spherical(), at=(0, 0, 0.1)),
            Joint("D", "world", "rocker", Revolute("y"), at=(0.4, 0.1, 0)),
        ),
        loops=(
            Loop(
                "C",
                "rocker",
                "rod",
                Universal("x", "y"),
                at=(0, 0, 0.2),
                child_at=(0.38, 0.05, 0.1),
            ),
        ),
        constraints=(Driven("motor", "A.angle", "0.2 + 3*t"),),
    )


def disc() -> Model:
    return Model(
        "disc",
        bodies=(Body("disc", mass=1.5, inertia=(0.3, 0.6, 0.3, 0, 0, 0)), Body("bob", **BODY)),
        joints=(
            Joint("fly", "world", "disc", Free()),
            Joint("hang", "disc", "bob", Spherical("xyz")),
        ),
        constraints=(
            Rolling("contact", "disc", radius=1.0),
            Distance("rod", ("bob", (0, 0, 0.3)), ("disc", (0.2, 0.3, 0)), 0.5),
        ),
    )


def sleigh() -> Model:
    return Model(
        "sleigh",
        bodies=(
            Body("x"),
            Body("y"),
            Body("sleigh", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ),
        joints=(
            Joint("px", "world", "x", Prismatic("x")),
            Joint("py", "x", "y", Prismatic("y")),
            Joint("turn", "y", "sleigh", Revolute("z")),
        ),
        constraints=(KnifeEdge("blade", "sleigh", "y"),),
    )


STARTS = {
    spatial_loop: {"A.angle": 0.2, "A.rate": 3.0, "D.angle": 0.1},
    disc: {"fly.pz": 0.9, "fly.wy": 4.0, "fly.wz": 1.0, "hang.angle1": 0.3},
    sleigh: {"px.speed": 1.0, "turn.rate": 0.5},
}


@pytest.mark.parametrize("make", STARTS, ids=lambda f: f.__name__)
def test_wrenches_balance_the_motion(make):
    """With the wrenches of the constraints on its bodies, the tree needs no other effort."""
    c = constrained_system(make())
    q, v = c.assemble(STARTS[make], keep=[n for n in STARTS[make] if n in ("A.angle", "A.rate")])
    a, lam = c.acceleration(q, v)
    loops, joints, tau = c._call("held_reactions", 0.0, q, v, a, lam)
    flat = c.system.floats()
    carried = newton_euler.inverse_dynamics(flat, *map(vector, (q, v, a)))
    J = c.terms(q, v).J
    scale = max(1.0, abs(carried).max(), abs(lam).max())
    close(J.T @ lam, carried, 20000, scale=scale)
    for k, F in zip(c.system.links, joints, strict=True):
        S = np.array(k.joint.subspace(flat.K, vector(q[k.q])), dtype=float)
        close(S.T @ F, tau[k.v], 20000, scale=scale)
    assert np.isfinite(loops).all() and len(loops) >= 1


@pytest.mark.parametrize("make", [spatial_loop, disc], ids=lambda f: f.__name__)
def test_isolation_agrees_with_the_reactions(make):
    """The wrench a body needs is the sum of those of the joints and loops that it cuts."""
    c = constrained_system(make())
    q, v = c.assemble(STARTS[make], keep=[n for n in STARTS[make] if n in ("A.angle", "A.rate")])
    a, lam = c.acceleration(q, v)
    R = c.reactions(q, v, a, lam)
    flat = c.system.floats()
    X = poses(flat, vector(q))
    body = {"RSUR": "rod", "disc": "disc"}[c.system.name]
    cut = isolate(flat, c.system, body, *map(vector, (q, v, a)))
    total = Wrench()
    for k in c.system.links:
        if k.name in cut.joints:
            F = X[k.index].push_wrench(Wrench.of(R[k.name]))
            total = total + (F if c.system.places[body].link == k.index else -F)
    for e in c.elements:
        if e.name in cut.loops and e.name in R:
            X_WM = X[e.M.link] @ type(e.M.X_LB)(
                flat.K.numbers(e.M.X_LB.R), flat.K.numbers(e.M.X_LB.p)
            )
            F = X_WM.push_wrench(Wrench.of(R.pop(e.name)))
            total = total + (F if c.system.places[body].link == e.M.link else -F)
    close(total.array, cut.dynamic.array.astype(float), 20000, scale=abs(lam).max() + 20)


def test_isolation_speaks_of_welds_and_unknown_names():
    from torseur.joints import Weld

    model = Model(
        bodies=(Body("a", **BODY), Body("b", **BODY)),
        joints=(Joint("hinge", "world", "a", Revolute("z")), Joint("weld", "a", "b", Weld())),
    )
    system = model.check()
    zero = vector([0.0])
    with pytest.raises(TorseurError, match="'b' is welded"):
        isolate(system.floats(), system, "a", zero, zero, zero)
    with pytest.raises(TorseurError, match="no body is named 'c'"):
        isolate(system.floats(), system, ("a", "c"), zero, zero, zero)
    both = isolate(system.floats(), system, ("a", "b"), zero, zero, zero)
    assert both.joints == ("hinge",) and both.loops == ()
    close(both.dynamic.force, [0, 0, 4 * 9.81], 20)


def test_driving_torque_is_the_multiplier():
    """A driven pendulum at rest: the motor holds the weight."""
    model = Model(
        bodies=(Body("rod", mass=2.0, com=(0.5, 0, 0)),),
        joints=(Joint("pivot", "world", "rod", Revolute("y")),),
        constraints=(Driven("motor", "pivot.angle", "0*t"),),
    )
    c = constrained_system(model)
    _, lam = c.acceleration(np.zeros(1), np.zeros(1))
    assert lam[0] == pytest.approx(-9.81)
    assert c.multipliers == (("motor.multiplier", "N m"),)


def test_multipliers_of_a_loop_have_the_labels_and_units_of_its_joint():
    """A beam held by a hinge as a loop: force along, moment about, each in its own unit."""
    beam = ts.Body("beam", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    model = ts.Model(
        bodies=(beam,),
        joints=(ts.Joint("fly", "world", "beam", ts.Free("xyz")),),
        loops=(ts.Loop("C", "world", "beam", ts.Revolute("z")),),
        gravity=(0, 0, -9.81),
    )
    system = model.check()
    c = constrained_system(system)
    assert [u for _, u in c.multipliers] == ["N", "N", "N", "N m", "N m"]
    (hinge,) = system.held
    said = [hinge.says(label) for label in hinge.labels]
    assert said[:3] == [f"C: force along {a} [N]" for a in "xyz"]
    assert said[3:] == ["C: moment about y [N m]", "C: moment about x [N m]"]
    run = ts.simulate(model, t_end=0.01)
    assert run.units["C.about_y.multiplier"] == "N m"
    # statics: the hinge lifts the weight and holds its moment about y, -m g / 2 of the weight
    np.testing.assert_allclose(run["C.z.multiplier"][0], 2 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(run["C.about_y.multiplier"][0], -9.81, rtol=1e-9)
    np.testing.assert_allclose(run["C.about_x.multiplier"][0], 0, atol=1e-9)
