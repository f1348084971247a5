"""What the manual does to its pages while they are read: formulas, tags, code that runs, links."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import beside
import formulas

HERE = Path(__file__).parent
FIGURE = re.compile(r"^!\[([^\]]*)\]\(figures/(\w+\.svg)\)$", re.M)
EXECUTED = ("index", "tutorials/", "how_to/", "fr/", "theory/")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
DEFINED = re.compile(r"^((?:[-*] |\| )?)\*\*([A-Z]{2}\.\d+)\*\*", re.M)
MENTION = re.compile(r"(?<![\w.#/-])([A-Z]{2}\.\d+)\b(?![\w<])")
SOURCES = re.compile(r"(?<!\w)(document 00[0-4])\b|\berrat(?:um|a) (E-00\d-\d+)|(E-00\d-\d+)")
# code, links and HTML: what no tag is looked for in
APART = re.compile(
    r"(^```.*?^```$|^\$\$.*?^\$\$$|`[^`\n]*`|\$[^$\n]+\$|\[[^\]]*\]\([^)]*\)"
    r"|<a .*?</a>|<[^>]*>)",
    re.S | re.M,
)
# in a table: between a number and its unit
UNIT = re.compile(
    r"(?<=\d) (?=(?:ns|us|µs|ms|s|min|kB|KB|MB|GB|N|kN|kJ|mm|m|g|kg|rad|deg|Hz|%|x)(?:[\s,;:.)]|$))"
)
# lines would break behind its minus
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?e-\d+(?![\w.]*[=(])")
NOTEBOOK = """---
file_format: mystnb
kernelspec:
  name: python3
---

```{code-cell} ipython3
:tags: [remove-cell]
from pathlib import PurePath

_shown = get_ipython().display_formatter.format
get_ipython().display_formatter.format = lambda x, *a, **k: (
    ({}, {}) if isinstance(x, PurePath) else _shown(x, *a, **k)
)
```

"""


def blocks(text: str) -> list[str]:
    """The Python blocks of a page."""
    return BLOCK.findall(text)


def defined(folder: Path) -> dict[str, str]:
    """Where each equation is: tag to the stem of its page in `theory`."""
    return {
        tag: page.stem
        for page in sorted((folder / "theory").glob("*.md"))
        for _, tag in DEFINED.findall(page.read_text(encoding="utf-8"))
    }


def read(app, docname: str, source: list[str]) -> None:
    """A page as Sphinx gets it."""
    folder = Path(app.srcdir)
    if not (folder / f"{docname}.md").exists():
        return
    source[0] = prepared(source[0], docname, defined(folder))


def drawn(match: re.Match[str]) -> str:
    """A figure inside the page, where the style sheet can turn it with the theme."""
    said, text = match[1], (HERE / "theory" / "figures" / match[2]).read_text(encoding="utf-8")
    return f'<figure>{text.strip().replace("<svg ", f"""<svg aria-label="{said}" """, 1)}</figure>'


def prepared(text: str, name: str, tags: dict[str, str]) -> str:
    """A page of Markdown with its formulas typeset, its tags linked and its code marked to run."""
    if name.startswith("theory/") or name == "fr/formules":
        text = formulas.typeset(text)
        text = DEFINED.sub(r'\1<a class="tag" id="\2" href="#\2">\2</a>', text)
    own = [t for t, home in tags.items() if name == f"theory/{home}"]
    up = "../" * name.count("/")

    def tag(m):
        place = f"{up}theory/{tags[m[1]]}.html#{m[1]}" if m[1] in tags else None
        return f'<a href="{place}">{m[1]}</a>' if place else m[0]

    def source(m):
        where = next(g for g in m.groups() if g)
        anchor = where.replace("document ", "D-").replace(" ", "-")
        return f'<a href="{up}theory/sources.html#{anchor}">{m[0]}</a>'

    if name != "theory/sources":
        parts = APART.split(text)
        text = "".join(
            p if i % 2 or not p else SOURCES.sub(source, MENTION.sub(tag, p))
            for i, p in enumerate(parts)
        )
    text = re.sub(r"(?<!!)\[([^\]]*)\]\(([\w./-]+\.html)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"^\|.*$", lambda m: UNIT.sub("\N{NO-BREAK SPACE}", m[0]), text, flags=re.M)
    text = "".join(
        p if i % 2 else NUMBER.sub(r'<span class="whole">\g<0></span>', p)
        for i, p in enumerate(APART.split(text))
    )
    text = FIGURE.sub(drawn, text)
    runs = os.environ.get("TORSEUR_DOCS_RUN") != "off"
    if runs and name.startswith(EXECUTED) and BLOCK.search(text):
        text = NOTEBOOK + re.sub(r"^```python$", "```{code-cell} ipython3", text, flags=re.M)
    end = APART.split(beside.code_of(own))
    return text + "".join(p if i % 2 else MENTION.sub(tag, p) for i, p in enumerate(end))


def skipped(app, what, name, thing, skip, options) -> bool | None:
    """Fields of named tuples say nothing but their number: the class lists them already."""
    return True if (getattr(thing, "__doc__", "") or "").startswith("Alias for field") else None


def docstring(app, what, name, thing, options, lines: list[str]) -> None:
    """Docstrings are plain text with `code`: nothing else in them is markup."""
    parts = re.split(r"\n[ \t]*\n", "\n".join(lines))
    lines[:] = "\n\n".join(map(_plain, parts)).split("\n")


def _plain(part: str) -> str:
    if part.lstrip().startswith(">>>"):
        return part
    if re.match(r"[\w ]+\n-{3,}(\n|$)", part):  # a section of numpydoc
        head, rule, rest = (*part.split("\n", 2), "")[:3]
        return "\n".join([head, rule, *([_escaped(rest)] if rest else [])])
    part = _escaped(part)
    lines = part.split("\n")
    for i, line in enumerate(lines[1:], 1):  # a list, or an indented text, below its sentence
        deeper = len(line) - len(line.lstrip()) > len(lines[i - 1]) - len(lines[i - 1].lstrip())
        if deeper or (
            line.lstrip().startswith("- ") and not lines[i - 1].lstrip().startswith("- ")
        ):
            return "\n".join(f"| {x}" if x.strip() else "|" for x in lines)
    return part


def _escaped(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", text)
    follows = [p[:1].isalnum() for p in (*parts[1:], "")]  # `Name`s
    done = [
        f"`{p}`" + "\\ " * follows[i] if i % 2 else re.sub(r"([*|\\])", r"\\\1", p)
        for i, p in enumerate(parts)
    ]
    return re.sub(r"(?<![`\w])(\w+)_(?=\W|$)", r"\1\\_", "".join(done))


class Ordered:
    """Folders of the gallery in our order."""

    def __init__(self, names):
        self.names = list(names)

    def __call__(self, path):
        return self.names.index(Path(path).name)

    def __repr__(self):
        return f"Ordered({self.names})"


class Pictures:
    """Pictures that an example of the gallery wrote, such as `run.animate("arm.png")`, as figures.

    They come before what matplotlib shows, so the first one is the thumbnail of the example.
    """

    def __call__(self, block, variables, conf) -> str:
        from sphinx_gallery.scrapers import figure_rst

        places = []
        for made in sorted(Path(variables["src_file"]).parent.glob("*.png")):
            places.append(next(variables["image_path_iterator"]))
            shutil.move(made, places[-1])
        return figure_rst(places, conf["src_dir"]) if places else ""

    def __repr__(self):
        return "Pictures()"


def finished(app, error) -> None:
    """Pages that the pages' code wrote stand beside them."""
    if error is not None or app.builder.format != "html":
        return
    source, out = Path(app.srcdir), Path(app.outdir)
    for made in source.rglob("*.html"):
        place = out / made.relative_to(source)
        if "gallery" not in made.relative_to(source).parts and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(made, place)
