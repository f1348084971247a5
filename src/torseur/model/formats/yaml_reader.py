"""Reader of YAML and JSON model files: checks every value and reports all problems by line."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from ...errors import ModelError, said, shown
from ..description import Model, Parameters
from ..dh_models import actuated
from ..element_types import constraint_types, joint_types
from ..field_specs import find_unit_index, specs
from ..parameter_units import misfits
from ..unit_strings import as_gravity_vector, check_gravity_sign
from . import schema
from .deserialize import PartReader, describe_unknown_name
from .design_section import merge_sections, read_design
from .document_tree import FileNode, parse, read_text
from .schema import BODY_TYPES, DESIGN_SECTIONS, ELEMENT_LABELS, RUN_SECTIONS, SECTIONS

MAX_INCLUDED_FILES = 64
ROBOT_SUFFIXES = (".urdf", ".xml")
TOP_KEYS = (
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
    *RUN_SECTIONS,
    *DESIGN_SECTIONS,
)
MAX_NUMBER = 1e100  # of a number that has a use in mechanics


class Reader(PartReader):
    """Reads one file and the files that it includes."""

    def __init__(
        self,
        path: Path,
        folder: Path | None = None,
        include_chain: tuple[Path, ...] = (),
        read_files: list[Path] | None = None,
    ):
        super().__init__(path)
        # all files so far, each as often as it is
        self.read_files = [path] if read_files is None else read_files
        self.include_chain = (*include_chain, path)
        self.folder = folder or path.parent  # nothing is read outside of it
        self.failed_parts: set[tuple[str, str]] = set()  # parts that could not be read
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
            if key not in TOP_KEYS:
                self.complain(node, key[:60], describe_unknown_name("section", key, TOP_KEYS))
        version = tree.value.get("schema_version")
        if version is not None and version.value != schema.SCHEMA_VERSION:
            self.complain(
                version,
                "schema_version",
                f"this version of torseur reads {schema.SCHEMA_VERSION}; see `torseur schema`",
            )
        return tree.value

    def read_sections(self) -> dict[str, Any]:
        """Fields of the model, included files first."""
        top = self.tree()
        fields: dict[str, Any] = {s: [] for s in SECTIONS} | {"parameters": {}, "design": {}}
        for node, path in self._include_nodes(top.get("include"), "include"):
            robot = isinstance(node.value, dict) or str(node.value).lower().endswith(ROBOT_SUFFIXES)
            (self._include_robot if robot else self._include)(node, path, fields)
        if "name" in top:
            fields["name"] = self.text(top["name"], "name")
        if "gravity" in top:
            fields["gravity"] = self.gravity(top["gravity"])
        if "strict" in top:
            flag_node = top["strict"]
            is_bool = isinstance(flag_node.value, bool)
            fields["strict"] = (
                flag_node.value if is_bool else self.wrong(flag_node, "strict", "true or false")
            )
        if "actuate" in top:
            flag_node = top["actuate"]
            is_bool = isinstance(flag_node.value, bool)
            self.actuate = bool(
                flag_node.value if is_bool else self.wrong(flag_node, "actuate", "true or false")
            )
        fields["parameters"] |= self.parameters(top.get("parameters"))
        if "parameters" in top and isinstance(top["parameters"].value, dict):
            self.failed_parts |= {
                ("parameters", n) for n in top["parameters"].value if n not in fields["parameters"]
            }
        if "dh" in top:
            from .dh_rows import read_dh_section

            rows = read_dh_section(self, top["dh"])
            for section in ("joints", "forces"):
                fields[section] += getattr(rows, section)
        for section, cls in SECTIONS.items():
            for node, path, name in self._element_nodes(top.get(section), section):
                element = self.element(node, path, cls, name, ELEMENT_LABELS[section])
                if element is not None:
                    fields[section].append(element)
                    self.moving = [*fields["joints"], *fields["rotors"]]
                else:
                    self.failed_parts.add((section, str(name)))
        fields["bodies"] += rows.bodies if "dh" in top else ()
        for key in RUN_SECTIONS:
            if key in top:
                self.settings[key] = top[key].plain()
        merge_sections(fields["design"], read_design(self, top))
        return fields

    def model(self) -> Model:
        """The model, or `ModelError` with every problem of the file at once."""
        fields = self.read_sections()
        fields.setdefault("name", self.path.stem)
        if self.problems:
            raise ModelError([*self.problems, *self._check_read_parts(fields)])
        model = Model(**fields, **self._run_fields(), source=Parameters(self.source))
        mismatches = misfits(model, {n: text for n, (text, _) in self.parameter_texts.items()})
        if problems := [f"{self.parameter_texts[n][1]}: {why}" for n, why in mismatches]:
            raise ModelError(problems)
        return actuated(model) if self.actuate else model

    def _run_fields(self) -> dict[str, Any]:
        """Fields `initial`, `simulation` and `outputs` of the model."""
        sections = {k: self.settings.get(k) for k in ("initial", "simulation")}
        wrong_types = [k for k, x in sections.items() if x is not None and not isinstance(x, dict)]
        if wrong_types:
            rule = {"initial": "names with values", "simulation": "options such as t_end: 2"}
            raise ModelError(
                f"{self.path.name}: {k}: expected {rule[k]}, got {shown(sections[k])}"
                for k in wrong_types
            )
        out_of_range = [
            f"{self.path.name}: {k}.{n} is {shown(x)}; numbers are finite and below {MAX_NUMBER:g}"
            for k, values in sections.items()
            for n, value in (values or {}).items()
            for x in _iter_leaves(value)
            if isinstance(x, int | float) and not abs(x) < MAX_NUMBER
        ]
        if out_of_range:
            raise ModelError(out_of_range)
        outputs = self.settings.get("outputs")
        names = (
            outputs if isinstance(outputs, list) else []
        )  # others: `torseur check` says what is wrong
        return sections | {"outputs": tuple(n for n in names if isinstance(n, str))}

    def _check_read_parts(self, fields) -> list[str]:
        """Problems that `check()` finds in the parts that could be read."""
        failed_names = {name for _, name in self.failed_parts}
        if None in fields.values() or not fields["bodies"]:
            return []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Model(**fields, source=Parameters(self.source)).check()
        except ModelError as e:
            problems = [p for p in e.problems if not any(repr(n) in p for n in failed_names)]
            if any(section in ("joints", "rotors") for section, _ in self.failed_parts):
                problems = [p for p in problems if "is not attached by a joint" not in p]
            file_name = self.path.name
            problems = [p.removesuffix(f" ({file_name})") for p in problems]
            return [p if p.startswith(file_name) else f"{file_name}: {p}" for p in problems]
        return []

    def _include(self, node, path, fields):
        """Add the sections of an included model file to `fields`."""
        included_file = self.inside(node, path, (".yaml", ".yml", ".json"))
        if included_file is None:
            return
        if included_file in self.include_chain:
            return self.complain(node, path, "includes itself; remove the circle")
        if len(self.read_files) > MAX_INCLUDED_FILES:
            return self.complain(node, path, f"more than {MAX_INCLUDED_FILES} files are included")
        self.read_files.append(included_file)
        other = Reader(included_file, self.folder, self.include_chain, self.read_files)
        try:
            included_fields = other.read_sections()
        except ModelError as e:
            self.problems += e.problems
            return None
        self.problems += other.problems
        self.source |= other.source
        self.settings |= other.settings
        self.parameter_texts |= other.parameter_texts
        self.table = self.table or other.table
        self.actuate = self.actuate or other.actuate
        for key, value in included_fields.items():
            if isinstance(value, list):
                fields[key] += value
            elif key == "design":
                merge_sections(fields[key], value)
            elif isinstance(value, dict):
                fields[key] |= value
            else:
                fields[key] = value
        return None

    def _include_robot(self, node, path, fields):
        """Add the elements of an included URDF or MJCF file to `fields`."""
        nodes = node.value if isinstance(node.value, dict) else {"file": node}
        for key, n in nodes.items():
            if key not in ("file", "base", "repair", "right_angles"):
                self.complain(
                    n,
                    f"{path}.{key}",
                    describe_unknown_name(
                        "option", key, ("file", "base", "repair", "right_angles")
                    ),
                )
        if "file" not in nodes:
            return self.complain(node, path, "needs 'file'")
        full = self.inside(nodes["file"], f"{path}.file", ROBOT_SUFFIXES)
        if full is None:
            return None
        from .robot_files import load_robot

        options = {k: n.value for k, n in nodes.items() if k != "file"}
        try:
            robot = load_robot(full, options)
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
        """Path of a file named in the model; it must lie in the folder of the model or below."""
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

    def _include_nodes(self, node, path):
        """Nodes of files to include: one, or a list."""
        if node is None or node.value is None:
            return
        if isinstance(node.value, str | dict):
            yield node, path
        elif isinstance(node.value, list):
            yield from ((n, f"{path}[{i}]") for i, n in enumerate(node.value))
        else:
            self.wrong(node, path, "a list")

    def _element_nodes(self, node, section):
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
        """An element of a section.  The key of a mapping is its name."""
        if not isinstance(node.value, dict):
            return self.wrong(node, path, f"a mapping that describes the {kind}")
        fields = dict(node.value)
        if name is not None:
            if "name" in fields and fields["name"].value != name:
                self.complain(fields["name"], f"{path}.name", f"the key already names it {name!r}")
            fields["name"] = FileNode(name, node.line)
        if "name" not in fields and kind != "element":
            return self.complain(node, path, f"a {kind} needs a 'name'")
        if kind != "element":
            label = fields["name"].text or fields["name"].value
            self.source[f"{kind} {label!r}"] = f"{self.path.name}, line {node.line}"
        node = FileNode(fields, node.line)
        if kind == "force":
            from .force_nodes import read_force

            return read_force(self, node, path)
        if kind == "constraint":
            cls = self.chosen(node, path, constraint_types())
            if cls is None:
                return None
            at = node.value[cls.sided].value if cls.sided in node.value else None
            return self.build(
                node, path, cls, unit_index=find_unit_index(cls, None, at, self.moving)
            )
        if kind == "body" and "type" in node.value:
            cls = self.chosen(node, path, BODY_TYPES)
            return None if cls is None else self.build(node, path, cls)
        if "kind" in specs(cls) and kind in ("joint", "loop"):
            return self.joint(node, path, cls)
        return self.build(node, path, cls)

    def joint(self, node, path, cls):
        """A joint with its own fields and those of its type."""
        kind = self.chosen(node, path, joint_types())
        if kind is None:
            return None
        kind_nodes = {k: n for k, n in node.value.items() if k in specs(kind)}
        rest = {k: n for k, n in node.value.items() if k not in kind_nodes and k != "type"}
        motion: Any = self.build(FileNode(kind_nodes, node.line), path, kind)
        if motion is None:
            return None
        motion_units = {unit for _, unit in motion.coordinates}
        unit_index = 0 if motion_units == {"rad"} else 1 if motion_units == {"m"} else None
        field_names = [n for n in specs(cls) if n != "kind"]
        return self.build(
            FileNode(rest, node.line),
            path,
            cls,
            extra={"kind": motion},
            unit_index=unit_index,
            field_names=[*field_names, "type", *specs(kind)],
        )

    def gravity(self, n: FileNode):
        """Gravity as three numbers, or as one number down along z."""
        if isinstance(n.value, list):
            return self.quantities(n, "gravity", specs(Model)["gravity"], None)
        x = self.number(n, "gravity", ("m/s^2",))
        if x is not None and (problem := check_gravity_sign(x)):
            return self.complain(n, "gravity", problem)
        return None if x is None else as_gravity_vector(x)


def _iter_leaves(x):
    """Plain values of nested lists and mappings."""
    if isinstance(x, dict | list | tuple):
        for y in x.values() if isinstance(x, dict) else x:
            yield from _iter_leaves(y)
    else:
        yield x
