"""Object code on disk: used when sound, ignored when not, never fatal."""

import gc
import os
import stat
import subprocess
import sys

import casadi as ca
import numpy as np
import pytest

from torseur.compiler import Kernel
from torseur.compiler.runtime import cache, machine

KEY = b"a system, its options"
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are POSIX")


def function():
    q = ca.SX.sym("q", 3)
    return ca.Function("f", [q], [ca.sin(q) * q[0], ca.mtimes(q, q.T)], ["q"], ["s", "M"])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path / "here"))
    return tmp_path / "here" / "kernels"


class Built:
    """Counts how often the graph is asked for."""

    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        return function()


def use(key=KEY):
    """Run a new kernel, alone and in a batch; say how often its graph was built."""
    build = Built()
    kernel = Kernel("f", build, key=key)
    q = np.array([[0.1, 0.2, 0.3]] * 9)
    one, many = kernel(q[0]), kernel(q)
    np.testing.assert_allclose(one[0], np.sin(q[0]) * q[0, 0], rtol=1e-15)
    np.testing.assert_array_equal(many[1][4], np.outer(q[0], q[0]))
    return build.times


def entries(place):
    ours = [cache.entry_name(KEY, part) for part in ("scalar", "lanes")]
    return [place / name for name in ours]


def test_a_hit_needs_no_graph(place):
    assert use() == 1
    assert all(path.exists() for path in entries(place))
    assert use() == 0


def test_a_hit_knows_the_facts(place):
    first = Kernel("f", function, key=KEY)
    facts = first.operations, first.stamp, first.inputs, first.outputs
    build = Built()
    again = Kernel("f", build, key=KEY)
    assert (again.operations, again.stamp, again.inputs, again.outputs) == facts
    assert again.address and again.abi_address and build.times == 0
    assert again.program.stamp == facts[1] and build.times == 1


def test_another_key_is_another_entry(place):
    assert use() == 1
    assert use(b"something else") == 1
    assert use(None) == 1
    assert use() == 0


def test_machine_and_sources_are_part_of_the_name(place, monkeypatch):
    names = {
        cache.entry_name(KEY, "scalar"),
        cache.entry_name(KEY, "lanes"),
        cache.entry_name(b"", "scalar"),
    }
    monkeypatch.setattr(cache, "compiler_identity", lambda: "another machine")
    names.add(cache.entry_name(KEY, "scalar"))
    monkeypatch.setattr(cache, "digest_sources", lambda: "another version")
    names.add(cache.entry_name(KEY, "scalar"))
    assert len(names) == 5
    assert "llvmlite" in machine.compiler_identity()


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


DAMAGE = {
    "truncated": lambda p: p.write_bytes(p.read_bytes()[:-7]),
    "cut in the head": lambda p: p.write_bytes(p.read_bytes()[:20]),
    "empty": lambda p: p.write_bytes(b""),
    "longer": lambda p: p.write_bytes(p.read_bytes() + b"x"),
    "flipped mark": lambda p: flip(p, 0),
    "flipped digest": lambda p: flip(p, 12),
    "flipped length": lambda p: flip(p, 41),
    "flipped description": lambda p: flip(p, 60),
    "flipped code": lambda p: flip(p, -100),
    "noise": lambda p: p.write_bytes(np.random.default_rng(0).bytes(5000)),
    "sound but of another kernel": lambda p: p.write_bytes(
        cache._pack_entry("0" * 64, {"calls": []}, b"\x7fELF not for us")
    ),
    "a folder": lambda p: (p.unlink(), p.mkdir()),
    "gone": lambda p: p.unlink(),
}


def texts(place):
    """Entries of the code itself."""
    return [place / cache.load_entry(path.name)[0]["text"] for path in entries(place)]


@pytest.mark.parametrize("which", [entries, texts])
@pytest.mark.parametrize("how", DAMAGE)
def test_damage_is_ignored_and_repaired(place, how, which, monkeypatch):
    use()
    bad = which(place)
    for path in bad:
        DAMAGE[how](path)
    seen = []
    real = machine.Code.__init__

    def watch(self, data, *rest):
        seen.append(data)
        real(self, data, *rest)

    monkeypatch.setattr(machine.Code, "__init__", watch)
    assert [cache.load_entry(path.name) for path in bad] == [None, None]
    assert use() == 1
    assert all(b"not for us" not in data for data in seen)
    if how != "a folder":
        assert use() == 0


@pytest.mark.parametrize("code", [b"sound digest, but no object code", b""])
def test_code_that_cannot_be_loaded_is_compiled_again(place, code):
    use()
    for path in texts(place):
        description, _ = cache.load_entry(path.name)
        path.write_bytes(cache._pack_entry(path.name, description, code))
    assert use() == 1 and use() == 0


def test_a_text_that_any_process_compiled_is_not_compiled_again(place, monkeypatch):
    """Of a system with another digest and the same text; alike in a process that knows none."""
    use()
    before = machine.assembled()
    monkeypatch.setattr(machine, "_RECENT_CODE", {})
    assert use(b"another system") == 1 and machine.assembled() == before
    assert use(b"another system") == 0
    for path in texts(place):
        path.unlink()
    assert use(b"a third system") == 1 and machine.assembled() == before + 2


def test_code_that_is_used_anew_is_not_the_oldest(place):
    use()
    for path in texts(place):
        os.utime(path, (1e9, 1e9))
    use(b"another system")
    assert all(path.stat().st_mtime > 1e9 for path in texts(place))


@posix
def test_only_the_owner_can_enter(place):
    use()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    for path in place.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert not path.name.startswith("new-")


@posix
def test_entries_others_can_write_are_ignored(place):
    use()
    for path in entries(place):
        path.chmod(0o666)
    assert use() == 1


@posix
def test_a_folder_others_can_write_is_ignored(place):
    use()
    place.chmod(0o777)
    before = {p.name: p.stat().st_mtime_ns for p in place.iterdir()}
    assert use() == 1
    assert {p.name: p.stat().st_mtime_ns for p in place.iterdir()} == before


@posix
def test_entries_of_somebody_else_are_ignored(place, monkeypatch):
    use()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert use() == 1


@posix
def test_links_are_not_followed(place, tmp_path):
    use()
    for path in entries(place):
        path.rename(tmp_path / path.name)
        path.symlink_to(tmp_path / path.name)
    assert use() == 1


@posix
def test_a_pipe_in_place_of_an_entry_is_ignored_at_once(place):
    use()
    for path in entries(place):
        path.unlink()
        os.mkfifo(path)
    assert use() == 1 and use() == 0


@posix
@pytest.mark.parametrize("mode, used", [(0o755, True), (0o777, False), (0o1777, True)])
def test_others_may_not_move_the_folder_away(place, mode, used):
    """A folder above that anybody may write, without the sticky bit, could be another by now."""
    use()
    place.parent.chmod(mode)
    assert (cache.load_entry(entries(place)[0].name) is not None) is used
    assert use() == (0 if used else 1)


@posix
def test_a_folder_above_that_is_somebody_elses_is_not_trusted(place, monkeypatch):
    use()
    real, above = os.stat, os.stat(place.parent)

    def stat_(path, **more):
        found = real(path, **more)
        if (found.st_ino, found.st_dev) == (above.st_ino, above.st_dev):
            return os.stat_result((*found[:4], 12345, *found[5:10]))
        return found

    monkeypatch.setattr(os, "stat", stat_)
    assert use() == 1


def test_what_a_killed_process_left_is_forgotten(place):
    use()
    cache._WRITES_BEFORE_PRUNING.clear()  # as in another process
    old, new = place / ".entry.old", place / ".entry.new"
    for path, age in ((old, 1e5), (place / ".entry.ahead", -1e5), (new, 0.0)):
        path.write_bytes(b"half")
        when = path.stat().st_mtime - age  # ahead: the clock was set back since
        os.utime(path, (when, when))
    cache.store_entry("0" * 64, {}, b"")
    assert {p.name for p in place.iterdir() if p.name[0] == "."} == {new.name}


@pytest.mark.parametrize("word", ["", "off", "OFF"])
def test_it_can_be_turned_off(monkeypatch, tmp_path, word):
    monkeypatch.setenv("TORSEUR_CACHE", word)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() is None
    assert use() == 1 and use() == 1
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_made_is_not_fatal(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path / "file"))
    assert use() == 1 and use() == 1


def test_old_entries_are_forgotten(place, monkeypatch):
    monkeypatch.setattr(cache, "MAX_ENTRIES", 10)
    use()
    for k in range(11):
        cache.store_entry(f"{k:064d}", {}, b"")
    assert len(list(place.iterdir())) <= 10
    assert cache.load_entry(f"{10:064d}") is not None


def test_another_process_finds_it(place, tmp_path):
    use()
    script = tmp_path / "again.py"
    script.write_text(
        "import sys, numpy as np\n"
        "from torseur.compiler import Kernel\n"
        "def build(): raise SystemExit('the graph was asked for')\n"
        f"kernel = Kernel('f', build, key={KEY!r})\n"
        "q = np.array([[0.1, 0.2, 0.3]] * 9)\n"
        "assert (kernel(q)[0] == kernel(q[0])[0]).all()\n"
        "assert 'casadi' not in sys.modules\n"
        "print(kernel.stamp)\n"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, check=False
    )
    if cache.digest_sources() != cache.digest_sources.__wrapped__():
        pytest.skip("the sources were edited while this test ran")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == Kernel("f", function, key=KEY).stamp


def test_a_hit_opens_no_room_of_graphs(place, tmp_path):
    """From a description to numbers with everything in the cache: what is loaded on the way."""
    script = tmp_path / "start.py"
    script.write_text(
        "import sys, numpy as np, torseur as ts\n"
        "rod = ts.Body('rod', mass=2.0, com=(0, 0, -0.5), inertia=(1, 1, 1, 0, 0, 0))\n"
        "dyn = ts.compile(ts.Model(bodies=(rod,), joints=(\n"
        "    ts.Joint('pivot', 'world', 'rod', ts.Revolute('y')),)))\n"
        "x = np.zeros(1)\n"
        "dyn.inverse_dynamics(x, x, x), dyn.mass_matrix(x), dyn.forward_dynamics(x, x, x)\n"
        "print(*sys.modules)\n"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"PYTHONPATH": path}
    runs = [
        subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    if cache.digest_sources() != cache.digest_sources.__wrapped__():
        pytest.skip("the sources were edited while this test ran")
    rooms = {
        "casadi",
        *(
            f"torseur.{r}"
            for r in (
                "formalisms",
                "dynamics",
                "forces",
                "system.constraints",
                "quantities.symbolic_system",
                "compiler.codegen.entry_points",
            )
        ),
    }
    assert rooms & set(runs[0])
    assert not rooms & set(runs[1])


def test_looking_for_cycles_is_as_it_was_after_kernels_were_written():
    from torseur._lazy import pause_garbage_collection

    assert gc.isenabled()
    with pause_garbage_collection(), pause_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with pause_garbage_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(ZeroDivisionError), pause_garbage_collection():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_a_quantity_that_was_edited_is_another_one(tmp_path):
    """A user's formula is known by its name alone, so its code is not kept on disk."""
    script = """
import numpy as np, torseur as ts
from torseur.quantities.register import quantity

@quantity("q v", "h")
def doubled(s, q, v):
    "Rates, some times [rad/s]."
    return {} * v

rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
pin = ts.Joint("pin", "world", "rod", ts.Revolute("y"))
print(ts.compile(ts.Model(bodies=(rod,), joints=(pin,))).kernel("doubled")([0.0], [1.0])[0])
"""
    own = os.environ | {"TORSEUR_CACHE": str(tmp_path / "kernels")}
    told = []
    for factor in (2, 3):
        file = tmp_path / "mine.py"
        file.write_text(script.format(factor), encoding="utf-8")
        run = [sys.executable, str(file)]
        told.append(subprocess.run(run, env=own, capture_output=True, encoding="utf-8", check=True))
    assert [float(x.stdout) for x in told] == [2.0, 3.0]


def test_sources_are_read_once_after_they_changed(place, tmp_path, monkeypatch):
    """Kept by what the system tells of the files; a change is seen though size and time stay."""
    root = tmp_path / "package"
    for room in ("compiler", "studies"):
        (root / room).mkdir(parents=True)
        (root / room / "text.py").write_text("a = 1")
    monkeypatch.setattr(cache, "__file__", str(root / "compiler" / "cache.py"))
    monkeypatch.setattr(cache, "MTIME_RESOLUTION", -(10**9))
    read, digest = [], cache.digest_sources.__wrapped__
    ours, of_rooms = root / "compiler" / "text.py", root / "studies" / "text.py"

    def counted(path, *how, **more):
        read.append(path)
        return open(path, *how, **more)

    monkeypatch.setattr(cache, "open", counted, raising=False)

    def sources():
        read.clear()
        return digest(), [p for p in read if str(p).endswith(".py")]

    first, files = sources()
    assert files == [str(ours)]
    of_rooms.write_text("b = 2")  # a room that only uses kernels
    assert sources() == (first, [])
    when = ours.stat()
    while ours.stat().st_ctime_ns == when.st_ctime_ns:  # clocks of files tick
        ours.write_text("a = 2")
    os.utime(ours, ns=(when.st_atime_ns, when.st_mtime_ns))
    changed, files = sources()
    assert changed != first and files
    # just now: another change may have this time
    monkeypatch.setattr(cache, "MTIME_RESOLUTION", 10**12)
    ours.write_text("a = 3")
    assert sources()[1] and sources()[1]
