"""The checked system: order, names, ports, places, state; immutable; one K, one system."""

import gc
import itertools
import pickle
import weakref
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from zoo import close, floats, tree

import torseur as ts
from torseur import kinematics
from torseur.errors import TorseurError
from torseur.formalisms import newton_euler
from torseur.joints import Cylindrical, Free, Helical, Prismatic, Revolute, Spherical, Weld
from torseur.model import Body, Frame, Input, Joint, Model, Parameters, Rotor
from torseur.scalars import Floats, Graph
from torseur.system import Entry

ONE = (1, 1, 1, 0, 0, 0)
BODIES = [
    Body(n, 1.0, (0, 0, 0.1), ONE) for n in ("trunk", "head", "left", "right", "hand", "ring")
]
MODEL = Model(
    "figure",
    bodies=BODIES,
    joints=(
        Joint("grip", "left", "hand", Prismatic("x")),
        Joint("neck", "trunk", "head", Spherical("zyx"), at=(0, 0, 0.5)),
        Joint("float", "world", "trunk", Free()),
        Joint("glue", "hand", "ring", Weld(), at=(0.1, 0, 0), rpy=(0, 0, "pi/2")),
        Joint("l", "trunk", "left", Revolute("y"), at=(0, 0.2, 0)),
        Joint("r", "trunk", "right", Cylindrical("x"), at=(0, -0.2, 0)),
    ),
    frames=(Frame("tip", "ring", at=(0, 0, 0.3)),),
    rotors=(Rotor("motor", 0.01),),
    inputs=(Input("push", unit="N"), Input("load", size=3)),
    parameters={"k": 2.0, "free": None},
)


@pytest.fixture(scope="module")
def system():
    return MODEL.check()


def test_links_are_ordered_by_degree_and_numbered(system):
    assert [k.name for k in system.links] == ["float", "neck", "l", "r", "grip", "motor"]
    assert [k.parent for k in system.links] == [0, 1, 1, 1, 3, 0]
    assert (system.nq, system.nv) == (7 + 3 + 1 + 2 + 1 + 1, 6 + 3 + 1 + 2 + 1 + 1)
    stops = [(k.q.start, k.q.stop, k.v.start, k.v.stop) for k in system.links]
    assert stops[0] == (0, 7, 0, 6) and all(a[1::2] == b[::2] for a, b in itertools.pairwise(stops))


def test_names_of_coordinates_and_speeds(system):
    assert system.coordinates[:8] == (
        "float.px", "float.py", "float.pz", "float.qw", "float.qx", "float.qy", "float.qz",
        "neck.angle1",
    )  # fmt: skip
    assert system.speeds[:6] == tuple(f"float.{n}" for n in ("wx", "wy", "wz", "vx", "vy", "vz"))
    assert system.coordinates[-5:] == (
        "l.angle", "r.angle", "r.displacement", "grip.displacement", "motor.angle",
    )  # fmt: skip
    assert system.speeds[-3:] == ("r.speed", "grip.speed", "motor.rate")


def test_ports_name_every_number_once(system):
    ports = {(p.place, p.slot): p for p in system.ports}
    assert len(ports) == len(system.ports) == system.nq + system.nv + 1 + 3 + 2
    assert ports["q", 10].name == "l.angle" and ports["q", 10].unit == "rad"
    assert ports["v", 9].name == "l.rate" and ports["v", 9].unit == "rad/s"
    assert [ports["u", i].name for i in range(4)] == ["push", "load.0", "load.1", "load.2"]
    assert [ports["p", i].name for i in range(2)] == ["k", "free"]
    assert isinstance(system.ports[0], Entry)


def test_welded_bodies_and_frames_have_places(system):
    assert set(system.frames) == {"world", "tip", *(b.name for b in BODIES)}
    q, v = system.state({"grip.displacement": 0.25, "float.pz": 1.0})
    numbers = system.floats()
    close(kinematics.pose(numbers, "tip", q).p, (0.35, 0.2, 1.3), 4)
    close(kinematics.pose(numbers, "ring", q).R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], 0)
    assert not v.any()


def test_neutral_and_state(system):
    q = system.neutral()
    for name in system.frames[1:]:
        assert np.isfinite(floats(kinematics.pose(system.floats(), name, q).matrix())).all()
    q, v = system.state({"l.angle": 0.3, "l.rate": -2})
    assert q[10] == 0.3 and v[9] == -2 and q[3] == 1
    with pytest.raises(
        TorseurError,
        match=r"no coordinate or speed is named 'l.angel'; did you mean "
        r"'l.angle'\?",
    ):
        system.state({"l.angel": 1})


def test_unknown_names_are_answered(system):
    with pytest.raises(TorseurError, match="no joint is named 'elbow'"):
        system.link("elbow")
    with pytest.raises(TorseurError, match="no body or frame is named 'tipp'; did you mean 'tip'"):
        kinematics.pose(system.floats(), "tipp", system.neutral())


def test_nothing_can_be_changed(system):
    for thing, name in (
        (system, "name"),
        (system.links[0], "parent"),
        (MODEL, "bodies"),
        (BODIES[0], "mass"),
        (Revolute("z"), "axis"),
    ):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(thing, name, None)
    with pytest.raises(TypeError):
        system.places["tip"] = None
    with pytest.raises(TypeError):
        system.parameters["k"] = 3.0
    assert replace(MODEL, name="x").name == "x" and MODEL.name == "figure"
    assert isinstance(Model(bodies=[BODIES[0]]).bodies, tuple)


def test_a_system_travels_and_keeps_its_digest(system):
    again = pickle.loads(pickle.dumps(system))
    assert again.digest == system.digest and again.coordinates == system.coordinates
    assert "6 joints, 14 degrees of freedom" in repr(system)


@pytest.mark.parametrize(
    "change",
    [
        {"gravity": (0, 0, -1.62)},
        {"frames": ()},
        {"parameters": {"k": 3.0, "free": None}},
        {"bodies": [replace(b, mass=1.1) for b in BODIES]},
        {"joints": [replace(j, at=(0, 0, 1)) for j in MODEL.joints]},
        {"joints": [replace(j, armature=0.1) if j.name == "l" else j for j in MODEL.joints]},
        {"joints": [replace(j, kind=Revolute("x")) if j.name == "l" else j for j in MODEL.joints]},
    ],
    ids=str,
)
def test_the_digest_sees_every_number(system, change):
    assert replace(MODEL, **change).check().digest != system.digest


def test_scalars_hold_the_parameters_of_one_system():
    def model(m):
        return Model(
            "m",
            parameters={"m": m},
            bodies=(Body("b", "m", inertia=ONE),),
            joints=(Joint("j", "world", "b", Prismatic("x")),),
        ).check()

    K = Floats()
    one, two = model(2.0), model(3.0)
    x = (np.zeros(1), np.zeros(1), np.ones(1))
    assert newton_euler.inverse_dynamics(one.over(K), *x)[0] == 2
    assert newton_euler.inverse_dynamics(one.over(K), *x)[0] == 2
    with pytest.raises(
        TorseurError, match="parameter 'm' of 'm' is 3, but these scalars already hold 2"
    ):
        two.over(K)
    assert newton_euler.inverse_dynamics(two.floats(), *x)[0] == 3
    assert newton_euler.inverse_dynamics(two.floats({"m": 5.0}), *x)[0] == 5
    kept = Graph()
    kept.parameters["m"] = kept.symbol("m")
    assert "m" in repr(newton_euler.inverse_dynamics(one.over(kept), *x)[0])


def test_parameters_are_a_frozen_mapping():
    p = Parameters({"a": 1, "b": None})
    assert dict(p) == {"a": 1, "b": None} and len(p) == 2 and hash(p) == hash(Parameters(p))
    assert dict(Parameters(("a", ("b", 2)))) == {"a": None, "b": 2}
    with pytest.raises(TypeError):
        p["a"] = 2


def test_a_lead_may_be_a_parameter():
    def at(lead, **parameters):
        return Model(
            "m",
            parameters=parameters,
            bodies=(Body("nut", 1, inertia=ONE),),
            joints=(Joint("screw", "world", "nut", Helical("z", lead), rpy=(0.3, 0, 0)),),
        ).check()

    q, v, a = np.array([0.4]), np.array([1.5]), np.array([-0.7])
    one, two = at("p/(2*pi)", p=0.01), at(0.01 / (2 * np.pi))
    close(
        newton_euler.inverse_dynamics(one.floats(), q, v, a),
        newton_euler.inverse_dynamics(two.floats(), q, v, a),
        10,
    )
    assert one.symbols == ("p",)


def test_quarter_turns_cost_nothing():
    """A planar chain of hinges turned by right angles: only sines, cosines and lengths remain."""

    def products(rpy):
        import casadi as ca

        system = tree((Revolute("z"),) * 3, 0, parents=(-1, 0, 1))
        system = replace(
            system, joints=[replace(j, rpy=rpy, child_rpy=(0, 0, 0)) for j in system.joints]
        ).check()
        K = Graph()
        q, v, a = (K.symbols(f"{s}{i}" for i in range(3)) for s in "qva")
        f = ca.Function(
            "f",
            [K.sx(x) for x in (q, v, a)],
            [K.sx(newton_euler.inverse_dynamics(system.over(K), q, v, a))],
        )
        return f.n_instructions()

    assert (
        products(("pi/2", 0, "pi/2")) == products(("pi/2", 0, 0)) < 0.8 * products((0.3, 0.2, 0.1))
    )


def test_check_is_remembered_with_the_model_and_forgotten_with_it():
    model = replace(MODEL)
    system = model.check()
    assert model.check() is system and ts.compile(model).system is system
    assert replace(model, name="other").check() is not system
    assert pickle.loads(pickle.dumps(model)).check() is not system
    watch = weakref.ref(model)
    del model, system
    gc.collect()
    assert watch() is None


def test_lists_and_arrays_of_the_user_stay_the_users():
    """Whatever is done to them afterwards, also inside a list, a model has what it was given."""
    com, inertia, at = [0.0, 0.0, -0.5], np.diag([0.1, 0.2, 0.3]), [np.array(0.0), 0.0, 0.0]
    rod = ts.Body("rod", mass=1.0, com=com, inertia=inertia)
    pivot = ts.Joint("pivot", "world", "rod", ts.Revolute("y"), at=at)
    model = ts.Model(bodies=[rod], joints=[pivot], frames=[ts.Frame("tip", "rod", at=com)])
    system, given = model.check(), floats(at)
    changes = (
        lambda: com.__setitem__(2, -1.0),
        lambda: inertia.__setitem__((1, 1), 0.4),
        lambda: at[0].__setitem__((), 2.0),
        lambda: at.__setitem__(1, 3.0),
    )
    for change in changes:
        change()
        assert model.check() is system
        M = ts.compile(model).mass_matrix([0.0])[0, 0]
        assert M == pytest.approx(0.5**2 + 0.2, rel=1e-15)
        assert np.array_equal(floats(system.links[0].X_PF.p), given)


def test_a_remembered_system_still_warns():
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -0.5))
    model = ts.Model(
        bodies=(rod,),
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),),
        forces=(ts.JointForce("pivot", "pivot", ts.Spring(1.0)),),
    )
    for _ in range(2):
        with pytest.warns(ts.ModelWarning, match="has the name of a joint"):
            model.check()
