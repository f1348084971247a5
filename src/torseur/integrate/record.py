"""Records of the integrators: the data that native code reads and writes, field by field.

The state is y = (q, v, z): coordinates, speeds, and further continuous states of force laws.  The
right-hand side is f(t, y).  A method with s stages computes their rates k_1 ... k_s.  The event
functions are g(t, y) (Hairer, Norsett and Wanner 1993, section II.6).  An event function that is
positive is *armed*: its fall to zero is an event.
"""

from __future__ import annotations

from ..compiler import Float64, Float64Array, Int64, Int64Array, PointerArray, Record

EXPLICIT, ROSENBROCK, SEMI_IMPLICIT, NEWMARK = 0, 1, 2, 3
"""Families of methods, in `family`."""
RESET_EVENT, STOP_EVENT, MONITOR_EVENT, VALIDITY_LIMIT = 0, 1, 2, 3
"""Consequences of an event, in `event_type`: apply a reset, apply it and stop the run, only log the
event, or stop the run because no state behind the zero is valid."""
(
    REACHED_END, TERMINAL_EVENT, BUFFERS_FULL, BUDGET_SPENT, NOT_FINITE, STEP_TOO_SMALL,
    TOO_MANY_EVENTS, NO_CONVERGENCE, TOO_MANY_ATTEMPTS, ILL_CONDITIONED,
) = range(10)  # fmt: skip
"""Return codes of `advance`."""
NO_EVENT, EVALUATION_FAILED, LEAVES_SURFACE = -1, -2, -3
"""Results of event location, in place of an index k.  LEAVES_SURFACE - k: event function k was
waiting, and the motion leaves its switching surface."""
NOT_EVALUATED, F0_EVALUATED, JACOBIAN_EVALUATED = 0, 1, 2
"""Derivatives that are known at the start of the step, in `derivative_status`."""
EPS = 2.220446049250313e-16
MIN_CONDITIONING_RATIO = 0.25  # to the best conditioning with the same independent speeds


class IntegratorRecord(Record):
    """The method, its tolerances, and the sizes of the state, for every kind of integrator."""

    # sizes of the state
    n = Int64("size of the state y = (q, v, z)")
    nq = Int64("number of coordinates q")
    nv = Int64("number of speeds v")
    n_error = Int64("leading entries of y in the error norm: without accumulated energies")
    n_rhs = Int64("leading entries of y that f reads: without accumulated energies")
    n_event_state = Int64("leading entries of y that g reads: without derivatives of the state")
    n_quaternions = Int64("number of unit quaternions in q")
    quaternion_start = Int64Array("n_quaternions", text="index of the first of their four entries")

    # method tableau (see `register.Method`)
    family = Int64("EXPLICIT, ROSENBROCK, SEMI_IMPLICIT or NEWMARK")
    stages = Int64("number of stages of a step")
    dense_stages = Int64("number of stages with those that only dense output needs")
    dense_degree = Int64("degree of the dense output in theta")
    adaptive = Int64("1: step size control; 0: fixed step")
    has_second_estimate = Int64("1: the error norm combines two estimates (DOP853)")
    A = Float64Array("dense_stages", "dense_stages", text="weights of earlier stages in a stage")
    B = Float64Array("dense_stages", text="weights of the stages in the new state")
    C = Float64Array("dense_stages", text="times of the stages, as fractions of the step")
    D = Float64Array("dense_stages", text="Rosenbrock: weights of the partial derivative f_t")
    G = Float64Array("dense_stages", "dense_stages", text="Rosenbrock: weights of earlier stages")
    E = Float64Array(2, "dense_stages", text="weights of the stages in the two error estimates")
    P = Float64Array("dense_degree", "dense_stages", text="weights of the stages in dense output")
    error_exponent = Float64("exponent of the error in step size control: 1 / order")
    pi_exponent = Float64("exponent of the previous error in PI step size control")
    gamma = Float64("gamma of Rosenbrock's and of Newmark's method")
    beta = Float64("beta of Newmark's method")

    # tolerances: the error of y_j is compared with atol_j + rtol max(|y_j|, min_scale_j)
    rtol = Float64("relative tolerance")
    atol = Float64Array("n", text="absolute tolerances")
    min_scale = Float64Array("n", text="magnitude below which rtol does not follow an entry")

    # dense output and sampling of event functions
    n_samples = Int64("number of sampling points of the event functions in a step")
    sample_theta = Float64Array("n_samples", text="sampling points, as fractions of the step")
    sample_weights = Float64Array("n_samples", "dense_stages", text="weights of the stages there")
    dense_weights = Float64Array("dense_stages", text="weights of the stages at the present theta")
    n_output_times = Int64("number of requested output times")
    output_times = Float64Array("n_output_times", text="requested output times [s]")

    # statistics
    rhs_count = Int64("evaluations of f")


class RunRecord(IntegratorRecord):
    """One run: kernels, state, event functions, output rows, budgets and statistics."""

    # sizes
    nz = Int64("number of further continuous states z")
    nm = Int64("size of the memory m of laws: active segments, history")
    nu = Int64("number of inputs u")
    ng = Int64("number of event functions g")

    # kernels, by address; 0 when the model or the method has no use for one
    flow_kernel = Int64("right-hand side f")
    guards_kernel = Int64("event functions g")
    jump_kernel = Int64("resets: speeds, z and m after an event")
    project_kernel = Int64("projection of a state on its constraints")
    jacobian_kernel = Int64("Jacobian of f, and its partial derivative by time")
    integrate_kernel = Int64("coordinates after a small motion")
    conditioning_kernel = Int64("conditioning of the dependent speeds")
    factor_kernel = Int64("factors of the equation of an implicit step, link by link")
    solve_kernel = Int64("solution of that equation, link by link")
    project_simd_kernel = Int64("projection of several states, one in each SIMD lane")
    kernel_inputs = PointerArray(
        9, text="of kernels: time, state (q, v, z), m, u, parameters, extra, table rows"
    )
    kernel_outputs = PointerArray(4, text="of kernels")
    kernel_time = Float64Array(1, text="time that kernels read [s]")
    kernel_state = Float64Array("n", text="state that kernels read")
    kernel_extra = Float64Array(1, text="index of an event function, or a small motion")

    # state
    t = Float64("time at the start of the step [s]")
    y = Float64Array("n", text="state at the start of the step")
    y_new = Float64Array("n", text="state at the end of the step")
    y_work = Float64Array("n", text="an intermediate state; outputs of the jump kernel")
    m = Float64Array("nm", text="memory of laws, constant between events")
    u = Float64Array("nu", text="inputs, constant between events")
    f0 = Float64Array("n", text="f at the start of the step")
    stage_rates = Float64Array("dense_stages", "n", text="rates k_i of the stages")
    derivative_status = Int64("NOT_EVALUATED, F0_EVALUATED or JACOBIAN_EVALUATED")
    dense_complete = Int64("1: the stages that only dense output needs are computed")

    # step size control
    h = Float64("proposed step [s]")
    h_max = Float64("largest step [s]")
    t_stop = Float64("time at which `advance` returns [s]")
    h_proposed = Float64("proposed step within h_max, before it is fitted to t_stop [s]")
    h_attempt = Float64("step of the attempt [s]")
    h_next = Float64("step that follows an accepted one [s]")
    reaches_end = Int64("1: the attempt ends at t_stop")
    previous_error = Float64("error norm of the last accepted step")
    after_rejection = Int64("1: the last attempt was rejected")
    fixed_step_split = Int64("1: an event has split a fixed step (EV.4)")
    fixed_step_end = Float64("end of the fixed step that was split [s]")

    # rounding noise of the projection near a singular position (IN.12)
    noise_attempts = Int64("consecutive attempts of longer steps")
    max_noise = Float64("largest noise that was accepted, over the tolerance")
    max_noise_time = Float64("its time [s]")

    # conditioning of the dependent speeds
    conditioning = Float64Array(1, text="conditioning at the last check")
    min_conditioning = Float64("value below which `advance` returns ILL_CONDITIONED")
    steps_since_check = Int64("accepted steps since the last check")

    # event functions: values, consequences
    events_armed = Int64("1: g_armed is known")
    g_armed = Float64Array("ng", text="values at the start of the step; positive: armed")
    g_armed_saved = Float64Array("ng", text="g_armed as the step began")
    g = Float64Array("ng", text="values at the last evaluation")
    g_event = Float64Array("ng", text="values at the event, before any reset")
    event_type = Int64Array("ng", text="RESET_EVENT, STOP_EVENT, MONITOR_EVENT or VALIDITY_LIMIT")
    n_validity_limits = Int64("number of event functions of type VALIDITY_LIMIT")
    law_index = Int64Array("ng", text="law that the event function belongs to")
    reset_applied = Float64Array("ng", text="1: reset applied at this instant")

    # event functions that wait on their switching surface (EV.5)
    waits_on_surface = Int64Array("ng", text="0: never; 1: may wait; 2: leaving is an event")
    waiting_value = Float64Array("ng", text="value from which it waits; positive: it does not wait")
    n_waiting = Int64("number of event functions that wait")
    segment_changes = Int64("switching surfaces left at this instant")

    # sampling of event functions, grazing roots (EV.8)
    g_sample = Float64Array("ng", text="values at the last sample")
    g_slope = Float64Array("ng", text="difference quotients up to the last sample [1/s]")
    g_slope_start = Float64Array("ng", text="the same at the start of the step [1/s]")
    g_predicted = Float64Array("ng", text="values at this sample, extrapolated from the last one")
    n_crossed = Int64("event functions with a zero crossing at the last evaluation")
    max_inactive = Float64("largest value at the last evaluation among the inactive ones, or 0")

    # event location
    event_index = Int64("event function whose zero ends the step, or NO_EVENT")
    event_theta = Float64("zero by dense output, as a fraction of the step")
    event_slope = Float64("slope of the event function there [1/s]; 0: not known")
    refinements_left = Int64("0: no event is located; else attempts that are left")
    refined_h = Float64("step of the best attempt [s]")
    refined_g = Float64("value of the event function there")
    event_step = Float64("step in which the zero crossing was sampled [s]")
    event_shift = Float64("event minus the end of the step, where y_new was shifted [s]")

    # rows of tables that a reset reads: the row of the memory and its neighbors
    n_tables = Int64("number of tables")
    table_slot = Int64Array("n_tables", text="index in m of the present row")
    table_rows = Int64Array("n_tables", text="number of rows")
    table_width = Int64Array("n_tables", text="numbers in a row")
    table_start = Int64Array("n_tables", text="index of the first number in `table_values`")
    table_size = Int64("size of `table_values`")
    table_values = Float64Array("table_size", text="rows of all tables")
    neighbor_size = Int64("size of `neighbor_rows`")
    neighbor_rows = Float64Array("neighbor_size", text="of each table: previous, present, next row")

    # linear equation of an implicit step
    matrix_size = Int64("n, or 1 for methods without a matrix")
    W = Float64Array("matrix_size", "matrix_size", text="matrix of the equation, its LU factors")
    J = Float64Array("matrix_size", "matrix_size", text="Jacobian of f")
    f_t = Float64Array("n", text="partial derivative of f by time; Newmark: accelerations")
    pivots = Int64Array("n", text="row exchanges of the LU factorization")
    factor_inputs = PointerArray(9, text="kernel_inputs, accelerations, link_scales")
    solve_inputs = PointerArray(3, text="link_factors, linear_rhs, link_scales")
    link_factors_size = Int64("size of `link_factors`")
    link_factors = Float64Array("link_factors_size", text="factors of the equation, link by link")
    link_scales = Float64Array(3, text="1 / step for speeds, for coordinates; weight of f_t")
    linear_rhs = Float64Array("n", text="right-hand side of the equation")
    linear_solution = Float64Array("n", text="solution of the equation")

    # output rows
    output_every_step = Int64("1: every accepted step is a row")
    row_capacity = Int64("rows that fit into the buffers")
    n_rows = Int64("rows written")
    row_t = Float64Array("row_capacity", text="times [s]")
    row_y = Float64Array("row_capacity", "n", text="states")
    row_history = Int64Array("row_capacity", text="entry of `history` that holds m and u")
    n_row_accelerations = Int64("accelerations in a row: nv or 0")
    row_a = Float64Array("row_capacity", "n_row_accelerations", text="accelerations")
    row_rates = Float64Array("n", text="f at a row")
    next_output = Int64("index of the next output time")
    projected_rows = Int64("rows up to which dense output of this step is projected already")

    # history: memory and inputs, one entry from an event to the next
    history_width = Int64("nm + nu")
    history_capacity = Int64("entries that fit into the buffer")
    n_history = Int64("entries written")
    history = Float64Array("history_capacity", "history_width", text="m and u")
    history_changed = Int64("1: m or u have changed since the last entry")

    # log of events
    log_capacity = Int64("events that fit into the buffers")
    n_logged = Int64("events written")
    log_time = Float64Array("log_capacity", text="times [s]")
    log_index = Int64Array("log_capacity", text="event functions")

    # projection of dense output in SIMD lanes
    projection_lanes = Int64("number of lanes")
    lane_inputs_size = Int64("numbers that a lane reads: time, state, m, u, parameters")
    lane_inputs = Float64Array("lane_inputs_size", "projection_lanes")
    lane_outputs = Float64Array("nq", "projection_lanes", text="coordinates, then speeds")

    # budgets
    max_events = Int64("number of events after which the run stops")
    max_attempts = Int64("number of attempts after which the run stops")
    max_rhs_count = Int64("number of evaluations of f after which the run stops")

    # statistics
    step_count = Int64("accepted steps")
    rejection_count = Int64("rejected attempts")
    jacobian_count = Int64("evaluations of the Jacobian")
    event_count = Int64("events")
    detail = Int64("status of the kernel that failed, or the event function that stopped the run")


class SimdRunsRecord(RunRecord):
    """A queue of runs: each SIMD lane takes one run after the other, with its events and memory."""

    # queue
    n_runs = Int64("number of runs")
    run_stride = Int64("distance of the runs that one lane takes")
    next_run = Int64("next run of the lane")
    current_run = Int64("present run, or -1")

    # initial values of every run
    np = Int64("number of parameters")
    p = Float64Array("np", text="parameters that kernels read")
    t_start = Float64("start time of all runs [s]")
    initial_states = Float64Array("n_runs", "n")
    initial_memories = Float64Array("n_runs", "nm")
    run_inputs = Float64Array("n_runs", "nu")
    run_parameters = Float64Array("n_runs", "np")
    first_steps = Float64Array("n_runs", text="[s]")

    # results
    first_row = Int64("first row of the present run")
    first_log = Int64("first logged event of the present run")
    n_statistics = Int64("number of statistics of a run")
    run_statistics = Float64Array("n_runs", "n_statistics", text="see `simd_runs.RUN_STATISTICS`")

    shared = frozenset(IntegratorRecord.fields) - {"rhs_count", "dense_weights"} | frozenset(
        "nz nm nu ng np "
        "flow_kernel guards_kernel jump_kernel project_kernel jacobian_kernel integrate_kernel "
        "conditioning_kernel factor_kernel solve_kernel project_simd_kernel "
        "kernel_inputs kernel_outputs factor_inputs solve_inputs "
        "n_tables table_slot table_rows table_width table_start table_size table_values "
        "neighbor_size "
        "event_type n_validity_limits waits_on_surface law_index "
        "matrix_size link_factors_size t_stop h_max "
        "output_every_step row_t row_y row_history n_row_accelerations row_a "
        "history_width history log_time log_index "
        "projection_lanes lane_inputs_size lane_inputs lane_outputs "
        "max_events max_attempts max_rhs_count "
        "n_runs run_stride t_start initial_states initial_memories run_inputs run_parameters "
        "first_steps n_statistics run_statistics".split()
    )
    """Fields with one value for all lanes; each lane has its own value of all others."""


class SmoothSimdRecord(IntegratorRecord):
    """Runs without events in SIMD lanes: entry k of lane j is item [k, j] of a two-axis array."""

    # lanes
    width = Int64("number of lanes")
    lanes_size = Int64("size of the states of all lanes: n times width")
    busy_lanes = Int64("lanes that have a run")
    lane_run = Int64Array("width", text="run of each lane, or -1")

    # right-hand side
    flow_kernel = Int64("right-hand side f for all lanes")
    kernel_inputs_size = Int64("numbers that a lane reads: time, state, inputs, parameters")
    kernel_inputs = Float64Array("kernel_inputs_size", "width")

    # state
    t = Float64Array("width", text="time of each lane [s]")
    y = Float64Array("n", "width", text="states at the start of the step")
    y_new = Float64Array("n", "width", text="states at the end of the step")
    y_work = Float64Array("n", "width", text="intermediate states, or a sum of rates")
    stage_rates = Float64Array("dense_stages", "lanes_size", text="rates k_i of the stages")
    derivative_status = Int64("NOT_EVALUATED or F0_EVALUATED")

    # step size control
    h = Float64Array("width", text="step of each lane [s]")
    h_entries = Float64Array("n", "width", text="the same, for every entry of the states [s]")
    h_max = Float64("largest step [s]")
    previous_error = Float64Array("width", text="error norm of the last accepted step")
    after_rejection = Int64Array("width", text="1: the last attempt was rejected")
    attempts = Int64Array("width", text="attempts of the present run")
    max_attempts = Int64("number of attempts after which a run stops")

    # queue and initial values
    next_run = Int64("next run of the queue")
    queue_end = Int64("run behind the last one of the queue")
    n_runs = Int64("number of runs")
    initial_states = Float64Array("n_runs", "n")
    np = Int64("number of parameters")
    run_parameters = Float64Array("n_runs", "np")
    first_steps = Float64Array("n_runs", text="[s]")

    # results
    run_status = Int64Array("n_runs", text="return code of each run")
    next_output = Int64Array("width", text="index of the next output time of each lane")
    row_width = Int64("numbers in a row")
    n_rows = Int64("rows of all runs")
    output_rows = Float64Array("n_rows", "row_width", text="rows, run after run")
