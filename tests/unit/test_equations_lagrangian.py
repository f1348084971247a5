"""The Lagrangian, energies by body, and the formalisms people choose by name."""

from dataclasses import replace

import numpy as np
import pytest
import sympy

import torseur as ts
from torseur.formalisms import FORMALISMS
from torseur.symbolic import ExpressionTable, rows
from torseur.symbolic.print.atoms import Atom
from torseur.symbolic.print.names import Names
from torseur.symbolic.print.text import text


def pendulum_on_springs() -> ts.Model:
    return ts.Model(
        "cart",
        gravity=(0, 0, "-g"),
        bodies=[ts.Body("cart", "M"), ts.Body("rod", "m", com=(0, 0, "-L"))],
        joints=[
            ts.Joint("x", "world", "cart", ts.Prismatic("x")),
            ts.Joint("p", "cart", "rod", ts.Revolute("y"), armature="J"),
        ],
        forces=[
            ts.JointForce("spring", "x", ts.Spring("k", "x0")),
            ts.JointForce("cubic", "p", ts.Expression("c*x**3")),
            ts.JointForce("damper", "x", ts.Viscous("d")),
        ],
        parameters=dict.fromkeys(("M", "m", "L", "J", "k", "x0", "c", "d", "g"), 0.7),
    )


def test_lagranges_equations_of_the_lagrangian():
    """SymPy differentiates L; what is left against tau with forces is the damper."""
    eq = ts.equations(pendulum_on_springs(), forces=True)
    t = sympy.Symbol("t")
    q = [sympy.Function(f"f{i}")(t) for i in (1, 2)]
    L = eq.lagrangian.sympy()
    names = {sympy.Symbol(f"dq{i + 1}"): sympy.diff(x, t) for i, x in enumerate(q)}
    names |= {sympy.Symbol(f"q{i + 1}"): x for i, x in enumerate(q)}
    L = L.subs(names)
    for i, x in enumerate(q):
        left = sympy.diff(sympy.diff(L, sympy.diff(x, t)), t) - sympy.diff(L, x)
        for j, y in enumerate(q):
            left = left.subs(sympy.diff(y, t, 2), sympy.Symbol(f"d2q{j + 1}"))
        for j, y in enumerate(q):
            left = left.subs(sympy.diff(y, t), sympy.Symbol(f"dq{j + 1}"))
        for j, y in enumerate(q):
            left = left.subs(y, sympy.Symbol(f"q{j + 1}"))
        damper = sympy.Symbol("d") * sympy.Symbol("dq1") if i == 0 else 0
        assert sympy.simplify(left + damper - eq.sympy()[i]) == 0


def test_energies_by_body_add_up_to_the_kernels():
    model = pendulum_on_springs()
    eq = ts.equations(model)
    parts = eq.energies_by_body
    assert list(parts) == ["cart", "rod", "spring", "cubic"]
    assert parts["cart"][0] == "1/2 M dq1^2"
    assert parts["spring"][1] == "1/2 k q1^2 - k x0 q1 + 1/2 k x0^2"
    assert str(parts["cubic"]) == "(0, 1/4 c q2^4)"
    full = ts.equations(model, forces=True)
    q, v = np.random.default_rng(1).normal(size=(2, 2))
    T, U = ts.compile(model).energy(q, v)
    both = ExpressionTable((2,), lambda i: full.energies[i])
    np.testing.assert_allclose(full.evaluate(q, v, quantity=both), [T, U], rtol=1e-13)
    springs = ts.equations(replace(model, forces=model.forces[:1])).energies[1]
    assert eq.energies[1] == full.energies[1] != springs
    assert ts.equations(replace(model, forces=())).energies[1] == "-g m L c2"
    assert eq.lagrangian == full.energies[0] - full.energies[1]


def test_what_has_no_polynomial_energy_is_told():
    model = ts.Model(
        "line",
        bodies=[ts.Body("b", 1.0)],
        joints=[ts.Joint("x", "world", "b", ts.Prismatic("x"))],
        forces=[ts.PointForce("cord", ("world", (0, 0, 1)), "b", ts.Spring(3.0, 1.0))],
    )
    for whole in ("lagrangian", "energies", "energies_by_body"):
        with pytest.raises(ts.NotInRing, match=r"no polynomial.*'cord'.*take dyn\.energy"):
            getattr(ts.equations(model), whole)


@pytest.mark.parametrize("name", ["virtual_power", "gibbs_appell"])
def test_they_are_chosen_by_name(name):
    assert name in FORMALISMS
    model = pendulum_on_springs()
    eq = ts.equations(model, formalism=name)
    assert eq == ts.equations(model) and name in str(eq).splitlines()[0]


def disc(**more) -> ts.Model:
    return ts.Model(
        "disc",
        gravity=(0, 0, "-g"),
        bodies=[ts.Body("d", "m", inertia=("A", "A", "C", 0, 0, 0))],
        joints=[ts.Joint("f", "world", "d", ts.Free("zxz", **more))],
        constraints=[ts.Rolling("roll", "d", radius="r", axis=(0, 0, 1))],
        parameters={"m": 1.3, "A": 0.2, "C": 0.4, "r": 0.5, "g": 9.81},
    )


def test_a_rolling_disc_without_a_root():
    """Its rows are those of every textbook: z = r sin(nutation), and a contact that stands."""
    eq = ts.equations(disc())
    c = eq.constraints
    assert c.residuals[0] == "q3 - r s5"
    assert [str(x) for x in c.jacobian[1]] == ["1", "0", "0", "r c4 c5", "-r s4 s5", "r c4"]
    assert [str(x) for x in c.jacobian[2]] == ["0", "1", "0", "r c5 s4", "r c4 s5", "r s4"]
    assert [str(x) for x in c.positive] == ["s5"] and "where s5 > 0:" in str(eq)
    assert "tau6 = C c5 d2q4 + C d2q6 - C s5 dq4 dq5 - r c4 lambda2 - r s4 lambda3" in str(eq)
    assert "roll.normal, lambda1 is force along normal [N]:" in str(eq)
    assert r"\tau_{1} &= m \ddot{q}_{1} - \lambda_{2}" in eq.latex() and "&#x3BB;" in eq.mathml()
    assert "s_{5} > 0" in eq.latex() and "sqrt" not in str(eq) + eq.latex()
    dyn = ts.compile(disc())
    q, v = np.array([0.1, 0.2, 0.3, 0.4, 1.1, 0.7]), np.random.default_rng(1).normal(size=6)
    got = eq.evaluate(q, v, quantity=c.jacobian)
    np.testing.assert_allclose(got, dyn.constraint_jacobian(q), atol=1e-14)
    got = eq.evaluate(q, v, quantity=c.gamma)
    np.testing.assert_allclose(got, dyn.constraint_gamma(q, v), atol=1e-13)


def test_the_disc_rolls_by_its_symbolic_equations():
    """Accelerations from the printed matrices are those of the constrained kernel."""
    eq, dyn = ts.equations(disc()), ts.compile(disc())
    q, v = np.array([0, 0, 0.4, 0.4, 0.9, 0.7]), np.random.default_rng(2).normal(size=6)
    M, c = eq.evaluate(q, quantity="mass_matrix"), eq.constraints
    h = eq.evaluate(q, v)
    J, gamma = (eq.evaluate(q, v, quantity=x) for x in (c.jacobian, c.gamma))
    A = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
    x = np.linalg.solve(A, np.concatenate([-h, gamma]))
    a, lam = dyn.constrained_dynamics(q, v, np.zeros(6))
    np.testing.assert_allclose(x[:6], a, rtol=1e-8)
    np.testing.assert_allclose(x[6:], lam, rtol=1e-8)


def test_body_axes_divide_by_what_is_told():
    """With angular velocities as speeds, rates of the angles divide by the same sine."""
    c = ts.equations(disc(speeds="body")).constraints
    assert [str(x) for x in c.positive] == ["s5"]
    assert c.residuals[0] == "q3 - r s5"


def test_multipliers_in_the_printed_equations_are_minus_their_jacobian():
    """Read back from the print of a four-bar, with brackets and summed angles."""
    pin = ts.Revolute("y")
    model = ts.Model(
        "bars",
        bodies=[ts.Body(n, 1, com=("L", 0, 0)) for n in "abc"],
        joints=[
            ts.Joint("A", "world", "a", pin),
            ts.Joint("B", "a", "b", pin, at=("2*L", 0, 0)),
            ts.Joint("D", "world", "c", pin, at=("3*L", 0, 0)),
        ],
        loops=[ts.Loop("C", "c", "b", pin, at=("2*L", 0, 0), child_at=("3*L", 0, 0))],
    )
    eq = ts.equations(model)
    c, names = eq.constraints, Names(eq.system)
    for i, (head, terms) in enumerate(rows(eq)):
        assert head == f"tau{i + 1}"
        for r in range(len(c.names)):
            one = tuple(p for p in terms if (Atom("p", f"lambda{r + 1}"), 1) in p.factors)
            said = text(one, names).replace(f"lambda{r + 1}", "1")
            assert eq.read(said) == -c.jacobian[r, i], said
