"""Momenta and wrenches of links projected on the joint axes of all links towards the root.

Restricted Python for native code (`compiler/pyjit`).  All vectors have components in the axes of
one frame.  Those of a link are taken at its own origin, so that a step to the inboard link is one
cross product, and no number grows with the distance from the root.  Equations CB.3, KI.5, DF.14.

Integer table: numbers of links, paths and unknowns.  Of each link: its inboard link, its first
unknown, the end of its unknowns.  Of each path: its first link, its number of links, its
constraint row (-1: the momentum of an unknown, entries of the mass matrix), the end of the unknowns
of its first link, and the number of its products.
"""

from __future__ import annotations

from .schur_complement import doubles, longs

TREE_HEADER_LENGTH = 3  # integers before the tables
PATH_LENGTH = 5  # integers of a path


def project_on_joint_axes(layout_, index, requested_, inputs_, out_):
    """Products of joint axes with the wrench of each path, path by path (CB.3).

    Paths of rows that are not requested are skipped.  `inputs_`: axes (6 of an unknown), arm (3) of
    each link from its inboard link, armature of each unknown, and the wrench (6) at the start of
    each path.
    """
    layout, requested = longs(layout_), doubles(requested_)
    axes, out = doubles(inputs_), doubles(out_)
    links, paths, n = layout[0], layout[1], layout[2]
    inboard = layout[TREE_HEADER_LENGTH:]
    first, last = inboard[links:], inboard[2 * links :]
    table = inboard[3 * links :]
    arms = axes[6 * n :]
    armatures = arms[3 * links :]
    starts = armatures[n:]
    at = 0
    for w in range(paths):
        path = table[PATH_LENGTH * w :]
        row, count = path[2], path[4]
        is_requested = 1.0
        if row >= 0:
            is_requested = requested[row]
        if is_requested != 0.0:
            project_path(path, inboard, first, last, axes, arms, starts[6 * w :], out[at:])
            if row < 0:
                out[at + path[3] - 1 - first[path[0]]] += armatures[w]
        at = at + count


def project_path(path, inboard, first, last, axes, arms, start, out):
    """Products of joint axes with one wrench, shifted from link to link towards the root."""
    k, end, at = path[0], path[3], 0
    a, b, c = start[0], start[1], start[2]
    x, y, z = start[3], start[4], start[5]
    for i in range(path[1]):
        if i > 0:
            r = arms[3 * k :]
            a = a + (r[1] * z - r[2] * y)
            b = b + (r[2] * x - r[0] * z)
            c = c + (r[0] * y - r[1] * x)
            k = inboard[k]
            end = last[k]
        for j in range(first[k], end):
            s = axes[6 * j :]
            t = s[0] * a + s[1] * b + s[2] * c
            out[at] = t + (s[3] * x + s[4] * y + s[5] * z)
            at = at + 1
