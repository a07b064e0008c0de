/* mpi.h - a coordinator over an MPI communicator: libckpt-mpi, a library of its own beside libckpt.
 *
 *   MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *   ckpt_coordinator *coordinator = NULL;
 *   if (ckpt_mpi_coordinator_create(MPI_COMM_WORLD, INT64_C(60000000000), &coordinator) != CKPT_OK) puts(ckpt_mpi_last_error());
 *   ... ckpt_controller_decide_all(controller, coordinator, now, timeout_ns, &decision) ...
 *   ckpt_coordinator_release(coordinator);
 *   MPI_Finalize();
 *
 * It is linked with -lckpt-mpi -lckpt and the MPI library that it was built for (pkg-config: ckpt-mpi; mpicc adds MPI's own).
 * ckpt.h does not include this file. The rules at the top of ckpt.h hold.
 */
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

/* Creates a coordinator whose ranks are those of comm. Collective: every process of comm calls it, in the same order as its other
 * collective calls on comm. comm is duplicated, so that no message of the coordinator's meets one of the program's; comm itself may
 * be freed at once. timeout_ns: how long to wait for the others, in nanoseconds, at least 0. The message of a failure is
 * ckpt_mpi_last_error's.
 *
 * INVALID_ARGUMENT when comm is MPI_COMM_NULL or an intercommunicator; INVALID_STATE before MPI_Init_thread, after MPI_Finalize,
 * with MPI_THREAD_SINGLE (which MPI_Init gives), and with MPI_THREAD_FUNNELED on another thread than the main one; TIMEOUT when not
 * all came in time; IO for errors of MPI.
 *
 * The coordinator's functions poll operations that do not block (MPI 3.1, chapter 5.12) until all have come or their time-out is
 * over, with the bytes in memory of the coordinator's: what the caller gave is read or written only while its call lasts, also when
 * an operation ends later than the call that has begun it. Any number of bytes goes, in pieces, with about 16 MiB in memory (256
 * bytes a rank at least); of a gather that is root, the others have one piece. A gather ends for all ranks when root has all bytes.
 * Calls give
 *   TIMEOUT        when not all came in time; each later call gives INVALID_STATE: the ranks may be out of step, and MPI still has
 *                  the operation under way. MPI_Finalize would wait for it: leave by MPI_Abort or _exit.
 *   INVALID_STATE  besides, after MPI_Finalize; with MPI_THREAD_FUNNELED on another thread than the main one; while another thread
 *                  is in a call of this coordinator; when processes gave different numbers of bytes, after which it is as after a
 *                  TIMEOUT (the root of a broadcast does not detect it, and times out when it has more than 4096 bytes)
 *   IO             for errors of MPI, after which it is as after a TIMEOUT
 *   FORKED         in a forked child, where nothing of MPI is called
 *
 * The last release frees the duplicate, which MPI calls collective: every process does it, before MPI_Finalize; after MPI_Finalize
 * or a time-out it leaves the duplicate to the process's end. */
CKPT_MPI_API ckpt_status ckpt_mpi_coordinator_create(MPI_Comm comm, int64_t timeout_ns, ckpt_coordinator** coordinator);

/* Returns the message of this thread's last failed call of this library, in UTF-8; "" when none has failed. Valid until the
 * thread's next call that fails. Messages of the coordinator's own functions are ckpt_last_error's. */
CKPT_MPI_API const char* ckpt_mpi_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_MPI_H */
