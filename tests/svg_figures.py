"""SVG figures of pages, read back as numbers through the ticks of their axes."""

import re
import xml.etree.ElementTree as ET

import numpy as np


class FigureNumbers:
    """Axes from their texts and places, curves and areas as values."""

    def __init__(self, html: str):
        root = ET.fromstring(re.sub(r" (data-say|data-[a-z]+)(?=[ />])", "", html))
        self.svg = root.find("svg")
        self.title = root.find("figcaption/b").text
        self.texts = [(e.text, float(e.get("x")), float(e.get("y")), e.get("text-anchor"))
                      for e in self.svg.findall("text")]  # fmt: skip
        self.legend = [(e.find("span").text, e.find("i").get("style").removeprefix("background:"))
                       for e in root.findall("figcaption/span")]  # fmt: skip
        ends = [t for t in self.texts if t[3] == "end" and is_number(t[0])]
        mids = [t for t in self.texts if t[3] == "middle"]
        grid = [p for p in self.svg.findall("path") if "H" in p.get("d")]
        heights = [float(re.match(r"M[\d.]+ ([\d.]+)H", p.get("d"))[1]) for p in grid]
        self.x = np.polyfit([t[1] for t in mids], [number(t[0]) for t in mids], 1)
        self.y = np.polyfit(heights, [number(t[0]) for t in ends], 1)
        self.heights = heights
        self.ends = ends

    def curves(self):
        """Stroke, dashes and values (x, y) of every curve."""
        for p in self.svg.findall("path"):
            if p.get("fill") == "none":
                yield p.get("stroke"), p.get("stroke-dasharray"), self.values(p)

    def areas(self):
        for p in self.svg.findall("path"):
            if p.get("fill-opacity"):
                yield p.get("fill"), self.values(p)

    def values(self, path):
        points = [p.split() for p in path.get("d").rstrip("Z")[1:].split("L")]
        u, v = np.array(points, dtype=float).T
        return np.polyval(self.x, u), np.polyval(self.y, v)


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def is_number(text: str | None) -> bool:
    return text is not None and re.fullmatch("\N{MINUS SIGN}?[\\d.e+-]+", text) is not None


def read_figures(html: str) -> dict[str, FigureNumbers]:
    """Every figure of a page, by its title."""
    found = re.findall(r"<figure>.*?</figure>", html, re.S)
    return {f.title: f for f in map(FigureNumbers, found)}
