"""Vehicles in YAML or JSON: data, read whole or refused with every problem and its line.

vehicle: k3
size: [4.5 m, 1.8 m, 1.5 m]
bodies:  {body: {mass: 1060 kg}, engine: {mass: 290 kg}}
members:
  - {name: rail, body: body, at: [0, 0.45 m, 0], law: {type: crush, points: ..., unloading: ...}}
points:  {floor: {body: body, at: [0, 0, 0]}}
parameters: {m_engine: 290 kg}            # names that masses, laws and speeds may use
laws:    {rail: {type: crush, ...}}       # for several members: law: rail
include: [{file: engine.yaml, prefix: a_, laws: {mount: {type: spring, stiffness: 1 MN/m}}}]

An included file may be mirrored (`mirror: true`), some of its bodies may be lumped (`lump:
{chassis: [body, engine]}`); bodies of the same name in two included files are one, of the first's
mass.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from ..errors import ModelError, placed, unknown_name_message
from ..files import place
from ..model import Body
from ..model.formats import FileNode, Reader, load, parse, read_text
from .lumped_import import vehicle_from_model
from .scene.members import Member, Wheel
from .scene.vehicle import Vehicle

TOP = ("vehicle", "schema_version", "description", "size", "main", "bodies", "members", "points",
       "wheels", "parameters", "laws", "include")  # fmt: skip
INCLUDE = ("file", "prefix", "laws", "mirror", "lump")


def is_vehicle(path: str | PathLike[str]) -> bool:
    """Whether a file describes a vehicle: whether it has members, or includes such a file."""
    path = place(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return False
    tree, _ = parse(read_text(path), path.name, json_text=path.suffix.lower() == ".json")
    return not isinstance(tree.value, dict) or bool({"members", "vehicle"} & set(tree.value))


def load_vehicle(path: str | PathLike[str]) -> Vehicle:
    """A vehicle from a YAML or JSON file; `ModelError` with every problem, its line and remedy.

    An ordinary model of bodies that slide along x will do: see `vehicle_of`.
    """
    path = place(path)
    if not path.is_file():
        raise ModelError([f"{path}: no such file; check the path"])
    if not is_vehicle(path):
        model = load(path)
        with placed(path.name):
            return vehicle_from_model(model)
    reader = _VehicleReader(path)
    fields = reader.fields()
    if reader.problems:
        raise ModelError(reader.problems)
    with placed(path.name):
        return Vehicle(**fields)


class _VehicleReader(Reader):
    """The reader of model files, for the sections of a vehicle."""

    def fields(self) -> dict[Any, Any]:
        text = read_text(self.path)
        tree, self.problems[:] = parse(
            text, self.path.name, json_text=self.path.suffix.lower() == ".json"
        )
        if not isinstance(tree.value, dict):
            self.wrong(tree, "the file", "a mapping with keys such as 'bodies' and 'members'")
            return {}
        top = tree.value
        for key, node in top.items():
            if key not in TOP:
                self.complain(
                    node, key[:60], unknown_name_message("section", key, TOP, "a vehicle file")
                )
        out: dict[Any, Any] = {"name": self.path.stem, "bodies": [], "members": [], "wheels": [],
                     "points": {}, "parameters": {}}  # fmt: skip
        for node, where in self._include_nodes(top.get("include"), "include"):
            self._include_vehicle(node, where, out)
        for section, cls, kind in (
            ("bodies", Body, "body"),
            ("members", Member, "member"),
            ("wheels", Wheel, "wheel"),
        ):
            for node, where, name in self._element_nodes(top.get(section), section):
                element = self.element(self._read_law(node, top), where, cls, name, kind)
                if element is not None:
                    out[section].append(element)
        for node, where, name in self._element_nodes(top.get("points"), "points"):
            self._read_point(node, where, name, out["points"])
        out["parameters"] |= self.parameters(top.get("parameters"))
        for key, field in (("vehicle", "name"), ("main", "main")):
            if key in top:
                out[field] = self.text(top[key], key)
        if "size" in top:
            out["size"] = self.numbers(top["size"], "size", (("m",) * 3,))
        return out

    def _read_law(self, node: FileNode, top) -> FileNode:
        """An element with the law of the section `laws` where it names one."""
        laws = top["laws"].value if "laws" in top else {}
        if not isinstance(node.value, dict) or not isinstance(laws, dict):
            return node
        nodes = dict(node.value)
        for key in ("law", "suspension"):
            if key in nodes and isinstance(told := nodes[key].value, str):
                if told in laws:
                    nodes[key] = laws[told]
                else:
                    self.complain(nodes[key], key, unknown_name_message("law", told, laws, "laws"))
                    del nodes[key]
        return FileNode(nodes, node.line)

    def _read_point(self, node, where, name, points) -> None:
        if name is None or not isinstance(node.value, dict) or "body" not in node.value:
            self.complain(node, where, "expected name: {body: ..., at: [x, y, z]}")
            return
        at = node.value.get("at")
        position = (0, 0, 0) if at is None else self.numbers(at, f"{where}.at", (("m",) * 3,))
        points[name] = (self.text(node.value["body"], f"{where}.body"), position)

    def _include_vehicle(self, node: FileNode, where: str, out: dict[Any, Any]) -> None:
        nodes = node.value if isinstance(node.value, dict) else {"file": node}
        for key, n in nodes.items():
            if key not in INCLUDE:
                self.complain(
                    n, f"{where}.{key}", unknown_name_message("option", key, INCLUDE, "include")
                )
        if "file" not in nodes:
            self.complain(node, where, "needs 'file'")
            return
        full = self.inside(nodes["file"], f"{where}.file", (".yaml", ".yml", ".json"))
        if full is None:
            return
        if full in self.include_chain:
            self.complain(node, where, "includes itself; remove the circle")
            return
        other = _VehicleReader(full, self.folder, self.include_chain)
        try:
            fields = other.fields()
        except ModelError as e:
            self.problems += e.problems
            return
        if other.problems:
            self.problems += other.problems
            return
        try:
            vehicle = Vehicle(**fields)
            vehicle = vehicle.with_laws(**self._laws(nodes.get("laws"), f"{where}.laws"))
            vehicle = self._apply_changes(vehicle, nodes, where)
        except ModelError as e:
            self.problems += [f"{full.name}: {p}" for p in e.problems]
            return
        if "prefix" in nodes:
            vehicle = vehicle.prefixed(self.text(nodes["prefix"], f"{where}.prefix") or "")
        bodies = {b.name for b in out["bodies"]}
        out["bodies"] += [b for b in vehicle.bodies if b.name not in bodies]
        for section in ("members", "wheels"):
            out[section] += getattr(vehicle, section)
        out["points"] |= vehicle.points
        for n, x in vehicle.parameters.items():
            if out["parameters"].setdefault(n, x) != x:
                self.complain(node, where, f"its parameter {n!r} is {x}, that of another file "
                              f"{out['parameters'][n]}; rename one")  # fmt: skip
        if vehicle.main != vehicle.heaviest:
            out.setdefault("main", vehicle.main)
        out.setdefault("size", vehicle.size)

    def _apply_changes(self, vehicle: Vehicle, changes, where) -> Vehicle:
        """An included vehicle lumped and mirrored as its line says."""
        lumps = changes["lump"].plain() if "lump" in changes else {}
        if not isinstance(lumps, dict) or not all(isinstance(x, list) for x in lumps.values()):
            self.complain(
                changes["lump"], f"{where}.lump", "expected names: {chassis: [body, engine]}"
            )
            return vehicle
        for name, bodies in lumps.items():
            vehicle = vehicle.lumped(bodies, name)
        if "mirror" not in changes:
            return vehicle
        mirror = changes["mirror"].value
        if not isinstance(mirror, bool):
            self.wrong(changes["mirror"], f"{where}.mirror", "true or false")
        return vehicle.mirrored() if mirror else vehicle

    def _laws(self, node, where) -> dict[Any, Any]:
        """Laws by member name, in place of those of the included file."""
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.wrong(node, where, "names of members with laws")
            return {}
        laws = {n: self.free(law, f"{where}.{n}") for n, law in node.value.items()}
        return {n: law for n, law in laws.items() if law is not None}


def save_vehicle(vehicle: Vehicle, path: str | PathLike[str]) -> None:
    """Write a vehicle to YAML or JSON, whole or not at all; `load_vehicle` takes it back."""
    import json

    from ..files import write
    from ..model.formats import serialize

    path = place(path)
    out: dict[Any, Any] = {
        "vehicle": vehicle.name,
        "size": list(vehicle.size),
        "main": vehicle.main,
    }
    if vehicle.parameters:
        parameters = vehicle.parameters.items()
        out["parameters"] = {n: x if isinstance(x, int | float) else str(x) for n, x in parameters}
    for section, kind in (("bodies", "body"), ("members", "member"), ("wheels", "wheel")):
        elements = getattr(vehicle, section)
        if elements:
            out[section] = [serialize.element(e, f"{kind} {e.name!r}") for e in elements]
    if vehicle.points:
        pairs = {n: (p, (0, 0, 0)) if isinstance(p, str) else p for n, p in vehicle.points.items()}
        out["points"] = {
            n: {"body": b, "at": [float(x) for x in at]} for n, (b, at) in pairs.items()
        }
    if path.suffix.lower() == ".json":
        write(path, json.dumps(out, indent=2, ensure_ascii=False) + "\n")
    else:
        write(path, serialize.yaml_text(out))
