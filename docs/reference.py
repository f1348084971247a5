"""Reference pages: public names from their docstrings, commands from their own help."""

from __future__ import annotations

import inspect
import re
import textwrap
from html import escape
from importlib import import_module

ROOMS = (
    "model",
    "joints",
    "forces",
    "simulation",
    "solve",
    "results",
    "show",
    "symbolic",
    "quantities",
    "integrate",
    "robots",
    "vehicles",
    "system",
    "identify",
    "studies",
    "dynamics",
    "formalisms",
    "kinematics",
    "spatial",
    "numbers",
    "errors",
)


def pages():
    """(name, title, text, whether it is HTML) of every reference page."""
    found = [(room, module) for room in ROOMS if (module := _room(room)) is not None]
    rows = "\n".join(
        f"| [{room}]({room}.html) | {_first(module)} | {_links(room, module)} |"
        for room, module in found
    )
    yield (
        "index",
        "All names",
        "# All names\n\nEvery name of `model`, `joints`, `forces`, "
        "`simulate`, `results` and `show` is also a name of the package: `ts.Revolute`.\n\n"
        f"| Room | What is in it | Names |\n|---|---|---|\n{rows}\n",
        False,
    )
    for room, module in found:
        yield room, f"torseur.{room}", room_page(room, module), True
    yield "command_line", "The torseur command", command_line(), False


def _links(room, module) -> str:
    return ", ".join(f"[{n}]({room}.html#{n})" for n, _ in public(module))


def _room(name):
    try:
        return import_module(f"torseur.{name}")
    except ModuleNotFoundError:
        return None


def _first(thing) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")


def public(module):
    """Public names of a room with what they are: classes and functions that say what they do."""
    names = getattr(module, "__all__", None) or [
        n
        for n, x in vars(module).items()
        if not n.startswith("_") and getattr(x, "__module__", "") == module.__name__
    ]
    for name in names:
        thing = getattr(module, name, None)
        if inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismodule(thing):
            yield name, thing


def room_page(room, module) -> str:
    out = [f"<h1>torseur.{room}</h1>", prose(inspect.getdoc(module) or "")]
    things = list(public(module))
    out.append("<p>" + " · ".join(f'<a href="#{n}">{n}</a>' for n, _ in things) + "</p>")
    for name, thing in things:
        out.append(f'<section class="name"><h2 id="{name}">{name}</h2>')
        if not inspect.ismodule(thing):
            out.append(f"<pre><code>{escape(signature(name, thing))}</code></pre>")
        out.append(prose(inspect.getdoc(thing) or ""))
        if inspect.isclass(thing):
            out += members(name, thing)
        elif inspect.ismodule(thing):
            own = [(n, x) for n, x in public(thing) if x.__module__ == thing.__name__]
            out += [
                f"<h3><code>{escape(signature(n, x))}</code></h3>{prose(inspect.getdoc(x) or '')}"
                for n, x in own
            ]
        out.append("</section>")
    return "\n".join(out)


def members(owner, cls):
    """Public methods and properties that a class itself documents."""
    for name, thing in vars(cls).items():
        if name.startswith("_"):
            continue
        kind, f = "", thing
        if isinstance(thing, property):
            kind, f = "property", thing.fget
        elif hasattr(thing, "func"):  # a cached property
            kind, f = "property", thing.func
        elif isinstance(thing, classmethod | staticmethod):
            f = thing.__func__
        elif not inspect.isfunction(thing):
            continue
        doc = inspect.getdoc(f) or ""
        if not doc:
            continue
        head = name if kind else signature(name, f)
        yield f'<h3 id="{owner}.{name}"><code>{escape(head)}</code> <small>{kind}</small></h3>'
        yield prose(doc)


def signature(name, thing) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    text = re.sub(r"<[^<>]*at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations are kept as text
    text = re.sub(r"<factory>|<object object[^>]*>", "...", text)
    text = re.sub(r"\((self|cls)(, )?", "(", text)
    if len(name) + len(text) > 92:
        text = re.sub(r", (?=[*\w]+[:=,)])", ",\n    ", text)
    return name + text


def prose(doc: str) -> str:
    """A docstring as HTML: paragraphs, sections, lists of parameters, examples."""
    out, lines = [], doc.splitlines()
    i = 0
    while i < len(lines):
        if not lines[i].strip():
            i += 1
        elif i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1].strip()):
            title, i = lines[i].strip(), i + 2
            j = i
            while (
                j < len(lines)
                and lines[j].strip()
                and not (j + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[j + 1].strip()))
            ):
                j += 1
            out.append(f"<h4>{escape(title)}</h4>{entries(lines[i:j])}")
            i = j
        else:
            j = i
            while j < len(lines) and lines[j].strip():
                j += 1
            out.append(paragraph(lines[i:j]))
            i = j
    return "\n".join(out)


def entries(lines) -> str:
    """`name : words`, continued on indented lines, as a list of definitions."""
    out = []
    for line in lines:
        if line.startswith(" ") and out:
            out[-1][1] += " " + line.strip()
        else:
            name, _, words = line.partition(" : ")
            out.append([name.strip(), words.strip()])
    inside = (f"<dt><code>{escape(n)}</code></dt><dd>{inline(w)}</dd>" for n, w in out)
    return f"<dl>{''.join(inside)}</dl>"


def paragraph(lines) -> str:
    text = textwrap.dedent("\n".join(lines))
    if text.lstrip().startswith(">>>") or all(line.startswith("    ") for line in lines):
        return f"<pre><code>{escape(text)}</code></pre>"
    return f"<p>{inline(' '.join(text.split()))}</p>"


def inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def command_line() -> str:
    """The help of the command and of each of its parts."""
    from torseur.cli.main import parser

    top = parser()
    subs = next(a for a in top._actions if hasattr(a, "choices") and isinstance(a.choices, dict))
    out = ["# The torseur command", f"```\n{_help(top)}\n```"]
    for name, p in subs.choices.items():
        out.append(f"## torseur {name}\n\n```\n{_help(p)}\n```")
    return "\n\n".join(out)


def _help(p) -> str:
    return p.format_help().strip()
