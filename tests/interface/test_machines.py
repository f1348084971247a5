"""Odd machines: no home, one that cannot be written, a full disk, two users, a clock set back."""

import ast
import contextlib
import ctypes
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import torseur as ts
from torseur.compiler import Kernel
from torseur.compiler.runtime import cache, machine

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs users and mounts as on Linux")
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be other users"
)
ROD = ts.Body("rod", 1.0, (0, 0, -1.0), (0.1, 0.1, 0.1, 0, 0, 0))
MODEL = ts.Model("m", bodies=(ROD,), joints=(ts.Joint("j", "world", "rod", ts.Revolute("y")),))
MADE = """
import torseur as ts
rod = ts.Body("rod", 1.0, (0, 0, -1.0), (0.1, 0.1, 0.1, 0, 0, 0))
model = ts.Model("m", bodies=(rod,), joints=(ts.Joint("j", "world", "rod", ts.Revolute("y")),))
"""
WORK = f"""{MADE}
run = ts.simulate(model, 0.1, {{"j.angle": 0.3}})
assert run.completed
print(repr(float(run["j.angle"][-1])))
"""
KERNEL = f"{MADE}print(repr(float(ts.compile(model).inverse_dynamics([0.3], [0.1], [0.2])[0])))"


def angle() -> float:
    """The same number, by kernels that are asked of the cache."""
    again = ts.Model("m", bodies=MODEL.bodies, joints=MODEL.joints)
    return float(ts.simulate(again, 0.1, {"j.angle": 0.3})["j.angle"][-1])


def effort() -> float:
    """The same effort, by a kernel that is asked of the cache."""
    again = ts.Model("m", bodies=MODEL.bodies, joints=MODEL.joints)
    return float(ts.compile(again).inverse_dynamics([0.3], [0.1], [0.2])[0])


def kernel() -> bool:
    """A small kernel, from the cache or made anew; whether it was made."""
    made = []

    def graph():
        made.append(1)
        q = ca.SX.sym("q", 2)
        return ca.Function("f", [q], [ca.sin(q)], ["q"], ["s"])

    got = Kernel("f", graph, key=b"odd machines")(np.array([0.1, 0.2]))
    np.testing.assert_allclose(got, np.sin([0.1, 0.2]), rtol=1e-15)
    return bool(made)


@pytest.mark.parametrize(
    "home",
    [
        "none",
        "a file",
        *(pytest.param(h, marks=pytest.mark.slow) for h in ("missing", "/proc/nowhere")),
    ],
)
def test_no_home(home, tmp_path):
    """Kernels are compiled, nothing is kept, and nobody is told."""
    (tmp_path / "file").write_text("in the way")
    there = {k: x for k, x in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    there.pop("TORSEUR_CACHE", None)
    if home != "none":
        names = {"missing": tmp_path / "deep" / "home", "a file": tmp_path / "file"}
        there["HOME"] = str(names.get(home, home))
    there["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    if home == "none":  # also for a user whom the machine does not know
        there["XDG_CACHE_HOME"] = ""
    runs = home == "a file"  # integrators, and not only a kernel: a second to compile
    words = [sys.executable, "-c", WORK if runs else KERNEL]
    done = subprocess.run(words, env=there, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == (angle() if runs else effort()) and not done.stderr


def as_user(uid: int, work) -> str:
    """What goes wrong when another user does something, in a child of this process; or nothing."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = ""
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            work()
        except BaseException:
            said = traceback.format_exc()
        with contextlib.suppress(OSError):
            os.write(write, said.encode()[-4000:])
        os._exit(0)
    os.close(write)
    with open(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def open_folder():
    """A folder that other users may enter: those of pytest are its own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@linux
@root
def test_two_users_and_one_folder(open_folder, monkeypatch):
    """Neither trusts the kernels of the other, and both compute."""
    shared = open_folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)  # as /tmp is
    kernel()  # every library is there
    monkeypatch.setenv("TORSEUR_CACHE", str(shared / "cache"))

    def first():
        kernel()
        assert not kernel()  # found again, not made

    def second():
        looked = []
        real = cache._unpack_entry
        cache._unpack_entry = lambda *given: looked.append(given) or real(*given)
        assert kernel() and kernel() and not looked  # not a byte of the other's is looked at

    assert as_user(54321, first) == ""
    there = {p.name for p in (shared / "cache" / "kernels").iterdir()}
    for path in (shared / "cache", *(shared / "cache").rglob("*")):  # what others can read
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert there and as_user(54322, second) == ""
    assert {p.name for p in (shared / "cache" / "kernels").iterdir()} == there
    assert as_user(54321, first) == ""


@linux
@root
def test_a_home_that_cannot_be_written(open_folder, monkeypatch):
    (open_folder / "home").mkdir(mode=0o755)
    monkeypatch.setenv("HOME", str(open_folder / "home"))
    for name in ("TORSEUR_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    want = angle()
    run = ts.simulate(MODEL, 0.1, {"j.angle": 0.3})

    def work():
        assert angle() == want
        with pytest.raises(ts.ArgumentError, match=r"cannot write .*run\.nc.*permission denied"):
            run.save(open_folder / "home" / "run.nc")

    assert as_user(54323, work) == ""


@linux
@root
def test_a_full_disk(tmp_path, monkeypatch):
    """A disk of 64 kB: what does not fit is told by name, and leaves nothing; kernels still run."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        monkeypatch.setenv("TORSEUR_CACHE", str(disk))
        want = ts.simulate(MODEL, 5.0, {"j.angle": 0.3}, output=2001)
        (disk / "filler").write_bytes(b"x" * 50_000)
        assert kernel()
        for write, name in (
            (want.save, "run.nc"),
            (want.to_csv, "run.csv"),
            (want.report, "run.html"),
        ):
            with pytest.raises(ts.ArgumentError, match=rf"cannot write .*{name}': no space left"):
                write(disk / name)
        assert {p.name for p in disk.iterdir()} <= {"filler", "kernels"}
        assert not list((disk / "kernels").glob(".*"))
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_a_clock_set_back(tmp_path, monkeypatch):
    """Entries from the future are entries; runs are timed by a clock that nobody sets."""
    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path))
    assert kernel() and not kernel()
    for path in (tmp_path / "kernels").iterdir():
        os.utime(path, (4e9, 4e9))
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert not kernel()
    cache.store_entry("0" * 64, {}, b"")
    assert not kernel() and len(list((tmp_path / "kernels").iterdir())) == 3
    found = ts.simulate(MODEL, 1.0, {"j.angle": 0.3}, max_seconds=60.0)
    assert found.completed and 0 <= found.statistics["seconds"] < 60


def test_threads_give_the_same_bits():
    """However many threads share a batch, and whatever their turns."""
    stop = ts.JointForce("stop", "j", ts.Limits(-0.5, 0.5, stiffness=1e4, damping=5.0))
    start = {"j.angle": np.linspace(-0.4, 0.4, 150), "j.rate": np.linspace(2, -1, 150)}
    for forces, ways in (((), ({"step": 0.01},)), ((stop,), ({}, {"method": "rodas5p"}))):
        model = ts.Model("m", bodies=MODEL.bodies, joints=MODEL.joints, forces=forces)
        for more in ways:
            one, *others = (
                ts.batch(model, 0.5, start, output=6, threads=n, **more) for n in (1, 2, 5)
            )
            for other in others:
                np.testing.assert_array_equal(other["j.angle"], one["j.angle"])


def test_threads_that_simulate_at_once():
    from concurrent.futures import ThreadPoolExecutor

    def work(k):
        return ts.simulate(MODEL, 0.3, {"j.angle": 0.1 * (k % 5)})["j.angle"].tobytes()

    want = [work(k) for k in range(5)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(20))) == want * 4


# ---- Windows and macOS, as far as they can be seen from here --------------------------------

SRC = Path(ts.__file__).parent


def coff(data: bytes) -> set[str]:
    """Names that an object file of Windows wants from elsewhere."""
    start, n = struct.unpack_from("<II", data, 8)
    strings, out, i = data[start + 18 * n :], set(), 0
    while i < n:
        row = data[start + 18 * i : start + 18 * i + 18]
        name = row[:8].rstrip(b"\0")
        if row[:4] == bytes(4):
            at = struct.unpack_from("<I", row, 4)[0]
            name = strings[at : strings.index(b"\0", at)]
        section, kind, more = struct.unpack_from("<hxxBB", row, 12)
        if section == 0 and kind == 2:
            out.add(name.decode())
        i += 1 + more
    return out - {"_fltused"}  # a word for linkers that nothing refers to


def macho(data: bytes) -> set[str]:
    """The same of macOS, without its underscore."""
    out, at = set(), 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if command == 2:
            rows, n, texts, _ = struct.unpack_from("<4I", data, at + 8)
            for k in range(n):
                name, kind = struct.unpack_from("<IB", data, rows + 16 * k)
                if kind & 0x0F == 1:
                    out.add(data[texts + name + 1 : data.index(b"\0", texts + name)].decode())
        at += size
    return out


def wanted_elsewhere(texts, triple: str, cpu: str, read) -> set[str]:
    """What code of another machine calls, beside our own."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target, out = llvm.Target.from_triple(triple), set()
    for text in texts:
        made = target.create_target_machine(
            cpu=cpu, opt=2, reloc="pic", codemodel="small", jit=True
        )
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = triple, str(made.target_data)
        out |= read(made.emit_object(module))
    return {n for n in out if not n.startswith("torseur.")}


OTHERS = [
    ("x86_64-pc-windows-msvc", "haswell", coff),
    ("x86_64-pc-windows-msvc", "x86-64", coff),
    ("arm64-apple-darwin", "apple-m1", macho),
    ("x86_64-apple-darwin", "haswell", macho),
]


@pytest.mark.parametrize(("triple", "cpu", "read"), OTHERS, ids=[f"{t} {c}" for t, c, _ in OTHERS])
def test_code_of_other_machines_calls_only_what_is_given_to_it(triple, cpu, read):
    """A frame of 8 kB, a cleared block and a copied one: calls that LLVM makes by itself."""
    text = """
define void @f(ptr %x, i64 %n, double %a) {
  %big = alloca [1000 x double]
  %first = getelementptr [1000 x double], ptr %big, i64 0, i64 %n
  call void @llvm.memset.p0.i64(ptr %first, i8 0, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %first, ptr %x, i64 %n, i1 false)
  %y = load double, ptr %first
  %z = call double @llvm.fma.f64(double %y, double %a, double %a)
  store double %z, ptr %x
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare double @llvm.fma.f64(double, double, double)
"""
    found = wanted_elsewhere([text], triple, cpu, read)
    assert found and found <= {*machine.LLVM_RUNTIME_FUNCTIONS}
    assert ("__chkstk" in found) == ("windows" in triple)


@pytest.mark.slow
@pytest.mark.parametrize(("triple", "cpu", "read"), OTHERS, ids=[f"{t} {c}" for t, c, _ in OTHERS])
def test_integrators_and_kernels_of_other_machines(triple, cpu, read, monkeypatch):
    texts, real = [], machine.compile_module
    monkeypatch.setenv("TORSEUR_CACHE", "off")

    def kept(text, level=2, inline=False):
        texts.append(text)
        return real(text, level, inline)

    for module in list(sys.modules.values()):
        if getattr(module, "compile_module", None) is real:
            monkeypatch.setattr(module, "compile_module", kept)
    kernel()
    again = ts.Model("n", bodies=MODEL.bodies, joints=MODEL.joints)
    assert ts.simulate(again, 0.1, {"j.angle": 0.3}).completed
    assert texts
    assert wanted_elsewhere(texts, triple, cpu, read) <= {*machine.LLVM_RUNTIME_FUNCTIONS}


def test_windows_has_its_functions_in_three_libraries(monkeypatch):
    """Mathematics of the C library, the stack probe of the kernel's own."""
    here, asked = machine.find_runtime_functions(), []

    class Dll:
        def __init__(self, name):
            asked.append(name)
            own = {
                "ucrtbase": {*here} - {*machine.LLVM_RUNTIME_FUNCTIONS},
                "msvcrt": {"memset", "memcpy", "memmove"},
            }
            for f in own.get(name, {"__chkstk", "sin", "memset"}):
                setattr(self, f, ctypes.CFUNCTYPE(None)(lambda: None))

    monkeypatch.setattr("platform.system", lambda: "Windows")
    monkeypatch.setattr(ctypes, "CDLL", Dll)
    found = machine.find_runtime_functions.__wrapped__()
    assert asked == ["ucrtbase", "msvcrt", "ntdll"]
    assert {*found} >= {*here} - {"bzero", "fma"} | {"__chkstk"}


WRITES = re.compile(r"(?<![.\w])open\(|read_text\(|write_text\(|import subprocess")


def test_every_text_file_says_its_encoding():
    """What is left out is the machine's own, cp1252 on Windows, where a degree sign is torn."""
    wrong = []
    for path in sorted(SRC.rglob("*.py")):
        source = path.read_text("utf-8")
        if not WRITES.search(source):
            continue
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            words = {k.arg: k.value for k in node.keywords}
            binary = any(
                isinstance(a, ast.Constant) and isinstance(a.value, str) and "b" in a.value
                for a in (*node.args[1:2], *([words["mode"]] if "mode" in words else []))
            )
            text = {
                "open": isinstance(node.func, ast.Name) and not binary,
                "read_text": isinstance(node.func, ast.Attribute) and not node.args,
                "write_text": len(node.args) < 2,
                "run": "text" in words,
                "Popen": "text" in words,
            }.get(name, False)
            if text and "encoding" not in words:
                wrong.append(f"{path.relative_to(SRC)}:{node.lineno}")
    assert wrong == []


def test_without_geteuid_folders_are_trusted_by_their_kind(tmp_path, monkeypatch):
    """Windows keeps a user's folders to him by itself."""
    from torseur import files

    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path / "deep"))
    monkeypatch.delattr(os, "geteuid")
    for name in ("O_NOFOLLOW", "O_NONBLOCK"):
        monkeypatch.delattr(os, name, raising=False)
    assert kernel() and not kernel()
    assert files.is_private_folder(tmp_path / "deep" / "kernels")


def test_greek_letters_on_a_console_that_has_none(tmp_path):
    model = ts.Model("θ", bodies=MODEL.bodies, joints=MODEL.joints)
    model.save(tmp_path / "m.yaml")
    there = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
    there |= {"PYTHONCOERCECLOCALE": "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    words = [sys.executable, "-m", "torseur", "check", "m.yaml", "--json"]
    done = subprocess.run(words, env=there, capture_output=True, cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "θ" in str(json.loads(done.stdout.decode("cp1252")))


class Narrow(io.StringIO):
    """A terminal that knows the letters of ASCII alone."""

    encoding = "ascii"

    def write(self, text):
        text.encode("ascii")
        return super().write(text)


def test_a_command_speaks_to_a_terminal_of_few_letters_and_to_none(tmp_path, monkeypatch):
    from torseur.cli import main

    path = tmp_path / "m.yaml"
    path.write_text("name: bras d'épaule\n", encoding="utf-8")
    out = Narrow()
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["check", str(path)]) == 0 and "bras d'\\xe9paule" in out.getvalue()
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["check", str(path)]) == 0


def test_a_command_that_runs_out_of_memory_says_so(tmp_path, monkeypatch, capsys):
    from torseur.cli import main

    def run(*_):
        raise MemoryError

    monkeypatch.setattr("torseur.cli.base.load", run)
    assert (
        main(["modes", str(tmp_path / "m.yaml")]) == 1
        and "not enough memory" in capsys.readouterr().err
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_under_the_output_is_told():
    words = [sys.executable, "-m", "torseur", "schema"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr.startswith("torseur: cannot print: ")


@pytest.mark.parametrize("text, said", [("a: [", "line 1: '[' was never closed"), (None, "exists")])
def test_a_file_of_elements_that_is_no_python_is_told(tmp_path, capsys, text, said):
    from torseur.cli import main

    path = tmp_path / "own.py"
    path.write_text(text) if text else path.symlink_to(path.name)  # a link to itself
    assert main(["--use", str(path), "schema"]) == 1 and said in capsys.readouterr().err
