"""Digests of kernels, runs and exported C, to show that a change of the code changes no number.

    python benchmarks/fingerprint.py --output A.json [--root FOLDER] [--only TEXT]
    python benchmarks/fingerprint.py --compare A.json [B.json]     (without B: computed now)

The mechanisms are those of `tests/zoo.py`, one with each example of each registered joint, law,
line of action and constraint, and the models of `examples/` and `benchmarks/`.  Of each mechanism
the file holds

- stamp, counts of operations and SHA-256 of the outputs of its kernels at three seeded states,
- SHA-256 of the last time point of its runs (of the state, and of all signals of examples),
- SHA-256 of its exported C without comments.

SHA-256 is cut to 16 hexadecimal digits.  Beside it stands the sum of the absolute values, which
shows the size of most changes (not of a change of sign).  Signals enter sorted by value, so that
new names change nothing.  A quantity or mechanism whose name alone changed is recognized by its
digests.

The comparison exits with 1 if stamps of straight-line kernels, counts of operations, outputs, runs
or C differ.  Stamps of loops over links may differ, because names enter them.

Each finished mechanism is appended to `A.json.part`.  The next call with the same sources continues
there.  Models and package come from `--root` (default: the repository of this script).
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")
os.environ.setdefault("MPLBACKEND", "agg")

import numpy as np  # noqa: E402

DIGITS = 16  # of a SHA-256 [hexadecimal digits]
STATES = 3
BATCH_SIZE = 64  # states of a call in SIMD lanes
MAX_DURATION = 1.0  # of a run [s]
MAX_STEPS = 2000  # of a run
MAX_STRAIGHT_SPEEDS = 60  # up to which every quantity is evaluated
EXPORTED = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
LARGE_QUANTITIES = (*EXPORTED, "energy")
SMALL_QUANTITIES = (
    *LARGE_QUANTITIES,
    "applied",
    "integrate",
    "difference",
    "pose",
    "jacobian_rate",
    "constrained_dynamics",
    "constraint_residual",
)
LONG_QUANTITIES = (
    "flow_jacobian",
    "forward_dynamics_derivatives",
    "inverse_dynamics_derivatives",
    "christoffel",
)
METHODS = {
    "euler": {"step": 1e-3},
    "semi_implicit": {"step": 1e-3},
    "rk4": {"step": 1e-3},
    "newmark": {"step": 1e-3},
    "dopri5": {},
    "dop853": {},
    "rodas5p": {"rtol": 1e-6},
}
METHOD_EXAMPLES = ("robot_arm", "four_bar", "thrown_sphere")  # that every method integrates
SOLUTIONS = ("null_space", "elimination", "penalty")
ARGUMENTS = {"n": 3, "N": 2, "shape": "tree", "feet": 4, "points": 7}  # of functions for models
LARGE_ARGUMENTS = {"n": 70, "shape": "chain"}
LARGE_MODELS = ("tree", "ladder", "pendula")  # functions that are also called with a large n
Group = dict[str, str]


@dataclass
class Case:
    """A model with the quantities and runs that are evaluated."""

    model: Any
    initial: Mapping[str, float] | str | None = None  # "speeds": a number for every speed
    t_end: float = 0.05  # [s]
    parameters: tuple[str, ...] | None = None  # None: those without a value
    wrenches: tuple[str, ...] = ()
    level: str = "small"  # of quantities: "all", "most" (not the long ones), "public", "small"
    only_state: bool = False  # only quantities that read the time: the others see no elements
    runs: tuple[str, ...] = ("plain",)  # also "signals", "batch", "sensitivity", "methods"
    batch: bool = False  # whether kernels are also called for many states at once
    recorded: Group = field(default_factory=dict)  # digests of runs that a script made


# ---- digests -------------------------------------------------------------------------------


def digest_bytes(data: bytes) -> str:
    """First digits of the SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def digest_arrays(arrays) -> str:
    """SHA-256 of arrays in order, and the sum of the absolute values of their finite numbers."""
    whole, total = hashlib.sha256(), 0.0
    for array in arrays:
        x = np.array(array, dtype=float)
        x[np.isnan(x)] = np.nan  # one bit pattern
        whole.update(f"{x.shape}".encode() + np.ascontiguousarray(x).tobytes())
        total += float(abs(x[np.isfinite(x)]).sum())
    return f"{whole.hexdigest()[:DIGITS]} {total:.12g}"


def digest_sources(root: Path) -> str:
    """SHA-256 of the package, the models and this script."""
    whole = hashlib.sha256()
    folders = ("src/torseur", "tests/zoo.py", "examples", "benchmarks")
    for folder in folders:
        top = root / folder
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in (".py", ".yaml", ".csv"):
                whole.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    whole.update(Path(__file__).read_bytes())
    return whole.hexdigest()


def refusal(error: Exception) -> str:
    """The entry of a quantity or run that torseur refuses."""
    return f"refused: {type(error).__name__}"


# ---- registers -----------------------------------------------------------------------------


def find_register(member: str, attribute: str) -> Mapping[str, Any]:
    """The largest mapping of the package whose `member` has an attribute.

    Registers have no public name in every version, so the loaded modules are searched.
    """
    found: Mapping[str, Any] = {}
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] != "torseur" or module is None:
            continue
        for value in list(vars(module).values()):
            with contextlib.suppress(Exception):
                if isinstance(value, Mapping) and hasattr(value[member], attribute):
                    found = max(found, value, key=len)
    if not found:
        raise LookupError(f"no register holds {member!r}")
    return found


def element_examples(member: str) -> Iterator[tuple[str, bool, Any]]:
    """Examples of the elements registered beside `member`: name, whether the first, value."""
    for name, kind in sorted(find_register(member, "examples").items()):
        for i, example in enumerate(kind.examples()):
            yield f"{name} {i}", i == 0, example


# ---- mechanisms ----------------------------------------------------------------------------


def zoo_cases(ts: ModuleType, zoo: ModuleType) -> Iterator[tuple[str, Callable[[], Case]]]:
    """The named models of the zoo, and a mechanism around each example of an element."""
    full = {"level": "all", "batch": True, "runs": ("plain", "signals", "batch")}
    yield "zoo pendulum", lambda: Case(zoo.pendulum(), level="public", batch=True)
    yield "zoo free body", lambda: Case(zoo.free_body(), level="public", batch=True)
    for kind in ("quaternion", "zxz", "xyz", "zyx"):
        yield f"zoo spherical body {kind}", lambda k=kind: Case(zoo.spherical_body(k))
    for axes, level in ((3, "public"), (6, "small")):
        yield f"zoo puma {axes}", lambda n=axes, x=level: Case(zoo.puma(n), level=x)
    yield "zoo puma generic", lambda: Case(zoo.puma_generic(), "speeds", **full)
    yield "zoo mechanism", lambda: Case(zoo.mechanism(), "speeds", **full)
    arguments = {"parameters": ("L",), "wrenches": ("tip", "hand")}
    yield "zoo mechanism, wrenches", lambda: Case(zoo.mechanism(), "speeds", **arguments)
    for seed in (1, 2):
        yield (
            f"zoo tree {seed}",
            lambda s=seed: Case(
                zoo.tree(
                    zoo.random_kinds(np.random.default_rng(s), 6, zoo.EVERY_JOINT[1:]),
                    s,
                    armature=True,
                ),
                "speeds",
                batch=True,
            ),
        )
    for name, first, joint in element_examples("Revolute"):
        runs = ("plain",) * first
        yield f"joint {name}", lambda x=joint, r=runs: Case(zoo.around(x, 3), "speeds", runs=r)
    for name, first, law in element_examples("Spring"):
        options = {"level": "most" if first else "small", "only_state": True}
        yield f"law {name}", lambda x=law, o=options: Case(slider(ts, x), SLIDER_START, 0.2, **o)
    for name, first, line in element_examples("PointForce"):
        options = {"level": "public" if first else "small", "only_state": True}
        yield (
            f"line {name}",
            lambda x=line, o=options: Case(zoo.mechanism(forces=(x,)), "speeds", **o),
        )
    for name, first, constraint in element_examples("Contact"):
        options = {"level": "public" if first else "small", "only_state": True}
        yield (
            f"constraint {name}",
            lambda x=constraint, o=options: Case(
                zoo.mechanism(constraints=(x,)), MECHANISM_START, **o
            ),
        )


REGULAR_ANGLE = 0.7  # of three angles the second, whose zero is singular for "zxz" [rad]
MECHANISM_START = {"ball.angle2": REGULAR_ANGLE}
SLIDER_START = {"turn.displacement": 0.1, "turn.speed": 1.0}


def slider(ts: ModuleType, law):
    """A law on a slider: the smallest mechanism with it."""
    return ts.Model(
        "slider",
        bodies=(ts.Body("b", mass=1.0),),
        joints=(ts.Joint("turn", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("push"), ts.Input("load", 6)),
        parameters={"L": 0.6},
        forces=(ts.JointForce("f", "turn", law),),
    )


def example_cases(ts: ModuleType, root: Path) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Models of the examples; of scripts also the last time points of the runs of `main`."""
    runs = ("plain", "signals", "batch", "sensitivity")
    for path in sorted((root / "examples").glob("*.yaml")):
        yield (
            f"examples/{path.name}",
            lambda p=path: Case(
                ts.load(str(p)),
                "own",
                MAX_DURATION,
                level="most" if p.stem in METHOD_EXAMPLES else "small",
                runs=(*runs, *["methods"] * (p.stem in METHOD_EXAMPLES)),
            ),
        )
    for path in sorted((root / "examples").glob("*.py")):
        module = functools.cache(lambda p=path: import_file(p))
        for name in model_names(path):
            yield (
                f"examples/{path.stem}.{name}",
                lambda m=module, n=name: Case(
                    value() if callable(value := getattr(m(), n)) else value, runs=()
                ),
            )
        if re.search(r"\b(simulate|batch)\(", path.read_text(encoding="utf-8")):
            yield (
                f"examples/{path.stem} main",
                lambda m=module: Case(None, recorded=record_runs(ts, m())),
            )


def model_names(path: Path) -> list[str]:
    """Names in a script of models, and of functions without arguments that return one."""
    text = path.read_text(encoding="utf-8")
    values = re.findall(r"^(\w+) = ts\.(?:Model|from_dh)\(", text, re.MULTILINE)
    return values + re.findall(r"^def (\w+)\(\) -> (?:ts\.)?Model:", text, re.MULTILINE)


def benchmark_cases(root: Path) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Models of the functions in `benchmarks/` whose arguments `ARGUMENTS` knows."""
    wanted = re.compile(r"^def \w+\(.*\) -> .*\b(Model|Link)\b|^def \w+\(n\):", re.MULTILINE)
    for path in sorted((root / "benchmarks").glob("*.py")):
        if path.resolve() == Path(__file__).resolve() or not wanted.search(
            path.read_text(encoding="utf-8")
        ):
            continue
        try:
            module = importlib.import_module(path.stem)
        except ImportError as error:  # a peer that is not installed
            print(f"{path.name}: not imported ({error})", file=sys.stderr)
            continue
        for name, make in sorted(inspect.getmembers(module, inspect.isfunction)):
            if make.__module__ != module.__name__ or name.startswith("_"):
                continue
            if (arguments := model_arguments(make, ARGUMENTS)) is None:
                continue
            title = f"benchmarks/{path.stem}.{name}"
            yield title, lambda f=make, a=arguments, m=module: built_case(f(**a), m)
            if name in LARGE_MODELS and "n" in arguments:
                large = arguments | {k: x for k, x in LARGE_ARGUMENTS.items() if k in arguments}
                yield f"{title} large", lambda f=make, a=large, m=module: built_case(f(**a), m)


def model_arguments(make: Callable, known: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments for a function that returns a model or links; None for every other function."""
    signature = inspect.signature(make)
    required = [p.name for p in signature.parameters.values() if p.default is p.empty]
    returned = str(signature.return_annotation)
    untyped = signature.return_annotation is signature.empty and required == ["n"]
    if not (untyped or re.search(r"\bModel\b|list\[[\w.]*Link\]", returned)):
        return None
    return {n: known[n] for n in required} if set(required) <= set(known) else None


def built_case(built, module: ModuleType) -> Case:
    """The case of a model, of links, or of a model with its duration and initial state."""
    if isinstance(built, list):
        return Case(module.model(built), runs=())
    if isinstance(built, tuple):
        model, t_end, initial = built
        return Case(model, initial, min(t_end, MAX_DURATION))
    return Case(built, "own", 0.05)


def import_file(path: Path) -> ModuleType:
    """A script as a module: its `main` is not called."""
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record_runs(ts: ModuleType, module: ModuleType) -> Group:
    """Digests of the last time points of every run that the `main` of a script makes."""
    found: Group = {}
    originals = {name: getattr(ts, name) for name in ("simulate", "batch")}

    def recording(name):
        @functools.wraps(originals[name])
        def call(*arguments, **options):
            result = originals[name](*arguments, **options)
            found[f"{name} {len(found)}"] = digest_signals(result)
            return result

        return call

    replaced = [(ts, n) for n in originals]
    replaced += [(module, n) for n in originals if vars(module).get(n) is originals[n]]
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            for owner, name in replaced:
                setattr(owner, name, recording(name))
            module.main()
        finally:
            os.chdir(here)
            for owner, name in replaced:
                setattr(owner, name, originals[name])
    return found


# ---- runs ----------------------------------------------------------------------------------


def last_values(run, name: str) -> np.ndarray:
    """A signal at the last time point: a number, or one number for each run of a batch."""
    return np.atleast_1d(np.asarray(run[name], dtype=float)[..., -1])


def digest_signals(run) -> str:
    """Digest of all signals at the last time point, sorted by value, and of the last time."""
    values = np.sort(np.concatenate([last_values(run, n) for n in run.signals]))
    return digest_arrays([run.time[-1:], values])


def digest_state(run, system) -> str:
    """Digest of time and state at the last time point."""
    names = (*map(str, system.coordinates), *map(str, system.speeds))
    return digest_arrays([run.time[-1:], *(last_values(run, n) for n in names)])


def event_times(run) -> str:
    """Digest of the times of all events."""
    return f"{len(run.events)} events {digest_arrays([[e.time for e in run.events]])}"


def run_digests(ts: ModuleType, case: Case, system) -> Group:
    """Digests of the runs that a case asks for."""
    found: Group = {}
    given = case.initial
    if given == "speeds":
        given = {str(n): 0.1 * (i % 7 + 1) for i, n in enumerate(system.speeds)}
        given |= {n: REGULAR_ANGLE for n in map(str, system.coordinates) if n.endswith(".angle2")}
    elif given == "own":
        given = None
    own = getattr(case.model, "simulation", None) or {}
    t_end = case.t_end
    with contextlib.suppress(TypeError, ValueError):  # "120 ms"
        t_end = min(t_end, float(own.get("t_end", t_end)))
    options = {"initial": given, "output": 5, "max_steps": MAX_STEPS, "progress": False}

    def keep(name: str, work: Callable[[], str]) -> None:
        try:
            found[name] = work()
        except Exception as error:
            found[name] = refusal(error)

    runs = case.runs
    if "plain" in runs or "signals" in runs:
        try:
            run = first_accepted_run(ts, system, t_end, options)
        except Exception as error:
            return {"run": refusal(error)}
        keep("run", lambda: digest_state(run, system))
        keep("events", lambda: event_times(run))
        if "signals" in runs:
            keep("signals", lambda: digest_signals(run))
    if "batch" in runs:
        keep("batch", lambda: digest_state(batch_run(ts, case.model, system, t_end, given), system))
    if "sensitivity" in runs:
        keep("sensitivity", lambda: sensitivity_digest(ts, system, t_end, options))
    if "methods" in runs:
        constrained = bool(case.model.loops or case.model.constraints)
        for name, more in METHODS.items():
            own_options = options | more | {"method": name}
            keep(name, lambda o=own_options: digest_state(ts.simulate(system, 0.05, **o), system))
        for name in SOLUTIONS if constrained else ():
            own_options = options | {"solution": name}
            keep(name, lambda o=own_options: digest_state(ts.simulate(system, 0.05, **o), system))
    return found


def first_accepted_run(ts: ModuleType, system, t_end: float, options):
    """The run from the given start, or from one that is lifted out of the ground or turned."""
    lifted = {n: 1.0 for n in map(str, system.coordinates) if n.endswith(".pz")}
    turned = {n: 3.0 for n in map(str, system.coordinates) if n.endswith(".angle1")}
    for more in ({}, lifted, lifted | turned):
        start = {**(options["initial"] or {}), **more}
        try:
            return ts.simulate(system, t_end, **options | {"initial": start or None})
        except ts.TorseurError as error:
            refused = error
    raise refused


def batch_run(ts: ModuleType, model, system, t_end: float, given):
    """Eight runs in SIMD lanes, which differ in the first speed where no constraint fixes it."""
    first = str(system.speeds[0])
    start = dict(given or {})
    begun = ts.simulate(system, 1e-3, given, output=2, progress=False)
    free = not (model.loops or model.constraints)
    start[first] = begun[first][0] + free * np.linspace(0, 0.07, 8)
    return ts.batch(system, t_end, start, output=3, threads=1, max_steps=MAX_STEPS, progress=False)


def sensitivity_digest(ts: ModuleType, system, t_end: float, options) -> str:
    """Digest of the derivatives of the last state by the first speed."""
    first = str(system.speeds[0])
    run = ts.simulate(system, t_end, sensitivities=(first,), **options)
    names = (*map(str, system.coordinates), *map(str, system.speeds))
    return digest_arrays([np.asarray(run.sensitivity(n, first))[-1:] for n in names])


# ---- kernels -------------------------------------------------------------------------------


def port_value(dyn, name: str, shape: tuple[int, ...], place: int, state: int) -> np.ndarray:
    """A seeded value of an input of a kernel.

    Positions and sizes seed it, not names.  Six digits are kept, so that states do not depend on
    rounding in `integrate`.
    """
    system, size = dyn.system, int(np.prod(shape, dtype=int))
    rng = np.random.default_rng([state, place, size])
    if name == "k":  # the number of an event
        return np.zeros(shape)
    if name == "t":
        return np.full(shape, 0.3 + 0.2 * state)
    if name in ("q", "q0", "q1") and shape == (system.nq,):
        move = rng.uniform(0.2, 1.2, system.nv) * rng.choice([-1, 1], system.nv)
        return np.asarray(configuration(dyn, move)).round(6)
    if name == "p":
        return rng.uniform(0.5, 1.5, shape).round(6)
    return rng.uniform(-1.5, 1.5, shape).round(6)


def configuration(dyn, move) -> np.ndarray:
    """Coordinates that a motion reaches from the neutral ones."""
    parameters = {"p": np.ones(len(dyn.parameters))} if dyn.parameters else {}
    try:
        return dyn.integrate(dyn.system.neutral(), move, **parameters)
    except Exception:
        return dyn.integrate(dyn.system.neutral(), move, t=0.0, **parameters)


def kernel_digests(ts: ModuleType, case: Case, system, quantities) -> dict[str, Any]:
    """Stamps, counts of operations and digests of outputs of the kernels of a mechanism."""
    parameters = case.parameters
    if parameters is None:
        values = dict(system.parameters)
        names = dict.fromkeys((*values, *map(str, system.symbols)))
        parameters = tuple(n for n in names if values.get(n) is None)
    dyn = ts.compile(system, parameters=parameters, wrenches=case.wrenches)
    stamps, operations, outputs, C, loops = {}, {}, {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in EXPORTED if not case.only_state else ():
            try:
                path = dyn.export(Path(folder, "kernels.c"), (name,))
                C[name] = digest_bytes(without_comments(Path(path).read_text()).encode())
            except Exception as error:
                C[name] = refusal(error)
                loops += [name] * (system.nv > MAX_STRAIGHT_SPEEDS)
    frame = [n for n in system.places if n != "world"][-1:]
    for name in chosen_quantities(ts, case, system, quantities):
        try:
            own = frame[0] if frame and getattr(quantities[name], "frame", False) else None
            kernel = dyn.kernel(name, own)
            if not sum(p.size for p in kernel.outputs):
                continue
            outputs[name] = evaluate_kernel(dyn, kernel, range(STATES))
            operations[name] = count_text(dyn.operations(name, own))
            if name not in loops:
                stamps[name] = dyn.stamp(name, own)[:DIGITS]
            if case.batch and name in EXPORTED:
                many = evaluate_kernel(dyn, kernel, range(BATCH_SIZE), stacked=True)
                outputs[f"{name} batch"] = many
        except Exception as error:
            outputs[name] = refusal(error)
    loop_stamps = {n: dyn.stamp(n)[:DIGITS] for n in loops}
    return {
        "stamps": stamps,
        "loop stamps": loop_stamps,
        "operations": operations,
        "outputs": outputs,
        "C": C,
    }


def chosen_quantities(ts: ModuleType, case: Case, system, quantities) -> list[str]:
    """Names of the quantities that are worth their compile time for a case."""
    if system.nv > MAX_STRAIGHT_SPEEDS:
        return list(LARGE_QUANTITIES)
    names = sorted(quantities)
    if case.level == "small":
        names = [n for n in names if n in SMALL_QUANTITIES]
        if not (case.model.loops or case.model.constraints):
            names = [n for n in names if not n.startswith("constrain")]
    if case.level == "public":
        names = [n for n in names if hasattr(ts.Dynamics, n)]
    if case.level != "all":
        names = [n for n in names if n not in LONG_QUANTITIES]
    if case.only_state:
        names = [n for n in names if "t" in getattr(quantities[n], "inputs", "t")]
    return names


def evaluate_kernel(dyn, kernel, states, stacked: bool = False) -> str:
    """Digest of the outputs of a kernel, one state after the other or all in one call."""
    ports = [(p.name, tuple(p.shape)) for p in kernel.inputs]
    every = [
        [port_value(dyn, name, shape, place, i) for place, (name, shape) in enumerate(ports)]
        for i in states
    ]
    calls = [[np.stack(x) for x in zip(*every, strict=True)]] if stacked else every
    found = []
    with np.errstate(all="ignore"):
        for arguments in calls:
            result = kernel(*arguments)
            found += result if isinstance(result, tuple) else (result,)
    return digest_arrays(found)


def count_text(counts: Mapping[str, int]) -> str:
    """Counts of operations in one short text."""
    return " ".join(f"{n} {int(x)}" for n, x in sorted(counts.items()) if x)


def without_comments(text: str) -> str:
    """C without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def fingerprint_case(ts: ModuleType, case: Case, quantities) -> dict[str, Any]:
    """All digests of a mechanism."""
    found: dict[str, Any] = {}
    if case.model is not None:
        try:
            system = case.model.check()
        except ts.TorseurError as error:
            return {"outputs": {"check": refusal(error)}}
        found = kernel_digests(ts, case, system, quantities)
        values = dict(system.parameters)
        if all(values.get(str(n)) is not None for n in (*values, *system.symbols)):
            found["runs"] = run_digests(ts, case, system)
    found["runs"] = found.get("runs", {}) | case.recorded
    return {kind: group for kind, group in found.items() if group}


# ---- the whole -----------------------------------------------------------------------------


def use_checkout(root: Path) -> ModuleType:
    """Import the package, the zoo and the models of a checkout."""
    for folder in ("benchmarks", "examples", "tests", "src"):
        sys.path.insert(0, str(root / folder))
    ts = importlib.import_module("torseur")
    home = Path(str(ts.__file__)).resolve()
    if root.resolve() not in home.parents:
        raise SystemExit(f"torseur is imported from {home.parent}, not from {root}")
    for name in ("Revolute", "Spring", "PointForce", "Contact", "compile"):
        getattr(ts, name)  # loads the modules of the registers
    return ts


def every_case(ts: ModuleType, root: Path) -> Iterator[tuple[str, Callable[[], Case]]]:
    """Name of each mechanism, and a function that builds its case."""
    yield from zoo_cases(ts, importlib.import_module("zoo"))
    yield from example_cases(ts, root)
    yield from benchmark_cases(root)


def fingerprint(
    root: Path, part: Path | None = None, only: str = "", verbose: bool = False
) -> dict[str, Any]:
    """Digests of every mechanism of a checkout; finished ones are appended to `part`."""
    ts = use_checkout(root)
    quantities = find_register("inverse_dynamics", "name")
    done: dict[str, Any] = {}
    if part is not None:
        done = read_part(part, sources := digest_sources(root))
        if not done:
            part.write_text(json.dumps({"sources": sources}) + "\n", encoding="utf-8")
    found: dict[str, Any] = {}
    begun, slowest = time.process_time(), []
    for name, build in every_case(ts, root):
        if only not in name:
            continue
        if name not in done:
            before = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    done[name] = fingerprint_case(ts, build(), quantities)
                except Exception as error:
                    done[name] = {"outputs": {"model": f"{refusal(error)}: {error}"[:200]}}
            slowest.append((time.process_time() - before, name))
            if part is not None:
                with part.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({name: done[name]}) + "\n")
            if verbose:
                print(f"{slowest[-1][0]:6.2f} s  {name}", flush=True)
        found[name] = done[name]
    print(f"{len(found)} mechanisms in {time.process_time() - begun:.0f} CPU s; slowest:")
    for spent, name in sorted(slowest, reverse=True)[:8]:
        print(f"  {spent:6.2f} s  {name}")
    return found


def read_part(part: Path, sources: str) -> dict[str, Any]:
    """Finished mechanisms of an interrupted call with the same sources."""
    if not part.exists():
        return {}
    done: dict[str, Any] = {}
    with contextlib.suppress(json.JSONDecodeError):  # the last line may be cut
        for i, line in enumerate(part.read_text(encoding="utf-8").splitlines()):
            entry = json.loads(line)
            if i == 0 and entry != {"sources": sources}:
                return {}
            done |= entry if i else {}
    return done


def write_fingerprint(path: Path, mechanisms: Mapping[str, Any]) -> None:
    """Write sorted JSON, one mechanism per line."""
    lines = [
        f"{json.dumps(n)}: {json.dumps(x, sort_keys=True, separators=(',', ':'))}"
        for n, x in sorted(mechanisms.items())
    ]
    unfinished = path.with_name(f"{path.name}.tmp")
    unfinished.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    unfinished.replace(path)


# ---- comparison ----------------------------------------------------------------------------

KINDS = {
    "stamps": "stamp",
    "loop stamps": "loop stamp",
    "operations": "operations",
    "outputs": "output",
    "runs": "run",
    "C": "C",
}
ALLOWED = ("loop stamps",)


def compare(old: Mapping, new: Mapping) -> tuple[list[str], list[str]]:
    """Differences that are faults, and differences that are allowed."""
    faults, allowed = [], []
    renamed = pair_equal(old, new)
    allowed += [f"{a} | renamed to {b}" for a, b in renamed.items()]
    allowed += [f"{n} | added" for n in sorted({*new} - {*old, *renamed.values()})]
    for name in sorted(old):
        if name not in new:
            faults += [] if name in renamed else [f"{name} | missing"]
            continue
        bad, good = compare_mechanisms(name, old[name], new[name])
        faults, allowed = faults + bad, allowed + good
    return faults, allowed


def compare_mechanisms(mechanism: str, old: Mapping, new: Mapping) -> tuple[list[str], list[str]]:
    """The same of one mechanism."""
    faults, allowed = [], []
    before, after = (
        {n: [x.get("operations", {}).get(n), d] for n, d in x.get("outputs", {}).items()}
        for x in (old, new)
    )
    renamed = pair_equal(before, after)
    allowed += [f"{mechanism} | {a} | renamed to {b}" for a, b in renamed.items()]
    for kind, title in KINDS.items():
        a, b = old.get(kind, {}), new.get(kind, {})
        into = allowed if kind in ALLOWED else faults
        names = renamed if kind in ("stamps", "operations", "outputs") else {}
        for quantity in sorted(a):
            now = b.get(names.get(quantity, quantity), "missing")
            if now == a[quantity]:
                continue
            line = f"{mechanism} | {quantity} | {title} | {a[quantity]} -> {now}"
            same = before.get(quantity) == after.get(names.get(quantity, quantity))
            if kind == "stamps" and same:
                line += " (operations and outputs are equal: a port may have a new name)"
            into.append(line)
        added = sorted({*b} - {*a, *names.values()})
        allowed += [f"{mechanism} | {n} | {title} | added" for n in added]
    return faults, allowed


def pair_equal(old: Mapping, new: Mapping) -> dict[str, str]:
    """Names of `old` alone, each with a name of `new` alone that has the same content."""
    left = {n: json.dumps(new[n], sort_keys=True) for n in sorted({*new} - {*old})}
    pairs = {}
    for name in sorted({*old} - {*new}):
        content = json.dumps(old[name], sort_keys=True)
        if match := next((n for n, x in left.items() if x == content), None):
            pairs[name] = match
            del left[match]
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--output", type=Path, help="JSON file to write")
    parser.add_argument("--compare", type=Path, nargs="+", metavar="JSON", help="one or two files")
    parser.add_argument("--only", default="", help="part of the names of mechanisms")
    parser.add_argument("--verbose", action="store_true", help="CPU time of each mechanism")
    given = parser.parse_args()
    if len(given.compare or ()) > 2 or not (given.compare or given.output):
        parser.error("give --output FILE, or --compare with one or two files")
    new: Mapping[str, Any]
    if given.compare and len(given.compare) == 2:
        new = json.loads(given.compare[1].read_text(encoding="utf-8"))
    else:
        part = given.output and given.output.with_name(f"{given.output.name}.part")
        new = fingerprint(given.root.resolve(), part, given.only, given.verbose)
        if given.output:
            write_fingerprint(given.output, new)
            part.unlink(missing_ok=True)
            print(f"{given.output}: {given.output.stat().st_size / 1e3:.0f} kB")
    if not given.compare:
        return 0
    old = json.loads(given.compare[0].read_text(encoding="utf-8"))
    faults, allowed = compare({n: x for n, x in old.items() if given.only in n}, new)
    for title, lines in (("allowed differences", allowed), ("DIFFERENCES", faults)):
        print(f"{title}: {len(lines)}")
        for line in lines:
            print(f"  {line}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
