"""FMU instance: the record of its data, its states, and its messages.

The record stands before that of a run (`RunRecord`) in one block of memory, with all arrays of
both. Nothing else is allocated.
"""

from __future__ import annotations

from ..compiler import Float64, Float64Array, Int64, Int64Array, PointerArray, Record, intrinsic
from ..integrate import RunRecord

longs = log_message = intrinsic

INSTANTIATED, INITIALIZING, READY, TERMINATED, BROKEN = 0, 1, 2, 3, 4
"""States of an instance: instantiated, initialization, ready for steps, terminated, failed."""
OK, WARNING, DISCARD, ERROR = 0, 1, 2, 3  # answers of functions of FMI
MODEL_EXCHANGE, CO_SIMULATION = 0, 1
TIME, STATE, RATE, INPUT, PARAMETER, SIGNAL = 0, 1, 2, 3, 4, 5  # where a variable is kept
(
    NO_VARIABLE, DEPENDENT_VARIABLE, CALL_SEQUENCE, SET_AFTER_START, FAILED, ENDED, FREQUENT_EVENTS, STEP_SIZE_ZERO, OPEN_CONSTRAINTS, BEHIND_SURFACE, INSIDE_GROUND,
    TIME_MISMATCH, FIXED_START_TIME, NOT_A_NUMBER, START_PROJECTED, FIXED_INITIAL_STATE, TERMINAL_EVENT_REACHED, NOT_OFFERED,
) = range(18)  # fmt: skip
"""Messages, see `messages`."""


class Instance(Record):
    """Data of an FMU instance, besides those of the run."""

    run = Int64("the run")
    environment = Int64("of the importer")
    logger = Int64("the importer's function for messages")
    free = Int64("the importer's function that frees memory")
    allocate = Int64("the importer's function that allocates memory")
    kind = Int64("model exchange or co-simulation")
    state = Int64("see MADE")
    size = Int64("bytes of the block, the name apart")
    start_free = Int64("whether laws can begin elsewhere than they were exported")
    start_changed = Int64("whether the start is another one")
    signals_current = Int64("whether `shown` is that of now")
    n_variables = Int64("how many")
    variable_types = Int64Array("n_variables", text="TIME, STATE, ...")
    variable_slots = Int64Array("n_variables", text="the number there")
    variable_names = Int64Array("n_variables", text="address of its name")
    n = Int64("numbers of a state")
    nm = Int64("memory")
    np = Int64("parameters")
    p = Float64Array("np", text="parameters")
    y0 = Float64Array("n", text="state at the start, as it is given")
    initial_history = Float64Array("nm", text="memory there, before anything touches")
    t0 = Float64("time at the start [s]")
    start_kernel = Int64("kernel of the start of laws, or 0")
    start_outputs = PointerArray(3, text="its outputs: states, memory, gaps")
    has_switched_constraints = Int64("whether there are contacts or dry frictions")
    n_gaps = Int64("how many contacts")
    gap = Float64Array("n_gaps", text="their gaps [m]")
    gap_names = Int64Array("n_gaps", text="addresses of their names")
    max_penetration = Float64("how far into its ground a contact may start [m]")
    ng = Int64("guards")
    min_event_values = Float64Array("ng", text="what guards must be more than at the start")
    event_names = Int64Array("ng", text="addresses of their names")
    signal_kernel = Int64("kernel of the signals, or 0")
    n_signals = Int64("signals")
    signals = Float64Array("n_signals", text="signals")
    signal_inputs = PointerArray(
        9, text="inputs of that kernel: those of runs, accelerations, multipliers"
    )
    signal_outputs = PointerArray(1, text="its output")
    is_terminated = Int64("whether an event ended the motion")


def get_run(run: RunRecord) -> RunRecord:
    """Run record at an address."""
    return run


def report_error(me: Instance, message: int, text: int, a: float, b: float) -> int:
    """Send an error message to the importer."""
    log_message(me, ERROR, message, text, a, b)
    return ERROR


def report_undefined_rates(me: Instance, t: float) -> int:
    """Discard a state whose rates are not finite; an importer tries a shorter step."""
    log_message(me, DISCARD, FAILED, 0, t, 0.0)
    return DISCARD


def relocate_addresses(block: int, table: int, count: int) -> int:
    """Add the address of the block to the words that hold offsets in it."""
    memory, offsets = longs(block), longs(table)
    for i in range(count):
        k = offsets[i]
        memory[k] = memory[k] + block
    return 0
