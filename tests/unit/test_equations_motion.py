"""Generated code integrated: the motions of document 003's examples, oracles O-M1 to O-M4."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from torseur.joints import Spherical
from torseur.model import Body, Joint, Model
from torseur.symbolic import equations

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
LIE = importlib.import_module("equations_lie_group")


def heavy_top() -> Model:
    """The variant of example 1 with its center of mass off the joint."""
    return Model(
        "heavy top",
        bodies=[Body("top", 10, (0, 0, 0.5), (2, 2, 4, 0, 0, 0))],
        joints=[Joint("ball", "world", "top", Spherical("zxz"))],
    )


# model, start (q, v), {t: coordinates then speeds, as far as the oracle lists them}
MOTIONS = {
    "M1": (
        LIE.spherical,
        (0.2, 0.5, 0.3, 0.7, 0.2, 1.5),
        {
            0.5: (
                0.5315532188,
                0.4404384395,
                1.0662832413,
                0.2574599861,
                -0.3749369179,
                1.8814185454,
            ),
            2.0: (
                0.5361055327,
                0.4326958345,
                4.2602648082,
                0.1874144449,
                -0.3826879748,
                1.9441657198,
            ),
        },
    ),
    "M1 heavy": (
        heavy_top,
        (0.2, 0.5, 0.3, 0.7, 0.2, 6.0),
        {
            0.5: (
                1.0516282320,
                0.9049044046,
                2.9650731080,
                2.7305368055,
                1.0983017115,
                4.9274893129,
            ),
            2.0: (
                4.5537984109,
                0.5544058420,
                10.9165859052,
                1.1611870982,
                0.6128577895,
                5.6270509883,
            ),
        },
    ),
    "M2": (
        LIE.planar,
        (0.3, 1, 2, 0.6, 0.4, -0.5),
        {
            0.5: (0.6, 1.1790183171, 1.7811276787, 0.6, 0.3339594366, -0.3754611760),
            2.0: (1.5, 1.8330713364, 1.3564105114, 0.6, 0.6171640119, -0.3179757576),
        },
    ),
    "M3": (
        LIE.sliders,
        (0, 0, 0, 0),
        {
            0.5: (-0.2264053469, -0.3184043077, -0.3360043837, -0.2896944378),
            2.0: (-0.1479585172, -0.1828997408, 0.4082895413, 1.2086040978),
        },
    ),
    "M4": (
        LIE.yoke,
        (0, 0.5, 0, 1, 0, 5),
        {
            0.5: (
                0.4549198090,
                0.5901937181,
                2.5459961705,
                0.7560822625,
                0.3519442917,
                5.2494045534,
            ),
            2.0: (
                1.0609306547,
                1.8376951303,
                11.0426394654,
                0.3038010238,
                1.3395895421,
                5.9577074437,
            ),
        },
    ),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_motion(name):
    make, start, wanted = MOTIONS[name]
    eq = equations(make(), "lie_group", forces=True)
    space: dict = {}
    for quantity in ("mass_matrix", "bias"):
        exec(eq.code("python", quantity), space)
    n = eq.system.nv
    p = [float(eq.system.parameters[k]) for k in eq.parameters]
    zero = np.zeros(n)

    def flow(t, y):
        q, v = y[:n], y[n:]
        force = -space["bias"](q, v, zero, p)
        return np.concatenate([v, np.linalg.solve(space["mass_matrix"](q, v, zero, p), force)])

    run = solve_ivp(
        flow, (0, 2), start, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=sorted(wanted)
    )
    for y, t in zip(run.y.T, run.t, strict=True):
        np.testing.assert_allclose(y, wanted[t], rtol=1e-8, atol=1e-8)
