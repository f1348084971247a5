"""What a first user tripped over, once each."""

import csv
import pickle
import re

import numpy as np
import pytest

import torseur as ts

ROD = ts.Body("rod", mass=2.0, com=(0, 0, -0.25), inertia=(0.05, 0.05, 0.002, 0, 0, 0))


def pendulum(**fields):
    joint = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
    return ts.Model("pendulum", bodies=(ROD,), joints=(joint,), **fields)


def test_equations_take_names_of_any_alphabet():
    arm = ts.Model(
        "bras",
        bodies=(ts.Body("bras supérieur", mass="μ", com=(0, 0, "-ℓ")),),
        joints=(ts.Joint("épaule 1", "world", "bras supérieur", ts.Revolute("y")),),
        gravity=(0, 0, "-g"),
    )
    eq = ts.equations(arm)
    assert "épaule 1.angle" in str(eq)
    assert set(eq.parameters) == {"μ", "ℓ", "g"}
    assert ts.equations(arm, formalism="lagrange") == eq
    tau = eq.evaluate([0.3], [0.0], [2.0], {"μ": 1.5, "ℓ": 0.4, "g": 9.81})
    assert tau == pytest.approx([1.5 * 0.4**2 * 2 + 1.5 * 9.81 * 0.4 * np.sin(0.3)], rel=1e-14)


ROWS = ((np.pi / 2, 0.1, 0.2, 0.4), (0.3, 0.35, -0.1, 0.05))


@pytest.mark.parametrize("convention", ["modified", "classic"])
def test_rows_of_a_dh_table_may_be_dictionaries(convention):
    bodies = [ts.Body(n, mass=1.0, com=(0.1, 0, 0)) for n in "ab"]
    named = [dict(zip(("alpha", "d", "theta", "r"), row, strict=True)) for row in ROWS]
    one, two = (
        ts.compile(ts.from_dh(rows, bodies, convention=convention)) for rows in (ROWS, named)
    )
    assert (one.pose("b", [0.3, -0.4]) == two.pose("b", [0.3, -0.4])).all()


def test_a_parameter_keeps_the_letters_it_was_written_with():
    rod = ts.Body("rod", mass="2*\u00b5", com=("ℓ", 0, 0))  # a micro sign, not a Greek mu
    joint = ts.Joint("pivot", "world", "rod", ts.Revolute("z"))
    system = ts.Model(bodies=(rod,), joints=(joint,), parameters={"\u00b5": 1.5, "ℓ": 0.5}).check()
    assert ts.compile(system).mass_matrix([0.0]) == pytest.approx(2 * 1.5 * 0.25)


HOSTILE = 'arm */ int x; /* """\nraise SystemExit\n""" \\'


def two_axes(name="arm", pivot="pivot"):
    slide = ts.Joint("slide", "world", "block", ts.Prismatic("z"))
    joint = ts.Joint(pivot, "world", "rod", ts.Revolute("y"))
    return ts.Model(name, bodies=(ROD, ts.Body("block", mass=1.0)), joints=(joint, slide))


@pytest.mark.parametrize("quantity", ["tau", "mass_matrix", "bias", "gravity"])
def test_names_cannot_leave_the_comments_of_generated_code(quantity):
    eq = ts.equations(two_axes(HOSTILE, HOSTILE))
    made = {}
    exec(eq.code("python", quantity), made)
    assert made[quantity](np.zeros(2), np.zeros(2), np.zeros(2)).shape[0] == 2
    assert eq.code("c", quantity).count("*/") == 1
    for language, mark in (("fortran", "!"), ("matlab", "%")):
        assert all(
            line.startswith(mark)
            for line in eq.code(language, quantity).splitlines()
            if "SystemExit" in line
        )


def test_generated_python_broadcasts_every_argument():
    made = {}
    exec(ts.equations(two_axes()).code("python"), made)
    q, v, a = np.zeros(2), np.ones((5, 2)), np.ones((3, 1, 2))
    assert made["tau"](q, v, q).shape == (5, 2)
    assert made["tau"](q, v, a).shape == (3, 5, 2)
    assert (made["tau"](q, v, a) == ts.compile(two_axes()).inverse_dynamics(q, v, a)).all()


def test_a_function_of_generated_code_needs_a_name_that_can_be_one():
    with pytest.raises(ts.TorseurError, match="'a b'"):
        ts.equations(pendulum()).code("c", name="a b")


def test_a_state_takes_finite_numbers_by_name():
    system = pendulum().check()
    with pytest.raises(ts.TorseurError) as e:
        system.state({"pivot.angle": None, "pivot.rate": np.nan})
    assert "pivot.angle [rad]: expected a finite number, got None" in str(e.value)
    assert "pivot.rate [rad/s]: expected a finite number, got nan" in str(e.value)
    with pytest.raises(ts.TorseurError, match="dictionary"):
        system.state(([0.1], [0.0]))
    with pytest.raises(ts.TorseurError, match=r"pivot\.angle"):
        ts.simulate(pendulum(), t_end=1.0, initial={"pivot.angle": np.inf})


def test_wrong_values_given_to_equations_are_our_errors():
    eq = ts.equations(pendulum())
    for call, told in (
        (lambda: eq.evaluate([0.1, 0.2]), "q has shape"),
        (lambda: eq.evaluate([0.1], ["fast"]), "v: expected 1 numbers"),
        (lambda: eq.substitute({"pivot.rate": np.nan}), "pivot.rate: expected"),
        (lambda: eq.substitute({"pivot.rate": object()}), "pivot.rate: expected"),
    ):
        with pytest.raises(ts.TorseurError, match=told):
            call()


def test_a_table_of_expressions_prints_its_entries():
    eq = ts.equations(two_axes())
    assert str(eq.mass_matrix) == "[0, 0] = 0.175\n[1, 1] = 1"
    assert str(eq.gravity).splitlines()[1] == "[1] = 9.81"
    assert str(eq.christoffel) == "zero, 2 x 2 x 2"


def test_a_body_in_place_of_bodies_is_told_so():
    with pytest.raises(ts.ModelError, match="bodies: expected a list or a tuple, got Body"):
        ts.Model(bodies=ROD)
    with pytest.raises(ts.ModelError, match="expected an input"):
        pendulum(inputs=(3,)).check()
    assert pendulum(inputs=("hand",)).check().model.inputs[0].size == 1  # as in files


def test_equations_say_which_forces_are_part_of_tau():
    brake = ts.JointForce("brake", "pivot", law=ts.Viscous(0.1))
    braked = pendulum(forces=(brake,))
    assert "(tau includes what brake gives; forces=True writes it out)" in str(ts.equations(braked))
    assert "tau includes" not in str(ts.equations(braked, forces=True))
    assert "tau includes" not in str(ts.equations(pendulum()))
    damped = ts.Model(
        bodies=(ROD,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y"), damping=0.1),)
    )
    assert "tau includes what pivot" in str(ts.equations(damped))
    assert "0.1 dq1" in str(ts.equations(damped, forces=True))


def test_a_force_named_as_a_joint_is_worth_a_warning():
    spring = ts.PointForce(
        "pivot", a=("rod", (0, 0, -0.5)), b=("world", (1, 0, 0)), law=ts.Spring(stiffness=10.0)
    )
    with pytest.warns(ts.ModelWarning, match="has the name of a joint"):
        pendulum(forces=(spring,)).check()


def test_a_trajectory_can_be_pickled(tmp_path):
    run = ts.simulate(pendulum(), t_end=0.1, initial={"pivot.angle": 0.3})
    again = pickle.loads(pickle.dumps(run))
    assert again.signals == run.signals and again.units == run.units
    assert all((again[n] == run[n]).all() for n in run.signals)
    assert again.energy_audit == run.energy_audit and again.final == run.final
    again.report(tmp_path / "run.html")


def test_files_of_a_trajectory_fail_clearly(tmp_path):
    run = ts.Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    for name in ("run.nc", "run.csv"):
        with pytest.raises(ts.TorseurError, match="no folder"):
            run.save(tmp_path / "none" / name)
    whole = run.save(tmp_path / "run.nc").read_bytes()
    for text in (b"x", b"", b"CDF\x02junk", b"\x89HDF\r\n\x1a\njunk", whole[: len(whole) // 2]):
        (tmp_path / "text.nc").write_bytes(text)
        with pytest.raises(ts.TorseurError, match="a netCDF file"):
            ts.Trajectory.load(tmp_path / "text.nc")


def test_odd_names_survive_the_files_of_a_trajectory(tmp_path):
    names = (
        "left/right.angle",
        'a, "b".angle',
        "腕.angle",
        "double",
        "signal@0",
        "v" * 300,
        "e\u0301",
    )
    run = ts.Trajectory(
        [0.0, 1.0], {n: [1.0, i] for i, n in enumerate(names)}, dict.fromkeys(names, "rad")
    )
    again = ts.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert again.signals == names and all((again[n] == run[n]).all() for n in names)
    with open(run.save(tmp_path / "run.csv"), newline="", encoding="utf-8") as file:
        told = [re.sub('["@]', "_", n) for n in names]  # what a table program could take for more
        assert next(csv.reader(file)) == ["time [s]", *(f"{n} [rad]" for n in told)]


def test_faults_of_a_dh_table_are_ours():
    bodies = [ts.Body("a", mass=1.0)]
    for rows, told in (
        ([{"alpha": 0, "a": 1}], "row 1: no column is named 'a'"),
        ([(0,) * 7], "row 1: expected alpha, d, theta, r"),
        (["R"], "row 1"),
        ([], "0 rows for 1 bodies"),
        ([(0, 0, 0, 0, "Q")], "expected 'R' or 'P'"),
    ):
        with pytest.raises(ts.TorseurError, match=told):
            ts.from_dh(rows, bodies, convention="modified")
    with pytest.raises(ts.TorseurError, match="modified"):
        ts.from_dh([(0, 0, 0, 0)], bodies, convention="khalil")


@pytest.mark.parametrize(
    "make",
    [
        lambda: ts.Spherical("yyy"),
        lambda: ts.Free("abc"),
        lambda: ts.Free(speeds="own"),
        lambda: ts.Free(speeds="rates"),
        lambda: ts.Planar("z", order="first"),
    ],
)
def test_a_wrong_option_of_a_joint_is_our_error_and_a_value_error(make):
    with pytest.raises(ts.TorseurError):
        make()
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ts.compile("x"),
        lambda: ts.equations("x"),
        lambda: ts.simulate("arm", t_end=1.0),
        lambda: ts.modes("x"),
        lambda: ts.equilibrium(3),
    ],
    ids=range(5),
)
def test_what_is_not_a_model_is_told_so(call):
    with pytest.raises(ts.TorseurError, match=r"expected a ts\.Model or a checked system"):
        call()


@pytest.mark.parametrize(
    "options",
    [
        {"rtol": float("nan")},
        {"rtol": 0},
        {"rtol": -1},
        {"rtol": "a"},
        {"atol": -1.0},
        {"atol": float("inf")},
        {"t_end": "2 kg"},
        {"t_end": [1.0]},
    ],
    ids=str,
)
def test_wrong_tolerances_and_times_are_told(options):
    model = ts.Model(
        bodies=(ts.Body("rod", 1.0, (0, 0, -1)),),
        joints=(ts.Joint("p", "world", "rod", ts.Revolute("y")),),
    )
    with pytest.raises(ts.TorseurError, match=next(iter(options))):
        ts.simulate(model, **{"t_end": 1.0} | options)


def test_export_takes_one_name_and_wants_its_folder(tmp_path):
    dyn = ts.compile(
        ts.Model(
            bodies=(ts.Body("rod", 1.0, (0, 0, -1)),),
            joints=(ts.Joint("p", "world", "rod", ts.Revolute("y")),),
        )
    )
    assert "mass_matrix" in dyn.export(tmp_path / "m.c", names="mass_matrix").read_text()
    with pytest.raises(ts.TorseurError, match="no folder"):
        dyn.export(tmp_path / "absent" / "m.c")


def test_a_file_tells_its_values_and_its_structure_at_once(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text("""
schema_version: 1
bodies:
  upper: {mass: 2 kg, com: [0, 0, -0.5]}
  lower: {mass: 1 m, com: [0, 0, -0.5]}
  third: {mass: k3}
parameters: {k: 1}
joints:
  - {name: shoulder, type: revolute, axis: y, parent: world, child: uper}
  - {name: elbow, type: revolute, axis: y, parent: upper, child: lower}
""")
    with pytest.raises(ts.ModelError) as e:
        ts.load(path)
    text = "\n".join(e.value.problems)
    assert "bodies.lower.mass" in text and "line 5" in text  # a unit that is wrong
    assert "did you mean 'upper'?" in text  # a name that is wrong
    assert "no parameter is named 'k3'" in text
    assert "no body is named 'lower'" not in text  # it is there, only unreadable
