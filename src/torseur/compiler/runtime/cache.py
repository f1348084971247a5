"""Persistent cache of object code, in a folder that only its owner can write to.

An entry is a file: a signature, the SHA-256 of the rest, the length of a description in JSON, that
description, and the code.  Files that are truncated, altered, misplaced, or writable by others are
ignored before LLVM sees a byte, and written again.  No error of the cache is fatal: the kernel is
compiled instead.  The environment variable `TORSEUR_CACHE` names another folder.  Empty or `off`
disables the cache.

The cache key of code is a digest of its LLVM text, the target machine and the sources.  The entry
of a kernel names the entry of its text.  So a system with other numbers in its tables or parameters
finds the code too.

Entries can be sent to other processes: `gathered` records the entries that some work uses, `carry`
imports them in another process, where they are looked up before the folder.
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
from ...files import is_private, is_private_folder, make_private_folder, whole
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
PARTIAL_FILE_AGE = 3600.0  # [s] older partial files are deleted; clocks may be set back
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
        "signal_processing",
        "simulation",
        "solve",
        "studies",
        "symbolic",
        "vehicles",
    }
)


def folder() -> Path | None:
    """Folder of the entries.  None if the cache is disabled."""
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
    """SHA-256 of the sources that compiled code depends on.

    Packages that only use kernels are left out (`PACKAGES_ABOVE`).  Native integrators have digests
    of their own text.  The digest is cached under the paths, sizes and times of the files, so that
    the files are read once after a change.
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
    """Files of the sources: path, inode, size, and times of change of data and inode [ns]."""
    with os.scandir(folder) as entries:
        for item in entries:
            if item.name.endswith(".py"):
                status = item.stat()
                times = status.st_mtime_ns, status.st_ctime_ns
                yield item.path, status.st_ino, status.st_size, *times
            elif item.name not in PACKAGES_ABOVE and item.name != "__pycache__" and item.is_dir():
                yield from _scan_sources(item.path)


def entry_name(key: bytes, part: str) -> str:
    """Name of an entry: digest of key, part, target machine, and sources."""
    parts = (key.hex(), part, compiler_identity(), digest_sources())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def load_entry(name: str) -> tuple[dict, bytes] | None:
    """Description and code of an entry.  None if it is missing or damaged."""
    try:
        if name in _IMPORTED and (entry := _unpack_entry(name, _IMPORTED[name])) is not None:
            return entry
        path = folder()
        if path is None or not is_private_folder(path):
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
    """Write an entry atomically.  Errors are ignored."""
    with contextlib.suppress(OSError, RuntimeError, ArgumentError):
        path = folder()
        if path is None:
            return
        if make_private_folder(path):
            with whole(path / name, 0o600, sync=False) as partial:  # a torn entry is ignored
                partial.write_bytes(_pack_entry(name, description, code))
            writes_left = _WRITES_BEFORE_PRUNING.get(path, 0) - 1
            _WRITES_BEFORE_PRUNING[path] = writes_left if writes_left > 0 else _prune_entries(path)


def entry_name_of_text(text: str, level: int, inline: bool) -> str:
    """Name of the entry of a module's code, with the options of `machine.compile_module`."""
    source = f"{level} {inline}\n{text}".encode()
    return entry_name(hashlib.sha256(source).digest(), "text")


def load_code_of_text(name: str) -> bytes:
    """Code of the entry of a text.  Raises `KernelError` if it is missing."""
    if (entry := load_entry(name)) is None:
        raise KernelError(f"the cache has no code of entry {name}")
    return entry[1]


def load_or_build(name: str, link: Callable[[bytes], Code], build: Callable[[], bytes]) -> Code:
    """Code from its entry, or built and stored there.  Without a name only built."""
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
    """Set the time of use of an entry, which pruning reads."""
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
    """Code that all models share, from its entry or built.  Exported with any work."""
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
    """Record the entries of the code that is used inside the block, and the shared ones."""
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
    """Add the entry of some code to the active recorders."""
    with _LOCK:
        if _RECORDERS:
            packed = _pack_entry(name, describe(), code.data)
            for recorder in _RECORDERS:
                recorder[name] = packed


def carry(entries: Mapping[str, bytes]) -> None:
    """Import entries that another process has gathered, in memory only."""
    with _LOCK:
        _IMPORTED.update(entries)
        while len(_IMPORTED) > MAX_IMPORTED_ENTRIES:
            _IMPORTED.pop(next(iter(_IMPORTED)))


def _pack_entry(name: str, description: dict, code: bytes) -> bytes:
    """Bytes of the file of an entry."""
    text = json.dumps({"entry": name, **description}).encode()
    rest = struct.pack("<I", len(text)) + text + code
    return FILE_SIGNATURE + hashlib.sha256(rest).digest() + rest


def _unpack_entry(name: str, data: bytes) -> tuple[dict, bytes] | None:
    """Description and code of the file of an entry.  None if its digest is wrong."""
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
    """Delete the oldest half of the entries once there are too many, and stale partial files.

    Returns the number of entries to write before the next call, which lists the whole folder.
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


def remembered(key: bytes | None, make: Callable[[], Any]) -> Any:
    """Result of `make` (lists, numbers, texts) from the cache, where the same sources stored it.

    `key` is a digest of everything that the result depends on.  None disables the cache.
    """
    if key is None:
        return make()
    name = entry_name(key, "facts")
    if (entry := load_entry(name)) is not None:
        return entry[0]["facts"]
    result = make()
    store_entry(name, {"facts": result}, b"")
    return result
