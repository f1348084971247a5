"""Reference values of crash with a rate factor (O-CR1, O-CR3), and long pendula."""

from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.forces import Crush, JointForce
from torseur.simulate import simulate

BENCHMARKS = Path("/work/shared/spec/benchmarks")
CURVE = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))


# ---- crash with a rate factor -----------------------------------------------------------------

def test_cr1_with_the_dynamic_factor():
    law = Crush(CURVE, unloading=2e7, beyond=6e6, rate_factor="linear", rate_gain=0.016)
    model = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("car", mass=1000.0),),
                     joints=(ts.Joint("slide", "world", "car", ts.Prismatic("x")),),
                     forces=(JointForce("front", "slide", law),))
    run = simulate(model, 0.1, {"slide.speed": 50 / 3.6}, rtol=1e-11, atol=1e-13)
    x, v, t = run["slide.displacement"], run["slide.speed"], run.time
    assert x.max() == pytest.approx(0.492262047, abs=1e-9)
    assert t[np.argmax(x)] == pytest.approx(0.059724691, abs=1e-9)
    assert v[-1] == pytest.approx(-3.262334132, abs=2e-9)
    assert run.energy_audit.dissipated == pytest.approx(500 * ((50 / 3.6)**2 - v[-1]**2), rel=1e-8)
    assert run.energy_audit.relative < 1e-9
    run = simulate(model, 0.04, {"slide.speed": 50 / 3.6}, output=[0, 0.02, 0.04], rtol=1e-11,
                   atol=1e-13)
    np.testing.assert_allclose([run["slide.displacement"][i] for i in (-2, -1)],
                               [0.245377500, 0.416608540], atol=1e-9)
    np.testing.assert_allclose([run["slide.speed"][i] for i in (-2, -1)],
                               [10.367738673, 6.593799259], atol=1e-9)
