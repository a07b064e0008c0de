// The handle of managers of background tasks, and their arguments, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/async.h>

#include "async/manager.h"
#include "guard.h"
#include "handle.h"

struct ckpt_async_manager : ckpt::capi::Handle<ckpt::capi::Kind::async> {
  std::shared_ptr<ckpt::async::AsyncManager> object;
};

namespace ckpt::capi {

// A listener, and the user data to adopt when the call succeeds; both nullptr without callbacks.
struct Listening {
  std::shared_ptr<async::TaskListener> listener;
  std::shared_ptr<UserData> user;
  void adopt() const {
    if (user != nullptr) user->adopt();
  }
};

struct TaskArgument {
  async::TaskOptions options;
  Listening listening;
  std::shared_ptr<UserData> source_user;
  void adopt() const {
    listening.adopt();
    if (source_user != nullptr) source_user->adopt();
  }
};

// task may be NULL.
TaskArgument task_argument(const ckpt_checkpoint_task_options* task);

// Keeps the manager alive during the call: another thread may release the handle while this one waits.
std::shared_ptr<async::AsyncManager> manager_of(const ckpt_async_manager* handle);

}  // namespace ckpt::capi
