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
from .machine import Code, compiler_identity

FILE_SIGNATURE = b"torseur\x01"
MAX_ENTRIES = 4096
MAX_ENTRY_BYTES = 500_000_000  # of an entry
MAX_IMPORTED_ENTRIES = 1024
_IMPORTED: dict[str, bytes] = {}
_SHARED_ENTRIES: dict[str, bytes] = {}
_RECORDERS: list[dict[str, bytes]] = []
_LOCK = threading.Lock()
# entries to write before a folder is looked through again
_WRITES_BEFORE_PRUNING: dict[Path, int] = {}
PARTIAL_FILE_AGE = 3600.0  # seconds after which a partial file is nobody's; clocks may be set back
# ns after which a change of a file has another time than the one before it
MTIME_RESOLUTION = 2_000_000_000
PACKAGES_ABOVE = frozenset(
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
        "simulation",
        "solve",
        "studies",
        "symbolic",
        "vehicles",
    }
)


def folder() -> Path | None:
    """Where entries live, or None if they are not wanted."""
    setting = os.environ.get("TORSEUR_CACHE")
    if setting is not None:
        return (
            None
            if setting.strip().lower() in ("", "off")
            else Path(setting).expanduser() / "kernels"
        )
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "torseur" / "kernels"


@cache
def digest_sources() -> str:
    """Digest of the text that code depends on: code made by other sources is not ours.

    Rooms that only use kernels are left out (the rule of imports keeps them out of here, and
    native integrators are stamped by their own text); a room not named here is counted in.  Kept
    under what the system says of these files, so that they are read once after they changed.
    """
    root = str(Path(__file__).resolve().parents[2])
    files = sorted(_scan_sources(root))
    name = hashlib.sha256(repr((root, files)).encode()).hexdigest()
    if (cached := load_entry(name)) is not None:
        return cached[1].decode()
    digest = hashlib.sha256()
    for path, *_ in files:
        with open(path, "rb", buffering=0) as file:
            digest.update(path[len(root) :].encode() + b"\0" + file.read())
    text = digest.hexdigest()
    if max(when for _, *times in files for when in times[2:]) < time.time_ns() - MTIME_RESOLUTION:
        store_entry(name, {}, text.encode())
    return text


def _scan_sources(folder: str) -> Iterator[tuple[str, int, int, int, int]]:
    """Files of the sources: path, number and size, and when text [ns] and entry [ns] changed."""
    with os.scandir(folder) as entries:
        for item in entries:
            if item.name.endswith(".py"):
                status = item.stat()
                times = status.st_mtime_ns, status.st_ctime_ns
                yield item.path, status.st_ino, status.st_size, *times
            elif item.name not in PACKAGES_ABOVE and item.name != "__pycache__" and item.is_dir():
                yield from _scan_sources(item.path)


def entry_name(key: bytes, part: str) -> str:
    """Name of an entry: what the caller says, the part, the machine, and these sources."""
    parts = (key.hex(), part, compiler_identity(), digest_sources())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def load_entry(name: str) -> tuple[dict, bytes] | None:
    """Description and code of an entry, if it is there and sound."""
    try:
        if name in _IMPORTED and (entry := _unpack_entry(name, _IMPORTED[name])) is not None:
            return entry
        path = folder()
        if path is None or not is_sheltered(path):
            return None
        flags = os.O_RDONLY | sum(
            getattr(os, n, 0) for n in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK")
        )  # a pipe is opened at once, and seen to be none of ours
        with open(os.open(path / name, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not is_private(status, stat.S_ISREG) or status.st_size > MAX_ENTRY_BYTES:
                return None
            data = file.read()
        return _unpack_entry(name, data)
    except (OSError, ValueError, struct.error, KeyError, RuntimeError):
        return None


def store_entry(name: str, description: dict, code: bytes) -> None:
    """Write an entry, whole or not at all."""
    with contextlib.suppress(OSError, RuntimeError, ArgumentError):
        path = folder()
        if path is None:
            return
        if private_folder(path):
            with whole(path / name, 0o600, sync=False) as partial:  # a torn entry is ignored
                partial.write_bytes(_pack_entry(name, description, code))
            writes_left = _WRITES_BEFORE_PRUNING.get(path, 0) - 1
            _WRITES_BEFORE_PRUNING[path] = writes_left if writes_left > 0 else _prune_entries(path)


def entry_name_of_text(text: str, level: int, inline: bool) -> str:
    """Name of the entry of a text's code, as `machine.compile_module` makes it."""
    source = f"{level} {inline}\n{text}".encode()
    return entry_name(hashlib.sha256(source).digest(), "text")


def load_code_of_text(name: str) -> bytes:
    """Code that an entry of a text holds."""
    if (entry := load_entry(name)) is None:
        raise KernelError(f"no code is kept as {name}")
    return entry[1]


def load_or_build(name: str, link: Callable[[bytes], Code], build: Callable[[], bytes]) -> Code:
    """Code from its entry, or built and kept there; without a name only built."""
    if name and (entry := load_entry(name)) is not None:
        with contextlib.suppress(RuntimeError, KernelError):  # sound, but LLVM does not want it
            code = link(entry[1])
            _touch_entry(name)
            return code
    data = build()
    code = link(data)
    if name:
        store_entry(name, {}, data)
    return code


def _touch_entry(name: str) -> None:
    """An entry that something new goes back to is forgotten no sooner than that."""
    with contextlib.suppress(OSError, RuntimeError):
        if (path := folder()) is not None:
            os.utime(path / name, follow_symlinks=False)


def load_or_build_shared(
    key: bytes,
    part: str,
    symbols: tuple[str, ...],
    calls: tuple[str, ...],
    build: Callable[[], bytes],
) -> Code:
    """Code that every model uses, from its cache entry or built; it travels with any work."""
    return load_or_build_entry(entry_name(key, part), symbols, calls, build)


def load_or_build_entry(
    name: str, symbols: tuple[str, ...], calls: tuple[str, ...], build: Callable[[], bytes]
) -> Code:
    """As `load_or_build_shared`, for an entry whose name is known."""
    code = load_or_build(name, lambda data: Code(data, symbols, calls), build)
    _SHARED_ENTRIES[name] = _pack_entry(name, {}, code.data)
    return code


@contextlib.contextmanager
def gathered() -> Iterator[dict[str, bytes]]:
    """Entries of the code that is made ready meanwhile, and of what every model uses."""
    entries: dict[str, bytes] = {}
    with _LOCK:
        _RECORDERS.append(entries)
    try:
        yield entries
    finally:
        with _LOCK:
            _RECORDERS[:] = [x for x in _RECORDERS if x is not entries]
        entries.update(_SHARED_ENTRIES)


def record_entry(name: str, describe: Callable[[], dict], code: Code) -> None:
    """Some code has been made ready: it is gathered, if somebody does."""
    with _LOCK:
        if _RECORDERS:
            packed = _pack_entry(name, describe(), code.data)
            for recorder in _RECORDERS:
                recorder[name] = packed


def carry(entries: Mapping[str, bytes]) -> None:
    """Take up entries that came from another process, in memory only."""
    with _LOCK:
        _IMPORTED.update(entries)
        while len(_IMPORTED) > MAX_IMPORTED_ENTRIES:
            _IMPORTED.pop(next(iter(_IMPORTED)))


def _pack_entry(name: str, description: dict, code: bytes) -> bytes:
    text = json.dumps({"entry": name, **description}).encode()
    rest = struct.pack("<I", len(text)) + text + code
    return FILE_SIGNATURE + hashlib.sha256(rest).digest() + rest


def _unpack_entry(name: str, data: bytes) -> tuple[dict, bytes] | None:
    head = len(FILE_SIGNATURE) + 32
    rest = data[head:]
    if (
        data[: len(FILE_SIGNATURE)] != FILE_SIGNATURE
        or hashlib.sha256(rest).digest() != data[len(FILE_SIGNATURE) : head]
    ):
        return None
    (length,) = struct.unpack_from("<I", rest)
    description = json.loads(rest[4 : 4 + length])
    return (description, rest[4 + length :]) if description["entry"] == name else None


def _prune_entries(folder: Path) -> int:
    """Forget the oldest half once there are too many, and what killed processes left behind.

    Gives the number of entries to write before the next look: it lists the whole folder.
    """
    names = os.listdir(folder)
    for name in names:
        if name.startswith("."):
            path = folder / name
            with contextlib.suppress(OSError):
                if abs(time.time() - path.stat().st_mtime) > PARTIAL_FILE_AGE:
                    path.unlink()
    if len(names) <= MAX_ENTRIES:
        return (MAX_ENTRIES - len(names)) // 8
    paths = sorted((folder / n for n in names), key=lambda p: p.stat().st_mtime)
    for path in paths[: len(paths) // 2]:
        path.unlink(missing_ok=True)
    return MAX_ENTRIES // 16


# --------------------------------------------------------------------------------------------
# Facts of a system that a graph tells, kept in the cache beside its kernels.


def remembered(key: bytes | None, make: Callable[[], Any]) -> Any:
    """What `make` gives, in lists, numbers and texts: from the cache, where the same sources kept
    it under this key, a digest of all that it depends on; None keeps nothing."""
    if key is None:
        return make()
    name = entry_name(key, "facts")
    if (entry := load_entry(name)) is not None:
        return entry[0]["facts"]
    facts = make()
    store_entry(name, {"facts": facts}, b"")
    return facts
