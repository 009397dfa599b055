# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause

from typing import Sequence

from mpi4py import MPI
from mpi4py.typing import BufSpec, BufSpecB, BufSpecV, BufSpecW, InPlace

def Pbcast_init(
    comm: MPI.Comm,
    buf: BufSpec,
    partitions: int,
    root: int = 0,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pgather_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    sendpartitions: int,
    recvbuf: BufSpecB | None,
    recvpartitions: int,
    root: int = 0,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pscatter_init(
    comm: MPI.Comm,
    sendbuf: BufSpecB | None,
    sendpartitions: int,
    recvbuf: BufSpec | InPlace,
    recvpartitions: int,
    root: int = 0,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pgatherv_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    sendpartitions: int,
    recvbuf: BufSpecV | None,
    recvpartitions: int | Sequence[int],
    root: int = 0,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pscatterv_init(
    comm: MPI.Comm,
    sendbuf: BufSpecV | None,
    sendpartitions: int | Sequence[int],
    recvbuf: BufSpec | InPlace,
    recvpartitions: int,
    root: int = 0,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pallgather_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    sendpartitions: int,
    recvbuf: BufSpecB,
    recvpartitions: int,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pallgatherv_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    sendpartitions: int,
    recvbuf: BufSpecV,
    recvpartitions: int | Sequence[int],
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Palltoall_init(
    comm: MPI.Comm,
    sendbuf: BufSpecB,
    sendpartitions: int,
    recvbuf: BufSpecB,
    recvpartitions: int,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Palltoallv_init(
    comm: MPI.Comm,
    sendbuf: BufSpecV,
    sendpartitions: int | Sequence[int],
    recvbuf: BufSpecV,
    recvpartitions: int | Sequence[int],
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Palltoallw_init(
    comm: MPI.Comm,
    sendbuf: BufSpecW,
    sendpartitions: int | Sequence[int],
    recvbuf: BufSpecW,
    recvpartitions: int | Sequence[int],
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Preduce_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    recvbuf: BufSpec | None,
    partitions: int,
    op: MPI.Op = ...,
    root: int = 0,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pallreduce_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    recvbuf: BufSpec,
    partitions: int,
    op: MPI.Op = ...,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pscan_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    recvbuf: BufSpec,
    partitions: int,
    op: MPI.Op = ...,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pexscan_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    recvbuf: BufSpec,
    partitions: int,
    op: MPI.Op = ...,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Preduce_scatter_block_init(
    comm: MPI.Comm,
    sendbuf: BufSpecB | InPlace,
    recvbuf: BufSpec | BufSpecB,
    partitions: int,
    op: MPI.Op = ...,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Preduce_scatter_init(
    comm: MPI.Comm,
    sendbuf: BufSpec | InPlace,
    recvbuf: BufSpec,
    partitions: int | Sequence[int],
    recvcounts: Sequence[int],
    op: MPI.Op = ...,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pneighbor_allgather_init(
    comm: MPI.Comm,
    sendbuf: BufSpec,
    sendpartitions: int,
    recvbuf: BufSpecB,
    recvpartitions: int,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pneighbor_allgatherv_init(
    comm: MPI.Comm,
    sendbuf: BufSpec,
    sendpartitions: int,
    recvbuf: BufSpecV,
    recvpartitions: int | Sequence[int],
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pneighbor_alltoall_init(
    comm: MPI.Comm,
    sendbuf: BufSpecB,
    sendpartitions: int,
    recvbuf: BufSpecB,
    recvpartitions: int,
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pneighbor_alltoallv_init(
    comm: MPI.Comm,
    sendbuf: BufSpecV,
    sendpartitions: int | Sequence[int],
    recvbuf: BufSpecV,
    recvpartitions: int | Sequence[int],
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pneighbor_alltoallw_init(
    comm: MPI.Comm,
    sendbuf: BufSpecW,
    sendpartitions: int | Sequence[int],
    recvbuf: BufSpecW,
    recvpartitions: int | Sequence[int],
    info: MPI.Info = ...,
) -> MPI.Prequest: ...
def Pbuf_prepare(request: MPI.Request) -> None: ...
def Pbuf_prepareall(requests: Sequence[MPI.Request]) -> None: ...
def Parrived_any(request: MPI.Request) -> int | None: ...
def Parrived_some(request: MPI.Request, most: int) -> list[int] | None: ...
