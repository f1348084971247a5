"""Anything may vary: every number of every registered element has a path, by which a study varies
it or says why not; and a member is the single run of the model that was changed by hand."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from numbers import Real

import numpy as np
import pytest
import zoo
from test_derivatives import lean

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import Drive, DriveStage, Seen, law, line
from torseur.joints import joint
from torseur.model import field_paths
from torseur.scalars import Floats
from torseur.studies.plan import Bench

INPUTS = tuple(ts.Input(n) for n in ("u", "command", "torque", "current", "push"))
SOLID = ts.Body("b", 1.0, inertia=(1, 1, 1, 0, 0, 0))
STAGES = (DriveStage("motor", 1e-3, 10, 1e3, 0.1, 0.2), DriveStage("gear", 1e-3, 10, 1e3, 0.1, 0.2))


def slider(one):
    return ts.Model(
        "slider",
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("own", "x", one),),
        inputs=INPUTS,
    )


def jointed(kind, **more):
    return ts.Model(bodies=(SOLID,), joints=(ts.Joint("own", "world", "b", kind, **more),))


KINDS = {
    "laws": [slider(x) for x in law.examples()],
    "lines": [zoo.mechanism(forces=(replace(x, name="own"),)) for x in line.examples()],
    "constraints": [
        zoo.mechanism(constraints=(replace(x, name="own"),)) for x in constraint.examples()
    ],
    "joints": [jointed(x, at=(0.1, 0.2, 0.3)) for x in joint.examples()],
    "drives": [
        jointed(ts.Revolute("x"), drive=x)
        for x in (Drive(10, 1e-3, 1e3, 0.1, 0.2), Drive(stages=STAGES))
    ],
}


def leaves(x):
    """Every number in a description, by another way than paths have."""
    if isinstance(x, Mapping):
        x = tuple(x.values())
    if isinstance(x, tuple | list):
        return [y for part in x for y in leaves(part)]
    if is_dataclass(x):
        return [y for f in fields(x) for y in leaves(getattr(x, f.name))]
    return [x] if isinstance(x, Real) and not isinstance(x, bool) else []


def own_paths(model):
    return [p for p in field_paths.numbers(model) if p.startswith("own.")]


def numbers(model):
    """Paths of plain numbers, with what stands there."""
    found = {p: field_paths.read(model, p) for p in own_paths(model)}
    return {p: float(x) for p, x in found.items() if isinstance(x, Real)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_a_path(kind):
    for model in KINDS[kind]:
        own = [e for s in field_paths.ELEMENTS for e in getattr(model, s) if e.name == "own"]
        found = numbers(model)
        assert sorted(found.values()) == sorted(map(float, leaves(own)))
        for path in [*found][:: max(1, len(found) // 4)]:
            other = field_paths.replaced(model, path, found[path] + 1)
            assert float(field_paths.read(other, path)) == pytest.approx(found[path] + 1)
            assert len(leaves(other)) == len(leaves(model))


def test_a_scale_multiplies_the_force_or_is_refused():
    told, K = 0, Floats()
    for one in law.examples():
        model = slider(one)
        try:
            twice = field_paths.replaced(model, "own.scale", 2.0).forces[0].law
        except ts.ArgumentError as e:
            assert "no law whose forces could be scaled" in str(e)
            told += 1
            continue
        for x, rate in ((0.03, 0.2), (-0.05, -0.4), (0.3, 1.0), (0.6, -2.0)):
            s = Seen(x, rate, 0.4, u=(0.7,) * len(one.inputs) + (0.3,) * len(one.signals))
            both = []
            for each in (one, twice):
                z, m = each.start(K, s)
                both.append(each.force(K, s._replace(z=z, m=m)))
            assert np.isclose(both[1], 2 * both[0], rtol=1e-9, atol=1e-12), one
    assert told < 16


def test_gravity_ratios_and_laws_in_laws_have_paths():
    both = ts.Parallel(ts.Spring(100.0), ts.Viscous(2.0))
    model = slider(both)
    named, names = field_paths.parametrize_paths(
        model, ["gravity[2]", "own.laws[1].damping", "gravity.x"]
    )
    assert named.gravity[2] == names["gravity[2]"] and named.parameters["gravity_2"] == -9.81
    assert named.forces[0].law.laws[1].damping == "own_laws_1_damping"
    pair = ts.Coupling("c", {"x.angle": 2.0, "y.angle": -1.0})
    changed = field_paths.replaced(ts.Model(constraints=(pair,)), "c.ratios[y.angle]", 3.0)
    assert changed.constraints[0].ratios == {"x.angle": 2.0, "y.angle": 3.0}
    with pytest.raises(ts.ArgumentError, match=r"no entry is named .z\.angle"):
        field_paths.read(changed, "c.ratios['z.angle']")


def test_the_times_of_a_step_are_no_two_names():
    """Nor where the table is a part of another law: what divides by zero is told before."""
    table = ts.TimeTable(((0.0, 1.0), (0.3, 2.0), (0.3, -1.0), (1.0, 0.5)))
    for one, path in (
        (table, "own.points[1].time"),
        (ts.Parallel(table, ts.Spring(1.0)), "own.laws[0].points[1].time"),
    ):
        bench = Bench(slider(one), (path,), {"t_end": 1.0})
        assert bench.changed == [path]  # a model a member


def member_is_the_run(model, path, initial, t_end=0.3):
    """Two members by a study, each beside the run of the changed model."""
    was = float(field_paths.read(model, path))
    new = was + 1 if path.endswith("sharpness") else was * 1.03 + 0.01 * (was == 0)
    names = model.check().coordinates
    options = {"rtol": 1e-9, "atol": 1e-11, "output": 11, "progress": False}
    found = ts.study(
        model,
        vary={path: [was, new]},
        keep={n: ts.studies.Final(n) for n in names},
        t_end=t_end,
        initial=initial,
        engine="lanes",
        **options,
    )
    for i, x in enumerate((was, new)):
        try:
            one = ts.simulate(field_paths.replaced(model, path, x), t_end, initial, **options)
            done, said = one.completed, one.outcome
        except ts.TorseurError as e:
            done, said = False, str(e)
        assert done == found["completed"][i], f"{path} = {x}: {found['outcome'][i]} / {said}"
        for n in names if done else ():
            size = max(1e-3, abs(one[n]).max())
            assert abs(found[n][i] - one[n][-1]) < 1e-6 * size, f"{path} = {x}: {n}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "k"), [(kind, k) for kind, own in KINDS.items() for k in range(len(own))]
)
def test_a_member_is_the_run_of_the_changed_model(kind, k):
    model = lean(KINDS[kind][k])  # each changed model is compiled anew
    system = model.check()
    initial = {} if system.held else dict.fromkeys(system.speeds, 0.2)
    if "ball.angle2" in system.coordinates:
        initial["ball.angle2"] = 0.8  # off the singularity
    if system.coordinates:
        own = [*numbers(model)]
        for path in own[k % 3 :: max(3, len(own) // 3)]:
            member_is_the_run(model, path, initial)
