"""Everything that users hold goes to other processes, before and after it was used."""

import multiprocessing as mp
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import torseur as ts

ROD = ts.Body("rod", 1.0, (0, 0, -1.0), (0.1, 0.1, 0.1, 0, 0, 0))
MODEL = ts.Model("m", bodies=(ROD,), joints=(ts.Joint("j", "world", "rod", ts.Revolute("y")),))
START = {"j.angle": 0.3}


def pendulum(angle):
    return float(ts.simulate(MODEL, 0.01, {"j.angle": angle})["j.angle"][-1])


def test_methods_of_kernels_that_were_called():
    dyn = ts.compile(MODEL)
    q, v = np.array([0.3]), np.array([0.5])
    for name, given in (("mass_matrix", (q,)), ("bias", (q, v)), ("inverse_dynamics", (q, v, v))):
        want = getattr(dyn, name)(*given)
        for x in (getattr(dyn, name), dyn.kernel(name)):  # built-in and ready by now
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(x))(*given), want)


@pytest.mark.parametrize("used", [False, True])
def test_what_users_hold(used):
    run, many = ts.simulate(MODEL, 0.01, START), ts.batch(MODEL, 0.01, {"j.angle": [0.1, 0.2]})
    system = MODEL.check()
    for x in (MODEL, system, run, many, ts.compile(MODEL), ts.equations(MODEL)):
        if used and hasattr(x, "signals"):
            x["j.reaction.force.z"] if "j.reaction.force.z" in x.signals else x["j.angle"]
        again = pickle.loads(pickle.dumps(x))
        assert type(again) is type(x)
    again = pickle.loads(pickle.dumps(run))
    for name in ("j.angle", "j.reaction.force.z", "energy.residual"):
        np.testing.assert_array_equal(again[name], run[name])


@pytest.mark.parametrize("way", mp.get_all_start_methods())
def test_pools_return(way):
    dyn = ts.compile(MODEL)
    want = [dyn.mass_matrix(np.array([x])) for x in (0.1, 0.2)]
    with ProcessPoolExecutor(1, mp.get_context(way)) as pool:
        got = [*pool.map(dyn.mass_matrix, [np.array([0.1]), np.array([0.2])], timeout=120)]
        np.testing.assert_array_equal(got, want)
        assert [*pool.map(pendulum, [0.1], timeout=120)] == [pendulum(0.1)]
