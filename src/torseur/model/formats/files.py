"""Model files: `load` and `save`, by the ending of the name."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ...errors import ModelError
from ..description import Model

READS = (".yaml", ".yml", ".json", ".urdf", ".xml")
WRITES = (".yaml", ".yml", ".json", ".urdf")


def load(path, **options) -> Model:
    """Read a model from a file: .yaml, .yml, .json, .urdf, or .xml (MJCF, or URDF by its root).

    `options` go to the reader of that format, such as `search=` for the meshes of a URDF.
    Raises `ModelError` with every problem of the file: file, line, value, rule and remedy.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if not path.is_file():
        what = "is a folder, not a model file" if path.is_dir() else "no such file; check the path"
        raise ModelError([f"{path}: {what}"])
    if ending in (".yaml", ".yml", ".json"):
        from .reading import Reader

        return Reader(path, **options).model()
    if ending in (".urdf", ".xml"):
        from . import urdf

        if ending == ".urdf" or urdf.is_urdf(path):
            return urdf.load(path, **options)
        from . import mjcf

        return mjcf.load(path, **options)
    raise ModelError([f"{path.name}: models are read from {', '.join(READS)}"])


def dh_table(path):
    """The Denavit-Hartenberg table of a YAML or JSON file, or None; printed, it shows frames."""
    path = Path(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return None
    from .reading import Reader

    reader = Reader(path)
    reader.model()
    return reader.table


def settings(path) -> dict:
    """What a YAML or JSON file says of a run: `initial`, `simulation`, `outputs`, as written."""
    path = Path(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return {}
    from .reading import Reader

    reader = Reader(path)
    reader.model()
    return reader.settings


def save(model: Model, path) -> None:
    """Write a model to .yaml, .json or .urdf.  A crash leaves the old file, never half a file."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml", ".json"):
        from . import writing

        text = writing.to_json(model) if ending == ".json" else writing.to_yaml(model)
    elif ending == ".urdf":
        from . import urdf_write

        text = urdf_write.to_urdf(model)
    else:
        raise ModelError([f"{path.name}: models are written to {', '.join(WRITES)}"])
    write_whole(path, text)


def write_whole(path, data: str | bytes) -> None:
    """Write a file under a temporary name, then rename it: it is there whole or not at all."""
    path = Path(path)
    data = data.encode() if isinstance(data, str) else data
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as e:
        why = (e.strerror or str(e)).lower()
        raise ModelError([f"{path}: cannot be written ({why})"]) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
