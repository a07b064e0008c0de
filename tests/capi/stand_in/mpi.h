/* The declarations that ckpt/mpi.h needs from an MPI header, for tests that compile the public headers without MPI. */
#ifndef MPI_STAND_IN_H
#define MPI_STAND_IN_H

typedef struct mpi_stand_in_comm* MPI_Comm;

#endif
