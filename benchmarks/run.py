"""Kernels beside Pinocchio's C++, in one run: `make bench` prints the table and keeps it.

Times are CPU times, the best of several rounds, ours and theirs in turn, because absolute figures
move with the load of the machine; read the ratios.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import robots
import timing

import torseur as ts

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
ROBOTS = {"7R arm": (7, False), "30-joint tree": (30, True)}
THREE = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
BATCH = 100_000
FLAGS = [
    *("-O3", "-march=native", "-DNDEBUG", "-std=c++17", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"),
    *("-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"),
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]


def pinocchio_program() -> Path | None:
    """Pinocchio's C++ compiled for this machine, or None where that is not possible."""
    try:
        import pinocchio
    except ImportError:
        return None
    folder = Path(pinocchio.__file__)
    prefix = next((p for p in folder.parents if p.name == "cmeel.prefix"), None)
    eigen = next((p for p in (Path("/usr/include/eigen3"),) if p.exists()), None)
    compiler, source = shutil.which("g++"), HERE / "pinocchio_speed.cpp"
    program = BUILD / "pinocchio_speed"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    if not (prefix and eigen and compiler):
        return None
    print("compiling Pinocchio's program (some minutes, once)", file=sys.stderr)
    BUILD.mkdir(exist_ok=True)
    places = [f"-I{prefix}/include", f"-I{eigen}", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
    command = [compiler, *FLAGS, str(source), "-o", str(program), *places, "-lpinocchio_default"]
    subprocess.run(command, check=True)
    return program


def theirs(program: Path | None, links, rounds: int) -> dict[str, float]:
    """Pinocchio's times [ns]."""
    if program is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.txt"
        robots.write(links, path)
        done = subprocess.run(
            [program, path, str(rounds)], capture_output=True, text=True, check=True
        )
    return {name: float(x) for name, x in (line.split() for line in done.stdout.splitlines())}


def ours(dynamics, rounds: int) -> dict[str, float]:
    """Our times [ns]."""
    times = {}
    for name in (*THREE, "inverse_dynamics_derivatives"):
        times[name] = timing.by_address(dynamics.kernel(name), rounds)
    for name in THREE:
        times[f"{name}, batch"] = timing.in_batch(dynamics.kernel(name), BATCH, max(2, rounds // 3))
    return times


BESIDE = {  # our measurement: Pinocchio's
    "inverse_dynamics": "inverse_dynamics",
    "mass_matrix": "mass_matrix",
    "forward_dynamics": "forward_dynamics",
    "inverse_dynamics_derivatives": "inverse_dynamics_derivatives",
    "inverse_dynamics, batch": "inverse_dynamics",
    "forward_dynamics, batch": "forward_dynamics",
    "mass_matrix, batch": "mass_matrix_stored",
}


def check(dynamics, links) -> None:
    """Ours and Pinocchio's numbers are the same, before any is timed."""
    import pinocchio as pin

    robot = robots.pinocchio_model(links)
    data, at = robot.createData(), np.argsort(robots.order(dynamics.system))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, len(links)))
    for got, want in [
        (dynamics.inverse_dynamics(q, v, a)[at], pin.rnea(robot, data, q[at], v[at], a[at])),
        (dynamics.forward_dynamics(q, v, a)[at], pin.aba(robot, data, q[at], v[at], a[at])),
    ]:
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * abs(want).max())


def first_numbers(n: int, branching: bool) -> tuple[float, float]:
    """From description to the first number of three kernels, CPU [s]: cold, then cached."""
    script = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); import robots, numpy as np\n"
        "import torseur as ts\n"
        f"links = robots.arm({n}, {branching}); x = np.zeros({n})\n"
        "start = time.process_time()\n"
        "d = ts.compile(robots.model(links))\n"
        "d.inverse_dynamics(x, x, x); d.mass_matrix(x); d.forward_dynamics(x, x, x)\n"
        "print(time.process_time() - start)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TORSEUR_CACHE": folder}
        command = [sys.executable, "-c", script, str(HERE)]
        runs = [
            subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            for _ in range(2)
        ]
    cold, warm = (float(done.stdout) for done in runs)
    return cold, warm


def table(rounds: int) -> str:
    program = pinocchio_program()
    lines = [
        f"Measured {time.strftime('%Y-%m-%d')}, {platform.machine()}, "
        f"{timing.machine.lanes()} lanes; Pinocchio's C++ at -O3 -march=native."
    ]
    for name, (n, branching) in ROBOTS.items():
        links = robots.arm(n, branching)
        dynamics = ts.compile(robots.model(links, name))
        if program is not None:
            check(dynamics, links)
        mine, peer = {}, {}
        for _ in range(4):  # in turn
            for best, new in (
                (mine, ours(dynamics, rounds)),
                (peer, theirs(program, links, rounds)),
            ):
                for key, value in new.items():
                    best[key] = min(best.get(key, np.inf), value)
        lines += ["", f"## {name}", "", "| | torseur | Pinocchio | ratio | operations |"]
        lines.append("|---|---|---|---|---|")
        for key, value in mine.items():
            other = peer.get(BESIDE[key])
            beside = f"{other:.0f} ns | {other / value:.1f}" if other else "- | -"
            count = dynamics.operations(key.split(",")[0]) if "," not in key else {}
            counts = ", ".join(f"{n} {op}" for op, n in count.items() if n)
            lines.append(f"| {key.replace('_', ' ')} | {value:.1f} ns | {beside} | {counts} |")
        cold, warm = first_numbers(n, branching)
        lines += ["", f"Description to first number, three kernels: {cold:.2f} s cold, "]
        lines[-1] += f"{warm:.3f} s from the cache."
        lines += _from_python(dynamics, links, program)
    return "\n".join(lines) + "\n"


def _from_python(dynamics, links, program) -> list[str]:
    x = np.zeros(len(links))
    mine = timing.one_call(dynamics.inverse_dynamics, x, x, x)
    if program is None:
        return [f"One call of inverse dynamics from Python: {mine:.0f} ns."]
    import pinocchio as pin

    robot = robots.pinocchio_model(links)
    peer = timing.one_call(pin.rnea, robot, robot.createData(), x, x, x)
    return [
        f"One call of inverse dynamics from Python: {mine:.0f} ns; pinocchio.rnea {peer:.0f} ns."
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each measurement")
    parser.add_argument("--out", type=Path, default=BUILD / "kernels.md", help="where to keep it")
    options = parser.parse_args()
    text = table(options.rounds)
    print(text)
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(text)


if __name__ == "__main__":
    main()
