"""Animation of a run as GIF, MP4 or a single PNG, drawn by the software renderer."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TorseurError, needs, shown
from ..files import place, whole
from ..scalars import arguments
from .page import find_model
from .software_renderer import Renderer

if TYPE_CHECKING:
    import os

    from ..results import Trajectory

FILE_SUFFIXES = (".gif", ".mp4", ".png")
MIN_PIXELS, MAX_PIXELS = 16, 4096  # pixels a side
MAX_FRAMES = 10_000  # of one film
MAX_DEFAULT_SECONDS = 8.0  # duration of an animation by default [s]


def animate(
    run: Trajectory,
    path: str | os.PathLike[str],
    *,
    model: Any = None,
    seconds: float | None = None,
    fps: float = 25,
    size: tuple[int, int] = (640, 400),
    view: str = "Free",
    at: float | None = None,
) -> Path:
    """Draw the motion of a run to a file: .gif or .mp4 moves, .png is one instant.

    Parameters
    ----------
    model : its `Model`, when the run does not know it (a run read from a file)
    seconds : how long it plays; as long as the run, between 2 and 8 s, when left out
    fps : pictures a second
    size : width and height [pixels]
    view : "Free", "Front", "Side" or "Top", about the mechanism's own axes
    at : instant of a .png [s]; the start
    """
    path = place(path)
    suffix = path.suffix.lower()
    if suffix not in FILE_SUFFIXES:
        raise ArgumentError(
            f"animate: {path.name!r}: expected a name that ends in .gif, .mp4 or .png"
        )
    if view not in ("Free", "Front", "Side", "Top"):
        raise ArgumentError(f"animate: view={view!r}; expected Free, Front, Side or Top")
    fps = arguments.number("animate", "fps", fps, above=0)
    shape = arguments.numbers("animate", "size", size, "", (2,))
    if not ((shape >= MIN_PIXELS) & (shape <= MAX_PIXELS)).all():
        raise ArgumentError(
            f"animate: size = {shown(size)}; use {MIN_PIXELS} to {MAX_PIXELS} pixels a side"
        )
    if seconds is not None:
        seconds = arguments.number("animate", "seconds", seconds, "s", above=0)
    at = None if at is None else arguments.number("animate", "at", at, "s")
    description, _ = find_model(run, model)
    if description is None:
        raise ArgumentError("animate: the model of this run is not known; give model=")
    program = _find_ffmpeg() if suffix == ".mp4" else ""
    parameters = run.provenance.get("parameters") or dict(description.parameters)
    even_size = tuple(2 * (int(x) // 2) for x in shape)
    picture = Renderer(run, description, parameters, even_size, view)
    if suffix == ".png":
        row = int(np.argmin(abs(run.time - (run.time[0] if at is None else at))))
        with whole(path) as partial:
            picture.draw(row).save(partial, format="PNG")
        return path
    span = float(run.time[-1] - run.time[0])
    duration = seconds if seconds is not None else min(MAX_DEFAULT_SECONDS, max(2.0, span))
    if duration * fps > MAX_FRAMES:
        raise ArgumentError(
            f"animate: {duration:g} s of {fps:g} pictures a second; "
            f"use {MAX_FRAMES} pictures or fewer"
        )
    n_frames = max(2, round(duration * fps))
    times = np.linspace(run.time[0], run.time[-1], n_frames)
    rows = np.clip(np.searchsorted(run.time, times), 0, len(run.time) - 1)
    images = (picture.draw(int(i)) for i in rows)
    if program:
        _write_mp4(path, images, fps, even_size, program)
    else:
        _write_gif(path, images, fps)
    return path


def _write_gif(path: Path, frames, fps: float) -> None:
    """Write the frames as an animated GIF with a palette of 128 colors."""
    images = [x.quantize(128) for x in frames]
    with whole(path) as partial:
        images[0].save(
            partial,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=round(1000 / fps),
            loop=0,
        )


def _find_ffmpeg() -> str:
    """Path of the ffmpeg program: the installed one, else the one that imageio-ffmpeg brings."""
    if program := shutil.which("ffmpeg"):
        return program
    with needs("movie", "animate to .mp4", "install ffmpeg, or write a .gif"):
        from imageio_ffmpeg import get_ffmpeg_exe
    return get_ffmpeg_exe()


def _write_mp4(path: Path, frames, fps: float, size, program: str) -> None:
    """Encode the frames as H.264 with ffmpeg."""
    with whole(path) as partial:
        command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
        command += ["-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-", "-an"]
        command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", str(partial)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            assert p.stdin is not None and p.stderr is not None
            try:
                for image in frames:
                    p.stdin.write(image.tobytes())
            except BrokenPipeError:
                pass
            p.stdin.close()
            errors = p.stderr.read().decode(errors="replace").strip()
        if p.returncode:
            raise TorseurError(f"animate: ffmpeg could not write {path.name}: {errors[-300:]}")
