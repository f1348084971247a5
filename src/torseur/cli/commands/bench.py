"""`torseur bench`: CPU time of the compiled kernels of a model."""

from __future__ import annotations

import time

import numpy as np

from ..base import CommandResult, command, model_arguments, read_model


def _options(p):
    model_arguments(p)
    p.add_argument("--batch", type=int, default=1000, help="states a batch (1000)")


@command(
    "bench",
    "time the compiled kernels of a model",
    [
        "bench arm.yaml",
    ],
    _options,
)
def bench(args) -> CommandResult:
    """Times of the compiled kernels, one state and a batch."""
    started = time.perf_counter()
    system = read_model(args).check()
    data = {"load": time.perf_counter() - started, "nv": system.nv, "kernels": {}}
    from ...kernels import compile

    dyn = compile(system)
    rng = np.random.default_rng(0)
    n = max(1, args.batch)
    q = np.tile(system.neutral(), (n, 1))
    dv, v, a = rng.uniform(-1, 1, (3, n, system.nv))
    q = dyn.integrate(q, dv)
    lines = [
        f"{system.name}: {system.nv} degrees of freedom, read in {data['load'] * 1e3:.1f} ms",
        f"{'':<20}{'first call':>12}{'one state':>12}{f'batch of {n}':>16}{'operations':>12}",
    ]
    for name, call in (
        ("inverse_dynamics", lambda i: dyn.inverse_dynamics(q[i], v[i], a[i])),
        ("forward_dynamics", lambda i: dyn.forward_dynamics(q[i], v[i], a[i])),
        ("mass_matrix", lambda i: dyn.mass_matrix(q[i])),
    ):
        first = _measure_time(lambda f=call: f(0), 1)
        one = _measure_time(lambda f=call: f(0), 200)
        batch = _measure_time(lambda f=call: f(slice(None)), 5) / n
        count = sum(dyn.operations(name).values())
        data["kernels"][name] = {
            "first": first,
            "one": one,
            "each_of_batch": batch,
            "operations": count,
        }
        lines.append(
            f"{name:<20}{first * 1e3:>9.1f} ms{one * 1e6:>9.2f} µs"
            f"{batch * 1e6:>13.3f} µs{count:>12}"
        )
    return CommandResult("\n".join(lines), data)


def _measure_time(call, times: int) -> float:
    """Best of a few repetitions, in seconds a call."""
    best = float("inf")
    for _ in range(1 if times == 1 else 3):
        start = time.perf_counter()
        for _ in range(times):
            call()
        best = min(best, (time.perf_counter() - start) / times)
    return best
