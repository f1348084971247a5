"""Options of a run: one documented object, or each by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypedDict

from ..dynamics import SOLUTIONS
from ..errors import ArgumentError, shown, unknown_name
from ..integrate import METHODS, Method
from ..solve import arguments
from .run.foreign_integrators import REFERENCES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NOT_OURS = ("auto", *REFERENCES)  # methods by name besides those registered
REACTIONS = ("determined", "least_norm")


class NamedOptions(TypedDict, total=False):
    """Options by their names, for type checkers; `Options` says what they mean."""

    t_start: float | None
    step: float | None
    output: int | float | str | ArrayLike | None
    inputs: Mapping[str, Any] | None
    parameters: Mapping[str, float] | None
    max_step: float | None
    stop_when: Iterable[str] | str | None
    max_events: int | None
    max_steps: int | None
    max_evaluations: int | None
    max_rows: int | None
    max_seconds: float | None
    keep: Iterable[str] | None
    solution: str | None
    reactions: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options:
    """How a run is made; each option is also an argument of `simulate`, by its name.

    Attributes
    ----------
    method : "auto", or one of `ts.integrate.METHODS`: euler, semi_implicit, rk4, newmark (with a fixed
        `step`), dopri5, dop853 (adaptive), rodas5p (adaptive, for stiff models); or a reference
        that steps in Python, "scipy:DOP853" (RK45, RK23, Radau, BDF, LSODA) or "cvode"
    rtol, atol : tolerances of an adaptive method, on the configuration space
    t_start : time at the start [s]
    step : fixed step, or first step of an adaptive method [s]
    output : number of rows, evenly spaced (1001); or times [s]; or "steps", every step taken
    inputs : values of the model's inputs, held; one that pushes may be a function of time (a
        function, a motion law, a text of t, or times and values)
    parameters : values of declared parameters other than nominal
    max_step : longest step of an adaptive method [s]
    stop_when : names of elements or events that end the run
    max_events : cap on events of the whole run (10 000 a second)
    max_steps, max_evaluations : caps on attempted steps (10 000 000) and on evaluations of the
        rates (none); a run that meets one ends there and says why
    max_rows : cap on rows that are kept (what fits into 1 GB)
    max_seconds : cap on the time of computation [s] (none), looked at five times a second
    keep : coordinates and speeds that must not change when loops are assembled; by default all that
        the start names
    solution : of loops and constraints: "multipliers" (the fastest), "null_space" (independent
        speeds lead, chosen and switched by the program), "elimination" (dependent coordinates and
        speeds solved for), "penalty" (augmented Lagrangian); all step natively and give one motion
    reactions : of a hyperstatic mechanism: "determined" (components that no motion tells are NaN,
        `run.undetermined` names them) or "least_norm" (of all reactions that fit the motion those
        with the least sum of squares over all joints [N, N m])

    >>> coarse = Options(rtol=1e-4, output="steps")
    >>> coarse.told(rtol=1e-5).rtol, coarse.told(rtol=None).rtol
    (1e-05, 0.0001)
    """

    method: str | Method = "auto"
    rtol: float = 1e-8
    atol: float = 1e-10
    t_start: float = 0.0
    step: float | None = None
    output: Any = None
    inputs: Mapping[str, Any] | None = None
    parameters: Mapping[str, float] | None = None
    max_step: float | None = None
    stop_when: Iterable[str] | str | None = None
    max_events: int | None = None
    max_steps: int | None = None
    max_evaluations: int | None = None
    max_rows: int | None = None
    max_seconds: float | None = None
    keep: Iterable[str] | None = None
    solution: str = "multipliers"
    reactions: str = "determined"

    def told(self, **named: Any) -> Options:
        """These options with some told; one that is None stays as it is."""
        given = told(named)
        return replace(self, **given) if given else self

    def changed(self) -> dict[str, Any]:
        """Those that are not the usual ones, by name."""
        return {n: x for n, usual in USUAL.items() if (x := getattr(self, n)) is not usual}

    def check(self) -> Options:
        """These options, or an `ArgumentError` that names one that cannot be."""
        arguments.seconds("t_start", self.t_start)
        arguments.tolerances(self.rtol, self.atol, "simulate")
        name = self.method
        known = isinstance(name, str) and (name in METHODS or name in NOT_OURS)
        if not (known or isinstance(name, Method)):
            raise ArgumentError(unknown_name("method", name, [*NOT_OURS, *METHODS], "simulate"))
        if self.solution not in SOLUTIONS:
            raise ArgumentError(unknown_name("solution", self.solution, SOLUTIONS, "simulate"))
        if self.reactions not in REACTIONS:
            raise ArgumentError(
                f"simulate: reactions = {shown(self.reactions)}; use 'determined' (what no motion "
                "tells is NaN) or 'least_norm'"
            )
        return self


USUAL = {f.name: f.default for f in fields(Options)}


def told(named: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their names without those that are None; tells of names that are none.

    >>> told({"rtol": 1e-5, "step": None})
    {'rtol': 1e-05}
    """
    if bad := [unknown_name("option", n, list(USUAL), "simulate") for n in named if n not in USUAL]:
        raise ArgumentError("\n".join(bad))
    return {n: x for n, x in named.items() if x is not None}
