"""Records of native integrators, filled: what a model, a method and its tolerances put there."""

from __future__ import annotations

import numpy as np

from ...compiler import Pattern, lanes as width_of_lanes
from ...errors import TorseurError, unknown_name
from ...integrate import (
    ENDING,
    LEAST_KEPT,
    LOOKS,
    NEWMARK,
    ROSENBROCK,
    SEMI_IMPLICIT,
    Method,
    Steps,
    record as codes,
)
from ...kernels import BY_LINKS
from ...solve import arguments
from ...system import once

KERNELS = {n: n for n in ("flow", "guards", "jump", "project", "integrate", "leads")}
KERNELS["jacobian"] = "flow_jacobian"
"""Quantities that a run calls, by the fields of its record."""
GROWING = {
    "room": ("row_t", "row_y", "row_k", "row_a"),
    "pasts": ("past",),
    "logged": ("when", "which"),
}
"""Arrays that grow with a run, by the field that says how many fit."""
SPARE = 160  # rows besides the wanted ones, before buffers grow
STILL = ("A", "B", "C", "D", "G", "E", "P", "atol", "floor", "look", "look_weight",
         "quaternion", "waits", "owner",
         "list_place", "list_rows", "list_width", "list_start", "listed")  # fmt: skip
"""Arrays that no run changes: all runs of a system read the same."""
UNJUDGED = 1e200  # tolerance of numbers that do not govern the step
ROWS = 64  # from which on it is worth code that projects several at once
LOGGED = 256  # events, before buffers grow


def floors(system, more: int = 0) -> np.ndarray:
    """Sizes under which numbers of the state are not followed: unit quaternions, books of energy.

    A book starts at nothing; its relative error is asked from a joule on.
    """
    first = system.nq + system.nv
    floor = np.zeros(first + len(system.layout.z) + more)
    floor[first + system.layout.books.start :] = 1.0
    for i in system.quaternions:
        floor[i : i + 4] = 1.0
    return floor


def formula(system, method: Method, rtol, atol, times, more: int = 0) -> dict:
    """What a single run and lanes share: sizes, the method's tables, tolerances, wanted times.

    `more` numbers behind z (derivatives of the state) follow the steps without governing them.
    """
    n, rows = system.nq + system.nv + len(system.layout.z) + more, method.rows
    turning, own = system.quaternions, system.nq + system.nv + system.layout.books.start

    def table(x, shape):
        return np.ascontiguousarray(np.zeros(shape) if x is None else x, dtype=float)

    return {
        "n": n,
        "nq": system.nq,
        "nv": system.nv,
        "counted": own,
        "read": n if more else own,
        "watched": own,
        "quaternions": len(turning),
        "quaternion": turning,
        "family": method.family,
        "stages": method.stages,
        "rows": rows,
        "degree": method.P.shape[1],
        "adaptive": method.adaptive,
        "two": method.E is not None and bool(method.E[1].any()),
        "A": table(method.A, (rows, rows)),
        "B": table(method.B, rows),
        "C": table(method.C, rows),
        "D": table(method.D, rows),
        "G": table(method.G, (rows, rows)),
        "E": table(method.E, (2, rows)),
        "P": table(method.P.T, (1, rows)),
        "exponent": method.exponent,
        "smoothing": method.smoothing,
        "gamma": method.gamma,
        "beta": method.beta,
        "rtol": rtol,
        "atol": np.concatenate(
            [np.broadcast_to(np.asarray(atol, dtype=float), (n - more,)), np.full(more, UNJUDGED)]
        ),
        "floor": floors(system, more),
        "looks": len(LOOKS),
        "look": np.array(LOOKS),
        "look_weight": np.power.outer(LOOKS, np.arange(1, method.P.shape[1] + 1)) @ method.P.T,
        "weight": np.zeros(rows),
        "wanted": len(times),
        "times": times,
    }


def addresses(system, kernels, method: Method, alone: bool = True) -> dict[str, int]:
    """Kernels that a run calls, by name; 0 for those that it does not.

    Lanes, which are not `alone`, always take the full Jacobian.
    """
    guarded, implicit = bool(system.layout.guards), method.family in (ROSENBROCK, NEWMARK)
    used = {
        "flow": True,
        "guards": guarded,
        "jump": guarded,
        "project": bool(system.held or system.switched),
        "jacobian": implicit and not (alone and kernels.folds),
        "integrate": method.family in (SEMI_IMPLICIT, NEWMARK),
        "leads": kernels.constraints is not None and kernels.constraints.way.led,
    }
    names = KERNELS | ({"jacobian": BY_LINKS} if alone and kernels.by_links else {})
    return {n: kernels[names[n]].abi_address if used[n] else 0 for n in KERNELS}


def _folding(system, kernels, method: Method, more: int, alone: bool) -> dict:
    """What a record says of the equation of an implicit step that is solved link by link."""
    used = alone and method.family in (ROSENBROCK, NEWMARK) and kernels.folds
    fold, unfold = (kernels.folding[n] if used else None for n in ("fold", "unfold"))
    folds = fold.outputs[0].size if fold else 0
    n = system.nq + system.nv + len(system.layout.z) + more
    return {
        "fold": fold.abi_address if fold else 0,
        "unfold": unfold.abi_address if unfold else 0,
        "folding": np.zeros(9, np.int64),
        "unfolding": np.zeros(3, np.int64),
        "folds": folds,
        "folded": np.zeros(folds),
        "scales": np.zeros(3),
        "rhs": np.zeros(n),
        "solved": np.zeros(n),
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
) -> Steps:
    """The record of a run that starts at time t in the state y, m; it reads u and p in place."""
    rtol, atol = tolerances
    atol = float(atol) if np.ndim(atol) == 0 else tuple(np.ravel(atol).tolist())
    run = _blank(system, kernels, method, float(rtol), atol, len(m), more, alone).copy()
    nq, nv, ng = system.nq, system.nv, len(kinds)
    run.t, run.every, run.wanted, run.times, run.u = t, every, len(times), times, u
    run.y[:], run.m[:], run.kinds[:] = y, m, kinds
    run.ends = int((kinds == ENDING).sum())
    run.room = room = len(times) + SPARE + 4 * ng
    run.row_t, run.row_y = np.empty(room), np.empty((room, len(y)))
    run.row_a = np.empty((room, 0))
    run.row_k, run.past = np.empty(room, np.int64), np.empty((SPARE, len(m) + len(u)))
    run.pasts, run.logged = SPARE, LOGGED + 2 * ng
    run.most_events, run.most_steps, run.most_calls = most.events, most.steps, most.evaluations
    run.when, run.which = np.empty(run.logged), np.empty(run.logged, np.int64)
    word, at = run.words, Steps.fields
    seen = int(word[at["seen"].place])
    run.inputs[:6] = [int(word[at["time"].place]), seen, seen + 8 * nq, seen + 8 * (nq + nv),
                      int(word[at["m"].place]), int(word[at["u"].place])]  # fmt: skip
    run.inputs[6:] = [p.ctypes.data, int(word[at["extra"].place]), int(word[at["gathered"].place])]
    run.folding[:7] = run.inputs[:7]
    run.folding[7:] = [int(word[at["f0"].place]) + 8 * nq, int(word[at["scales"].place])]
    run.unfolding[:] = [int(word[at[x].place]) for x in ("folded", "rhs", "scales")]
    run.check()
    return run


@once(most=8)
def _blank(system, kernels, method: Method, rtol, atol, nm, more, alone) -> Pattern:
    """All that runs of a system by one method and tolerance have alike, and room for the rest."""
    guards, z = system.layout.guards, np.zeros
    ng, nu, nz = len(guards), len(system.layout.u), len(system.layout.z)
    n = system.nq + system.nv + nz + more
    full = method.family in (ROSENBROCK, NEWMARK) and not (alone and kernels.folds)
    edge = n if full else 1
    run = Steps(
        **formula(system, method, rtol, np.asarray(atol), z(0), more),
        **addresses(system, kernels, method, alone),
        **_folding(system, kernels, method, more, alone),
        nz=nz + more,
        nm=nm,
        nu=nu,
        ng=ng,
        inputs=z(9, np.int64),
        outputs=z(4, np.int64),
        **{x: z(n) for x in ("y", "new", "seen", "f0", "ft")},
        other=z(n + nm),
        time=z(1),
        firm=z(1),
        extra=z(max(1, system.nv)),
        m=z(nm),
        u=z(nu),
        stage=z((method.rows, n)),
        **listed(system.layout.lists),
        **{
            x: z(ng)
            for x in ("g0", "g1", "kept", "before", "acted", "looked", "slopes", "fall", "dips")
        },
        kinds=z(ng, np.int64),
        waits=np.array([g.waits for g in guards], np.int64),
        waits_from=np.ones(ng),
        owner=_owners(guards),
        edge=edge,
        W=z((edge, edge)),
        J=z((edge, edge)),
        pivots=z(n, np.int64),
        h_max=np.inf,
        err=LEAST_KEPT,
        wide=nm + nu,
        row_t=z(0),
        row_y=z((0, n)),
        row_k=z(0, np.int64),
        shown=0,
        row_a=z((0, 0)),
        rate=z(n),
        lane_in=z((0, 0)),
        lane_out=z((system.nq, 0)),
        past=z((0, nm + nu)),
        when=z(0),
        which=z(0, np.int64),
        stale=1,
    )
    growing = (name for arrays in GROWING.values() for name in arrays)
    return Pattern(run, ("times", "u", "lane_in", "lane_out", *growing, *STILL))


CARRIED = (
    *"t h stop h_max row known stale grid logs events steps rejected calls jacobians".split(),
    *"shaken where armed waiting firmest unlooked room pasts logged".split(),
)
"""Numbers of a record that go on when the method changes."""
CARRIED_ARRAYS = ("g0", "waits_from", "fall", "kinds", "firm")


def carry(old: Steps, new: Steps) -> None:
    """Let a record of another method go on where a run stands."""
    for name in CARRIED:
        setattr(new, name, getattr(old, name))
    for name in CARRIED_ARRAYS:
        getattr(new, name)[:] = getattr(old, name)
    for arrays in GROWING.values():
        for name in arrays:
            setattr(new, name, getattr(old, name))


def abreast(run: Steps, kernels, p: np.ndarray) -> None:
    """Let the wanted rows of a run be brought back to its constraints side by side.

    From the second run of a system on, when it has rows enough; not one bit depends on it.
    """
    if run.project and run.wanted >= ROWS and (address := kernels.lanes_again("project")):
        width = width_of_lanes()
        run.abreast, run.project_lanes = width, address
        run.slots = slots = 1 + run.n + run.nm + run.nu + len(p)
        block = np.empty((slots + run.nq + run.nv + 1) * width)
        at = (-block.ctypes.data % (8 * width)) // 8  # where registers read it whole
        lanes = block[at : at + (slots + run.nq + run.nv) * width].reshape(-1, width)
        run.lane_in, run.lane_out = lanes[:slots], lanes[slots:]


def listed(lists) -> dict:
    """What a record says of lists that are data."""
    widths = [len(x.rows[0]) for x in lists]
    sizes = [len(x.rows) * w for x, w in zip(lists, widths, strict=True)]
    every = [np.asarray(x.rows, dtype=float).ravel() for x in lists]
    return {
        "lists": len(lists),
        "list_place": np.array([x.place for x in lists], np.int64),
        "list_rows": np.array([len(x.rows) for x in lists], np.int64),
        "list_width": np.array(widths, np.int64),
        "list_start": np.array(np.cumsum([0, *sizes])[:-1], np.int64),
        "all_listed": sum(sizes),
        "listed": np.concatenate([*every, np.zeros(0)]),
        "nd": 3 * sum(widths),
        "gathered": np.zeros(3 * sum(widths)),
    }


def _owners(guards) -> np.ndarray:
    """A number for the law, or the part of one, that each guard belongs to."""
    own = [(g.owner, g.part) for g in guards]
    order = list(dict.fromkeys(own))
    return np.array([order.index(x) for x in own], np.int64)


def grow(run: Steps):
    """Twice the room for rows, pasts and events."""
    for size, arrays in GROWING.items():
        for name in arrays:
            x = getattr(run, name)
            setattr(run, name, np.concatenate([x, np.zeros_like(x)]))
        setattr(run, size, 2 * getattr(run, size))


def rows(run: Steps) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, states, memory and inputs of every row so far."""
    n = run.row
    past = run.past.take(run.row_k[:n], axis=0)
    return run.row_t[:n], run.row_y[:n], past[:, : run.nm], past[:, run.nm :]


# --------------------------------------------------------------------------------------------
# What events do in a run: act, or end it.


MOST_EVENTS = 10_000  # events per unit of time (a second, at least) before a run gives up


def kinds(guards, stop_when) -> np.ndarray:
    """What each guard does: those that were named end the run."""
    out = np.array([codes.ACTING if g.acts else codes.WATCHING for g in guards], np.int64)
    out[[g.ends for g in guards]] = codes.ENDING
    for wanted in arguments.names(stop_when, "stop_when"):
        found = [i for i, g in enumerate(guards) if g.told and wanted in (g.name, g.owner)]
        if not found:
            told = [g.name for g in guards if g.told]
            raise TorseurError(unknown_name("event", wanted, told, "stop_when"))
        out[found] = codes.STOPPING
    return out


# --------------------------------------------------------------------------------------------
# What laws keep from one run to the next: bent bristles, crushed metal, the side that sticks.


def kept(system, z, m) -> dict[str, list]:
    """States and memory of elements with a history, by name, from a row of a run."""
    return {
        e.name: [z[e.z].tolist(), m[e.m].tolist()]
        for e in system.elements
        if e.law is not None and (e.states or e.law.history)
    }


def restore(system, z, m, given) -> None:
    """Put what was kept into states and memory at a start."""
    own = {e.name: e for e in system.elements}
    for name, (states, memory) in given.items():
        e = own.get(name)
        if e is None or (len(states), len(memory)) != (len(e.states), len(e.memory)):
            raise TorseurError(
                f"initial: the run before had a force {name!r} with a history, which this model "
                "has not; dict(run.final) starts from its coordinates and speeds alone"
            )
        z[e.z], m[e.m] = states, memory
