"""From description to printed equations: ours beside SymPy's Kane and Lagrange, in one run.

    python benchmarks/symbolic.py            ours only, a few seconds
    python benchmarks/symbolic.py --peers    with SymPy, each case stopped after --limit seconds

Times are CPU seconds of the fastest of three runs, imports excluded; operation counts are those of
the generated code.  Luh, Walker and Paul (1980) take 150 n - 48 multiplications and 131 n - 48
additions for n hinges.
"""

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "examples")]

import equations_robots as robots  # noqa: E402 - after the path

from torseur.symbolic import FORMALISM_NAMES, equations  # noqa: E402


def coefficients(model) -> str:
    return equations(model).text("coefficients")


def printed(model) -> str:
    return str(equations(model))


def inverse(model) -> int:
    eq = equations(model)
    return sum(eq.tau[i].terms for i in range(eq.system.nv))


CASES = [
    ("PUMA, three axes, every coefficient", robots.puma3, coefficients, 0.1),
    ("PUMA 560, every coefficient", robots.puma560, coefficients, 1.5),
    ("Stanford arm, every coefficient", robots.stanford, coefficients, 1.5),
    ("7R arm, inverse dynamics", robots.arm7, inverse, 1.0),
    ("planar pendulum of 20 links, printed", lambda: robots.chain(20), printed, 2.0),
]


def fastest(work, repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def ours() -> None:
    equations(robots.puma3())  # libraries loaded
    print(f"{'case':42} {'seconds':>8} {'target':>7}")
    for name, make, work, target in CASES:
        print(f"{name:42} {fastest(lambda make=make, work=work: work(make())):8.3f} {target:7.1f}")
    print(f"\n{'inverse dynamics by':24}" + "".join(f"{f:>16}" for f in FORMALISM_NAMES))
    for make in robots.ROBOTS:
        system = make().check()
        times = [fastest(lambda f=f, s=system: equations(s, f), 2) for f in FORMALISM_NAMES]
        print(f"{system.name:24}" + "".join(f"{t:16.3f}" for t in times))
    print(f"\n{'generated code':24} {'mul':>6} {'add':>6} {'trig':>6}   Luh, Walker, Paul")
    for make in robots.ROBOTS:
        eq = equations(make())
        n, k = eq.system.nv, eq.count_operations()
        print(
            f"{eq.system.name:24} {k['mul']:6} {k['add']:6} {k['trig']:6}   "
            f"{150 * n - 48}, {131 * n - 48}"
        )


# ---- SymPy ---------------------------------------------------------------------------------------


def sympy_chain(method: str, n: int) -> None:
    """A planar pendulum of n links by SymPy's mechanics, as a user writes it."""
    import sympy
    from sympy.physics import mechanics as me

    q, u = me.dynamicsymbols(f"q1:{n + 1}"), me.dynamicsymbols(f"u1:{n + 1}")
    m, L, x, J = (sympy.symbols(f"{s}1:{n + 1}") for s in "mLxJ")
    g = sympy.Symbol("g")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    bodies, loads, frame, point = [], [], N, O
    speeds = u if method == "kane" else [a.diff() for a in q]
    for i in range(n):
        new = frame.orientnew(f"B{i}", "Axis", [q[i], N.z])
        new.set_ang_vel(frame, speeds[i] * N.z)
        com = point.locatenew(f"G{i}", x[i] * new.x)
        com.v2pt_theory(point, N, new)
        bodies.append(me.RigidBody(f"b{i}", com, new, m[i], (J[i] * me.outer(new.z, new.z), com)))
        loads.append((com, -m[i] * g * N.y))
        tip = point.locatenew(f"P{i}", L[i] * new.x)
        tip.v2pt_theory(point, N, new)
        frame, point = new, tip
    if method == "kane":
        kane = me.KanesMethod(N, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
        kane.kanes_equations(bodies, loads)
        str(kane.mass_matrix), str(kane.forcing)
    else:
        lagrangian = me.Lagrangian(N, *bodies)
        form = me.LagrangesMethod(lagrangian, q, forcelist=loads, frame=N)
        str(form.form_lagranges_equations())


def sympy_puma(method: str, _n: int) -> None:
    """The first three axes of a PUMA with all inertial parameters symbolic."""
    import sympy
    from sympy.physics import mechanics as me

    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    d3, g = sympy.symbols("d3 g")
    speeds = u if method == "kane" else [a.diff() for a in q]
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    frames = [N]
    for i, alpha in enumerate((0, sympy.pi / 2, 0)):
        fixed = frames[-1].orientnew(f"F{i}", "Axis", [alpha, frames[-1].x])
        new = fixed.orientnew(f"B{i}", "Axis", [q[i], fixed.z])
        new.set_ang_vel(fixed, speeds[i] * fixed.z)
        frames.append(new)
    third = O.locatenew("O3", d3 * frames[2].x)
    third.v2pt_theory(O, N, frames[2])
    bodies, loads = [], []
    for i, (frame, point) in enumerate(zip(frames[1:], (O, O, third), strict=True), 1):
        m, cx, cy, cz = sympy.symbols(f"m{i} cx{i} cy{i} cz{i}")
        com = point.locatenew(f"G{i}", cx * frame.x + cy * frame.y + cz * frame.z)
        com.v2pt_theory(point, N, frame)
        J = me.inertia(
            frame,
            *sympy.symbols(" ".join(f"I{e}{i}" for e in ("xx", "yy", "zz", "xy", "yz", "zx"))),
        )
        bodies.append(me.RigidBody(f"b{i}", com, frame, m, (J, com)))
        loads.append((com, -m * g * N.z))
    if method == "kane":
        kane = me.KanesMethod(N, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
        kane.kanes_equations(bodies, loads)
        str(kane.mass_matrix), str(kane.forcing)
    else:
        form = me.LagrangesMethod(me.Lagrangian(N, *bodies), q, forcelist=loads, frame=N)
        str(form.form_lagranges_equations())


def limited(work, args, limit: float) -> str:
    """CPU seconds of a run in its own process, or that it was stopped."""
    queue = multiprocessing.get_context("spawn").Queue()
    process = multiprocessing.get_context("spawn").Process(target=_timed, args=(work, args, queue))
    process.start()
    try:
        return f"{queue.get(timeout=limit):.2f}"
    except Exception:
        process.kill()
        return f"> {limit:.0f}"
    finally:
        process.join()


def _timed(work, args, queue) -> None:
    import sympy.physics.mechanics  # noqa: F401 - imports are not timed

    start = time.process_time()
    work(*args)
    queue.put(time.process_time() - start)


def peers(limit: float) -> None:
    print(f"\n{'without simplification':32} {'ours':>8} {'Kane':>10} {'Lagrange':>10}")
    rows = [("PUMA, three axes", robots.puma3, sympy_puma, 3)]
    rows += [
        (f"planar pendulum, {n} links", lambda n=n: robots.chain(n), sympy_chain, n)
        for n in (2, 4, 6, 8)
    ]
    for name, make, work, n in rows:
        mine = fastest(lambda make=make: printed(make()))
        kane, lagrange = (limited(work, (method, n), limit) for method in ("kane", "lagrange"))
        print(f"{name:32} {mine:8.3f} {kane:>10} {lagrange:>10}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--peers", action="store_true", help="also run SymPy")
    options.add_argument("--limit", type=float, default=60.0, help="seconds for each SymPy case")
    given = options.parse_args()
    ours()
    if given.peers:
        peers(given.limit)


if __name__ == "__main__":
    main()
