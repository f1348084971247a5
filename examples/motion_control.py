"""A sampled controller in Python: computed torque makes an arm follow a synchronized motion."""

import numpy as np

import torseur as ts
from torseur.forces import Effort, JointForce
from torseur.robots import Trapezoidal, synchronized
from torseur.simulation import simulate


def model() -> ts.Model:
    rows = [(0, 0, 0, 0.5), ("pi/2", 0, 0, 0), (0, 0.4, 0, 0)]
    bodies = [
        ts.Body(f"b{i}", 3.0 - i, (0.15, 0, 0), (0.02, 0.05, 0.05, 0, 0, 0)) for i in range(3)
    ]
    names = [f"joint{i + 1}" for i in range(3)]
    return ts.from_dh(
        rows,
        bodies,
        convention="modified",
        inputs=tuple(ts.Input(f"u{n}") for n in names),
        forces=tuple(JointForce(f"motor_{n}", n, Effort(input=f"u{n}")) for n in names),
    )


def main():
    arm = model()
    dyn = ts.compile(arm)
    laws = synchronized([Trapezoidal(0, x, speed=2.0, acceleration=6.0) for x in (1.2, -0.6, 0.9)])

    def control(t, q, v):
        r, rdot, rddot = np.array([law(t) for law in laws]).T
        return dyn.inverse_dynamics(q, v, rddot + 400.0 * (r - q) + 40.0 * (rdot - v))

    run = simulate(arm, laws[0].duration + 0.5, control=control, period=1e-3)
    error = max(abs(run[f"joint{i + 1}.angle"][-1] - law.end) for i, law in enumerate(laws))
    print(run.outcome, f"largest error at the end {error:.2e} rad")
    assert error < 1e-4 and run.energy_audit.relative < 1e-6
    return run


if __name__ == "__main__":
    main()
