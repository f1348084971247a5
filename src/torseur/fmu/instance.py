"""What the functions of FMI know of an instance: its record, and what they answer.

The record stands before that of a run (`Steps`) in one block of memory, with all arrays of both;
nothing else is allocated.
"""

from __future__ import annotations

from ..compiler import Record, intrinsic, pointers, real, reals, whole, wholes
from ..integrate import Steps

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

    run = whole("the run")
    environment = whole("of the importer")
    logger = whole("the importer's function for messages")
    free = whole("the importer's function that frees memory")
    allocate = whole("the importer's function that allocates memory")
    kind = whole("model exchange or co-simulation")
    state = whole("see MADE")
    size = whole("bytes of the block, the name apart")
    restarts = whole("whether laws can begin elsewhere than they were exported")
    touched = whole("whether the start is another one")
    shown_now = whole("whether `shown` is that of now")
    variables = whole("how many")
    where = wholes("variables", text="TIME, STATE, ...")
    slot = wholes("variables", text="the number there")
    label = wholes("variables", text="address of its name")
    n = whole("numbers of a state")
    nm = whole("memory")
    np = whole("parameters")
    p = reals("np", text="parameters")
    y0 = reals("n", text="state at the start, as it is given")
    m0 = reals("nm", text="memory there, before anything touches")
    t0 = real("time at the start [s]")
    begin = whole("kernel of the start of laws, or 0")
    begins = pointers(3, text="its outputs: states, memory, gaps")
    switched = whole("whether there are contacts or dry frictions")
    gaps = whole("how many contacts")
    gap = reals("gaps", text="their gaps [m]")
    gap_label = wholes("gaps", text="addresses of their names")
    touch = real("how far into its ground a contact may start [m]")
    ng = whole("guards")
    least = reals("ng", text="what guards must be more than at the start")
    guard_label = wholes("ng", text="addresses of their names")
    output = whole("kernel of the signals, or 0")
    outputs = whole("signals")
    shown = reals("outputs", text="signals")
    seeing = pointers(9, text="inputs of that kernel: those of the run, accelerations, multipliers")
    showing = pointers(1, text="its output")
    ended = whole("whether an event ended the motion")


def the_run(run: Steps):
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
