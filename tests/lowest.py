"""Every dependency at its lower bound: installs them in a fresh environment and runs the suite.

    python tests/lowest.py --folder build/lowest [--tests tests/unit ...]

The bounds are those of pyproject.toml, of the core and of every extra that tests need; what only
checks the text of the package (ruff, mypy, build ...) is taken as it comes.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = {"ruff", "mypy", "basedpyright", "build", "twine", "pytest", "pytest-xdist"}
_BOUND = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?\s*>=\s*([\w.]+)")


def bounds() -> dict[str, str]:
    """Lower bounds by name, of the core and of the extras that tests use."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    extras, found = project["optional-dependencies"], {}
    wanted, seen = ["test"], set()
    lines = list(project["dependencies"])
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        for line in extras[name]:
            if own := re.fullmatch(r"torseur\[([\w,]+)\]", line):
                wanted += own[1].split(",")
            else:
                lines.append(line)
    for line in lines:
        if (m := _BOUND.match(line)) and m[1].lower() not in TOOLS:
            found[m[1]] = m[2]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "lowest")
    parser.add_argument("--tests", nargs="+", default=["tests"])
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    pins = args.folder / "lowest.txt"
    pins.write_text("".join(f"{n}=={v}\n" for n, v in bounds().items()))
    venv = args.folder / "venv"
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    install = [python, "-m", "pip", "install", "--quiet", "-c", pins, f"{ROOT}[test]"]
    subprocess.run(install, check=True)
    subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "-y", "torseur"], check=True)
    there = {"PYTHONPATH": str(ROOT / "src"), "PATH": f"{venv / 'bin'}:/usr/bin:/bin"}
    words = [python, "-m", "pytest", "-p", "no:cacheprovider", *args.tests]
    return subprocess.run(words, cwd=ROOT, env=there).returncode


if __name__ == "__main__":
    raise SystemExit(main())
