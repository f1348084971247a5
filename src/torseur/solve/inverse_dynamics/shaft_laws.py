"""Laws of elastic shafts: tension from twist and rate, its inversion, and damped shafts.

The twist of a damped shaft is a first-order equation `T(x, xdot) = tension(t)`, solved by Radau
collocation (Hairer and Wanner 1996, IV.5).  Theory: LI.5, LI.9, LI.10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import TorseurError
from ...forces import Seen
from ...scalars import Floats

if TYPE_CHECKING:
    from .elastic_drives import Shaft
    from .interpreted_efforts import Along

COLLOCATION_STAGES = 5


class ShaftTwist(NamedTuple):
    """Deflection of a shaft and its first two time derivatives."""

    x: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray


def radau_coefficients(s: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Radau nodes c, the matrix A of integrals, and weights of the second derivative at the end.

    >>> c, A, D = radau_coefficients(2)
    >>> c, A.round(12).tolist()
    (array([0.33333333, 1.        ]), [[0.416666666667, -0.083333333333], [0.75, 0.25]])
    """
    legendre = np.polynomial.legendre
    c = (np.sort(legendre.legroots([0] * (s - 1) + [-1, 1]).real) + 1) / 2
    c[-1] = 1.0
    k = np.arange(s)
    back = np.linalg.inv(c[:, None] ** k)  # values at nodes -> coefficients
    slope = np.concatenate([[0.0], k[1:]]) @ back
    return c, (c[:, None] ** (k + 1) / (k + 1)) @ back, slope


def integrate_twist(
    law: ShaftLaw,
    tension: Callable[..., Any],
    times: np.ndarray,
    kinks: np.ndarray,
    tolerance: float = 1e-11,
):
    """Twist and its derivatives at `times`, on grids that are refined until nothing changes.

    `law(x, r)` gives tension and derivatives.  `tension(t, n)` gives the tension and n time
    derivatives.
    """
    T = tension(times, 0)[0]
    law.solve_twist(np.array([T.min(), T.max()]))  # refuses a law that is flat there
    previous = None
    for subdivision in (1, 2, 4, 8, 16, 32):
        twist = _collocate(law, tension, times, kinks, subdivision)
        if (
            previous is not None
            and abs(twist.x - previous.x).max() <= tolerance * abs(twist.x).max()
        ):
            return twist
        previous = twist
    raise TorseurError(
        f"inverse: the twist of shaft {law.shaft.element.name!r} does not settle to "
        f"{tolerance:g} on {32 * len(times)} steps: the motion has kinks that its "
        "law does not announce by breakpoints"
    )


def _collocate(
    law: ShaftLaw,
    tension: Callable[..., Any],
    times: np.ndarray,
    kinks: np.ndarray,
    subdivision: int,
):
    """Twist by collocation on one grid, each interval divided into `subdivision` steps."""
    c, A, D = radau_coefficients(COLLOCATION_STAGES)
    span = max(float(times[-1] - times[0]), 1e-300)
    inner_kinks = kinks[(kinks > times[0]) & (kinks < times[-1])]
    grid = np.unique(np.concatenate([times, inner_kinks, np.linspace(times[0], times[-1], 201)]))
    grid = grid[np.concatenate([[True], np.diff(grid) > 1e-12 * span])]
    fractions = np.arange(subdivision) / subdivision
    grid = np.append((grid[:-1, None] + np.diff(grid)[:, None] * fractions).ravel(), grid[-1])
    h = np.diff(grid)
    nodes = grid[:-1, None] + h[:, None] * c
    nodes[:, -1] = np.nextafter(grid[1:], -np.inf)  # from within the step
    T = tension(nodes.ravel(), 0)[0].reshape(nodes.shape) if len(h) else nodes
    before = np.nextafter(times[:1], -np.inf)  # laws are still before they begin
    T0, dT0, ddT0 = (float(y[0]) for y in tension(before, 2))
    x, r, w = np.zeros(len(grid)), np.zeros(len(grid)), np.zeros(len(grid))
    x[0], r[0], w[0] = _initial_twist(law, T0, dT0, ddT0)
    K = np.full(COLLOCATION_STAGES, r[0])
    constants = [float(y[0]) for y in law(0.0, 0.0)[:3]] if law.is_linear else None
    for i, step in enumerate(h):
        K = (
            _solve_linear_stages(constants, x[i], step, A, T[i])
            if constants
            else _solve_stages(law, x[i], step, A, T[i], K)
        )
        x[i + 1], r[i + 1] = x[i] + step * (A[-1] @ K), K[-1]
        w[i + 1] = D @ K / step
    rows = np.searchsorted(grid, times - 1e-12 * span)
    X, R, W = x[rows], r[rows], w[rows]
    T, dT, *_ = tension(times, 2)
    return ShaftTwist(X, *_twist_derivatives(law, X, R, W, T, dT, h.max(initial=0.0), rows == 0))


def _initial_twist(law: ShaftLaw, T: Any, dT: Any, ddT: Any):
    """Twist, rate and acceleration of the slow motion, without a transient."""
    x = law.solve_twist(T)
    _, k, d, kk = law(x, 0.0)
    rate = dT / k
    acceleration = (ddT - kk * rate**2) / k
    rate = (dT - d * acceleration) / k
    return float(law.solve_twist(T, rate)[0]), float(rate[0]), float(acceleration[0])


def _solve_linear_stages(law: Sequence[float], x: Any, h: float, A: np.ndarray, T: Any):
    """Rates at the nodes with `T0 + k (x + h A K) + d K = T`."""
    T0, k, d = law
    return np.linalg.solve(d * np.eye(len(A)) + k * h * A, T - T0 - k * x)


def _solve_stages(law: ShaftLaw, x: Any, h: float, A: np.ndarray, T: Any, K: np.ndarray):
    """Rates at the nodes with `T(x + h A K, K) = T`, by Newton's method."""
    for _ in range(30):
        tension, k, d, _ = law(x + h * (A @ K), K)
        dK = np.linalg.solve(np.diag(d) + (k * h)[:, None] * A, T - tension)
        K = K + dK
        if abs(dK).max() <= 1e-13 * max(1e-300, abs(K).max()):
            break
    return K


def _twist_derivatives(
    law: ShaftLaw, x: Any, r: Any, w: np.ndarray, T: Any, dT: Any, h: float, first: np.ndarray
):
    """Rate and acceleration of the twist, by the equation where it is not stiff.

    Where the time constant of the shaft is shorter than a step, the quotients of the equation would
    amplify rounding errors.  There the polynomial of the step gives the derivatives.
    """
    _, k, d, _ = law(x, r)
    by_law = r.copy()
    for _ in range(1 if law.is_linear else 20):
        tension, _, slope, _ = law(x, by_law)
        by_law = by_law + (T - tension) / slope
    tension, k, slope, _ = law(x, by_law)
    is_stiff = (d < k * h) | first
    is_jump = abs(by_law - r) > 1e-3 * max(abs(r).max(), abs(x).max() / max(h, 1e-300) * 1e-9)
    use_polynomial = is_stiff & ~is_jump
    return np.where(use_polynomial, r, by_law), np.where(
        use_polynomial, w, (dT - k * by_law) / slope
    )


# --------------------------------------------------------------------------------------------
# The law of one elastic shaft: tension from twist and rate, and back.  Theory: LI.5, LI.9.


class ShaftLaw:
    """Tension `T(x, rate)` of a force element on two coordinates, with its derivatives.

    `is_damped`: it depends on the rate.  `is_linear`: both derivatives are constant.
    """

    def __init__(self, along: Along, shaft: Shaft, bound: Mapping[str, float]):
        self.shaft, self.K = shaft, Floats(bound)
        self.law, self.is_damped, self.is_linear = along.compile_shaft_law(shaft.element)

    def __call__(self, x: Any, r: Any):
        """Tension, its derivatives by twist and by rate, and the second derivative by twist."""
        x = np.atleast_1d(np.asarray(x, dtype=float))
        r = np.broadcast_to(np.asarray(r, dtype=float), x.shape)
        e = self.shaft.element
        m = (
            [e.law.start(self.K, Seen(float(a), float(b)))[1] for a, b in zip(x, r, strict=True)]
            if e.memory
            else np.zeros((len(x), 0))
        )
        return self.law(x, r, m)

    def solve_twist(self, T: Any, r: Any = 0.0) -> np.ndarray:
        """Twist at which the tension is T at the rates `r` (LI.9)."""
        T = np.atleast_1d(np.asarray(T, dtype=float))
        r = np.broadcast_to(np.asarray(r, dtype=float), T.shape)
        T0, k, *_ = self(np.zeros(len(T)), r)
        if self.is_linear:
            if not (k > 0).all():
                self._raise_flat(0.0)
            return (T - T0) / k
        x = self._newton_with_brackets(T, r)  # LI.9
        ends = np.linspace(x.min(), x.max(), 257)
        slope = self(ends, 0.0)[1]
        if not (slope > 0).all():
            self._raise_flat(ends[int(np.argmin(slope))])
        return x

    def _newton_with_brackets(self, T: Any, r: Any) -> np.ndarray:
        """Roots by Newton's method, with bisection where it leaves the brackets."""
        low, high = np.zeros(len(T)), np.zeros(len(T))
        step = 1e-3
        while True:
            is_low, is_high = self(low, r)[0] > T, self(high, r)[0] < T
            if not (is_low | is_high).any():
                break
            if step > 1e6:
                raise TorseurError(
                    f"inverse: shaft {self.shaft.element.name!r} cannot carry "
                    f"{T[is_low | is_high][0]:.4g} N m: its law never reaches it"
                )
            low, high, step = low - step * is_low, high + step * is_high, 2 * step
        x = (low + high) / 2
        for _ in range(100):
            tension, k, *_ = self(x, r)
            low, high = np.where(tension <= T, x, low), np.where(tension >= T, x, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = x + (T - tension) / k
            new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
            change, x = abs(new - x), new
            if change.max() <= 4e-16 * abs(x).max():
                break
        return x

    def _raise_flat(self, x: Any):
        raise TorseurError(
            f"inverse: the law of shaft {self.shaft.element.name!r} does not grow "
            f"at a twist of {x:.4g} rad, so the motor's angle is open there (play "
            "must be crossed by a leap); use a law that grows everywhere"
        )

    def differentiate_twist(self, T: Any, dT: Any, ddT: Any) -> ShaftTwist:
        """Twist of a shaft without damping under a tension and its time derivatives (LI.5)."""
        x = self.solve_twist(T)
        _, k, _, kk = self(x, 0.0)
        rate = dT / k
        return ShaftTwist(x, rate, (ddT - kk * rate**2) / k)  # LI.5
