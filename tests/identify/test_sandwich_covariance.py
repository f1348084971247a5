"""Stated sigmas of a weighted solution behind the low pass are those that its noise makes."""

import numpy as np
import pytest

import torseur as ts
from torseur.identify.robots.covariance import LinearEstimator, estimate_variances
from torseur.signal_processing import zero_phase_gain

F = np.arange(230) / 19.2  # Hz: 9.6 s up to 1.2 times a cutoff of 10 Hz
SHAPES = np.stack([np.ones(len(F)), 1 / (1 + (F / 0.7) ** 2)]) * zero_phase_gain(10.0, F) ** 2


@pytest.mark.parametrize("slow", [0.0, 30.0])
def test_stated_sigmas_are_those_of_the_noise(slow):
    """Two joints, slow columns that take most of what is slow, weights of another spectrum than the
    noise's: within 5 % of the exact sandwich, with slow errors and without."""
    rng = np.random.default_rng(11)
    S = np.multiply.outer(SHAPES.T @ [1.0, slow], [0.3, 2.0])
    X = rng.normal(size=(*S.shape, 12)) / (1 + (F[:, None, None] / 0.7) ** 2)
    W = np.tile(1 / np.sqrt(0.5 + 0.2 * SHAPES[1] + F**0)[:, None], 2)
    A = (X * W[:, :, None]).reshape(S.size, -1)
    H = np.linalg.inv(A.T @ A)
    exact = np.sqrt(np.diag(H @ (A.T @ (A * (S * W**2).reshape(-1, 1))) @ H))
    ratios = []
    for _ in range(30):
        e = rng.normal(size=S.shape) * np.sqrt(S)
        r = e - X @ (H @ (A.T @ (e * W).ravel()))
        one = LinearEstimator.from_normal_equations(X, X, W, H, 0 * H, np.eye(12), r)
        stated = one.covariance(SHAPES, np.zeros((1, 2)))
        ratios.append(np.sqrt(np.diag(stated)) / exact)
    assert abs(np.mean(ratios) - 1) < 0.05


def test_what_the_prior_pulls_is_counted_and_noise_alone_has_no_slow_errors():
    S = estimate_variances(
        np.ones((230, 1)) * SHAPES[:1].T, np.ones((230, 1)), SHAPES, np.zeros((1, 1))
    )
    np.testing.assert_allclose(S, SHAPES[:1].T, rtol=1e-9)
    A, P, C = np.eye(3), 4 * np.eye(3), 0.5**2 * np.eye(3)
    rows, H = A[:, None], np.linalg.inv(A + P)
    one = LinearEstimator.from_normal_equations(
        rows, rows, np.ones((3, 1)), H, H @ P, C, np.zeros((3, 1))
    )
    found = one.covariance(np.ones((2, 3)), np.zeros((1, 1)))
    np.testing.assert_allclose(found, (4 / 5 * 0.5) ** 2 * np.eye(3), atol=1e-12)


def test_a_panic_of_the_solver_is_no_end(monkeypatch):
    """Clarabel's Rust panics where its numbers break down: tried again, wider, or told."""
    from torseur.identify.robots import physical_consistency

    class PanicException(BaseException):
        pass

    real, left = physical_consistency._import_solver(), [1]

    class Once:
        def __init__(self, *problem):
            self.solver = real[0].DefaultSolver(*problem)

        def solve(self):
            if left[0]:
                left[0] -= 1
                raise PanicException("Eigval error")
            return self.solver.solve()

    class Fake:
        DefaultSolver = Once

        def __getattr__(self, name):
            return getattr(real[0], name)

    monkeypatch.setattr(physical_consistency, "_import_solver", lambda: (Fake(), real[1]))
    rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    tau = ts.compile(arm).inverse_dynamics(q, v, a)
    found = ts.identify.robot(arm, (q, v, a, tau), friction=())
    assert not left[0] and found.errors().max() < 1e-6
    left[0] = 99
    with pytest.raises(ts.TorseurError, match=r"no consistent parameters found .*solver panic"):
        ts.identify.robot(arm, (q, v, a, tau), friction=())


def test_the_width_of_friction_is_in_the_sigmas_of_its_size():
    """Slow reversals with noise: a width that is hardly known hides the size of dry friction, by
    as much as a fit of both together has."""
    rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    t = np.arange(0, 8, 0.004)[:, None]
    q = 0.3 * np.sin(1.5 * t)
    v, a = 0.45 * np.cos(1.5 * t), -0.675 * np.sin(1.5 * t)
    tau = ts.compile(arm).inverse_dynamics(q, v, a) + 2.0 * np.tanh(v / 0.3) + 0.5 * v
    tau += 0.2 * np.random.default_rng(2).normal(size=tau.shape)
    found = ts.identify.robot(
        arm, (t[:, 0], q, tau), friction=("coulomb", "viscous"), consistent=False
    )
    w, F = found.friction_parameters["pivot.coulomb"], found.base["pivot.coulomb"]
    z = np.tanh(v[:, 0] / w)
    X = np.column_stack([z, v[:, 0], np.sin(q[:, 0]), a[:, 0], -F * v[:, 0] / w * (1 - z**2)])
    both = np.diag([0, 0, 0, 0, 0.2**2 / 0.25**2])
    sigma = 0.2 * np.sqrt(np.diag(np.linalg.inv(X.T @ X + both)))
    alone = 0.2 * np.sqrt(np.diag(np.linalg.inv(X[:, :4].T @ X[:, :4])))
    assert sigma[0] > 1.5 * alone[0]
    assert found.sigma["pivot.coulomb"] == pytest.approx(sigma[0], rel=0.35)
