# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
"""Partitioned collectives for mpi4py.

    from mpi4py import MPI
    import mpix_partitioned as mpix

    request = mpix.Pallreduce_init(MPI.COMM_WORLD, gradients, sums, partitions=16, op=MPI.SUM)
    request.Start()
    for i in range(16):
        compute(i)
        request.Pready(i)          # partition i leaves now
    while not request.Parrived(3): # sum 3 is there, whatever the others do
        pass
    request.Wait()

Each P<collective>_init has the arguments of the MPIX_P<collective>_init of the C library, in the
form of mpi4py: buffers as it takes them, with the elements of whole blocks; into how many partitions
a block is cut comes apart. It returns an mpi4py.MPI.Prequest. All processes of the communicator
call it, in the same order. Errors are mpi4py.MPI.Exception, or ValueError and TypeError for what is
wrong before the library is called; the other processes get mpi4py.MPI.Exception then.

Start the program with `mpirun --mca part ucx`.
"""

from mpi4py import MPI as _MPI


def _check_library() -> None:
    """The other part of this package would hand this library's objects to Open MPI."""
    library = _MPI.Get_library_version()
    # Handles of Open MPI are addresses; those of the MPI Forum's ABI begin with small numbers.
    if not library.startswith("Open MPI v") or _MPI.COMM_SELF.handle <= 4096:
        raise ImportError("mpix_partitioned is for Open MPI's own ABI, and mpi4py uses "
                          + library.split(",")[0])


_check_library()

from mpix_partitioned._core import (  # noqa: E402
    Pallgather_init,
    Pallgatherv_init,
    Pallreduce_init,
    Palltoall_init,
    Palltoallv_init,
    Palltoallw_init,
    Parrived_any,
    Parrived_some,
    Pbcast_init,
    Pbuf_prepare,
    Pbuf_prepareall,
    Pexscan_init,
    Pgather_init,
    Pgatherv_init,
    Pneighbor_allgather_init,
    Pneighbor_allgatherv_init,
    Pneighbor_alltoall_init,
    Pneighbor_alltoallv_init,
    Pneighbor_alltoallw_init,
    Preduce_init,
    Preduce_scatter_block_init,
    Preduce_scatter_init,
    Pscan_init,
    Pscatter_init,
    Pscatterv_init,
)

__version__ = "0.2.0"
__all__ = [
    "Pallgather_init",
    "Pallgatherv_init",
    "Pallreduce_init",
    "Palltoall_init",
    "Palltoallv_init",
    "Palltoallw_init",
    "Parrived_any",
    "Parrived_some",
    "Pbcast_init",
    "Pbuf_prepare",
    "Pbuf_prepareall",
    "Pexscan_init",
    "Pgather_init",
    "Pgatherv_init",
    "Pneighbor_allgather_init",
    "Pneighbor_allgatherv_init",
    "Pneighbor_alltoall_init",
    "Pneighbor_alltoallv_init",
    "Pneighbor_alltoallw_init",
    "Preduce_init",
    "Preduce_scatter_block_init",
    "Preduce_scatter_init",
    "Pscan_init",
    "Pscatter_init",
    "Pscatterv_init",
]


def _check_component() -> None:
    """A request of one process shows whether the components are there."""
    handler = _MPI.COMM_SELF.Get_errhandler()
    _MPI.COMM_SELF.Set_errhandler(_MPI.ERRORS_RETURN)
    try:
        Pbcast_init(_MPI.COMM_SELF, bytearray(1), 1).Free()
    except _MPI.Exception as error:
        if error.Get_error_class() == _MPI.ERR_UNSUPPORTED_OPERATION:
            raise ImportError("mpix_partitioned: the components part/ucx and coll/pschedule are "
                              "not in use; start the program with mpirun --mca part ucx, after "
                              "sourcing the env.sh that was installed with them") from None
        raise
    finally:
        _MPI.COMM_SELF.Set_errhandler(handler)


if _MPI.Is_initialized() and not _MPI.Is_finalized():
    _check_component()
