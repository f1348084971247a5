"""Pictures without a browser: triangles, moving pictures, figures, what notebooks show."""

import re
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.errors import TorseurError
from torseur.results import Trajectory
from torseur.show.software_renderer import rasterize_triangles
from torseur.show.tessellation import TESSELLATORS, tessellate_part

SHAPES = Path(__file__).parents[2] / "web" / "src" / "shapes.js"


@pytest.fixture(scope="module")
def run():
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -0.5))
    model = ts.Model(
        "pendulum <b>",
        bodies=(rod,),
        joints=(ts.Joint("pin", "world", "rod", ts.Revolute("y")),),
        frames=(ts.Frame("tip", "rod", at=(0, 0, -1)),),
        outputs=("pin.rate",),
    )
    return ts.simulate(model, 1.0, {"pin.angle": 1.2}, output=31)


def volume(t) -> float:
    """By the divergence theorem: right for a closed surface whose triangles look outward."""
    return float(np.einsum("ij,ij->i", t[:, 0], np.cross(t[:, 1], t[:, 2])).sum() / 6)


def test_every_picture_of_the_page_can_be_drawn_without_it():
    text = SHAPES.read_text(encoding="utf-8")
    geometry = re.search(r"const GEOMETRY = \{(.*?)\n\};", text, re.S)[1]
    built = re.search(r"const BUILT = \{(.*?)\};", text, re.S)[1]
    kinds = set(re.findall(r"^  (\w+): \(s\)", geometry, re.M)) | {"curve", "surface", "gear"}
    kinds |= set(
        re.findall(r"(\w+)(?=[:,] | )", built.replace("(s, material) => bar(s, material)", ""))
    )
    assert kinds - {""} <= set(TESSELLATORS)


@pytest.mark.parametrize(
    ("part", "want"),
    [
        ({"kind": "box", "size": (1, 2, 3), "at": (5, 0, 0)}, 6.0),
        ({"kind": "cylinder", "radius": 1.0, "length": 2.0}, 2 * np.pi),
        ({"kind": "sphere", "radius": 2.0}, 4 / 3 * np.pi * 8),
        ({"kind": "capsule", "radius": 1.0, "length": 2.0}, 2 * np.pi + 4 / 3 * np.pi),
    ],
)
def test_solids_have_their_volume(part, want):
    t = tessellate_part(part)
    assert abs(volume(t)) == pytest.approx(want, rel=0.06)


def test_moving_pictures(run, tmp_path):
    from PIL import Image

    path = run.animate(tmp_path / "run.gif", seconds=0.4, fps=10, size=(121, 80))
    with Image.open(path) as image:
        assert image.n_frames == 4 and image.size == (120, 80)
        first = np.asarray(image.convert("RGB"), dtype=int)
        image.seek(2)
        assert abs(np.asarray(image.convert("RGB"), dtype=int) - first).max() > 60
    still = run.animate(tmp_path / "end.png", at=1.0, view="Front")
    with Image.open(still) as image:
        assert image.size == (640, 400)
    for bad, said in (("run.avi", ".gif, .mp4 or .png"), ("no/run.gif", "no folder")):
        with pytest.raises(TorseurError, match=said):
            run.animate(tmp_path / bad, seconds=0.1)
    with pytest.raises(TorseurError, match="give model="):
        Trajectory([0.0], {"x": [0.0]}, {"x": "m"}).animate(tmp_path / "x.gif")


def test_what_is_nearer_hides_what_is_farther():
    """Two triangles that go through each other: each is seen on its own side of their line."""
    places = np.array([[[0.0, 0], [40, 0], [0, 40]]] * 2)
    far = np.array([[1.0, 3, 1], [3.0, 1, 3]])  # the first is near on the left, the second right
    lit = np.stack([np.full((3, 3), 50.0), np.full((3, 3), 200.0)])
    for order in ([0, 1], [1, 0]):
        image = np.zeros((40, 40, 3))
        rasterize_triangles(image, places[order], far[order], lit[order])
        image = image.round(9)
        assert image[2, 2, 0] == 50 and image[2, 35, 0] == 200 and image[39, 39, 0] == 0
        assert set(np.unique(image)) == {0.0, 50.0, 200.0}


def test_a_film_is_h264_with_its_frames(run, tmp_path):
    import shutil

    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs the extra [movie]")
    assert shutil.which("ffmpeg") or imageio_ffmpeg.get_ffmpeg_exe()
    path = run.animate(tmp_path / "run.mp4", seconds=1.0, fps=12, size=(160, 100))
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == 12 and seconds == pytest.approx(1.0, abs=0.01)
    reader = imageio_ffmpeg.read_frames(str(path))
    assert next(reader)["codec"] == "h264"
    first, *_, last = (np.frombuffer(f, np.uint8).astype(int) for f in reader)
    assert abs(first - last).max() > 60


def test_a_wheel_carrier_has_its_wheel():
    """A wishbone shows a wheel about its center, once: not where a body of its own turns there."""
    from torseur.show.scene import build_scene
    from torseur.solve import posture

    kind = ts.DoubleWishbone.examples()[0]
    model = ts.Model(
        bodies=(ts.Body("knuckle", 30.0),), joints=(ts.Joint("j", "world", "knuckle", kind),)
    )
    (body,) = build_scene(posture(model), model, {})["bodies"]
    (wheel,) = [p for p in body["parts"] if p["kind"] == "wheel"]
    ball = abs(float(kind.point("lower_ball_at")[2] - kind.point("wheel_center")[2]))
    assert wheel["at"] == [0, 0, 0] and ball < wheel["radius"] < 2 * ball
    spun = ts.Model(
        bodies=(*model.bodies, ts.Body("wheel", 20.0, inertia=(0.8, 1.4, 0.8))),
        joints=(*model.joints, ts.Joint("spin", "knuckle", "wheel", ts.Revolute("y"))),
    )
    seen = build_scene(posture(spun), spun, {})["bodies"]
    assert [sum(p["kind"] == "wheel" for p in b["parts"]) for b in seen] == [0, 1]


def test_the_picture_is_where_the_body_is(run, tmp_path):
    """The rod's color is found where its middle is seen, at two instants."""
    from torseur.show.software_renderer import SUPERSAMPLING, Renderer

    picture = Renderer(run, run._source.system.model, {}, (200, 160), "Front")
    for row in (0, 15):
        image = np.asarray(picture.draw(row), dtype=int)
        R, p = picture.pose("rod", row)
        (u, v), _ = picture.camera.project_points(R @ np.array([0, 0, -0.5]) + p)
        r, g, b = image[round(v / SUPERSAMPLING), round(u / SUPERSAMPLING)]
        assert b > r + 60 and b > g


def test_figures_show_themselves(run, tmp_path):
    figure = run.plot(show=False)
    assert figure.axes[0].get_ylabel() == "pin.rate [rad/s]"  # the model's outputs
    assert figure._repr_png_().startswith(b"\x89PNG")
    (tmp_path / "m.csv").write_text("time [s],pin.angle [deg]\n0,60\n0.5,10\n", encoding="utf-8")
    both = ts.plot([run, run, tmp_path / "m.csv"], "pin.angle", path=tmp_path / "x.svg", width=84)
    lines = [line for line in both.axes[0].lines if len(line.get_xdata()) > 1]
    assert [line.get_linestyle() for line in lines] == ["-", "--", "None"]
    assert both.get_figwidth() == pytest.approx(84 / 25.4)
    np.testing.assert_allclose(lines[2].get_ydata(), np.radians([60, 10]))
    assert run.plot("pin.rate", x="pin.angle", show=False).axes[0].get_xlabel() == "pin.angle [rad]"


def test_notebooks_show_models_systems_and_results(run):
    system = run._source.system
    text = system.model._repr_html_()
    assert "pendulum &lt;b&gt;" in text and "data:image/png" in text and "revolute about y" in text
    assert "pin.rate" in system._repr_html_() and "rad/s" in system._repr_html_()
    assert "Energy error" in run._repr_html_() and "<svg" in run._repr_html_()
    assert "closes to" in run.energy_audit._repr_html_()
    eq = ts.equations(system)
    assert eq.mass_matrix._repr_latex_().startswith(r"$$\begin{bmatrix}")
    linear = ts.linearize(system)
    assert "rate of pin.rate" in linear._repr_html_()
    assert "frequency [Hz]" in ts.modes(system)._repr_html_()
    assert "stable" in ts.equilibrium(system)._repr_html_()
    broken = ts.Model("m", bodies=(ts.Body("b", mass=-1.0),))
    assert "mass" in broken._repr_html_()  # says what is wrong instead of failing


def test_a_model_is_drawn_where_its_loops_close():
    from torseur.solve import posture

    start = posture(ts.load(Path(__file__).parents[2] / "examples" / "four_bar.yaml"))
    assert start["top.position.x"].shape == (1,)
