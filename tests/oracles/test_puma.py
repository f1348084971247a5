"""O-B3: generic torque of the PUMA's first three axes, all inertial parameters non-zero."""

import numpy as np
import pytest
from zoo import evaluate, floats, puma_generic

from torseur.dynamics import coriolis_matrix, gravity_forces
from torseur.formalisms import articulated_body, composite_body, lagrange, newton_euler

Q, V, A = (0.4, 0.7, -1.1), (1.2, -0.8, 1.5), (2, -3, 4)
MASS = [
    [19.6020523897, -0.4609912698, -0.1062605900],
    [-0.4609912698, 19.8663389639, 3.2671694819],
    [-0.1062605900, 3.2671694819, 2.2],
]
GRAVITY = (0, 255.7233715307, 43.7894862281)
COUPLING = (18.9596022668, 9.9550232731, -4.0168344761)
TORQUE = (59.1216384957, 218.2260733002, 38.5586221263)


@pytest.fixture(scope="module")
def system():
    return puma_generic().check()


def same(got, want):
    np.testing.assert_allclose(floats(got), want, rtol=0, atol=4e-10)  # theirs agree to 3e-10


def test_torque_of_every_formalism(system):
    tree = system.floats()
    q, v, a = map(np.array, (Q, V, A))
    same(newton_euler.inverse_dynamics(tree, q, v, a), TORQUE)
    same(evaluate(system, lagrange.inverse_dynamics, Q, V, A), TORQUE)
    np.testing.assert_allclose(
        floats(articulated_body.forward_dynamics(tree, q, v, np.array(TORQUE))), A, rtol=1e-9
    )


def test_mass_matrix_gravity_and_coupling(system):
    tree = system.floats()
    q, v = map(np.array, (Q, V))
    same(composite_body.mass_matrix(tree, q), MASS)
    same(gravity_forces(tree, q), GRAVITY)
    same(coriolis_matrix(tree, q, v) @ v, COUPLING)
