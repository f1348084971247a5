"""What may be wrong with a crushing link: its curve, its path of unloading, its rate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...errors import said
from ...scalars.values import value
from ._crush_branch import LOADING, CrushBranch
from ._piecewise import UNBOUNDED, abscissa_problems

FACTORS = ("none", "linear", "power", "log")
"""How a rate raises the force, by name."""
TENSION_WORDS = ("none", "mirror")
"""What `tension` may be, beside points of its own."""


def _are_numbers(*numbers):
    return not any(isinstance(x, value.Value) for x in numbers)


def crush_problems(law):
    """What is wrong, as sentences without a subject."""
    for name, allowed in (
        ("sense", ("positive", "compression")),
        ("rate_acts", ("both", "loading")),
        ("rate_factor", FACTORS),
    ):
        if (x := getattr(law, name)) not in allowed:
            expected = (
                " or ".join(map(repr, allowed))
                if len(allowed) == 2
                else f"one of {', '.join(allowed)}"
            )
            yield f"{name}={x!r}: expected {expected}"
    for name, rule in (("rate_gain", "at least"), ("reference_rate", "above")):
        x = value.exact(getattr(law, name))
        if _are_numbers(x) and (x < 0 or (x == 0 and rule == "above")):
            yield f"needs {name} {rule} zero, but it is {float(x):g}"
    if law.rate is not None and law.rate not in FACTORS:
        yield from _formula(law.rate)
    if isinstance(law.tension, str) and law.tension not in ("none", "mirror"):
        yield f"tension={law.tension!r}: expected 'none', 'mirror', or points (d, force)"
        return
    share = value.exact(law.second_below)
    if law.second_slope is not None and _are_numbers(share) and not 0 < share < 1:
        yield f"needs second_below between 0 and 1, got {float(share):g}"
    yield from _path_problems(law)
    curves = [("", law.points)]
    if law.tension not in ("none", "mirror"):
        curves.append(("tension: ", law.tension))
    for where, points in curves:
        problems = [*abscissa_problems(points)] or [*_curve_problems(law, points)]
        yield from (f"{where}{text}" for text in problems)


def _formula(text):
    try:
        tree = value.exact(text)
    except (TypeError, ValueError) as e:
        yield f"rate={text!r}: {said(e)}; use one of {', '.join(FACTORS)}, or '1 + 0.016*rate'"
        return
    if not isinstance(tree, value.Value):
        yield f"rate={text!r} does not depend on rate; write '1 + 0.016*rate'"


def _path_problems(law):
    """Of the unloading."""
    table, curve = law.unloading, law.unloading_curve
    if (table is None) == (not curve):
        yield "needs unloading= (slope [N/m], or a table over largest crush) or unloading_curve="
        return
    if curve:
        yield from (f"unloading_curve: {x}" for x in abscissa_problems(curve))
        numbers = [value.exact(x) for p in curve for x in p]
        if law.second_slope is not None:
            yield "has a second_slope beside an unloading_curve; give one of them"
        elif not _are_numbers(
            *numbers, *(value.exact(x) for p in law.points for x in p), _end(law)
        ):
            yield "unloading_curve: needs plain numbers, without names, also in points and beyond"
        elif len(numbers) >= 4 and (
            numbers[1] != 0 or any(b <= a for a, b in pairwise(numbers[1::2]))
        ):
            yield "unloading_curve: must start with no force and grow"
    elif isinstance(table, tuple):
        yield from (f"unloading: {x}" for x in abscissa_problems(table))
        numbers = [value.exact(x) for p in (*table, *law.points) for x in p]
        second = [value.exact(x) for x in (law.second_slope, law.second_below) if x is not None]
        if not _are_numbers(*numbers, *second):
            yield (
                "unloading: a table over the largest crush needs plain numbers, also in points"
                + " and in second_slope, second_below" * bool(second)
            )


def _end(law):
    """The slope beyond the last point, if it has one of its own."""
    return 0 if law.beyond == "extend" else value.exact(law.beyond)


def _curve_problems(law, points):
    """Of a curve whose abscissae grow."""
    exact = [tuple(map(value.exact, p)) for p in points]
    if exact[0][1] != 0:
        yield f"must start with no force, but its first point has {points[0][1]} N"
    for d, F in exact:
        if _are_numbers(F) and F < 0:
            at = f" at {float(d):g} m" if _are_numbers(d) else ""
            yield f"has the negative force {float(F):g} N{at}; a crushed link pushes, never pulls"
    end = _end(law)
    if law.beyond == "extend" and _are_numbers(*exact[-2], *exact[-1]):
        end = value.divide(exact[-1][1] - exact[-2][1], exact[-1][0] - exact[-2][0])
    if _are_numbers(end) and end < 0:
        yield (
            f"falls by {float(-end):g} N/m beyond its last point, and would pull in the end; hold "
            "the last force (beyond=0) or give a point where it bottoms out"
        )
        return
    if not _are_numbers(end, *(x for p in exact for x in p)) or next(_path_problems(law), None):
        return
    from ...scalars import Floats

    K, steep = Floats(), value.exact(law.unloading) if _slope(law) else None
    if steep is not None:
        segment_slopes = [
            *(value.divide(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(exact)),
            end,
        ]
        if _are_numbers(steep) and steep <= max(segment_slopes):
            yield (
                f"unloads along {float(steep):g} N/m, which must be steeper than every "
                f"segment of its curve ({float(max(segment_slopes)):g} N/m)"
            )
        return
    second = None if law.second_slope is None else (law.second_slope, law.second_below)
    branch = CrushBranch(points, law.beyond, law.unloading, law.unloading_curve, second)
    for row in branch.rows(K):
        m = {n: float(row.get(n, 0.0)) for n in branch._names} | {"mode": float(LOADING)}
        for d in (row["low"], row["high"] if row["high"] < UNBOUNDED else row["low"] + 1e-3):
            stiff = branch._stiff(K, m, d) if branch.varies else 1 / row["compliance"]
            if stiff <= row["slope"] or branch.dissipated_power(K, m, float(d), 1.0) < -1e-9 * abs(
                row["force"]
            ):
                yield (
                    f"unloads along {float(stiff):g} N/m near a crush of {float(d):g} m, where its "
                    f"curve climbs by {float(row['slope']):g} N/m: it would give back more than it "
                    "took; unload more steeply"
                )
                return


def _slope(law) -> bool:
    return law.unloading is not None and not isinstance(law.unloading, tuple)


def suspect_crush_values(law, over):
    """Which of many values `_curve_problems` may refuse, where it alone judges what has names."""
    read = ("points", "unloading", "beyond", "rupture_force", "damping")
    others = (getattr(law, n) for n in law.units if n not in read)
    if any(
        isinstance(x, str | tuple | value.Value) and x not in (*TENSION_WORDS, ()) for x in others
    ):
        return True
    if not _slope(law):
        return True
    rupture_force = 1 if law.rupture_force is None else over(law.rupture_force)
    (d, *ds), (F, *Fs) = ([over(x) for x in row] for row in zip(*law.points, strict=True))
    good = (F == 0) & (rupture_force > 0) & (over(law.damping) >= 0)
    steep, slope = over(law.unloading), 0.0
    for x, f in zip(ds, Fs, strict=True):
        slope = (f - F) / (x - d)
        good, d, F = good & (x > d) & (f >= 0) & (slope < steep), x, f
    end = slope if law.beyond == "extend" else over(law.beyond)
    return ~np.asarray(good & (end >= 0) & (end < steep))
