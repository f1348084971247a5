"""What an FMU says of itself."""

from __future__ import annotations

import zipfile
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    import os

CALLED = {"output": "outputs", "input": "inputs", "parameter": "parameters"}


def describe_fmu(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Name, platforms and variables of a file that `export_fmu` wrote."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    rows = root.findall("ModelVariables/ScalarVariable")
    count = Counter(CALLED.get(x.get("causality", ""), "") for x in rows)
    states = len(root.findall("ModelStructure/Derivatives/Unknown"))
    return {
        "model": root.get("modelName"),
        "platforms": sorted({n.split("/")[1] for n in names if n.startswith("binaries/")}),
        "variables": {"states": states, **{n: count[n] for n in CALLED.values()}},
    }
