// RECORD and ADVANCE, layers that run in place, tiers with rates and capacities, uniform profiles: their costs and their refused
// uses.
#include <gtest/gtest.h>

#include "base/error.h"
#include "chains.h"

namespace ckpt::plan::test {
namespace {

struct Row {
  std::int64_t output_bytes = 0;
  OptionProfile option;
  std::uint32_t flags = needs_input | deterministic;
  std::int64_t ambient_bytes = 0;
};

ChainProfile chain_of(std::int64_t input_bytes, const std::vector<Row>& rows) {
  ChainProfile profile(input_bytes);
  for (const Row& row : rows) {
    LayerProfile layer;
    layer.name = "layer" + std::to_string(profile.layers());
    layer.flags = row.flags;
    layer.output_bytes = row.output_bytes;
    layer.ambient_bytes = row.ambient_bytes;
    layer.options = {row.option};
    profile.add_layer(layer);
  }
  return profile;
}

PlanReport report_of(std::vector<Action> actions, const ChainProfile& profile) {
  actions.push_back(end());
  return verify(*make_list(profile.layers(), actions), profile);
}

std::string complaint(const std::vector<Action>& actions, const ChainProfile& profile) {
  try {
    report_of(actions, profile);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::invalid_schedule);
    return error.message();
  }
  return "";
}

Action transfer(Kind kind, std::int64_t index, std::int32_t tier, std::int32_t slot, std::int64_t id) {
  return {.kind = kind, .first = index, .item = Item::input, .tier = tier, .slot = slot, .transfer = id};
}
Action await(std::int64_t id) { return {.kind = Kind::await, .transfer = id}; }
Action drop_slot(std::int32_t tier, std::int32_t slot) { return {.kind = Kind::drop, .tier = tier, .slot = slot}; }

// ---- RECORD ----

// x_0 7, x_1 11, x_2 13; tapes 17 and 19; layer 0 is recomputed with a recording.
std::vector<Action> again_by(const Action& first_layer) {
  std::vector<Action> actions = {forward(0, 1), forward_tape(1), turn(), drop_input(2), backward(1), drop_input(1), first_layer};
  if (first_layer.kind == Kind::forward_tape) actions.push_back(drop_input(1));
  actions.push_back(backward(0));
  actions.push_back(drop_input(0));
  return actions;
}

OptionProfile option(std::int64_t tape, std::int64_t forward_workspace) {
  return {.tape_bytes = tape, .forward_workspace_bytes = forward_workspace, .forward_seconds = 2, .backward_seconds = 3};
}

TEST(Record, ComputesNoUnusedOutput) {
  // The workspaces make the second run of layer 0 the peak.
  const ChainProfile profile = chain_of(7, {{11, option(17, 1000)}, {13, option(19, 0)}});
  const PlanReport plain = report_of(again_by(forward_tape(0)), profile);
  const PlanReport record_runs_forward = report_of(again_by(record(0)), profile);
  // x_0, GRAD(1), the output, tape and workspace.
  EXPECT_EQ(plain.peak_bytes[0], 7 + 11 + 11 + 17 + 1000);
  EXPECT_EQ(record_runs_forward.peak_bytes[0], plain.peak_bytes[0]) << "without has_record the output counts as workspace";
  EXPECT_EQ(record_runs_forward.step_seconds, 2 + 2 + 3 + 2 + 3);
  EXPECT_EQ(record_runs_forward.recomputed_seconds, 2);

  OptionProfile with = option(17, 1000);
  with.has_record = true;
  with.record_seconds = 0.5;
  with.record_workspace_bytes = 500;
  const PlanReport alone = report_of(again_by(record(0)), chain_of(7, {{11, with}, {13, option(19, 0)}}));
  // The first forward is the peak now: x_0, x_1, workspace; then x_0, GRAD(1), tape, record's workspace.
  EXPECT_EQ(alone.peak_bytes[0], 7 + 11 + 1000);
  EXPECT_EQ(alone.step_seconds, 2 + 2 + 3 + 0.5 + 3);
  EXPECT_EQ(alone.recomputed_seconds, 0.5);
  EXPECT_EQ(alone.forwards, 3);
  EXPECT_EQ(alone.recomputed_forwards, 1);
}

TEST(Record, ComputesTheOutputThatTheLayerReads) {
  const std::uint32_t flags = needs_input | needs_output | deterministic;
  const ChainProfile profile = chain_of(7, {{11, option(17, 0), flags}, {13, option(19, 0)}});
  EXPECT_EQ(complaint(again_by(record(0)), profile), "action 9 (END): INPUT(1) still exists at END");
  std::vector<Action> actions = again_by(record(0));
  actions.insert(actions.end() - 1, drop_input(1));
  EXPECT_EQ(complaint(actions, profile), "");
}

TEST(Record, IsARunOfOneLayer) {
  const ChainProfile profile = uniform_chain(3);
  Action two = record(0);
  two.last = 2;
  EXPECT_EQ(complaint({two}, profile), "action 0 (RECORD): layers [0, 2): expected one layer");
  EXPECT_EQ(complaint({record(1)}, profile), "action 0 (RECORD): INPUT(1) does not exist");
  EXPECT_EQ(complaint({record(0), record(0)}, profile), "action 1 (RECORD): TAPE(0, option 0) exists already");
  EXPECT_EQ(complaint({forward(0, 1), record(0)}, uniform_chain(3, needs_input)),
            "action 1 (RECORD): layer 0 (layer0) is not deterministic and would run again");
}

TEST(Record, KeepsAndRestoresAmbientStateAsForwardDoes) {
  const ChainProfile profile = chain_of(7, {{11, option(17, 0), needs_input | deterministic, 100}, {13, option(19, 0)}});
  // x_0, saved and current ambient state, GRAD(1), the output that is not computed, tape.
  EXPECT_EQ(report_of(again_by(record(0)), profile).peak_bytes[0], 7 + 2 * 100 + 11 + 11 + 17);
}

// ---- ADVANCE ----

TEST(Advance, StepsInOneBuffer) {
  const ChainProfile profile = chain_of(10, {{30, option(0, 5)}, {20, option(0, 7)}, {20, option(1, 0)}});
  // INPUT(0) moves to a tier, is advanced, and is loaded again for each reversal.
  std::vector<Action> actions = {transfer(Kind::store_begin, 0, 1, 0, 1),
                                 await(1),
                                 advance(0, 2),
                                 forward_tape(2),
                                 turn(),
                                 drop_input(3),
                                 backward(2),
                                 drop_input(2)};
  for (const std::int64_t layer : {1, 0}) {
    actions.push_back(transfer(Kind::load_begin, 0, 1, 0, 2));
    actions.push_back(await(2));
    if (layer > 0) actions.push_back(advance(0, layer));
    actions.insert(actions.end(), {record(layer), backward(layer), drop_input(layer)});
  }
  actions.push_back(drop_slot(1, 0));
  const PlanReport report = report_of(actions, profile);
  // BACKWARD of layer 1: x_1, GRAD(2), GRAD(1).
  EXPECT_EQ(report.peak_bytes[0], 30 + 20 + 30);
  EXPECT_EQ(report.peak_inputs[0], 2);  // INPUT(2) and INPUT(3), which TURN reads
  EXPECT_EQ(report.peak_inputs[1], 1);
  EXPECT_EQ(report.peak_items[1], 1);
  EXPECT_EQ(report.stored_bytes[1], 10);
  EXPECT_EQ(report.loaded_bytes[1], 20);
  EXPECT_EQ(report.forwards, 6);
}

TEST(Advance, CountsTheLargerOfInputAndOutput) {
  const auto peak = [](std::int64_t before, std::int64_t behind) {
    OptionProfile busy = option(0, 1000);
    busy.has_record = true;
    const ChainProfile profile = chain_of(before, {{behind, busy}, {0, option(0, 0)}});
    const std::vector<Action> actions = {transfer(Kind::store_begin, 0, 1, 0, 1),
                                         await(1),
                                         advance(0, 1),
                                         forward_tape(1),
                                         turn(),
                                         drop_input(2),
                                         backward(1),
                                         drop_input(1),
                                         transfer(Kind::load_begin, 0, 1, 0, 2),
                                         await(2),
                                         drop_slot(1, 0),
                                         record(0),
                                         backward(0),
                                         drop_input(0)};
    return report_of(actions, profile);
  };
  EXPECT_EQ(peak(100, 1).peak_bytes[0], 100 + 1000);
  EXPECT_EQ(peak(1, 100).peak_bytes[0], 100 + 1000);
  EXPECT_EQ(peak(100, 100).peak_bytes[0], 100 + 1000);
  EXPECT_EQ(peak(100, 1).peak_action, 2);
}

TEST(Advance, RefusesItemsBeingCopiedAndExistingItems) {
  const ChainProfile profile = uniform_chain(3);
  EXPECT_EQ(complaint({transfer(Kind::store_begin, 0, 1, 0, 1), advance(0, 1)}, profile),
            "action 1 (ADVANCE): INPUT(0) would be overwritten during a copy: expected AWAIT first");
  EXPECT_EQ(complaint({forward(0, 1), advance(0, 1)}, profile), "action 1 (ADVANCE): INPUT(1) exists already");
  EXPECT_EQ(complaint({advance(0, 1), advance(0, 1)}, profile), "action 1 (ADVANCE): INPUT(0) does not exist");
  EXPECT_EQ(complaint({advance(0, 4)}, profile), "action 0 (ADVANCE): layers [0, 4): expected a range within the chain's 3");
}

// ---- Layers that run in place ----

TEST(InPlace, LayersBetweenShareABuffer) {
  const std::uint32_t plain = needs_input | deterministic;
  const auto step_peak = [&](std::uint32_t flags) {
    const ChainProfile profile = chain_of(8, {{64, option(0, 0), plain}, {64, option(0, 0), flags}, {4, option(0, 0), plain}});
    return report_of({forward(0, 3), turn(), drop_input(3), forward_tape(0), forward_tape(1), record(2), backward(2), drop_input(2),
                      backward(1), drop_input(1), backward(0), drop_input(0)},
                     profile)
        .peak_bytes[0];
  };
  // Backward of layer 1 in place has GRAD(2) and GRAD(1) in one buffer of 64: x_0, x_1, x_2, GRAD(3), GRAD(2) are the peak.
  EXPECT_EQ(step_peak(plain | in_place), 8 + 64 + 64 + 4 + 64);
  EXPECT_EQ(step_peak(plain), 8 + 64 + 64 + 64 + 4);
}

TEST(InPlace, BackwardOverwritesTheGradientOfItsOutput) {
  for (const bool overwrites : {false, true}) {
    const std::uint32_t flags = deterministic | (overwrites ? in_place : 0);
    const std::vector<Action> actions = {forward_tape(0), drop_input(0), turn(), drop_input(1), backward(0)};
    // Forward is the peak if backward has no workspace: x_0, x_1, tape.
    EXPECT_EQ(report_of(actions, chain_of(50, {{40, option(1, 0), flags}})).peak_bytes[0], 50 + 40 + 1);
    EXPECT_EQ(report_of(actions, chain_of(50, {{50, option(1, 30), flags}})).peak_bytes[0], 50 + 50 + 1 + 30);
    OptionProfile busy = option(1, 0);
    busy.backward_workspace_bytes = 200;
    // Tape, workspace, and GRAD(1), GRAD(0) in one buffer or in two.
    EXPECT_EQ(report_of(actions, chain_of(50, {{40, busy, flags}})).peak_bytes[0], 1 + 200 + (overwrites ? 50 : 40 + 50));
  }
}

TEST(InPlace, TheGradientMustNotBeInACopy) {
  const ChainProfile profile = chain_of(50, {{40, option(1, 0), deterministic | in_place}});
  const Action store{.kind = Kind::store_begin, .first = 1, .item = Item::grad, .tier = 1, .slot = 0, .transfer = 1};
  EXPECT_EQ(complaint({forward_tape(0), drop_input(0), turn(), drop_input(1), store, backward(0)}, profile),
            "action 5 (BACKWARD): GRAD(1) would be overwritten during a copy: expected AWAIT first");
}

void expect_placed(const ChainProfile& profile, std::vector<Action> actions) {
  actions.push_back(end());
  const auto schedule = make_list(profile.layers(), actions);
  const PlanReport report = verify(*schedule, profile);
  const Placement placement = place(make_program(*schedule, profile));
  EXPECT_EQ(placement.peak_bytes, report.peak_bytes[0]);
  EXPECT_GE(placement.arena_bytes, report.peak_bytes[0]);
  EXPECT_EQ(arena_bytes(*schedule, profile), placement.arena_bytes);
}

TEST(InPlace, ABufferThatGrowsIsPlacedAtItsLongest) {
  const std::uint32_t flags = deterministic | in_place;
  const ChainProfile profile =
      chain_of(64, {{64, option(0, 0), deterministic}, {640, option(0, 0), flags}, {64, option(0, 0), flags}});
  expect_placed(profile, {forward(0, 3), turn(), drop_input(3), record(0), forward(0, 1), drop_input(0), record(1), forward(1, 2),
                          drop_input(1), record(2), drop_input(2), backward(2), backward(1), backward(0)});
}

TEST(InPlace, ABufferThatShrinksAndGrowsIsPlacedAtItsLongest) {
  // GRAD(3), GRAD(2), GRAD(1) and GRAD(0) take 640, 64, 128 and 64 bytes in one buffer; the peak is at the start.
  const std::uint32_t flags = deterministic | in_place;
  const ChainProfile profile = chain_of(64, {{128, option(0, 0), flags}, {64, option(0, 0), flags}, {640, option(0, 0), flags}});
  expect_placed(profile, {forward_tape(0), forward_tape(1), forward_tape(2), drop_input(0), drop_input(1), drop_input(2), turn(),
                          drop_input(3), backward(2), backward(1), backward(0)});
}

// ---- Tiers ----

TEST(Tiers, TimeIsTheCriticalPath) {
  ChainProfile profile = chain_of(100, {{100, option(0, 0)}, {100, option(0, 0)}, {100, option(0, 0)}});
  // INPUT(1) and INPUT(2) move to tier 1 while the next layer runs, and back.
  const std::vector<Action> actions = {forward(0, 1),
                                       transfer(Kind::store_begin, 1, 1, 0, 1),
                                       transfer(Kind::store_begin, 0, 1, 1, 2),
                                       drop_input(0),
                                       forward(1, 2),
                                       drop_input(1),
                                       forward_tape(2),
                                       turn(),
                                       drop_input(3),
                                       await(1),
                                       await(2),
                                       backward(2),
                                       drop_input(2),
                                       transfer(Kind::load_begin, 1, 1, 0, 1),
                                       await(1),
                                       drop_slot(1, 0),
                                       record(1),
                                       backward(1),
                                       drop_input(1),
                                       transfer(Kind::load_begin, 0, 1, 1, 1),
                                       await(1),
                                       drop_slot(1, 1),
                                       record(0),
                                       backward(0),
                                       drop_input(0)};
  const double compute = 3 * 2 + 2 * 2 + 3 * 3;
  EXPECT_EQ(report_of(actions, profile).step_seconds, compute);
  EXPECT_EQ(report_of(actions, profile).wait_seconds, 0);

  // A write takes 1 + 100 / 50 = 3 s, a read 1 + 100 / 200 = 1.5 s. At 2 s both writes are issued: they end at 5 and 8; layers
  // run until 6, so the AWAITs wait 2 s. Nothing runs during the reads: 1.5 s each.
  profile.set_tier(1, {.write_bytes_per_second = 50, .read_bytes_per_second = 200, .latency_seconds = 1});
  const PlanReport slow = report_of(actions, profile);
  EXPECT_EQ(slow.wait_seconds, 2 + 1.5 + 1.5);
  EXPECT_EQ(slow.step_seconds, compute + 5);
  EXPECT_EQ(slow.stored_bytes[1], 200);
  EXPECT_EQ(slow.loaded_bytes[1], 200);
  EXPECT_EQ(slow.peak_items[1], 2);

  profile.set_tier(1, {.capacity_bytes = 200});
  EXPECT_EQ(complaint(actions, profile), "");
  profile.set_tier(1, {.capacity_bytes = 199});
  EXPECT_EQ(complaint(actions, profile), "action 2 (STORE_BEGIN): tier 1 holds 100 of 199 bytes: no room for 100");
  // Each slot is as long as its longest item, rounded up to 64.
  std::vector<Action> list = actions;
  list.push_back(end());
  EXPECT_EQ(reserved_bytes(*make_list(3, list), chain_of(100, {{100, option(0, 0)}, {100, option(0, 0)}, {100, option(0, 0)}}), 1),
            256);
}

TEST(Tiers, DroppedItemsFreeSpace) {
  ChainProfile profile = chain_of(100, {{60, option(0, 0)}, {10, option(0, 0)}});
  profile.set_tier(2, {.capacity_bytes = 100});
  const std::vector<Action> actions = {transfer(Kind::store_begin, 0, 2, 0, 1),
                                       await(1),
                                       drop_slot(2, 0),
                                       forward(0, 1),
                                       transfer(Kind::store_begin, 1, 2, 0, 1),
                                       await(1),
                                       drop_slot(2, 0),
                                       forward_tape(1),
                                       turn(),
                                       drop_input(2),
                                       backward(1),
                                       drop_input(1),
                                       record(0),
                                       backward(0),
                                       drop_input(0)};
  EXPECT_EQ(complaint(actions, profile), "");
}

// ---- Uniform profiles ----

TEST(Uniform, EqualsAChainOfIdenticalLayers) {
  LayerProfile layer;
  layer.name = "step";
  layer.output_bytes = 10;
  layer.options = {{.tape_bytes = 3, .forward_seconds = 1.0, .backward_seconds = 2.0}};
  const ChainProfile uniform = ChainProfile::uniform(12, layer);
  const ChainProfile listed = uniform_chain(12);
  ASSERT_EQ(uniform.layers(), 12);
  for (const auto& schedule : schedules_of(uniform)) {
    const PlanReport a = verify(*schedule, uniform);
    const PlanReport b = verify(*schedule, listed);
    EXPECT_EQ(a.peak_bytes, b.peak_bytes) << schedule->name();
    EXPECT_EQ(a.step_seconds, b.step_seconds);
    EXPECT_EQ(a.actions, b.actions);
  }
}

TEST(Uniform, HasAnyNumberOfLayers) {
  LayerProfile layer;
  layer.name = "step";
  layer.output_bytes = 8;
  layer.options = {{.tape_bytes = 1}};
  const ChainProfile all = ChainProfile::uniform(1'000'000'000, layer);
  EXPECT_NO_THROW(all.require_complete());
  Cursor cursor(make_store_all(all));
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(cursor.next(), forward_tape(i));
  layer.output_bytes = std::int64_t{1} << 40;
  EXPECT_THROW(ChainProfile::uniform(1'000'000'000, layer).require_complete(), base::Error);
  const ChainProfile million = ChainProfile::uniform(1'000'000, {.name = "step", .output_bytes = 8, .options = layer.options});
  const PlanReport report = verify(*make_periodic(million, 1000), million);
  EXPECT_EQ(report.forwards, 2'000'000 - 1000);
}

}  // namespace
}  // namespace ckpt::plan::test
