"""English and French pages: a phrase catalog, and a button that switches the language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from .french import translate_sentences as french_words

TEXT_NODE = re.compile(r">([^<>]+)<")
SCRIPT_OR_STYLE = re.compile(r"<(script|style)\b.*?</\1>", re.S)


class Phrases:
    """Catalog of English phrases with their French. `{}` matches a part that both share.

    >>> book = Phrases({"time": "temps", "{} at {} ms": "{} à {} ms"})
    >>> book("30.77 g at 68.8 ms"), book("time"), book("body")
    ('30.77 g à 68.8 ms', 'temps', None)
    """

    def __init__(self, translations: Mapping[str, str]):
        self.translations = dict(translations)
        self.patterns = [
            (re.compile(re.escape(k).replace(r"\{\}", "(.+?)")), v)
            for k, v in translations.items()
            if "{}" in k
        ]

    def __call__(self, text: str) -> str | None:
        """Return the French of a text, or None for names, numbers and texts outside the catalog."""
        if text in self.translations:
            return self.translations[text]
        matches = ((p.fullmatch(text), french) for p, french in self.patterns)
        return next((french.format(*m.groups()) for m, french in matches if m), None)

    def translate_html(self, html: str) -> dict[str, str]:
        """Return the French of every text node of an HTML document that the catalog contains."""
        strings = dict.fromkeys(
            " ".join(x.split()) for x in TEXT_NODE.findall(SCRIPT_OR_STYLE.sub("", html))
        )
        return {t: f for t in strings if (f := self(t)) is not None}


BUTTON_STYLE = "#language{position:absolute;top:12px;right:14px;font:inherit;cursor:pointer}"
SWITCH_SCRIPT = r"""(() => {
  const words = %s, places = [];
  const decimal = (t) => t.replace(/(?<![\w.,])(\d+)\.(\d+)(?=$|[^\w.]|e[-+\d]|\.(?!\w))/g, "$1,$2");
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, text = node.textContent.replace(/\s+/g, " ").trim();
    if (text && !node.parentElement.closest("script, style, pre, #language")) places.push([node, node.textContent, text]);
  }
  const page = window.bilingual = { language: "en",
    say: (text) => (page.language === "fr" ? words[text] ?? text : text),
    number: (text) => (page.language === "fr" ? decimal(text) : text) };
  const button = document.getElementById("language");
  function speak(language) {
    page.language = document.documentElement.lang = language;
    for (const [node, own, text] of places)
      node.textContent = language === "fr" ? own.replace(own.trim(), decimal(words[text] ?? text)) : own;
    button.textContent = language === "fr" ? "EN" : "FR";
    button.setAttribute("aria-label", language === "fr" ? "English" : "Français");
    document.dispatchEvent(new Event("spoken"));
  }
  button.addEventListener("click", () => speak(page.language === "fr" ? "en" : "fr"));
  const asked = new URLSearchParams(location.hash.slice(1)).get("lang") ?? (navigator.language ?? "en").slice(0, 2);
  speak(asked === "fr" ? "fr" : "en");
})();"""


def switch(
    html: str, book: Phrases, scripts: Iterable[str] = (), outcomes: Iterable[str] = ()
) -> str:
    """Return the HTML of a button that switches the language of a page, with its script.

    Append it to the body. The script translates text nodes by the catalog `book` and writes decimal
    commas in numbers. `scripts` are texts that the scripts of the page translate by
    `bilingual.say`. `outcomes` are sentences of runs. The page starts in the language of the
    browser, or of `#lang=fr` in the address.
    """
    translations = book.translate_html(html) | {t: f for t in scripts if (f := book(t)) is not None}
    translations |= french_words(outcomes)
    text = json.dumps(translations, ensure_ascii=False).replace("<", "\\u003c")
    button = f'<style>{BUTTON_STYLE}</style><button type="button" id="language"></button>'
    return f"{button}<script>{SWITCH_SCRIPT % text}</script>"
