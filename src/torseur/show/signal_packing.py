"""Signals of a page: decimation by largest triangles (LTTB, Steinarsson 2013), and packing."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

MAX_ROWS = 1200  # more rows than a plot has pixels are not seen
MIN_ROWS = 300
MAX_SIGNAL_BYTES = 1_000_000  # bytes of text that signals may take on a page
LOW_PRIORITY_SIGNALS = (
    "angular_acceleration",
    "body_acceleration",
    "acceleration.",
    "angular_velocity",
    "reaction.",
    "velocity.",
    "power.",
)


def decimate_rows(
    time: np.ndarray, guides: Iterable[np.ndarray], max_rows: int = MAX_ROWS
) -> np.ndarray:
    """Indices of at most `max_rows` time points that keep the shape of some signals (LTTB).

    Of each bucket the point with the largest triangle remains. Its other corners are the last
    selected point and the mean of the next bucket. Areas are summed over the signals. First and
    last points remain. Equation SH.2.

    >>> t = np.linspace(0, 1, 5001)
    >>> kept = decimate_rows(t, [np.where(abs(t - 0.5) < 1e-4, 1.0, 0.0)], 100)
    >>> len(kept), 2500 in kept
    (100, True)
    """
    n = len(time)
    if n <= max_rows:
        return np.arange(n)
    time = np.asarray(time, dtype=float)
    scaled = np.array([x for x in guides if np.ptp(x) > 0] or [time], dtype=float)
    scaled = (scaled - scaled.mean(axis=1)[:, None]) / np.ptp(scaled, axis=1)[:, None]
    s = (time - time[0]) / ((time[-1] - time[0]) or 1.0)
    edges = np.linspace(1, n - 1, max_rows - 1).astype(int)
    selected = [0]
    for k in range(max_rows - 2):
        low, high = edges[k], max(edges[k] + 1, edges[k + 1])
        end = slice(edges[k + 1], edges[k + 2]) if k + 2 < len(edges) else slice(n - 1, n)
        s1, x1 = s[end].mean(), scaled[:, end].mean(axis=1)
        s0, x0 = s[selected[-1]], scaled[:, selected[-1]]
        area = abs(
            (s0 - s1) * (scaled[:, low:high] - x0[:, None])
            - (s0 - s[low:high]) * (x1 - x0)[:, None]
        ).sum(axis=0)  # SH.2
        selected.append(low + int(area.argmax()))
    return np.array([*selected, n - 1])


def pack_columns(columns: np.ndarray, level: int = 9) -> str:
    """Encode columns as text: float32, bytes of equal significance together, deflate, base 64.

    Level 0, for a page on the same machine: float32 as base 64, after "f4:".
    """
    if level == 0:
        raw = np.ascontiguousarray(columns, dtype="<f4")
        return "f4:" + base64.b64encode(raw.tobytes()).decode()
    data = np.ascontiguousarray(columns, dtype="<f4").view(np.uint8).reshape(-1, 4)
    return base64.b64encode(zlib.compress(data.T.tobytes(), level)).decode()


def pack_signals(
    run: Any,
    names: Iterable[str],
    needed: Collection[str] = (),
    budget: int = MAX_SIGNAL_BYTES,
    level: int = 9,
) -> dict:
    """Pack time and signals of a page into at most `budget` bytes.

    Constant signals are single numbers. If the text is too long, time points are decimated first.
    Then the signals of lowest priority are omitted and listed in `left_out`. Signals in `needed`
    remain.
    """
    guides = [run[n] for n in run.provenance.get("coordinates", ()) if n in run.units] or [
        run[n] for n in list(names)[:8]
    ]
    order = sorted(
        names,
        key=lambda n: (
            n not in needed,
            max(
                (i for i, pattern in enumerate(reversed(LOW_PRIORITY_SIGNALS), 1) if pattern in n),
                default=0,
            ),
        ),
    )
    varying = {n: run[n] for n in order if not _is_constant(run[n])}
    max_rows, selected = MAX_ROWS, list(varying)
    budget = budget if level else 8 * budget  # nothing is stored
    while True:
        rows = decimate_rows(run.time, guides, max_rows)
        text = pack_columns(
            np.array([run.time[rows], *(varying[n][rows] for n in selected)]), level
        )
        if len(text) <= budget:
            break
        ratio = budget / len(text)
        if max_rows > MIN_ROWS:
            max_rows = max(MIN_ROWS, int(min(max_rows, len(rows)) * ratio * 0.97))
        elif len(selected) > len(set(needed) & set(selected)):
            selected = selected[
                : max(len(set(needed) & set(selected)), int(len(selected) * ratio * 0.97))
            ]
        else:
            break
    column_numbers = {n: i for i, n in enumerate(selected, 1)}
    signals = []
    for n in names:
        if n in column_numbers:
            signals.append({"name": n, "unit": run.units[n], "column": column_numbers[n]})
        elif n not in varying:
            x = float(run[n][0]) if len(run[n]) else 0.0
            value = x if np.isfinite(x) else None
            signals.append({"name": n, "unit": run.units[n], "value": value})
    return {
        "rows": len(rows),
        "kept": rows,
        "all_rows": len(run.time),
        "columns": text,
        "signals": signals,
        "left_out": [n for n in names if n in varying and n not in column_numbers],
    }


def _is_constant(x) -> bool:
    x = x.astype(np.float32)
    return len(x) == 0 or bool(np.all(x == x[0]) or np.isnan(x).all())
