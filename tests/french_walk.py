"""What a page says to a reader, and what of it is English."""

import re
from html import unescape

from torseur.show.bilingual import SCRIPT_OR_STYLE, TEXT_NODE
from torseur.show.french import ENGLISH_WORDS


def english(texts) -> list[str]:
    """Texts that are not French, names and formulas left out."""
    plain = [re.sub(r"'[^']*'|\S*[._=]\S*", " ", t) for t in texts]
    return [t for t in plain if ENGLISH_WORDS.search(t)]


def untold(html, book) -> list[str]:
    """Texts of a page of one text that its book has no French for: words, names left out."""
    texts = {
        " ".join(unescape(x).split()) for x in TEXT_NODE.findall(SCRIPT_OR_STYLE.sub("", html))
    }
    plain = {t: re.sub(r"'[^']*'|\[[^]]*\]|\S*[._=/\d]\S*", " ", t) for t in texts}
    return [t for t, left in plain.items() if re.search(r"\b[a-z]{3}", left) and book(t) is None]


WALK = r"""(() => {
  const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { parentElement: at, textContent: text } = walk.currentNode;
    if (at.closest("script, style, noscript, math, template, code, h1, #data")) continue;
    if (text.trim()) out.push(text.trim());
  }
  for (const e of document.querySelectorAll("[title], [aria-label], [placeholder]"))
    for (const n of ["title", "aria-label", "placeholder"])
      if (e.hasAttribute(n) && !e.closest("h1, template")) out.push(e.getAttribute(n));
  return out;
})()"""
