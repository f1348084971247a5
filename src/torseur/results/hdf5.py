"""netCDF in HDF5, read in a child process because a damaged file can hang or crash the library.

The child converts the file to the classic format under limits of time and memory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from math import ceil, prod
from pathlib import Path
from typing import Any

from ..errors import TorseurError, needs
from . import netcdf

SECONDS, BYTES_PER_SECOND = 8.0, 2e7  # of work
PATIENCE = 15  # times as long by the clock: a machine may have other work
DENSE, SMALL = 20, 200_000_000  # bytes of numbers over those of the file, where they are many


def read(path: Path) -> tuple[dict, dict[str, str], dict[str, Any]]:
    """Columns over `time`, units and attributes, read by a child process."""
    with needs("tables", f"{path.name}: netCDF in HDF5"):
        import h5py  # noqa: F401  the other process does
    most = SECONDS + path.stat().st_size / BYTES_PER_SECOND
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "classic.nc"
        words = [sys.executable, "-P", "-c", f"from {__name__} import convert; convert()"]
        there = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        try:
            done = subprocess.run(
                [*words, str(path), str(target), str(ceil(most))],
                env=there,
                timeout=PATIENCE * most,
                capture_output=True,
            )
            ended = done.returncode == -getattr(signal, "SIGXCPU", 0)
        except subprocess.TimeoutExpired:
            ended = True
        if ended:
            raise TorseurError(
                f"{path}: begins as a netCDF file, but HDF5 finds no end in it within "
                f"{most:.0f} s of work; it is damaged: write it again"
            )
        if done.returncode or not target.is_file():
            raise ValueError(done.stderr[-200:])
        return netcdf.read(target)


def convert() -> None:
    """The other process: an HDF5 file to one of the classic format."""
    with needs("tables", "netCDF in HDF5"):
        import h5py

    source, target = map(Path, sys.argv[1:3])
    most = max(SMALL, DENSE * source.stat().st_size)
    _bounded(5 * most, int(sys.argv[3]))

    def text(x):
        return x.decode() if isinstance(x, bytes) else x

    with h5py.File(source, "r") as file:
        # links lead to other files, and so do pieces that are kept outside
        own = {n: file[n] for n in file if isinstance(file.get(n, getlink=True), h5py.HardLink)}
        rows = own["time"].shape
        found = {n: x for n, x in own.items() if isinstance(x, h5py.Dataset) and x.shape == rows}
        if any(x.external or x.is_virtual or x.dtype.kind not in "fiu" for x in found.values()):
            raise ValueError("numbers that are not in the file")
        pieces = max((8 * prod(x.chunks) for x in found.values() if x.chunks), default=0)
        if len(rows) != 1 or max(pieces, 8 * rows[0] * len(found)) > most:
            raise ValueError("more numbers than the file can hold")
        named = {n: {k: text(x.attrs[k]) for k in ("signal", "units") if k in x.attrs}
                 for n, x in found.items()}  # fmt: skip
        columns = {str(named[n].get("signal", n)): x[:].astype(float) for n, x in found.items()}
        units = {str(a.get("signal", n)): str(a.get("units", "")) for n, a in named.items()}
        head = {k: text(x) for k, x in file.attrs.items() if not k.startswith("_")}
    netcdf.write(target, columns, units, head)


def _bounded(more: int, seconds: int) -> None:
    """At most so many bytes more than there are, and so much work, where systems have limits."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
