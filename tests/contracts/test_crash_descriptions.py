"""Whatever describes a crash: its numbers may be texts, its bodies any way round, its runs long."""

from dataclasses import fields, replace

import numpy as np
import pytest

import torseur as ts
from torseur.crash.case_file import OCCUPANTS, WALLS
from torseur.crash.mass_properties import center_of_mass, combine_bodies, inertia_matrix

C = ts.crash
LAW = ts.Crush(((0, 0), (0.05, 3e5), (0.6, 4e5)), 2e7)
PARTS = (*WALLS.values(), *OCCUPANTS.values(), C.Belt, C.Member, C.Wheel)


def car(*more, **options):
    body = ts.Body("body", 1400.0, (-1.2, 0, 0.5), (500, 2000, 2200, 0, 0, 0))
    ends = (C.Member("left", "body", (0.1, 0.5, 0.4), law=LAW, width=0.5),
            C.Member("right", "body", (-0.2, -0.4, 0.4), law=LAW, width=0.5))  # fmt: skip
    return C.Vehicle("car", (body, *more), ends, **options)


def on_wheels():
    places = ((x, y, 0.0) for x in (0.2, -2.6) for y in (0.75, -0.75))
    return replace(car(), wheels=[C.Wheel(f"w{i}", at) for i, at in enumerate(places)], name="w")


def test_what_meets_a_car_on_wheels_does_not_fall():
    run = ts.simulate(C.against(on_wheels(), C.MovingBarrier(), 12.0, 3, t_end=0.08), rtol=1e-6)
    assert abs(run["trolley.position.z"]).max() < 0.02  # 0.03 in free fall


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_number_of_a_description_may_say_its_unit(part):
    named = {"name": "x"} if any(f.name == "name" for f in fields(part)) else {}
    more = {"body": "b"} if part is C.Member else {"face": None} if part is C.MovingBarrier else {}
    for f in fields(part):
        unit, three = f.metadata.get("unit"), (3,) in f.metadata.get("shapes", ())
        if not unit:
            continue
        text, number = f"0.5 {unit}", 0.5
        if three:
            text, number = (text, 0, f"250 m{unit}"), (0.5, 0, 0.25)
        told = getattr(part(**named, **more, **{f.name: text}), f.name)
        assert np.array_equal(np.asarray(told, float), np.asarray(number, float)), f.name


def test_laws_lengths_points_and_parameters_of_a_vehicle_too():
    rail = ts.Crush(((0, 0), ("50 mm", "300 kN"), (0.6, 4e5)), "20 kN/mm")
    told = C.Vehicle(
        "car",
        (ts.Body("body", "m/2"),),
        (C.Member("rail", "body", law=rail, width="1.8 m"),),
        points={"floor": ("body", ("-500 mm", 0, 0))},
        size=("4.5 m", "180 cm", 1.5),
        parameters={"m": "3 t"},
    )
    plain = C.Vehicle(
        "car", (ts.Body("body", 1500),), (C.Member("rail", "body", law=LAW, width=1.8),)
    )
    assert told.mass == plain.mass and told.size == plain.size
    ends = [ts.simulate(C.against(v, C.Wall(overlap=0.4), 10.0, t_end=0.02)) for v in (told, plain)]
    assert ends[0]["body.velocity.x"][-1] == ends[1]["body.velocity.x"][-1]
    assert ends[0]["floor.position.x"][0] == -0.5


def test_bodies_given_by_their_first_moment_are_lumped_and_mirrored_as_others_are():
    usual = ts.Body("b", 20.0, (0.3, -0.2, 0.1), (2, 3, 4, 0.1, 0.2, 0.3))
    I, c = inertia_matrix(usual), center_of_mass(usual)
    about = I + 20 * (c @ c * np.eye(3) - np.outer(c, c))
    other = ts.Body("b", 20.0, inertia=about, about="origin", first_moment=tuple(20 * c))
    for one, two in zip(
        (combine_bodies([b, ts.Body("e", 10.0)], "x") for b in (usual, other)),
        (C.Vehicle("v", (b,)).mirrored().bodies[0] for b in (usual, other)),
        strict=True,
    ):
        for b in (one, two):
            want = combine_bodies([usual, ts.Body("e", 10.0)], "x") if b.name == "x" else None
            flip = np.array([1, -1, 1])
            assert center_of_mass(b) == pytest.approx(center_of_mass(want) if want else flip * c)
            assert np.allclose(
                inertia_matrix(b), inertia_matrix(want) if want else np.outer(flip, flip) * I
            )


def test_the_length_of_a_run_does_not_change_its_metrics_and_sparse_rows_are_refused():
    short, long = (
        C.metrics(ts.simulate(C.against(car(), speed=14.0, t_end=t)), "body") for t in (0.12, 0.2)
    )
    for name in ("peak", "crush", "restitution", "olc", "vpi", "asi"):
        assert long[name] == pytest.approx(short[name], rel=1e-9), name
    sparse = ts.simulate(C.against(car(), speed=14.0), output=51)
    with pytest.raises(ts.ArgumentError, match=r"up to 3 ms apart.*output=1501"):
        C.metrics(sparse, "body")


def test_a_face_as_hard_as_its_oblique_wall_stands_where_that_does():
    wall = C.Wall("25 deg", overlap=0.9)
    hard = C.DeformableFace(pressure=1e8, width=3.0, mass=2.0, wall=wall)
    runs = [ts.simulate(C.against(car(), w, 12.0, 2, t_end=0.06), rtol=1e-6) for w in (wall, hard)]
    for signal in ("velocity.x", "velocity.y", "angular_velocity.z"):
        a, b = (run[f"body.{signal}"][-1] for run in runs)
        assert a == pytest.approx(b, abs=0.05), signal


def test_an_end_may_pass_the_edge_of_a_plane_before_it_is_there():
    """Its foot is beside the plane at first: a block that flies obliquely to where it goes."""
    wall = ts.PlaneForce("end", ("b", (0, 0, 0)), "world", ts.Spring(1e4), "-x", edges=(-0.2, 0.2))
    model = ts.Model(
        bodies=(ts.Body("b", 1.0, inertia=(1, 1, 1)),),
        joints=(ts.Joint("p", "world", "b", ts.Planar("z", "translation_first")),),
        forces=(wall,),
    )
    start = {"p.x": -1.0, "p.y": 0.9, "p.speed_x": 10.0, "p.speed_y": -8.0}
    law = replace(wall, law=ts.Crush(((0, 0), (1, 100.0)), 2e4))
    run = ts.simulate(replace(model, forces=(law,)), 0.5, start)
    (off,) = (e.time for e in run.events if e.name == "end: slid off")
    assert run["end.force"].max() > 30  # it lands at y = 0.1 and slides on
    assert np.interp(off, run.time, run["b.position.y"]) == pytest.approx(-0.2, abs=1e-9)
    past = ts.simulate(replace(model, forces=(law,)), 0.5, start | {"p.y": 1.5})
    assert not past["end.force"].any() and past["end.state"][-1] == run["end.state"][-1]
    assert max(x.energy_audit.relative for x in (past, run)) < 1e-8


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: C.MovingBarrier(face=C.DeformableFace(wall=C.Wall("15 deg"))), r"angle: the face"),
        (
            lambda: C.MovingBarrier(face=None, friction="stick"),
            r"friction: expected a plain number",
        ),
        (lambda: C.MovingBarrier(face=None, friction=-1), r"friction: expected zero or more"),
        (lambda: C.against(car(), C.MovingBarrier(speed=-20), 5.0), r"never meets 'trolley'"),
        (lambda: C.against(car(ts.Body("engine", 200)), speed=5.0), r"from body 'engine'"),
        (lambda: C.collide(on_wheels(), car(), (9, 9), dimensions=3), r"'car' has no wheels"),
        (lambda: C.DeformableFace(((0, 0), (0.1, 3e5), (0.1, 4e5))), r"of growing crush"),
        (lambda: C.Member("m", "b", at=("3 kg", 0, 0)), r"member 'm', at"),
        (lambda: C.Belt(slack="3 kg"), r"belt, slack"),
        (lambda: C.Vehicle("v", (ts.Body("b", 1.0),), size=("3 kg", 1, 1)), r"vehicle 'v'"),
    ],
)
def test_what_is_wrong_is_told(wrong, sentence):
    with pytest.raises(ts.TorseurError, match=sentence):
        wrong()


def test_a_main_body_without_inertia_keeps_its_box_when_it_is_lumped():
    heavy, light = ts.Body("body", 1000.0, (-1.5, 0, 0.5)), ts.Body("engine", 200.0, (0, 0, 0.5))
    mount = C.Member("mount", "body", to="engine", law=LAW)
    two = C.Vehicle("two", (heavy, light), (C.Member("front", "body", law=LAW), mount))
    length, width, height = two.size
    apart = 1000 * 200 / 1200 * 1.5**2  # kg m2, of both about the center of mass
    found = inertia_matrix(two.lumped(("engine", "body")).bodies[0])
    box = [height**2 + width**2, length**2 + height**2, length**2 + width**2]
    assert np.allclose(found, np.diag(1000 / 12 * np.array(box) + [0, apart, apart]))
