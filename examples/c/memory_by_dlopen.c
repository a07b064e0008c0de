/* A program that uses libckpt if it is installed and works without it otherwise: it links nothing of the library and includes only
 * <ckpt/api.h>. It records its buffers with a memory tracker and prints the tracker's counts.
 *
 *   cc memory_by_dlopen.c -o memory_by_dlopen -ldl && ./memory_by_dlopen [libckpt.so.0.3] */
#include <ckpt/api.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns NULL if there is no library that this program can use. */
static const ckpt_api* load(const char* path) {
  const ckpt_api* (*get_api)(uint32_t) = NULL;
  void* symbol = NULL;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const ckpt_api* api = NULL;
  if (library == NULL) {
    printf("no memory report: %s\n", dlerror());
    return NULL;
  }
  symbol = dlsym(library, "ckpt_get_api");
  if (symbol != NULL) memcpy(&get_api, &symbol, sizeof get_api); /* C has no cast from an object to a function pointer */
  if (get_api != NULL) api = get_api(CKPT_API_VERSION);
  if (api == NULL || api->size < sizeof *api) { /* an older library has a shorter table */
    printf("no memory report: %s is too old\n", path);
    return NULL;
  }
  printf("libckpt %s\n", api->ckpt_version_string());
  return api;
}

static const ckpt_api* api;
static ckpt_memory_tracker* tracker;

/* A buffer and its tracker id. */
typedef struct buffer {
  void* memory;
  uint64_t id;
} buffer;

static buffer take(const char* layer, int64_t bytes) {
  buffer created = {NULL, 0};
  int32_t number = 0;
  created.memory = malloc((size_t)bytes);
  if (api != NULL && api->ckpt_memory_tracker_add_layer(tracker, layer, &number) == CKPT_OK)
    api->ckpt_memory_tracker_record_allocation(tracker, number, bytes, &created.id);
  return created;
}

static void free_buffer(buffer* used) {
  free(used->memory);
  if (api != NULL) api->ckpt_memory_tracker_record_deallocation(tracker, used->id);
}

static int32_t on_peak(const ckpt_memory_event* event, void* user_data) {
  (void)user_data;
  printf("new peak: %lld bytes, with %s\n", (long long)event->peak_bytes, event->layer_name);
  return 0;
}

/* Runs forward through eight layers and backward, twice. */
static void work(void) {
  buffer activations[8];
  int step;
  int i;
  for (step = 0; step < 2; ++step) {
    for (i = 0; i < 8; ++i) {
      char name[16];
      snprintf(name, sizeof name, "layer%d", i);
      activations[i] = take(name, (int64_t)(i + 1) << 16);
    }
    for (i = 7; i >= 0; --i) {
      buffer gradient = take("gradients", (int64_t)(i + 1) << 16);
      free_buffer(&activations[i]);
      free_buffer(&gradient);
    }
  }
}

int main(int count, char** arguments) {
  ckpt_memory_layer_stats layers[3];
  ckpt_memory_stats totals = CKPT_MEMORY_STATS_INIT;
  int64_t subscription = 0;
  int64_t known = 0;
  int i;
  api = load(count > 1 ? arguments[1] : "libckpt.so.0.3");
  if (api == NULL) {
    work();
    return 0;
  }
  if (api->ckpt_memory_tracker_create(NULL, &tracker) != CKPT_OK ||
      api->ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_NEW_PEAK, on_peak, NULL, NULL, &subscription) != CKPT_OK) {
    fprintf(stderr, "%s\n", api->ckpt_last_error());
    return 1;
  }
  work();

  for (i = 0; i < 3; ++i) api->ckpt_struct_init("ckpt_memory_layer_stats", &layers[i], sizeof layers[i]);
  if (api->ckpt_memory_tracker_get_snapshot(tracker, CKPT_MEMORY_ORDER_PEAK, &totals, layers, 3, &known) != CKPT_OK) {
    fprintf(stderr, "%s\n", api->ckpt_last_error());
    return 1;
  }
  printf("peak %lld bytes, still live %lld; the largest of %lld layers:\n", (long long)totals.peak_bytes,
         (long long)totals.current_bytes, (long long)known);
  for (i = 0; i < 3; ++i) printf("  %-10s peak %7lld bytes\n", layers[i].name, (long long)layers[i].peak_bytes);
  api->ckpt_memory_tracker_release(tracker);
  return 0;
}
