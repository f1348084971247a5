"""Whole files that the fuzzer starts from: shipped examples and small ones made here."""

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import yaml

import torseur as ts

ROOT = Path(__file__).resolve().parents[2]
MJCF = """<mujoco model="m"><compiler angle="radian"/><option gravity="0 0 -9.81"/>
<default><joint damping="0.1"/><default class="c"><geom rgba="1 0 0 1"/></default></default>
<asset><texture name="t" type="2d" builtin="flat" width="8" height="8"/><material name="k"/></asset>
<worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 0.1"/>
<body name="a" pos="0 0 1"><freejoint name="f"/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
<body name="b" pos="0 0 0.3" euler="0 0.1 0"><joint name="h" type="hinge" axis="0 1 0" range="-1 1"
stiffness="3" springref="0.1" armature="0.01" frictionloss="0.2"/>
<inertial pos="0 0 0.1" mass="1.5" diaginertia="0.01 0.02 0.015"/><site name="s"/>
<geom class="c" type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
<body name="c" pos="0 0 0.3"><joint name="p" type="slide" axis="0 0 1"/>
<geom type="sphere" size="0.05"/></body></body></body>
<body name="d" pos="1 0 1"><joint type="ball" name="q"/><geom type="cylinder"
size="0.1 0.2"/></body>
<replicate count="2" offset="0 0 0.1"><geom type="sphere" size="0.01"/></replicate></worldbody>
<equality><weld body1="c" body2="d"/><joint joint1="h" joint2="p" polycoef="0 1 0 0 0"/></equality>
<actuator><motor joint="h" gear="2"/><position joint="p" kp="10"/></actuator>
<sensor><jointpos joint="h"/></sensor></mujoco>"""
URDF = """<robot name="r"><link name="base"/><link name="a"><inertial><origin xyz="0 0 0.1"
rpy="0 0.2 0"/><mass value="1.5"/><inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0"
iyz="0"/></inertial><visual><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>
</link><link name="b"><inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01"
ixy="0" ixz="0.001" iyz="0"/></inertial></link><link name="tool"/>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<origin xyz="0 0 0.5" rpy="0 0 1"/><limit lower="-1" upper="2" effort="10" velocity="3"/>
<dynamics damping="0.1" friction="0.05"/></joint><joint name="k" type="prismatic">
<parent link="a"/><child link="b"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="5"
velocity="1"/><mimic joint="j" multiplier="0.5" offset="0.1"/></joint>
<joint name="f" type="fixed"><parent link="b"/><child link="tool"/></joint></robot>"""
TABLE = """name: t
bodies: {b: {mass: 2}}
joints: {x: {parent: world, child: b, type: prismatic, axis: x}}
forces: {f: {type: table, joint: x, points: {csv: table.csv, columns: [d, F]}}}
"""
EVERY = """schema_version: 1
name: every
gravity: [0, 0, -9.81]
parameters: {k: 200 N/m, L: 0.4, m2: 1.5 kg}
bodies:
  a: {mass: 2, com: [0, 0, -0.2], inertia: [0.1, 0.1, 0.01]}
  b: {mass: m2, com: [0, 0, -L/2], inertia: [0.02, 0.02, 0.001, 0, 0, 0]}
  c: {mass: 1, inertia: [0.01, 0.01, 0.01]}
joints:
  s: {parent: world, child: a, type: revolute, axis: y, limits: [-1, 1], damping: 0.1,
      drive: {motor: rotor,
      stages: [{type: drive_stage, name: rotor, ratio: 50, inertia: 1e-4, stiffness: 1e4}]}}
  e: {parent: a, child: b, type: universal, axis1: x, axis2: y, at: [0, 0, -L], rpy: [0, 0.1, 0]}
  f: {parent: world, child: c, type: free, at: [1, 0, 0]}
frames: {tool: {body: b, at: [0, 0, -L]}}
loops: {}
forces:
  mount: {type: spring, between: [[b, [0, 0, -0.4]], world], stiffness: k, free_length: 300 mm}
  brake: {type: viscous, joint: s, damping: 0.1}
  push: {type: wrench, frame: tool, input: hand}
  curve: {type: crush, between: [c, world], points: [[0, 0], [10 mm, 5 kN], [50 mm, 20 kN]],
          unloading: 1e7}
constraints:
  ground: {type: contact, point: [c, [0, 0, -0.1]], friction: 0.3}
inputs: {hand: {size: 6}}
initial: {s.angle: 30 deg, f.vx: 0}
simulation: {t_end: 0.1, method: auto, rtol: 1e-6, output: 11, keep: [s.angle]}
outputs: [s.angle, energy.kinetic]
"""
SPRING = """name: spring
bodies: {b: {mass: 2}}
joints: {x: {parent: world, child: b, type: prismatic, axis: x}}
forces: {f: {type: spring, joint: x, stiffness: 200}}
inputs: {hand: {size: 1}}
initial: {x.speed: 1}
simulation: {t_end: 1}
"""
STUDY = """model: spring.yaml
vary:
  b.mass: {normal: [2 kg, 0.1 kg]}
  f.stiffness: {choice: {soft: 100, hard: 400 N/m}}
  f.law: {choice: {a: {type: spring, stiffness: 10}, b: {type: viscous, damping: 3 N s/m}}}
  x.speed: {uniform: [0.5, 36 km/h]}
keep:
  far: {signal_at: x.displacement, at: [0.1, 0.2]}
  most: {peak: x.speed}
  end: {final: x.displacement}
samples: 20
design: latin
seed: 3
t_end: 500 ms
simulation: {rtol: 1e-6, inputs: {hand: {times: [0, 1], values: [0, 2]}}}
"""
FIT = """model: spring.yaml
experiments:
  - {data: test.csv, signals: {x.displacement: moved}, t_end: 300 ms, sigma: {x.displacement: 1 mm}}
  - {data: test.csv, signals: {x.displacement: moved}, window: [0, 0.2 s], weight: 2, cfc: 10,
     initial: {x.speed: 3.6 km/h}}
free:
  f.stiffness: [50, 400]
  b.mass: {bounds: [1, 3], prior: [2, 0.1]}
starts: 2
tolerance: 1e-6
"""
CASES = (
    """crash: a driver against an oblique wall
car: k3
speed: 48 km/h
dimensions: 2
wall: {type: wall, angle: 30 deg, friction: 0.2}
occupants: [{type: one_mass, name: driver, mass: 75 kg, belt: {stiffness: 80 kN/m, slack: 20 mm}}]
measures: {head: 'olc:93+94'}
t_end: 0.12
""",
    """crash: two cars
car: k3
other: k3
speed: [50 km/h, 20 km/h]
angle: 90 deg
overlap: 0.5
dimensions: 2
""",
    """crash: sled
pulse: {time: [0, 0.05, 0.1], acceleration: [0, -300, 0]}
speed: 14 m/s
occupants: [{type: dummy}]
""",
    """car: sedan
scenario: side_pole
""",
    """crash: every number of an occupant in the plane, on a moving barrier
car: k3
speed: 0
dimensions: 2
wall: {type: moving_barrier, mass: 1400 kg, inertia: 2600, speed: 50 km/h, width: 1.7, name: tr,
  face: {pressure: 0.34e6, thickness: 0.5, width: 1, height: 0.6, mass: 30, wall: {overlap: 0.5}}}
occupants: [{type: three_body, name: man, mass: 80, bolster: 4e4, airbag: 2e4, in: body,
  at: [0, 0.3, 0.2], lap: {slack: 1 cm, pull: 3 cm, fires: 12 ms, within: 6 ms, limit: 5 kN}}]
point: body
""",
    """crash: every number of a dummy, against a pole
car: k3
speed: 29 km/h
dimensions: 3
wall: {type: pole, diameter: 0.25, y: 0.1, friction: 0.1}
occupants: [{type: dummy, mass: 80, chest: 1e5, bolster: 4e4, footwell: 5e4, airbag: 1e4,
  seat: 8e4, shoulder: {stiffness: 6e4}}]
measures: ['hic:driver_head']
""",
)
# sines of three joints, their rates, accelerations and any efforts
TURNED = [k * np.pi / 2 + 0.7 * j for k in range(4) for j in range(3)]
MOTION = "# a table\ntime [ms],waist.angle [deg],shoulder.angle,elbow.angle [rad]\n" + "".join(
    f"{10 * i},{i},{0.1 * i},{-0.2 * i}\n" for i in range(8)
)


@dataclass
class Kind:
    """Files of one format: seeds, how they change, the file's name, and who reads it."""

    form: str
    name: str
    read: Callable[[Path], object]
    seeds: list[bytes] = field(default_factory=list)
    beside: dict[str, bytes] = field(default_factory=dict)  # other files of the folder
    every: int = 1  # of so many rounds; more for what is read by a process of its own


def elements() -> list[bytes]:
    """Models that hold every registered joint, law, line and constraint, some of them each."""
    import zoo

    from torseur.constraints import constraint
    from torseur.forces import law, line
    from torseur.joints import joint
    from torseur.model.formats import to_json

    def slides(some):
        names = [f"b{i}" for i in range(len(some))]
        return ts.Model(
            bodies=tuple(ts.Body(n, 1.3, inertia=(1, 1.2, 1.1)) for n in names),
            joints=tuple(ts.Joint(n, "world", n, ts.Prismatic("x")) for n in names),
            forces=tuple(ts.JointForce(f"f{n}", n, x) for n, x in zip(names, some, strict=True)),
            inputs=tuple(map(ts.Input, dict.fromkeys(i for x in some for i in x.inputs))),
        )

    def tree(some):
        kinds = dict(enumerate(some))
        return ts.Model(
            bodies=tuple(ts.Body(f"b{i}", 1.3, inertia=(1, 1.2, 1.1)) for i in kinds),
            joints=tuple(ts.Joint(f"b{i}", "world", f"b{i}", x) for i, x in kinds.items()),
        )

    def named(some):
        return tuple(replace(x, name=f"own{i}") for i, x in enumerate(some))

    ways = (
        (law, slides),
        (joint, tree),
        (line, lambda some: zoo.mechanism(forces=named(some))),
        (constraint, lambda some: zoo.mechanism(constraints=named(some))),
    )
    made = []
    for register, of in ways:
        every = register.examples()
        made += [to_json(of(every[i : i + 6])).encode() for i in range(0, len(every), 6)]
    return made


def model(path: Path) -> None:
    """All that `torseur check` does with a file, but for loops, and the way back."""
    from torseur.cli.commands.check import find_run_problems

    made = ts.load(path)
    system = made.check()
    for text in find_run_problems(system, str(path)):
        raise ts.TorseurError(f"{path.name}: {text}")
    made.save(path.with_name("back.yaml"))


def table(path: Path) -> None:
    from torseur.identify.robots.data import samples

    samples(arm(), str(path))


@cache
def arm():
    return ts.load(ROOT / "examples" / "robot_arm.yaml").check()


def motion(path: Path) -> None:
    from torseur.cli.base import read_motion_table

    read_motion_table(arm(), path)


def overlay(path: Path) -> None:
    from torseur.show.overlays import read_measurement

    read_measurement(path, {"time": "s", "waist.angle": "rad", "shoulder.angle": "rad"})


def fitted(path: Path) -> None:
    from torseur.identify.output_error.plan_file import read_fit

    read_fit(path)


def case(path: Path) -> None:
    """A crash of a file, with its model checked."""
    ts.crash.load_case(path).scene.check()


def channels(path: Path) -> None:
    test = ts.crash.read_test(path)
    str(test.channels)
    for number in test.channels["number"]:
        try:
            test[int(number)].values.sum()
        except ts.TorseurError as e:
            if "has no data" not in str(e):
                raise


def _lab() -> tuple[bytes, dict[str, bytes]]:
    time = np.arange(-5, 15) * 1e-3
    test = ["V5", "A TEST"] + [""] * 12 + ["36.0", "0", "0", "0", "2", "x"]
    lines = ["----- EV5 -----", "----- TEST -----", "|".join(test), "----- VEHICLE -----"]
    lines += ["|".join(["1"] + ["x"] * 9 + ["1500"] + ["x"] * 5), "----- INSTRUMENTATION -----"]
    for n, unit in ((1, "G'S"), (2, "MM")):
        lines.append(
            f"1|{n}|AC|NA|FLLR|XG|SEC|{unit}|2800|maker|now|1|1|0|-5|14|1000|AM|P|CHANNEL {n}"
        )
    rows = "".join(f"{t:.6f}\t{x:.9f}\n" for t, x in zip(time, 3 * time, strict=True)).encode()
    return "\n".join([*lines, "----- END ------"]).encode(), {"v1.001": rows, "v1.002": rows}


def kinds() -> dict[str, Kind]:
    """Every format with its seeds."""
    texts = [p.read_bytes() for p in sorted((ROOT / "examples").glob("*.yaml"))] + [EVERY.encode()]
    texts = [t for t in texts if len(t) < 9000]
    trees = [json.dumps(yaml.safe_load(t)).encode() for t in texts]
    garage = Path(ts.crash.__path__[0]) / "vehicles"
    vehicles = [p.read_bytes() for p in sorted(garage.glob("*.yaml"))]
    catalog = Path(ts.robots.__path__[0]) / "drives" / "example_catalog.yaml"
    head, records = _lab()
    csv = {"camry_front.csv": (ROOT / "examples" / "camry_front.csv").read_bytes()}
    made = {
        "yaml": Kind("yaml", "m.yaml", model, texts, csv),
        "json": Kind("json", "m.json", model, trees, csv),
        "element": Kind("json", "m.json", model, elements()),
        "urdf": Kind("xml", "m.urdf", model, [URDF.encode()]),
        "mjcf": Kind("xml", "m.xml", model, [MJCF.encode()]),
        "csv": Kind(
            "text",
            "table.csv",
            lambda p: model(p.with_name("t.yaml")),
            [b"d [mm],F [kN]\n0,0\n10,5\n30,20\n", b"# measured\nF (kN),d (m)\n0,0\n5,0.01\n"],
            {"t.yaml": TABLE.encode()},
        ),
        "vehicle": Kind("yaml", "v.yaml", ts.crash.load_vehicle, vehicles, _beside(garage)),
        "catalog": Kind("yaml", "c.yaml", ts.robots.load_catalog, [catalog.read_bytes()]),
        "study": Kind(
            "yaml", "study.yaml", ts.studies.read_plan, [STUDY.encode()],
            {"spring.yaml": SPRING.encode()},
        ),
        "fit": Kind(
            "yaml", "fit.yaml", fitted, [FIT.encode()],
            {
                "spring.yaml": SPRING.encode(),
                "test.csv": b"time [ms],moved [mm]\n"
                + b"".join(b"%d,%d\n" % (10 * i, i * i) for i in range(40)),
            },
        ),
        "case": Kind("yaml", "case.yaml", case, [x.encode() for x in CASES]),
        "motion": Kind("text", "motion.csv", motion, [MOTION.encode()]),
        "overlay": Kind("text", "overlay.csv", overlay, [MOTION.encode()]),
        "ev5": Kind("text", "v1.EV5", channels, [head], records),
        "channel": Kind(
            "text", "v1.001", lambda p: channels(p.parent), [records["v1.001"]],
            {"v1.EV5": head, "v1.002": records["v1.002"]},
        ),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        _binary(Path(name), head, records, made)
    return made


def _beside(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix in (".yaml", ".csv")}


def _binary(folder: Path, head, records, made) -> None:
    """Files of runs and tests that are written by the program itself."""
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
    run = ts.simulate(ts.Model(bodies=(rod,), joints=(joint,)), 0.1, output=5)
    run.save(folder / "run.nc")
    made["netcdf"] = Kind(
        "binary", "run.nc", ts.Trajectory.load, [(folder / "run.nc").read_bytes()]
    )
    import xarray

    data = xarray.load_dataset(folder / "run.nc", decode_times=False)
    data = data.assign_attrs({k: str(v) for k, v in data.attrs.items()})
    data.to_netcdf(folder / "run5.nc", engine="h5netcdf")
    made["hdf5"] = Kind(
        "binary", "run.nc", ts.Trajectory.load, [(folder / "run5.nc").read_bytes()], every=50
    )
    (folder / "lab").mkdir()
    for name, data in {"v1.EV5": head, **records}.items():
        (folder / "lab" / name).write_bytes(data)
    test = ts.crash.read_test(folder / "lab")
    ts.crash.write_test(test, folder / "mme")
    files = {str(p.relative_to(folder / "mme")): p for p in (folder / "mme").rglob("*")}
    files = {n: p.read_bytes() for n, p in files.items() if p.is_file()}
    (header,) = (n for n in files if n.lower().endswith(".mme"))
    made["mme"] = Kind(
        "text", header, channels, [files[header]], {n: x for n, x in files.items() if n != header}
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in {"v1.EV5": head, **records}.items():
            archive.writestr(name, data)
    made["zip"] = Kind("binary", "v1.zip", channels, [packed.getvalue()])
    rows = "time,q1,q2,q3,v1,v2,v3,a1,a2,a3,tau1,tau2,tau3\n" + "".join(
        ",".join(f"{x:.6g}" for x in (0.1 * i, *(np.sin(0.1 * i + j) for j in TURNED))) + "\n"
        for i in range(12)
    )
    made["measured"] = Kind("text", "data.csv", table, [rows.encode()])
