"""A01 (a constrained point) and A02 (N four-bars): exact motions, and the models of torseur."""

import numpy as np
from scipy.integrate import solve_ivp

import torseur as ts

G, TIMES = 9.81, np.linspace(0, 10, 101)


def angle(N) -> np.ndarray:
    """Angle over time from the exact reduction; A02: I theta'' = -P g cos(theta); N = 0: A01."""
    I, P = ((N + 1) / 3 + N, (N + 1) / 2 + N) if N else (1, 1)
    return solve_ivp(
        lambda t, y: (y[1], -P * G / I * np.cos(y[0])),
        (0, 10),
        beginning(N),
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
        t_eval=TIMES,
    ).y[0]


def beginning(N) -> tuple[float, float]:
    """Angle [rad] and its rate [rad/s] at the start."""
    return (np.pi / 2, -1.0) if N else (np.pi, 0.0)


def pin(theta, rate=None, turn=None) -> np.ndarray:
    """Position of the first pin; with the angle's rate and its derivative, the acceleration."""
    along = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    return along if rate is None else turn * np.array((-along[1], along[0])) - rate**2 * along


def start_point(theta, rate):
    """Position and velocity of A01's point."""
    x, y = np.cos(theta), np.sin(theta)
    return np.array((x, y)), rate * np.array((-y, x))


def model(N) -> ts.Model:
    """N four-bars in a row (N + 1 uprights, N couplers, N loops); N = 0: a point on a rod."""
    if not N:
        return ts.Model(
            "A01",
            gravity=(0, -G, 0),
            bodies=(ts.Body("c"), ts.Body("bob", mass=1)),
            joints=(
                ts.Joint("x", "world", "c", ts.Prismatic("x")),
                ts.Joint("y", "c", "bob", ts.Prismatic("y")),
            ),
            constraints=(ts.Distance("rod", "bob", length=1),),
        )

    def rod(name):
        return ts.Body(name, mass=1, com=(0.5, 0, 0), inertia=(0, "1/12", "1/12", 0, 0, 0))

    hinge = ts.Revolute("z")
    bars = [ts.Joint(f"A{i}", "world", f"bar{i}", hinge, at=(i, 0, 0)) for i in range(N + 1)]
    rods = [ts.Joint(f"B{i}", f"bar{i}", f"rod{i}", hinge, at=(1, 0, 0)) for i in range(N)]
    loops = [
        ts.Loop(f"C{i}", f"bar{i + 1}", f"rod{i}", hinge, at=(1, 0, 0), child_at=(1, 0, 0))
        for i in range(N)
    ]
    return ts.Model(
        f"{N} four-bars",
        gravity=(0, -G, 0),
        joints=(*bars, *rods),
        loops=loops,
        bodies=[rod(j.child) for j in (*bars, *rods)],
    )


def start(N) -> dict[str, float]:
    if not N:
        return {"x.displacement": -1.0}
    right = np.pi / 2
    return (
        {f"A{i}.angle": right for i in range(N + 1)}
        | {f"A{i}.rate": -1 for i in range(N + 1)}
        | {f"B{i}.angle": -right for i in range(N)}
        | {f"B{i}.rate": 1 for i in range(N)}
    )


def seen(N, out) -> np.ndarray:
    """Positions of the first moving pin in a run."""
    if not N:
        return np.stack([out["x.displacement"], out["y.displacement"]], axis=1)
    return pin(out["A0.angle"])


def true_acceleration(N, theta, rate) -> np.ndarray:
    """Acceleration [m/s^2] of the first pin by torseur: what a peer's model must give as well."""
    c = ts.solve.constrained_system(model(N).check())
    if not N:
        return c.acceleration(*start_point(theta, rate))[0]
    names = c.system.coordinates
    signs = np.array([-1 if name.startswith("B") else 1 for name in names])
    a = c.acceleration(signs * theta, signs * rate)[0]
    return pin(theta, rate, a[names.index("A0.angle")])
