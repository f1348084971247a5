"""Mutated files: each is read, or refused in a sentence that says where; nothing else comes out.

    python tests/soak/fuzz.py --files 10000 --seed 7 [--only yaml mjcf] [--keep folder]

Every file may take 10 s of work and 1 GB.  Files run in child processes, so that a reader that
hangs in foreign code, or ends the process, is found too; file k of a seed is always the same one.
"""

import argparse
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from soak.mutate import MUTATIONS
from soak.seeds import Kind, kinds

import torseur as ts

SECONDS, BYTES = 10.0, 1_000_000_000
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # files that live for milliseconds
RAW = re.compile(
    r"not foreseen|NoneType|Traceback|<class|<function|<object|object at 0x|unhashable|iterable"
    r"|subscriptable"
    r"|\b\w*(?:Error|Exception)\b|positional argument|keyword argument|literal for|dtype"
    r"|could not convert|unsupported operand|'(?:int|float|str|list|dict|tuple|bool|bytes)'"
    r"|\bnp\.|\barray\(|Fraction\(|Node\(|Value\(|not enough values|too many values|index out of|"
    r"math domain|has no attribute|must be str|must be real|codec can't|sequence item|truth value"
)
"""What a sentence for users never says."""


class Late(BaseException):
    """A file takes longer than it may."""


def verdict(kind: Kind, path: Path) -> str:
    """Nothing when a file is read or refused as it should, else what is wrong with the answer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind.read(path)
    except ts.TorseurError as e:
        said = getattr(e, "problems", None) or [str(e)]
        placed = (path.name, *kind.beside, *[path.stem] * (len(path.stem) > 1))
        own = path.read_bytes() if path.is_file() else b""
        for text in said:
            found = RAW.search(_unquoted(text))
            if found and not (found[0][0] == "'" and found[0][1:-1].encode() in own):
                return f"raw {found[0]!r}: {text[:300]}"
            if not any(n in text for n in placed) and not text.startswith("..."):
                return f"no place: {text[:300]}"
    except Late:
        return f"late: more than {SECONDS} s"
    except MemoryError:
        return "memory: more than 1 GB"
    except Exception as e:
        frame = e.__traceback__
        while frame.tb_next is not None:
            frame = frame.tb_next
        where = Path(frame.tb_frame.f_code.co_filename).name
        return f"foreign {type(e).__name__} in {where}:{frame.tb_lineno}: {str(e)[:200]}"
    return ""


def _unquoted(text: str) -> str:
    """A sentence without what it quotes of the file."""
    return re.sub(
        r"(?<!\w)(['\"])(?!(?:int|float|str|list|dict|tuple|bool|bytes)\1).*?\1", "''", text
    )


def mutant(kind: Kind, rng: random.Random) -> bytes:
    """One file."""
    data = rng.choice(kind.seeds)
    return rng.choice(MUTATIONS[kind.form])(data, rng, kind.seeds)


def turn(made: dict[str, Kind], names: list[str], k: int) -> str:
    """Whose turn it is: the next format's, but for a slow one, which is passed over mostly."""
    rounds, i = divmod(k, len(names))
    while len(names) > 1 and rounds % made[names[i]].every:
        i = (i + 1) % len(names)
    return names[i]


def one(kinds_by_name: dict[str, Kind], names: list[str], seed: int, k: int, folder: Path):
    """File k of a seed: its kind, its bytes and its verdict."""
    rng = random.Random(f"{seed} {k}")
    name = turn(kinds_by_name, names, k)
    kind = kinds_by_name[name]
    data = mutant(kind, rng)
    path = place(kind, folder / name)
    path.write_bytes(data)
    return name, data, verdict(kind, path)


def place(kind: Kind, folder: Path) -> Path:
    """Where files of a kind stand, beside the others of their folder."""
    if not folder.is_dir():
        for other, content in kind.beside.items():
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            (folder / other).write_bytes(content)
        (folder / kind.name).parent.mkdir(parents=True, exist_ok=True)
    return folder / kind.name


def _late(*_):
    raise Late


def worker(made, names, seed, first, last, folder, out) -> None:
    """Files first to last, in this process; each is announced before it is read."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
    signal.signal(signal.SIGPROF, _late)
    with open(out, "a") as file:
        for k in range(first, last):
            print(json.dumps({"begin": k}), file=file, flush=True)
            before = time.perf_counter()
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                name, data, said = one(made, names, seed, k, folder)
            except Late:
                name, data, said = turn(made, names, k), b"", f"late: more than {SECONDS} s"
            signal.setitimer(signal.ITIMER_PROF, 0)
            told = {"end": k, "name": name, "said": said, "s": time.perf_counter() - before}
            if said:
                told["data"] = data.decode("latin-1")
            print(json.dumps(told), file=file, flush=True)


def run(files: int, seed: int, only=None, slice_: int = 500, first: int = 0):
    """Verdicts of so many files: (k, kind, said, data) of every bad one, and all times."""
    made = kinds()
    names = sorted(only or made)
    bad, times = [], []
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder, k = Path(name), first
        for word in names:  # whole: what they import is then there in every child
            place(made[word], folder / word).write_bytes(made[word].seeds[0])
            assert not verdict(made[word], folder / word / made[word].name)
        while k < first + files:
            out = folder / "told"
            out.unlink(missing_ok=True)
            last = min(k + slice_, first + files)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    worker(made, names, seed, k, last, folder, out)
                    code = 0
                finally:
                    os._exit(code)
            status = _wait(child, out, (last - k) * SECONDS)
            for line in out.read_text().splitlines():
                told = json.loads(line)
                if "begin" in told:
                    k = told["begin"] + 1
                    continue
                times.append((told["s"], told["name"]))
                if told["said"]:
                    bad.append((told["end"], told["name"], told["said"], told["data"]))
            if status:
                bad.append((k - 1, turn(made, names, k - 1), f"died: {status}", ""))
    return bad, times


def _wait(child: int, out: Path, most: float) -> str:
    """How a child ended; one that stands still for longer than a file may is killed."""
    size, since = -1, time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return "" if status == 0 else f"status {status}"
        now = out.stat().st_size if out.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > 12 * SECONDS:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"nothing for {12 * SECONDS:g} s"
        time.sleep(0.01)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--only", nargs="+", help="formats")
    parser.add_argument("--keep", type=Path, help="write bad files there")
    args = parser.parse_args()
    bad, times = run(args.files, args.seed, args.only, first=args.first)
    slowest = max(times, default=(0.0, ""))
    print(f"{args.files} files, seed {args.seed}: {len(bad)} bad; slowest {slowest[0]:.2f} s")
    counts = Counter(re.sub(r"\d+", "#", said)[:110] for _, _, said, _ in bad)
    shown = {}
    for k, name, said, _ in bad:
        shown.setdefault(re.sub(r"\d+", "#", said)[:110], (k, name, said))
    for key, n in counts.most_common(60):
        k, name, said = shown[key]
        print(f"{n:6d} x {name} file {k}: {said[:240]}")
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        for k, name, _, data in bad:
            (args.keep / f"{args.seed}_{k}_{name}").write_bytes(data.encode("latin-1"))
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
