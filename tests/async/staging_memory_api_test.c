/* Through the C API from C99: copy memory from the caller's allocator. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <sys/wait.h>

#include "api.h"

enum { page = 4096, state_bytes = 1000000 };

typedef struct memory {
  int64_t blocks, bytes, allocations, destroyed, allowed;
  int64_t shift; /* offset of the address from the start of a page */
  int64_t code;
  ckpt_async_manager* inside; /* a manager that is called inside the allocation callback */
} memory;

static int32_t allocate(int64_t bytes, void** block, void* user_data) {
  memory* const it = user_data;
  CHECK(bytes > 0 && bytes % page == 0 && bytes <= 4 << 20);
  if (it->inside != NULL) {
    ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
    CHECK_OK(ckpt_async_manager_get_stats(it->inside, &stats));
    CHECK_FAILS(ckpt_async_manager_wait(it->inside, CKPT_CHECKPOINT_TASK_ALL, -1, NULL), CKPT_E_INVALID_STATE, "callback");
  }
  if (it->code != 0) {
    ckpt_callback_error("the device is busy");
    return (int32_t)it->code;
  }
  if (it->allocations == it->allowed) return 0; /* *block stays NULL */
  void* created = NULL;
  CHECK(posix_memalign(&created, page, (size_t)bytes + page) == 0);
  *block = (char*)created + it->shift;
  ++it->allocations;
  ++it->blocks;
  it->bytes += bytes;
  return 0;
}

static void release(void* block, int64_t bytes, void* user_data) {
  memory* const it = user_data;
  CHECK(it->destroyed == 0);
  --it->blocks;
  it->bytes -= bytes;
  free((char*)block - it->shift);
}

static void destroy(void* user_data) { ++((memory*)user_data)->destroyed; }

static ckpt_async_manager_options options_of(memory* it) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  options.staging_bytes = 8 << 20;
  options.staging_allocate = allocate;
  options.staging_free = release;
  options.staging_user_data = it;
  options.staging_destroy = destroy;
  return options;
}

static ckpt_async_manager* manager_on(run* r, memory* it) {
  ckpt_async_manager* async = NULL;
  const ckpt_async_manager_options options = options_of(it);
  CHECK_OK(ckpt_async_manager_create(r->checkpoint, &options, &async));
  return async;
}

/* The bytes are saved from that memory, a second save uses the same blocks, and all blocks are released before destroy. */
static void is_used_and_released(run* r) {
  memory it = {0};
  it.allowed = 1000;
  ckpt_async_manager* const async = manager_on(r, &it);
  CHECK(it.allocations == 0); /* allocated at the first save */
  it.inside = async;
  save_step(async, r->state, 1, NULL);
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  CHECK_OK(ckpt_async_manager_get_stats(async, &stats));
  CHECK(it.blocks > 0 && it.bytes >= state_bytes && stats.staging_bytes == it.bytes);
  const int64_t before = it.allocations;
  save_step(async, r->state, 2, NULL);
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  CHECK(it.allocations == before);
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  CHECK_OK(ckpt_checkpoint_manager_load(r->checkpoint, r->state, NULL, &loaded));
  CHECK(loaded.step == 2);
  CHECK(it.destroyed == 0);
  ckpt_async_manager_release(async);
  CHECK(it.blocks == 0 && it.bytes == 0 && it.destroyed == 1);
}

static void is_touched_at_creation(run* r) {
  memory it = {0};
  it.allowed = 1000;
  ckpt_async_manager_options options = options_of(&it);
  ckpt_async_manager* async = NULL;
  options.prepare_bytes = 2 << 20;
  CHECK_OK(ckpt_async_manager_create(r->checkpoint, &options, &async));
  CHECK(it.bytes == 2 << 20);
  ckpt_async_manager_release(async);
  CHECK(it.blocks == 0 && it.destroyed == 1);
  it.destroyed = 0;
  it.allowed = it.allocations + 1; /* one of two: creation fails, that block is released, destroy does not run */
  CHECK_FAILS(ckpt_async_manager_create(r->checkpoint, &options, &async), CKPT_E_OUT_OF_MEMORY, "staging_allocate");
  CHECK(it.blocks == 0 && it.destroyed == 0);
}

/* A save that gets no memory fails, and the next one with memory succeeds. */
static void its_failures_fail_the_save(run* r) {
  const struct {
    memory it;
    ckpt_status status;
    const char* text;
  } cases[] = {{{.allowed = 0}, CKPT_E_OUT_OF_MEMORY, "staging_allocate returned no memory for"},
               {{.allowed = 9, .code = 7}, CKPT_E_CALLBACK, "the device is busy"},
               {{.allowed = 9, .shift = 512}, CKPT_E_INVALID_ARGUMENT, "a multiple of 4096"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    memory it = cases[i].it;
    ckpt_async_manager* const async = manager_on(r, &it);
    const int64_t id = save_step(async, r->state, 10 + (int64_t)i, NULL);
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
    CHECK(result.status == cases[i].status && strstr(result.error, cases[i].text) != NULL);
    CHECK(it.blocks == 0);
    it.code = it.shift = 0;
    it.allowed = 1000;
    const int64_t next = save_step(async, r->state, 20 + (int64_t)i, NULL);
    CHECK_OK(ckpt_async_manager_wait(async, next, -1, &result));
    CHECK(result.status == CKPT_OK);
    ckpt_async_manager_release(async);
    CHECK(it.blocks == 0 && it.destroyed == 1);
  }
}

static void one_function_alone_is_refused(run* r) {
  memory it = {0};
  ckpt_async_manager_options options = options_of(&it);
  ckpt_async_manager* async = NULL;
  options.staging_free = NULL;
  CHECK_FAILS(ckpt_async_manager_create(r->checkpoint, &options, &async), CKPT_E_INVALID_ARGUMENT, "staging_free");
  options = options_of(&it);
  options.staging_allocate = NULL;
  CHECK_FAILS(ckpt_async_manager_create(r->checkpoint, &options, &async), CKPT_E_INVALID_ARGUMENT, "staging_allocate");
  CHECK(async == NULL && it.destroyed == 0);
}

/* A child releases its copy of the manager; the memory belongs to the parent. */
static void a_forked_child_releases_nothing(run* r) {
  memory it = {0};
  it.allowed = 1000;
  ckpt_async_manager* const async = manager_on(r, &it);
  save_step(async, r->state, 30, NULL);
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  const int64_t blocks = it.blocks;
  const pid_t child = fork();
  if (child == 0) {
    ckpt_async_manager_release(async);
    _exit(it.blocks == blocks ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  ckpt_async_manager_release(async);
  CHECK(it.blocks == 0 && it.destroyed == 1);
}

/* A tracker counts copy memory, from the library's allocator and from the caller's, until the manager is released. */
static void a_tracker_counts_it(run* r) {
  int own;
  for (own = 0; own < 2; ++own) {
    memory it = {0};
    it.allowed = 1000;
    ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
    if (own) options = options_of(&it);
    ckpt_memory_layer_stats stats = CKPT_MEMORY_LAYER_STATS_INIT;
    ckpt_memory_tracker* tracker = NULL;
    ckpt_async_manager* async = NULL;
    int32_t layer = -1;
    CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
    options.tracker = tracker;
    options.prepare_bytes = 2 << 20;
    CHECK_OK(ckpt_async_manager_create(r->checkpoint, &options, &async));
    CHECK_OK(ckpt_memory_tracker_find_layer(tracker, "checkpoint staging", &layer));
    CHECK_OK(ckpt_memory_tracker_get_layer_stats(tracker, layer, &stats));
    CHECK(stats.current_bytes >= 2 << 20 && (!own || stats.current_bytes == it.bytes));
    save_step(async, r->state, 40 + own, NULL);
    CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
    CHECK_OK(ckpt_memory_tracker_get_layer_stats(tracker, layer, &stats));
    CHECK(stats.current_bytes >= 2 << 20 && (!own || stats.current_bytes == it.bytes));
    ckpt_async_manager_release(async);
    CHECK_OK(ckpt_memory_tracker_get_layer_stats(tracker, layer, &stats));
    CHECK(stats.current_bytes == 0 && stats.live_allocations == 0);
    ckpt_memory_tracker_release(tracker);
  }
}

int main(void) {
  run r;
  begin_run(&r, state_bytes);
  is_used_and_released(&r);
  is_touched_at_creation(&r);
  its_failures_fail_the_save(&r);
  one_function_alone_is_refused(&r);
  a_tracker_counts_it(&r);
  a_forked_child_releases_nothing(&r);
  end_run(&r);
  return 0;
}
