"""Global inertia tensors (after Fayet et al., 2005): 4 x 4, kinetic, Christoffel symbols.

Parameter i moves every point M outboard of its joint by `t_i + phi_i x OM`; its geometric tensor is
the 3 x 4 matrix `[skew(phi_i), t_i]`.  With the global inertia tensor `G_ij` of what both move, the
kinetic tensor `K_ij = S_i G_ij S_j^T` gives the mass matrix by its trace and the Christoffel
symbols by its axial vector.  Parameters may be pseudo-coordinates: `Gamma_i,jk` then differs from
`Gamma_i,kj` and is never symmetrized.  Theory: GI.1 to GI.13.
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
from .unfolded_placements import unfolded, unfolding

needs: frozenset[str] = frozenset()
POSITIONS = 3  # of a joint that decide for all of them


class Parameter(NamedTuple):
    """One speed: its screw at the origin of its link, components there, and how that varies."""

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
    """Every tensor of one configuration, computed when asked for.

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
            if k.joint.nv == 1 or unordered(k.joint):
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
            for (i, j), up in list(out.items()):
                if j == k.parent and i != j:
                    out[i, k.index] = up @ X
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
            below = k.index
            for up in list(self.tree.ancestors(k.parent)):
                D = self.poses[up.index, below].matrix()
                out[up.index, k.index] = D @ out[below, k.index]  # GI.3
                below = up.index
        return out

    @cached_property
    def K(self) -> dict[tuple[int, int], np.ndarray]:
        """Kinetic tensor `K_ij` of each pair of speeds on one branch, in the outboard link."""
        out: dict[tuple[int, int], np.ndarray] = {}
        mine: dict[int, list[Parameter]] = {}
        for p in self.parameters:
            mine.setdefault(p.link, []).append(p)
        for (l, m), G in self.G.items():
            R = self.poses[l, m]
            for i in mine.get(l, ()):
                left = matrix([R.unrotate(c) for c in (i.tensor @ G).T]).T
                for j in mine.get(m, ()):
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

    def _turned(self, p: Parameter, link: int) -> np.ndarray:
        """phi of a parameter in the axes of a link outboard of it."""
        return self.poses[p.link, link].unrotate(p.phi)

    @cached_property
    def relations(self) -> dict[tuple[int, int], str]:
        """How parameter j acts on the screw of parameter k, for each pair on one branch.

        "carries": the screw of k moves with j; "carried": the screw of j moves with k, and not
        conversely; "apart": neither moves the other's points of view (a zero second derivative);
        "varies": the screw of k moves with j and changes besides.
        """
        out = {}
        for k in self.tree.links:
            for j, i, how in within(k):
                out[k.v.start + j, k.v.start + i] = how
            for up in self.tree.ancestors(k.parent):
                for j in range(up.v.start, up.v.stop):
                    for i in range(k.v.start, k.v.stop):
                        out[j, i], out[i, j] = "carries", "carried"
        return out

    @cached_property
    def christoffel(self) -> dict[tuple[int, int, int], object]:
        """Non-zero `Gamma_i,jk`, the second index being the one that differentiates."""
        P, n = self.parameters, self.tree.nv
        related: dict[int, list[int]] = {}
        for i, k in self.K:
            related.setdefault(k, []).append(i)
        twice = {}
        for i, k in self.K:  # 2 vec of K_ik, and its link
            twice[i, k] = (2 * axial(self.K[i, k]), max(P[i].link, P[k].link))
        out = {}
        for (j, k), how in self.relations.items():
            lead, other = (j, k) if how in ("carries", "varies") else (k, j)
            if how == "apart":
                continue
            change = self._change(j, k) if how == "varies" else None
            for i in related[other]:
                if (i, lead) in self.K:
                    vec, link = twice[i, other]
                    out[i, j, k] = self._turned(P[lead], max(link, P[lead].link)) @ self._in(
                        vec, link, P[lead].link
                    )  # GI.6
                    if change is not None:
                        out[i, j, k] = out[i, j, k] + self._varying(P[i], P[k], *change)
        for j in range(n):
            for i in related[j]:
                vec, link = twice[i, j]
                x = self._turned(P[j], link) @ vec  # GI.7
                if P[j].varies:
                    x = x + self._varying(P[i], P[j], P[j].dphi, P[j].dt)
                out[i, j, j] = x
        return {at: x for at, x in out.items() if not (isinstance(x, int) and x == 0)}

    def _in(self, x, link: int, other: int):
        """Components of a vector, known in `link`, in the outermost of two links on a branch."""
        return x if other <= link else self.poses[link, other].unrotate(x)

    def _change(self, j: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """How the screw of speed k changes along speed j of one joint, components in its link."""
        link = self.tree.links[self.parameters[k].link - 1]
        along = vector(int(link.v.start + i == j) for i in range(link.joint.nv))
        dS = link.joint.subspace_rate(self.tree.K, self.q[link.q], along)[:, k - link.v.start]
        return dS[:3], dS[3:]

    def _varying(self, i: Parameter, j: Parameter, dphi, dt):
        """What a change of phi_j and t_j along a motion k adds to `Gamma_i,kj`."""
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
        """Pairs j < k of speeds for which Schwarz's relation fails: pseudo-parameters."""
        return tuple(
            (k.v.start + i, k.v.start + j)
            for k in self.tree.links
            for i, j in pseudo_pairs(k.joint)
        )

    def report(self, names) -> str:
        """Which pairs of speeds are holonomic, in the system's names."""
        if not self.non_holonomic:
            return "every pair of speeds is holonomic"
        lines = [f"{names[j]}, {names[k]}" for j, k in self.non_holonomic]
        return "pairs of speeds that are not holonomic:\n  " + "\n  ".join(lines)

    @property
    def incidence(self) -> np.ndarray:
        """`P`: 1 where the body of a link moves with a speed, shape (nv, links) (GI.12)."""
        out = np.zeros((self.tree.nv, len(self.tree.links)), dtype=int)
        for k in self.tree.links:
            for up in self.tree.ancestors(k.index):
                out[up.v, k.index - 1] = 1
        return out

    @property
    def Gamma(self) -> np.ndarray:
        """`christoffel` as an array, shape (nv, nv, nv)."""
        n = self.tree.nv
        out = np.zeros((n, n, n), dtype=object)
        for at, x in self.christoffel.items():
            out[at] = x
        return out

    def coriolis(self, v) -> np.ndarray:
        """`C(q, v)`, `C_ik = sum_j Gamma_i,jk v_j`: `C v` are the products of speeds (GI.13)."""
        n = self.tree.nv
        C = matrix(((0,) * n,) * n)
        for (i, j, k), x in self.christoffel.items():
            C[i, k] = C[i, k] + x * v[j]
        return C

    @cached_property
    def gravity(self) -> np.ndarray:
        """Generalized forces of gravity, shape (nv,)."""
        out = vector([0] * self.tree.nv)
        for p in self.parameters:
            g = self.poses[0, p.link].unrotate(self.tree.gravity)
            out[p.speed] = g @ (p.tensor @ self.composite[p.link][:, 3])  # GI.10
        return out


def christoffel(tree: Tree, q: Any) -> np.ndarray:
    """`Gamma_i,jk` of the speeds, shape (nv, nv, nv); j is the one that differentiates."""
    if not (tree.rheonomic or tree.shared):
        return GlobalInertia(tree, q).Gamma
    rest = vector([0] * tree.nv)
    x = unfolded(tree, q, rest, rest)
    of = dict(zip(x.own, x.speeds, strict=True))
    out = np.zeros((tree.nv,) * 3, dtype=object)
    for entry, value in GlobalInertia(x.tree, x.q).christoffel.items():
        if all(i in of for i in entry):  # slices of a beam add up
            at = tuple(of[i] for i in entry)
            out[at] = out[at] + value
    return out


@lru_cache(maxsize=256)
def pseudo_pairs(joint) -> tuple[tuple[int, int], ...]:
    """Pairs i < j of a joint's speeds that are no rates of two coordinates together.

    By the bracket of their rate fields, `[N_i, N_j] = N_j' N_i - N_i' N_j`, at generic positions:
    it vanishes everywhere if and only if second derivatives along both commute (Schwarz).
    """
    if joint.holonomic:
        return ()
    rng, n = np.random.default_rng(17), joint.nv
    names = symbols(vector(joint.constants()))
    K, found = Floats(dict(zip(names, rng.uniform(0.5, 1.5, len(names)), strict=True))), set()
    for _ in range(POSITIONS):
        q = rng.uniform(0.3, 1.2, joint.nq)
        if (i := joint.quaternion) is not None:
            q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
        units = np.eye(n, dtype=int).astype(object)
        N = [np.array(joint.rates(K, q, e), dtype=float) for e in units]
        for i, j in combinations(range(n), 2):
            forth, back = (
                _along(joint, K, q, N[a], units[b]) for a, b in ((i, j), (j, i))
            )  # GI.11
            size = abs(N[i]).max() * abs(N[j]).max() + abs(forth).max() + abs(back).max()
            if abs(forth - back).max() > 1e-9 * size:
                found.add((i, j))
    return tuple(sorted(found))


def _along(joint, K, q, way, unit) -> np.ndarray:
    """The change of the rate field of one speed along a way."""
    moved = vector(Jet(K, x, d) for x, d in zip(q.tolist(), way.tolist(), strict=True))
    return part(vector(joint.rates(Jets(K), moved, unit)), "d").astype(float)


def within(link) -> list[tuple[int, int, str]]:
    """(j, k, relation) of the parameters of one joint."""
    joint, n = link.joint, link.joint.nv
    both = [(j, k) for j in range(n) for k in range(n) if j != k]
    if n < 2:
        return []
    if unordered(joint):
        return [(j, k, "varies") for j, k in both]
    kind = joint.speeds_are
    if kind in ("rates", "vehicle"):
        order = _order(joint)
        how = {(j, k): "carries" if order[j] < order[k] else "carried" for j, k in both}
        if kind == "vehicle":
            how |= {(j, k): "apart" for j, k in both if j >= 3}  # a body-axis translation
        return [(j, k, h) for (j, k), h in how.items()]
    if kind == "body":  # all screws are fixed in the body
        return [(j, k, "carries") for j, k in both]
    if kind == "mixed":  # turns in the body, slides outside
        return [(j, k, "carries" if k < 3 else "apart") for j, k in both]
    # "world": all screws are fixed outside
    return [(j, k, "carried" if j < 3 and k < 3 else "apart") for j, k in both]


def unordered(joint) -> bool:
    """Whether a joint of several speeds does not say which of its screws moves with which."""
    kind = joint.speeds_are
    if kind in ("rates", "vehicle"):
        return joint.nv > 1 and not joint.steps()
    return kind not in ("body", "mixed", "world")


def _order(joint) -> dict[int, int]:
    """Place of each speed of a joint among its successive motions."""
    if joint.holonomic:
        return {s.index: n for n, s in enumerate(joint.steps())}
    turns = [s for s in joint.steps() if s.turn]  # their rates come first, then slides in the body
    return {n: n for n in range(len(turns))} | {3 + i: 3 + i for i in range(3)}


def screw_of(K, pose, q) -> tuple[Twist, Twist]:
    """Screw of a one-parameter motion given by its pose only, and its derivative.

    `pose(K, q)` is the pose of M in F, `q` a symbol of `K`, which must derive.  The screw and its
    derivative are components in M: what `subspace` and `subspace_rate` of a complex joint need.
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
def inverse_dynamics(tree, q, v, a) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    I = GlobalInertia(tree, q)
    tau = I.a @ a - I.gravity
    for (i, j, k), x in I.christoffel.items():
        tau[i] = tau[i] + x * (v[j] * v[k])
    return tau
