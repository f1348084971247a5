"""Where columns of a study live: in memory, or in a Zarr store that xarray opens."""

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
from ..keyboard import undisturbed
from .plan import Plan, digest_of

# --------------------------------------------------------------------------------------------
# What the files of a store must be before Zarr reads them: its own, plain, and of their sizes.
#
# A store may come from anybody.  Zarr would follow links out of it, make room for any shape, and run
# any codec that is installed; a study writes arrays of one kind only, and no other is read.


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


FORMAT = 1


class Memory:
    """Columns as arrays of this process."""

    def __init__(self, plan: Plan):
        self.plan = plan
        n = plan.members
        self.columns: dict[str, np.ndarray] = {
            k: np.full((n, *m.shape()), np.nan) for k, m in plan.keep.items()
        }
        self.columns["outcome"] = np.full(n, "not computed", dtype=object)
        self.columns["completed"] = np.zeros(n, dtype=bool)
        self._done = np.zeros(plan.chunks, dtype=bool)

    def told(self) -> AbstractContextManager[None]:
        """Around what computes: problems say where the plan comes from."""
        return nullcontext()

    def missing(self) -> list[int]:
        """Chunks that are not there yet."""
        return np.flatnonzero(~self._done).tolist()

    def put(self, chunk: int, columns: dict[str, np.ndarray]) -> None:
        """Keep the columns of a chunk."""
        own = self.plan.rows(chunk)
        for name, x in columns.items():
            self.columns[name][own.start : own.stop] = x
        self._done[chunk] = True

    def get(self, name: str) -> np.ndarray:
        """A column, NaN where members are missing."""
        return self.columns[name]


class Zarr:
    """Columns in a folder: a chunk is written, then marked as done; a mark never precedes it.

    Outcomes are numbers into a list of sentences that only grows: a chunk that brings new ones
    writes them in the group `outcomes`, under the number of the first; what is whole says so.
    """

    def __init__(self, path, plan: Plan | None = None):
        zarr = _zarr()
        self.path = place(path)
        self._numbers: dict[str, int] | None = None  # of sentences, once one was written
        self.opened = False
        there = (self.path / "zarr.json").exists()
        if plan is None and not there:
            raise ArgumentError(f"{self.path}: no study is stored there")
        if there:
            with damaged(self.path):
                stored = self._stored(zarr)
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

    def _create(self, zarr, plan):
        """All arrays first, in a folder of another name that is then renamed."""
        if self.path.exists():
            raise ArgumentError(f"{self.path} exists and is no study; choose another name")
        with undisturbed(), whole_folder(self.path) as partial:
            self._fill(zarr.open_group(str(partial), mode="w"), plan)
            head(partial)  # not too large to be opened
        self.group = zarr.open_group(str(self.path), mode="r+")

    def _fill(self, group, plan):
        n, own = plan.members, plan.chunk

        def array(name, shape, kind, data=None, dims=("member",)):
            a = group.create_array(
                name,
                shape=shape,
                dtype=kind,
                chunks=(min(own, max(1, shape[0])), *shape[1:]),
                fill_value=np.nan if kind == "f8" else 0,
                dimension_names=dims,
            )
            if data is not None:
                a[:] = data

        array("branch", (n,), "i8", plan.branch)
        for name, x in plan.values.items():
            array(name, (n,), "f8", x)
        for name, m in plan.keep.items():
            dims = ("member", f"{name}_time") if m.shape() else ("member",)
            array(name, (n, *m.shape()), "f8", dims=dims)
            if m.shape():
                array(f"{name}_time", m.shape(), "f8", m.times(), (f"{name}_time",))
        array("outcome", (n,), "i8")
        array("completed", (n,), "i1")
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

    def _stored(self, zarr) -> Plan:
        """The plan of a store that may come from anybody."""
        plain(self.path)
        said = head(self.path).get("attributes", {})
        if "plan" not in said:
            raise ArgumentError(f"{self.path} is a Zarr store, but no study of torseur")
        if said.get("torseur_study") != FORMAT:
            raise ArgumentError(
                f"{self.path} is a study of another format than {FORMAT}; open it with the "
                "torseur that wrote it"
            )
        facts = json.loads(str(said["plan"]))
        n = array(self.path, "branch")
        if 8 * prod(n) * (1 + len(facts["names"])) > MOST_BYTES:
            raise ArgumentError(
                f"{self.path}: {len(facts['names'])} varied numbers of {n[0]} members take more "
                f"than {MOST_BYTES / 1e6:g} MB (torseur.studies.storage.MOST_BYTES)"
            )
        for name in facts["names"]:
            array(self.path, name, n)
        self.group = zarr.open_group(str(self.path), mode="r+")
        values = {n: np.asarray(self.group[n][:]) for n in facts["names"]}
        branch = np.asarray(self.group["branch"][:])
        if digest_of(facts, branch, values) != said.get("digest"):
            raise ArgumentError(
                f"{self.path}: its plan or its varied numbers were changed after they were "
                "written; compute it again into another store"
            )
        plan = Plan.of_facts(facts, branch, values)
        self._fits(plan)
        return plan

    def _fits(self, plan: Plan) -> None:
        """Every column of a plan is there, as it was made."""
        n = plan.members
        many = {len(plan.branches), len(plan.labels), len(plan.options)}
        texts = {type(x) for c in plan.labels for x in c.values()} | {*map(type, plan.values)}
        if texts - {str} or {*map(type, plan.options)} - {dict} or type(plan.chunk) is not int:
            raise TypeError
        if len(many) > 1 or not ((plan.branch >= 0) & (plan.branch < min(many))).all():
            raise ArgumentError(f"{self.path}: members of branches that its plan does not have")
        for name, m in plan.keep.items():
            array(self.path, name, (n, *m.shape()))
        for name, size in (("outcome", n), ("completed", n), ("done", plan.chunks)):
            array(self.path, name, (size,))

    def told(self) -> AbstractContextManager[None]:
        """Around what computes: problems of a plan that was read say where it comes from."""
        return damaged(self.path) if self.opened else nullcontext()

    @property
    def sentences(self) -> list[str]:
        """Outcomes so far; the first stands for what is not computed."""
        found = {0: "not computed"}
        room = self.path / "outcomes"
        for first in sorted(os.listdir(room)) if room.is_dir() else ():
            name = f"outcomes/{first}"
            there = (room / first / "zarr.json").is_file()
            if there and "whole" in head(self.path, name).get("attributes", {}):
                array(self.path, name)  # else its writer was killed
                texts = json.loads(bytes(np.asarray(self.group[name][:])))
                found |= enumerate(map(str, texts), int(first))
        return [found[i] for i in range(len(found))]

    def _say(self, outcomes: np.ndarray) -> np.ndarray:
        """Numbers of outcomes; new ones are written."""
        known = self._numbers
        if known is None:
            known = {x: i for i, x in enumerate(self.sentences)}
        new = [x for x in dict.fromkeys(outcomes) if x not in known]
        if new:
            text = np.frombuffer(json.dumps(new).encode(), np.uint8)
            room = self.group.require_group("outcomes")
            name, size = str(len(known)), text.shape
            a = room.create_array(name, shape=size, dtype="u1", chunks=size, overwrite=True)
            a[:] = text
            a.attrs["whole"] = 1
            known |= {x: len(known) + i for i, x in enumerate(new)}
        self._numbers = known
        return np.array([known[x] for x in outcomes], dtype=np.int64)

    @undisturbed()
    def missing(self) -> list[int]:
        """Chunks that are not there yet."""
        with damaged(self.path):
            return np.flatnonzero(np.asarray(self.group["done"][:]) == 0).tolist()

    def put(self, chunk: int, columns: dict[str, np.ndarray]) -> None:
        """Write the columns of a chunk, then its mark."""
        own = self.plan.rows(chunk)
        try:
            with undisturbed():
                for name, x in columns.items():
                    self.write(name, own, self._say(x) if name == "outcome" else x)
                self.group["done"][chunk] = 1
        except OSError as e:
            raise TorseurError(
                f"{self.path}: {e.strerror or e}; what is finished is kept, go on with "
                f"ts.studies.open({str(self.path)!r}).resume()"
            ) from e

    def write(self, name: str, own: range, x: np.ndarray) -> None:
        """Numbers of some members."""
        self.group[name][own.start : own.stop] = x

    @undisturbed()
    def get(self, name: str) -> np.ndarray:
        """A column, NaN where members are missing."""
        with damaged(self.path):
            x = np.asarray(self.group[name][:])
            if name == "outcome":
                said = np.array(self.sentences, dtype=object)
                return said[x]
            return x.astype(bool) if name == "completed" else x


def _zarr() -> Any:
    with needs("studies", "a store"):
        import zarr
    return zarr
