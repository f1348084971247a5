"""The choice of a code generator: every generator with every feature is served, or refused."""

import re
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.errors import KernelError
from torseur.kernels import (
    Generator,
    GraphInterpreter,
    MotionKernels,
    choose_generator,
    choose_motion_generator,
    strategy,
    thresholds,
)
from torseur.quantities import find

HINGE = ts.Revolute("y")
ROD = {"mass": 1.0, "com": (0, 0, -0.25), "inertia": (0.1, 0.1, 0.1)}
LINKS = 6


def chain(*, links=LINKS, at=(0, 0, -0.5), mass=1.0, last=None, **parts) -> ts.Model:
    """Hinges about y in a row, with a damper on each; `at` places the second one."""
    bodies = [ts.Body(f"b{i}", **ROD | {"mass": mass}) for i in range(links)]
    bodies[-1] = last or bodies[-1]
    joints = [
        ts.Joint(f"j{i}", f"b{i - 1}" if i else "world", f"b{i}", HINGE, damping=0.1 + 0.01 * i,
                 at=at if i == 1 else (0, 0, -0.5 * bool(i)))
        for i in range(links)
    ]  # fmt: skip
    return ts.Model("chain", bodies=bodies, joints=joints, **parts)


def ladder(loops=4, mass=1.0, at=(0, 0, 0), **parts) -> ts.Model:
    """Equal four-bars in a row; `at` places the first."""
    bodies = [ts.Body(f"{x}{i}", **ROD | {"mass": mass}) for i in range(loops) for x in "abc"]
    joints, closures = [], []
    for i in range(loops):
        joints += [
            ts.Joint(f"a{i}", "world", f"a{i}", HINGE, at=(i, 0, 0) if i else at),
            ts.Joint(f"b{i}", f"a{i}", f"b{i}", HINGE, at=(0, 0, -0.5)),
            ts.Joint(f"c{i}", "world", f"c{i}", HINGE, at=(i + 0.5, 0, 0)),
        ]
        closures.append(
            ts.Loop(f"l{i}", f"b{i}", f"c{i}", HINGE, at=(0.5, 0, 0), child_at=(0, 0, -0.5))
        )
    return ts.Model("ladder", bodies=bodies, joints=joints, loops=closures, **parts)


def blocks(count=4, mass=1.0, at=(0, 0, 0), **parts) -> ts.Model:
    """Equal bodies above the ground, with a contact on each."""
    bodies = [ts.Body(f"b{i}", mass) for i in range(count)]
    joints = [
        ts.Joint(f"z{i}", "world", f"b{i}", ts.Prismatic("z"), at=(0, 0, 0) if i else at)
        for i in range(count)
    ]
    contacts = [ts.Contact(f"k{i}", f"b{i}") for i in range(count)]
    return ts.Model("blocks", bodies=bodies, joints=joints, constraints=contacts, **parts)


def draw_state(system) -> tuple[np.ndarray, ...]:
    """Coordinates, speeds and efforts, of systems without quaternions."""
    rng = np.random.default_rng(3)
    return tuple(rng.normal(size=n) for n in (system.nq, system.nv, system.nv))


BEAM = ts.Beam("b5", length=0.5, EI=50.0, mass_per_length=2.0, modes=(1, 0, 0, 0), slices=3)
FEATURES = {
    "nothing": {},
    "moving placement": {"at": ("sin(t)/10", 0, -0.5)},
    "loops": {"constraints": (ts.Distance("rod", "b5", ("world", (0.4, 0, -2.5)), length=0.6),)},
    "contacts": {"constraints": (ts.Contact("foot", "b5"),)},
    "beam": {"last": BEAM},
}
"""Features of a model.  Parameters, wrenches and batches are features of a call."""
CALLS = {
    "parameters": {"parameters": ("m",)},
    "wrenches": {"wrenches": ("b4",)},
    "batch": {"batch": True},
}
QUANTITIES = {
    Generator.STRAIGHT_LINE: "bias",
    Generator.LINK_LOOPS: "forward_dynamics",
    Generator.TREE_SIMD: "mass_matrix",
    Generator.TWO_STAGES: "forward_dynamics_derivatives",
    Generator.DUAL_NUMBERS: "forward_dynamics_derivatives",
}
REFUSED = {
    (Generator.LINK_LOOPS, "moving placement"): "time moves a placement",
    (Generator.LINK_LOOPS, "beam"): "slices of a beam share coordinates",
    (Generator.LINK_LOOPS, "parameters"): "declared parameters stay arguments",
    (Generator.LINK_LOOPS, "wrenches"): "external wrenches",
    (Generator.TREE_SIMD, "moving placement"): "time moves a placement",
    (Generator.TREE_SIMD, "beam"): "a joint whose screws vary in its link",
    (Generator.TREE_SIMD, "batch"): "each SIMD lane is another state",
    (Generator.DUAL_NUMBERS, "wrenches"): "external wrenches",
}
"""Cells of generator and feature that another generator serves, and the reason it states."""


@pytest.fixture
def small(monkeypatch):
    """Thresholds that let small models reach a generator."""

    def lower(generator: Generator) -> None:
        if generator is Generator.LINK_LOOPS:
            monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 1)
        if generator is Generator.TREE_SIMD:
            monkeypatch.setattr(thresholds, "SIMD_SPEEDS", range(2, 129))
            monkeypatch.setattr(thresholds, "MIN_SIMD_LANES", 1)
            monkeypatch.setattr(thresholds, "MIN_PAIRS_PER_SPEED", 1)
            monkeypatch.setattr(thresholds, "MAX_COUNTED_SPEEDS", 0)
        if generator is Generator.DUAL_NUMBERS:
            monkeypatch.setattr(thresholds, "TWO_STAGE_SPEEDS", range(1, 2))
        if generator is Generator.REPEATED_BLOCKS:
            monkeypatch.setattr(thresholds, "MIN_REPEATED_BLOCK_UNKNOWNS", 1)
            monkeypatch.setattr(thresholds, "MIN_MEMBERS_PER_CLASS", 1)
        if generator is Generator.ISLANDS:
            monkeypatch.setattr(thresholds, "MIN_ISLAND_ELEMENTS", 1)
        if generator is Generator.ROW_LOOPS:
            monkeypatch.setattr(thresholds, "MIN_ROW_LOOP_UNKNOWNS", 1)

    return lower


@pytest.mark.parametrize("feature", [*FEATURES, *CALLS])
@pytest.mark.parametrize("generator", QUANTITIES)
def test_every_quantity_is_served_whatever_the_model_has(generator, feature, small):
    """By the generator itself, or by another one, which gives the numbers of the formula."""
    small(generator)
    options = CALLS.get(feature, {})
    model = chain(mass="m", parameters={"m": 1.3}, **FEATURES.get(feature, {}))
    system, name = model.check(), QUANTITIES[generator]
    choice = choose_generator(system, name, **options)
    reason = REFUSED.get((generator, feature))
    if reason is None:
        assert choice.generator is generator
    else:
        assert choice.generator is not generator and dict(choice.rejected)[generator] == reason
    batch = "batch" in options
    dyn = ts.compile(system, **({} if batch else options))
    q, v, x = draw_state(system)
    given = (q,) if name == "mass_matrix" else (q, v) if name == "bias" else (q, v, x)
    time = {"t": 0.3} if system.rheonomic else {}
    found = getattr(dyn, name)(*(np.tile(a, (9, 1)) if batch else a for a in given), **time)
    want = GraphInterpreter(system)(name, *given, *time.values(), p=[1.3])
    for a, b in zip(found if isinstance(found, tuple) else (found,), want, strict=True):
        np.testing.assert_allclose(a[4] if batch else a, b, atol=1e-9 * (1 + abs(b).max()))


MOTION = {
    (Generator.LINK_LOOPS, "nothing"): (chain(), None),
    (Generator.LINK_LOOPS, "parameters"): (chain(mass="m", parameters={"m": 1.3}), None),
    (Generator.LINK_LOOPS, "moving placement"): (chain(**FEATURES["moving placement"]), None),
    (Generator.LINK_LOOPS, "loops"): (chain(**FEATURES["loops"]), "constraint rows (rod)"),
    (Generator.LINK_LOOPS, "contacts"): (chain(**FEATURES["contacts"]), "constraint rows (foot)"),
    (Generator.LINK_LOOPS, "beam"): (chain(last=BEAM), "slices of a beam share coordinates"),
    (Generator.REPEATED_BLOCKS, "loops"): (ladder(), None),
    (Generator.REPEATED_BLOCKS, "parameters"): (ladder(mass="m", parameters={"m": 1.3}), None),
    (Generator.REPEATED_BLOCKS, "nothing"): (chain(), "no bilateral constraint"),
    (Generator.REPEATED_BLOCKS, "moving placement"): (
        ladder(at=("t/10", 0, 0)), "time moves a placement"),
    (Generator.REPEATED_BLOCKS, "contacts"): (
        ladder(constraints=(ts.Contact("foot", "b0"),)), "contacts or dry frictions beside loops"),
    (Generator.ISLANDS, "contacts"): (blocks(), None),
    (Generator.ISLANDS, "parameters"): (blocks(mass="m", parameters={"m": 1.3}), None),
    (Generator.ISLANDS, "nothing"): (chain(), "no contact and no dry friction"),
    (Generator.ISLANDS, "moving placement"): (
        blocks(at=("t/10", 0, 0)), "time moves a placement"),
    (Generator.ROW_LOOPS, "contacts"): (chain(**FEATURES["contacts"]), None),
    (Generator.ROW_LOOPS, "moving placement"): (
        chain(**FEATURES["contacts"], **FEATURES["moving placement"]), None),
    (Generator.ROW_LOOPS, "beam"): (chain(last=BEAM, **FEATURES["contacts"]), None),
    (Generator.STRAIGHT_LINE, "beam"): (chain(last=BEAM), None),
    (Generator.STRAIGHT_LINE, "loops"): (chain(**FEATURES["loops"]), None),
}  # fmt: skip
"""Of each generator and feature a model, and the reason that another generator serves it."""


@pytest.mark.parametrize(("generator", "feature"), MOTION)
def test_every_motion_is_served_whatever_the_model_has(generator, feature, small):
    """Its flow, by the generator or by another one: the numbers are those of the formula."""
    small(generator)
    model, reason = MOTION[generator, feature]
    system = model.check()
    choice = choose_motion_generator(system, "flow")
    if reason is None:
        assert choice.generator is generator
    else:
        assert choice.generator is not generator and dict(choice.rejected)[generator] == reason
    q, v, _ = draw_state(system)
    at, p = system.layout, [*system.parameters.values()]
    given = (0.3, q, v, np.zeros(len(at.z)), np.zeros(len(at.m)), np.zeros(len(at.u)))
    found = MotionKernels(system)["flow"](*given, p)
    want = GraphInterpreter(system)("flow", *given, p=p)
    for a, b in zip(found[:3], want, strict=False):
        np.testing.assert_allclose(a, b, atol=1e-8 * (1 + abs(b).max(initial=0)))


@pytest.mark.parametrize(
    ("generator", "model"),
    [
        (Generator.STRAIGHT_LINE, chain(links=2)),
        (Generator.LINK_LOOPS, chain()),
        (Generator.REPEATED_BLOCKS, ladder()),
        (Generator.ISLANDS, blocks()),
        (
            Generator.ROW_LOOPS,
            chain(links=2, constraints=(ts.Contact("foot", ("b1", (0, 0, 9.0))),)),
        ),
    ],
)
def test_implicit_steps_batches_and_derivatives_of_every_generator(generator, model, small):
    """Runs of an implicit method, of two members at once, and with sensitivities agree."""
    small(generator)
    system = model.check()
    assert choose_motion_generator(system, "flow").generator is generator
    name = system.speeds[0]
    options = {"t_end": 0.05, "rtol": 1e-8, "atol": 1e-10, "output": 2}
    start = {system.coordinates[0]: 0.1}
    if generator is Generator.ISLANDS:
        start = {f"z{i}.displacement": 1.0 for i in range(4)}
    plain = ts.simulate(system, initial=start, method="dop853", **options)
    implicit = ts.simulate(system, initial=start, method="rodas5p", **options)
    followed = ts.simulate(system, initial=start, sensitivities=[name], **options)
    both = ts.batch(system, initial={n: np.full(2, x) for n, x in start.items()}, **options)
    for last in (implicit[name][-1], followed[name][-1], *both[name][:, -1]):
        assert last == pytest.approx(plain[name][-1], rel=1e-6, abs=1e-6)


def test_reduced_solutions_of_many_equal_loops_are_refused_with_the_remedy(small):
    small(Generator.REPEATED_BLOCKS)
    with pytest.raises(KernelError, match=r"'null_space' is not supported for 12 speeds .*; use "
                       r"solution='multipliers'"):  # fmt: skip
        ts.simulate(ladder(), 0.1, solution="null_space")
    assert ts.simulate(ladder(), 0.1, solution="multipliers").completed


def test_source_text_of_a_loop_is_refused(small, tmp_path):
    small(Generator.LINK_LOOPS)
    with pytest.raises(KernelError, match="has no source text; up to 1 can be exported"):
        ts.compile(chain()).export(tmp_path / "chain.c")


def test_an_explanation_names_generator_facts_and_thresholds():
    dyn = ts.compile(chain())
    text = dyn.explain("inverse_dynamics")
    assert text.startswith("inverse_dynamics of 'chain' (6 links, 6 speeds, 6 force elements)\n")
    assert "straight-line program: 6 speeds <= 60" in text
    assert "not SIMD over the tree: 6 links < 8" in text
    assert "implicit steps factorized link by link: no, 6 speeds <= 20" in dyn.explain(
        "flow_jacobian"
    )
    loops = dyn.explain("flow").splitlines()
    assert "  not loops over links: 6 speeds <= 60" in loops
    with pytest.raises(KernelError, match="mass_matrx"):
        dyn.explain("mass_matrx")


def test_no_other_file_compares_sizes_with_thresholds_of_its_own():
    """Numbers that choose a generator stand in thresholds.py: others read them by name."""
    folder = Path(thresholds.__file__).parent
    names = {n for n in vars(thresholds) if n.isupper()}
    read = set()
    for file in folder.rglob("*.py"):
        if file.name != "thresholds.py":
            text = file.read_text(encoding="utf-8")
            read |= set(re.findall(r"thresholds\.([A-Z_]+)", text))
            alone = re.findall(r"\.(?:nv|nq) *(?:<|>|<=|>=) *\d{2,}", text)
            assert not alone, (file.name, alone)
    assert read == names


def test_the_page_of_the_engine_has_the_generators_and_thresholds_of_the_code():
    page = Path(__file__).parents[2] / "docs" / "engine.md"
    if not page.exists():
        pytest.skip("the manual is not beside the tests")
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:`Generator\.(\w+)`) \|", text, re.M)
    assert [*rows] == [x.name for x in Generator]
    for name, value in re.findall(r"`([A-Z][A-Z_]+)` = ([\d ]+)", text):
        number = getattr(thresholds, name)
        number = number.start if isinstance(number, range) else number
        assert number == int(value.replace(" ", "")), name
    assert {q for q in strategy.MOTION_QUANTITIES if find(q)} == strategy.MOTION_QUANTITIES
