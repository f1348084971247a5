"""`torseur doctor`: is this installation sound?"""

from __future__ import annotations

import platform
import sys
import tempfile
from importlib import metadata

from ... import __version__
from ...files import private_folder
from ..base import Answer, command

NEEDED = (
    "numpy",
    "scipy",
    "casadi",
    "llvmlite",
    "python-flint",
    "sympy",
    "pint",
    "pyyaml",
    "xarray",
    "h5netcdf",
    "matplotlib",
)
WELCOME = {"mujoco": "reads MJCF", "pin": "compares with Pinocchio", "pandas": "tables of results"}


@command(
    "doctor",
    "check the installation",
    [
        "doctor",
        "doctor --json",
    ],
)
def doctor(args) -> Answer:
    """Versions, and small problems solved end to end."""
    found = {name: _version(name) for name in (*NEEDED, *WELCOME)}
    missing = [n for n in NEEDED if found[n] is None]
    trials = {}
    for name, trial in TRIALS.items():
        try:
            trials[name] = (True, trial())
        except Exception as e:  # a doctor reports every illness
            trials[name] = (False, f"{type(e).__name__}: {e}")
    ok = not missing and all(good for good, _ in trials.values())
    lines = [
        f"torseur {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}"
    ]
    for name, version in found.items():
        note = f" ({WELCOME[name]})" if name in WELCOME else ""
        absent = "not installed" if name in WELCOME else "MISSING: pip install " + name
        lines.append(f"  {name:<14}{version or absent}{note}")
    lines += [
        f"  {'ok  ' if good else 'FAIL'} {name}: {text}" for name, (good, text) in trials.items()
    ]
    lines.append("everything works" if ok else "something is wrong: see the lines above")
    data = {
        "torseur": __version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "packages": found,
        "trials": {n: {"ok": good, "text": text} for n, (good, text) in trials.items()},
    }
    return Answer("\n".join(lines), data, 0 if ok else 1)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _pendulum():
    from ...joints import Revolute
    from ...model import Body, Joint, Model

    rod = Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.2, 0.2, 0.01, 0, 0, 0))
    return Model("pendulum", bodies=(rod,), joints=(Joint("pivot", "world", "rod", Revolute("y")),))


def _kernel() -> str:
    """A compiled kernel against the closed form."""
    import math

    from ...quantities import compile

    got = float(compile(_pendulum().check()).inverse_dynamics([0.3], [0.2], [0.5])[0])
    want = (0.2 + 2.0 * 0.25) * 0.5 + 2.0 * 9.81 * 0.5 * math.sin(0.3)
    if abs(got - want) > 1e-14 * abs(want):
        raise ArithmeticError(f"the torque of a pendulum came out as {got!r}, and is {want!r}")
    return "a pendulum's torque is right"


def _equation() -> str:
    """Exact equations."""
    from ...symbolic import equations

    return f"a pendulum has {len(equations(_pendulum().check()).tau[0].latex())} letters of LaTeX"


def _units() -> str:
    from ...model.formats import quantity

    if quantity("36 km/h", "m/s") != 10:
        raise ArithmeticError("36 km/h is not 10 m/s")
    return "36 km/h are 10 m/s"


def _cache() -> str:
    """The folder of compiled kernels can be written."""
    from ...compiler import cache

    folder = cache.folder()
    if folder is None:
        return "switched off by TORSEUR_CACHE"
    if not private_folder(folder):
        raise PermissionError(f"{folder} is not yours alone; nothing is kept there")
    with tempfile.TemporaryFile(dir=folder):
        return f"{folder.name} can be written"


TRIALS = {"compiler": _kernel, "symbols": _equation, "units": _units, "cache": _cache}
