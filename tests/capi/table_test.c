/* The function table for dlopen users, as returned by the library. */
#include "check.h"

#include <ckpt/api.h>
#include <stddef.h>

int main(void) {
  const ckpt_api* api = ckpt_get_api(CKPT_API_VERSION);
  const size_t entry = sizeof api->ckpt_status_name;
  const size_t entries = (sizeof *api - sizeof api->size) / entry;
  const unsigned char* bytes = (const unsigned char*)api;
  size_t i = 0;

  CHECK(api != NULL);
  CHECK(api == ckpt_get_api(CKPT_API_VERSION));
  CHECK(ckpt_get_api(CKPT_API_VERSION + 1) == NULL);
  CHECK(ckpt_get_api(UINT32_MAX) == NULL);
  CHECK(api->size == sizeof *api);
  CHECK(api->size == sizeof api->size + entries * entry);

  /* Offsets that can never change. */
  CHECK(offsetof(ckpt_api, size) == 0);
  CHECK(offsetof(ckpt_api, ckpt_status_name) == 8);
  CHECK(offsetof(ckpt_api, ckpt_get_api) == 8 + 8 * entry);
  CHECK(offsetof(ckpt_api, ckpt_worker_pool_release) == 8 + 25 * entry);

  for (i = 0; i < entries; ++i) {
    static const unsigned char zeros[sizeof(void (*)(void))];
    CHECK(memcmp(bytes + sizeof api->size + i * entry, zeros, entry) != 0);
  }
  CHECK(api->ckpt_version() == ckpt_version());
  CHECK(api->ckpt_get_api == ckpt_get_api);
  CHECK(api->ckpt_worker_pool_release == ckpt_worker_pool_release);
  return 0;
}
