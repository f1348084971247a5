"""One table of a pulse: the numbers that a crash engineer asks for first."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from ...errors import ArgumentError, UnknownName, unknown_name_message
from .cfc import cfc
from .en1317 import asi
from .injury_criteria import clip_3ms
from .metric_value import G0, Measure, speed_of
from .pulse import crush, delta_v, olc, peak, pulse_duration, restitution, vpi


class Metrics(dict[str, Measure]):
    """Metrics by name.  `missing` has the reasons for those that the pulse does not give.


    >>> import numpy as np
    >>> t = np.arange(0, 0.02, 1e-4)
    >>> found = pulse_metrics(t, np.full(t.size, -100.0), 15.0)
    >>> found["crush"]
    Traceback (most recent call last):
    torseur.errors.UnknownName: crush: the car still drives at 13 m/s where the record ends ...
    """

    def __init__(self, values: Mapping[str, Measure], missing: Mapping[str, str]):
        super().__init__(values)
        self.missing = dict(missing)

    def __missing__(self, name: str) -> Measure:
        raise UnknownName(
            self.missing.get(name) or unknown_name_message("metric", name, self, "metrics")
        )


def pulse_metrics(time: ArrayLike, a: ArrayLike, speed: float | str) -> Metrics:
    """Peak (CFC 60), crush, change of speed, rebound, OLC, VPI and ASI of a pulse [SI].

    `a` is unfiltered. `.missing` gives the reason for metrics that a short record does not permit.
    """
    return Metrics(*_compute_metrics(time, a, speed))


def missing(time: ArrayLike, a: ArrayLike, speed: float | str) -> dict[str, str]:
    """Metrics that a pulse does not give, each with the reason.

    >>> import numpy as np
    >>> t = np.arange(0, 0.02, 1e-4)
    >>> sorted(missing(t, np.full(t.size, -100.0), 15.0))
    ['asi', 'crush', 'olc', 'restitution', 'vpi']
    """
    return _compute_metrics(time, a, speed)[1]


def _compute_metrics(time, a, speed):
    speed = speed_of("pulse_metrics", speed)
    slow, fine = cfc(time, a, 60), cfc(time, a, 180)
    top = peak(time, slow)
    out, why = {"peak": Measure(abs(top), "m/s^2", top.time)}, {}
    for name, metric in (
        ("crush", lambda: crush(time, fine, speed)),
        ("delta_v", lambda: delta_v(time, fine)),
        ("restitution", lambda: restitution(time, fine, speed)),
        ("olc", lambda: olc(time, fine, speed)),
        ("vpi", lambda: vpi(time, fine)),
        ("asi", lambda: asi(time, slow)),
        ("clip_3ms", lambda: clip_3ms(time, slow)),
        ("pulse_duration", lambda: pulse_duration(time, slow, 0.05 * abs(top))),
    ):
        try:
            out[name] = metric()
        except ArgumentError as e:
            why[name] = str(e)
    return out, why


def table(metrics: Mapping[str, Measure]) -> str:
    """Metrics as lines of text with accelerations in g, and the reasons for missing ones.


    >>> print(table({"peak": Measure(98.0665, "m/s^2", 0.05), "crush": Measure(0.5, "m", 0.07)}))
    peak    10 g at 50 ms
    crush  0.5 m at 70 ms
    """
    rows = []
    for name, x in metrics.items():
        y = Measure(x / G0, "g", x.time) if x.unit == "m/s^2" else x
        label = name if ":" in name else name.replace("_", " ")
        rows.append((label, *str(y).split(" ", 1)))
    width = max((len(r[0]) for r in rows), default=0)
    wide = max((len(r[1]) for r in rows), default=0)
    lines = [f"{r[0]:<{width}}  {r[1]:>{wide}} {' '.join(r[2:])}".rstrip() for r in rows]
    return "\n".join(lines + [f"no {why}" for why in getattr(metrics, "missing", {}).values()])
