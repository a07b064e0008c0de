/* libckpt-mpi with processes started by mpirun. mpi_test CASE [FOLDER]: in a case that breaks the communicator, each rank writes
 * FOLDER/RANK on success, because the exit status of such a job depends on MPI. */
#define _POSIX_C_SOURCE 200809L

#include <ckpt/ckpt.h>
#include <ckpt/mpi.h>

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adaptive/events.h"
#include "check.h"

static const int64_t second = INT64_C(1000000000);
static int rank, world;

/* Checks that the call fails with this status, and that ckpt_mpi_last_error contains text. */
#define CHECK_MPI_FAILS(call, status, text)                                                           \
  do {                                                                                                \
    const ckpt_status check_status = (call);                                                          \
    if (check_status != (status) || strstr(ckpt_mpi_last_error(), (text)) == NULL) {                  \
      fprintf(stderr, "%s:%d: %s: got %s '%s', expected %s '...%s...'\n", __FILE__, __LINE__, #call,  \
              ckpt_status_name(check_status), ckpt_mpi_last_error(), ckpt_status_name(status), text); \
      exit(1);                                                                                        \
    }                                                                                                 \
  } while (0)

static ckpt_coordinator* of_world(void) {
  ckpt_coordinator* coordinator = NULL;
  if (ckpt_mpi_coordinator_create(MPI_COMM_WORLD, 60 * second, &coordinator) != CKPT_OK) {
    fprintf(stderr, "%s\n", ckpt_mpi_last_error());
    exit(1);
  }
  return coordinator;
}

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static unsigned char byte_of(int64_t from, int64_t at) { return (unsigned char)(at * 31 + at / 257 + from * 7 + 1); }

static void fill(unsigned char* bytes, int64_t count, int64_t from) {
  for (int64_t i = 0; i < count; ++i) bytes[i] = byte_of(from, i);
}

static void check_filled(const unsigned char* bytes, int64_t count, int64_t from) {
  for (int64_t i = 0; i < count; ++i) CHECK(bytes[i] == byte_of(from, i));
}

/* Allocates at least one byte, so that there is an address. */
static unsigned char* bytes_of(int64_t count) {
  unsigned char* const bytes = malloc((size_t)count + 1);
  CHECK(bytes != NULL);
  memset(bytes, 0xee, (size_t)count + 1);
  return bytes;
}

static void broadcast_of(ckpt_coordinator* coordinator, int64_t count, int64_t root) {
  unsigned char* const bytes = bytes_of(count);
  if (rank == root) fill(bytes, count, root);
  CHECK_OK(ckpt_coordinator_broadcast(coordinator, bytes, count, root, 60 * second));
  check_filled(bytes, count, root);
  CHECK(bytes[count] == 0xee);
  free(bytes);
}

static void all_gather_of(ckpt_coordinator* coordinator, int64_t count) {
  unsigned char* const sent = bytes_of(count);
  unsigned char* const received = bytes_of(count * world);
  fill(sent, count, rank);
  CHECK_OK(ckpt_coordinator_all_gather(coordinator, sent, count, 60 * second, received));
  for (int64_t from = 0; from < world; ++from) check_filled(received + from * count, count, from);
  CHECK(received[count * world] == 0xee);
  free(sent);
  free(received);
}

static void gather_of(ckpt_coordinator* coordinator, int64_t count, int64_t root) {
  unsigned char* const sent = bytes_of(count);
  unsigned char* const received = rank == root ? bytes_of(count * world) : NULL;
  fill(sent, count, rank);
  CHECK_OK(ckpt_coordinator_gather(coordinator, sent, count, root, 60 * second, received));
  for (int64_t from = 0; received != NULL && from < world; ++from) check_filled(received + from * count, count, from);
  CHECK(received == NULL || received[count * world] == 0xee);
  check_filled(sent, count, rank);
  free(sent);
  free(received);
}

/* Sizes around the limit of the first message, and around the limit of one message. */
static void every_size(void) {
  static const int64_t sizes[] = {
      0,       1, 247, 248, 249, 4095, 4096, 4097, 5000, 16777216, 16777216 + 4096, 16777216 + 4097, 16777216 + 248, 16777216 + 249,
      40000003};
  ckpt_coordinator* const coordinator = of_world();
  int64_t number = -1;
  CHECK_OK(ckpt_coordinator_get_rank(coordinator, &number));
  CHECK(number == rank);
  CHECK_OK(ckpt_coordinator_get_world_size(coordinator, &number));
  CHECK(number == world);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    for (int64_t root = 0; root < world; ++root) {
      broadcast_of(coordinator, sizes[i], root);
      gather_of(coordinator, sizes[i], root);
    }
    all_gather_of(coordinator, sizes[i]);
  }
  CHECK_OK(ckpt_coordinator_broadcast(coordinator, NULL, 0, world - 1, 60 * second));
  CHECK_OK(ckpt_coordinator_gather(coordinator, NULL, 0, world - 1, 60 * second, NULL));
  ckpt_coordinator_release(coordinator);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second + now.tv_nsec;
}

static void barrier_without_end(ckpt_coordinator* coordinator) {
  CHECK_OK(ckpt_coordinator_barrier(coordinator, INT64_MAX)); /* the timeout must not overflow */
}
static void small_gather(ckpt_coordinator* coordinator) { gather_of(coordinator, 3, 0); }
static void large_gather(ckpt_coordinator* coordinator) { gather_of(coordinator, 5000, 0); }

/* An operation ends after the last rank has arrived, not before; on one machine all ranks read the same clock. */
static void waits_for_the_last(void (*operation)(ckpt_coordinator* coordinator)) {
  ckpt_coordinator* const coordinator = of_world();
  int64_t came = 0, end = 0;
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 60 * second));
  if (rank == world - 1) sleep_ms(100);
  came = now_ns();
  operation(coordinator);
  end = now_ns();
  CHECK_OK(ckpt_coordinator_broadcast(coordinator, &came, sizeof came, world - 1, 60 * second));
  CHECK(end >= came);
  ckpt_coordinator_release(coordinator);
}

/* Coordinators of one half of the ranks each, numbered within the halves; messages on the program's communicator do not interfere.
 * */
static void own_communicator(void) {
  MPI_Comm half;
  ckpt_coordinator* coordinator = NULL;
  int of_half = 0, token = rank, from = -1;
  int64_t number = -1;
  MPI_Request request;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half) == MPI_SUCCESS);
  MPI_Comm_rank(half, &of_half);
  CHECK_OK(ckpt_mpi_coordinator_create(half, 60 * second, &coordinator));
  MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &request);
  MPI_Comm_size(half, &token);
  CHECK_OK(ckpt_coordinator_get_rank(coordinator, &number));
  CHECK(number == of_half);
  number = 7 + rank % 2;
  CHECK_OK(ckpt_coordinator_broadcast(coordinator, &number, sizeof number, 0, 60 * second));
  CHECK(number == 7 + rank % 2);
  MPI_Send(&rank, 1, MPI_INT, (of_half + 1) % token, 3, half);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(from % 2 == rank % 2);
  CHECK(MPI_Comm_free(&half) == MPI_SUCCESS); /* the coordinator has its own duplicate */
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 60 * second));
  ckpt_coordinator_release(coordinator);
}

/* The controllers' decision is rank 0's on all ranks, whatever they have seen; the cost of a save is the longest stall of all
 * ranks. */
static void one_decision(void) {
  ckpt_coordinator* const coordinator = of_world();
  ckpt_controller* controller = NULL;
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_controller_options options = CKPT_CONTROLLER_OPTIONS_INIT;
  options.policy = CKPT_POLICY_FIXED;
  options.interval_seconds = 100 + rank;
  CHECK_OK(ckpt_controller_create(&options, &controller));
  CHECK_OK(record_begin_run(controller, 0));
  CHECK_OK(ckpt_controller_decide_all(controller, coordinator, 100, 60 * second, &decision));
  CHECK(decision.interval_seconds == 100 && decision.checkpoint == 1);
  CHECK_OK(record_begin(controller, 100));
  CHECK_OK(record_commit(controller, 110, 1 + rank, 10));
  CHECK_OK(ckpt_controller_decide_all(controller, coordinator, 120, 60 * second, &decision));
  CHECK(decision.interval_seconds == 100 && decision.checkpoint == 0 && decision.cost_seconds == world);
  ckpt_controller_release(controller);
  ckpt_coordinator_release(coordinator);
}

static void* barrier_here(void* coordinator) {
  static ckpt_status status;
  status = ckpt_coordinator_barrier(coordinator, second);
  if (status != CKPT_OK && strstr(ckpt_last_error(), "MPI_THREAD_FUNNELED") == NULL) status = CKPT_E_INTERNAL;
  return &status;
}

static void bad_arguments(void) {
  ckpt_coordinator* coordinator = NULL;
  ckpt_coordinator* const fine = of_world();
  pthread_t thread;
  void* status = NULL;
  int ended = -1;
  pid_t child;
  CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_WORLD, second, NULL), CKPT_E_INVALID_ARGUMENT, "coordinator is NULL");
  CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_NULL, second, &coordinator), CKPT_E_INVALID_ARGUMENT, "MPI_COMM_NULL");
  CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_WORLD, -1, &coordinator), CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1");
  CHECK(coordinator == NULL);
  if (world > 1) { /* two groups */
    MPI_Comm half, both;
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half) == MPI_SUCCESS);
    CHECK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both) == MPI_SUCCESS);
    CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(both, second, &coordinator), CKPT_E_INVALID_ARGUMENT, "intercommunicator");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  }
  CHECK_FAILS(ckpt_coordinator_broadcast(fine, &ended, sizeof ended, world, second), CKPT_E_INVALID_ARGUMENT, "root");
  CHECK_FAILS(ckpt_coordinator_barrier(fine, -1), CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1");
  CHECK(pthread_create(&thread, NULL, barrier_here, fine) == 0 && pthread_join(thread, &status) == 0);
  CHECK(*(ckpt_status*)status == CKPT_E_INVALID_STATE);
  child = fork();
  if (child == 0) {
    const ckpt_status forked = ckpt_coordinator_barrier(fine, second);
    ckpt_coordinator_release(fine);
    _exit(forked == CKPT_E_FORKED && strstr(ckpt_last_error(), "parent process") != NULL ? 0 : 1);
  }
  CHECK(waitpid(child, &ended, 0) == child && ended == 0);
  CHECK_OK(ckpt_coordinator_barrier(fine, 60 * second)); /* it is unaffected */
  ckpt_coordinator_release(fine);
}

static void as_it_should_be(const char* folder) {
  char path[4096];
  FILE* file;
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  file = fopen(path, "w");
  CHECK(file != NULL && fclose(file) == 0);
}

static void of_no_more_use(ckpt_coordinator* coordinator, const char* why) {
  unsigned char byte = 0, all[64];
  CHECK_FAILS(ckpt_coordinator_barrier(coordinator, second), CKPT_E_INVALID_STATE, why);
  CHECK_FAILS(ckpt_coordinator_broadcast(coordinator, &byte, 1, 0, second), CKPT_E_INVALID_STATE, why);
  CHECK_FAILS(ckpt_coordinator_all_gather(coordinator, &byte, 1, second, all), CKPT_E_INVALID_STATE, why);
  CHECK_FAILS(ckpt_coordinator_gather(coordinator, &byte, 1, 0, second, all), CKPT_E_INVALID_STATE, why);
}

/* Lets MPI make progress, which it does only during calls. */
static void poll_mpi(int times) {
  for (int i = 0; i < times; ++i) {
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    sleep_ms(5);
  }
}

/* Rank 0 calls its broadcast after the others have timed out. Its data must not be written to their memory. */
static void late_rank(const char* folder) {
  enum { count = 5000 };
  static unsigned char bytes[count];
  ckpt_coordinator* const coordinator = of_world();
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 60 * second));
  if (rank == 0) {
    sleep_ms(700);
    fill(bytes, count, 0);
    (void)ckpt_coordinator_broadcast(coordinator, bytes, count, 0, second);
    poll_mpi(100); /* so that everything is sent */
  } else {
    CHECK_FAILS(ckpt_coordinator_broadcast(coordinator, bytes, count, 0, second / 5), CKPT_E_TIMEOUT, "processes arrived in time");
    memset(bytes, 0xab, count);
    poll_mpi(300);
    for (int i = 0; i < count; ++i) CHECK(bytes[i] == 0xab);
    of_no_more_use(coordinator, "broadcast has timed out");
  }
  ckpt_coordinator_release(coordinator);
  as_it_should_be(folder);
}

/* The last rank calls a gather after the others, root among them, have timed out: its data must not be written to root's
 * memory. */
static void late_gather(const char* folder) {
  enum { count = 5000, max = 64 };
  static unsigned char sent[count], received[count * max];
  ckpt_coordinator* const coordinator = of_world();
  CHECK(world <= max);
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 60 * second));
  fill(sent, count, rank);
  if (rank == world - 1) {
    sleep_ms(700);
    (void)ckpt_coordinator_gather(coordinator, sent, count, 0, second, NULL);
    poll_mpi(100);
  } else {
    CHECK_FAILS(ckpt_coordinator_gather(coordinator, sent, count, 0, second / 5, rank == 0 ? received : NULL), CKPT_E_TIMEOUT,
                "processes arrived in time");
    memset(received, 0xab, sizeof received);
    memset(sent, 0xab, sizeof sent);
    poll_mpi(300);
    for (size_t i = 0; i < sizeof received; ++i) CHECK(received[i] == 0xab);
    of_no_more_use(coordinator, "gather has timed out");
  }
  ckpt_coordinator_release(coordinator);
  as_it_should_be(folder);
}

/* A rank that is killed, and one that never calls. */
static void killed_rank(const char* folder) {
  ckpt_coordinator* const coordinator = of_world();
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 60 * second));
  if (rank == world - 1) raise(SIGKILL);
  CHECK_FAILS(ckpt_coordinator_barrier(coordinator, second), CKPT_E_TIMEOUT, "processes arrived in time");
  of_no_more_use(coordinator, "barrier has timed out");
  as_it_should_be(folder);
  sleep_ms(1500); /* its exit does not end the others */
}

static void absent_rank(const char* folder) {
  ckpt_coordinator* coordinator = NULL;
  if (rank != world - 1) {
    CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_WORLD, second / 2, &coordinator), CKPT_E_TIMEOUT,
                    "processes of comm arrived");
    CHECK(coordinator == NULL);
  }
  as_it_should_be(folder);
  sleep_ms(1500);
}

/* Different numbers of bytes: in a gather every rank learns of the mismatch; in a broadcast the receivers. Root's number counts. */
static void different_sizes(const char* folder) {
  unsigned char bytes[8] = {0}, all[8 * 64];
  ckpt_coordinator* const to_one = of_world();
  ckpt_coordinator* const gather = of_world();
  ckpt_coordinator* const broadcast = of_world();
  CHECK_FAILS(ckpt_coordinator_all_gather(gather, bytes, rank == 1 ? 8 : 4, 60 * second, all), CKPT_E_INVALID_STATE,
              rank == 1 ? "rank 0 specified 4 bytes" : "rank 1 specified 8 bytes");
  of_no_more_use(gather, "different arguments to all_gather");
  if (rank == 0) {
    CHECK_OK(ckpt_coordinator_broadcast(broadcast, bytes, 8, 0, 60 * second));
  } else {
    CHECK_FAILS(ckpt_coordinator_broadcast(broadcast, bytes, 4, 0, 60 * second), CKPT_E_INVALID_STATE, "rank 0 specified 8 bytes");
  }
  CHECK_FAILS(ckpt_coordinator_gather(to_one, bytes, rank == 1 ? 8 : 4, 2, 60 * second, all), CKPT_E_INVALID_STATE,
              "rank 1 specified 8 bytes, rank 2 specified 4");
  of_no_more_use(to_one, "different arguments to gather");
  as_it_should_be(folder);
  sleep_ms(500);
}

/* More bytes than fit an int. */
static void large(void) {
  const int64_t count = INT64_C(2147483647) + 12345;
  ckpt_coordinator* const coordinator = of_world();
  broadcast_of(coordinator, count, world - 1);
  ckpt_coordinator_release(coordinator);
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  const char* const folder = argc > 2 ? argv[2] : ".";
  ckpt_coordinator* coordinator = NULL;
  int level = 0;
  CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_WORLD, second, &coordinator), CKPT_E_INVALID_STATE, "not initialized");
  if (strcmp(name, "single") == 0) {
    MPI_Init(&argc, &argv);
    MPI_Query_thread(&level);
    if (level == MPI_THREAD_SINGLE) {
      CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_WORLD, second, &coordinator), CKPT_E_INVALID_STATE, "MPI_THREAD_SINGLE");
    } else {
      printf("MPI_Init gives level %d here: MPI_THREAD_SINGLE is not seen refused\n", level);
    }
    return MPI_Finalize();
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  CHECK(level == MPI_THREAD_FUNNELED);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (strcmp(name, "works") == 0) {
    every_size();
    waits_for_the_last(barrier_without_end);
    waits_for_the_last(small_gather);
    waits_for_the_last(large_gather);
    own_communicator();
    one_decision();
    bad_arguments();
  } else if (strcmp(name, "large") == 0) {
    large();
  } else {
    void (*const breaks)(const char*) = strcmp(name, "late") == 0          ? late_rank
                                        : strcmp(name, "late_gather") == 0 ? late_gather
                                        : strcmp(name, "killed") == 0      ? killed_rank
                                        : strcmp(name, "absent") == 0      ? absent_rank
                                                                           : different_sizes;
    breaks(folder);
    MPI_Abort(MPI_COMM_WORLD, 0);
  }
  coordinator = of_world();
  MPI_Finalize();
  CHECK_FAILS(ckpt_coordinator_barrier(coordinator, second), CKPT_E_INVALID_STATE, "MPI_Finalize has been called");
  CHECK_MPI_FAILS(ckpt_mpi_coordinator_create(MPI_COMM_WORLD, second, &coordinator), CKPT_E_INVALID_STATE, "MPI_Finalize");
  ckpt_coordinator_release(coordinator);
  puts("ok");
  return 0;
}
