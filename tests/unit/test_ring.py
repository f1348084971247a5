"""The ring: normal forms, sums of angles, constants, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
import zoo

from torseur.errors import NotInRing
from torseur.formalisms import lagrange, newton_euler
from torseur.joints import Cylindrical, Helical, Prismatic, Revolute, Spherical
from torseur.model import Body, Joint, Model
from torseur.scalars import Ring
from torseur.symbolic import open_ring
from torseur.symbolic.ring import parallel_sums


def chain(*kinds, rpy=None) -> Model:
    bodies = [
        Body(f"b{i}", mass=f"m{i}", com=("x", 0.1, 0), inertia=(1, 1, "J", 0, 0, 0))
        for i in range(len(kinds))
    ]
    return Model(
        "chain",
        bodies=bodies,
        joints=[
            Joint(
                f"j{i}",
                "world" if not i else f"b{i - 1}",
                f"b{i}",
                k,
                at=("L", 0, 0),
                rpy=(rpy or {}).get(i, (0, 0, 0)),
            )
            for i, k in enumerate(kinds)
        ],
    )


def test_relations_hold_and_equal_rings_compare():
    for eliminate in ("sin", "cos"):
        K = Ring(
            angles=("a",),
            plain=("m",),
            quaternions=[("w", "x", "y", "z")],
            constants=("sqrt(2)",),
            inverses=("m",),
            eliminate=eliminate,
        )
        c, s = K.cos(K["a"]), K.sin(K["a"])
        assert s * s + c * c == 1
        assert sum(K[n] * K[n] for n in "wxyz") == 1
        assert K["sqrt(2)"] * K["sqrt(2)"] == 2
        assert K.divide(3 * K["m"], K["m"]) == 3
        assert K.divide(1, K["m"] * 2) * K["m"] == Fraction(1, 2)
    one, two = (Ring(angles=("a",), plain=("m",)) for _ in range(2))
    assert one["m"] * one.cos(one["a"]) == two["m"] * two.cos(two["a"])
    other = Ring(angles=("a",), plain=("m",), eliminate="cos")
    assert one["m"] != other["m"] and one.read(other["m"] * other["m"], other) == one["m"] ** 2


@pytest.mark.parametrize("divisor", ["sin", "cos"])
@pytest.mark.parametrize("eliminate", ["sin", "cos"])
def test_quotients_by_a_sine_have_one_normal_form(divisor, eliminate):
    K = Ring(angles=("a",), plain=("m",), inverses=(f"{divisor}(a)",), eliminate=eliminate)
    c, s, k = K["cos(a)"], K["sin(a)"], K[f"1/{divisor}(a)"]
    x, y = (s, c) if divisor == "sin" else (c, s)
    assert x * k == 1 and x * x * k == x and y * y * k == k - x
    assert (s * s + c * c) * k == k and (k * y) * (k * y) == k * k - 1
    assert K.derive(k, K["a"]) == (-c if divisor == "sin" else s) * k * k
    assert K.divide(K["m"] * x, x) == K["m"]
    assert (x * y * k) * (x + y) == y * x + y * y


def test_derivatives_go_through_sums():
    K = Ring(angles=("p", ("p+q", {"p": 1, "q": 1})), plain=("m",))
    C, S = K["cos(p+q)"], K["sin(p+q)"]
    assert K.derive(C * K["m"], K["q"]) == -(S * K["m"])
    assert K.derive(K.cos(K["p"]) * S, K["p"]) == C * K.cos(K["p"]) - S * K.sin(K["p"])
    assert K.derive(K["q"] * K["q"] * C, K["q"]) == 2 * K["q"] * C - K["q"] * K["q"] * S


def test_sums_follow_parallel_axes_through_sliders_and_opposite_ones():
    def sums(model):
        return parallel_sums(model.check())

    assert sums(chain(Revolute("z"), Prismatic("x"), Revolute("z"))) == {0: {0: 1}, 2: {0: 1, 2: 1}}
    assert sums(chain(Revolute("z"), Revolute("-z"))) == {0: {0: 1}, 1: {0: -1, 1: 1}}
    assert sums(chain(Revolute("z"), Revolute("x"))) == {0: {0: 1}, 1: {1: 1}}
    turned = chain(Revolute("z"), Revolute("y"), rpy={1: ("pi/2", 0, 0)})
    assert sums(turned) == {0: {0: 1}, 1: {0: 1, 1: 1}}
    assert sums(chain(Revolute("z"), Cylindrical("z"), Helical("z", 0.1))) == {
        0: {0: 1},
        1: {0: 1, 1: 1},
        3: {0: 1, 1: 1, 3: 1},
    }
    assert sums(chain(Revolute("z"), Spherical(), Revolute("z"))) == {0: {0: 1}, 5: {5: 1}}
    assert sums(chain(Revolute((1, 1, 0)), Revolute((1, 1, 0))))[1] == {0: 1, 1: 1}


@pytest.mark.parametrize(
    "kinds",
    [
        (Revolute("z"), Revolute("-z"), Revolute("z")),
        (Revolute("y"), Cylindrical("y"), Helical("-y", "h")),
    ],
    ids=str,
)
def test_speeds_that_are_differences_of_generators(kinds):
    S = open_ring(chain(*kinds).check())
    assert len(S.sums) == len(S.rates) == len(S.v) and max(map(len, S.sums.values())) == 3
    one = newton_euler.inverse_dynamics(S.tree, S.q, S.v, S.a)
    two = lagrange.inverse_dynamics(S.tree, S.q, S.v, S.a)
    assert all(x == y for x, y in zip(one, two, strict=True))


def odd(**frames) -> Model:
    return Model(
        "odd",
        parameters={"al": 0.3, "m": 2.0, "L": 1.0},
        bodies=[
            Body("a", mass=1, com=("L/m", 0, "pi"), inertia=(1, 1, 1, 0, 0, 0)),
            Body("b", mass="m", com=(0.1, 0, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            Joint("j", "world", "a", Revolute((1, 1, 0)), rpy=frames.get("one", (0, 0, 0))),
            Joint("k", "a", "b", Revolute("y"), rpy=frames.get("two", (0, 0, 0))),
        ],
    )


def agree(model) -> Ring:
    """Newton-Euler and Lagrange agree exactly, and with the floats."""
    system = model.check()
    S = open_ring(system)
    tau = newton_euler.inverse_dynamics(S.tree, S.q, S.v, S.a)
    assert all(
        x == y for x, y in zip(tau, lagrange.inverse_dynamics(S.tree, S.q, S.v, S.a), strict=True)
    )
    from torseur.symbolic import equations

    q, v, a = zoo.state(system, np.random.default_rng(1))
    want = newton_euler.inverse_dynamics(system.floats(), q, v, a).astype(float)
    zoo.close(equations(system).evaluate(q, v, a), want, 200)
    return S.K


def test_constants_become_named_generators_with_their_relations():
    K = agree(odd(one=("al", "2*al", "al/2")))
    assert "cos(al/2)" in K and "cos(al)" not in K  # multiples of one angle
    assert K.canonical
    K = agree(odd(one=(0.3, 0.6, -0.9)))
    assert "cos(3/10)" in K and "cos(3/5)" not in K
    assert not K.canonical and "pi and the cosine" in K.doubts[0]
    K = agree(odd(one=("pi/4", "pi/6", "pi/12")))
    assert {"sqrt(2)", "sqrt(3)"} <= set(K.names) and K.canonical
    K = agree(odd(one=(0.3, 0.3001, 0)))
    assert any("are related" in d for d in K.doubts)
    K = agree(odd(one=("pi/5", 0, 0)))
    assert any("algebraic" in d for d in K.doubts)
    K = agree(odd(one=("al + pi/4", "al - 0.2", 0)))
    assert {"cos(al)", "cos(1/5)", "sqrt(2)"} <= set(K.names)


def test_roots_are_split_into_coprime_ones():
    model = Model(
        "roots",
        bodies=[
            Body(
                "a",
                mass=1,
                com=("sqrt(6)", "sqrt(2)/sqrt(8)", "sqrt(3)"),
                inertia=(1, 1, 1, 0, 0, 0),
            )
        ],
        joints=[Joint("j", "world", "a", Revolute("x"))],
    )
    K = agree(model)
    assert "sqrt(6)" not in K and {"sqrt(2)", "sqrt(3)"} <= set(K.names) and K.canonical


def test_what_a_ring_refuses():
    K = Ring(angles=("a",), plain=("m", "n"))
    for make in (lambda: K["m"] + 0.5, lambda: K["m"] * 0.1, lambda: K.number(0.3)):
        with pytest.raises(TypeError, match="inexact number"):
            make()
    with pytest.raises(NotInRing, match="cos\\(m\\) is not a generator"):
        K.cos(K["m"])
    with pytest.raises(NotInRing, match="the quotient by m"):
        K.divide(1, K["m"])
    with pytest.raises(NotInRing, match="sqrt\\(2\\)"):
        K.sqrt(2)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(K["m"])


def test_the_normal_form_does_not_depend_on_the_way():
    K = Ring(angles=("a", "b"), plain=("m",))
    rng = np.random.default_rng(0)
    parts = [K.cos(K["a"]), K.sin(K["a"]), K.cos(K["b"]), K.sin(K["b"]), K["m"], 1]

    def mix():
        return sum((int(rng.integers(-3, 4)) * p for p in parts), start=0)

    for _ in range(20):
        x, y, z = mix(), mix(), mix()
        assert (x * y) * z == x * (y * z) and x * (y + z) == x * y + x * z
