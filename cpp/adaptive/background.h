// Background saves that report their results to a controller themselves.
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

// Begins a save with the controller, adds the controller's state to the saved state, and starts it; the thread that notifies of
// its end commits or aborts it with the controller. The task's own listener is notified too. Returns the task's id. If this
// throws, the save is aborted.
std::int64_t save_in_background(async::AsyncManager& manager, double now, const std::function<ControlledSave()>& read);

}  // namespace ckpt::adaptive
