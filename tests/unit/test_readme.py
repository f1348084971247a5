"""What the README shows, runs."""

import re
from pathlib import Path

import matplotlib
import pytest

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="the README is not beside the tests")
def test_the_code_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "README.md", "exec"), space)
    assert abs(space["run"]["elbow.angle"][0] - 0.3) < 1e-15
    assert space["run"].energy_audit.residual < 1e-6
    assert space["many"].shape == (100_000, 2)
    assert (tmp_path / "arm.c").exists()
    assert "tau1" in capsys.readouterr().out
