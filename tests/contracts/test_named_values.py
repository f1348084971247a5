"""What is refused as a number is refused as the value of a name: at check, and given to a run.

Over every number of every law, of bodies, joints, drives and constraints.  And parameters that are
expressions of others follow them, wherever values are given.
"""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW
from torseur.model import field_paths
from torseur.scalars.values import value
from torseur.system import unfit, unfit_rows

pytestmark = pytest.mark.filterwarnings("ignore:.*degrees are meant")  # 50 rad
WORSE = (-1.0, 0.0, 2.0, 50.0)  # some of them are out of range for most numbers


def slider(*forces, **more):
    return ts.Model(
        "slider",
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=forces,
        **more,
    )


def ball(*constraints):
    return ts.Model(
        "ball",
        bodies=(ts.Body("b", 1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "b", ts.Free()),),
        constraints=constraints,
    )


INPUTS = {"inputs": tuple(ts.Input(n) for n in ("u", "command", "torque", "current"))}
PARTS = {
    "joint": replace(
        slider(),
        joints=(
            ts.Joint(
                "x", "world", "b", ts.Revolute("x"), damping=0.1, armature=0.1, limits=(-1.0, 1.0)
            ),
        ),
        bodies=(ts.Body("b", 1.0, inertia=(1.0, 1.0, 1.0, 0, 0, 0)),),
    ),
    "drive": replace(
        slider(),
        joints=(
            ts.Joint(
                "x", "world", "b", ts.Prismatic("x"), drive=ts.Drive(10.0, 1e-3, 1e3, 0.1, 0.1)
            ),
        ),
    ),
    "contact": ball(ts.Contact("c", "b", radius=0.1, restitution=0.5, friction=0.2)),
    "friction": slider(constraints=(ts.DryFriction("d", "x.displacement", force=1.0, static=2.0),)),
    "distance": ball(ts.Distance("d", "b", "world", 1.0)),
    "rolling": ball(ts.Rolling("r", "b", radius=0.1, axis=None)),
    "rolling surface": ball(ts.RollingSurface("r", "b", (0.3, 0.2, 0.1), near=(0, 0, -1))),
}


WHEEL = ball()
PARTS |= {
    "tire": replace(
        WHEEL, forces=(ts.Tire("t", "b", radius=0.3, load=100.0, longitudinal=9.0, lateral=8.0),)
    ),
    "plane": replace(
        WHEEL,
        forces=(ts.PlaneForce("p", "b", "world", ts.Crush(((0, 0), (1, 9)), 99), friction=0.2),),
    ),
}


def faulty(model) -> bool:
    try:
        model.check()
    except ts.TorseurError:
        return True
    return False


def refused_by_value(model, of="") -> int:
    """How many of the numbers that are refused as such are tried by name; each must be refused."""
    count = 0
    for path in field_paths.numbers(model):
        if not path.startswith(of) or "[2]" in path:
            continue
        was = field_paths.read(model, path)
        if isinstance(value.exact(was), value.Value):
            continue
        named, names = field_paths.parametrize_paths(model, [path])
        bad = [x for x in WORSE if faulty(field_paths.replaced(model, path, x))]
        if not bad or faulty(named):  # (some numbers may not be names at all: told)
            continue
        system, name = named.check(), names[path]
        for x in bad:
            at = replace(named, parameters={**named.parameters, name: x})
            assert faulty(at), f"{path} = {x} by name"
            assert unfit(system, {**system.parameters, name: x}), f"{path} = {x} given to a run"
            count += 1
    return count


@pytest.mark.parametrize("name", PARTS)
def test_parts(name):
    assert refused_by_value(PARTS[name]) > 0


def test_every_law():
    told = 0
    for law in EVERY_LAW:
        model = slider(ts.JointForce("f", "x", law), **INPUTS)
        if not faulty(model):
            told += refused_by_value(model, "f.")
    assert told > 80


def test_runs_batches_and_problems_of_one_state_refuse_them():
    model = slider(ts.JointForce("f", "x", ts.Crush(((0, 0), (1, "F")), "k")))
    model = replace(model, parameters={"F": 5.0, "k": 100.0})
    start, steep = {"x.speed": 1.0}, "must be steeper .* \\(with F = 500, k = 100\\)"
    with pytest.raises(ts.ModelError, match=steep):
        ts.simulate(model, 1.0, start, parameters={"F": 500.0})
    with pytest.raises(ts.ModelError, match="negative force -5 N at 1 m"):
        ts.equilibrium(model, parameters={"F": -5.0})
    with pytest.raises(ts.ModelError, match=steep):
        ts.batch(model, 1.0, start, parameters={"F": 500.0})
    many = ts.batch(model, 1.0, start, parameters={"F": [5.0, 500.0, 50.0]})
    assert list(many.completed) == [True, False, True] and "steeper" in many.outcomes[1]
    assert np.isnan(many["x.displacement"][1, -1])
    one = ts.simulate(model, 1.0, start, parameters={"F": 50.0})
    assert many["x.displacement"][2, -1] == pytest.approx(one["x.displacement"][-1], rel=1e-9)
    plain = ts.Model(bodies=(ts.Body("b", "m"),), parameters={"m": 1.0}, joints=slider().joints)
    many = ts.batch(plain, 1.0, start, parameters={"m": [2.0, -2.0]})
    assert list(many.completed) == [True, False] and "mass -2 kg" in many.outcomes[1]
    assert np.isnan(many["x.speed"][1, -1]) and many["x.speed"][0, -1] == 1.0


def oscillator():
    return replace(
        slider(ts.JointForce("f", "x", ts.Spring("k"))),
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", "m"),),
        parameters={"c": 2.0, "k": "8*c*c", "m": "c/2", "half": "m/2"},
    )


def test_parameters_of_parameters_follow_them():
    """w = 4 sqrt(c): by runs, batches, kernels and linear models; a value of their own wins."""
    model, start = oscillator(), {"x.displacement": 1.0}
    tight = {"rtol": 1e-11, "atol": 1e-13}
    for c in (2.0, 5.0):
        w = 4 * c**0.5
        run = ts.simulate(model, 0.5, start, parameters={"c": c}, **tight)
        assert run["x.displacement"][-1] == pytest.approx(np.cos(0.5 * w), abs=1e-10)
        assert ts.compile(model, parameters=("c",)).mass_matrix([0.0], p=[c])[0, 0] == c / 2
        linear = ts.linearize(model, parameters={"c": c})
        assert linear.A[1, 0] == pytest.approx(-w * w, rel=1e-12)
    many = ts.batch(model, 0.5, start, parameters={"c": [2.0, 5.0]}, **tight)
    np.testing.assert_allclose(
        many["x.displacement"][:, -1], np.cos([2 * 2**0.5, 2 * 5**0.5]), atol=1e-9
    )
    own = ts.simulate(model, 0.5, start, parameters={"c": 5.0, "k": 200.0, "m": 2.0}, **tight)
    assert own["x.displacement"][-1] == pytest.approx(np.cos(5.0), abs=1e-10)
    assert model.check().valued({"c": 8.0})["half"] == 2.0
    with pytest.raises(ts.ArgumentError, match="'c' also gives 'k', which is 8\\*c"):
        ts.simulate(model, 0.5, start, sensitivities=("c",))


def test_they_follow_in_equations_energies_and_assembly():
    model = replace(oscillator(), bodies=(ts.Body("b", "m*c/2"),))
    eq = ts.equations(model)  # (m c / 2) a: m is c/2 of whatever c is
    assert eq.evaluate([0.0], [0.0], [1.0], {"c": 5.0})[0] == pytest.approx(6.25, rel=1e-14)
    assert eq.evaluate([0.0], [0.0], [1.0], {"c": 5.0, "m": 2.0})[0] == pytest.approx(5.0)
    assert eq.substitute({"c": 5}).evaluate([0.0], [0.0], [1.0])[0] == pytest.approx(6.25)
    assert str(eq.substitute({"c": "2*d"}).tau[0]) == "d m d2q1"
    _, stored = ts.compile(model, parameters=("c",)).energy([0.1], [0.0], p=[5.0])
    assert stored == pytest.approx(200 * 0.1**2 / 2, rel=1e-13)
    rod = replace(ball(ts.Distance("d", "b", "world", "L")), parameters={"c": 2.0, "L": "c/4"})
    run = ts.simulate(rod, 0.01, {"j.px": 0.1}, parameters={"c": 3.0}, output=2)
    far = [run[f"b.position.{x}"][0] for x in "xyz"]
    assert far[0] == 0.1 and np.linalg.norm(far) == pytest.approx(0.75, abs=1e-12)


def test_a_start_of_names_follows_them():
    """By runs, batches and studies; its derivative would lack a part, and is refused."""
    half = {"initial": {"x.speed": "2*v", "x.displacement": "w"}, "gravity": (0, 0, 0)}
    model = replace(slider(), **half, parameters={"v": 1.0, "w": "v/2"})
    for v in (1.0, 3.0):
        run = ts.simulate(model, 1.0, parameters={"v": v})
        assert run["x.displacement"][-1] == pytest.approx(2.5 * v)
    many = ts.batch(model, 1.0, parameters={"v": [1.0, 3.0]})
    np.testing.assert_allclose(many["x.displacement"][:, -1], [2.5, 7.5])
    found = ts.study(
        model,
        vary={"v": [1.0, 3.0]},
        keep={"x": ts.studies.Final("x.displacement")},
        t_end=1.0,
        progress=False,
    )
    np.testing.assert_allclose(found["x"], [2.5, 7.5])
    own = ts.simulate(model, 1.0, {"x.speed": 5.0}, parameters={"v": 3.0})
    assert own["x.displacement"][-1] == pytest.approx(6.5)
    free = replace(model, parameters={"v": 1.0, "w": 0.5})
    for call in (ts.simulate, ts.batch):
        with pytest.raises(ts.ArgumentError, match="'v' also gives the start"):
            call(free, 1.0, sensitivities="v")
        call(free, 1.0, {"x.speed": 2.0}, sensitivities=("v", "x.speed"))


def test_what_follows_is_part_of_the_digest():
    model = oscillator()
    plain = replace(model, parameters={"c": 2.0, "k": 32.0, "m": 1.0, "half": 0.5})
    assert model.check().digest != plain.check().digest


def test_many_values_are_judged_as_each_alone():
    """Corners of the box say the same of sound rows as a look at each; bad ones are found."""
    law = ts.Crush(((0, 0), (0.1, "f"), ("x2", "2*f")), "k")
    model = ts.Model(
        "block",
        bodies=(ts.Body("b", "m"),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("c", "x", law), ts.JointForce("s", "x", ts.Spring("1e3*k/q"))),
        parameters={"m": 1.0, "f": 1e4, "x2": 0.3, "k": 2e6, "q": 1.0},
    )
    system = model.check()
    names = list(system.parameters)
    own = np.array([system.parameters[n] for n in names], float)
    rng = np.random.default_rng(5)
    for which in ({"m"}, {"m", "f"}, {"x2"}, {"k", "q"}, set(names)):
        for low in (0.5, -0.4):
            factor = np.where([n in which for n in names], rng.uniform(low, 2.0, (80, 5)), 1.0)
            P = own * factor
            P[7, names.index("m")] *= 0.0 if low < 0 else 1.0
            found = unfit_rows(system, names, P)
            each = {i: unfit(system, dict(zip(names, p.tolist(), strict=True)))
                    for i, p in enumerate(P)}  # fmt: skip
            assert found == {i: "; ".join(x) for i, x in each.items() if x}


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: type(law).__name__)
def test_many_values_of_every_law_are_judged_as_each_alone(law):
    model = ts.Model(
        "block",
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
        inputs=tuple(ts.Input(n) for n in law.inputs),
    )
    named = model
    for name in law.units:
        if isinstance(getattr(law, name), int | float) and getattr(law, name) not in law.inputs:
            more = field_paths.parametrize_paths(named, [f"f.{name.rstrip('_')}"])[0]
            try:
                more.check()
            except ts.ModelError:
                continue  # a number that must be plain
            named = more
    system = named.check()
    names = list(system.parameters)
    if not names:
        pytest.skip("no number of it can be a name")
    own = np.array([system.parameters[n] for n in names], float)
    rng = np.random.default_rng(1)
    for _ in range(1):
        low, high = np.sort(rng.uniform(-0.2, 3.0, (2, len(names))), axis=0)
        P = (own + (own == 0) * 0.01) * rng.uniform(low, high, (66, len(names)))
        P[:, rng.random(len(names)) < 0.5] = own[:1] if len(names) == 1 else P[0, 0]
        each = {i: unfit(system, dict(zip(names, p.tolist(), strict=True)))
                for i, p in enumerate(P)}  # fmt: skip
        assert unfit_rows(system, names, P) == {i: "; ".join(x) for i, x in each.items() if x}


def test_many_runs_are_judged_as_each_would_be():
    """At once for bodies and joints, one by one where these are doubtful."""
    model = ts.Model(
        bodies=(ts.Body("b", "m", inertia=("A", 1.0, "2 - A*m/9", 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "b", ts.Revolute("x"), damping="c"),),
        forces=(ts.JointForce("k", "j", ts.Spring("k")),),
        parameters={"m": 1.0, "A": 1.0, "c": 0.1, "k": 3.0},
    )
    system, rng = model.check(), np.random.default_rng(0)
    P = rng.normal([2.0, 1.0, 0.1, 1.0], [1.0, 0.7, 0.1, 1.0], (60, 4))
    P[0, 0] = 0.0
    names = tuple(system.parameters)
    wrong = unfit_rows(system, names, P)
    each = {i: unfit(system, dict(zip(names, p, strict=True))) for i, p in enumerate(P.tolist())}
    assert {i: "; ".join(x) for i, x in each.items() if x} == wrong
    assert 10 < len(wrong) < 50


def test_no_law_overlooks_a_run():
    """`doubts` of every law leave out none that `check` refuses."""
    rng, refused = np.random.default_rng(1), 0
    for law in EVERY_LAW:
        model = slider(ts.JointForce("f", "x", law), **INPUTS)
        if faulty(model):
            continue
        own = [p for p in field_paths.numbers(model) if p.startswith("f.")]
        named, names = field_paths.parametrize_paths(
            model, [str(p) for p in rng.permutation(own)[:3]]
        )
        if faulty(named):
            continue
        system = named.check()
        start = np.array([*system.parameters.values()], dtype=float)
        P = start * rng.normal(1.0, 1.0, (12, len(start)))
        wrong = unfit_rows(system, tuple(names.values()), P)
        for i, p in enumerate(P.tolist()):
            told = unfit(system, dict(zip(system.parameters, p, strict=True)))
            assert bool(told) == (i in wrong), (law, p, told)
            refused += bool(told)
    assert refused > 30


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_names_in_the_places_of_all_numbers_change_no_motion(law):
    """Numbers that are zero too: a damper of zero by name let stops go where they had left."""
    inputs = tuple(map(ts.Input, law.inputs))
    model = replace(slider(ts.JointForce("f", "x", law), inputs=inputs), gravity=(0, 0, 0))
    spring = ts.JointForce("back", "x", ts.Spring(150.0))
    model = named = replace(model, forces=(*model.forces, spring))
    for path in field_paths.numbers(model):
        if path.startswith("f.") and not isinstance(
            value.exact(field_paths.read(model, path)), value.Value
        ):
            more = field_paths.parametrize_paths(named, [path])[0]
            named = named if faulty(more) else more
    one, other = (
        ts.simulate(m, 0.4, {"x.displacement": 0.011, "x.speed": 1.5}, output=9)
        for m in (model, named)
    )
    assert [e.name for e in one.events] == [e.name for e in other.events]
    for signal in ("x.displacement", "x.speed", "f.energy.dissipated"):
        size = max(abs(one[signal]).max(), 1e-6)
        np.testing.assert_allclose(other[signal], one[signal], rtol=0, atol=1e-7 * size)
