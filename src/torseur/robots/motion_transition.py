"""A motion law from any speed and acceleration to any others, under limits, by ruckig.

Theory: ML.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..errors import ArgumentError, TorseurError, needs
from .motion_laws import MotionProfile, told_as_numbers
from .motion_limits import cubic_pieces


@dataclass(frozen=True, eq=False)
class Transition(MotionProfile):
    """The quickest law from (start, start_speed, start_acceleration) to (end, end_speed,
    end_acceleration) within limits of `speed`, `acceleration` and `jerk`, as a robot needs it that
    gets a new goal while it moves.  Before, it stands at its start; after, at its end.

    From rest to rest `SCurve` is the same law and needs nothing else; this one needs ruckig
    (`pip install "torseur[robots]"`).
    """

    speed: float = 1.0
    acceleration: float = 1.0
    jerk: float = 10.0
    start_speed: float = 0.0
    start_acceleration: float = 0.0
    end_speed: float = 0.0
    end_acceleration: float = 0.0

    limits: ClassVar = ("speed", "acceleration", "jerk")

    def __init__(
        self,
        start: float,
        end: float,
        begin: Any = 0.0,
        *,
        speed: float = 1.0,
        acceleration: Any = 1.0,
        jerk: Any = 10.0,
        start_speed: Any = 0.0,
        start_acceleration: Any = 0.0,
        end_speed: Any = 0.0,
        end_acceleration: Any = 0.0,
    ):
        fields = {
            "start": start,
            "end": end,
            "begin": begin,
            "speed": speed,
            "acceleration": acceleration,
            "jerk": jerk,
            "start_speed": start_speed,
            "start_acceleration": start_acceleration,
            "end_speed": end_speed,
            "end_acceleration": end_acceleration,
        }
        told_as_numbers("Transition", **fields)
        for name, x in fields.items():
            object.__setattr__(self, name, float(x))
        object.__setattr__(self, "duration", float(sum(self._phases[0])))

    @cached_property
    def _phases(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Durations [s] and jerks of the phases."""
        with needs("robots", "Transition", "use SCurve from rest to rest"):
            import ruckig

        wrong = [n for n in self.limits if not getattr(self, n) > 0]
        if wrong:
            raise ArgumentError(f"Transition: {wrong[0]} = {getattr(self, wrong[0]):g}; use more")
        over = [
            f"{n} = {x:g} is beyond the limit {m:g} by {abs(x) - m:.3g}"
            for n, x, m in (
                ("start_speed", self.start_speed, self.speed),
                ("end_speed", self.end_speed, self.speed),
                ("end_acceleration", self.end_acceleration, self.acceleration),
            )
            if abs(x) > m * (1 + 1e-12)
        ]
        if over:
            raise ArgumentError("Transition: " + "; ".join(over))
        given = ruckig.InputParameter(1)
        given.current_position, given.target_position = [self.start], [self.end]
        given.current_velocity, given.target_velocity = [self.start_speed], [self.end_speed]
        given.current_acceleration = [self.start_acceleration]
        given.target_acceleration = [self.end_acceleration]
        given.max_velocity, given.max_acceleration = [self.speed], [self.acceleration]
        given.max_jerk = [self.jerk]
        way = ruckig.Trajectory(1)
        found = ruckig.Ruckig(1).calculate(given, way)
        if found not in (ruckig.Result.Working, ruckig.Result.Finished):
            raise TorseurError(
                f"Transition: ruckig finds no law from {self.start:g} to {self.end:g}: {found}"
            )
        p = way.profiles[0][0]
        before = p.brake
        times = (*before.t, *p.t)
        return tuple(map(float, times)), tuple(map(float, (*before.j, *p.j)))

    @cached_property
    def _curve(self):
        start = (self.start, self.start_speed, self.start_acceleration)
        return cubic_pieces(*self._phases, start)[0]  # ML.8

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return tuple(self.begin + x for x in self._curve.x)

    def _moving(self, t, order):
        return self._curve(t - self.begin, order)

    def slower(self, duration):
        """Not for laws that begin or end in motion."""
        raise TorseurError("Transition: a law between speeds cannot be stretched; lower its limits")


__all__ = ["Transition"]
