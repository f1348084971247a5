"""Deserialization: nodes of a document tree to values and elements, with errors by line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from ...errors import said, unknown_name_message
from ...scalars import exact, units
from ...scalars.values import value as values
from ..element_types import nested_types
from ..field_specs import FieldSpec, nested_units, specs, split_unit_options
from .document_tree import FileNode, add_problem


class PartReader:
    """Reads values and elements of one file; `problems` collects the errors."""

    def __init__(self, path: Path):
        self.path = path
        self.problems: list[str] = []
        self.side: int | None = None  # of the law being read: on an angle 0, on a length 1
        # parameters with units, and where they are
        self.parameter_texts: dict[str, tuple[str, str]] = {}

    # ---- complaints --------------------------------------------------------------------------

    def complain(self, node: FileNode, path: str, text: str) -> None:
        """Add a problem: file, line, path, value, rule and remedy."""
        value_text = "" if isinstance(node.value, dict | list) else f" = {_value_text(node)}"
        add_problem(
            self.problems, f"{self.path.name}, line {node.line}: {path}{value_text}: {text}"
        )

    def wrong(self, node: FileNode, path: str, expected: str) -> None:
        """Add a problem about the type of a value."""
        kind = {
            dict: "a mapping",
            list: "a list",
            str: "a text",
            bool: "true or false",
            type(None): "nothing",
        }.get(type(node.value), "a number")
        self.complain(node, path, f"expected {expected}, got {kind}")

    # ---- elements --------------------------------------------------------------------------

    def chosen(self, node, path, types: dict[str, type]):
        """The class that `type` names."""
        if "type" not in node.value:
            return self.complain(node, path, f"needs a 'type': one of {', '.join(sorted(types))}")
        name = node.value["type"]
        text = self.text(name, f"{path}.type")
        if text is None:
            return None
        if text not in types:
            return self.complain(name, f"{path}.type", describe_unknown_name("type", text, types))
        return types[text]

    def build(self, node, path, cls, *, extra=None, unit_index=None, field_names=None):
        """An instance of a class from a mapping of its fields."""
        problem_count, fields, positional = len(self.problems), dict(extra or {}), ()
        specs_by_name = specs(cls)
        if unit_index is None and self.side is not None:  # of a force; its law may hold others
            from ...forces import Law

            unit_index = self.side if issubclass(cls, Law) else None
        for key, n in node.value.items():
            if key == "type":
                continue
            spec = specs_by_name.get(key)
            if spec is None or key in (extra or {}):
                self.complain(
                    n,
                    f"{path}.{key}",
                    describe_unknown_name("field", key, field_names or [*specs_by_name]),
                )
                continue
            value = self.field(n, f"{path}.{key}", spec, unit_index)
            if spec.is_variadic:
                positional = value if isinstance(value, tuple) else (value,)
            else:
                fields[spec.parameter] = value
        for spec in specs_by_name.values():
            if spec.required and spec.parameter not in fields and spec.name not in node.value:
                self.complain(
                    node, path, f"needs '{spec.name}'" + (f" [{spec.unit}]" if spec.unit else "")
                )
        if len(self.problems) > problem_count:
            return None
        try:
            return cls(*positional, **fields)
        except Exception as e:  # a part that cannot be made of these values, whatever it fell over
            return self.complain(node, path, said(e))

    # ---- values ------------------------------------------------------------------------------

    def field(self, n: FileNode, path: str, spec: FieldSpec, unit_index: int | None = None):
        """The value of one field."""
        if n.value is None and (spec.default is None or spec.unit is None):
            return None
        if spec.unit is not None:
            return self.quantities(n, path, spec, unit_index)
        if spec.annotation in ("str", "str | None"):
            return self.text(n, path)
        if spec.annotation in ("int", "bool", "int | None"):
            expected_type = bool if spec.annotation == "bool" else int
            if type(n.value) is not expected_type:
                return self.wrong(
                    n, path, "true or false" if expected_type is bool else "a whole number"
                )
            return n.value
        if spec.annotation == "str | tuple" and not isinstance(n.value, str | list):
            return self.wrong(n, path, "a text or three numbers")
        if spec.name == "drive" and isinstance(n.value, dict):
            n = FileNode({"type": FileNode("drive", n.line)} | n.value, n.line)
        value = self.free(n, path, nested_units(spec, unit_index))
        return tuple(value) if isinstance(value, list) else value

    def text(self, n: FileNode, path: str) -> str | None:
        if isinstance(n.value, str):
            return n.value
        if n.text:
            return n.text  # a name that looks like a number
        return self.wrong(n, path, "a text")

    def quantities(self, n: FileNode, path: str, spec: FieldSpec, unit_index: int | None):
        """Numbers with a unit, in one of the shapes a field takes."""
        if isinstance(n.value, str) and n.value in spec.keywords:
            return n.value
        is_table = spec.table is not None and isinstance(n.value, dict | list)
        unit = spec.table if is_table else spec.unit
        unit_options = split_unit_options(unit or "", unit_index)
        if spec.name == "inertia" and (3, 3) in spec.shapes and _shape(n) == (3,):
            x: Any = self.numbers(n, path, unit_options)
            return None if x is None else (*x, 0, 0, 0)  # principal inertias
        if isinstance(n.value, dict) and "type" in n.value:  # a law in place of a number
            return self.free(n, path)
        if isinstance(n.value, dict):
            from .force_nodes import read_columns

            return read_columns(self, n, path, unit_options)
        rows = is_table and _shape(n)[1:] == (len(unit_options[0]),)  # a table's
        if spec.shapes and not rows and not _shape_fits(_shape(n), spec.shapes):
            shapes = " or ".join(_shape_text(s) for s in spec.shapes)
            return self.complain(n, path, f"expected {shapes}, got {_shape_text(_shape(n))}")
        return self.numbers(n, path, unit_options, spec.open)

    def numbers(self, n, path, options: tuple[tuple[str | None, ...], ...], open_=False):
        """A number or nested tuples of numbers.

        Each option lists the units of the last axis.  `open_`: null means no number.
        """
        if isinstance(n.value, list):
            rows = any(isinstance(e.value, list) for e in n.value)
            out = []
            for i, e in enumerate(n.value):
                entry_options = options if rows else tuple((o[i % len(o)],) for o in options)
                out.append(self.numbers(e, f"{path}[{i}]", entry_options, open_))
            return tuple(out)
        if open_ and n.value is None:
            return None
        return self.number(n, path, tuple(o[0] for o in options))

    def column(self, n: FileNode, path: str, unit: str):
        """A list of numbers."""
        if not isinstance(n.value, list) or any(isinstance(e.value, list) for e in n.value):
            return self.wrong(n, path, f"a list of numbers{f' [{unit}]' * bool(unit)}")
        return self.numbers(n, path, ((unit,),))

    def number(self, n: FileNode, path: str, allowed_units: tuple[str | None, ...]):
        """One number in SI; a text may be an expression or a quantity with a unit."""
        x = n.value
        if isinstance(x, bool) or not isinstance(x, int | float | str):
            return self.wrong(
                n, path, f"a number{f' [{allowed_units[0]}]' * bool(allowed_units[0])}"
            )
        if not isinstance(x, str):
            if abs(x) > values.LARGEST:
                return self.complain(n, path, "is out of the range of numbers, up to 1e100")
            return x
        if x.lower() in (".nan", ".inf", "+.inf", "-.inf"):
            return self.complain(n, path, "expected a finite number")
        first = None
        for unit in allowed_units:
            try:
                return _prefer_decimal(units.quantity(x, unit))
            except (ValueError, TypeError, ArithmeticError, RecursionError) as e:
                first = first or e
        return self.complain(n, path, said(first or ValueError()))

    def parameters(self, n: FileNode | None) -> dict[str, Any]:
        """Names with numbers, texts with units, expressions of other names, or nothing."""
        if n is None or n.value is None:
            return {}
        if isinstance(n.value, list):
            names = (self.text(e, f"parameters[{i}]") for i, e in enumerate(n.value))
            return {name: None for name in names if name is not None}
        if not isinstance(n.value, dict):
            return self.wrong(n, "parameters", "a mapping from names to numbers") or {}
        out = {}
        for name, e in n.value.items():
            if not name.isidentifier() or name in ("pi", "nan", "inf"):
                self.complain(
                    e,
                    f"parameters.{name}",
                    "a parameter's name is made of letters, digits and _, and is not pi",
                )
            out[name] = None if e.value is None else self.number(e, f"parameters.{name}", (None,))
            where = f"{self.path.name}, line {e.line}: parameters.{name}"
            has_unit = isinstance(e.value, str) and units.has_unit(e.value)
            self.parameter_texts[name] = (str(e.value) if has_unit else "", where)
        return out

    def free(self, n: FileNode, path: str, allowed_units: tuple = (None,)):
        """A value among names: typed mappings become elements, "3 mm" a number of a unit wanted."""
        if isinstance(n.value, dict):
            if "type" in n.value:
                cls = self.chosen(n, path, nested_types())
                return None if cls is None else self.build(n, path, cls)
            return {k: self.free(e, f"{path}.{k}", allowed_units) for k, e in n.value.items()}
        if isinstance(n.value, list):
            return tuple(
                self.free(
                    e,
                    f"{path}[{i}]",
                    tuple(units.column(u, i, isinstance(e.value, list)) for u in allowed_units),
                )
                for i, e in enumerate(n.value)
            )
        if isinstance(n.value, str) and n.value[:1] in "+-.0123456789" and (n.value != ""):
            return self.number(n, path, allowed_units) if units.known(n.value) else n.value
        if isinstance(n.value, int | float) and not isinstance(n.value, bool):
            return self.number(n, path, allowed_units)
        return n.value


def _prefer_decimal(x):
    """A fraction as a float if the float is exact."""
    return float(x) if isinstance(x, Fraction) and exact(float(x)) == x else x


def _shape(n: FileNode) -> tuple[int, ...]:
    if not isinstance(n.value, list):
        return ()
    inner = {_shape(e) for e in n.value}
    return (len(n.value), *(inner.pop() if len(inner) == 1 else (-2,) if inner else ()))


def _shape_fits(shape, shapes) -> bool:
    return any(
        len(s) == len(shape) and all(a in (-1, b) for a, b in zip(s, shape, strict=True))
        for s in shapes
    )


def _shape_text(shape) -> str:
    if not shape:
        return "a single number"
    if -2 in shape:
        return "rows of different lengths"
    sizes = ["any" if n < 0 else str(n) for n in shape]
    return f"{sizes[0]} numbers" if len(shape) == 1 else " x ".join(sizes) + " numbers"


def _value_text(n: FileNode) -> str:
    text = repr(n.value) if n.text is None else n.text
    return text if len(text) <= 60 else text[:57] + "..."


def describe_unknown_name(kind, name, names) -> str:
    """Message for an unknown name, with the closest known names."""
    return unknown_name_message(kind, name[:60], names, "").removeprefix(": ")
