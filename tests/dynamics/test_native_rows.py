"""Native loops over rows that switch: as Python text and as machine code, against NumPy."""

import ctypes

import numpy as np
import pytest

from torseur.dynamics.contact.native import LIBRARY, schur_complement

N, M, CONES = 8, 9, ((3, 2, 0), (5, 2, 1), (7, 2, -1))  # three contacts, two frictions on them


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(4)
    B, J = rng.normal(size=(N, N)), rng.normal(size=(M, N))
    A, J[:, 1] = B @ B.T + N * np.eye(N), 0
    upper = [(i, j) for i in range(N) for j in range(i, N)]
    rows = [(i, j) for i in range(M) for j in range(N) if J[i, j]]
    owners = [0, 1, 2, 3, 3, 4, 4, 5, 5]
    words = [N, M, len(CONES), len(upper), len(rows), *(i * N + j for i, j in upper)]
    words += [x for e in rows for x in e] + owners + [x for e in CONES for x in e]
    right, lack = rng.normal(size=N), rng.normal(size=M)
    given = [*(A[e] for e in upper), *(J[e] for e in rows), *right, *lack]
    return np.array(words), np.array(given), A, J, right, lack


def both(name, words, way, arrays, size):
    """What the text and its machine code give; neither writes behind its end."""
    found = []
    for native in (False, True):
        out = np.full(size + 4, np.nan)
        if native:
            kinds = [ctypes.c_int64] * (3 + len(arrays))
            f = ctypes.CFUNCTYPE(None, *kinds)(LIBRARY.code[name])
            f(words.ctypes.data, way, *(x.ctypes.data for x in arrays), out.ctypes.data)
        else:
            getattr(schur_complement, name)(words, way, *arrays, out)
        assert np.isnan(out[size:]).all()
        found.append(out[:size])
    return found


def block_of(case, wanted):
    words, given = case[:2]
    size = N + 2 * M + M * M + N * N + N + 1 + M + N * M + M
    entries, given = np.split(given, [words[3] + words[4]])
    return both("assemble_delassus", words, 0, [entries, np.append(given, wanted)], size)


def test_a_block_is_what_its_matrix_and_rows_say(case):
    words, _, A, J, right, lack = case
    wanted = np.array([1.0, 0, 1, 1, 1, 0, 0, 1, 1])
    some = np.flatnonzero(wanted)
    for block in block_of(case, wanted):
        x, free, mu = block[:N], block[N : N + M], block[N + M : N + 2 * M]
        G = block[N + 2 * M :][: M * M].reshape(M, M)
        assert np.allclose(x, np.linalg.solve(A, right), rtol=1e-13)
        assert np.allclose(free[some], (J @ x - lack)[some], rtol=1e-12)
        assert np.allclose(
            G[np.ix_(some, some)], (J @ np.linalg.solve(A, J.T))[np.ix_(some, some)], rtol=1e-12
        )
        own = (J**2 / np.diag(A)).sum(axis=1) * schur_complement.PROXIMAL_COMPLIANCE
        assert np.allclose(mu[[0, 2]], own[[0, 2]]) and np.allclose(mu[3:5], own[3:5].mean())
        f = wanted * np.arange(1.0, 1 + M)
        for out in both("solve_mass_matrix", words, 0, [block, f], N):
            assert np.allclose(out, np.linalg.solve(A, J.T @ f), rtol=1e-12)


def test_forces_hold_rows_and_lie_on_cones(case):
    """Rows that hold have the rate that is wanted; cones are in proportion to what presses them."""
    words, _, A, J, _, _ = case
    (block, _), G = block_of(case, np.ones(M)), J @ np.linalg.solve(A, J.T)
    on = np.array([1.0, 1, 0, 0, 0, 1, 1, 0, 0])  # the first friction and the third slide
    along = np.array([0, 0, 0, 0.6, 0.8, 0, 0, 0, -1.0])
    free = -np.abs(np.random.default_rng(1).normal(size=M)) - 1
    target, low = 0.1 * np.arange(M), np.array([0.05, 0.3, 0.7])
    shares = on * np.random.default_rng(3).normal(size=M)  # rows determine them: no effect
    given, c = np.concatenate([on, along, free, target, low, shares]), len(CONES)
    for out in both(
        "solve_row_forces", words, 3, [block, given], 5 * M + 3 * c + c * M + c * c + M * M
    ):
        lam, size = out[:M], out[M : M + c]
        hold = on > 0
        assert lam[0] > 0 and np.allclose(size, [0.05 * lam[0], 0, 0.7], rtol=1e-12)
        assert np.allclose((free + G @ lam)[hold], target[hold], rtol=0, atol=1e-13)
        assert np.allclose(lam[3:5], -along[3:5] * size[0]) and lam[2] == lam[7] == 0
        assert lam[8] == 0.7
    for x in both(
        "solve_active_rows", words, 3, [block, np.append(on, target - free)], 5 * M + M * M
    ):
        assert np.allclose((free + G @ x[:M])[hold], target[hold], rtol=0, atol=1e-13)
        assert not x[:M][~hold].any()
    for x in both("multiply_delassus", words, 0, [block, lam], M):
        assert np.allclose(x, G @ lam, rtol=1e-12)


def test_what_a_cone_that_lets_go_leaves(case):
    """Its own rows are free, the others hold: by the same equation, solved densely."""
    words, _, A, J, _, _ = case
    (block, _), G = block_of(case, np.ones(M)), J @ np.linalg.solve(A, J.T)
    on = np.array([1.0, 1, 0, 1, 1, 1, 1, 0, 0])
    rng = np.random.default_rng(2)
    lam, free = rng.normal(size=(2, M))
    hold, own = [0, 1, 5, 6], [3, 4]
    kept = lam * (1 - on)
    S = G[np.ix_(hold, hold)]
    kept[hold] = np.linalg.solve(S, -(free + G @ kept)[hold])
    units = np.zeros((2, M))
    for k, j in enumerate(own):
        units[k, j], units[k, hold] = 1, np.linalg.solve(S, -G[hold, j])
    want = [*(free + G @ kept)[own], *(G @ units.T)[own].ravel(), kept[0], *units[:, 0]]
    given = np.concatenate([on, lam, free, 0 * free, [1.0]])
    for out in both("reduce_to_friction", words, 0, [block, given], 9 + 6 * M + M * M):
        assert np.allclose(out[:9], want, rtol=1e-8, atol=1e-8)  # rows are soft by 1e-10
    given[-1] = 0
    for out in both("reduce_to_friction", words, 0, [block, given], 9 + 6 * M + M * M):
        assert out[:9].tolist() == [1, 0, 1, 0, 0, 1, 0, 0, 0]  # nothing is singular
