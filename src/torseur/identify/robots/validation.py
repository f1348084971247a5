"""Validation of measured motions: shapes, NaN, order of time, wrapped angles, outliers,
derivatives.

Equation ID.30.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ArgumentError, shown
from ...signal_processing import noise_deviation

NAMES = ("time", "q", "v", "a", "tau")
REVOLUTION = 2 * np.pi
MAX_STEP = 5.0  # median steps of time: a longer one is a gap
JUMP_FACTOR = 10.0  # times the neighboring steps and the noise
MIN_JUMP = 0.02  # rad or m, or of the range: smaller jumps are accepted
SPIKE_NOISE_FACTOR = 25.0  # times the noise of the efforts
SPIKE_RANGE_FACTOR = 2.0  # times the range of all other efforts
MIN_CORRELATION = 0.95  # of rates and differences, for their ratio to be known
MAX_RATE_RATIO = 1.25  # of rates and differences, more than noise explains
NOISE_ORDER = 6  # of differences of coordinates, in which no motion is left


def check_shapes(
    system: Any, arrays: dict[str, Any], where: str = "identify, data"
) -> dict[str, np.ndarray]:
    """Arrays of numbers of the right shape, or one message with all faults.

    `arrays` has some of time (n,), q (n, nq), v, a and tau (n, nv).
    """
    out, problems = {}, []
    for n in NAMES:
        if n not in arrays:
            continue
        try:
            x = np.asarray(arrays[n])
            if x.dtype.kind not in "biuf":
                x = np.asarray(arrays[n], None if x.dtype.kind == "c" else float)
            if x.dtype.kind == "c" or x.ndim not in (1, 2):
                raise TypeError
        except (TypeError, ValueError):
            problems.append(f"{n} is {shown(arrays[n])}: expected an array of numbers")
            continue
        out[n] = np.asarray(x, float)
    rows = {n: len(x) for n, x in out.items()}
    if len({*rows.values()}) > 1:
        problems.append(f"rows: {', '.join(f'{n} has {k}' for n, k in rows.items())}; one a sample")
    if not problems and not all(rows.values()):
        problems.append("no rows")
    for n, names in _column_names(system).items():
        if n not in out:
            continue
        x = out[n] = out[n].reshape(rows[n], -1) if rows[n] else out[n].reshape(0, len(names))
        if x.shape[1] != len(names):
            shape = f"{n} has shape {x.shape}, expected ({rows[n]}, {len(names)})"
            problems.append(f"{shape}: {', '.join(names)}")
    if problems:
        raise ArgumentError(f"{where}: {'; '.join(problems)}")
    if "time" in out:
        out["time"] = out["time"].ravel()
    return out


def _column_names(system: Any) -> dict[str, tuple[str, ...]]:
    """Names of the columns of each array."""
    joints = tuple(k.name for k in system.links for _ in k.joint.speeds)
    return {"q": system.coordinates, "v": system.speeds, "a": joints, "tau": joints}


def check_motion(system: Any, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with unwrapped angles; raises if they are no record of a motion.

    Checked are finite numbers, increasing times, jumps of coordinates, spikes of efforts, and that
    speeds and accelerations are derivatives.
    """
    names = _column_names(system)
    _check_finite(arrays, names)
    steps = np.diff(arrays.get("time", ()))
    if "a" not in arrays and (steps <= 0).any():
        row = int(np.argmax(steps <= 0)) + 1
        late, before = arrays["time"][[row, row - 1]]
        raise ArgumentError(
            f"identify, data: time goes from {before:.6g} s to {late:.6g} s in row {row + 1}; time "
            "must increase: sort the rows, or leave out those that were written twice"
        )
    links = [k for k in system.links if k.joint.nv == 1 and k.joint.nq == 1]
    problems = []
    if "a" not in arrays and "time" in arrays and len(steps) > 7:
        arrays = arrays | {"q": arrays["q"].copy()}
        is_regular = steps <= MAX_STEP * np.median(steps)
        for k in links:
            j = k.q.start
            if k.joint.coordinates[0][1] == "rad":
                arrays["q"][:, j] = _unwrap(arrays["q"][:, j])
            jump = _find_jump(arrays["q"][:, j], steps, is_regular)
            problems += [f"q{j + 1} ({names['q'][j]}) {jump}"] if jump else []
        for j, x in enumerate(arrays["tau"].T):
            spike = _find_spike(x)
            problems += [f"tau{j + 1} ({names['tau'][j]}) {spike}"] if spike else []
        problems = [f"{s}; leave such rows out, gaps in time are allowed" for s in problems]
    problems += _find_wrong_rates(links, arrays, names)
    if problems:
        raise ArgumentError(f"identify, data: {'; '.join(problems)}")
    return arrays


def _check_finite(arrays: dict[str, np.ndarray], names: dict[str, tuple[str, ...]]) -> None:
    """Raise for the first entry that is not finite."""
    for n, x in arrays.items():
        if not (bad := ~np.isfinite(x)).any():
            continue
        row, j = np.argwhere(bad.reshape(len(x), -1))[0]
        column = f"{n}{j + 1} ({names[n][j]})" if n in names else n
        raise ArgumentError(
            f"identify, data: {column} is no number in row {row + 1} ({bad.sum()} such entries of "
            f"{n} in all); leave those rows out, gaps in time are allowed"
        )


def _unwrap(x: np.ndarray) -> np.ndarray:
    """An angle without jumps by whole revolutions, if it has no other jumps."""
    d = np.diff(x)
    large = np.abs(d) > np.pi
    revolutions = np.where(large, np.round(d / REVOLUTION), 0.0)
    typical = np.quantile(np.abs(d[~large]), 0.99) if (~large).any() else 0.0
    if not large.any():
        return x
    if np.abs(d - REVOLUTION * revolutions)[large].max() > 3 * typical + MIN_JUMP:
        return x
    return x - REVOLUTION * np.append(0.0, np.cumsum(revolutions))


def _find_jump(x: np.ndarray, steps: np.ndarray, is_regular: np.ndarray) -> str:
    """Message on a step far larger than its neighbors, where times are regular; or ""."""
    d = np.diff(x) * np.minimum(1.0, np.median(steps) / steps)
    size, n = np.pad(np.abs(d), 3, mode="reflect"), len(d)
    neighbors = np.max([size[k : k + n] for k in (0, 1, 5, 6)], axis=0)
    noise = noise_deviation(x, NOISE_ORDER) if len(x) > 12 else 0.0
    threshold = MIN_JUMP * max(1.0, float(np.ptp(x)))
    rows = np.flatnonzero(is_regular & (np.abs(d) > JUMP_FACTOR * (neighbors + noise) + threshold))
    if not len(rows):
        return ""
    k = int(rows[0])
    return (
        f"goes from {x[k]:.4g} to {x[k + 1]:.4g} in row {k + 2}, next to steps of at most "
        f"{neighbors[k]:.3g} ({len(rows)} such steps)"
    )


def _find_spike(x: np.ndarray) -> str:
    """Message on single efforts far outside all others; or ""."""
    n = len(x) - 4
    deviation = x[2:-2] - np.median([x[k : k + n] for k in range(5)], axis=0)
    low, high = np.quantile(x, [0.01, 0.99])
    noise = 1.4826 * np.median(np.abs(deviation))
    threshold = max(SPIKE_NOISE_FACTOR * noise, SPIKE_RANGE_FACTOR * (high - low))
    rows = np.flatnonzero(np.abs(deviation) > threshold)
    if not len(rows) or high == low:
        return ""
    k = int(rows[0]) + 2
    return (
        f"is {x[k]:.4g} in row {k + 1}, where most rows are {low:.3g} to {high:.3g} "
        f"({len(rows)} such rows)"
    )


def _find_wrong_rates(
    links: list[Any], arrays: dict[str, np.ndarray], names: dict[str, tuple[str, ...]]
) -> list[str]:
    """Speeds that are no derivatives of coordinates, and accelerations that are none of speeds."""
    time = arrays.get("time")
    if time is not None and (len(time) < 8 or (np.diff(time) <= 0).any()):
        return []
    ratios: dict[tuple[str, str, int, int], float] = {}
    for low, high in (("q", "v"), ("v", "a")):
        if low not in arrays or high not in arrays:
            continue
        for k in links:
            i, j = (k.q.start if low == "q" else k.v.start), k.v.start
            d, r = np.diff(arrays[low][:, i]), arrays[high][:, j]
            m = (r[1:] + r[:-1]) / 2 * (1.0 if time is None else np.diff(time))
            size = np.linalg.norm(d) * np.linalg.norm(m)
            if len(d) > 7 and size and abs(d @ m) > MIN_CORRELATION * size:
                ratio = np.linalg.norm(m) / np.linalg.norm(d)
                ratios[low, high, i, j] = float(np.copysign(ratio, d @ m))
    typical = 1.0
    if time is None and ratios:
        typical = float(np.exp(np.median(np.log(np.abs([*ratios.values()])))))
    problems = []
    for (low, high, i, j), x in ratios.items():
        if 1 / MAX_RATE_RATIO < x / typical < MAX_RATE_RATIO:
            continue
        rate = (
            f"{high}{j + 1} ({names[high][j]}) is {x / typical:.3g} times the rate of {low}{i + 1}"
        )
        problems.append(f"{rate}: other units, or another sign?")
    return problems
