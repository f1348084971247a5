"""`simulate`: one call from a model to its trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._lazy import pause_garbage_collection
from ..errors import ArgumentError, AssemblyError, TorseurError, as_system, shown
from ..results import Trajectory
from ..scalars import arguments as asked
from ..solve import arguments
from ..system import TIMES, following, read_initial_state, said_number, start_of
from . import time_inputs
from .interrupt import InterruptFlag
from .options import NamedOptions, Options, select_options
from .progress import RunProgress, shows_progress
from .run.reference_integrators import REFERENCE_METHODS
from .run.run import Simulation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

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
    """Simulate the motion of a model from `t_start` (0) to `t_end` [s].

    An option that is left out has the value of the model's own `simulation`, else its default.

    Parameters
    ----------
    model : a `Model` or `System`
    initial : coordinates and speeds by name.  They replace those of the model's own `initial`.
        Others are neutral and at rest, or follow from loops and constraints
    method, rtol, atol : the integrator ("auto"), its tolerances (1e-8, 1e-10)
    options : all options of a run in one object, `ts.Options`
    named : options by name, which replace those of the object: t_start, step, output, inputs,
        parameters, max_step, stop_when, max_events, max_steps, max_evaluations, max_rows,
        max_seconds, keep, solution, reactions.  `ts.Options` explains them
    control, period : `control(t, q, v)`, called every `period` seconds, may change inputs.  It
        returns a mapping of names, or all inputs as an array
    progress : whether to show a line of progress of a long run.  Default: on a terminal
    sensitivities : names of numbers whose derivatives are integrated beside the motion, for
        `run.sensitivity(signal, name)`: declared parameters ("k"), numbers of elements
        ("engine.mass", "front.points[3].force", "front.gap"), inputs, and initial coordinates or
        speeds ("x.speed")
    judge_sensitivities : whether step size control also keeps the derivatives within rtol.  If
        False, the motion is bit for bit that without derivatives, which lose a few digits

    Returns
    -------
    Trajectory
        Also of a run that failed or was interrupted.  `status` and `outcome` tell how it ended.
        `check()` raises an error if it did not complete.

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
    system = as_system(model, "simulate")
    defaults = {"method": method, "rtol": rtol, "atol": atol, "t_end": t_end, **named}
    settings, initial, model_initial, is_mixed = _collect_options(
        system, defaults, initial, options
    )
    names = arguments.names(sensitivities, "sensitivities")
    method = settings.get("method")
    reference = method if isinstance(method, str) and method in REFERENCE_METHODS else None
    if reference and control is not None:
        raise TorseurError(
            f"method {reference!r} is a reference that knows no controllers; use a native method"
        )
    if names and (reference or not (control is None or hasattr(control, "steer"))):
        raise TorseurError(
            "simulate: sensitivities need a native method and no controller, whose own "
            "derivatives are not known"
        )
    if reference:
        settings["method"] = "dopri5"
    system, settings, stand_ins = _write_time_inputs(system, settings, names)
    if model_initial:
        model_initial |= following(system, settings.get("parameters", {}))
    if names:
        from .sensitivity.parameters import refuse_followed

        refuse_followed(system, names, initial)
    initial = read_initial_state(system, initial, settings.get("parameters"))
    start = {**model_initial, **initial} if model_initial and initial else initial or model_initial
    is_shown = shows_progress(progress)
    with InterruptFlag() as interrupt:
        try:
            with pause_garbage_collection():
                run = _create_run(system, names, start, settings, judge_sensitivities, stand_ins)
        except AssemblyError as error:
            raise _name_model_values(error, model_initial, initial) if is_mixed else error from None
        interrupt.raise_pending()
        if reference:
            return run.run_reference(reference).result()
        run.go(RunProgress() if is_shown else None, control, period, interrupt)
    return run.result(close=True)


def _collect_options(
    system: System, named: dict[str, Any], initial: Any, options: Options | None
) -> tuple[dict[str, Any], Any, dict[str, Any], bool]:
    """Options by name (argument, object, model), initial values, and those of the model.

    Fourth: whether an assembly shall keep the values of both.
    """
    model_initial, model_options = start_of(system)
    t_end = named.pop("t_end")
    settings = select_options(named)
    if options is not None:
        settings = options.told(**settings).changed() | settings
    settings |= {} if t_end is None else {"t_end": t_end}
    settings |= {n: asked.named(settings[n]) for n in ("parameters", "inputs") if n in settings}
    initial = None if initial is None else asked.named(initial)
    if initial is not None and not hasattr(initial, "items"):
        system.state(initial)  # raises the error that tells the expected types
    if hasattr(initial, "kept"):  # the complete final state of another run
        model_initial = {}
    is_mixed = bool(model_initial and initial and "keep" not in settings)
    if model_initial and initial is not None and "keep" not in settings:
        keep = [*model_options.get("keep", model_initial), *initial]
        settings["keep"] = [*dict.fromkeys(keep)]
    settings = model_options | settings
    if "t_end" not in settings:
        raise ArgumentError(
            "simulate: no end time: give t_end= [s], or let the model carry it: "
            "simulation={'t_end': 2}"
        )
    for name in TIMES:
        if isinstance(settings.get(name), str):  # "150 ms"
            settings[name] = said_number(settings[name], "s", system, f"simulate: {name}")
    settings["t_end"] = arguments.seconds("t_end", settings["t_end"])
    return settings, initial, model_initial, is_mixed


def _name_model_values(error: AssemblyError, model_initial: Mapping, initial: Any) -> AssemblyError:
    """The error of an assembly, with the initial values that are the model's, and the remedy."""
    names = [n for n in model_initial if n not in initial]
    if not names:
        return error
    return AssemblyError(
        f"{error}\n  {', '.join(names[:6])}{', ...' * (len(names) > 6)} come from the model's own "
        f"initial; keep={tuple(initial)!r} keeps what is given here alone, and they follow"
    )


def _check_control(control: Any, period: Any) -> None:
    """Raise an error unless a controller and its period are given together."""
    if (control is None) != (period is None) or (
        period is not None and not arguments.positive(period)
    ):
        raise TorseurError("a controller needs both control= and period= [s], more than zero")
    if not (control is None or callable(control) or hasattr(control, "steer")):
        raise ArgumentError(
            f"simulate: control = {shown(control)}; expected a function of (t, q, v)"
        )


def _write_time_inputs(
    system: System, settings: dict[str, Any], names: Iterable[str]
) -> tuple[System, dict[str, Any], dict[str, str]]:
    """System with its inputs of time written into the model, and the options that are left.

    Third are the parameters that replace numbers of these inputs among the names of sensitivities.
    """
    if not isinstance(settings.get("inputs"), Mapping):
        return system, settings, {}
    inputs = settings["inputs"] = time_inputs.spoken(system, settings["inputs"])
    timed = {n: x for n, x in inputs.items() if time_inputs.is_time_function(x)}
    if not timed:
        return system, settings, {}
    if of_input := [n for n in names if n in timed]:
        raise ArgumentError(
            f"simulate: sensitivities: {of_input[0]!r} is an input of time; name "
            f"'{of_input[0]}.scale', or '{of_input[0]}.values[3]' of a table"
        )
    span = settings["t_end"], float(settings.get("t_start") or 0.0)
    numbers = time_inputs.numbers_of(timed, names, "simulate: sensitivities")
    model, settings["inputs"] = time_inputs.write_time_inputs(system.model, inputs, *span, *numbers)
    return model.check(), settings, time_inputs.named(timed, names)


def _create_run(
    system: System,
    names: tuple[str, ...],
    start: Any,
    settings: dict[str, Any],
    judged: bool,
    stand_ins: dict[str, str],
) -> Simulation:
    """The run, with its variational equations if there are names of sensitivities."""
    if not names:
        return Simulation(system, initial=start, **settings)
    from .sensitivity.variational import VariationalSimulation

    return VariationalSimulation(system, names, start, judged=judged, stand=stand_ins, **settings)
