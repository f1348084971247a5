"""Values of a robot's design in files: numbers, names, poses, drives.

Every value is checked with the reader of model files, so units, names for numbers and complaints
(file, line, value, rule, remedy) are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, TorseurError, said, unknown_name
from ..model.formats import FileNode, PartReader, parse, read_text
from ..numbers import values
from .drives import Catalog, Gearbox, Motor


def nodes(x: Any) -> FileNode:
    """Plain data as a tree of nodes."""
    if isinstance(x, Mapping):
        return FileNode({str(k): nodes(v) for k, v in x.items()}, 0)
    if isinstance(x, list | tuple | np.ndarray):
        return FileNode([nodes(v) for v in x], 0)
    return FileNode(x.item() if isinstance(x, np.generic) else x, 0)


def in_file(reader: Sections) -> FileNode:
    """The tree of the reader's file."""
    tree, told = parse(
        read_text(reader.path), reader.path.name, json_text=reader.path.suffix.lower() == ".json"
    )
    reader.problems += told
    return tree


class Sections(PartReader):
    """Reads sections of a design; `places` says where each value stands, when nodes do not."""

    def __init__(self, path: Path, places: Mapping[str, str] | None = None, system: Any = None):
        super().__init__(path)
        self.places, self.system = places, system
        self.units = {} if system is None else {p.name: p.unit for p in system.ports}

    def complain(self, node: FileNode, path: str, text: str) -> None:
        if self.places is None:
            return super().complain(node, path, text)
        found, at = path, None
        while found and at is None:
            at = self.places.get(found)
            found = found[: max(found.rfind("."), found.rfind("["), 0)]
        plain = isinstance(node.value, dict | list)
        shown = "" if plain else f" = {str(node.value)[:60]}"
        self.problems.append(f"{f'{at}: ' if at else ''}{path}{shown}: {text}")
        return None

    def finish(self) -> None:
        """Raise what was found, all of it."""
        if self.problems:
            raise ModelError(self.problems)

    def number(self, n: FileNode, path: str, wanted: tuple[str | None, ...]) -> Any:
        """One number in SI; names of the model's parameters count with their values."""
        x = super().number(n, path, wanted)
        if x is None:
            return None
        known = {} if self.system is None else dict(self.system.parameters)
        try:
            return float(values.nominal(values.exact(x), known))
        except (TypeError, ValueError, LookupError, ArithmeticError, TorseurError) as e:
            return self.complain(n, path, f"has no value: {said(e)}")

    def one(self, n: FileNode, path: str, unit: str) -> float | None:
        """A number in one of these units, such as "rad | m"."""
        return self.number(n, path, tuple(unit.split(" | ")))

    def inside(self, node: FileNode, path: str, endings: tuple[str, ...]) -> None:
        """Tables beside a file are read with it; here is none."""
        return self.complain(node, path, "give the numbers here, or load the model from its file")

    def mapping(self, n: FileNode | None, path: str) -> dict[str, FileNode]:
        """The named values of a node; a complaint where it has none."""
        if n is None or n.value is None:
            return {}
        if isinstance(n.value, dict):
            return n.value
        self.wrong(n, path, "a mapping")
        return {}

    def known(self, n: FileNode, path: str, name: str, names, kind: str = "field") -> bool:
        """Whether a name is one of these; a complaint where it is not."""
        if name not in names:
            self.complain(n, path, unknown_name(kind, name, names, "").removeprefix(": "))
        return name in names

    def named(self, n: FileNode, path: str, names, kind: str) -> str | None:
        """A text that must be one of these names."""
        text = self.text(n, path)
        if text is not None and text not in names:
            return self.complain(n, path, unknown_name(kind, text, names, "").removeprefix(": "))
        return text

    def coordinates(self, n: FileNode, path: str) -> dict[str, float]:
        """{coordinate: number}."""
        out = {}
        for name, x in self.mapping(n, path).items():
            here = f"{path}.{name}"
            known = self.known(x, here, name, self.system.coordinates, "coordinate")
            if known and (value := self.one(x, here, self.units.get(name, "rad"))) is not None:
                out[name] = value
        return out

    def row(self, n: FileNode, path: str, unit: str) -> list[float]:
        """One number or several."""
        rows = n.value if isinstance(n.value, list) else [n]
        found = [self.one(x, path, unit) for x in rows]
        return [x for x in found if x is not None]

    def pose(self, n: FileNode, path: str) -> np.ndarray | None:
        """Three numbers, or {at: place, rpy: turns about fixed x, y, z}, as (3,) or (4, 4)."""
        if isinstance(n.value, list) and len(n.value) == 3:
            p = [self.one(e, f"{path}[{i}]", "m") for i, e in enumerate(n.value)]
            return None if None in p else np.array(p, float)
        if isinstance(n.value, dict) and set(n.value) == {"at", "rpy"}:
            from scipy.spatial.transform import Rotation

            at = self.pose(n.value["at"], f"{path}.at")
            turns = n.value["rpy"]
            if not isinstance(turns.value, list) or len(turns.value) != 3:
                return self.wrong(turns, f"{path}.rpy", "three numbers")
            rpy = [self.one(e, f"{path}.rpy[{i}]", "rad") for i, e in enumerate(turns.value)]
            if at is None or None in rpy:
                return None
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), at
            return T
        return self.complain(n, path, "expected [x, y, z], or {at: [x, y, z], rpy: [r, p, y]}")

    def catalog(self, n: FileNode, path: str) -> Catalog:
        """Motors and gearboxes; empty ones where something is wrong."""
        head = f"{path}." if path else ""
        fields, made = self.mapping(n, path or "the catalog"), {}
        for key, x in fields.items():
            self.known(x, f"{head}{key}", key, ("motors", "gearboxes", "note"))
        for kind, cls in (("motors", Motor), ("gearboxes", Gearbox)):
            rows = fields.get(kind, FileNode([], n.line))
            if not isinstance(rows.value, list):
                rows = FileNode([], self.wrong(rows, f"{head}{kind}", "a list") or n.line)
            made[kind] = [
                self.drive(x, f"{head}{kind}[{i}]", cls) for i, x in enumerate(rows.value)
            ]
        if not self.problems:
            try:
                return Catalog(tuple(made["motors"]), tuple(made["gearboxes"]))
            except TorseurError as e:
                for line in str(e).splitlines():
                    self.complain(n, path or "the catalog", line)
        return None  # type: ignore[return-value]  # `finish` raises

    def drive(self, n: FileNode, path: str, cls: type) -> Any:
        """A motor or a gearbox, of data or as it is."""
        if isinstance(n.value, cls):
            return n.value
        if not isinstance(n.value, dict):
            return self.wrong(n, path, "a mapping of fields")
        return self.build(n, path, cls)


__all__ = ["Sections", "in_file", "nodes"]
