/* The first example of docs/reference/mpi.md: all ranks save when rank 0's controller decides so. */
#include <stdint.h>
#include <stdio.h>

#include <ckpt/ckpt.h>
#include <ckpt/mpi.h>

int main(int argc, char** argv) {
  const int64_t minute = 60 * INT64_C(1000000000);
  ckpt_controller* controller = NULL;
  ckpt_coordinator* coordinator = NULL;
  ckpt_controller_event begin = CKPT_CONTROLLER_EVENT_INIT;
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_status status = CKPT_OK;
  int level = 0;
  double now = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  if (ckpt_mpi_coordinator_create(MPI_COMM_WORLD, minute, &coordinator) != CKPT_OK) return puts(ckpt_mpi_last_error()), 1;
  status = ckpt_controller_create(NULL, &controller);
  if (status == CKPT_OK) status = ckpt_controller_get_now(controller, &now);
  begin.now_seconds = now; /* CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN is 0, the default */
  if (status == CKPT_OK) status = ckpt_controller_record(controller, &begin);
  if (status == CKPT_OK) status = ckpt_controller_decide_all(controller, coordinator, now, minute, &decision);
  puts(status != CKPT_OK ? ckpt_last_error() : decision.checkpoint ? "save" : "go on");
  ckpt_controller_release(controller);
  ckpt_coordinator_release(coordinator);
  MPI_Finalize();
  return status != CKPT_OK;
}
