"""Storage of study results: in memory, or in a Zarr store that xarray opens.

A store may come from anybody.  Zarr would follow links out of it, allocate any shape and run any
installed codec.  A study writes arrays of one type only, and its files are validated before Zarr
reads them.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, needs
from ..files import place, whole_folder
from ..keyboard import defer_interrupts
from .plan import Plan, plan_digest

FORMAT = 1
MAX_VALUE_BYTES = 500_000_000  # of the varied numbers, which are read at once
MAX_EXPANSION = 100  # bytes of a large column over those of its files
MAX_METADATA_BYTES = 20_000_000  # of a zarr.json
ITEM_SIZES = {"float64": 8, "int64": 8, "int8": 1, "uint8": 1}
CODECS = ["bytes", "zstd"]
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MAX_UNCHECKED_BYTES = 3000  # of a zstd frame, too few to expand beyond 100 MB


# ---- validation of files -----------------------------------------------------------------------


@contextmanager
def report_damage(path: Path) -> Iterator[None]:
    """Context for reading a store: every error becomes one that names the store."""
    try:
        yield
    except TorseurError as e:
        if str(path) in str(e):
            raise
        raise ArgumentError(f"{path}: its plan cannot be used: {e}") from e
    except Exception as e:  # of Zarr, NumPy or a plan of wrong types
        raise ArgumentError(
            f"{path}: begins as a study, but is damaged or incomplete; compute it again into "
            "another store"
        ) from e


def check_file_types(path: Path) -> None:
    """Raise unless a store has only files and folders: no links out of it, no pipes that block."""
    folders = [path]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    folders.append(Path(entry.path))
                elif not stat.S_ISREG(mode):
                    kind = "a link" if stat.S_ISLNK(mode) else "a pipe, a socket or a device"
                    raise ArgumentError(
                        f"{path}: {_relative(path, entry.path)} is {kind}; a study has files only"
                    )


def read_metadata(path: Path, name: str = "") -> dict[str, Any]:
    """Metadata (zarr.json) of the store, or of an array in it."""
    if name and not all(p not in ("", ".", "..") for p in name.split("/")):
        raise _array_error(path, name, "is no name of a column")
    file = path / name / "zarr.json"
    if not file.is_file():
        raise _array_error(path, name, "is missing")
    if file.stat().st_size > MAX_METADATA_BYTES:
        limit = f"{MAX_METADATA_BYTES / 1e6:g} MB"
        raise _array_error(path, name, f"has a zarr.json of more than {limit}")
    metadata = json.loads(file.read_bytes())
    if not isinstance(metadata, dict) or metadata.get("zarr_format") != 3:
        raise _array_error(path, name, "is not of Zarr's format 3")
    if metadata.get("consolidated_metadata"):
        raise _array_error(path, name, "describes others in its zarr.json; a study does not")
    return metadata


def check_array(path: Path, name: str, shape: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Shape of an array as a study writes it, or an error for any other."""
    metadata = read_metadata(path, name)
    item_size = ITEM_SIZES.get(str(metadata.get("data_type")))
    stored: Any = metadata.get("shape")
    codecs = [c.get("name") for c in metadata.get("codecs", ())]
    grid = metadata.get("chunk_grid", {})
    chunk = grid.get("configuration", {}).get("chunk_shape")
    if metadata.get("node_type") != "array" or item_size is None or codecs != CODECS:
        raise _array_error(path, name, "is no array of numbers as a study writes them")
    is_regular = grid.get("name") == "regular" and not metadata.get("storage_transformers")
    if not is_regular or not _is_shape(stored):
        raise _array_error(path, name, "is not cut as a study cuts its arrays")
    if shape is not None and tuple(stored) != shape:
        text = f"has the shape {_shape_text(stored)}, expected {_shape_text(shape)}"
        raise _array_error(path, name, text)
    if (
        not _is_shape(chunk)
        or len(chunk) != len(stored)
        or any(c < 1 or c > max(n, 1) for c, n in zip(chunk, stored, strict=True))
    ):
        raise _array_error(path, name, "has pieces that are larger than it is")
    file_bytes = _check_chunk_files(path, name, item_size * prod(chunk))
    array_bytes = item_size * prod(stored)
    if array_bytes > max(MAX_VALUE_BYTES, MAX_EXPANSION * file_bytes):
        raise _array_error(
            path,
            name,
            f"has {array_bytes:.3g} bytes by its metadata, but its files have {file_bytes}; open "
            "it with xarray.open_zarr",
        )
    return tuple(stored)


def _check_chunk_files(path: Path, name: str, chunk_bytes: int) -> int:
    """Bytes of the chunk files of an array, or an error if one expands beyond its size."""
    total = 0
    for folder, _, files in os.walk(path / name / "c"):
        for file in filter(str.isdigit, files):  # others are of a writer that was killed
            chunk = os.path.join(folder, file)
            total += (size := os.path.getsize(chunk))
            if size > MAX_UNCHECKED_BYTES and _expanded_bytes(chunk) != chunk_bytes:
                raise _array_error(path, name, f"has a damaged piece, {_relative(path, chunk)}")
    return total


def _expanded_bytes(file: str) -> int | None:
    """Size of the content of a zstd frame, from its header (RFC 8878)."""
    with open(file, "rb") as stream:
        header = stream.read(18)
    if len(header) < 18 or header[:4] != ZSTD_MAGIC:
        return None
    size_flag, single_segment = header[4] >> 6, header[4] >> 5 & 1
    dictionary_bytes = (0, 1, 2, 4)[header[4] & 3]
    size_bytes = (1 if single_segment else 0, 2, 4, 8)[size_flag]
    first = 5 + (not single_segment) + dictionary_bytes
    if not size_bytes or len(header) < first + size_bytes:
        return None
    size = int.from_bytes(header[first : first + size_bytes], "little")
    return size + 256 * (size_flag == 1)


def _is_shape(x: Any) -> bool:
    return isinstance(x, list) and all(type(n) is int and 0 <= n < 2**40 for n in x)


def _shape_text(shape: Any) -> str:
    return " x ".join(map(str, shape)) or "1"


def _relative(path: Path, file: Any) -> str:
    return repr(os.path.relpath(file, path))


def _array_error(path: Path, name: str, text: str) -> ArgumentError:
    return ArgumentError(f"{path}: {repr(name[:60]) if name else 'it'} {text}")


# ---- stores ------------------------------------------------------------------------------------


class Memory:
    """Columns as arrays in the memory of this process."""

    def __init__(self, plan: Plan):
        """Allocate the columns of all runs."""
        self.plan = plan
        n = plan.members
        self.columns: dict[str, np.ndarray] = {
            k: np.full((n, *m.shape()), np.nan) for k, m in plan.keep.items()
        }
        self.columns["outcome"] = np.full(n, "not computed", dtype=object)
        self.columns["completed"] = np.zeros(n, dtype=bool)
        self._done = np.zeros(plan.chunks, dtype=bool)

    def report_errors(self) -> AbstractContextManager[None]:
        """Context for computations: errors name the store of the plan."""
        return nullcontext()

    def missing(self) -> list[int]:
        """Chunks that are not computed yet."""
        return np.flatnonzero(~self._done).tolist()

    def put(self, chunk: int, columns: dict[str, np.ndarray]) -> None:
        """Store the columns of a chunk."""
        rows = self.plan.rows(chunk)
        for name, x in columns.items():
            self.columns[name][rows.start : rows.stop] = x
        self._done[chunk] = True

    def get(self, name: str) -> np.ndarray:
        """A column, NaN where members are missing."""
        return self.columns[name]


class Zarr:
    """Columns in a folder.  A chunk is marked as done after it is written, never before.

    Outcomes are indices into a list of texts that only grows.  A chunk with new texts writes them
    in the group `outcomes`, under the index of the first, and marks them as complete.
    """

    def __init__(self, path: str | os.PathLike[str], plan: Plan | None = None):
        """Open an existing store, and check its arrays."""
        zarr = _import_zarr()
        self.path = place(path)
        self._outcome_indices: dict[str, int] | None = None  # once one was written
        self.opened = False
        exists = (self.path / "zarr.json").exists()
        if plan is None and not exists:
            raise ArgumentError(f"{self.path}: no study is stored there")
        if exists:
            with report_damage(self.path):
                stored = self._read_plan(zarr)
            if plan is not None and plan.digest != stored.digest:
                raise ArgumentError(
                    f"{self.path} holds another study (other model, values or measures); choose "
                    "another store, or open it with ts.studies.open"
                )
            self.plan, self.opened = plan or stored, plan is None
        else:
            assert plan is not None
            self.plan = plan
            self._create(zarr, plan)

    def _create(self, zarr: Any, plan: Plan) -> None:
        """Write all arrays in a temporary folder, which is then renamed."""
        if self.path.exists():
            raise ArgumentError(f"{self.path} exists and is no study; choose another name")
        with defer_interrupts(), whole_folder(self.path) as partial:
            self._write_arrays(zarr.open_group(str(partial), mode="w"), plan)
            read_metadata(partial)  # raises if it is too large to be opened
        self.group = zarr.open_group(str(self.path), mode="r+")

    def _write_arrays(self, group: Any, plan: Plan) -> None:
        """Create all arrays: varied numbers and times with values, results empty."""
        n = plan.members

        def create(
            name: str,
            shape: tuple[int, ...],
            dtype: str,
            data: np.ndarray | None = None,
            dims: tuple[str, ...] = ("member",),
        ):
            """Create one array with the chunks of the plan."""
            array = group.create_array(
                name,
                shape=shape,
                dtype=dtype,
                chunks=(min(plan.chunk, max(1, shape[0])), *shape[1:]),
                fill_value=np.nan if dtype == "f8" else 0,
                dimension_names=dims,
            )
            if data is not None:
                array[:] = data

        create("branch", (n,), "i8", plan.branch)
        for name, x in plan.values.items():
            create(name, (n,), "f8", x)
        for name, m in plan.keep.items():
            dims = ("member", f"{name}_time") if m.shape() else ("member",)
            create(name, (n, *m.shape()), "f8", dims=dims)
            if m.shape():
                create(f"{name}_time", m.shape(), "f8", m.times(), (f"{name}_time",))
        create("outcome", (n,), "i8")
        create("completed", (n,), "i1")
        group.create_array(
            "done",
            shape=(plan.chunks,),
            dtype="i1",
            chunks=(1,),
            fill_value=0,
            dimension_names=("chunk",),
        )
        group.attrs.update(
            {"torseur_study": FORMAT, "plan": json.dumps(plan.facts), "digest": plan.digest}
        )

    def _read_plan(self, zarr: Any) -> Plan:
        """The plan of a store that may come from anybody."""
        check_file_types(self.path)
        attributes = read_metadata(self.path).get("attributes", {})
        if "plan" not in attributes:
            raise ArgumentError(f"{self.path} is a Zarr store, but no study of torseur")
        if attributes.get("torseur_study") != FORMAT:
            raise ArgumentError(
                f"{self.path} is a study of another format than {FORMAT}; open it with the "
                "torseur that wrote it"
            )
        facts = json.loads(str(attributes["plan"]))
        shape = check_array(self.path, "branch")
        if 8 * prod(shape) * (1 + len(facts["names"])) > MAX_VALUE_BYTES:
            raise ArgumentError(
                f"{self.path}: {len(facts['names'])} varied numbers of {shape[0]} members take "
                f"more than {MAX_VALUE_BYTES / 1e6:g} MB "
                "(torseur.studies.storage.MAX_VALUE_BYTES)"
            )
        for name in facts["names"]:
            check_array(self.path, name, shape)
        self.group = zarr.open_group(str(self.path), mode="r+")
        values = {n: np.asarray(self.group[n][:]) for n in facts["names"]}
        branch = np.asarray(self.group["branch"][:])
        if plan_digest(facts, branch, values) != attributes.get("digest"):
            raise ArgumentError(
                f"{self.path}: its plan or its varied numbers were changed after they were "
                "written; compute it again into another store"
            )
        plan = Plan.from_facts(facts, branch, values)
        self._check_columns(plan)
        return plan

    def _check_columns(self, plan: Plan) -> None:
        """Raise unless the store has every column of its plan."""
        n = plan.members
        counts = {len(plan.branches), len(plan.labels), len(plan.options)}
        names = {type(x) for c in plan.labels for x in c.values()} | {*map(type, plan.values)}
        if names - {str} or {*map(type, plan.options)} - {dict} or type(plan.chunk) is not int:
            raise TypeError
        if len(counts) > 1 or not ((plan.branch >= 0) & (plan.branch < min(counts))).all():
            raise ArgumentError(f"{self.path}: members of branches that its plan does not have")
        for name, m in plan.keep.items():
            check_array(self.path, name, (n, *m.shape()))
        for name, size in (("outcome", n), ("completed", n), ("done", plan.chunks)):
            check_array(self.path, name, (size,))

    def report_errors(self) -> AbstractContextManager[None]:
        """Context for computations: errors of a plan that was read name its store."""
        return report_damage(self.path) if self.opened else nullcontext()

    @property
    def outcome_texts(self) -> list[str]:
        """Outcomes so far.  The first one means that a run is not computed."""
        names = {0: "not computed"}
        folder = self.path / "outcomes"
        for first in sorted(os.listdir(folder)) if folder.is_dir() else ():
            name = f"outcomes/{first}"
            if not (folder / first / "zarr.json").is_file():
                continue
            if "whole" in read_metadata(self.path, name).get("attributes", {}):
                check_array(self.path, name)  # else its writer was killed
                new = json.loads(bytes(np.asarray(self.group[name][:])))
                names |= enumerate(map(str, new), int(first))
        return [names[i] for i in range(len(names))]

    def _index_outcomes(self, outcomes: np.ndarray) -> np.ndarray:
        """Indices of outcomes.  New texts are written."""
        indices = self._outcome_indices
        if indices is None:
            indices = {x: i for i, x in enumerate(self.outcome_texts)}
        new = [x for x in dict.fromkeys(outcomes) if x not in indices]
        if new:
            text = np.frombuffer(json.dumps(new).encode(), np.uint8)
            group = self.group.require_group("outcomes")
            name, size = str(len(indices)), text.shape
            array = group.create_array(name, shape=size, dtype="u1", chunks=size, overwrite=True)
            array[:] = text
            array.attrs["whole"] = 1
            indices |= {x: len(indices) + i for i, x in enumerate(new)}
        self._outcome_indices = indices
        return np.array([indices[x] for x in outcomes], dtype=np.int64)

    @defer_interrupts()
    def missing(self) -> list[int]:
        """Chunks that are not computed yet."""
        with report_damage(self.path):
            return np.flatnonzero(np.asarray(self.group["done"][:]) == 0).tolist()

    def put(self, chunk: int, columns: dict[str, np.ndarray]) -> None:
        """Write the columns of a chunk, then its mark."""
        rows = self.plan.rows(chunk)
        try:
            with defer_interrupts():
                for name, x in columns.items():
                    self.write(name, rows, self._index_outcomes(x) if name == "outcome" else x)
                self.group["done"][chunk] = 1
        except OSError as e:
            raise TorseurError(
                f"{self.path}: {e.strerror or e}; finished chunks are stored, continue with "
                f"ts.studies.open({str(self.path)!r}).resume()"
            ) from e

    def write(self, name: str, rows: range, x: np.ndarray) -> None:
        """Write numbers of some members."""
        self.group[name][rows.start : rows.stop] = x

    @defer_interrupts()
    def get(self, name: str) -> np.ndarray:
        """A column, NaN where members are missing."""
        with report_damage(self.path):
            x = np.asarray(self.group[name][:])
            if name == "outcome":
                return np.array(self.outcome_texts, dtype=object)[x]
            return x.astype(bool) if name == "completed" else x


def _import_zarr() -> Any:
    with needs("studies", "a store"):
        import zarr
    return zarr
