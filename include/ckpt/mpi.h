/* mpi.h - a coordinator over an MPI communicator: libckpt-mpi, a separate library that uses libckpt.
 *
 *   MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *   ckpt_coordinator *coordinator = NULL;
 *   if (ckpt_mpi_coordinator_create(MPI_COMM_WORLD, INT64_C(60000000000), &coordinator) != CKPT_OK) puts(ckpt_mpi_last_error());
 *   ... ckpt_controller_decide_all(controller, coordinator, now, timeout_ns, &decision) ...
 *   ckpt_coordinator_release(coordinator);
 *   MPI_Finalize();
 *
 * Link with -lckpt-mpi -lckpt and the MPI library that it was built for (pkg-config: ckpt-mpi; mpicc adds the MPI library). ckpt.h
 * does not include this file. The rules at the top of ckpt.h apply. */
#ifndef CKPT_MPI_H
#define CKPT_MPI_H

#include <mpi.h>

#include <ckpt/base.h>
#include <ckpt/state.h>

#if defined(__GNUC__)
#define CKPT_MPI_API __attribute__((visibility("default")))
#else
#define CKPT_MPI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a coordinator with the ranks of comm. Collective: every process of comm calls it, in the same order as its other
 * collective calls on comm. comm is duplicated, so that messages of the coordinator and of the program never match; comm itself may
 * be freed at once. timeout_ns: maximum time to wait for the others, in nanoseconds, >= 0. ckpt_mpi_last_error returns the message
 * of a failure.
 *
 * INVALID_ARGUMENT if comm is MPI_COMM_NULL or an intercommunicator; INVALID_STATE before MPI_Init_thread, after MPI_Finalize, with
 * MPI_THREAD_SINGLE (the level of MPI_Init), and with MPI_THREAD_FUNNELED on a thread other than the main one; TIMEOUT if not all
 * processes have called it in time; IO for errors of MPI.
 *
 * The coordinator's functions poll non-blocking collectives (MPI 3.1, chapter 5.12) until all ranks have joined or their time-out
 * expires. The bytes are in buffers of the coordinator: the caller's memory is accessed only during its call, also if an operation
 * ends after the call that began it. Any number of bytes is transferred in pieces, with buffers of about 16 MiB (at least 256 bytes
 * per rank); in a gather this is for root, and the other ranks have a buffer of one piece. A gather ends for all ranks when root
 * has all bytes. Errors of the calls:
 * - TIMEOUT if not all ranks have joined in time. Each later call returns INVALID_STATE, because the ranks may call different
 *   collectives now, and the operation is still pending in MPI. MPI_Finalize would wait for it: terminate by MPI_Abort or _exit.
 * - INVALID_STATE also after MPI_Finalize, with MPI_THREAD_FUNNELED on a thread other than the main one, and while another thread
 *   calls a function of this coordinator.
 * - INVALID_STATE if processes pass different numbers of bytes; the coordinator is then as after a TIMEOUT. The root of a broadcast
 *   does not detect it, and times out if it has more than 4096 bytes.
 * - IO for errors of MPI; the coordinator is then as after a TIMEOUT.
 * - FORKED in a forked child, without a call of MPI.
 *
 * The last release frees the duplicate. MPI defines this as collective: every process does it, before MPI_Finalize; after
 * MPI_Finalize or a time-out the duplicate is kept until the process ends. */
CKPT_MPI_API ckpt_status ckpt_mpi_coordinator_create(MPI_Comm comm, int64_t timeout_ns, ckpt_coordinator** coordinator);

/* Returns the message of this thread's last failed call of this library, in UTF-8; "" when none has failed. Valid until the
 * thread's next call that fails. ckpt_last_error returns the messages of the coordinator's functions. */
CKPT_MPI_API const char* ckpt_mpi_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_MPI_H */
