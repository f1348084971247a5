"""`torseur doctor`: check of the installation and its optional packages."""

from __future__ import annotations

import platform
import re
import sys
import tempfile
from importlib import metadata

from ... import __version__
from ...files import make_private_folder
from ..base import CommandResult, command

GIVES = {
    "plot": "figures of runs, pictures of motion",
    "movie": "moving pictures as .mp4",
    "tables": "pandas and xarray, netCDF in HDF5",
    "sympy": "equations as SymPy expressions",
    "mjcf": "model files of MuJoCo",
    "cvode": "method cvode of SUNDIALS",
    "control": "linear models for python-control",
    "robots": "balancing in closed form, motions of least time, design reports",
    "identify": "identified masses that a body can have",
    "crash": "tables of tests and their ISO 18571 score",
    "studies": "stores, clusters, sensitivity indices",
    "optimize": "Pareto fronts",
}


@command(
    "doctor",
    "check the installation",
    [
        "doctor",
        "doctor --json",
    ],
)
def doctor(args) -> CommandResult:
    """List versions and extras, and solve small problems as trials."""
    needed, extras = list_requirements()
    versions = {name: _version(name) for name in needed}
    missing = [n for n in needed if versions[n] is None]
    absent_packages = {e: [n for n in extras[e] if _version(n) is None] for e in GIVES}
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
    lines += [f"  {n:<14}{x or 'MISSING: pip install ' + n}" for n, x in versions.items()]
    lines.append("extras")
    for name, absent in absent_packages.items():
        how = f'pip install "torseur[{name}]" ({", ".join(absent)})' if absent else "installed"
        lines.append(f"  {name:<14}{GIVES[name]}: {how}")
    lines.append("trials")
    lines += [
        f"  {'ok  ' if good else 'FAIL'} {name}: {text}" for name, (good, text) in trials.items()
    ]
    lines.append("everything works" if ok else "something is wrong: see the lines above")
    data = {
        "torseur": __version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "packages": versions,
        "extras": absent_packages,
        "trials": {n: {"ok": good, "text": text} for n, (good, text) in trials.items()},
    }
    return CommandResult("\n".join(lines), data, 0 if ok else 1)


def list_requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Required packages, and the packages of each extra, from the package metadata."""
    requirements: dict[str, list[str]] = {}
    for line in metadata.requires("torseur") or ():
        what = re.match(r"[\w.-]+(\[[\w,-]+\])?", line)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        requirements.setdefault(extra[1] if extra else "", []).append(what[0] if what else line)

    def packages_of_extra(extra: str) -> list[str]:
        out: list[str] = []
        for name in requirements.get(extra, ()):
            package, _, inner = name.rstrip("]").partition("[")
            out += (
                [x for e in inner.split(",") for x in packages_of_extra(e)]
                if package == "torseur"
                else [package]
            )
        return list(dict.fromkeys(out))

    return packages_of_extra(""), {name: packages_of_extra(name) for name in GIVES}


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

    from ...kernels import compile

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
    from ...scalars import units

    if units.quantity("36 km/h", "m/s") != 10:
        raise ArithmeticError("36 km/h is not 10 m/s")
    return "36 km/h are 10 m/s"


def _cache() -> str:
    """The folder of compiled kernels can be written."""
    from ...compiler.runtime import cache

    folder = cache.folder()
    if folder is None:
        return "switched off by TORSEUR_CACHE"
    if not make_private_folder(folder):
        raise PermissionError(f"{folder} is not yours alone; nothing is kept there")
    with tempfile.TemporaryFile(dir=folder):
        return f"{folder.name} can be written"


TRIALS = {"compiler": _kernel, "symbols": _equation, "units": _units, "cache": _cache}
