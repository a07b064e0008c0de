/* Preloaded into the tests with the label hosted: a log callback for every message, which calls back into the library with every
 * checkpoint, manager, pipeline, controller, strategy and tracker that the program has at that moment. The program's own log
 * callback runs, too. The calls only read, so they do not change what tests observe; log_callback_test.c covers calls that write.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ckpt/api.h>
#include <ckpt/ckpt.h>

static void* real(const char* name) {
  void* const library = dlopen("libckpt.so." CKPT_SOVERSION, RTLD_LAZY | RTLD_NOLOAD); /* a program may hide it from RTLD_NEXT */
  void* const found = library == NULL ? NULL : dlsym(library, name);
  if (found == NULL) abort();
  dlclose(library);
  return found;
}

/* The library's function of a name that this file interposes. */
#define REAL(name) (*__extension__(__typeof__(&name)) real(#name))

/* ---- The program's objects ---- */

typedef void (*read_fn)(void* handle);

typedef struct entry {
  void* handle; /* NULL: an unused entry */
  read_fn look;
  int references;
  int users; /* log callbacks that are using it */
} entry;

static entry entries[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unused = PTHREAD_COND_INITIALIZER;
static __thread int inside = 0; /* nesting of this file's own calls into the library */

static entry* find(const void* handle) {
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i) {
    if (entries[i].handle == handle) return &entries[i];
  }
  return NULL;
}

/* look NULL: only updates a known handle. */
static void track(read_fn look, void* handle) {
  entry* place = NULL;
  if (inside) return;
  pthread_mutex_lock(&mutex);
  place = find(handle);
  if (place != NULL) {
    ++place->references;
  } else if (look != NULL && (place = find(NULL)) != NULL) {
    *place = (entry){handle, look, 1, 0};
  }
  pthread_mutex_unlock(&mutex);
}

/* Called before a release: no callback uses the handle after this returns. */
static void untrack(const void* handle) {
  entry* place = NULL;
  if (handle == NULL || inside) return;
  pthread_mutex_lock(&mutex);
  place = find(handle);
  if (place != NULL && --place->references == 0) {
    while (place->users > 0) pthread_cond_wait(&unused, &mutex);
    place->handle = NULL;
  }
  pthread_mutex_unlock(&mutex);
}

static void read_all(void) {
  inside = 1;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i) {
    entry* const place = &entries[i];
    if (place->handle == NULL || place->references == 0) continue;
    ++place->users;
    pthread_mutex_unlock(&mutex);
    place->look(place->handle);
    pthread_mutex_lock(&mutex);
    if (--place->users == 0) pthread_cond_broadcast(&unused);
  }
  pthread_mutex_unlock(&mutex);
  inside = 0;
}

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void after_fork(void) { pthread_mutex_unlock(&mutex); }
static void in_child(void) { /* the child has no other threads */
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i) entries[i].users = 0;
  pthread_mutex_unlock(&mutex);
}

/* ---- Read-only calls on them: results are ignored ---- */

static const ckpt_api* api = NULL; /* a table, because a program may hide the library's symbols */

static void read_checkpoint(void* handle) {
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_fault_handler* handler = NULL;
  ckpt_reader* reader = NULL;
  ckpt_coordinator* coordinator = NULL;
  ckpt_state* state = NULL;
  int64_t number = 0;
  int64_t world_size = 1;
  options.partial = 1;
  api->ckpt_checkpoint_manager_list(handle, NULL, 0, &number);
  api->ckpt_checkpoint_manager_get_latest(handle, &info);
  api->ckpt_checkpoint_manager_get_manifest(handle, info.name, NULL, 0, &number);
  api->ckpt_checkpoint_manager_verify(handle, NULL, NULL);
  if (api->ckpt_reader_create_from_checkpoint(handle, NULL, CKPT_VERIFY_NONE, &reader) == CKPT_OK) api->ckpt_reader_release(reader);
  if (api->ckpt_checkpoint_manager_get_fault_handler(handle, &handler) == CKPT_OK)
    api->ckpt_fault_handler_get_retry_count(handler, &number);
  api->ckpt_fault_handler_release(handler);
  if (api->ckpt_checkpoint_manager_get_coordinator(handle, &coordinator) == CKPT_OK)
    api->ckpt_coordinator_get_world_size(coordinator, &world_size);
  api->ckpt_coordinator_release(coordinator);
  /* The other ranks do not call, so the load must fail. With one rank a load would have a side effect: the line continues from the
   * loaded checkpoint. */
  if (world_size > 1 && api->ckpt_state_create(&state) == CKPT_OK &&
      api->ckpt_checkpoint_manager_load(handle, state, &options, NULL) == CKPT_OK)
    abort();
  api->ckpt_state_release(state);
}

static void read_async(void* handle) {
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  ckpt_checkpoint_task_info task = CKPT_CHECKPOINT_TASK_INFO_INIT;
  int64_t ids[8];
  int64_t count = 0;
  api->ckpt_async_manager_get_stats(handle, &stats);
  api->ckpt_async_manager_list(handle, CKPT_CHECKPOINT_TASK_LIST_ENDED, ids, 8, &count);
  if (api->ckpt_async_manager_list(handle, CKPT_CHECKPOINT_TASK_LIST_LIVE, ids, 8, &count) == CKPT_OK && count > 0)
    api->ckpt_async_manager_get_task(handle, ids[0], &task);
}

static void read_controller(void* handle) {
  ckpt_controller_info info = CKPT_CONTROLLER_INFO_INIT;
  ckpt_decision decision = CKPT_DECISION_INIT;
  int64_t needed = 0;
  double now_seconds = 0;
  api->ckpt_controller_get_info(handle, &info);
  api->ckpt_controller_get_now(handle, &now_seconds);
  api->ckpt_controller_should_checkpoint(handle, now_seconds, &decision);
  api->ckpt_controller_get_json(handle, NULL, 0, &needed);
}

static void read_activations(void* handle) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  int64_t bytes = 0;
  int64_t count = 0;
  int32_t has = 0;
  api->ckpt_activation_manager_get_policy(handle, &policy);
  api->ckpt_activation_manager_has_activation(handle, 0, &has);
  api->ckpt_activation_manager_get_memory_usage(handle, &bytes, &count);
  api->ckpt_activation_manager_list(handle, NULL, 0, &count);
}

static void read_pipeline(void* handle) {
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  int64_t number = 0;
  api->ckpt_pipeline_get_stats(handle, 0, &stats);
  api->ckpt_pipeline_get_begins(handle, NULL, 0, &number);
  api->ckpt_pipeline_get_trace_json(handle, NULL, 0, &number);
}

static void read_strategy(void* handle) {
  char name[64];
  int64_t needed = 0;
  api->ckpt_strategy_get_name(handle, name, sizeof name, &needed);
}

static void read_tracker(void* handle) {
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  int64_t needed = 0;
  api->ckpt_memory_tracker_get_stats(handle, &stats);
  api->ckpt_memory_tracker_get_json(handle, 5, NULL, 0, &needed);
}

/* ---- The log ---- */

typedef struct listener {
  int32_t minimum;
  ckpt_log_fn fn;
  void* user_data;
  ckpt_destroy_fn destroy;
} listener;

static int installed = 0;

static void on_message(int32_t level, const char* component, const char* message, void* user_data) {
  const listener* const own = user_data;
  read_all();
  if (own != NULL && level >= own->minimum) own->fn(level, component, message, own->user_data);
}

static void on_destroy(void* user_data) {
  listener* const own = user_data;
  if (own->destroy != NULL) own->destroy(own->user_data);
  free(own);
}

ckpt_status ckpt_set_log(int32_t min_level, ckpt_log_fn fn, void* user_data, ckpt_destroy_fn destroy) {
  listener* own = NULL;
  ckpt_status status = CKPT_OK;
  if (min_level < CKPT_LOG_LEVEL_DEBUG || min_level > CKPT_LOG_LEVEL_ERROR)
    return REAL(ckpt_set_log)(min_level, fn, user_data, destroy);
  if (fn == NULL) return REAL(ckpt_set_log)(CKPT_LOG_LEVEL_DEBUG, on_message, NULL, NULL);
  own = malloc(sizeof *own);
  if (own == NULL) abort();
  *own = (listener){min_level, fn, user_data, destroy};
  status = REAL(ckpt_set_log)(CKPT_LOG_LEVEL_DEBUG, on_message, own, on_destroy);
  if (status != CKPT_OK) free(own);
  return status;
}

static void check_at_exit(void) {
  if (installed || dlopen("libckpt.so." CKPT_SOVERSION, RTLD_LAZY | RTLD_NOLOAD) == NULL) return;
  fprintf(stderr, "log_back: the library was loaded, and no log callback installed\n");
  _exit(99);
}

static void install(void) {
  if (installed || dlopen("libckpt.so." CKPT_SOVERSION, RTLD_LAZY | RTLD_NOLOAD) == NULL) return;
  api = REAL(ckpt_get_api)(CKPT_API_VERSION);
  if (api == NULL || REAL(ckpt_set_log)(CKPT_LOG_LEVEL_DEBUG, on_message, NULL, NULL) != CKPT_OK) abort();
  installed = 1;
}

__attribute__((constructor)) static void begin(void) {
  if (atexit(check_at_exit) != 0 || pthread_atfork(before_fork, after_fork, in_child) != 0) abort();
  install(); /* if the program is linked with the library */
}

/* Otherwise the library is loaded later. */
void* dlopen(const char* path, int flags) {
  void* (*const next)(const char*, int) = *__extension__(__typeof__(&dlopen)) dlsym(RTLD_NEXT, "dlopen");
  void* const loaded = next(path, flags);
  if (loaded != NULL && (flags & RTLD_NOLOAD) == 0) install();
  return loaded;
}

/* ---- Functions that create and release ---- */

#define CREATES(look, name, parameters, arguments, created) \
  ckpt_status name parameters {                             \
    const ckpt_status status = REAL(name) arguments;        \
    if (status == CKPT_OK) track(look, *(created));         \
    return status;                                          \
  }
#define RELEASES(name, type) \
  void name(type* handle) {  \
    untrack(handle);         \
    REAL(name)(handle);      \
  }

CREATES(read_checkpoint, ckpt_checkpoint_manager_create,
        (ckpt_storage * storage, const ckpt_checkpoint_manager_options* options, ckpt_checkpoint_manager** created),
        (storage, options, created), created)
RELEASES(ckpt_checkpoint_manager_release, ckpt_checkpoint_manager)
CREATES(read_async, ckpt_async_manager_create,
        (ckpt_checkpoint_manager * checkpoint, const ckpt_async_manager_options* options, ckpt_async_manager** created),
        (checkpoint, options, created), created)
RELEASES(ckpt_async_manager_release, ckpt_async_manager)
CREATES(read_controller, ckpt_controller_create, (const ckpt_controller_options* options, ckpt_controller** created),
        (options, created), created)
RELEASES(ckpt_controller_release, ckpt_controller)
CREATES(read_activations, ckpt_activation_manager_create,
        (const ckpt_activation_policy* policy, const ckpt_activation_manager_options* options, ckpt_stage_forward_fn forward,
         void* user_data, ckpt_destroy_fn destroy, ckpt_activation_manager** created),
        (policy, options, forward, user_data, destroy, created), created)
CREATES(read_activations, ckpt_pipeline_get_manager, (ckpt_pipeline * pipeline, int32_t stage, ckpt_activation_manager** created),
        (pipeline, stage, created), created)
RELEASES(ckpt_activation_manager_release, ckpt_activation_manager)
CREATES(read_pipeline, ckpt_pipeline_create,
        (ckpt_chain * chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options, ckpt_pipeline** created),
        (chain, input, options, created), created)
RELEASES(ckpt_pipeline_release, ckpt_pipeline)
CREATES(read_strategy, ckpt_strategy_create, (const char* text, ckpt_strategy** created), (text, created), created)
RELEASES(ckpt_strategy_release, ckpt_strategy)
CREATES(read_tracker, ckpt_memory_tracker_create, (const ckpt_memory_tracker_options* options, ckpt_memory_tracker** created),
        (options, created), created)
RELEASES(ckpt_memory_tracker_release, ckpt_memory_tracker)

void ckpt_strategy_retain(ckpt_strategy* strategy) {
  REAL(ckpt_strategy_retain)(strategy);
  track(NULL, strategy);
}
void ckpt_memory_tracker_retain(ckpt_memory_tracker* tracker) {
  REAL(ckpt_memory_tracker_retain)(tracker);
  track(NULL, tracker);
}
