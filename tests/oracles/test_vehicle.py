"""O-F1, dynamic test: document 000's vehicle in three parametrizations, with its energy audit."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import torseur as ts
from torseur.joints import Free

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from test_complex_joints import CORNERS, vehicle

STIFFNESS, DAMPING = (22000, 22000, 20000, 20000), (1500, 1500, 1400, 1400)
FREE = (-0.1463927959, -0.1463927959, -0.1332679245, -0.1332679245)
GROUND = (-0.2796550472, -0.2796550472, -0.2827399528, -0.2827399528)


def rolling_vehicle(base) -> ts.Model:
    """FV1 with its springs, dampers, and tires that push straight up at the wheel centers."""
    forces = []
    for n, k, c, x, z in zip(CORNERS, STIFFNESS, DAMPING, FREE, GROUND, strict=True):
        law = ts.Parallel(ts.Spring(k, x), ts.Viscous(c))
        forces += [
            ts.JointForce(f"spring {n}", n, law=law),
            ts.Bushing(
                f"tire {n}",
                "world",
                f"knuckle {n}",
                (0, 0, 0, 0, 0, 180000),
                damping=(0,) * 6,
                rest=(0, 0, 0, 0, 0, z),
            ),
        ]
    return replace(vehicle(base, (0, 0, -9.81)), forces=tuple(forces))


def test_F1_static_equilibrium():
    out = ts.simulate(rolling_vehicle(Free("zyx", "vehicle")), 1.0, rtol=1e-9, output=[0.0, 1.0])
    for name in ("base.pz", *(f"{n}.z" for n in CORNERS)):
        assert abs(out[name]).max() < 1e-9, name


def test_F1_dynamic_in_three_parametrizations():
    paths = []
    for base in (Free("zyx", "vehicle"), Free("zyx"), Free()):
        start = {"FL.z": 0.02, "base.vx": 20.0, "base.vz": 0.3}
        start |= {f"spin {n}.rate": 200 / 3 for n in CORNERS}
        start |= (
            {"base.rate1": 0.2, "base.rate3": 0.1}
            if base.orientation == "zyx"
            else {"base.wz": 0.2, "base.wx": 0.1}
        )
        out = ts.simulate(
            rolling_vehicle(base), 2.0, start, rtol=1e-10, atol=1e-11, output=[0.0, 0.5, 1.0, 2.0]
        )
        assert out.completed, out.outcome
        assert abs(out["energy.residual"]).max() < 1e-12 * out["energy.kinetic"][0]
        assert out["energy.dissipated"][-1] > 10.0
        names = ("base.px", "base.py", "base.pz", *(f"{n}.z" for n in CORNERS), "spin FL.rate")
        paths.append(np.array([out[n] for n in names]))
    for other in paths[1:]:
        np.testing.assert_allclose(other, paths[0], atol=2e-9)
