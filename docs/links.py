"""Links of the built manual: places that are not there, and what would be asked of other hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "link": "href",
}


class Page(HTMLParser):
    """Anchors, links and loaded files of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[k] for k in ("id", "name") if found.get(k)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in LOADED and found.get(LOADED[tag]):
            self.loaded.append(found[LOADED[tag]])


def faults(folder: Path) -> Iterator[str]:
    """Sentences about links that lead nowhere, and files that are on other hosts."""
    made = (
        p for p in sorted(folder.rglob("*.html")) if p.relative_to(folder).parts[0] != "_static"
    )
    read = {p: Page(p.read_text(encoding="utf-8")) for p in made}  # the theme's own are templates
    for path, page in read.items():
        name = path.relative_to(folder).as_posix()
        for target in dict.fromkeys(page.loaded):
            if re.match(r"(https?:)?//", target):
                yield f"{name} loads {target} from another host"
        for target in dict.fromkeys(page.links + page.loaded):
            if re.match(r"[a-z]+:|//", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            where = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not where.exists():
                yield f"{name}: {target} is not there"
            elif anchor and where in read and anchor not in read[where].anchors:
                yield f"{name}: {target} has no such place"
