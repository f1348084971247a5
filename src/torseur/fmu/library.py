"""The binary of an FMU: an instance as it begins, its kernels, and the functions of FMI."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..compiler import Aim, Image, Portable, aimed, library_for_linux, library_for_windows, written
from ..dynamics import AT_STEP, TOUCH
from ..integrate import advance
from ..kernels import BY_LINKS, begun
from ..signals import signals_kernel
from ..simulation import Simulation
from ..simulation.run import record as buffers, record as guard_kinds
from . import co_simulation, fmi2_api_llvm, initialization, instance, model_exchange, values
from .initial_image import Frozen, listed
from .variables import Variable, shown

TEXTS = (instance, initialization, values, co_simulation, model_exchange)
NEVER = -1e300  # a guard may be anything at a start


class Platform(NamedTuple):
    """A machine that a binary is for; FMI's name of its folder is that in `PLATFORMS`."""

    triple: str
    suffix: str
    writer: Any


PLATFORMS: Mapping[str, Platform] = {
    "linux64": Platform("x86_64-unknown-linux-gnu", ".so", library_for_linux),
    "win64": Platform("x86_64-pc-windows-msvc-elf", ".dll", library_for_windows),
}
CPUS = {"x86-64-v2": (False, 2), "x86-64-v3": (True, 4), "x86-64-v4": (True, 8)}
"""Processors by the name of their level: whether products and sums are fused, doubles in one
register.  The second has AVX2 (from 2013 on), the third AVX-512."""


class Ready(NamedTuple):
    """What goes into every binary of a model."""

    run: Simulation
    starts: Any  # the kernel of starts; None: there is none, empty: none is needed
    found: list[Variable]
    guid: str


def binary(ready: Ready, platform: str, cpu: str, name: str) -> bytes:
    """The library of a model for one platform."""
    kind = PLATFORMS[platform]
    portable = Portable(Aim(kind.triple, cpu, *CPUS[cpu]))
    joined = portable.linked
    block, names = _instance(ready, portable)
    data = block.finish()
    joined.add_data("template", data, {8 * k: to for k, to in block.outside.items()})
    joined.add_data("pointers", listed(block.inside) or bytes(8))
    joined.add_data("sizes", struct.pack("<qq", len(data), len(block.inside)), segment="read")
    joined.add_data("guid", ready.guid.encode() + b"\0", segment="read")
    joined.add_data("names", names, segment="read")
    exports = {n: n for n in fmi2_api_llvm.EXPORTS}
    portable.add_module(functions(portable, ready.run.method.family), 3, True, exports)
    return kind.writer(Image(joined), fmi2_api_llvm.EXPORTS, name + kind.suffix)


def functions(portable: Portable, family: int) -> str:
    """LLVM of the functions of FMI, with the steps of a family of methods."""
    spaces, bodies = advance.step_sources(family)
    outer = {own: _words(kinds) + "->i" for kinds, own in fmi2_api_llvm.FUNCTIONS.values()}
    outer |= {"refused": "i->i", "addressed": "iii->i"}
    with aimed(portable.aim):
        text = written((*spaces, *map(vars, TEXTS)), outer, bodies, fmi2_api_llvm.OUTSIDE)
    return text + fmi2_api_llvm.text()


def _words(kinds: str) -> str:
    return "".join("f" if k == "f" else "i" for k in kinds)


def _instance(ready: Ready, portable: Portable) -> tuple[Frozen, bytes]:
    """Records of an instance as it begins; texts that its words point at."""
    run = ready.run
    now, lam = _steps(run)
    own, names = _record(ready, now, lam)
    called = {"begin": portable.add_kernel(ready.starts)} if ready.starts else {}
    if wanted := shown(ready.found):
        called["output"] = portable.add_kernel(signals_kernel(run.system, wanted))
    block = Frozen()
    top = block.record(own, called)
    block.put(lam)
    kernels = _kernels(run, now)
    steps = block.record(now, {n: portable.add_kernel(k) for n, k in kernels.items()})
    block.link(top + own.fields["run"].place, steps)
    texts, places = fmi2_api_llvm.texts_of([x for group in names.values() for x in group])
    left = iter(places)
    for field, group in names.items():
        first = block.where(own.arrays[field])
        for k in range(len(group)):
            block.point(first + k, "names", next(left))
    return block, texts


def _steps(run: Simulation) -> tuple[Any, np.ndarray]:
    """The record of the run at its start, without rows; where its multipliers are."""
    old, options = run.record, run.options
    now = buffers.steps(
        run.system, run.kernels, run.method, old.y, old.m, run.u, run.p,
        (options.rtol, options.atol), np.zeros(0), t=run.t_start,
        kinds=guard_kinds.kinds(run.guards, options.stop_when), most=run.caps, every=False,
    )  # fmt: skip
    for names in buffers.GROWING.values():
        for name in names:
            getattr(now, name).fill(0)
    flow = run.kernels["flow"].outputs
    lam = np.zeros(flow[3].size if len(flow) > 3 else 0)
    now.kernel_outputs[3] = lam.ctypes.data if lam.size else 0
    now.h, now.h_max, now.max_attempts = old.h, old.h_max, 2**62
    now.max_rhs_count = now.max_attempts
    return now, lam


def _kernels(run: Simulation, now) -> dict[str, Any]:
    """Kernels that a run calls, by the fields of its record."""
    names = dict(buffers.KERNELS)
    if run.kernels.by_links:
        names["jacobian_kernel"] = BY_LINKS
    called = {field: run.kernels[n] for field, n in names.items() if getattr(now, field)}
    implicit = {"factor_kernel": "fold", "solve_kernel": "unfold"}
    return called | {x: run.kernels.folding[n] for x, n in implicit.items() if getattr(now, x)}


def _record(ready: Ready, now, lam) -> tuple[instance.Instance, dict[str, list[str]]]:
    """The record of an instance, and texts by the arrays that are to hold their addresses."""
    run, system, found = ready.run, ready.run.system, ready.found
    q, v = (run.untouched[x] for x in (slice(system.nq), slice(system.nq, system.nq + system.nv)))
    _, m0 = begun(system, run.t_start, q, v, run.u, run.p)
    contacts = [e.name for e in system.switched if e.contact]
    guards = system.layout.guards
    behind = {e.name for e in system.elements}
    least = [0.0 if g.ends else -AT_STEP if g.leaves and g.owner in behind else NEVER
             for g in guards]  # fmt: skip
    gap, other, words = np.zeros(len(contacts)), now.y_work.ctypes.data, np.int64
    accelerations = now.row_rates.ctypes.data + 8 * now.nq
    out = np.zeros(len(shown(found)))
    own = instance.Instance(
        restarts=int(ready.starts is not None),
        variables=len(found),
        where=np.array([x.where for x in found], words),
        slot=np.array([x.slot for x in found], words),
        label=np.zeros(len(found), words),
        n=now.n, nm=now.nm, np=len(run.p), p=run.p, y0=run.untouched.copy(), m0=m0,
        t0=run.t_start,
        begins=np.array([other, other + 8 * now.nz, gap.ctypes.data], words),
        switched=int(bool(system.switched)),
        gaps=len(gap), gap=gap, gap_label=np.zeros(len(gap), words), touch=TOUCH,
        ng=len(guards), least=np.array(least, float), guard_label=np.zeros(len(guards), words),
        outputs=len(out), shown=out,
        seeing=np.array([*now.kernel_inputs[:7], accelerations, lam.ctypes.data]),
        showing=np.array([out.ctypes.data], words),
    )  # fmt: skip
    texts = {"label": [x.name for x in found], "gap_label": contacts}
    return own, texts | {"guard_label": [g.name for g in guards]}
