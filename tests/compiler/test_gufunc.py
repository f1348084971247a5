"""A kernel is a NumPy gufunc: any leading axes, strides, byte order and overlap; no GIL."""

import gc
import signal
import threading
import time
import weakref

import casadi as ca
import numpy as np
import pytest

from torseur.compiler import Kernel
from torseur.compiler.runtime import machine
from torseur.compiler.runtime.machine import lanes


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")


def function(n=7):
    q, v, t = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("t")
    y = ca.vertcat(*[ca.sin(q[k]) * v[(k + 1) % n] + t * q[k - 1] for k in range(n)])
    M = ca.mtimes(q, v.T) + ca.diag(ca.cos(q))
    return ca.Function("f", [q, v, t], [y, M], ["q", "v", "t"], ["y", "M"])


def plain(q, v, t):
    q, v, t = np.asarray(q), np.asarray(v), np.asarray(t)[..., None]
    y = np.sin(q) * np.roll(v, -1, -1) + t * np.roll(q, 1, -1)
    M = q[..., :, None] * v[..., None, :] + np.cos(q)[..., None] * np.eye(q.shape[-1])
    return y, M


@pytest.fixture(scope="module", params=[1, 2, 3, 4, 7, 9])
def kernel(request):
    f = function(request.param)
    n = request.param
    made = Kernel("f", lambda: f, shapes={"t": (), "M": (n, n)})
    made.n = request.param
    return made


def inputs(n, *lead, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*lead, n)), rng.normal(size=(*lead, n)), rng.normal(size=lead)


def check(kernel, q, v, t, **options):
    got = kernel(q, v, t, **options)
    for g, w in zip(got, plain(q, v, t), strict=True):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=0, atol=20 * np.finfo(float).eps * 4)
    return got


def test_it_is_a_ufunc_with_frozen_dimensions(kernel):
    n = kernel.n
    assert isinstance(kernel.gufunc, np.ufunc)
    assert kernel.gufunc.signature == f"({n}),({n}),()->({n}),({n},{n})"
    assert kernel.gufunc.__name__ == "f"


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 64, 65])
def test_batches_of_any_length(kernel, count):
    check(kernel, *inputs(kernel.n, count))


def test_leading_axes_broadcast(kernel):
    n = kernel.n
    check(kernel, *inputs(n))
    check(kernel, *inputs(n, 3, 5))
    q, v, t = inputs(n, 4, 6)
    for args in [(q, v[0], t), (q[:, :1], v, t[0]), (q[0, 0], v, 0.5), (q, v[0, 0], t[:, :1])]:
        got = kernel(*args)
        shapes = np.broadcast_shapes(*(np.shape(a)[:-1] for a in args[:2]), np.shape(args[2]))
        full = [np.broadcast_to(a, (*shapes, n)) for a in args[:2]]
        want = plain(*full, np.broadcast_to(args[2], shapes))
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=0, atol=80 * np.finfo(float).eps)


def test_wrong_lengths_are_errors(kernel):
    n = kernel.n
    q, v, t = inputs(n, 5)
    with pytest.raises(ValueError, match="core dimension"):
        kernel(q[:, :-1] if n > 1 else np.ones((5, 2)), v, t)
    with pytest.raises(ValueError, match="core dimension"):
        kernel(np.ones((5, n + 1)), v, t)
    with pytest.raises(ValueError, match="broadcast"):
        kernel(q, v[:3], t)
    with pytest.raises(TypeError):
        kernel(q, v)
    with pytest.raises(TypeError):
        kernel(q * 1j, v, t)


def test_any_strides(kernel):
    n = kernel.n
    big = np.random.default_rng(1).normal(size=(4, 3 * n + 2, 60))
    views = [
        big[0, : 2 * n : 2, :19].T,  # neither axis tight
        big[0, n - 1 :: -1, 40:1:-2].T if n > 1 else big[0, :1, 40:1:-2].T,  # backwards
        np.asfortranarray(big[1, :n, :20].T),
        np.lib.stride_tricks.as_strided(big[2, 0], (19, n), (8, 8)),  # rows overlap
        np.lib.stride_tricks.as_strided(big[2, 0], (19, n), (0, 8)),
        np.lib.stride_tricks.as_strided(big[2, 0], (19, n), (8, 0)),
    ]
    for q in views:
        for v in views:
            m = min(len(q), len(v))
            check(kernel, q[:m], v[:m], big[3, 0, : 2 * m : 2])
            check(kernel, q[0], v[0], big[3, 0, 0])


def test_outputs_anywhere(kernel):
    n = kernel.n
    for lead in [(), (1,), (11,), (2, 5)]:
        q, v, t = inputs(n, *lead)
        y, M = np.empty((*lead, 2 * n)), np.empty((n, *lead, n + 1))
        y_view, M_view = y[..., ::-2], np.moveaxis(M, 0, -1)[..., 1:, :]
        got = check(kernel, q, v, t, out=(y_view, M_view))
        assert got[0] is y_view and got[1] is M_view
        want = plain(q, v, t)
        np.testing.assert_allclose(y_view, want[0], rtol=0, atol=80 * np.finfo(float).eps)
        np.testing.assert_allclose(M_view, want[1], rtol=0, atol=80 * np.finfo(float).eps)


def test_nothing_is_written_outside_the_output(kernel):
    n = kernel.n
    q, v, t = inputs(n, 13)
    y, M = np.full((15, n), 7.0), np.full((15, n, n), 7.0)
    kernel(q, v, t, out=(y[1:-1], M[1:-1]))
    for a in (y, M):
        assert (a[0] == 7).all() and (a[-1] == 7).all()


@pytest.mark.parametrize("kind", [">f8", "<f8", "f4", "i4", "?", ">i2"])
def test_other_types_and_byte_orders(kernel, kind):
    q, v, t = ((4 * a).astype(kind) for a in inputs(kernel.n, 10))
    want = kernel(q.astype(float), v.astype(float), t.astype(float))
    for g, w in zip(kernel(q, v, t), want, strict=True):
        np.testing.assert_array_equal(g, w)
    out = np.empty((10, kernel.n), ">f8"), np.empty((10, kernel.n, kernel.n), ">f8")
    for g, w in zip(kernel(q, v, t, out=out), want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_unaligned_arrays(kernel):
    q, v, t = inputs(kernel.n, 10)
    raw = np.zeros(q.nbytes + 1, np.uint8)
    odd = raw[1:].view(float).reshape(q.shape)
    odd[...] = q
    assert not odd.flags.aligned
    check(kernel, odd, v, t)


def test_overlapping_arrays(kernel):
    n = kernel.n
    q, v, t = inputs(n, 21)
    want = kernel(q, v, t)[0]
    for shift in (0, 1, 3):
        store = np.empty((24, n))
        store[:21] = q
        got = kernel(store[:21], v, t, out=(store[shift : shift + 21], None))[0]
        np.testing.assert_array_equal(got, want)
    line = np.concatenate([q.ravel(), np.zeros(4)])
    target = line[1 : 1 + 21 * n].reshape(21, n)
    np.testing.assert_array_equal(
        kernel(line[: 21 * n].reshape(21, n), v, t, out=(target, None))[0], want
    )
    one = q[0].copy()
    np.testing.assert_array_equal(kernel(one, v[0], t[0], out=(one, None))[0], want[0])


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("fused", [True, False])
def test_other_machines(monkeypatch, width, fused):
    """Lanes of other machines: LLVM splits what is too wide for this one."""
    if fused and not machine.has_fma():
        pytest.skip("no fused multiply-add here")
    monkeypatch.setattr(machine, "lanes", lambda: width)
    monkeypatch.setattr(machine, "has_fma", lambda: fused)
    for n in (1, 4, 7, 9):
        f = function(n)
        kernel = Kernel("f", lambda f=f: f, shapes={"t": (), "M": (n, n)})
        for count in (1, 2, width - 1, width, width + 1, 3 * width, 3 * width + 2):
            q, v, t = inputs(n, count)
            check(kernel, q, v, t)
            check(kernel, np.asfortranarray(q), v[::-1], t)


def test_lists_and_scalars_are_taken(kernel):
    check(kernel, [0.5] * kernel.n, [1] * kernel.n, 2)


def test_padding_lanes_raise_no_warning():
    q = ca.SX.sym("q", 2)
    f = ca.Function("f", [q], [1 / q, ca.sqrt(q)], ["q"], ["a", "b"])
    kernel = Kernel("f", lambda: f)
    with np.errstate(all="raise"):
        for n in range(1, 2 * lanes() + 2):
            kernel(np.ones((n, 2)))
        with pytest.raises(FloatingPointError):
            kernel(np.zeros((lanes() + 1, 2)))
    with np.errstate(all="ignore"):
        assert np.isinf(kernel(np.zeros((3, 2)))[0]).all()


def test_results_are_those_of_many_threads_at_once():
    f = function(7)
    kernel = Kernel("f", lambda: f, shapes={"t": ()})
    args = inputs(7, 4000)
    results, start = [None] * 6, threading.Barrier(6)

    def work(k):
        start.wait()  # all reach the first, uncompiled call together
        for _ in range(3):
            results[k] = kernel(*args)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    want = kernel(*args)
    for r in results:
        np.testing.assert_array_equal(r[0], want[0])
        np.testing.assert_array_equal(r[1], want[1])


def test_the_gil_is_released():
    """Another thread counts while one call runs."""
    f = function(9)
    kernel = Kernel("f", lambda: f, shapes={"t": ()})
    q, v, t = inputs(9, 200_000)
    kernel(q[:9], v[:9], t[:9])
    out = np.empty((200_000, 9)), np.empty((200_000, 9, 9))
    inside, counted, ended = threading.Event(), [0], threading.Event()

    def count():
        inside.set()
        while not ended.is_set():
            counted[0] += 1

    other = threading.Thread(target=count)
    other.start()
    inside.wait()
    before = counted[0]
    for _ in range(5):
        kernel(q, v, t, out=out)
    after = counted[0]
    ended.set()
    other.join()
    assert after - before > 100


def test_a_gufunc_outlives_its_kernel_and_then_frees_its_code():
    f = function(3)
    kernel = Kernel("f", lambda: f, shapes={"t": ()})
    gufunc = kernel.gufunc
    code = weakref.ref(kernel._compiled())
    args = inputs(3, 20)
    want = kernel(*args)
    del kernel
    gc.collect()
    for g, w in zip(gufunc(*args), want, strict=True):
        np.testing.assert_array_equal(g, w)
    assert code() is not None
    del gufunc
    gc.collect()
    assert code() is None


# ports without elements -----------------------------------------------------------------


def test_empty_ports():
    q, p = ca.SX.sym("q", 0), ca.SX.sym("p", 2)
    f = ca.Function("f", [q, p], [q, 2 * p, ca.SX(0, 0)], ["q", "p"], ["a", "b", "M"])
    kernel = Kernel("f", lambda: f, shapes={"M": (0, 0)})
    for lead in [(), (1,), (5,), (2, 3)]:
        a, b, M = kernel(np.zeros((*lead, 0)), np.ones((*lead, 2)))
        assert a.shape == (*lead, 0) and M.shape == (*lead, 0, 0)
        np.testing.assert_array_equal(b, np.full((*lead, 2), 2.0))
    a, b, M = kernel(np.zeros((4, 0)), np.ones(2))
    assert b.shape == (4, 2) and a.shape == (4, 0)
    with pytest.raises(ValueError, match=r"q has shape \(1,\); it must end in \(0,\)"):
        kernel(np.zeros(1), np.ones(2))


def test_nothing_in():
    q = ca.SX.sym("q", 0)
    f = ca.Function("f", [q], [ca.SX.eye(2) * 3], ["q"], ["M"])
    kernel = Kernel("f", lambda: f)
    assert kernel(np.zeros(0)).tolist() == [[3, 0], [0, 3]]
    assert kernel(np.zeros((4, 0))).shape == (4, 2, 2)
    assert kernel(np.zeros((4, 0)), out=np.empty((4, 2, 2)))[3, 1, 1] == 3


def test_nothing_out():
    q = ca.SX.sym("q", 0)
    kernel = Kernel("f", lambda: ca.Function("f", [q], [q], ["q"], ["tau"]))
    assert kernel(np.zeros((4, 0))).shape == (4, 0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_batch_still_works_when_lanes_cannot_be_made(monkeypatch):
    """The loop asks once, then goes row by row: slower, never wrong."""
    f = function(3)
    kernel = Kernel("f", lambda: f, shapes={"t": ()})
    asked = []

    def fail(self):
        asked.append(1)
        raise MemoryError("no lanes today")

    monkeypatch.setattr(Kernel, "_prepare", fail)
    for _ in range(2):
        check(kernel, *inputs(3, 2 * lanes() + 1))
    assert asked == [1]


def test_a_ctrl_c_while_lanes_are_made_is_not_lost(monkeypatch):
    """It comes out of the call or right after it, and the next batch makes the lanes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    kernel = Kernel("f", lambda: function(2), shapes={"t": (), "M": (2, 2)})
    q, t = np.full((40, 2), 0.3), np.zeros(40)
    prepare, asked = kernel._prepare, []

    def pressed():
        asked.append(1)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return prepare()

    monkeypatch.setattr(kernel, "_prepare", pressed)
    try:
        with pytest.raises(KeyboardInterrupt):
            kernel(q, q, t)
            for _ in range(1000):
                time.sleep(0.01)
    finally:
        signal.signal(signal.SIGINT, before)
    np.testing.assert_allclose(kernel(q, q, t)[0], plain(q, q, t)[0], rtol=1e-14)
    kernel(q, q, t)
    assert len(asked) == 2
