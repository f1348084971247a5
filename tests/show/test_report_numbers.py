"""Numbers of the report beside its curves: energies, events, cards, tables, colors."""

import base64
import json
import re
import xml.etree.ElementTree as ET
import zlib

import numpy as np
import pytest
from known_motions import prescribe_run
from svg_figures import read_figures

import torseur as ts
from torseur.results import Event, Trajectory

TIME = np.linspace(0, 2, 201)


def data_of(run, **options) -> dict:
    html = ts.report(run, **options).html
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return json.loads(found[1])


def tables_of(run, tab, **options) -> dict[str, dict[str, str]]:
    """Rows of every table of a tab, by its caption."""
    html = ts.report(run, **options).html
    text = re.search(rf'<div id="tab-{tab}".*?>(.*?)</div>', html, re.S)[1]
    out = {}
    for table in re.findall(r"<table>.*?</table>", text, re.S):
        root = ET.fromstring(re.sub(r" data-say(?=[ />])", "", table))
        out[root.find("caption").text] = {
            row[0].text: "".join(row[1].itertext()) for row in root.find("tbody")
        }
    return out


def cards_of(run, **options) -> dict[str, dict]:
    return {c["label"]: c for c in data_of(run, **options)["cards"]}


def energies(kinetic, potential, dissipated, supplied) -> dict:
    parts = {"kinetic": kinetic, "potential": potential, "dissipated": dissipated,
             "supplied": supplied}  # fmt: skip
    values = {n: np.broadcast_to(x, TIME.shape) for n, x in parts.items()}
    total = values["kinetic"] + values["potential"] + values["dissipated"] - values["supplied"]
    values["residual"] = total - total[0]
    return {f"energy.{n}": ("J", x) for n, x in values.items()}


def test_energies_are_changes_and_the_residual_is_what_is_left():
    """Kinetic 100 to 20 J, dissipated 0 to 95 J, supplied 0 to 10 J: 5 J too much."""
    s = TIME / 2
    run = prescribe_run(TIME, {}, energies(100 - 80 * s, 3, 95 * s, 10 * s))
    panel = data_of(run)["panels"]["energy"]
    names = [f"energy.{n}" for n in ("kinetic", "potential", "dissipated", "supplied")]
    assert panel["names"] == names
    rows = dict(panel["audit"]["rows"])
    assert rows == pytest.approx(
        {"kinetic": -80, "potential": 0, "dissipated": 95, "supplied": 10, "jumps": 0}
    )
    assert panel["audit"]["relative"] == pytest.approx(5 / 100)
    assert panel["audit"]["sentence"] == "Largest residual 5 J, 0.05 of the largest energy, 100 J."
    card = cards_of(run)
    assert card["Largest energy"]["value"] == pytest.approx(100)
    assert card["Energy error"]["value"] == pytest.approx(0.05) and card["Energy error"]["bad"]


def test_an_impact_takes_energy_in_a_jump():
    """At 1 s the kinetic energy falls by 6 J; 2.5 J of it are dissipated, 1 J is supplied.

    The two rows have one time.  The sum of the changes, -4.5 J, is the jump.
    """
    time = np.array([0.0, 1.0, 1.0, 2.0])
    after = np.array([0.0, 0.0, 1.0, 1.0])
    names = {"kinetic": 8 - 6 * after, "potential": 0 * after, "dissipated": 2.5 * after,
             "supplied": after, "residual": 0 * after}  # fmt: skip
    values = {f"energy.{n}": x for n, x in names.items()}
    run = Trajectory(time, values, dict.fromkeys(values, "J"), jumps=((1, 2),))
    rows = dict(data_of(run)["panels"]["energy"]["audit"]["rows"])
    assert rows["jumps"] == -6 + 2.5 - 1 and rows["kinetic"] == -6


def test_events_have_their_times_and_verbs():
    events = (
        Event(0.125, "mount: torn"),
        Event(1.5, "stop: high stop"),
        Event(1.75, "odd: clicks"),
    )
    run = Trajectory(TIME, {"x": TIME}, {"x": "m"}, events=events)
    listed = data_of(run)["events"]
    assert [(e["t"], e["owner"], e["what"]) for e in listed] == [
        (0.125, "mount", "tears"),
        (1.5, "stop", "reaches its high stop"),
        (1.75, "odd", "clicks"),
    ]
    assert tables_of(run, "run")["Events"] == {
        "0.125 s": "mount tears",
        "1.5 s": "stop reaches its high stop",
        "1.75 s": "odd clicks",
    }
    card = cards_of(run)["Events"]
    assert (card["value"], card["at"], card["event"]["what"]) == (3, 0.125, "tears")


def test_a_quiet_event_does_not_stand_for_the_run():
    """The pass of a table's knot is counted, the tear after it is told."""
    events = (Event(0.1, "law: knot above 3"), Event(0.9, "mount: torn"))
    card = cards_of(Trajectory(TIME, {"x": TIME}, {"x": "m"}, events=events))["Events"]
    assert (card["value"], card["at"], card["event"]["owner"]) == (2, 0.9, "mount")


def test_tables_of_a_run_have_its_statistics_and_parameters():
    run = Trajectory(TIME, {"x": TIME}, {"x": "m"}, "reached t = 2 s", statistics={"steps": 41},
                     provenance={"rtol": 1e-6, "parameters": {"m": 0.25}})  # fmt: skip
    tables = tables_of(run, "run")
    assert tables["Statistics"] == {"steps": "41"}
    assert tables["How"]["rtol"] == "1e\N{MINUS SIGN}06"
    assert tables["Parameters"] == {"m": "0.25"}


def two_bodies(**options) -> ts.Model:
    names = ("light", "heavy")
    return ts.Model(
        bodies=[ts.Body(n, mass=m, inertia=(1, 1, 1)) for n, m in zip(names, (1, 9), strict=True)],
        joints=[ts.Joint(f"to_{n}", "world", n, ts.Free()) for n in names],
        frames=(ts.Frame("tip", "light", at=(0, 0, 1)),),
        **options,
    )


AT_REST = dict.fromkeys(("light", "heavy"), ((0, 0, 0), (0, 0, 0)))  # poses


def vector(name, unit, x, y, z) -> dict:
    return {f"{name}.{c}": (unit, v) for c, v in zip("xyz", (x, y, z), strict=True)}


def motion(**more):
    """The tip goes up to 5 m/s at 1 s (3, 4, 0), the heavy body 2 m/s at all times."""
    hump = 1 - (TIME - 1) ** 2
    signals = {
        **vector("light.velocity", "m/s", hump, 0, 0),
        **vector("heavy.velocity", "m/s", 0, 0, -2),
        **vector("tip.velocity", "m/s", 3 * hump, 4 * hump, 0),
        **vector("light.angular_velocity", "rad/s", 0, 0, 0.5),
        **vector("heavy.angular_velocity", "rad/s", 0, -6 * hump, 8 * hump),
    } | more
    return prescribe_run(TIME, AT_REST, signals)


def test_cards_of_the_fastest():
    cards = cards_of(motion(), model=two_bodies())
    speed, turn = cards["Largest speed"], cards["Largest angular velocity"]
    assert speed["value"] == pytest.approx(5) and turn["value"] == pytest.approx(10)
    assert (speed["of"], speed["unit"]) == ("tip", "m/s") and speed["at"] == pytest.approx(1)
    assert (turn["of"], turn["unit"]) == ("heavy", "rad/s") and turn["at"] == pytest.approx(1)


def test_cards_of_the_largest_force_and_reaction():
    """A spring that pushes with 70 N at 0.5 s beats one that pulls with 60 N at the end."""
    law = ts.Spring(1.0)
    springs = [ts.PointForce(n, "light", ("heavy", (0, 0, 1)), law) for n in ("pull", "push")]
    x = -70 * np.exp(-(((TIME - 0.5) / 0.2) ** 2))
    more = {"pull.force": ("N", 30 * TIME), "push.force": ("N", x)}
    more |= vector("to_light.reaction.force", "N", -3 * TIME, 4 * TIME, 12 * TIME)
    more |= vector("to_heavy.reaction.force", "N", 0, 0, 20)
    cards = cards_of(motion(**more), model=two_bodies(forces=springs))
    force, reaction = cards["Largest force"], cards["Largest reaction"]
    assert (force["value"], force["of"], force["at"]) == (pytest.approx(70), "push", 0.5)
    assert reaction["value"] == pytest.approx(26)  # 2 (9 + 16 + 144)^(1/2)
    assert (reaction["of"], reaction["at"]) == ("to_light", 2.0)


def test_cards_of_an_impact():
    """A car of 9 kg goes from 15 to -3 m/s in 0.1 s by a half sine: the peak is pi/2 18 / 0.1."""
    time = TIME / 20
    top = np.pi / 2 * 18 / 0.1
    v = 15 - 9 * (1 - np.cos(np.pi * time / 0.1))
    signals = {
        **vector("heavy.velocity", "m/s", v, 0, 0),
        **vector("heavy.acceleration", "m/s^2", -top * np.sin(np.pi * time / 0.1), 0, 0),
        **vector("light.acceleration", "m/s^2", 9e3, 0, 0),
        **energies(4.5 * v**2, 0, 4.5 * (225 - v**2), 0),
    }
    run = prescribe_run(time, AT_REST, signals)
    cards = cards_of(run, model=two_bodies())
    peak = cards["Peak deceleration"]
    assert peak["value"] == pytest.approx(top / 9.80665, rel=1e-6)
    assert (peak["unit"], peak["of"]) == ("g", "heavy") and peak["at"] == pytest.approx(0.05)
    assert cards["Change of speed"]["value"] == pytest.approx(18)
    assert cards["Energy absorbed"]["value"] == pytest.approx(4.5 * (225 - 9))


def test_the_card_of_a_single_coordinate_is_its_travel():
    model = ts.Model(bodies=(ts.Body("mass", 1.0),),
                     joints=(ts.Joint("slide", "world", "mass", ts.Prismatic("x")),))  # fmt: skip
    run = prescribe_run(TIME, {}, {"slide.displacement": ("m", 0.3 * np.sin(5 * TIME) - 0.1)})
    card = cards_of(run, model=model)["Travel"]
    assert card["value"] == pytest.approx(0.6, rel=1e-3) and card["unit"] == "m"


def test_constraints_that_drift_are_marked():
    for worst, bad in ((-3e-5, True), (2e-9, False)):
        residual = np.where(abs(TIME - 1) < 1e-9, worst, 0.0)
        run = prescribe_run(TIME, {}, {"constraints.residual": ("1", residual)})
        card = cards_of(run)["Loop closure"]
        assert card["value"] == pytest.approx(abs(worst)) and card.get("bad", False) == bad


def test_plots_start_with_what_moves_and_the_forces():
    signals = {"slide.displacement": ("m", TIME), "rest.angle": ("rad", 0.25),
               "mount.force": ("N", TIME), "mount.deflection": ("m", TIME)}  # fmt: skip
    facts = {"coordinates": ("slide.displacement", "rest.angle")}
    data = data_of(prescribe_run(TIME, {}, signals, provenance=facts))
    assert data["panels"]["plots"]["chosen"] == ["slide.displacement", "mount.force"]
    (pair,) = data["panels"]["xy"]["pairs"]
    assert pair == {"name": "mount", "x": "mount.deflection", "y": "mount.force"}
    assert data["panels"]["spectrum"]["first"] == "slide.displacement"
    assert {s["name"]: s["unit"] for s in data["signals"]} == {
        n: u for n, (u, _) in signals.items()
    }


def test_a_signal_has_the_number_of_its_body():
    """Its color: a joint's is that of the body that it carries, a frame's that of its body."""
    more = {"to_heavy.effort": ("N", TIME)}
    data = data_of(motion(**more), model=two_bodies())
    number = {s["name"]: s.get("body") for s in data["signals"]}
    assert [b["name"] for b in data["scene"]["bodies"]] == ["light", "heavy"]
    assert number["light.velocity.x"] == number["tip.velocity.x"] == 0
    assert number["heavy.velocity.z"] == number["to_heavy.effort"] == 1


def test_a_measurement_is_laid_over_in_the_units_of_the_run(tmp_path):
    (tmp_path / "test.csv").write_text("time [ms],x [mm]\n0,100\n500,-250\n", encoding="utf-8")
    run = Trajectory(TIME, {"x": TIME}, {"x": "m"})
    slow = Trajectory(TIME, {"x": 0.5 * TIME}, {"x": "m"})
    measured, other = data_of([run, tmp_path / "test.csv", slow], labels=["a", "b", "c"])["others"]
    assert (measured["label"], measured["measured"]) == ("b", True)
    assert (other["label"], other["measured"], other["rows"]) == ("c", False, 201)
    planes = np.frombuffer(zlib.decompress(base64.b64decode(measured["columns"])), np.uint8)
    got = planes.reshape(4, -1).T.copy().view("<f4").reshape(2, 2)
    assert got.tolist() == [[0, 0.5], pytest.approx([0.1, -0.25])]


def test_a_notebook_draws_the_coordinates_of_a_run():
    signals = {"pin.angle": ("rad", np.sin(3 * TIME)), "slide.displacement": ("m", 5 - TIME)}
    run = prescribe_run(TIME, {}, signals, provenance={"coordinates": tuple(signals)})
    figures = read_figures(run._repr_html_())
    for title, (name, (_, x)) in zip(("[rad]", "[m]"), signals.items(), strict=True):
        ((_, _, (t, y)),) = figures[title].curves()
        np.testing.assert_allclose(t, TIME, atol=0.005)
        np.testing.assert_allclose(y, x, atol=0.02)
        assert [n for n, _ in figures[title].legend] == [name]
