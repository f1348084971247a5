"""Dormand-Prince method 5(4), DOPRI5 (Hairer, Norsett and Wanner 1993, II.5 and II.6)."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from ..record import EXPLICIT
from ..register import Method, hermite_weights, method, tableau_from_rows


@method
def dopri5() -> Method:
    """Order five, with an error estimate of order four and dense output of order four."""
    rows = [
        (),
        (F(1, 5),),
        (F(3, 40), F(9, 40)),
        (F(44, 45), F(-56, 15), F(32, 9)),
        (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
        (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
        (F(35, 384), 0, F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)),
    ]
    A = tableau_from_rows(rows, 7)
    B = A[-1].copy()
    fourth = [
        F(5179, 57600),
        0,
        F(7571, 16695),
        F(393, 640),
        F(-92097, 339200),
        F(187, 2100),
        F(1, 40),
    ]
    E = np.array([B - np.array(fourth, float), np.zeros(7)])
    # dense output: cubic Hermite plus theta^2 (1 - theta)^2 times a further vector
    fifth = np.array(
        [
            F(-12715105075, 11282082432),
            0,
            F(87487479700, 32700410799),
            F(-10690763975, 1880347072),
            F(701980252875, 199316789632),
            F(-1453857185, 822651844),
            F(69997945, 29380423),
        ],
        float,
    )
    P = np.zeros((7, 4))
    P[:, :3] = hermite_weights(B, 6)
    P += np.outer(fifth, (0.0, 1.0, -2.0, 1.0))
    return Method(
        "dopri5",
        5,
        EXPLICIT,
        A,
        np.array([0, 0.2, 0.3, 0.8, 8 / 9, 1, 1]),
        B,
        P,
        E,
        stages=7,
        error_exponent=0.2,
        pi_exponent=0.04,
        description="Dormand-Prince 5(4), adaptive, interpolant of order 4",
    )
