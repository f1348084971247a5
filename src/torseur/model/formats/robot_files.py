"""Selection of the reader of a robot file: URDF or MJCF."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from ...errors import ModelError, report_reader_failures, unknown_name_message
from ..description import Model


def find_robot_reader(path: Path) -> Callable[..., Model]:
    """The reader of a .urdf or .xml file; XML with the root `<robot>` is URDF."""
    from . import urdf_reader

    if path.suffix.lower() == ".urdf" or urdf_reader.is_urdf(path):
        return urdf_reader.load_urdf
    from . import mjcf_reader

    return mjcf_reader.load_mjcf


def load_robot(path: Path, options: Mapping[str, Any]) -> Model:
    """The model of a .urdf or .xml file that a model file includes."""
    read = find_robot_reader(path)
    check_options(read, options, path.name)
    with report_reader_failures(path.name):
        return read(path, **options)


def check_options(read: Callable[..., Model], options: Mapping[str, Any], name: str) -> None:
    """Raise `ModelError` for options that the reader of a format does not have."""
    option_names = [p for p, x in signature(read).parameters.items() if x.kind is x.KEYWORD_ONLY]
    bad = [
        unknown_name_message("option", n, option_names, f"{name}: load")
        for n in options
        if n not in option_names
    ]
    if bad:
        raise ModelError(bad)
