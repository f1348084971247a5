"""The table that native integrators share: what its words are, and the numbers they stand for.

`S` is an array of 64-bit words: sizes, counters, addresses of kernels and of arrays.  An array is
reached by `doubles(S[Y])` or `longs(S[PIV])`, a kernel is called through `call(S[FLOW], ...)`.
"""

# families, kinds of guards, answers of `advance`
EXPLICIT, ROSENBROCK, SEMI_IMPLICIT, NEWMARK = 0, 1, 2, 3
ACTING, STOPPING, WATCHING = 0, 1, 2
REACHED, TERMINAL, FULL, BUDGET, NOT_FINITE, TOO_SMALL, TOO_MANY, NO_CONVERGENCE = range(8)
ON, AGAIN = -1, -2  # of its parts: go on; the step was refused, try another
EPS = 2.220446049250313e-16
SAMPLES = (0.015625, 0.0625, 0.25, 0.5, 0.75, 1.0)  # of a step, where guards are looked at
ROUGH = 10.0  # tolerances that the projection of an interpolated state may move it
NOISE = 3.0  # times what rounding does to a projected state: an error is only that
WOBBLE = 4.0  # tolerances that rounding may move a state; further from singular positions
OVER = 8  # it moves less: longer steps are tried, this many in a row

(
    # sizes: coordinates, speeds, z, all but books of energy, memory, inputs, guards, all of y
    NQ,
    NV,
    NZ,
    NE,
    NM,
    NU,
    NG,
    N,
    # method: family, stages, rows of K, degree of the interpolant, adaptive, two error estimates
    FAMILY,
    STAGES,
    ROWS,
    DEGREE,
    ADAPTIVE,
    TWO,
    # recording: every step, rows that fit, wanted times, events that fit, most events, quaternions
    EVERY,
    ROOM,
    WANTED,
    LOGGED,
    MOST_EVENTS,
    NQUAT,
    # counters, changed by `advance`
    ROW,
    GRID,
    EVENTS,
    STEPS,
    REJECTED,
    CALLS,
    FRESH,
    DETAIL,
    JACOBIANS,
    ARMED,
    # of the step: it reaches STOP, refused before, wobbled, stages complete, guard that fired
    LAST,
    REFUSED,
    TRIES,
    WHOLE,
    FIRED,
    # kernels, 0 when absent
    FLOW,
    GUARDS,
    JUMP,
    PROJECT,
    JACOBIAN,
    INTEGRATE,
    # tables of pointers handed to kernels: t, q, v, z, m, u, p, extra; and outputs
    INP,
    OUTP,
    # state: at the start of the step, new, as kernels read it; time; extra; memory; inputs
    Y,
    YN,
    YS,
    TB,
    KB,
    M,
    U,
    # rates at the start; stages; method; interpolation; tolerances; scales of quaternions
    F0,
    K_,
    A_,
    B_,
    C_,
    D_,
    G_,
    E_,
    P_,
    ATOL,
    FLOOR,
    QUATS,
    # guards at the start, now, kept; what they do; an interpolated state
    G0,
    G1,
    GS,
    KINDS,
    YT,
    # linear algebra
    W_,
    J_,
    FT,
    PIV,
    # recorded times wanted, rows, events
    TIMES,
    ROWT,
    ROWY,
    ROWM,
    ROWU,
    WHEN,
    WHICH,
    # numbers: see NUMBERS
    NUM,
) = range(79)
SIZE = 79
# the numbers: time, step, last error, end, longest step, tolerance, method's constants, event;
# the worst wobble that was accepted, over the tolerance, and its time
# the step: as wished, as tried, and the next
T, H, ERR, STOP, HMAX, RTOL, BETA, GAMMA, EXPONENT, THETA, SHAKEN, WHERE = range(12)
WISH, TRIED, AHEAD = range(12, 15)
NUMBERS = 15
