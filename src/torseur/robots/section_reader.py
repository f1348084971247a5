"""Reader of the sections of a robot's design: numbers, names, coordinates and poses.

It uses the reader of model files: units, names for numbers and error messages are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, TorseurError, said, unknown_name_message
from ..model.formats import FileNode, PartReader, parse, read_text
from ..scalars.values import value as values


def make_nodes(x: Any) -> FileNode:
    """Plain data as a tree of nodes."""
    if isinstance(x, Mapping):
        return FileNode({str(k): make_nodes(v) for k, v in x.items()}, 0)
    if isinstance(x, list | tuple | np.ndarray):
        return FileNode([make_nodes(v) for v in x], 0)
    return FileNode(x.item() if isinstance(x, np.generic) else x, 0)


def parse_file(reader: SectionReader) -> FileNode:
    """The tree of the reader's file."""
    tree, problems = parse(
        read_text(reader.path), reader.path.name, json_text=reader.path.suffix.lower() == ".json"
    )
    reader.problems += problems
    return tree


class SectionReader(PartReader):
    """Reader of design sections.  `locations` are file locations of values without line numbers."""

    def __init__(self, path: Path, locations: Mapping[str, str] | None = None, system: Any = None):
        super().__init__(path)
        self.locations, self.system = locations, system
        self.units = {} if system is None else {p.name: p.unit for p in system.ports}

    def complain(self, node: FileNode, path: str, text: str) -> None:
        """Record a problem with the location of the value or of the nearest parent."""
        if self.locations is None:
            return super().complain(node, path, text)
        parent_path, location = path, None
        while parent_path and location is None:
            location = self.locations.get(parent_path)
            parent_path = parent_path[: max(parent_path.rfind("."), parent_path.rfind("["), 0)]
        is_container = isinstance(node.value, dict | list)
        value_text = "" if is_container else f" = {str(node.value)[:60]}"
        self.problems.append(f"{f'{location}: ' if location else ''}{path}{value_text}: {text}")
        return None

    def finish(self) -> None:
        """Raise one error with all problems."""
        if self.problems:
            raise ModelError(self.problems)

    def number(self, n: FileNode, path: str, allowed_units: tuple[str | None, ...]) -> Any:
        """One number in SI units.  Parameters of the model count with their values."""
        x = super().number(n, path, allowed_units)
        if x is None:
            return None
        parameters = {} if self.system is None else dict(self.system.parameters)
        try:
            return float(values.nominal(values.exact(x), parameters))
        except (TypeError, ValueError, LookupError, ArithmeticError, TorseurError) as e:
            return self.complain(n, path, f"has no value: {said(e)}")

    def read_number(self, n: FileNode, path: str, unit: str) -> float | None:
        """A number in one of several units, such as "rad | m"."""
        return self.number(n, path, tuple(unit.split(" | ")))

    def inside(self, node: FileNode, path: str, endings: tuple[str, ...]) -> None:
        """Record a problem: a design in a program has no folder for table files."""
        return self.complain(node, path, "give the numbers here, or load the model from its file")

    def mapping(self, n: FileNode | None, path: str) -> dict[str, FileNode]:
        """The values of a node by name, or a problem if it has none."""
        if n is None or n.value is None:
            return {}
        if isinstance(n.value, dict):
            return n.value
        self.wrong(n, path, "a mapping")
        return {}

    def check_name(
        self, n: FileNode, path: str, name: str, names: Iterable[str], kind: str = "field"
    ) -> bool:
        """Whether a name is one of `names`, else a problem."""
        if name not in names:
            self.complain(n, path, unknown_name_message(kind, name, names, "").removeprefix(": "))
        return name in names

    def read_choice(self, n: FileNode, path: str, names: Iterable[str], kind: str) -> str | None:
        """A text that must be one of `names`."""
        text = self.text(n, path)
        if text is not None and text not in names:
            return self.complain(
                n, path, unknown_name_message(kind, text, names, "").removeprefix(": ")
            )
        return text

    def coordinates(self, n: FileNode, path: str) -> dict[str, float]:
        """{coordinate: number}."""
        out = {}
        for name, x in self.mapping(n, path).items():
            item_path = f"{path}.{name}"
            is_coordinate = self.check_name(
                x, item_path, name, self.system.coordinates, "coordinate"
            )
            if (
                is_coordinate
                and (value := self.read_number(x, item_path, self.units.get(name, "rad")))
                is not None
            ):
                out[name] = value
        return out

    def read_numbers(self, n: FileNode, path: str, unit: str) -> list[float]:
        """One number or several."""
        items = n.value if isinstance(n.value, list) else [n]
        numbers = [self.read_number(x, path, unit) for x in items]
        return [x for x in numbers if x is not None]

    def pose(self, n: FileNode, path: str) -> np.ndarray | None:
        """Three numbers, or {at: point, rpy: angles about fixed x, y, z}, as (3,) or (4, 4)."""
        if isinstance(n.value, list) and len(n.value) == 3:
            p = [self.read_number(e, f"{path}[{i}]", "m") for i, e in enumerate(n.value)]
            return None if None in p else np.array(p, float)
        if isinstance(n.value, dict) and set(n.value) == {"at", "rpy"}:
            from scipy.spatial.transform import Rotation

            at = self.pose(n.value["at"], f"{path}.at")
            rpy_node = n.value["rpy"]
            if not isinstance(rpy_node.value, list) or len(rpy_node.value) != 3:
                return self.wrong(rpy_node, f"{path}.rpy", "three numbers")
            rpy = [
                self.read_number(e, f"{path}.rpy[{i}]", "rad") for i, e in enumerate(rpy_node.value)
            ]
            if at is None or None in rpy:
                return None
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), at
            return T
        return self.complain(n, path, "expected [x, y, z], or {at: [x, y, z], rpy: [r, p, y]}")


__all__ = ["SectionReader", "make_nodes", "parse_file"]
