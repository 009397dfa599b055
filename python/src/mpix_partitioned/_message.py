# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a buffer argument says: where its blocks are, how many elements they have, of which type.

A buffer argument is what mpi4py takes: an object with the buffer protocol, or a list or tuple

    [data]  [data, datatype]  [data, count]  [data, count, datatype]
    [data, counts]  [data, counts, datatype]  [data, (counts, displs), datatype]
    [data, counts, displs, datatype]

`count` is that of a block, `counts` and `displs` have an entry per block. Counts and displacements
are in elements of the datatype, displacements of blocks with datatypes of their own in bytes.
"""

from __future__ import annotations

import sys
from operator import index
from typing import Any, NamedTuple, Sequence

from mpi4py import MPI

_NATIVE = "@<" if sys.byteorder == "little" else "@>"  # byte orders that a format may begin with


class Message(NamedTuple):
    """Blocks of a buffer. Lists have an entry per block."""

    owner: Any  # keeps the memory, and keeps its object from moving it
    address: int  # of the buffer's first byte
    counts: list[int]  # elements of a whole block
    displs: list[int]
    types: list[MPI.Datatype]


def _unpack(spec: Any, name: str) -> tuple[Any, Any, Any, Any]:
    """Data, counts, displacements and datatypes; what is not said is None."""
    if not isinstance(spec, (list, tuple)):
        return spec, None, None, None
    if not 1 <= len(spec) <= 4:
        raise ValueError(f"{name}: expecting 1 to 4 items, not {len(spec)}")
    data, counts, displs, types = spec[0], None, None, None
    if len(spec) == 2:
        if isinstance(spec[1], MPI.Datatype) or isinstance(spec[1], str):
            types = spec[1]
        else:
            counts = spec[1]
    elif len(spec) == 3:
        counts, types = spec[1:]
    elif len(spec) == 4:
        counts, displs, types = spec[1:]
    if displs is None and isinstance(counts, tuple) and len(counts) == 2 and (
            hasattr(counts[0], "__len__") or counts[0] is None):
        counts, displs = counts
    return data, counts, displs, types


def _datatype(given: Any, data: Any, name: str) -> MPI.Datatype:
    if isinstance(given, MPI.Datatype):
        return given
    if isinstance(given, str):
        return MPI.Datatype.fromcode(given)
    if given is not None:
        raise TypeError(f"{name}: expecting a datatype, not {type(given).__name__}")
    if data is None:
        return MPI.BYTE
    code = memoryview(data).format
    if code[:1] in _NATIVE:
        code = code[1:]
    try:
        return MPI.Datatype.fromcode(code)
    except ValueError:
        raise ValueError(f"{name}: no MPI datatype is known for the format {code!r}; "
                         "give one") from None


def _memory(data: Any, writes: bool, name: str) -> tuple[MPI.buffer | None, int, int]:
    """The memory of a buffer, its address and its bytes."""
    if data is None:
        return None, 0, 0
    view = memoryview(data)
    if writes and view.readonly:
        raise ValueError(f"{name}: the buffer is read-only")
    if not view.c_contiguous and not view.f_contiguous:
        raise ValueError(f"{name}: the buffer is not contiguous")
    memory = MPI.buffer.frombuffer(data, readonly=view.readonly)
    return memory, memory.address, memory.nbytes


def _check_bounds(message: Message, nbytes: int, unit: int | None, name: str) -> None:
    """Every block lies in the buffer."""
    for count, displ, datatype in zip(message.counts, message.displs, message.types):
        if count < 0:
            raise ValueError(f"{name}: negative count {count}")
        if count == 0:
            continue
        extent = datatype.extent
        first = displ * (extent if unit is None else unit)
        last = first + (count - 1) * extent  # an extent may be negative
        begin = min(first, last) + datatype.true_lb
        end = max(first, last) + datatype.true_lb + datatype.true_extent
        if begin < 0 or end > nbytes:
            raise ValueError(f"{name}: {count} elements at displacement {displ} need the bytes "
                             f"from {begin} to {end}, the buffer has {nbytes}")


def _infer(nbytes: int, datatype: MPI.Datatype, blocks: int, name: str) -> int:
    """Elements of each of several equal blocks that fill a buffer."""
    extent = datatype.extent
    if nbytes == 0:
        return 0
    if extent <= 0 or nbytes % extent != 0:
        raise ValueError(f"{name}: {nbytes} bytes are not a multiple of the datatype's extent "
                         f"({extent})")
    elements = nbytes // extent
    if blocks == 0 or elements % blocks != 0:
        raise ValueError(f"{name}: {elements} elements are not a multiple of {blocks} blocks")
    return elements // blocks


def even(spec: Any, blocks: int, writes: bool, name: str) -> Message:
    """A buffer of `blocks` blocks alike, one after another."""
    data, count, displ, given = _unpack(spec, name)
    datatype = _datatype(given, data, name)
    memory, address, nbytes = _memory(data, writes, name)
    first = 0 if displ is None else index(displ)
    if first < 0:
        raise ValueError(f"{name}: negative displacement {first}")
    if first * datatype.extent < 0:
        raise ValueError(f"{name}: the displacement {first} lies before the buffer")
    if count is None:
        count = _infer(nbytes - first * datatype.extent, datatype, blocks, name)
    count = index(count)
    if count > 0 and data is None:
        raise ValueError(f"{name}: no buffer, but the count is {count}")
    message = Message(memory, address + first * datatype.extent, [count] * blocks,
                      [i * count for i in range(blocks)], [datatype] * blocks)
    _check_bounds(message, nbytes - first * datatype.extent, None, name)
    return message


def _per_block(value: Any, blocks: int, what: str, name: str) -> list[int]:
    entries = [index(entry) for entry in value]
    if len(entries) != blocks:
        raise ValueError(f"{name}: {len(entries)} {what} for {blocks} blocks")
    return entries


def _packed(counts: Sequence[int]) -> list[int]:
    """Displacements of blocks one after another."""
    displs, end = [], 0
    for count in counts:
        displs.append(end)
        end += count
    return displs


def uneven(spec: Any, blocks: int, writes: bool, name: str) -> Message:
    """A buffer whose blocks have counts and displacements of their own."""
    data, counts, displs, given = _unpack(spec, name)
    datatype = _datatype(given, data, name)
    memory, address, nbytes = _memory(data, writes, name)
    if counts is None:
        counts = [_infer(nbytes, datatype, blocks, name)] * blocks
    counts = _per_block(counts, blocks, "counts", name)
    displs = _packed(counts) if displs is None else _per_block(displs, blocks, "displacements",
                                                               name)
    message = Message(memory, address, counts, displs, [datatype] * blocks)
    _check_bounds(message, nbytes, None, name)
    return message


def typed(spec: Any, blocks: int, writes: bool, name: str) -> Message:
    """A buffer whose blocks have datatypes of their own; displacements in bytes."""
    data, counts, displs, types = _unpack(spec, name)
    if counts is None or displs is None or types is None:
        raise ValueError(f"{name}: expecting [data, counts, displs, datatypes]")
    memory, address, nbytes = _memory(data, writes, name)
    message = Message(memory, address, _per_block(counts, blocks, "counts", name),
                      _per_block(displs, blocks, "displacements", name),
                      [_datatype(one, data, name) for one in types])
    if len(message.types) != blocks:
        raise ValueError(f"{name}: {len(message.types)} datatypes for {blocks} blocks")
    _check_bounds(message, nbytes, 1, name)
    return message


def divide(counts: Sequence[int], partitions: Any, name: str) -> tuple[list[int], list[int]]:
    """Partitions of each block, and elements of each of its partitions."""
    blocks = len(counts)
    if hasattr(partitions, "__len__"):
        parts = _per_block(partitions, blocks, "numbers of partitions", name)
    else:
        parts = [index(partitions)] * blocks
    for part, count in zip(parts, counts):
        if part > 0 and count % part != 0:
            raise ValueError(f"{name}: {count} elements are not a multiple of {part} partitions")
    return parts, [count // part if part > 0 else count for part, count in zip(parts, counts)]
