"""Files are there whole or not at all, and every writer goes through `torseur.files`."""

import ast
import os
import stat
import sys
from pathlib import Path

import pytest

import torseur
from torseur import files
from torseur.errors import ArgumentError

ROOT = Path(torseur.__path__[0])
WRITES = {"write_text", "write_bytes", "savefig", "savetxt", "to_netcdf", "mkstemp"}


def test_a_crash_leaves_the_old_file_and_nothing_else(tmp_path):
    path = files.write(tmp_path / "a.txt", "old")
    with pytest.raises(ZeroDivisionError), files.whole(path) as partial:
        partial.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_new_file_has_the_rights_of_any_new_file(tmp_path):
    other = tmp_path / "other"
    other.touch()
    path = files.write(tmp_path / "a.txt", b"x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    with files.whole(tmp_path / "mine", 0o600) as partial:
        partial.write_bytes(b"x")
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path):
    """No more than 4 kB are taken: the old file stays, nothing else does, the sentence names it."""
    import resource

    path = files.write(tmp_path / "a.txt", "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(ArgumentError, match=r"cannot write .*a\.txt': file too large; nothing"):
            files.write(path, "x" * 10_000)
        with (
            pytest.raises(ArgumentError, match=r"cannot write .*new"),
            files.whole_folder(tmp_path / "new") as work,
        ):
            (work / "b").write_text("x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_other_errors_inside_keep_their_own_words(tmp_path):
    with pytest.raises(FileNotFoundError), files.whole(tmp_path / "a"):
        (tmp_path / "none").read_text()


@pytest.mark.parametrize(
    ("name", "told"),
    [("none/a.txt", r"cannot write 'a.txt': no folder .*none'; make it first"), (".", "a folder")],
)
def test_what_cannot_be_written_is_told(tmp_path, name, told):
    with pytest.raises(ArgumentError, match=told):
        files.write(tmp_path / name, "x")


def test_a_folder_is_there_whole_or_not_at_all(tmp_path):
    with pytest.raises(ZeroDivisionError), files.whole_folder(tmp_path / "f") as work:
        (work / "a").touch()
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
    with files.whole_folder(tmp_path / "f") as work:
        (work / "a").touch()
    assert [p.name for p in (tmp_path / "f").iterdir()] == ["a"]
    with pytest.raises(ArgumentError, match="exists already"), files.whole_folder(tmp_path / "f"):
        pass


def test_a_folder_that_others_may_write_is_not_private(tmp_path):
    mine = tmp_path / "deep" / "mine"
    assert files.make_private_folder(mine) and stat.S_IMODE(mine.stat().st_mode) == 0o700
    os.chmod(mine, 0o777)
    assert not files.make_private_folder(mine)


def writing(tree):
    """Lines that write a file outside `with whole(...)` or `with whole_folder(...)`."""
    sheltered = {
        id(n)
        for w in ast.walk(tree)
        if isinstance(w, ast.With)
        and any(
            isinstance(x := i.context_expr, ast.Call)
            and getattr(x.func, "id", "") in ("whole", "whole_folder")
            for i in w.items
        )
        for n in ast.walk(w)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in sheltered:
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        mode = [a.value for a in node.args[1:] if isinstance(a, ast.Constant)]
        opens = name == "open" and any(isinstance(m, str) and set("wax+") & set(m) for m in mode)
        in_memory = any(k.arg == "format" for k in node.keywords)  # a file has its own
        if (name in WRITES and not in_memory) or opens:
            yield node.lineno


def test_every_writer_goes_through_files():
    found = {
        str(file.relative_to(ROOT)): lines
        for file in ROOT.rglob("*.py")
        if file != ROOT / "files.py"
        and any(f"{name}(" in (text := file.read_text()) for name in (*WRITES, "open"))
        and (lines := list(writing(ast.parse(text))))
    }
    assert not found


def test_the_rule_sees_a_writer():
    assert list(writing(ast.parse("from pathlib import Path\nPath('a').write_text('b')"))) == [2]
    assert list(writing(ast.parse("open('a', 'w')"))) == [1]
    assert not list(writing(ast.parse("with whole('a') as p:\n    p.write_text('b')")))


def test_pages_are_no_pdf(tmp_path):
    """Whoever makes HTML asks `files` for the place of a page, which knows other endings."""
    with pytest.raises(
        ArgumentError, match=r"report: 'fit.pdf': a report is a page, name it 'fit."
    ):
        files.write_page(tmp_path / "fit.pdf", "<p>")
    assert not list(tmp_path.iterdir())
    makers = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in ROOT.rglob("*.py")}
    written = ("<!doctype html", "html_page(")
    makers = {n: text for n, text in makers.items() if any(x in text.lower() for x in written)}
    makers.pop("show/html.py")  # defines html_page
    makers.pop("fmu/export.py")  # a page within an archive
    assert len(makers) > 2
    assert not [
        n for n, text in makers.items() if "write_page" not in text and "page_place" not in text
    ]
