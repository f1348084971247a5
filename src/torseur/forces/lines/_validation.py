"""What lines of action check alike: ends, numbers, laws."""

from __future__ import annotations

from ...errors import said, unknown_name_message
from ...scalars.values import value
from ..base import Law

TIME = "t"


def end_problems(model, end, where):
    names = model.place_names
    pair = isinstance(end, tuple) and len(end) == 2
    name = end[0] if pair else end
    if not isinstance(name, str):
        yield f"{where}: {end!r}: expected a frame's name, or (body, (x, y, z))"
    elif name not in names:
        yield unknown_name_message("body or frame", name, names, where)
    elif pair:
        yield from number_problems(model, end[1], (3,), f"{where}: point [m]")


def number_problems(model, x, shape, where):
    try:
        symbols = value.exacts(x, shape)
    except (TypeError, ValueError) as e:
        yield f"{where}: {said(e)}"
        return
    yield from _time_problems(model, symbols.ravel(), where, MOTION_NAMES)
    yield from _unknown(model, symbols.ravel(), where)


MOTION_NAMES = "put it on a ts.Frame, which time may move by `at` and `rpy`, or use a law of time"
IN_TIME = "use a law of time: ts.Expression of t and x, ts.TimeTable, an input"


def _time_problems(model, numbers, where, remedy):
    """Numbers that depend on time, which neither speeds nor books of a force would count."""
    if TIME in model.parameters:
        return
    for x in numbers:
        if isinstance(x, value.Value) and TIME in value.symbols(x):
            yield (
                f"{where}: {str(x)!r} depends on time, but this number is constant in the "
                f"equations; {remedy}, or declare a parameter {TIME!r} if it is no time"
            )


def _unknown(model, numbers, where):
    """Names of inputs; names that are no parameters, where the model declares some or says how it
    is to run."""
    names = (n for x in numbers if isinstance(x, value.Value) for n in value.symbols(x))
    inputs = {x.name for x in model.inputs} - {*model.parameters}
    for name in dict.fromkeys(names):
        declares = model.parameters or model.simulation
        if name in inputs:
            yield (
                f"{where}: {name!r} is an input, but stands for a number; push by it with "
                f"ts.Effort(input={name!r}), or see it in ts.Expression with "
                f"signals={{{name!r}: {name!r}}}"
            )
        elif declares and name not in model.parameters and name != TIME:
            yield unknown_name_message("parameter", name, model.parameters, where)


def law_problems(model, law, where, steps=False):
    """What is wrong with a law; on a line of coordinates it may have `steps`."""
    if not isinstance(law, Law):
        yield f"{where}: expected a law such as ts.Spring(stiffness=200), got {law!r}"
        return
    problems = law.faults() or law.problems() or law.faults_at(value.nominals(model.parameters))
    if not (problems or steps) and law.steps():
        problems = (
            f"has a vertical step at {law.steps()[0][0]}, which only a line of "
            "coordinates can hold (JointForce, CoordinateForce); give the rise a width",
        )
    yield from (f"{where}: its law {type(law).__name__} {text}" for text in problems)
    if problems:
        return
    variables = f"{where}, its law {type(law).__name__}"
    yield from _time_problems(model, law.texts(), variables, IN_TIME)
    yield from _unknown(model, [*law.numbers(), *law.texts()], variables)
    names = {i.name for i in model.inputs}
    for name in law.inputs:
        if name not in names:
            yield unknown_name_message("input", name, names, where)
