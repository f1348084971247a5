"""Beams against closed forms, direct integrals, and rigid mechanisms that tend to the same."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.dynamics.tree_form_matrices import coriolis_matrix
from torseur.formalisms import FORMALISMS, composite_body, global_inertia, newton_euler
from torseur.kinematics import jacobian, pose
from torseur.scalars import Graph, vector

LENGTH, MU = 2.0, 0.7
CLAMPED = np.array([1.87510407, 4.69409113, 7.85475744])
EPS = np.finfo(float).eps


def beam(**changed):
    given = {"length": LENGTH, "EI": (30.0, 60.0), "EA": 1e5, "GJ": 20.0, "mass_per_length": MU}
    return ts.Beam("link", **given | changed)


def on(kind, *bodies, joint="hold", gravity=(0, 0, -9.81), frames=(), **more):
    joints = (ts.Joint(joint, "world", bodies[0].name, kind),)
    return ts.Model("b", gravity=gravity, bodies=bodies, joints=joints, frames=frames, **more)


def stiffness(system):
    """Diagonal of the strain's stiffness, one a speed; zero of other joints."""
    K = np.zeros(system.nv)
    for e in system.elements:
        (_, j, _), law = e.weights[0], e.law
        K[j] = float(system.floats().K.number(law.stiffness))
    return np.diag(K)


def frequencies(system, kept=None):
    """Natural angular frequencies at rest [rad/s], of motions that leave rows `kept` alone."""
    M = composite_body.mass_matrix(system.floats(), vector([0.0] * system.nv)).astype(float)
    K = stiffness(system)
    if kept is not None:
        free = np.linalg.svd(kept)[2][np.linalg.matrix_rank(kept) :].T
        M, K = free.T @ M @ free, free.T @ K @ free
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real.clip(0)))


def close(found, wanted, within=1e-9):
    assert abs(np.asarray(found) / wanted - 1).max() < within, (found, wanted)


# ---- natural modes ---------------------------------------------------------------------------


def test_a_clamped_beam_has_the_frequencies_of_the_books():
    f = (CLAMPED / LENGTH) ** 2
    quarter = np.pi / 2 / LENGTH * np.array([1, 3])
    wanted = {
        (3, 0, 0, 0): f * np.sqrt(30 / MU),
        (0, 3, 0, 0): f * np.sqrt(60 / MU),
        (0, 0, 2, 0): quarter * np.sqrt(1e5 / MU),
        (0, 0, 0, 2): quarter * np.sqrt(20 / (MU * 90 / 1e5)),
    }
    for modes, omega in wanted.items():
        system = on(ts.Weld(), beam(modes=modes)).check()
        close(frequencies(system), omega, 2e-9)  # the wave numbers have nine digits


def test_a_rod_between_pins_and_one_that_flies():
    pinned = beam(modes=(3, 0, 0, 0), ends="pinned-pinned")
    tip = (ts.Frame("tip", "link", at=(LENGTH, 0, 0)),)
    system = on(ts.Revolute("y"), pinned, frames=tip).check()
    across = jacobian(system.floats(), "tip", vector([0.0] * system.nv)).astype(float)[5:]
    j = np.arange(1, 4)
    close(frequencies(system, across), (j * np.pi / LENGTH) ** 2 * np.sqrt(30 / MU))
    free = beam(modes=(3, 0, 1, 0), ends="free-free")
    system = on(ts.Planar("y"), free).check()
    b = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])
    along = np.pi / LENGTH * np.sqrt(1e5 / MU)
    wanted = np.sort([*(b / LENGTH) ** 2 * np.sqrt(30 / MU), along])
    close(frequencies(system)[3:], wanted)


def test_a_beam_held_in_its_middle_is_the_same_beam():
    held = beam(modes=(4, 0, 1, 0), ends="free-free")
    found = []
    for x in (0, 0.7 * LENGTH):
        joint = ts.Joint("j", "world", "link", ts.Planar("y"), child_at=(x, 0, 0))
        found.append(frequencies(ts.Model(bodies=(held,), joints=(joint,)).check())[3:])
    close(found[0], found[1])


def test_rotary_inertia_lowers_the_bending_frequencies_as_rayleigh_says():
    plain, rotary = (
        frequencies(on(ts.Weld(), beam(modes=(1, 0, 0, 0), rotary=r)).check())
        for r in (False, True)
    )
    x, w = np.polynomial.legendre.leggauss(40)
    x, b = (x + 1) / 2, CLAMPED[0]
    s = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
    slope = b * (np.sinh(b * x) + np.sin(b * x) - s * (np.cosh(b * x) - np.cos(b * x))) / 2
    more = 30 / 1e5 / LENGTH**2 * float(w / 2 @ slope**2) * 4
    close(rotary, plain / np.sqrt(1 + more), 1e-8)


# ---- mass matrix -------------------------------------------------------------------------------


def test_the_mass_matrix_is_the_integral_over_the_bent_beam():
    system = on(ts.Revolute("y"), beam(modes=(2, 0, 1, 0))).check()
    q = np.array([0.4, 0.11, -0.05, 0.02])

    def shape(k, x):
        s = (np.sinh(k) - np.sin(k)) / (np.cosh(k) + np.cos(k))
        f = np.cosh(k * x) - np.cos(k * x) - s * (np.sinh(k * x) - np.sin(k * x))
        d = k * (np.sinh(k * x) + np.sin(k * x) - s * (np.cosh(k * x) - np.cos(k * x)))
        return (f, d) if k < 3 else (-f, -d)

    nodes, weights = np.polynomial.legendre.leggauss(40)
    nodes, weights = (nodes + 1) / 2, weights / 2
    ends = np.array([shape(k, 1.0)[0] for k in CLAMPED[:2]])

    def position(q):
        out = []
        for xi in nodes:
            at = np.array([shape(k, xi)[0] for k in CLAMPED[:2]]) / ends
            near = xi * nodes
            slopes = np.array([shape(k, near)[1] for k in CLAMPED[:2]]) / ends[:, None] / LENGTH
            s = 0.5 * LENGTH * xi * float(weights @ (q[1:3] @ slopes) ** 2)
            x, z = LENGTH * xi + q[3] * np.sin(np.pi / 2 * xi) - s, q[1:3] @ at
            c, d = np.cos(q[0]), np.sin(q[0])
            out.append((c * x + d * z, c * z - d * x))
        return np.array(out)

    h = 1e-5
    J = np.stack([(position(q + h * e) - position(q - h * e)) / (2 * h) for e in np.eye(4)])
    wanted = MU * LENGTH * np.einsum("ipc,jpc,p->ij", J, J, weights)
    found = composite_body.mass_matrix(system.floats(), vector(q.tolist())).astype(float)
    assert abs(found - wanted).max() < 2e-8 * abs(wanted).max()


def branched(modes=(1, 1, 1, 1)):
    """A beam on a turning hub, held off its root, with a hand and a rotary section."""
    hub = ts.Body("hub", mass=1.0, com=(0.1, 0, 0.05), inertia=(0.1, 0.2, 0.15))
    hand = ts.Body("hand", mass=0.5, com=(0.1, 0.02, 0), inertia=(0.01, 0.02, 0.015))
    return ts.Model(
        bodies=(hub, beam(modes=modes, slices=4, rotary=True), hand),
        joints=(
            ts.Joint("base", "world", "hub", ts.Revolute("z")),
            ts.Joint("arm", "hub", "link", ts.Revolute("y"), child_at=(0.3, 0.01, 0.02)),
            ts.Joint("wrist", "link", "hand", ts.Universal("x", "z"), at=(LENGTH, 0, 0.01)),
        ),
    )


def test_every_formalism_agrees_with_lagrange_on_a_beam_or_refuses():
    system, K = branched().check(), Graph()
    q, v, a = (K.symbols(f"{n}{i}" for i in range(system.nv)) for n in "qva")
    tree, rng = system.over(K), np.random.default_rng(1)
    at = [rng.uniform(-0.3, 0.3, system.nv) for _ in range(3)]

    def efforts(name):
        tau = K.sx(vector(FORMALISMS[name](tree, q, v, a)))
        f = K.lib.Function("f", [K.sx(q), K.sx(v), K.sx(a)], [tau])
        return np.array(f(*at)).ravel()

    wanted, served = efforts("lagrange"), []
    for name in FORMALISMS:
        try:
            found = efforts(name)
        except ts.NotInRing as e:
            assert "'link'" in str(e)
            continue
        served.append(name)
        assert abs(found - wanted).max() < 64 * EPS * abs(wanted).max(), name
    assert {"newton_euler", "lie_group", "global_inertia", "gibbs_appell"} <= {*served}


def test_products_of_speeds_are_those_of_christoffel_symbols():
    system = replace(branched(modes=(1, 1, 0, 1)), gravity=(0, 0, 0)).check()
    tree, rng = system.floats(), np.random.default_rng(5)
    q, v = (vector(rng.uniform(-0.3, 0.3, system.nv).tolist()) for _ in range(2))
    bias = newton_euler.inverse_dynamics(tree, q, v, 0 * v).astype(float)
    symbols = global_inertia.christoffel(tree, q).astype(float)
    products = np.einsum("ijk,j,k->i", symbols, v.astype(float), v.astype(float))
    assert abs(products - bias).max() < 64 * EPS
    assert abs(coriolis_matrix(tree, q, v).astype(float) @ v.astype(float) - bias).max() < 64 * EPS


def test_the_twist_of_a_section_is_the_rate_of_its_pose():
    system = on(ts.Weld(), beam(modes=(2, 1, 1, 1))).check()
    joint, K = system.links[-3].joint, system.floats().K
    rng, h = np.random.default_rng(3), 1e-6
    q, v = rng.uniform(-0.2, 0.2, (2, joint.nv))

    def S(q):
        return joint.subspace(K, vector(q.tolist())).astype(float)

    ahead, behind = (joint.pose(K, vector((q + s * h * v).tolist())) for s in (1, -1))
    X = joint.pose(K, vector(q.tolist()))
    R = X.R.astype(float)
    W = R.T @ (ahead.R - behind.R).astype(float) / (2 * h)
    u = R.T @ (ahead.p - behind.p).astype(float) / (2 * h)
    twist = S(q) @ v
    assert abs(twist - [W[2, 1], W[0, 2], W[1, 0], *u]).max() < 1e-8
    rate = joint.subspace_rate(K, vector(q.tolist()), vector(v.tolist())).astype(float)
    assert abs(rate - (S(q + h * v) - S(q - h * v)) / (2 * h)).max() < 1e-8


# ---- rotation stiffens ---------------------------------------------------------------------------


def test_a_beam_that_turns_stiffens():
    """Flapping of a clamped uniform beam without hub, by speed of rotation."""
    published = {0: 3.5160, 1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 12: 13.1702}
    blade = ts.Beam("link", length=1.0, EI=1.0, mass_per_length=1.0, modes=(5, 0, 0, 0))
    system = on(ts.Revolute("z"), blade, gravity=(0, 0, 0)).check()
    tree, n = system.floats(), system.nv
    zero, h = np.zeros(n), 1e-4
    M = composite_body.mass_matrix(tree, vector(zero.tolist())).astype(float)[1:, 1:]
    bend, spin = stiffness(system)[1:, 1:], {}
    v = np.eye(n)[0]
    columns = []
    for e in np.eye(n)[1:]:  # efforts are quadratic in the speed: once at unit speed
        f = newton_euler.inverse_dynamics(tree, *(vector(x.tolist()) for x in (h * e, v, zero)))
        columns.append(f.astype(float)[1:] / h)
    for eta, omega in published.items():
        K = bend + eta**2 * np.array(columns).T
        spin[eta] = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real.min())
        assert abs(spin[eta] / omega - 1) < (5e-4 if eta == 12 else 5e-5), (eta, spin[eta])


def test_a_beam_that_turns_stretches():
    """Kane, Ryan and Banerjee's beam at 6 rad/s: 0.514 mm, `mu w^2 L^3 / 3 EA` as a series."""
    n = 12
    rod = ts.Beam("link", length=10.0, EI=1.4e4, EA=2.8e7, mass_per_length=1.2, modes=(0, 0, n, 0))
    system = on(ts.Revolute("z"), rod, gravity=(0, 0, 0)).check()
    at = (np.zeros(n + 1), 6.0 * np.eye(n + 1)[0], np.zeros(n + 1))
    f = newton_euler.inverse_dynamics(system.floats(), *(vector(x.tolist()) for x in at))
    u = np.linalg.solve(stiffness(system)[1:, 1:], -f.astype(float)[1:]).sum()
    close(u, 1.2 * 36 * 10**3 / (3 * 2.8e7), 1e-4)
    assert abs(u - 5.14e-4) < 5e-7


# ---- statics -------------------------------------------------------------------------------


def test_modes_miss_a_known_share_of_a_load_at_the_tip():
    share = {1: 0.97068818, 2: 0.99540401, 3: 0.99855647}
    tip = (ts.Frame("tip", "link", at=(LENGTH, 0, 0)),)
    for n, wanted in share.items():
        system = on(ts.Weld(), beam(modes=(n, 0, 0, 0)), frames=tip).check()
        J = jacobian(system.floats(), "tip", vector([0.0] * n)).astype(float)[5]
        deflection = J @ np.linalg.solve(stiffness(system), J)
        close(deflection, wanted * LENGTH**3 / (3 * 30), 1e-7)


def test_a_column_stretches_and_a_shaft_twists():
    """A column under its own weight gives mu g L^2 / 2 EA, a shaft under a moment T L / GJ."""
    n = 20
    system = on(ts.Weld(), beam(modes=(0, 0, n, 0)), gravity=(9.81, 0, 0)).check()
    tree, zero = system.floats(), vector([0.0] * n)
    f = -newton_euler.inverse_dynamics(tree, zero, zero, zero).astype(float)
    u = np.linalg.solve(stiffness(system), f).sum()  # every mode is one at the tip
    b = (np.arange(n) + 0.5) * np.pi
    signs = np.sin(b)  # the series of the column, summed as far
    close(u, MU * 9.81 * LENGTH**2 / 1e5 * (2 * signs / b**3).sum(), 1e-9)
    close(u, MU * 9.81 * LENGTH**2 / 2e5, 1e-4)
    shaft = on(ts.Weld(), beam(modes=(0, 0, 0, n))).check()
    twist = np.linalg.solve(stiffness(shaft), np.ones(n)).sum()
    close(twist, LENGTH / 20 * (2 / b**2).sum(), 1e-9)
    assert 0.98 < twist / (LENGTH / 20) < 1


# ---- motion --------------------------------------------------------------------------------------


def test_a_beam_that_flies_keeps_energy_and_momentum():
    rod = beam(modes=(1, 1, 0, 1), ends="free-free", slices=5)
    model = on(ts.Free(), rod, gravity=(0, 0, 0))
    start = {"link.bending_z1": 0.05, "link.bending_y1_rate": 0.5, "link.torsion1": 0.2,
             "hold.wz": 3.0, "hold.wx": 9.0, "hold.vx": 1.0, "hold.vz": 2.0}  # fmt: skip
    run = ts.simulate(model, 0.3, start, rtol=1e-10, atol=1e-12)
    assert abs(run["energy.residual"]).max() < 1e-8
    assert run["link.bending_z1.energy.stored"].max() > 1e-3
    assert run.units["link.bending_z1"] == "m" and run.units["link.torsion1_rate"] == "rad/s"
    kernel = ts.compile(model).kernel("momentum")
    names = model.check().layout
    q, v = (np.stack([run[n] for n in x.names], axis=1) for x in (names.q, names.v))
    P = np.array([kernel(a, b) for a, b in zip(q, v, strict=True)])
    assert abs(np.ptp(P, axis=0)).max() < 1e-9 and abs(P[0]).min() > 1e-3


def crank(rod, **more):
    """A slider-crank in the plane."""
    return ts.Model(
        "slider-crank",
        gravity=(0, -9.81, 0),
        bodies=(
            ts.Body("crank", mass=0.5, com=(0.05, 0, 0), inertia=(1e-4, 5e-4, 5e-4)),
            rod,
            ts.Body("slider", mass=0.3, inertia=(1e-4, 1e-4, 1e-4)),
        ),
        joints=(
            ts.Joint("main", "world", "crank", ts.Revolute("z")),
            ts.Joint("pin", "crank", "rod", ts.Revolute("z"), at=(0.1, 0, 0)),
            ts.Joint("slide", "world", "slider", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("wrist", "rod", "slider", ts.Revolute("z"), at=(0.4, 0, 0)),),
        **more,
    )


def test_a_stiff_rod_is_a_rigid_rod():
    mu, L = 0.5, 0.4
    J = mu * L**3 / 12
    rigid = crank(ts.Body("rod", mass=mu * L, com=(L / 2, 0, 0), inertia=(0, J, J)))
    start = {"main.rate": 30.0, "main.angle": 0.3}
    tight = {"rtol": 1e-10, "atol": 1e-12}
    wanted = ts.simulate(rigid, 0.1, start, **tight)["slide.displacement"][-1]
    rod = ts.Beam("rod", length=L, EI="EI", mass_per_length=mu, modes=(0, 1, 0, 0),
                  ends="pinned-pinned", slices=6)  # fmt: skip
    model, gone = crank(rod, parameters={"EI": 50.0}), []
    for EI in (50.0, 500.0, 5000.0):
        run = ts.simulate(model, 0.1, start, parameters={"EI": EI}, **tight)
        assert abs(run["energy.residual"]).max() < 1e-8
        assert run["rod.bending_y1"][0] == 0  # assembly bends nothing
        gone.append(abs(run["slide.displacement"][-1] - wanted))
    assert gone[0] > gone[1] > gone[2] and gone[2] < 1e-5 and gone[0] > 2e-6, gone


def test_sensitivities_to_the_numbers_of_a_beam_are_their_differences():
    rod = ts.Beam("link", length="L", EI="EI", mass_per_length="mu", modes=(1, 0, 0, 0), slices=3)
    given = {"L": 1.0, "EI": 30.0, "mu": 0.7}
    tip = (ts.Frame("tip", "link", at=("L", 0, 0)),)
    model = on(ts.Revolute("y"), rod, frames=tip, parameters=given)
    start, tight = {"link.bending_z1": 0.05}, {"rtol": 1e-11, "atol": 1e-13}
    run = ts.simulate(model, 0.2, start, sensitivities=tuple(given), **tight)
    for name, x in given.items():
        h = 1e-4 * x
        ends = [
            ts.simulate(model, 0.2, start, parameters={name: x + s * h}, **tight)["tip.position.z"][
                -1
            ]
            for s in (1, -1)
        ]
        found = run.sensitivity("tip.position.z", name)[-1]
        assert abs(found - (ends[0] - ends[1]) / (2 * h)) < 1e-5 * abs(found), name


@pytest.mark.slow
def test_a_spun_up_beam_follows_a_chain_of_rigid_pieces():
    """Spin-up in the manner of Kane, Ryan and Banerjee, 1987: speed 6 rad/s reached in 15 s,
    an aluminum beam of 10 m; against a chain of rigid pieces with hinge springs."""
    L, EI, mu, end, full = 10.0, 1.4e4, 1.2, 20.0, 6.0
    law = f"{full}/15*(t**2/2 + (15/(2*pi))**2*(cos(2*pi*t/15) - 1))"
    n = 16
    J = mu * (L / n) ** 3 / 12
    piece = {"mass": mu * L / n, "com": (L / n / 2, 0, 0), "inertia": (0, J, J)}
    names = [f"p{i}" for i in range(n)]
    hinges = tuple(ts.Joint(f"h{i}", names[i - 1] if i else "hub", names[i], ts.Revolute("z"),
                            at=(L / n if i else 0, 0, 0)) for i in range(n))  # fmt: skip
    soft = tuple(
        ts.JointForce(f"s{i}", f"h{i}", ts.Spring(EI * n / L * (2 if i == 0 else 1)))
        for i in range(n)
    )
    hub = ts.Body("hub", mass=1.0, inertia=(1, 1, 1))
    spin = ts.Joint("spin", "world", "hub", ts.Revolute("z"))
    drive = (ts.Driven("drive", "spin.angle", law),)
    chain = ts.Model(gravity=(0, 0, 0), bodies=(hub, *(ts.Body(x, **piece) for x in names)),
                     joints=(spin, *hinges), forces=soft, constraints=drive,
                     frames=(ts.Frame("tip", names[-1], at=(L / n, 0, 0)),))  # fmt: skip
    rod = ts.Beam("link", length=L, EI=EI, mass_per_length=mu, modes=(0, 3, 0, 0))
    whole = ts.Model(gravity=(0, 0, 0), bodies=(hub, rod), constraints=drive,
                     joints=(spin, ts.Joint("clamp", "hub", "link", ts.Weld())),
                     frames=(ts.Frame("tip", "link", at=(L, 0, 0)),))  # fmt: skip
    times = np.linspace(0, 15, 61)

    def lag(model):
        run = ts.simulate(model, end, rtol=1e-7)
        x, y, a = (np.interp(times, run.time, run[s]) for s in
                   ("tip.position.x", "tip.position.y", "spin.angle"))  # fmt: skip
        return y * np.cos(a) - x * np.sin(a)

    a, b = lag(chain), lag(whole)
    assert abs(a).max() > 0.4 and abs(a - b).max() < 0.02 * abs(a).max()


# ---- places, names, files ------------------------------------------------------------------


def test_what_a_beam_holds_moves_and_turns_with_the_section():
    model = on(ts.Weld(), beam(modes=(1, 0, 0, 1)),
               frames=(ts.Frame("side", "link", at=(LENGTH / 2, 0.1, 0)),))  # fmt: skip
    X = pose(model.check().floats(), "side", vector([0.2, 0.3]))
    b, x = CLAMPED[0], 0.5
    s = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
    w = (np.cosh(b * x) - np.cos(b * x) - s * (np.sinh(b * x) - np.sin(b * x))) / 2 * 0.2
    slope = b * (np.sinh(b * x) + np.sin(b * x) - s * (np.cosh(b * x) - np.cos(b * x))) / 2 * 0.1
    roll = 0.3 * np.sin(np.pi / 4)
    assert abs(float(X.p[2]) - (w + 0.1 * np.sin(roll) * np.cos(slope))) < 1e-9
    assert abs(float(X.p[1]) - 0.1 * np.cos(roll)) < 1e-12


def test_names_units_and_blocks():
    system = on(ts.Revolute("y"), beam(modes=(1, 1, 1, 1))).check()
    own = ("bending_z1", "bending_y1", "axial1", "torsion1")
    assert system.coordinates == ("hold.angle", *(f"link.{n}" for n in own))
    assert system.layout.q["link.torsion1"].unit == "rad"
    blocks = system.layout.blocks
    assert [b.name for b in blocks] == ["hold", "link"] and len(blocks[1].links) == 10
    assert "1 joints" in repr(system) and list(system.joints) == ["hold", "link"]


def test_files_both_ways(tmp_path):
    tip = (ts.Frame("tip", "link", at=("L", 0, 0)),)
    rod = beam(length="L", EI=("30 N m^2", "6e7 N mm^2"), EA="100 kN", modes=(2, 1, 0, 1))
    model = on(ts.Revolute("y"), rod, frames=tip, parameters={"L": 2.0})
    for name in ("b.yaml", "b.json"):
        model.save(tmp_path / name)
        again = ts.load(tmp_path / name)
        assert again.check().digest == model.check().digest
        assert tuple(map(float, again.bodies[0].EI)) == (30.0, 60.0)
    text = (tmp_path / "b.yaml").read_text()
    assert "type: beam" in text
    (tmp_path / "bad.yaml").write_text(text.replace("length: L", "length: 3 s"))
    with pytest.raises(ts.ModelError, match=r"bodies\.link\.length"):
        ts.load(tmp_path / "bad.yaml")


def test_another_stiffness_is_another_system():
    one, other = (on(ts.Weld(), beam(EI=x)).check() for x in (30.0, 31.0))
    assert one.digest != other.digest


MESSAGES = {
    "length": (beam(length=-2), "body 'link': length is -2 m; use more than zero"),
    "EI": (beam(EI=(0, 3)), "body 'link': EI about y is 0 N m2; use more than zero"),
    "EA": (beam(EA=None, modes=(1, 0, 1, 0)),
           "body 'link': axial and torsional modes need EA= [N]"),
    "GJ": (beam(GJ=None, modes=(1, 0, 0, 1)), "body 'link': torsional modes need GJ= [N m2]"),
    "none": (beam(modes=(0, 0, 0, 0)), "body 'link': modes=(0, 0, 0, 0) leave nothing that moves; "
             "use ts.Body for a rigid rod"),
    "three": (beam(modes=(1, 0, 2)), "body 'link': modes=(1, 0, 2): expected four whole numbers, 0 "
              "to 20: bending_z, bending_y, axial, torsion"),
    "ends": (beam(ends="hinged"), "body 'link': ends='hinged': expected one of 'clamped-free', "
             "'pinned-pinned', 'free-free'"),
    "damping": (beam(damping=-0.1), "body 'link': damping is -0.1; use zero or more"),
    "slices": (beam(slices=2), "body 'link': slices=2: expected a whole number, 4 to 200"),
}  # fmt: skip


@pytest.mark.parametrize("case", MESSAGES)
def test_numbers_of_a_beam_are_judged(case):
    given, text = MESSAGES[case]
    with pytest.raises(ts.ModelError) as e:
        on(ts.Revolute("y"), given).check()
    assert text in e.value.problems


def test_places_off_the_beam_are_told_all_at_once():
    frames = (ts.Frame("over", "link", at=(2.5, 0, 0)), ts.Frame("free", "link", at=("a", 0, 0)))
    pull = ts.PointForce("pull", a=("link", (-0.1, 0, 0)), b="world", law=ts.Spring(1.0))
    moved = ts.Frame("moved", "link", at=("0.1*t", 0, 0))
    model = on(
        ts.Revolute("y"), beam(), frames=(*frames, moved), forces=(pull,), parameters={"a": 1.0}
    )
    with pytest.raises(ts.ModelError) as e:
        model.check()
    told = "\n".join(e.value.problems)
    assert "frame 'over' is at x = 2.5 m on beam 'link', which reaches from 0 to 2 m" in told
    assert "frame 'free' is at x = a on beam 'link', which is not a fixed share of its" in told
    assert "force 'pull' is at x = -0.1 m on beam 'link'" in told
    assert "frame 'moved' moves with time on beam 'link'" in told


def test_what_knows_rigid_bodies_alone_refuses_by_name(tmp_path):
    model = on(ts.Revolute("y"), beam(modes=(1, 0, 0, 0)))
    asked = (
        lambda: ts.equations(model),
        lambda: ts.inverse_kinematics(model, "link", np.eye(4)),
        lambda: ts.global_inertia(model),
        lambda: ts.identify.robot(model, np.zeros((3, 3))),
        lambda: model.save(tmp_path / "b.urdf"),
        lambda: ts.robots.workspace(model, "link"),
        lambda: ts.robots.time_optimal(model, [[0.0, 0.0], [1.0, 0.0]]),
    )
    for ask in asked:
        with pytest.raises(ts.TorseurError, match="beam 'link' of 'b' bends"):
            ask()


def test_values_of_a_run_are_judged_too():
    rod = beam(EI="EI", modes=(1, 0, 0, 0), slices=3)
    model = on(ts.Weld(), rod, parameters={"EI": 30.0})
    with pytest.raises(ts.TorseurError, match="EI about y is -1 N m2; use more than zero"):
        ts.simulate(model, 0.1, parameters={"EI": -1.0})


def test_a_beam_is_drawn_bent():
    from torseur.show.beam_shapes import segment_beams

    tip = (ts.Frame("tip", "link", at=("L", 0, 0)),)
    rod = beam(length="L", modes=(1, 1, 0, 1))
    joint = ts.Joint("hold", "world", "link", ts.Weld(), child_at=("L/2", 0, 0))
    pull = ts.PointForce("s", a=("link", ("L/2", 0, 0)), b="world", law=ts.Spring(1.0))
    model = ts.Model(bodies=(rod,), joints=(joint,), frames=tip, forces=(pull,),
                     parameters={"L": LENGTH})  # fmt: skip
    own = {"link.bending_z1": 0.3, "link.bending_y1": -0.2, "link.torsion1": 0.4}
    system = model.check()
    q, _ = system.state(own)
    X = pose(system.floats(), "link", vector(q.tolist()))
    R, p = X.R.astype(float), X.p.astype(float)
    w = np.sqrt(1 + np.trace(R)) / 2
    turn = [w, *((R - R.T)[[2, 0, 1], [1, 2, 0]] / (4 * w))]
    told = {f"link.position.{c}": x for c, x in zip("xyz", p, strict=True)} | own
    told |= {f"link.orientation.{c}": x for c, x in zip("wxyz", turn, strict=True)}
    rows = {n: [x, x] for n, x in told.items()}
    run = ts.Trajectory([0.0, 1.0], rows, dict.fromkeys(rows, "1"))
    shown, drawn = segment_beams(run, model, {"L": LENGTH})
    assert len(drawn.bodies) == 12 and drawn.frames[0].body == "link at 0.96 L"
    assert drawn.forces[0].a[0] == "link at 0.54 L"
    at = ts.Frame("there", "link", at=(f"{(11 + 0.5) / 12!r}*L", 0, 0))
    more = ts.Model(bodies=(rod,), joints=(joint,), frames=(at,), parameters={"L": LENGTH}).check()
    Y = pose(more.floats(), "there", vector(q.tolist()))
    found = [shown[f"link at 0.96 L.position.{c}"][0] for c in "xyz"]
    assert abs(np.array(found) - Y.p.astype(float)).max() < 1e-12
    w, x, y, z = (shown[f"link at 0.96 L.orientation.{c}"][0] for c in "wxyz")
    axis = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
    assert abs(np.array(axis) - Y.R[:, 0].astype(float)).max() < 1e-12


def test_laws_and_frictions_act_on_its_coordinates():
    rod = beam(modes=(1, 0, 0, 0), slices=3)
    damped = ts.JointForce("f", "link", ts.Viscous(0.5), "bending_z1")
    system = on(ts.Weld(), rod, forces=(damped,)).check()
    assert [e.name for e in system.elements] == ["link.bending_z1", "f"]
    rub = ts.DryFriction("rub", "link.bending_z1", coefficient=0.2, normal="joint")
    with pytest.raises(ts.ModelError, match="a beam's coordinate has no joint"):
        on(ts.Weld(), rod, constraints=(rub,)).check()
    with pytest.raises(ts.ModelError, match="body 'link' is a beam and has coordinates of its own"):
        on(ts.Weld(), rod, joint="link").check()


def test_a_bar_between_two_sections_of_one_beam_holds_both():
    """A distance above the neutral axis between two sections: it stops the beam from bending."""
    across = ts.Distance("bar", ("link", (0.5, 0, 0.1)), ("link", (1.5, 0, 0.1)), 1.0)
    model = on(ts.Weld(), beam(modes=(1, 0, 0, 0), slices=3), constraints=(across,))
    run = ts.simulate(model, 0.1)
    assert abs(run["link.bending_z1"]).max() < 1e-12
    assert abs(run["bar.multiplier"]).max() > 1.0


def test_mobility_counts_modes_and_articulated_bodies_refuse():
    from torseur.formalisms import articulated_body

    model = on(ts.Revolute("y"), beam(modes=(1, 1, 0, 1), slices=3))
    report = ts.mobility_report(model)
    assert report.mobility == report.n_q == 4
    tree, zero = model.check().floats(), vector([0.0] * 4)
    with pytest.raises(ts.TorseurError, match="slices of a beam share their coordinates"):
        articulated_body.forward_dynamics(tree, zero, zero, zero)


def test_a_beam_that_bends_too_far_is_told():
    """A run and both ways of a batch say it; a small motion says nothing."""
    model = on(ts.Weld(), beam(modes=(1, 0, 0, 0)), gravity=(0, 0, 0))
    for tip, told in ((0.05, False), (0.7, True)):
        start = {"link.bending_z1": tip}
        outcomes = [ts.simulate(model, 0.02, start).outcome]
        for how in ({}, {"method": "dopri5"}, {"step": 1e-4}):
            outcomes.append(
                ts.batch(model, 0.02, {k: [x, x] for k, x in start.items()}, **how).outcomes[0]
            )
        for text in outcomes:
            assert ("beam 'link' bends by up to" in text) == told, text
