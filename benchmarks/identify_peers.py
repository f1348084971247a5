"""figaroh beside ours on the measured Panda.

`python benchmarks/identify_peers.py panda.csv.gz PYTHON`, with PYTHON the interpreter of an
environment that has figaroh (pip install figaroh; it brings Pinocchio).  Both get the same filtered
states; each builds its regressor, finds base parameters and fits 0 to 10 s, figaroh by its own
least squares; the efforts of 10 to 14 s are then predicted.  CPU seconds.
"""

import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PEER = """
import json, sys, time, types
import numpy as np, pinocchio as pin
from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced, get_index_eliminate
from figaroh.tools.qrdecomposition import QRDecomposer
import figaroh
where = sys.argv[1]
data = np.load(where + "/data.npz")
model = pin.buildModelFromUrdf(where + "/panda.urdf")
robot = types.SimpleNamespace(model=model, data=model.createData())
n = model.nv
wanted = {"has_friction": True, "has_actuator_inertia": True, "has_joint_offset": True,
          "is_joint_torques": True, "act_idxv": list(range(n))}
ten = "m mx my mz Ixx Ixy Iyy Ixz Iyz Izz".split()
names = [f"{p}{i}" for i in range(n) for p in ten] + [f"{p}{i}" for p in ("fv", "fs", "ia", "off") for i in range(n)]
std = dict.fromkeys(names, 0.0)
def regressor(part):
    q, v, a = (data[f"{x}_{part}"] for x in "qva")
    if model.nq == 2 * n:  # joints without limits: cosine and sine
        q = np.stack([np.cos(q), np.sin(q)], axis=2).reshape(len(q), -1)
    return build_regressor_basic(robot, q, v, a, wanted)
t = time.process_time()
W = regressor("fit")
made = time.process_time() - t
t = time.process_time()
out, kept = get_index_eliminate(W, std)
W_b, base, words, phi = QRDecomposer().double_decomposition(data["tau_fit"].T.ravel(), build_regressor_reduced(W, out), kept)
solved = time.process_time() - t
V = build_regressor_reduced(regressor("left"), out)
places = [kept.index(w.split(" ")[0].split("*")[-1]) for w in words]
said = (V[:, places] @ phi).reshape(n, -1).T
tau = data["tau_left"]
error = np.sqrt(((said - tau) ** 2).mean(axis=0)) / tau.std(axis=0)
print(json.dumps({"version": getattr(figaroh, "__version__", "?"), "regressor": made, "solve": solved, "base": len(phi), "error": error.tolist(), "words": words[:4]}))
"""  # noqa: E501


def random_states(path):
    """Even times, q, v, a, tau at 1 kHz, low pass at 10 Hz without shift."""
    from scipy.signal import butter, sosfiltfilt

    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1)
    t = np.arange(0, table[-1, 0], 1e-3)
    even = np.stack([np.interp(t, table[:, 0], x) for x in table.T[1:]], axis=1)
    sos = butter(4, 10 / 500, output="sos")
    q, tau = (sosfiltfilt(sos, x, axis=0) for x in (even[:, :7], even[:, 14:]))
    v = np.gradient(q, 1e-3, axis=0)
    return t, q, v, np.gradient(v, 1e-3, axis=0), tau


def main(path, python):
    import torseur as ts

    model = ts.load(Path(__file__).parents[1] / "examples" / "panda.yaml")
    t, q, v, a, tau = random_states(path)
    parts = {"fit": (t > 0.2) & (t < 10), "left": (t >= 10) & (t < t[-1] - 0.2)}
    cut = {
        f"{n}_{part}": x[rows]
        for part, rows in parts.items()
        for n, x in (("q", q), ("v", v), ("a", a), ("tau", tau))
    }
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/data.npz", **cut)
        model.save(f"{folder}/panda.urdf")
        said = subprocess.run(
            [python, "-W", "ignore", "-c", PEER, folder], capture_output=True, text=True
        )
        if said.returncode:
            sys.exit(said.stderr)
        peer = json.loads(said.stdout.strip().splitlines()[-1])
    said = np.round(100 * np.array(peer["error"]), 1)
    print(f"figaroh {peer['version']}: {peer['base']} base parameters, such as {peer['words']};")
    print(f"  {peer['regressor']:.2f} s for the regressor, {peer['solve']:.2f} s to solve;")
    print(f"  errors {said} %")

    lin = ts.identify.linear(model)
    lin.regressor(q[:10], v[:10], a[:10])  # compiled
    begun = time.process_time()
    lin.regressor(cut["q_fit"], cut["v_fit"], cut["a_fit"])
    made = time.process_time() - begun
    data = tuple(cut[f"{n}_fit"] for n in ("q", "v", "a", "tau"))
    for consistent in (False, True):
        begun = time.process_time()
        found = ts.identify.robot(model, data, consistent=consistent)
        solved = time.process_time() - begun
        off = found.predict(*(cut[f"{n}_left"] for n in "qva")) - cut["tau_left"]
        error = np.sqrt((off**2).mean(axis=0)) / cut["tau_left"].std(axis=0)
        print(f"torseur, consistent={consistent}: {len(found.groups)} base parameters;")
        print(f"  {made:.2f} s for the regressor, {solved:.2f} s for everything;")
        print(f"  errors {np.round(100 * error, 1)} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
