"""Languages of generated code: names, numbers, function calls, frames of functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Language(NamedTuple):
    """Syntax of one language."""

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
from numpy import {parts["imports"]}


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
{parts["pick"]}"""


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
CALLS = {  # {0}: all arguments; otherwise as the language of expressions has it
    "c": {
        "abs": "fabs({0})",
        "min": "fmin({0})",
        "max": "fmax({0})",
        "sign": "(({1} > 0.0) - ({1} < 0.0))",
        "select": "({1} ? {2} : {3})",
    },
    "python": {
        "asin": "arcsin({0})",
        "acos": "arccos({0})",
        "atan": "arctan({0})",
        "atan2": "arctan2({0})",
        "min": "minimum({0})",
        "max": "maximum({0})",
        "select": "where({0})",
    },
    "fortran": {
        "sign": "merge(0.0d0, sign(1.0d0, {1}), {1} == 0.0d0)",
        "floor": "({1} - modulo({1}, 1.0d0))",
        "select": "merge({2}, {3}, {1})",
    },
    "matlab": {"select": "pick({0})"},
}
PICK = """
function x = pick(condition, x, y)
  if ~condition
    x = y;
  end
end
"""
COMMENT = {"c": " * ", "python": "", "fortran": "! ", "matlab": "% "}


NUMPY = ("asarray", "broadcast_arrays", "cos", "pi", "sin", "sqrt", "stack")


def functions(used) -> list[str]:
    """NumPy's names of the functions among the operations of a program."""
    plain = {"+", "-", "*", "/", "neg", "cos", "sin", "root", "less", "input", "number", "pi"}
    return [(CALLS["python"].get(op) or op).partition("(")[0] for op in used - plain]


RESERVED = frozenset(
    """q v a p out cos sin sqrt pi stack asarray broadcast_arrays and as assert
auto break case char
class const continue def default del do double elif else elseif end enum except extern finally float
for from function global goto if import in int is lambda long None not or otherwise pass persistent
raise register return short signed sizeof static struct switch True False try typedef union unsigned
void volatile while with yield y0 y1 yn j0 j1 jn gamma exp log abs i j e tan tanh asin acos atan
atan2 arcsin arccos arctan arctan2 min max minimum maximum fabs fmin fmax floor sign where merge
modulo pick
""".split()
)


def free(name: str) -> bool:
    """Whether a parameter's name can be a variable's, and is not one of ours."""
    return (
        name.isidentifier()
        and name.isascii()
        and name not in RESERVED
        and not re.fullmatch(r"(t|c|s|cos_|sin_|out)\d+(_\d+)?", name)
        and not name.startswith("_")
    )


def folded(line: str, width: int = 120) -> list[str]:
    """A line of free-form Fortran, continued."""
    out = []
    while len(line) > width:
        cut = max(line.rfind(" + ", 0, width), line.rfind(" - ", 0, width))
        cut = cut if cut > 20 else max(line.rfind("*", 0, width), line.rfind(", ", 0, width))
        out.append(line[:cut] + " &")
        line = "    " + line[cut:]
    return [*out, line]
