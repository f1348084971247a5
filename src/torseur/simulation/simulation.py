"""`simulate`: one call from a model to its trajectory, with progress on a terminal."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..errors import ArgumentError, TorseurError, shown, system_of
from ..results import Trajectory
from ..solve import arguments, start_of
from .interrupt import Heed
from .reference import REFERENCES, solve
from .run import Run
from .timed import is_timed, with_functions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import numpy as np
    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System


def simulate(
    model: Model | System,
    t_end: float | None = None,
    initial: Mapping[str, float] | None = None,
    method: str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    *,
    t_start: float | None = None,
    step: float | None = None,
    output: int | float | str | ArrayLike | None = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    max_step: float | None = None,
    stop_when: Iterable[str] | str | None = None,
    max_events: int | None = None,
    control: Callable[[float, np.ndarray, np.ndarray], Any] | None = None,
    period: float | None = None,
    progress: bool | None = None,
    keep: Iterable[str] | None = None,
    solution: str | None = None,
    reactions: str | None = None,
    sensitivities: Iterable[str] | str = (),
) -> Trajectory:
    """Motion of a model from `t_start` (0) to `t_end` [s].

    What is not said here is as the model's own `simulation` has it, and usual else.

    Parameters
    ----------
    model : a `Model` or `System`
    initial : coordinates and speeds by name, over the model's own `initial`; the others neutral
        and at rest, or where loops and constraints ask
    keep : which of them must not change when loops are assembled; by default all that are named
    solution : of loops and constraints: "multipliers" (the fastest), "null_space" (independent
        speeds lead, chosen and switched by the program), "elimination" (dependent coordinates and
        speeds solved for), "penalty" (augmented Lagrangian); all step natively and give one motion
    reactions : of a hyperstatic mechanism: "determined" (components that no motion tells are NaN,
        `run.undetermined` names them) or "least_norm" (of all reactions that fit the motion those
        with the least sum of squares over all joints [N, N m])
    method : "auto", or one of `simulate.METHODS`: euler, semi_implicit, rk4, newmark (with a fixed
        `step`), dopri5, dop853 (adaptive), rodas5p (adaptive, for stiff models); or a reference
        that steps in Python, "scipy:DOP853" (RK45, RK23, Radau, BDF, LSODA) or "cvode"
    rtol, atol : tolerances of an adaptive method, on the configuration space (1e-8, 1e-10)
    step : fixed step, or first step of an adaptive method [s]
    output : number of rows, evenly spaced (1001); or times [s]; or "steps", every step taken
    inputs : values of the model's inputs, held; one that pushes may be a function of time (a
        function, a motion law, a text of t, or times and values); `control(t, q, v)`, called every
        `period` seconds, may change held ones (a mapping of names, or all inputs as an array)
    parameters : values of declared parameters other than nominal
    stop_when : names of elements or events that end the run
    max_events : cap on events of the whole run
    sensitivities : names of numbers whose derivatives run beside the motion, for
        `run.sensitivity(signal, name)`: declared parameters ("k"), numbers of elements
        ("engine.mass", "front.points[3].force", "front.gap"), inputs, and coordinates or speeds at
        the start ("x.speed"); through every event, memory of laws included

    Returns
    -------
    Trajectory
        Also of a run that failed or was interrupted; `outcome` says so, `check()` raises.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> run = simulate(pendulum, t_end=1.0, initial={"pivot.angle": 0.1})
    >>> round(float(run["pivot.angle"][-1]), 6)
    -0.099993
    """
    if (control is None) != (period is None) or (
        period is not None and not arguments.positive(period)
    ):
        raise TorseurError("a controller needs both control= and period= [s], more than zero")
    if control is not None and not callable(control):
        raise ArgumentError(
            f"simulate: control = {shown(control)}; expected a function of (t, q, v)"
        )
    system = system_of(model, "simulate")
    told = {
        "method": method,
        "rtol": rtol,
        "atol": atol,
        "t_end": t_end,
        "t_start": t_start,
        "step": step,
        "output": output,
        "inputs": inputs,
        "max_step": max_step,
        "stop_when": stop_when,
        "max_events": max_events,
        "keep": keep,
        "solution": solution,
        "reactions": reactions,
    }
    own, options = start_of(system)
    if hasattr(initial, "kept"):  # the state of another run, whole
        own = {}
    elif own and initial is not None and keep is None:
        told["keep"] = [*dict.fromkeys([*options.get("keep", own), *initial])]
    options |= {name: x for name, x in told.items() if x is not None}
    if "t_end" not in options:
        raise ArgumentError(
            "simulate: no end time: give t_end= [s], or let the model carry it: "
            "simulation={'t_end': 2}"
        )
    options["t_end"] = arguments.seconds("t_end", options["t_end"])
    method = options.get("method", "auto")
    foreign = method if isinstance(method, str) and method in REFERENCES else None
    if foreign and control is not None:
        raise TorseurError(
            f"method {foreign!r} is a reference that knows no controllers; use a native method"
        )
    if foreign:
        options["method"] = "dopri5"
    if any(is_timed(x) for x in _mapping(options.get("inputs"))):
        made, options["inputs"] = with_functions(
            system.model, options["inputs"], options["t_end"], float(options.get("t_start") or 0.0)
        )
        system = made.check()
    start = {**own, **initial} if own and initial else initial or own
    names = (sensitivities,) if isinstance(sensitivities, str) else tuple(sensitivities)
    if names and (foreign or control is not None):
        raise TorseurError(
            "simulate: sensitivities need a native method and no controller, whose own "
            "derivatives are not known"
        )
    show = sys.stderr.isatty() if progress is None else progress
    with Heed() as heed:
        run = _made(system, names, start, parameters, options)
        heed.now()
        if foreign:
            rtol, atol = options.get("rtol", 1e-8), options.get("atol", 1e-10)
            return solve(run, foreign, rtol, atol).result()
        run.heed = heed
        run.go(Progress() if show else None, control, period)
    return run.result()


def _mapping(inputs):
    return inputs.values() if isinstance(inputs, Mapping) else ()


def _made(system, names, start, parameters, options) -> Run:
    """The run, with derivatives beside it where names ask for them."""
    if not names:
        return Run(system, initial=start, parameters=parameters, **options)
    from .sensitivities import SensitiveRun

    return SensitiveRun(system, names, start, parameters=parameters, **options)


class Progress:
    """One line on a terminal, for runs that take more than a second."""

    def __init__(self):
        self.started = self.last = clock.perf_counter()

    def __call__(self, run):
        now = clock.perf_counter()
        if now - self.last < 0.5:
            return
        self.last = now
        share = (run.t - run.t_start) / (run.t_end - run.t_start)
        end = "\n" if share >= 1 else ""
        print(
            f"\rt = {run.t:.4g} s of {run.t_end:g} s ({share:.0%})",
            end=end,
            file=sys.stderr,
            flush=True,
        )
