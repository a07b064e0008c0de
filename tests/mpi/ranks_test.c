/* Checkpoints of many ranks with processes started by mpirun.
 *   ranks_test save PLACE                      saves step 1 on all ranks
 *   ranks_test load PLACE                      loads it on all ranks, with other blocks, and compares every byte
 *   ranks_test killed PLACE FOLDER RANK WHEN   saves step 2 while RANK is killed (WHEN -1: before)
 *   ranks_test bad DIRECTORY                   differences between ranks
 *
 * WHEN: the number of its storage call in a directory; milliseconds in an object store. Each other rank writes FOLDER/<rank> if its
 * error arrives in time and names the killed rank, and the older checkpoint is the newest.
 */
#define _XOPEN_SOURCE 700

#include <ckpt/ckpt.h>
#include <ckpt/mpi.h>
#ifdef WITH_S3
#include <ckpt/s3.h>
#endif

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "state/watched_storage.h"

static const int64_t second = INT64_C(1000000000);
static int rank, world;

/* ---- The saved tensors: each element encodes its position in the whole tensor, and the step ---- */

typedef struct kind {
  const char* name;
  ckpt_dtype dtype;
  int32_t bytes; /* bytes per element */
  int32_t ndim;
  int64_t shape[3];
} kind;

static const kind sharded[] = {
    {"rows", CKPT_DTYPE_F32, 4, 2, {1001, 37, 0}},       {"grid", CKPT_DTYPE_F64, 8, 2, {64, 90, 0}},
    {"small", CKPT_DTYPE_I64, 8, 1, {3, 0, 0}},          {"deep", CKPT_DTYPE_BOOL, 1, 3, {8, 6, 5}},
    {"eighth", CKPT_DTYPE_F8_E4M3, 1, 1, {10000, 0, 0}}, {"none", CKPT_DTYPE_F32, 4, 2, {0, 7, 0}},
};
static const kind replicated[] = {
    {"table", CKPT_DTYPE_F32, 4, 2, {700, 800, 0}},
    {"bias", CKPT_DTYPE_F32, 4, 1, {33, 0, 0}},
    {"count", CKPT_DTYPE_I64, 8, 0, {0, 0, 0}},
};
enum { sharded_count = sizeof sharded / sizeof *sharded, replicated_count = sizeof replicated / sizeof *replicated };

static void put(unsigned char* at, const kind* of, int64_t place, int64_t step) {
  const uint64_t value = (uint64_t)place * 2654435761u + (uint64_t)step * 97 + 11;
  if (of->dtype == CKPT_DTYPE_BOOL) {
    at[0] = (unsigned char)(value >> 7 & 1);
  } else {
    memcpy(at, &value, (size_t)of->bytes < sizeof value ? (size_t)of->bytes : sizeof value);
  }
}

typedef struct block {
  const kind* of;
  int64_t offsets[3], lengths[3];
  ckpt_tensor* tensor;
} block;

/* Writes the contents of a block, or checks them. */
static void each_element(const block* b, int64_t step, int check) {
  unsigned char* at = ckpt_tensor_get_data(b->tensor);
  unsigned char wanted[8];
  int64_t count = 1;
  for (int i = 0; i < b->of->ndim; ++i) count *= b->lengths[i];
  for (int64_t n = 0; n < count; ++n, at += b->of->bytes) {
    int64_t place = 0, stride = 1, rest = n;
    for (int i = b->of->ndim - 1; i >= 0; --i) {
      place += (b->offsets[i] + rest % b->lengths[i]) * stride;
      stride *= b->of->shape[i];
      rest /= b->lengths[i];
    }
    put(check ? wanted : at, b->of, place, step);
    if (check && memcmp(wanted, at, (size_t)b->of->bytes) != 0) {
      fprintf(stderr, "rank %d of %d: %s differs at %lld\n", rank, world, b->of->name, (long long)n);
      exit(1);
    }
  }
}

static block blocks[64];
static int block_count;

static void add_block(ckpt_state* state, const kind* of, const int64_t* offsets, const int64_t* lengths, int is_sharded) {
  block* const b = &blocks[block_count++];
  b->of = of;
  for (int i = 0; i < of->ndim; ++i) b->offsets[i] = offsets[i], b->lengths[i] = lengths[i];
  CHECK_OK(ckpt_tensor_create(of->dtype, lengths, of->ndim, NULL, &b->tensor));
  if (is_sharded)
    CHECK_OK(ckpt_state_add_block(state, "model", of->name, offsets, of->ndim, b->tensor));
  else
    CHECK_OK(ckpt_state_add_tensor(state, "model", of->name, b->tensor));
}

/* cut 0: the first dimension in even blocks, the last ones possibly empty; 1: the last dimension; 2: a grid of the first and the
 * last one, so that a rank may have several blocks. */
static void add_cut(ckpt_state* state, const kind* of, int cut) {
  CHECK_OK(ckpt_state_add_sharded_tensor(state, "model", of->name, of->dtype, of->shape, of->ndim));
  const int first_cuts = cut == 1 ? 1 : cut == 0 ? world : 2;
  const int last_cuts = of->ndim == 1 ? 1 : cut == 0 ? 1 : cut == 1 ? world : 3;
  const int last = of->ndim - 1;
  int cell = 0;
  for (int a = 0; a < first_cuts; ++a) {
    for (int b = 0; b < last_cuts; ++b, ++cell) {
      int64_t offsets[3] = {0, 0, 0}, lengths[3] = {of->shape[0], of->shape[1], of->shape[2]};
      const int64_t piece = (of->shape[0] + first_cuts - 1) / first_cuts;
      offsets[0] = a * piece < of->shape[0] ? a * piece : of->shape[0];
      lengths[0] = of->shape[0] - offsets[0] < piece ? of->shape[0] - offsets[0] : piece;
      if (last > 0) {
        offsets[last] = of->shape[last] * b / last_cuts;
        lengths[last] = of->shape[last] * (b + 1) / last_cuts - offsets[last];
      }
      if (cell % world == rank) add_block(state, of, offsets, lengths, 1);
    }
  }
}

static ckpt_state* make_state(int64_t step, int turn, int filled) {
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  block_count = 0;
  for (int i = 0; i < sharded_count; ++i) add_cut(state, &sharded[i], (i + turn) % 3);
  const int64_t zero[3] = {0, 0, 0};
  for (int i = 0; i < replicated_count; ++i) add_block(state, &replicated[i], zero, replicated[i].shape, 0);
  for (int i = 0; i < block_count; ++i) {
    if (filled) each_element(&blocks[i], step, 0);
  }
  char value[32];
  snprintf(value, sizeof value, "%d", 1000 + rank);
  if (filled) CHECK_OK(ckpt_state_set_json(state, CKPT_STATE_DATA_POSITION, value));
  if (filled) CHECK_OK(ckpt_state_set_json(state, "epoch", "5"));
  return state;
}

static void release_state(ckpt_state* state) {
  for (int i = 0; i < block_count; ++i) ckpt_tensor_release(blocks[i].tensor);
  ckpt_state_release(state);
}

static ckpt_coordinator* coordinator_of(MPI_Comm comm) {
  ckpt_coordinator* coordinator = NULL;
  if (ckpt_mpi_coordinator_create(comm, 60 * second, &coordinator) != CKPT_OK) {
    fprintf(stderr, "%s\n", ckpt_mpi_last_error());
    exit(1);
  }
  return coordinator;
}

static ckpt_status open_manager(ckpt_storage* storage, int64_t timeout_ns, ckpt_coordinator* coordinator,
                                ckpt_checkpoint_manager** manager) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.coordinator = coordinator;
  options.timeout_ns = timeout_ns;
  return ckpt_checkpoint_manager_create(storage, &options, manager);
}

static ckpt_status save_step(ckpt_checkpoint_manager* manager, int64_t step) {
  ckpt_state* const state = make_state(step, 0, 1);
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  const ckpt_status status = ckpt_checkpoint_manager_save(manager, state, &options, NULL);
  release_state(state);
  return status;
}

/* ---- Cases ---- */

static void save(const char* directory) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_from_uri(directory, &storage));
  ckpt_coordinator* const coordinator = coordinator_of(MPI_COMM_WORLD);
  ckpt_checkpoint_manager* manager = NULL;
  CHECK_OK(open_manager(storage, 60 * second, coordinator, &manager));
  CHECK_OK(save_step(manager, 1));
  ckpt_checkpoint_manager_release(manager);
  ckpt_coordinator_release(coordinator);
  ckpt_storage_release(storage);
}

static void load(const char* directory) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_from_uri(directory, &storage));
  ckpt_coordinator* const coordinator = coordinator_of(MPI_COMM_WORLD);
  ckpt_checkpoint_manager* manager = NULL;
  CHECK_OK(open_manager(storage, 60 * second, coordinator, &manager));
  for (int turn = 0; turn < 3; ++turn) {
    ckpt_state* const state = make_state(1, turn, 0);
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, &result));
    CHECK(result.step == 1);
    for (int i = 0; i < block_count; ++i) each_element(&blocks[i], 1, 1);
    char buffer[256];
    int64_t needed = 0;
    CHECK_OK(ckpt_state_get_json(state, "epoch", buffer, sizeof buffer, &needed));
    CHECK(strcmp(buffer, "5") == 0);
    const ckpt_status status = ckpt_state_get_json(state, CKPT_STATE_DATA_POSITION, buffer, sizeof buffer, &needed);
    if (result.world_size == world) {
      CHECK(status == CKPT_OK && atoi(buffer) == 1000 + rank);
    } else if (result.world_size > 1) {
      CHECK(status == CKPT_E_NOT_FOUND);
      CHECK_OK(
          ckpt_checkpoint_manager_get_rank_values(manager, result.name, result.world_size - 1, buffer, sizeof buffer, &needed));
      char wanted[64];
      snprintf(wanted, sizeof wanted, "\"data_position\":%d", (int)(999 + result.world_size));
      CHECK(strstr(buffer, wanted) != NULL);
      CHECK_OK(ckpt_state_get_load_report(state, buffer, sizeof buffer, &needed));
      CHECK(strstr(buffer, "\"by_rank\":[\"data_position\"]") != NULL);
    }
    release_state(state);
  }
  ckpt_checkpoint_manager_release(manager);
  ckpt_coordinator_release(coordinator);
  ckpt_storage_release(storage);
}

static int64_t calls, kill_at;

static int32_t count_call(const char* operation, const char* path, void* data) {
  (void)operation;
  (void)path;
  (void)data;
  if (kill_at >= 0 && calls++ == kill_at) raise(SIGKILL);
  return CKPT_OK;
}

static void killed(const char* place, const char* folder, int victim, int64_t when) {
  const int is_directory = strstr(place, "://") == NULL;
  watched watch;
  memset(&watch, 0, sizeof watch);
  snprintf(watch.root, sizeof watch.root, "%s", place);
  watch.before = count_call;
  kill_at = -1;
  ckpt_storage* storage = NULL;
  if (is_directory) {
    storage = watched_storage(&watch);
  } else {
    CHECK_OK(ckpt_storage_create_from_uri(place, &storage));
  }
  ckpt_coordinator* const coordinator = coordinator_of(MPI_COMM_WORLD);
  ckpt_checkpoint_manager* manager = NULL;
  const int64_t timeout = 3 * second;
  CHECK_OK(open_manager(storage, timeout, coordinator, &manager));
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 60 * second));
  if (rank == victim && when < 0) raise(SIGKILL);
  if (rank == victim && is_directory) kill_at = when;
  if (rank == victim && !is_directory) {
    const struct itimerval end_of_it = {{0, 0}, {when / 1000, when % 1000 * 1000 + 1}};
    CHECK(setitimer(ITIMER_REAL, &end_of_it, NULL) == 0); /* SIGALRM terminates the process as SIGKILL does */
  }
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const ckpt_status status = save_step(manager, 2);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (rank == victim && !is_directory) signal(SIGALRM, SIG_IGN);
  if (rank == victim && status == CKPT_OK) puts("nothing was left to be killed in");
  int good = 1;
  if (status != CKPT_OK) {
    char named[32];
    snprintf(named, sizeof named, "rank %d", victim);
    good = status == CKPT_E_TIMEOUT && strstr(ckpt_last_error(), named) != NULL;
    if (!good) fprintf(stderr, "rank %d: %s: %s\n", rank, ckpt_status_name(status), ckpt_last_error());
    /* It ends after the timeout; the long limit only detects hangs, since a loaded machine may be late. */
    good = good && end.tv_sec - begin.tv_sec < 60;
    ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
    options.read_only = 1;
    ckpt_checkpoint_manager* reader = NULL;
    CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &reader));
    ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
    CHECK_OK(ckpt_checkpoint_manager_get_latest(reader, &info));
    /* A rank may be killed after the commit of step 2, before it or another rank is notified of the commit. */
    if (info.step != 1 && info.step != 2) good = 0;
    CHECK_OK(ckpt_checkpoint_manager_verify(reader, info.name, NULL));
  }
  if (good) {
    char path[512];
    snprintf(path, sizeof path, "%s/%d", folder, rank);
    FILE* const file = fopen(path, "w");
    CHECK(file != NULL);
    fclose(file);
  }
  fflush(NULL);
  _exit(good ? 0 : 1); /* MPI may wait for the killed rank */
}

static void bad(const char* directory) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_from_uri(directory, &storage));
  ckpt_coordinator* const coordinator = coordinator_of(MPI_COMM_WORLD);
  ckpt_checkpoint_manager* manager = NULL;
  CHECK_OK(open_manager(storage, 60 * second, coordinator, &manager));
  /* Another set of tensors on the last rank. */
  ckpt_state* state = make_state(1, 0, 1);
  ckpt_tensor* odd = NULL;
  const int64_t two[1] = {2};
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, two, 1, NULL, &odd));
  if (rank == world - 1) CHECK_OK(ckpt_state_add_tensor(state, "model", "odd", odd));
  char text[64];
  snprintf(text, sizeof text, "\"odd\" of group \"model\" is on rank %d", world - 1);
  CHECK_FAILS(ckpt_checkpoint_manager_save(manager, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, text);
  release_state(state);
  ckpt_tensor_release(odd);
  CHECK_OK(save_step(manager, 1));
  /* A rank that loads another shape. */
  state = make_state(1, 0, 0);
  const int64_t shape[1] = {rank == 1 ? 5 : 4};
  CHECK_OK(ckpt_state_add_sharded_tensor(state, "model", "more", CKPT_DTYPE_F32, shape, 1));
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "more");
  release_state(state);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
  /* Different directories on different ranks. */
  char own[512];
  snprintf(own, sizeof own, "%s/of-rank-%d", directory, rank);
  CHECK_OK(ckpt_storage_create_file_system(own, NULL, &storage));
  CHECK_FAILS(open_manager(storage, 60 * second, coordinator, &manager), CKPT_E_INVALID_ARGUMENT, "is not shared");
  ckpt_storage_release(storage);
  ckpt_coordinator_release(coordinator);
}

int main(int argc, char** argv) {
  int level = 0;
  CHECK(argc >= 3);
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
#ifdef WITH_S3
  CHECK_OK(ckpt_s3_register());
#endif
  if (strcmp(argv[1], "save") == 0) {
    save(argv[2]);
  } else if (strcmp(argv[1], "load") == 0) {
    load(argv[2]);
  } else if (strcmp(argv[1], "killed") == 0) {
    killed(argv[2], argv[3], atoi(argv[4]), atoll(argv[5]));
  } else {
    bad(argv[2]);
  }
  MPI_Finalize();
  return 0;
}
