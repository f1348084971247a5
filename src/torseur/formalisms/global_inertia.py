"""Global inertia tensors, kinetic tensors and Christoffel symbols (Fayet et al. 2005).

Parameter i moves every point M outboard of its joint by `t_i + phi_i x OM`.  Its geometric tensor
is the 3 x 4 matrix `[skew(phi_i), t_i]`.  `G_ij` is the 4 x 4 inertia tensor of all bodies that
both parameters move.  The kinetic tensor `K_ij = S_i G_ij S_j^T` gives the mass matrix by its
trace, and the Christoffel symbols by its axial vector.  Of pseudo-coordinates `Gamma_i,jk` differs
from `Gamma_i,kj`, and it is not symmetrized.  Equations GI.1 to GI.13.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..scalars import Floats, Jet, Jets, matrix, part, symbols, vector
from ..spatial import Pose, Twist, axial, skew
from ..system import Tree
from .base import formalism
from .unfolded_placements import unfold_placements, unfolding

needs: frozenset[str] = frozenset()
SAMPLE_POSITIONS = 3  # of a joint, which stand for all of them


class Parameter(NamedTuple):
    """One speed: its screw at the origin and in the axes of its link, and its derivative."""

    speed: int
    link: int
    phi: np.ndarray
    t: np.ndarray
    dphi: np.ndarray  # phi' and t' of a complex joint, less what the turn itself brings
    dt: np.ndarray

    @property
    def tensor(self) -> np.ndarray:
        """Geometric tensor, 3 x 4."""
        return np.hstack([skew(self.phi), self.t.reshape(3, 1)])  # GI.1

    @property
    def varies(self) -> bool:
        return any(x != 0 for x in (*self.dphi, *self.dt))


@dataclass(frozen=True, eq=False)
class GlobalInertia:
    """All tensors of one configuration, computed when they are first used.

    Pairs of links are (inboard, outboard) on one branch; tensors with one basis are in the
    outboard link's.  Index i, j, k are speeds.
    """

    tree: Tree
    q: np.ndarray

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The screw of every speed."""
        out = []
        for k in self.tree.links:
            K, q_J = self.tree.K, self.q[k.q]
            S = k.joint.subspace(K, q_J)
            dS = matrix(((0,) * k.joint.nv,) * 6)
            if k.joint.nv == 1 or has_unordered_screws(k.joint):
                for i in range(k.joint.nv):
                    along = vector(int(i == j) for j in range(k.joint.nv))
                    dS[:, i] = k.joint.subspace_rate(K, q_J, along)[:, i]
            out += [
                Parameter(k.v.start + i, k.index, S[:3, i], S[3:, i], dS[:3, i], dS[3:, i])
                for i in range(k.joint.nv)
            ]
        return tuple(out)

    @cached_property
    def poses(self) -> dict[tuple[int, int], Pose]:
        """Pose of the outboard link of each pair in the inboard one; (0, j) is in the world."""
        K = self.tree.K
        out: dict[tuple[int, int], Pose] = {}
        for k in self.tree.links:
            X = k.X_PF @ k.joint.pose(K, self.q[k.q])
            out[k.index, k.index] = Pose()
            out[k.parent, k.index] = X
            for (i, j), X_up in list(out.items()):
                if j == k.parent and i != j:
                    out[i, k.index] = X_up @ X
        return out

    @cached_property
    def composite(self) -> dict[int, np.ndarray]:
        """`G_jj`: tensor of everything outboard of joint j, at O_j, in link j."""
        G = {k.index: k.inertia.pseudo() for k in self.tree.links}
        for k in reversed(self.tree.links):
            if k.parent:
                D = self.poses[k.parent, k.index].matrix()
                G[k.parent] = G[k.parent] + D @ G[k.index] @ D.T  # GI.2
        return G

    @cached_property
    def G(self) -> dict[tuple[int, int], np.ndarray]:
        """`G_ij` of each pair of links; rows in link i, columns in link j."""
        out: dict[tuple[int, int], np.ndarray] = {}
        for k in self.tree.links:
            out[k.index, k.index] = self.composite[k.index]
            inboard = k.index
            for link in list(self.tree.ancestors(k.parent)):
                D = self.poses[link.index, inboard].matrix()
                out[link.index, k.index] = D @ out[inboard, k.index]  # GI.3
                inboard = link.index
        return out

    @cached_property
    def K(self) -> dict[tuple[int, int], np.ndarray]:
        """Kinetic tensor `K_ij` of each pair of speeds on one branch, in the outboard link."""
        out: dict[tuple[int, int], np.ndarray] = {}
        parameters: dict[int, list[Parameter]] = {}
        for p in self.parameters:
            parameters.setdefault(p.link, []).append(p)
        for (l, m), G in self.G.items():
            R = self.poses[l, m]
            for i in parameters.get(l, ()):
                left = matrix([R.unrotate(c) for c in (i.tensor @ G).T]).T
                for j in parameters.get(m, ()):
                    T = left @ j.tensor.T  # GI.4
                    out[i.speed, j.speed] = T
                    if i.speed != j.speed:
                        out[j.speed, i.speed] = T.T
        return out

    @cached_property
    def a(self) -> np.ndarray:
        """Mass matrix, shape (nv, nv)."""
        n = self.tree.nv
        A = matrix(((0,) * n,) * n)
        for (i, j), T in self.K.items():
            A[i, j] = T[0, 0] + T[1, 1] + T[2, 2]  # GI.5
        for k in self.tree.links:
            for i, x in zip(range(k.v.start, k.v.stop), k.armature, strict=True):
                A[i, i] = A[i, i] + x
        return A

    def _axis_in(self, p: Parameter, link: int) -> np.ndarray:
        """Vector phi of a parameter in the axes of an outboard link."""
        return self.poses[p.link, link].unrotate(p.phi)

    @cached_property
    def relations(self) -> dict[tuple[int, int], str]:
        """How parameter j acts on the screw of parameter k, for each pair on one branch.

        "carries": the screw of k moves with j.  "carried": the screw of j moves with k, and not
        conversely.  "apart": neither moves with the other (a zero second derivative).  "varies":
        the screw of k moves with j and also changes in its link.
        """
        out = {}
        for k in self.tree.links:
            for j, i, relation in relations_within(k):
                out[k.v.start + j, k.v.start + i] = relation
            for up in self.tree.ancestors(k.parent):
                for j in range(up.v.start, up.v.stop):
                    for i in range(k.v.start, k.v.stop):
                        out[j, i], out[i, j] = "carries", "carried"
        return out

    @cached_property
    def christoffel(self) -> dict[tuple[int, int, int], object]:
        """Non-zero `Gamma_i,jk`; the second index is that of differentiation.  GI.6 to GI.9."""
        P, n = self.parameters, self.tree.nv
        related: dict[int, list[int]] = {}
        for i, k in self.K:
            related.setdefault(k, []).append(i)
        vectors = {}
        for i, k in self.K:  # 2 vec of K_ik, and its link
            vectors[i, k] = (2 * axial(self.K[i, k]), max(P[i].link, P[k].link))
        out = {}
        for (j, k), relation in self.relations.items():
            moving, other = (j, k) if relation in ("carries", "varies") else (k, j)
            if relation == "apart":
                continue
            screw_change = self._screw_change(j, k) if relation == "varies" else None
            for i in related[other]:
                if (i, moving) in self.K:
                    vec, link = vectors[i, other]
                    out[i, j, k] = self._axis_in(
                        P[moving], max(link, P[moving].link)
                    ) @ self._in_outermost(vec, link, P[moving].link)  # GI.6
                    if screw_change is not None:
                        out[i, j, k] = out[i, j, k] + self._varying_term(P[i], P[k], *screw_change)
        for j in range(n):
            for i in related[j]:
                vec, link = vectors[i, j]
                x = self._axis_in(P[j], link) @ vec  # GI.7
                if P[j].varies:
                    x = x + self._varying_term(P[i], P[j], P[j].dphi, P[j].dt)
                out[i, j, j] = x
        return {at: x for at, x in out.items() if not (isinstance(x, int) and x == 0)}

    def _in_outermost(self, x, link: int, other: int):
        """A vector in `link` axes, in the axes of the outermost of two links on a branch."""
        return x if other <= link else self.poses[link, other].unrotate(x)

    def _screw_change(self, j: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Derivative of the screw of speed k by speed j of the same joint, in its link."""
        link = self.tree.links[self.parameters[k].link - 1]
        along = vector(int(link.v.start + i == j) for i in range(link.joint.nv))
        dS = link.joint.subspace_rate(self.tree.K, self.q[link.q], along)[:, k - link.v.start]
        return dS[:3], dS[3:]

    def _varying_term(self, i: Parameter, j: Parameter, dphi, dt):
        """Term of `Gamma_i,kj` from the change of phi_j and t_j along the speed k; GI.9."""
        change = np.hstack([skew(dphi), dt.reshape(3, 1)])
        if i.link <= j.link:
            G = self.G[i.link, j.link]
            X = self.poses[i.link, j.link]
            left = matrix([X.unrotate(c) for c in (i.tensor @ G).T]).T
        else:
            G = self.G[j.link, i.link].T  # GI.8
            X = self.poses[j.link, i.link]
            left = matrix([X.rotate(c) for c in (i.tensor @ G).T]).T
        return sum((left[r] @ change[r] for r in range(3)), start=0)  # GI.9

    @cached_property
    def non_holonomic(self) -> tuple[tuple[int, int], ...]:
        """Pairs j < k of speeds for which Schwarz's relation fails (pseudo-coordinates)."""
        return tuple(
            (k.v.start + i, k.v.start + j)
            for k in self.tree.links
            for i, j in pseudo_pairs(k.joint)
        )

    def report(self, names) -> str:
        """List of the pairs of speeds that are not holonomic, by name."""
        if not self.non_holonomic:
            return "every pair of speeds is holonomic"
        lines = [f"{names[j]}, {names[k]}" for j, k in self.non_holonomic]
        return "pairs of speeds that are not holonomic:\n  " + "\n  ".join(lines)

    @property
    def incidence(self) -> np.ndarray:
        """(nv, links): 1 where the body of a link moves with a speed, GI.12."""
        out = np.zeros((self.tree.nv, len(self.tree.links)), dtype=int)
        for k in self.tree.links:
            for up in self.tree.ancestors(k.index):
                out[up.v, k.index - 1] = 1
        return out

    @property
    def Gamma(self) -> np.ndarray:
        """(nv, nv, nv): `christoffel` as an array."""
        n = self.tree.nv
        out = np.zeros((n, n, n), dtype=object)
        for at, x in self.christoffel.items():
            out[at] = x
        return out

    def coriolis(self, v: np.ndarray) -> np.ndarray:
        """(nv, nv): Coriolis matrix `C_ik = sum_j Gamma_i,jk v_j`, GI.13."""
        n = self.tree.nv
        C = matrix(((0,) * n,) * n)
        for (i, j, k), x in self.christoffel.items():
            C[i, k] = C[i, k] + x * v[j]
        return C

    @cached_property
    def gravity(self) -> np.ndarray:
        """(nv,): generalized forces of gravity, GI.10."""
        out = vector([0] * self.tree.nv)
        for p in self.parameters:
            g = self.poses[0, p.link].unrotate(self.tree.gravity)
            out[p.speed] = g @ (p.tensor @ self.composite[p.link][:, 3])  # GI.10
        return out


def christoffel(tree: Tree, q: Any) -> np.ndarray:
    """(nv, nv, nv): Christoffel symbols `Gamma_i,jk`; j is the speed of differentiation."""
    if not (tree.rheonomic or tree.shared):
        return GlobalInertia(tree, q).Gamma
    rest = vector([0] * tree.nv)
    x = unfold_placements(tree, q, rest, rest)
    of = dict(zip(x.free_speeds, x.speeds, strict=True))
    out = np.zeros((tree.nv,) * 3, dtype=object)
    for entry, value in GlobalInertia(x.tree, x.q).christoffel.items():
        if all(i in of for i in entry):  # slices of a beam add up
            at = tuple(of[i] for i in entry)
            out[at] = out[at] + value
    return out


@lru_cache(maxsize=256)
def pseudo_pairs(joint) -> tuple[tuple[int, int], ...]:
    """Pairs i < j of a joint's speeds that are not holonomic, GI.11.

    The Lie bracket of their rate fields, `[N_i, N_j] = N_j' N_i - N_i' N_j`, vanishes everywhere if
    and only if second derivatives along both commute (Schwarz).  It is evaluated at generic
    positions.
    """
    if joint.holonomic:
        return ()
    rng, n = np.random.default_rng(17), joint.nv
    names = symbols(vector(joint.constants()))
    K, pairs = Floats(dict(zip(names, rng.uniform(0.5, 1.5, len(names)), strict=True))), set()
    for _ in range(SAMPLE_POSITIONS):
        q = rng.uniform(0.3, 1.2, joint.nq)
        if (i := joint.quaternion) is not None:
            q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
        units = np.eye(n, dtype=int).astype(object)
        N = [np.array(joint.rates(K, q, e), dtype=float) for e in units]
        for i, j in combinations(range(n), 2):
            ij, ji = (
                _rate_field_derivative(joint, K, q, N[a], units[b]) for a, b in ((i, j), (j, i))
            )  # GI.11
            size = abs(N[i]).max() * abs(N[j]).max() + abs(ij).max() + abs(ji).max()
            if abs(ij - ji).max() > 1e-9 * size:
                pairs.add((i, j))
    return tuple(sorted(pairs))


def _rate_field_derivative(joint, K: Any, q: np.ndarray, direction, unit) -> np.ndarray:
    """Directional derivative of the rate field of one speed."""
    jets = vector(Jet(K, x, d) for x, d in zip(q.tolist(), direction.tolist(), strict=True))
    return part(vector(joint.rates(Jets(K), jets, unit)), "d").astype(float)


def relations_within(link) -> list[tuple[int, int, str]]:
    """(j, k, relation) of the parameters of one joint."""
    joint, n = link.joint, link.joint.nv
    pairs = [(j, k) for j in range(n) for k in range(n) if j != k]
    if n < 2:
        return []
    if has_unordered_screws(joint):
        return [(j, k, "varies") for j, k in pairs]
    speed_type = joint.speeds_are
    if speed_type in ("rates", "vehicle"):
        order = _motion_order(joint)
        relations = {(j, k): "carries" if order[j] < order[k] else "carried" for j, k in pairs}
        if speed_type == "vehicle":
            relations |= {(j, k): "apart" for j, k in pairs if j >= 3}  # a body-axis translation
        return [(j, k, h) for (j, k), h in relations.items()]
    if speed_type == "body":  # all screws are fixed in the body
        return [(j, k, "carries") for j, k in pairs]
    if speed_type == "mixed":  # turns in the body, slides outside
        return [(j, k, "carries" if k < 3 else "apart") for j, k in pairs]
    # "world": all screws are fixed outside
    return [(j, k, "carried" if j < 3 and k < 3 else "apart") for j, k in pairs]


def has_unordered_screws(joint) -> bool:
    """Whether a joint of several speeds has no known order of its elementary motions."""
    speed_type = joint.speeds_are
    if speed_type in ("rates", "vehicle"):
        return joint.nv > 1 and not joint.steps()
    return speed_type not in ("body", "mixed", "world")


def _motion_order(joint) -> dict[int, int]:
    """Position of each speed of a joint in the order of its elementary motions."""
    if joint.holonomic:
        return {s.index: n for n, s in enumerate(joint.steps())}
    # their rates come first, then slides in the body
    rotations = [s for s in joint.steps() if s.turn]
    return {n: n for n in range(len(rotations))} | {3 + i: 3 + i for i in range(3)}


def screw_of(K: Any, pose, q: np.ndarray) -> tuple[Twist, Twist]:
    """Screw of a one-parameter motion from its pose, and the derivative of the screw.

    `pose(K, q)` is the pose of M in F, `q` a symbol of `K`, which must derive.  The screw and its
    derivative are in the axes of M, as `subspace` and `subspace_rate` of a complex joint.
    """
    K.need("derive", "the screw of a complex joint")
    X = pose(K, q)
    R, p = X.R, X.p

    def derived(x):
        return vector(K.derive(e, q) for e in x.ravel()).reshape(x.shape)

    dR, dp = derived(R), derived(p)
    screw = Twist(axial(R.T @ dR), R.T @ dp)
    return screw, Twist(derived(screw.angular), derived(screw.linear))


@formalism("global_inertia", needs)
@unfolding
def inverse_dynamics(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`."""
    I = GlobalInertia(tree, q)
    tau = I.a @ a - I.gravity
    for (i, j, k), x in I.christoffel.items():
        tau[i] = tau[i] + x * (v[j] * v[k])
    return tau
