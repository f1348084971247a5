"""The quickest motion along a path by toppra, with our dynamics.  Theory: TO.7."""

from __future__ import annotations

import numpy as np

from ..errors import TorseurError, needs


def toppra_profile(grid, curve, terms, limits) -> np.ndarray:
    """Largest s'^2 at every point of the grid, by reachability analysis of toppra.  # TO.7"""
    with needs("robots", "time_optimal: engine='toppra'", "take engine='own'"):
        import toppra
        from toppra import algorithm, constraint, interpolator
    if terms.rubs:
        raise TorseurError(
            "time_optimal: toppra counts no friction that grows with speed; use engine='own'"
        )

    class Path(interpolator.AbstractGeometricPath):
        """The path of coordinates as toppra asks for it."""

        def __call__(self, path_positions, order=0):
            return curve(path_positions, order)

        @property
        def dof(self):
            return terms.q.shape[1]

        @property
        def path_interval(self):
            return np.array([0.0, 1.0])

    def efforts(q, v, a):
        tau = terms.dyn.inverse_dynamics(q, v, a)
        return tau - terms.dyn.applied(0.0, q, v) if terms.dyn.system.elements else tau

    n = terms.q.shape[1]
    most = {i: (e, v) for _, i, e, v in limits}
    far = 1e8
    torque = np.array([[-1, 1]] * n) * np.array([[most[i][0] or far] for i in range(n)])
    speed = np.array([[-1, 1]] * n) * np.array([[most[i][1] or far] for i in range(n)])
    bounds = [
        constraint.JointVelocityConstraint(speed),
        constraint.JointTorqueConstraint(
            efforts,
            torque,
            np.zeros(n),
            constraint.DiscretizationType.Interpolation,
        ),
    ]
    old = toppra.utils.logging.getLogger("toppra").level
    toppra.setup_logging("ERROR")
    try:
        made = algorithm.TOPPRA(bounds, Path(), gridpoints=grid, solver_wrapper="seidel")
        rate = made.compute_parameterization(0, 0)[1]
    finally:
        toppra.utils.logging.getLogger("toppra").setLevel(old)
    if rate is None or not np.isfinite(rate).all():
        raise TorseurError(
            "time_optimal: toppra finds no motion; engine='own' says which joint cannot"
        )
    return np.maximum(rate, 0.0) ** 2


__all__ = ["toppra_profile"]
