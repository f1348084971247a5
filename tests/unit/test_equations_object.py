"""The Equations object: coefficients, substitution, evaluation, comparison, energies."""

import importlib
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.errors import NotInRing, TorseurError
from torseur.forces import JointForce, PointForce, Spring, Wrench
from torseur.formalisms import newton_euler
from torseur.joints import Free, Helical, Planar, Prismatic, Revolute
from torseur.model import Body, Input, Joint, Loop, Model
from torseur.symbolic import FORMALISM_NAMES, equations

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
ROBOTS = importlib.import_module("equations_robots")


def generic(eq, rng):
    q, v, a = zoo.state(eq.system, rng)
    return (
        q,
        v,
        a,
        {n: float(x) for n, x in zip(eq.parameters, rng.uniform(0.5, 2, 99), strict=False)},
    )


@pytest.mark.parametrize(
    "make",
    [
        ROBOTS.puma3,
        ROBOTS.stanford,
        lambda: ROBOTS.chain(6),
        lambda: zoo.free_body(Free()),
        lambda: zoo.free_body(Free("zyx", speeds="vehicle")),
    ],
)
def test_coefficients_add_up_to_the_efforts(make):
    eq = equations(make())
    n = eq.system.nv
    for i in range(n):
        S = eq.reading.symbols
        total = eq.gravity[i]
        for j in range(n):
            total = total + eq.mass_matrix[i, j] * eq._express(S.a[j])
            total = total + eq.centrifugal[i, j] * eq._express(S.v[j] * S.v[j])
            for k in range(j + 1, n):
                total = total + eq.coriolis[i, j, k] * eq._express(S.v[j] * S.v[k])
        assert total == eq.tau[i]
    assert eq.mass_matrix.shape == (n, n) and eq.coriolis.shape == (n, n, n)


def test_evaluate_agrees_with_kernels_floats_and_batches():
    rng = np.random.default_rng(9)
    system = zoo.puma_generic().check()
    eq = equations(system)
    q, v, a = rng.normal(size=(3, 5, 3))
    tau = eq.evaluate(q, v, a)
    assert tau.shape == (5, 3)
    for k in range(5):
        want = newton_euler.inverse_dynamics(system.floats(), q[k], v[k], a[k]).astype(float)
        zoo.close(tau[k], want, 300)
    dyn = ts.compile(system)
    zoo.close(tau, dyn.inverse_dynamics(q, v, a), 300)
    zoo.close(eq.evaluate(q[0]), dyn.gravity_forces(q[0]), 300)


def test_substitute_numbers_expressions_and_states():
    rng = np.random.default_rng(10)
    eq = equations(ROBOTS.puma3())
    q, v, a, p = generic(eq, rng)
    numbers = eq.substitute({n: x for n, x in p.items() if n != "d3"})
    assert numbers.parameters == ("d3",)
    zoo.close(numbers.evaluate(q, v, a, {"d3": p["d3"]}), eq.evaluate(q, v, a, p), 400)
    other = eq.substitute({"d3": "2*r + 0.1", "Ixx2": "Iyy2"})
    assert "d3" not in other.parameters and "r" in other.parameters
    given = {n: x for n, x in p.items() if n in other.parameters} | {"r": 0.3}
    zoo.close(
        other.evaluate(q, v, a, given),
        eq.evaluate(q, v, a, p | {"d3": 0.7, "Ixx2": p["Iyy2"]}),
        400,
    )
    held = eq.substitute({"q2": "pi/2", "dq1": 0, "d2q3": 1.5})
    q[1], v[0], a[2] = np.pi / 2, 0, 1.5
    zoo.close(held.evaluate(q, v, a, p), eq.evaluate(q, v, a, p), 400)
    assert "dq1" not in str(held.tau[0]) and "c2 " not in str(held.tau[0])
    assert held.substitute({"d3": 2}).fixed == held.fixed
    with pytest.raises(TorseurError, match="the cosine is not rational"):
        eq.substitute({"q2": 0.3})
    with pytest.raises(TorseurError, match="no parameter, coordinate or rate is named 'd4'"):
        eq.substitute({"d4": 1})


def test_an_angle_that_is_also_a_length():
    model = Model(
        "screw",
        gravity=(0, 0, "-g"),
        bodies=[Body("a", "m", ("x", 0, 0))],
        joints=[Joint("slide", "world", "a", Helical("y", "h"))],
    )
    nut = Model(
        "nut",
        gravity=(0, -9.81, 0),
        bodies=[Body("a", "m", ("x", 0, 0)), Body("b", "n", ("x", 0, 0))],
        joints=[
            Joint("turn", "world", "a", Revolute("x")),
            Joint("slide", "a", "b", Helical("y", "h")),
        ],
    )
    assert equations(model).substitute({"q1": "pi/2"}).gravity[0] == 0
    assert equations(nut).substitute({"q2": 0}).mass_matrix[0, 0] == equations(nut).read("0")
    with pytest.raises(TorseurError, match="q2 = pi/2: the coordinate also enters as a length"):
        equations(nut).substitute({"q2": "pi/2"})


def test_order_of_substitution_does_not_matter():
    eq = equations(ROBOTS.scara())
    one = eq.substitute({"d2": 0.35}).substitute({"q2": 0})
    assert one == eq.substitute({"q2": 0, "d2": 0.35})
    assert "0.35" in str(one) and one != eq


def test_comparison_is_exact_and_by_names():
    eq = equations(ROBOTS.puma3())
    assert eq == equations(ROBOTS.puma3(), "uicker")
    assert eq != equations(ROBOTS.scara()) and eq != equations(ROBOTS.puma560())
    assert eq != 3
    assert equations(ROBOTS.puma3(), eliminate="cos") == eq
    assert eq.mass_matrix[2, 2] == "Izz3" and eq.mass_matrix[2, 2] != "Izz2"
    with pytest.raises(ValueError, match="no quantity is named 'Izz9'; did you mean"):
        assert eq.mass_matrix[2, 2] == "Izz9"
    assert eq.mass_matrix[0, 1] - eq.mass_matrix[1, 0] == 0
    assert not (eq.mass_matrix[0, 1] - eq.mass_matrix[1, 0])


def test_energies_give_the_equations_back():
    eq = equations(ROBOTS.scara())
    T, U = eq.energies
    S, K = eq.reading.symbols, eq.reading.K
    for i in range(4):
        assert eq.gravity[i] == eq._express(K.derive(U.x, S.q[i]))
        for j in range(4):
            second = K.derive(K.derive(T.x, S.v[i]), S.v[j])
            assert eq.mass_matrix[i, j] == eq._express(second)


def test_tables_index_like_arrays():
    eq = equations(ROBOTS.puma3())
    assert eq.mass_matrix[-1, -1] == eq.mass_matrix[2, 2]
    assert np.array(eq.mass_matrix).shape == (3, 3) and eq.mass_matrix[0].shape == (3,)
    assert len(eq.tau) == 3 and next(iter(eq.gravity)) == 0
    with pytest.raises(IndexError, match="outside the shape"):
        eq.mass_matrix[0, 3]


def test_forces_are_written_out_or_named():
    rng = np.random.default_rng(12)
    model = Model(
        "forced",
        parameters={"k": 30.0, "L": 0.4},
        inputs=[Input("hand", 6)],
        bodies=[
            Body("a", 2, (0, 0, 0.1), (1, 1, 1, 0, 0, 0)),
            Body("b", 1, (0, 0.1, 0), (1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            Joint("hinge", "world", "a", Revolute("x"), damping=0.5),
            Joint("slide", "a", "b", Prismatic("z"), at=(0, 0, "L")),
        ],
        forces=[
            JointForce("spring", "slide", law=Spring("k", 0.2)),
            PointForce("rod", a="world", b=("b", (0, 0, 0.1)), law=Spring(5.0)),
            Wrench("push", "b", axes="world", input="hand"),
        ],
    )
    eq = equations(model, forces=True)
    assert set(eq.parameters) >= {"k", "L", "Q1.rod", "Q2.rod", "hand.4", "hand.5"}
    assert "where Q1.rod, Q2.rod: generalized force of 'rod'" in str(eq)
    plain = equations(model)
    assert eq.tau[1] - plain.tau[1] == "k (q2 - 0.2) - Q2.rod + hand.4 s1 - hand.5 c1"
    q, v, a, p = generic(eq, rng)
    got = eq.evaluate(q, v, a, p)
    free = plain.evaluate(q, v, a, {"L": p["L"]})
    system = model.check()
    hand = np.array([p.get(f"hand.{i}", 0.0) for i in range(6)])
    from torseur.kinematics import jacobian

    J = jacobian(system.floats({"L": p["L"]}), "b", q).astype(float)
    Q = J.T @ hand - np.array([0.5 * v[0], p["k"] * (q[1] - 0.2)]) + [p["Q1.rod"], p["Q2.rod"]]
    zoo.close(got, free - Q, 200)


def test_names_of_formalisms_and_messages():
    five = {"newton_euler", "global_inertia", "lagrange", "lie_group", "uicker"}
    assert {*FORMALISM_NAMES} == five | {"gibbs_appell", "virtual_power"}
    assert FORMALISM_NAMES[0] == "newton_euler"
    with pytest.raises(TorseurError, match="named 'lagrnge'; did you mean 'lagrange'"):
        equations(ROBOTS.puma3(), "lagrnge")
    with pytest.raises(TorseurError, match="no value for"):
        equations(ROBOTS.puma3()).evaluate((0, 0, 0))
    with pytest.raises(TorseurError, match="no parameter is named 'Ixx4'; did you mean"):
        equations(ROBOTS.puma3()).evaluate((0, 0, 0), parameters={"Ixx4": 1})
    with pytest.raises(ValueError, match=r"q has shape \(2,\); expected \(\.\.\., 3\)"):
        equations(ROBOTS.puma3()).evaluate((0, 0))


def test_equations_and_simulate_are_plain_functions():
    assert ts.equations(ROBOTS.puma3()) == equations(ROBOTS.puma3(), "lie_group")
    assert inspect.isfunction(ts.equations) and inspect.isfunction(ts.simulate)
    assert repr(ts.equations(ROBOTS.scara())).startswith("Equations('SCARA', newton_euler: 4")


def test_an_empty_mechanism_has_no_equations():
    eq = equations(Model("nothing"))
    assert len(eq.tau) == 0 and "0 equations" in str(eq)


def crank() -> Model:
    """A slider crank: two hinges, and a bore that keeps the rod's end on a line."""
    return Model(
        "slider crank",
        gravity=(0, "-g", 0),
        bodies=[
            Body("crank", "m1", ("r/2", 0, 0), (0, "J1", "J1", 0, 0, 0)),
            Body("rod", "m2", ("L/2", 0, 0), (0, "J2", "J2", 0, 0, 0)),
        ],
        joints=[
            Joint("pin", "world", "crank", Revolute("z")),
            Joint("big end", "crank", "rod", Revolute("z"), at=("r", 0, 0)),
        ],
        loops=[Loop("bore", "world", "rod", Planar("y"), child_at=("L", 0, 0))],
    )


def test_loops_come_with_their_rows():
    eq = equations(crank())
    c = eq.constraints
    row = next(i for i in range(len(c.names)) if c.residuals[i] == "r s1 + L s12")
    assert c.jacobian[row, 0] == "r c1 + L c12" and c.jacobian[row, 1] == "L c12"
    assert c.gamma[row] == "r s1 dq1^2 + L s12 (dq1 + dq2)^2"
    assert "\nwith J a = gamma:\n" in str(eq) and "s1 = cos, sin of q1" in str(eq)
    assert equations(ROBOTS.puma3()).constraints is None


def test_constants_named_or_rational():
    def model(*angles):
        return Model(
            "turned",
            bodies=[Body("b", 1, (0.1, 0.2, 0), (1, 1, 1, 0, 0, 0))],
            joints=[Joint("j", "world", "b", Revolute("z"), rpy=angles)],
        )

    named = equations(model(0.3, 0.5, 0))
    assert "cos(1/10)" in str(named) and named.canonical
    rational = equations(model(0.3, 0.5, 0), constants="rational")
    assert "cos" not in str(rational.gravity[0]).replace("cos of", "") and not rational.canonical
    q = np.array([0.7])
    zoo.close(rational.evaluate(q), named.evaluate(q), 50)
    for angle in (-6.0, -2.0, 0.1, 1.6, 3.0, 5.5):
        one, two = (
            equations(model(angle, 0.2, 0), constants=c).evaluate(q) for c in ("named", "rational")
        )
        zoo.close(one, two, 200)
    with pytest.raises(ValueError, match="constants='exact': expected 'auto', 'named'"):
        equations(model(0, 0, 0), constants="exact")


def test_substitution_reaches_the_laws_of_forces():
    model = Model(
        "spring",
        parameters={"k": 30.0, "L": 0.4},
        bodies=[Body("a", 2, ("L", 0, 0.1), (1, 1, 1, 0, 0, 0))],
        joints=[Joint("hinge", "world", "a", Revolute("x"))],
        forces=[JointForce("spring", "hinge", law=Spring("k", "L"))],
    )
    eq = equations(model, forces=True)
    assert eq.tau[0] - equations(model).tau[0] == "k (q1 - L)"
    for given in ({"k": 5, "L": 0.2}, {"L": 0.2}, {"k": "3*L"}):
        other = eq.substitute(given)
        p = {n: x for n, x in {"k": 5.0, "L": 0.2}.items() if n in other.parameters}
        full = {"k": 0.6 if given.get("k") == "3*L" else 5.0, "L": 0.2}
        want = eq.evaluate([0.3], [0.1], [0.2], full)
        zoo.close(other.evaluate([0.3], [0.1], [0.2], p), want, 50)
        space: dict = {}
        exec(other.code("python", name="f"), space)
        got = space["f"]([0.3], [0.1], [0.2], [p[n] for n in other.parameters])
        zoo.close(got, want, 50)


def test_equations_survive_a_pickle():
    import pickle

    eq = equations(ROBOTS.scara(), "uicker").substitute({"d2": 0.5}).substitute({"q3": 0})
    back = pickle.loads(pickle.dumps(eq))
    assert back == eq and back.formalism == "uicker" and back.parameters == eq.parameters


def test_names_that_could_be_mistaken_are_spelt_out():
    model = Model(
        "names",
        gravity=(0, 0, "-g"),
        bodies=[Body("a", mass="m", com=("q1", 0, "s1"), inertia=("J", "J", "J", 0, 0, 0))],
        joints=[Joint("j", "world", "a", Revolute("y"))],
    )
    eq = equations(model)
    assert str(eq.gravity[0]) == "-g m s1 sin(j.angle) - g m q1 cos(j.angle)"
    assert eq.gravity[0] == "-g m (s1 sin(j.angle) + q1 cos(j.angle))"
    assert r"\mathrm{s1}" in eq.gravity[0].latex() and r"s_{1}" in eq.gravity[0].latex()


def test_what_is_no_polynomial_is_said_with_a_remedy():
    model = Model(
        "roots",
        bodies=[Body("a", mass="m", com=("sqrt(L)", 0, 0))],
        joints=[Joint("j", "world", "a", Revolute("y"))],
    )
    with pytest.raises(NotInRing, match=r"roots: sqrt\(L\) needs .* give the whole"):
        equations(model)


def test_other_tables_at_numbers_and_the_layout_of_document_004():
    eq = equations(zoo.puma_generic())
    q, v, a = (0.4, 0.7, -1.1), (1.2, -0.8, 1.5), (2, -3, 4)  # oracle O-B3
    A = eq.evaluate(q, quantity="mass_matrix")
    want = [
        [19.6020523897, -0.4609912698, -0.1062605900],
        [-0.4609912698, 19.8663389639, 3.2671694819],
        [-0.1062605900, 3.2671694819, 2.2],
    ]
    np.testing.assert_allclose(A, want, rtol=0, atol=1e-10)
    m = eq.matrices
    B, C, G = (eq.evaluate(q, quantity=x) for x in (m.B, m.C, m.G))
    assert B.shape == (3, 3) and m.pairs == ((0, 1), (0, 2), (1, 2))
    np.testing.assert_allclose(-G, (0, 255.7233715307, 43.7894862281), rtol=0, atol=1e-9)
    products = np.array([v[j] * v[k] for j, k in m.pairs])
    np.testing.assert_allclose(
        B @ products + C @ np.square(v),
        (18.9596022668, 9.9550232731, -4.0168344761),
        rtol=0,
        atol=1e-9,
    )
    np.testing.assert_allclose(
        A @ a + B @ products + C @ np.square(v) - G,
        (59.1216384957, 218.2260733002, 38.5586221263),
        rtol=0,
        atol=1e-9,
    )


def test_parameters_of_constraints_stay_names():
    """A declared value is for numbers; exact rows keep the name, whatever says the constraint."""
    from torseur.constraints import (
        Distance,
        Driven,
        Gear,
        Holonomic,
        Pfaffian,
        PointOnSurface,
    )

    for c, residual, entry in (
        (Distance("c", "b", length="L"), "1/2 (q2^2 + q3^2)/L - 1/2 L", "q2/L"),
        (Holonomic("c", "j.x**2 + j.y**2 - L**2"), "q2^2 + q3^2 - L^2", "2 q2"),
        (PointOnSurface("c", "b", "world", "L*z - x"), None, None),
        (Gear("c", "j.y", "j.x", "L"), "q3 - L q2", "-L"),
        (Driven("c", "j.x", "L*t**2/2"), "q2 - 1/2 L t^2", "1"),
        (Pfaffian("c", "L*j.speed_x - j.speed_y"), None, "L"),
    ):
        for values in ({}, {"L": 2.0}):
            model = Model(
                "bead",
                bodies=[Body("b", 1, inertia=(1, 1, 1, 0, 0, 0))],
                joints=[Joint("j", "world", "b", Planar("y"))],
                parameters=values,
                constraints=[c],
            )
            rows = equations(model).constraints
            assert "L" in str(equations(model)).split("less")[-1]
            assert residual is None or str(rows.residuals[0]) == residual
            assert entry is None or str(rows.jacobian[0, 1]) == entry


def test_loops_are_in_latex_and_mathml():
    eq = equations(crank())
    text = eq.latex()
    assert r"& \text{with}\quad J a = \gamma \\" in text and r"\lambda_{1}" in text
    assert r"0 &= L s_{12} + r s_{1}" in text and r"J_{1,2} &= L c_{12}" in text
    assert r"\gamma_{1} &=" in text
    assert "<mi>&#x3BB;</mi>" in eq.mathml()
    assert "<msub><mi>J</mi><mi>1,2</mi></msub>" in eq.mathml()
    assert "lambda" not in equations(ROBOTS.puma3()).latex()


def test_contacts_and_frictions_are_named_as_left_out():
    from torseur.constraints import Contact, DryFriction

    rub = DryFriction("rub", "j.displacement", force=1)
    model = Model(
        "block",
        bodies=[Body("b", "m")],
        constraints=[Contact("floor", "b"), rub],
        joints=[Joint("j", "world", "b", Prismatic("z"))],
    )
    assert "tau includes what floor, rub may do" in str(equations(model))
    assert "may do" not in str(equations(crank()))
