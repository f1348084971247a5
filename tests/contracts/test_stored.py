"""What depends on positions alone is stored: an expression keeps the books of the law it writes."""

import itertools

import numpy as np
import pytest

import torseur as ts
from torseur.numbers import antiderivative, nominal, parse

SAME = {
    "100*x": ts.Spring(100.0),
    "100*(x - 0.3) + 5": ts.Spring(100.0, 0.3, preload=5.0),
    "40*x + 900*x**3": ts.Polynomial((40.0, 0.0, 900.0)),
    "3*rate": ts.Viscous(3.0),
    "100*x + 3*rate": ts.Parallel(ts.Spring(100.0), ts.Viscous(3.0)),
}


def run(law):
    body, joint = ts.Body("b", 1.0), ts.Joint("x", "world", "b", ts.Prismatic("x"))
    parts = {"bodies": (body,), "joints": (joint,), "forces": (ts.JointForce("f", "x", law),)}
    model = ts.Model("m", gravity=(0, 0, 0), **parts)
    start = {"x.displacement": 0.1, "x.speed": 1.0}
    return ts.simulate(model, 0.7, start, rtol=1e-10, atol=1e-12, output=41)


@pytest.mark.parametrize("text", SAME)
def test_an_expression_has_the_books_of_its_law(text):
    got, want = run(ts.Expression(text)), run(SAME[text])
    for name in ("f.energy.stored", "f.energy.dissipated", "energy.potential"):
        a, b = got[name], want[name]  # a potential is known up to a constant
        np.testing.assert_allclose(a - a[0], b - b[0], atol=1e-8)
    np.testing.assert_allclose(run(ts.Expression("100*x"))["f.energy.stored"][0], 0.5, rtol=1e-12)


@pytest.mark.parametrize(
    "text", ["10*tanh(3*x)**3", "1e3*max(x - 0.15, 0)", "sqrt(x + 2)", "1/(2 + x)"]
)
def test_without_a_formula_the_books_are_kept_from_the_start(text):
    out = run(ts.Expression(text))
    assert out.completed, out.outcome
    assert abs(out["f.energy.dissipated"]).max() == 0 and out["f.energy.stored"][0] == 0
    total = out["energy.kinetic"] + out["f.energy.stored"]
    np.testing.assert_allclose(total, total[0], atol=1e-8)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "4",
        "a*x**3 - x/a",
        "(x - a)**2*(x + 1)",
        "sin(a*x + 1)",
        "2*exp(-x/a)",
        "abs(x - a)",
        "tanh(3*x - a)",
        "atan(2*x + 1)",
        "sign(x - a)",
    ],
)
def test_antiderivatives(text):
    f, F = parse(text), antiderivative(parse(text), "x")
    for x in (-0.7, 0.2, 1.3):
        nodes, weights = np.polynomial.legendre.leggauss(40)
        cuts = sorted({0.0, x, *([0.6] if min(0, x) < 0.6 < max(0, x) else [])})
        area = sum(
            (b - a)
            / 2
            * weights
            @ [nominal(f, {"x": (a + b + (b - a) * n) / 2, "a": 0.6}) for n in nodes]
            for a, b in itertools.pairwise(cuts)
        )
        assert nominal(F, {"x": x, "a": 0.6}) == pytest.approx(np.sign(x) * area, abs=1e-12)


def test_a_source_by_text_stays_supplied():
    out = run(ts.Expression("100*x", work="supplied"))
    assert abs(out["f.energy.stored"]).max() == 0 and abs(out["energy.supplied"]).max() > 0.1


@pytest.mark.parametrize("text", ["10*tanh(3*x)", "sqrt(x + 2)", "100*x", "20*x + 2*x**3"])
def test_beside_other_laws_too(text):
    out = run(ts.Parallel(ts.Spring(20.0), ts.Expression(text)))
    assert out.completed and abs(out["f.energy.dissipated"]).max() == 0
    total = out["energy.kinetic"] + out["f.energy.stored"]
    np.testing.assert_allclose(total, total[0], atol=1e-8)


def test_what_cannot_be_told_apart_is_told():
    rubbing = run(ts.Parallel(ts.Viscous(2.0), ts.Expression("10*tanh(3*x)")))  # has a formula
    assert rubbing["f.energy.dissipated"][-1] > 0.1 and rubbing.completed
    with pytest.raises(ts.ModelError, match="make it a force of its own"):
        run(ts.Parallel(ts.Viscous(2.0), ts.Expression("sqrt(x + 2)")))
