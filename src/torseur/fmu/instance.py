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
OK, WARNING, DISCARD, ERROR = 0, 1, 2, 3  # status of a function of FMI
MODEL_EXCHANGE, CO_SIMULATION = 0, 1
TIME, STATE, RATE, INPUT, PARAMETER, SIGNAL = 0, 1, 2, 3, 4, 5  # types of variables
NO_VARIABLE, DEPENDENT_VARIABLE, CALL_SEQUENCE, SET_AFTER_START, FAILED, ENDED = range(6)
FREQUENT_EVENTS, STEP_SIZE_ZERO, OPEN_CONSTRAINTS, BEHIND_SURFACE = range(6, 10)
INSIDE_GROUND, TIME_MISMATCH, FIXED_START_TIME, NOT_A_NUMBER = range(10, 14)
START_PROJECTED, FIXED_INITIAL_STATE, TERMINAL_EVENT_REACHED, NOT_OFFERED = range(14, 18)
"""Numbers of messages, in the order of `fmi2_api_llvm.MESSAGES`."""


class Instance(Record):
    """Data of an FMU instance, besides those of the run."""

    run = Int64("address of the record of the run")
    # the importer
    environment = Int64("component environment of the importer")
    logger = Int64("function of the importer for messages")
    free = Int64("function of the importer that frees memory")
    allocate = Int64("function of the importer that allocates memory")
    kind = Int64("MODEL_EXCHANGE or CO_SIMULATION")
    state = Int64("INSTANTIATED, INITIALIZING, ...")
    size = Int64("size of the block without the name [bytes]")
    # variables
    start_free = Int64("whether the importer may choose another initial state")
    start_changed = Int64("whether the importer has changed the initial state")
    signals_current = Int64("whether `signals` are those of the present state")
    n_variables = Int64("number of variables")
    variable_types = Int64Array("n_variables", text="TIME, STATE, ...")
    variable_slots = Int64Array("n_variables", text="index among the variables of one type")
    variable_names = Int64Array("n_variables", text="addresses of the names")
    # initial state
    n = Int64("size of the state")
    nm = Int64("size of the history variables")
    np = Int64("number of parameters")
    p = Float64Array("np", text="parameters")
    y0 = Float64Array("n", text="start values of the state")
    initial_history = Float64Array("nm", text="history variables before contacts begin")
    t0 = Float64("start time [s]")
    start_kernel = Int64("kernel of the initial state of laws, or 0")
    start_outputs = PointerArray(3, text="its outputs: internal states, history variables, gaps")
    has_switched_constraints = Int64("whether there are contacts or dry frictions")
    n_gaps = Int64("number of contacts")
    gap = Float64Array("n_gaps", text="gaps of contacts [m]")
    gap_names = Int64Array("n_gaps", text="addresses of their names")
    max_penetration = Float64("allowed penetration of contacts at the start [m]")
    # event functions and signals
    ng = Int64("number of event functions")
    min_event_values = Float64Array("ng", text="lower bounds of event functions at the start")
    event_names = Int64Array("ng", text="addresses of their names")
    signal_kernel = Int64("kernel of the signals, or 0")
    n_signals = Int64("number of signals")
    signals = Float64Array("n_signals", text="signals")
    signal_inputs = PointerArray(
        9, text="inputs of that kernel: those of the run, accelerations, multipliers"
    )
    signal_outputs = PointerArray(1, text="its output")
    is_terminated = Int64("whether an event has ended the motion")


def get_run(run: RunRecord) -> RunRecord:
    """Run record at an address."""
    return run


def report_error(me: Instance, message: int, text: int, a: float, b: float) -> int:
    """Send an error message to the importer."""
    log_message(me, ERROR, message, text, a, b)
    return ERROR


def report_undefined_rates(me: Instance, t: float) -> int:
    """Discard a state whose rates are not finite.  An importer tries a shorter step."""
    log_message(me, DISCARD, FAILED, 0, t, 0.0)
    return DISCARD


def relocate_addresses(block: int, table: int, count: int) -> int:
    """Add the address of the block to the words that hold offsets in it."""
    memory, offsets = longs(block), longs(table)
    for i in range(count):
        k = offsets[i]
        memory[k] = memory[k] + block
    return 0
