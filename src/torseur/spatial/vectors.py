"""Three-vectors and 3 x 3 matrices as NumPy object arrays over any scalar."""

from fractions import Fraction

import numpy as np

from ..scalars import matrix, vector

HALF = Fraction(1, 2)  # exact in every scalar, where 1 / 2 is not
ZERO3 = vector((0, 0, 0))
ONE3 = matrix(((1, 0, 0), (0, 1, 0), (0, 0, 1)))
NO_SCREWS = matrix(((),) * 6)  # of what grants no motion, (6, 0)
for _constant in (ZERO3, ONE3, NO_SCREWS):
    _constant.flags.writeable = False


def none(a) -> bool:
    """Whether a vector is exactly zero by structure: plain integers, no scalar of any library."""
    return a is ZERO3 or all(type(x) is int and x == 0 for x in a)


def cross(a, b) -> np.ndarray:
    """Cross product.

    >>> cross((1, 0, 0), (0, 1, 0))
    array([0, 0, 1], dtype=object)
    """
    (ax, ay, az), (bx, by, bz) = a, b
    return vector((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def skew(a) -> np.ndarray:
    """Matrix of the cross product: `skew(a) @ b = cross(a, b)`."""
    x, y, z = a
    return matrix(((0, -z, y), (z, 0, -x), (-y, x, 0)))


def axial(T) -> np.ndarray:
    """Vector of a skew matrix; else of the skew part (`vec` of Fayet et al., 2005)."""
    return vector((T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1])) * HALF


def symmetric(six) -> np.ndarray:
    """3 x 3 matrix of its entries xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = six
    return matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def six(J) -> np.ndarray:
    """Entries xx, yy, zz, xy, xz, yz of a symmetric 3 x 3 matrix."""
    return vector((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
