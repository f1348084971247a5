"""`torseur live`: one page on this machine, runs at every move of a slider, a watched file."""

import http.client
import json
import threading
from pathlib import Path

import pytest
from browser import Browser, chromium

from torseur.cli.live_server import LiveModel, LiveServer

MODEL = """
schema_version: 1
name: swing
parameters: {{L: {L}}}
bodies: {{rod: {{mass: 1, com: [0, 0, -L]}}}}
joints: [{{name: pin, type: revolute, parent: world, child: rod, axis: y}}]
initial: {{pin.angle: 30 deg}}
simulation: {{t_end: 1}}
"""


@pytest.fixture
def server(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(MODEL.format(L=1.0), encoding="utf-8")
    with LiveServer(path) as s:
        thread = threading.Thread(target=s.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield s
        s.closing.set()
        s.shutdown()
        thread.join()


def ask(server, method, where, body=None, **headers):
    there = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    there.request(method, where, body=body, headers=headers)
    got = there.getresponse()
    text = got.read()
    there.close()
    return got.status, text


def run(server, asked, **headers):
    token = {"X-Torseur-Token": server.token} | headers
    return ask(server, "POST", "/run", json.dumps(asked), **token)


def test_who_does_not_know_the_token_or_comes_from_elsewhere_gets_nothing(server):
    port = server.server_port
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, "GET", "/")[0] == 403 and ask(server, "GET", "/?token=x")[0] == 403
    assert ask(server, "POST", "/run", "{}")[0] == 403
    assert ask(server, "GET", "/wait?stamp=")[0] == 404
    assert run(server, {}, Host="evil.example")[0] == 403
    assert run(server, {}, Origin="http://evil.example")[0] == 403
    assert run(server, {}, Origin=f"http://127.0.0.1:{port}")[0] == 200
    assert ask(server, "GET", "/etc/passwd")[0] == 404
    for wrong in (
        [1],
        {"files": {}},
        {"initial": {"pin.angle": "x"}},
        {"initial": {"pin.angel": 1}},
        {"shown": "pin.angle"},
        {"shown": [["pin.angle"]]},
    ):
        status, text = run(server, wrong)
        assert status == 200 and json.loads(text)["trouble"]


@pytest.mark.parametrize(
    "text", ["[" * 90_000, '{"parameters": {"L": ' + "9" * 400 + "}}", "\udc80"]
)
def test_a_hostile_question_is_answered_in_a_sentence(server, text):
    token = {"X-Torseur-Token": server.token}
    status, got = ask(server, "POST", "/run", text.encode("utf-8", "surrogateescape"), **token)
    assert status == 200 and json.loads(got)["trouble"].startswith("live: ")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_beyond_all_bounds_have_a_page(server):
    got = json.loads(run(server, {"initial": {"pin.rate": 1e200}})[1])
    assert not got["trouble"] and not got["data"]["completed"]


def test_a_port_that_is_none_is_told(tmp_path, capsys):
    from torseur.cli import main

    assert main(["live", str(tmp_path / "m.yaml"), "--port", "99999", "--no-open"]) == 1
    assert "--port 99999: expected 0 (any free one) to 65535" in capsys.readouterr().err


def test_other_numbers_give_another_run(server):
    _, text = run(server, {"parameters": {"L": 0.25}, "initial": {"pin.angle": 0.1}})
    got = json.loads(text)
    assert not got["trouble"] and got["data"]["completed"]
    assert "swing" in got["data"]["title"] and "run" in got["texts"]
    names = {s["name"]: s for s in got["data"]["signals"]}
    assert names["pin.angle"]["unit"] == "rad"


def test_while_a_slider_moves_only_what_is_seen_is_answered(server):
    asked = {"parameters": {"L": 0.25}}
    whole, part = (
        json.loads(run(server, asked | more)[1])["data"]
        for more in ({}, {"shown": ["pin.rate", "nothing of this name"]})
    )
    assert part["partial"] and not whole["partial"]
    names = [s["name"] for s in part["signals"]]
    assert names[0] == "pin.rate" and all(n.startswith("rod.") for n in names[1:])
    assert len(names) == 8 and part["scene"] == whole["scene"]
    assert part["rows"] == whole["rows"] and "cards" not in part
    only = json.loads(run(server, {"initial": {"pin.angle": 0.1}, "shown": ["pin.rate"]})[1])
    assert "scene" not in only["data"]  # shapes are those of the page


def test_a_moved_coordinate_of_a_loop_takes_the_others_along():
    live = LiveModel(Path(__file__).parents[2] / "examples" / "four_bar.yaml")
    moved = live.initial | {"A0.angle": live.initial.get("A0.angle", 0.0) + 0.1}
    run = live.run({"initial": {"A0.angle": moved["A0.angle"]}})
    assert run["A0.angle"][0] == pytest.approx(moved["A0.angle"])
    assert abs(run["constraints.residual"]).max() < 1e-9


@pytest.mark.skipif(chromium() is None, reason="no Chromium on this machine")
def test_sliders_and_the_file_move_the_page(server, tmp_path):
    with Browser(tmp_path / "profile", size=(960, 600)) as page:
        page.open(server.address)
        last = "torseur.run.at('pin.angle', 1)"
        before = page.run(last)
        names = page.run("[...document.querySelectorAll('.slide span')].map((s) => s.textContent)")
        assert names == ["L", "pin.angle", "pin.rate"]
        page.run(
            "(() => { const i = document.querySelector('.slide input'); i.value = 2.5;"
            " i.dispatchEvent(new Event('input')); })()"
        )
        page.until(f"Math.abs({last} - {before}) > 0.01")
        moved = page.run(last)
        page.until("!torseur.run.partial && !document.querySelector('.old')")  # the rest has come
        assert page.run("Number.isFinite(torseur.run.at('energy.kinetic', 0.5))")
        server.live.path.write_text(MODEL.format(L=0.3), encoding="utf-8")
        page.until(f"Math.abs({last} - {moved}) > 0.01")
        page.until("document.querySelector('.slide b').textContent.startsWith('0.3')")
        server.live.path.write_text("bodies: [", encoding="utf-8")
        page.until("!document.getElementById('trouble').hidden")
        assert page.complaints() == []
