"""Everything Python can describe, a file can, and `save` writes it back."""

import warnings
from dataclasses import replace
from fractions import Fraction

import jsonschema
import numpy as np
import pytest
import zoo
from hypothesis import given, strategies as st

import torseur as ts
from torseur import constraints, forces
from torseur.joints import EVERY_JOINT
from torseur.model import shapes
from torseur.model.formats import serialize
from torseur.model.formats.load_save import save, settings
from torseur.model.formats.schema import (
    all_types,
    constraint_types,
    joint_types,
    json_schema,
    nested_types,
    specs,
    type_name,
)
from torseur.scalars.values import value

BASE = ts.Body("a", mass=2.0, com=(0.1, "L/2", 0), inertia=np.diag([1.0, 2.0, 2.5]))
SYMBOLS = {"L": 0.3, "k": Fraction(1, 3), "free": None}
CONSTRAINTS = (
    constraints.Distance("c", ("b", (0, 0, 0.1)), "world", length="L"),
    constraints.PointOnLine("c", "b", "world", "z"),
    constraints.PointOnPlane("c", ("b", (0.1, 0, 0)), normal=(0, 3, 4), height=0.2),
    constraints.PointOnSurface("c", "b", "world", ("x**2 + y**2 - 1", "z")),
    constraints.PointOnCurve("c", "b", "world", ("cos(s)", "L*s", "2*s**2")),
    constraints.PointOnCurve(
        "c",
        ("b", (0.1, 0, 0)),
        closed=True,
        knots=(0, 1, 2, 3.5),
        points=((0, 0, 0), (1, 0.5, 0), (2, 0, 0.25), (0, 0, 0)),
    ),
    constraints.Coupling("c", {"j1.angle": 1, "j2.angle": "-2*L"}, offset=0.1),
    constraints.Gear("c", "j1.angle", "j2.angle", 12),
    constraints.Rack("c", "j1.angle", "j2.angle", "L"),
    constraints.Screw("c", "j1.angle", "j2.angle", 0.5, offset=0.1),
    constraints.Mimic("c", "j1.angle", "j2.angle", -2),
    constraints.Driven("c", "j1.angle", "2*pi*t"),
    constraints.Holonomic("c", "j1.angle - j2.angle**2"),
    constraints.Pfaffian("c", "j1.rate - 3*j2.rate"),
    constraints.Rolling("c", "b", radius=0.3),
    constraints.KnifeEdge("c", "b"),
    constraints.RollingSurface("c", "b", (0.3, 0.2, "k")),
    constraints.RollingSurface("c", "b", "0.3 + 0.01*x", slips=True),
    constraints.RollingSurface("c", "b", None, "x**2 + y**2 + z**2 - k", (0, 0, -0.5)),
    constraints.RollingPair("c", "a", "b", 0.3, (0.2, 0.1), (0, 0, 1)),
    constraints.ContactPair("c", "a", "b", 0.3, ("k", 0.1), restitution=0.5, friction="L"),
    constraints.DryFriction("c", "j1.angle", force=3.0, static="14*L"),
    constraints.DryFriction("c", ("a", ("x", "y"), "b"), coefficient=0.3, normal="joint"),
    constraints.Contact(
        "c", ("a", (0, 0, 0.1)), normal="y", radius=0.2, friction=0.3, restitution="L"
    ),
)
LINES = (
    forces.PointForce("f", ("a", (0, 0, 0.1)), "tool", forces.Spring("k", 0.3)),
    forces.JointForce("f", "j1", forces.Viscous(0.25)),
    forces.CoordinateForce("f", {"j1.angle": 1, "j2.angle": -2.5}, forces.Spring(1e4)),
    forces.Potential("f", "9*(a - b)**2*t", {"a": "j1.angle", "b": "j2.angle"}),
    forces.Wrench("f", "tool", (0, 0, 0, 1, 2, 3.5), axes="body", input="hand"),
    forces.Bushing("f", "a", "b", tuple(np.diag([1.0, 2, 3, 4, 5, 6]).tolist())),
    forces.DirectedForce("f", "a", ("b", (0, 0, 0.1)), forces.Spring("k"), (0, 3, 4), "b"),
    forces.Tire("f", "b", 300.0, friction=0.8),
    forces.Tire("f", "tool", "j1.rate", 0.4, axis="x", ground="a"),
    forces.PlaneForce(
        "wall", ("b", (0, 0, 0.1)), "world", ts.Spring(1e4), normal="-x", friction=0.2
    ),
)
DRIVES = {
    "rigid": forces.Drive(ratio=100, rotor_inertia=1e-4, friction=1e-5, input="push"),
    "flexible": forces.Drive(ratio="100", rotor_inertia=1e-4, stiffness=1e4, damping=3.0),
    "law": forces.Drive(100, 1e-4, forces.Table(((-1, -1e4), (0, 0), (1, 2e4)))),
    "stages": forces.Drive(
        stages=(
            forces.DriveStage("tacho", 1e-5, 100, 0.5),
            forces.DriveStage("motor", 1e-4, 100, 20.0, friction=1e-5),
        )
    ),
}
SHAPES = (
    shapes.Box(size=(1, 2, 3), at=(0, 0, 1)),
    shapes.Sphere(radius="L"),
    shapes.Cylinder(radius=0.1, length=2, rpy=("pi/2", 0, 0), color=(1, 0, 0, 0.5)),
    shapes.Capsule(radius=0.1),
    shapes.Ellipsoid(radii=(1, 2, 3)),
    shapes.Mesh(file="a.stl", scale=(0.001,) * 3),
)


def two(**more):
    parts = {
        "bodies": (BASE, ts.Body("b", mass=1, inertia=(1, 1, 1, 0, 0, 0))),
        "joints": (
            ts.Joint("j1", "world", "a", ts.Revolute("x")),
            ts.Joint(
                "j2",
                "a",
                "b",
                ts.Revolute((1, 2, 2)),
                at=(0, 0, "L"),
                armature=0.1,
                damping=(0.2,),
                limits=(-1, 1.5),
                max_effort=5,
            ),
        ),
        "frames": (ts.Frame("tool", "b", at=(0, 0, 0.1), rpy=(0, "pi/2", 0)),),
        "inputs": (ts.Input("hand", 6, "N"), ts.Input("push")),
        "parameters": SYMBOLS,
    }
    return ts.Model("two", **(parts | more))


Z = (-0.1, -0.05, 0.0, 0.05, 0.1)
ARMS = {
    "lower_front": (0.200, 0.420, -0.270),
    "lower_rear": (-0.200, 0.470, -0.265),
    "lower_ball_at": (0, 0.770, -0.320),
    "tie_inner": (-0.200, 0.420, -0.120),
    "tie_outer": (-0.150, 0.770, -0.120),
    "wheel_center": (0, 0.7979, -0.1199),
}
COMPLEX = (
    ts.Guided(("0.1*z**2", 0, "z"), ("-0.35*z", 0, 0), coordinate="z"),
    ts.Tabulated(Z, [(0, x * x, x) for x in Z], [(0, 0, 0)] * 5),
    ts.DoubleWishbone(
        upper_front=(-0.100, 0.470, 0.105),
        upper_rear=(-0.250, 0.510, 0.110),
        upper_ball=(-0.040, 0.695, 0.105),
        rack=0.01,
        **ARMS,
    ),
    ts.MacPherson(strut_top=(-0.02, 0.58, 0.5), strut_lower=(0, 0.69, -0.1), **ARMS),
)


def models():
    for joint in (*EVERY_JOINT, *COMPLEX):
        yield f"joint {zoo.label(joint)}", zoo.around(joint, seed=3, armature=True)
    yield "pendulum", zoo.pendulum()
    yield "puma", zoo.puma()
    yield "puma generic", zoo.puma_generic()
    yield "free", zoo.free_body(ts.Free("zyx", "vehicle"))
    yield (
        "loop",
        two(
            loops=(
                ts.Loop(
                    "bore", "b", "world", ts.Prismatic("x"), at=(0, 0, 1), child_rpy=(0, 0, 0.25)
                ),
            )
        ),
    )
    rod = ts.Beam("c", length="L/2", EI=(30.0, "k"), EA=1e4, GJ=20.0, mass_per_length=0.7,
                  modes=(2, 1, 0, 1), ends="free-free", damping=0.01, rotary=True,
                  slices=6)  # fmt: skip
    arm = ts.Joint("j", "world", "c", ts.Free())
    given = {"L": 1.0, "k": 20.0}
    yield "beam", ts.Model(bodies=(rod,), joints=(arm,), parameters=given)
    yield "rotor", two(rotors=(ts.Rotor("motor", 0.02),))
    yield "pose", two(frames=(ts.Frame("tool", "b", pose=np.eye(4)),))
    yield (
        "ten",
        two(
            bodies=(
                BASE,
                ts.Body(
                    "b",
                    mass=2,
                    first_moment=(0.2, 0, 0),
                    about="origin",
                    inertia=(1, 1.02, 1.02, 0, 0, 0),
                    shapes=SHAPES,
                ),
            )
        ),
    )
    for label, drive in DRIVES.items():
        arm = two()
        joints = (arm.joints[0], replace(arm.joints[1], drive=drive, damping=0.2))
        yield f"drive {label}", replace(arm, joints=joints)
    for law in forces.EVERY_LAW:
        yield f"law {type(law).__name__}", two(forces=(forces.JointForce("f", "j1", law),))
    for line in LINES:
        yield f"line {type(line).__name__}", two(forces=(line,))
    ends = ("b", (0.1, 0, 0)), "a", ("b", (0, 0.2, 0))
    meets = forces.MeetForce("f", *ends, "s", ts.Spring("k"), "b", friction=0.2, root=(0, 0, 1))
    model = two(forces=(meets,))
    yield (
        "line MeetForce",
        replace(
            model,
            bodies=(*model.bodies, ts.Body("s", 1)),
            joints=(*model.joints, ts.Joint("s", "world", "s", ts.Prismatic("x"))),
        ),
    )
    for row in CONSTRAINTS:
        yield f"constraint {type(row).__name__}", two(constraints=(row,))


MODELS = list(models())
VALIDATOR = jsonschema.Draft202012Validator(json_schema())


def exactly(x):
    """A value with every number exact, so that 0.5, 1/2 and "1/2" compare equal."""
    if isinstance(x, dict):
        return {k: exactly(v) for k, v in x.items()}
    if isinstance(x, list):
        return [exactly(v) for v in x]
    try:
        return value.exact(x) if x is not None and not isinstance(x, bool) else x
    except (ValueError, TypeError):
        return x


def endings():
    """Every model as YAML; as JSON the first of each label, the others with the slow tests."""
    seen = set()
    for label, model in MODELS:
        again = [pytest.mark.slow] * (label in seen)
        yield pytest.param(model, "yaml", id=f"{label}-yaml")
        yield pytest.param(model, "json", id=f"{label}-json", marks=again)
        seen.add(label)


@pytest.mark.parametrize(("model", "ending"), [*endings()])
def test_round_trip(model, ending, tmp_path):
    path = tmp_path / f"model.{ending}"
    model.save(path)
    back = ts.load(path)
    assert exactly(serialize.model_to_data(back)) == exactly(serialize.model_to_data(model))
    again = tmp_path / f"again.{ending}"
    back.save(again)
    assert again.read_text() == path.read_text()
    if ending != "yaml":  # once is enough for what does not depend on the text
        return
    VALIDATOR.validate(serialize.model_to_data(model))
    assert [type(f) for f in back.forces] == [type(f) for f in model.forces]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a, b = model.check(), back.check()
    assert a.coordinates == b.coordinates
    assert [value.exact(x) for x in a.numbers()] == [value.exact(x) for x in b.numbers()]


def test_every_registered_class_is_in_the_round_trip():
    seen = {type(j.kind) for _, m in MODELS for j in m.joints}
    assert seen >= set(joint_types().values())
    met = {type(f) for _, m in MODELS for f in (*m.forces, *m.constraints)}
    met |= {type(f.law) for _, m in MODELS for f in m.forces if hasattr(f, "law")}
    met |= {type(j.drive) for _, m in MODELS for j in m.joints}
    met |= {type(s) for _, m in MODELS for j in m.joints for s in getattr(j.drive, "stages", ())}
    met |= {type(s) for _, m in MODELS for b in m.bodies for s in b.shapes}
    met |= {type(b) for _, m in MODELS for b in m.bodies}
    missing = [c.__name__ for c in all_types() - met - set(joint_types().values())]
    assert not missing, f"add an instance of {missing} to this test"


SHORT = """
bodies: {a: {mass: 1, com: [1, 0, 0]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: [{name: j, type: revolute, parent: world, child: a, drive: {ratio: 9, rotor_inertia: 1e-4}},
         {name: k, type: free, parent: world, child: b}]
inputs: [hand, {name: foot, size: 6}]
forces:
  - {name: f, type: spring, between: [a, [b, [0, 0, 1 cm]]], stiffness: 2 N/mm}
  - {name: g, type: viscous, joint: j, damping: 3 N m s/rad}
  - {name: h, type: parallel, joint: j,
     laws: [{type: spring, stiffness: 1}, {type: effort, value: 2}]}
  - {name: i, type: wrench, frame: b, input: foot}
  - {name: w, type: time_table, frame: b, wrench: [0, 0, 0, 1, 0, 0], points: [[0, 0], [1 s, 2 N]]}
constraints: [{name: c, type: coupling, ratios: {j.angle: 1}, offset: 90 deg}]
"""


def test_short_forms(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(SHORT)
    model = ts.load(path)
    import yaml

    VALIDATOR.validate(yaml.safe_load(SHORT.replace("1e-4", "1.0e-4")))
    f, g, h, i, w = model.forces
    assert (f.a, f.b, f.law) == ("a", ("b", (0, 0, 0.01)), forces.Spring(2000))
    assert (g.joint, g.law) == ("j", forces.Viscous(3))
    assert h.law == forces.Parallel(forces.Spring(1), forces.Effort(2))
    assert (i.input, w.law.points) == ("foot", ((0, 0), (1, 2)))
    assert [(x.name, x.size) for x in model.inputs] == [("hand", 1), ("foot", 6)]
    assert (model.joints[0].drive.ratio, model.joints[0].drive.rotor_inertia) == (9, 1e-4)
    assert value.quarter(value.exact(model.constraints[0].offset)) == 1
    model.check()
    for kind in ("drive_stage", "revolute", "box", "coupling"):
        path.write_text(f"forces: [{{name: f, type: {kind}}}]")
        with pytest.raises(ts.ModelError, match=f"no type is named '{kind}'"):
            ts.load(path)


def test_every_number_of_the_description_has_a_unit():
    for cls in (ts.Body, ts.Beam, ts.Joint, ts.Loop, ts.Frame, ts.Rotor):
        for spec in specs(cls).values():
            assert spec.unit is not None or spec.annotation != "Any" or spec.name == "drive", spec


def test_type_names_are_distinct():
    names = [*nested_types(), *constraint_types(), "beam"]
    assert len(names) == len(all_types())
    assert {type_name(c) for c in all_types()} == {*names}


numbers = st.one_of(
    st.integers(-(10**15), 10**15),
    st.floats(-1e12, 1e12, allow_nan=False, width=64),
    st.fractions(max_denominator=10**6),
    st.sampled_from(["L", "L/2", "-L", "2*pi*L + 1", "sin(L)/3", "(L + 1)**2", "-L**3", "3/4"]),
)
names = st.text(min_size=1, max_size=12).filter(
    lambda s: "." not in s and s.isprintable() and s == s.strip() and s != "world"
)


@given(
    name=names,
    mass=numbers,
    com=st.tuples(numbers, numbers, numbers),
    inertia=st.lists(numbers, min_size=6, max_size=6),
)
def test_any_number_and_any_name_survives(name, mass, com, inertia, tmp_path_factory):
    model = ts.Model(
        name,
        bodies=(ts.Body(name, mass=mass, com=com, inertia=inertia),),
        joints=(ts.Joint(name, "world", name, ts.Free()),),
        parameters={"L": 2},
    )
    for ending in ("yaml", "json"):
        path = tmp_path_factory.mktemp("m") / f"m.{ending}"
        save(model, path)
        back = ts.load(path)
        assert back.name == back.bodies[0].name == back.joints[0].child == name
        for a, b in zip(
            (mass, *com, *inertia),
            (back.bodies[0].mass, *back.bodies[0].com, *back.bodies[0].inertia),
            strict=True,
        ):
            assert value.nominal(value.exact(a), {"L": 2.5}) == value.nominal(
                value.exact(b), {"L": 2.5}
            )


@pytest.mark.parametrize("x", [1e-05, 1e22, -3e-300, 1.5e-07, 0.1, 5e-324 * 2**60])
def test_floats_in_every_notation(x, tmp_path):
    model = ts.Model("m", bodies=(ts.Body("a", mass=x),))
    for ending in ("yaml", "json"):
        model.save(tmp_path / f"m.{ending}")
        assert ts.load(tmp_path / f"m.{ending}").bodies[0].mass == x


@pytest.mark.parametrize("name", ["1e5", "12", "null", "true", "no", "~", "<<", "a: b", "- x"])
def test_names_that_look_like_something_else(name, tmp_path):
    """Also where nothing says that a text is wanted: the end of a force."""
    model = two(
        bodies=(BASE, ts.Body(name, mass=1, inertia=(1, 1, 1, 0, 0, 0))),
        frames=(),
        joints=(two().joints[0], ts.Joint("j2", "a", name, ts.Revolute())),
        forces=(forces.PointForce("f", name, (name, (0, 0, 1)), forces.Spring(1.0)),),
    )
    for ending in ("yaml", "json"):
        model.save(tmp_path / f"m.{ending}")
        back = ts.load(tmp_path / f"m.{ending}")
        assert back.bodies[1].name == back.joints[1].child == back.forces[0].a == name
        assert back.forces[0].b == (name, (0, 0, 1))


def test_save_leaves_the_old_file_when_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "m.yaml"
    zoo.pendulum().save(path)
    before = path.read_bytes()
    bad = ts.Model("bad", bodies=(ts.Body("a", mass=object()),))
    with pytest.raises(ts.ModelError, match="is not something a file can hold"):
        bad.save(path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ts.ArgumentError, match="no space left"):
        two().save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.yaml"]
    with pytest.raises(ts.ModelError, match=r"are written to \.yaml"):
        two().save(tmp_path / "m.txt")


def test_settings_of_a_run(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("initial: {j.speed: 36 km/h}\nsimulation: {t_end: 150 ms}\n")
    assert settings(path) == {"initial": {"j.speed": "36 km/h"}, "simulation": {"t_end": "150 ms"}}
