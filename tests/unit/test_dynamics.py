"""The compiled `Dynamics` against the plain text over floats, and against itself."""

import pickle
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest
import zoo

import torseur as ts
from torseur import dynamics, kinematics
from torseur.formalisms import composite_body, lagrange, newton_euler
from torseur.joints import EVERY_JOINT

MOVING = tuple(j for j in EVERY_JOINT if j.nv)
ANGLES = tuple(j for j in MOVING if j.nq == j.nv)


@pytest.fixture(scope="module")
def mixed():
    system = zoo.tree(MOVING[::3], seed=4).check()
    return system, ts.compile(system), zoo.state(system, np.random.default_rng(2))


@pytest.mark.slow
def test_every_quantity_is_the_plain_text(mixed):
    system, dyn, (q, v, a) = mixed
    tree, zero = system.floats(), np.zeros(system.nv)
    h = newton_euler.inverse_dynamics(tree, q, v, zero)
    for got, want in (
        (dyn.inverse_dynamics(q, v, a), newton_euler.inverse_dynamics(tree, q, v, a)),
        (dyn.bias(q, v), h),
        (dyn.mass_matrix(q), composite_body.mass_matrix(tree, q)),
        (dyn.gravity_forces(q), newton_euler.inverse_dynamics(tree, q, zero, zero)),
        (dyn.coriolis_matrix(q, v) @ v + dyn.gravity_forces(q), h),
        (dyn.momentum(q, v), dynamics.momentum(tree, q, v)),
        (dyn.center_of_mass(q), dynamics.center_of_mass(tree, q)),
        (dyn.energy(q, v), lagrange.energies(tree, q, v)),
        (dyn.rates(q, v), kinematics.rates(tree, q, v)),
        (dyn.speeds_from(q, dyn.rates(q, v)), v),
        (dyn.pose("tool", q), kinematics.pose(tree, "tool", q).matrix()),
        (dyn.jacobian("tool", q), kinematics.jacobian(tree, "tool", q)),
        (dyn.jacobian_rate("tool", q, v), kinematics.jacobian_rate(tree, "tool", q, v)),
        (dyn.velocity("tool", q, v), kinematics.velocity(tree, "tool", q, v)),
        (dyn.acceleration("tool", q, v, a), kinematics.acceleration(tree, "tool", q, v, a)),
        (dyn.reactions(q, v, a), [F.array for F in newton_euler.solve(tree, q, v, a).reactions]),
        (dyn.forward_dynamics(q, v, dyn.inverse_dynamics(q, v, a)), a),
    ):
        zoo.close(got, np.array(want, dtype=float), 5000)


def test_integrate_and_difference_are_inverse(mixed):
    _, dyn, (q, v, _) = mixed
    zoo.close(dyn.difference(q, dyn.integrate(q, 0.3 * v)), 0.3 * v, 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", pytest.param("forward_dynamics", marks=pytest.mark.slow)]
)
def test_derivatives_are_those_of_the_tangent_space(mixed, name):
    """Each column against a central difference along `integrate`."""
    system, dyn, (q, v, a) = mixed
    f = getattr(dyn, name)
    got = getattr(dyn, f"{name}_derivatives")(q, v, a)
    step, eye = 1e-5, np.eye(system.nv)

    def along(move):
        return np.stack([(f(*move(step * e)) - f(*move(-step * e))) / (2 * step) for e in eye], 1)

    want = (
        along(lambda d: (dyn.integrate(q, d), v, a)),
        along(lambda d: (q, v + d, a)),
        along(lambda d: (q, v, a + d)),
    )
    for x, y in zip(got, want, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=2e-7 * abs(y).max())


def test_wrenches_enter_by_the_jacobian(mixed):
    system, _, (q, v, a) = mixed
    dyn = ts.compile(system, wrenches=("tool", "b2"))
    w = np.random.default_rng(3).normal(size=(2, 6))
    free = dyn.inverse_dynamics(q, v, a)
    pushed = dyn.inverse_dynamics(q, v, a, w=w)
    want = free - dyn.jacobian("tool", q).T @ w[0] - dyn.jacobian("b2", q).T @ w[1]
    zoo.close(pushed, want, 2000)
    zoo.close(dyn.forward_dynamics(q, v, pushed, w=w), a, 20000)
    with pytest.raises(ts.KernelError, match="wrenches="):
        ts.compile(system).inverse_dynamics(q, v, a, w=w)


def pendulum(**options):
    return ts.Model(
        "pendulum",
        bodies=(ts.Body("rod", "m", (0, 0, "-L/2")),),
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),),
        **options,
    )


def test_parameters_stay_arguments():
    system = pendulum(parameters={"m": 2.0, "L": 1.0}).check()
    dyn = ts.compile(system, parameters=("L", "m"))
    q, v, a = [0.3], [0.2], [0.1]
    stamp = dyn.stamp("inverse_dynamics")
    for L, m in ((1.0, 2.0), (3.0, 0.5)):
        want = m * L**2 / 4 * 0.1 + m * 9.81 * L / 2 * np.sin(0.3)
        zoo.close(dyn.inverse_dynamics(q, v, a, p=[L, m]), [want], 8)
    zoo.close(
        dyn.inverse_dynamics(q, v, a), ts.compile(system).inverse_dynamics(q, v, a), 8
    )  # nominal values
    sweep = dyn.inverse_dynamics(q, v, a, p=np.array([[1.0, 2.0], [3.0, 0.5]]))
    assert sweep.shape == (2, 1) and dyn.stamp("inverse_dynamics") == stamp
    by_m = dyn.inverse_dynamics_parameters(q, v, a, p=[3.0, 0.5])[0, 1]
    zoo.close(by_m, 9 / 4 * 0.1 + 9.81 * 1.5 * np.sin(0.3), 16)


def test_messages_name_what_is_missing():
    with pytest.raises(ts.KernelError, match=r"no value is known for 'm', 'L'|'L', 'm'"):
        ts.compile(pendulum()).mass_matrix([0.0])
    system = pendulum(parameters={"m": 2.0, "L": 1.0}).check()
    with pytest.raises(ts.KernelError, match="did you mean 'rod'"):
        ts.compile(system).pose("rood", [0.0])
    with pytest.raises(ts.KernelError, match="no parameter is named 'mass'"):
        ts.compile(system, parameters=("mass",))
    with pytest.raises(ts.KernelError, match="p= was given"):
        ts.compile(system).mass_matrix([0.0], p=[1.0])
    with pytest.raises(
        ValueError, match=r"q has the shape \(2,\), expected \(..., 1\) \(pivot.angle\)"
    ):
        ts.compile(system).mass_matrix([0.0, 1.0])


def test_regrouping_leaves_reactions_and_energies_alone():
    """Masses move between bodies only where nobody looks at them."""
    system = zoo.tree(
        (ts.Revolute("z"), ts.Revolute("x"), ts.Prismatic("y")), seed=1, parents=(-1, 0, 1)
    ).check()
    q, v, _ = zoo.state(system, np.random.default_rng(0))
    total = sum(float(k.inertia.mass) for k in system.links)
    dyn = ts.compile(system)
    rest = np.zeros(3)
    root = dyn.reactions(q, rest, rest)[0]
    zoo.close(np.linalg.norm(root[3:]), total * np.linalg.norm(system.gravity.astype(float)), 100)
    zoo.close(dyn.energy(q, v)[0], v @ dyn.mass_matrix(q) @ v / 2, 200)


def test_pickle_rebuilds(mixed):
    _, dyn, (q, v, a) = mixed
    again = pickle.loads(pickle.dumps(dyn))
    np.testing.assert_array_equal(again.inverse_dynamics(q, v, a), dyn.inverse_dynamics(q, v, a))
    kernel = pickle.loads(pickle.dumps(dyn.kernel("bias")))
    np.testing.assert_array_equal(kernel(q, v), dyn.bias(q, v))


def test_the_graph_is_handed_over(mixed):
    _, dyn, (q, v, a) = mixed
    f = dyn.casadi("inverse_dynamics")
    assert isinstance(f, ca.Function) and f.name_in() == ["q", "v", "a"]
    zoo.close(np.array(f(q, v, a)).ravel(), dyn.inverse_dynamics(q, v, a), 500)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler on this machine")
def test_exported_c_gives_the_same_numbers(mixed, tmp_path):
    _, dyn, (q, v, a) = mixed
    path = dyn.export(tmp_path / "arm.c")
    main = tmp_path / "main.c"
    lists = {n: ", ".join(map(repr, map(float, x))) for n, x in (("q", q), ("v", v), ("a", a))}
    main.write_text(
        '#include <stdio.h>\n#include "arm.h"\nint main(void) {\n'
        + "".join(f"  const double {n}[] = {{{x}}};\n" for n, x in lists.items())
        + f"  double tau[{dyn.nv}];\n  double M[{dyn.nv**2}];\n  double b[{dyn.nv}];\n"
        "  inverse_dynamics(q, v, a, tau); mass_matrix(q, M); forward_dynamics(q, v, a, b);\n"
        f'  for (int i = 0; i < {dyn.nv}; i++) printf("%.17g\\n", tau[i]);\n  return 0;\n}}\n'
    )
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    both = [str(main), str(path)]  # its functions are external: linked, not included
    subprocess.run(["gcc", *flags, *both, "-o", str(tmp_path / "arm"), "-lm"], check=True)
    out = subprocess.run([str(tmp_path / "arm")], check=True, capture_output=True, text=True).stdout
    zoo.close(np.array(out.split(), dtype=float), dyn.inverse_dynamics(q, v, a), 500)
    assert path.name == "arm.c" and not list(tmp_path.glob("*.partial"))


def test_exported_python_gives_the_same_numbers(mixed, tmp_path):
    _, dyn, (q, v, a) = mixed
    space: dict = {}
    exec(dyn.export(tmp_path / "arm.py").read_text(), space)
    zoo.close(space["inverse_dynamics"](q, v, a), dyn.inverse_dynamics(q, v, a), 500)
    with pytest.raises(ts.KernelError, match=r"ends in \.c or \.py"):
        dyn.export(tmp_path / "arm.txt")


OPERATIONS = {  # at or below the prototype: multiplications, additions
    "puma": (
        [
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, 0),
            (0, 0.4318, 0, 0.15),
            ("-pi/2", 0.0203, 0, 0.4318),
            ("pi/2", 0, 0, 0),
            ("-pi/2", 0, 0, 0),
        ],
        259,
        245,
    ),
    "stanford": (
        [
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, 0.15),
            ("pi/2", 0, 0, 0, "P"),
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, 0),
            ("pi/2", 0, 0, 0),
        ],
        227,
        213,
    ),
    "rx90": (
        [
            (0, 0, 0, 0),
            ("pi/2", 0, 0, 0),
            (0, 0.45, 0, 0),
            ("-pi/2", 0, 0, 0.45),
            ("pi/2", 0, 0, 0),
            ("-pi/2", 0, 0, 0),
        ],
        247,
        233,
    ),
}


@pytest.mark.parametrize("robot", OPERATIONS)
def test_operation_counts_of_known_robots(robot):
    rows, mul, add = OPERATIONS[robot]
    rng = np.random.default_rng(3)
    arm = ts.from_dh(rows, [zoo.body(f"b{i}", rng) for i in range(6)], convention="modified")
    count = ts.compile(arm).operations("inverse_dynamics")
    assert count["mul"] <= mul and count["add"] <= add and count["div"] == 0


def test_forces_of_the_model_enter_when_asked():
    """A spring across a hinge and one between two points, against closed forms."""
    model = ts.Model(
        "sprung",
        bodies=(ts.Body("rod", 2.0, (0, 0, -0.5)),),
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),),
        forces=(
            ts.JointForce("coil", "pivot", law=ts.Spring(stiffness=7.0)),
            ts.PointForce(
                "rope",
                a=("rod", (0, 0, -1)),
                b=("world", (1, 0, 0)),
                law=ts.Spring(stiffness=3.0, free_length=0.5),
            ),
        ),
    )
    dyn = ts.compile(model)
    q = 0.4
    tip, fixed = np.array([-np.sin(q), 0, -np.cos(q)]), np.array([1.0, 0, 0])
    r = fixed - tip
    pull = 3.0 * (np.linalg.norm(r) - 0.5) * r / np.linalg.norm(r)
    want = -7.0 * q + pull @ np.array([-np.cos(q), 0, np.sin(q)])
    zoo.close(dyn.applied(0.0, [q], [0.0]), [want], 40)
    zoo.close(
        dyn.inverse_dynamics([q], [0.1], [0.2], forces=True),
        dyn.inverse_dynamics([q], [0.1], [0.2]) - want,
        40,
    )
    assert dyn.applied(0.0, np.full((5, 1), q), [0.0]).shape == (5, 1)


def test_times_and_inputs_broadcast_as_states_do():
    """Several times at one state ended in NumPy's words, where elements remember something."""
    forces = (
        ts.JointForce("push", "x", ts.Effort(input="u")),
        ts.JointForce("told", "x", ts.TimeTable(((0, 0), (1, 5.0)))),
        ts.JointForce("metal", "x", ts.Crush(((0, 0), (1, 1e3)), 1e5)),
    )
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("u"),),
        forces=forces,
    )
    dyn, t, u = ts.compile(model), np.array([0.0, 0.5, 1.0]), np.array([[1.0], [2.0], [3.0]])
    zoo.close(dyn.applied(t, [0.1], [0.0])[:, 0], 5 * t - 100, 16)
    zoo.close(dyn.applied(0.0, [0.1], [0.0], u=u)[:, 0], u[:, 0] - 100, 16)
    q = np.array([[[0.1]], [[0.2]]])
    zoo.close(dyn.applied(t, q, [0.0], u=[1.0])[..., 0], 1 + 5 * t - 1e3 * q[..., 0], 16)
    got = dyn.inverse_dynamics([0.1], [0.0], [0.0], forces=True, t=t)
    zoo.close(got[:, 0], 100 - 5 * t, 16)
