"""Assembly, consistent speeds, mobility, redundancy, elimination order, drift; what they say."""

import numpy as np
import pytest
from zoo import close

import torseur as ts
from torseur.dynamics.constraints.coordinate_partitioning import independent_speeds
from torseur.dynamics.constraints.kkt import saddle
from torseur.dynamics.constraints.mobility import find_redundant_rows, jacobian_rank
from torseur.dynamics.sparse_factorization import elimination_order, factor
from torseur.errors import AssemblyError, ModelError, TorseurError
from torseur.scalars import Floats, matrix, vector
from torseur.solve.constraint_system import SOLUTIONS, constrained_system


def bar(name, L):
    return ts.Body(name, mass=1.0, com=(L / 2, 0, 0), inertia=(0.001, 0.1, 0.1, 0, 0, 0))


def four_bar(loop=None, tilt=(0, 0, 0), extra=()):
    """Crank, coupler, rocker; `tilt` turns the whole mechanism in space."""
    pin = ts.Revolute("z")
    bodies = [bar("crank", 0.3), bar("coupler", 0.8), bar("rocker", 0.6)]
    return ts.Model(
        "four bar",
        gravity=(0, -9.81, 0),
        bodies=bodies,
        joints=(
            ts.Joint("A", "world", "crank", pin, rpy=tilt),
            ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", pin, at=_turned(tilt, 0.9), rpy=tilt),
        ),
        loops=(
            ts.Loop("C", "rocker", "coupler", loop or pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),
            *extra,
        ),
    )


def _turned(tilt, x):
    from torseur.spatial import angles_to_matrix

    R = np.array(angles_to_matrix(Floats(), "zyx", tilt[::-1]), dtype=float)
    return tuple(R @ [x, 0, 0])


NEAR = {"A.angle": 1.0, "B.angle": -0.6, "D.angle": 1.6}


def test_assembly_keeps_what_it_is_told():
    q, v = ts.assemble(four_bar(), NEAR | {"A.rate": 2.0}, keep=("A.angle", "A.rate"))
    assert q[0] == 1.0 and v[0] == 2.0
    c = constrained_system(four_bar())
    phi, J = c.position(q)
    assert abs(phi).max() < 1e-15 * 8 and abs(J @ v).max() < 1e-14


def test_a_mechanism_that_cannot_assemble_says_why():
    with pytest.raises(AssemblyError) as e:
        ts.assemble(four_bar(), NEAR | {"D.angle": 2.9})
    text = str(e.value)
    assert "with A.angle, B.angle, D.angle kept" in text
    assert "loop 'C': its parts are" in text and " m apart" in text
    assert "the nearest assembled state found has A.angle =" in text
    with pytest.raises(AssemblyError, match="the search ended at"):
        short = ts.Model(
            bodies=(bar("a", 0.3), bar("b", 0.3)),
            joints=(
                ts.Joint("A", "world", "a", ts.Revolute("z")),
                ts.Joint("B", "world", "b", ts.Revolute("z"), at=(1, 0, 0)),
            ),
            loops=(ts.Loop("C", "a", "b", ts.Revolute("z"), at=(0.3, 0, 0), child_at=(0.3, 0, 0)),),
        )
        ts.assemble(short)


def test_speeds_that_cannot_be_met_are_named():
    with pytest.raises(AssemblyError, match=r"speeds cannot meet 'C\.x.*A.rate, D.rate kept"):
        ts.assemble(
            four_bar(), NEAR | {"A.rate": 2.0, "D.rate": -5.0}, keep=("A.angle", "A.rate", "D.rate")
        )
    with pytest.raises(TorseurError, match=r"did you mean 'A\.angle'"):
        ts.assemble(four_bar(), NEAR, keep=("A.angel",))


def test_a_loop_closed_the_wrong_way_round_is_not_accepted():
    """A weld whose residuals vanish after half a turn: the search goes on to the true closure."""
    model = ts.Model(
        bodies=(bar("a", 1.0),),
        joints=(ts.Joint("fly", "world", "a", ts.Free()),),
        loops=(ts.Loop("fixed", "world", "a", ts.Weld(), at=(1, 2, 3)),),
    )
    q, _ = ts.assemble(model, {"fly.qw": 0.05, "fly.qx": 0.9987}, keep=())
    np.testing.assert_allclose(q[:3], [1, 2, 3], atol=1e-12)
    assert abs(q[3]) == pytest.approx(1)


def test_mobility_of_a_planar_loop_counts_and_ranks():
    report = ts.mobility_report(four_bar(), NEAR, keep=("A.angle",))
    assert (report.gruebler, report.mobility, report.redundancy) == (-2, 1, 3)
    assert len(report.independent) == 1 and not report.singular
    assert [n for n, _ in report.redundant] == ["C.z", "C.about_y", "C.about_x"]
    text = str(report)
    assert "mobility 1 (Gruebler count -2)" in text and "C.z is redundant by itself" in text
    ball = ts.mobility_report(four_bar(ts.Spherical()), NEAR, keep=("A.angle",))
    assert (ball.gruebler, ball.redundancy) == (0, 1)


@pytest.mark.parametrize("tilt", [(0, 0, 0), (0.3, -0.4, 0.7)])
def test_redundant_loops_move_as_the_loop_alone(tilt):
    """A tilted plane hides the zeros; a second coupler in parallel repeats the first."""
    again = ts.Loop(
        "C again", "rocker", "coupler", ts.Revolute("z"), at=(0.6, 0, 0.2), child_at=(0.8, 0, 0.2)
    )
    one, two = (
        constrained_system(four_bar(tilt=tilt)),
        constrained_system(four_bar(tilt=tilt, extra=(again,))),
    )
    start = NEAR | {"A.rate": 2.0}
    q, v = one.assemble(start, keep=("A.angle", "A.rate"))
    a, _ = one.acceleration(q, v)
    b, lam = two.acceleration(q, v)
    close(b, a, 1e6, scale=abs(a).max())
    for other in SOLUTIONS[1:]:
        close(two.acceleration(q, v, solution=other)[0], a, 1e7, scale=abs(a).max())
    report = two.mobility(q)
    assert report.mobility == 1 and report.redundancy == 8
    named = {n.split(".")[0] for n, _ in report.redundant}
    assert "C again" in named
    total = two.loop_reaction("C", q, lam) + two.loop_reaction("C again", q, lam)
    alone = one.loop_reaction("C", q, one.acceleration(q, v)[1])
    close(total[3:], alone[3:], 1e8, scale=abs(alone).max())  # shared between the two pins


def test_singular_positions_are_reported():
    """A parallelogram stretched along its ground: two freedoms for an instant."""
    pin = ts.Revolute("z")
    model = ts.Model(
        bodies=[bar(n, 1.0) for n in ("a", "b", "c")],
        joints=(
            ts.Joint("A", "world", "a", pin),
            ts.Joint("B", "a", "b", pin, at=(1, 0, 0)),
            ts.Joint("D", "world", "c", pin, at=(1, 0, 0)),
        ),
        loops=(ts.Loop("C", "c", "b", pin, at=(1, 0, 0), child_at=(1, 0, 0)),),
    )
    flat = ts.mobility_report(model, {"A.angle": 0.0, "B.angle": 0.0, "D.angle": 0.0})
    assert flat.singular and flat.mobility == 2 and "singular position: rank 1 here" in str(flat)
    bent = ts.mobility_report(model, {"A.angle": 1.0, "B.angle": -1.0, "D.angle": 1.0})
    assert not bent.singular and bent.mobility == 1


def test_independent_speeds_switch_when_they_go_bad():
    """A slider-crank at its dead points: the crank can lead, the slider cannot."""
    pin = ts.Revolute("z")
    bodies = (bar("crank", 0.3), bar("rod", 0.8), ts.Body("slider", mass=1))
    model = ts.Model(
        bodies=bodies,
        joints=(
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "rod", pin, at=(0.3, 0, 0)),
            ts.Joint("slide", "world", "slider", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("C", "rod", "slider", pin, at=(0.8, 0, 0)),),
    )
    dead = ts.mobility_report(model, {"A.angle": 0.0, "slide.displacement": 1.1}, keep=("A.angle",))
    assert dead.independent in (("A.rate",), ("B.rate",)) and "slide.speed" in dead.dependent


def test_rows_ranks_and_pivots_on_matrices():
    J = np.array([[1.0, 0, 0], [0, 2.0, 0], [1.0, 2.0, 0]])
    assert jacobian_rank(J) == 2
    assert find_redundant_rows(J, ("a", "b", "c")) == [("c", ("a", "b"))]
    assert independent_speeds(J, np.eye(3)) == ([2], [0, 1])
    assert jacobian_rank(np.zeros((2, 3))) == 0 and jacobian_rank(np.zeros((0, 3))) == 0


def test_elimination_order_waits_and_stays_sparse():
    """A chain of loops: each constraint after its speeds, and no fill across the chain."""
    n = 12
    pattern = [{i} for i in range(2 * n)]
    for i in range(n - 1):  # constraint n + i joins speeds i, i + 1
        for j in (i, i + 1):
            pattern[n + i].add(j)
            pattern[j].add(n + i)
    order = elimination_order(pattern, set(range(n, 2 * n)))
    place = {k: i for i, k in enumerate(order)}
    assert sorted(order) == list(range(2 * n))
    assert all(place[n + i] > max(place[i], place[i + 1]) for i in range(n - 1))
    A = np.array([[0.0] * (2 * n)] * (2 * n), dtype=object)
    rng = np.random.default_rng(0)
    for i, near in enumerate(pattern):
        for j in near:
            if j <= i:
                own = 3.0 if i < n else -1e-3
                A[i, j] = A[j, i] = float(rng.uniform(0.5, 1)) if i != j else own
    f = factor(Floats(), A, order)
    assert sum(len(c) for c in f.columns) < 5 * n  # linear, not quadratic
    b = rng.uniform(-1, 1, 2 * n)
    close(f.solve(vector(b)), np.linalg.solve(A.astype(float), b), 1e5)


def test_proximal_iterations_make_duplicate_rows_exact():
    K, rng = Floats(), np.random.default_rng(3)
    B = rng.uniform(-1, 1, (4, 4))
    M, row = B @ B.T + np.eye(4), rng.uniform(-1, 1, 4)
    J = np.array([row, row, 2 * row])
    force, gamma = rng.uniform(-1, 1, 4), 0.3 * np.array([1, 1, 2])
    a, lam = saddle(K, matrix(M), matrix(J)).solve(vector(force), vector(gamma))
    k = np.linalg.solve(
        np.block([[M, -row[:, None]], [row[None], np.zeros((1, 1))]]), [*force, 0.3]
    )
    close(a, k[:4], 2000)
    close(J.T @ lam.astype(float), row * k[4], 1e6)


def test_drift_stays_at_rounding():
    """Ten thousand steps, and the loop is as closed as at the start."""
    out = ts.simulate(
        four_bar(), 50.0, NEAR, keep=("A.angle",), method="rk4", step=0.005, output=51
    )
    c = constrained_system(four_bar())
    q = np.array([out[n] for n in c.system.coordinates]).T
    v = np.array([out[n] for n in c.system.speeds]).T
    assert max(abs(c.position(x)[0]).max() for x in q) < 4e-15
    assert max(abs(c.terms(x, y).psi).max() for x, y in zip(q, v, strict=True)) < 2e-14


def test_the_result_does_not_depend_on_the_cut():
    """M-45: the same mechanism cut at another joint moves alike."""
    pin = ts.Revolute("z")
    other = ts.Model(
        "cut at D",
        gravity=(0, -9.81, 0),
        bodies=[bar("crank", 0.3), bar("coupler", 0.8), bar("rocker", 0.6)],
        joints=(
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
            ts.Joint("C", "coupler", "rocker", pin, at=(0.8, 0, 0), child_at=(0.6, 0, 0)),
        ),
        loops=(ts.Loop("D", "world", "rocker", pin, at=(0.9, 0, 0)),),
    )
    one = ts.simulate(four_bar(), 1.0, NEAR, keep=("A.angle",), rtol=1e-11, output=[0.0, 1.0])
    rocker = float(one["D.angle"][0] - one["B.angle"][0] - 1.0)
    two = ts.simulate(
        other,
        1.0,
        {"A.angle": 1.0, "B.angle": float(one["B.angle"][0]), "C.angle": rocker},
        keep=("A.angle",),
        rtol=1e-11,
        output=[0.0, 1.0],
    )
    np.testing.assert_allclose(two["A.angle"], one["A.angle"], atol=1e-9)
    names = [f"{k}.{c}" for k in ("moment", "force") for c in "xyz"]
    hinge = np.array([one[f"D.reaction.{n}"][-1] for n in names])  # at the rocker's frame
    loop = np.array([two[f"D.reaction.{n}"][-1] for n in names])
    np.testing.assert_allclose(loop[3:5], hinge[3:5], atol=1e-7)


@pytest.mark.parametrize(
    "constraint, words",
    [
        (ts.Distance("c", "coupler", "nowhere", 1), "no body or frame is named 'nowhere'"),
        (ts.Distance("c", "coupler", length=-1), "has length -1 m; use more than zero"),
        (ts.Driven("c", "A.angel", "t"), "did you mean 'A.angle'"),
        (ts.Holonomic("c", "A.angle + B.angel"), "did you mean 'B.angle'"),
        (ts.Holonomic("c", "3*t"), "has no coordinate in it"),
        (ts.Pfaffian("c", "A.angle"), "has no speed in it; use ts.Holonomic"),
        (ts.PointOnSurface("c", "coupler", "world", ()), "has 0 equations"),
        (ts.Rolling("c", "coupler", radius=0), "has radius 0 m"),
        (ts.KnifeEdge("C", "coupler"), "shares its name with another element"),
    ],
)
def test_messages_of_wrong_constraints(constraint, words):
    from dataclasses import replace

    with pytest.raises(ModelError) as e:
        replace(four_bar(), constraints=(constraint,)).check()
    assert words in str(e.value)


def test_a_constraint_that_can_never_be_met():
    hinge = ts.Joint("A", "world", "a", ts.Revolute("z"))
    model = ts.Model(
        bodies=(bar("a", 1.0),),
        joints=(hinge,),
        constraints=(ts.PointOnPlane("lid", "a", height=0.2),),
    )
    with pytest.raises(ModelError, match=r"'lid' cannot be met: its residual 'height' is -0\.2"):
        ts.assemble(model)


def test_elimination_switches_its_independent_speeds_and_says_so():
    """A slider-crank at full turns: no single speed can lead all the way round."""
    pin = ts.Revolute("z")
    bodies = (bar("crank", 0.3), bar("rod", 0.8), ts.Body("slider", mass=20))
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=bodies,
        joints=(
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "rod", pin, at=(0.3, 0, 0)),
            ts.Joint("slide", "world", "slider", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("C", "rod", "slider", pin, at=(0.8, 0, 0)),),
    )
    c = constrained_system(model)
    start = c.assemble(
        {"A.angle": 1.0, "A.rate": 6.0, "B.angle": -1.3, "slide.displacement": 0.9},
        keep=("A.angle", "A.rate"),
    )
    times = np.linspace(0, 1.0, 101)
    q, _, _ = c.run(start, times, solution="elimination", substeps=2)
    assert len(c.choices) >= 2 and c.choices[0][0] == 0.0
    assert len({names for _, names in c.choices}) >= 2
    other, _, _ = c.run(start, times, solution="multipliers", substeps=2)
    np.testing.assert_allclose(q, other, atol=1e-8)


def test_residual_and_margin_are_signals():
    out = ts.simulate(four_bar(), 1.0, NEAR, keep=("A.angle",), output=11)
    assert out["constraints.residual"].max() < 1e-14
    assert 0.01 < out["constraints.margin"].min() < 1.5


def test_compiled_dynamics_of_a_loop_broadcast():
    model = four_bar()
    c, dyn = constrained_system(model), ts.compile(model)
    q, v = c.assemble(NEAR | {"A.rate": 2.0}, keep=("A.angle", "A.rate"))
    tau = np.array([0.3, -0.2, 0.1])
    for _ in range(2):  # the second call takes the short way
        a, lam = dyn.constrained_dynamics(q, v, tau)
    want, multipliers = c.acceleration(q, v, tau)
    close(a, want, 1e4, scale=abs(want).max())
    close(lam, multipliers, 1e4, scale=abs(multipliers).max())
    many, _ = dyn.constrained_dynamics(np.tile(q, (5, 1)), v, tau, 0.0)
    close(many, np.tile(a, (5, 1)), 1e3, scale=abs(want).max())
    assert abs(dyn.constraint_residual(q)).max() < 1e-15 * 8
    close(dyn.constraint_jacobian(q), c.terms(q, v).J, 100)


def with_constraints(*constraints):
    from dataclasses import replace

    return replace(four_bar(), constraints=constraints)


def test_one_name_to_keep_needs_no_tuple():
    assert ts.assemble(four_bar(), NEAR, keep="A.angle").q[0] == 1.0


def test_a_constraint_without_a_value_at_the_start_is_named():
    model = with_constraints(ts.Holonomic("root", "sqrt(A.angle - 0.5) - 0.5"))
    with pytest.raises(AssemblyError, match=r"'root.value' .* no finite value .*A.angle = 0.4;"):
        ts.assemble(model, NEAR | {"A.angle": 0.4}, keep=())
    assert ts.assemble(model, NEAR, keep=()).q[0] == pytest.approx(0.75)
    disc = ts.Model(
        bodies=(ts.Body("b", mass=1, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("f", "world", "b", ts.Free()),),
        constraints=(ts.Rolling("wheel", "b", radius=0.3),),
    )
    flat = {"f.qw": np.sqrt(0.5), "f.qx": np.sqrt(0.5)}
    with pytest.raises(AssemblyError, match=r"'wheel\.normal'"):
        ts.simulate(disc, 0.1, initial=flat)


def test_a_rod_says_how_far_its_ends_are_from_its_length():
    near = with_constraints(ts.Distance("rod", "coupler", length=10))
    with pytest.raises(AssemblyError, match=r"constraint 'rod' is off by 9\.7 m"):
        ts.assemble(near, NEAR, keep=("A.angle", "B.angle", "D.angle"))


def test_drives_that_contradict_each_other_are_not_called_kept():
    model = with_constraints(
        ts.Driven("one", "A.angle", "1 + 2*t"), ts.Driven("two", "A.angle", "1 + 3*t")
    )
    with pytest.raises(AssemblyError, match="other constraints contradict it"):
        ts.assemble(model, NEAR, keep=())


@pytest.mark.parametrize(
    "text", ["A.rate**2 - 2", "A.rate**3 - D.rate", "A.rate*D.rate", "sin(A.rate) - D.rate"]
)
def test_a_pfaffian_is_linear_in_its_speeds(text):
    with pytest.raises(ModelError, match=r"is not linear in A\.rate"):
        with_constraints(ts.Pfaffian("p", text)).check()
    with_constraints(ts.Pfaffian("p", "cos(A.angle)*A.rate - exp(t)*D.rate + t**2")).check()


def test_a_table_with_something_that_is_no_number():
    table = [(0, 0, 0), (1, 1, np.nan), (2, 0, 0), (3, 0, 0)]
    with pytest.raises(ModelError, match="not finite"):
        with_constraints(ts.PointOnCurve("h", "coupler", points=table)).check()


def test_a_pose_that_closes_no_loop_is_a_problem_of_the_model():
    round_ = ts.Guided(("cos(s)", "sin(s)", 0), (0, 0, "s"), coordinate="s", unit="rad")
    with pytest.raises(ModelError, match="loop 'C': Guided cannot close a loop"):
        four_bar(round_).check()


def test_arrays_of_a_wrong_length_are_told_by_name():
    c = constrained_system(four_bar())
    q, v = c.assemble(NEAR, keep="A.angle")
    for what, call in (
        ("q: expected 3", lambda: c.acceleration(q[:2], v)),
        ("v: expected 3", lambda: c.terms(q, 0.0)),
        ("lam: expected 2", lambda: c.reactions(q, v, v, [1.0])),
    ):
        with pytest.raises(TorseurError, match=what):
            call()


def test_contacts_are_among_the_cuts_of_a_part():
    ball = ts.Model(
        bodies=(ts.Body("ball", mass=1, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("f", "world", "ball", ts.Free()),),
        constraints=(ts.Contact("floor", "ball", radius=0.1),),
    )
    q, rest = ball.check().neutral(), np.zeros(6)
    assert ts.solve.isolate(ball, "ball", q, rest, rest).loops == ("floor",)


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        (ts.Distance("d", ("coupler", (0, 0, 0), 1)), "no body or frame is named"),
        (ts.Distance("d", 3), "no body or frame is named 3"),
        (ts.DryFriction("f", None, force=1), "of=None; give a coordinate"),
        (ts.DryFriction("f", ("coupler",), force=1), r"of=\('coupler',\); give a coordinate"),
        (ts.DryFriction("f", ("coupler", "x", "world", "y"), force=1), "give a coordinate"),
    ],
)
def test_places_that_are_none_are_told(constraint, said):
    with pytest.raises(ModelError, match=said):
        with_constraints(constraint).check()


def test_a_fault_of_a_friction_is_told_once():
    with pytest.raises(ModelError) as e:
        with_constraints(ts.DryFriction("f", "A.angle", force=-1)).check()
    assert len(e.value.problems) == 1


def test_a_surface_without_a_slope_at_the_start():
    ball = ts.Model(
        bodies=(ts.Body("ball", mass=1, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("f", "world", "ball", ts.Free()),),
        constraints=(ts.Contact("floor", "ball", surface="z**2"),),
    )
    with pytest.raises(TorseurError, match=r"contact 'floor': its height .* no value"):
        ts.simulate(ball, 0.1)


@pytest.mark.parametrize(
    "constraint",
    [
        ts.PointOnSurface("s", "coupler", "world", ("y - t",)),
        ts.PointOnSurface("s", "coupler", "world", ("y - A.angle",)),
        ts.PointOnCurve("s", "coupler", curve=("s", "t", 0)),
        ts.Contact("s", "coupler", surface="y - A.angle"),
    ],
)
def test_surfaces_and_curves_are_fixed_in_what_carries_them(constraint):
    with pytest.raises(ModelError, match=r"in it, not (t|A\.angle); put it on a body that moves"):
        with_constraints(constraint).check()
    with_constraints(ts.PointOnCurve("s", "coupler", curve=("t", "t**2", 0), parameter="t")).check()


def test_multipliers_of_couplings_have_the_unit_of_the_coordinate_taken_once():
    wheel = ts.Body("wheel", mass=1, inertia=(1, 1, 1, 0, 0, 0))
    bar_ = ts.Body("bar", mass=2)
    couplings = {
        "N": ts.Rack("c", "turn.angle", "slide.displacement", 0.1),
        "N m": ts.Gear("c", "turn.angle", "slide.displacement", 10),
        "J": ts.Coupling("c", {"turn.angle": 3, "slide.displacement": 30}),
    }
    for unit, coupling in couplings.items():
        model = ts.Model(
            bodies=(wheel, bar_),
            constraints=(coupling,),
            joints=(
                ts.Joint("turn", "world", "wheel", ts.Revolute("y")),
                ts.Joint("slide", "world", "bar", ts.Prismatic("z")),
            ),
        )
        assert constrained_system(model).multipliers == (("c.multiplier", unit),)


def test_the_rank_near_a_singular_position_is_that_of_the_mechanism():
    """Three equal cranks, flat: two motions there, one nearby, by rows of rank three."""
    pin = ts.Revolute("z")
    cranks = {"a": 0, "b": 2, "d": 1}
    model = ts.Model(
        "cranks",
        gravity=(0, -9.81, 0),
        bodies=(*(bar(n, 1.0) for n in cranks), bar("c", 2.0)),
        joints=(
            *(ts.Joint(n.upper(), "world", n, pin, at=(x, 0, 0)) for n, x in cranks.items()),
            ts.Joint("C", "a", "c", pin, at=(1, 0, 0)),
        ),
        loops=tuple(
            ts.Loop(f"{n} pin", n, "c", pin, at=(1, 0, 0), child_at=(x, 0, 0))
            for n, x in cranks.items()
            if x
        ),
    )
    report = ts.mobility_report(model)
    assert (report.rank, report.generic_rank, report.mobility) == (2, 3, 2) and report.singular
    lifted = {"A.angle": 0.7, "B.angle": 0.7, "D.angle": 0.7, "C.angle": -0.7}
    report = ts.mobility_report(model, lifted)
    assert (report.rank, report.generic_rank, report.mobility) == (3, 3, 1)


@pytest.mark.parametrize("speeds", ["body", "world", "mixed"])
def test_a_kept_coordinate_of_a_free_body_leaves_its_others_free(speeds):
    """A coin: px and a tilt of its height are kept, and it stands or leans as it must."""
    coin = ts.Model(
        bodies=(ts.Body("d", 1.3, inertia=(0.2, 0.3, 0.2, 0, 0, 0)),),
        joints=(ts.Joint("f", "world", "d", ts.Free(speeds=speeds)),),
        constraints=(ts.Rolling("roll", "d", radius=0.5, axis="y"),),
    ).check()
    q, _ = ts.assemble(coin, {"f.px": 0.1})
    np.testing.assert_allclose(q, [0.1, 0, 0.5, 1, 0, 0, 0], atol=1e-14)
    q, _ = ts.assemble(coin, {"f.pz": 0.45, "f.px": -0.2, "f.qz": 0.0})
    assert q[[0, 2, 6]] == pytest.approx([-0.2, 0.45, 0.0], abs=1e-14)
    axis = ts.compile(coin).pose("d", q)[:3, 1]
    assert 0.5 * np.hypot(*axis[:2]) == pytest.approx(0.45, abs=1e-14)
