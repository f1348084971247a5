"""From the tree of a file to a `Model`: every value checked, every problem kept with its line."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from ...errors import ModelError, said, shown
from ..description import Model, Parameters
from ..dh_models import actuated
from ..parameter_units import misfits
from ..unit_strings import downwards, upwards
from . import schema
from .deserialize import PartReader, side_of, unknown
from .design_section import merged, read_design
from .document_tree import FileNode, parse, read_text
from .schema import (
    BODIES,
    DESIGN,
    SECTIONS,
    SETTINGS,
    SINGULAR,
    constraint_types,
    joint_types,
    specs,
)

MOST_INCLUDED = 64
ROBOTS = (".urdf", ".xml")
TOP = (
    "schema_version",
    "name",
    "description",
    "include",
    "gravity",
    "strict",
    "actuate",
    "parameters",
    "dh",
    *SECTIONS,
    *SETTINGS,
    *DESIGN,
)
LARGEST = 1e100  # of a number that has a use in mechanics


class Reader(PartReader):
    """Reads one file and what it includes."""

    def __init__(
        self,
        path: Path,
        folder: Path | None = None,
        seen: tuple[Path, ...] = (),
        read: list[Path] | None = None,
    ):
        super().__init__(path)
        self.read = [path] if read is None else read  # all files so far, each as often as it is
        self.seen = (*seen, path)
        self.folder = folder or path.parent  # nothing is read outside of it
        self.lost: set[tuple[str, str]] = set()  # parts that could not be read
        self.source: dict[str, str] = {}
        self.settings: dict[str, Any] = {}
        self.actuate = False  # whether joints get motors
        self.table = None  # of Denavit and Hartenberg, when it has one
        self.moving: list[Any] = []  # joints and rotors read so far

    # ---- the whole file ----------------------------------------------------------------------

    def tree(self) -> dict[str, FileNode]:
        """The top mapping of the file, with its keys checked."""
        text = read_text(self.path)
        tree, self.problems[:] = parse(
            text, self.path.name, json_text=self.path.suffix.lower() == ".json"
        )
        if not isinstance(tree.value, dict):
            self.wrong(tree, "the file", "a mapping with keys such as 'bodies' and 'joints'")
            return {}
        for key, node in tree.value.items():
            if key not in TOP:
                self.complain(node, key[:60], unknown("section", key, TOP))
        version = tree.value.get("schema_version")
        if version is not None and version.value != schema.VERSION:
            self.complain(
                version,
                "schema_version",
                f"this version of torseur reads {schema.VERSION}; see `torseur schema`",
            )
        return tree.value

    def sections(self) -> dict[str, Any]:
        """Fields of the model, included files first."""
        top = self.tree()
        fields: dict[str, Any] = {s: [] for s in SECTIONS} | {"parameters": {}, "design": {}}
        for node, path in self._items(top.get("include"), "include"):
            robot = isinstance(node.value, dict) or str(node.value).lower().endswith(ROBOTS)
            (self._include_robot if robot else self._include)(node, path, fields)
        if "name" in top:
            fields["name"] = self.text(top["name"], "name")
        if "gravity" in top:
            fields["gravity"] = self.gravity(top["gravity"])
        if "strict" in top:
            told = top["strict"]
            right = isinstance(told.value, bool)
            fields["strict"] = told.value if right else self.wrong(told, "strict", "true or false")
        if "actuate" in top:
            told = top["actuate"]
            right = isinstance(told.value, bool)
            self.actuate = bool(
                told.value if right else self.wrong(told, "actuate", "true or false")
            )
        fields["parameters"] |= self.parameters(top.get("parameters"))
        if "parameters" in top and isinstance(top["parameters"].value, dict):
            self.lost |= {
                ("parameters", n) for n in top["parameters"].value if n not in fields["parameters"]
            }
        if "dh" in top:
            from .dh_rows import read_dh

            rows = read_dh(self, top["dh"])
            for section in ("joints", "forces"):
                fields[section] += getattr(rows, section)
        for section, cls in SECTIONS.items():
            for node, path, name in self._named(top.get(section), section):
                element = self.element(node, path, cls, name, SINGULAR[section])
                if element is not None:
                    fields[section].append(element)
                    self.moving = [*fields["joints"], *fields["rotors"]]
                else:
                    self.lost.add((section, str(name)))
        fields["bodies"] += rows.bodies if "dh" in top else ()
        for key in SETTINGS:
            if key in top:
                self.settings[key] = top[key].plain()
        merged(fields["design"], read_design(self, top))
        return fields

    def model(self) -> Model:
        """The model, or `ModelError` with every problem of the file at once."""
        fields = self.sections()
        fields.setdefault("name", self.path.stem)
        if self.problems:
            raise ModelError([*self.problems, *self._others(fields)])
        made = Model(**fields, **self._run(), source=Parameters(self.source))
        told = misfits(made, {n: text for n, (text, _) in self.stated.items()})
        if wrong := [f"{self.stated[n][1]}: {why}" for n, why in told]:
            raise ModelError(wrong)
        return actuated(made) if self.actuate else made

    def _run(self) -> dict[str, Any]:
        """What the file says of a run: `initial` and `simulation`, as written."""
        found = {k: self.settings.get(k) for k in ("initial", "simulation")}
        wrong = [k for k, x in found.items() if x is not None and not isinstance(x, dict)]
        if wrong:
            rule = {"initial": "names with values", "simulation": "options such as t_end: 2"}
            raise ModelError(
                f"{self.path.name}: {k}: expected {rule[k]}, got {shown(found[k])}" for k in wrong
            )
        far = [
            f"{self.path.name}: {k}.{n} is {shown(x)}; numbers are finite and below {LARGEST:g}"
            for k, told in found.items()
            for n, given in (told or {}).items()
            for x in _leaves(given)
            if isinstance(x, int | float) and not abs(x) < LARGEST
        ]
        if far:
            raise ModelError(far)
        shows = self.settings.get("outputs")
        names = (
            shows if isinstance(shows, list) else []
        )  # others: `torseur check` says what is wrong
        return found | {"outputs": tuple(n for n in names if isinstance(n, str))}

    def _others(self, fields) -> list[str]:
        """What `check()` has against the parts that could be read, and only against those."""
        lost = {name for _, name in self.lost}
        if None in fields.values() or not fields["bodies"]:
            return []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Model(**fields, source=Parameters(self.source)).check()
        except ModelError as e:
            told = [p for p in e.problems if not any(repr(n) in p for n in lost)]
            if any(section in ("joints", "rotors") for section, _ in self.lost):
                told = [p for p in told if "is not attached by a joint" not in p]
            here = self.path.name
            told = [p.removesuffix(f" ({here})") for p in told]
            return [p if p.startswith(here) else f"{here}: {p}" for p in told]
        return []

    def _include(self, node, path, fields):
        inside = self.inside(node, path, (".yaml", ".yml", ".json"))
        if inside is None:
            return
        if inside in self.seen:
            return self.complain(node, path, "includes itself; remove the circle")
        if len(self.read) > MOST_INCLUDED:
            return self.complain(node, path, f"more than {MOST_INCLUDED} files are included")
        self.read.append(inside)
        other = Reader(inside, self.folder, self.seen, self.read)
        try:
            found = other.sections()
        except ModelError as e:
            self.problems += e.problems
            return None
        self.problems += other.problems
        self.source |= other.source
        self.settings |= other.settings
        self.stated |= other.stated
        self.table = self.table or other.table
        self.actuate = self.actuate or other.actuate
        for key, value in found.items():
            if isinstance(value, list):
                fields[key] += value
            elif key == "design":
                merged(fields[key], value)
            elif isinstance(value, dict):
                fields[key] |= value
            else:
                fields[key] = value
        return None

    def _include_robot(self, node, path, fields):
        """A URDF or MJCF file, to add forces, loops and frames to."""
        found = node.value if isinstance(node.value, dict) else {"file": node}
        for key, n in found.items():
            if key not in ("file", "base", "repair", "right_angles"):
                self.complain(
                    n,
                    f"{path}.{key}",
                    unknown("option", key, ("file", "base", "repair", "right_angles")),
                )
        if "file" not in found:
            return self.complain(node, path, "needs 'file'")
        full = self.inside(found["file"], f"{path}.file", ROBOTS)
        if full is None:
            return None
        from .load_save import load

        options = {k: n.value for k, n in found.items() if k != "file"}
        try:
            robot = load(full, **options)
        except ModelError as e:
            self.problems += e.problems
            return None
        except TypeError as e:
            return self.complain(node, path, said(e))
        self.source |= robot.source
        for section in SECTIONS:
            fields[section] += getattr(robot, section)
        return None

    def inside(self, node: FileNode, path: str, endings: tuple[str, ...]) -> Path | None:
        """A file named in this one: it must sit in the same folder or below."""
        if not isinstance(node.value, str):
            return self.wrong(node, path, "the name of a file")
        if len(node.value) > 1000 or "\x00" in node.value:
            return self.complain(node, path, "is no name of a file")
        try:
            full = (self.path.parent / node.value).resolve()
        except (OSError, RuntimeError):  # a link to itself
            return self.complain(node, path, "no such file; paths are relative to this file")
        if not full.is_relative_to(self.folder.resolve()):
            return self.complain(
                node,
                path,
                "leaves the folder of the model; put the file next to it and give a relative path",
            )
        if full.suffix.lower() not in endings:
            return self.complain(node, path, f"expected a file that ends in {' or '.join(endings)}")
        if not full.is_file():
            return self.complain(node, path, "no such file; paths are relative to this file")
        return full

    # ---- elements ----------------------------------------------------------------------------

    def _items(self, node, path):
        """Files to include: a list, or one of them alone."""
        if node is None or node.value is None:
            return
        if isinstance(node.value, str | dict):
            yield node, path
        elif isinstance(node.value, list):
            yield from ((n, f"{path}[{i}]") for i, n in enumerate(node.value))
        else:
            self.wrong(node, path, "a list")

    def _named(self, node, section):
        """Elements of a section: a list of mappings, or a mapping from names to mappings."""
        if node is None or node.value is None:
            return
        if isinstance(node.value, dict):
            for name, n in node.value.items():
                if n.value is None:
                    n = FileNode({}, n.line)
                if section == "inputs" and isinstance(n.value, str):
                    n = FileNode({"unit": n}, n.line)
                yield n, f"{section}.{name}", name
        elif isinstance(node.value, list):
            for i, n in enumerate(node.value):
                if section == "inputs" and isinstance(n.value, str):
                    n = FileNode({"name": n}, n.line)
                yield n, f"{section}[{i}]", None
        else:
            self.wrong(node, section, "a list, or a mapping from names")

    def element(self, node: FileNode, path: str, cls, name=None, kind="element"):
        """An element of a section; the key of a mapping gives its name."""
        if not isinstance(node.value, dict):
            return self.wrong(node, path, f"a mapping that describes the {kind}")
        found = dict(node.value)
        if name is not None:
            if "name" in found and found["name"].value != name:
                self.complain(found["name"], f"{path}.name", f"the key already names it {name!r}")
            found["name"] = FileNode(name, node.line)
        if "name" not in found and kind != "element":
            return self.complain(node, path, f"a {kind} needs a 'name'")
        if kind != "element":
            label = found["name"].text or found["name"].value
            self.source[f"{kind} {label!r}"] = f"{self.path.name}, line {node.line}"
        node = FileNode(found, node.line)
        if kind == "force":
            from .force_nodes import read_force

            return read_force(self, node, path)
        if kind == "constraint":
            cls = self.chosen(node, path, constraint_types())
            if cls is None:
                return None
            at = node.value[cls.sided].value if cls.sided in node.value else None
            return self.build(node, path, cls, side=side_of(cls, None, at, self.moving))
        if kind == "body" and "type" in node.value:
            cls = self.chosen(node, path, BODIES)
            return None if cls is None else self.build(node, path, cls)
        if "kind" in specs(cls) and kind in ("joint", "loop"):
            return self.joint(node, path, cls)
        return self.build(node, path, cls)

    def joint(self, node, path, cls):
        """A joint: its own fields and those of its type, side by side."""
        kind = self.chosen(node, path, joint_types())
        if kind is None:
            return None
        own = {k: n for k, n in node.value.items() if k in specs(kind)}
        rest = {k: n for k, n in node.value.items() if k not in own and k != "type"}
        motion: Any = self.build(FileNode(own, node.line), path, kind)
        if motion is None:
            return None
        measured = {unit for _, unit in motion.coordinates}
        side = 0 if measured == {"rad"} else 1 if measured == {"m"} else None
        known = [n for n in specs(cls) if n != "kind"]
        return self.build(
            FileNode(rest, node.line),
            path,
            cls,
            extra={"kind": motion},
            side=side,
            known=[*known, "type", *specs(kind)],
        )

    def gravity(self, n: FileNode):
        """Three numbers, or one: downwards along z."""
        if isinstance(n.value, list):
            return self.quantities(n, "gravity", specs(Model)["gravity"], None)
        x = self.number(n, "gravity", ("m/s^2",))
        if x is not None and (told := upwards(x)):
            return self.complain(n, "gravity", told)
        return None if x is None else downwards(x)


def _leaves(x):
    """Plain values of nested lists and mappings."""
    if isinstance(x, dict | list | tuple):
        for y in x.values() if isinstance(x, dict) else x:
            yield from _leaves(y)
    else:
        yield x
