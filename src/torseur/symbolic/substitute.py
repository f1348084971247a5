"""Substitution of numbers or expressions for parameters, coordinates and speeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..errors import ArgumentError, TorseurError, said, unknown_name_message
from ..scalars import Node, Number, Value, vector
from ..scalars.values import value
from ..spatial import Inertia, Pose
from ..system import resolved
from .print.names import Names


def substitute_values(eq, replacements: Mapping):
    """Equations with the given parameters, coordinates and rates replaced."""
    replacements = {n: _exact(n, x) for n, x in replacements.items()}
    parameters = {n: x for n, x in replacements.items() if n in eq.system.symbols}
    others = {n: x for n, x in replacements.items() if n not in parameters or eq.acting}
    if parameters:
        names = Names(eq.system, full=True)
        fixed_before = {
            names.coordinate(i) if k == "q" else i if k == "p" else names.rate(i, "?va".index(k)): x
            for k, at in eq.fixed.items()
            for i, x in at.items()
        }
        eq = eq._derive(bind_system(eq.system, parameters))
        others = fixed_before | others
    return _substitute_states(eq, others) if others else eq


def _exact(name: str, x) -> Number | Value:
    try:
        return value.exact(x)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"substitute: {name}: {said(e)}") from None


def bind_system(system, replacements: Mapping[str, Number | Value]):
    """A system whose numbers have the given parameters replaced."""

    def fix(x):
        return bind_expression(x, replacements)

    def array(x):
        return vector(map(fix, x.ravel())).reshape(x.shape)

    def pose(X):
        if not any(isinstance(e, Value) for e in (*X.R.ravel(), *X.p)):
            return X
        return Pose(array(X.R), array(X.p))

    links = tuple(
        replace(
            k,
            joint=_joint(k.joint, fix),
            X_PF=pose(k.X_PF),
            armature=array(k.armature),
            inertia=Inertia(fix(k.inertia.mass), array(k.inertia.h), array(k.inertia.J)),
            damping=array(k.damping),
        )
        for k in system.links
    )
    frames = {n: replace(p, X_LB=pose(p.X_LB)) for n, p in system.places.items()}
    closures = tuple(
        replace(c, F=replace(c.F, X_LB=pose(c.F.X_LB)), M=replace(c.M, X_LB=pose(c.M.X_LB)))
        for c in system.closures
    )
    parameters, derived = _remaining_parameters(system, replacements, fix)
    return resolved(
        replace(
            system,
            links=links,
            places=frames,
            closures=closures,
            parameters=parameters,
            derived=derived,
            gravity=array(system.gravity),
        )
    )


def _remaining_parameters(system, replacements, fix) -> tuple[dict, dict]:
    """Values of the parameters that are left, and expressions of those that others give."""
    remaining = {n: x for n, x in system.parameters.items() if n not in replacements}
    derived: dict[str, Value] = {}
    for n, x in system.derived.items():
        if n in replacements:
            continue
        new = fix(x)
        if new is not x:
            values = {m: y for m, y in remaining.items() if y is not None}
            remaining[n] = (
                float(value.nominal(new, values))
                if values.keys() >= {*value.symbols(new)}
                else None
            )
        if value.symbols(new):
            derived[n] = new
    return remaining, derived


def _joint(joint: Any, fix) -> Any:
    if not is_dataclass(type(joint)):
        return joint
    changed: dict[str, Any] = {}
    for f in fields(joint):
        x = getattr(joint, f.name)
        if isinstance(x, Value) or (f.name == "lead" and isinstance(x, str)):
            changed[f.name] = fix(value.exact(x))
        elif isinstance(x, tuple) and any(isinstance(e, Value) for e in x):
            changed[f.name] = tuple(map(fix, x))
    return replace(joint, **changed) if changed else joint


def bind_expression(x, replacements: Mapping):
    """An exact number or expression with some of its symbols replaced."""
    if not isinstance(x, Value):
        return x
    if x.op == "symbol":
        return replacements.get(x.args[0], x)
    if x.op == "pi":
        return x
    args = [bind_expression(a, replacements) for a in x.args[: 1 if x.op == "**" else None]]
    match x.op:
        case "+":
            return args[0] + args[1]
        case "-":
            return args[0] - args[1]
        case "*":
            return args[0] * args[1]
        case "/":
            return value.divide(*args)
        case "neg":
            return -args[0]
        case "sin":
            return value.sin(args[0])
        case "cos":
            return value.cos(args[0])
        case "sqrt":
            return value.sqrt(args[0])
        case "**":
            n = x.args[1]
            power = args[0] ** abs(n)
            return power if n >= 0 else value.divide(1, power)
    return Value(x.op, tuple(args))


def _substitute_states(eq, replacements: Mapping):
    """Coordinates and rates at exact numbers: their generators are eliminated."""
    S, K = eq.reading.symbols, eq.reading.K
    images = dict(zip(K.names, (K[n] for n in K.names), strict=True))
    names = [Names(eq.system, full) for full in (False, True)]
    where = {n.coordinate(i): ("q", i) for n in names for i in range(eq.system.nq)}
    for order, kind in ((1, "v"), (2, "a")):
        where |= {n.rate(i, order): (kind, i) for n in names for i in range(eq.system.nv)}
    where |= {n: ("v", i) for i, n in enumerate(eq.system.speeds)}
    where |= {n: ("p", n) for n in K.names if n in K.parameters or n in eq.parameters}
    fixed = dict(eq.fixed)
    for name, x in replacements.items():
        if name not in where:
            names_allowed = [*eq.system.symbols, *where]
            raise TorseurError(
                unknown_name_message(
                    "parameter, coordinate or rate", name, names_allowed, "substitute"
                )
            )
        kind, i = where[name]
        if kind == "p":  # of a force law, or an input
            images[name] = K.number(x)
            fixed["p"] = fixed.get("p", {}) | {name: x}
            continue
        fixed[kind] = fixed.get(kind, {}) | {i: x}
        if kind == "q":
            _substitute_coordinate(eq, images, i, x, name)
            continue
        if not isinstance(x, Number):
            raise TorseurError(f"substitute: {name} takes a number, got {x}")
        forms = S.sums if kind == "v" else S.rates
        generator = next(n for n, f in forms.items() if list(f)[-1] == i)
        rest = {j: s for j, s in forms[generator].items() if j != i}
        images[generator] = x + _sum_generator(K, forms, rest)

    def image(x):
        if not isinstance(x, Node):
            return x
        out = x.x.compose(*(K.poly(images[n]) for n in K.names), ctx=K.ctx)
        return K.wrap(K.reduce(out))

    return replace(eq, efforts=tuple(map(image, eq.efforts)), fixed=fixed)


def _sum_generator(K, forms, rest):
    if not rest:
        return 0
    for n, f in forms.items():
        for sign in (1, -1):
            if {j: sign * s for j, s in f.items()} == rest:
                return K[n] * sign
    raise AssertionError(rest)


def _substitute_coordinate(eq, images, i, x, name) -> None:
    S, K = eq.reading.symbols, eq.reading.K
    q = S.coordinates[i]
    if isinstance(x, Number) or "pi" in K:
        images[q] = K.number(x)
    elif any(isinstance(e, Node) and e.x.degrees()[K.names.index(q)] for e in eq.efforts):
        raise TorseurError(
            f"substitute: {name} = {x}: the coordinate also enters as a length, "
            "where pi is no exact number; give 0, or use evaluate for numbers"
        )
    for n, (_, powers) in S.sines.items():
        if any(p.removeprefix("1/") == q for p, _ in powers):
            if x != 0:
                raise TorseurError(
                    f"substitute: {name} = {x}: cos({n}) is then no generator of these equations; "
                    "give 0, or use evaluate for numbers"
                )
            images[f"cos({n})"], images[f"sin({n})"] = 1, 0
    angle = next((n for n, f in S.angles.items() if list(f)[-1] == i), None)
    if angle is None:
        if not isinstance(x, Number):
            raise TorseurError(f"substitute: {name} takes a number, got {x}")
        return
    c, s = value.cos(x), value.sin(x)
    if isinstance(c, Value):
        raise TorseurError(
            f"substitute: {name} = {x}: the cosine is not rational; give 0 or a "
            "quarter turn such as 'pi/2', or use evaluate for numbers"
        )
    rest = {j: k for j, k in S.angles[angle].items() if j != i}
    C, D = 1, 0
    if rest:
        for n, f in S.angles.items():
            for sign in (1, -1):
                if {j: sign * k for j, k in f.items()} == rest:
                    C, D = K[f"cos({n})"], K[f"sin({n})"] * sign
    images[f"cos({angle})"], images[f"sin({angle})"] = C * c - D * s, D * c + C * s
