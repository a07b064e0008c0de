/* storages.c - creates storages in the gateway's bucket where tests over libckpt.so create them in memory or in a scratch
 * directory: the linker replaces the functions by these (--wrap), and the tests' object files are unchanged. */
#define _POSIX_C_SOURCE 200809L

#include "place.h"

ckpt_status __real_ckpt_storage_create_memory(ckpt_storage** storage);
ckpt_status __wrap_ckpt_storage_create_memory(ckpt_storage** storage);
ckpt_status __real_ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* given, ckpt_storage** storage);
ckpt_status __wrap_ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* given, ckpt_storage** storage);

static int created = 0;

/* For run.py: a program that created no storage here has tested nothing. */
__attribute__((destructor)) static void say_how_many(void) { fprintf(stderr, "storages in the bucket: %d\n", created); }

static ckpt_status in_bucket(const char* uri, ckpt_storage** storage) {
  const ckpt_s3_options options = gateway_options();
  return ckpt_s3_storage_create(uri, &options, storage);
}

ckpt_status __wrap_ckpt_storage_create_memory(ckpt_storage** storage) {
  char uri[512];
  if (storage == NULL) return __real_ckpt_storage_create_memory(storage);
  place_of_memory(__atomic_add_fetch(&created, 1, __ATOMIC_RELAXED), uri, sizeof uri);
  return in_bucket(uri, storage);
}

ckpt_status __wrap_ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* given,
                                                   ckpt_storage** storage) {
  char uri[1024];
  if (storage == NULL || !is_scratch(root) || (given != NULL && given->struct_size < 8)) {
    return __real_ckpt_storage_create_file_system(root, given, storage);
  }
  __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
  place_of_root(root, uri, sizeof uri);
  return in_bucket(uri, storage);
}
