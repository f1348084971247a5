"""Equations as programs in C, Python, Fortran and MATLAB.

The program is the Newton-Euler recursion, which equals the equations exactly and needs the fewest
operations. Operations that occur more than once get names.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...dynamics import constraint_rows, coriolis_matrix
from ...errors import ArgumentError, TorseurError, shown, unknown_name_message
from ...files import plain
from ...formalisms import christoffel, composite_body, newton_euler
from ...joints import TIME
from ...scalars import vector
from .cse import Tape
from .languages import CALLS, COMMENT, LANGUAGES, NUMPY, PICK, Language, folded, free, functions

ARGUMENTS = {  # that lead an axis
    "tau": "qva",
    "mass_matrix": "q",
    "bias": "qv",
    "gravity": "q",
    "coriolis": "qv",
    "christoffel": "q",
    "constraint_residual": "q",
    "constraint_jacobian": "q",
    "constraint_gamma": "qv",
}
QUANTITIES = tuple(ARGUMENTS)
INLINE = 60  # characters; a longer line gets a name even if used once


class TracedFunction(NamedTuple):
    """A tape with the items it returns."""

    tape: Tape
    outputs: list[int]
    shape: tuple[int, ...]


def trace(eq, quantity: str = "tau") -> TracedFunction:
    """Write down the computation of one quantity."""
    if quantity not in QUANTITIES:
        raise TorseurError(unknown_name_message("quantity", quantity, QUANTITIES, "code"))
    system, tape = eq.system, Tape()
    tape.parameters = {n: tape.input("p", i) for i, n in enumerate(parameters(eq, quantity))}
    for n, x in eq.fixed.get("p", {}).items():
        tape.parameters[n] = _fixed_value(tape, x)
    tree = system.over(tape)

    def inputs(array, n):
        fixed = eq.fixed.get(array, {})
        return vector(
            _fixed_value(tape, fixed[i]) if i in fixed else tape.input(array, i) for i in range(n)
        )

    q, v, a = (inputs(x, n) for x, n in (("q", system.nq), ("v", system.nv), ("a", system.nv)))
    rest = vector([0] * system.nv)
    if quantity.startswith("constraint_"):
        out = _constraint_rows(eq, tape, tree, q, v, quantity)
    elif quantity == "mass_matrix":
        out = composite_body.mass_matrix(tree, q)
    elif quantity == "coriolis":
        if system.rheonomic:
            raise TorseurError(
                f"code: time moves a placement of {system.name!r}, so its bias has parts that are "
                "no product of speeds; write the code of bias"
            )
        out = coriolis_matrix(tree, q, v)
    elif quantity == "christoffel":
        out = christoffel(tree, q)
    else:
        out = newton_euler.inverse_dynamics(
            tree.still() if quantity == "gravity" else tree,
            q,
            rest if quantity == "gravity" else v,
            a if quantity == "tau" else rest,
        )
        if quantity in ("tau", "bias"):
            out = _subtract_forces(eq, tape, tree, q, v, out)
    out = np.asarray(out, dtype=object)
    return TracedFunction(tape, [tape.item(x).index for x in out.ravel()], out.shape)


def parameters(eq, quantity: str) -> tuple[str, ...]:
    """Entries of p: parameters of the equations, and the time where rows depend on it."""
    needs_time = quantity.startswith("constraint_") and any(e.drives for e in eq.system.held)
    return tuple(dict.fromkeys((*eq.parameters, *[TIME] * needs_time)))


def _constraint_rows(eq, tape, tree, q, v, quantity):
    """Position residuals, Jacobian or right-hand side of the constraint rows."""
    if not eq.system.held:
        raise TorseurError(f"code: {eq.system.name!r} has no loop or constraint: no {quantity}")
    if eq.fixed:
        raise TorseurError(
            f"code: {quantity} of equations in which a coordinate or speed was replaced: its "
            "rows are derivatives by all of them; write the code before, and call it there"
        )
    constraint_terms = constraint_rows(tree, eq.system, tape.parameters.get(TIME, 0), q, v)
    rows = {
        "residual": constraint_terms.phi,
        "jacobian": constraint_terms.J,
        "gamma": constraint_terms.gamma,
    }[quantity[11:]]
    if not len(rows):
        raise TorseurError(f"code: {eq.system.name!r} has no row for a {quantity}")
    return rows


def _subtract_forces(eq, tape, tree, q, v, tau):
    """Efforts minus those of the force elements."""
    if not eq.acting:
        return tau
    from .. import generalized_forces as loads

    inputs = [tape.parameters.get(n, 0) for n in loads.input_names(eq.system)]
    for e in loads.apply_elements(eq.system, tree, q, v, inputs):
        element = next(x for x in eq.acting if x.name == e.name)
        for i, Q in (element if element.named else e).forces.items():
            tau[i] = tau[i] - (tape.parameters[Q] if element.named else Q)
    return tau


def _fixed_value(tape, x):
    return x.over(tape) if hasattr(x, "over") else x


def count_operations(program: TracedFunction) -> dict[str, int]:
    """Operations of a program: {"mul": , "add": , "div": , "trig": }."""
    out = {"mul": 0, "add": 0, "div": 0, "trig": 0}
    kinds = {"*": "mul", "+": "add", "-": "add", "/": "div", "cos": "trig", "sin": "trig"}
    for line, n in zip(program.tape.lines, program.tape.used(program.outputs), strict=True):
        if n and line.op in kinds:
            out[kinds[line.op]] += 1
    return out


def write_function(eq, language: str, quantity: str = "tau", name: str | None = None) -> str:
    """A function of q, v, a (arrays) and p (parameters) in one of the languages."""
    language = {"octave": "matlab", "numpy": "python"}.get(language.lower(), language.lower())
    if language not in LANGUAGES:
        raise TorseurError(unknown_name_message("language", language, LANGUAGES, "code"))
    if name is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ArgumentError(
            f"code: a function cannot be named {shown(name)}; use letters, digits "
            "and _, a letter first"
        )
    program, L = trace(eq, quantity), LANGUAGES[language]
    parameter_names = parameters(eq, quantity)
    names, body, declared = _write_lines(program, L, language, parameter_names)
    for at, x in zip(np.ndindex(program.shape), program.outputs, strict=True):
        body.append(L.store(at, program.shape).format(names(x, 0)))
    system, mark = eq.system, COMMENT[language]
    legend = [
        f"q = {', '.join(system.coordinates)}",
        f"v = {', '.join(system.speeds)}",
        f"p = {', '.join(parameter_names) or 'none'}",
        f"out = {quantity}, {' x '.join(map(str, program.shape))}, SI units",
    ]
    used = {line.op for line, n in zip(program.tape.lines, _uses(program), strict=True) if n}
    outs = [f"out{'_'.join(map(str, at))}" for at in np.ndindex(program.shape)]
    leading_entries = ", ".join(f"{x}[..., 0]" for x in ARGUMENTS[quantity])
    result = (
        f"stack(broadcast_arrays({', '.join([*outs, leading_entries])})[:{len(outs)}], axis=-1)"
    )
    if language == "python":
        if len(program.shape) > 1:
            body.append(f"    out = {result}")
            result = f"out.reshape(out.shape[:-1] + {program.shape})"
        body = ["    q, v, a, p = (asarray(x, dtype=float) for x in (q, v, a, p))", *body]
    if language == "fortran":
        body = [part for line in body for part in folded(line)]
    return L.frame(
        {
            "title": plain(f"{quantity} of {system.name}, generated by torseur"),
            "shape": program.shape,
            "legend": "\n".join(mark + plain(line) for line in legend),
            "name": name or quantity,
            "size": int(np.prod(program.shape)),
            "body": "\n".join(body),
            "result": result,
            "imports": ", ".join(sorted({*NUMPY, *functions(used)})),
            "pick": PICK if "select" in used else "",
            "declare": "\n".join(
                f"  real(c_double) :: {', '.join(declared[i : i + 8])}"
                for i in range(0, len(declared), 8)
            ),
        }
    )


LEAVES = ("input", "number", "pi")


def _uses(program: TracedFunction) -> list[int]:
    return program.tape.used(program.outputs)


def _write_lines(program: TracedFunction, L: Language, language: str, symbols):
    """Lines of code for subexpressions used more than once.  The others are written in place."""
    tape, used = program.tape, _uses(program)
    named: dict[int, str] = {}
    text: dict[int, tuple[str, int]] = {}
    body, declared = [], []
    counts: dict[str, int] = {}

    def item_text(i: int, rank: int) -> str:
        """Text of item i where an operator of that rank surrounds it."""
        if i in named:
            return named[i]
        expression, own_rank = text[i]
        return f"({expression})" if own_rank < rank else expression

    for i, line in enumerate(tape.lines):
        if not used[i]:
            continue
        op, args = line
        if op == "input" and args[0] == "p" and language != "fortran" and free(symbols[args[1]]):
            named[i] = symbols[args[1]]
            body.append(L.assign.format(named[i], L.entry(*args)))
            continue
        expression, rank = _leaf_text(op, args, L, language) or _operation_text(
            op, args, item_text, language
        )
        several = used[i] > 1 and op not in ("neg", "less", *LEAVES)
        long = len(expression) > INLINE and op not in ("less", *LEAVES)
        if op in ("cos", "sin") or several or long:
            named[i] = _name(tape, line, counts)
            declared.append(named[i])
            body.append(L.assign.format(named[i], expression))
        else:
            text[i] = (expression, rank)
    return item_text, body, declared


def _leaf_text(op, args, L: Language, language: str) -> tuple[str, int] | None:
    """Text and precedence of an input or a number, None for computed values."""
    match op:
        case "input":
            return L.entry(*args), 9
        case "number":
            return L.number(args[0]), 9 if args[0] >= 0 else 1
        case "pi":
            return "pi" if language in ("python", "matlab") else L.number(Fraction(np.pi)), 9
    return None


def _operation_text(op, args, show, language: str) -> tuple[str, int]:
    """Text of one operation and how tightly it binds."""
    match op:
        case "+" | "-":
            right, sign = show(args[1], 1 + (op == "-")), op
            if right.startswith("-"):  # no two signs in a row: Fortran minds
                right, sign = right[1:], "-"
            return f"{show(args[0], 1)} {sign} {right}", 1
        case "*" | "/":
            return f"{show(args[0], 2)}{op}{show(args[1], 3)}", 2
        case "neg":
            return f"-{show(args[0], 3)}", 1
        case "cos" | "sin" | "root":
            return f"{'sqrt' if op == 'root' else op}({show(args[0], 0)})", 9
        case "less":
            return f"{show(args[0], 1)} < {show(args[1], 1)}", 0
    inner = [show(a, 1 if op == "select" else 0) for a in args]
    return CALLS[language].get(op, f"{op}({{0}})").format(", ".join(inner), *inner), 9


def _name(tape, line, counts: dict[str, int]) -> str:
    """c1 and s1 for an angle among the coordinates, else the next of cos_, sin_ or t."""
    if line.op in ("cos", "sin"):
        inner = tape.lines[line.args[0]]
        if inner.op == "input" and inner.args[0] == "q":
            return f"{line.op[0]}{inner.args[1] + 1}"
    kind = f"{line.op}_" if line.op in ("cos", "sin") else "t"
    counts[kind] = counts.get(kind, 0) + 1
    return f"{kind}{counts[kind]}"
