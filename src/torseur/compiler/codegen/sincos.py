"""Vectorized sine and cosine, for any number of lanes (Cody and Waite 1980).

The angle is reduced to [-pi/4, pi/4] by subtracting a multiple of pi/2 in several parts, then two
polynomials are evaluated and exchanged by quadrant.  Coefficients are the weighted least-squares
fit at Chebyshev points, rounded one after the other.  They add less than 0.04 ulp.  Beyond
`REDUCTION_LIMIT`, and for angles that are not finite, the C library is called.  Kernels of one
machine share the code (`load_shared_sincos`), which would be half of a small kernel.
"""

import functools
import struct
from collections.abc import Callable

from ..runtime import cache, machine
from .llvm_builder import IRBuilder

REDUCTION_LIMIT = 2.0**19
SIN_COEFFICIENTS = (
    -0.1666666666666663,
    0.00833333333332196,
    -0.00019841269829504857,
    2.7557313600041373e-06,
    -2.505074516521879e-08,
    1.58961061025402e-10,
)
COS_COEFFICIENTS = (
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
# groups of angles whose steps are interleaved, by lanes; 2 with few registers
INTERLEAVED_GROUPS = {8: 4}
ROUNDING_SHIFT = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to an integer in the low bits


def _double_bits(x: float) -> int:
    return struct.unpack("<q", struct.pack("<d", x))[0]


def write_sincos_values(ir: IRBuilder, angles: list[str]) -> list[tuple[str, str]]:
    """Append sine and cosine of angles within `REDUCTION_LIMIT`.  Returns their names.

    The steps of several angles are interleaved, which hides the latency of each (instruction-level
    parallelism).
    """

    def map_angles(step: Callable[..., str], *values: list[str]) -> list[str]:
        return [step(*v) for v in zip(*values, strict=True)]

    shifted = map_angles(
        lambda x: ir.fma(x, ir.real_constant(TWO_OVER_PI), ir.real_constant(ROUNDING_SHIFT)), angles
    )
    quarter_turns = map_angles(
        lambda n: ir.binary_op("fsub", n, ir.real_constant(ROUNDING_SHIFT)), shifted
    )
    r = angles
    for part in HALF_PI_FUSED if ir.fused else HALF_PI:
        r = map_angles(lambda n, r, k=-part: ir.fma(n, ir.real_constant(k), r), quarter_turns, r)
    z = map_angles(lambda r: ir.binary_op("fmul", r, r), r)
    s, c = (
        _write_polynomial(ir, map_angles, z, coefficients)
        for coefficients in (SIN_COEFFICIENTS, COS_COEFFICIENTS)
    )
    cube = map_angles(lambda r, z: ir.binary_op("fmul", r, z), r, z)
    s = map_angles(ir.fma, cube, s, r)
    c = map_angles(lambda z, c: ir.fma(z, c, ir.real_constant(1.0)), z, c)
    results = []
    for n, s_, c_ in zip(shifted, s, c, strict=True):
        quadrant = ir.cast_value("bitcast", n, ir.real_type, ir.int_type)
        is_odd = ir.compare_values(
            "icmp slt",
            ir.binary_op("shl", quadrant, ir.int_constant(63), ir.int_type),
            ir.int_constant(0),
            ir.int_type,
        )
        next_quadrant = ir.binary_op("add", quadrant, ir.int_constant(1), ir.int_type)
        sine, cosine = ir.select_value(is_odd, c_, s_), ir.select_value(is_odd, s_, c_)
        results.append(
            (
                _apply_quadrant_sign(ir, sine, quadrant),
                _apply_quadrant_sign(ir, cosine, next_quadrant),
            )
        )
    return results


def _write_polynomial(
    ir: IRBuilder, map_angles, z: list[str], coefficients: tuple[float, ...]
) -> list[str]:
    """Horner's rule on all of `z`, interleaved."""
    *rest, last = coefficients
    value = [ir.real_constant(last)] * len(z)
    for c in reversed(rest):
        value = map_angles(lambda v, z, c=c: ir.fma(v, z, ir.real_constant(c)), value, z)
    return value


def _apply_quadrant_sign(ir: IRBuilder, x: str, quadrant: str) -> str:
    """Negate `x` where bit 1 of `quadrant` is set."""
    bit = ir.binary_op(
        "and",
        ir.binary_op("shl", quadrant, ir.int_constant(62), ir.int_type),
        ir.int_constant(-(2**63)),
        ir.int_type,
    )
    bits = ir.binary_op(
        "xor", ir.cast_value("bitcast", x, ir.real_type, ir.int_type), bit, ir.int_type
    )
    return ir.cast_value("bitcast", bits, ir.int_type, ir.real_type)


def sincos_symbol(width: int, fused: bool, count: int = 4) -> str:
    """Name of the shared function for `count` groups of `width` angles."""
    rounds = -(-count // INTERLEAVED_GROUPS.get(width, 2))
    return f"sincos_{width}_{-(-count // rounds)}_{int(fused)}"


def declare_sincos(name: str) -> str:
    """Declaration of a shared function."""
    return f"declare void @torseur.{name}(ptr, ptr, ptr, i64)"


@functools.cache
def load_shared_sincos(name: str) -> machine.Code:
    """Code of a shared function, compiled once on a machine."""
    build = lambda: machine.compile_module(write_module(name))  # noqa: E731
    return cache.load_or_build_shared(b"sincos", name, (name,), ("sin", "cos"), build)


def write_module(name: str) -> str:
    """LLVM IR of a module with one shared function."""
    width, groups, fused = map(int, name.split("_")[1:])
    lines = ["declare double @torseur.sin(double)", "declare double @torseur.cos(double)"]
    ir = IRBuilder(width, bool(fused))
    lines.append(f"declare {ir.real_type} @llvm.fma.{ir.suffix}({', '.join([ir.real_type] * 3)})")
    lines.append(write_function(name, width, groups, bool(fused)))
    return "\n".join(lines)


def write_function(name: str, width: int, groups: int, fused: bool) -> str:
    """LLVM IR of `name(x, s, c, last)`: angles in groups of `width`, the final one at `last`.

    The final group may overlap the one before, so that any number of angles from `width` up needs
    no padding.  `groups` are interleaved.  One template of native text, longer than 60 lines.
    """
    size = width * groups
    ir = IRBuilder(width, fused)
    ir.start_block("entry")
    end = ir.emit_value(f"add i64 %last, {width}")
    ir.emit_line("br label %check")

    # every angle within the limit?  compared as integers, so that a NaN raises no flag
    ir.start_block("check")
    ir.emit_line("%j = phi i64 [0, %entry], [%after, %check]")
    ir.emit_line(f"%old = phi {ir.int_type} [zeroinitializer, %entry], [%most, %check]")
    x = ir.load_value(
        ir.emit_value(f"getelementptr double, ptr %x, i64 {_clamp_index(ir, '%j')}"), 8
    )
    bits = ir.binary_op(
        "and",
        ir.cast_value("bitcast", x, ir.real_type, ir.int_type),
        ir.int_constant(2**63 - 1),
        ir.int_type,
    )
    exceeds = ir.compare_values("icmp sgt", bits, "%old", ir.int_type)
    ir.emit_line(
        f"%most = select {ir.bool_type} {exceeds}, {ir.int_type} {bits}, {ir.int_type} %old"
    )
    ir.emit_line(f"%after = add i64 %j, {width}")
    ir.emit_line(f"%checking = icmp slt i64 %after, {end}")
    ir.emit_line("br i1 %checking, label %check, label %checked")
    ir.start_block("checked")
    in_range = ir.compare_values(
        "icmp slt", "%most", ir.int_constant(_double_bits(REDUCTION_LIMIT)), ir.int_type
    )
    ir.emit_line(f"br i1 {ir.all_lanes(in_range)}, label %usual, label %rare")

    ir.start_block("usual")
    ir.emit_line("%i = phi i64 [0, %checked], [%next, %usual]")
    indices = [_clamp_index(ir, ir.emit_value(f"add i64 %i, {k * width}")) for k in range(groups)]
    _store_results(ir, indices, write_sincos_values(ir, _load_angles(ir, indices)))
    ir.emit_line(f"%next = add i64 %i, {size}")
    ir.emit_line(f"%go = icmp slt i64 %next, {end}")
    ir.emit_line("br i1 %go, label %usual, label %out")

    # some angle is not: the others keep their results
    ir.start_block("rare")
    ir.emit_line("%k = phi i64 [0, %checked], [%following, %each]")
    index = _clamp_index(ir, "%k")
    (x,) = _load_angles(ir, [index])
    bits = ir.binary_op(
        "and",
        ir.cast_value("bitcast", x, ir.real_type, ir.int_type),
        ir.int_constant(2**63 - 1),
        ir.int_type,
    )
    lanes_in_range = ir.compare_values(
        "icmp slt", bits, ir.int_constant(_double_bits(REDUCTION_LIMIT)), ir.int_type
    )
    _store_results(
        ir,
        [index],
        write_sincos_values(ir, [ir.select_value(lanes_in_range, x, ir.real_constant(0.0))]),
    )
    ir.emit_line("br label %lane0")
    for k in range(width):
        ir.start_block(f"lane{k}")
        ir.emit_line(
            f"br i1 {ir.extract_lane(lanes_in_range, k, ir.bool_type)}, "
            f"label %lane{k + 1}, label %ask{k}"
        )
        ir.start_block(f"ask{k}")
        angle, element = ir.extract_lane(x, k), ir.emit_value(f"add i64 {index}, {k}")
        for p, f in (("s", "sin"), ("c", "cos")):
            value = ir.emit_value(f"call double @torseur.{f}(double {angle})")
            ir.emit_line(f"store double {value}, ptr {_element_pointer(ir, p, element)}, align 8")
        ir.emit_line(f"br label %lane{k + 1}")
    ir.start_block(f"lane{width}")
    ir.emit_line("br label %each")
    ir.start_block("each")
    ir.emit_line(f"%following = add i64 %k, {width}")
    ir.emit_line(f"%going = icmp slt i64 %following, {end}")
    ir.emit_line("br i1 %going, label %rare, label %out")
    ir.start_block("out")
    ir.emit_line("ret void")
    ports = "ptr noalias %x, ptr noalias %s, ptr noalias %c, i64 %last"
    return f"define void @{name}({ports}) {{\n{ir}\n}}\n"


def _clamp_index(ir: IRBuilder, index: str) -> str:
    """Minimum of an index and `%last`."""
    beyond = ir.emit_value(f"icmp sgt i64 {index}, %last")
    return ir.emit_value(f"select i1 {beyond}, i64 %last, i64 {index}")


def _element_pointer(ir: IRBuilder, array: str, index: str) -> str:
    return ir.emit_value(f"getelementptr double, ptr %{array}, i64 {index}")


def _load_angles(ir: IRBuilder, indices: list[str]) -> list[str]:
    return [ir.load_value(_element_pointer(ir, "x", p), 8) for p in indices]


def _store_results(ir: IRBuilder, indices: list[str], results: list[tuple[str, str]]) -> None:
    for index, (sine, cosine) in zip(indices, results, strict=True):
        ir.store_value(sine, _element_pointer(ir, "s", index), 8)
        ir.store_value(cosine, _element_pointer(ir, "c", index), 8)
