"""Inverse dynamics of revolute chains and trees in bare CasADi, to time kernels without the rest."""

import casadi as ca
import numpy as np


def arm(n: int = 7, seed: int = 1, branching: bool = False) -> list[dict]:
    """Random links whose frames turn by quarter turns, as those of most arms do."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        quarter = (-1.0) ** i * (i > 0)
        c, s = (0.0, quarter) if quarter else (1.0, 0.0)
        factor = rng.normal(size=(3, 3))
        links.append({
            "parent": int(rng.integers(max(0, i - 4), i)) if branching and i > 1 else i - 1,
            "R": np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]),
            "p": np.array([0.0, 0.0, 0.3]) if i % 2 == 0 else np.array([0.0, 0.35, 0.0]),
            "m": rng.uniform(0.5, 4.0),
            "c": rng.normal(size=3) * 0.1,
            "I": factor @ factor.T * 0.01 + 0.02 * np.eye(3),
        })
    return links


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def _times(A, x):
    def term(a, y):
        if a == 0.0:
            return ca.SX(0)
        return y if a == 1.0 else -y if a == -1.0 else a * y

    return [sum((term(A[i][j], x[j]) for j in range(3)), ca.SX(0)) for i in range(3)]


def inverse_dynamics(links: list[dict], gravity: float = 9.81) -> ca.Function:
    """`tau(q, v, a)` by Newton and Euler's recursion, one matrix U for each body."""
    n = len(links)
    q, v, a = (ca.SX.sym(s, n) for s in "qva")
    nothing = [ca.SX(0)] * 3
    w, wd, U, acc, f, nn, turn = {}, {}, {}, {}, {}, {}, {}
    w[-1] = wd[-1] = nothing
    acc[-1] = [ca.SX(0), ca.SX(0), ca.SX(gravity)]
    U[-1] = [[ca.SX(0)] * 3] * 3
    for i, link in enumerate(links):
        s, c = ca.sin(q[i]), ca.cos(q[i])
        turn[i] = (s, c)

        def down(x, s=s, c=c, R=link["R"]):
            y = _times(R.T, x)
            return [c * y[0] + s * y[1], c * y[1] - s * y[0], y[2]]

        k = link["parent"]
        wp, wdp = down(w[k]), down(wd[k])
        w[i] = [wp[0], wp[1], wp[2] + v[i]]
        wd[i] = [wdp[0] + wp[1] * v[i], wdp[1] - wp[0] * v[i], wdp[2] + a[i]]
        x, y, z = w[i]
        X, Y, Z = wd[i]
        xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
        U[i] = [[-yy - zz, xy - Z, xz + Y], [xy + Z, -xx - zz, yz - X], [xz - Y, yz + X, -xx - yy]]
        p = link["p"]
        acc[i] = down(_plus(acc[k], [sum(U[k][r][j] * p[j] for j in range(3) if p[j]) for r in range(3)]))
        m, mc = link["m"], link["m"] * link["c"]
        J = link["I"] + link["m"] * (link["c"] @ link["c"] * np.eye(3) - np.outer(link["c"], link["c"]))
        f[i] = [m * acc[i][r] + sum(U[i][r][j] * mc[j] for j in range(3)) for r in range(3)]
        Jxx, Jyy, Jzz, Jxy, Jxz, Jyz = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
        Ui = U[i]
        euler = [
            Jxx * X + (Jzz - Jyy) * yz + Jxy * Ui[2][0] * -1 - Jxz * Ui[1][0] * -1 + Jyz * (yy - zz) * -1,
            Jyy * Y + (Jxx - Jzz) * xz - Jyz * Ui[0][1] * -1 + Jxy * Ui[2][1] + Jxz * (xx - zz),
            Jzz * Z + (Jyy - Jxx) * xy + Jxz * Ui[1][2] * -1 + Jyz * Ui[0][2] + Jxy * (yy - xx),
        ]
        # written out and tested against Pinocchio: w x J w + J wd
        euler = _plus(
            [sum(J[r, j] * wd[i][j] for j in range(3)) for r in range(3)],
            [
                (Jzz - Jyy) * yz + Jyz * (yy - zz) + Jxz * xy - Jxy * xz,
                (Jxx - Jzz) * xz + Jxz * (zz - xx) + Jxy * yz - Jyz * xy,
                (Jyy - Jxx) * xy + Jxy * (xx - yy) + Jyz * xz - Jxz * yz,
            ],
        )
        nn[i] = _plus(euler, _cross(mc, acc[i]))
    tau = [None] * n
    for i in reversed(range(n)):
        link, (s, c) = links[i], turn[i]
        tau[i] = nn[i][2]
        k = link["parent"]
        if k < 0:
            continue

        def up(x, s=s, c=c, R=link["R"]):
            return _times(R, [c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]])

        F = up(f[i])
        p = link["p"]
        arm_ = [
            sum(t) if (t := [sg * p[j] * F[l] for sg, j, l in row if p[j]]) else ca.SX(0)
            for row in ([(1, 1, 2), (-1, 2, 1)], [(1, 2, 0), (-1, 0, 2)], [(1, 0, 1), (-1, 1, 0)])
        ]
        f[k] = _plus(f[k], F)
        nn[k] = _plus(nn[k], _plus(up(nn[i]), arm_))
    return ca.Function("inverse_dynamics", [q, v, a], [ca.vertcat(*tau)], ["q", "v", "a"], ["tau"])


def mass_matrix(links: list[dict]) -> ca.Function:
    """`M(q)`, from the inverse dynamics: a stand-in with the right pattern, not the best count."""
    f = inverse_dynamics(links, gravity=0.0)
    n = len(links)
    q, a = ca.SX.sym("q", n), ca.SX.sym("a", n)
    tau = f(q, ca.SX.zeros(n), a)
    return ca.Function("mass_matrix", [q], [ca.jacobian(tau, a)], ["q"], ["M"])


def to_pinocchio(links: list[dict]):
    """The same tree as a Pinocchio model."""
    import pinocchio as pin

    model = pin.Model()
    ids = {-1: 0}
    for i, link in enumerate(links):
        place = pin.SE3(link["R"], link["p"])
        ids[i] = model.addJoint(ids[link["parent"]], pin.JointModelRZ(), place, f"j{i}")
        body = pin.Inertia(link["m"], link["c"], link["I"])
        model.appendBodyToJoint(ids[i], body, pin.SE3.Identity())
    model.gravity.linear = np.array([0, 0, -9.81])
    return model


def to_file(links: list[dict], path) -> None:
    """The same tree as the text that `pinocchio_speed.cpp` reads."""
    with open(path, "w") as file:
        print(len(links), file=file)
        for link in links:
            numbers = [link["parent"], 0, *link["R"].ravel(), *link["p"], link["m"], *link["c"]]
            print(*numbers, *link["I"].ravel(), file=file)
