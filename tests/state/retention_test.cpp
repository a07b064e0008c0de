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
  bool known = false;    // and this process has found it
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
  void save() {
    const SaveResult result = save_step(checkpoint_, static_cast<int>(random_() % 12));
    all_.push_back({result.name, static_cast<int>(result.step), result.commit_sequence});
    std::ranges::sort(all_,
                      [](const Saved& a, const Saved& b) { return std::pair(a.step, a.sequence) > std::pair(b.step, b.sequence); });
    // The first good ones, and the one just saved; of the known bad those above the last of them.
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
    saved.damaged = false;  // which is not known until it is read
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
    const auto first = std::ranges::find(all_, false, &Saved::damaged);
    for (auto it = all_.begin(); it != first; ++it) it->known = true;
    if (first == all_.end()) {
      ASSERT_NE(status_of([&] { checkpoint_.load(model.state, {}); }), ckpt::base::Status::ok);
      return;
    }
    first->known = false;
    const LoadResult loaded = checkpoint_.load(model.state, {});
    ASSERT_EQ(loaded.name, first->name);
    ASSERT_EQ(loaded.skipped, first - all_.begin());
    ASSERT_EQ(model.value(), static_cast<float>(first->step));
  }

  std::mt19937_64 random_;
  std::int64_t keep_last_;
  std::shared_ptr<storage::Storage> disk_ = storage::make_memory_storage();
  Checkpoint checkpoint_;
  std::vector<Saved> all_;  // that should be there, newest first
  std::map<std::string, std::pair<std::string, std::string>> original_;
};

TEST(StateRetention, DoesWhatItsRuleSays) {
  const Warnings silent;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(RetentionModel(seed, static_cast<std::int64_t>(1 + seed % 4)).run(120));
  }
}

}  // namespace
