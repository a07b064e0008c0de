#include "adaptive/background.h"

#include <optional>
#include <utility>

#include "state/manifest.h"

namespace ckpt::adaptive {
namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

class Listener final : public async::TaskListener {
 public:
  Listener(std::shared_ptr<Controller> controller, std::int64_t number, std::shared_ptr<async::TaskListener> inner)
      : controller_(std::move(controller)), number_(number), inner_(std::move(inner)) {}

  void staged(std::int64_t id, std::int64_t stall_ns) override {
    if (inner_ != nullptr) inner_->staged(id, stall_ns);
  }
  void progress(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes) override {
    if (inner_ != nullptr) inner_->progress(id, done_bytes, total_bytes);
  }
  void ended(const async::TaskResult& result) override {
    std::optional<Controller::SaveCost> cost;
    if (result.state == async::TaskState::completed) cost = {seconds(result.stall_ns), seconds(result.durable_ns)};
    controller_->end_background_save(number_, cost);
    if (inner_ != nullptr) inner_->ended(result);
  }

 private:
  std::shared_ptr<Controller> controller_;
  std::int64_t number_;
  std::shared_ptr<async::TaskListener> inner_;
};

}  // namespace

std::int64_t save_in_background(async::AsyncManager& manager, double now, const std::function<ControlledSave()>& read) {
  std::shared_ptr<Controller> controller;
  std::optional<std::int64_t> number;
  try {
    return manager.save([&] {
      ControlledSave given = read();
      controller = std::move(given.controller);
      number = controller->begin_background_save(now);
      given.state->set_json(ckpt::state::controller_key, controller->to_json());
      given.task.listener = std::make_shared<Listener>(controller, *number, std::move(given.task.listener));
      return async::SaveArguments{given.state, std::move(given.options), std::move(given.task)};
    });
  } catch (...) {
    if (number) controller->end_background_save(*number, std::nullopt);
    throw;
  }
}

}  // namespace ckpt::adaptive
