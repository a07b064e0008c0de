// Saves in the background that report to a controller by themselves how they ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "adaptive/controller.h"
#include "async/manager.h"

namespace ckpt::adaptive {

// Arguments of a save, read inside the call: see state::ReadSave.
struct ControlledSave {
  std::shared_ptr<Controller> controller = {};
  state::State* state = nullptr;
  state::SaveOptions options = {};
  async::TaskOptions task = {};
};

// Begins a save of the controller's, puts what the controller knows into state, and starts it; its end commits or aborts on the
// thread that notifies of it. The task's own listener is notified too. The task's id. When this throws, the save is aborted.
std::int64_t save_in_background(async::AsyncManager& manager, double now, const std::function<ControlledSave()>& read);

}  // namespace ckpt::adaptive
