/* What ckpt/mpi.h needs of an MPI library's header, for tests that compile the public headers where there is none. */
#ifndef MPI_STAND_IN_H
#define MPI_STAND_IN_H

typedef struct mpi_stand_in_comm* MPI_Comm;

#endif
