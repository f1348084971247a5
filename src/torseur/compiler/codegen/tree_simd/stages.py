"""Stages of SIMD kernels over the tree: links, and pairs of joints, are the lanes.

Numbers between the stages are arrays of rows with one number for each lane.  A stage is straight-
line code over whole arrays, one program for every lane, one program for pairs of lanes, or a
sequence of packs along the tree.  The code is short and stays in the instruction cache. Theory:
DE.10 to DE.15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ...program.program import Program


@dataclass(frozen=True)
class Straight:
    """Straight-line code, once.  Its ports are whole arrays."""

    program: Program


@dataclass(frozen=True)
class LaneStage:
    """One program for every lane.  The elements of its ports are rows of arrays."""

    program: Program


@dataclass(frozen=True)
class LaneRows:
    """Port that reads rows of an array at the lanes of a pack."""

    array: str


@dataclass(frozen=True)
class ContiguousNumbers:
    """Port that reads contiguous numbers of an array from `first` on."""

    array: str
    first: int


@dataclass(frozen=True)
class AllLanes:
    """Port that reads numbers of an array, the same in every lane."""

    array: str


@dataclass(frozen=True)
class OneLane:
    """Port that reads rows of an array at one lane, the same in every lane of a pack."""

    array: str
    lane: int


@dataclass(frozen=True)
class LaneConstants:
    """Port of constants, one for each element and lane."""

    rows: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class PickedLanes:
    """Port that reads results of earlier packs: for each lane (pack, its lane), None for zero.

    With `ports` each lane reads another port.
    """

    port: str
    lanes: tuple[tuple[int, int] | None, ...]
    ports: tuple[str, ...] = ()


Source = LaneRows | ContiguousNumbers | AllLanes | OneLane | LaneConstants | PickedLanes


@dataclass(frozen=True)
class Pack:
    """One program for `count` neighboring lanes from `first` on.

    `stored_arrays` names the array that stores an output, or is empty.  A single lane is stored in
    `spread` lanes.
    """

    program: Program
    first: int
    count: int
    sources: tuple[Source, ...]
    stored_arrays: tuple[str, ...]
    spread: int = 1
    within: bool = False  # it adds to arrays that it reads: other lanes keep their numbers
    follows: bool = False  # later packs write the lanes after it
    in_order: bool = False  # numbers of a lane are contiguous, not in rows
    places: Mapping[str, tuple[tuple[tuple[int, ...], ...], ...]] = field(default_factory=dict)
    """Positions of outputs that are scattered: of each number and lane."""

    @property
    def width(self) -> int:
        return 1 << (self.count - 1).bit_length()

    @property
    def scattered_outputs(self) -> list[int]:
        """Outputs whose numbers are stored at single positions."""
        return [k for k, port in enumerate(self.program.outputs) if port.name in self.places]


@dataclass(frozen=True)
class PackStage:
    """Sequence of packs, each with results of earlier ones: a step along the tree."""

    packs: tuple[Pack, ...]

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Arrays that it reads and does not write."""
        arrays = [
            s.array
            for p in self.packs
            for s in p.sources
            if isinstance(s, LaneRows | ContiguousNumbers | AllLanes | OneLane)
        ]
        return tuple(x for x in dict.fromkeys(arrays) if x not in self.writes)

    @cached_property
    def writes(self) -> dict[str, int]:
        """Number of rows of the arrays that it writes."""
        return {
            name: port.size
            for p in self.packs
            for name, port in zip(p.stored_arrays, p.program.outputs, strict=True)
            if name
        }


@dataclass(frozen=True)
class Pairs:
    """One program for pairs of lanes (one, other).  Its first port is read at the one.

    The first output goes to the row of the one in the matrices `rows`.  The second, if any, goes to
    an array of blocks, which a `BlockCopy` stage copies to its column.
    """

    program: Program
    pairs: tuple[tuple[int, int], ...]
    rows: tuple[str, ...]
    stride: int = 0  # numbers of a row, where those are no square matrices

    def list_runs(self, width: int) -> list[tuple[int, int, int]]:
        """(vector of others, one, mask of the others) for each run of the program."""
        lane_bits: dict[tuple[int, int], int] = {}
        for one, other in self.pairs:
            key = other // width, one
            lane_bits[key] = lane_bits.get(key, 0) | 1 << other % width
        return [(*key, bits) for key, bits in sorted(lane_bits.items())]


@dataclass(frozen=True)
class BorderStage:
    """One program for every lane that computes the first rows and columns of matrices.

    Its first output goes to rows, those of each matrix in turn, its second to columns.  Where both
    meet the second stays.  Ports named in `first` are read at the first lane.
    """

    program: Program
    matrices: tuple[str, ...]
    first: tuple[str, ...]

    @property
    def count(self) -> int:
        return self.program.outputs[0].size // len(self.matrices)


@dataclass(frozen=True)
class BlockCopy:
    """Copy of rows of an array to matrices: to the columns of pairs, or to the diagonal.

    Without pairs the diagonal begins at lane `first`.
    """

    array: str
    matrices: tuple[str, ...]
    pairs: Pairs | None = None
    first: int = 0

    def list_positions(self, width: int, n: int) -> tuple[list[int], list[int]]:
        """Positions in a row of the array, and positions in a matrix."""
        if self.pairs is None:
            lanes = range(self.first, n)
            return [*lanes], [(n + 1) * k for k in lanes]
        sources, targets, n_matrices = [], [], len(self.matrices)
        for block, (chunk, one, bits) in enumerate(self.pairs.list_runs(width)):
            for lane in range(width):
                if bits >> lane & 1:
                    sources.append(block * width * n_matrices + lane)
                    targets.append((chunk * width + lane) * n + one)
        return sources, targets


@dataclass(frozen=True)
class TreeFactorization:
    """LDL factors of a symmetric matrix by rows, and the solution of `M x = b - c`.

    `parents` has the parent of each row.  It reads three arrays: rows up to the diagonal, in whole
    vectors; the diagonal, and behind it c; and b.  An array `factor_array` receives rows of L, as
    they are in vectors, and the reciprocals of the pivots.
    """

    parents: tuple[int, ...]
    reads: tuple[str, str, str]
    array: str
    factor_array: str = ""

    def iterate_ancestors(self, k: int) -> Iterator[int]:
        """Rows between one and the root, the nearest first."""
        while (k := self.parents[k]) >= 0:
            yield k

    @property
    def depths(self) -> list[int]:
        """Number of rows between each and the root."""
        return [sum(1 for _ in self.iterate_ancestors(k)) for k in range(len(self.parents))]

    @property
    def operations(self) -> dict[str, int]:
        """Operations that a row needs, without the padding of its vectors."""
        sums = sum(d * (d + 1) // 2 + 2 * d for d in self.depths)
        n = len(self.parents)
        return {"mul": sums + sum(self.depths) + n, "add": sums + n, "div": n}

    def vectors(self, width: int) -> int:
        """Number of products of vectors."""
        chunks = [
            {j // width for j in (k, *self.iterate_ancestors(k))} for k in range(len(self.parents))
        ]
        return sum(len(chunks[i]) for k in range(len(chunks)) for i in self.iterate_ancestors(k))

    def vector_offsets(self, width: int) -> dict[tuple[int, int], int]:
        """Offsets of the vectors of a row with some of its columns, by (row, column // width)."""
        keys = [
            (k, c)
            for k in range(len(self.parents))
            for c in sorted({j // width for j in self.iterate_ancestors(k)})
        ]
        return {key: n * width for n, key in enumerate(keys)}

    def layout(self, width: int) -> tuple[int, ...]:
        """Positions in `factor_array` of the reciprocal pivots, then of L row by row."""
        offsets, n = self.vector_offsets(width), len(self.parents)
        low = [
            offsets[k, i // width] + i % width for k in range(n) for i in self.iterate_ancestors(k)
        ]
        return (*range(len(offsets) * width, len(offsets) * width + n), *low)


Stage = Straight | LaneStage | PackStage | Pairs | BorderStage | BlockCopy | TreeFactorization
