"""Films, frame by frame: a plate that moves to the right and later upwards, by its known motion."""

import shutil

import numpy as np
import pytest
from known_motions import prescribe_run
from PIL import Image

import torseur as ts

SIDE, WAY = 0.5, 2.0  # of a square plate, and its displacement to the right [m]
SIZE = (200, 120)
PLATE = ts.Box(size=(SIDE, 1e-6, SIDE), color=(1, 0, 0, 1))
MODEL = ts.Model(
    "plate",
    bodies=(ts.Body("plate", mass=1.0, inertia=(1, 1, 1), shapes=(PLATE,)),),
    joints=(ts.Joint("free", "world", "plate", ts.Free()),),
)


def moving_right():
    """Half of the displacement in the first tenth of a second, all of it after one.

    Rows are dense at first, as those of an adaptive integrator, so that frames by rows and frames
    by time differ.
    """
    time = np.concatenate([np.linspace(0, 0.1, 201), np.linspace(0.1, 1, 181)[1:]])
    run = prescribe_run(time, {"plate": (place(time), (0, 0, 0))})
    return run


def place(time):
    x = np.where(time < 0.1, 5 * time, 0.5 + (time - 0.1) / 1.8)
    return np.stack([WAY * x, 0 * time, 0 * time], -1)


def find_column(image) -> float:
    """Mean column of the red pixels [pixels]."""
    pixels = np.asarray(image, dtype=float)
    _, columns = np.nonzero(pixels[:, :, 0] - pixels[:, :, 1:].max(-1) > 60)
    return columns.mean()


def column_at(time) -> np.ndarray:
    """The plate runs over 80 % of the width in front of the eye."""
    share = (place(np.asarray(time))[:, 0] - WAY / 2) / (WAY + SIDE)
    return (SIZE[0] - 1) / 2 + 0.8 * SIZE[0] * share


def test_frames_of_a_gif_are_the_motion_at_even_times(tmp_path):
    options = {"model": MODEL, "size": SIZE, "view": "Front"}
    path = moving_right().animate(tmp_path / "f.gif", seconds=1.1, fps=10, **options)
    seen, durations = [], []
    with Image.open(path) as film:
        for k in range(film.n_frames):
            film.seek(k)
            durations.append(film.info["duration"])
            seen.append(find_column(film.convert("RGB")))
    assert durations == [100] * 11
    assert seen == pytest.approx(column_at(np.linspace(0, 1, 11)), abs=1.5)
    assert (np.diff(seen) > 5).all()  # to the right


def test_frames_of_an_mp4_are_the_motion_at_even_times(tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs the extra [movie]")
    assert shutil.which("ffmpeg") or imageio_ffmpeg.get_ffmpeg_exe()
    path = moving_right().animate(
        tmp_path / "f.mp4", model=MODEL, seconds=1.1, fps=10, size=SIZE, view="Front"
    )
    frames = imageio_ffmpeg.read_frames(str(path))
    assert next(frames)["size"] == SIZE
    shape = (SIZE[1], SIZE[0], 3)
    seen = [find_column(np.frombuffer(f, np.uint8).reshape(shape)) for f in frames]
    assert seen == pytest.approx(column_at(np.linspace(0, 1, 11)), abs=2)


@pytest.mark.parametrize("at", [0.0, 0.02, 0.55, 1.0, 9.0])
def test_a_picture_is_the_motion_at_its_time(at, tmp_path):
    path = moving_right().animate(tmp_path / "p.png", model=MODEL, size=SIZE, view="Front", at=at)
    with Image.open(path) as image:
        seen = find_column(image)
    assert [seen] == pytest.approx(column_at([min(at, 1.0)]), abs=1.0)


@pytest.mark.parametrize(("span", "frames"), [(0.5, 20), (3.0, 30), (50.0, 80)])
def test_a_film_lasts_as_long_as_the_run_from_two_to_eight_seconds(span, frames, tmp_path):
    run = prescribe_run([0.0, span], {"plate": (((0, 0, 0), (1, 0, 0)), (0, 0, 0))})
    path = run.animate(tmp_path / "f.gif", model=MODEL, fps=10, size=(16, 16), view="Front")
    with Image.open(path) as film:
        total = 0.0
        for k in range(film.n_frames):
            film.seek(k)
            total += film.info["duration"]
    assert total == pytest.approx(100 * frames)
