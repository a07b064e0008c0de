// Collectives of a host that return success with invalid data: one word of the received data differs from what was sent. For every
// word of a call, each rank returns in time, with success or a proper error, and no checkpoint is lost.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "of_ranks.h"
#include "rank_states.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

enum class Replacement { zeros, ones, one_bit, negative, noise };
constexpr std::array replacements{Replacement::zeros, Replacement::ones, Replacement::one_bit, Replacement::negative,
                                  Replacement::noise};

void garble(std::span<std::byte> bytes, Replacement replacement, std::uint64_t number) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    switch (replacement) {
      case Replacement::zeros: bytes[i] = std::byte{0}; break;
      case Replacement::ones: bytes[i] = std::byte{255}; break;
      case Replacement::one_bit: bytes[i] ^= static_cast<std::byte>(i == bytes.size() / 2 ? 4 : 0); break;
      case Replacement::negative: bytes[i] |= static_cast<std::byte>(i % 8 == 7 ? 128 : 0); break;
      case Replacement::noise: bytes[i] = static_cast<std::byte>(number >> 56); break;
    }
  }
}

// Forwards correctly until it is armed; then one word of the data received by this rank is replaced.
class Corruptor final : public state::Coordinator {
 public:
  explicit Corruptor(std::shared_ptr<state::Coordinator> inner) : inner_(std::move(inner)) {}
  void arm(std::int64_t at, Replacement replacement) { left_ = at, replacement_ = replacement; }
  bool has_replaced() const { return has_replaced_; }

  std::int64_t rank() const noexcept override { return inner_->rank(); }
  std::int64_t world_size() const noexcept override { return inner_->world_size(); }
  void barrier(Timeout timeout) override { inner_->barrier(timeout); }
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) override {
    inner_->broadcast(bytes, root, timeout);
    if (root != rank()) tell(bytes);
  }
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) override {
    inner_->all_gather(sent, received, timeout);
    tell(received);
  }
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) override {
    inner_->gather(sent, received, root, timeout);
    if (root == rank()) tell(received);
  }

 private:
  void tell(std::span<std::byte> bytes) {
    if (left_-- != 0) return;
    garble(bytes, replacement_, static_cast<std::uint64_t>(bytes.size()));
    has_replaced_ = true;
  }

  const std::shared_ptr<state::Coordinator> inner_;
  std::int64_t left_ = -1;
  Replacement replacement_ = Replacement::zeros;
  bool has_replaced_ = false;
};

// The rank with the invalid data reports it; the other one at least a timeout, if more messages were due.
void expect_reported(const ThreadRanks::Errors& errors, std::int64_t who, const std::string& what) {
  ASSERT_TRUE(errors[static_cast<std::size_t>(who)].has_value()) << what;
  for (const auto& error : errors) {
    if (!error) continue;
    EXPECT_TRUE(error->status() == Status::io || error->status() == Status::timeout) << what << ": " << error->message();
  }
  const std::string& message = errors[static_cast<std::size_t>(who)]->message();
  EXPECT_NE(message.find(base::cat("to rank ", who, " has a wrong checksum")), std::string::npos) << what << ": " << message;
}

// For every word that one of two ranks receives in a call, and every replacement: runs prepare and then the call, armed during the
// call.
using Call = std::function<void(std::int64_t rank, state::Checkpoint& checkpoint, const std::function<void()>& arm)>;
void for_each_replacement(const std::function<std::string()>& begin, const Call& call,
                          const std::function<void(const ThreadRanks::Errors&, const std::string& what)>& after) {
  for (const std::int64_t who : {0, 1}) {
    for (const Replacement replacement : replacements) {
      bool is_over = false;
      for (std::int64_t at = 0; !is_over; ++at) {
        ASSERT_LT(at, 50);
        const std::string path = begin();
        const auto ranks = std::make_shared<ThreadRanks>(2, Mismatch::breaks);
        const std::string what = base::cat("rank ", who, ", word ", at, ", lie ", static_cast<int>(replacement));
        std::shared_ptr<Corruptor> corruptor;
        const auto errors = ranks->run([&](std::int64_t rank) {
          const auto mine = std::make_shared<Corruptor>(ranks->coordinator(rank));
          if (rank == who) corruptor = mine;
          state::CheckpointOptions options;
          options.coordinator = mine;
          options.timeout_ns = second;
          state::Checkpoint checkpoint(disk_at(path), options);
          call(rank, checkpoint, [&] {
            if (rank == who) mine->arm(at, replacement);
          });
        });
        is_over = !corruptor->has_replaced();
        if (is_over) {
          expect_no_errors(errors);
        } else {
          expect_reported(errors, who, what);
        }
        after(errors, what);
      }
    }
  }
}

TEST(RanksInvalidData, NoReplacedWordOfASaveLosesACheckpoint) {
  std::optional<Scratch> scratch;
  for_each_replacement(
      [&] {
        scratch.emplace();
        return scratch->path();
      },
      [](std::int64_t rank, state::Checkpoint& checkpoint, const std::function<void()>& arm) {
        checkpoint.save(state_of(rank, 2, 1), of_step(1));
        state::State next = state_of(rank, 2, 2);
        next.add_tensor("model", "more", numbers({2}, 2));  // everything is agreed on again
        state::SaveOptions options = of_step(2);
        options.check_replicas = true;
        arm();
        checkpoint.save(next, options);
      },
      [&](const ThreadRanks::Errors& errors, const std::string& what) {
        const auto disk = disk_at(scratch->path());
        state::CheckpointOptions read_only;
        read_only.read_only = true;
        const auto latest = state::Checkpoint(disk, read_only).latest();
        EXPECT_TRUE(latest.step == 2 || errors[0]) << what << ": rank 0 has taken it for saved";
        EXPECT_TRUE(latest.step == 1 || latest.step == 2) << what;
        expect_saved(*disk, latest.name, static_cast<float>(latest.step));
      });
}

TEST(RanksInvalidData, NoReplacedWordOfALoadIsAccepted) {
  // Read by each rank that needs them, and by one rank for all.
  const std::vector<WholeTensor> tensors{{"rows", tensor::Dtype::f32, {37, 5}, along(0)},
                                         {"whole", tensor::Dtype::f32, {50, 4}, {}},
                                         {"columns", tensor::Dtype::i64, {8, 16}, along(1)}};
  const Scratch scratch;
  const auto saving = std::make_shared<ThreadRanks>(2);
  expect_no_errors(saving->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*saving, rank));
    RankState saved(tensors, rank, 2);
    for (const std::int64_t step : {1, 2}) checkpoint.save(saved.fill().state, of_step(step));
  }));
  for_each_replacement([&] { return scratch.path(); },
                       [&](std::int64_t rank, state::Checkpoint& checkpoint, const std::function<void()>& arm) {
                         RankState mine(tensors, rank, 2);
                         arm();
                         EXPECT_EQ(checkpoint.load(mine.clear().state, {}).step, 2);  // the newest one is valid
                         EXPECT_TRUE(mine.is_filled());
                       },
                       [](const ThreadRanks::Errors&, const std::string&) {});
}

}  // namespace
