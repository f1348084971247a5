"""What depends on positions alone is stored: an expression keeps the books of the law it writes."""

import itertools

import numpy as np
import pytest

import torseur as ts
from torseur.scalars import antiderivative, nominal, parse, substituted

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


@pytest.mark.parametrize("text", ["10*tanh(3*x)**3", "exp(sin(x))", "sqrt(x*x + 2)", "1/(2 + x*x)"])
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
        "sqrt(x + 3*a)",
        "a/(2*x + 5)",
        "3/(x + 4)**3",
        "max(x, a)**2 - x",
        "min(5*x - 2, 5*a - 2)*4",
        "sqrt(max(a - x, 0) + 2)",
    ],
)
def test_antiderivatives(text):
    f, F = parse(text), antiderivative(parse(text), "x")
    F = F - substituted(F, {"x": 0})
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
        run(ts.Parallel(ts.Viscous(2.0), ts.Expression("sqrt(x*x + 2)")))


# ---- books of every kind of expression, on every line of one deflection ----------------------

X, T = "0.1*sin(5*t)", "(1 + 0.3*cos(4*t))"
BOOKS = {  # text: stored(x, t), power dissipated(x, rate, t), power supplied(x, rate, t)
    f"100*x*{T}": (
        lambda x, t: 50 * x**2 * (1 + 0.3 * np.cos(4 * t)),
        lambda x, r, t: 0 * t,
        lambda x, r, t: -60 * x**2 * np.sin(4 * t),
    ),
    f"100*(x - {X}) + 2*rate": (
        lambda x, t: 50 * x**2 - 10 * x * np.sin(5 * t),
        lambda x, r, t: 2 * r**2,
        lambda x, r, t: -50 * x * np.cos(5 * t),
    ),
    "5*sin(3*t)": (
        lambda x, t: 0 * t,
        lambda x, r, t: 0 * t,
        lambda x, r, t: -5 * np.sin(3 * t) * r,
    ),
    "400*max(x, 0)*sqrt(max(x, 0))*(1 + 0.3*rate)": (
        lambda x, t: 160 * np.maximum(x, 0) ** 2.5,
        lambda x, r, t: 120 * np.maximum(x, 0) ** 1.5 * r**2,
        lambda x, r, t: 0 * t,
    ),
    "30*(x - 2*push) + 3*rate*x*x": (
        lambda x, t: 15 * x**2,
        lambda x, r, t: 3 * x**2 * r**2,
        lambda x, r, t: 60 * 0.7 * r,
    ),
}


def carriage(force):
    """A slider of 1 kg along x, from which forces measure; a second one, free, beside it."""
    return ts.Model(
        "books",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0), ts.Body("c", 1.0)),
        joints=(
            ts.Joint("x", "world", "b", ts.Prismatic("x")),
            ts.Joint("y", "world", "c", ts.Prismatic("y")),
        ),
        inputs=(ts.Input("push"),),
        forces=(force,),
    )


def coasted(model, **start):
    options = {"rtol": 1e-10, "atol": 1e-12, "output": 2001, "inputs": {"push": 0.7}}
    run = ts.simulate(model, 0.7, {"x.displacement": 0.1, "x.speed": 1.0} | start, **options)
    assert run.completed and abs(run["energy.residual"]).max() < 1e-7, run.outcome
    return run


def closes(run, name, powers):
    """A book is the integral of the power that a person computes."""
    from scipy.integrate import cumulative_simpson

    t, keep = run.time, np.flatnonzero(np.diff(run.time, prepend=-1) > 0)
    total = cumulative_simpson(powers[keep], x=t[keep], initial=0)
    np.testing.assert_allclose(run[name][keep], total, atol=2e-6)


LINES = {
    "JointForce": lambda law: ts.JointForce("f", "x", law),
    "CoordinateForce": lambda law: ts.CoordinateForce("f", {"x.displacement": 1}, law),
    "PointForce": lambda law: ts.PointForce("f", ("world", (-1, 0, 0)), "b", law),
    "DirectedForce": lambda law: ts.DirectedForce("f", "world", "b", law, (1, 0, 0)),
    "Parallel": lambda law: ts.JointForce("f", "x", ts.Parallel(ts.Spring(0.0), law)),
}


@pytest.mark.parametrize("text", BOOKS)
@pytest.mark.parametrize("line", LINES)
def test_books_say_what_is_stored_lost_and_given(text, line):
    law = ts.Expression(text, {"push": "push"} if "push" in text else None)
    if line == "PointForce":  # measures from one meter behind
        law = ts.Expression(text.replace("x", "(x - 1)").replace("ma(x - 1)", "max"), law.named)
    run = coasted(carriage(LINES[line](law)))
    x, r, t = run["x.displacement"], run["x.speed"], run.time
    stored, lost, given = BOOKS[text]
    kept, want = run["f.energy.stored"], stored(x, t)
    if line != "PointForce":
        np.testing.assert_allclose(kept, want, atol=1e-10)
        closes(run, "f.energy.dissipated", lost(x, r, t))
        closes(run, "energy.supplied", given(x, r, t))
    else:  # a potential is known up to a function of time
        closes(run, "f.energy.dissipated", lost(x, r, t))
        moved = np.gradient(kept - want, x, edge_order=2)[5:-5]
        assert "t" in text or abs(moved - np.median(moved)).max() < 1e-6


@pytest.mark.parametrize(
    ("text", "signals", "says"),
    [
        ("-100*s", {"s": "x.displacement"}, "stored"),
        ("3 - 20*s**3", {"s": "x.displacement"}, "stored"),
        ("-100*s", {"s": "y.displacement"}, "supplied"),
        ("-2*v", {"v": "x.speed"}, "dissipated"),
        ("-2*v*abs(v)*s*s", {"v": "x.speed", "s": "x.displacement"}, "dissipated"),
        ("10*sin(3*t)", {}, "supplied"),
        ("4*push", {"push": "push"}, "supplied"),
    ],
)
def test_books_of_a_law_on_a_wrench(text, signals, says):
    law = ts.Expression(text, signals)
    run = coasted(carriage(ts.Wrench("f", "b", (0, 0, 0, 1, 0, 0), law=law)), **{"y.speed": 0.5})
    t = run.time
    seen = {"t": t, "sin": np.sin, "abs": abs, "push": 0.7}
    seen |= {n: run[s] for n, s in signals.items() if s != "push"}
    power = eval(text, {}, seen) * run["x.speed"]  # of what the wrench gives
    names = {"stored": "f.energy.stored", "dissipated": "f.energy.dissipated"}
    for kind, name in (names | {"supplied": "energy.supplied"}).items():
        closes(run, name, (1 if says == "supplied" else -1) * power * (kind == says))


def test_a_moment_on_a_chain_that_has_no_potential_is_supplied():
    """A moment on the second arm that follows the first angle, without its counterpart."""
    arm = ts.Body("a", 1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    joints = (
        ts.Joint("p", "world", "a", ts.Revolute("z")),
        ts.Joint("q", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0)),
    )
    for signal, reaction, says in (
        ("p.angle", "world", "supplied"),
        ("q.angle", "a", "stored"),
        ("q.angle", "world", "supplied"),
    ):
        law = ts.Expression("-3*s", {"s": signal})
        push = ts.Wrench("f", "b", (0, 0, 1, 0, 0, 0), law=law, reaction=reaction)
        bodies = (arm, ts.Body("b", 1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0)))
        model = ts.Model("chain", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=(push,))
        run = ts.simulate(model, 0.5, {"p.rate": 1.0, "q.angle": 0.4}, output=51)
        assert run.completed, run.outcome
        there = {n for n in ("dissipated", "supplied") if abs(run[f"energy.{n}"]).max() > 1e-3}
        there |= {"stored"} if abs(run["f.energy.stored"]).max() > 1e-3 else set()
        assert there == {says}
        if says == "stored":
            want = 1.5 * run["q.angle"] ** 2
            np.testing.assert_allclose(run["f.energy.stored"], want - want[0], atol=1e-8)


def test_an_energy_without_a_formula_beside_other_work_is_refused():
    with pytest.raises(ts.ModelError, match="make it a force of its own"):
        run(ts.Expression("tanh(3*x)**3 + 2*rate"))
    assert run(ts.Expression("tanh(3*x)**3 + 2*rate", work="supplied")).completed
