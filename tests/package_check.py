"""The package as users get it: `make package`.

Builds wheel and sdist, checks both (`twine check`; what is inside), installs each in an environment
of its own, runs the README's ten lines and the command there, and tells the installed size.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMIT = 750  # MB of `pip install torseur`, pip included


def run(*words, **options) -> str:
    done = subprocess.run(
        [str(w) for w in words],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}")
    return done.stdout


def built(out: Path) -> tuple[Path, Path]:
    """Wheel and sdist, made from a copy, so that nothing of the folder slips in."""
    copy = out / "copy"
    files = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run(sys.executable, "-m", "build", "--outdir", out / "dist", copy)
    (wheel,), (sdist,) = (out / "dist").glob("*.whl"), (out / "dist").glob("*.tar.gz")
    return wheel, sdist


def looked_into(wheel: Path, sdist: Path) -> None:
    """Every source file and every file of data is in both."""
    listed = run("git", "ls-files", "src", cwd=ROOT).split()
    mine = {n.removeprefix("src/") for n in listed if (ROOT / n).is_file()}
    with zipfile.ZipFile(wheel) as file:
        inside = set(file.namelist())
    with tarfile.open(sdist) as file:
        packed = {n.partition("/")[2] for n in file.getnames()}
    for lost in (mine - inside, {f"src/{n}" for n in mine} - packed):
        if lost:
            sys.exit(f"not in the package: {', '.join(sorted(lost)[:9])}")
    print(f"{wheel.name}: {len(inside)} files, {wheel.stat().st_size / 1e6:.1f} MB")


def tried(what: Path, folder: Path) -> None:
    """Install in a clean environment, run the ten lines and the command."""
    venv.create(folder / "env", with_pip=True)
    scripts = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    run(scripts / "python", "-m", "pip", "install", "-q", what)
    size = sum(p.stat().st_size for p in (folder / "env").rglob("*") if p.is_file()) / 2**20
    ten = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    (folder / "ten.py").write_text(ten[0], encoding="utf-8")
    print(run(scripts / "python", "ten.py", cwd=folder).strip().splitlines()[-1])
    torseur = scripts / "torseur"
    print(run(torseur, "doctor", cwd=folder).strip().splitlines()[-1])
    run(torseur, "new", "robot", cwd=folder)
    print(run(torseur, "simulate", "robot.yaml", "-o", "out", cwd=folder).strip().splitlines()[-1])
    for name in ("run.nc", "run.csv", "report.html"):
        if not (folder / "out" / name).stat().st_size:
            sys.exit(f"{what.name}: no {name}")
    print(f"{what.name}: {size:.0f} MB installed (limit {LIMIT})")
    if size > LIMIT:
        sys.exit("the core install is too large: what of it does the main job do without?")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        wheel, sdist = built(out)
        print(run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist).strip())
        looked_into(wheel, sdist)
        for what in (wheel, sdist):
            folder = out / what.name.replace(".", "_")
            folder.mkdir()
            tried(what, folder)


if __name__ == "__main__":
    main()
