"""Every leaf of every seed file replaced by every wrong kind of value, in turn; none by chance.

    python tests/soak/leaves.py [--only yaml case] [--every 7 --first 0]

A file with one wrong leaf is read, or refused in a sentence that says where, as in `fuzz.py`.
"""

import argparse
import copy
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import yaml
from soak.fuzz import MEMORY, verdict
from soak.mutate import DUMPER, LOADER
from soak.seeds import Kind, kinds

WRONG = ([], {}, [[]], [{}], {"a": 1}, [1, [2]], [[1], [2, 3]], "", None, True, -1, 1e300, "x")
FORMS = ("yaml", "json")


def leaves(tree, path=()) -> Iterator[tuple]:
    """Paths of every node below the top."""
    if not isinstance(tree, dict | list):
        return
    for key, x in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield (*path, key)
        yield from leaves(x, (*path, key))


def changed(kind: Kind, every: int, first: int) -> Iterator[tuple[str, bytes]]:
    """Files with one node of a wrong kind, and which."""
    trees = [yaml.load(s, Loader=LOADER) for s in kind.seeds]
    every_one = (
        (k, path, wrong) for k, x in enumerate(trees) for path in leaves(x) for wrong in WRONG
    )
    for k, path, wrong in islice(every_one, first, None, every):
        new = copy.deepcopy(trees[k])
        parent = new
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = copy.deepcopy(wrong)
        text = json.dumps(new) if kind.form == "json" else yaml.dump(new, Dumper=DUMPER)
        yield f"seed {k}, {'.'.join(map(str, path))} = {wrong!r}", text.encode()


def run(only=None, every: int = 1, first: int = 0) -> tuple[int, list[str]]:
    """How many files were read, and what is wrong with the answers to some."""
    count, bad = 0, []
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        for word, kind in kinds().items():
            if kind.form not in FORMS or (only and word not in only):
                continue
            place = Path(name) / word
            for other, content in kind.beside.items():
                (place / other).parent.mkdir(parents=True, exist_ok=True)
                (place / other).write_bytes(content)
            target = place / kind.name
            target.parent.mkdir(parents=True, exist_ok=True)
            for what, data in changed(kind, every, first % every):
                target.write_bytes(data)
                count += 1
                if said := verdict(kind, target):
                    bad.append(f"{word}, {what}: {said}")
    return count, bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    count, bad = run(args.only, args.every, args.first)
    print(f"{count} files: {len(bad)} bad")
    for text in bad:
        print(text[:300])
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
