// The activation checkpoint manager: the activations kept by each policy, and exact byte counts.
#include "pipeline/activation_manager.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "base/error.h"
#include "strategy/custom.h"
#include "strategy/factory.h"

namespace ckpt::pipeline::test {
namespace {

using tensor::Dtype;
using tensor::Tensor;
using Kind = Policy::Kind;

TensorPtr numbers(std::int64_t count, float first, Dtype dtype = Dtype::f32) {
  TensorPtr tensor = Tensor::create(dtype, {count});
  if (tensor->bytes() > 0) std::memset(tensor->data(), 0, static_cast<std::size_t>(tensor->bytes()));
  if (dtype == Dtype::f32) {
    for (std::int64_t i = 0; i < count; ++i) tensor->data_as<float>()[i] = first + static_cast<float>(i);
  }
  return tensor;
}

Policy policy_of(Kind kind, std::int64_t interval = 1, std::int64_t threshold = default_threshold_bytes) {
  return {.kind = kind, .interval = interval, .threshold_bytes = threshold, .strategy = nullptr};
}

struct Managed {
  explicit Managed(Policy policy, ActivationManager::Forward forward = {})
      : manager(std::move(policy), "stage 0", tracker, clock, std::move(forward)) {}
  // Stores `count` activations of 100 floats, and returns those kept afterwards.
  std::vector<std::int64_t> store(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) manager.store(i, *numbers(100, static_cast<float>(i)));
    return manager.micro_batches();
  }
  std::shared_ptr<memory::Tracker> tracker = std::make_shared<memory::Tracker>();
  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>(1000);
  ActivationManager manager;
};

using Indices = std::vector<std::int64_t>;

template <class Call>
base::Status status_of(Call&& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.status();
  }
  return base::Status::ok;
}

TEST(Manager, StoreAllKeepsAll) {
  Managed managed(policy_of(Kind::store_all));
  managed.manager.begin_step(4);
  EXPECT_EQ(managed.store(4), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(managed.manager.estimate_memory_usage(), 1600);
  EXPECT_EQ(managed.tracker->stats().current_bytes, 1600);
}

TEST(Manager, RecomputeAllKeepsNone) {
  Managed managed(policy_of(Kind::recompute_all));
  managed.manager.begin_step(4);
  EXPECT_EQ(managed.store(4), Indices{});
  EXPECT_FALSE(managed.manager.should_checkpoint(0, strategy::Activation(std::int64_t{1})));
  EXPECT_EQ(managed.manager.count(), 0);
}

TEST(Manager, SelectiveKeepsEveryNthTheFirstAndTheLast) {
  Managed managed(policy_of(Kind::selective, 3));
  managed.manager.begin_step(6);
  EXPECT_EQ(managed.store(6), (Indices{0, 3, 5}));
  EXPECT_TRUE(managed.manager.should_checkpoint(3, strategy::Activation(std::int64_t{1})));
  EXPECT_FALSE(managed.manager.should_checkpoint(4, strategy::Activation(std::int64_t{1})));
}

TEST(Manager, SelectiveIntervalZeroAndOneKeepAll) {
  for (const std::int64_t interval : {0, 1}) {
    Managed managed(policy_of(Kind::selective, interval));
    managed.manager.begin_step(3);
    EXPECT_EQ(managed.store(3), (Indices{0, 1, 2})) << interval;
  }
}

TEST(Manager, UnknownCountTreatsTheNewestAsLast) {
  Managed managed(policy_of(Kind::selective, 3));
  managed.manager.begin_step(unknown_count);
  EXPECT_EQ(managed.store(2), (Indices{0, 1}));
  EXPECT_EQ(managed.store(6), (Indices{0, 3, 5}));
}

TEST(Manager, MemoryBasedDropsTheOldestButNeverTheEnds) {
  Managed managed(policy_of(Kind::memory_based, 1, 1200));
  managed.manager.begin_step(6);
  EXPECT_EQ(managed.store(3), (Indices{0, 1, 2}));
  EXPECT_EQ(managed.store(4), (Indices{0, 2, 3}));
  managed.manager.store(4, *numbers(100, 0));
  EXPECT_EQ(managed.manager.micro_batches(), (Indices{0, 3, 4}));
  managed.manager.store(5, *numbers(100, 0));
  EXPECT_EQ(managed.manager.micro_batches(), (Indices{0, 4, 5}));
  EXPECT_LE(managed.manager.estimate_memory_usage(), 1200);
}

TEST(Manager, ReplacingResetsTheAge) {
  Managed managed(policy_of(Kind::memory_based, 1, 1200));
  managed.manager.begin_step(6);
  managed.store(3);
  managed.manager.store(1, *numbers(100, 7));
  managed.manager.store(3, *numbers(100, 0));
  EXPECT_EQ(managed.manager.micro_batches(), (Indices{0, 1, 3}));
}

TEST(Manager, MemoryBasedKeepsTheEndsAboveTheThreshold) {
  Managed managed(policy_of(Kind::memory_based, 1, 10));
  managed.manager.begin_step(5);
  EXPECT_EQ(managed.store(5), (Indices{0, 4}));
  EXPECT_EQ(managed.manager.estimate_memory_usage(), 800);
}

TEST(Manager, MemoryBasedNeverStoresActivationsLargerThanTheThreshold) {
  Managed managed(policy_of(Kind::memory_based, 1, 1000));
  managed.manager.begin_step(4);
  managed.manager.store(0, *numbers(10, 0));
  managed.manager.store(1, *numbers(10, 0));
  EXPECT_FALSE(managed.manager.store(2, *numbers(1000, 0)));
  EXPECT_EQ(managed.manager.micro_batches(), (Indices{0, 1})) << "a store that is refused must not drop others";
}

TEST(Manager, MemoryBasedWithAVeryLargeThresholdKeepsAll) {
  Managed managed(policy_of(Kind::memory_based, 1, INT64_MAX));
  managed.manager.begin_step(20);
  EXPECT_EQ(managed.store(20).size(), 20U);
}

TEST(Manager, AnOversizedLastActivationOfAnUnknownCountIsReplacedByANewerOne) {
  Managed managed(policy_of(Kind::memory_based, 1, 1000));
  managed.manager.begin_step(unknown_count);
  managed.manager.store(0, *numbers(10, 0));
  EXPECT_TRUE(managed.manager.store(1, *numbers(1000, 0)));
  managed.manager.store(2, *numbers(10, 0));
  EXPECT_EQ(managed.manager.micro_batches(), (Indices{0, 2}));
}

TEST(Manager, StrategiesGetTheStagesNameAndTheMicroBatch) {
  std::vector<std::string> asked;
  strategy::CustomHooks hooks;
  hooks.decide = [&](std::string_view name, const strategy::Activation& activation, std::int64_t index) {
    asked.push_back(base::cat(name, " ", index, " ", activation.bytes));
    return index == 1;
  };
  Policy policy = policy_of(Kind::strategy);
  policy.strategy = std::make_shared<strategy::Custom>(hooks);
  Managed managed(policy);
  managed.manager.begin_step(3);
  EXPECT_EQ(managed.store(3), Indices{1});
  EXPECT_EQ(asked, (std::vector<std::string>{"stage 0 0 400", "stage 0 1 400", "stage 0 2 400"}));
}

TEST(Manager, KeepsACopyOrTheMovedTensor) {
  Managed managed(policy_of(Kind::store_all));
  const TensorPtr original = numbers(4, 1);
  managed.manager.store(0, *original);
  original->data_as<float>()[0] = 99;
  const TensorPtr copy = managed.manager.get(0);
  EXPECT_EQ(copy->data_as<float>()[0], 1);
  EXPECT_TRUE(copy->read_only());
  EXPECT_EQ(copy->shape(), original->shape());
  TensorPtr given = numbers(4, 5);
  const void* const data = given->data();
  EXPECT_TRUE(managed.manager.store_moved(1, std::move(given)));
  EXPECT_EQ(managed.manager.get(1)->data(), data);
}

TEST(Manager, AbsentActivationsHaveNoValue) {
  Managed managed(policy_of(Kind::store_all));
  EXPECT_EQ(managed.manager.get(3), nullptr);
  EXPECT_FALSE(managed.manager.has(3));
}

TEST(Manager, GetOrComputeReadsOrRunsTheForward) {
  int runs = 0;
  Managed managed(policy_of(Kind::selective, 2), [&](const TensorPtr& input, std::int64_t micro_batch) {
    ++runs;
    return numbers(input->shape()[0], static_cast<float>(10 * micro_batch));
  });
  managed.manager.begin_step(4);
  const TensorPtr input = numbers(3, 0);
  managed.manager.store(0, *managed.manager.recompute(input, 0));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(managed.manager.get_or_compute(input, 0)->data_as<float>()[0], 0);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(managed.manager.get_or_compute(input, 1)->data_as<float>()[2], 12);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(managed.manager.count(), 1) << "what was computed again is not stored";
}

TEST(Manager, WithoutAForwardNothingIsRecomputed) {
  Managed managed(policy_of(Kind::store_all));
  EXPECT_EQ(status_of([&] { managed.manager.recompute(numbers(1, 0), 0); }), base::Status::invalid_state);
}

TEST(Manager, BytesAreThoseOfTheDtype) {
  Managed managed(policy_of(Kind::store_all));
  managed.manager.begin_step(4);
  managed.manager.store(0, *numbers(10, 0, Dtype::f16));
  managed.manager.store(1, *numbers(10, 0, Dtype::f64));
  managed.manager.store(2, *numbers(10, 0, Dtype::u8));
  managed.manager.store(3, *numbers(0, 0));
  EXPECT_EQ(managed.manager.estimate_memory_usage(), 20 + 80 + 10);
  EXPECT_EQ(managed.tracker->stats().current_bytes, 110);
  EXPECT_EQ(managed.manager.count(), 4);
}

TEST(Manager, StoringAgainReplacesTensorAndBytes) {
  Managed managed(policy_of(Kind::store_all));
  managed.manager.begin_step(2);
  managed.manager.store(1, *numbers(100, 0));
  managed.manager.store(1, *numbers(3, 5));
  EXPECT_EQ(managed.manager.count(), 1);
  EXPECT_EQ(managed.manager.estimate_memory_usage(), 12);
  EXPECT_EQ(managed.tracker->stats().current_bytes, 12);
  EXPECT_EQ(managed.manager.get(1)->data_as<float>()[0], 5);
  managed.manager.set_policy(policy_of(Kind::recompute_all));
  EXPECT_FALSE(managed.manager.store(1, *numbers(3, 6)));
  EXPECT_FALSE(managed.manager.has(1)) << "the old activation is not the micro-batch's any more";
}

TEST(Manager, MetadataDescribesTheStoredActivation) {
  Managed managed(policy_of(Kind::store_all));
  managed.clock->advance(234);
  managed.manager.store(2, *numbers(6, 0));
  managed.manager.get(2);
  managed.manager.get(2);
  const CheckpointMetadata metadata = managed.manager.metadata(2);
  EXPECT_EQ(metadata.micro_batch, 2);
  EXPECT_EQ(metadata.bytes, 24);
  EXPECT_EQ(metadata.dtype, Dtype::f32);
  EXPECT_EQ(metadata.shape, tensor::Shape({6}));
  EXPECT_EQ(metadata.stored_at_ns, 1234);
  EXPECT_EQ(metadata.hits, 2);
  EXPECT_EQ(status_of([&] { managed.manager.metadata(3); }), base::Status::not_found);
}

TEST(Manager, ClearAndDestructionReturnEveryByte) {
  const auto tracker = std::make_shared<memory::Tracker>();
  {
    ActivationManager manager(policy_of(Kind::store_all), "s", tracker);
    for (int i = 0; i < 5; ++i) manager.store(i, *numbers(100, 0));
    const TensorPtr held = manager.get(1);
    manager.clear();
    EXPECT_EQ(tracker->stats().current_bytes, 0);
    EXPECT_EQ(manager.count(), 0);
    EXPECT_EQ(held->data_as<float>()[1], 1) << "a reader's memory outlives the manager's hold";
    for (int i = 0; i < 5; ++i) manager.store(i, *numbers(100, 0));
    EXPECT_EQ(tracker->stats().current_bytes, 2000);
  }
  EXPECT_EQ(tracker->stats().current_bytes, 0);
  EXPECT_EQ(tracker->stats().live_allocations, 0);
}

TEST(Manager, ZeroMicroBatchesTakeNothing) {
  Managed managed(policy_of(Kind::store_all));
  managed.manager.begin_step(0);
  EXPECT_EQ(status_of([&] { managed.manager.store(0, *numbers(1, 0)); }), base::Status::out_of_range);
  EXPECT_EQ(status_of([&] { managed.manager.should_checkpoint(0, strategy::Activation(std::int64_t{1})); }),
            base::Status::out_of_range);
  EXPECT_EQ(managed.manager.count(), 0);
}

TEST(Manager, OneMicroBatchIsFirstAndLast) {
  Managed managed(policy_of(Kind::memory_based, 1, 0));
  managed.manager.begin_step(1);
  EXPECT_EQ(managed.store(1), Indices{0});
}

TEST(Manager, RefusesWrongNumbers) {
  EXPECT_EQ(status_of([] { Managed(policy_of(Kind::selective, -1)); }), base::Status::invalid_argument);
  EXPECT_EQ(status_of([] { Managed(policy_of(Kind::memory_based, 1, -1)); }), base::Status::invalid_argument);
  EXPECT_EQ(status_of([] { Managed(policy_of(Kind::strategy)); }), base::Status::invalid_argument);
  Managed managed(policy_of(Kind::store_all));
  EXPECT_EQ(status_of([&] { managed.manager.begin_step(-2); }), base::Status::invalid_argument);
  EXPECT_EQ(status_of([&] { managed.manager.store(-1, *numbers(1, 0)); }), base::Status::invalid_argument);
  managed.manager.begin_step(2);
  EXPECT_EQ(status_of([&] { managed.manager.store(2, *numbers(1, 0)); }), base::Status::out_of_range);
}

TEST(Manager, AStepBeginsEmptyAndThePolicyMayChange) {
  Managed managed(policy_of(Kind::store_all));
  managed.manager.begin_step(3);
  managed.store(3);
  managed.manager.set_policy(policy_of(Kind::selective, 5));
  managed.manager.begin_step(4);
  EXPECT_EQ(managed.manager.count(), 0);
  EXPECT_EQ(managed.store(4), (Indices{0, 3}));
}

TEST(Manager, AutomaticFollowsTheTrackersPressure) {
  Managed managed(policy_of(Kind::automatic, 1, 777));
  managed.tracker->set_limit(1000);
  const auto picked_at = [&](std::int64_t live) {
    const memory::AllocationId id = managed.tracker->allocate("other", live);
    managed.manager.begin_step(4);
    managed.tracker->free(id);
    return managed.manager.active_policy();
  };
  EXPECT_EQ(picked_at(100).kind, Kind::store_all);
  EXPECT_EQ(picked_at(600).kind, Kind::selective);
  EXPECT_EQ(managed.manager.active_policy().interval, 2);
  EXPECT_EQ(managed.manager.active_policy().threshold_bytes, 400);  // the rest of the limit
  EXPECT_EQ(picked_at(800).kind, Kind::memory_based);
  EXPECT_EQ(managed.manager.active_policy().threshold_bytes, 200);
  EXPECT_EQ(picked_at(850).kind, Kind::memory_based);
  EXPECT_EQ(managed.manager.active_policy().threshold_bytes, 150);
  managed.manager.set_policy(policy_of(Kind::automatic, 1, 100));
  EXPECT_EQ(picked_at(800).kind, Kind::memory_based);
  EXPECT_EQ(managed.manager.active_policy().threshold_bytes, 100);
  EXPECT_EQ(picked_at(950).kind, Kind::recompute_all);
  EXPECT_EQ(managed.manager.policy().kind, Kind::automatic);
}

TEST(Manager, AFailingStrategyChangesNothing) {
  strategy::CustomHooks hooks;
  hooks.decide = [](std::string_view, const strategy::Activation&, std::int64_t index) -> bool {
    if (index == 1) base::fail(base::Status::callback, "no answer");
    return true;
  };
  Policy policy = policy_of(Kind::strategy);
  policy.strategy = std::make_shared<strategy::Custom>(hooks);
  Managed managed(policy);
  managed.manager.store(0, *numbers(100, 0));
  EXPECT_EQ(status_of([&] { managed.manager.store(1, *numbers(100, 0)); }), base::Status::callback);
  EXPECT_EQ(managed.manager.micro_batches(), Indices{0});
  EXPECT_EQ(managed.tracker->stats().current_bytes, 400);
}

TEST(Manager, ManyThreadsLeaveExactBytes) {
  Managed managed(policy_of(Kind::memory_based, 1, 4000));
  managed.manager.begin_step(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::int64_t index = (i * 7 + t * 13) % 64;
        managed.manager.store(index, *numbers(1 + index, 0));
        const TensorPtr found = managed.manager.get(index);
        EXPECT_EQ(found == nullptr ? 1 + index : found->shape()[0], 1 + index);
        managed.manager.has(index);
        if (i % 50 == 49) managed.manager.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t bytes = 0;
  for (const std::int64_t index : managed.manager.micro_batches()) bytes += managed.manager.metadata(index).bytes;
  EXPECT_EQ(managed.manager.estimate_memory_usage(), bytes);
  EXPECT_EQ(managed.tracker->stats().current_bytes, bytes);
  managed.manager.clear();
  EXPECT_EQ(managed.tracker->stats().current_bytes, 0);
}

}  // namespace
}  // namespace ckpt::pipeline::test
