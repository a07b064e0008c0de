// The callbacks of a storage in a bucket, for ckpt_storage_create_custom.
#pragma once

#include <sys/types.h>

#include <ckpt/storage.h>

#include "client.h"

namespace ckpt::s3 {

// The user_data of the callbacks.
class Storage {
 public:
  explicit Storage(FullConfig config);

  Client& client() noexcept { return client_; }
  // Error(FORKED) in a process other than the one that created it.
  void check_process() const;
  bool is_own_process() const noexcept;

 private:
  pid_t pid_;
  Client client_;
};

ckpt_storage_callbacks fill_callbacks() noexcept;
// The user_data's destroy function.
void destroy_storage(void* storage) noexcept;

}  // namespace ckpt::s3
