"""Variables of devices sought within bounds: least sums, least peaks, exact gradients.

Theory: BA.3, BA.4.
"""

from __future__ import annotations

import numpy as np

from .balance_rows import States, along, symbolic

CRITERIA = ("rms", "peak", "mean")


def search(model, devices, fixed, bounds, where, criterion, joints):
    """The best values of the variables in `bounds`, and the criterion reached."""
    names = list(bounds)
    f = symbolic(model, devices, fixed, names, joints)
    where = where.judged(criterion)
    rows = along(f, model, where)
    low, high = np.array([bounds[n] for n in names]).T if names else (np.zeros(0), np.zeros(0))
    size = high - low

    def efforts(x, rows=rows):
        tau, slope = f(rows, low + x * size)
        return tau, slope * size

    if not names:
        return {}, criterion_of(criterion, f(rows, ())[0], where.weights)
    starts = _starts(len(names))
    ranked = sorted(starts, key=lambda x: criterion_of(criterion, efforts(x)[0], where.weights))
    best = None
    for x0 in ranked[: 3 if len(names) > 1 else 2]:
        x = _local(criterion, efforts, x0, where, rows)
        y = criterion_of(criterion, efforts(x)[0], where.weights)
        if best is None or y < best[1] - 1e-13 * abs(best[1]):
            best = x, y
    x, y = best
    if criterion == "peak" and where.interval is not None:
        x, y = _exchange(efforts, x, where, model, f)
    return dict(zip(names, map(float, low + x * size), strict=True)), y


def _starts(n):
    from scipy.stats import qmc

    inner = qmc.Halton(n, scramble=False).random(24 if n == 1 else 48 * n)
    return [*inner, np.full(n, 0.5)]


def criterion_of(kind, tau, weights) -> float:
    match kind:
        case "rms":
            return float(np.sqrt((weights[:, None] * tau**2).sum()))  # BA.3
        case "peak":
            return float(abs(tau).max())
    return float((weights[:, None] * abs(tau)).sum())


def _local(kind, efforts, x0, where, rows):
    from scipy.optimize import least_squares

    w = np.sqrt(where.weights)[:, None]
    if kind == "rms":
        found = least_squares(
            lambda x: (w * efforts(x)[0]).ravel(),
            np.clip(x0, 1e-9, 1 - 1e-9),
            jac=lambda x: (w[..., None] * efforts(x)[1]).reshape(-1, len(x0)),
            bounds=(0, 1),
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
        )
        return _snapped(found.x, lambda x: criterion_of(kind, efforts(x)[0], where.weights))
    if kind == "peak":
        least = _local("rms", efforts, x0, where, rows)  # exact where nothing need be left
        found = _minimax(efforts, x0)
        return min(found, least, key=lambda x: criterion_of(kind, efforts(x)[0], where.weights))
    return _smoothed_mean(efforts, x0, where)


def _snapped(x, cost):
    """Entries next to a bound put on it where that costs nothing."""
    x = x.copy()
    for i in range(len(x)):
        for end in (0.0, 1.0):
            if 0 < abs(x[i] - end) < 1e-6:
                y = x.copy()
                y[i] = end
                if cost(y) <= cost(x) * (1 + 1e-12):
                    x = y
    return x


def _minimax(efforts, x0, active=None):
    """Least peak by the epigraph: min t with -t <= tau <= t.  # BA.4"""
    from scipy.optimize import minimize

    def parts(x):
        tau, slope = efforts(x)
        return tau.ravel(), slope.reshape(-1, len(x0))

    def value(x):
        return float(abs(parts(x)[0]).max())

    x, t = np.asarray(x0, float), value(x0)
    for _ in range(6):
        scale = max(t, 1e-12)
        tau, _ = parts(x)
        near = np.flatnonzero(abs(tau) > 0.3 * t) if len(tau) > 400 else np.arange(len(tau))

        def gap(y, near=near, scale=scale):
            tau = parts(y[:-1])[0][near] / scale
            return np.concatenate([y[-1] - tau, y[-1] + tau])

        def slope(y, near=near, scale=scale):
            J = parts(y[:-1])[1][near] / scale
            one = np.ones((len(J), 1))
            return np.block([[-J, one], [J, one]])

        found = minimize(
            lambda y: y[-1],
            np.append(x, 1.0),
            jac=lambda y: np.append(np.zeros(len(y) - 1), 1.0),
            constraints={"type": "ineq", "fun": gap, "jac": slope},
            bounds=[(0, 1)] * len(x) + [(0, None)],
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 100},
        )
        y = np.clip(found.x[:-1], 0, 1)
        new = value(y)
        if new < t:
            better, x, t = t - new, y, new
            if better < 1e-11 * t:
                break
        else:
            break
    return _snapped(x, value)


def _smoothed_mean(efforts, x0, where):
    from scipy.optimize import minimize

    found = minimize(
        lambda x: criterion_of("mean", efforts(np.clip(x, 0, 1))[0], where.weights),
        x0,
        method="Powell",
        bounds=[(0, 1)] * len(x0),
        options={"xtol": 1e-10, "ftol": 1e-14},
    )
    return np.clip(found.x, 0, 1)


def _exchange(efforts, x, where, model, f):
    """The peak over an interval, not only at its samples: rows are added where it is largest."""
    q, _, i = where.refined()
    s = model.check()
    zero = np.zeros((len(q), s.nv))
    dense = along(f, model, States(q, zero, zero))
    kept = [along(f, model, where)]
    for _ in range(8):
        tau, _ = efforts(x, dense)
        if not abs(tau).max() > 1e-9:
            return x, float(abs(tau).max())
        peaks = _tops(abs(tau).max(axis=1))
        extra = _sharpened(efforts, x, q, peaks, i, model, f)
        kept.append(extra)
        rows = tuple(np.concatenate(p) for p in zip(*kept, strict=True))
        new = _minimax(lambda y, rows=rows: efforts(y, rows), x)
        if abs(new - x).max() < 1e-10:
            x = new
            break
        x = new
    tau, _ = efforts(x, dense)
    last = _sharpened(efforts, x, q, _tops(abs(tau).max(axis=1)), i, model, f)
    return x, float(abs(efforts(x, last)[0]).max())


def _tops(y):
    """Places of local maxima, ends included."""
    padded = np.concatenate([[-np.inf], y, [-np.inf]])
    top = np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))
    return top[y[top] > 0.5 * y.max()]


def _sharpened(efforts, x, q, peaks, i, model, f):
    """Rows at local maxima between samples, by golden section."""
    from scipy.optimize import minimize_scalar

    zero = np.zeros((1, model.check().nv))
    out = []
    for k in peaks:
        a, b = q[max(k - 1, 0), i], q[min(k + 1, len(q) - 1), i]

        def size(angle, k=k):
            row = q[k : k + 1].copy()
            row[0, i] = angle
            return -float(abs(efforts(x, along(f, model, States(row, zero, zero)))[0]).max())

        found = minimize_scalar(size, bounds=(a, b), method="bounded", options={"xatol": 1e-10})
        ends = min((q[k, i], a, b, found.x), key=size)
        row = q[k : k + 1].copy()
        row[0, i] = ends
        out.append(along(f, model, States(row, zero, zero)))
    return tuple(np.concatenate(p) for p in zip(*out, strict=True))


__all__ = ["CRITERIA", "criterion_of", "search"]
