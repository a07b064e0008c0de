// Registers the scheme s3: for ckpt_storage_create_from_uri.
#include <atomic>

#include <ckpt/s3.h>

#include "common/last_error.h"

namespace {

std::atomic<bool> is_registered{false};

// Runs inside a function of libckpt, which takes over the error message.
std::int32_t create(const char* uri, ckpt_storage** storage, void*) {
  const ckpt_status status = ckpt_s3_storage_create(uri, nullptr, storage);
  if (status != CKPT_OK) ckpt_callback_error(ckpt_s3_last_error());
  return status;
}

}  // namespace

ckpt_status ckpt_s3_register(void) {
  const ckpt_status status = ckpt_storage_register_scheme("s3", create, nullptr, nullptr);
  if (status == CKPT_OK) {
    is_registered = true;
    return CKPT_OK;
  }
  if (status == CKPT_E_ALREADY_EXISTS && is_registered) return CKPT_OK;
  ckpt::plugin::set_last_error(ckpt_last_error());
  return status;
}
