"""Object code kept on disk, in a folder that only its owner can touch.

An entry is a file: a mark, the digest of the rest, then the length of a description in JSON,
that description, and the code.  Whatever is not exactly as it was written by the owner
(truncated, altered, misplaced, writable by others) is ignored before LLVM sees a byte of it,
and written again.  Nothing that goes wrong here is fatal: the kernel is compiled instead.

The environment variable `TORSEUR_CACHE` names another folder; empty or `off` disables.

Code is kept by its text, and the entry of a kernel says which that is.  A system of the same text,
with other numbers in its tables or for its parameters, finds the code too.

Entries also travel: `gathered` collects those that some work uses, `carry` takes them up in another
process, where they are looked for before the folder.  Their names say for which machine, compiler
and sources they are, so that elsewhere they are not found.
"""

import contextlib
import hashlib
import json
import os
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import ArgumentError, KernelError
from ...files import is_private, is_sheltered, private_folder, whole
from .machine import Code, identity

MARK = b"torseur\x01"
MOST_ENTRIES = 4096
MOST_BYTES = 500_000_000  # of an entry
MOST_CARRIED = 1024
_CARRIED: dict[str, bytes] = {}
_COMMON: dict[str, bytes] = {}
_GATHERING: list[dict[str, bytes]] = []
_LOCK = threading.Lock()
_LOOKS: dict[Path, int] = {}  # entries to write before a folder is looked through again
STALE = 3600.0  # seconds after which a partial file is nobody's; clocks may be set back
SETTLED = 2_000_000_000  # ns after which a change of a file has another time than the one before it
ABOVE = frozenset(
    {
        "cli",
        "control",
        "crash",
        "extend",
        "fmu",
        "identify",
        "integrate",
        "results",
        "robots",
        "show",
        "signal_processing",
        "simulation",
        "solve",
        "studies",
        "symbolic",
        "vehicles",
    }
)


def folder() -> Path | None:
    """Where entries live, or None if they are not wanted."""
    told = os.environ.get("TORSEUR_CACHE")
    if told is not None:
        return None if told.strip().lower() in ("", "off") else Path(told).expanduser() / "kernels"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "torseur" / "kernels"


@cache
def sources() -> str:
    """Digest of the text that code depends on: code made by other sources is not ours.

    Rooms that only use kernels are left out (the rule of imports keeps them out of here, and
    native integrators are stamped by their own text); a room not named here is counted in.  Kept
    under what the system says of these files, so that they are read once after they changed.
    """
    root = str(Path(__file__).resolve().parents[2])
    seen = sorted(_looked_at(root))
    name = hashlib.sha256(repr((root, seen)).encode()).hexdigest()
    if (found := load(name)) is not None:
        return found[1].decode()
    digest = hashlib.sha256()
    for path, *_ in seen:
        with open(path, "rb", buffering=0) as file:
            digest.update(path[len(root) :].encode() + b"\0" + file.read())
    told = digest.hexdigest()
    if max(when for _, *times in seen for when in times[2:]) < time.time_ns() - SETTLED:
        store(name, {}, told.encode())
    return told


def _looked_at(folder: str) -> Iterator[tuple[str, int, int, int, int]]:
    """Files of the sources: path, number and size, and when text [ns] and entry [ns] changed."""
    with os.scandir(folder) as found:
        for one in found:
            if one.name.endswith(".py"):
                told = one.stat()
                times = told.st_mtime_ns, told.st_ctime_ns
                yield one.path, told.st_ino, told.st_size, *times
            elif one.name not in ABOVE and one.name != "__pycache__" and one.is_dir():
                yield from _looked_at(one.path)


def entry(key: bytes, part: str) -> str:
    """Name of an entry: what the caller says, the part, the machine, and these sources."""
    words = (key.hex(), part, identity(), sources())
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def load(name: str) -> tuple[dict, bytes] | None:
    """Description and code of an entry, if it is there and sound."""
    try:
        if name in _CARRIED and (found := _unpack(name, _CARRIED[name])) is not None:
            return found
        place = folder()
        if place is None or not is_sheltered(place):
            return None
        flags = os.O_RDONLY | sum(
            getattr(os, n, 0) for n in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK")
        )  # a pipe is opened at once, and seen to be none of ours
        with open(os.open(place / name, flags), "rb") as file:
            told = os.fstat(file.fileno())
            if not is_private(told, stat.S_ISREG) or told.st_size > MOST_BYTES:
                return None
            data = file.read()
        return _unpack(name, data)
    except (OSError, ValueError, struct.error, KeyError, RuntimeError):
        return None


def store(name: str, description: dict, code: bytes) -> None:
    """Write an entry, whole or not at all."""
    with contextlib.suppress(OSError, RuntimeError, ArgumentError):
        place = folder()
        if place is None:
            return
        if private_folder(place):
            with whole(place / name, 0o600, sync=False) as partial:  # a torn entry is ignored
                partial.write_bytes(_pack(name, description, code))
            left = _LOOKS.get(place, 0) - 1
            _LOOKS[place] = left if left > 0 else _prune(place)


def of_text(text: str, level: int, inline: bool) -> str:
    """Name of the entry of a text's code, as `machine.assemble` makes it."""
    told = f"{level} {inline}\n{text}".encode()
    return entry(hashlib.sha256(told).digest(), "text")


def known(name: str) -> bytes:
    """Code that an entry of a text holds."""
    if (found := load(name)) is None:
        raise KernelError(f"no code is kept as {name}")
    return found[1]


def ready(name: str, link: Callable[[bytes], Code], build: Callable[[], bytes]) -> Code:
    """Code from its entry, or built and kept there; without a name only built."""
    if name and (found := load(name)) is not None:
        with contextlib.suppress(RuntimeError, KernelError):  # sound, but LLVM does not want it
            code = link(found[1])
            _young(name)
            return code
    data = build()
    code = link(data)
    if name:
        store(name, {}, data)
    return code


def _young(name: str) -> None:
    """An entry that something new goes back to is forgotten no sooner than that."""
    with contextlib.suppress(OSError, RuntimeError):
        if (place := folder()) is not None:
            os.utime(place / name, follow_symlinks=False)


def common(
    key: bytes, part: str, symbols: tuple[str, ...], calls: tuple[str, ...], build: Callable
) -> Code:
    """Code that every model uses, from its entry or built; it travels with any work."""
    name = entry(key, part)
    code = ready(name, lambda data: Code(data, symbols, calls), build)
    _COMMON[name] = _pack(name, {}, code.data)
    return code


@contextlib.contextmanager
def gathered() -> Iterator[dict[str, bytes]]:
    """Entries of the code that is made ready meanwhile, and of what every model uses."""
    own: dict[str, bytes] = {}
    with _LOCK:
        _GATHERING.append(own)
    try:
        yield own
    finally:
        with _LOCK:
            _GATHERING[:] = [x for x in _GATHERING if x is not own]
        own.update(_COMMON)


def used(name: str, describe: Callable[[], dict], code: Code) -> None:
    """Some code has been made ready: it is gathered, if somebody does."""
    with _LOCK:
        if _GATHERING:
            packed = _pack(name, describe(), code.data)
            for own in _GATHERING:
                own[name] = packed


def carry(entries: Mapping[str, bytes]) -> None:
    """Take up entries that came from another process, in memory only."""
    with _LOCK:
        _CARRIED.update(entries)
        while len(_CARRIED) > MOST_CARRIED:
            _CARRIED.pop(next(iter(_CARRIED)))


def _pack(name: str, description: dict, code: bytes) -> bytes:
    text = json.dumps({"entry": name, **description}).encode()
    rest = struct.pack("<I", len(text)) + text + code
    return MARK + hashlib.sha256(rest).digest() + rest


def _unpack(name: str, data: bytes) -> tuple[dict, bytes] | None:
    head = len(MARK) + 32
    rest = data[head:]
    if data[: len(MARK)] != MARK or hashlib.sha256(rest).digest() != data[len(MARK) : head]:
        return None
    (length,) = struct.unpack_from("<I", rest)
    description = json.loads(rest[4 : 4 + length])
    return (description, rest[4 + length :]) if description["entry"] == name else None


def _prune(place: Path) -> int:
    """Forget the oldest half once there are too many, and what killed processes left behind.

    Gives the number of entries to write before the next look: it lists the whole folder.
    """
    names = os.listdir(place)
    for name in names:
        if name.startswith("."):
            path = place / name
            with contextlib.suppress(OSError):
                if abs(time.time() - path.stat().st_mtime) > STALE:
                    path.unlink()
    if len(names) <= MOST_ENTRIES:
        return (MOST_ENTRIES - len(names)) // 8
    paths = sorted((place / n for n in names), key=lambda p: p.stat().st_mtime)
    for path in paths[: len(paths) // 2]:
        path.unlink(missing_ok=True)
    return MOST_ENTRIES // 16


# --------------------------------------------------------------------------------------------
# Facts of a system that a graph tells, kept in the cache beside its kernels.


def remembered(key: bytes | None, make: Callable[[], Any]) -> Any:
    """What `make` gives, in lists, numbers and texts: from the cache, where the same sources kept
    it under this key, a digest of all that it depends on; None keeps nothing."""
    if key is None:
        return make()
    name = entry(key, "facts")
    if (found := load(name)) is not None:
        return found[0]["facts"]
    facts = make()
    store(name, {"facts": facts}, b"")
    return facts
