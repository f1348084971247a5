"""Kernels beside Pinocchio's C++ and CasADi's C, in one run: `make bench` keeps the table.

Times are CPU times, the best of several rounds, ours and theirs in turn, because absolute figures
move with the load of the machine; read the ratios.
"""

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import casadi_c
import gate
import numpy as np
import robots
import timing

import torseur as ts
from torseur.files import write

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
ROBOTS = {"7R arm": (7, False), "30-joint tree": (30, True)}
THREE = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
BY_GCC = {"30-joint tree": (*THREE, DERIVATIVES[0])}  # gcc takes over ten minutes for the other
LONG = (100, 300, 1000)
MOST_OF_PINOCCHIO = 300  # bodies; its data of 1000 do not fit into 12 GB
NOTES = "## How to read it"
BATCH = 100_000
BYTES = 128 << 20  # of answers in one batch, at most: more than any cache
PATIENCE = 600  # CPU s that gcc may take for a program on Pinocchio's headers
ROOM = 14 << 30  # bytes that building both programs at once takes, and more
GENERATED = 90  # CPU s for the code that Pinocchio generates, of a robot
FETCHING = Lock()
OTHERS = {  # other trees, one call
    "humanoid, 31 hinges": robots.humanoid,
    "humanoid, free base": lambda: robots.humanoid("free"),
    "humanoid, free base, balls at shoulders and hips": robots.ball_jointed,
    "quadruped, 18 hinges": robots.quadruped,
    "quadruped, free base": lambda: robots.quadruped("free"),
    "comb, 36 hinges": robots.comb,
    "sliders and sleeves, 20 speeds": robots.sliding,
    "random parents, 25 hinges": robots.bush,
    "30 hinges, general places": robots.general,
}
FLAGS = [
    *("-O3", "-march=native", "-w", "-DNDEBUG", "-std=c++17", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"),
    *("-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"),
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]


def build(source: Path, extra: tuple[Path, ...] = (), level: str = "-O3") -> Path | None:
    """A program on Pinocchio's C++ compiled for this machine, or None where that cannot be."""
    program, noted = BUILD / source.stem, BUILD / f"{source.stem}.sha256"
    texts = (source.read_bytes(), (HERE / "pinocchio_model.hpp").read_bytes(), repr((FLAGS, level)))
    digest = hashlib.sha256(repr(texts).encode()).hexdigest()
    if program.exists() and noted.exists() and noted.read_text() == digest:
        return program
    try:
        import pinocchio
    except ImportError:
        return None
    prefix = next((p for p in Path(pinocchio.__file__).parents if p.name == "cmeel.prefix"), None)
    compiler, eigen = shutil.which("g++"), Path("/usr/include/eigen3")
    if not eigen.exists():
        eigen = (headers("cmeel-eigen") or eigen) / "eigen3"
    if not (prefix and eigen.exists() and compiler):
        return None
    print(f"compiling {source.name} (some minutes, once)", file=sys.stderr)
    BUILD.mkdir(exist_ok=True)
    places = [*(f"-I{p}" for p in extra), f"-I{prefix}/include", f"-I{eigen}", f"-L{prefix}/lib"]
    places += [f"-Wl,-rpath,{prefix}/lib", "-lpinocchio_default", "-ldl"]
    command = [compiler, *FLAGS, level, str(source), "-o", str(program), *places]
    _, why = timing.bounded(command, PATIENCE)
    if why:
        print(f"{source.name}: {why}", file=sys.stderr)
        return None
    noted.write_text(digest)
    return program


def pinocchio_program() -> Path | None:
    return build(HERE / "pinocchio_speed.cpp")


def headers(package: str) -> Path | None:
    """Headers that are fetched from PyPI, once; None where they are not to be had."""
    folder = BUILD / package
    with FETCHING:
        if not folder.exists():
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
            if subprocess.run([*command, str(folder), package], check=False).returncode:
                return None
    return folder / "cmeel.prefix" / "include"


def pinocchio_generated() -> Path | None:
    """Pinocchio with its code generation."""
    folders = [headers(package) for package in ("cmeel-cppadcodegen", "cmeel-cppad")]
    found = tuple(f for f in folders if f)
    return build(HERE / "pinocchio_codegen.cpp", found, "-O1") if len(found) == 2 else None


def programs(slow: bool) -> tuple[Path | None, Path | None]:
    """Pinocchio's C++, and with its code generation where asked for; built side by side."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with ThreadPoolExecutor(2 if memory > ROOM else 1) as pool:
        two = pool.submit(pinocchio_program), pool.submit(pinocchio_generated) if slow else None
        return two[0].result(), two[1].result() if two[1] else None


def theirs(program: Path | None, links, rounds: int, folder=None) -> dict[str, float]:
    """Pinocchio's times [ns]."""
    if program is None:
        return {}
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "robot.txt"
        robots.write(links, path)
        most = GENERATED if folder else PATIENCE
        told, why = timing.bounded([program, path, str(rounds)], most, cwd=folder or made)
    if why and folder is None:
        raise SystemExit(f"{program.name}: {why}")
    if why:  # what gcc had finished counts
        print(f"{program.name}: {why}", file=sys.stderr)
    return {name: float(x) for name, x in (line.split() for line in told.splitlines())}


def ours(dynamics, rounds: int) -> dict[str, float]:
    """Our times [ns]."""
    times = {}
    for name in (*THREE, *DERIVATIVES):
        times[name] = timing.by_address(dynamics.kernel(name), rounds)
    for name in THREE:
        kernel = dynamics.kernel(name)
        count = min(BATCH, BYTES // (8 * sum(p.size for p in kernel.outputs)))
        times[f"{name}, batch"] = timing.in_batch(kernel, count, max(2, rounds // 3))
    return times


BESIDE = {  # our measurement: Pinocchio's
    "inverse_dynamics": "inverse_dynamics",
    "mass_matrix": "mass_matrix",
    "forward_dynamics": "forward_dynamics",
    **{name: name for name in DERIVATIVES},
    "inverse_dynamics, batch": "inverse_dynamics",
    "forward_dynamics, batch": "forward_dynamics",
    "mass_matrix, batch": "mass_matrix_stored",
}


def check(dynamics, links) -> None:
    """Ours and Pinocchio's numbers are the same, before any is timed."""
    import pinocchio as pin

    robot, system = robots.pinocchio_model(links), dynamics.system
    data, (at_q, at) = robot.createData(), robots.seen_by_pinocchio(system, robot)
    rng, square = np.random.default_rng(0), np.ix_(at, at)
    q, (v, a) = system.unit(rng.uniform(-1, 1, system.nq), "q"), rng.uniform(-1, 1, (2, system.nv))
    theirs = robot, data, q[at_q], v[at], a[at]
    M = np.triu(pin.crba(*theirs[:3]))
    pairs = [
        (dynamics.inverse_dynamics(q, v, a)[at], pin.rnea(*theirs)),
        (dynamics.mass_matrix(q)[square], M + np.triu(M, 1).T),
        (dynamics.forward_dynamics(q, v, a)[at], pin.aba(*theirs)),
    ]
    if all(k.kind not in robots.VARYING for k in links):
        pin.computeRNEADerivatives(*theirs)
        dq, dv, _ = dynamics.inverse_dynamics_derivatives(q, v, a)
        pairs += [(dq[square], data.dtau_dq.copy()), (dv[square], data.dtau_dv.copy())]
        pin.computeABADerivatives(*theirs)
        dq, dv, _ = dynamics.forward_dynamics_derivatives(q, v, a)
        pairs += [(dq[square], data.ddq_dq), (dv[square], data.ddq_dv)]
    for got, want in pairs:
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * abs(want).max())


def first_numbers(n: int, branching: bool) -> tuple[float, float]:
    """From `import torseur` to the first number of three kernels, CPU [s]: cold, then cached."""
    rows = [
        (
            k.parent,
            (k.roll, 0, 0),
            tuple(k.p.tolist()),
            k.mass,
            tuple(k.com.tolist()),
            k.inertia.tolist(),
        )
        for k in robots.arm(n, branching)
    ]
    script = (
        f"import sys, time, numpy as np\nrows = {rows!r}\n"
        "start = time.process_time()\n"
        "import torseur as ts\n"
        "bodies = tuple(ts.Body(f'b{i}', mass=m, com=c, inertia=np.array(I))\n"
        "               for i, (_, _, _, m, c, I) in enumerate(rows))\n"
        "joints = tuple(ts.Joint(f'j{i}', 'world' if up < 0 else f'b{up}', f'b{i}',\n"
        "                        ts.Revolute('z'), at=p, rpy=rpy)\n"
        "               for i, (up, rpy, p, *_) in enumerate(rows))\n"
        "d = ts.compile(ts.Model(gravity=(0, 0, -9.81), bodies=bodies, joints=joints))\n"
        "x = np.zeros(len(rows))\n"
        "d.inverse_dynamics(x, x, x); d.mass_matrix(x); d.forward_dynamics(x, x, x)\n"
        "print(time.process_time() - start)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TORSEUR_CACHE": folder, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", script]

        def run():
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment
            )
            return float(done.stdout)

        subprocess.run(
            [sys.executable, "-c", script],
            env=environment | {"TORSEUR_CACHE": "off"},
            check=True,
            capture_output=True,
        )  # bytecode in place
        return run(), min(run() for _ in range(5))


def said(what: str) -> None:
    """Where the program is."""
    print(f"kernels: {what} ({time.strftime('%H:%M:%S')})", file=sys.stderr, flush=True)


def table(rounds: int, turns: int, slow: bool) -> str:
    program, generated = programs(slow)
    lines = [
        "# Kernels",
        "",
        f"Measured {time.strftime('%Y-%m-%d')} (`make bench` repeats it), {platform.machine()}, "
        f"{timing.machine.lanes()} lanes, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores. "
        f"CPU time, best of {turns} x {rounds} rounds, ours and theirs in turn. "
        "Pinocchio's C++ and the C of CasADi (written from our graphs) at -O3 "
        "-march=native. `ratio` is Pinocchio's time over ours.",
    ]
    lines += [
        "",
        "Pinocchio's code is the C of its own code generation (CppADCodeGen), the functions alone, "
        "by gcc at -O3 -march=native; a dash: not compiled by gcc in the time it had, "
        f"{GENERATED} CPU s for all functions of a robot one after the other (CasADi's C: "
        f"{casadi_c.PATIENCE} s for each), or no such function.",
    ]
    ratios: dict[str, float] = {}
    for name, (n, branching) in ROBOTS.items():
        said(name)
        links = robots.arm(n, branching)
        dynamics = ts.compile(robots.model(links, name))
        if program is not None:
            check(dynamics, links)
        mine, peer, written, code = {}, {}, {}, {}
        with tempfile.TemporaryDirectory() as folder:
            names = BY_GCC.get(name, (*THREE, *DERIVATIVES))
            others = casadi_c.compiled(dynamics, names, Path(folder))
            for _ in range(turns):  # in turn
                for best, new in (
                    (mine, ours(dynamics, rounds)),
                    (peer, theirs(program, links, rounds)),
                    (written, {f.name: timing.by_address(f, rounds) for f in others}),
                ):
                    for key, value in new.items():
                        best[key] = min(best.get(key, np.inf), value)
            code = theirs(generated, links, rounds, folder)
        lines += ["", f"## {name}", ""]
        heads = (
            "",
            "torseur",
            "Pinocchio",
            "ratio",
            "CasADi's C",
            "Pinocchio's code",
            "operations",
        )
        lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        for key, value in mine.items():

            def beside(x):
                return f"{x:.0f} ns" if x else "-"

            other = peer.get(BESIDE[key])
            count = dynamics.operations(key) if "," not in key else {}
            counts = ", ".join(f"{n} {op}" for op, n in count.items() if n)
            ratio = f"{other / value:.1f}" if other else "-"
            ratios[f"{name}: {key.replace('_', ' ')}"] = other / value if other else np.nan
            if key in written:
                ratios[f"{name}: {key.replace('_', ' ')}, gcc"] = written[key] / value
            cells = (
                key.replace("_", " "),
                f"{value:.1f} ns",
                beside(other),
                ratio,
                beside(written.get(key)),
                beside(code.get(key)),
                counts,
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines += _limit(dynamics, mine, rounds)
        cold, warm = first_numbers(n, branching)
        lines += ["", f"Description to first number, three kernels: {cold:.2f} s cold, "]
        lines[-1] += f"{warm:.3f} s from the cache (CPU time from `import torseur` on, after "
        lines[-1] += "`import numpy`; bytecode in place, as after any first run; best of five)."
        lines += _from_python(dynamics, links, program)
    lines += chains(program, rounds) + other_trees(program, rounds, turns, ratios)
    gate.record("kernels", ratios)
    return "\n".join(lines) + "\n"


def _limit(dynamics, mine: dict[str, float], rounds: int) -> list[str]:
    """Batches beside the least time that their arithmetic could take."""
    peak, words = timing.peak(rounds), []
    for name in THREE:
        least = timing.instructions(dynamics.kernel(name).program) * peak / timing.machine.lanes()
        words.append(f"{name.replace('_', ' ')} {mine[f'{name}, batch'] / least:.2f}")
    return [
        "",
        f"Batches against the arithmetic limit of the core: {', '.join(words)} times the least "
        "time of their arithmetic, each instruction as one of a loop of fused products alone "
        f"({peak:.3f} ns a vector of {timing.machine.lanes()}); moving of numbers is left out.",
    ]


def chains(program, rounds: int) -> list[str]:
    """Forward dynamics of long chains of hinges: cost of a body, and compile time."""
    lines = ["", "## Chains of revolute bodies, forward dynamics", ""]
    lines += ["| bodies | torseur | a body | Pinocchio | ratio | first number, cold |"]
    lines += ["|---|---|---|---|---|---|"]
    for n in LONG:
        said(f"chain of {n}")
        links = robots.arm(n)
        system, x = robots.model(links).check(), np.zeros(n)
        with tempfile.TemporaryDirectory() as folder:
            before, os.environ["TORSEUR_CACHE"] = os.environ.get("TORSEUR_CACHE"), folder
            start = time.process_time()
            dynamics = ts.compile(system)
            dynamics.forward_dynamics(x, x, x)
            cold = time.process_time() - start
            os.environ.pop("TORSEUR_CACHE")
            if before is not None:
                os.environ["TORSEUR_CACHE"] = before
        mine = peer = np.inf
        for _ in range(2):
            mine = min(mine, timing.by_address(dynamics.kernel("forward_dynamics"), rounds))
            if n <= MOST_OF_PINOCCHIO:
                peer = min(peer, theirs(program, links, rounds).get("forward_dynamics", np.inf))
        beside = f"{peer / 1e3:.0f} us | {peer / mine:.2f}" if np.isfinite(peer) else "- | -"
        lines.append(f"| {n} | {mine / 1e3:.0f} us | {mine / n:.0f} ns | {beside} | {cold:.1f} s |")
    return lines


def other_trees(program, rounds: int, turns: int, ratios: dict[str, float]) -> list[str]:
    """Trees of other shapes and joints: one call of each kernel."""
    names = (*THREE, *DERIVATIVES)
    heads = ["ratio to Pinocchio (our time)", *(n.replace("_", " ") for n in names)]
    lines = ["", "## Other trees, one call", "", f"| {' | '.join(heads)} |"]
    lines.append("|---" * len(heads) + "|")
    for title, make in OTHERS.items():
        said(title)
        links = make()
        dynamics = ts.compile(robots.model(links, title))
        if program is not None:
            check(dynamics, links)
        mine, peer = {}, {}
        for _ in range(turns):
            for n in names:
                new = timing.by_address(dynamics.kernel(n), rounds)
                mine[n] = min(mine.get(n, np.inf), new)
            for n, new in theirs(program, links, rounds).items():
                peer[n] = min(peer.get(n, np.inf), new)
        cells = []
        for n in names:
            ratio = peer.get(n, np.nan) / mine[n]
            ratios[f"{title}: {n.replace('_', ' ')}"] = ratio
            cells.append(f"{ratio:.1f} ({mine[n]:.0f} ns)" if n in peer else f"{mine[n]:.0f} ns")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def _from_python(dynamics, links, program) -> list[str]:
    x = np.zeros(len(links))
    mine = timing.one_call(dynamics.inverse_dynamics, x, x, x)
    if program is None:
        return ["", f"One call of inverse dynamics from Python: {mine:.0f} ns."]
    import pinocchio as pin

    robot = robots.pinocchio_model(links)
    peer = timing.one_call(pin.rnea, robot, robot.createData(), x, x, x)
    return [
        "",
        f"One call of inverse dynamics from Python: {mine:.0f} ns; pinocchio.rnea {peer:.0f} ns.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each measurement")
    parser.add_argument("--turns", type=int, default=4, help="how often ours and theirs take turns")
    kept = HERE.parent / "docs" / "benchmarks" / "kernels.md"
    parser.add_argument("--out", type=Path, default=kept, help="where to keep it")
    parser.add_argument(
        "--generated",
        action="store_true",
        help="also time the C that Pinocchio's code generation writes",
    )
    options = parser.parse_args()
    text = table(options.rounds, options.turns, options.generated)
    print(text)
    before = kept.read_text(encoding="utf-8") if kept.exists() else ""
    notes = before[before.index(NOTES) :] if NOTES in before else ""  # written by hand
    write(options.out, f"{text}\n{notes}" if notes else text)


if __name__ == "__main__":
    main()
