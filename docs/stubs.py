"""Stubs of the package and of the packages that hold registers: `python docs/stubs.py` writes them.

The stub of `torseur` comes from `docs/public_names.toml`.  In the other stubs the lines about
elements come from the registers, and all other lines are kept.  A test compares the stubs.
"""

import ast
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

REGISTERS = {
    "constraints": ("base.constraint",),
    "forces": ("base.law", "base.line"),
    "joints": ("base.joint",),
}


def elements(package: str) -> dict[str, str]:
    """File of every element of a package's registers, by name."""
    found = {}
    for place in REGISTERS[package]:
        file, register = place.split(".")
        for name, element in getattr(import_module(f"torseur.{package}.{file}"), register).items():
            if element.__module__.startswith(f"torseur.{package}."):
                found[name] = element.__module__.removeprefix(f"torseur.{package}.")
    return found


def stub_path(package: str) -> Path:
    return Path(import_module(f"torseur.{package}".rstrip(".")).__file__).with_suffix(".pyi")


def listed(package: str) -> dict[str, str]:
    """File of every name that the stub of a package imports from the package."""
    tree = ast.parse(stub_path(package).read_text(encoding="utf-8"))
    return {
        name.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def written(package: str) -> str:
    """The text that the stub of a package with registers should have."""
    text, held = stub_path(package).read_text(encoding="utf-8"), elements(package)
    folders = {file.rpartition(".")[0] for file in held.values()}
    lines, others = [f"from .{file} import {n} as {n}" for n, file in held.items()], []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            listed = public_names()
            public = {*listed["torseur"], *listed["torseur.extend"]}
            names = sorted(public & {*exported(stub_path(package)), *held})
            others.append(f"__all__ = {names!r}")
            continue
        if not isinstance(node, ast.ImportFrom):
            others.append(ast.get_source_segment(text, node))
            continue
        for name in node.names:
            folder, _, file = node.module.rpartition(".")
            element = folder in folders - {""} and not file.startswith("_")  # gone, or held
            if name.name not in held and not element:
                lines.append(f"from .{node.module} import {name.name} as {name.name}")
    return "\n".join(sorted(lines) + ([""] if others else []) + others) + "\n"


def public_names() -> dict[str, list[str]]:
    """Names of every public module, from `public_names.toml`."""
    text = Path(__file__).with_name("public_names.toml").read_text(encoding="utf-8")
    return {module: names.split() for module, names in tomllib.loads(text).items()}


def packages() -> dict[str, set[str]]:
    """Names that each package of torseur gives to other packages, by package."""
    import torseur

    found = {}
    for path in sorted(Path(torseur.__path__[0]).iterdir()):
        if (path / "__init__.py").is_file():
            module = import_module(f"torseur.{path.name}")
            stub = path / "__init__.pyi"
            given = set(exported(stub)) if stub.is_file() else set(module.__all__)
            found[path.name] = given
    return found


def exported(stub: Path) -> list[str]:
    """Names that a stub imports from the package or declares."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    own = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.level]
    imports = [a.asname or a.name for n in own for a in n.names]
    return imports + [ast.unparse(n.target) for n in tree.body if isinstance(n, ast.AnnAssign)]


def homes() -> dict[str, str]:
    """Package from which `torseur` imports each of its public names; "" for a public module."""
    import torseur.errors

    listed = public_names()
    modules = {m.removeprefix("torseur.") for m in listed}
    given = packages()
    found = {}
    for name in listed["torseur"]:
        if name in modules:
            found[name] = ""
        elif hasattr(torseur.errors, name):
            found[name] = "errors"
        else:
            found[name] = home(name, given)
    return found


def home(name: str, given: dict[str, set[str]]) -> str:
    """The package that defines a name, among those that give it to others."""
    where = [package for package, names in given.items() if name in names]
    own = [
        package
        for package in where
        if getattr(import_module(f"torseur.{package}"), name).__module__.startswith(
            f"torseur.{package}."
        )
    ]
    public = [p for p in own if name in import_module(f"torseur.{p}").__all__]
    private = [p for p in public or own if f"torseur.{p}" not in public_names()]
    return (private or public or own)[0]


def top() -> str:
    """The stub of `torseur`: its public names, each from the package that defines it."""
    lines: dict[str, list[str]] = {}
    for name, package in homes().items():
        lines.setdefault(package, []).append(f"{name} as {name}")
    text = [f"from .{p} import {', '.join(names)}" for p, names in sorted(lines.items())]
    return "\n".join([*text, "", "__version__: str", ""])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    made = {stub_path(package): written(package) for package in REGISTERS}
    made[stub_path("")] = top()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    for rule in (["check", "--fix", "--select", "I"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *rule, "-q", *made], check=True)
    print(*made, sep="\n")
