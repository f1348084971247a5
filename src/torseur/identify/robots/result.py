"""Identification of a robot: from measured motion and efforts to a model that reproduces them.

Linear regression of the inverse dynamics gives base parameters, rotor inertias and friction with
their covariance (Khalil and Dombre 2002, chapter 12).  `robot` runs it, `Identified` is the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, shown
from ...model import Model
from ...scalars import arguments
from ...spatial import Inertia
from ...system import System
from ..row_table import RowTable
from .base_parameters import (
    Base,
    find_base_parameters,
    find_load_ambiguities,
    select_essential_parameters,
)
from .data import Samples, read_instruments, samples
from .diagnostics import diagnose_data
from .filtering import SampledMotion, densify_motion
from .least_squares import WEIGHT_EXPONENTS, Estimate, SampleProblem, estimate_parameters
from .model_update import find_unknown_forces, update_model
from .physical_consistency import find_inconsistent_bodies
from .regressor import INERTIAL_NAMES, LinearModel, linear
from .validation import check_shapes

MIN_VARIANCE_REDUCTION = 0.5  # of a base parameter that the motion shows
MIN_SPEED = 1e-3  # of the fastest joint: a slower joint rests
MIN_ERROR = 1e-3  # of an effort: a smaller residual is no sign of inconsistency
MAX_CONSISTENCY_RATIO = 1.2  # of residuals with and without consistency
MIN_FOLD = 8  # samples of a fold of cross-validation
MIN_SPREAD = 1e-9  # of an effort: with less it is constant
CONFIDENCE_FACTOR = 1.96  # standard deviations of a 95 % interval
MIN_GAIN_CHANGE = 0.02  # of a sensor gain that is printed


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
    model : a tree of joints; its geometry is used, its masses are not (but see `prior`)
    data : a CSV file with units in its headings ("time [s]", "q1 [rad]", "tau1 [N m]", or names of
        signals), a dictionary or tuple of arrays (time, q, tau), (time, q, v, tau),
        (time, q, v, a, tau) or (q, v, a, tau), or a run.  Arrays have one row a sample, SI units
    friction : of every joint, names in `ts.identify.FRICTION`: "coulomb", "viscous", "offset",
        "stribeck", "square", "load"
    rotors : whether joints have unknown rotor inertias (None: yes, except with `free` or "load")
    consistent : physical consistency: only masses that some distribution of mass can have; friction
        and rotors not negative
    method : weights of joints: "ols" (ordinary least squares), "wls" (weighted least squares, one
        over the residual), "balanced" (residuals are friction, not noise: one over their power 3/4,
        frequency by frequency if a motion goes through the low pass, else the mean of that and
        "ols"), "irls" (iteratively reweighted: as wls, outliers weighted down); for errors in the
        measured motion "tls" (total least squares) and "iv" (instrumental variables: weights of
        wls, and `instruments`)
    prior : "zero" shrinks parameters that the motion does not show, by no more than their
        uncertainty; "model" pulls them towards the model's own numbers (CAD); None: no prior
    cutoff : zero-phase low pass for data without accelerations [Hz]; None: no filter.  With it,
        late time stamps of a clock with even ticks are corrected first
    stiffness : whether stiffness and damping of elastic drives (and of other shafts between
        coordinates) are unknown too; data then has the angles of their rotors
    instruments : for "iv", a motion near the measured one without its errors, such as the commanded
        or a simulated one: (time, q) or (q, v, a), rows as in data
    gains : whether, if the residuals are more than noise, each effort sensor may have a constant
        gain error; `result.gains` has the gains, 1 for the joint with the largest effort.  For a
        motion through the low pass also hoses that pull joints back (`result.springs`) and soft
        drives (`result.compliances`)
    free : bodies with unknown masses, such as a tool or a load; the masses of all others (and
        rotors) are those of the model, friction as given

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> tau = ts.compile(arm).inverse_dynamics(q, v, a) + 0.3 * v
    >>> result = ts.identify.robot(arm, (q, v, a, tau), friction="viscous", consistent=False)
    >>> round(result.base["rod.Iyy"], 9), round(result.base["pivot.viscous"], 9)
    (0.6, 0.3)
    """
    _check_options(consistent, stiffness, gains, rotors, method, prior, instruments)
    if cutoff is not None:
        cutoff = arguments.number("identify", "cutoff", cutoff, "Hz")
    lin = linear(model, friction, rotors, stiffness, free)
    if unknown := [*find_unknown_forces(lin.system)]:
        raise TorseurError(
            "identify: forces of the model must follow from coordinates and speeds; "
            f"leave out {'; '.join(unknown)}"
        )
    data = samples(lin.system, data, cutoff=cutoff, clock=instruments is None)
    groups = find_base_parameters(lin)
    _check_identifiability(lin, groups, data)
    options: dict[str, Any] = {"method": method, "prior": prior, "physical": bool(consistent)}
    options["gains"] = bool(gains)
    if instruments is not None:
        options["instruments"] = read_instruments(lin.system, data, instruments, cutoff)
    estimate = estimate_parameters(lin, groups, data, **options)
    return Identified(lin.system, groups, data, estimate, options, cutoff)


def _check_options(
    consistent: Any,
    stiffness: Any,
    gains: Any,
    rotors: Any,
    method: Any,
    prior: Any,
    instruments: Any,
) -> None:
    """Raise for values that an option of `robot` cannot have."""
    if method not in WEIGHT_EXPONENTS:
        raise ArgumentError(
            f"identify: method={shown(method)}: expected one of "
            f"{', '.join(map(repr, WEIGHT_EXPONENTS))}"
        )
    flags = {"consistent": consistent, "stiffness": stiffness, "gains": gains}
    for name, x in (flags if rotors is None else flags | {"rotors": rotors}).items():
        if not isinstance(x, bool | np.bool_):
            raise ArgumentError(f"identify: {name}={shown(x)}: expected True or False")
    if prior not in ("zero", "model", None):
        raise ArgumentError(f"identify: prior={shown(prior)}: expected 'zero', 'model' or None")
    if (method == "iv") != (instruments is not None):
        raise ArgumentError(
            "identify: method='iv' and instruments= come together: the commanded motion, or a "
            "simulated one, row by row as the measured one"
        )


def _check_identifiability(lin: LinearModel, groups: Base, data: Samples) -> None:
    """Raise if the parameters do not follow from any data, or from so few rows."""
    if lin.load_dependent and (mixed := find_load_ambiguities(lin, groups)):
        raise ArgumentError(
            "identify: friction 'load' depends on the load of the links, which cannot be separated "
            f"from {', '.join(map(repr, mixed))}; leave those out: rotors=False takes the model's "
            "own rotors, and friction= need not have 'offset'"
        )
    unidentifiable = {*groups.unidentifiable}
    if idle := [n for n in lin.free if {f"{n}.{x}" for x in INERTIAL_NAMES} <= unidentifiable]:
        raise ArgumentError(
            f"identify: no effort depends on the masses of {', '.join(map(repr, idle))}; leave "
            "them out of free="
        )
    if data.tau.size < len(groups):
        raise ArgumentError(
            f"identify: {len(data)} samples of {lin.system.nv} joints are fewer "
            f"numbers than the {len(groups)} base parameters; measure longer"
        )
    if not data.tau.any():
        raise ArgumentError("identify, data: every effort is zero; masses follow from efforts")


@dataclass(frozen=True, eq=False)
class Identified:
    """Result of `robot`.

    `base` maps every base parameter to its value.  `parameters` has every parameter of every link
    in its joint's frame; where the measurements do not separate them, the smallest ones.
    """

    system: System
    groups: Base
    data: Samples
    estimate: Estimate = field(repr=False)
    options: dict[str, Any] = field(repr=False)  # of `estimate_parameters`
    cutoff: float | None = 10.0  # [Hz] of data without accelerations

    @property
    def lin(self) -> LinearModel:
        return self.estimate.lin

    # ---- parameters ----------------------------------------------------------------------------

    @property
    def base(self) -> dict[str, float]:
        """{base parameter: value of its combination}; see `combinations`."""
        return dict(zip(self.groups.names, self.estimate.beta.tolist(), strict=True))

    @property
    def combinations(self) -> dict[str, str]:
        """{base parameter: combination of parameters}."""
        return self.groups.combinations

    @property
    def confidence(self) -> dict[str, tuple[float, float]]:
        """{base parameter: (low, high)}, 95 %."""
        half = {n: CONFIDENCE_FACTOR * s for n, s in self.sigma.items()}
        return {n: (x - half[n], x + half[n]) for n, x in self.base.items()}

    @property
    def sigma(self) -> dict[str, float]:
        """{base parameter: standard deviation}, with autocorrelated residuals."""
        sigma = np.sqrt(np.diag(self.estimate.covariance))
        return dict(zip(self.groups.names, sigma.tolist(), strict=True))

    @property
    def parameters(self) -> dict[str, float]:
        return dict(zip(self.lin.names, self.estimate.p.tolist(), strict=True))

    @property
    def friction_parameters(self) -> dict[str, float]:
        """{joint.friction: parameter of its shape}: a width or a speed [rad/s or m/s], or a
        presliding distance [rad or m], a `PreslidingDistance`."""
        return {
            name: x
            for name, _, kind, i in self.lin.columns
            if kind in self.lin.friction and (x := self.lin.friction_parameter(kind, i)) is not None
        }

    @property
    def gains(self) -> dict[str, float]:
        """{joint: reading of its sensor over the effort that acts}; 1 if not estimated.

        `predict` gives readings.  `model` has the efforts that act, friction included.
        """
        gains = self.lin.sensor_gains(self.system.nv).tolist()
        return {name: gains[i] for i, name, _ in self.lin.speeds}

    @property
    def springs(self) -> dict[str, float]:
        """{joint: stiffness of hoses and cables that pull it back}, N m/rad or N/m, if any."""
        return self._nonlinear_values("spring")

    @property
    def compliances(self) -> dict[str, float]:
        """{joint: compliance of its drive}, rad/(N m) or m/N, if the motion shows it.

        The data show it by vibrations, which neither `predict` nor `model` have.
        """
        return self._nonlinear_values("compliance")

    def _nonlinear_values(self, kind: str) -> dict[str, float]:
        values = self.lin.nonlinear
        return {name: values[kind, i] for i, name, _ in self.lin.speeds if values.get((kind, i))}

    @cached_property
    def essential(self) -> dict[str, float]:
        """Essential parameters: base parameters that the measurements need, the others zero.

        Backward elimination: the least certain one is removed as long as no joint's residual grows
        by more than 1 %.
        """
        problem = SampleProblem(self.lin, self.groups, self.data, None)
        if self.lin.load_dependent:
            problem.set_nonlinear(self.lin.nonlinear, self.estimate.p)
        columns, k = list(self.groups.independent), problem.Y.shape[2]
        weighted = list(zip(self.estimate.weights, problem.factors, strict=True))
        return select_essential_parameters(
            np.concatenate([w * R[:, columns] for w, R in weighted]),
            np.concatenate([w * R[:, k] for w, R in weighted]),
            np.cumsum([len(R) for R in problem.factors])[:-1].tolist(),
            self.groups.names,
        )

    def table(self) -> RowTable:
        """Base parameters with unit, 95 % interval and combination."""
        units = dict(zip(self.lin.names, self.lin.units, strict=True))
        sigma, essential, unseen = self.sigma, self.essential, {*self.unseen}
        return RowTable(
            [
                {
                    "parameter": n,
                    "value": x,
                    "unit": units[n],
                    "half width 95 %": CONFIDENCE_FACTOR * sigma[n],
                    "relative %": 100 * sigma[n] / abs(x) if x else np.inf,
                    "essential": "not shown" if n in unseen else n in essential,
                    "combination": self.combinations[n],
                }
                for n, x in self.base.items()
            ]
        )

    def body(self, name: str) -> Inertia:
        """Inertia of a link in its joint's frame."""
        names = [k.body for k in self.lin.links]
        if name not in names:
            raise ArgumentError(
                f"identify: no link carries the body {name!r} first; known: {', '.join(names)}"
            )
        i = names.index(name)
        return Inertia.of_parameters(self.estimate.p[10 * i : 10 * i + 10])

    @cached_property
    def model(self) -> Model:
        """Model with the identified parameters, friction as force elements; it can be simulated."""
        bad = find_inconsistent_bodies(self.lin, self.estimate.p)
        if bad:
            raise TorseurError(
                "identify: these parameters make no model, since no distribution of mass has them: "
                + "; ".join(bad)
                + ". Use consistent=True"
            )
        return update_model(self.lin, self.estimate.p)

    # ---- quality -------------------------------------------------------------------------------

    @property
    def unseen(self) -> tuple[str, ...]:
        """Base parameters that the motion does not show: less informative than usual sizes."""
        reductions = zip(self.groups.names, self.estimate.variance_reduction, strict=True)
        return tuple(n for n, fraction in reductions if fraction < MIN_VARIANCE_REDUCTION)

    @property
    def resting(self) -> tuple[str, ...]:
        """Joints that hardly move in the data."""
        speed = np.sqrt((self.data.v**2).mean(axis=0))
        return tuple(n for i, n, _ in self.lin.speeds if speed[i] < MIN_SPEED * speed.max())

    @property
    def strained(self) -> dict[str, float]:
        """{joint: residual over that of inconsistent parameters}, where the efforts ask for such.

        The model then lacks a force, or its geometry is wrong.
        """
        effort = np.sqrt((self.data.tau**2).mean(axis=0))
        ratio, residual = self.estimate.consistency_ratio, self.estimate.sigma
        return {
            n: float(ratio[i])
            for i, n, _ in self.lin.speeds
            if ratio[i] > MAX_CONSISTENCY_RATIO and residual[i] > MIN_ERROR * effort[i]
        }

    @cached_property
    def diagnostics(self) -> tuple[str, ...]:
        """Messages on likely mistakes in the data, if the model does not fit them."""
        return diagnose_data(self)

    def errors(self, data: Any = None) -> np.ndarray:
        """Root mean square of the error over the spread of the effort, one a joint; over its root
        mean square if the effort is constant.

        Of the data of the fit, or of other data (as `robot` takes it, with its cutoff): validation.
        """
        data = self.data if data is None else samples(self.system, data, cutoff=self.cutoff)
        error = self.predict_samples(data) - data.tau
        spread, size = data.tau.std(axis=0), np.sqrt((data.tau**2).mean(axis=0))
        size = np.maximum(size, MIN_SPREAD * size.max() + 1e-300)
        spread = np.where(spread > MIN_SPREAD * size, spread, size)
        return np.sqrt((error**2).mean(axis=0)) / spread

    def cross_validate(self, folds: int = 5) -> np.ndarray:
        """Cross-validation: `errors` on parts of the data left out in turn, shape (folds, nv)."""
        folds = arguments.count("cross_validate", "folds", folds, 2)
        if folds > (max_folds := len(self.data) // MIN_FOLD):
            raise ArgumentError(
                f"cross_validate: folds={folds} of {len(self.data)} samples: at most {max_folds}, "
                f"{MIN_FOLD} samples each"
            )
        bounds = np.linspace(0, len(self.data), folds + 1).astype(int)
        errors, lin = [], replace(self.lin, nonlinear={})
        for low, high in pairwise(bounds):
            rest = np.r_[0:low, high : len(self.data)]
            options = dict(self.options)
            if "instruments" in options:
                options["instruments"] = options["instruments"].select_rows(rest)
            estimate = estimate_parameters(lin, self.groups, self.data.select_rows(rest), **options)
            fold = self.data.select_rows(slice(low, high))
            errors.append(replace(self, estimate=estimate).errors(fold))
        return np.array(errors)

    # ---- predictions ---------------------------------------------------------------------------

    def predict(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, *, filtered: bool = True
    ) -> np.ndarray:
        """Efforts at states, shape (n, nv), for `q` (n, nq), `v` and `a` (n, nv), SI units.

        Efforts are readings of the sensors: `gains` times the effort that acts.

        Presliding friction (`friction_parameters` has its distance) follows the rows if they are a
        motion in order.  A row that does not continue the one above is in steady sliding.

        A fit through the low pass models filtered efforts.  Rows that are a motion are filtered in
        the same way: reversals of friction, and noise of accelerations near the cutoff.
        `filtered=False` gives efforts as they act.
        """
        is_single = np.ndim(v) == 1
        state = {n: [x] if is_single else x for n, x in (("q", q), ("v", v), ("a", a))}
        q, v, a = check_shapes(self.system, state, "predict").values()
        cutoff = self.data.cutoff if filtered else None
        motion = None if cutoff is None else densify_motion(self.system, q, v, cutoff)
        tau, friction = self._efforts(q, v, a, motion)
        if motion is not None:
            columns = [motion.filter_column(motion.interpolate_rows(x)) for x in tau.T]
            tau = np.stack(columns, axis=1)
        tau = tau + friction
        return tau[0] if is_single else tau

    def predict_samples(self, data: Samples) -> np.ndarray:
        """Efforts at samples, filtered if the samples are, (n, nv)."""
        return sum(self._efforts(data.q, data.v, data.a, data.motion), np.zeros(()))

    def _efforts(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, motion: SampledMotion | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Efforts that are as smooth as the motion, and those of nonlinear friction, filtered."""
        lin, p = self.lin, self.estimate.p
        load = None
        if lin.load_dependent:
            first = 10 * len(lin.links)
            load = lin.inertial_regressor(q, v, a) @ p[:first] + lin.fixed_body_efforts(q, v, a)
        Y, friction = lin.regressor(q, v, a, load, motion), lin.nonlinear_friction
        smooth = Y[:, :, ~friction] @ p[~friction] + lin.known_efforts(q, v, a)
        return smooth, Y[:, :, friction] @ p[friction]

    # ---- output --------------------------------------------------------------------------------

    def report(self, path: str | Path) -> Path:
        """Write a page (.html) with errors, efforts over time and the table; returns its path."""
        from ..report import write_robot_report

        return write_robot_report(self, path)

    def __str__(self):
        errors = ", ".join(f"{100 * e:.2g}" for e in self.errors())
        gains = [f"{n} {x:.3f}" for n, x in self.gains.items() if abs(x - 1) > MIN_GAIN_CHANGE]
        return (
            f"{self.system.name}: {len(self.groups)} base parameters from {len(self.data)} "
            f"samples; errors {errors} % of each joint's effort"
            + (f"; gains of sensors: {', '.join(gains)}" if gains else "")
            + "".join(f"; {x}" for x in self.diagnostics)
            + (f"; hardly moved: {', '.join(self.resting)}" if self.resting else "")
            + (f"; not shown by this motion: {', '.join(self.unseen)}" if self.unseen else "")
        )
