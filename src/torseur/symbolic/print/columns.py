"""Layouts of whole sets of equations in plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from math import inf
from typing import Any

from ...errors import NotInRing
from ...scalars import Node
from .names import Document003, Names
from .normal_form import Atom, Product, Sum, attach, size
from .text import text, wrapped

SHORTENS = 4  # times at most that writing makes fewer formulas than normal forms have terms


def atoms(terms: Sum, found: set) -> set:
    """Every atom in a sum."""
    for p in terms:
        found.update(a for a, _ in p.factors)
        for s in p.sums:
            atoms(s, found)
    return found


def rows(eq, most: float = inf) -> list[tuple[str, Sum]]:
    """(left side, right side) of each equation, collected by accelerations and speeds.

    Equations of a closed mechanism contain the multipliers, `- J' lambda`. No rows where the
    multipliers occur in more than `most` formulas.
    """
    held: Any
    try:
        held = eq.constraints
    except NotInRing:
        held = None
    out: list[tuple[str, Sum]] = []
    if sum(len(x.x) for x in eq.efforts if isinstance(x, Node)) > SHORTENS * most:
        return out
    for head, parts in sides(eq):
        found: list[Product] = []
        for p in eq.reading.products(sum((s * eq.efforts[i] for i, s in parts.items()), start=0)):
            found.append(p)
            most -= size(p)
            if most < 0:
                return []
        terms = tuple(found)
        for r in range(len(held.names) if held else 0):
            column = sum((s * held.jacobian[r, i].x for i, s in parts.items()), start=0)
            terms = (*terms, *pushed(eq.reading.sum(column), multiplier(eq, r)))  # EQ.12
        out.append((head, terms))
    return out


def multiplier(eq, row: int) -> str:
    """Name of the multiplier of a constraint row, which no parameter has."""
    taken = any(re.fullmatch(r"lambda\d+", n) for n in eq.system.symbols)
    return f"{'multiplier' if taken else 'lambda'}{row + 1}"


def pushed(column: Sum, name: str) -> list[Product]:
    """Minus a coefficient times a multiplier, brackets with a positive first term."""
    minus = tuple(p._replace(number=-p.number) for p in column)
    factor = ((Atom("p", name), 1),)
    if len(column) == 1 or (column and column[0].number < 0):
        return attach(minus, factor)
    return [p._replace(number=-p.number) for p in attach(column, factor)]


def sides(eq) -> Iterator[tuple[str, dict[int, int]]]:
    """Left side of each equation, and its combination of efforts.

    With summed angles, an equation is tau of an angle minus those of the angles added to it: with
    th2 = q1 + q2 in place of q2, the effort of q1 becomes tau1 - tau2.
    """
    forms = {max(f): f for f in eq.reading.symbols.sums.values()}
    for i in range(eq.system.nv):
        head, parts = f"tau{i + 1}", {i: 1}
        for j, form in forms.items() if not eq.reading.relative else ():
            rest = {k: s for k, s in form.items() if k != j}
            for sign in (1, -1):
                if i != j and {k: sign * s for k, s in rest.items()} == forms[i]:
                    parts[j] = -sign
                    head += f" {'-' if sign > 0 else '+'} tau{j + 1}"
        yield head, parts


def heading(eq) -> str:
    n = eq.system.nv
    head = f"{eq.system.name}: {n} equation{'s' * (n != 1)} of motion, by {eq.formalism}"
    return "\n".join(
        [
            head,
            *(f"  ({doubt})" for doubt in eq.doubts if "stand for" in doubt),
            *left_in(eq),
            *at_times(eq),
            *taken(eq),
        ]
    )


def left_in(eq) -> list[str]:
    """A line for the forces and dampers of the model whose efforts are still part of tau."""
    if eq.made[1]["forces"]:
        return []
    names = list(dict.fromkeys(e.name for e in eq.system.elements))
    listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    return (
        [
            f"  (tau includes what {listed} give{'s' * (len(names) == 1)}; forces=True writes "
            f"{'it' if len(names) == 1 else 'them'} out)"
        ]
        if names
        else []
    )


def taken(eq) -> list[str]:
    """A line with the expressions under roots that force elements take as positive."""
    if not eq.acting or not (known := eq.reading.K.assumed):
        return []
    words = ", ".join(f"{eq._express(x)} > 0" for x in known.values())
    return [f"  (forces are written where {words})"]


def at_times(eq) -> list[str]:
    """A line for contacts and dry frictions, whose forces are part of tau as well."""
    names = ", ".join(dict.fromkeys(e.name for e in eq.system.switched))
    return (
        [f"  (tau includes what {names} may do: contacts and dry frictions act only at times)"]
        if names
        else []
    )


def as_equations(eq, names: Names) -> str:
    lines = rows(eq)
    found: set = set()
    for _, terms in lines:
        atoms(terms, found)
    loops = closed(eq, names, found)
    legend = [f"  {line}" for line in names.legend(found)]
    return "\n".join(
        [
            heading(eq),
            *legend,
            "",
            *(wrapped(head, terms, names) for head, terms in lines),
            *unwritten(eq),
            *loops,
        ]
    )


def closed(eq, names: Names, found: set) -> list[str]:
    """Lines for the constraints of a mechanism with loops."""
    try:
        rows = printed_rows(eq)
    except NotInRing as e:
        return ["", f"less J' lambda; {e}"]
    where = ", ".join(f"{x.text(names.full)} > 0" for x in eq.constraints.positive) if rows else ""
    where = f", where {where}" if where else ""
    lines = ["", f"{_with(rows)}{where}:"] if rows else []
    says = [e.says(label) for e in eq.system.held for label in e.labels]
    said = dict(zip((f"{e.name}.{x}" for e in eq.system.held for x in e.labels), says, strict=True))
    for i, (name, parts) in enumerate(rows):
        lines.append(f"{name}, {multiplier(eq, i)} is {said[name].partition(': ')[2]}:")
        for head, terms in parts:
            atoms(terms, found)
            lines.append("  " + wrapped(head, terms, names))
    return lines


def printed_rows(eq) -> list[tuple[str, list[tuple[str, Sum]]]]:
    """Name of each constraint row, its residual (of positions), Jacobian and right-hand side."""
    from ..constraint_equations import has_constraints

    if not has_constraints(eq.system):
        return []
    c, out = eq.constraints, []
    for i, name in enumerate(c.names):
        parts = [("0", c.residuals[i].sum)] if i < c.residuals.shape[0] else []
        parts += [
            (f"J{i + 1},{j + 1}", x.sum) for j in range(eq.system.nv) if (x := c.jacobian[i, j])
        ]
        parts += [(f"nu{i + 1}", x.sum)] if (x := c.nu[i]) else []
        out.append((name, [*parts, (f"gamma{i + 1}", c.gamma[i].sum)]))
    return out


def _with(rows) -> str:
    """Heading of the constraint rows."""
    timed = any(head.startswith("nu") for _, parts in rows for head, _ in parts)
    return f"with {'J v = nu, ' * timed}J a = gamma"


def all_rows(eq) -> list[tuple[str, Sum | None]]:
    """Equations, then those of constraints, with headings as rows without a right side."""
    try:
        more = printed_rows(eq)
    except NotInRing:
        return [*rows(eq), ("less J' lambda", None)]
    return [
        *rows(eq),
        *([(_with(more), None)] if more else []),
        *(part for _, parts in more for part in parts),
    ]


def unwritten(eq) -> list[str]:
    """Lines that define the named generalized forces."""
    lines = [
        f"where {f.name}.e, p: orientation (unit quaternion) and position granted by joint "
        f"{f.name!r} at q{i + 1}; phi, t: its screw; dphi, dt: its derivative"
        for i, f in eq.reading.symbols.functions.items()
    ]
    return lines + [
        f"where {', '.join(e.forces.values())}: generalized force of {e.name!r}, {e.says}"
        for e in eq.acting
        if e.named
    ]


def as_coefficients(eq, names: Names) -> str:
    """Non-zero entries of A (accelerations), B (products), C (squares) G (gravity), T (time)."""
    n, lines = eq.system.nv, []
    found: set[Atom] = set()
    sep = "," if n > 9 else ""

    def add(head, x):
        if x:
            terms = x.sum
            atoms(terms, found)
            lines.append(wrapped(head, terms, names))

    for i in range(n):
        for j in range(i, n):
            add(f"A{i + 1}{sep}{j + 1}", eq.mass_matrix[i, j])
    for i in range(n):
        for j, k in combinations(range(n), 2):
            add(f"B{i + 1},{j + 1}{sep}{k + 1}", eq.coriolis[i, j, k])
    for i in range(n):
        for j in range(n):
            add(f"C{i + 1}{sep}{j + 1}", eq.centrifugal[i, j])
    for i in range(n):
        add(f"G{i + 1}", eq.gravity[i])
    for i in range(n if eq.system.rheonomic else 0):
        add(f"T{i + 1}", eq.transport[i])
    moved = " + T" * eq.system.rheonomic
    legend = [f"  {line}" for line in names.legend(found)]
    return "\n".join(
        [heading(eq), f"tau = A a + B (v v) + C (v^2) + G{moved}", *legend, "", *lines]
    )


def as_document_003(eq, names: Names) -> str:
    """Equations `... = 0`, one a line, in the names of Mizzi (1992)."""
    names = Document003(eq.system)
    return "\n".join(f"{text(terms, names, '*')} = 0" for _, terms in rows(eq))


STYLES = {"003": as_document_003, "equations": as_equations, "coefficients": as_coefficients}
