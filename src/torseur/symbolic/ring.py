"""The polynomial ring of a system: all generators that its equations need.  EQ.1 to EQ.3.

`scalars.kinds.polynomial.Ring.reduce` computes the normal form of an element.

Angles of parallel axes enter by their sums (q2 + q3 has one cosine instead of four products), and
so do their rates. The coordinates and speeds given to formalisms are then elements instead of
generators, which no formalism notices.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..errors import NotInRing
from ..joints import TIME
from ..scalars import MULTIPLES, Number, Powers, Ring, exact, vector
from ..system import Tree
from .complex_joint_functions import FunctionJoint
from .generators import Constants


class Symbols(NamedTuple):
    """A system over a ring, with its coordinates, speeds and accelerations.

    `angles` expresses each angle generator as a sum of coordinates, `{index: sign}`. `sums` and
    `rates` express generators of speeds and accelerations as sums of speeds' indices.
    """

    K: Ring
    tree: Tree
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    accelerations: tuple[str, ...]
    angles: dict[str, dict[int, int]]
    sums: dict[str, dict[int, int]]
    rates: dict[str, dict[int, int]]
    constants: Constants
    functions: dict[int, FunctionJoint]  # coordinate -> the joint whose pose is a function of it
    sines: dict[str, tuple[Fraction, Powers]]  # angle -> what it is a multiple of


def parallel_sums(system) -> dict[int, dict[int, int]]:
    """For every angle among the coordinates, its sum with the parallel axes before it.

    `{coordinate: {coordinate: sign}}`; an angle without parallel axes is `{i: {i: 1}}`.
    """
    sums: dict[int, dict[int, int]] = {}
    last: dict[int, tuple | None] = {0: None}  # axis in the link's frame, and its sum
    for k in system.links:
        before = last[k.parent]
        if before is not None:
            R = k.X_PF.R
            before = (_exact(R.T @ vector(before[0])), before[1])
        for axis, angle_index in k.joint.turns():
            i = k.q.start + angle_index
            form = {i: 1}
            if before is not None and (sign := _parallel(before[0], axis)):
                form = {j: sign * n for j, n in before[1].items()} | form
            sums[i] = form
            before = (axis, form)
        last[k.index] = None if k.joint.quaternion is not None else before
    return sums


def _exact(axis) -> tuple:
    return tuple(x if isinstance(x, Number) or x != 0 else 0 for x in axis)


def _parallel(a, b) -> int:
    a, b = tuple(a), tuple(b)
    if not any(x != 0 for x in b):
        return 0
    return 1 if a == b else -1 if a == tuple(-x for x in b) else 0


def open_ring(system, needs=(), **options) -> Symbols:
    """Create the ring of a system with every sine that its joints and constraints need.

    Needs are found by trial: the first ring rejects the sine of `b*z`, the next one has it (EQ.10).
    A complex joint outside any ring stays a named function. `needs` are needs of other formulas,
    `options` those of `build_ring`.
    """
    needs, opaque_links = dict.fromkeys(needs), set()
    for k in system.links:
        if k.joint.functional and not k.joint.closed_form:
            opaque_links.add(k.index)
    while True:
        S = build_ring(system, needs=tuple(needs), opaque=frozenset(opaque_links), **options)
        new_needs: dict = {}
        for k in S.tree.links:
            joint: Any = k.joint
            if k.index not in opaque_links and joint.functional:
                try:
                    joint.pose(S.K, S.q[k.q])
                    joint.screw_slope(S.K, S.q[k.q])
                except TypeError:  # numbers that are not exact
                    opaque_links.add(k.index)
                    new_needs[None] = None
                except NotInRing as e:
                    if (new := find_need(S, e)) is None or new in needs:
                        opaque_links.add(k.index)
                        new_needs[None] = None
                    else:
                        new_needs[new] = None
            if k.joint.rheonomic and (new := _placement_need(S, k, needs)):
                new_needs[new] = None
        for constraint in system.held if "t" in S.K else ():
            if (
                constraint.formulas
                and (new := _constraint_need(S, constraint, S.K["t"]))
                and new not in needs
            ):
                new_needs[new] = None
        if not new_needs:
            return S
        new_needs.pop(None, None)
        needs |= new_needs


def find_need(S: Symbols, error: NotInRing) -> tuple | None:
    """Need of the formula that failed (`NotInRing.asks`), None if no ring can satisfy it."""
    match error.asks:
        case ("angle", form):
            generator_names = {*S.coordinates, *S.K.parameters, "t", "pi"}
            for powers, k in form:
                if any(n.removeprefix("1/") not in generator_names for n, _ in powers):
                    return None
                is_integer = k.denominator == 1 and abs(k) <= MULTIPLES
                if _single_name(powers) in _angle_coordinates(S) and not is_integer:
                    return None
        case ("inverse", name) if name not in {*S.coordinates, *S.K.parameters, "pi", *_sines(S)}:
            return None
    return error.asks


def _sines(S: Symbols) -> list[str]:
    return [f"{f}({n})" for n in S.angles for f in ("cos", "sin")]


def _single_name(powers: Powers) -> str | None:
    return powers[0][0] if len(powers) == 1 and powers[0][1] == 1 else None


def _angle_coordinates(S: Symbols) -> set[str]:
    return {S.coordinates[i] for form in S.angles.values() for i in form}


def _placement_need(S: Symbols, link, needs) -> tuple | None:
    """Needs of a time-dependent placement.  Raises an error if no ring has them."""
    try:
        link.joint.pose(S.K, S.q[link.q])
        link.joint.bias(S.K, S.q[link.q], S.v[link.v])
    except NotInRing as e:
        if (new := find_need(S, e)) is not None and new not in needs:
            return new
        raise NotInRing(
            f"{link.name!r}: its placement moves with time by no polynomial of sines and cosines "
            f"({e}); its kernels exist, its equations do not"
        ) from None
    return None


def _constraint_need(S: Symbols, element, t) -> tuple | None:
    """Needs of a constraint."""
    try:
        if element.speeds:
            element.rate(S.tree, t, S.q, S.v)
        else:
            element.residual(S.tree, t, S.q)
    except NotInRing as e:
        return find_need(S, e)
    except TypeError:  # of a formula that needs numbers
        return None
    return None


def build_ring(
    system,
    eliminate: str = "sin",
    names: dict[str, str] | None = None,
    sums: bool = True,
    numbers=(),
    extra=(),
    constants: str = "auto",
    divide: bool = False,
    needs=(),
    opaque=frozenset(),
) -> Symbols:
    """Create the ring of a system for the needs known so far.

    `names` may rename coordinates (`{"pivot.angle": "q1"}`); speeds are then `dq1`, accelerations
    `d2q1`. The default are the names of the system. `sums=False` keeps relative angles. `numbers`
    are further expressions whose symbols and constants are needed, `extra` further names.
    `constants`: "named" makes cos(0.3) a generator, "rational" a rational number within 1e-15 of it
    with exactly orthogonal rotations, "auto" the second when there are many. `divide` adds the
    divisors of angle rates, when speeds are angular velocities. `needs` are further needs of
    formulas, `opaque` the links whose joints stay named functions.
    """
    q: list[str] = [(names or {}).get(n) or n for n in system.coordinates]
    v, a, speed_of_coordinate = _rate_names(system, q, bool(names))
    forms = parallel_sums(system)
    if not sums:
        forms = {i: {i: 1} for i in forms}
    angle_forms = {_sum_name(form, q): form for form in forms.values()}
    summed = {
        i: form
        for i, form in forms.items()
        if len(form) > 1 and set(form) <= set(speed_of_coordinate)
    }
    rates = [
        {speed_of_coordinate[j]: n for j, n in summed.get(i, {i: 1}).items()}
        for i in speed_of_coordinate
    ]
    dv = {_sum_name(form, v): form for form in rates}
    other_speeds = [n for i, n in enumerate(v) if i not in speed_of_coordinate.values()]
    da = {_sum_name(form, a): form for form in dv.values()}
    other_accelerations = [n for i, n in enumerate(a) if i not in speed_of_coordinate.values()]
    quaternions = [q[k.q][i : i + 4] for k in system.links if (i := k.joint.quaternion) is not None]
    in_quaternion = {n for group in quaternions for n in group}
    extra = tuple(dict.fromkeys((*extra, *[TIME] * system.rheonomic)))
    angle_names = {q[i] for form in angle_forms.values() for i in form}
    system_constants = Constants.from_system(system, numbers, constants, needs, angle_names)
    coordinate_names = [n for n in q if n not in in_quaternion]
    functions = {
        k.q.start: FunctionJoint(k.joint, k.name) for k in system.links if k.index in opaque
    }
    quaternions += [f.names("e") for f in functions.values()]
    extra = (*extra, *(n for f in functions.values() for n in f.every()))
    doubts = [
        f"the pose and the screw of {f.name!r} are taken as unrelated functions of its coordinate"
        for f in functions.values()
    ]
    inverses = (*system_constants.inverses, *(_rate_divisors(system, q) if divide else ()))
    K = Ring(
        angles=[
            *((n, {q[i]: s for i, s in form.items()}) for n, form in angle_forms.items()),
            *system_constants.angles,
        ],
        plain=(
            *coordinate_names,
            *system_constants.parameters,
            *extra,
            *dv,
            *other_speeds,
            *da,
            *other_accelerations,
        ),
        quaternions=quaternions,
        constants=system_constants.generators,
        inverses=inverses,
        eliminate=eliminate,
        parameters={},
        doubts=(*system_constants.doubts, *doubts),
    )
    K.parameters.update(
        {n: exact(x) for n, x in system.parameters.items() if x is not None}
        | {p: K[p] for p in (*system_constants.parameters, *system_constants.symbols)}
    )
    system_constants.define(K)
    for i, form in forms.items():
        if len(form) > 1:
            _define_relative_angle(K, forms, i, q)
    speeds = _relative_rates(K, dv, summed, speed_of_coordinate, v)
    accelerations = _relative_rates(K, da, summed, speed_of_coordinate, a)
    for i, f in functions.items():
        f.define(K, K[q[i]])
    try:
        tree = system.over(K)
    except NotInRing as e:
        raise NotInRing(
            f"{system.name}: {e}; give the whole expression a name, as one parameter, "
            "to have exact equations"
        ) from None
    if functions:
        tree = replace(
            tree,
            links=tuple(
                replace(k, joint=functions[k.q.start]) if k.index in opaque else k
                for k in tree.links
            ),
        )
    return Symbols(
        K,
        tree,
        vector(K[n] for n in q),
        speeds,
        accelerations,
        tuple(q),
        tuple(v),
        tuple(a),
        angle_forms,
        dv | {n: {v.index(n): 1} for n in other_speeds},
        da | {n: {a.index(n): 1} for n in other_accelerations},
        system_constants,
        functions,
        system_constants.sines,
    )


def _rate_names(system, q, renamed):
    """Names of speeds and accelerations, and {coordinate: speed} where a speed is the rate."""
    v, a = [], []
    speed_of_coordinate: dict[Any, Any] = {}
    for k in system.links:
        if k.joint.holonomic:
            speed_of_coordinate |= {k.q.start + i: k.v.start + i for i in range(k.joint.nv)}
            v += [f"d{n}" for n in q[k.q]]
            a += [f"d2{n}" for n in q[k.q]]
        else:
            speeds = [n.replace(".", "_") if renamed else n for n in system.speeds[k.v]]
            v += speeds
            a += [f"d{n}" for n in speeds]
    return v, a, speed_of_coordinate


def _rate_divisors(system, q):
    """Divisors of the rates of coordinates when speeds are velocities."""
    for k in system.links:
        yield from k.joint.divisors(q[k.q])


def _sum_name(form, names) -> str:
    text = "".join(("+" if s > 0 else "-") + names[i] for i, s in form.items())
    return text[1:] if text[0] == "+" else text


def _preceding_sum(forms, i) -> tuple[dict[int, int], int]:
    """The sum that angle i adds to, and with which sign."""
    rest = {j: s for j, s in forms[i].items() if j != i}
    for form in forms.values():
        for sign in (1, -1):
            if {j: sign * s for j, s in form.items()} == rest:
                return form, sign
    raise AssertionError(f"no sum comes before angle {i}")  # sums grow by one angle at a time


def _define_relative_angle(K, forms, i, q) -> None:
    """Cosine and sine of q_i = (sum up to i) - (sum before i)."""
    form, sign = _preceding_sum(forms, i)
    c, s, C, S = (K[f"{f}({_sum_name(x, q)})"] for x in (form, forms[i]) for f in ("cos", "sin"))
    s = s * sign
    K.define_angle(K[q[i]], C * c + S * s, S * c - C * s)  # EQ.1


def _relative_rates(K, gens, summed, speed_of_coordinate, names) -> np.ndarray:
    """Speeds (or accelerations) as elements, from the generators that stand for their sums."""
    by_form = {tuple(sorted(form.items())): n for n, form in gens.items()}
    out: list = [K[n] if n in K else 0 for n in names]  # noqa: SIM401 - a ring is not a dict
    for i, form in summed.items():
        rest, sign = _preceding_sum(
            summed | {j: {j: 1} for j in speed_of_coordinate if j not in summed}, i
        )
        total, before = (
            K[by_form[tuple(sorted((speed_of_coordinate[j], n) for j, n in f.items()))]]
            for f in (form, rest)
        )
        out[speed_of_coordinate[i]] = total - sign * before  # EQ.2
    for j in speed_of_coordinate.values():
        partials = {n: form[j] for n, form in gens.items() if j in form}
        if len(partials) > 1 or names[j] not in K:
            K.define_variable(out[j], partials)  # EQ.3
    return vector(out)
