// Many short lives: each creates a pipeline, a checkpoint manager, a manager of background saves and a controller, resumes from the
// newest checkpoint, trains a few steps and releases everything; saves that are queued then are drained or cancelled. The layout of
// the pipeline differs from life to life; the bits of a step must not.
#include <filesystem>
#include <random>

#include "growth.h"
#include "model.h"
#include "soak.h"

namespace soak {
namespace {

constexpr std::int64_t keep_last = 2;
constexpr std::int64_t lives_of_a_run = 16;

Layout layout_of(std::int64_t life) {
  Layout layout;
  switch (life % 5) {
    case 0: break;
    case 1: layout.stages = 3; break;
    case 2: layout = {1, 1, ckpt::PipelineOrder::gpipe, {ckpt::ActivationPolicyKind::recompute_all}}; break;
    case 3: layout = {2, 2, ckpt::PipelineOrder::interleaved, {}}; break;
    default: layout = {2, 1, ckpt::PipelineOrder::gpipe, {ckpt::ActivationPolicyKind::selective, 2}}; break;
  }
  return layout;
}

class Lives {
 public:
  Lives(Soak& soak, const std::string& directory, Growth& growth) : soak_(soak), directory_(directory), growth_(growth) {}

  void run() {
    for (std::int64_t life = 0; !soak_.stopping(); ++life) {
      if (life % lives_of_a_run == 0) begin_run();
      live(life);
      audit();
      if (!soak_.stopping()) growth_.add_counts(measure());  // otherwise the other activities may have ended
      soak_.count(Count::lives);
    }
  }

 private:
  // Starts from step 0 again. The ledger keeps the digests of the run before, which must be the same.
  void begin_run() {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
    saved_.clear();
  }

  void live(std::int64_t life) {
    Model model(3);
    const ckpt::MemoryTracker tracker;
    Trainer trainer(model, layout_of(life), tracker);
    ckpt::CheckpointManagerOptions options;
    options.keep_last = keep_last;
    ckpt::CheckpointManager checkpoints(ckpt::Storage::file_system(directory_), options);
    ckpt::Controller controller;
    std::int64_t step = resume(model, checkpoints, controller);

    ckpt::AsyncManagerOptions background_options;
    background_options.staging_bytes = 256 << 10;  // less than the state
    ckpt::CheckpointTaskCallbacks callbacks;
    callbacks.ended = [&](const ckpt::CheckpointTaskResult& result) {
      if (ckpt::succeeded(result)) saved_.push_back(result.step);
    };
    ckpt::AsyncManager background(checkpoints, background_options, callbacks);
    const std::int64_t last = step + 4 + static_cast<std::int64_t>(random_() % 6);
    while (step < last) {
      trainer.run(++step);
      soak_.count(Count::steps);
      consider_save(model, background, controller, step);
    }
    soak_.count(Count::recomputed_forwards, trainer.recomputed_forwards());
    switch (life % 3) {
      case 0: background.close(); break;
      case 1: background.close(ckpt::CloseMode::cancel); break;
      default: break;
    }
  }

  // Returns the step that was loaded; 0 for a new run.
  std::int64_t resume(Model& model, ckpt::CheckpointManager& checkpoints, ckpt::Controller& controller) {
    const double now = controller.now();
    const std::optional<ckpt::LoadResult> loaded = checkpoints.load_if_any(model.state());
    const std::int64_t newest = saved_.empty() ? 0 : saved_.back();
    const std::int64_t step = loaded ? loaded->step : 0;
    if (step != newest) {
      throw std::runtime_error("step " + std::to_string(step) + " was loaded; the newest acknowledged is " +
                               std::to_string(newest));
    }
    if (!loaded) {
      controller.begin_run(now);
      return 0;
    }
    model.restore();
    controller.restore(model.state().json(ckpt::State::controller_key));
    controller.resume(now);
    controller.record_recovery(now, 1, 0.1);
    soak_.count(Count::resumes);
    return step;
  }

  void consider_save(Model& model, ckpt::AsyncManager& background, ckpt::Controller& controller, std::int64_t step) {
    const double now = controller.now();
    controller.observe_task("step", 0.01);
    soak_.count(Count::decisions);
    const bool decided = controller.should_checkpoint(now).checkpoint;
    if (!decided && random_() % 2 == 0) return;

    const std::uint64_t digest = model.digest();
    bool known = false;
    soak_.require(ledger_.record(step, digest, &known), "step " + std::to_string(step) + " has other bits than before");
    if (known) soak_.count(Count::steps_again);
    model.describe(step, digest);
    controller.begin(now);
    model.state().set_json(ckpt::State::controller_key, controller.json());
    const std::int64_t id = background.save(model.state(), step);
    if (decided) soak_.count(Count::decided_saves);
    if (random_() % 4 == 0 && background.cancel(id)) {
      controller.abort(controller.now());
      soak_.count(Count::cancelled_saves);
      return;
    }
    if (random_() % 2 == 0) {  // without a wait: the life may end before the save does
      controller.abort(controller.now());
      return;
    }
    const ckpt::CheckpointTaskResult result = background.wait(id);
    if (!ckpt::succeeded(result)) throw std::runtime_error("step " + std::to_string(step) + " was not saved: " + result.error);
    controller.commit(controller.now(), seconds(result.stall), seconds(result.durable));
    soak_.count(Count::saves);
  }

  // No thread writes now: the storage must contain the last acknowledged saves and nothing else.
  void audit() {
    const auto checkpoints = ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(directory_));
    std::vector<std::int64_t> found;
    for (const ckpt::CheckpointInfo& info : checkpoints.list()) {
      found.insert(found.begin(), info.step);
      load(checkpoints, info);
    }
    const std::size_t old = saved_.size() > keep_last ? saved_.size() - keep_last : 0;
    saved_.erase(saved_.begin(), saved_.begin() + static_cast<std::ptrdiff_t>(old));
    soak_.require(found == saved_, "the storage of a life does not contain exactly the last " + std::to_string(saved_.size()) +
                                       " acknowledged saves");
    soak_.count(Count::audits);
  }

  void load(const ckpt::CheckpointManager& checkpoints, const ckpt::CheckpointInfo& info) {
    ckpt::Reader reader(checkpoints, info.name, ckpt::Verify::full);
    Model model(4);
    ckpt::LoadOptions options;
    options.name = info.name;
    auto again = ckpt::CheckpointManager::read_only(checkpoints.storage());
    again.load(model.state(), options);
    const std::uint64_t digest = model.digest();
    soak_.require(ledger_.find(info.step) == digest, info.name + " of a life does not hold the bits that were saved");
    soak_.require(reader.tensor_count() == model.state().tensor_count(), info.name + " has another number of tensors");
    soak_.count(Count::audited_loads);
  }

  static double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

  Soak& soak_;
  const std::string directory_;
  Growth& growth_;
  std::mt19937_64 random_{2};
  Ledger ledger_;
  std::vector<std::int64_t> saved_;  // acknowledged in this run, the oldest first; read only while no manager of saves exists
};

}  // namespace

void live(Soak& soak, const std::string& directory, Growth& growth) { Lives(soak, directory, growth).run(); }

}  // namespace soak
