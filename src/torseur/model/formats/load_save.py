"""Loading and saving of model files by their suffix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, report_reader_failures
from ...files import place, write
from ..description import Model
from .robot_files import check_options, find_robot_reader

if TYPE_CHECKING:
    import os

READ_SUFFIXES = (".yaml", ".yml", ".json", ".urdf", ".xml")
WRITE_SUFFIXES = (".yaml", ".yml", ".json", ".urdf")


def load(
    path: str | os.PathLike[str], *, actuate: bool = False, strict: bool = True, **options: Any
) -> Model:
    """Read a model from a file: .yaml, .yml, .json, .urdf, or .xml (MJCF or URDF, by the root
    element).

    `actuate=True` adds an input `u_<joint>` [N m or N] to each joint of one degree of freedom that
    has none, for `linearize`, controllers and `simulate(inputs=...)`.  `strict=False` accepts
    inconsistent inertias with a warning, see `Model`.  Other `options` go to the reader of the
    format, such as `search=` for the meshes of a URDF.  `ModelError` lists all problems of the
    file, each with line, value, rule and remedy.
    """
    if actuate:
        from ..dh_models import actuated

        return actuated(load(path, strict=strict, **options))
    if not strict:
        return replace(load(path, **options), strict=False)
    path = place(path)
    ending = path.suffix.lower()
    if not path.is_file():
        problem = (
            "is a folder, not a model file" if path.is_dir() else "no such file; check the path"
        )
        raise ModelError([f"{path}: {problem}"])
    if ending not in READ_SUFFIXES:
        remedy = f"; convert it first: `xacro {path.name} > {path.stem}.urdf`" * (
            ending == ".xacro"
        )
        raise ModelError(
            [f"cannot read {path.name!r}: torseur reads {', '.join(READ_SUFFIXES)}{remedy}"]
        )
    read = _reader(path, ending)
    check_options(read, options, path.name)
    with report_reader_failures(path.name):
        return read(path, **options)


def _reader(path: Path, ending: str) -> Callable[..., Model]:
    """The reader of a format."""
    if ending in (".yaml", ".yml", ".json"):
        from .yaml_reader import Reader

        return lambda path: Reader(path).model()
    return find_robot_reader(path)


def dh_table(path):
    """The Denavit-Hartenberg table of a YAML or JSON file, or None."""
    path = place(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return None
    from .yaml_reader import Reader

    reader = Reader(path)
    reader.model()
    return reader.table


def settings(path) -> dict:
    """The sections `initial`, `simulation` and `outputs` of a YAML or JSON file as written."""
    path = place(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return {}
    from .yaml_reader import Reader

    reader = Reader(path)
    reader.model()
    return reader.settings


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a .yaml, .json or .urdf file.  The write is atomic."""
    path = place(path)
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml", ".json"):
        from . import serialize

        text = serialize.to_json(model) if ending == ".json" else serialize.to_yaml(model)
    elif ending == ".urdf":
        from . import urdf_writer

        text = urdf_writer.to_urdf(model)
    else:
        raise ModelError(
            [f"cannot write {path.name!r}: torseur writes {', '.join(WRITE_SUFFIXES)}"]
        )
    write(path, text)
