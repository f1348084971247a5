"""CPU time of a kernel called by address, as an integrator calls it: no Python in the loop."""

import ctypes
import os
import time
from functools import cache

import numpy as np

from torseur.compiler import Kernel, machine
from torseur.compiler.order import fuse


def within(seconds: float):
    """For `subprocess`: of CPU time each process may take so much, whatever the machine does.

    Not for programs that time themselves: with such a limit Linux counts their time in ticks.
    """
    if os.name != "posix":
        return None
    import resource

    most = int(seconds)
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most))


MANY = 512  # states visited in turn, as the C++ program does


@cache
def _loop(ports: int):
    """`void run(f, calls, states, sizes..., pointers...)`: call f on one state after the other."""
    names = [f"%p{k}" for k in range(ports)]
    sizes = ", ".join(f"i64 %n{k}" for k in range(ports))
    pointers = ", ".join(f"ptr {n}" for n in names)
    lines = [f"define void @run(ptr %f, i64 %calls, i64 %states, {sizes}, {pointers}) {{", "entry:"]
    lines += ["br label %loop", "loop:", "%i = phi i64 [0, %entry], [%next, %loop]"]
    lines += ["%k = urem i64 %i, %states"]
    for k, n in enumerate(names):
        lines += [f"%o{k} = mul i64 %k, %n{k}", f"%a{k} = getelementptr double, ptr {n}, i64 %o{k}"]
    lines += [f"call void %f({', '.join(f'ptr %a{k}' for k in range(ports))})"]
    lines += ["%next = add i64 %i, 1", "%more = icmp slt i64 %next, %calls"]
    lines += ["br i1 %more, label %loop, label %out", "out:", "ret void", "}"]
    code = machine.Code(machine.assemble("\n".join(lines)), ("run",))
    whole, pointer = ctypes.c_int64, ctypes.c_void_p
    kind = ctypes.CFUNCTYPE(None, pointer, whole, whole, *[whole] * ports, *[pointer] * ports)
    return kind(code["run"]), code


def states(kernel: Kernel, count: int, seed: int = 0) -> list[np.ndarray]:
    """Random arguments of a kernel, in NumPy's ordinary layout."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, size=(count, *p.shape)) for p in kernel.inputs]


def by_address(kernel: Kernel, rounds: int) -> float:
    """Best time of one call [ns]; answers go to one place, as Pinocchio's go to its data."""
    ports = (*kernel.inputs, *kernel.outputs)
    run, _ = _loop(len(ports))
    arrays = [*states(kernel, MANY), *(np.empty(p.shape) for p in kernel.outputs)]
    steps = [*(p.size for p in kernel.inputs), *(0 for _ in kernel.outputs)]
    args = [*steps, *(a.ctypes.data for a in arrays)]
    calls = max(20, 2_000_000 // (1 + sum(kernel.operations.values())))
    best = np.inf
    for _ in range(rounds):
        start = time.thread_time()
        run(kernel.address, calls, MANY, *args)
        best = min(best, (time.thread_time() - start) / calls)
    return 1e9 * best


def in_batch(kernel: Kernel, count: int, rounds: int) -> float:
    """Best time of one evaluation inside a batch, arrays in NumPy's ordinary layout [ns]."""
    args = states(kernel, count)
    out = tuple(np.empty((count, *p.shape)) for p in kernel.outputs)
    best = np.inf
    for _ in range(rounds + 1):
        start = time.thread_time()
        kernel.gufunc(*args, out=out)
        best = min(best, time.thread_time() - start)
    return 1e9 * best / count


@cache
def _peak(lanes: int, chains: int = 16):
    """`void peak(turns, out)`: independent chains of fused products, nothing else."""
    kind = f"<{lanes} x double>"
    lines = ["define void @peak(i64 %turns, ptr %out) {", "entry:", "br label %loop", "loop:"]
    lines += ["%i = phi i64 [0, %entry], [%next, %loop]"]
    lines += [
        f"%x{k} = phi {kind} [zeroinitializer, %entry], [%y{k}, %loop]" for k in range(chains)
    ]
    half = f"<{', '.join(['double 0.5'] * lanes)}>"
    lines += [
        f"%y{k} = call {kind} @llvm.fma.v{lanes}f64({kind} %x{k}, {kind} {half}, {kind} {half})"
        for k in range(chains)
    ]
    lines += ["%next = add i64 %i, 1", "%more = icmp slt i64 %next, %turns"]
    lines += ["br i1 %more, label %loop, label %out_", "out_:"]
    for k in range(chains):
        lines += [f"%p{k} = getelementptr double, ptr %out, i64 {k * lanes}"]
        lines += [f"store {kind} %y{k}, ptr %p{k}, align 8"]
    lines += ["ret void", "}", f"declare {kind} @llvm.fma.v{lanes}f64({kind}, {kind}, {kind})"]
    code = machine.Code(machine.assemble("\n".join(lines)), ("peak",))
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code["peak"]), code


def peak(rounds: int, turns: int = 20_000, chains: int = 16) -> float:
    """Least time of one vector of fused products at the peak of this core [ns]."""
    lanes = machine.lanes()
    run, _ = _peak(lanes, chains)
    out, best = np.empty(chains * lanes), np.inf
    for _ in range(rounds):
        start = time.thread_time()
        run(turns, out.ctypes.data)
        best = min(best, (time.thread_time() - start) / (turns * chains))
    return 1e9 * best


TRIG = 22  # arithmetic instructions of a sine with its cosine (torseur.compiler.sincos)


def instructions(program) -> int:
    """Arithmetic instructions of a program: a product that is fused into its sum is none."""
    count = program.operations
    own = count["mul"] + count["add"] + count["div"] + count["sqrt"] + TRIG * count["trig"]
    return own - len(fuse(program)) if machine.fused() else own


def one_call(function, *args, rounds: int = 200, calls: int = 200) -> float:
    """Best time of one call from Python [ns]."""
    best = np.inf
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(calls):
            function(*args)
        best = min(best, (time.thread_time() - start) / calls)
    return 1e9 * best
