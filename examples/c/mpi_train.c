/* Data-parallel training on MPI ranks that survives a killed rank: it resumes on another number of ranks and computes the same
 * bits.
 *
 *   mpirun -n 4 mpi_train checkpoints        trains 40 steps, saves every 5, prints the bits of the weights
 *   mpirun -n 4 mpi_train checkpoints 12     rank 1 is killed in step 12
 *   mpirun -n 2 mpi_train checkpoints        resumes after step 10
 *
 * The weights are replicated; the momentum is sharded by rows over the ranks. A step's batch has eight parts. Their gradients are
 * added in a fixed order, whichever rank computed them, so the result does not depend on the number of ranks. */
#define _POSIX_C_SOURCE 200809L

#include <ckpt/ckpt.h>
#include <ckpt/mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { parts = 8, samples = 16, width = 64, steps = 40, every = 5 };

static const int64_t minute = INT64_C(60000000000);

static void stop(const char* what) {
  fprintf(stderr, "%s: %s\n", what, ckpt_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#define TRY(call)                       \
  do {                                  \
    if ((call) != CKPT_OK) stop(#call); \
  } while (0)

/* Hashes two numbers into a number in [-1, 1). */
static float noise(uint32_t a, uint32_t b) {
  uint32_t x = a * 2654435761u ^ (b + 77u) * 2246822519u;
  x = (x ^ x >> 15) * 2654435761u;
  x ^= x >> 13;
  return (float)(int32_t)x / 2147483648.0f;
}

/* Adds the gradient of one part of a step's batch: linear regression. */
static void add_part(const float* weights, int64_t step, int part, float* gradient) {
  memset(gradient, 0, width * sizeof *gradient);
  for (int sample = 0; sample < samples; ++sample) {
    const uint32_t number = (uint32_t)((step * parts + part) * samples + sample);
    float x[width];
    float error = noise(number, 1000) * 0.01f;
    for (int i = 0; i < width; ++i) {
      x[i] = noise(number, (uint32_t)i);
      error += x[i] * (weights[i] - (float)i / width);
    }
    for (int i = 0; i < width; ++i) gradient[i] += error * x[i];
  }
}

int main(int argc, char** argv) {
  int level = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2 || parts % ranks != 0) return fprintf(stderr, "usage: mpi_train DIRECTORY [STEP], on 1, 2, 4 or 8 ranks\n"), 2;
  const int64_t killed_in = argc > 2 ? atoll(argv[2]) : -1;
  const int own = parts / ranks, rows = width / ranks, first_row = rank * rows;

  ckpt_coordinator* coordinator = NULL;
  if (ckpt_mpi_coordinator_create(MPI_COMM_WORLD, minute, &coordinator) != CKPT_OK) return puts(ckpt_mpi_last_error()), 1;
  ckpt_storage* storage = NULL;
  TRY(ckpt_storage_create_file_system(argv[1], NULL, &storage));
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.coordinator = coordinator;
  options.timeout_ns = minute;
  options.keep_last = 2;
  ckpt_checkpoint_manager* manager = NULL;
  TRY(ckpt_checkpoint_manager_create(storage, &options, &manager));

  const int64_t shape[1] = {width}, my_shape[1] = {rows}, offset[1] = {first_row};
  ckpt_tensor *weights = NULL, *momentum = NULL;
  TRY(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, NULL, &weights));
  TRY(ckpt_tensor_create(CKPT_DTYPE_F32, my_shape, 1, NULL, &momentum));
  TRY(ckpt_tensor_fill(weights, 0));
  TRY(ckpt_tensor_fill(momentum, 0));
  ckpt_state* state = NULL;
  TRY(ckpt_state_create(&state));
  TRY(ckpt_state_add_tensor(state, "model", "weights", weights));
  TRY(ckpt_state_add_sharded_tensor(state, "optimizer", "momentum", CKPT_DTYPE_F32, shape, 1));
  TRY(ckpt_state_add_block(state, "optimizer", "momentum", offset, 1, momentum));

  int64_t step = 0;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  const ckpt_status found = ckpt_checkpoint_manager_load(manager, state, NULL, &loaded);
  if (found == CKPT_OK) {
    step = loaded.step;
    if (rank == 0) printf("resuming after step %lld of %lld ranks, on %d\n", (long long)step, (long long)loaded.world_size, ranks);
  } else if (found != CKPT_E_NOT_FOUND) {
    stop("load");
  }

  float* const w = ckpt_tensor_get_data(weights);
  float* const m = ckpt_tensor_get_data(momentum);
  float mine[parts][width], all[parts][width];
  while (step < steps) {
    ++step;
    for (int i = 0; i < own; ++i) add_part(w, step, rank * own + i, mine[i]);
    if (step == killed_in && rank == 1) raise(SIGKILL);
    TRY(ckpt_coordinator_all_gather(coordinator, mine, (int64_t)own * (int64_t)sizeof mine[0], minute, all));
    float next[width];
    for (int i = 0; i < rows; ++i) {
      float gradient = 0;
      for (int part = 0; part < parts; ++part) gradient += all[part][first_row + i];
      m[i] = 0.9f * m[i] + gradient / (parts * samples);
      next[i] = w[first_row + i] - 0.2f * m[i];
    }
    TRY(ckpt_coordinator_all_gather(coordinator, next, rows * (int64_t)sizeof(float), minute, w));
    if (step % every == 0) {
      ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
      save.step = step;
      TRY(ckpt_checkpoint_manager_save(manager, state, &save, NULL));
    }
  }
  if (rank == 0) {
    uint64_t bits = 0;
    for (int i = 0; i < width; ++i) {
      uint32_t one = 0;
      memcpy(&one, &w[i], sizeof one);
      bits = bits * 1099511628211u + one;
    }
    printf("weights %016llx after step %lld\n", (unsigned long long)bits, (long long)step);
  }
  ckpt_state_release(state);
  ckpt_tensor_release(momentum);
  ckpt_tensor_release(weights);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
  ckpt_coordinator_release(coordinator);
  MPI_Finalize();
  return 0;
}
