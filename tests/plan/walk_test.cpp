// Invalid schedules, one rule at a time: the verifier names the action and the reason.
#include <gtest/gtest.h>

#include "base/error.h"
#include "chains.h"
#include "expect_error.h"

namespace ckpt::plan::test {
namespace {

Action store(std::int64_t index, std::int32_t tier, std::int32_t slot, std::int64_t transfer) {
  return {.kind = Kind::store_begin, .first = index, .item = Item::input, .tier = tier, .slot = slot, .transfer = transfer};
}
Action load(std::int64_t index, std::int32_t tier, std::int32_t slot, std::int64_t transfer) {
  Action action = store(index, tier, slot, transfer);
  action.kind = Kind::load_begin;
  return action;
}
Action await(std::int64_t transfer) { return {.kind = Kind::await, .transfer = transfer}; }
Action drop_slot(std::int32_t tier, std::int32_t slot) { return {.kind = Kind::drop, .tier = tier, .slot = slot}; }

// Returns the verifier's error for these actions (END is appended); "" if there is none.
std::string complaint(std::vector<Action> actions, const ChainProfile& profile = uniform_chain(2)) {
  actions.push_back(end());
  try {
    verify(*make_list(profile.layers(), actions), profile);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::invalid_schedule);
    return error.message();
  }
  return "";
}

const std::vector<Action> good = {forward_tape(0), forward_tape(1), turn(),      drop_input(2),
                                  backward(1),     drop_input(1),   backward(0), drop_input(0)};

TEST(Walk, AcceptsAGoodList) { EXPECT_EQ(complaint(good), ""); }

TEST(Walk, EveryActionOfAGoodListIsNeeded) {
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<Action> without = good;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(complaint(without), "") << "without action " << i;
  }
}

TEST(Walk, NamesTheActionAndTheReason) {
  EXPECT_EQ(complaint({forward_tape(1)}), "action 0 (FORWARD_TAPE): INPUT(1) does not exist");
  EXPECT_EQ(complaint({forward(0, 3)}), "action 0 (FORWARD): layers [0, 3): expected a range within the chain's 2");
  EXPECT_EQ(complaint({forward(0, 1), forward(0, 1)}), "action 1 (FORWARD): INPUT(1) exists already");
  EXPECT_EQ(complaint({turn()}), "action 0 (TURN): INPUT(2) does not exist");
  EXPECT_EQ(complaint({backward(1)}), "action 0 (BACKWARD): GRAD(2) does not exist");
  EXPECT_EQ(complaint({drop_input(5)}), "action 0 (DROP): the item's index is 5; expected 0 .. 2");
  EXPECT_EQ(complaint({forward(0, 2), turn(), turn()}), "action 2 (TURN): the step contains a second TURN");
  Action option = forward_tape(0);
  option.option = 1;
  EXPECT_EQ(complaint({option}), "action 0 (FORWARD_TAPE): option is 1; layer 0 has 1");
  Action micro = forward_tape(0);
  micro.micro_batch = 1;
  EXPECT_EQ(complaint({micro}), "action 0 (FORWARD_TAPE): micro_batch is 1; expected 0: this step has one micro-batch");
  EXPECT_EQ(complaint({{.kind = Kind::send, .item = Item::grad}}), "action 0 (SEND): only a pipeline's stage has neighbours");
}

TEST(Walk, RefusesToRecomputeNondeterministicLayers) {
  ChainProfile profile = uniform_chain(3, needs_input);
  EXPECT_NO_THROW(verify(*make_store_all(profile), profile));
  EXPECT_THROW(verify(*make_periodic(profile, 2), profile), base::Error);
}

TEST(Walk, TransfersHoldBytesUntilTheirAwait) {
  const ChainProfile profile = uniform_chain(2);
  // INPUT(1) moves to tier 1 while layer 1 runs, and back for its backward.
  const std::vector<Action> actions = {forward_tape(0), store(1, 1, 0, 7), forward(1, 2),    drop_input(1), await(7),
                                       turn(),          drop_input(2),     load(1, 1, 0, 8), await(8),      drop_slot(1, 0),
                                       forward_tape(1), drop_input(2),     backward(1),      drop_input(1), backward(0),
                                       drop_input(0)};
  EXPECT_EQ(complaint(actions), "");
  std::vector<Action> list = actions;
  list.push_back(end());
  const PlanReport report = verify(*make_list(2, list), profile);
  EXPECT_EQ(report.peak_bytes[1], 10);
  EXPECT_EQ(report.recomputed_forwards, 1);
  // x_0, x_1 (dropped, but its copy is in progress), x_2 and layer 0's tape: then x_2 and GRAD(2) replace them.
  EXPECT_EQ(report.peak_bytes[0], 3 + 10 + 10 + 10 + 10 + 3);
}

TEST(Walk, TransferRules) {
  EXPECT_EQ(complaint({store(0, 0, 0, 1)}), "action 0 (STORE_BEGIN): tier is 0; expected 1 .. 3");
  EXPECT_EQ(complaint({store(0, 1, -1, 1)}), "action 0 (STORE_BEGIN): slot is -1; expected at least 0");
  EXPECT_EQ(complaint({store(0, 1, 0, 1), store(0, 1, 0, 2)}), "action 1 (STORE_BEGIN): slot 0 of tier 1 is occupied");
  EXPECT_EQ(complaint({store(0, 1, 0, 1), store(0, 1, 1, 1)}), "action 1 (STORE_BEGIN): transfer 1 is in progress already");
  EXPECT_EQ(complaint({store(0, 1, 0, 1), drop_slot(1, 0)}), "action 1 (DROP): slot 0 of tier 1 is in transfer 1");
  EXPECT_EQ(complaint({store(0, 1, 0, 1), load(0, 1, 0, 2)}),
            "action 1 (LOAD_BEGIN): slot 0 is being stored: expected AWAIT first");
  EXPECT_EQ(complaint({store(0, 1, 0, 1), await(1), load(1, 1, 0, 2)}),
            "action 2 (LOAD_BEGIN): slot 0 holds INPUT(0), not INPUT(1)");
  EXPECT_EQ(complaint({load(0, 1, 0, 2)}), "action 0 (LOAD_BEGIN): slot 0 of tier 1 is empty");
  EXPECT_EQ(complaint({await(3)}), "action 0 (AWAIT): transfer 3 is not in progress");
  EXPECT_EQ(complaint({store(0, 1, 0, 1), await(1), drop_input(0), load(0, 1, 0, 2), forward(0, 1)}),
            "action 4 (FORWARD): INPUT(0) is being loaded: expected AWAIT first");
  std::vector<Action> left = good;
  left.insert(left.begin(), store(0, 1, 0, 1));
  EXPECT_EQ(complaint(left), "action 9 (END): transfer 1 was not awaited");
  left.insert(left.begin() + 1, await(1));
  EXPECT_EQ(complaint(left), "action 10 (END): slot 0 of tier 1 still holds INPUT(0)");
}

TEST(Walk, TwoCopiesOfADroppedItemFreeItOnce) {
  const ChainProfile profile = uniform_chain(1);
  const std::vector<Action> actions = {
      store(0, 1, 0, 1), store(0, 1, 1, 2), drop_input(0),   await(1), await(2),      load(0, 1, 0, 3), await(3),
      drop_slot(1, 0),   drop_slot(1, 1),   forward_tape(0), turn(),   drop_input(1), backward(0),      drop_input(0)};
  EXPECT_EQ(complaint(actions, profile), "");
}

TEST(Walk, ListsAreCheckedOnCreation) {
  const std::vector<Action> no_end = {forward(0, 1)};
  EXPECT_THROW(make_list(2, no_end), base::Error);
  const std::vector<Action> early_end = {end(), end()};
  EXPECT_THROW(make_list(2, early_end), base::Error);
  EXPECT_THROW(make_list(2, {}), base::Error);
  Action unknown;
  unknown.kind = static_cast<Kind>(99);
  const std::vector<Action> odd = {unknown, end()};
  EXPECT_THROW(make_list(2, odd), base::Error);
  const std::vector<Action> fine = {end()};
  EXPECT_THROW(verify(*make_list(3, fine), uniform_chain(2)), base::Error);
}

TEST(Profile, RefusesBadValues) {
  EXPECT_THROW(ChainProfile(-1), base::Error);
  ChainProfile profile(1);
  EXPECT_THROW(profile.add_option({}), base::Error);
  LayerProfile layer;
  layer.name = " ";
  EXPECT_THROW(profile.add_layer(layer), base::Error);
  layer.name = "a";
  layer.output_bytes = -5;
  EXPECT_THROW(profile.add_layer(layer), base::Error);
  layer.output_bytes = 5;
  layer.flags = 64;
  EXPECT_THROW(profile.add_layer(layer), base::Error);
  layer.flags = needs_input;
  profile.add_layer(layer);
  EXPECT_THROW(profile.require_complete(), base::Error);
  EXPECT_THROW(profile.add_option({.forward_seconds = std::numeric_limits<double>::quiet_NaN()}), base::Error);
  EXPECT_THROW(profile.add_option({.tape_bytes = -1}), base::Error);
  profile.add_option({.tape_bytes = INT64_MAX});
  EXPECT_THROW(profile.require_complete(), base::Error);
}

// A graph may have further layers that read only the input; a chain may not.
TEST(Profile, OnlyLayersThatReadTheInputMayLackAGradient) {
  ChainProfile profile(10);
  for (int i = 0; i < 3; ++i) {
    LayerProfile layer;
    layer.name = "a";
    layer.flags = i == 1 ? no_input_gradient : 0;
    layer.options = {OptionProfile{}};
    profile.add_layer(layer);
  }
  EXPECT_ERROR(profile.require_complete(), base::Status::invalid_argument,
               "layer 1 (a) has the flag NO_INPUT_GRADIENT; expected it only in layer 0");
  profile.set_inputs(1, std::vector<std::int64_t>{0}, {});
  profile.set_inputs(2, std::vector<std::int64_t>{2, 1}, {});
  profile.require_whole();
}

}  // namespace
}  // namespace ckpt::plan::test
