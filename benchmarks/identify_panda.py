"""A real Panda (../shared/data) against plain least squares; `identify.py` has the commands.

What is fitted on one part of the record is compared on the rest: docs/benchmarks/identify.md.
"""

import gzip
import time
from dataclasses import replace

import numpy as np
from scipy.signal import butter, sosfiltfilt

import torseur as ts

EDGE = 0.3  # s left out at both ends of every part: so the reference's figures come out


class Panda:
    """The record, and the reference of the issue: plain least squares at filtered states."""

    def __init__(self, path, order=4):
        self.model = ts.load("examples/panda.yaml")
        with gzip.open(path, "rt") as file:
            self.table = np.loadtxt(file, delimiter=",", skiprows=1)
        self.t = np.arange(0, self.table[-1, 0], 1e-3)
        stamps = self.table[:, 0]
        even = np.stack([np.interp(self.t, stamps, x) for x in self.table.T[1:]], axis=1)
        sos = butter(order, 10 / 500, output="sos")
        q, self.tau = (sosfiltfilt(sos, x, axis=0) for x in (even[:, :7], even[:, 14:]))
        v = np.gradient(q, 1e-3, axis=0)
        self.states = q, v, np.gradient(v, 1e-3, axis=0)
        own = {("coulomb", i): 0.02 for i in range(7)}
        self.Y = replace(ts.identify.linear(self.model), nonlinear=own).regressor(*self.states)

    def rows(self, low, high, hole=False):
        """What a fit is given: a window, or all but a hole."""
        inside = (self.table[:, 0] >= low) & (self.table[:, 0] < high)
        rows = self.table[inside ^ hole]
        return {"time": rows[:, 0], "q": rows[:, 1:8], "tau": rows[:, 15:]}

    def parts(self, low, high, hole=False, edge=EDGE):
        """(fitted, judged) samples of the reference, ends of every part left out."""
        t, end = self.t, self.t[-1]
        inside = (t >= low + edge) & (t <= min(high, end) - edge)
        beside = ((t >= edge) & (t <= low - edge)) | ((t >= high + edge) & (t <= end - edge))
        return (beside, inside) if hole else (inside, beside)

    def error(self, said, left):
        """In per cent of the spread."""
        tau = self.tau[left]
        return 100 * np.sqrt(((said - tau) ** 2).mean(axis=0)) / tau.std(axis=0)

    def plain(self, fitted, left):
        A = self.Y[fitted][::5].reshape(-1, self.Y.shape[2])
        size = np.sqrt((A**2).mean(axis=0)) + 1e-9
        p = np.linalg.lstsq(A / size, self.tau[fitted][::5].ravel(), rcond=1e-8)[0] / size
        return self.error(self.Y[left] @ p, left)

    def said(self, found, left):
        return found.predict(*(x[left] for x in self.states))


def panda(path):
    case = Panda(path)
    for low, high in ((0, 10), (4, 14), (2, 12), (0, 7), (7, 14)):
        fitted, left = case.parts(low, high)
        print(f"fit {low:.2f} to {high:.2f} s: plain", case.plain(fitted, left).round(1))
        for name, consistent in (("free", False), ("consistent", True)):
            how = {"consistent": consistent}
            begun = time.process_time()
            found = robot(case, (low, high), how)
            seconds = time.process_time() - begun
            print(
                f"  {name:10}",
                case.error(case.said(found, left), left).round(1),
                f"{seconds:.2f} s",
            )


def robot(case, split, how):
    return ts.identify.robot(case.model, case.rows(*split), **how)


def judge(path, seed, order=4, windows=60, holes=40):
    """Windows of 5 to 11 s and holes of 2 to 7 s drawn by a seed: errors over the plain fit's."""
    case, ratios = Panda(path, order), {}
    draws = [np.random.default_rng(seed + more) for more in (0, 111111)]
    for hole in [False] * windows + [True] * holes:
        n = draws[hole].uniform(*((2, 7) if hole else (5, 11)))
        low = draws[hole].uniform(0, 14 - n)
        split = low, low + n, hole
        wide = case.parts(*split, 0.05)[1]
        fits = [robot(case, split, {"consistent": c}) for c in (False, True)]
        said = [case.said(found, wide) for found in fits]
        for edge in (0.3, 0.2, 0.05):
            fitted, left = case.parts(*split, edge)
            plain = case.plain(fitted, left)
            for name, tau in zip(("free", "consistent"), said, strict=True):
                kind = "holes" if hole else "windows", name, edge
                own = case.error(tau[left[wide]], left) / plain
                ratios.setdefault(kind, []).append(own)
    for (kind, name, edge), own in sorted(ratios.items(), reverse=True):
        R, limit = np.array(own), 1.05 if name == "free" else 1.15
        over = ", ".join(f"{i + 1}: {n}" for i, n in enumerate((limit < R).sum(axis=0)) if n)
        print(
            f"{kind}, {name}, ends of {edge} s: over {limit} {(limit < R).sum()} of {R.size} "
            f"(joint {over or 'none'}), worst {R.max():.2f}, mean {R.mean():.3f}, all joints of a "
            f"split at most {np.sqrt((R**2).mean(axis=1)).max():.2f}"
        )
