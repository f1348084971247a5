"""Signals of a run in a netCDF file of the classic format, which SciPy writes by itself.

The classic format's time and size stay in proportion to thousands of signals.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TorseurError
from ..files import noted

# names that netCDF takes as they are: not those of its types
_PLAIN = re.compile(
    r"(?!(u?(int|short|int64)|byte|char|float|real|double|bool|string)$)"
    r"[A-Za-z_][A-Za-z0-9_.-]{0,199}"
)


def write(
    path: Path, columns: Mapping[str, np.ndarray], units: Mapping[str, str], head: Mapping[str, Any]
) -> None:
    """Write columns over `time` with units.  A name that netCDF rejects becomes an attribute."""
    from scipy.io import netcdf_file

    with netcdf_file(path, "w", version=2) as file:
        for name, value in head.items():
            setattr(file, name, value.encode() if isinstance(value, str) else value)
        file.createDimension("time", len(columns["time"]))
        for i, (name, values) in enumerate(columns.items()):
            known = _PLAIN.fullmatch(name)
            x = file.createVariable(name if known else f"signal@{i}", "f8", ("time",))
            x[:] = values
            x.units = units[name].encode()
            if not known:
                x.signal = name.encode()


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str], dict[str, Any]]:
    """Columns, their units and the head of a netCDF file, classic or HDF5."""
    try:
        with open(noted(path), "rb") as file:
            first = file.read(4)
    except OSError as e:
        raise TorseurError(f"{path}: cannot be read: {(e.strerror or 'unknown').lower()}") from None
    if first != b"\x89HDF" and first[:3] != b"CDF":
        raise TorseurError(f"{path}: not a netCDF file: it begins as neither of the two kinds does")
    try:
        if first == b"\x89HDF":
            from . import hdf5

            return hdf5.read(path)
        return _classic(path)
    except TorseurError:
        raise
    except Exception as e:  # whatever scipy, xarray, h5netcdf or HDF5 fall over
        raise TorseurError(
            f"{path}: begins as a netCDF file, but is damaged or incomplete; write it again"
        ) from e


class _Clamped(FileIO):
    """A file whose reads never allocate more than its size, for damaged headers."""

    def read(self, size=-1):
        left = os.fstat(self.fileno()).st_size - self.tell()
        return super().read(left if size is None or size < 0 else max(0, min(size, left)))


def _classic(path):
    from scipy.io import netcdf_file

    def text(x):
        return x.decode() if isinstance(x, bytes) else x

    with _Clamped(path, "rb") as raw, netcdf_file(raw, "r", mmap=False) as file:
        found = [(n, x, {k: text(a) for k, a in x._attributes.items()}) for n, x in _of(file)]
        columns = {a.get("signal", n): np.array(x[:], float) for n, x, a in found}
        units = {a.get("signal", n): a.get("units", "") for n, _, a in found}
        return columns, units, {k: text(a) for k, a in file._attributes.items()}


def _of(file):
    return [(n, x) for n, x in file.variables.items() if x.dimensions == ("time",)]
