"""`simulate`: one call from a model to its trajectory, with progress on a terminal."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._lazy import uncollected
from ..errors import ArgumentError, AssemblyError, TorseurError, shown, system_of
from ..results import Trajectory
from ..scalars import arguments as asked
from ..solve import arguments
from ..system import TIMES, following, read_start, said_number, start_of
from . import time_inputs
from .interrupt import Heed
from .options import NamedOptions, Options, told as told_options
from .progress import watched
from .run.foreign_integrators import REFERENCES, solve
from .run.run import Simulation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    import numpy as np

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
    options: Options | None = None,
    control: Callable[[float, np.ndarray, np.ndarray], Any] | None = None,
    period: float | None = None,
    progress: bool | None = None,
    sensitivities: Iterable[str] | str = (),
    judge_sensitivities: bool = True,
    **named: Unpack[NamedOptions],
) -> Trajectory:
    """Motion of a model from `t_start` (0) to `t_end` [s].

    What is not said here is as the model's own `simulation` has it, and usual else.

    Parameters
    ----------
    model : a `Model` or `System`
    initial : coordinates and speeds by name, over the model's own `initial`; the others neutral
        and at rest, or where loops and constraints ask
    method, rtol, atol : the integrator ("auto"), its tolerances (1e-8, 1e-10)
    options : all options of a run in one object, `ts.Options`
    named : any of them by its name, over the object: t_start, step, output, inputs, parameters,
        max_step, stop_when, max_events, max_steps, max_evaluations, max_rows, max_seconds, keep,
        solution, reactions; `ts.Options` says what each does
    control, period : `control(t, q, v)`, called every `period` seconds, may change held inputs (it
        gives a mapping of names, or all inputs as an array)
    progress : whether a line on the terminal tells how far a long run is; when left out, if there
        is one
    sensitivities : names of numbers whose derivatives run beside the motion, for
        `run.sensitivity(signal, name)`: declared parameters ("k"), numbers of elements
        ("engine.mass", "front.points[3].force", "front.gap"), inputs, and coordinates or speeds at
        the start ("x.speed"); through every event, memory of laws included
    judge_sensitivities : whether steps are as short as the derivatives need to be within rtol too;
        if False they follow the steps of the motion, which is then the same to the last bit with
        and without them, and derivatives are a few digits less exact

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
    period = arguments.spoken(period, "s", "simulate: period")
    _check_control(control, period)
    period = period if period is None else float(period)
    system = system_of(model, "simulate")
    own, chosen = start_of(system)
    told = told_options({"method": method, "rtol": rtol, "atol": atol, **named})
    told = told if options is None else options.told(**told).changed() | told
    told |= {} if t_end is None else {"t_end": t_end}
    told |= {n: asked.named(told[n]) for n in ("parameters", "inputs") if n in told}
    initial = None if initial is None else asked.named(initial)
    if initial is not None and not hasattr(initial, "items"):
        system.state(initial)  # says what is expected
    if hasattr(initial, "kept"):  # the state of another run, whole
        own = {}
    ours = bool(own and initial and "keep" not in told)  # whether both starts are kept together
    if own and initial is not None and "keep" not in told:
        told["keep"] = [*dict.fromkeys([*chosen.get("keep", own), *initial])]
    told = chosen | told
    if "t_end" not in told:
        raise ArgumentError(
            "simulate: no end time: give t_end= [s], or let the model carry it: "
            "simulation={'t_end': 2}"
        )
    for name in TIMES:
        if isinstance(told.get(name), str):  # "150 ms"
            told[name] = said_number(told[name], "s", system, f"simulate: {name}")
    told["t_end"] = arguments.seconds("t_end", told["t_end"])
    method = told.get("method", "auto")
    foreign = method if isinstance(method, str) and method in REFERENCES else None
    if foreign and control is not None:
        raise TorseurError(
            f"method {foreign!r} is a reference that knows no controllers; use a native method"
        )
    if foreign:
        told["method"] = "dopri5"
    if _mapping(told.get("inputs")):
        told["inputs"] = time_inputs.spoken(system, told["inputs"])
    names = arguments.names(sensitivities, "sensitivities")
    stand: dict[str, str] = {}
    if any(time_inputs.is_timed(x) for x in _mapping(told.get("inputs"))):
        system, told["inputs"], stand = _with_functions(system, told, names)
    own |= following(system, told.get("parameters", {})) if own else {}
    if names:
        from .sensitivity.parameters import refuse_followed

        refuse_followed(system, names, initial)
    initial = read_start(system, initial, told.get("parameters"))
    start = {**own, **initial} if own and initial else initial or own
    if names and (foreign or not (control is None or hasattr(control, "steer"))):
        raise TorseurError(
            "simulate: sensitivities need a native method and no controller, whose own "
            "derivatives are not known"
        )
    show = watched(progress)
    with Heed() as heed:
        try:
            with uncollected():
                run = _made(system, names, start, told, judge_sensitivities, stand)
        except AssemblyError as why:
            raise _apart(why, own, initial) if ours else why from None
        heed.now()
        if foreign:
            known: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-10, **told}
            return solve(run, foreign, known["rtol"], known["atol"]).result()
        run.heed = heed
        run.go(RunProgress() if show else None, control, period)
    run.closed = True
    return run.result()


def _apart(why: AssemblyError, own: Mapping, initial: Any) -> AssemblyError:
    """The same, with what of it is the model's own start, and how to let that go."""
    stays = [n for n in own if n not in initial]
    if not stays:
        return why
    return AssemblyError(
        f"{why}\n  {', '.join(stays[:6])}{', ...' * (len(stays) > 6)} come from the model's own "
        f"initial; keep={tuple(initial)!r} keeps what is given here alone, and they follow"
    )


def _check_control(control, period):
    """A controller and its period come together."""
    if (control is None) != (period is None) or (
        period is not None and not arguments.positive(period)
    ):
        raise TorseurError("a controller needs both control= and period= [s], more than zero")
    if not (control is None or callable(control) or hasattr(control, "steer")):
        raise ArgumentError(
            f"simulate: control = {shown(control)}; expected a function of (t, q, v)"
        )


def _mapping(inputs):
    return inputs.values() if isinstance(inputs, Mapping) else ()


def _with_functions(system, told, names):
    """The system with its inputs of time written in, the inputs that are left, and parameters that
    stand for numbers of theirs that derivatives are asked by."""
    timed = {n: x for n, x in told["inputs"].items() if time_inputs.is_timed(x)}
    if whole := [n for n in names if n in timed]:
        raise ArgumentError(
            f"simulate: sensitivities: {whole[0]!r} is an input of time; name '{whole[0]}.scale', "
            f"or '{whole[0]}.values[3]' of a table"
        )
    from .time_inputs import with_functions

    span = told["t_end"], float(told.get("t_start") or 0.0)
    numbers = time_inputs.numbers_of(timed, names, "simulate: sensitivities")
    made, left = with_functions(system.model, told["inputs"], *span, *numbers)
    return made.check(), left, time_inputs.named(timed, names)


def _made(system, names, start, told, judged, stand) -> Simulation:
    """The run, with derivatives beside it where names ask for them."""
    if not names:
        return Simulation(system, initial=start, **told)
    from .sensitivity.run import SensitiveRun

    return SensitiveRun(system, names, start, judged=judged, stand=stand, **told)


class RunProgress:
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
