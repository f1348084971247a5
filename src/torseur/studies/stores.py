"""Where columns of a study live: in memory, or in a Zarr store that xarray opens."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, needs
from ..files import place, whole_folder
from ..keyboard import undisturbed
from . import store_files
from .plans import Plan, digest_of

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
            with store_files.damaged(self.path):
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
            store_files.head(partial)  # not too large to be opened
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
        store_files.plain(self.path)
        said = store_files.head(self.path).get("attributes", {})
        if "plan" not in said:
            raise ArgumentError(f"{self.path} is a Zarr store, but no study of torseur")
        if said.get("torseur_study") != FORMAT:
            raise ArgumentError(
                f"{self.path} is a study of another format than {FORMAT}; open it with the "
                "torseur that wrote it"
            )
        facts = json.loads(str(said["plan"]))
        n = store_files.array(self.path, "branch")
        if 8 * prod(n) * (1 + len(facts["names"])) > store_files.MOST_BYTES:
            raise ArgumentError(
                f"{self.path}: {len(facts['names'])} varied numbers of {n[0]} members take more "
                f"than {store_files.MOST_BYTES / 1e6:g} MB (torseur.studies.store_files.MOST_BYTES)"
            )
        for name in facts["names"]:
            store_files.array(self.path, name, n)
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
            store_files.array(self.path, name, (n, *m.shape()))
        for name, size in (("outcome", n), ("completed", n), ("done", plan.chunks)):
            store_files.array(self.path, name, (size,))

    def told(self) -> AbstractContextManager[None]:
        """Around what computes: problems of a plan that was read say where it comes from."""
        return store_files.damaged(self.path) if self.opened else nullcontext()

    @property
    def sentences(self) -> list[str]:
        """Outcomes so far; the first stands for what is not computed."""
        found = {0: "not computed"}
        room = self.path / "outcomes"
        for first in sorted(os.listdir(room)) if room.is_dir() else ():
            name = f"outcomes/{first}"
            there = (room / first / "zarr.json").is_file()
            if there and "whole" in store_files.head(self.path, name).get("attributes", {}):
                store_files.array(self.path, name)  # else its writer was killed
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
        with store_files.damaged(self.path):
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
        with store_files.damaged(self.path):
            x = np.asarray(self.group[name][:])
            if name == "outcome":
                said = np.array(self.sentences, dtype=object)
                return said[x]
            return x.astype(bool) if name == "completed" else x


def _zarr() -> Any:
    with needs("studies", "a store"):
        import zarr
    return zarr
