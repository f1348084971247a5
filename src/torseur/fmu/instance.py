"""What the functions of FMI know of an instance: its record, and what they answer.

The record stands before that of a run (`RunRecord`) in one block of memory, with all arrays of
both; nothing else is allocated.
"""

from __future__ import annotations

from ..compiler import Float64, Float64Array, Int64, Int64Array, PointerArray, Record, intrinsic
from ..integrate import RunRecord

longs = say = intrinsic

MADE, STARTING, READY, STEPPED, WRONG = 0, 1, 2, 3, 4
"""States of an instance: instantiated, initialization, ready for steps, terminated, failed."""
OK, WARNING, DISCARD, ERROR = 0, 1, 2, 3  # answers of functions of FMI
MODEL_EXCHANGE, CO_SIMULATION = 0, 1
TIME, STATE, RATE, INPUT, PARAMETER, SHOWN = 0, 1, 2, 3, 4, 5  # where a variable is kept
(
    NO_VARIABLE, NOT_SET, NOT_NOW, FIXED, FAILED, ENDED, TOO_OFTEN, SHORT, APART, PAST_END, INSIDE,
    BACKWARDS, OTHER_TIME, NOT_A_NUMBER, MOVED, NO_START, STOPPED, UNKNOWN_KIND,
) = range(18)  # fmt: skip
"""Messages, see `messages`."""


class Instance(Record):
    """What the functions of FMI know of an instance, besides the run."""

    run = Int64("the run")
    environment = Int64("of the importer")
    logger = Int64("the importer's function for messages")
    free = Int64("the importer's function that frees memory")
    allocate = Int64("the importer's function that allocates memory")
    kind = Int64("model exchange or co-simulation")
    state = Int64("see MADE")
    size = Int64("bytes of the block, the name apart")
    restarts = Int64("whether laws can begin elsewhere than they were exported")
    touched = Int64("whether the start is another one")
    shown_now = Int64("whether `shown` is that of now")
    variables = Int64("how many")
    where = Int64Array("variables", text="TIME, STATE, ...")
    slot = Int64Array("variables", text="the number there")
    label = Int64Array("variables", text="address of its name")
    n = Int64("numbers of a state")
    nm = Int64("memory")
    np = Int64("parameters")
    p = Float64Array("np", text="parameters")
    y0 = Float64Array("n", text="state at the start, as it is given")
    m0 = Float64Array("nm", text="memory there, before anything touches")
    t0 = Float64("time at the start [s]")
    begin = Int64("kernel of the start of laws, or 0")
    begins = PointerArray(3, text="its outputs: states, memory, gaps")
    switched = Int64("whether there are contacts or dry frictions")
    gaps = Int64("how many contacts")
    gap = Float64Array("gaps", text="their gaps [m]")
    gap_label = Int64Array("gaps", text="addresses of their names")
    touch = Float64("how far into its ground a contact may start [m]")
    ng = Int64("guards")
    least = Float64Array("ng", text="what guards must be more than at the start")
    guard_label = Int64Array("ng", text="addresses of their names")
    output = Int64("kernel of the signals, or 0")
    outputs = Int64("signals")
    shown = Float64Array("outputs", text="signals")
    seeing = PointerArray(
        9, text="inputs of that kernel: those of runs, accelerations, multipliers"
    )
    showing = PointerArray(1, text="its output")
    ended = Int64("whether an event ended the motion")


def the_run(run: RunRecord):
    """The run at an address."""
    return run


def told(me, message, text, a, b):
    """An error, said to the importer."""
    say(me, ERROR, message, text, a, b)
    return ERROR


def unfit(me, t):
    """A state whose rates have no value: an importer tries a shorter step."""
    say(me, DISCARD, FAILED, 0, t, 0.0)
    return DISCARD


def addressed(block, table, count):
    """Places in a block that hold where others of it are, from its start: they become addresses."""
    words, places = longs(block), longs(table)
    for i in range(count):
        k = places[i]
        words[k] = words[k] + block
    return 0
