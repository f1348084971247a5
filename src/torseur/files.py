"""Files written whole or not at all, and folders that only their owner can touch."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path

from .errors import ArgumentError, shown

OTHERS = frozenset(f".{e}" for e in "pdf png svg jpg jpeg gif mp4 csv nc txt docx xlsx".split())
_GUARD: ContextVar[tuple[bool, set[Path]] | None] = ContextVar("guard", default=None)


def place(given: str | os.PathLike[str]) -> Path:
    """The path that a user gave, or a sentence where no file can be of such a name.

    >>> place("run.csv").name
    'run.csv'
    >>> place(3.5)
    Traceback (most recent call last):
    torseur.errors.ArgumentError: expected the name of a file, got 3.5
    """
    try:
        path = Path(given)
        path.is_file()  # a name that is too long
        if "\0" in str(path):
            raise ValueError
    except (TypeError, ValueError):
        raise ArgumentError(f"expected the name of a file, got {shown(given)}") from None
    except OSError as e:
        why = (e.strerror or str(e)).lower()
        raise ArgumentError(f"{shown(given)} is no name of a file: {why}") from None
    return path


@contextlib.contextmanager
def guarded(inputs: Iterable[Path], force: bool = False) -> Iterator[None]:
    """Inside, no file that exists is replaced unless `force` says so, and an input never is.

    Inputs are those given here, and whatever readers have `noted` since.
    """
    token = _GUARD.set((force, set(inputs)))
    try:
        yield
    finally:
        _GUARD.reset(token)


def noted(path: Path) -> Path:
    """A file that is about to be read: what is written afterwards does not replace it.

    A pipe, a socket or a device is refused: it may keep its reader waiting, or have no end.
    """
    with contextlib.suppress(OSError):  # told by who opens it
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise ArgumentError(f"{path} is no file but a pipe, a socket or a device; give a file")
    if (guard := _GUARD.get()) is not None:
        guard[1].add(path)
    return path


def refuse(path: Path) -> None:
    """Tell of a file that may not be replaced here; see `guarded`."""
    guard = _GUARD.get()
    if guard is None or not path.exists():
        return
    force, inputs = guard
    if any(path.samefile(x) for x in inputs if x.exists()):
        raise ArgumentError(f"{path} is read by this command, and is not replaced; choose another")
    if not force and path.is_file():
        raise ArgumentError(f"{path} exists; choose another name, or --force to replace it")


@contextlib.contextmanager
def whole(
    path: str | os.PathLike[str], mode: int | None = None, sync: bool = True
) -> Iterator[Path]:
    """A temporary file beside `path` that takes its name when the block ends well.

    Whatever goes wrong inside leaves the old file as it was, and no other.  `mode`: who may read
    and write it; by default as for any new file.  `sync`: wait until the disk has it.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole(folder / "table.csv") as partial:
    ...     _ = partial.write_text("t,x")
    >>> [p.name for p in folder.iterdir()]
    ['table.csv']
    """
    path = place(path)
    if mode is None:  # a user's file, none of the cache
        refuse(path)
    if not path.parent.is_dir():
        raise ArgumentError(
            f"cannot write {path.name!r}: no folder {str(path.parent)!r}; make it first"
        )
    if path.is_dir():
        raise ArgumentError(f"cannot write {path.name!r}: a folder has this name; use another")
    # named before it is made, so that a Ctrl-C at any moment leaves nothing behind
    partial = path.with_name(f".{path.stem}.{os.urandom(8).hex()}{path.suffix}")
    try:
        try:
            os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as e:
            why = (e.strerror or str(e)).lower()
            raise ArgumentError(f"cannot write {str(path)!r}: {why}") from None
        with _told(path, partial):
            yield partial
            if sync:
                with open(partial, "r+b") as file:
                    os.fsync(file.fileno())
            os.chmod(partial, 0o666 & ~_umask() if mode is None else mode)
            os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


FULL = frozenset(getattr(errno, n, -1) for n in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"))


@contextlib.contextmanager
def _told(path: Path, partial: Path) -> Iterator[None]:
    """A disk that does not take a file: told with the file's own name."""
    try:
        yield
    except OSError as e:
        ours = e.filename is not None and Path(os.fsdecode(e.filename)).is_relative_to(partial)
        if not ours and e.errno not in FULL:
            raise
        why = (e.strerror or str(e)).lower()
        raise ArgumentError(f"cannot write {str(path)!r}: {why}; nothing was written") from e


@contextlib.contextmanager
def whole_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary folder beside `path` that takes its name when the block ends well."""
    path = place(path)
    if path.exists():
        raise ArgumentError(f"{path} exists already; give the name of a new folder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as e:
        why = (e.strerror or str(e)).lower()
        raise ArgumentError(f"cannot write {str(path)!r}: {why}") from None
    try:
        with _told(path, partial):
            yield partial
            os.chmod(partial, 0o777 & ~_umask())
            os.replace(partial, path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


SAFE_CHARACTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+=.,:;()[]<>/'%&#!|^~"
)


def plain(text: str, foreign: bool = False) -> str:
    r"""A text of users in one line of letters that end no comment and no string, anywhere.

    The only way of names into code, tables and other files that are read by machines: accents are
    taken off, any other foreign letter is `_`, and so is a first one that a spreadsheet computes.
    `foreign` keeps letters and digits of every script, for tables that people read.

    >>> plain("=腕.angle", foreign=True)
    '_腕.angle'
    >>> plain("*\\\n/ bras d'épaule"), plain('=HYPERLINK("x")')
    ("__ / bras d'epaule", '_HYPERLINK(_x_)')
    """
    text = str(text)
    if not foreign:
        text = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in text if not unicodedata.combining(c))

    def kept(c):
        return c in SAFE_CHARACTERS or (foreign and (c.isalnum() or unicodedata.combining(c)))

    text = "".join(c if kept(c) else " " if c in "\n\r\t" else "_" for c in text)
    return f"_{text[1:]}" if text[:1] in ("=", "+", "-") else text


def write(path: str | os.PathLike[str], data: str | bytes) -> Path:
    """Write a text (UTF-8) or bytes, whole or not at all; answers the path."""
    with whole(path) as partial:
        partial.write_bytes(data.encode() if isinstance(data, str) else data)
    return place(path)


def page_place(given: str | os.PathLike[str]) -> Path:
    """The path of a page that a user gave, or a sentence where its ending says something else.

    >>> page_place("run.html").name
    'run.html'
    """
    path = place(given)
    if path.suffix.lower() in OTHERS:
        raise ArgumentError(
            f"report: {path.name!r}: a report is a page, name it {path.stem + '.html'!r}; figures "
            "and films are written by run.plot(path=...) and run.animate, tables by run.save"
        )
    return path


def write_page(path: str | os.PathLike[str], html: str) -> Path:
    """Write a page, whole or not at all; answers the path."""
    return write(page_place(path), html)


def make_private_folder(path: Path) -> bool:
    """Make a folder that only its owner can use, unless it is there; whether it is such a one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    return is_private_folder(path)


def is_private_folder(path: Path) -> bool:
    """Whether a folder is ours alone, and nobody else can put another in its place.

    Every folder above it belongs to its owner or to root, and others may write there only where
    they cannot move what is not theirs (the sticky bit, as of /tmp).
    """
    path = Path(os.path.realpath(path))
    if not is_private(os.stat(path), stat.S_ISDIR):
        return False
    return not hasattr(os, "geteuid") or all(_is_safe_parent(os.stat(p)) for p in path.parents)


def _is_safe_parent(found: os.stat_result) -> bool:
    """Whether a folder keeps what is in it from everybody but its owner, and root."""
    mine = os.geteuid()
    if found.st_uid not in (0, mine):
        return False
    own = found.st_gid == found.st_uid  # the user's group of one, which may write on some systems
    loose = 0o002 if own or found.st_gid == 0 else 0o022
    return not found.st_mode & loose or bool(found.st_mode & stat.S_ISVTX)


def is_private(found: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Of the right kind, ours, and not writable by anybody else."""
    if not kind(found.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
