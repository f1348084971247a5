"""Pages that are generated: public names, the command, model files, the index of equations."""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import fields
from stubs import public_names

ROOT = Path(__file__).parents[1]


def pages(docs: Path) -> Iterator[tuple[str, str]]:
    """(name, Markdown) of every generated page."""
    modules = {name: import_module(name) for name in public_names()}
    rows = "\n".join(
        f"| [{name}]({_page(name)}.md) | {_first(module)} | {', '.join(f'`{n}`' for n in names_of(name))} |"
        for name, module in modules.items()
    )
    listed = "\n".join(map(_page, modules))
    yield (
        "reference/index",
        "# Look up\n\nModel files: [every type with its fields and an example](files.md). The command: "
        "[every option](command_line.md).\n\nIn Python, `import torseur as ts` gives the names used "
        "most, such as `ts.Revolute` and `ts.simulate`, and the modules by subject, such as `ts.robots`:\n\n"
        f"| Module | Contents | Names |\n|---|---|---|\n{rows}\n\n"
        f"```{{toctree}}\n:hidden:\n\nfiles\ncommand_line\n{listed}\n```\n",
    )
    documented: dict[int, str] = {}
    for name, module in modules.items():
        yield f"reference/{_page(name)}", module_page(name, module, documented)
    yield "reference/command_line", command_line()
    yield "reference/files", files()
    yield "theory/equation_index", equation_index(docs)


def _page(module: str) -> str:
    """Name of the page of a public module: `ts.robots` is on the page `robots`."""
    return module.rpartition(".")[2]


def _first(thing) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")


def names_of(module: str) -> list[str]:
    """Public names of a module that its page documents: all but modules with pages."""
    names = public_names()
    return [n for n in names[module] if f"{module}.{n}" not in names]


def module_page(where: str, module, documented: dict[int, str]) -> str:
    """The page of a public module: every name from its docstring, or a link to its first page."""
    out = [f"# {where}", inspect.getdoc(module) or "", ""]
    for name in names_of(where):
        thing = getattr(module, name)
        if id(thing) in documented:
            first = documented[id(thing)]
            out += [f"## {name}", f"See [{first}]({_page(first)}.md).", ""]
            continue
        documented[id(thing)] = where
        out += [f"## {name}", *_entry(f"{where}.{name}", thing), ""]
    return "\n".join(out)


def _entry(path: str, thing) -> list[str]:
    """A class or function by its docstring, a register by its elements, a constant by its value."""
    if inspect.isclass(thing):
        members = [] if issubclass(thing, Exception) else MEMBERS
        return ["```{eval-rst}", f".. autoclass:: {path}", *members, "```"]
    if inspect.isfunction(thing):
        return ["```{eval-rst}", f".. autofunction:: {path}", "```"]
    if isinstance(thing, Mapping):
        return [f"A register: {', '.join(f'`{n}`' for n in thing)}."]
    return [f"`{path.rpartition('.')[2]} = {thing!r}`"]


MEMBERS = ["   :members:", "   :exclude-members: __init__, __new__"]


# ---- the command ------------------------------------------------------------------------------


def command_line() -> str:
    """The help of the command and of each of its parts."""
    from torseur.cli.main import create_parser

    top = create_parser()
    subs = next(a for a in top._actions if hasattr(a, "choices") and isinstance(a.choices, dict))
    out = ["# The torseur command", f"```text\n{top.format_help().strip()}\n```"]
    for name, p in subs.choices.items():
        out.append(f"## torseur {name}\n\n```text\n{p.format_help().strip()}\n```")
    return "\n\n".join(out)


# ---- model files ------------------------------------------------------------------------------

KINDS = {
    "joint": ("Joints", "`type` of a joint or of a loop, in `joints:` and `loops:`"),
    "law": (
        "Laws",
        "how large a force is, by a deflection x and its rate: in `forces:`, with where it acts",
    ),
    "line": ("Lines of action", "where a law acts and what its deflection x is, in `forces:`"),
    "constraint": ("Constraints", "in `constraints:`"),
}
PARTS = {"body": "bodies", "joint": "joints", "loop": "loops", "frame": "frames",
         "rotor": "rotors", "input": "inputs"}  # fmt: skip
SECTIONS = {
    "name": "name of the model, a text",
    "description": "a text for people",
    "include": "other files of the same folder or below, by name, or a robot's with how it is read: "
    "`{file: robot.urdf, base: free}`",
    "strict": "`false`: inertias that no distribution of mass can have are warnings, not errors (default `true`)",
    "gravity": "[m/s^2], one number (downwards along z) or three",
    "parameters": "names with numbers, expressions of other names, or nothing (a symbol)",
    "dh": "a Denavit-Hartenberg table; `convention: modified` or `classic` is required",
    "initial": "coordinates and speeds at the start, by name",
    "simulation": "options of a run, such as `t_end`",
    "outputs": "signals that a report shows first",
}


def files() -> str:
    """Every section and type of a model file: fields, units, an example that was read and checked."""
    from torseur.model import Beam
    from torseur.model.formats.schema import json_schema

    schema = json_schema()
    top = "\n".join(
        f"| `{name}` | {_section(name, x)} |"
        for name, x in schema["properties"].items()
        if "const" not in x
    )
    out = [
        "# Model files\n\nMade from the schema (`torseur schema` prints it). Each example on this page "
        "was written by `model.save`, read back and checked when the page was built. Start with "
        "[writing a model file](../how_to/model_files.md).\n\n"
        f"## Sections\n\n| section | holds |\n|---|---|\n{top}\n"
    ]
    for name, section in PARTS.items():
        found = schema["$defs"][name]
        found = found.get("anyOf", [found])[0]  # fields that every type has; those of a type below
        out.append(_described(f"An entry of `{section}`", found, None))
        if name == "body":
            out.append(_described("A body that bends: `beam`", schema["$defs"]["beam"], None, Beam))
    for kind, (title, words) in KINDS.items():
        out.append(f"## {title}\n\n{words[0].upper()}{words[1:]}.\n")
        for cls, example in examples(kind):
            name = _type(cls)
            key = f"constraint_{name}" if kind == "constraint" else name
            shown = written(kind, example)
            out.append(_described(f"`{name}`", schema["$defs"][key], shown, cls))
    return "\n".join(out)


def _section(name: str, x) -> str:
    if name in (*PARTS.values(), "forces", "constraints"):
        return "a list, each with its `name`, or names with their entries; fields below"
    return SECTIONS.get(name) or _field(x)


def examples(kind: str):
    """Each registered type of a kind with its first example."""
    from torseur import constraints, forces, joints

    register = {
        "joint": joints.joint,
        "law": forces.law,
        "line": forces.line,
        "constraint": constraints.constraint,
    }[kind]
    for name in register:
        cls = register[name]
        yield cls, cls.examples()[0]


def _type(cls) -> str:
    from torseur.model.formats.schema import type_name

    return type_name(cls)


def written(kind: str, example) -> str:
    """The example as a file has it: a model around it is saved, read back and checked."""
    import yaml

    import torseur as ts

    sys.path.insert(0, str(ROOT / "tests"))
    import zoo

    if kind == "joint":
        model, section = zoo.around(example), "joints"
    elif kind == "law":
        model, section = zoo.mechanism(forces=(ts.JointForce("f", "slide", example),)), "forces"
    elif kind == "line":
        model, section = zoo.mechanism(forces=(example,)), "forces"
    else:
        model, section = zoo.mechanism(constraints=(example,)), "constraints"
    with tempfile.TemporaryDirectory() as folder:
        path = model.save(Path(folder) / "m.yaml") or Path(folder) / "m.yaml"
        back = ts.load(path)
        if back.check().digest != model.check().digest:
            raise AssertionError(f"{example!r} comes back from its file as another model")
        entries = yaml.safe_load(Path(path).read_text(encoding="utf-8"))[section]
    entry = entries[1] if kind == "joint" else entries[0]
    if kind == "joint":
        entry = {k: x for k, x in entry.items() if k not in ("at", "rpy", "child_at", "child_rpy")}
    return yaml.safe_dump(
        {section: [entry]}, sort_keys=False, allow_unicode=True, width=90, default_flow_style=None
    )


def _described(title, definition, example, cls=None) -> str:
    needed, kind = set(definition.get("required", ())), title.strip("`")
    units = getattr(cls, "units", {}) or {}
    rows = []
    for name, x in definition["properties"].items():
        if name == "type":
            continue
        told = _field(x)
        unit = units.get(name) if isinstance(units, dict) else None
        told = told or (f"[{unit}]" if unit else "") or fields.said(kind, name)
        default = "required" if name in needed else fields.default(cls, name)
        rows.append(f"| `{name}` | {told} | {default} |")
    text = _text(definition.get("description", ""))
    out = [f"### {title}\n\n{text}\n"]
    if rows:
        out.append("| field | value | |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    if example:
        out.append(f"```yaml\n{example.rstrip()}\n```\n")
    return "\n".join(out)


def _field(x) -> str:
    """What a field holds, in words."""
    if "anyOf" in x:
        return ", or ".join(dict.fromkeys(t for y in x["anyOf"] if (t := _field(y))))
    if "$ref" in x:
        kind = x["$ref"].rpartition("/")[2]
        return ("a number " + x.get("description", "")).strip() if kind == "number" else f"`{kind}`"
    if "enum" in x:
        return " or ".join(f"`{e}`" for e in x["enum"])
    if x.get("type") == "object" and isinstance(x.get("additionalProperties"), dict):
        return f"names with {_field(x['additionalProperties']) or 'values'}"
    if x.get("type") == "array":
        n = x.get("minItems")
        count = f"{n} of: " if n and n == x.get("maxItems") else "list of: "
        return count + (_field(x.get("items", {})) or "anything")
    told = {"string": "a text", "boolean": "`true` or `false`", "number": "a number",
            "integer": "a whole number", "object": "a mapping", "null": "nothing"}  # fmt: skip
    return _text(x.get("description") or told.get(x.get("type", ""), ""))


def _text(words: str) -> str:
    """Words of the schema in a cell of Markdown: no markup but `code`."""
    parts = words.replace("|", "\\|").split("`")
    return "`".join(p if i % 2 else p.replace("<", "&lt;") for i, p in enumerate(parts))


# ---- equations --------------------------------------------------------------------------------


def equation_index(docs: Path) -> str:
    """Every tagged equation, with its page and the code that uses it."""
    import beside
    import pages as page_tools

    tags = page_tools.defined(docs)
    titles = {
        p.stem: p.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        for p in (docs / "theory").glob("*.md")
    }
    order = sorted(tags.items(), key=lambda x: (x[1], x[0][:2], int(x[0][3:])))
    rows = "\n".join(
        f"| {tag} | [{titles[page]}]({page}.md) | {', '.join(f'`{f}`' for f in beside.files_of(tag))} |"
        for tag, page in order
    )
    return f"# Every equation\n\n| Equation | Page | Used by |\n|---|---|---|\n{rows}\n"
