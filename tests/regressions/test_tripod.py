"""Three feet with friction and restitution, thrown: throws that once went wrong.

A contact left moving inwards by an impact, slow landings without end, frictions swept too few
times, energy from restitution.
"""

import numpy as np
import pytest

import torseur as ts

H = 0.25
FEET = ((1, 0), (-0.5, 0.8), (-0.5, -0.8))
J = 2.5 * (2 * H) ** 2 / 6
TRIPOD = ts.Model(
    "tripod",
    bodies=(ts.Body("b", mass=2.5, inertia=(J, 1.3 * J, 0.8 * J, 0, 0, 0)),),
    joints=(ts.Joint("fly", "world", "b", ts.Free()),),
    parameters={"mu": 0.3, "static": 0.4, "e": 0.3},
    constraints=tuple(
        ts.Contact(
            f"c{i}",
            ("b", (x * H, y * H, -H)),
            friction="mu",
            static_friction="static",
            restitution="e",
        )
        for i, (x, y) in enumerate(FEET)
    ),
)


def throw(seed, number):
    """Coefficients and state of one of a row of random throws."""
    rng = np.random.default_rng(seed)
    for _ in range(number + 1):
        mu = rng.uniform(0.02, 1.2)
        law = {"mu": mu, "static": mu * rng.uniform(1, 1.5), "e": rng.choice([0, 0, 0.3, 0.7])}
        names = ("vx", "vy", "wx", "wy", "wz")
        start = {"fly.pz": 0.4 + rng.uniform(0, 0.2)} | {
            f"fly.{n}": x * rng.normal() for n, x in zip(names, (1, 1, 0.5, 0.5, 2), strict=True)
        }
    return law, start


@pytest.mark.parametrize(
    "seed, number",
    [(21, 34), *((3, n) for n in (13, 18, 27, 33, 36))],
)
@pytest.mark.slow  # four seconds of compiling; test_contacts throws planks and spins a plate
def test_throw(seed, number):
    law, start = throw(seed, number)
    out = ts.simulate(TRIPOD, 1.5, start, parameters=law, output=151)
    assert out.completed, out.outcome
    books = sum(out[f"energy.{n}"] for n in ("kinetic", "potential", "dissipated"))
    assert np.ptp(books) < 1e-6
    assert (np.diff(out["energy.dissipated"]) > -1e-9).all()
    w, x, y, z = (out[f"b.orientation.{c}"] for c in "wxyz")
    third = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)])
    for a, b in FEET:
        assert (out["b.position.z"] + H * (a * third[0] + b * third[1] - third[2])).min() > -1e-8
