"""Models that leave as FMUs: compared with `simulate` by an importer that is not ours."""

import ctypes
import importlib.util
import itertools
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from fmi import EXCHANGE, PLATFORM, SUFFIX, Fmu, Instance, Refused

import torseur as ts
from torseur.cli import main
from torseur.errors import ArgumentError
from torseur.forces import law
from torseur.kernels import begun
from torseur.signals import initial_history_kernel

pytestmark = pytest.mark.skipif(
    sys.platform == "darwin" or platform.machine() not in ("x86_64", "AMD64"),
    reason="binaries are for Linux and Windows on x86-64",
)
LINUX = pytest.mark.skipif(sys.platform == "win32", reason="a library for Linux")

CAR = ts.Model(
    "car",
    gravity=(0, 0, 0),
    bodies=(ts.Body("car", mass=1000.0),),
    joints=(ts.Joint("x", "world", "car", ts.Prismatic("x")),),
    parameters={"k": 2e6},
    forces=(
        ts.JointForce("front", "x", ts.Crush(((0, 0), (0.1, 1e5), (0.3, 2e5)), "k", gap=0.05)),
    ),
    initial={"x.speed": 8.0},
    simulation={"t_end": 0.3},
)
ARM = ts.Model(
    "50 % arm",
    bodies=(ts.Body("rod", mass=1.0, com=(0, 0, -0.5)),),
    joints=(ts.Joint("j", "world", "rod", ts.Revolute("y")),),
    inputs=(ts.Input("torque", unit="N m"),),
    parameters={"k": 5.0},
    forces=(
        ts.JointForce("motor", "j", ts.Effort(input="torque")),
        ts.JointForce("spring", "j", ts.Spring("k")),
    ),
    simulation={"t_end": 1.0},
)
BALL = ts.Model(
    "ball",
    bodies=(ts.Body("ball", mass=2.0),),
    joints=(ts.Joint("z", "world", "ball", ts.Prismatic("z")),),
    constraints=(ts.Contact("floor", "ball", radius=0.1, restitution=0.8),),
    initial={"z.displacement": 1.1},
)


def rod(name, length):
    J = 2 * length**3 / 12
    return ts.Body(name, mass=2 * length, com=(length / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))


PIN = ts.Revolute("z")
FOUR_BAR = ts.Model(
    "four-bar",
    gravity=(0, -9.81, 0),
    bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
    joints=(
        ts.Joint("A", "world", "crank", PIN),
        ts.Joint("B", "crank", "coupler", PIN, at=(0.3, 0, 0)),
        ts.Joint("D", "world", "rocker", PIN, at=("d", 0, 0)),
    ),
    parameters={"d": 0.9},
    loops=(ts.Loop("C", "rocker", "coupler", PIN, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
    initial={"A.angle": np.pi / 3, "A.rate": 2.0, "B.angle": -0.6, "D.angle": 1.6},
    simulation={"keep": ["A.angle", "A.rate"]},
)
TUMBLER = ts.Model(
    "tumbler",
    bodies=(ts.Body("b", mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0)),),
    joints=(ts.Joint("f", "world", "b", ts.Free()),),
    initial={"f.wx": 0.1, "f.wy": 5.0, "f.wz": 0.1, "f.vx": 1.0},
)
PENDULUM = ts.Model(
    "double pendulum",
    bodies=(ts.Body("a", 1.0, (0, 0, -0.5)), ts.Body("b", 1.0, (0, 0, -0.5))),
    joints=(
        ts.Joint("j1", "world", "a", ts.Revolute("y"), damping=0.1),
        ts.Joint("j2", "a", "b", ts.Revolute("y"), at=(0, 0, -1)),
    ),
    initial={"j1.angle": 1.0, "j2.angle": 0.5},
)
RUB = ts.Model(
    "rub",
    bodies=(ts.Body("b", mass=1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("s", "x", ts.Spring(50.0)),),
    constraints=(ts.DryFriction("rub", "x.displacement", force=1.5),),
    initial={"x.displacement": 0.2},
)
KNOT = ts.Model(
    "knot",
    bodies=(ts.Body("b", mass=1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("s", "x", ts.Table(((-1, -500), (0, 0), (1, 100)))),),
    initial={"x.speed": -1.0},
)  # it begins on a knot of its table, and leaves to the side that was not taken
SWITCH = ts.Model(
    "switch",
    bodies=(ts.Body("b", mass=1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("e", "x", ts.Expression("-5*step(sin(3*t))", work="supplied")),),
)  # it begins where its guard is zero, which is armed on the way
CASES = {
    "knot": (KNOT, 0.5, ("x.displacement", "x.speed", "s.force")),
    "switch": (SWITCH, 1.5, ("x.displacement", "x.speed", "e.force")),
    "pendulum": (PENDULUM, 1.0, ("j1.angle", "j2.rate", "b.position.x", "energy.kinetic")),
    "car": (CAR, 0.3, ("x.displacement", "x.speed", "front.force", "front.energy.dissipated")),
    "ball": (BALL, 1.5, ("z.displacement", "z.speed", "floor.normal.multiplier", "floor.contact")),
    "four-bar": (FOUR_BAR, 0.6, ("A.angle", "D.rate", "C.x.multiplier", "coupler.position.y")),
    "tumbler": (TUMBLER, 1.0, ("b.position.z", "f.qx", "f.wy", "energy.kinetic")),
    "rub": (RUB, 1.0, ("x.displacement", "x.speed", "energy.dissipated")),
    "arm": (ARM, 1.0, ("j.angle", "j.rate", "spring.energy.stored")),
}


@cache
def fmu(name):
    model, t_end, _ = CASES[name]
    folder = Path(mkdtemp(prefix="fmu."))
    path = ts.export_fmu(model, folder / "m.fmu", t_end=t_end, platforms=PLATFORM)
    return Fmu(path, folder / "m")


def compared(name, got, k):
    """Values at times of importers over the largest error that is allowed."""
    model, t_end, names = CASES[name]
    times = np.linspace(0, t_end, 8)
    run = ts.simulate(model, t_end, output=times)
    want = np.array([[run[n][np.searchsorted(run.time, t + 1e-12) - 1] for n in names]
                     for t in times])  # fmt: skip
    size = np.maximum(abs(want).max(axis=0), 1e-3)
    assert (abs(got(times, names) - want) / size).max() < k


@pytest.mark.parametrize("name", CASES)
def test_co_simulation_is_the_same_motion(name):
    compared(name, lambda t, names: fmu(name).start().run(t, names), 3e-7)


@pytest.mark.parametrize("name", CASES)
def test_model_exchange_is_the_same_motion(name):
    compared(name, lambda t, names: fmu(name).start(EXCHANGE).exchange(t, names), 3e-6)


def test_events_are_where_they_are_to_rounding():
    """A ball after three bounces, by its closed form."""
    one = fmu("ball").start()
    g, e, h = 9.81, 0.8, 1.0
    first = np.sqrt(2 * h / g)
    speed = g * first * e
    landed = first + 2 * speed / g
    one.run([0.0, 0.7, 1.3], ["z.speed"])
    assert first < 0.7 < landed < 1.3
    (z,) = one.get(["z.displacement"])
    t, up = 1.3 - landed, speed * e
    assert abs(z - (0.1 + up * t - g * t * t / 2)) < 1e-12


def test_inputs_and_parameters():
    one = fmu("arm").start(k=8.0, torque=1.0, **{"j.angle": 0.3})
    one.run([0.0, 0.5], ["j.angle"])
    one.set({"torque": -2.0})
    got = one.run([0.5, 1.0], ["j.angle", "energy.supplied"])[-1]
    run = ts.simulate(
        ARM, 1.0, {"j.angle": 0.3}, parameters={"k": 8.0}, period=0.5,
        control=lambda t, q, v: {"torque": 1.0 if t < 0.4 else -2.0},
    )  # fmt: skip
    assert np.allclose(got, [run["j.angle"][-1], run["energy.supplied"][-1]], atol=1e-7)


def test_an_input_acts_from_the_instant_at_which_it_changes(tmp_path):
    """By steps of fixed length, which no error shortens: the same numbers as a run."""
    path = ts.export_fmu(ARM, tmp_path / "m.fmu", method="rk4", step=0.05, platforms=PLATFORM)
    one = Fmu(path, tmp_path / "m").start()
    for k, torque in enumerate((1.0, -2.0, 3.0)):
        one.set({"torque": torque})
        got = one.run([0.25 * k, 0.25 * (k + 1)], ["j.angle", "j.rate"])[-1]
    run = ts.simulate(
        ARM, 0.75, method="rk4", step=0.05, period=0.25,
        control=lambda t, q, v: {"torque": (1.0, -2.0, 3.0)[round(t / 0.25)]},
    )  # fmt: skip
    assert np.allclose(got, [run["j.angle"][-1], run["j.rate"][-1]], rtol=0, atol=1e-13)


@pytest.mark.parametrize("speed", (-1.0, 0.0))
def test_contacts_begin_where_an_importer_starts_them(speed):
    names = ["z.speed", "floor.contact", "floor.normal.multiplier", "energy.dissipated"]
    start = {"z.displacement": 0.1, "z.speed": speed}
    run = ts.simulate(BALL, 0.05, start)
    one = fmu("ball").start(**start)
    assert np.allclose(one.get(names), [run[n][0] for n in names], atol=1e-12)
    assert np.allclose(one.run([0, 0.05], names)[-1], [run[n][-1] for n in names], atol=1e-9)


def test_a_loop_that_an_importer_lets_open_is_closed():
    one, system = fmu("four-bar").start(EXCHANGE), FOUR_BAR.check()
    rows = one.exchange(np.linspace(0, 3, 31), system.coordinates, rtol=1e-4)
    open_by = abs(ts.compile(FOUR_BAR).constraint_residual(rows)).max()
    assert 0 < open_by < 1e-5


def test_signals_are_those_of_the_state():
    one = fmu("arm").start(EXCHANGE)
    before = one.get(["spring.force"])
    x = one._states()
    x[0] = 0.4
    one("SetContinuousStates", (ctypes.c_double * len(x))(*x), ctypes.c_size_t(len(x)))
    assert before == [0.0] and abs(one.get(["spring.force"])[0] - 5.0 * 0.4) < 1e-14
    x[0] = np.nan
    with pytest.raises(Refused, match="the rates are not finite"):
        one._rates(0.0, x)


def test_laws_begin_where_an_importer_starts_them():
    one = fmu("car").start(k=3e6, **{"x.displacement": 0.2, "x.speed": 2.0})
    got = one.run([0.0, 0.1], ["x.displacement", "front.force", "front.set"])[-1]
    start = {"x.displacement": 0.2, "x.speed": 2.0}
    run = ts.simulate(CAR, 0.1, start, parameters={"k": 3e6})
    assert np.allclose(got, [run[n][-1] for n in ("x.displacement", "front.force", "front.set")],
                       rtol=1e-7)  # fmt: skip


def test_a_start_is_brought_to_its_loops_and_told():
    one = Instance(fmu("four-bar"))
    one.begin(values={"A.angle": 1.2})
    system = FOUR_BAR.check()
    q, v = one.get(system.coordinates), one.get(system.speeds)
    c = ts.compile(FOUR_BAR)
    assert abs(c.constraint_residual(q)).max() < 1e-12
    assert abs(c.constraint_jacobian(q) @ v).max() < 1e-11
    assert "projected onto loops" in one.said[0] and abs(one.get(["A.angle"])[0] - 1.2) < 0.2
    apart = Instance(fmu("four-bar"))
    with pytest.raises(Refused, match="does not close the loops and constraints"):
        apart.begin(values={"d": 9.0})


def test_a_quaternion_is_brought_to_unit_length():
    one = fmu("tumbler").start(**{"f.qw": 3.0, "f.qx": 4.0})
    assert np.allclose(one.get(["f.qw", "f.qx", "f.qy"]), [0.6, 0.8, 0.0], atol=1e-15)


def test_instances_know_nothing_of_each_other():
    file, names = fmu("car"), ["x.displacement", "front.force"]
    times = np.linspace(0, 0.2, 11)
    alone = file.start().run(times, names)
    two = [file.start(), file.start(**{"x.speed": 5.0})]
    both = [[one.get(names)] for one in two]
    for a, b in itertools.pairwise(times):
        for one, rows in zip(two, both, strict=True):
            one.t = a
            one.step(b - a)
            rows.append(one.get(names))
    assert np.array_equal(both[0], alone) and not np.array_equal(both[1], alone)
    two[1]("Reset")
    assert np.array_equal(two[1].begin().run(times, names), alone)
    for one in two:
        one.release()
        assert not one.blocks  # all memory was the importer's, and it has it back


def test_an_event_that_ends_the_motion(tmp_path):
    path = ts.export_fmu(BALL, tmp_path / "m.fmu", stop_when="floor: lands", platforms=PLATFORM)
    one = Fmu(path, tmp_path / "m").start()
    step, said, t = [ctypes.c_double(x) for x in (0.0, 1.0)], ctypes.c_int(), ctypes.c_double()
    one("DoStep", *step, ctypes.c_int(1), good=(2,))
    one("GetBooleanStatus", 3, ctypes.byref(said))
    one("GetRealStatus", 2, ctypes.byref(t))
    assert said.value == 1 and abs(t.value - np.sqrt(2 / 9.81)) < 1e-9
    assert one.said == ["floor: lands ended the motion at t = 0.451523641 s"]
    one("DoStep", t, ctypes.c_double(0.1), ctypes.c_int(1), good=(2,))
    assert "the motion has ended" in one.said[-1]


def test_a_state_is_kept_and_comes_back():
    one, names = fmu("car").start(), ["x.displacement", "front.force", "front.set"]
    one.run([0.0, 0.08], names)
    state = ctypes.c_void_p()
    one("GetFMUstate", ctypes.byref(state))
    first = one.run([0.08, 0.2], names)
    one("SetFMUstate", state)
    assert np.array_equal(one.run([0.08, 0.2], names), first)
    one("FreeFMUstate", ctypes.byref(state))
    assert not state.value


def test_errors_are_sentences():
    arm = fmu("arm")
    with pytest.raises(Refused, match="the guid differs"):
        Instance(arm, guid="{}")
    one = arm.start()
    for values, text in (
        ({"k": 3.0}, "k cannot be set to 3 after the initialization"),
        (
            {"spring.force": 1.0},
            "spring.force cannot be set to 1: it is computed from other variables",
        ),
        ({"torque": np.nan}, "torque = nan: expected a finite number"),
    ):
        with pytest.raises(Refused, match=re.escape(text)):
            one.set(values)
    one.t = 0.5
    with pytest.raises(Refused, match=r"step from t = 0\.5 s, but this instance is at t = 0 s"):
        one.step(0.1)
    inside = Instance(fmu("ball"))
    with pytest.raises(Refused, match=r"floor starts 0\.05 m inside its ground"):
        inside.begin(values={"z.displacement": 0.05})


def test_what_cannot_leave_is_refused(tmp_path):
    path = tmp_path / "m.fmu"
    for text, given in (
        ("a controller in Python cannot leave", {"control": print, "period": 0.1}),
        ("is a function of time, which the importer gives", {"inputs": {"torque": "sin(t)"}}),
        ("a signal of whole runs", {"keep": "energy.residual"}),
        ("export_fmu: no signal is named 'nothing'", {"keep": "nothing"}),
        ("export_fmu: no platform is named 'amiga'", {"platforms": "amiga"}),
        ("export_fmu: no cpu is named '486'", {"cpu": "486"}),
        ("selects new independent speeds in Python", {"solution": "null_space"}),
    ):
        with pytest.raises(ts.TorseurError, match=re.escape(text)):
            ts.export_fmu(ARM, path, **given)
    with pytest.raises(ArgumentError, match=r"ends in \.fmu"):
        ts.export_fmu(ARM, tmp_path / "m.zip")
    assert not list(tmp_path.iterdir())


def test_laws_that_search_for_their_start_keep_it(tmp_path):
    pair = ts.Series(ts.Crush(((0, 0), (0.1, 1e5)), 2e6), ts.Crush(((0, 0), (0.1, 1.5e5)), 3e6))
    force = ts.JointForce("f", "x", pair)
    model = replace(CAR, forces=(force,), initial={"x.speed": 1.0}, parameters={})
    file = Fmu(ts.export_fmu(model, tmp_path / "m.fmu", platforms=PLATFORM), tmp_path / "m")
    with pytest.raises(Refused, match="the laws of this model start as exported"):
        Instance(file).begin(values={"x.speed": 2.0})
    end = file.start().run([0.0, 0.1], ["x.displacement"])[-1, 0]
    assert abs(end - ts.simulate(model, 0.1)["x.displacement"][-1]) < 1e-9


@LINUX
def test_the_library_needs_the_c_library_alone():
    """Its dynamic symbols, by a reader of our own: what is needed has no section."""
    from torseur.compiler.program.program import LIBM_ARITY

    data = fmu("car").file.read_bytes()
    heads = int.from_bytes(data[0x28:0x30], "little")
    table = [data[heads + 64 * i : heads + 64 * (i + 1)] for i in range(3)]
    at, size = (int.from_bytes(table[1][k : k + 8], "little") for k in (24, 32))
    texts = int.from_bytes(table[2][24:32], "little")
    needed, offered = set(), set()
    for k in range(at + 24, at + size, 24):
        first = texts + int.from_bytes(data[k : k + 4], "little")
        name = data[first : data.index(0, first)].decode()
        (offered if int.from_bytes(data[k + 6 : k + 8], "little") else needed).add(name)
    own = {"memcpy", "memset", "memmove", "snprintf", "strcmp", "strncpy", "malloc", "free"}
    assert needed <= own | LIBM_ARITY.keys() | {"sin", "cos"}
    assert len(offered) == 44 and all(n.startswith("fmi2") for n in offered)


@cache
def dll():
    """The library of the pendulum for Windows: its file, and its memory as a loader lays it out."""
    folder = Path(mkdtemp(prefix="fmu."))
    path = ts.export_fmu(PENDULUM, folder / "m.fmu", platforms="win64")
    with zipfile.ZipFile(path) as archive:
        data = archive.read("binaries/win64/double_pendulum.dll")
        said = archive.read("modelDescription.xml").decode()
    (folder / "m.dll").write_bytes(data)
    (heads,) = struct.unpack_from("<I", data, 0x3C)
    assert data[:2] == b"MZ" and data[heads : heads + 4] == b"PE\0\0"
    count, optional = struct.unpack_from("<HxxxxxxxxxxxxH", data, heads + 6)
    memory, end = bytearray(struct.unpack_from("<I", data, heads + 24 + 56)[0]), 0x1000
    for k in range(count):
        row = struct.unpack_from("<8xIIII", data, heads + 24 + optional + 40 * k)
        size, address, stored, at = row
        assert address == end and stored % 0x200 == at % 0x200 == 0
        memory[address : address + size] = data[at : at + size]
        end = -(-(address + size) // 0x1000) * 0x1000
    assert len(memory) == end
    listed = [struct.unpack_from("<II", data, heads + 24 + 112 + 8 * k) for k in range(16)]
    return folder / "m.dll", memory, listed, re.search(r'guid="([^"]*)"', said)[1]


def text_at(memory, at):
    return memory[at : memory.index(0, at)].decode()


def test_the_library_for_windows_by_a_reader_of_our_own():
    _, memory, listed, _ = dll()
    at, _ = listed[0]
    n, functions, names = struct.unpack_from("<24xIII", memory, at)
    offered = [text_at(memory, x) for x in struct.unpack_from(f"<{n}I", memory, names)]
    assert offered == sorted(offered) and len(offered) == 44 and "fmi2DoStep" in offered
    assert all(0 < x < len(memory) for x in struct.unpack_from(f"<{n}I", memory, functions))
    needed, (at, _) = {}, listed[1]
    while any(row := struct.unpack_from("<IIIII", memory, at)):
        (hint,) = struct.unpack_from("<Q", memory, row[0])
        assert struct.unpack_from("<Q", memory, row[4]) == (hint,)  # the slot, before it is bound
        needed[text_at(memory, hint + 2)] = text_at(memory, row[3])
        at += 20
    assert needed["_snprintf"] == "msvcrt.dll" and needed["sin"] == "ucrtbase.dll"
    assert set(needed.values()) <= {"msvcrt.dll", "ucrtbase.dll", "ntdll.dll"}
    at, size = listed[5]
    while size:
        page, own = struct.unpack_from("<II", memory, at)
        for x in struct.unpack_from(f"<{(own - 8) // 2}H", memory, at + 8):
            if x >> 12 == 10:
                (target,) = struct.unpack_from("<Q", memory, page + (x & 0xFFF))
                assert 0 <= target - 0x180000000 < len(memory)
        at, size = at + own, size - own


WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"
MINGW = shutil.which("x86_64-w64-mingw32-gcc-win32") or shutil.which("x86_64-w64-mingw32-gcc")


@pytest.mark.slow
@pytest.mark.skipif(not (MINGW and Path(WINE).exists()), reason="no Wine and MinGW here")
def test_wine_runs_the_library_for_windows(tmp_path):
    file, _, _, guid = dll()
    text = Path(__file__).with_name("fmu_driver.c").read_text().replace("$GUID", guid)
    (tmp_path / "driver.c").write_text(text)
    subprocess.run([MINGW, "-O1", "-o", tmp_path / "d.exe", tmp_path / "driver.c"], check=True)
    more = os.environ | {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all"}
    out = subprocess.run([WINE, tmp_path / "d.exe", file, "1"], env=more, check=True,
                         capture_output=True, text=True).stdout  # fmt: skip
    assert abs(float(out) - ts.simulate(PENDULUM, 1.0)["j1.angle"][-1]) < 1e-7


def test_bytes_depend_on_the_model_alone(tmp_path):
    paths = [ts.export_fmu(ARM, tmp_path / f"{n}.fmu", platforms=PLATFORM) for n in "ab"]
    one, other = (p.read_bytes() for p in paths)
    assert one == other


def test_the_description_says_what_is_what():
    root = fmu("arm").root
    rows = {x.get("name"): x for x in root.findall("ModelVariables/ScalarVariable")}
    said = {n: (rows[n].get("causality"), rows[n].find("Real").attrib)
            for n in ("j.angle", "der(j.rate)", "torque", "k", "rod.position.x")}  # fmt: skip
    assert said == {
        "j.angle": ("output", {"unit": "rad", "start": "0.0"}),
        "der(j.rate)": ("local", {"unit": "rad/s/s", "derivative": "3"}),
        "torque": ("input", {"unit": "N m", "start": "0.0"}),
        "k": ("parameter", {"start": "5.0"}),
        "rod.position.x": ("output", {"unit": "m"}),
    }
    units = {x.get("name"): x.find("BaseUnit").attrib for x in root.iter("Unit")}
    assert units["N m"] == {"kg": "1", "m": "2", "s": "-2"}


@pytest.mark.skipif(importlib.util.find_spec("fmpy") is None, reason="fmpy is not installed")
@pytest.mark.parametrize("name", CASES)
def test_fmpy_finds_nothing_wrong(name):
    import fmpy
    from fmpy.validation import validate_fmu

    path = str(fmu(name).file.parents[3] / "m.fmu")
    assert validate_fmu(path) == []

    def run(kind, times, names):
        got = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=times[-1],
                                output_interval=times[1], relative_tolerance=1e-9)  # fmt: skip
        rows = [np.searchsorted(got["time"], t + 1e-9) - 1 for t in times]
        return np.array([got[n][rows] for n in names]).T

    compared(name, lambda t, names: run("CoSimulation", t, names), 1e-6)
    compared(name, lambda t, names: run("ModelExchange", t, names), 1e-4)


@LINUX
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler here")
def test_a_program_in_c_runs_it_without_python(tmp_path):
    file, (model, _, _) = fmu("pendulum"), CASES["pendulum"]
    text = Path(__file__).with_name("fmu_driver.c").read_text().replace("$GUID", file.guid)
    (tmp_path / "driver.c").write_text(text)
    subprocess.run(["gcc", "-O0", "-o", tmp_path / "driver", tmp_path / "driver.c", "-ldl"],
                   check=True)  # fmt: skip
    reference = str(file.references["j1.angle"])
    out = subprocess.run([tmp_path / "driver", file.file, reference], check=True,
                         capture_output=True, text=True, env={}).stdout  # fmt: skip
    assert abs(float(out) - ts.simulate(model, 1.0)["j1.angle"][-1]) < 1e-7


STARTING = [
    (name, i) for name, kind in law.items() for i in range(len(kind.examples()))
]  # every variant of every law


@pytest.mark.parametrize("name,i", STARTING)
def test_starts_of_laws_as_graphs(name, i):
    """The memory of every law at a start: its own text over numbers, and over a graph."""
    own = law[name].examples()[i]
    if not (own.states or own.memory):
        return
    system = ts.Model(
        bodies=(ts.Body("b", mass=1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=tuple(ts.Input(n) for n in own.inputs),
        forces=(ts.JointForce("f", "x", own),),
    ).check()
    kernel = initial_history_kernel(system)
    if name == "Series" or (name, i) == ("Crush", 6):
        assert kernel is None
        return
    none = [np.zeros(len(getattr(system.layout, x))) for x in "zmu"]
    rng = np.random.default_rng(i)
    for k in range(12):
        x, v, t = rng.uniform(-0.5, 0.5), (0.0, -1.0, 1.0)[k % 3], rng.uniform(0, 3)
        z, m, _ = kernel(t, [x], [v], *none, [])
        for got, want in zip((z, m), begun(system, t, [x], [v], none[2], []), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)


def test_the_command(tmp_path, capsys):
    ARM.save(tmp_path / "arm.yaml")
    out = tmp_path / "arm.fmu"
    told = ["export-fmu", str(tmp_path / "arm.yaml"), "-o", str(out), "--platforms", PLATFORM]
    assert main([*told, "--keep", "*.angle", "energy.*"]) == 0
    said = capsys.readouterr().out
    assert f"co-simulation and model exchange, {PLATFORM}" in said
    assert "5 outputs, 1 inputs, 1 parameters" in said
    with zipfile.ZipFile(out) as archive:
        assert f"binaries/{PLATFORM}/m_50___arm{SUFFIX}" in archive.namelist()
