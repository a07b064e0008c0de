// A manager over a storage in memory with operations that a test can block.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "async/manager.h"
#include "state/faulty_storage.h"
#include "state/fixture.h"

namespace ckpt::tests {

// A gate that blocks operations of a storage. Open at first.
class Blocker {
 public:
  // Blocks operations with text in their line from now on; releases blocked ones that do not match.
  void shut(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
    shut_ = true;
    changed_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    shut_ = false;
    changed_.notify_all();
  }
  void pass(const std::string& line) {
    std::unique_lock lock(mutex_);
    const auto is_free = [&] { return !shut_ || line.find(text_) == std::string::npos; };
    if (is_free()) return;
    ++stopped_;
    changed_.notify_all();
    changed_.wait(lock, is_free);
    --stopped_;
  }
  // Waits until a thread is blocked.
  void wait_for_thread() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool shut_ = false;
  int stopped_ = 0;
};

class RecordingListener final : public async::TaskListener {
 public:
  void staged(std::int64_t id, std::int64_t) override { note("staged", id); }
  void progress(std::int64_t id, std::int64_t done, std::int64_t total) override {
    const std::lock_guard lock(mutex_);
    EXPECT_LE(done, total);
    EXPECT_GE(done, last_done_[id]);
    last_done_[id] = done;
    ++progressed_;
  }
  void ended(const async::TaskResult& result) override {
    note("ended", result.id);
    if (on_end) on_end(result);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::int64_t count(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return std::count(lines_.begin(), lines_.end(), line);
  }
  std::int64_t progressed() const {
    const std::lock_guard lock(mutex_);
    return progressed_;
  }
  std::int64_t last_done(std::int64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = last_done_.find(id);
    return found == last_done_.end() ? 0 : found->second;
  }
  std::function<void(const async::TaskResult&)> on_end;

 private:
  void note(const char* what, std::int64_t id) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(base::cat(what, ' ', id));
  }
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::map<std::int64_t, std::int64_t> last_done_;
  std::int64_t progressed_ = 0;
};

struct Background {
  explicit Background(const async::AsyncOptions& options = small(), const state::CheckpointOptions& checkpoint_options = {}) {
    faults->before = [this](const std::string& line) { blocker.pass(line); };
    checkpoint = std::make_shared<state::Checkpoint>(std::make_shared<FaultyStorage>(disk, faults), checkpoint_options);
    manager = std::make_shared<async::AsyncManager>(checkpoint, options);
  }
  ~Background() {
    blocker.open();
    if (manager != nullptr) async::AsyncManager::release(std::move(manager));
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  static async::AsyncOptions small() {
    async::AsyncOptions options;
    options.staging_bytes = 1 << 20;
    options.staging_threads = 2;
    return options;
  }

  std::int64_t save(const Model& model, std::int64_t step, async::TaskOptions task = {}) {
    state::SaveOptions options;
    options.step = step;
    return manager->save(model.state, options, std::move(task));
  }
  std::int64_t save(std::int64_t step, async::TaskOptions task = {}) {
    return save(Model(static_cast<float>(step)), step, std::move(task));
  }
  // Starts a save that blocks at the gate: the worker is busy with it until the gate opens.
  std::int64_t save_blocked(std::int64_t step) {
    blocker.shut("create ");
    const std::int64_t id = save(step);
    blocker.wait_for_thread();
    return id;
  }
  // Makes the next operation of this kind fail.
  void fail_next(const std::string& kind, base::Status status = base::Status::io) {
    faults->only = kind;
    faults->status = status;
    faults->counted = 0;
    faults->fail_at = 0;
  }
  float loaded() {
    Model model(-1);
    checkpoint->load(model.state, {});
    return model.value();
  }

  std::shared_ptr<storage::Storage> disk = storage::make_memory_storage();
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  Blocker blocker;
  std::shared_ptr<state::Checkpoint> checkpoint;
  std::shared_ptr<async::AsyncManager> manager;
};

}  // namespace ckpt::tests
