"""Sine and cosine, one text for every number of lanes.

The angle is brought into [-pi/4, pi/4] by subtracting a multiple of pi/2 in several parts
(Cody and Waite), then two polynomials are evaluated and exchanged by quadrant.  Coefficients
are the weighted least-squares fit at Chebyshev points, rounded one after the other; they add
less than 0.04 ulp.  Beyond `LIMIT`, and for what is not finite, the C library is asked.
Kernels of one machine call the same code (`shared`), which would be half of a small one.
"""

import functools
import struct
from collections.abc import Callable

from ..runtime import cache, machine
from .llvm_builder import Lines

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
TOGETHER = {8: 4}  # groups of angles whose steps are interleaved, by lanes; 2 with few registers
ROUND = 6755399441055744.0  # 1.5 * 2**52: adding it leaves a whole number in the low bits


def _bits(x: float) -> int:
    return struct.unpack("<q", struct.pack("<d", x))[0]


def fast(t: Lines, angles: list[str]) -> list[tuple[str, str]]:
    """Append sine and cosine of angles within `LIMIT`; give their names.

    Several angles are taken side by side: each step of one fills the wait of the others.
    """

    def each(step: Callable[..., str], *values: list[str]) -> list[str]:
        return [step(*v) for v in zip(*values, strict=True)]

    shifted = each(lambda x: t.fma(x, t.const(TWO_OVER_PI), t.const(ROUND)), angles)
    turns = each(lambda n: t.op("fsub", n, t.const(ROUND)), shifted)
    r = angles
    for part in HALF_PI_FUSED if t.fused else HALF_PI:
        r = each(lambda n, r, k=-part: t.fma(n, t.const(k), r), turns, r)
    z = each(lambda r: t.op("fmul", r, r), r)
    s, c = (_polynomial(t, each, z, coefficients) for coefficients in (SIN, COS))
    cube = each(lambda r, z: t.op("fmul", r, z), r, z)
    s = each(t.fma, cube, s, r)
    c = each(lambda z, c: t.fma(z, c, t.const(1.0)), z, c)
    results = []
    for n, s_, c_ in zip(shifted, s, c, strict=True):
        quadrant = t.cast("bitcast", n, t.real, t.whole)
        odd = t.compare("icmp slt", t.op("shl", quadrant, t.word(63), t.whole), t.word(0), t.whole)
        after = t.op("add", quadrant, t.word(1), t.whole)
        sine, cosine = t.select(odd, c_, s_), t.select(odd, s_, c_)
        results.append((_signed(t, sine, quadrant), _signed(t, cosine, after)))
    return results


def _polynomial(t: Lines, each, z: list[str], coefficients: tuple[float, ...]) -> list[str]:
    """Horner's rule on all of `z` together."""
    *rest, last = coefficients
    value = [t.const(last)] * len(z)
    for c in reversed(rest):
        value = each(lambda v, z, c=c: t.fma(v, z, t.const(c)), value, z)
    return value


def _signed(t: Lines, x: str, quadrant: str) -> str:
    """Negate `x` where bit 1 of `quadrant` is set."""
    bit = t.op("and", t.op("shl", quadrant, t.word(62), t.whole), t.word(-(2**63)), t.whole)
    bits = t.op("xor", t.cast("bitcast", x, t.real, t.whole), bit, t.whole)
    return t.cast("bitcast", bits, t.whole, t.real)


def symbol(width: int, fused: bool, count: int = 4) -> str:
    """Name of the function that kernels share, for `count` groups of `width` angles."""
    rounds = -(-count // TOGETHER.get(width, 2))
    return f"sincos_{width}_{-(-count // rounds)}_{int(fused)}"


def declaration(name: str) -> str:
    """How a kernel says that it calls it."""
    return f"declare void @torseur.{name}(ptr, ptr, ptr, i64)"


@functools.cache
def shared(name: str) -> machine.Code:
    """Code of a function with this `symbol`, made once on a machine."""
    build = lambda: machine.assemble(module(name))  # noqa: E731
    return cache.common(b"sincos", name, (name,), ("sin", "cos"), build)


def module(name: str) -> str:
    """IR of the function with this `symbol`, alone."""
    width, groups, fused = map(int, name.split("_")[1:])
    lines = ["declare double @torseur.sin(double)", "declare double @torseur.cos(double)"]
    t = Lines(width, bool(fused))
    lines.append(f"declare {t.real} @llvm.fma.{t.suffix}({t.real}, {t.real}, {t.real})")
    lines.append(function(name, width, groups, bool(fused)))
    return "\n".join(lines)


def function(name: str, width: int, groups: int, fused: bool) -> str:
    """IR of `name(x, s, c, last)`: angles in groups of `width`, the final one at `last`.

    The final group may overlap the one before, so that any number of angles from `width` up
    needs no padding.  So many `groups` are taken side by side.
    """
    size = width * groups
    t = Lines(width, fused)
    t.label("entry")
    end = t.value(f"add i64 %last, {width}")
    t.line("br label %check")

    # every angle within the limit?  compared as whole numbers: a NaN raises no flag then
    t.label("check")
    t.line("%j = phi i64 [0, %entry], [%after, %check]")
    t.line(f"%old = phi {t.whole} [zeroinitializer, %entry], [%most, %check]")
    x = t.load(t.value(f"getelementptr double, ptr %x, i64 {_least(t, '%j')}"), 8)
    bits = t.op("and", t.cast("bitcast", x, t.real, t.whole), t.word(2**63 - 1), t.whole)
    more = t.compare("icmp sgt", bits, "%old", t.whole)
    t.line(f"%most = select {t.bit} {more}, {t.whole} {bits}, {t.whole} %old")
    t.line(f"%after = add i64 %j, {width}")
    t.line(f"%checking = icmp slt i64 %after, {end}")
    t.line("br i1 %checking, label %check, label %checked")
    t.label("checked")
    small = t.compare("icmp slt", "%most", t.word(_bits(LIMIT)), t.whole)
    t.line(f"br i1 {t.all(small)}, label %usual, label %rare")

    t.label("usual")
    t.line("%i = phi i64 [0, %checked], [%next, %usual]")
    places = [_least(t, t.value(f"add i64 %i, {k * width}")) for k in range(groups)]
    _store(t, places, fast(t, _load(t, places)))
    t.line(f"%next = add i64 %i, {size}")
    t.line(f"%go = icmp slt i64 %next, {end}")
    t.line("br i1 %go, label %usual, label %out")

    # some angle is not: the others must not notice
    t.label("rare")
    t.line("%k = phi i64 [0, %checked], [%following, %each]")
    place = _least(t, "%k")
    (x,) = _load(t, [place])
    bits = t.op("and", t.cast("bitcast", x, t.real, t.whole), t.word(2**63 - 1), t.whole)
    fits = t.compare("icmp slt", bits, t.word(_bits(LIMIT)), t.whole)
    _store(t, [place], fast(t, [t.select(fits, x, t.const(0.0))]))
    t.line("br label %lane0")
    for k in range(width):
        t.label(f"lane{k}")
        t.line(f"br i1 {t.lane(fits, k, t.bit)}, label %lane{k + 1}, label %ask{k}")
        t.label(f"ask{k}")
        angle, at = t.lane(x, k), t.value(f"add i64 {place}, {k}")
        for p, f in (("s", "sin"), ("c", "cos")):
            value = t.value(f"call double @torseur.{f}(double {angle})")
            t.line(f"store double {value}, ptr {_at(t, p, at)}, align 8")
        t.line(f"br label %lane{k + 1}")
    t.label(f"lane{width}")
    t.line("br label %each")
    t.label("each")
    t.line(f"%following = add i64 %k, {width}")
    t.line(f"%going = icmp slt i64 %following, {end}")
    t.line("br i1 %going, label %rare, label %out")
    t.label("out")
    t.line("ret void")
    ports = "ptr noalias %x, ptr noalias %s, ptr noalias %c, i64 %last"
    return f"define void @{name}({ports}) {{\n{t}\n}}\n"


def _least(t: Lines, index: str) -> str:
    """The index, or `%last` if that comes first."""
    beyond = t.value(f"icmp sgt i64 {index}, %last")
    return t.value(f"select i1 {beyond}, i64 %last, i64 {index}")


def _at(t: Lines, array: str, index: str) -> str:
    return t.value(f"getelementptr double, ptr %{array}, i64 {index}")


def _load(t: Lines, places: list[str]) -> list[str]:
    return [t.load(_at(t, "x", p), 8) for p in places]


def _store(t: Lines, places: list[str], results: list[tuple[str, str]]) -> None:
    for place, (sine, cosine) in zip(places, results, strict=True):
        t.store(sine, _at(t, "s", place), 8)
        t.store(cosine, _at(t, "c", place), 8)
