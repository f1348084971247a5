"""A finished run: immutable, labeled, with outcome, energy audit and provenance."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import IntegrationError, TorseurError, needs, undetermined, unknown_name_message
from ..files import place, plain, whole
from ..views import tabled, view
from . import netcdf
from .signal_patterns import matching

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    import pandas
    import xarray
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike


class RunStatus(enum.StrEnum):
    """How a run ended.

    >>> RunStatus.STOPPED_BY_EVENT.is_completed, RunStatus.NOT_FINITE.is_completed
    (True, False)
    """

    COMPLETED = "completed"  # reached its end time
    STOPPED_BY_EVENT = "stopped by event"  # at an event that `stop_when` names
    INTERRUPTED = "interrupted"  # by Ctrl-C
    NOT_STARTED = "not started"  # no initial state
    BUDGET_SPENT = "budget spent"  # steps, evaluations, rows or seconds of computation
    TOO_MANY_EVENTS = "too many events"
    STEP_TOO_SMALL = "step too small"
    NOT_FINITE = "not finite"  # a derivative of the state or an event function
    NO_CONVERGENCE = "no convergence"  # Newton's iterations of an implicit method
    VALIDITY_LOST = "validity lost"  # no state behind an event is valid
    STOP_PENETRATED = "stop penetrated"  # the motion went through a rigid stop
    CONTROLLER_FAILED = "controller failed"
    AUDIT_FAILED = "audit failed"  # the energy balance or the constraints

    @property
    def is_completed(self) -> bool:
        """Whether the motion can be used as asked for."""
        return self in (RunStatus.COMPLETED, RunStatus.STOPPED_BY_EVENT)


@dataclass(frozen=True, slots=True)
class RunDiagnosis:
    """How a run ended, as data.  The text `outcome` of a trajectory is made from it.

    `time` [s] is that of the end or of the first fault, NaN without one. `element` names the
    element, event or signal at fault. `notes` are remarks on doubtful points of the motion.
    """

    status: RunStatus = RunStatus.COMPLETED
    time: float = float("nan")
    element: str = ""
    cause: str = ""
    remedy: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at one instant: which guard of which element."""

    time: float
    name: str

    def __str__(self):
        return f"{self.name} at t = {self.time:.9g} s"


@dataclass(frozen=True, slots=True)
class EnergyAudit:
    """Energy balance of a run [J]: changes from the first to the last time point.

    `residual` is the largest change over the run of kinetic + potential + dissipated - supplied -
    jumps. `jumps` is the energy that events removed (negative) and no other entry contains; losses
    of impacts at contacts and rigid stops are in `dissipated`.
    """

    kinetic: float
    potential: float
    dissipated: float
    supplied: float
    jumps: float
    residual: float
    scale: float
    rounding: float = 0.0  # what rounding of places does to the energy of the weights

    @property
    def relative(self) -> float:
        """Largest residual over the largest energy in the run, 0 where it is rounding."""
        return 0.0 if self.residual <= self.rounding else self.residual / (self.scale or 1.0)

    def _repr_html_(self) -> str:
        names = ("kinetic", "potential", "dissipated", "supplied", "jumps", "residual")
        rows = [(n, float(getattr(self, n))) for n in names]
        told = f"Energy [J]: closes to {self.relative:.2g} of {self.scale:.4g} J in play"
        return tabled(told, ("", "change"), rows)

    def __str__(self):
        lines = [
            f"{name:<11}{getattr(self, name):+.9g} J"
            for name in ("kinetic", "potential", "dissipated", "supplied", "jumps")
        ]
        return "\n".join(
            [
                *lines,
                f"{'residual':<11}{self.residual:.3g} J "
                f"({self.relative:.2g} of {self.scale:.4g} J in play)",
            ]
        )


class FinalState(dict[str, float]):
    """State at the end of a run.  `kept` holds the history variables by element."""

    kept: Mapping[str, Any] = {}


class Trajectory(Mapping[str, np.ndarray]):
    """Signals over time.  `run["elbow.angle"]` is an array, `run.units["elbow.angle"]` its unit.

    Signals beyond the state are computed on first access, for all time points at once.


    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    >>> run["x"], run.units["x"], len(run.time)
    (array([1., 2.]), 'm', 2)
    """

    def __init__(
        self,
        time: ArrayLike,
        signals: Mapping[str, Any],
        units: Mapping[str, str],
        outcome: str = "finished",
        *,
        diagnosis: RunDiagnosis | RunStatus = RunStatus.COMPLETED,
        events: tuple[Event, ...] = (),
        statistics: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
        source: Callable[[str], Mapping[str, np.ndarray]] | None = None,
        jumps: Iterable[tuple[int, int]] = (),
        slopes: Any = None,
    ):
        self.time = _fixed(time)
        self.outcome, self.events = outcome, tuple(events)
        self.diagnosis = RunDiagnosis(diagnosis) if isinstance(diagnosis, RunStatus) else diagnosis
        self.statistics, self.provenance = dict(statistics or {}), dict(provenance or {})
        kept = isinstance(units, MappingProxyType) and "time" in units
        self.units = units if kept else MappingProxyType({"time": "s"} | dict(units))
        self._known = {n: _fixed(x) for n, x in signals.items()}
        self._source, self._jumps, self._slopes = source, tuple(jumps), slopes
        self._done = True

    def __setattr__(self, name, value):
        if getattr(self, "_done", False):
            raise AttributeError("a trajectory does not change; make a new run")
        object.__setattr__(self, name, value)

    @property
    def status(self) -> RunStatus:
        """How the run ended; `diagnosis` has time, element, cause and remedy."""
        return self.diagnosis.status

    @property
    def completed(self) -> bool:
        """Whether the run reached its end, or an event that was to stop it, without a fault."""
        return self.diagnosis.status.is_completed

    # signals -----------------------------------------------------------------------------
    @property
    def signals(self) -> tuple[str, ...]:
        """Names of every signal."""
        return tuple(n for n in self.units if n != "time")

    def __getitem__(self, name: str) -> np.ndarray:
        if not isinstance(name, str):
            raise TorseurError(
                f"trajectory: no signal is named {name!r}; give one name, or use "
                "to_pandas([...]) for several"
            )
        if name == "time":
            return self.time
        if name not in self._known:
            if name not in self.units or self._source is None:
                raise TorseurError(unknown_name_message("signal", name, self.signals, "trajectory"))
            for found, x in self._source(name).items():
                self._known[found] = _fixed(x)
        return self._known[name]

    def named(self, *patterns: Any) -> list[str]:
        """Names of signals, with patterns such as "*.angle" expanded."""
        return matching(patterns[0] if len(patterns) == 1 else patterns, ("time", *self.signals))

    def _ipython_key_completions_(self) -> list[str]:
        """Completions of `run["el<Tab>`."""
        return ["time", *self.signals]

    def __contains__(self, name: object) -> bool:
        return name in self.units

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals)

    def __len__(self) -> int:
        return len(self.signals)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return (
            f"Trajectory({len(self.time)} rows, t = {self.time[0]:g} .. {self.time[-1]:g} s, "
            f"{len(self)} signals: {self.outcome})"
        )

    def _repr_html_(self) -> str:
        return view("run_html")(self)

    def __reduce__(self):
        """Pickle the state and the source of the other signals."""
        signals = {} if self._source is not None else self._known
        return _remade, (
            (self.time, signals, dict(self.units), self.outcome),
            {
                "diagnosis": self.diagnosis,
                "events": self.events,
                "statistics": self.statistics,
                "provenance": self.provenance,
                "source": self._source,
                "jumps": self._jumps,
                "slopes": self._slopes,
            },
        )

    @property
    def final(self) -> FinalState:
        """Coordinates and speeds at the last time point, for `initial=` of another run.

        `final.kept` holds the history of laws (crush, friction, hysteresis). A copy,
        `dict(run.final)`, starts such laws without history.
        """
        final = FinalState((n, float(self[n][-1])) for n in self.provenance.get("state", ()))
        final.kept = dict(self.provenance.get("kept", {}))
        return final

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Reactions that no motion tells, joint by joint: their signals are NaN.

        >>> run = Trajectory([0.0], {"C.reaction.force.z": [np.nan]}, {"C.reaction.force.z": "N"})
        >>> run.undetermined
        ('C: force z is undetermined',)
        """
        found: dict[str, list[str]] = {}
        for n in self.signals:
            joint, said, component = n.rpartition(".reaction.")
            if said and np.isnan(self[n]).any():
                found.setdefault(joint, []).append(component)
        return tuple(undetermined(n, which) for n, which in found.items())

    def check(self) -> Trajectory:
        """This trajectory, or `IntegrationError` when the run did not finish."""
        if not self.completed:
            raise IntegrationError(self.outcome)
        return self

    def sensitivity(self, signal: Any, name: str, *, along_rows: bool = False) -> Any:
        """Derivative of a signal by a parameter, a number of the model or a start, at every row.

        `name` is one of those given to `simulate(..., sensitivities=(...))`; the unit is the
        signal's over that number's.  For the name of an event, "front: torn", the derivatives of
        its times [s], one for each time it happened; for a measure such as
        `ts.studies.Peak("f.force")` or `ts.studies.Metric("hic", ...)`, that number's derivative.

        Rows at events change their time with them ("time" gives by how much): derivatives are at
        fixed time, or with `along_rows` those of the value that the row itself has.
        """
        if self._slopes is None:
            raise TorseurError(
                f"sensitivity of {signal!r}: this run has no derivatives; ask for them with "
                f"simulate(..., sensitivities=({name!r},)) (a saved file has none, a pickled run "
                "keeps them)"
            )
        if not isinstance(signal, str) and hasattr(signal, "slope"):
            return signal.slope(self, name)
        if signal not in self and all(e.name != signal for e in self.events):
            raise TorseurError(unknown_name_message("signal", signal, self.signals, "sensitivity"))
        return self._slopes.along_rows(signal, name) if along_rows else self._slopes(signal, name)

    # energy ------------------------------------------------------------------------------
    def _audit(self) -> EnergyAudit:
        T, U, D, S = (
            self[f"energy.{n}"] for n in ("kinetic", "potential", "dissipated", "supplied")
        )
        residual = self["energy.residual"]
        scale = max(*(float(np.ptp(x)) for x in (T, U, D, S)), abs(float(T[0]))) if len(T) else 0.0
        jumps = sum(
            float(T[b] + U[b] - T[a] - U[a] + D[b] - D[a] - S[b] + S[a]) for a, b in self._jumps
        )
        t, u, d, s = (float(x[-1] - x[0]) for x in (T, U, D, S))
        rounding = float(self.provenance.get("rounding", 0.0))
        return EnergyAudit(t, u, d, s, jumps, float(abs(residual).max()), scale, rounding)

    @property
    def energy_audit(self) -> EnergyAudit:
        """Kinetic + potential + dissipated - supplied, with the residual."""
        if "_audit_" not in self.__dict__:
            self.__dict__["_audit_"] = self._audit()
        return self.__dict__["_audit_"]

    # other forms -------------------------------------------------------------------------
    def arrays(self, names: Iterable[str] | str | None = None) -> dict[str, np.ndarray]:
        """Signals as a dictionary of arrays, time first; names may be patterns ("*.angle")."""
        names = self.signals if names is None else self.named(names)
        return {"time": self.time} | {n: self[n] for n in names}

    def to_pandas(self, names: Iterable[str] | str | None = None) -> pandas.DataFrame:
        """Table with one column a signal, indexed by time [s]."""
        with needs("tables", "to_pandas"):
            import pandas

        columns = self.arrays(names)
        return pandas.DataFrame(columns).set_index("time")

    def to_xarray(self, names: Iterable[str] | str | None = None) -> xarray.Dataset:
        """Dataset with units as attributes."""
        with needs("tables", "to_xarray"):
            import xarray

        columns = self.arrays(names)
        time = ("time", columns.pop("time"), {"units": "s"})
        data = {n: ("time", x, {"units": self.units[n]}) for n, x in columns.items()}
        return xarray.Dataset(data, {"time": time}, self._head())

    def _head(self) -> dict[str, Any]:
        """Attributes of the file."""
        return {
            "outcome": self.outcome,
            "diagnosis": json.dumps(asdict(self.diagnosis)),
            "events": json.dumps([(e.time, e.name) for e in self.events]),
            "statistics": json.dumps(self.statistics, default=str),
            "provenance": json.dumps(self.provenance, default=str),
            "jumps": json.dumps(self._jumps),
        }

    def save(self, path: str | os.PathLike[str], names: Iterable[str] | str | None = None) -> Path:
        """Write signals as netCDF (`.nc`) or text (`.csv`); a half-written file never shows."""
        path = place(path)
        ending = path.suffix.lower()
        if ending == ".csv":
            return self.to_csv(path, names)
        if ending != ".nc":
            raise TorseurError(f"cannot save a trajectory as {path.name!r}: expected .nc or .csv")
        columns = self.arrays(names)
        with whole(path) as partial:
            netcdf.write(partial, columns, {n: self.units[n] for n in columns}, self._head())
        return path

    def to_csv(
        self, path: str | os.PathLike[str], names: Iterable[str] | str | None = None
    ) -> Path:
        """Write signals as text, full precision, names with units in the first line."""
        from csv import writer

        path, columns, head = place(path), self.arrays(names), StringIO()
        writer(head, lineterminator="").writerow(
            plain(f"{n} [{self.units[n]}]", foreign=True) for n in columns
        )
        with whole(path) as partial:
            np.savetxt(
                partial,
                np.column_stack(list(columns.values())),
                fmt="%.17g",
                delimiter=",",
                header=head.getvalue(),
                comments="",
                encoding="utf-8",
            )
        return path

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a netCDF file of `save`."""
        path = place(path)
        if not path.exists():
            raise TorseurError(f"no such file: {path}")
        columns, units, a = netcdf.read(path)
        if "outcome" not in a or "time" not in columns:
            raise TorseurError(f"{path}: a netCDF file, but not one that a trajectory wrote")
        try:
            return cls(
                columns.pop("time"),
                columns,
                units,
                str(a["outcome"]),
                diagnosis=_read_diagnosis(json.loads(a["diagnosis"])),
                events=tuple(Event(float(t), str(name)) for t, name in json.loads(a["events"])),
                statistics=dict(json.loads(a["statistics"])),
                provenance=dict(json.loads(a["provenance"])),
                jumps=tuple((int(i), int(j)) for i, j in json.loads(a["jumps"])),
            )
        except (LookupError, TypeError, ValueError, ArithmeticError):
            raise TorseurError(
                f"{path}: what it says of its run is damaged; write it again"
            ) from None

    # looking -----------------------------------------------------------------------------
    def plot(self, *names: str, **options: Any) -> Figure:
        """Draw signals against time; see `torseur.plot`."""
        return view("plot")(self, *names, **options)

    def animate(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Draw the motion to a .gif, .mp4 or .png, without a display; see `torseur.animate`."""
        return view("animate")(self, path, **options)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a page with plots, outcome and audit."""
        return view("report")(self, path, **options)

    def show(self, **options: Any) -> Any:
        """Show the motion in 3D in the browser."""
        return view("view")(self, **options)


def _read_diagnosis(fields: Mapping[str, Any]) -> RunDiagnosis:
    """A diagnosis from the fields that a file holds."""
    texts = {n: str(fields[n]) for n in ("element", "cause", "remedy")}
    time, notes = float(fields["time"]), tuple(map(str, fields["notes"]))
    return RunDiagnosis(RunStatus(fields["status"]), time, **texts, notes=notes)


def _remade(args, options) -> Trajectory:
    return Trajectory(*args, **options)


def _fixed(x) -> np.ndarray:
    """A read-only copy, or the array itself if it is read-only."""
    owners = (x, x if getattr(x, "base", None) is None else x.base)
    if all(type(a) is np.ndarray and not a.flags.writeable and a.dtype == float for a in owners):
        return x
    x = np.array(x, dtype=float)
    x.flags.writeable = False
    return x
