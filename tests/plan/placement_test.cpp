#include <gtest/gtest.h>

#include <cstdio>

#include "../sanitized.h"
#include "chains.h"
#include "plan/planners/chain_planner.h"

namespace ckpt::plan::test {
namespace {

// Returns the maximum length of each buffer over its life: some are overwritten in place by longer or shorter items.
std::vector<std::int64_t> longest_bytes(const Program& program) {
  std::vector<std::int64_t> longest;
  for (const BufferInfo& buffer : program.buffers) longest.push_back(buffer.bytes);
  for (const Change& change : program.changes) {
    std::int64_t& bytes = longest[static_cast<std::size_t>(change.buffer)];
    bytes = std::max(bytes, change.now.bytes);
  }
  return longest;
}

ChainProfile with_layers_in_place(std::mt19937& random, const ChainProfile& plain) {
  ChainProfile profile(plain.bytes_of(0));
  for (std::int64_t i = 0; i < plain.layers(); ++i) {
    LayerProfile layer = plain.layer(i);
    if (random() % 2 == 0) layer.flags |= in_place;
    if (random() % 6 == 0) layer.output_bytes = 0;
    profile.add_layer(layer);
  }
  return profile;
}

// Checks that buffers with overlapping lives share no byte, and that each is aligned and inside the arena.
void check_no_overlap(const Program& program, const Placement& placement) {
  const std::vector<std::int64_t> longest = longest_bytes(program);
  std::vector<BufferId> alive;
  for (const Instruction& instruction : program.instructions) {
    if (instruction.kind == Instruction::Kind::free) std::erase(alive, instruction.index);
    if (instruction.kind != Instruction::Kind::allocate) continue;
    const auto id = static_cast<std::size_t>(instruction.index);
    if (longest[id] == 0 || program.buffers[id].tier != 0) {
      EXPECT_EQ(placement.offsets[id], -1);
      continue;
    }
    const std::int64_t begin = placement.offsets[id];
    ASSERT_GE(begin, 0);
    EXPECT_EQ(begin % placement_alignment, 0);
    EXPECT_LE(begin + longest[id], placement.arena_bytes);
    for (const BufferId other : alive) {
      const std::int64_t other_begin = placement.offsets[static_cast<std::size_t>(other)];
      const std::int64_t other_end = other_begin + longest[static_cast<std::size_t>(other)];
      EXPECT_TRUE(begin + longest[id] <= other_begin || other_end <= begin) << "buffers " << id << " and " << other;
    }
    alive.push_back(instruction.index);
  }
}

TEST(Placement, NeverOverlapsAndHoldsThePeak) {
  std::mt19937 random(5);
  for (int round = 0; round < (sanitized ? 10 : 60); ++round) {
    const ChainProfile plain = random_chain(random, 1 + static_cast<std::int64_t>(random() % 14));
    const ChainProfile profile = round % 2 == 0 ? plain : with_layers_in_place(random, plain);
    for (const auto& schedule : schedules_of(profile)) {
      const Program program = make_program(*schedule, profile);
      const Placement placement = place(program);
      check_no_overlap(program, placement);
      EXPECT_GE(placement.arena_bytes, verify(*schedule, profile).peak_bytes[0]);
    }
  }
}

TEST(Placement, EqualBuffersLeaveNoGaps) {
  // All sizes are multiples of 64 bytes, so the arena can be exactly the peak.
  ChainProfile profile(64);
  for (int i = 0; i < 12; ++i) {
    profile.add_layer(
        {"layer" + std::to_string(i), needs_input | deterministic, 64, 0, strategy::Activation(64), {{0, 0, 0, 1, 2}}});
  }
  for (const auto& schedule : schedules_of(profile)) {
    EXPECT_EQ(place(make_program(*schedule, profile)).arena_bytes, verify(*schedule, profile).peak_bytes[0]) << schedule->name();
  }
}

// 50 layers of unrelated sizes.
ChainProfile unlike_layers(std::mt19937& random) {
  const auto up_to = [&](std::int64_t max) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max + 1)); };
  ChainProfile profile(1000 + up_to(99'000));
  for (int i = 0; i < 50; ++i) {
    LayerProfile layer;
    layer.name = "layer" + std::to_string(i);
    layer.flags = deterministic | (up_to(2) != 0 ? needs_input : 0) | (up_to(4) == 0 ? needs_output : 0);
    layer.output_bytes = 1000 + up_to(99'000);
    const double seconds = 0.01 * static_cast<double>(1 + up_to(99));
    layer.options = {{.tape_bytes = up_to(200'000),
                      .forward_workspace_bytes = up_to(30'000),
                      .backward_workspace_bytes = up_to(30'000),
                      .forward_seconds = seconds,
                      .backward_seconds = 2 * seconds}};
    profile.add_layer(layer);
  }
  return profile;
}

TEST(Placement, ReservesLittleMoreThanThePeakOfDifferentLayers) {
  std::mt19937 random(17);
  double sum = 0;
  double worst = 0;
  int count = 0;
  for (int round = 0; round < (sanitized ? 1 : 3); ++round) {
    const ChainProfile profile = unlike_layers(random);
    const std::int64_t all = verify(*make_store_all(profile), profile).peak_bytes[0];
    for (const std::int64_t percent : {15, 20, 30, 40, 50, 60, 75, 90}) {
      const auto schedule = make_chain_for_budget(profile, ChainPlanner::chain, all / 100 * percent);
      const Program program = make_program(*schedule, profile);
      const Placement placement = place(program);
      check_no_overlap(program, placement);
      const double excess = static_cast<double>(placement.arena_bytes) / static_cast<double>(placement.peak_bytes) - 1;
      sum += excess;
      worst = std::max(worst, excess);
      ++count;
    }
  }
  std::printf("placement exceeds the peak by %.2f%% on average, %.2f%% at most\n", 100 * sum / count, 100 * worst);
  EXPECT_LE(sum / count, 0.015);
}

}  // namespace
}  // namespace ckpt::plan::test
