"""Sine and cosine, one text for every number of lanes.

The angle is brought into [-pi/4, pi/4] by subtracting a multiple of pi/2 in several parts
(Cody and Waite), then two polynomials are evaluated and exchanged by quadrant.  Coefficients
are the weighted least-squares fit at Chebyshev points, rounded one after the other; they add
less than 0.04 ulp.  Beyond `LIMIT`, and for what is not finite, the C library is asked.
"""

import struct

from .text import Lines

LIMIT = 2.0**19
SIN = (
    -0.1666666666666663,
    0.00833333333332196,
    -0.00019841269829504857,
    2.7557313600041373e-06,
    -2.505074516521879e-08,
    1.58961061025402e-10,
)
COS = (
    -0.5,
    0.041666666666666595,
    -0.0013888888888873448,
    2.480158728910544e-05,
    -2.7557314253061303e-07,
    2.0875710774527712e-09,
    -1.1359041437578583e-11,
)
TWO_OVER_PI = 0.6366197723675814
HALF_PI_FUSED = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)
ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it leaves a whole number in the low bits


def _bits(x: float) -> int:
    return struct.unpack("<q", struct.pack("<d", x))[0]


def fast(t: Lines, x: str) -> tuple[str, str]:
    """Append the sine and cosine of `x`, an angle within `LIMIT`; give their names."""
    shifted = t.fma(x, t.const(TWO_OVER_PI), t.const(ROUND))
    turns = t.op("fsub", shifted, t.const(ROUND))
    back = t.neg(turns)
    r = x
    for part in HALF_PI_FUSED if t.fused else HALF_PI:
        r = t.fma(back, t.const(part), r)
    z = t.op("fmul", r, r)
    s = t.horner(z, SIN)
    s = t.fma(t.op("fmul", r, z), s, r)
    c = t.fma(z, t.horner(z, COS), t.const(1.0))
    quadrant = t.cast("bitcast", shifted, t.real, t.whole)
    odd = t.compare("icmp slt", t.op("shl", quadrant, t.int(63), t.whole), t.int(0), t.whole)
    sine, cosine = t.select(odd, c, s), t.select(odd, s, c)
    next_quadrant = t.op("add", quadrant, t.int(1), t.whole)
    return _signed(t, sine, quadrant), _signed(t, cosine, next_quadrant)


def _signed(t: Lines, x: str, quadrant: str) -> str:
    """Negate `x` where bit 1 of `quadrant` is set."""
    bit = t.op("and", t.op("shl", quadrant, t.int(62), t.whole), t.int(-(2**63)), t.whole)
    bits = t.op("xor", t.cast("bitcast", x, t.real, t.whole), bit, t.whole)
    return t.cast("bitcast", bits, t.whole, t.real)


def function(width: int, fused: bool) -> str:
    """IR of `@sincos(x, s, c, last)`: `width` angles at a time, the final ones at `last`.

    The final group may overlap the one before, so that any number of angles from `width` up
    needs no padding.
    """
    t = Lines(width, fused)
    t.label("entry")
    t.line("br label %loop")
    t.label("loop")
    t.line("%i = phi i64 [0, %entry], [%next, %done]")
    t.line("%beyond = icmp sgt i64 %i, %last")
    t.line("%at = select i1 %beyond, i64 %last, i64 %i")
    for p in "xsc":
        t.line(f"%{p}p = getelementptr double, ptr %{p}, i64 %at")
    x = t.load("%xp", 8)
    # compared as whole numbers: a comparison of reals would raise a flag for a NaN
    size = t.op("and", t.cast("bitcast", x, t.real, t.whole), t.int(2**63 - 1), t.whole)
    small = t.compare("icmp slt", size, t.int(_bits(LIMIT)), t.whole)
    t.line(f"br i1 {t.all(small)}, label %usual, label %huge")
    t.label("usual")
    sine, cosine = fast(t, x)
    t.store(sine, "%sp", 8)
    t.store(cosine, "%cp", 8)
    t.line("br label %done")
    t.label("huge")
    for k in range(width):
        for p, f in (("s", "sin"), ("c", "cos")):
            t.line(f"%{p}{k} = getelementptr double, ptr %{p}p, i64 {k}")
            angle = t.lane(x, k)
            t.line(f"%{f}{k} = call double @torseur.{f}(double {angle})")
            t.line(f"store double %{f}{k}, ptr %{p}{k}, align 8")
    t.line("br label %done")
    t.label("done")
    t.line(f"%next = add i64 %i, {width}")
    t.line(f"%end = add i64 %last, {width}")
    t.line("%more = icmp slt i64 %next, %end")
    t.line("br i1 %more, label %loop, label %out")
    t.label("out")
    t.line("ret void")
    head = "define internal void @sincos(ptr noalias %x, ptr noalias %s, ptr noalias %c, i64 %last)"
    return f"{head} {{\n{t}\n}}\n"
