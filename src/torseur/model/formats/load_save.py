"""Model files: `load` and `save`, by the ending of the name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, unforeseen, unknown_name
from ...files import place, write
from ..description import Model

if TYPE_CHECKING:
    import os

READ_SUFFIXES = (".yaml", ".yml", ".json", ".urdf", ".xml")
WRITE_SUFFIXES = (".yaml", ".yml", ".json", ".urdf")


def load(
    path: str | os.PathLike[str], *, actuate: bool = False, strict: bool = True, **options: Any
) -> Model:
    """Read a model from a file: .yaml, .yml, .json, .urdf, or .xml (MJCF, or URDF by its root).

    With `actuate=True` every joint of one degree of freedom without an input gets one, `u_<joint>`,
    the effort of its motor: what `linearize`, controllers and `simulate(inputs=...)` push with.
    `strict=False` takes inertias that no distribution of mass has, with a warning: see `Model`.
    `options` go to the reader of that format, such as `search=` for the meshes of a URDF.
    Raises `ModelError` with every problem of the file: file, line, value, rule and remedy.
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
        raise ModelError([f"{path.name}: models are read from {', '.join(READ_SUFFIXES)}"])
    read = _reader(path, ending)
    _check_options(read, options, path.name)
    with unforeseen(path.name):
        return read(path, **options)


def _reader(path: Path, ending: str) -> Callable[..., Model]:
    """The reader of a format."""
    if ending in (".yaml", ".yml", ".json"):
        from .yaml_reader import Reader

        return lambda path: Reader(path).model()
    from . import urdf_reader

    if ending == ".urdf" or urdf_reader.is_urdf(path):
        return urdf_reader.load_urdf
    from . import mjcf_reader

    return mjcf_reader.load_mjcf


def _check_options(read, options, name) -> None:
    """Tell of options that a format does not have."""
    option_names = [p for p, x in signature(read).parameters.items() if x.kind is x.KEYWORD_ONLY]
    bad = [
        unknown_name("option", n, option_names, f"{name}: load")
        for n in options
        if n not in option_names
    ]
    if bad:
        raise ModelError(bad)


def dh_table(path):
    """The Denavit-Hartenberg table of a YAML or JSON file, or None; printed, it shows frames."""
    path = place(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return None
    from .yaml_reader import Reader

    reader = Reader(path)
    reader.model()
    return reader.table


def settings(path) -> dict:
    """What a YAML or JSON file says of a run: `initial`, `simulation`, `outputs`, as written."""
    path = place(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return {}
    from .yaml_reader import Reader

    reader = Reader(path)
    reader.model()
    return reader.settings


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to .yaml, .json or .urdf.  A crash leaves the old file, never half a file."""
    path = place(path)
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml", ".json"):
        from . import serialize

        text = serialize.to_json(model) if ending == ".json" else serialize.to_yaml(model)
    elif ending == ".urdf":
        from . import urdf_writer

        text = urdf_writer.to_urdf(model)
    else:
        raise ModelError([f"{path.name}: models are written to {', '.join(WRITE_SUFFIXES)}"])
    write(path, text)
