"""A test as its laboratory recorded it: a header and channels, whatever the file was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ArgumentError, needs, unknown_name_message
from ..criteria.metric_value import UNITS, Measure, read_quantity

FAILED = ("CF", "NO", "ND")  # of a channel: it failed, was not recorded, has no data


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One row of a header with its samples: `time` [s] and `values` in SI (`si_unit`).

    `unit` and `status` are as in the header. `missing` is the reason why a row has no samples.
    """

    number: int
    sensor: str
    location: str
    axis: str
    unit: str
    status: str
    label: str
    si_unit: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)
    record: Any = field(default=None, repr=False)  # (time, values)
    missing: str = ""

    @property
    def time(self) -> np.ndarray:
        """Moments [s]."""
        return self._samples()[0]

    @property
    def values(self) -> np.ndarray:
        """Samples in SI, as recorded: nothing filtered, no offset removed."""
        return self._samples()[1]

    def zeroed(self, until: float | str = 0.0) -> np.ndarray:
        """Samples less their mean before `until` [s]."""
        from ..criteria.cfc import zeroed

        return zeroed(self.time, self.values, until)

    def cfc(self, channel_class: float | str, standard: str = "SAE J211") -> np.ndarray:
        """Samples without bias, filtered to a channel frequency class."""
        from ..criteria.cfc import cfc

        return cfc(
            self.time, self.zeroed() if self.time[0] < 0 else self.values, channel_class, standard
        )

    def _samples(self):
        if self.record is None:
            raise ArgumentError(f"channel {self.number} ({self.label}) has no data: {self.missing}")
        return self.record


COLUMNS = ("number", "sensor", "location", "axis", "unit", "status", "label")


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A crash test: `test[95]` is a channel by number, `test["TOP OF ENGINE X"]` by label.

    `speed` [m/s] is that of the impact and `mass` [kg] the first vehicle's, where the header gives
    them; `header` holds its sections as lists of fields.
    """

    name: str
    title: str
    rows: tuple[Channel, ...]
    header: Mapping[str, Any] = field(default_factory=dict, repr=False)
    speed: float | None = None
    mass: float | None = None
    source: str = ""
    __test__ = False  # no test case, whatever its name

    @property
    def channels(self):
        """Every row of the header as a pandas table: number, sensor, location, axis, unit, status,
        label; unit and status in the header's words."""
        with needs("crash", "the table of a record"):
            import pandas

        return pandas.DataFrame({c: [getattr(row, c) for row in self.rows] for c in COLUMNS})

    def __iter__(self) -> Iterator[Channel]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key) -> Channel:
        if isinstance(key, str):
            matches = [r for r in self.rows if key in (r.label, r.extra.get("code"))]
            if len(matches) == 1:
                return matches[0]
            if matches:
                raise ArgumentError(
                    f"test {self.name}: {len(matches)} channels are called {key!r}: "
                    f"numbers {', '.join(str(r.number) for r in matches)}"
                )
            raise ArgumentError(
                unknown_name_message(
                    "channel", key, [r.label for r in self.rows], f"test {self.name}"
                )
            )
        for row in self.rows:
            if row.number == key:
                return row
        numbers = [r.number for r in self.rows]
        span = f"{min(numbers)} to {max(numbers)}" if numbers else "none"
        raise ArgumentError(f"test {self.name}: no channel has number {key!r} (known: {span})")

    def mean(self, *numbers) -> tuple[np.ndarray, np.ndarray]:
        """Time and mean of several channels over the moments all have, without their biases (where
        they begin before the contact)."""
        if not numbers:
            raise ArgumentError(f"test {self.name}: name at least one channel")
        channels = [self[n] for n in numbers]
        if len({c.si_unit for c in channels}) > 1:
            raise ArgumentError(
                f"test {self.name}: channels {', '.join(map(str, numbers))} have "
                f"different units: {', '.join(c.si_unit for c in channels)}"
            )
        start, end = (f(c.time[i] for c in channels) for f, i in ((max, 0), (min, -1)))
        time = channels[0].time
        time = time[(time >= start) & (time <= end)]
        if time.size < 2:
            raise ArgumentError(
                f"test {self.name}: channels {', '.join(map(str, numbers))} have no moments in "
                f"common: the last begins at {start:g} s, the first ends at {end:g} s"
            )
        signals = [c.zeroed() if c.time[0] < 0 else c.values for c in channels]
        rows = [np.interp(time, c.time, x) for c, x in zip(channels, signals, strict=True)]
        return time, np.mean(rows, axis=0)

    def cabin(self) -> tuple[int, ...]:
        """Numbers of the accelerometers that see the cabin: rear floor, along the car, primary."""
        rows = [
            r
            for r in self.rows
            if r.sensor == "AC"
            and r.axis[:1] == "X"
            and r.record is not None
            and r.status != "CF"
            and r.extra.get("role", "P") == "P"
        ]
        for locations in (("FLLR", "FLRR"), ("SLRE", "SIRE"), ("VECG",), ("VEHC",), ("TUNN",)):
            if numbers := tuple(r.number for r in rows if r.location[:4] in locations):
                return numbers
        raise ArgumentError(
            f"test {self.name}: no accelerometer of the rear floor or the center of "
            "gravity along x; say which channels: channels=(93, 94)"
        )

    def cells(self) -> tuple[Channel, ...]:
        """Load cells of the barrier with force along the car, without those that failed."""
        return tuple(
            r
            for r in self.rows
            if r.sensor == "LC"
            and r.axis[:1] == "X"
            and r.location[:2] == "LC"
            and r.si_unit == "N"
            and r.status not in FAILED
        )

    def barrier_force(self, channel_class: float | str = 60) -> tuple[np.ndarray, np.ndarray]:
        """Time and force on the barrier [N]: filtered sum of its cells, positive in compression."""
        from ..criteria.cfc import cfc

        cells = self.cells()
        if not cells:
            raise ArgumentError(f"test {self.name}: its barrier has no cells of force")
        if missing := [c for c in cells if c.record is None]:
            raise ArgumentError(
                f"test {self.name}: {len(missing)} of the {len(cells)} barrier cells have no "
                "data, so that their sum is not the force: "
                f"{missing[0].label}: {missing[0].missing}"
            )
        time = cells[0].time
        total = sum(np.interp(time, c.time, c.zeroed()) for c in cells)
        total = cfc(time, total, channel_class)
        return time, total if total[abs(total).argmax()] > 0 else -total

    def force_crush(
        self,
        channels=None,
        mass=None,
        speed=None,
        channel_class: float | str = 60,
        force: str = "inertia",
    ):
        """Force against crush from the test's own channels: where a model of it begins.

        `force="inertia"` is mass times deceleration of the cabin, `"barrier"` the sum of the load
        cells; way by double integration at CFC 180, force at `channel_class`.  `channels` default
        to the rear floor's, `mass` [kg] and `speed` [m/s] to the header's.
        """
        from ..force_crush_curve import force_crush

        return force_crush(self, channels, mass, speed, channel_class, force)

    def summary(self, channels=None) -> dict[str, Measure]:
        """The usual metrics of the cabin's pulse: CFC 60 for peaks, CFC 180 before integration."""
        from ..criteria.summary import pulse_metrics

        time, a = self.mean(*(channels or self.cabin()))
        return pulse_metrics(time, a, self.required_number("speed"))

    def required_number(self, name: str, value=None) -> float:
        """A number of the header, or the given one.  Raises an error without either."""
        if value is not None:
            return read_quantity(f"test {self.name}", name, value, UNITS[name])
        if (number := getattr(self, name)) is None:
            raise ArgumentError(f"test {self.name}: its header gives no {name}; say {name}=...")
        return number
