"""Ring elements at numbers."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, prod, sqrt
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, unknown_name_message
from ..scalars import Floats, Node
from ..scalars.values import value as values


def evaluate(eq, entries, q, v, a, parameters: Mapping[str, float] | None = None) -> np.ndarray:
    """Values of an array of ring elements; leading axes of q, v, a broadcast."""
    system = eq.system
    q, v, a = (
        _as_array(x, n, what)
        for x, n, what in ((q, system.nq, "q"), (v, system.nv, "v"), (a, system.nv, "a"))
    )
    q, v, a = (_fix_entries(x, eq.fixed.get(k, {})) for x, k in ((q, "q"), (v, "v"), (a, "a")))
    leading_shape = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], a.shape[:-1])
    g = generator_values(eq, q, v, a, parameters, leading_shape)
    out = np.empty(leading_shape + entries.shape)
    for at in np.ndindex(entries.shape):
        out[(..., *at)] = _polynomial_value(entries[at], g)
    return out


def _as_array(x, n: int, what: str) -> np.ndarray:
    """One argument, of shape (..., n)."""
    try:
        x = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"evaluate: {what}: expected {n} numbers, got {shown(x)}") from None
    if x.shape[-1:] != (n,):
        raise ArgumentError(f"evaluate: {what} has shape {x.shape}; expected (..., {n})")
    return x


def _fix_entries(x, fixed) -> np.ndarray:
    """An array with the entries that a substitution holds at numbers."""
    if not fixed:
        return x
    x = x.copy()
    for i, value in fixed.items():
        x[..., i] = values.nominal(value, {})
    return x


def generator_values(eq, q, v, a, parameters, leading_shape) -> np.ndarray:
    """Values of every generator of the ring, then a one, shape (..., n + 1)."""
    S, K = eq.reading.symbols, eq.reading.K
    parameter_values = _parameter_values(eq, parameters or {})
    g = np.ones((*leading_shape, len(K.names) + 1))
    angle = {n: sum(s * q[..., i] for i, s in form.items()) for n, form in S.angles.items()}
    angle |= _angle_values(S, q, parameter_values)
    function_values = _joint_function_values(S, q, parameter_values, leading_shape)
    coordinate = {n: i for i, n in enumerate(S.coordinates)}
    for i, n in enumerate(K.names):
        if n in coordinate:
            x = q[..., coordinate[n]]
        elif n in function_values:
            x = function_values[n]
        elif n in S.sums or n in S.rates:
            rates, form = (v, S.sums[n]) if n in S.sums else (a, S.rates[n])
            x = sum(s * rates[..., j] for j, s in form.items())
        elif n[:4] in ("cos(", "sin("):
            argument = angle.get(n[4:-1])
            if argument is None:
                argument = values.nominal(values.exact(n[4:-1]), parameter_values)
            x = (np.cos if n[0] == "c" else np.sin)(argument)
        elif n.startswith("sqrt("):
            x = sqrt(float(n[5:-1]))
        elif n == "pi":
            x = pi
        elif n.startswith("1/"):
            if n[2:] in coordinate:
                x = 1 / q[..., coordinate[n[2:]]]
            else:
                argument = angle.get(n[6:-1])
                values_with_pi = parameter_values | {"pi": pi}
                x = 1 / (
                    values_with_pi[n[2:]] if argument is None else getattr(np, n[2:5])(argument)
                )
        else:
            x = parameter_values.get(n, 0.0)  # a name that occurs nowhere
        g[..., i] = x
    return g


def _angle_values(S, q, parameter_values) -> dict[str, np.ndarray]:
    """Values of the angles that are products of coordinates, time and parameters."""

    def value(n) -> Any:
        if n.startswith("1/"):
            return 1 / value(n[2:])
        if n in S.coordinates:
            return q[..., S.coordinates.index(n)]
        return pi if n == "pi" else parameter_values[n]

    def product(unit, powers) -> Any:
        return prod((value(x) ** m for x, m in powers), start=float(unit))

    return {n: product(unit, powers) for n, (unit, powers) in S.sines.items()}


def _joint_function_values(S, q, parameter_values, leading_shape) -> dict[str, np.ndarray]:
    """Values of the functions of complex joints."""
    out: dict[str, np.ndarray] = {}
    K = Floats(parameter_values)
    for i, f in S.functions.items():
        points = np.broadcast_to(q[..., i], leading_shape)
        rows = [f.values(K, [float(x)]) for x in points.ravel()]
        out |= {
            n: np.reshape([row[n] for row in rows], leading_shape)
            for n in (rows[0] if rows else {})
        }
    return out


def _parameter_values(eq, overrides) -> dict[str, float]:
    names = eq.parameters
    for n in overrides:
        if n not in names:
            raise TorseurError(unknown_name_message("parameter", n, names, "evaluate"))
    nominal = {n: x for n, x in eq.system.valued(overrides).items() if x is not None}
    out = ({} if eq.system.rheonomic else {"t": 0.0}) | nominal | dict(overrides)
    missing = [n for n in names if n not in out]
    if missing:
        raise TorseurError(
            f"evaluate: no value for {', '.join(missing)}; pass "
            "parameters={...} or give nominal values in Model(parameters=...)"
        )
    return {n: float(x) for n, x in out.items()}


def _polynomial_value(x, g):
    if not isinstance(x, Node):
        return float(x)
    terms = list(x.x.terms())
    factors = [[i for i, n in enumerate(powers) for _ in range(n)] for powers, _ in terms]
    width = max(map(len, factors))
    index = np.full((len(terms), width), g.shape[-1] - 1)
    for row, indices in zip(index, factors, strict=True):
        row[: len(indices)] = indices
    numbers = np.array([int(k.p) / int(k.q) for _, k in terms])
    return np.prod(g[..., index], axis=-1) @ numbers


def sum_values(eq, terms, q, v, a, multipliers=None, parameters=None) -> list[np.ndarray]:
    """Value of each product of a printed sum, one number a row of q, v, a.

    `multipliers` are those of constraint rows by the names they are printed with.
    """
    parameter_values = _parameter_values(eq, parameters or {}) | dict(multipliers or {})
    q, v, a = (_fix_entries(x, eq.fixed.get(k, {})) for x, k in ((q, "q"), (v, "v"), (a, "a")))

    def argument(x):
        out = float(x.number)
        for n, m in x.powers:
            out = out * (q[..., n] if isinstance(n, int) else constant(n)) ** int(m)
        return out

    def constant(name):
        if name == "pi":
            return pi
        return sqrt(float(name[5:-1])) if name.startswith("sqrt(") else parameter_values[name]

    def angle(i):
        if isinstance(i, int):
            return q[..., i]
        return (
            values.nominal(values.exact(i), parameter_values) if isinstance(i, str) else argument(i)
        )

    def atom(kind, key):
        if isinstance(key, int):
            return q[..., key]
        if isinstance(key, str):
            return constant(key)
        if kind in ("v", "a"):
            return sum(s * (v if kind == "v" else a)[..., i] for i, s in key)
        return (np.cos if kind == "cos" else np.sin)(sum(s * angle(i) for i, s in key))

    def product(p):
        out = np.full(q.shape[:-1], float(p.number))
        for (kind, key), m in p.factors:
            out = out * atom(kind, key) ** int(m)
        for inner in p.sums:
            out = out * sum(product(x) for x in inner)
        return out

    return [product(p) for p in terms]
