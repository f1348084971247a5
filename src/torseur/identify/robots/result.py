"""Identification of a robot: from measured motion and efforts to a model that does the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, shown
from ...model import Model
from ...scalars import arguments
from ...spatial import Inertia
from ...system import System
from ..row_table import RowTable
from . import physical_consistency as physics
from .base_parameters import Base, base_of, mixed_loads
from .data import Samples, beside, samples
from .filtering import Passed, even_motion
from .least_squares import POWER, Estimate, estimate
from .model_update import unknown_forces
from .regressor import TEN, LinearModel, linear
from .validation import arrays

SHOWN = 0.5  # share of a base parameter that the rows tell, at least
STILL = 1e-3  # of the fastest joint's speed: what is slower hardly moves; of an effort: nothing
FOLD, ROUNDING = 8, 1e-9  # samples of a fold, at least; of an effort: that stays the same
STRAINED = 1.2  # times the error: more than that consistent parameters should not leave


def robot(
    model: Model | System,
    data: Any,
    *,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    consistent: bool = True,
    method: str = "balanced",
    prior: str | None = "zero",
    cutoff: float | None = 10.0,
    stiffness: bool = False,
    instruments: Any = None,
    gains: bool = True,
    free: Sequence[str] = (),
) -> Identified:
    """Inertial parameters, rotors and friction of a robot from measured motion and efforts.

    Parameters
    ----------
    model : a tree of joints; its geometry is taken, its masses are not (but see `prior`)
    data : a CSV file with units in its headings ("time [s]", "q1 [rad]", "tau1 [N m]", or names of
        signals), a dictionary or tuple of arrays (time, q, tau), (time, q, v, tau),
        (time, q, v, a, tau) or (q, v, a, tau), or a run.  Arrays have one row a sample, SI units
    friction : of every joint, names in `ts.identify.FRICTION`: "coulomb", "viscous", "offset",
        "stribeck", "square", "load"
    rotors : whether joints have inertias of their own that are looked for (None: unless `free` or
        "load" friction is told)
    consistent : only what some distribution of mass can have; friction and rotors not negative
    method : weights of joints: "ols" (none), "wls" (one over the residual), "balanced" (residuals
        are friction, not noise: one over their power 3/4, frequency by frequency where a motion
        goes through the low pass, else the mean of that and none), "irls"
        (as wls, outliers weighted down); for errors in the measured motion "tls" (total least
        squares) and "iv" (instrumental variables: weights of wls, and `instruments`)
    prior : "zero" shrinks what the motion does not show, no more than its uncertainty; "model"
        pulls it towards the model's own numbers (CAD) instead; None does neither
    cutoff : low pass without shift for data without accelerations [Hz]; None: as they are.  Where
        it acts, late stamps of a clock with even ticks are mended first (`filters.clock`)
    stiffness : whether stiffness and damping of elastic drives (and of other shafts between
        coordinates) are looked for too; data then has the angles of their rotors
    instruments : for "iv", a motion near the measured one without its errors, such as the one that
        was commanded or simulated: (time, q) or (q, v, a), rows as in data
    gains : whether, where what is left over is no noise, the sensor of each effort may say a
        constant multiple of it; `found.gains` has them, 1 for the joint that carries most.  Of a
        motion that goes through the low pass also hoses that pull joints back (`found.springs`) and
        drives that are soft (`found.compliances`)
    free : bodies whose masses are looked for, such as a tool or a load; all others (and rotors) are
        as the model has them, friction is looked for as it is told

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> tau = ts.compile(arm).inverse_dynamics(q, v, a) + 0.3 * v
    >>> found = ts.identify.robot(arm, (q, v, a, tau), friction="viscous", consistent=False)
    >>> round(found.base["rod.Iyy"], 9), round(found.base["pivot.viscous"], 9)
    (0.6, 0.3)
    """
    if method not in POWER:
        raise ArgumentError(
            f"identify: method={shown(method)}: expected one of {', '.join(map(repr, POWER))}"
        )
    flags = {"consistent": consistent, "stiffness": stiffness, "gains": gains}
    for name, x in (flags if rotors is None else flags | {"rotors": rotors}).items():
        if not isinstance(x, bool | np.bool_):
            raise ArgumentError(f"identify: {name}={shown(x)}: expected True or False")
    if prior not in ("zero", "model", None):
        raise ArgumentError(f"identify: prior={shown(prior)}: expected 'zero', 'model' or None")
    if (method == "iv") != (instruments is not None):
        raise ArgumentError(
            "identify: method='iv' and instruments= come together: the motion that was commanded, "
            "or one simulated, row by row beside the measured one"
        )
    if cutoff is not None:
        cutoff = arguments.number("identify", "cutoff", cutoff, "Hz")
    lin = linear(model, friction, rotors, stiffness, free)
    if told := [*unknown_forces(lin.system)]:
        raise TorseurError(
            "identify: forces of the model are known where they follow from place and speed; "
            f"leave out {'; '.join(told)}"
        )
    seen = samples(lin.system, data, cutoff=cutoff, clock=instruments is None)
    known = base_of(lin)
    if lin.loaded and (mixed := mixed_loads(lin, known)):
        raise ArgumentError(
            "identify: friction 'load' goes with what the links carry, which cannot be told from "
            f"{', '.join(map(repr, mixed))}; leave those out: rotors=False takes the model's own "
            "rotors, and friction= need not have 'offset'"
        )
    if idle := [n for n in lin.free if {f"{n}.{x}" for x in TEN} <= {*known.without}]:
        raise ArgumentError(
            f"identify: no effort depends on the masses of {', '.join(map(repr, idle))}; leave "
            "them out of free="
        )
    if seen.tau.size < len(known):
        raise ArgumentError(
            f"identify: {len(seen)} samples of {lin.system.nv} joints are fewer "
            f"numbers than the {len(known)} base parameters; measure longer"
        )
    if not seen.tau.any():
        raise ArgumentError("identify, data: every effort is zero; masses follow from efforts")
    how: dict[str, Any] = {"method": method, "prior": prior, "physical": bool(consistent)}
    how["gains"] = bool(gains)
    if instruments is not None:
        how["instruments"] = beside(lin.system, seen, instruments, cutoff)
    return Identified(lin.system, known, seen, estimate(lin, known, seen, **how), how, cutoff)


@dataclass(frozen=True, eq=False)
class Identified:
    """What `robot` found.

    `base` maps every base parameter to its value; `parameters` every parameter of every link, in
    its joint's frame (where measurements cannot tell them apart, the smallest that do).
    """

    system: System
    groups: Base
    data: Samples
    estimate: Estimate = field(repr=False)
    how: dict[Any, Any] = field(repr=False)
    cutoff: float | None = 10.0  # [Hz] of data that have no accelerations

    @property
    def lin(self) -> LinearModel:
        return self.estimate.lin

    @property
    def base(self) -> dict[str, float]:
        """{kept parameter: value of the combination that acts}; see `combinations`."""
        return dict(zip(self.groups.names, self.estimate.beta.tolist(), strict=True))

    @property
    def combinations(self) -> dict[str, str]:
        """{kept parameter: the combination that acts}."""
        return self.groups.combinations

    @property
    def confidence(self) -> dict[str, tuple[float, float]]:
        """{base parameter: (low, high)}, 95 %."""
        wide = {n: 1.96 * s for n, s in self.sigma.items()}
        return {n: (x - wide[n], x + wide[n]) for n, x in self.base.items()}

    @property
    def sigma(self) -> dict[str, float]:
        """{base parameter: standard deviation}, memory of the residuals taken into account."""
        sigma = np.sqrt(np.diag(self.estimate.covariance))
        return dict(zip(self.groups.names, sigma.tolist(), strict=True))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Base parameters of which the motion tells less than what is usual: not to be trusted."""
        shares = zip(self.groups.names, self.estimate.told, strict=True)
        return tuple(n for n, share in shares if share < SHOWN)

    @property
    def resting(self) -> tuple[str, ...]:
        """Joints that hardly move in the data."""
        speed = np.sqrt((self.data.v**2).mean(axis=0))
        return tuple(n for i, n, _ in self.lin.speeds if speed[i] < STILL * speed.max())

    @property
    def strained(self) -> dict[str, float]:
        """{joint: error over that of parameters which no distribution of mass has}, where the
        efforts ask for such: something else is in them, or in the geometry."""
        effort = np.sqrt((self.data.tau**2).mean(axis=0))
        price, left = self.estimate.price, self.estimate.sigma
        return {
            n: float(price[i])
            for i, n, _ in self.lin.speeds
            if price[i] > STRAINED and left[i] > STILL * effort[i]
        }

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Sentences on what may be wrong where these parameters do not say what was measured."""
        from .diagnostics import doubts

        return doubts(self)

    @property
    def parameters(self) -> dict[str, float]:
        return dict(zip(self.lin.names, self.estimate.p.tolist(), strict=True))

    @property
    def widths(self) -> dict[str, float]:
        """{joint.friction: the number its shape has}: a width or a speed [rad/s or m/s], or the way
        [rad or m] over which it builds up, a `BuildUp`."""
        return {
            name: own
            for name, _, kind, i in self.lin.columns
            if kind in self.lin.friction and (own := self.lin.own_of(kind, i)) is not None
        }

    @property
    def gains(self) -> dict[str, float]:
        """{joint: what its sensor says over the effort that acts}; 1 where none was found.

        `predict` says what sensors say; `model` has the efforts that act, friction included.
        """
        found = self.lin.gains(self.system.nv).tolist()
        return {name: found[i] for i, name, _ in self.lin.speeds}

    @property
    def springs(self) -> dict[str, float]:
        """{joint: stiffness of hoses and cables that pull it back}, N m/rad or N/m, if any."""
        return self._found("spring")

    @property
    def compliances(self) -> dict[str, float]:
        """{joint: how soft its drive is}, rad/(N m) or m/N, where the motion shows it.

        Known by what shakes while it was measured; neither `predict` nor `model` shake.
        """
        return self._found("compliance")

    def _found(self, kind: str) -> dict[str, float]:
        own = self.lin.own
        return {name: own[kind, i] for i, name, _ in self.lin.speeds if own.get((kind, i))}

    def predict(self, q, v, a, *, filtered: bool = True) -> np.ndarray:
        """Efforts at states, shape (n, nv), for `q` (n, nq), `v` and `a` (n, nv), SI units.

        What the sensors would say: `gains` times the effort that acts.

        Dry friction that builds up after a turn (`widths` has its way) follows the rows where they
        are a motion in order; a row that does not go on from the one above is in steady sliding.

        Efforts of a fit through the low pass are measured ones behind it, so those of rows that are
        a motion go through it as well: reversals of friction, and the noise of accelerations near
        its end; `filtered=False` leaves them as they act.
        """
        one = np.ndim(v) == 1
        given = {n: [x] if one else x for n, x in (("q", q), ("v", v), ("a", a))}
        q, v, a = arrays(self.system, given, "predict").values()
        band = self.data.band if filtered else None
        passed = None if band is None else even_motion(self.system, q, v, band)
        tau, sharp = self._said(q, v, a, passed)
        if passed is not None:
            tau = np.stack([passed.seen(passed.spread(x)) for x in tau.T], axis=1)
        tau = tau + sharp
        return tau[0] if one else tau

    def _said(self, q, v, a, passed: Passed | None) -> tuple[np.ndarray, np.ndarray]:
        """Efforts as smooth as the motion, and those of friction, as the low pass shows them."""
        lin, p = self.lin, self.estimate.p
        load = None
        if lin.loaded:
            first = 10 * len(lin.links)
            load = lin.inertial(q, v, a) @ p[:first] + lin.borne(q, v, a)
        Y, sharp = lin.regressor(q, v, a, load, passed), lin.sharp
        return Y[:, :, ~sharp] @ p[~sharp] + lin.known(q, v, a), Y[:, :, sharp] @ p[sharp]

    def said(self, seen: Samples) -> np.ndarray:
        """Efforts at samples, as they were measured: through the low pass if the samples were."""
        return sum(self._said(seen.q, seen.v, seen.a, seen.passed), np.zeros(()))

    def errors(self, data=None) -> np.ndarray:
        """Root mean square of the error over the spread of the effort, one a joint; over its size
        where it stays the same.

        Of the data of the fit, or of other data (as `robot` takes it, with its cutoff): validation.
        """
        seen = self.data if data is None else samples(self.system, data, cutoff=self.cutoff)
        off = self.said(seen) - seen.tau
        spread, size = seen.tau.std(axis=0), np.sqrt((seen.tau**2).mean(axis=0))
        size = np.maximum(size, ROUNDING * size.max() + 1e-300)
        spread = np.where(spread > ROUNDING * size, spread, size)
        return np.sqrt((off**2).mean(axis=0)) / spread

    def cross_validate(self, folds: int = 5) -> np.ndarray:
        """`errors` on parts of the data that were left out in turn, shape (folds, nv)."""
        folds = arguments.count("cross_validate", "folds", folds, 2)
        if folds > (most := len(self.data) // FOLD):
            raise ArgumentError(
                f"cross_validate: folds={folds} of {len(self.data)} samples: at most {most}, "
                f"{FOLD} samples each"
            )
        edges = np.linspace(0, len(self.data), folds + 1).astype(int)
        out, start = [], replace(self.lin, own={})
        for low, high in pairwise(edges):
            left = np.r_[0:low, high : len(self.data)]
            how = dict(self.how)
            if "instruments" in how:
                how["instruments"] = how["instruments"].rows(left)
            part = estimate(start, self.groups, self.data.rows(left), **how)
            other = replace(self, estimate=part)
            out.append(other.errors(self.data.rows(slice(low, high))))
        return np.array(out)

    @cached_property
    def essential(self) -> dict[str, float]:
        """Base parameters that the measurements need; the others taken out one by one.

        The least certain one leaves as long as no joint's residual grows by more than 1 %.
        """
        from .essential_parameters import essential

        return essential(self)

    def table(self) -> RowTable:
        """Base parameters with unit, 95 % interval and what they are made of."""
        units = dict(zip(self.lin.names, self.lin.units, strict=True))
        sigma, essential, unseen = self.sigma, self.essential, {*self.unseen}
        return RowTable(
            [
                {
                    "parameter": n,
                    "value": x,
                    "unit": units[n],
                    "half width 95 %": 1.96 * sigma[n],
                    "relative %": 100 * sigma[n] / abs(x) if x else np.inf,
                    "essential": "not shown" if n in unseen else n in essential,
                    "combination": self.combinations[n],
                }
                for n, x in self.base.items()
            ]
        )

    @cached_property
    def model(self):
        """A model with the parameters found, friction as force elements: it simulates."""
        from .model_update import written_back

        p = self.estimate.p
        bad = physics.faults(self.lin, p)
        if bad:
            raise TorseurError(
                "identify: these parameters make no model, since no distribution of mass has them: "
                + "; ".join(bad)
                + ". Use consistent=True"
            )
        return written_back(self.lin, p)

    def body(self, name: str) -> Inertia:
        """Inertia of a link in its joint's frame."""
        names = [k.body for k in self.lin.links]
        if name not in names:
            raise ArgumentError(
                f"identify: no link carries the body {name!r} first; known: {', '.join(names)}"
            )
        i = names.index(name)
        return Inertia.of_parameters(self.estimate.p[10 * i : 10 * i + 10])

    def report(self, path):
        """Write a page (.html) with errors, efforts against time and the table; the path."""
        from ..report import robot_report

        return robot_report(self, path)

    def __str__(self):
        errors = ", ".join(f"{100 * e:.2g}" for e in self.errors())
        told = [f"{n} {x:.3f}" for n, x in self.gains.items() if abs(x - 1) > 0.02]
        return (
            f"{self.system.name}: {len(self.groups)} base parameters from {len(self.data)} "
            f"samples; errors {errors} % of each joint's effort"
            + (f"; gains of sensors: {', '.join(told)}" if told else "")
            + "".join(f"; {x}" for x in self.doubts)
            + (f"; hardly moved: {', '.join(self.resting)}" if self.resting else "")
            + (f"; not shown by this motion: {', '.join(self.unseen)}" if self.unseen else "")
        )
