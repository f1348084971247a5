"""The worked examples of CONTRIBUTING run: one of each kind of element, in their own process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import torseur

TOP = Path(__file__).parents[2]
KINDS = (
    "A law|A line of action|A joint|A constraint|A formalism|A quantity|A method of integration|"
    "A panel of the report|A scenario of a crash|A metric of a study|A command"
).split("|")


def test_every_kind_has_an_example_and_all_run(tmp_path):
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", text, re.S | re.M))
    code = {kind: re.findall(r"^```python\n(.*?)^```$", parts[kind], re.S | re.M) for kind in KINDS}
    assert all(len(found) == 1 and "assert " in found[0] for found in code.values())
    (tmp_path / "examples.py").write_text("\n".join(found[0] for found in code.values()))
    answer = subprocess.run(
        [sys.executable, "examples.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(torseur.__path__[0]).parent)},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "1 speeds"
