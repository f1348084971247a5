"""Exact equations of motion of a system: derived by a formalism over a polynomial ring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import NotInRing, TorseurError, as_system
from ..formalisms import FORMALISMS, newton_euler
from ..joints import TIME
from ..scalars import Node
from . import generalized_forces as loads
from .expression import ExactExpression, ExpressionTable
from .print.names import Names
from .print.normal_form import Reading
from .ring import find_need, open_ring

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System
    from .constraint_equations import Constraints
    from .regressor import Regressor


class Matrices(NamedTuple):
    """Coefficients in the layout of Madani (1998); `pairs` are the products of B's columns."""

    A: ExpressionTable
    B: ExpressionTable  # (n, n (n - 1) / 2)
    C: ExpressionTable
    G: ExpressionTable
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Equations:
    """`A(q) a + products of speeds + gravity = tau`, in a ring with a normal form.

    Index i is the equation (the effort of speed i), j and k are speeds.  Every table answers
    exact `Expression`s.
    """

    system: System
    formalism: str
    reading: Reading
    efforts: tuple[Any, ...] = field(repr=False)
    fixed: Mapping[Any, Any] = field(default_factory=dict)  # coordinates and rates held at numbers
    acting: tuple[Any, ...] = ()  # force elements that tau leaves out
    made: tuple[Any, ...] = ()  # system, options, substitutions since

    @property
    def _S(self):
        return self.reading.symbols

    def _express(self, x) -> ExactExpression:
        return ExactExpression(self.reading, x)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Parameters of the equations, in the order of generated code."""
        time = (TIME,) * self.system.rheonomic
        if not self.acting:
            return (*self.system.symbols, *time)
        used = [
            any(isinstance(x, Node) and x.x.degrees()[k] for x in self.efforts)
            for k in range(len(self._S.K.names))
        ]
        used_names = {n for n, u in zip(self._S.K.names, used, strict=True) if u}
        for angle, (_, powers) in self._S.sines.items():  # what is in sines alone
            if {f"sin({angle})", f"cos({angle})"} & used_names:
                used_names |= {n.removeprefix("1/") for n, _ in powers}
        extra = [
            n
            for n in self._S.K.names
            if n in used_names
            and (n in loads.input_names(self.system) or (n[0] == "Q" and "." in n))
        ]
        fixed_parameters = self.fixed.get("p", {})
        return tuple(
            n
            for n in dict.fromkeys(
                (*self.system.symbols, *loads.law_parameters(self.system), *extra, *time)
            )
            if n not in fixed_parameters
        )

    @cached_property
    def tau(self) -> ExpressionTable:
        """Efforts [N m or N] that give the accelerations, shape (nv,)."""
        return ExpressionTable((self.system.nv,), lambda i: self._express(self.efforts[i]))

    @cached_property
    def mass_matrix(self) -> ExpressionTable:
        """Coefficient of acceleration j in equation i, shape (nv, nv)."""
        n, S = self.system.nv, self._S
        return ExpressionTable(
            (n, n), lambda i, j: self._express(self._derivatives(self.efforts[i], S.a, "a", i)[j])
        )

    def _derivatives(self, x, wrt, *key) -> np.ndarray:
        """Derivatives by several variables, remembered under a key."""
        cache = self.reading._cache.setdefault("slopes", {})
        if key not in cache:
            cache[key] = self._S.K.derive(x, wrt)
        return cache[key]

    def _second_derivative(self, i: int, j: int, k: int):
        """Second derivative of effort i by speeds j and k."""
        (j, k), v = sorted((j, k)), self._S.v
        first = self._derivatives(self.efforts[i], v, "v", i)[j]
        return self._derivatives(first, v[j:], "v", i, j)[k - j]

    @cached_property
    def coriolis(self) -> ExpressionTable:
        """Coefficient of the product of speeds j and k, j != k, in equation i."""
        n = self.system.nv
        return ExpressionTable(
            (n, n, n),
            lambda i, j, k: self._express(self._second_derivative(i, j, k) if j != k else 0),
        )

    @cached_property
    def centrifugal(self) -> ExpressionTable:
        """Coefficient of the square of speed j in equation i."""
        n = self.system.nv
        return ExpressionTable(
            (n, n), lambda i, j: self._express(self._second_derivative(i, j, j) * Fraction(1, 2))
        )

    @cached_property
    def gravity(self) -> ExpressionTable:
        """Efforts that hold the mechanism still."""

        def at_rest(i):
            x = self.efforts[i]
            if not isinstance(x, Node):
                return self._express(x)
            effort = self._S.K.wrap(x.x.subs(rates))
            return self._express(effort - time_terms[i] if self.system.rheonomic else effort)

        rates = {r: 0 for r, part in enumerate(self.reading.parts) if part == "rate"}
        time_terms = self._time_dependent_efforts(0 * self._S.v)
        return ExpressionTable((self.system.nv,), at_rest)

    def _time_dependent_efforts(self, v) -> np.ndarray:
        """Efforts from time-dependent placements at some speeds."""
        S, rest = self._S, 0 * self._S.a
        if not self.system.rheonomic:
            return rest
        with_motion, at_standstill = (
            newton_euler.inverse_dynamics(tree, S.q, v, rest) for tree in (S.tree, S.tree.still())
        )
        return with_motion - at_standstill

    @cached_property
    def transport(self) -> ExpressionTable:
        """Transport and Coriolis efforts of time-dependent placements.

        They complete the products of speeds and gravity: `tau = A a + (v v) + gravity + transport`.
        """
        time_terms = self._time_dependent_efforts(self._S.v)
        return ExpressionTable((self.system.nv,), lambda i: self._express(time_terms[i]))

    @cached_property
    def matrices(self) -> Matrices:
        """A, B, C and G in the layout of Madani (1998): `tau = A a + B (v_j v_k) + C (v^2) - G`."""
        if self.system.rheonomic:
            raise TorseurError(
                f"matrices: time moves a placement of {self.system.name!r}, and Madani's (1998) A, "
                "B, C and G have no place for what that brings; add eq.transport to eq.mass_matrix,"
                " coriolis, centrifugal and gravity"
            )
        n = self.system.nv
        pairs = tuple(combinations(range(n), 2))
        return Matrices(
            self.mass_matrix,
            ExpressionTable((n, len(pairs)), lambda i, c: self.coriolis[i, *pairs[c]]),
            self.centrifugal,
            ExpressionTable((n,), lambda i: -self.gravity[i]),
            pairs,
        )

    @cached_property
    def energies(self) -> tuple[ExactExpression, ExactExpression]:
        """Kinetic and potential energy [J], of gravity and of every force element that stores."""
        from .lagrangian import total_energies

        return total_energies(self)

    @cached_property
    def energies_by_body(self) -> dict[str, tuple[ExactExpression, ExactExpression]]:
        """{name: (kinetic, potential)} [J] of each body, then of each force element that stores.

        A rotor on an axis counts with the body that the joint moves.
        """
        from .lagrangian import energies_by_body

        return energies_by_body(self)

    @cached_property
    def lagrangian(self) -> ExactExpression:
        """`L = T - U` [J], U of gravity and of every force element that stores energy.

        >>> import torseur as ts
        >>> cart = ts.Model("cart", bodies=[ts.Body("c", "m")],
        ...     joints=[ts.Joint("x", "world", "c", ts.Prismatic("x"))],
        ...     forces=[ts.JointForce("spring", "x", ts.Spring("k"))])
        >>> print(ts.equations(cart).lagrangian)
        1/2 m dq1^2 - 1/2 k q1^2
        """
        from .lagrangian import form_lagrangian

        return form_lagrangian(self)

    @cached_property
    def christoffel(self) -> ExpressionTable:
        """`Gamma_i,jk`: efforts are `A a + sum Gamma_i,jk v_j v_k`, plus gravity.

        Symmetric in j and k when all speeds are rates of coordinates.  For pseudo-velocities j is
        the speed that differentiates, and nothing is symmetrized.
        """
        n = self.system.nv
        if all(k.joint.holonomic for k in self.system.links):
            half = Fraction(1, 2)

            def entry(i, j, k):
                if j > k:
                    return table[i, k, j]
                return self._express(self._second_derivative(i, j, k) * half)

            table = ExpressionTable((n, n, n), entry)
            return table
        from ..formalisms import GlobalInertia

        symbols = GlobalInertia(self._S.tree, self._S.q).christoffel
        return ExpressionTable((n, n, n), lambda i, j, k: self._express(symbols.get((i, j, k), 0)))

    @cached_property
    def constraints(self) -> Constraints | None:
        """Rows of loops and other constraints with their Jacobian, None for a tree.

        `tau` is then that of the tree: a closed mechanism has `tau = A a + h - J' lambda`.
        """
        from .constraint_equations import constraints

        return constraints(self)

    @cached_property
    def regressor(self) -> Regressor:
        """The same equations as a linear function of the inertial parameters."""
        from .regressor import regressor

        return regressor(self)

    @property
    def base_parameters(self) -> dict[str, str]:
        """Combinations of inertial parameters that the efforts depend on."""
        return self.regressor.base_parameters

    @property
    def canonical(self) -> bool:
        """Whether `==` is also necessary: equal equations always compare equal."""
        return self._S.K.canonical

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why `==` might miss an equality."""
        return self._S.K.doubts

    def __eq__(self, other):
        if not isinstance(other, Equations):
            return NotImplemented
        return len(self.efforts) == len(other.efforts) and all(
            self.tau[i] == other.tau[i] for i in range(len(self.efforts))
        )

    __hash__ = None  # type: ignore[assignment]

    def read(self, text: str) -> ExactExpression:
        """The expression of a text in the printed names, such as "Izz1 + Ixx2 s2^2"."""
        return self._express(self.reading.read(text))

    def substitute(self, given: Mapping[Any, Any]) -> Equations:
        """Replace parameters by numbers or by sums of other parameters.

        Keys are parameters (`"m1"`), coordinates or speeds. Values are numbers or texts.
        """
        from .substitute import substitute_values

        system, options, since = self.made
        return replace(
            substitute_values(self, given), made=(system, options, (*since, dict(given)))
        )

    def _derive(self, system: System, **changes: Any) -> Equations:
        """Equations of another system, by the same formalism and options but for `changes`."""
        return equations(system, **self.made[1] | changes)

    def __reduce__(self):
        return rebuild_equations, self.made

    def evaluate(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        parameters: Mapping[str, float] | None = None,
        quantity: str = "tau",
    ) -> np.ndarray:
        """Efforts [N m or N] at numbers, shape (..., nv); parameters default to their nominals.

        `quantity` may be another table's name, such as "mass_matrix", or a table of expressions.
        """
        from .evaluate import evaluate

        zero = np.zeros(self.system.nv)
        table = getattr(self, quantity) if isinstance(quantity, str) else quantity
        entries = np.empty(table.shape, dtype=object)
        for at in np.ndindex(table.shape):
            entries[at] = table[at].x
        return evaluate(
            self, entries, q, zero if v is None else v, zero if a is None else a, parameters
        )

    def text(self, style: str = "equations", full: bool = False) -> str:
        """Plain text.

        `style`: "equations", one sum an effort; "coefficients", the matrices of Madani (1998);
        "003", the print of Mizzi (1992) (`dq<0,1>`).  `full=True` writes the system's own names.
        """
        from .print.columns import STYLES

        if style not in STYLES:
            raise TorseurError(f"style {style!r}: expected one of {', '.join(STYLES)}")
        return STYLES[style](self, Names(self.system, full))

    def latex(self) -> str:
        """LaTeX of every equation, then of constraint rows, as an `aligned` block."""
        from .print.latex import latex_document

        return latex_document(self)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def mathml(self) -> str:
        """MathML of every equation, then of constraint rows, as one table."""
        from .print.mathml import mathml_document

        return mathml_document(self)

    def sympy(self, full: bool = False) -> list[Any]:
        """The efforts as SymPy expressions in q1, dq1, d2q1, ... (or the system's own names).

        Those of the tree: entries of `constraints` have a `sympy()` of their own.
        """
        from .to_sympy import to_sympy

        return [to_sympy(self.tau[i].sum, self.system, full) for i in range(self.system.nv)]

    def code(self, language: str, quantity: str = "tau", name: str | None = None) -> str:
        """Source of a function of q, v, a and p that computes one quantity, ready to run.

        `language`: "c", "python" (NumPy, leading axes broadcast), "fortran", "matlab";
        `quantity`: "tau", "mass_matrix", "bias" (tau at a = 0), "gravity", "coriolis" (the matrix
        C(q, v), `Mdot - 2 C` skew), "christoffel" (nv, nv, nv), and of closed mechanisms
        "constraint_residual", "constraint_jacobian", "constraint_gamma".  Named intermediates
        stand for what occurs more than once; p holds `eq.parameters`, in that order, and then the
        time where constraint rows depend on it.
        """
        from .code.functions import write_function

        return write_function(self, language, quantity, name)

    def count_operations(self, quantity: str = "tau") -> dict[str, int]:
        """Operations of the generated code: {"mul": , "add": , "div": , "trig": }."""
        from .code.functions import count_operations, trace

        return count_operations(trace(self, quantity))

    def __str__(self):
        return self.text()

    def __repr__(self):
        return (
            f"Equations({self.system.name!r}, {self.formalism}: {self.system.nv} equations, "
            f"{sum(self.tau[i].terms for i in range(self.system.nv))} terms)"
        )


def equations(
    system: Model | System,
    formalism: str = "newton_euler",
    eliminate: str = "sin",
    forces: bool = False,
    constants: str = "auto",
) -> Equations:
    """Equations of motion of a `System` or a `Model` by one of the formalisms.

    Parameters
    ----------
    system : a checked system, or a model, which is checked first
    formalism : newton_euler, lagrange, virtual_power, gibbs_appell, lie_group, uicker or
        global_inertia; they agree exactly
    eliminate : "sin" or "cos", whose squares the normal form replaces
    constants : "named" keeps cos(0.3) as a symbol, "rational" takes a rational number within 1e-15
        of it such that rotations stay exactly orthogonal, "auto" does so when there are many
    forces : whether `tau` leaves out what the model's force elements give; those that are not
        polynomials appear by name

    >>> from torseur.joints import Revolute
    >>> from torseur.model import Body, Joint, Model
    >>> arm = Model("pendulum", gravity=(0, 0, "-g"),
    ...             bodies=[Body("rod", mass="m", com=(0, 0, "-L/2"))],
    ...             joints=[Joint("pivot", "world", "rod", Revolute("y"))])
    >>> print(equations(arm).tau[0])
    1/4 m L^2 d2q1 + 1/2 L g m s1
    """
    checked: System = as_system(system, "equations")
    checked.alone("equations")
    method = FORMALISMS.element(formalism, "equations")
    S, elements = _open_with_forces(
        checked, forces, eliminate=eliminate, constants=constants, divide="derive" in method.needs
    )
    for need in sorted(method.needs):
        S.K.need(need, formalism)
    tau = method(S.tree, S.q, S.v, S.a)
    for element in elements:
        for i, Q in element.forces.items():
            tau[i] = tau[i] - (S.K[Q] if element.named else Q)
    made = (
        checked,
        {"formalism": formalism, "eliminate": eliminate, "forces": forces, "constants": constants},
        (),
    )
    return Equations(
        checked, formalism, Reading(checked, S), tuple(tau), acting=tuple(elements), made=made
    )


def rebuild_equations(system, options, since) -> Equations:
    """Generate equations again from the arguments stored in a pickle."""
    eq = equations(system, **options)
    for substitution in since:
        eq = eq.substitute(substitution)
    return eq


def _open_with_forces(system, forces, **options):
    """The ring of a system, with its force elements over it."""
    if not forces:
        from .constraint_equations import has_constraints

        time = ("t",) if has_constraints(system) else ()
        return open_ring(system, extra=time, **options), []
    inputs, numbers, names = (
        loads.input_names(system),
        tuple(loads.iter_law_expressions(system)),
        (),
    )
    needs: dict = {}
    while True:
        S = open_ring(system, needs, numbers=numbers, extra=(*inputs, *names), **options)
        failed: list = []
        elements = loads.apply_elements(system, S.tree, S.q, S.v, [S.K[n] for n in inputs], failed)
        unwritten_names = tuple(n for e in elements if e.named for n in e.forces.values())
        new_needs = dict.fromkeys(find_need(S, e) for e in failed if isinstance(e, NotInRing))
        new_needs = {x: None for x in new_needs if x is not None and x not in needs}
        if unwritten_names == names and not new_needs:
            return S, elements
        names, needs = unwritten_names, needs | new_needs
