"""What native integrators read and write: one record of a single run, one of a queue of lanes."""

from __future__ import annotations

from ..compiler import Record, pointers, real, reals, whole, wholes

# families of methods, what a guard does, answers of `advance`
EXPLICIT, ROSENBROCK, SEMI_IMPLICIT, NEWMARK = 0, 1, 2, 3
ACTING, STOPPING, WATCHING, ENDING = 0, 1, 2, 3  # ending: nothing is valid behind it
(
    REACHED, TERMINAL, FULL, BUDGET, NOT_FINITE, TOO_SMALL, TOO_MANY, NO_CONVERGENCE, TOO_LONG,
    LOOSE,
) = range(10)  # fmt: skip
EPS = 2.220446049250313e-16
QUARTER = 0.25  # of how firmly speeds follow those that lead, a square
NONE, BROKEN = -1, -2  # no guard; one that is not finite
LEAVES = -3  # less the number of a guard: the motion leaves the knot on which it waited


class Stepping(Record):
    """A method, its tolerances, and the state it works on: what one run and lanes share."""

    n = whole("numbers of a state: coordinates, speeds, z")
    nq = whole("coordinates")
    nv = whole("speeds")
    counted = whole("numbers of the state that the error norm is a mean of: books are not")
    read = whole("leading numbers of the state that rates read: books are not")
    watched = whole("leading numbers of the state that guards read: derivatives are not, either")
    quaternions = whole("how many, each of four coordinates")
    quaternion = wholes("quaternions", text="where each starts")

    family = whole("explicit, Rosenbrock, semi-implicit or Newmark")
    stages = whole("stages of a step")
    rows = whole("stages, with those that only interpolation needs")
    degree = whole("of the interpolant")
    adaptive = whole("whether the error governs the step")
    two = whole("whether there are two estimates of the error")
    A = reals("rows", "rows", text="weights of earlier stages")
    B = reals("rows", text="weights of the new state")
    C = reals("rows", text="times of stages")
    D = reals("rows", text="Rosenbrock: weights of the derivative by time")
    G = reals("rows", "rows", text="Rosenbrock: weights of earlier stages under the matrix")
    E = reals(2, "rows", text="weights of the two estimates of the error")
    P = reals("degree", "rows", text="interpolant: weights of the stages, as polynomials")
    exponent = real("of the step's dependence on the error")
    smoothing = real("exponent of the last error in step control")
    gamma = real("Rosenbrock's and Newmark's constant")
    beta = real("Newmark's constant")

    rtol = real("relative tolerance")
    atol = reals("n", text="absolute tolerance")
    floor = reals("n", text="size under which a number is not followed by rtol")

    looks = whole("parts of a step at which guards are looked at")
    look = reals("looks", text="which")
    look_weight = reals("looks", "rows", text="of the stages, there")
    weight = reals("rows", text="of the stages in a state between")
    wanted = whole("times at which rows are asked for")
    times = reals("wanted", text="[s]")
    calls = whole("evaluations so far")


class Steps(Stepping):
    """One run: kernels by address, the state, guards, rows, and where the step stands."""

    nz = whole("further continuous states")
    nm = whole("memory")
    nu = whole("inputs")
    ng = whole("guards")
    flow = whole("kernel of the rates; kernels are 0 when absent")
    guards = whole("kernel of the guards")
    jump = whole("kernel of what events do")
    project = whole("kernel that brings a state back to its constraints")
    jacobian = whole("kernel of the derivatives of the rates")
    integrate = whole("kernel of coordinates reached by a small motion")
    leads = whole("kernel that tells how firmly dependent speeds follow those that lead")
    fold = whole("kernel that reduces the equation of an implicit step, link by link")
    unfold = whole("kernel that solves it then")
    inputs = pointers(
        9, text="of kernels: time, seen (q, v, z), memory, inputs, parameters, extra, gathered"
    )
    outputs = pointers(4, text="of kernels")

    y = reals("n", text="state at the start of the step")
    new = reals("n", text="state at its end")
    other = reals("n", text="a state in between; room for a jump's answer")
    seen = reals("n", text="state as kernels read it")
    time = reals(1, text="time as kernels read it [s]")
    extra = reals(1, text="further input of kernels: the guard of a jump, a small motion")
    m = reals("nm", text="memory")
    u = reals("nu", text="inputs")
    f0 = reals("n", text="rates at the start")
    stage = reals("rows", "n", text="rates of the stages")

    lists = whole("lists of which a jump gathers rows")
    list_place = wholes("lists", text="where the number of the present row is in the memory")
    list_rows = wholes("lists", text="how many rows")
    list_width = wholes("lists", text="numbers of a row")
    list_start = wholes("lists", text="where its numbers are in `listed`")
    all_listed = whole("numbers of all lists")
    listed = reals("all_listed", text="their rows, one after the other")
    nd = whole("numbers that a jump gathers")
    gathered = reals("nd", text="rows before, at and after the present one, of each list")

    g0 = reals("ng", text="guards at the start, where they are armed")
    g1 = reals("ng", text="guards where they were last looked at")
    kept = reals("ng", text="guards at the event, before anything acts")
    kinds = wholes("ng", text="acting, stopping, watching or ending")
    ends = whole("guards that are ending ones")
    looked = reals("ng", text="guards where they were looked at before")
    slopes = reals("ng", text="their slopes there [1/s]")
    fall = reals("ng", text="their slopes at the start of the step [1/s]")
    dips = reals("ng", text="what they were to be by now, by their slopes")
    theta = real("part of the step at which an event was seen")
    before = reals("ng", text="g0 as the step began")
    acted = reals("ng", text="1 where a guard acts at this instant")
    waits = wholes("ng", text="whether it may wait on its knot; 2: leaving it then is an event")
    waits_from = reals("ng", text="the value from which it waits; positive: it does not wait")
    owner = wholes("ng", text="the law it belongs to")
    waiting = whole("guards that wait")
    settled = whole("pieces changed at one instant")

    W = reals("edge", "edge", text="matrix of an implicit method, factored in place")
    J = reals("edge", "edge", text="Jacobian of the rates")
    edge = whole("their size: n, or 1 for methods that need none")
    ft = reals("n", text="derivative of the rates by time")
    pivots = wholes("n", text="row exchanges")
    folding = pointers(9, text="inputs of `fold`: as `inputs`, then accelerations and scales")
    unfolding = pointers(3, text="inputs of `unfold`: what was folded, right-hand side, scales")
    folds = whole("numbers that `fold` leaves")
    folded = reals("folds", text="what `fold` leaves")
    scales = reals(3, text="1 / step for speeds, for coordinates; weight of the slope by time")
    rhs = reals("n", text="right-hand side of the equation")
    solved = reals("n", text="its solution")

    t = real("time at the start of the step [s]")
    h = real("next step [s]")
    stop = real("where to go [s]")
    h_max = real("longest step [s]")
    wish = real("the step as step control wishes it [s]")
    tried = real("the step as tried [s]")
    ahead = real("the step after this one [s]")
    err = real("error of the last accepted step over its tolerance")
    shaken = real("worst wobble that was accepted, over the tolerance")
    where = real("its time [s]")
    fresh = whole("0: f0 is not known; 1: it is; 2: so is the Jacobian")
    armed = whole("whether g0 is known")
    last = whole("whether the step reaches `stop`")
    split = whole("whether an event has split a fixed step, which ends at `due`")
    due = real("[s]")
    refused = whole("whether the attempt before was refused")
    seeking = whole("0, or steps that are left to seek the one which ends at an event")
    sought = real("the best of them so far [s]")
    sought_g = real("its guard")
    sought_in = real("the step in which the event was seen [s]")
    slope = real("of the guard")
    firm = reals(1, text="how firmly they do")
    firmest = real("how firmly they must: below it the run asks who is to lead")
    unlooked = whole("steps since it was looked at")
    slid = real("how far the new state lies beyond the end of the step, at an event [s]")
    tries = whole("longer steps tried in a row near a singular position")
    complete = whole("whether the stages that only interpolation needs are there")
    foreseen = whole("rows up to which states of this step are written already, or 0")
    abreast = whole("rows that are projected side by side")
    project_lanes = whole("kernel that does, or 0")
    slots = whole("numbers that it reads: time, state, memory, inputs, parameters")
    lane_in = reals("slots", "abreast")
    lane_out = reals("nq", "abreast", text="coordinates, then speeds")
    fell = whole("guards that had fallen where they were last looked at")
    risen = real("largest of the guards there that were not positive before, or 0")
    fired = whole("guard of the event that ends the step, or -1")

    every = whole("whether every step is a row")
    room = whole("rows that fit")
    row = whole("rows written")
    row_t = reals("room", text="[s]")
    row_y = reals("room", "n")
    row_k = wholes("room", text="which of the pasts each row has")
    shown = whole("accelerations that are kept of each row: nv, or none")
    row_a = reals("room", "shown")
    rate = reals("n", text="rates at a row")
    wide = whole("numbers of a past: memory, inputs")
    pasts = whole("pasts that fit")
    known = whole("pasts written")
    past = reals("pasts", "wide", text="memory and inputs, from an event to the next")
    stale = whole("whether memory or inputs have changed since the last of them")
    grid = whole("wanted times passed")
    logged = whole("events that fit")
    logs = whole("events written")
    most_events = whole("events after which a run gives up")
    most_steps = whole("attempts after which a run gives up")
    most_calls = whole("evaluations after which a run gives up")
    when = reals("logged", text="[s]")
    which = wholes("logged", text="guard of each event")

    events = whole("so far")
    steps = whole("accepted so far")
    rejected = whole("attempts refused so far")
    jacobians = whole("Jacobians evaluated so far")
    detail = whole("status of the kernel that failed, or the guard that stopped the run")


class Members(Steps):
    """A queue of runs, each from its own start to its own end, events and memory included."""

    np = whole("parameters")
    p = reals("np", text="parameters as kernels read them")
    runs = whole("how many there are in all")
    next = whole("next run of this lane's queue")
    every_lane = whole("how far apart the runs of one queue are")
    at = whole("the run under way")
    begins = real("time at the start of every run [s]")
    starts = reals("runs", "n", text="initial states")
    memories = reals("runs", "nm", text="initial memory")
    given = reals("runs", "nu", text="inputs")
    parameters = reals("runs", "np")
    first_h = reals("runs", text="first steps [s]")
    row_first = whole("first row of the run under way")
    log_first = whole("its first event")
    columns = whole("numbers that are told of a run")
    told = reals("runs", "columns", text="what became of each, see `members.TOLD`")

    shared = frozenset(Stepping.fields) - {"calls", "weight"} | frozenset(
        "nz nm nu ng flow guards jump project jacobian integrate leads inputs outputs lists "
        "list_place list_rows list_width list_start all_listed listed nd kinds ends waits "
        "owner edge stop h_max every row_t row_y row_k shown row_a wide past most_events "
        "most_steps most_calls when which np runs every_lane begins starts memories given "
        "abreast project_lanes slots lane_in lane_out "
        "parameters first_h columns told fold unfold folding unfolding folds".split()
    )
    """What all lanes have in common; the rest is each lane's own."""


class Lanes(Stepping):
    """Runs side by side: number k of lane j is item [k, j] of an array of two axes."""

    width = whole("lanes")
    size = whole("numbers of all lanes: n times width")
    kernel = whole("kernel of the rates, for lanes")
    slots = whole("numbers that the kernel reads: time, state, inputs, parameters")
    inputs = reals("slots", "width", text="of the kernel")
    y = reals("n", "width", text="state at the start of the step")
    new = reals("n", "width", text="state at its end")
    other = reals("n", "width", text="a state in between, or a sum")
    stage = reals("rows", "size", text="rates of the stages")

    t = reals("width", text="time of each lane [s]")
    h = reals("width", text="step of each lane [s]")
    hs = reals("n", "width", text="the same, for every number [s]")
    err = reals("width", text="error of the last accepted step over its tolerance")
    refused = wholes("width", text="whether the attempt before was refused")
    run = wholes("width", text="which run each lane takes, or -1")
    grid = wholes("width", text="rows of it so far")
    tried = wholes("width", text="attempts of it so far")
    most_steps = whole("attempts after which a run gives up")
    h_max = real("longest step [s]")
    fresh = whole("whether the rates at the start are known")
    busy = whole("lanes at work")

    first = whole("next run of the queue")
    end = whole("where the queue ends")
    runs = whole("how many there are in all")
    starts = reals("runs", "n", text="initial states")
    np = whole("parameters")
    parameters = reals("runs", "np")
    steps = reals("runs", text="first steps [s]")
    status = wholes("runs", text="what became of each")
    shown = whole("numbers of a row")
    kept = whole("rows of all runs")
    out = reals("kept", "shown", text="rows, run after run")
