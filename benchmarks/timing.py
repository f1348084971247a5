"""CPU time of a kernel called by address, as an integrator calls it: no Python in the loop."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

import numpy as np

from torseur.compiler import Kernel
from torseur.compiler.program.scheduling import select_fma_products
from torseur.compiler.runtime import machine


def tree(pid: int) -> list[int]:
    """A process and all that it started and that still run (Linux; elsewhere the process alone)."""
    found = [pid]
    with contextlib.suppress(OSError):  # one of them may end meanwhile
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [x for child in file.read_text().split() for x in tree(int(child))]
    return found


def end(pid: int) -> None:
    """Kill a process and all that it started."""
    for each in tree(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, getattr(signal, "SIGKILL", signal.SIGTERM))


def used(pid: int) -> float:
    """CPU time of a process and all that it started [s]."""
    ticks = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # its own, and of children that ended
    return ticks / os.sysconf("SC_CLK_TCK")


def bounded(command, seconds: float, **options) -> tuple[str, str]:
    """What a command printed within so much CPU time, and why it did not end well.

    Its time is looked at from outside once a second: with a limit of its own (RLIMIT_CPU) Linux
    counts the time of a process in ticks, and those that time themselves see it.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options) as process:
        while True:
            try:
                out, errors = process.communicate(timeout=1.0)
                break
            except subprocess.TimeoutExpired:
                if used(process.pid) > seconds:
                    end(process.pid)
                    return process.communicate()[0], f"not in {seconds:g} s"
            except BaseException:  # Ctrl-C
                end(process.pid)
                raise
    return out, (errors.strip().splitlines() or ["failed"])[-1] if process.returncode else ""


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
    code = machine.Code(machine.compile_module("\n".join(lines)), ("run",))
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
    code = machine.Code(machine.compile_module("\n".join(lines)), ("peak",))
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


TRIG = 22  # arithmetic instructions of a sine with its cosine (torseur.compiler.codegen.sincos)


def instructions(program) -> int:
    """Arithmetic instructions of a program: a product that is fused into its sum is none."""
    count = program.operations
    own = count["mul"] + count["add"] + count["div"] + count["sqrt"] + TRIG * count["trig"]
    return own - len(select_fma_products(program)) if machine.has_fma() else own


def one_call(function, *args, rounds: int = 200, calls: int = 200) -> float:
    """Best time of one call from Python [ns]."""
    best = np.inf
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(calls):
            function(*args)
        best = min(best, (time.thread_time() - start) / calls)
    return 1e9 * best
