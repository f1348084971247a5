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

import links  # noqa: E402


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


def quiet(folder: Path) -> Path:
    """A profile of its own for pages that run: what people keep in theirs has no say here."""
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    text = 'c = get_config()\nc.IPKernelApp.log_level = "ERROR"\n'  # no word on its sockets
    (profile / "ipython_kernel_config.py").write_text(text, encoding="utf-8")
    return folder


def told(out: Path, quick: bool) -> int:
    """What was built, and links that lead nowhere: 1 if there are any."""
    lost = [] if quick else list(links.faults(out))
    print("\n".join(lost))
    pages = len(list(out.rglob("*.html")))
    examples = len(list((out.parent / "source" / "gallery").rglob("*_thumb.png")))
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e6
    spent = sum(os.times()[2:4])  # of children
    print(f"{pages} pages, {examples} examples, {size:.0f} MB, {spent:.0f} s of CPU")
    return int(bool(lost))


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
    env["IPYTHONDIR"] = str(quiet(args.folder.resolve() / "ipython"))
    words = [sys.executable, "-m", "sphinx", "-b", "html", "-q", str(source), str(out)]
    words += ["-d", str(args.folder.resolve() / "doctrees")]
    words += ["--keep-going"] if args.keep else ["-W", "--keep-going"]
    code = subprocess.call(words, env=env)
    if code == 0:
        code = told(out, quick=args.quick)
    print(f"open {out / 'index.html'}" if code == 0 else "the manual was not built")
    return code


if __name__ == "__main__":
    sys.exit(main())
