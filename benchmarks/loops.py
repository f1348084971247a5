"""Closed loops beside peers, in one run: A01 (a constrained point) and A02 (N four-bars).

    python benchmarks/loops.py [N ...]

Each tool runs over its methods and settings; the table shows the least CPU time [ms] that reaches
an error of 1e-3, 1e-6 and 1e-9 in the position of the first moving pin over ten seconds.  The
reference is the exact reduction to one angle.  Times are CPU times, best of several rounds; read
the ratios.
"""

import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import torseur as ts
from torseur.simulate.run import Run

G, TIMES, GOALS = 9.81, np.linspace(0, 10, 101), (1e-3, 1e-6, 1e-9)
OURS = [*((m, {"rtol": r, "atol": 0.1 * r}) for m, rs in (
            ("dopri5", (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)),
            ("dop853", (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12))) for r in rs),
        *(("rk4", {"step": h}) for h in (0.04, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001))]


def angle(N) -> np.ndarray:
    """Angle of the bars from the exact reduction: I theta'' = -P g cos(theta)."""
    I, P = (N + 1) / 3 + N, (N + 1) / 2 + N
    return solve_ivp(lambda t, y: (y[1], -P * G / I * np.cos(y[0])), (0, 10), (np.pi / 2, -1.0),
                     method="DOP853", rtol=1e-13, atol=1e-14, t_eval=TIMES).y[0]


def pendulum_angle() -> np.ndarray:
    return solve_ivp(lambda t, y: (y[1], -G * np.cos(y[0])), (0, 10), (np.pi, 0.0),
                     method="DOP853", rtol=1e-13, atol=1e-14, t_eval=TIMES).y[0]


def error(theta, x, y) -> float:
    return float(max(abs(np.cos(theta) - x).max(), abs(np.sin(theta) - y).max()))


def four_bars(N) -> ts.Model:
    """N four-bars in a row: N + 1 uprights, N couplers, N loops."""
    def rod(name):
        return ts.Body(name, mass=1, com=(0.5, 0, 0), inertia=(0, "1/12", "1/12", 0, 0, 0))
    pin = ts.Revolute("z")
    bars = [ts.Joint(f"A{i}", "world", f"bar{i}", pin, at=(i, 0, 0)) for i in range(N + 1)]
    rods = [ts.Joint(f"B{i}", f"bar{i}", f"rod{i}", pin, at=(1, 0, 0)) for i in range(N)]
    loops = [ts.Loop(f"C{i}", f"bar{i + 1}", f"rod{i}", pin, at=(1, 0, 0), child_at=(1, 0, 0))
             for i in range(N)]
    return ts.Model(f"{N} four-bars", gravity=(0, -G, 0), joints=(*bars, *rods), loops=loops,
                    bodies=[rod(j.child) for j in (*bars, *rods)])


def start(N) -> dict[str, float]:
    right = np.pi / 2
    return ({f"A{i}.angle": right for i in range(N + 1)} | {f"A{i}.rate": -1 for i in range(N + 1)}
            | {f"B{i}.angle": -right for i in range(N)} | {f"B{i}.rate": 1 for i in range(N)})


def point() -> ts.Model:
    return ts.Model("A01", gravity=(0, -G, 0), bodies=(ts.Body("c"), ts.Body("bob", mass=1)),
                    joints=(ts.Joint("x", "world", "c", ts.Prismatic("x")),
                            ts.Joint("y", "c", "bob", ts.Prismatic("y"))),
                    constraints=(ts.Distance("rod", "bob", length=1),))


def ours(model, initial, see, rounds=3):
    """(error, CPU ms) of every method and setting."""
    for method, options in OURS:
        best = np.inf
        for _ in range(rounds):
            run = Run(model, 10.0, initial, method=method, output=TIMES, **options)
            before = time.thread_time()
            run.go()
            best = min(best, time.thread_time() - before)
        out = run.result()
        if out.completed and len(out.time) == len(TIMES):
            yield see(out), 1e3 * best, f"{method} {options}"


def mujoco(N, theta):
    """MuJoCo with `connect` equalities; its steps in compiled loops."""
    import mujoco as mj
    def link(i, kind, inner=""):
        at = f"{i} 0 0" if kind == "bar" else "1 0 0"
        return (f'<body name="{kind}{i}" pos="{at}"><joint name="{kind}{i}" axis="0 0 1"/>'
                '<inertial pos=".5 0 0" mass="1" diaginertia="1e-9 .0833333333333 .0833333333333"/>'
                f"{inner}</body>")
    bodies = "".join(link(i, "bar", link(i, "rod") if i < N else "") for i in range(N + 1))
    loops = "".join(f'<connect body1="rod{i}" body2="bar{i + 1}" anchor="1 0 0"/>'
                    for i in range(N))
    for integrator in ("RK4", "implicitfast"):
        for h in (0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)[:7 if N < 3 else 5]:
            text = (f'<mujoco><compiler angle="radian"/><option timestep="{h}" gravity="0 -9.81 0" '
                    f'integrator="{integrator}" tolerance="1e-12" iterations="50"/>'
                    f'<default><equality solref="{2 * h} 1" solimp="0.9999 0.9999 0.001"/>'
                    f"</default><worldbody>{bodies}</worldbody><equality>{loops}</equality></mujoco>")
            model = mj.MjModel.from_xml_string(text)
            data = mj.MjData(model)
            for j in range(model.njnt):
                turn = 1 if model.joint(j).name.startswith("bar") else -1
                data.qpos[j], data.qvel[j] = turn * np.pi / 2, -turn
            mj.mj_forward(model, data)
            first, each = [data.qpos[0]], round(0.1 / h)
            before = time.thread_time()
            for _ in TIMES[1:]:
                mj.mj_step(model, data, nstep=each)
                first.append(data.qpos[0])
            spent = time.thread_time() - before
            first = np.array(first)
            yield error(theta, np.cos(first), np.sin(first)), 1e3 * spent, f"{integrator} {h}"


def best(results) -> list[tuple[float, str]]:
    """Least time [ms] that reaches each goal, and how."""
    found = list(results)
    return [min(((ms, how) for e, ms, how in found if e <= goal), default=(np.nan, "-"))
            for goal in GOALS]


def row(name, answers):
    print(f"{name:28}" + "".join(f"{ms:10.3f}" if np.isfinite(ms) else f"{'-':>10}"
                                 for ms, _ in answers) + f"   {answers[0][1]}", flush=True)


def main(sizes):
    print(f"{'CPU ms to an error of':28}" + "".join(f"{g:10.0e}" for g in GOALS))
    theta = pendulum_angle()
    row("A01 torseur", best(ours(point().check(), {"x.displacement": -1.0}, lambda out: error(
        theta, out["x.displacement"], out["y.displacement"]))))
    for N in sizes:
        theta = angle(N)
        def see(out, theta=theta):
            return error(theta, np.cos(out["A0.angle"]), np.sin(out["A0.angle"]))
        row(f"A02 N={N} torseur", best(ours(four_bars(N).check(), start(N), see)))
        try:
            row(f"A02 N={N} MuJoCo", best(mujoco(N, theta)))
        except ImportError:
            print("MuJoCo is not here")


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:]] or [1, 2, 10, 40])
