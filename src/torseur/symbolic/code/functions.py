"""The equations as programs that run as they are: C, Python, Fortran, MATLAB.

The program is the recursion of Newton and Euler (exactly equal to the equations, and the shortest
way to compute them), written down line by line: an operation that occurs twice gets a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...errors import ArgumentError, TorseurError, shown, unknown_name
from ...files import plain
from ...formalisms import composite_body, newton_euler
from ...numbers import vector
from .trace import Tape

QUANTITIES = ("tau", "mass_matrix", "bias", "gravity")
ARGUMENTS = {"tau": "qva", "mass_matrix": "q", "bias": "qv", "gravity": "q"}  # that lead an axis
INLINE = 60  # characters; a longer line gets a name even if used once


class Program(NamedTuple):
    """A tape with the items it returns."""

    tape: Tape
    outputs: list[int]
    shape: tuple[int, ...]


def trace(eq, quantity: str = "tau") -> Program:
    """Write down the computation of one quantity."""
    if quantity not in QUANTITIES:
        raise TorseurError(unknown_name("quantity", quantity, QUANTITIES, "code"))
    system, tape = eq.system, Tape()
    tape.parameters = {n: tape.input("p", i) for i, n in enumerate(eq.parameters)}
    for n, x in eq.fixed.get("p", {}).items():
        tape.parameters[n] = _fixed(tape, x)
    tree = system.over(tape)

    def inputs(array, n):
        fixed = eq.fixed.get(array, {})
        return vector(
            _fixed(tape, fixed[i]) if i in fixed else tape.input(array, i) for i in range(n)
        )

    q, v, a = (inputs(x, n) for x, n in (("q", system.nq), ("v", system.nv), ("a", system.nv)))
    rest = vector([0] * system.nv)
    if quantity == "mass_matrix":
        out = composite_body.mass_matrix(tree, q)
    else:
        out = newton_euler.inverse_dynamics(
            tree, q, rest if quantity == "gravity" else v, a if quantity == "tau" else rest
        )
        if quantity in ("tau", "bias"):
            out = _loaded(eq, tape, tree, q, v, out)
    out = np.asarray(out, dtype=object)
    return Program(tape, [tape.item(x).index for x in out.ravel()], out.shape)


def _loaded(eq, tape, tree, q, v, tau):
    """Efforts less what the force elements give."""
    if not eq.acting:
        return tau
    from .. import applied as loads

    given = [tape.parameters.get(n, 0) for n in loads.inputs(eq.system)]
    for e in loads.applied(eq.system, tree, q, v, given):
        known = next(x for x in eq.acting if x.name == e.name)
        for i, Q in (known if known.named else e).forces.items():
            tau[i] = tau[i] - (tape.parameters[Q] if known.named else Q)
    return tau


def _fixed(tape, x):
    return x.over(tape) if hasattr(x, "over") else x


def count(program: Program) -> dict[str, int]:
    """Operations of a program: {"mul": , "add": , "div": , "trig": }."""
    out = {"mul": 0, "add": 0, "div": 0, "trig": 0}
    kinds = {"*": "mul", "+": "add", "-": "add", "/": "div", "cos": "trig", "sin": "trig"}
    for line, n in zip(program.tape.lines, program.tape.used(program.outputs), strict=True):
        if n and line.op in kinds:
            out[kinds[line.op]] += 1
    return out


class Language(NamedTuple):
    """What differs between languages."""

    entry: Callable[[str, int], str]  # an argument's entry
    number: Callable[[Fraction], str]
    assign: str  # a named intermediate
    store: Callable[[tuple, tuple], str]  # an output's place
    frame: Callable[[dict], str]
    power: str = ""
    call: str = "{}({})"


def _decimal(x: Fraction) -> str:
    text = repr(float(x))
    return text if x.denominator != 1 or abs(x) >= 10**15 else f"{x.numerator}.0"


def _fortran(x: Fraction) -> str:
    return repr(float(x)).replace("e", "d") + ("" if "e" in repr(float(x)) else "d0")


def _c(parts) -> str:
    text = f"""/* {parts["title"]}
{parts["legend"]}
 */
#include <math.h>

void {parts["name"]}(const double *q, const double *v, const double *a, const double *p,
    double *out)
{{
{parts["body"]}
}}
"""
    return text


def _python(parts) -> str:
    return f'''"""{parts["title"]}

{parts["legend"]}
"""
from numpy import asarray, broadcast_arrays, cos, pi, sin, sqrt, stack


def {parts["name"]}(q, v, a, p=()):
{parts["body"]}
    return {parts["result"]}
'''


def _fortran_frame(parts) -> str:
    return f"""! {parts["title"]}
{parts["legend"]}
subroutine {parts["name"]}(q, v, a, p, out) bind(c)
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  real(c_double), intent(in) :: q(*), v(*), a(*), p(*)
  real(c_double), intent(out) :: out({parts["size"]})
{parts["declare"]}
{parts["body"]}
end subroutine {parts["name"]}
"""


def _matlab(parts) -> str:
    return f"""function out = {parts["name"]}(q, v, a, p)
% {parts["title"]}
{parts["legend"]}
  out = zeros({
        ", ".join(map(str, parts["shape"] if len(parts["shape"]) > 1 else (*parts["shape"], 1)))
    });
{parts["body"]}
end
"""


def _flat(at, shape) -> int:
    return int(np.ravel_multi_index(at, shape))


LANGUAGES = {
    "c": Language(
        lambda x, i: f"{x}[{i}]",
        _decimal,
        "    const double {} = {};",
        lambda at, shape: f"    out[{_flat(at, shape)}] = {{}};",
        _c,
    ),
    "python": Language(
        lambda x, i: f"{x}[..., {i}]",
        _decimal,
        "    {} = {}",
        lambda at, shape: f"    out{'_'.join(map(str, at))} = {{}}",
        _python,
    ),
    "fortran": Language(
        lambda x, i: f"{x}({i + 1})",
        _fortran,
        "  {} = {}",
        lambda at, shape: f"  out({_flat(at, shape) + 1}) = {{}}",
        _fortran_frame,
    ),
    "matlab": Language(
        lambda x, i: f"{x}({i + 1})",
        _decimal,
        "  {} = {};",
        lambda at, shape: f"  out({', '.join(str(i + 1) for i in at)}) = {{}};",
        _matlab,
    ),
}
COMMENT = {"c": " * ", "python": "", "fortran": "! ", "matlab": "% "}


def code(eq, language: str, quantity: str = "tau", name: str | None = None) -> str:
    """A function of q, v, a (arrays) and p (parameters) in one of the languages."""
    language = {"octave": "matlab", "numpy": "python"}.get(language.lower(), language.lower())
    if language not in LANGUAGES:
        raise TorseurError(unknown_name("language", language, LANGUAGES, "code"))
    if name is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ArgumentError(
            f"code: a function cannot be named {shown(name)}; use letters, digits "
            "and _, a letter first"
        )
    program, L = trace(eq, quantity), LANGUAGES[language]
    names, body, declared = _write(program, L, language, eq.parameters)
    for at, x in zip(np.ndindex(program.shape), program.outputs, strict=True):
        body.append(L.store(at, program.shape).format(names(x, 0)))
    system, mark = eq.system, COMMENT[language]
    legend = [
        f"q = {', '.join(system.coordinates)}",
        f"v = {', '.join(system.speeds)}",
        f"p = {', '.join(eq.parameters) or 'none'}",
        f"out = {quantity}, {' x '.join(map(str, program.shape))}, SI units",
    ]
    outs = [f"out{'_'.join(map(str, at))}" for at in np.ndindex(program.shape)]
    lead = ", ".join(f"{x}[..., 0]" for x in ARGUMENTS[quantity])
    result = f"stack(broadcast_arrays({', '.join([*outs, lead])})[:{len(outs)}], axis=-1)"
    if len(program.shape) == 2:
        result += f".reshape(q.shape[:-1] + {program.shape})"
    if language == "python":
        body = ["    q, v, a, p = (asarray(x, dtype=float) for x in (q, v, a, p))", *body]
    if language == "fortran":
        body = [part for line in body for part in _folded(line)]
    return L.frame(
        {
            "title": plain(f"{quantity} of {system.name}, generated by torseur"),
            "shape": program.shape,
            "legend": "\n".join(mark + plain(line) for line in legend),
            "name": name or quantity,
            "size": int(np.prod(program.shape)),
            "body": "\n".join(body),
            "result": result,
            "declare": "\n".join(
                f"  real(c_double) :: {', '.join(declared[i : i + 8])}"
                for i in range(0, len(declared), 8)
            ),
        }
    )


def _write(program: Program, L: Language, language: str, symbols):
    """Lines of code for what is used more than once; the rest is written in place."""
    tape, used = program.tape, program.tape.used(program.outputs)
    named: dict[int, str] = {}
    text: dict[int, tuple[str, int]] = {}
    body, declared = [], []

    def show(i: int, rank: int) -> str:
        """Text of item i where an operator of that rank surrounds it."""
        if i in named:
            return named[i]
        words, own = text[i]
        return f"({words})" if own < rank else words

    for i, line in enumerate(tape.lines):
        if not used[i]:
            continue
        op, args = line
        if op == "input":
            if args[0] == "p" and language != "fortran" and _free(symbols[args[1]]):
                named[i] = symbols[args[1]]
                body.append(L.assign.format(named[i], L.entry(*args)))
            else:
                text[i] = (L.entry(*args), 9)
            continue
        if op == "number":
            text[i] = (L.number(args[0]), 9 if args[0] >= 0 else 1)
            continue
        if op == "pi":
            text[i] = (
                {"python": "pi", "matlab": "pi"}.get(language) or L.number(Fraction(np.pi)),
                9,
            )
            continue
        match op:
            case "+" | "-":
                right, sign = show(args[1], 1 + (op == "-")), op
                if right.startswith("-"):  # no two signs in a row: Fortran minds
                    right, sign = right[1:], "-"
                words, rank = f"{show(args[0], 1)} {sign} {right}", 1
            case "*" | "/":
                words, rank = f"{show(args[0], 2)}*{show(args[1], 2 + 1)}", 2
                if op == "/":
                    words = f"{show(args[0], 2)}/{show(args[1], 3)}"
            case "neg":
                words, rank = f"-{show(args[0], 3)}", 1
            case "cos" | "sin" | "root":
                f = "sqrt" if op == "root" else op
                words, rank = f"{f}({show(args[0], 0)})", 9
        if op in ("cos", "sin") or (used[i] > 1 and op != "neg") or len(words) > INLINE:
            named[i] = _name(tape, line, named)
            declared.append(named[i])
            body.append(L.assign.format(named[i], words))
        else:
            text[i] = (words, rank)
    return show, body, declared


RESERVED = frozenset(
    """q v a p out cos sin sqrt pi stack asarray broadcast_arrays and as assert
auto break case char
class const continue def default del do double elif else elseif end enum except extern finally float
for from function global goto if import in int is lambda long None not or otherwise pass persistent
raise register return short signed sizeof static struct switch True False try typedef union unsigned
void volatile while with yield y0 y1 yn j0 j1 jn gamma exp log abs i j e""".split()
)


def _free(name: str) -> bool:
    """Whether a parameter's name can be a variable's, and is not one of ours."""
    return (
        name.isidentifier()
        and name.isascii()
        and name not in RESERVED
        and not re.fullmatch(r"(t|c|s|cos_|sin_|out)\d+(_\d+)?", name)
        and not name.startswith("_")
    )


def _name(tape, line, named) -> str:
    taken = set(named.values())
    if line.op in ("cos", "sin"):
        inner = tape.lines[line.args[0]]
        if inner.op == "input" and inner.args[0] == "q":
            return f"{line.op[0]}{inner.args[1] + 1}"
        return next(n for k in range(1, 10**6) if (n := f"{line.op}_{k}") not in taken)
    return f"t{sum(n[0] == 't' and n[1:].isdigit() for n in taken) + 1}"


def _folded(line: str, width: int = 120) -> list[str]:
    """A line of free-form Fortran, continued."""
    out = []
    while len(line) > width:
        cut = max(line.rfind(" + ", 0, width), line.rfind(" - ", 0, width))
        cut = cut if cut > 20 else line.rfind("*", 0, width)
        out.append(line[:cut] + " &")
        line = "    " + line[cut:]
    return [*out, line]
