"""What the files of a store must be before Zarr reads them: its own, plain, and of their sizes.

A store may come from anybody.  Zarr would follow links out of it, make room for any shape, and run
any codec that is installed; a study writes arrays of one kind only, and no other is read.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, TorseurError

MOST_BYTES = 500_000_000  # that the varied numbers may take: they are read at once
DENSE = 100  # bytes of a column over those of its files, where it is larger than that
HEAD_BYTES = 20_000_000  # of a description, zarr.json
SIZES = {"float64": 8, "int64": 8, "int8": 1, "uint8": 1}
CODECS = ["bytes", "zstd"]
_MAGIC = b"\x28\xb5\x2f\xfd"
_BLOCK = 3000  # bytes of zstd, too few to grow beyond 100 MB


@contextmanager
def damaged(path: Path) -> Iterator[None]:
    """Around what reads a store: whatever falls out of it names the store."""
    try:
        yield
    except TorseurError as e:
        if str(path) in str(e):
            raise
        raise ArgumentError(f"{path}: its plan cannot be used: {e}") from e
    except Exception as e:  # whatever Zarr, NumPy or a plan of wrong kinds falls over
        raise ArgumentError(
            f"{path}: begins as a study, but is damaged or incomplete; compute it again into "
            "another store"
        ) from e


def plain(path: Path) -> None:
    """Only files and folders are in a store: no link leads out of it, no pipe keeps it waiting."""
    todo = [path]
    while todo:
        with os.scandir(todo.pop()) as found:
            for entry in found:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    todo.append(Path(entry.path))
                elif not stat.S_ISREG(mode):
                    kind = "a link" if stat.S_ISLNK(mode) else "a pipe, a socket or a device"
                    raise ArgumentError(f"{path}: {_inside(path, entry.path)} is {kind}; a study "
                                        "has files only")  # fmt: skip


def head(path: Path, name: str = "") -> dict[str, Any]:
    """The description of the store, or of an array in it."""
    if name and not all(p not in ("", ".", "..") for p in name.split("/")):
        raise _told(path, name, "is no name of a column")
    file = path / name / "zarr.json"
    if not file.is_file():
        raise _told(path, name, "is missing")
    if file.stat().st_size > HEAD_BYTES:
        raise _told(path, name, f"has a zarr.json of more than {HEAD_BYTES / 1e6:g} MB")
    found = json.loads(file.read_bytes())
    if not isinstance(found, dict) or found.get("zarr_format") != 3:
        raise _told(path, name, "is not of Zarr's format 3")
    if found.get("consolidated_metadata"):
        raise _told(path, name, "describes others in its zarr.json; a study does not")
    return found


def array(path: Path, name: str, shape: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The shape of an array that a study may have written; chunks are no larger than they say."""
    found = head(path, name)
    size = SIZES.get(str(found.get("data_type")))
    own: Any = found.get("shape")
    codecs = [c.get("name") for c in found.get("codecs", ())]
    grid = found.get("chunk_grid", {})
    cut = grid.get("configuration", {}).get("chunk_shape")
    if found.get("node_type") != "array" or size is None or codecs != CODECS:
        raise _told(path, name, "is no array of numbers as a study writes them")
    if grid.get("name") != "regular" or found.get("storage_transformers") or not _whole(own):
        raise _told(path, name, "is not cut as a study cuts its arrays")
    if shape is not None and tuple(own) != shape:
        raise _told(path, name, f"has the shape {_text(own)}, expected {_text(shape)}")
    if not _whole(cut) or len(cut) != len(own) or any(
        c < 1 or c > max(n, 1) for c, n in zip(cut, own, strict=True)
    ):  # fmt: skip
        raise _told(path, name, "has pieces that are larger than it is")
    held = _chunks(path, name, size * prod(cut))
    if (asked := size * prod(own)) > max(MOST_BYTES, DENSE * held):
        raise _told(
            path, name, f"says that it has {asked:.3g} bytes, but its files have {held}; open it "
            "with xarray.open_zarr"
        )  # fmt: skip
    return tuple(own)


def _chunks(path: Path, name: str, size: int) -> int:
    """Bytes of the pieces of an array; one that would grow beyond its size is refused."""
    held = 0
    for folder, _, files in os.walk(path / name / "c"):
        for file in filter(str.isdigit, files):  # others were left by a writer that was killed
            own = os.path.join(folder, file)
            held += (bytes_ := os.path.getsize(own))
            if bytes_ > _BLOCK and _grown(own) != size:
                raise _told(path, name, f"has a damaged piece, {_inside(path, own)}")
    return held


def _grown(file: str) -> int | None:
    """How many bytes a frame of zstd says it holds."""
    with open(file, "rb") as stream:
        start = stream.read(18)
    if len(start) < 18 or start[:4] != _MAGIC:
        return None
    flag, alone, words = start[4] >> 6, start[4] >> 5 & 1, (0, 1, 2, 4)[start[4] & 3]
    long = (1 if alone else 0, 2, 4, 8)[flag]
    at = 5 + (not alone) + words
    if not long or len(start) < at + long:
        return None
    return int.from_bytes(start[at : at + long], "little") + 256 * (flag == 1)


def _whole(x: Any) -> bool:
    return isinstance(x, list) and all(type(n) is int and 0 <= n < 2**40 for n in x)


def _text(shape) -> str:
    return " x ".join(map(str, shape)) or "1"


def _inside(path: Path, own) -> str:
    return repr(os.path.relpath(own, path))


def _told(path: Path, name: str, text: str) -> ArgumentError:
    return ArgumentError(f"{path}: {repr(name[:60]) if name else 'it'} {text}")
