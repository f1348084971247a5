"""Options of a run, as one object or by name, and their JSON Schema in model files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypedDict

from ..dynamics import SOLUTIONS
from ..errors import ArgumentError, shown, unknown_name_message
from ..integrate import METHODS, Method
from ..solve import arguments
from ..system import OPTIONS
from .run.reference_integrators import REFERENCE_METHODS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

OTHER_METHODS = ("auto", *REFERENCE_METHODS)  # names beside the registered ones
REACTION_SOLUTIONS = ("determined", "least_norm")


class NamedOptions(TypedDict, total=False):
    """Options by their names, for type checkers.  `Options` explains them."""

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
    """Options of a run.  Each is also an argument of `simulate`, by its name.

    Attributes
    ----------
    method : "auto", or one of `ts.integrate.METHODS`: euler, semi_implicit, rk4, newmark (with a
        fixed `step`), dopri5, dop853 (adaptive), rodas5p (adaptive, for stiff models); or a
        reference that steps in Python, "scipy:DOP853" (RK45, RK23, Radau, BDF, LSODA) or "cvode"
    rtol, atol : tolerances of an adaptive method, on the configuration space
    t_start : time at the start [s]
    step : fixed step, or first step of an adaptive method [s]
    output : number of rows, evenly spaced (1001); or times [s]; or "steps", every step taken
    inputs : constant values of the model's inputs.  That of an effort may be a function of time:
        a function, a motion profile, a text of t, or times and values
    parameters : values of declared parameters other than nominal
    max_step : longest step of an adaptive method [s]
    stop_when : names of elements or events that end the run
    max_events : cap on events of the whole run (10 000 a second)
    max_steps, max_evaluations : caps on attempted steps (10 000 000) and on evaluations of the
        rates (none).  A run that meets one ends there and says why
    max_rows : cap on the number of rows (1 GB)
    max_seconds : cap on the time of computation [s] (none), checked five times a second
    keep : coordinates and speeds that must not change when loops are assembled.  Default: all that
        the initial values name
    solution : of loops and constraints: "multipliers" (the fastest), "null_space" (independent
        speeds, chosen and changed by torseur), "elimination" (dependent coordinates and speeds
        solved for), "penalty" (augmented Lagrangian).  All give one motion
    reactions : of a hyperstatic mechanism: "determined" (components that no motion determines are
        NaN, and `run.undetermined` names them) or "least_norm" (of all reactions that fit the
        motion those with the smallest sum of squares over all joints [N, N m])

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
        """These options with other values of some.  None does not change an option."""
        changes = select_options(named)
        return replace(self, **changes) if changes else self

    def changed(self) -> dict[str, Any]:
        """Options that differ from their defaults, by name."""
        return {n: x for n, default in DEFAULTS.items() if (x := getattr(self, n)) is not default}

    def check(self) -> Options:
        """These options, or an `ArgumentError` that names an invalid one."""
        arguments.seconds("t_start", self.t_start)
        arguments.tolerances(self.rtol, self.atol, "simulate")
        name = self.method
        is_name = isinstance(name, str) and (name in METHODS or name in OTHER_METHODS)
        if not (is_name or isinstance(name, Method)):
            raise ArgumentError(
                unknown_name_message("method", name, [*OTHER_METHODS, *METHODS], "simulate")
            )
        if self.solution not in SOLUTIONS:
            raise ArgumentError(
                unknown_name_message("solution", self.solution, SOLUTIONS, "simulate")
            )
        if self.reactions not in REACTION_SOLUTIONS:
            raise ArgumentError(
                f"simulate: reactions = {shown(self.reactions)}; use 'determined' (components "
                "that no motion determines are NaN) or 'least_norm'"
            )
        return self


DEFAULTS = {f.name: f.default for f in fields(Options)}


def select_options(named: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their names without those that are None.  Unknown names are an error.

    >>> select_options({"rtol": 1e-5, "step": None})
    {'rtol': 1e-05}
    """
    unknown = [n for n in named if n not in DEFAULTS]
    if unknown:
        lines = (unknown_name_message("option", n, list(DEFAULTS), "simulate") for n in unknown)
        raise ArgumentError("\n".join(lines))
    return {n: x for n, x in named.items() if x is not None}


# ---- JSON Schema of the section `simulation` of model files ----------------------------------

NUMBER_SCHEMA = {"$ref": "#/$defs/number"}
NAMES_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
COUNT_SCHEMA = {"type": "integer", "minimum": 1}
OPTION_SCHEMAS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("t_end", "t_start", "step", "max_step", "rtol", "atol"), NUMBER_SCHEMA),
    **dict.fromkeys(("max_events", "max_steps", "max_evaluations", "max_rows"), COUNT_SCHEMA),
    **dict.fromkeys(("keep", "stop_when"), NAMES_SCHEMA),
    "max_seconds": {"type": "number"},
    "inputs": {"type": "object", "additionalProperties": NUMBER_SCHEMA},
}


def simulation_schema() -> dict[str, Any]:
    """Schema of the options that a file may hold, with every registered method and solution.

    >>> "rk4" in simulation_schema()["properties"]["method"]["enum"]
    True
    """
    choices = {
        "method": {"enum": [*OTHER_METHODS[:1], *METHODS, *REFERENCE_METHODS]},
        "solution": {"enum": [*SOLUTIONS]},
    }
    return {
        "description": "options of `torseur simulate`",
        "type": "object",
        "properties": {n: choices.get(n) or OPTION_SCHEMAS.get(n, {}) for n in OPTIONS},
        "additionalProperties": False,
    }
