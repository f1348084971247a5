"""Every registered joint, law, line of action and constraint has a drawing that the page knows."""

import json
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.joints import joint
from torseur.results import Trajectory
from torseur.show.element_marks import MARK_BUILDERS
from torseur.show.french import translate_name
from torseur.show.scene import build_scene
from torseur.show.text import describe_element, describe_ends

WEB = Path(__file__).parents[2] / "web" / "src"
NOTHING = Trajectory([0.0], {}, {})


def words(file: str, table: str) -> set[str]:
    """Keys of an object of the page's script."""
    inside = re.search(rf"const {table} = \{{\n(.*?)\n\}};", (WEB / file).read_text(), re.S)[1]
    return {*re.findall(r"^  (\w+)(?:\(|:)", inside, re.M)}


MEMBERS, HUBS, PIVOTS = (
    words("members.js", "LOOKS"),
    words("pivots.js", "HUBS"),
    words("pivots.js", "PICTURES"),
)


def things(model) -> list[str]:
    """Everything that is drawn beside names, as text, to compare two scenes by."""
    got = build_scene(NOTHING, model, {"L": 0.6})
    assert json.dumps(got, allow_nan=False)
    found = [*got["lines"], *got["wrenches"], *got["hubs"], *got["world"]]
    found += [p for b in got["bodies"] for p in b["parts"]]
    found += [{"ground": got["ground"]}] if got["ground"] is not None else []
    return [json.dumps(x) for x in found]


@pytest.fixture(scope="module")
def bare() -> set[str]:
    return {*things(zoo.mechanism())}


@pytest.mark.parametrize("one", line.examples(), ids=zoo.label)
def test_every_line_of_action_is_drawn(one, bare):
    marks = one.drawn()
    assert marks and {m["shape"] for m in marks} <= {*MARK_BUILDERS}
    assert {w for m in marks for w in m.get("looks", ())} <= MEMBERS & HUBS | {"bushing", "rod"}
    assert {*things(zoo.mechanism(forces=(one,)))} - bare


@pytest.mark.parametrize("one", constraint.examples(), ids=zoo.label)
def test_every_constraint_is_drawn(one, bare):
    marks = one.drawn()
    assert marks and {m["shape"] for m in marks} <= {*MARK_BUILDERS}
    assert {*things(zoo.mechanism(constraints=(one,)))} - bare


@pytest.mark.parametrize("one", [*constraint.examples(), *line.examples()], ids=zoo.label)
def test_every_element_is_told_with_its_places(one):
    """A place may be a name, or a name and a point: a page of `ground=("world", (...))` fell."""
    ends = [f.name for f in fields(one) if f.name in ("ground", "frame", "b")]
    pairs = {n: ("base", (0.25, 0, -1.5)) for n in ends if getattr(one, n, None) is not None}
    for x in (one, replace(one, **pairs)):
        said = f"{describe_element(x)} {describe_ends(x)}"
        assert "  " not in said.strip() and " ," not in said
        assert x is one or not pairs or "(0.25, 0" in said
        assert describe_element(x, say=translate_name)


@pytest.mark.parametrize("one", law.examples(), ids=zoo.label)
def test_every_law_has_a_look(one):
    assert one.pictures and {*one.pictures} <= MEMBERS & HUBS


def test_every_joint_has_a_picture():
    assert {kind.picture for kind in joint.values()} <= PIVOTS
    assert all(kind.picture for kind in joint.values())


def test_rods_of_a_suspension_keep_their_length_over_the_travel():
    """What is drawn between hardpoints is the linkage that is solved."""
    from torseur.scalars import Floats

    K = Floats()
    for kind in (ts.DoubleWishbone, ts.MacPherson):
        (linkage,) = kind.examples()
        rods = linkage.bars()
        sizes = []
        for travel in (-0.05, 0.0, 0.06):
            X = linkage.pose(K, [travel])
            ends = [
                [
                    np.array(p, float) if side == "F" else X.point(np.array(p, float))
                    for side, p in r
                ]
                for r in rods
            ]
            sizes.append([np.linalg.norm((a - b).astype(float)) for a, b in ends])
        spread = np.ptp(sizes, axis=0)
        slides = 1 if kind is ts.MacPherson else 0  # the strut telescopes
        assert (spread > 1e-3).sum() == slides and np.sort(spread)[
            : len(rods) - slides
        ].max() < 1e-9
