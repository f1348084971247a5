"""Published benchmarks with loops, rolling and blades, against references of fourteen digits."""

import numpy as np
import pytest

from torseur.constraints import Distance, KnifeEdge, Rolling
from torseur.forces import Parallel, PointForce, Spring, Viscous, Wrench
from torseur.joints import Free, Prismatic, Revolute, Spherical, Universal
from torseur.model import Body, Frame, Joint, Loop, Model
from torseur.simulation import simulate

G = 9.81


def run(model, times, initial, rtol=1e-11, **options):
    out = simulate(
        model, times[-1], initial, rtol=rtol, atol=0.1 * rtol, output=[0.0, *times], **options
    )
    assert out.completed, out.outcome
    return out


def columns(out, *names):
    return np.array([out[n][1:] for n in names]).T


def test_A01_pendulum_as_a_constrained_point():
    model = Model(
        "A01",
        gravity=(0, -G, 0),
        bodies=(Body("carriage"), Body("bob", mass=1)),
        joints=(
            Joint("x", "world", "carriage", Prismatic("x")),
            Joint("y", "carriage", "bob", Prismatic("y")),
        ),
        constraints=(Distance("rod", "bob", length=1),),
    )
    out = run(model, (2.5, 5.0, 10.0), {"x.displacement": -1.0})
    want = [
        [-0.9963344039582815, -0.0855438804888806],
        [-0.9423054350437573, -0.3347543384140006],
        [-0.2750874625761169, -0.961419205099125],
    ]
    np.testing.assert_allclose(columns(out, "x.displacement", "y.displacement"), want, atol=2e-10)
    assert abs(out["energy.residual"]).max() < 1e-9
    tension = -out["rod.multiplier"]
    np.testing.assert_allclose(tension, -3 * G * out["y.displacement"], atol=1e-8)


def four_bars(N) -> Model:
    def rod(name):
        return Body(name, mass=1, com=(0.5, 0, 0), inertia=(0, "1/12", "1/12", 0, 0, 0))

    pin = Revolute("z")
    bars = [Joint(f"A{i}", "world", f"bar{i}", pin, at=(i, 0, 0)) for i in range(N + 1)]
    rods = [Joint(f"B{i}", f"bar{i}", f"rod{i}", pin, at=(1, 0, 0)) for i in range(N)]
    loops = [
        Loop(f"C{i}", f"bar{i + 1}", f"rod{i}", pin, at=(1, 0, 0), child_at=(1, 0, 0))
        for i in range(N)
    ]
    return Model(
        f"{N} four-bars",
        gravity=(0, -G, 0),
        bodies=[rod(j.child) for j in (*bars, *rods)],
        joints=(*bars, *rods),
        loops=loops,
    )


def four_bars_start(N):
    right = np.pi / 2
    return (
        {f"A{i}.angle": right for i in range(N + 1)}
        | {f"A{i}.rate": -1 for i in range(N + 1)}
        | {f"B{i}.angle": -right for i in range(N)}
        | {f"B{i}.rate": 1 for i in range(N)}
    )


A02 = {
    1: [
        [0.8499327511974626, 0.5268911827331257],
        [-0.9449081860429539, -0.3273354853189835],
        [0.47838505776097057, 0.8781501787912093],
    ],
    5: [
        [0.7754822745418408, 0.6313693387165812],
        [-0.6614008880338448, -0.7500325761645568],
        [0.23578913584525585, 0.9718042413044653],
    ],
    10: [
        [0.7636746534548379, 0.6456012884672964],
        [-0.595545255478629, -0.8033217591207737],
        [0.20435356098977098, 0.978897145828304],
    ],
}


@pytest.mark.parametrize("method, rtol", [("dopri5", 1e-12), ("dopri5", 1e-13), ("dop853", 1e-12)])
def test_A02_with_tolerances_that_rounding_outweighs(method, rtol):
    """Steps may end where nothing can be projected well: the run goes on, and says so."""
    told = 0
    for N in (1, 2, 5):
        out = simulate(
            four_bars(N),
            10.0,
            four_bars_start(N),
            method=method,
            rtol=rtol,
            atol=0.1 * rtol,
            output=[0.0, 2.5, 5.0, 10.0],
        )
        assert out.completed, out.outcome
        told += "the constraints are nearly singular at t =" in out.outcome
        assert abs(out["energy.residual"]).max() < 1e-6
        if N in A02:
            theta = out["A0.angle"][1:]
            np.testing.assert_allclose(
                np.array([np.cos(theta), np.sin(theta)]).T, A02[N], atol=1e-6
            )
    assert told or rtol > 1e-13  # at 1e-13 steps of order five are too short to miss it


@pytest.mark.parametrize("N", A02)
def test_A02_passes_the_singular_positions(N):
    """All links horizontal: N + 1 freedoms for an instant, eleven times in ten seconds."""
    times, start = (2.5, 5.0, 10.0), four_bars_start(N)
    for step, limit in ((0.01, 2e-6), (0.002, 2e-9)):
        out = run(four_bars(N), times, start, method="rk4", step=step)
        theta = out["A0.angle"][1:]
        np.testing.assert_allclose(np.array([np.cos(theta), np.sin(theta)]).T, A02[N], atol=limit)
    others = np.array([out[f"A{i}.angle"] for i in range(N + 1)])
    assert abs(others - others[0]).max() < 1e-9  # it has not left the branch
    assert abs(out["energy.residual"]).max() < 1e-9 * 20.45 * N


@pytest.mark.parametrize(
    "mass, lean, yaw, spin, times, want",
    [
        (
            1.0,
            0.3,
            1.0,
            4.0,
            (1.2, 2.5, 5.0),
            [
                [4.451616920242353, -2.336065634672901, 0.8913671141474457],
                [4.836555127246388, -7.780691120320296, 0.805154125782182],
                [-4.30083533357547, -8.542875366584395, 0.9171446651223485],
            ],
        ),
        (
            15.0,
            0.0,
            5.0,
            15.0,
            (0.5, 1.0, 2.0),
            [
                [7.550822196085834, -0.24762498664212107, 0.9964203397434641],
                [15.06393264718271, -0.9729471205286735, 0.9677637813003079],
                [29.898550139716036, -3.7830212001206758, 0.9678850388139718],
            ],
        ),
    ],
    ids=["lean", "vertical"],
)
def test_rolling_disc(mass, lean, yaw, spin, times, want):
    J = (mass / 4, mass / 2, mass / 4, 0, 0, 0)
    model = Model(
        "disc",
        gravity=(0, 0, -G),
        bodies=(Body("disc", mass=mass, inertia=J),),
        joints=(Joint("fly", "world", "disc", Free()),),
        constraints=(Rolling("contact", "disc", radius=1.0),),
    )
    start = {
        "fly.pz": np.cos(lean),
        "fly.qw": np.cos(lean / 2),
        "fly.qx": np.sin(lean / 2),
        "fly.wx": 0.0,
        "fly.wy": spin + yaw * np.sin(lean),
        "fly.wz": yaw * np.cos(lean),
    }
    out = run(model, times, start)
    got = columns(out, "fly.px", "fly.py", "fly.pz")
    np.testing.assert_allclose(got, want, atol=2e-10)
    energy = out["energy.kinetic"] + out["energy.potential"]
    np.testing.assert_allclose(energy, energy[0], rtol=3e-11)
    reaction = out["contact.normal.multiplier"]
    assert reaction[0] > 0  # the ground pushes
    speed = mass * out["disc.acceleration.z"] + mass * G
    np.testing.assert_allclose(reaction, speed, rtol=1e-9)


def test_chaplygin_sleigh():
    sleigh = Body("sleigh", mass=1, com=(1, 0, 0), inertia=(1, 1, 1, 0, 0, 0))
    model = Model(
        "sleigh",
        bodies=(Body("x"), Body("y"), sleigh),
        joints=(
            Joint("px", "world", "x", Prismatic("x")),
            Joint("py", "x", "y", Prismatic("y")),
            Joint("turn", "y", "sleigh", Revolute("z")),
        ),
        constraints=(KnifeEdge("blade", "sleigh"),),
    )
    out = run(model, (2.4, 5.0, 10.0), {"px.speed": 1, "py.speed": 0, "turn.rate": 0.5})
    got = columns(out, "px.displacement", "py.displacement", "turn.angle", "turn.rate")
    want = [
        [2.478849451880225, 1.095204599571161, 0.6640252864540303, 0.1259420872268516],
        [4.761311213291947, 3.29604185279194, 0.8283501976637585, 0.02575843563611344],
        [8.768541769403752, 7.925546719055031, 0.8684507318800436, 0.0012057728696541722],
    ]
    np.testing.assert_allclose(got, want, atol=2e-10)
    assert abs(out["energy.residual"]).max() < 1e-11


def test_planar_slider_crank():
    """Haug's example with a spring and damper, the numbers of the SUNDIALS demonstration."""
    bodies = (
        Body("crank", mass=1, inertia=(1, 1, 1, 0, 0, 0)),
        Body("slider", mass=0),
        Body("rod", mass=1, inertia=(2, 2, 2, 0, 0, 0)),
    )
    law = Parallel(Spring(stiffness=1.0, free_length=1.0), Viscous(1.0))
    model = Model(
        "slider crank",
        gravity=(0, 0, 0),
        bodies=bodies,
        joints=(
            Joint("q", "world", "crank", Revolute("z")),
            Joint("x", "world", "slider", Prismatic("x")),
            Joint("p", "slider", "rod", Revolute("z")),
        ),
        loops=(Loop("pin", "crank", "rod", Revolute("z"), at=(0.5, 0, 0), child_at=(-1, 0, 0)),),
        frames=(Frame("end", "rod", at=(1, 0, 0)),),
        forces=(
            PointForce("spring", a=("crank", (0.25, 0, 0)), b=("rod", (-0.5, 0, 0)), law=law),
            Wrench("push", "end", wrench=(0, 0, 0, 1, 0, 0)),
        ),
    )
    start = {"q.angle": np.pi / 2, "p.angle": -np.pi / 6, "x.displacement": np.cos(np.pi / 6)}
    out = run(model, (2.5, 5.0, 10.0), start, keep=("q.angle",))
    want = [
        [0.07223610546591182, 1.4980447181497496, -0.03609448680772367, -1.0605265538684836],
        [-1.4299969676472273, 0.9390306135782662, 0.5178947564898863, 0.05499161053776448],
        [1.2756758486502393, 1.0235785589798394, -0.49881304918249875, -0.23991499719600068],
    ]
    got = columns(out, "q.angle", "x.displacement", "p.angle", "q.rate")
    np.testing.assert_allclose(got, want, atol=1e-9)
    assert abs(out["energy.residual"]).max() < 1e-9


def test_spatial_slider_crank():
    B, C = np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    u = (B - C) / 0.3
    J = 4e-3 * (np.eye(3) - np.outer(u, u)) + 4e-4 * np.outer(u, u)
    bodies = (
        Body("crank", mass=0.12, com=(0, 0, 0.04), inertia=(1e-4, 1e-4, 1e-5, 0, 0, 0)),
        Body("slider", mass=2.0),
        Body("rod", mass=0.5, com=tuple((B - C) / 2), inertia=J),
    )
    model = Model(
        "spatial slider crank",
        gravity=(0, 0, -G),
        bodies=bodies,
        joints=(
            Joint("crank", "world", "crank", Revolute("x"), at=(0, 0.1, 0.12)),
            Joint("slide", "world", "slider", Prismatic("x"), at=(0.2, 0, 0)),
            Joint("knee", "slider", "rod", Universal("x", (0, -2, 1))),
        ),
        loops=(Loop("ball", "crank", "rod", Spherical(), at=(0, 0, 0.08), child_at=tuple(B - C)),),
    )
    out = run(model, (1.25, 2.5, 5.0), {"crank.angle": 0.0, "crank.rate": 6.0})
    assert out["slide.speed"][0] == pytest.approx(0.24, abs=1e-12)
    assert out["knee.rate1"][0] == pytest.approx(1.92, abs=1e-12)
    want = [
        [13.081397667289053, 0.0244361153062929, 5.721339223982409],
        [26.276849042892724, 0.05655287278416383, 8.639847004244498],
        [54.33333216831316, 0.0407195737296153, 11.494996265042086],
    ]
    got = columns(out, "crank.angle", "slide.displacement", "crank.rate")
    np.testing.assert_allclose(got, want, atol=2e-8, rtol=1e-9)
    assert abs(out["energy.residual"]).max() < 1e-10


def test_double_wishbone_corner():
    """Arms, upright and tie rod as bodies and loops; a drop onto the spring."""
    up, low = (-0.09525, 0.2159, 0.2), (-0.09525, 0.2159, 0.09)
    upper, lower = (-0.006347, 0.52324, 0.28702), (0, 0.556499, 0.124998)
    on, at = np.array([0, 0.45, 0.115]), np.array([0, 0.25, 0.45])
    length = float(np.linalg.norm(at - on)) + 0.02
    bodies = (
        Body(
            "upper arm", mass=1.0, com=(-0.003, 0.38, 0.245), inertia=(0.01, 0.004, 0.012, 0, 0, 0)
        ),
        Body(
            "lower arm", mass=1.5, com=(-0.002, 0.4, 0.108), inertia=(0.018, 0.006, 0.02, 0, 0, 0)
        ),
        Body("upright", mass=12.0, com=(0, 0.6, 0.2), inertia=(0.2, 0.35, 0.2, 0, 0, 0)),
    )
    model = Model(
        "corner",
        gravity=(0, 0, -G),
        bodies=bodies,
        joints=(
            Joint("upper", "world", "upper arm", Revolute("x"), at=up, child_at=up),
            Joint("lower", "world", "lower arm", Revolute("x"), at=low, child_at=low),
            Joint("ball", "lower arm", "upright", Spherical(), at=lower, child_at=lower),
        ),
        loops=(Loop("top", "upper arm", "upright", Spherical(), at=upper, child_at=upper),),
        frames=(Frame("wheel", "upright", at=(0, 0.6, 0.2)),),
        constraints=(
            Distance(
                "tie rod",
                ("upright", (0.056, 0.532333, 0.164821)),
                ("world", (0.041128, 0.2159, 0.117856)),
                length=float(
                    np.linalg.norm([0.056 - 0.041128, 0.532333 - 0.2159, 0.164821 - 0.117856])
                ),
            ),
        ),
        forces=(
            PointForce(
                "strut",
                a=("lower arm", tuple(on)),
                b=("world", tuple(at)),
                law=Parallel(Spring(stiffness=40000.0, free_length=length), Viscous(1500.0)),
            ),
        ),
    )
    out = run(model, (0.25, 0.5, 1.0), {})
    want = [
        [4.238319602545003e-05, 0.604881029411571, 0.15643351821700624, -0.12181650162040429],
        [4.321551012084252e-05, 0.6049020837672103, 0.15601687510900863, -0.122979464761005],
        [4.3223684006678665e-05, 0.6049022870984713, 0.15601280442502805, -0.12299082720440695],
    ]
    got = columns(out, "wheel.position.x", "wheel.position.y", "wheel.position.z", "lower.angle")
    np.testing.assert_allclose(got, want, atol=2e-11)
    assert abs(out["energy.residual"]).max() < 1e-9
    assert out["tie rod.multiplier"].shape == (4,)
