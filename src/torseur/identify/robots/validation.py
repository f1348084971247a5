"""Rows as they may be wrong: shapes, numbers, times, turns that were wrapped, glitches, rates.

Theory: ID.30.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ArgumentError, shown
from ..output_error.residual_analysis import roughness

NAMES = ("time", "q", "v", "a", "tau")
TURN = 2 * np.pi
BREAK = 5.0  # usual steps of time: a longer one is a gap
FAR = 10.0  # times the steps beside it, and the noise: a jump
RESOLUTION = 0.02  # rad or m, or of the range: smaller jumps are no fault
SPIKE = 25.0  # times the noise, and twice the range of all others: no effort
ALIKE = 0.95  # correlation of rates and differences from which their ratio is known
OTHER = 1.25  # times the differences: noise makes no such rates


def arrays(system, named: dict[str, Any], where: str = "identify, data") -> dict[str, np.ndarray]:
    """Numbers of the right shape, or all that is wrong with them in one message."""
    out, problems = {}, []
    for n in NAMES:
        if n not in named:
            continue
        try:
            x = np.asarray(named[n])
            if x.dtype.kind not in "biuf":
                x = np.asarray(named[n], None if x.dtype.kind == "c" else float)
            if x.dtype.kind == "c" or x.ndim not in (1, 2):
                raise TypeError
        except (TypeError, ValueError):
            problems.append(f"{n} is {shown(named[n])}: expected an array of numbers")
            continue
        out[n] = np.asarray(x, float)
    rows = {n: len(x) for n, x in out.items()}
    if len({*rows.values()}) > 1:
        problems.append(f"rows: {', '.join(f'{n} has {k}' for n, k in rows.items())}; one a sample")
    if not problems and not all(rows.values()):
        problems.append("no rows")
    for n, words in _words(system).items():
        if n not in out:
            continue
        x = out[n] = out[n].reshape(rows[n], -1) if rows[n] else out[n].reshape(0, len(words))
        if x.shape[1] != len(words):
            said = f"{n} has shape {x.shape}, expected ({rows[n]}, {len(words)})"
            problems.append(f"{said}: {', '.join(words)}")
    if problems:
        raise ArgumentError(f"{where}: {'; '.join(problems)}")
    if "time" in out:
        out["time"] = out["time"].ravel()
    return out


def _words(system) -> dict[str, tuple[str, ...]]:
    """What the columns of each array are."""
    moved = tuple(k.name for k in system.links for _ in k.joint.speeds)
    return {"q": system.coordinates, "v": system.speeds, "a": moved, "tau": moved}


def sound(system, named: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same with wrapped angles made whole; raises where rows are no record of a motion."""
    words = _words(system)
    for n, x in named.items():
        if not (bad := ~np.isfinite(x)).any():
            continue
        row, j = np.argwhere(bad.reshape(len(x), -1))[0]
        own = f"{n}{j + 1} ({words[n][j]})" if n in words else n
        raise ArgumentError(
            f"identify, data: {own} is no number in row {row + 1} ({bad.sum()} such entries of "
            f"{n} in all); leave those rows out: gaps in time are no fault"
        )
    steps = np.diff(named.get("time", ()))
    if "a" not in named and (steps <= 0).any():
        row = int(np.argmax(steps <= 0)) + 1
        late, before = named["time"][[row, row - 1]]
        raise ArgumentError(
            f"identify, data: time goes from {before:.6g} s to {late:.6g} s in row {row + 1}; rows "
            "follow each other in time: sort them, or leave out those that were written twice"
        )
    plain = [k for k in system.links if k.joint.nv == 1 and k.joint.nq == 1]
    told = []
    if "a" not in named and "time" in named and len(steps) > 7:
        named = named | {"q": named["q"].copy()}
        usual = steps <= BREAK * np.median(steps)
        for k in plain:
            j, turns = k.q.start, k.joint.coordinates[0][1] == "rad"
            x = named["q"][:, j] = _unwrapped(named["q"][:, j]) if turns else named["q"][:, j]
            told += [f"q{j + 1} ({words['q'][j]}) {s}" for s in _jump(x, steps, usual)]
        told += [
            f"tau{j + 1} ({words['tau'][j]}) {s}"
            for j, x in enumerate(named["tau"].T)
            for s in _spike(x)
        ]
        told = [f"{s}; leave such rows out: gaps in time are no fault" for s in told]
    told += _rates(plain, named, words)
    if told:
        raise ArgumentError(f"identify, data: {'; '.join(told)}")
    return named


def _unwrapped(x):
    """An angle that jumps by whole turns, and by nothing else, without them."""
    d = np.diff(x)
    far = np.abs(d) > np.pi
    turns = np.where(far, np.round(d / TURN), 0.0)
    usual = np.quantile(np.abs(d[~far]), 0.99) if (~far).any() else 0.0
    if not far.any() or np.abs(d - TURN * turns)[far].max() > 3 * usual + RESOLUTION:
        return x
    return x - TURN * np.append(0.0, np.cumsum(turns))


def _jump(x, steps, usual) -> list[str]:
    """Single steps that are far from those beside them; `usual` ones in time are looked at."""
    d = np.diff(x) * np.minimum(1.0, np.median(steps) / steps)
    size, n = np.pad(np.abs(d), 3, mode="reflect"), len(d)
    beside = np.max([size[k : k + n] for k in (0, 1, 5, 6)], axis=0)
    noise = roughness(x, 6) if len(x) > 12 else 0.0
    least = RESOLUTION * max(1.0, float(np.ptp(x)))
    rows = np.flatnonzero(usual & (np.abs(d) > FAR * (beside + noise) + least))
    if not len(rows):
        return []
    k = int(rows[0])
    return [
        f"goes from {x[k]:.4g} to {x[k + 1]:.4g} in row {k + 2}, beside steps of at most "
        f"{beside[k]:.3g} ({len(rows)} such steps)"
    ]


def _spike(x) -> list[str]:
    """Single efforts out of all others."""
    n = len(x) - 4
    off = x[2:-2] - np.median([x[k : k + n] for k in range(5)], axis=0)
    low, high = np.quantile(x, [0.01, 0.99])
    noise = 1.4826 * np.median(np.abs(off))
    rows = np.flatnonzero(np.abs(off) > max(SPIKE * noise, 2 * (high - low)))
    if not len(rows) or high == low:
        return []
    k = int(rows[0]) + 2
    return [
        f"is {x[k]:.4g} in row {k + 1}, where most rows are {low:.3g} to {high:.3g} "
        f"({len(rows)} such rows)"
    ]


def _rates(plain, named, words) -> list[str]:
    """Speeds that are no rates of coordinates, accelerations that are none of speeds."""
    time = named.get("time")
    if time is not None and (len(time) < 8 or (np.diff(time) <= 0).any()):
        return []
    found: dict[tuple[str, str, int, int], float] = {}
    for low, high in (("q", "v"), ("v", "a")):
        if low not in named or high not in named:
            continue
        for k in plain:
            i, j = (k.q.start if low == "q" else k.v.start), k.v.start
            d, r = np.diff(named[low][:, i]), named[high][:, j]
            m = (r[1:] + r[:-1]) / 2 * (1.0 if time is None else np.diff(time))
            size = np.linalg.norm(d) * np.linalg.norm(m)
            if len(d) > 7 and size and abs(d @ m) > ALIKE * size:
                ratio = np.linalg.norm(m) / np.linalg.norm(d)
                found[low, high, i, j] = float(np.copysign(ratio, d @ m))
    usual = 1.0
    if time is None and found:
        usual = float(np.exp(np.median(np.log(np.abs([*found.values()])))))
    out = []
    for (low, high, i, j), x in found.items():
        if 1 / OTHER < x / usual < OTHER:
            continue
        rate = f"{high}{j + 1} ({words[high][j]}) is {x / usual:.3g} times the rate of {low}{i + 1}"
        out.append(f"{rate}: other units, or another sign?")
    return out
