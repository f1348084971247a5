"""Sines of products of coordinates, time and parameters, in the ring.  Theory: EQ.10."""

import numpy as np
import pytest
import sympy

import torseur as ts
from torseur.errors import TorseurError
from torseur.symbolic import FORMALISM_NAMES

rng = np.random.default_rng(3)


def knuckle(**more):
    """Document 000's subject: a body on a guide whose screw varies."""
    guide = ts.Guided(("a*z**2", 0, "z"), ("b*z", 0, 0), coordinate="z")
    body = ts.Body("k", mass="m", com=(0, "h", 0), inertia=("J", "J", "J", 0, 0, 0))
    return ts.Model(
        "knuckle",
        gravity=(0, 0, "-g"),
        bodies=[body],
        joints=[ts.Joint("s", "world", "k", guide)],
        **more,
    )


def test_a_guided_joint_is_written_out():
    eq = ts.equations(knuckle())
    assert eq.canonical
    assert eq.mass_matrix[0, 0] == "m + 4 m a^2 q1^2 + 2 m b h cos(b q1) + m b^2 h^2 + J b^2"
    assert eq.christoffel[0, 0, 0] == "4 m a^2 q1 - m h b^2 sin(b q1)"
    assert str(eq.gravity[0]) == "g m + b g h m cos(b q1)"
    assert r"\cos\left(b q_{1}\right)" in eq.latex()
    for name in FORMALISM_NAMES[1:]:
        assert ts.equations(knuckle(), name) == eq


def test_it_is_lagranges_equation_by_another_program():
    """SymPy differentiates the energies of the body at its position."""
    eq = ts.equations(knuckle())
    t = sympy.Symbol("t")
    a, b, m, h, J, g = sympy.symbols("a b m h J g")
    z = sympy.Function("z")(t)
    y, height = h * sympy.cos(b * z), z + h * sympy.sin(b * z)
    T = m * (sympy.diff(a * z**2, t) ** 2 + sympy.diff(y, t) ** 2 + sympy.diff(height, t) ** 2) / 2
    T = T + J * (b * sympy.diff(z, t)) ** 2 / 2
    L = T - m * g * height
    want = sympy.diff(sympy.diff(L, sympy.diff(z, t)), t) - sympy.diff(L, z)
    q, dq, d2q = sympy.symbols("q1 dq1 d2q1")
    want = want.subs(sympy.diff(z, t, 2), d2q).subs(sympy.diff(z, t), dq).subs(z, q)
    assert sympy.simplify(eq.sympy()[0] - want) == 0


def test_numbers_code_and_text_agree_with_the_kernel():
    values = {"m": 2.0, "h": 0.3, "J": 0.1, "a": 0.7, "b": 1.3, "g": 9.81}
    model = knuckle(parameters=values)
    eq, (q, v, x) = ts.equations(model), rng.normal(size=(3, 1))
    want = ts.compile(model).inverse_dynamics(q, v, x)
    np.testing.assert_allclose(eq.evaluate(q, v, x), want, rtol=1e-14)
    space: dict = {}
    exec(eq.code("python"), space)
    p = [values[n] for n in eq.parameters]
    np.testing.assert_allclose(space["tau"](q, v, x, p), want, rtol=1e-14)
    assert eq.tau[0] == str(eq.tau[0])


def test_parameters_and_coordinates_of_a_sine_are_replaced():
    eq = ts.equations(knuckle())
    assert eq.substitute({"b": 0}).mass_matrix[0, 0] == "m + 4 m a^2 q1^2"
    assert eq.substitute({"b": "2*a"}).gravity[0] == "g m + 2 a g h m cos(2 a q1)"
    assert eq.substitute({"s.z": 0}).mass_matrix[0, 0] == "m + 2 m b h + m b^2 h^2 + J b^2"
    with pytest.raises(TorseurError, match=r"s\.z = 1/5: cos.*give 0, or use evaluate"):
        eq.substitute({"s.z": 0.2})


def test_multiples_of_one_angle_are_one_pair_of_generators():
    guide = ts.Guided(("cos(2*z)", "sin(3*z)", "z"), (0, 0, "z"), coordinate="z")
    model = ts.Model(
        "multiples", bodies=[ts.Body("k", mass=1)], joints=[ts.Joint("s", "world", "k", guide)]
    )
    eq = ts.equations(model)
    assert eq.canonical and list(eq.reading.symbols.sines) == ["s.z"]
    z = 0.7
    want = 1 + 4 * np.sin(2 * z) ** 2 + 9 * np.cos(3 * z) ** 2
    np.testing.assert_allclose(eq.evaluate([z], quantity="mass_matrix"), [[want]], rtol=1e-14)


def test_rows_with_sines_of_time_are_written_out():
    cart = ts.Model(
        "cart",
        bodies=[ts.Body("c", mass=2), ts.Body("r", mass="m", com=(0, 0, "-L"))],
        joints=[
            ts.Joint("x", "world", "c", ts.Prismatic("x")),
            ts.Joint("p", "c", "r", ts.Revolute("y")),
        ],
        constraints=[ts.Driven("shake", "x.displacement", "A*sin(w*t) + sin(2*pi*t)/3")],
        parameters={"A": 0.1, "w": 20, "L": 0.5, "m": 1.0},
    )
    c = ts.equations(cart).constraints
    assert c.residuals[0] == "q1 - A sin(w t) - 1/3 sin(2 pi t)"
    assert c.gamma[0] == "-A w^2 sin(w t) - 4/3 pi^2 sin(2 pi t)"


def test_rows_along_a_curve_of_its_arc_are_written_out():
    wire = ts.Model(
        "wire",
        bodies=[ts.Body("a"), ts.Body("b", mass=2)],
        joints=[
            ts.Joint("x", "world", "a", ts.Prismatic("x")),
            ts.Joint("y", "a", "b", ts.Prismatic("y")),
        ],
        constraints=[ts.PointOnCurve("w", "b", curve=("R*cos(s/R)", "R*sin(s/R)", 0))],
        parameters={"R": 0.5},
    )
    c = ts.equations(wire).constraints
    assert c.residuals[0] == "q1 - R cos(q3/R)"
    assert c.jacobian[1, 2] == "-cos(q3/R)"
    assert c.gamma[1] == "-sin(q3/R) dq3^2/R"


def test_forces_of_sines_are_written_out():
    law = ts.Expression("5*sin(3*t)*cos(x/2)")
    cart = ts.Model(
        "cart",
        bodies=[ts.Body("c", mass=2)],
        joints=[ts.Joint("x", "world", "c", ts.Prismatic("x"))],
        forces=[ts.JointForce("f", "x", law)],
    )
    assert str(ts.equations(cart, forces=True).tau[0]) == "2 d2q1 + 5 sin(3 t) cos(1/2 q1)"


def test_half_of_a_hinges_angle_has_no_generator_of_its_own():
    """The hinge's cosine is one already, and the half angle's is a root of it: told, not wrong."""
    arm = ts.Model(
        "arm",
        bodies=[ts.Body("a", mass=1, com=(0, 0, 1)), ts.Body("b", mass=1)],
        joints=[
            ts.Joint("h", "world", "a", ts.Revolute("y")),
            ts.Joint("x", "world", "b", ts.Prismatic("x")),
        ],
        constraints=[ts.Holonomic("half", "x.displacement - sin(h.angle/2)")],
    )
    with pytest.raises(TorseurError, match=r"sin\(1/2\*h\.angle\) is not a generator"):
        _ = ts.equations(arm).constraints


def test_pi_in_and_outside_of_sines():
    guide = ts.Guided(("sin(2*pi*z)", 0, "z"), ("pi/3", 0, "pi*z"), coordinate="z")
    body = ts.Body("k", 1, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1, 0, 0, 0))
    model = ts.Model("m", bodies=[body], joints=[ts.Joint("s", "world", "k", guide)])
    eq, (q, v, a) = ts.equations(model), rng.normal(size=(3, 1))
    assert not eq.reading.symbols.functions and list(eq.reading.symbols.sines) == ["s.z*pi"]
    want = ts.compile(model).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(eq.evaluate(q, v, a), want, rtol=1e-12)


def test_what_time_moves_is_no_constant_of_base_parameters():
    """A pendulum shaken along z: m and mz are told apart by the shaking, not regrouped by it."""
    model = ts.Model(
        "shaken",
        bodies=[ts.Body("c", 1, inertia=(1, 1, 1, 0, 0, 0)), ts.Body("r", 1, com=(0, 0, -1))],
        joints=[
            ts.Joint("z", "world", "c", ts.Prismatic("z"), at=(0, 0, "sin(3*t)/9")),
            ts.Joint("j", "c", "r", ts.Revolute("y")),
        ],
    )
    text = str(ts.equations(model).base_parameters)
    assert "sin" not in text and "cos" not in text and "r.mz" in text
