"""Builds the manual: python docs/make.py [--quick] [folder].

Pages are staged under build/docs/source with those that are generated (reference, files, index of
equations), so that code of pages leaves nothing among the sources; Sphinx then builds them, and a
warning is an error.  `--quick` runs no code.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE)]


def stage(source: Path) -> None:
    """Copy what people wrote and write what is generated."""
    import reference

    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(
        HERE,
        source,
        ignore=lambda _, names: [n for n in names if n.endswith(".py") or n == "__pycache__"],
    )
    shutil.copy(HERE / "conf.py", source)
    shutil.copytree(ROOT / "examples", source.parent / "examples", dirs_exist_ok=True)
    for name, text in reference.pages(HERE):
        path = source / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--quick", action="store_true", help="run no code")
    ask.add_argument("--keep", action="store_true", help="go on when there are warnings")
    ask.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    args = ask.parse_args()
    source, out = args.folder.resolve() / "source", args.folder.resolve() / "html"
    stage(source)
    env = dict(os.environ, TORSEUR_DOCS=str(HERE), PYTHONWARNINGS="ignore", MPLBACKEND="agg")
    env["TORSEUR_DOCS_RUN"] = "off" if args.quick else "auto"
    words = [sys.executable, "-m", "sphinx", "-b", "html", "-q", str(source), str(out)]
    words += ["--keep-going"] if args.keep else ["-W", "--keep-going"]
    code = subprocess.call(words, env=env)
    print(f"open {out / 'index.html'}" if code == 0 else "the manual was not built")
    return code


if __name__ == "__main__":
    sys.exit(main())
