"""Record of the integrator for a run: sizes, tableau, tolerances, kernels, buffers, event types.

`integrate.record` defines the fields.  Here a system, its kernels and a method fill them.
Histories of laws are saved from one run and restored in the next.
"""

from __future__ import annotations

import numpy as np

from ...compiler import Pattern, lanes as lanes_per_register
from ...errors import TorseurError, unknown_name
from ...integrate import (
    MIN_PREVIOUS_ERROR,
    NEWMARK,
    ROSENBROCK,
    SAMPLE_POINTS,
    SEMI_IMPLICIT,
    VALIDITY_LIMIT,
    Method,
    RunRecord,
    record as codes,
)
from ...kernels import BY_LINKS
from ...solve import arguments
from ...system import once

KERNELS = {f"{n}_kernel": n for n in ("flow", "guards", "jump", "project", "integrate")} | {
    "conditioning_kernel": "leads",
    "jacobian_kernel": "flow_jacobian",
}
"""Quantities that a run calls, by the fields of its record."""
GROWING = {
    "row_capacity": ("row_t", "row_y", "row_history", "row_a"),
    "history_capacity": ("history",),
    "log_capacity": ("log_time", "log_index"),
}
"""Arrays that grow with a run, by the field that says how many fit."""
SPARE_ROWS = 160  # rows besides the wanted ones, before buffers grow
SHARED_ARRAYS = tuple(
    (
        "A B C D G E P atol min_scale sample_theta sample_weights quaternion_start "
        "waits_on_surface law_index table_slot table_rows table_width table_start table_values"
    ).split()
)
"""Arrays that no run changes: all runs of a system read the same."""
IGNORED_ATOL = 1e200  # tolerance of numbers that do not govern the step
MIN_PROJECTED_ROWS = 64  # from which on it is worth code that projects several at once
SPARE_LOG = 256  # events, before buffers grow


def minimum_scales(system, more: int = 0) -> np.ndarray:
    """Sizes under which numbers of the state are not followed: unit quaternions, books of energy.

    A book starts at nothing; its relative error is asked from a joule on.
    """
    first = system.nq + system.nv
    floor = np.zeros(first + len(system.layout.z) + more)
    floor[first + system.layout.books.start :] = 1.0
    for i in system.quaternions:
        floor[i : i + 4] = 1.0
    return floor


def method_fields(system, method: Method, rtol, atol, times, more: int = 0) -> dict:
    """What a single run and lanes share: sizes, the method's tables, tolerances, wanted times.

    `more` numbers behind z (derivatives of the state) follow the steps without governing them.
    """
    n, rows = system.nq + system.nv + len(system.layout.z) + more, method.dense_stages
    turning, own = system.quaternions, system.nq + system.nv + system.layout.books.start

    def table(x, shape):
        return np.ascontiguousarray(np.zeros(shape) if x is None else x, dtype=float)

    return {
        "n": n,
        "nq": system.nq,
        "nv": system.nv,
        "n_error": own,
        "n_rhs": n if more else own,
        "n_event_state": own,
        "n_quaternions": len(turning),
        "quaternion_start": turning,
        "family": method.family,
        "stages": method.stages,
        "dense_stages": rows,
        "dense_degree": method.P.shape[1],
        "adaptive": method.adaptive,
        "has_second_estimate": method.E is not None and bool(method.E[1].any()),
        "A": table(method.A, (rows, rows)),
        "B": table(method.B, rows),
        "C": table(method.C, rows),
        "D": table(method.D, rows),
        "G": table(method.G, (rows, rows)),
        "E": table(method.E, (2, rows)),
        "P": table(method.P.T, (1, rows)),
        "error_exponent": method.error_exponent,
        "pi_exponent": method.pi_exponent,
        "gamma": method.gamma,
        "beta": method.beta,
        "rtol": rtol,
        "atol": np.concatenate(
            [
                np.broadcast_to(np.asarray(atol, dtype=float), (n - more,)),
                np.full(more, IGNORED_ATOL),
            ]
        ),
        "min_scale": minimum_scales(system, more),
        "n_samples": len(SAMPLE_POINTS),
        "sample_theta": np.array(SAMPLE_POINTS),
        "sample_weights": np.power.outer(SAMPLE_POINTS, np.arange(1, method.P.shape[1] + 1))
        @ method.P.T,
        "dense_weights": np.zeros(rows),
        "n_output_times": len(times),
        "output_times": times,
    }


def kernel_addresses(system, kernels, method: Method, alone: bool = True) -> dict[str, int]:
    """Kernels that a run calls, by name; 0 for those that it does not.

    Lanes, which are not `alone`, always take the full Jacobian.
    """
    guarded, implicit = bool(system.layout.guards), method.family in (ROSENBROCK, NEWMARK)
    used = {
        "flow_kernel": True,
        "guards_kernel": guarded,
        "jump_kernel": guarded,
        "project_kernel": bool(system.held or system.switched),
        "jacobian_kernel": implicit and not (alone and kernels.folds),
        "integrate_kernel": method.family in (SEMI_IMPLICIT, NEWMARK),
        "conditioning_kernel": kernels.constraints is not None and kernels.constraints.way.led,
    }
    names = KERNELS | ({"jacobian_kernel": BY_LINKS} if alone and kernels.by_links else {})
    return {n: kernels[names[n]].abi_address if used[n] else 0 for n in KERNELS}


def _link_solver_fields(system, kernels, method: Method, more: int, alone: bool) -> dict:
    """What a record says of the equation of an implicit step that is solved link by link."""
    used = alone and method.family in (ROSENBROCK, NEWMARK) and kernels.folds
    fold, unfold = (kernels.folding[n] if used else None for n in ("fold", "unfold"))
    folds = fold.outputs[0].size if fold else 0
    n = system.nq + system.nv + len(system.layout.z) + more
    return {
        "factor_kernel": fold.abi_address if fold else 0,
        "solve_kernel": unfold.abi_address if unfold else 0,
        "factor_inputs": np.zeros(9, np.int64),
        "solve_inputs": np.zeros(3, np.int64),
        "link_factors_size": folds,
        "link_factors": np.zeros(folds),
        "link_scales": np.zeros(3),
        "linear_rhs": np.zeros(n),
        "linear_solution": np.zeros(n),
    }


def steps(
    system,
    kernels,
    method,
    y,
    m,
    u,
    p,
    tolerances,
    times,
    *,
    t,
    kinds,
    most,
    every,
    more=0,
    alone=True,
) -> RunRecord:
    """The record of a run that starts at time t in the state y, m; it reads u and p in place."""
    rtol, atol = tolerances
    atol = float(atol) if np.ndim(atol) == 0 else tuple(np.ravel(atol).tolist())
    run = _create_template(system, kernels, method, float(rtol), atol, len(m), more, alone).copy()
    nq, nv, ng = system.nq, system.nv, len(kinds)
    run.t, run.output_every_step, run.n_output_times, run.output_times, run.u = (
        t,
        every,
        len(times),
        times,
        u,
    )
    run.y[:], run.m[:], run.event_type[:] = y, m, kinds
    run.n_validity_limits = int((kinds == VALIDITY_LIMIT).sum())
    run.row_capacity = room = len(times) + SPARE_ROWS + 4 * ng
    run.row_t, run.row_y = np.empty(room), np.empty((room, len(y)))
    run.row_a = np.empty((room, 0))
    run.row_history, run.history = np.empty(room, np.int64), np.empty((SPARE_ROWS, len(m) + len(u)))
    run.history_capacity, run.log_capacity = SPARE_ROWS, SPARE_LOG + 2 * ng
    run.max_events, run.max_attempts, run.max_rhs_count = most.events, most.steps, most.evaluations
    run.log_time, run.log_index = np.empty(run.log_capacity), np.empty(run.log_capacity, np.int64)

    def address(name: str) -> int:
        return int(run.words[RunRecord.fields[name].place])

    state = address("kernel_state")
    run.kernel_inputs[:4] = address("kernel_time"), state, state + 8 * nq, state + 8 * (nq + nv)
    run.kernel_inputs[4:6] = address("m"), address("u")
    run.kernel_inputs[6:] = p.ctypes.data, address("kernel_extra"), address("neighbor_rows")
    run.factor_inputs[:7] = run.kernel_inputs[:7]
    run.factor_inputs[7:] = address("f0") + 8 * nq, address("link_scales")
    run.solve_inputs[:] = [address(n) for n in ("link_factors", "linear_rhs", "link_scales")]
    run.check()
    return run


@once(most=8)
def _create_template(system, kernels, method: Method, rtol, atol, nm, more, alone) -> Pattern:
    """All that runs of a system by one method and tolerance have alike, and room for the rest."""
    guards, z = system.layout.guards, np.zeros
    ng, nu, nz = len(guards), len(system.layout.u), len(system.layout.z)
    n = system.nq + system.nv + nz + more
    full = method.family in (ROSENBROCK, NEWMARK) and not (alone and kernels.folds)
    edge = n if full else 1
    run = RunRecord(
        **method_fields(system, method, rtol, np.asarray(atol), z(0), more),
        **kernel_addresses(system, kernels, method, alone),
        **_link_solver_fields(system, kernels, method, more, alone),
        nz=nz + more,
        nm=nm,
        nu=nu,
        ng=ng,
        kernel_inputs=z(9, np.int64),
        kernel_outputs=z(4, np.int64),
        **{x: z(n) for x in ("y", "y_new", "kernel_state", "f0", "f_t")},
        y_work=z(n + nm),
        kernel_time=z(1),
        conditioning=z(1),
        kernel_extra=z(max(1, system.nv)),
        m=z(nm),
        u=z(nu),
        stage_rates=z((method.dense_stages, n)),
        **table_fields(system.layout.lists),
        **{
            x: z(ng)
            for x in (
                "g_armed",
                "g_armed_saved",
                "g",
                "g_event",
                "reset_applied",
                "g_sample",
                "g_slope",
                "g_slope_start",
                "g_predicted",
            )
        },
        event_type=z(ng, np.int64),
        waits_on_surface=np.array([g.waits for g in guards], np.int64),
        waiting_value=np.ones(ng),
        law_index=_number_laws(guards),
        matrix_size=edge,
        W=z((edge, edge)),
        J=z((edge, edge)),
        pivots=z(n, np.int64),
        h_max=np.inf,
        previous_error=MIN_PREVIOUS_ERROR,
        history_width=nm + nu,
        row_t=z(0),
        row_y=z((0, n)),
        row_history=z(0, np.int64),
        n_row_accelerations=0,
        row_a=z((0, 0)),
        row_rates=z(n),
        lane_inputs=z((0, 0)),
        lane_outputs=z((system.nq, 0)),
        history=z((0, nm + nu)),
        log_time=z(0),
        log_index=z(0, np.int64),
        history_changed=1,
    )
    growing = (name for arrays in GROWING.values() for name in arrays)
    return Pattern(
        run, ("output_times", "u", "lane_inputs", "lane_outputs", *growing, *SHARED_ARRAYS)
    )


CONTINUED_FIELDS = (
    *"t h t_stop h_max n_rows n_history history_changed next_output n_logged event_count".split(),
    *"step_count rejection_count rhs_count jacobian_count max_noise max_noise_time".split(),
    *"events_armed n_waiting min_conditioning steps_since_check".split(),
    *"row_capacity history_capacity log_capacity".split(),
)
"""Numbers of a record that go on when the method changes."""
CONTINUED_ARRAYS = ("g_armed", "waiting_value", "g_slope_start", "event_type", "conditioning")


def continue_record(old: RunRecord, new: RunRecord) -> None:
    """Let a record of another method go on where a run stands."""
    for name in CONTINUED_FIELDS:
        setattr(new, name, getattr(old, name))
    for name in CONTINUED_ARRAYS:
        getattr(new, name)[:] = getattr(old, name)
    for arrays in GROWING.values():
        for name in arrays:
            setattr(new, name, getattr(old, name))


def use_simd_projection(run: RunRecord, kernels, p: np.ndarray) -> None:
    """Let the wanted rows of a run be brought back to its constraints side by side.

    From the second run of a system on, when it has rows enough; not one bit depends on it.
    """
    if (
        run.project_kernel
        and run.n_output_times >= MIN_PROJECTED_ROWS
        and (address := kernels.lanes_again("project"))
    ):
        width = lanes_per_register()
        run.projection_lanes, run.project_simd_kernel = width, address
        run.lane_inputs_size = slots = 1 + run.n + run.nm + run.nu + len(p)
        block = np.empty((slots + run.nq + run.nv + 1) * width)
        at = (-block.ctypes.data % (8 * width)) // 8  # where registers read it whole
        lanes = block[at : at + (slots + run.nq + run.nv) * width].reshape(-1, width)
        run.lane_inputs, run.lane_outputs = lanes[:slots], lanes[slots:]


def table_fields(lists) -> dict:
    """What a record says of lists that are data."""
    widths = [len(x.rows[0]) for x in lists]
    sizes = [len(x.rows) * w for x, w in zip(lists, widths, strict=True)]
    every = [np.asarray(x.rows, dtype=float).ravel() for x in lists]
    return {
        "n_tables": len(lists),
        "table_slot": np.array([x.place for x in lists], np.int64),
        "table_rows": np.array([len(x.rows) for x in lists], np.int64),
        "table_width": np.array(widths, np.int64),
        "table_start": np.array(np.cumsum([0, *sizes])[:-1], np.int64),
        "table_size": sum(sizes),
        "table_values": np.concatenate([*every, np.zeros(0)]),
        "neighbor_size": 3 * sum(widths),
        "neighbor_rows": np.zeros(3 * sum(widths)),
    }


def _number_laws(guards) -> np.ndarray:
    """A number for the law, or the part of one, that each guard belongs to."""
    own = [(g.owner, g.part) for g in guards]
    order = list(dict.fromkeys(own))
    return np.array([order.index(x) for x in own], np.int64)


def grow_buffers(run: RunRecord):
    """Twice the room for rows, pasts and events."""
    for size, arrays in GROWING.items():
        for name in arrays:
            x = getattr(run, name)
            setattr(run, name, np.concatenate([x, np.zeros_like(x)]))
        setattr(run, size, 2 * getattr(run, size))


def recorded_rows(
    record: RunRecord, state_size: int, memory_size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, states, memories and inputs of the rows so far, without derivatives behind them."""
    n, nm, history = record.n_rows, record.nm, record.history
    if memory_size < nm:
        written = history[: record.n_history]
        history = np.hstack([written[:, :memory_size], written[:, nm:]])
    entries = history.take(record.row_history[:n], axis=0)
    memories, inputs = entries[:, :memory_size], entries[:, memory_size:]
    return record.row_t[:n], record.row_y[:n, :state_size], memories, inputs


# ---- event types -----------------------------------------------------------------------------


def kinds(guards, stop_when) -> np.ndarray:
    """What each guard does: those that were named end the run."""
    out = np.array([codes.RESET_EVENT if g.acts else codes.MONITOR_EVENT for g in guards], np.int64)
    out[[g.ends for g in guards]] = codes.VALIDITY_LIMIT
    for wanted in arguments.names(stop_when, "stop_when"):
        found = [i for i, g in enumerate(guards) if g.told and wanted in (g.name, g.owner)]
        if not found:
            told = [g.name for g in guards if g.told]
            raise TorseurError(unknown_name("event", wanted, told, "stop_when"))
        out[found] = codes.STOP_EVENT
    return out


# ---- histories of laws -----------------------------------------------------------------------


def save_history(system, z, m) -> dict[str, list]:
    """States and memory of elements with a history, by name, from a row of a run."""
    return {
        e.name: [z[e.z].tolist(), m[e.m].tolist()]
        for e in system.elements
        if e.law is not None and (e.states or e.law.history)
    }


def restore_history(system, z, m, given) -> None:
    """Put what was save_history into states and memory at a start."""
    own = {e.name: e for e in system.elements}
    for name, (states, memory) in given.items():
        e = own.get(name)
        if e is None or (len(states), len(memory)) != (len(e.states), len(e.memory)):
            raise TorseurError(
                f"initial: the run before had a force {name!r} with a history, which this model "
                "has not; dict(run.final) starts from its coordinates and speeds alone"
            )
        z[e.z], m[e.m] = states, memory
