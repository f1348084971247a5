"""Newton-Euler against Lagrange: energies know nothing of accelerations, so this sees every
velocity product."""

from fractions import Fraction

import numpy as np
import pytest
from zoo import (
    around,
    close,
    evaluate,
    free_body,
    function,
    one_of_each,
    pendulum,
    puma,
    spherical_body,
    state,
    tree,
)

from torseur.formalisms import (
    articulated_body,
    composite_body,
    gibbs_appell,
    lagrange,
    newton_euler,
    virtual_power,
)
from torseur.joints import EVERY_JOINT, Free, Revolute
from torseur.model import Body, Joint, Model
from torseur.symbolic import open_ring

MOVING = [j for j in EVERY_JOINT if j.nv]


@pytest.mark.parametrize("joint", one_of_each(EVERY_JOINT))
def test_newton_euler_agrees_with_lagrange(joint):
    system = around(joint, seed=4, armature=True).check()
    rng = np.random.default_rng(0)
    truth, *others = (
        function(system, f.inverse_dynamics) for f in (lagrange, virtual_power, gibbs_appell)
    )
    for _ in range(2):
        q, v, a = state(system, rng)
        want = truth(q, v, a)
        close(newton_euler.inverse_dynamics(system.floats(), q, v, a), want, 3e4)
        for other in others:
            close(other(q, v, a), want, 3e4)


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_the_other_formalisms_agree_with_newton_euler(joint):
    system = around(joint, seed=5, armature=True).check()
    numbers = system.floats()
    q, v, a = state(system, np.random.default_rng(1))
    tau = newton_euler.inverse_dynamics(numbers, q, v, a)
    close(articulated_body.forward_dynamics(numbers, q, v, tau), a, 1e5)
    M = composite_body.mass_matrix(numbers, q)
    bias = newton_euler.inverse_dynamics(numbers, q, v, 0 * a)
    close(M @ a + bias, tau, 1e4)
    close(M, M.T, 0)


@pytest.mark.parametrize(
    "model",
    [
        pendulum(),
        puma(3),
        puma(6),
        spherical_body("quaternion"),
        spherical_body("zxz"),
        spherical_body("xyz"),
        spherical_body("zyx"),
        free_body(Free()),
        free_body(Free(speeds="world")),
        free_body(Free(speeds="mixed")),
        free_body(Free("zyx")),
        free_body(Free("zyx", "vehicle")),
    ],
    ids=lambda m: f"{m.name}, {m.joints[0].kind}",
)
def test_the_ring_proves_newton_euler_equal_to_lagrange(model):
    s = open_ring(model.check())
    exact = newton_euler.inverse_dynamics(s.tree, s.q, s.v, s.a)
    assert list(exact) == list(lagrange.inverse_dynamics(s.tree, s.q, s.v, s.a))
    if len(model.bodies) < 4:
        for other in (virtual_power, gibbs_appell):
            assert list(exact) == list(other.inverse_dynamics(s.tree, s.q, s.v, s.a))
    assert any(not isinstance(e, int) for e in exact)


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_floats_graph_and_ring_give_the_same_numbers(joint):
    """The ring is evaluated at the numbers of the state: sines, cosines, roots and all."""
    system = tree((Revolute("x"), joint), seed=6, parents=(-1, 0)).check()
    q, v, a = state(system, np.random.default_rng(2))
    want = newton_euler.inverse_dynamics(system.floats(), q, v, a)
    close(evaluate(system, newton_euler.inverse_dynamics, q, v, a), want, 1e4)
    system = right_angles(joint).check()
    q, v, a = state(system, np.random.default_rng(2))
    want = newton_euler.inverse_dynamics(system.floats(), q, v, a)
    s = open_ring(system)
    exact = newton_euler.inverse_dynamics(s.tree, s.q, s.v, s.a)
    close(ring_numbers(s, exact, q, v, a), want, 1e4)


def right_angles(joint):
    """A model whose numbers stay few in the ring."""
    bodies = (
        Body("one", 1.5, (0.1, 0.2, -0.1), (0.3, 0.2, 0.4, 0.01, 0.02, -0.03)),
        Body("two", 0.5, (0.3, -0.2, 0.1), (0.1, 0.2, 0.15, 0.01, -0.02, 0.03)),
    )
    return Model(
        "small",
        bodies=bodies,
        joints=(
            Joint("base", "world", "one", Revolute("x")),
            Joint(
                "tip",
                "one",
                "two",
                joint,
                at=(0.3, 0, 0.1),
                rpy=("pi/2", 0, 0),
                child_at=(0, 0.2, 0),
            ),
        ),
    )


def ring_numbers(s, elements, q, v, a):
    """Ring elements at numbers: every generator gets what it stands for."""
    at = dict(zip(s.coordinates, q, strict=True))
    for name, form in s.angles.items():
        x = sum(sign * q[i] for i, sign in form.items())
        at |= {f"sin({name})": np.sin(x), f"cos({name})": np.cos(x)}
    for forms, x in ((s.sums, v), (s.rates, a)):
        at |= {name: sum(sign * x[i] for i, sign in form.items()) for name, form in forms.items()}
    at |= {n: np.sqrt(float(Fraction(n[5:-1]))) for n in s.K.names if n.startswith("sqrt(")}
    powers = [at[n] for n in s.K.names]

    def number(e):
        if isinstance(e, int | Fraction):
            return float(e)
        return sum(
            float(Fraction(int(c.p), int(c.q)))
            * np.prod([x ** int(n) for x, n in zip(powers, m, strict=True) if n])
            for m, c in e.x.to_dict().items()
        )

    return [number(e) for e in elements]
