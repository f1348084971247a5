"""Work and precision of simulations beside MuJoCo and Pinocchio with SciPy, in one run.

    python benchmarks/motion.py [--quick]

Times are CPU milliseconds of the calling process, best of a few; compilation is left out on every
side.  The error is that of the monitored quantity at the end time, against a reference computed
here at a tolerance of 1e-13.  For each problem and each accuracy the best setting of each tool is
shown, and the ratio of the best peer to ours.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import torseur as ts
from torseur.simulate import Run, batch

ACCURACIES = (1e-3, 1e-6, 1e-9)


# ---- problems --------------------------------------------------------------------------------

def arm() -> ts.Model:
    """Seven joints, as an ordinary robot."""
    rows = [(0, 0, 0, 0.34), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.4), ("pi/2", 0, 0, 0),
            ("-pi/2", 0, 0, 0.4), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.126)]
    bodies = [ts.Body(f"b{i}", 5.0 - 0.5 * i, (0.01, -0.03, 0.1), (0.1, 0.09, 0.02, 0, 0, 0))
              for i in range(7)]
    return ts.from_dh(rows, bodies, convention="modified", name="arm7")


def tree() -> ts.Model:
    """Thirty hinges in a branched tree."""
    rng = np.random.default_rng(3)
    bodies, joints = [], []
    for i in range(30):
        axis = "xyz"[i % 3]
        bodies.append(ts.Body(f"b{i}", 1.0, (0.05, 0.02, 0.1), (0.02, 0.02, 0.01, 0, 0, 0)))
        parent = "world" if i == 0 else f"b{max(0, i - 1 - int(rng.integers(0, 3)))}"
        joints.append(ts.Joint(f"j{i}", parent, f"b{i}", ts.Revolute(axis),
                               at=(0, 0.05, 0.2) if i else (0, 0, 0)))
    return ts.Model("tree30", bodies=tuple(bodies), joints=tuple(joints))


def pendula(n: int) -> ts.Model:
    bodies = tuple(ts.Body(f"b{i}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12, 0, 0, 0))
                   for i in range(n))
    joints = tuple(ts.Joint(f"j{i}", "world" if i == 0 else f"b{i - 1}", f"b{i}", ts.Revolute("z"),
                            at=(1 if i else 0, 0, 0)) for i in range(n))
    return ts.Model(f"pendula{n}", gravity=(0, -9.81, 0), bodies=bodies, joints=joints)


def heavy_top() -> ts.Model:
    body = ts.Body("top", 15.0, (0, 1, 0), (0.234375, 0.46875, 0.234375, 0, 0, 0))
    return ts.Model("heavy_top", bodies=(body,),
                    joints=(ts.Joint("ball", "world", "top", ts.Spherical()),))


def problems(quick):
    yield arm(), 1.0, {f"joint{i}.angle": 0.3 for i in range(1, 8)}
    yield tree(), 1.0, {f"j{i}.angle": 0.1 for i in range(30)}
    yield pendula(10), 1.0, {}
    yield pendula(100), 1.0, {}
    if not quick:
        yield pendula(1000), 1.0, {}
    yield heavy_top(), 2.0, {"ball.rate2": 150.0, "ball.rate3": -4.61538}


# ---- ours ------------------------------------------------------------------------------------

def ours(system, t_end, start, method, rtol):
    run = Run(system, t_end, start, method, rtol, rtol, output=[t_end])
    before = time.process_time()
    run.go()
    spent = time.process_time() - before
    return 1e3 * spent, run.q


def settings_of_ours():
    for rtol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11):
        for method in ("dopri5", "dop853"):
            yield f"{method} {rtol:g}", {"method": method, "rtol": rtol}


# ---- peers -----------------------------------------------------------------------------------

def to_mujoco(system):
    """The same tree as MJCF text, frames and inertias in floats."""
    import mujoco
    t = system.floats()
    spec = mujoco.MjSpec()
    spec.option.gravity = [float(x) for x in t.gravity]
    spec.compiler.autolimits = False
    made = {0: spec.worldbody}
    for k in t.links:
        X, I = k.X_PF, k.inertia
        b = made[k.parent].add_body(name=k.body)
        T = np.array(X.matrix(), dtype=float)
        b.pos = T[:3, 3]
        b.quat = _quaternion(T[:3, :3])
        m = float(I.mass)
        c = np.array(I.h, dtype=float) / m
        xx, yy, zz, xy, xz, yz = (float(x) for x in I.J)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3)
                                                                        - np.outer(c, c))
        J += 1e-9 * np.eye(3)
        b.mass, b.ipos, b.explicitinertial = m, c, True
        b.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        if k.joint.quaternion is not None:
            b.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, name=k.name)
        else:
            axis = np.array(k.joint.subspace(t.K, np.zeros(1)), dtype=float)[:3, 0]
            b.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, name=k.name, axis=axis)
        made[k.index] = b
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return model


def _quaternion(R):
    from torseur.simulate.signals import quaternions
    return quaternions(R[None])[0]


def with_mujoco(model, system, t_end, q0, v0, integrator, h):
    import mujoco
    model.opt.integrator = integrator
    n = round(t_end / h)
    model.opt.timestep = t_end / n
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q0, v0
    before = time.process_time()
    mujoco.mj_step(model, data, n)
    return 1e3 * (time.process_time() - before), data.qpos.copy()


def with_pinocchio(system, t_end, q0, v0, method, rtol):
    """Pinocchio's aba under SciPy; only for hinges (coordinates whose rates are the speeds)."""
    import pinocchio as pin
    from scipy.integrate import solve_ivp
    model, data = _pinocchio(system)
    zero, n = np.zeros(model.nv), model.nq
    def f(t, y):
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], zero)])
    before = time.process_time()
    got = solve_ivp(f, (0, t_end), np.concatenate([q0, v0]), method, rtol=rtol, atol=rtol)
    return 1e3 * (time.process_time() - before), got.y[:n, -1]


_PIN: dict = {}


def _pinocchio(system):
    import pinocchio as pin
    if system.name not in _PIN:
        t = system.floats()
        model = pin.Model()
        model.gravity.linear = np.array(t.gravity, dtype=float)
        ids = {0: 0}
        for k in t.links:
            T = np.array(k.X_PF.matrix(), dtype=float)
            axis = np.array(k.joint.subspace(t.K, np.zeros(1)), dtype=float)[:3, 0]
            ids[k.index] = model.addJoint(ids[k.parent], pin.JointModelRevoluteUnaligned(axis),
                                          pin.SE3(T[:3, :3], T[:3, 3]), k.name)
            m = float(k.inertia.mass)
            c = np.array(k.inertia.h, dtype=float) / m
            xx, yy, zz, xy, xz, yz = (float(x) for x in k.inertia.J)
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3)
                                                                            - np.outer(c, c))
            model.appendBodyToJoint(ids[k.index], pin.Inertia(m, c, J), pin.SE3.Identity())
        _PIN[system.name] = (model, model.createData())
    return _PIN[system.name]


# ---- the run ---------------------------------------------------------------------------------

def best(table, limit):
    """Least time among (time, error) pairs at most `limit` off."""
    fit = [t for t, e in table if e <= limit]
    return min(fit) if fit else np.nan


def measure(model, t_end, start, repeat):
    system = model.check()
    q0, v0 = system.state(start)
    for i in (k.q.start + k.joint.quaternion for k in system.links
              if k.joint.quaternion is not None):
        q0[i:i + 4] /= np.linalg.norm(q0[i:i + 4])
    for method in ("dop853", "dopri5"):
        ours(system, 0.01, start, method, 1e-6)
    _, exact = ours(system, t_end, start, "dop853", 1e-13)
    watch = slice(0, 4) if system.links[0].joint.quaternion is not None else slice(0, 1)
    def error(q):
        d = abs(q[watch] - exact[watch]).max()
        return min(d, abs(q[watch] + exact[watch]).max()) if watch.stop == 4 else d
    tables = {"ours": [], "MuJoCo": [], "Pinocchio + SciPy": []}
    for _, options in settings_of_ours():
        runs = [ours(system, t_end, start, **options) for _ in range(repeat)]
        tables["ours"].append((min(t for t, _ in runs), error(runs[0][1])))
    long = system.nv > 100
    try:
        import mujoco
        mj = to_mujoco(system)
        rk4 = int(mujoco.mjtIntegrator.mjINT_RK4)
        euler = int(mujoco.mjtIntegrator.mjINT_EULER)
        for h in (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)[:3 if long else None]:
            for kind in (rk4, euler):
                t, q = with_mujoco(mj, system, t_end, q0, v0, kind, h)
                if np.isfinite(q).all():
                    tables["MuJoCo"].append((t, error(q)))
    except ImportError:
        pass
    try:
        if watch.stop == 1 and not long:
            for rtol in (1e-3, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12):
                for method in ("RK45", "DOP853"):
                    t, q = with_pinocchio(system, t_end, q0, v0, method, rtol)
                    tables["Pinocchio + SciPy"].append((t, error(q)))
    except ImportError:
        pass
    return system, tables


def overhead(model, start):
    """Nanoseconds that the integrator adds to one evaluation of the flow."""
    run = Run(model, 20.0, start, "dop853", 1e-10, 1e-10, output=[20.0])
    before = time.process_time()
    run.go()
    each = (time.process_time() - before) / run.S["CALLS"]
    kernel = run.kernels["flow"]
    import ctypes
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *(ctypes.c_void_p,) * 3)(kernel.abi_address)
    inp, out = run.arrays["INP"], run.arrays["OUTP"]
    n = run.S["N"]
    target = np.zeros(n)
    out[:3] = target.ctypes.data + 8 * np.array([0, run.S["NQ"], run.S["NQ"] + run.S["NV"]])
    def many(count):
        a, b = inp.ctypes.data, out.ctypes.data
        t = time.process_time()
        for _ in range(count):
            call(a, b, None)
        return time.process_time() - t
    nothing = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value
    empty = ctypes.CFUNCTYPE(ctypes.c_int32, *(ctypes.c_void_p,) * 3)(nothing)
    def idle(count):
        a, b = inp.ctypes.data, out.ctypes.data
        t = time.process_time()
        for _ in range(count):
            empty(a, b, None)
        return time.process_time() - t
    pure = min(many(20000) - idle(20000) for _ in range(3)) / 20000
    return 1e9 * each, 1e9 * pure


def batches(quick):
    """Simulations per CPU second: 1 s at 1 kHz with RK4 of the 7-joint arm."""
    count = 2000 if quick else 10000
    rng = np.random.default_rng(0)
    start = {f"joint{i}.angle": rng.uniform(-1, 1, count) for i in range(1, 8)}
    model = arm()
    batch(model, 0.01, {k: x[:16] for k, x in start.items()}, step=1e-3)
    before = time.process_time()
    batch(model, 1.0, start, step=1e-3)
    mine = count / (time.process_time() - before)
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return mine, np.nan
    mj = to_mujoco(model.check())
    mj.opt.integrator, mj.opt.timestep = int(mujoco.mjtIntegrator.mjINT_RK4), 1e-3
    some = 40
    state = np.zeros((some, mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    state[:, 1:8] = np.stack(list(start.values()), axis=1)[:some]
    data = [mujoco.MjData(mj) for _ in range(2)]
    before = time.process_time()
    rollout.rollout(mj, data, state, nstep=1000)
    return mine, some / (time.process_time() - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", help="also write the numbers to this file")
    args = parser.parse_args()
    report = {}
    print(f"{'problem':<12}{'error':>8}{'ours':>10}{'MuJoCo':>10}{'Pin+SciPy':>11}{'ratio':>8}")
    for model, t_end, start in problems(args.quick):
        system, tables = measure(model, t_end, start, 2 if args.quick else 5)
        for limit in ACCURACIES:
            row = {tool: best(table, limit) for tool, table in tables.items()}
            peers = [x for tool, x in row.items() if tool != "ours"]
            ratio = np.nanmin(peers) / row["ours"] if np.isfinite(peers).any() else np.nan
            print(f"{system.name:<12}{limit:>8.0e}{row['ours']:>10.3f}{row['MuJoCo']:>10.2f}"
                  f"{row['Pinocchio + SciPy']:>11.2f}{ratio:>8.1f}", flush=True)
            report[f"{system.name} {limit:g}"] = row | {"ratio": ratio}
    each, pure = overhead(arm(), {f"joint{i}.angle": 0.3 for i in range(1, 8)})
    print(f"arm7: {each:.0f} ns an evaluation within dop853, kernel alone {pure:.0f} ns")
    mine, theirs = batches(args.quick)
    print(f"arm7, 1 s at 1 kHz, RK4, simulations per CPU second: {mine:.0f} here, "
          f"{theirs:.0f} mujoco.rollout, ratio {mine / theirs:.1f}")
    report["overhead"] = {"each": each, "kernel": pure}
    report["batch"] = {"ours": mine, "mujoco": theirs}
    if args.json:
        with open(args.json, "w") as file:
            json.dump(report, file, indent=1)


if __name__ == "__main__":
    main()
