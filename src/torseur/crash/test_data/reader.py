"""Reader of crash tests: a zip, a folder or a header file, as NHTSA EV5 or ISO-MME."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath

from ...errors import TorseurError
from ...files import noted, place
from .records import Test

HEADERS = (".ev5", ".mme")
LARGEST = 200_000_000  # bytes of a test, unpacked: all its files are read
HEADER = 10_000_000  # of them of its header


def read_test(path: str | PathLike[str]) -> Test:
    """A crash test from its files, whole or not at all.

    `path` is a zip, a folder, or the header itself: an EV5 file of NHTSA's ASCII export, with its
    channel files beside it, or an .mme file of ISO-MME.

    >>> import torseur as ts
    >>> ts.crash.read_test("nowhere.zip")
    Traceback (most recent call last):
    torseur.errors.TorseurError: no test file or folder at nowhere.zip
    """
    path = place(path)
    if path.is_dir():
        return _read_files(
            path.name, sorted(p for p in path.rglob("*") if p.is_file()), _bytes, _size
        )
    if not path.is_file():
        raise TorseurError(f"no test file or folder at {path}")
    if path.suffix.lower() in HEADERS:
        siblings = (
            path.parent.rglob("*") if path.suffix.lower() == ".mme" else path.parent.iterdir()
        )
        return _read_files(
            path.name,
            [
                path,
                *sorted(
                    p
                    for p in siblings
                    if p.is_file() and p != path and p.suffix.lower() not in HEADERS
                ),
            ],
            _bytes,
            _size,
        )
    if not zipfile.is_zipfile(path):
        if path.suffix.lower() == ".zip":
            size = path.stat().st_size
            raise TorseurError(
                f"{path.name} is no whole zip: {size} bytes without the list of files that ends "
                "one; fetch it again"
            )
        raise TorseurError(f"{path.name} is neither a zip, nor a folder, nor a header (.EV5, .mme)")
    with _report_damage(path.name):
        archive = zipfile.ZipFile(noted(path))
    with archive:
        names = [PurePosixPath(n) for n in archive.namelist() if not n.endswith("/")]

        def content(p) -> bytes:
            with _report_damage(path.name):
                return archive.read(str(p))

        def length(p) -> int:
            return archive.getinfo(str(p)).file_size

        return _read_files(path.name, names, content, length)


@contextmanager
def _report_damage(name: str) -> Iterator[None]:
    """Report any error of unpacking as a damaged file."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as e:  # zipfile, zlib, codecs, struct: each with its own
        raise TorseurError(f"{name} is a damaged zip, or packed in an unknown way") from e


def _bytes(path: Path) -> bytes:
    return noted(path).read_bytes()


def _size(path: Path) -> int:
    return path.stat().st_size


def _read_files(where, paths, content, size) -> Test:
    heads = [p for p in paths if p.suffix.lower() in HEADERS]
    if not heads:
        raise TorseurError(
            f"{where} holds no header: neither an EV5 file (NHTSA) nor an .mme file (ISO-MME)"
        )
    if len(heads) > 1:
        raise TorseurError(
            f"{where} holds {len(heads)} tests ({', '.join(p.name for p in heads[:5])}"
            f"{', ...' * (len(heads) > 5)}); give the header of one"
        )
    head, read = heads[0], 0

    def text(path) -> str:
        nonlocal read
        read += size(path)
        if read > (most := HEADER if path == head else LARGEST):
            limit = "HEADER" if path == head else "LARGEST"
            raise TorseurError(
                f"{where}: with {path.name} {read:.3g} bytes are to be read, and {most:.3g} at "
                f"most; take channels out, or raise torseur.crash.test_data.reader.{limit}"
            )
        raw = content(path)
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            return raw.decode("latin-1")

    if head.suffix.lower() == ".ev5":
        from .nhtsa_ev5 import read_ev5

        siblings = {p.name.lower(): p for p in paths if p.parent == head.parent}

        def folder(name):
            found = siblings.get(name.lower())
            return None if found is None else text(found)

        return read_ev5(text(head), folder, head.name, head.stem)
    from .iso_mme import read_mme

    return read_mme(text(head), {p: p for p in paths if p != head}, text, head)
