// The trainer that runs for the whole soak: one pipeline, one checkpoint manager with retention, one manager of background saves,
// one controller. It cancels saves at random, and regularly compares the checkpoints that exist with those that retention must
// keep.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "model.h"
#include "soak.h"

namespace soak {
namespace {

constexpr std::int64_t keep_last = 4;
constexpr auto audit_interval = std::chrono::seconds(2);
constexpr std::size_t audit_tasks = 60;

struct Begun {
  std::int64_t id = 0;
  std::int64_t step = 0;
  double loss = 0;
  bool cancelled = false;  // by a request of this trainer
};

struct Acknowledged {
  std::int64_t step = 0;
  double loss = 0;
};

class LongTrainer {
 public:
  LongTrainer(Soak& soak, const std::string& directory, Ledger& ledger, const ckpt::MemoryTracker& tracker)
      : soak_(soak),
        directory_(directory),
        ledger_(ledger),
        trainer_(model_, Layout{}, tracker),
        checkpoints_(ckpt::Storage::file_system(directory), retention()),
        background_(checkpoints_, background_options(), callbacks()),
        controller_(controller_options()) {
    controller_.begin_run(controller_.now());
  }

  void run() {
    auto audited = Clock::now();
    for (step_ = 1; !soak_.stopping(); ++step_) {
      train();
      consider_save();
      if (Clock::now() - audited > audit_interval || begun_.size() >= audit_tasks) {
        audit();
        audited = Clock::now();
      }
    }
    if (soak_.failures().empty()) audit();
    controller_.record_clean_exit(controller_.now());
    background_.close();
  }

 private:
  static ckpt::CheckpointManagerOptions retention() {
    ckpt::CheckpointManagerOptions options;
    options.keep_last = keep_last;
    options.keep_best = 1;
    return options;
  }
  static ckpt::AsyncManagerOptions background_options() {
    ckpt::AsyncManagerOptions options;
    options.capacity = 4;
    options.staging_bytes = 8 << 20;
    return options;
  }
  ckpt::CheckpointTaskCallbacks callbacks() {
    ckpt::CheckpointTaskCallbacks callbacks;
    callbacks.ended = [this](const ckpt::CheckpointTaskResult& result) {
      ++ended_;
      if (ckpt::succeeded(result)) ledger_.acknowledge(result.step);
    };
    return callbacks;
  }
  // An assumed failure every 2 s: the controller asks for frequent saves.
  static ckpt::ControllerOptions controller_options() {
    ckpt::ControllerOptions options;
    options.policy = ckpt::Policy::daly;
    options.mtbf_seconds = 2;
    options.first_seconds = 0.1;
    return options;
  }

  std::uint64_t random(std::uint64_t below) { return random_() % below; }

  void train() {
    const auto began = Clock::now();
    loss_ = trainer_.run(step_);
    controller_.observe_task("step", std::chrono::duration<double>(Clock::now() - began).count());
    soak_.count(Count::steps);
    const std::int64_t recomputed = trainer_.recomputed_forwards();
    soak_.count(Count::recomputed_forwards, recomputed - recomputed_);
    recomputed_ = recomputed;
  }

  void consider_save() {
    const double now = controller_.now();
    const ckpt::Decision decision = controller_.should_checkpoint(now);
    soak_.count(Count::decisions);
    if (!decision.checkpoint && random(4) != 0) return;

    const std::uint64_t digest = model_.digest();
    ledger_.record(step_, soak_.has(Fault::digest) ? digest + 1 : digest);
    model_.describe(step_, digest);
    ckpt::SaveOptions options;
    options.step = step_;
    options.metric = loss_;
    ckpt::CheckpointTaskOptions task;
    const std::uint64_t mode = random(10);
    if (mode < 2) task.mode = ckpt::StagingMode::borrow;
    if (mode > 6) task.mode = ckpt::StagingMode::deferred;
    Begun begun{0, step_, loss_, false};
    if (decision.checkpoint) {
      begun.id = controller_.save_async(now, background_, model_.state(), options, task);
      soak_.count(Count::decided_saves);
    } else {
      begun.id = background_.save(model_.state(), options, task);
    }
    switch (random(8)) {
      case 0:
      case 1: begun.cancelled = background_.cancel(begun.id); break;
      case 2: background_.wait(begun.id); break;
      default: break;
    }
    begun_.push_back(begun);
    if (random(8) == 0) cancel_one_before();
    background_.wait_staged(begun.id);  // the next step writes to the tensors
  }

  void cancel_one_before() {
    Begun& before = begun_[random(begun_.size())];
    if (background_.cancel(before.id)) before.cancelled = true;
  }

  // Waits for all saves. The storage must contain the acknowledged saves that retention keeps, bit for bit, and nothing else.
  void audit() {
    background_.wait_all();
    for (const Begun& begun : begun_) acknowledge(begun);
    tasks_ += static_cast<std::int64_t>(begun_.size());
    begun_.clear();
    soak_.require(ended_ == tasks_, std::to_string(ended_) + " ended callbacks for " + std::to_string(tasks_) + " tasks");
    if (soak_.has(Fault::damage)) damage();
    if (soak_.has(Fault::lost) && checkpoints_.latest()) checkpoints_.remove(checkpoints_.latest()->name);

    std::multiset<std::int64_t> expected;
    for (const Acknowledged& each : kept_) expected.insert(each.step);
    std::multiset<std::int64_t> found;
    for (const ckpt::CheckpointInfo& info : checkpoints_.list()) {
      found.insert(info.step);
      soak_.require(info.status == ckpt::Status::ok, info.name + " is listed as " + std::string(ckpt::status_name(info.status)));
      load(info);
    }
    soak_.require(found == expected, "retention keeps the steps" + text(found) + "; expected" + text(expected));
    ledger_.drop_before(step_ - 20000, {expected.begin(), expected.end()});
    soak_.count(Count::audits);
  }

  void acknowledge(const Begun& begun) {
    const ckpt::CheckpointTaskResult result = background_.wait(begun.id);
    const auto wanted = begun.cancelled ? ckpt::CheckpointTaskState::cancelled : ckpt::CheckpointTaskState::completed;
    if (result.state != wanted) {
      soak_.fail("the save of step " + std::to_string(begun.step) + " ended in state " +
                 std::to_string(static_cast<int>(result.state)) + " instead of " + std::to_string(static_cast<int>(wanted)) + ": " +
                 result.error);
    } else if (begun.cancelled) {
      soak_.count(Count::cancelled_saves);
    } else {
      soak_.count(Count::saves);
      keep({begun.step, begun.loss});
    }
  }

  // Models retention: the last ones and the one with the smallest metric stay, of equal ones the newest.
  void keep(const Acknowledged& saved) {
    kept_.push_back(saved);
    const auto best = std::min_element(kept_.rbegin(), kept_.rend(),
                                       [](const Acknowledged& a, const Acknowledged& b) { return a.loss < b.loss; });
    const std::int64_t best_step = best->step;
    const std::size_t old = kept_.size() > keep_last ? kept_.size() - keep_last : 0;
    std::vector<Acknowledged> kept;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (i >= old || kept_[i].step == best_step) kept.push_back(kept_[i]);
    }
    kept_.swap(kept);
  }

  void load(const ckpt::CheckpointInfo& info) {
    ckpt::LoadOptions options;
    options.name = info.name;
    const ckpt::LoadResult loaded = checkpoints_.load(copy_.state(), options);
    const std::uint64_t digest = copy_.digest();
    const std::optional<std::uint64_t> saved = ledger_.find(info.step);
    soak_.require(loaded.step == info.step && saved && *saved == digest && copy_.described_digest() == std::to_string(digest),
                  info.name + " does not hold the bits that were saved");
    soak_.count(Count::audited_loads);
  }

  static std::string text(const std::multiset<std::int64_t>& steps) {
    std::string text;
    for (const std::int64_t step : steps) text += ' ' + std::to_string(step);
    return text;
  }

  // Inverts a byte of a tensor of the newest checkpoint.
  void damage() {
    const auto newest = checkpoints_.latest();
    if (!newest) return;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/" + newest->name)) {
      if (entry.path().extension() != ".safetensors") continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(-1, std::ios::end);
      const int last = file.get();
      file.seekp(-1, std::ios::end);
      file.put(static_cast<char>(~last));
    }
  }

  Soak& soak_;
  const std::string directory_;
  Ledger& ledger_;
  std::mt19937_64 random_{1};
  Model model_{1};
  Model copy_{2};
  Trainer trainer_;
  ckpt::CheckpointManager checkpoints_;
  std::atomic<std::int64_t> ended_{0};
  ckpt::AsyncManager background_;
  ckpt::Controller controller_;
  std::int64_t step_ = 0;
  std::int64_t recomputed_ = 0;
  double loss_ = 0;
  std::int64_t tasks_ = 0;
  std::vector<Begun> begun_;
  std::vector<Acknowledged> kept_;  // the oldest first
};

}  // namespace

void train(Soak& soak, const std::string& directory, Ledger& ledger, const ckpt::MemoryTracker& tracker) {
  LongTrainer(soak, directory, ledger, tracker).run();
}

}  // namespace soak
