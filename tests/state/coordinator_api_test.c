/* Tests coordinators through the C API from C99: one process, and two through callbacks. */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"

/* A coordinator of two that counts its calls. */

static int32_t calls;
static int32_t pair_barrier(int64_t timeout_ns, void* user_data) {
  (void)user_data;
  ++calls;
  if (timeout_ns == 2) ckpt_callback_error("rank 0 is late");
  if (timeout_ns == 3) ckpt_callback_error("the link is gone");
  if (timeout_ns == 0 || timeout_ns == 2) return CKPT_E_TIMEOUT;
  return timeout_ns == 3 ? CKPT_E_INVALID_STATE : timeout_ns == 4 ? 7 : 0;
}
static int32_t pair_broadcast(void* data, int64_t bytes, int64_t root_rank, int64_t timeout_ns, void* user_data) {
  (void)timeout_ns;
  (void)user_data;
  if (root_rank == 1) memset(data, 42, (size_t)bytes);
  return 0;
}
static int32_t pair_all_gather(const void* sent, int64_t bytes, int64_t timeout_ns, void* received, void* user_data) {
  (void)timeout_ns;
  (void)user_data;
  memcpy(received, sent, (size_t)bytes);
  memcpy((char*)received + bytes, sent, (size_t)bytes);
  return 0;
}
/* The arguments of the last gather, and its result: the neighbour's bytes are one more. */
static const void* gathered_into;
static int64_t gathered_at;
static int32_t pair_gather(const void* sent, int64_t bytes, int64_t root, int64_t timeout_ns, void* received, void* user_data) {
  (void)user_data;
  gathered_into = received;
  gathered_at = root;
  if (timeout_ns == 0) return CKPT_E_TIMEOUT;
  for (int64_t i = 0; received != NULL && i < bytes; ++i) {
    ((char*)received)[i] = (char)(((const char*)sent)[i] + 1);
    ((char*)received)[bytes + i] = ((const char*)sent)[i];
  }
  return 0;
}

static void gather_of_one(void) {
  ckpt_coordinator* single = NULL;
  char data[2] = {1, 2};
  char received[2] = {0};
  CHECK_OK(ckpt_coordinator_create_single(&single));
  CHECK_OK(ckpt_coordinator_gather(single, data, 2, 0, 0, received));
  CHECK(received[0] == 1 && received[1] == 2);
  CHECK_OK(ckpt_coordinator_gather(single, NULL, 0, 0, 0, NULL));
  CHECK_FAILS(ckpt_coordinator_gather(single, data, 2, 0, 0, NULL), CKPT_E_INVALID_ARGUMENT, "received is NULL but bytes is 2");
  CHECK_FAILS(ckpt_coordinator_gather(single, NULL, 2, 0, 0, received), CKPT_E_INVALID_ARGUMENT, "sent is NULL");
  CHECK_FAILS(ckpt_coordinator_gather(single, data, -1, 0, 0, received), CKPT_E_INVALID_ARGUMENT, "-1");
  CHECK_FAILS(ckpt_coordinator_gather(single, data, 2, 1, 0, received), CKPT_E_INVALID_ARGUMENT, "root is 1; expected 0 .. 0");
  CHECK_FAILS(ckpt_coordinator_gather(single, data, 2, -1, 0, received), CKPT_E_INVALID_ARGUMENT, "root is -1");
  CHECK_FAILS(ckpt_coordinator_gather(single, data, 2, 0, -1, received), CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1");
  ckpt_coordinator_release(single);
}

/* Rank 1 of 2, with its own gather, and without one, like a caller compiled before gather existed. */
static void gather_of_two(void) {
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  ckpt_coordinator* own = NULL;
  ckpt_coordinator* older = NULL;
  char data[2] = {1, 2};
  char received[4] = {0};
  callbacks.barrier = pair_barrier;
  callbacks.broadcast = pair_broadcast;
  callbacks.all_gather = pair_all_gather;
  callbacks.gather = pair_gather;
  callbacks.rank = 1;
  callbacks.world_size = 2;
  CHECK_OK(ckpt_coordinator_create_custom(&callbacks, NULL, NULL, &own));
  CHECK_OK(ckpt_coordinator_gather(own, data, 2, 1, 1, received));
  CHECK(gathered_into == received && gathered_at == 1);
  CHECK(received[0] == 2 && received[1] == 3 && received[2] == 1 && received[3] == 2);
  CHECK_OK(ckpt_coordinator_gather(own, data, 2, 0, 1, received));
  CHECK(gathered_into == NULL && gathered_at == 0);
  CHECK_OK(ckpt_coordinator_gather(own, data, 2, 0, 1, NULL));
  CHECK_FAILS(ckpt_coordinator_gather(own, data, 2, 1, 1, NULL), CKPT_E_INVALID_ARGUMENT, "received is NULL but bytes is 2");
  CHECK_FAILS(ckpt_coordinator_gather(own, data, 2, 0, 0, NULL), CKPT_E_TIMEOUT, "coordinator gather");
  CHECK_FAILS(ckpt_coordinator_gather(own, data, 2, 2, 1, received), CKPT_E_INVALID_ARGUMENT, "root is 2; expected 0 .. 1");
  CHECK_FAILS(ckpt_coordinator_gather(own, data, INT64_MAX, 1, 1, received), CKPT_E_OUT_OF_RANGE, "world size");
  CHECK_FAILS(ckpt_coordinator_gather(own, data, INT64_MAX, 0, 1, NULL), CKPT_E_OUT_OF_RANGE, "world size");
  ckpt_coordinator_release(own);

  callbacks.gather = NULL;
  CHECK_OK(ckpt_coordinator_create_custom(&callbacks, NULL, NULL, &older));
  memset(received, 9, sizeof received);
  CHECK_OK(ckpt_coordinator_gather(older, data, 2, 0, 1, received));
  CHECK(received[0] == 9 && received[3] == 9);
  CHECK_OK(ckpt_coordinator_gather(older, data, 2, 1, 1, received));
  CHECK(received[0] == 1 && received[1] == 2 && received[2] == 1 && received[3] == 2);
#ifdef CKPT_SANITIZED
  puts("SKIP memory that there is not: a sanitizer's operator new ends the program");
#else
  CHECK_FAILS(ckpt_coordinator_gather(older, data, INT64_MAX / 2, 0, 1, NULL), CKPT_E_OUT_OF_MEMORY, "");
#endif
  ckpt_coordinator_release(older);
}

static void coordinators(void) {
  ckpt_coordinator* single = NULL;
  int64_t number = -1;
  char data[2] = {1, 2};
  char both[4] = {0};
  CHECK_OK(ckpt_coordinator_create_single(&single));
  CHECK_OK(ckpt_coordinator_get_rank(single, &number));
  CHECK(number == 0);
  CHECK_OK(ckpt_coordinator_get_world_size(single, &number));
  CHECK(number == 1);
  CHECK_OK(ckpt_coordinator_barrier(single, 0));
  CHECK_OK(ckpt_coordinator_broadcast(single, data, 2, 0, 0));
  CHECK_FAILS(ckpt_coordinator_broadcast(single, data, 2, 1, 0), CKPT_E_INVALID_ARGUMENT, "root is 1");
  CHECK_OK(ckpt_coordinator_all_gather(single, data, 2, 0, both));
  CHECK(both[0] == 1 && both[1] == 2);
  CHECK_FAILS(ckpt_coordinator_barrier(single, -1), CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1");

  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  CKPT_INIT(ckpt_coordinator_callbacks, &callbacks);
  ckpt_coordinator* pair = NULL;
  CHECK_FAILS(ckpt_coordinator_create_custom(&callbacks, NULL, NULL, &pair), CKPT_E_INVALID_ARGUMENT, "barrier is NULL");
  callbacks.barrier = pair_barrier;
  callbacks.broadcast = pair_broadcast;
  callbacks.all_gather = pair_all_gather;
  callbacks.rank = 2;
  callbacks.world_size = 2;
  CHECK_FAILS(ckpt_coordinator_create_custom(&callbacks, NULL, NULL, &pair), CKPT_E_INVALID_ARGUMENT, "rank is 2");
  callbacks.rank = 1;
  CHECK_OK(ckpt_coordinator_create_custom(&callbacks, NULL, NULL, &pair));
  CHECK_OK(ckpt_coordinator_barrier(pair, 1));
  /* A status is passed on, with the callback's own message, if any; a number that is not a status becomes CALLBACK. */
  CHECK_FAILS(ckpt_coordinator_barrier(pair, 0), CKPT_E_TIMEOUT, "in time");
  CHECK_FAILS(ckpt_coordinator_barrier(pair, 2), CKPT_E_TIMEOUT, "coordinator barrier: rank 0 is late");
  CHECK_FAILS(ckpt_coordinator_barrier(pair, 3), CKPT_E_INVALID_STATE, "coordinator barrier: the link is gone");
  CHECK_FAILS(ckpt_coordinator_barrier(pair, 4), CKPT_E_CALLBACK, "7");
  CHECK(calls == 5);
  CHECK_OK(ckpt_coordinator_broadcast(pair, data, 2, 1, 1));
  CHECK(data[0] == 42 && data[1] == 42);
  CHECK_OK(ckpt_coordinator_all_gather(pair, data, 2, 1, both));
  CHECK(both[3] == 42);
  CHECK_FAILS(ckpt_coordinator_all_gather(pair, data, INT64_MAX, 1, both), CKPT_E_OUT_OF_RANGE, "world size");

  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  CHECK_OK(ckpt_storage_create_memory(&storage));
  options.coordinator = pair;
  options.timeout_ns = -1;
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, &options, &checkpoint), CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1");
  options.timeout_ns = 0;
  options.coordinator = single;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  ckpt_coordinator_release(single);
  ckpt_coordinator_release(pair);
  CHECK_OK(ckpt_checkpoint_manager_get_coordinator(checkpoint, &single));
  CHECK_OK(ckpt_coordinator_get_world_size(single, &number));
  CHECK(number == 1);
  ckpt_coordinator_release(single);
  ckpt_checkpoint_manager_release(checkpoint);

  /* The fault handler is the caller's, or one with the defaults. */
  ckpt_fault_handler* handler = NULL;
  ckpt_fault_handler* used = NULL;
  int64_t retries = -1;
  CHECK_OK(ckpt_fault_handler_create(NULL, NULL, NULL, NULL, &handler));
  CKPT_INIT(ckpt_checkpoint_manager_options, &options);
  options.fault_handler = handler;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  ckpt_fault_handler_release(handler);
  CHECK_OK(ckpt_checkpoint_manager_get_fault_handler(checkpoint, &used));
  CHECK_OK(ckpt_fault_handler_get_retry_count(used, &retries));
  CHECK(retries == 0);
  ckpt_fault_handler_release(used);
  CHECK_FAILS(ckpt_checkpoint_manager_get_fault_handler(checkpoint, NULL), CKPT_E_INVALID_ARGUMENT, "handler is NULL");
  ckpt_checkpoint_manager_release(checkpoint);
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_OK(ckpt_checkpoint_manager_get_fault_handler(checkpoint, &used));
  ckpt_fault_handler_release(used);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

int main(void) {
  coordinators();
  gather_of_one();
  gather_of_two();
  return 0;
}
