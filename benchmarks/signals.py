"""CPU seconds until signals of a run are seen: nothing in the cache, then a second process.

    python benchmarks/signals.py                    # the 7R arm, chains of 20, 100 and 1000
    python benchmarks/signals.py 100 100d           # some; "d" for dampers on every joint

Integrators, which are compiled once on a machine, are put into the cache first.
"""

import os
import subprocess
import sys
import tempfile
import time

CASES = ("7R", "20", "100", "100d", "1000", "1000d")
PARTS = ("simulate", "position", "acceleration", "energy", "reaction")


def chain(n: int, damping: float = 0.0):
    """One meter of links on hinges across each other."""
    import torseur as ts

    L = 1 / n
    bodies = [
        ts.Body(
            f"b{i}", mass=L, com=(L / 2, 0, 0), inertia=(L**3 / 50, L**3 / 12, L**3 / 12, 0, 0, 0)
        )
        for i in range(n)
    ]
    joints = [
        ts.Joint(
            f"j{i}",
            f"b{i - 1}" if i else "world",
            f"b{i}",
            ts.Revolute("yz"[i % 2]),
            at=(L if i else 0, 0, 0),
            damping=damping,
        )
        for i in range(n)
    ]
    return ts.Model("chain", bodies=bodies, joints=joints)


def model(case: str):
    if case == "7R":
        import robots

        return robots.model(robots.arm())
    n = int(case.rstrip("d"))
    return chain(n, 10 / n**3 if case.endswith("d") else 0.0)


def child(case: str) -> None:
    """Print the CPU seconds of each part, in this process."""
    import torseur as ts

    ts.simulate(chain(2), 0.01, method="dopri5", output=2)
    made = model(case)
    body, joint = made.bodies[-1].name, made.joints[0].name
    names = (
        f"{body}.position.x",
        f"{body}.acceleration.x",
        "energy.kinetic",
        f"{joint}.reaction.force.x",
    )
    took, before = [], time.process_time()

    def lap():
        nonlocal before
        took.append(time.process_time() - before)
        before = time.process_time()

    run = ts.simulate(made, 0.1, method="dopri5", rtol=1e-6)
    lap()
    for name in names:
        run[name]
        lap()
    print(*took)


def measure(case: str, cache: str) -> list[float]:
    env = os.environ | {"TORSEUR_CACHE": cache}
    out = subprocess.run(
        [sys.executable, __file__, "--child", case],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return list(map(float, out.stdout.split()))


def main(cases, rounds: int = 2) -> None:
    print("| model | cache |", " | ".join(PARTS), "|\n|---|---|" + "---|" * len(PARTS))
    for case in cases:
        found = {"cold": [], "cached": []}
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                measure("2", folder)
                for times in found.values():
                    times.append(measure(case, folder))
        for name, times in found.items():
            print(
                "|",
                case,
                "|",
                name,
                "|",
                " | ".join(f"{min(x):.3f}" for x in zip(*times, strict=True)),
                "|",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
    else:
        main(sys.argv[1:] or CASES)
