"""Layouts of whole sets of equations in plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from math import inf
from typing import Any

from ...errors import NotInRing
from ...scalars import Node
from .atoms import Atom, Product, Sum
from .names import Document003, Names
from .normal_form import attach, size
from .text import text, wrap_sum

MAX_SHORTENING = 4  # times at most that writing makes fewer formulas than normal forms have terms


def collect_atoms(terms: Sum, collected: set) -> set:
    """Every atom in a sum."""
    for p in terms:
        collected.update(a for a, _ in p.factors)
        for s in p.sums:
            collect_atoms(s, collected)
    return collected


def rows(eq, max_formulas: float = inf) -> list[tuple[str, Sum]]:
    """(left side, right side) of each equation, collected by accelerations and speeds.

    Equations of a closed mechanism contain the multipliers, `- J' lambda`. No rows where the
    multipliers occur in more than `max_formulas` formulas.
    """
    constraints: Any
    try:
        constraints = eq.constraints
    except NotInRing:
        constraints = None
    out: list[tuple[str, Sum]] = []
    if sum(len(x.x) for x in eq.efforts if isinstance(x, Node)) > MAX_SHORTENING * max_formulas:
        return out
    for head, parts in iter_left_sides(eq):
        products: list[Product] = []
        for p in eq.reading.products(sum((s * eq.efforts[i] for i, s in parts.items()), start=0)):
            products.append(p)
            max_formulas -= size(p)
            if max_formulas < 0:
                return []
        terms = tuple(products)
        for r in range(len(constraints.names) if constraints else 0):
            column = sum((s * constraints.jacobian[r, i].x for i, s in parts.items()), start=0)
            # EQ.12
            terms = (*terms, *multiply_by_multiplier(eq.reading.sum(column), multiplier(eq, r)))
        out.append((head, terms))
    return out


def multiplier(eq, row: int) -> str:
    """Name of the multiplier of a constraint row, which no parameter has."""
    taken = any(re.fullmatch(r"lambda\d+", n) for n in eq.system.symbols)
    return f"{'multiplier' if taken else 'lambda'}{row + 1}"


def multiply_by_multiplier(column: Sum, name: str) -> list[Product]:
    """Minus a coefficient times a multiplier, brackets with a positive first term."""
    minus = tuple(p._replace(number=-p.number) for p in column)
    factor = ((Atom("p", name), 1),)
    if len(column) == 1 or (column and column[0].number < 0):
        return attach(minus, factor)
    return [p._replace(number=-p.number) for p in attach(column, factor)]


def iter_left_sides(eq) -> Iterator[tuple[str, dict[int, int]]]:
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


def heading_lines(eq) -> str:
    n = eq.system.nv
    head = f"{eq.system.name}: {n} equation{'s' * (n != 1)} of motion, by {eq.formalism}"
    return "\n".join(
        [
            head,
            *(f"  ({doubt})" for doubt in eq.doubts if "stand for" in doubt),
            *describe_included_forces(eq),
            *describe_switched_forces(eq),
            *describe_assumptions(eq),
        ]
    )


def describe_included_forces(eq) -> list[str]:
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


def describe_assumptions(eq) -> list[str]:
    """A line with the expressions under roots that force elements take as positive."""
    if not eq.acting or not (positive := eq.reading.K.assumed):
        return []
    conditions = ", ".join(f"{eq._express(x)} > 0" for x in positive.values())
    return [f"  (forces are written where {conditions})"]


def describe_switched_forces(eq) -> list[str]:
    """A line for contacts and dry frictions, whose forces are part of tau as well."""
    names = ", ".join(dict.fromkeys(e.name for e in eq.system.switched))
    return (
        [f"  (tau includes what {names} may do: contacts and dry frictions act only at times)"]
        if names
        else []
    )


def print_equations(eq, names: Names) -> str:
    lines = rows(eq)
    atoms_used: set = set()
    for _, terms in lines:
        collect_atoms(terms, atoms_used)
    loops = describe_constraints(eq, names, atoms_used)
    legend = [f"  {line}" for line in names.legend(atoms_used)]
    return "\n".join(
        [
            heading_lines(eq),
            *legend,
            "",
            *(wrap_sum(head, terms, names) for head, terms in lines),
            *describe_named_forces(eq),
            *loops,
        ]
    )


def describe_constraints(eq, names: Names, atoms_used: set) -> list[str]:
    """Lines for the constraints of a mechanism with loops."""
    try:
        rows = printed_rows(eq)
    except NotInRing as e:
        return ["", f"less J' lambda; {e}"]
    where = ", ".join(f"{x.text(names.full)} > 0" for x in eq.constraints.positive) if rows else ""
    where = f", where {where}" if where else ""
    lines = ["", f"{_constraint_heading(rows)}{where}:"] if rows else []
    says = [e.says(label) for e in eq.system.held for label in e.labels]
    description_of = dict(
        zip((f"{e.name}.{x}" for e in eq.system.held for x in e.labels), says, strict=True)
    )
    for i, (name, parts) in enumerate(rows):
        lines.append(f"{name}, {multiplier(eq, i)} is {description_of[name].partition(': ')[2]}:")
        for head, terms in parts:
            collect_atoms(terms, atoms_used)
            lines.append("  " + wrap_sum(head, terms, names))
    return lines


def printed_rows(eq) -> list[tuple[str, list[tuple[str, Sum]]]]:
    """Name of each constraint row, its residual (of positions), Jacobian and right-hand side."""
    c, out = eq.constraints, []
    if c is None:
        return []
    for i, name in enumerate(c.names):
        parts = [("0", c.residuals[i].sum)] if i < c.residuals.shape[0] else []
        parts += [
            (f"J{i + 1},{j + 1}", x.sum) for j in range(eq.system.nv) if (x := c.jacobian[i, j])
        ]
        parts += [(f"nu{i + 1}", x.sum)] if (x := c.nu[i]) else []
        out.append((name, [*parts, (f"gamma{i + 1}", c.gamma[i].sum)]))
    return out


def _constraint_heading(rows) -> str:
    """Heading of the constraint rows."""
    has_velocity_rows = any(head.startswith("nu") for _, parts in rows for head, _ in parts)
    return f"with {'J v = nu, ' * has_velocity_rows}J a = gamma"


def all_rows(eq) -> list[tuple[str, Sum | None]]:
    """Equations, then those of constraints, with headings as rows without a right side."""
    try:
        constraint_rows = printed_rows(eq)
    except NotInRing:
        return [*rows(eq), ("less J' lambda", None)]
    return [
        *rows(eq),
        *([(_constraint_heading(constraint_rows), None)] if constraint_rows else []),
        *(part for _, parts in constraint_rows for part in parts),
    ]


def describe_named_forces(eq) -> list[str]:
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


def print_coefficients(eq, names: Names) -> str:
    """Non-zero entries of A (accelerations), B (products), C (squares) G (gravity), T (time)."""
    n, lines = eq.system.nv, []
    atoms_used: set[Atom] = set()
    sep = "," if n > 9 else ""

    def add(head, x):
        if x:
            terms = x.sum
            collect_atoms(terms, atoms_used)
            lines.append(wrap_sum(head, terms, names))

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
    time_term = " + T" * eq.system.rheonomic
    legend = [f"  {line}" for line in names.legend(atoms_used)]
    return "\n".join(
        [heading_lines(eq), f"tau = A a + B (v v) + C (v^2) + G{time_term}", *legend, "", *lines]
    )


def print_document_003(eq, names: Names) -> str:
    """Equations `... = 0`, one a line, in the names of Mizzi (1992)."""
    names = Document003(eq.system)
    return "\n".join(f"{text(terms, names, '*')} = 0" for _, terms in rows(eq))


STYLES = {
    "003": print_document_003,
    "equations": print_equations,
    "coefficients": print_coefficients,
}
