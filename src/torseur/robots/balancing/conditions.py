"""Symbolic conditions of static balance: the potential energy is the same in every pose.

The coefficients of all products of sines and cosines in the gravity torques must vanish.
Equations BA.1, BA.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ...errors import ArgumentError, TorseurError, needs, unknown_name_message
from ...kinematics import pose
from ...model import Frame, Model
from ...scalars import arguments
from ...scalars.values import value as values
from ...symbolic import ExactExpression, equations
from .devices.base import Device, add_offset, check_devices, model_of, multiply_term
from .devices.cam_spring import CamSpring
from .devices.spring import BalancingSpring
from .gravity_efforts import dependent_couplings, independent_speed_map


@dataclass(frozen=True, slots=True, eq=False)
class BalanceConditions:
    """Conditions under which the potential energy is the same in every pose.

    `conditions` are SymPy expressions that must be zero.  `solution` maps symbols to expressions
    that satisfy them.  `left` maps each joint to a coefficient that no solution makes zero.
    """

    conditions: tuple[Any, ...]
    solution: Mapping[Any, Any]
    left: Mapping[str, Any]
    springs: frozenset[str] = frozenset()  # letters of springs and cams

    def __str__(self):
        """The solution, and the coefficients that stay by joint."""
        if not self.solution and not self.left:
            return (
                "balanced as it is"
                if not self.conditions
                else "\n".join(f"0 = {c}" for c in self.conditions)
            )
        lines = [f"{a} = {b}" for a, b in self.solution.items()]
        lines += [f"{joint} still needs {x}" for joint, x in self.left.items()]
        return "\n".join(lines)

    def by_weight(self) -> str:
        """The solution of springs and cams as a function of the moment W of gravity.

        >>> import torseur as ts
        >>> link = ts.Body("link", "m", ("x", 0, 0))
        >>> pin = ts.Joint("pin", "world", "link", ts.Revolute((0, -1, 0)))
        >>> arm = ts.Model(gravity=(0, 0, "-g"), bodies=(link,), joints=(pin,))
        >>> pull = ts.robots.Spring("spring", "pin", anchor=(0, 0, "H"), radius="R", stiffness="k")
        >>> print(balance_conditions(arm, [pull], "k").by_weight())
        k = W/(H*R), W = g*m*x
        """
        with needs("robots", "balance_conditions"):
            import sympy

        spring_symbols = [a for a in self.solution if str(a) in self.springs]
        lines = []
        for a, e in self.solution.items():
            over, under = sympy.fraction(sympy.together(e))
            if a in spring_symbols:
                W = sympy.Symbol("W" if len(spring_symbols) == 1 else f"W_{a}")
                lines.append(f"{a} = {W / under}, {W} = {sympy.factor(over)}")
            else:
                lines.append(f"{a} = {e}")
        return "\n".join(lines)

    def balanced(
        self,
        bounds: Mapping[str, tuple[float, float]],
        values: Mapping[str, float],
        symbol: str,
        least: float = 0.0,
    ) -> tuple[float, float] | None:
        """Range (low, high) of `symbol` in which the solution satisfies its bounds.

        `values` are numbers of all other symbols.  Values of `symbol` below `least` are not
        considered. The result is the first range, or None if there is none.
        """
        with needs("robots", "balance_conditions"):
            import sympy

        x = sympy.Symbol(symbol)
        numbers = {sympy.Symbol(n): sympy.Float(v) for n, v in values.items()}
        solutions = {str(a): e for a, e in self.solution.items()}
        problems = [
            unknown_name_message("solved name", n, solutions, "balanced")
            for n in bounds
            if n not in solutions
        ]
        expressions = {
            n: sympy.together(solutions[n].subs(numbers)) for n in bounds if n in solutions
        }
        missing = {str(a) for e in expressions.values() for a in e.free_symbols} - {symbol}
        problems += [f"balanced: give a number for {n!r} in values=" for n in sorted(missing)]
        if problems:
            raise ArgumentError("\n".join(problems))

        def within(at: float) -> bool:
            ranges = [(float(e.subs(x, at)), *bounds[n]) for n, e in expressions.items()]
            return all(a - 1e-12 * abs(a) <= y <= b + 1e-12 * abs(b) for y, a, b in ranges)

        edges = {float(least)}
        for n, e in expressions.items():
            _, under = sympy.fraction(e)
            for root in (*(sympy.solve(e - b, x) for b in bounds[n]), sympy.solve(under, x)):
                edges |= {float(r) for r in root if r.is_real and r >= least}
        limits = sorted(edges)
        middles = [(a + b) / 2 for a, b in pairwise(limits)] + [2 * abs(limits[-1]) + 1.0]
        is_within = [within(m) for m in middles]
        if True not in is_within:
            return None
        first = is_within.index(True)
        last = is_within.index(False, first) if False in is_within[first:] else len(limits)
        return limits[first], (limits[last] if last < len(limits) else float("inf"))


def balance_conditions(
    model: Model, devices: Iterable[Any] = (), solve_for: Iterable[str] | None = None
) -> BalanceConditions:
    """Derive the exact conditions for dEp/dq = 0 in every pose, and solve them.

    Parameters
    ----------
    model : open chain, with symbols for the masses and lengths that the result shall contain
    devices : counterweights, parallelograms, cam springs and springs of zero free length.  A
        variable without a value becomes the unknown `<device>_<variable>`.  A text becomes a
        symbol.
    solve_for : names of the unknowns, by default the variables without a value

    >>> import torseur as ts
    >>> third = ts.Body("arm", "m", ("x3", 0, 0))
    >>> load = ts.Body("load", "M")
    >>> arm = ts.Model(bodies=(third, load), joints=(
    ...     ts.Joint("joint3", "world", "arm", ts.Revolute((0, -1, 0))),
    ...     ts.Joint("grip", "arm", "load", ts.Weld(), at=("l3", 0, 0))))
    >>> weight = ts.robots.Counterweight("weight", "joint3", mass="Mcp", distance="d",
    ...                                  direction=(-1, 0, 0))
    >>> print(balance_conditions(arm, [weight], solve_for="d"))
    d = (M*l3 + m*x3)/Mcp
    """
    with needs("robots", "balance_conditions"):
        import sympy  # noqa: F401  (a missing SymPy is reported first)

    model = model_of(model, "balance_conditions")
    devices = check_devices(model, devices)
    if couplings := model.check().held:
        raise TorseurError(
            f"balance_conditions: {couplings[0].name!r} of {model.name!r} couples coordinates; "
            "only open chains are supported, to which devices may add couplings"
        )
    unknowns, numbers = _variable_symbols(devices, solve_for)
    extended, springs = model, []
    for d in devices:
        if isinstance(d, BalancingSpring):
            springs.append(_zero_length_spring(d, model, numbers))
            extended = replace(extended, frames=(*extended.frames, *springs[-1][:2]))
        elif not isinstance(d, CamSpring):
            extended = d.apply(extended, numbers, True, model)
    eq = equations(_declare_symbols(extended, numbers))
    s, S = eq.system, eq.reading.symbols
    names = [k.name for k in s.links for _ in range(k.v.stop - k.v.start)]
    efforts = [eq.gravity[i].sympy() for i in range(s.nv)]
    for a, b, k in springs:
        d = pose(S.tree, b.name, S.q).p - pose(S.tree, a.name, S.q).p
        half = sum(x * x for x in d)
        for i in range(s.nv):
            slope = ExactExpression(eq.reading, S.K.derive(half, S.q[i])).sympy()
            efforts[i] += _symbolic_number(k) * slope / 2  # BA.2
    for d in devices:
        if isinstance(d, CamSpring):
            efforts = _add_cam_effort(d, efforts, eq, names, numbers)
    efforts = _independent_efforts(efforts, extended, model)
    names = [k.name for k in model.check().links for _ in range(k.v.stop - k.v.start)]
    pulls = frozenset(
        str(x)
        for n, x in numbers.items()
        for d in devices
        if isinstance(d, BalancingSpring | CamSpring) and n.startswith(f"{d.name}.")
    )
    return replace(_solve_conditions(efforts, names, unknowns), springs=pulls)


def _variable_symbols(devices: Sequence[Device], solve_for: Iterable[str] | None):
    """Names of the unknowns, and the symbol of each variable by `device.variable`."""
    numbers, unknowns = {}, []
    for d in devices:
        for n in d.variables:
            number = getattr(d, n)
            if number is None and f"{d.name}.{n}" in d.unknown():
                numbers[f"{d.name}.{n}"] = f"{d.name}_{n}"
                unknowns.append(f"{d.name}_{n}")
            elif isinstance(number, str):
                numbers[f"{d.name}.{n}"] = number
    if solve_for is not None:
        unknowns = list(arguments.texts("balance_conditions", "solve_for", solve_for, "['d']"))
    return unknowns, numbers


def _declare_symbols(model: Model, numbers: Mapping[str, str]):
    """The model with the symbols of the devices among its parameters, if it declares any."""
    if not model.parameters:
        return model
    extra = {x: None for x in numbers.values() if x not in model.parameters}
    return replace(model, parameters={**dict(model.parameters), **extra})


def _zero_length_spring(d: BalancingSpring, model: Model, numbers: Mapping[str, str]):
    """Frames at both ends of a spring of zero free length, and its stiffness."""
    if d.rest is not None or d.free_length is not None or d.law is not None:
        raise TorseurError(
            f"device {d.name!r}: only a spring of zero free length balances exactly; leave out "
            "rest=, free_length= and law=, or use ts.robots.balance to minimize the rest"
        )
    (host, point), child, o, direction = d.endpoints(model)
    R = d.variable_value(numbers, "radius")
    at = tuple(add_offset(a, multiply_term(R, b)) for a, b in zip(o, direction, strict=True))
    a = Frame(f"{d.name}_a", host, at=point)
    return a, Frame(f"{d.name}_b", child, at=at), d.variable_value(numbers, "stiffness")


def _symbolic_number(x: Any):
    """SymPy expression of a number or text.  E, I and S are symbols too."""
    with needs("robots", "balance_conditions"):
        import sympy

    names = values.symbols(values.exact(x)) if isinstance(x, str) else ()
    return sympy.sympify(str(x).replace("^", "**"), locals={n: sympy.Symbol(n) for n in names})


def _independent_efforts(efforts: list[Any], extended: Model, model: Model):
    """Efforts of the coordinates of the original model, without the couplings of devices."""
    with needs("robots", "balance_conditions"):
        import sympy

    s, old = extended.check(), model.check()
    if s.coordinates == old.coordinates:
        return efforts
    q = {n: sympy.Symbol(f"q{i + 1}") for i, n in enumerate(s.coordinates)}
    dependent: dict[Any, Any] = {}
    for c in dependent_couplings(extended, old.coordinates):
        new = next(n for n in c.ratios if n not in old.coordinates)
        rest = sum(sympy.nsimplify(r) * q[n] for n, r in c.ratios.items() if n != new)
        angle = (sympy.nsimplify(c.offset) - rest) / sympy.nsimplify(c.ratios[new])
        dependent[q[new]] = angle.subs(dependent)
    T = [
        [sympy.nsimplify(x) for x in row]
        for row in independent_speed_map(s, list(old.speeds)).tolist()
    ]
    substituted = [e.subs(dependent) for e in efforts]
    return [sum(T[i][j] * e for i, e in enumerate(substituted)) for j in range(old.nv)]


def _add_cam_effort(
    d: CamSpring, efforts: list[Any], eq: Any, names: Sequence[str], numbers: Mapping[str, str]
):
    """Efforts with the moment of a cam spring subtracted."""
    with needs("robots", "balance_conditions"):
        import sympy

    s = eq.system
    weights = d.angles or {next(n for n in s.coordinates if n.startswith(f"{d.joint}.")): 1}
    q = {n: sympy.Symbol(f"q{i + 1}") for i, n in enumerate(s.coordinates)}
    angle = sum(w * q[n] for n, w in weights.items()) - sympy.nsimplify(d.phase or 0)
    W = _symbolic_number(d.variable_value(numbers, "amplitude"))
    out = list(efforts)
    for n, w in weights.items():
        out[s.coordinates.index(n)] -= w * W * sympy.cos(angle)
    return out


def _solve_conditions(efforts: list[Any], names: Sequence[str], unknowns: Sequence[str]):
    """Every coefficient of sines and cosines must vanish: conditions and solution.  # BA.1"""
    with needs("robots", "balance_conditions"):
        import sympy

    rows = []
    for e in efforts:
        e = sympy.expand(sympy.expand_trig(sympy.expand(e)))
        waves = sorted(e.atoms(sympy.cos, sympy.sin), key=str)
        if not waves:
            rows.append([e] if e != 0 else [])
            continue
        rows.append([c for c in sympy.Poly(e, *waves).coeffs() if c != 0])
    conditions = tuple(dict.fromkeys(sympy.factor(c) for row in rows for c in row))
    symbols = [sympy.Symbol(n) for n in unknowns]
    usable = [c for c in conditions if c.free_symbols & set(symbols)]
    solutions = sympy.solve(usable, symbols, dict=True) if usable and symbols else []
    solution = {a: sympy.factor(b) for a, b in solutions[0].items()} if solutions else {}
    left = {}
    for name, row in zip(names, rows, strict=True):
        rest = [sympy.simplify(c.subs(solution)) for c in row]
        if any(r != 0 for r in rest):
            left[name] = next(r for r in rest if r != 0)
    return BalanceConditions(conditions, solution, left)


__all__ = ["BalanceConditions", "Device", "balance_conditions"]
