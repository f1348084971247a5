"""Binary of an FMU: the image of a new instance, its kernels, and the functions of FMI."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..compiler import (
    CrossLinker,
    Image,
    TargetMachine,
    compile_for,
    library_for_linux,
    library_for_windows,
    write_native_llvm,
)
from ..dynamics import STEP_DEFLECTION, TOUCH
from ..integrate import advance
from ..kernels import BY_LINKS, begun
from ..signals import signals_kernel
from ..simulation import Simulation
from ..simulation.run import record as buffers, record as guard_kinds
from . import co_simulation, fmi2_api_llvm, initialization, instance, model_exchange, values
from .initial_image import InitialImage, pack_offsets
from .variables import Variable, list_signals

INSTANCE_MODULES = (instance, initialization, values, co_simulation, model_exchange)
NO_MINIMUM = -1e300  # a guard may be anything at a start


class Platform(NamedTuple):
    """Target platform of a binary: LLVM triple, file suffix, and writer of the library."""

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


class ExportedModel(NamedTuple):
    """Data that the binaries of all platforms share."""

    run: Simulation
    start_kernel: Any  # the kernel of starts; None: there is none, empty: none is needed
    variables: list[Variable]
    guid: str


def write_binary(ready: ExportedModel, platform: str, cpu: str, name: str) -> bytes:
    """Bytes of the shared library of a model for one platform."""
    kind = PLATFORMS[platform]
    portable = CrossLinker(TargetMachine(kind.triple, cpu, *CPUS[cpu]))
    linked = portable.linked
    block, names = _create_image(ready, portable)
    data = block.to_bytes()
    linked.add_data("template", data, {8 * k: to for k, to in block.external_pointers.items()})
    linked.add_data("pointers", pack_offsets(block.internal_pointers) or bytes(8))
    linked.add_data(
        "sizes", struct.pack("<qq", len(data), len(block.internal_pointers)), segment="read"
    )
    linked.add_data("guid", ready.guid.encode() + b"\0", segment="read")
    linked.add_data("names", names, segment="read")
    exports = {n: n for n in fmi2_api_llvm.EXPORTS}
    portable.add_module(write_functions(portable, ready.run.method.family), 3, True, exports)
    return kind.writer(Image(linked), fmi2_api_llvm.EXPORTS, name + kind.suffix)


def write_functions(portable: CrossLinker, family: int) -> str:
    """LLVM IR of the functions of FMI, with the steps of a family of methods."""
    spaces, bodies = advance.step_sources(family)
    exported = {
        function: _format_kinds(kinds) + "->i"
        for kinds, function in fmi2_api_llvm.FUNCTIONS.values()
    }
    exported |= {"reject_call": "i->i", "relocate_addresses": "iii->i"}
    with compile_for(portable.aim):
        text = write_native_llvm(
            (*spaces, *map(vars, INSTANCE_MODULES)), exported, bodies, fmi2_api_llvm.EXTERNAL_KINDS
        )
    return text + fmi2_api_llvm.write_module()


def _format_kinds(kinds: str) -> str:
    """Kinds for `pyjit` of C arguments."""
    return "".join("f" if k == "f" else "i" for k in kinds)


def _create_image(ready: ExportedModel, portable: CrossLinker) -> tuple[InitialImage, bytes]:
    """Image of a new instance, and the strings that its words point at."""
    run = ready.run
    step_record, multipliers = _create_step_record(run)
    instance_record, names = _create_instance(ready, step_record, multipliers)
    kernel_names = (
        {"start_kernel": portable.add_kernel(ready.start_kernel)} if ready.start_kernel else {}
    )
    if signal_names := list_signals(ready.variables):
        kernel_names["signal_kernel"] = portable.add_kernel(
            signals_kernel(run.system, signal_names)
        )
    block = InitialImage()
    instance_start = block.add_record(instance_record, kernel_names)
    block.add_array(multipliers)
    kernels = _list_kernels(run, step_record)
    run_start = block.add_record(
        step_record, {n: portable.add_kernel(k) for n, k in kernels.items()}
    )
    block.add_pointer(instance_start + instance_record.fields["run"].place, run_start)
    strings, offsets = fmi2_api_llvm.join_strings([x for group in names.values() for x in group])
    remaining = iter(offsets)
    for field, group in names.items():
        first = block.find_array(instance_record.arrays[field])
        for k in range(len(group)):
            block.point_outside(first + k, "names", next(remaining))
    return block, strings


def _create_step_record(run: Simulation) -> tuple[Any, np.ndarray]:
    """Run record at the start, without stored time points, and its array of multipliers."""
    old, options = run.record, run.options
    step_record = buffers.steps(
        run.system, run.kernels, run.method, old.y, old.m, run.u, run.p,
        (options.rtol, options.atol), np.zeros(0), t=run.t_start,
        kinds=guard_kinds.kinds(run.guards, options.stop_when), most=run.caps, every=False,
    )  # fmt: skip
    for names in buffers.GROWING_ARRAYS.values():
        for name in names:
            getattr(step_record, name).fill(0)
    flow = run.kernels["flow"].outputs
    multipliers = np.zeros(flow[3].size if len(flow) > 3 else 0)
    step_record.kernel_outputs[3] = multipliers.ctypes.data if multipliers.size else 0
    step_record.h, step_record.h_max, step_record.max_attempts = old.h, old.h_max, 2**62
    step_record.max_rhs_count = step_record.max_attempts
    return step_record, multipliers


def _list_kernels(run: Simulation, step_record) -> dict[str, Any]:
    """Kernels that a run calls, by the fields of its record."""
    names = dict(buffers.KERNELS)
    if run.kernels.by_links:
        names["jacobian_kernel"] = BY_LINKS
    kernels = {field: run.kernels[n] for field, n in names.items() if getattr(step_record, field)}
    implicit = {"factor_kernel": "fold", "solve_kernel": "unfold"}
    return kernels | {
        x: run.kernels.link_factorization[n] for x, n in implicit.items() if getattr(step_record, x)
    }


def _create_instance(
    ready: ExportedModel, step_record: Any, multipliers: np.ndarray
) -> tuple[instance.Instance, dict[str, list[str]]]:
    """Record of an instance at its start, and the names for its arrays of labels."""
    run, system, variables = ready.run, ready.run.system, ready.variables
    q, v = (run.untouched[x] for x in (slice(system.nq), slice(system.nq, system.nq + system.nv)))
    _, m0 = begun(system, run.t_start, q, v, run.u, run.p)
    contacts = [e.name for e in system.switched if e.contact]
    guards = system.layout.guards
    element_names = {e.name for e in system.elements}
    minima = [
        0.0 if g.ends else -STEP_DEFLECTION if g.leaves and g.owner in element_names else NO_MINIMUM
        for g in guards
    ]
    gap, int64, steps = np.zeros(len(contacts)), np.int64, step_record
    start_outputs = steps.y_work.ctypes.data + 8 * np.array([0, steps.nz, 0])
    start_outputs[2] = gap.ctypes.data
    accelerations = steps.row_rates.ctypes.data + 8 * steps.nq
    signal_inputs = [*steps.kernel_inputs[:7], accelerations, multipliers.ctypes.data]
    signals = np.zeros(len(list_signals(variables)))
    record = instance.Instance(
        start_free=int(ready.start_kernel is not None),
        n_variables=len(variables),
        variable_types=np.array([x.type for x in variables], int64),
        variable_slots=np.array([x.slot for x in variables], int64),
        variable_names=np.zeros(len(variables), int64),
        n=steps.n,
        nm=steps.nm,
        np=len(run.p),
        p=run.p,
        y0=run.untouched.copy(),
        initial_history=m0,
        t0=run.t_start,
        start_outputs=start_outputs.astype(int64),
        has_switched_constraints=int(bool(system.switched)),
        n_gaps=len(gap),
        gap=gap,
        gap_names=np.zeros(len(gap), int64),
        max_penetration=TOUCH,
        ng=len(guards),
        min_event_values=np.array(minima, float),
        event_names=np.zeros(len(guards), int64),
        n_signals=len(signals),
        signals=signals,
        signal_inputs=np.array(signal_inputs),
        signal_outputs=np.array([signals.ctypes.data], int64),
    )
    strings = {"variable_names": [x.name for x in variables], "gap_names": contacts}
    return record, strings | {"event_names": [g.name for g in guards]}
