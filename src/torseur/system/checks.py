"""Everything that can be wrong with a description, as sentences in the user's names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from .. import values
from ..errors import unknown_name
from ..joints import AbstractJoint
from ..values import Number, Value, exact, exacts

NEAR = 1e-3             # an angle this close to a right angle [rad], and not one, is a slip
ROOM = 1e-9             # relative room for rounding in the triangle inequality


class Reader:
    """Turns the user's numbers into exact values, and keeps every complaint."""

    def __init__(self, model):
        self.model = model
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self.nominals = {}
        for name, x in model.parameters.items():
            if x is None:
                continue
            try:
                self.nominals[name] = values.nominal(exact(x), self.nominals)
            except (TypeError, ValueError, ArithmeticError, LookupError) as e:
                self.problems.append(f"parameter {name!r}: {e}")

    def number(self, x, where: str):
        """One exact value, or zero with a problem noted."""
        try:
            return self._known(exact(x), where)
        except (TypeError, ValueError) as e:
            self.problems.append(f"{where}: {e}")
            return 0

    def array(self, x, shape, where: str, unit: str):
        try:
            array = exacts(x, shape)
        except (TypeError, ValueError) as e:
            self.problems.append(f"{where} [{unit}]: {e}")
            return exacts(np.zeros(shape, dtype=int), shape)
        for e in array.ravel():
            self._known(e, where)
        return array

    def _known(self, x, where):
        if isinstance(x, Value) and self.model.parameters:
            for name in values.symbols(x):
                if name not in self.model.parameters:
                    self.problems.append(
                        unknown_name("parameter", name, self.model.parameters, where))
        return x

    def nominal(self, x) -> float | None:
        """The nominal number of a value, or None when a symbol in it has none."""
        if isinstance(x, Number | float):
            return float(x)
        if any(n not in self.nominals for n in values.symbols(x)):
            return None
        try:
            return values.nominal(x, self.nominals)
        except (ValueError, ArithmeticError) as e:
            self.problems.append(f"{x!r}: {e}")
            return None

    def angle(self, x, where: str):
        """An angle; a near miss of a right angle is worth a warning."""
        if isinstance(x, Number) and values.quarter(x) is None:
            right = round(float(x) / (math.pi / 2))
            off = float(x) - right * math.pi / 2
            if right and abs(off) < NEAR:
                self.warnings.append(
                    f"{where}: {float(x)!r} rad is {abs(off):.2g} rad away from {90 * right} deg, "
                    f"so it is not treated as a right angle; write 'pi/2' or more digits if it is one")
        return x


def names(model) -> Iterator[str]:
    """Duplicate and unknown names, and the shape of the tree."""
    bodies = {"world"} | {b.name for b in model.bodies}
    for kind, things in (("body", model.bodies), ("joint", (*model.joints, *model.loops,
                         *model.rotors)), ("frame", model.frames), ("force", model.forces),
                         ("input", model.inputs)):
        for name, n in Counter(x.name for x in things).items():
            if n > 1:
                yield f"{kind} {name!r} is defined {n} times; {kind} names must be unique"
            if not isinstance(name, str) or not name or "." in name:
                yield f"{kind} {name!r}: a name is a non-empty text without dots"
    for b in model.bodies:
        if b.name == "world":
            yield "body 'world' is the fixed frame and cannot be defined; choose another name"
    for f in model.frames:
        if f.name in bodies:
            yield f"frame {f.name!r} has the name of a body; frames and bodies share their names"
        if f.body not in bodies:
            yield unknown_name("body", f.body, bodies, f"frame {f.name!r}")
    for j in (*model.joints, *model.loops):
        what = "joint" if j in model.joints else "loop"
        for end in (j.parent, j.child):
            if end not in bodies:
                yield unknown_name("body", end, bodies, f"{what} {j.name!r}")
        if not isinstance(j.kind, AbstractJoint):
            yield (f"{what} {j.name!r}: expected a joint such as ts.Revolute('z'), "
                   f"got {j.kind!r}")
        if j.parent == j.child:
            yield f"{what} {j.name!r} joins body {j.parent!r} to itself"
    for child, n in Counter(j.child for j in model.joints).items():
        if child == "world":
            yield "the world hangs from a joint; swap parent and child"
        elif n > 1:
            several = ", ".join(repr(j.name) for j in model.joints if j.child == child)
            yield f"body {child!r} hangs from {n} joints ({several}); make all but one a Loop"
    yield from _unreached(model, bodies)


def _unreached(model, bodies):
    children = {j.child: j for j in model.joints}
    for b in model.bodies:
        if b.name not in children:
            yield (f"body {b.name!r} hangs from no joint; add one, ts.Free() if it moves freely "
                   "or ts.Weld() if it does not")
    seen: set[str] = set()
    for b in model.bodies:
        path, name = [], b.name
        while name in children and name not in path:
            path.append(name)
            name = children[name].parent
        cycle = path[path.index(name):] if name in path else []
        if cycle and not seen & set(cycle):
            seen |= set(cycle)
            chain = " -> ".join(repr(children[n].name) for n in reversed(cycle))
            yield f"joints {chain} form a cycle with no way to the world; make one of them a Loop"


def inertia(reader: Reader, body, mass, J) -> None:
    """Mass and inertia about the centre of mass that some distribution of mass can have."""
    m = reader.nominal(mass)
    if m is not None and m < 0:
        reader.problems.append(f"body {body.name!r} has mass {m:g} kg; use zero or more")
    numbers = [reader.nominal(x) for x in J]
    if None in numbers:
        return
    xx, yy, zz, xy, xz, yz = numbers
    low, mid, high = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shown = ", ".join(f"{x:.4g}" for x in (low, mid, high))
    if low < -ROOM * high:
        reader.problems.append(f"body {body.name!r} has principal inertias {shown} kg m2 about its "
                               "centre of mass: none may be negative; check the signs of the "
                               "products and the point the inertia is about")
    elif high > (low + mid) * (1 + ROOM):
        reader.problems.append(
            f"body {body.name!r} cannot have principal inertias {shown} kg m2: the largest exceeds "
            f"the sum of the others by {high - low - mid:.3g}; if the values come from a drawing, "
            "check for mm instead of m")
    elif m == 0 and high > 0:
        reader.problems.append(f"body {body.name!r} has principal inertias {shown} kg m2 but no "
                               "mass; give it a mass, or use ts.Rotor for a pure inertia")


def motion_without_inertia(tree) -> Iterator[tuple]:
    """Links whose motion nothing outboard resists, by articulated inertias at a generic pose."""
    rng = np.random.default_rng(20)
    K, inertias, done = tree.K, {}, []
    for k in tree.links:
        inertias[k.index] = np.array(k.inertia.matrix(), dtype=float)
    inertias[0] = np.zeros((6, 6))
    for k in reversed(tree.links):
        q = rng.uniform(0.3, 1.2, k.joint.nq)
        if (i := k.joint.quaternion) is not None:
            q[i:i + 4] /= np.linalg.norm(q[i:i + 4])
        S = np.array(k.joint.subspace(K, q), dtype=float)
        I = inertias[k.index]
        U = I @ S
        D = S.T @ U + np.diag(k.armature.astype(float))
        scale = np.trace(I) + k.armature.astype(float).sum()
        values_, vectors = np.linalg.eigh(D) if len(D) else (np.ones(0), None)
        if (abs(values_) <= 1e-12 * abs(scale)).any():
            done.append((k, vectors[:, int(np.argmin(abs(values_)))]))
            continue
        I = I - U @ np.linalg.solve(D, U.T) if len(D) else I
        Ad = np.array((k.X_PF @ k.joint.pose(K, q)).inverse().adjoint(), dtype=float)
        inertias[k.parent] = inertias[k.parent] + Ad.T @ I @ Ad
    yield from reversed(done)
