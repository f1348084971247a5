"""Export of FMUs: `export_fmu` writes a model as a file that other simulators run."""

from __future__ import annotations

import hashlib
import io
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, as_system, shown as said, unknown_name_message
from ..files import plain, write
from ..results import signal_patterns
from ..signals import initial_history_kernel, instant_signals, signal_units
from ..simulation import Options, Simulation, time_inputs
from ..solve import arguments
from ..system import following, read_initial_state, start_of
from .description import write_description
from .library import CPUS, PLATFORMS, ExportedModel, write_binary
from .variables import list_variables

if TYPE_CHECKING:
    import os

    from ..model import Model
    from ..system import System

ARCHIVE_TIME = (1980, 1, 1, 0, 0, 0)  # of files in the archive: the same model makes the same bytes
INDEPENDENT_COORDINATE_SOLUTIONS = ("null_space", "elimination")
DEFAULT_DURATION = 1.0  # s: of the experiment of a model that names none


def export_fmu(
    model: Model | System,
    path: str | os.PathLike[str],
    *,
    keep: Iterable[str] | str | None = None,
    initial: Mapping[str, float] | None = None,
    platforms: Iterable[str] | str | None = None,
    cpu: str = "x86-64-v2",
    options: Options | None = None,
    **named: Any,
) -> Path:
    """Write a model as an FMU (FMI 2.0): co-simulation and model exchange in one file.

    Variables are named as signals.  Coordinates and speeds are states with a start, the model's
    inputs are inputs, its declared parameters are parameters that are set before the start, and
    signals are outputs.  Co-simulation takes the same native steps as `simulate`, events within.
    For model exchange guards are event indicators.  No compiler is needed.

    Parameters
    ----------
    model : a `Model` or `System`
    path : the file, `arm.fmu`
    keep : names or patterns of signals to be outputs.  By default those of joints, forces, energies
        and the positions of bodies
    initial : the start, over the model's own, as for `simulate`
    platforms : "linux64", "win64" or both (the default)
    cpu : oldest processor that it must run on: "x86-64-v2" (from 2009), "x86-64-v3" (from 2013,
        faster), "x86-64-v4" (AVX-512)
    options, named : as for `simulate`: t_end and t_start (the default experiment), method, rtol,
        atol, step, parameters, inputs, max_step, stop_when, solution

    >>> import tempfile
    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model("pendulum", bodies=(rod,), initial={"pivot.angle": 0.1},
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(export_fmu(pendulum, f"{folder}/pendulum.fmu", platforms="linux64").name)
    pendulum.fmu
    """
    path = Path(path)
    if path.suffix.lower() != ".fmu":
        raise ArgumentError(f"cannot export to {path.name!r}: expected a name that ends in .fmu")
    platform_names = _check_platforms(platforms)
    if cpu not in CPUS:
        raise ArgumentError(unknown_name_message("cpu", cpu, CPUS, "export_fmu"))
    system = as_system(model, "export_fmu")
    run = _create_run(system, initial, options, named)
    state = run.untouched
    instant = (run.t_start, state[: system.nq], state[system.nq : system.nq + system.nv], run.p)
    signal_names = (
        instant_signals(system, *instant, usual=True)
        if keep is None
        else _select_signals(system, keep, instant_signals(system, *instant))
    )
    ready = _prepare_export(run, signal_names, (cpu, *platform_names))
    name = plain(system.name) or "model"
    identifier = re.sub(r"\W", "_", f"m_{name}" if not name[:1].isalpha() else name, flags=re.ASCII)
    files = {"modelDescription.xml": _write_model_description(ready, name, identifier)}
    for platform in platform_names:
        member = f"binaries/{platform}/{identifier}{PLATFORMS[platform].suffix}"
        files[member] = write_binary(ready, platform, cpu, identifier)
    files["documentation/index.html"] = _write_documentation(ready, name).encode()
    return write(path, _zip_files(files))


def _check_platforms(platforms) -> tuple[str, ...]:
    """Names of platforms, without duplicates.  Raises `ArgumentError` for an unknown one."""
    names = tuple(PLATFORMS) if platforms is None else platforms
    names = (names,) if isinstance(names, str) else tuple(names)
    if bad := [unknown_name_message("platform", n, PLATFORMS, "export_fmu") for n in names
               if n not in PLATFORMS]:  # fmt: skip
        raise ArgumentError("\n".join(bad))
    if not names:
        raise ArgumentError(f"export_fmu: platforms = (); name one of {', '.join(PLATFORMS)}")
    return tuple(dict.fromkeys(names))


def _select_signals(system, keep, available: tuple[str, ...]) -> tuple[str, ...]:
    """Names of signals that match patterns and are defined at a single instant."""
    every = tuple(signal_units(system))
    patterns = (keep,) if isinstance(keep, str) else tuple(keep)
    if bad := [x for x in patterns if not isinstance(x, str)]:
        raise ArgumentError(f"export_fmu: keep = {said(bad[0])}; expected names of signals")
    inputs = {port.name for port in system.layout.u}
    out: dict[str, None] = {}
    for one in patterns:
        matches = [
            n for n in signal_patterns.matching([one], every, "export_fmu") if n not in inputs
        ]
        selected = [n for n in matches if n in set(available)]
        if matches and not selected:
            raise ArgumentError(
                f"export_fmu: keep: {one!r} is a signal of whole runs, not of a single instant "
                "(readings of joints, orientations, powers of reactions, reactions of closed "
                "loops, constraints.*, energy.residual, multipliers that the motion does not "
                "determine); leave it out"
            )
        out |= dict.fromkeys(selected)
    return tuple(out)


def _create_run(system, initial, options: Options | None, named) -> Simulation:
    """Simulation at its start, with its method and first step, as `simulate` would create it."""
    initial_of_model, options_of_model = start_of(system)
    settings = {n: x for n, x in named.items() if x is not None}
    settings = settings if options is None else options.changed() | settings
    if "control" in settings or "period" in settings:
        raise ArgumentError(
            "export_fmu: a controller in Python cannot leave with the model; give the model inputs "
            "(ts.Input) and connect the controller to them in the importer"
        )
    if initial_of_model and initial is not None and "keep" not in settings:
        settings["keep"] = [
            *dict.fromkeys([*options_of_model.get("keep", initial_of_model), *initial])
        ]
    settings = options_of_model | settings
    t_end = settings.pop("t_end", None)
    for n, x in (settings.get("inputs") or {}).items():
        if time_inputs.is_time_function(x):
            raise ArgumentError(
                f"export_fmu: input {n!r} is a function of time, which the importer gives; leave "
                "it out, or write it into the model as a force"
            )
    if settings.get("solution") in INDEPENDENT_COORDINATE_SOLUTIONS:
        raise ArgumentError(
            f"export_fmu: solution = {settings['solution']!r}: it selects new independent speeds "
            "in Python during a run; use 'multipliers' (the default), which is the same motion"
        )
    initial_of_model |= (
        following(system, settings.get("parameters") or {}) if initial_of_model else {}
    )
    initial = read_initial_state(system, initial, settings.get("parameters"))
    start = (
        {**initial_of_model, **initial}
        if initial_of_model and initial
        else initial or initial_of_model
    )
    begin = arguments.seconds("t_start", settings.get("t_start", 0.0))
    end = begin + DEFAULT_DURATION if t_end is None else arguments.seconds("t_end", t_end)
    return Simulation(system, end, start, output=[begin], **settings)


def _prepare_export(run: Simulation, signal_names, target) -> ExportedModel:
    """Data that the binaries of all platforms share.

    The GUID is a digest of model, options and start, so that the same export has the same bytes.
    """
    system = run.system
    starts = initial_history_kernel(system)
    variables_of_model = list_variables(
        system, signal_names, run.untouched, run.u, run.p, starts is not None
    )
    names = [x.name for x in variables_of_model]
    if (
        duplicates := sorted({n for n in names if names.count(n) > 1})
        if len(set(names)) < len(names)
        else []
    ):
        raise ArgumentError(
            f"export_fmu: {', '.join(map(repr, duplicates[:6]))} would name two variables; "
            "rename the parameter or the input"
        )
    version = sys.modules["torseur"].__version__
    identity = (system.digest, version, run.method.name, run.options, target, variables_of_model,
             run.record.y.tolist(), run.record.m.tolist(), run.u.tolist(), run.p.tolist(),
             run.t_start, run.t_end)  # fmt: skip
    guid = hashlib.sha256(repr(identity).encode()).hexdigest()[:32]
    parts = (guid[:8], guid[8:12], guid[12:16], guid[16:20], guid[20:])
    return ExportedModel(run, starts, variables_of_model, "{" + "-".join(parts) + "}")


def _write_model_description(ready: ExportedModel, name: str, identifier: str) -> bytes:
    """Bytes of `modelDescription.xml`."""
    run = ready.run
    begin, end = run.t_start, run.t_end
    assert end is not None
    experiment = {"startTime": begin, "stopTime": end, "tolerance": run.options.rtol}
    experiment["stepSize"] = run.options.step or (end - begin) / 500
    return write_description(
        ready.variables,
        name=name,
        identifier=identifier,
        guid=ready.guid,
        tool=f"torseur {sys.modules['torseur'].__version__}",
        about=f"{name}: {run.system.nv} speeds, method {run.method.name}",
        indicators=len(run.guards),
        experiment=experiment,
    )


def _write_documentation(ready: ExportedModel, name: str) -> str:
    """HTML page with the list of variables."""
    cells = (
        (str(k), escape(x.name), escape(x.unit), x.causality) for k, x in enumerate(ready.variables)
    )
    rows = "\n".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in cells)
    bilateral = ready.run.system.held
    loops = (
        "<p>Loops and constraints: a start that does not close them is brought to the nearest that "
        "does, all coordinates together, and a message says how far it moved.</p>"
        if bilateral
        else ""
    )
    quaternions = (
        "<p>Quaternions (w, x, y, z) of a start are brought to unit length.</p>"
        if len(ready.run.system.quaternions)
        else ""
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(name)}</title></head><body>
<h1>{escape(name)}</h1>
<p>FMI 2.0, co-simulation and model exchange, written by torseur. Co-simulation steps by
{escape(ready.run.method.name)}, relative tolerance {ready.run.options.rtol:g} unless the importer
gives another one; events are located within its steps. SI units.</p>
{loops}{quaternions}
<table><tr><th>reference</th><th>variable</th><th>unit</th><th>causality</th></tr>
{rows}
</table></body></html>
"""


def _zip_files(files: Mapping[str, bytes]) -> bytes:
    """Archive whose bytes depend on its files alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, ARCHIVE_TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
