// Retention against a model of its rule, over random saves, damage, repairs, loads and verifications.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fixture.h"

namespace {

using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

struct Saved {
  std::string name;
  int step = 0;
  std::int64_t sequence = 0;
  bool damaged = false;  // a bit of a tensor is flipped
  bool known = false;    // this process has detected it
  int generation = 0;
  bool abandoned = false;
};

class RetentionModel {
 public:
  RetentionModel(std::uint64_t seed, std::int64_t keep_last)
      : random_(seed), keep_last_(keep_last), checkpoint_(disk_, CheckpointOptions{false, keep_last}) {}

  void run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
      switch (random_() % 6) {
        case 0:
        case 1: save(); break;
        case 2: flip(); break;
        case 3: verify_one(); break;
        case 4: verify_newest(); break;
        default: load(); break;
      }
    }
  }

 private:
  // Steps are random, so the first save after a load often is a roll-back.
  bool begins(int step) const {
    if (!is_first_ || all_.empty()) return false;
    const Saved& newest = all_.front();
    return step < newest.step || (step == newest.step && loaded_ != newest.name);
  }
  void begin() {
    const auto parent = std::ranges::find(all_, loaded_, &Saved::name);
    std::map<int, int> steps = last_steps_[parent->generation];
    for (auto& [generation, step] : steps) step = std::min(step, parent->step);
    steps[parent->generation] = parent->step;
    last_steps_.push_back(steps);
  }
  bool is_abandoned(const Saved& saved) const {
    const auto& steps = last_steps_.back();
    if (saved.generation + 1 == std::ssize(last_steps_)) return false;
    return !steps.contains(saved.generation) || saved.step > steps.at(saved.generation);
  }

  void save() {
    const int step = static_cast<int>(random_() % 12);
    const bool rolls_back = begins(step);
    if (rolls_back) begin();
    is_first_ = false;
    const SaveResult result = save_step(checkpoint_, step);
    ASSERT_EQ(result.rolled_back, rolls_back);
    ASSERT_EQ(result.generation + 1, std::ssize(last_steps_));
    all_.push_back({result.name, step, result.commit_sequence, false, false, static_cast<int>(result.generation)});
    for (Saved& each : all_) each.abandoned = is_abandoned(each);
    std::ranges::sort(all_, [](const Saved& a, const Saved& b) {
      return std::tuple(!a.abandoned, a.generation, a.step, a.sequence) >
             std::tuple(!b.abandoned, b.generation, b.step, b.sequence);
    });
    // Keeps the first valid ones and the one just saved; of those known to be bad, the ones newer than the last kept one.
    std::int64_t good = 0;
    std::size_t end = 0;
    std::vector<bool> stays(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      stays[i] = !all_[i].known && (all_[i].name == result.name || good < keep_last_);
      good += stays[i] ? 1 : 0;
      if (stays[i]) end = i;
    }
    std::vector<Saved> left;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (stays[i] || (all_[i].known && i < end)) left.push_back(all_[i]);
    }
    all_ = std::move(left);
    std::vector<std::string> expected;
    std::vector<std::string> found;
    for (const Saved& saved : all_) expected.push_back(saved.name);
    for (const Found& each : checkpoint_.list()) found.push_back(each.name);
    ASSERT_EQ(found, expected) << "after a save of step " << result.step;
  }

  void flip() {
    if (all_.empty()) return;
    Saved& saved = all_[random_() % all_.size()];
    const std::string path = saved.name + (random_() % 2 == 0 ? "/model.safetensors" : "/optimizer.safetensors");
    if (saved.damaged) return repair(saved);
    original_[saved.name] = {path, read_file(*disk_, path)};
    std::string bytes = original_[saved.name].second;
    bytes.back() = static_cast<char>(bytes.back() ^ 4);
    replace_file(*disk_, path, bytes);
    saved.damaged = true;
  }
  void repair(Saved& saved) {
    replace_file(*disk_, original_[saved.name].first, original_[saved.name].second);
    saved.damaged = false;  // not known until it is read
  }

  void verify(Saved& saved, const std::string& name) {
    const bool holds = status_of([&] { checkpoint_.verify(name); }) == ckpt::base::Status::ok;
    ASSERT_EQ(holds, !saved.damaged);
    saved.known = saved.damaged;
  }
  void verify_one() {
    if (all_.empty()) return;
    Saved& saved = all_[random_() % all_.size()];
    verify(saved, saved.name);
  }
  void verify_newest() {
    if (!all_.empty()) verify(all_.front(), "");
  }

  void load() {
    Model model(-1);
    const auto line_end = std::ranges::find(all_, true, &Saved::abandoned);
    const auto first = std::find_if(all_.begin(), line_end, [](const Saved& saved) { return !saved.damaged; });
    for (auto it = all_.begin(); it != first; ++it) it->known = true;
    if (first == line_end) {
      ASSERT_NE(status_of([&] { checkpoint_.load(model.state, {}); }), ckpt::base::Status::ok);
      return;
    }
    first->known = false;
    const LoadResult loaded = checkpoint_.load(model.state, {});
    ASSERT_EQ(loaded.name, first->name);
    ASSERT_EQ(loaded.skipped, first - all_.begin());
    ASSERT_EQ(model.value(), static_cast<float>(first->step));
    loaded_ = first->name;
    is_first_ = true;
  }

  std::mt19937_64 random_;
  std::int64_t keep_last_;
  std::shared_ptr<storage::Storage> disk_ = storage::make_memory_storage();
  Checkpoint checkpoint_;
  std::vector<Saved> all_;                          // expected checkpoints: newest first, abandoned ones last
  std::vector<std::map<int, int>> last_steps_{{}};  // by generation: the last step of each earlier generation on its line
  std::string loaded_;                              // the checkpoint that was loaded last
  bool is_first_ = false;                           // nothing was saved since that load
  std::map<std::string, std::pair<std::string, std::string>> original_;
};

TEST(StateRetention, MatchesTheModel) {
  const Warnings silent;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(RetentionModel(seed, static_cast<std::int64_t>(1 + seed % 4)).run(120));
  }
}

}  // namespace
