"""Builds the site: python docs/build.py [folder].

Pages are Markdown.  Python blocks outside the theory are run, in order, in the page's own folder
of the site, and what they print stands below them; a block that fails fails the build.  Reference
pages come from docstrings and from the command line's own help.  Every link is checked.
"""

from __future__ import annotations

import contextlib
import io
import keyword
import os
import re
import shutil
import sys
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
SECTIONS = {
    "tutorials": "Tutorials",
    "how_to": "How to",
    "gallery": "Gallery",
    "theory": "Theory",
    "benchmarks": "Benchmarks",
    "reference": "Reference",
}
FIRST = {
    "tutorials": ["pendulum", "robot", "four_bar", "vehicle"],
    "how_to": ["report"],
    "theory": ["conventions", "spatial", "rotations", "joints", "kinematics"],
    "reference": ["index"],
}
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
TAG = re.compile(r"\b([A-Z]{2}\.\d+)\b")


@dataclass
class Page:
    """One page: its address in the site, its section, its title and its Markdown or HTML."""

    path: str
    title: str
    text: str
    html: bool = False

    @property
    def section(self) -> str:
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def up(self) -> str:
        return "../" * self.path.count("/")


# ---- code that runs --------------------------------------------------------------------------


def blocks(text: str) -> list[str]:
    """The Python blocks of a page."""
    return BLOCK.findall(text)


def run(text: str, folder: Path, name: str) -> str:
    """The page with the output of its blocks; they share one namespace and run in `folder`."""
    space: dict = {"__name__": "__page__"}
    folder.mkdir(parents=True, exist_ok=True)

    def one(found):
        line = text[: found.start()].count("\n") + 1
        said = io.StringIO()
        code = compile("\n" * line + found[1], name, "exec")
        with contextlib.chdir(folder), contextlib.redirect_stdout(said):
            exec(code, space)
        shown = said.getvalue().rstrip()
        return found[0] + (f"\n\n```output\n{shown}\n```" if shown else "")

    return BLOCK.sub(one, text)


# ---- Markdown to HTML ------------------------------------------------------------------------

WORDS = re.compile(
    r"""(?P<c>\#[^\n]*)|(?P<s>[rbf]?("{3}.*?"{3}|"[^"\n]*"|'[^'\n]*'))"""
    rf"|(?P<k>\b({'|'.join(keyword.kwlist)})\b)"
    r"|(?P<n>\b\d[\d_.]*(e[+-]?\d+)?\b)",
    re.S,
)


def colored(code: str) -> str:
    """Python with its words marked, for the style sheet."""
    out, at = [], 0
    for m in WORDS.finditer(code):
        out += [escape(code[at : m.start()]), f'<span class="{m.lastgroup}">{escape(m[0])}</span>']
        at = m.end()
    return "".join([*out, escape(code[at:])])


def to_html(text: str) -> str:
    import markdown

    body = markdown.markdown(text, extensions=["fenced_code", "tables", "toc", "sane_lists"])
    body = re.sub(
        r'<code class="language-python">(.*?)</code>',
        lambda m: f"<code>{colored(unescape(m[1]))}</code>",
        body,
        flags=re.S,
    )
    body = re.sub(
        r'<pre><code class="language-output">(.*?)</code></pre>',
        r'<pre class="output"><code>\1</code></pre>',
        body,
        flags=re.S,
    )
    body = body.replace("<table>", '<div class="wide"><table>')
    body = body.replace("</table>", "</table></div>")
    return re.sub(r'href="([^":]+?)\.md(#[^"]*)?"', r'href="\1.html\2"', body)


def defined(pages) -> dict[str, str]:
    """Where each equation is: tag to page."""
    return {
        tag: p.path
        for p in pages
        if p.section == "theory"
        for tag in re.findall(r"^\*\*([A-Z]{2}\.\d+)\*\*", p.text, re.M)
    }


def linked(body: str, page: Page, tags: dict[str, str]) -> str:
    """Tags as anchors where they are defined, as links where they are mentioned."""
    if page.section == "theory":
        body = re.sub(
            r"<strong>([A-Z]{2}\.\d+)</strong>",
            r'<strong id="\1"><a href="#\1">\1</a></strong>',
            body,
        )

    def mention(m):
        return f'<a href="{page.up}{tags[m[1]]}#{m[1]}">{m[1]}</a>' if m[1] in tags else m[0]

    parts = re.split(r"(<pre.*?</pre>|<a .*?</a>|<[^>]*>)", body, flags=re.S)
    return "".join(x if i % 2 else TAG.sub(mention, x) for i, x in enumerate(parts))


# ---- pages -----------------------------------------------------------------------------------


def written() -> list[Page]:
    """Pages that people wrote."""
    found = sorted(p for p in HERE.rglob("*.md"))
    out = []
    for p in found:
        text = p.read_text(encoding="utf-8")
        path = p.relative_to(HERE).with_suffix(".html").as_posix()
        out.append(Page(path, text.splitlines()[0].lstrip("# "), text))
    return out


def equation_index(pages) -> Page:
    """Every tagged equation, with its page and the code that uses it."""
    tags = defined(pages)
    used: dict[str, list[str]] = {}
    for file in sorted((ROOT / "src").rglob("*.py")):
        for tag in set(re.findall(r"#[^#\n]*?\b([A-Z]{2}\.\d+)\b[ \t]*$", file.read_text(), re.M)):
            used.setdefault(tag, []).append(file.relative_to(ROOT / "src" / "torseur").as_posix())
    titles = {p.path: p.title for p in pages}
    order = sorted(tags.items(), key=lambda x: (x[1], x[0][:2], int(x[0][3:])))
    users = {tag: ", ".join(f"`{f}`" for f in used.get(tag, ())) for tag in tags}
    rows = "\n".join(f"| {tag} | {titles[path]} | {users[tag]} |" for tag, path in order)
    return Page(
        "theory/index.html",
        "Every equation",
        f"# Every equation\n\n| Equation | Page | Used by |\n|---|---|---|\n{rows}\n",
    )


def every_page() -> list[Page]:
    sys.path.insert(0, str(HERE))
    import reference

    pages = written()
    return [
        *pages,
        equation_index(pages),
        *(
            Page(f"reference/{name}.html", title, text, html)
            for name, title, text, html in reference.pages()
        ),
    ]


def menu(pages, here: Page) -> str:
    """Links to every page, in sections."""

    def link(p):
        now = ' aria-current="page"' if p is here else ""
        return f'<li><a href="{here.up}{p.path}"{now}>{escape(p.title)}</a></li>'

    top = sorted((p for p in pages if not p.section), key=lambda p: p.path != "index.html")
    out = [f"<ul>{''.join(map(link, top))}</ul>"]
    for section, title in SECTIONS.items():
        first = FIRST.get(section, [])
        inside = sorted(
            (p for p in pages if p.section == section),
            key=lambda p: (
                first.index(s) if (s := Path(p.path).stem) in first else len(first),
                p.title.lower(),
            ),
        )
        is_open = " open" if here.section == section or section == "tutorials" else ""
        out.append(
            f"<details{is_open}><summary>{title}</summary>"
            f"<ul>{''.join(map(link, inside))}</ul></details>"
        )
    return "".join(out)


def build(out: Path, execute: bool = True) -> list[Page]:
    """Write the whole site into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    pages = every_page()
    tags = defined(pages)
    template = (HERE / "site" / "page.html").read_text(encoding="utf-8")
    (out / "style.css").write_text((HERE / "site" / "style.css").read_text())
    shutil.copytree(HERE / "images", out / "images", dirs_exist_ok=True)
    for p in pages:
        path = out / p.path
        text = p.text
        if execute and (p.path == "index.html" or p.section in ("tutorials", "how_to", "gallery")):
            text = run(text, path.parent, p.path)
        body = linked(text if p.html else to_html(text), p, tags)
        path.parent.mkdir(parents=True, exist_ok=True)
        filled = (
            template.replace("{{title}}", escape(p.title))
            .replace("{{up}}", p.up)
            .replace("{{menu}}", menu(pages, p))
            .replace("{{body}}", body)
        )
        path.write_text(filled, encoding="utf-8")
    return pages


def broken_links(out: Path) -> list[str]:
    """Links of the site that lead nowhere, within it or out of it."""
    texts = {
        p.relative_to(out).as_posix(): p.read_text(encoding="utf-8") for p in out.rglob("*.html")
    }
    bad = []
    for name, text in texts.items():
        if "torseur-site" not in text[:400]:  # a report: its own tests look at it
            continue
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            target = unescape(target)
            if re.match(r"[a-z]+:", target):
                bad.append(f"{name}: {target} leaves the site")
                continue
            file, _, anchor = target.partition("#")
            where = os.path.normpath(os.path.join(os.path.dirname(name), file)) if file else name
            where = where.replace(os.sep, "/")
            if not (out / where).exists():
                bad.append(f"{name}: {target} is not there")
            elif anchor and where in texts and f'id="{anchor}"' not in texts[where]:
                bad.append(f"{name}: {target} has no such place")
    return bad


def main() -> int:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"
    pages = build(out)
    bad = broken_links(out)
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"{len(pages)} pages in {out}; open {out / 'index.html'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
