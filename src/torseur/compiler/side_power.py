"""Powers of positive numbers in lanes, in LLVM IR: what step control asks for, all lanes at once.

The logarithm to base two is that of the mantissa by the series of the inverse hyperbolic tangent,
the exponential that of the fraction by Taylor's; both to a few units of the last place.
"""

from __future__ import annotations

import math

from .text import literal

LOGARITHM = tuple(2.0 / (k * math.log(2.0)) for k in range(1, 20, 2))  # of t = (m - 1) / (m + 1)
EXPONENTIAL = tuple(math.log(2.0) ** k / math.factorial(k) for k in range(14))
HIGHEST = 1000.0  # exponent of two


def power(lanes: int) -> str:
    """`@power(a, b)` of vectors: a to the power b, for a > 0."""
    real, whole, bits = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"

    def every(x: float) -> str:
        return "<" + ", ".join([f"double {literal(x)}"] * lanes) + ">"

    def words(x: int) -> str:
        return "<" + ", ".join([f"i64 {x}"] * lanes) + ">"

    lines: list[str] = []

    def series(name: str, x: str, coefficients: tuple[float, ...]) -> str:
        """Horner's rule."""
        found = every(coefficients[-1])
        for k, c in enumerate(reversed(coefficients[:-1])):
            lines.append(f"  %{name}p{k} = fmul contract {real} {found}, {x}")
            lines.append(f"  %{name}{k} = fadd contract {real} %{name}p{k}, {every(c)}")
            found = f"%{name}{k}"
        return found

    lines.append(f"""  %word = bitcast {real} %a to {whole}
  %up = lshr {whole} %word, {words(52)}
  %low = and {whole} %word, {words(2**52 - 1)}
  %one = or {whole} %low, {words(1023 << 52)}
  %m1 = bitcast {whole} %one to {real}
  %large = fcmp ogt {real} %m1, {every(math.sqrt(2.0))}
  %m2 = fmul {real} %m1, {every(0.5)}
  %m = select {bits} %large, {real} %m2, {real} %m1
  %carry = zext {bits} %large to {whole}
  %e1 = add {whole} %up, %carry
  %e2 = sub {whole} %e1, {words(1023)}
  %e = sitofp {whole} %e2 to {real}
  %below = fsub {real} %m, {every(1.0)}
  %above = fadd {real} %m, {every(1.0)}
  %t = fdiv {real} %below, %above
  %tt = fmul {real} %t, %t""")
    log = series("l", "%tt", LOGARITHM)
    lines.append(f"""  %fraction = fmul {real} {log}, %t
  %log = fadd {real} %e, %fraction
  %y1 = fmul {real} %log, %b
  %y2 = call {real} @llvm.minnum.v{lanes}f64({real} %y1, {real} {every(HIGHEST)})
  %y = call {real} @llvm.maxnum.v{lanes}f64({real} %y2, {real} {every(-HIGHEST)})
  %n = call {real} @llvm.rint.v{lanes}f64({real} %y)
  %r = fsub {real} %y, %n""")
    exp = series("x", "%r", EXPONENTIAL)
    lines.append(f"""  %whole = fptosi {real} %n to {whole}
  %biased = add {whole} %whole, {words(1023)}
  %raised = shl {whole} %biased, {words(52)}
  %two = bitcast {whole} %raised to {real}
  %found = fmul {real} {exp}, %two
  ret {real} %found""")
    names = ("minnum", "maxnum", "rint")
    heads = [
        f"declare {real} @llvm.{n}.v{lanes}f64({', '.join([real] * (1 if n == 'rint' else 2))})"
        for n in names
    ]
    body = "\n".join(lines)
    return "\n".join(
        [*heads, f"define internal {real} @power({real} %a, {real} %b) {{", body, "}\n"]
    )
