"""Mutations of files: of bytes, of words and numbers (grammar), and of trees (structure)."""

import copy
import json
import random
import re
import xml.etree.ElementTree as ET

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
NUMBERS = """0 -0 1 -1 2 0.5 1e-12 1e12 1e200 -1e200 1e308 1e400 -1e400 1e-400 nan .nan inf .inf
    -inf
    NaN Infinity 9999999999999999999999 0x10 1_000 1,5 1e 1. .5 --1 +5 1/0 0/0 1e5000 4294967296
    9223372036854775808 3.14159265358979""".split()
WORDS = [
    "", " ", "null", "true", "false", "~", "world", "x", "y", "z", "t", "pi", "L", "name", "5 mm",
    "90 deg", "1 kg", "3 N/mm", "36 km/h", "2 N m", "1 parsec", "sin(t)", "sqrt(-1)", "1/0", "a*b",
    "L**L", "exp(1000)", "2**2**2**2**2", "__import__('os')", "{}", "[]", "'", '"', "\\", "\x07",
    "\u202e", "é", "𝔐", "%s%n", "../../etc/passwd", "/dev/zero", "*a", "&a 1", "!!python/name:os",
    "revolute", "spring", "crush", "contact", "free", "drive", "file", "A" * 300, "=1+1",
]  # fmt: skip
_TOKEN = re.compile(r"[A-Za-z_][\w.]*|[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def a_value(rng: random.Random, depth: int = 0):
    """Any plain value of a tree."""
    kind = rng.randrange(8 if depth < 3 else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind in (1, 2):
        return rng.choice([0, 1, -1, 3, 2.5, 1e-9, 1e200, -1e308, 10**30, 7])
    if kind < 6:
        return rng.choice(WORDS + NUMBERS)
    if kind == 6:
        return [a_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {rng.choice(WORDS[6:]): a_value(rng, depth + 1) for _ in range(rng.randrange(4))}


def bytes_of(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Bits turned, pieces cut out, doubled, swapped, or taken from other files."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        n = len(data)
        at = rng.randrange(n + 1)
        kind = rng.randrange(8)
        if kind == 0 and n:
            data[at % n] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
        elif kind == 2:
            del data[at : at + rng.randrange(1, 60)]
        elif kind == 3:
            data[at:at] = data[at : at + rng.randrange(1, 200)] * rng.choice((1, 2, 30))
        elif kind == 4:
            del data[at:]
        elif kind == 5 and others:
            other = rng.choice(others)
            first = rng.randrange(len(other) + 1)
            data[at:at] = other[first : first + rng.randrange(1, 300)]
        elif kind == 6 and n:
            data[at % n] = rng.choice((0, 9, 10, 13, 0x80, 0xFF, 0x22, 0x27, 0x3C, 0x7B))
        elif kind == 7:
            first = rng.randrange(n + 1)
            size = rng.randrange(1, 100)
            piece = data[first : first + size]
            del data[first : first + size]
            data[at:at] = piece
    return bytes(data)


def grammar_of(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Words and numbers for others, lines doubled, cut out, swapped and moved in."""
    text = data.decode("latin-1")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        lines = text.split("\n")
        if rng.random() < 0.25:
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            kind = rng.randrange(4)
            if kind == 0:
                del lines[i]
            elif kind == 1:
                lines.insert(i, lines[j])
            elif kind == 2:
                lines[i], lines[j] = lines[j], lines[i]
            else:
                lines[i] = " " * rng.randrange(8) + lines[i].lstrip()
            text = "\n".join(lines)
            continue
        found = list(_TOKEN.finditer(text))
        if not found:
            return text.encode("latin-1", "replace")
        m = rng.choice(found)
        new = rng.choice(NUMBERS if m[0][0].isdigit() and rng.random() < 0.7 else WORDS)
        if rng.random() < 0.3:
            new = rng.choice(found)[0]
        text = text[: m.start()] + new + text[m.end() :]
    return text.encode("utf-8", "surrogateescape")


def _places(tree, path=()):
    """Every node of a tree, by its path."""
    yield path
    if isinstance(tree, dict | list):
        for key, x in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _places(x, (*path, key))


def tree_of(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """A YAML or JSON file with nodes of other kinds, without some, with keys of others."""
    tree = yaml.load(data, Loader=LOADER)
    donor = tree
    if others and rng.random() < 0.3:
        donor = yaml.load(rng.choice(others), Loader=LOADER)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = [p for p in _places(tree) if p]
        if not places:
            break
        path = rng.choice(places)
        parent = tree
        for key in path[:-1]:
            parent = parent[key]
        kind = rng.randrange(7)
        if kind <= 2:
            parent[path[-1]] = a_value(rng)
        elif kind == 3:
            del parent[path[-1]]
        elif kind == 4:
            there = donor
            for key in rng.choice(list(_places(donor))):
                there = there[key]
            parent[path[-1]] = copy.deepcopy(there)
        elif kind == 5 and isinstance(parent, dict):
            parent[rng.choice([p[-1] for p in places])] = parent.pop(path[-1])
        elif kind == 6:
            x = parent[path[-1]]
            parent[path[-1]] = [copy.deepcopy(x)] * rng.choice((1, 2, 3)) if x != parent else x
    if data.lstrip()[:1] == b"{" and rng.random() < 0.9:
        return json.dumps(tree, default=str).encode()
    return yaml.dump(tree, Dumper=DUMPER, sort_keys=False, allow_unicode=True).encode()


def xml_of(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """An XML file with attributes and elements changed, moved, doubled and dropped."""
    root = ET.fromstring(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        every = list(root.iter())
        one, kind = rng.choice(every), rng.randrange(7)
        if kind <= 2 and one.attrib:
            key = rng.choice(list(one.attrib))
            old = one.attrib[key].split()
            if len(old) > 1 and rng.random() < 0.7:
                old[rng.randrange(len(old))] = rng.choice(NUMBERS)
                one.attrib[key] = " ".join(old)
            else:
                one.attrib[key] = _printable(rng.choice(WORDS + NUMBERS))
        elif kind == 3 and one.attrib:
            del one.attrib[rng.choice(list(one.attrib))]
        elif kind == 4 and len(one):
            one.remove(rng.choice(list(one)))
        elif kind == 5:
            one.append(copy.deepcopy(rng.choice(every)))
            if len(list(root.iter())) > 3000:
                break
        elif kind == 6:
            other = rng.choice(every)
            one.attrib.update({k: v for k, v in other.attrib.items() if rng.random() < 0.5})
            one.tag = other.tag if rng.random() < 0.3 else one.tag
    return ET.tostring(root)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


MUTATIONS = {
    "yaml": (bytes_of, grammar_of, tree_of, tree_of),
    "json": (bytes_of, grammar_of, tree_of, tree_of),
    "xml": (bytes_of, grammar_of, xml_of, xml_of),
    "text": (bytes_of, grammar_of, grammar_of),
    "binary": (bytes_of,),
}
