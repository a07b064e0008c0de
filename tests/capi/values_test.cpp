// The values of ckpt.hpp and the C structs: defaults, conversions in both directions, unknown numbers and fields.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

static_assert(__cplusplus < 202002L, "the headers must do with C++17");

using namespace std::chrono_literals;

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
    return "nothing was thrown";
  } catch (const ckpt::Error& error) {
    return std::string(error.status_name()) + ": " + error.what();
  }
}

// ---- Defaults ----

template <class Struct>
void expect_same(const char* name, const Struct& created, const Struct& wanted) {
  EXPECT_EQ(std::memcmp(&created, &wanted, sizeof created), 0) << name << " is not by default what C's struct is";
}

TEST(Values, DefaultsEqualThoseOfC){
#define VALUE(Value, Struct, ...)                                   \
  {                                                                 \
    const Struct wanted = __VA_ARGS__;                              \
    expect_same(#Value, ckpt::detail::to_c(ckpt::Value{}), wanted); \
  }
#include "given_values.inc"
#undef VALUE
}

// An aggregate causes no warning about omitted members, since each has a default.
TEST(Values, AreAggregates) {
#define VALUE(Value, Struct, ...) EXPECT_TRUE(std::is_aggregate_v<ckpt::Value>) << #Value;
#include "given_values.inc"
#undef VALUE
  const ckpt::ActivationPolicy policy{ckpt::ActivationPolicyKind::selective, 3};
  EXPECT_EQ(policy.interval, 3);
  EXPECT_EQ(policy.threshold_bytes, 1 << 30);
  const ckpt::TensorSpec spec{ckpt::DType::u8, {4, 16}};
  EXPECT_EQ(spec.shape, (ckpt::Shape{4, 16}));
}

TEST(Values, AbsentValuesAreNotRead) {
  ckpt::SaveOptions save;
  EXPECT_EQ(ckpt::detail::to_c(save).has_metric, 0);
  save.metric = 0.0;
  EXPECT_EQ(ckpt::detail::to_c(save).has_metric, 1);
  ckpt::BufferPoolOptions pool;
  EXPECT_EQ(ckpt::detail::to_c(pool).has_retain_limit, 1);
  pool.retain_limit_bytes.reset();
  EXPECT_EQ(ckpt::detail::to_c(pool).has_retain_limit, 0);
  EXPECT_EQ(ckpt::detail::to_c(save).prefix, nullptr);
  save.prefix = "warmup";
  EXPECT_STREQ(ckpt::detail::to_c(save).prefix, "warmup");
}

// ---- Conversions in both directions ----

TEST(Values, AreConvertedToCAndBack) {
  ckpt::LayerProfile layer;
  layer.flags = ckpt::LayerFlag::needs_output | ckpt::LayerFlag::no_input_gradient;
  layer.output_bytes = std::int64_t{1} << 40;
  layer.ambient_bytes = 7;
  layer.dtype = ckpt::DType::bf16;
  layer.shape = {1, 2, 3, 4, 5, 6, 7, 8};
  const ckpt::LayerProfile back = ckpt::detail::from_c(ckpt::detail::to_c(layer));
  EXPECT_EQ(back.flags, layer.flags);
  EXPECT_EQ(back.output_bytes, layer.output_bytes);
  EXPECT_EQ(back.ambient_bytes, layer.ambient_bytes);
  EXPECT_EQ(back.dtype, layer.dtype);
  EXPECT_EQ(back.shape, layer.shape);

  ckpt::ActivationPolicy policy{ckpt::ActivationPolicyKind::memory_based, 3, 4};
  policy.memory_limit_bytes = 5;
  const ckpt::ActivationPolicy read = ckpt::detail::from_c(ckpt::detail::to_c(policy));
  EXPECT_EQ(read.kind, policy.kind);
  EXPECT_EQ(read.interval, 3);
  EXPECT_EQ(read.threshold_bytes, 4);
  EXPECT_EQ(read.memory_limit_bytes, 5);

  ckpt::ScheduleAction action;
  action.kind = ckpt::ActionKind::store_begin;
  action.micro_batch = 1;
  action.first = 2;
  action.last = 3;
  action.option = 4;
  action.item = ckpt::Item::tape;
  action.tier = 1;
  action.slot = 5;
  action.transfer = 6;
  const ckpt_schedule_action there = ckpt::detail::to_c(action);
  expect_same("ScheduleAction", ckpt::detail::to_c(ckpt::detail::from_c(there)), there);
}

TEST(Values, AreReturnedByTheLibrary) {
  ckpt::LayerProfile layer;
  layer.flags = ckpt::LayerFlag::needs_output;
  layer.output_bytes = 100;
  layer.dtype = ckpt::DType::f16;
  layer.shape = {5, 10};
  ckpt::OptionProfile option;
  option.tape_bytes = 11;
  option.backward_seconds = 0.25;
  ckpt::Profile profile(64);
  profile.add_layer("one", layer).add_option(option);
  EXPECT_EQ(profile.layer(0).flags, layer.flags);
  EXPECT_EQ(profile.layer(0).dtype, layer.dtype);
  EXPECT_EQ(profile.layer(0).shape, layer.shape);
  EXPECT_EQ(profile.layer_name(0), "one");
  EXPECT_EQ(profile.option_count(0), 1);
  EXPECT_EQ(profile.option(0, 0).backward_seconds, 0.25);

  ckpt::Strategy strategy = ckpt::Strategy::interval(2);
  ckpt::ActivationPolicy policy{ckpt::ActivationPolicyKind::strategy};
  policy.strategy = strategy;
  ckpt::ActivationManager manager(policy);
  manager.begin_step(4);
  EXPECT_EQ(manager.policy().kind, ckpt::ActivationPolicyKind::strategy);
  EXPECT_TRUE(manager.should_checkpoint(0, 8));
  EXPECT_FALSE(manager.should_checkpoint(1, 8));
}

// ---- Flags ----

TEST(Values, FlagsAreSums) {
  using ckpt::MemoryEventKind;
  constexpr MemoryEventKind both = MemoryEventKind::allocated | MemoryEventKind::freed;
  static_assert(ckpt::has(both, MemoryEventKind::freed) && !ckpt::has(both, MemoryEventKind::new_peak));
  EXPECT_EQ(static_cast<std::int32_t>(both), CKPT_MEMORY_EVENT_KIND_ALLOCATED + CKPT_MEMORY_EVENT_KIND_FREED);
  EXPECT_EQ(MemoryEventKind::all | both, MemoryEventKind::all);
  ckpt::MemoryTracker tracker;
  std::vector<MemoryEventKind> received;
  const auto subscription = tracker.subscribe(both, [&](const ckpt::MemoryEvent& event) { received.push_back(event.kind); });
  tracker.record_deallocation(tracker.record_allocation("a", 1));
  EXPECT_EQ(received, (std::vector<MemoryEventKind>{MemoryEventKind::allocated, MemoryEventKind::freed}));
}

// ---- Values from a later library ----

TEST(Values, UnknownNumbersAreReturned) {
  ckpt_schedule_action later = {};
  later.kind = 12345;
  later.item = -77;
  const ckpt::ScheduleAction action = ckpt::detail::from_c(later);
  EXPECT_EQ(static_cast<std::int32_t>(action.kind), 12345);
  EXPECT_EQ(static_cast<std::int32_t>(action.item), -77);
  EXPECT_FALSE(ckpt::action_kind_name(action.kind).empty());
  EXPECT_FALSE(ckpt::dtype_name(ckpt::DType{12345}).empty());
  ckpt_decision decision = CKPT_DECISION_INIT;
  decision.reason = 999;
  EXPECT_EQ(static_cast<std::int32_t>(ckpt::detail::from_c(decision).reason), 999);
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  result.status = -1000;
  result.state = 1000;
  EXPECT_EQ(ckpt::status_name(ckpt::detail::from_c(result).status), "UNKNOWN");
  EXPECT_FALSE(ckpt::succeeded(ckpt::detail::from_c(result)));
}

TEST(Values, UnknownNumbersAreRefusedAsArguments) {
  ckpt::FileSystemOptions options;
  options.write_path = ckpt::WritePath{99};
  EXPECT_EQ(refusal([&] { ckpt::Storage::file_system("/tmp", options); }).substr(0, 17), "INVALID_ARGUMENT:");
  EXPECT_EQ(refusal([] { ckpt::Tensor(ckpt::DType{99}, {1}); }).substr(0, 17), "INVALID_ARGUMENT:");
}

// ---- Shapes ----

TEST(Values, ShapesOfNineDimensionsAreRefused) {
  const std::vector<std::int64_t> nine(9, 1);
  const ckpt::Shape shape(nine);
  EXPECT_EQ(shape.size(), 9U);
  EXPECT_NE(shape, ckpt::Shape(std::vector<std::int64_t>(8, 1)));
  ckpt::Chain chain;
  chain.add(ckpt::Layer("relu", "relu"));
  EXPECT_NE(refusal([&] { chain.profile({ckpt::DType::f32, shape}); }).find("ndim is 9"), std::string::npos);
  EXPECT_NE(refusal([&] { ckpt::Tensor(ckpt::DType::f32, nine); }).find("ndim is 9"), std::string::npos);
  ckpt::Profile profile(8);
  ckpt::LayerProfile layer;
  layer.dtype = ckpt::DType::f32;
  layer.shape = shape;
  EXPECT_NE(refusal([&] { profile.add_layer("nine", layer); }).find("ndim is 9"), std::string::npos);
  EXPECT_NE(refusal([&] { ckpt::Strategy::interval().should_checkpoint("nine", ckpt::DType::f32, nine, 0); }).find("ndim is 9"),
            std::string::npos);
}

TEST(Values, ShapesAreListsOfLengths) {
  const ckpt::Shape none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none, ckpt::Shape{});
  const ckpt::Shape shape{2, 0, 3};
  EXPECT_EQ(shape[2], 3);
  const std::vector<std::int64_t> copied = shape;
  EXPECT_EQ(copied, (std::vector<std::int64_t>{2, 0, 3}));
  EXPECT_EQ(ckpt::Tensor(ckpt::DType::f32, shape).shape(), copied);
  EXPECT_EQ(ckpt::Tensor(ckpt::DType::f32, none).element_count(), 1);
}

TEST(Values, SpansAreBorrowed) {
  int numbers[] = {1, 2, 3};
  const ckpt::Span<int> span(numbers, 3);
  for (int& each : span) each *= 2;
  EXPECT_EQ(numbers[2], 6);
  const ckpt::Span<const int> read = span;
  EXPECT_EQ(read.size(), 3U);
  EXPECT_EQ(read[1], 4);
  EXPECT_TRUE(ckpt::Span<int>().empty());
  std::vector<int> many{7, 8};
  EXPECT_EQ(ckpt::Span<int>(many)[1], 8);
  ckpt::Tensor tensor(ckpt::DType::f32, {2, 2});
  for (float& each : tensor.elements_as<float>()) each = 1.5F;
  EXPECT_EQ(tensor.sum(), 6);
  EXPECT_THROW(tensor.elements_as<double>(), ckpt::Error);
}

// ---- Objects in options ----

TEST(Values, OptionsNameObjects) {
  using Named = ckpt::detail::Borrowed<ckpt_clock>;
  static_assert(std::is_constructible_v<Named, const ckpt::Clock&> && std::is_constructible_v<Named, const ckpt::Clock*>);
  static_assert(!std::is_constructible_v<Named, ckpt::Clock>, "a temporary is gone too soon");
  static_assert(!std::is_constructible_v<Named, const ckpt::MemoryTracker&>);
  static_assert(std::is_constructible_v<Named, ckpt_clock*> && std::is_constructible_v<Named, std::nullptr_t>);
  const ckpt::Clock clock = ckpt::Clock::manual(5ns);
  ckpt::MemoryTrackerOptions options;
  options.clock = clock;
  EXPECT_EQ(ckpt::MemoryTracker(options).stats().taken_at, 5ns);
  const ckpt::Clock* const no_clock = nullptr;
  options.clock = no_clock;
  EXPECT_NE(ckpt::MemoryTracker(options).stats().taken_at, 5ns);
}

// ---- Times ----

void expect_now(std::chrono::system_clock::time_point instant) {
  EXPECT_LT(std::chrono::abs(std::chrono::system_clock::now() - instant), 1s);
}

TEST(Values, InstantsAreNow) {
  ckpt::MemoryTracker tracker;
  const auto scope = tracker.push_scope("scope");
  std::chrono::system_clock::time_point received;
  const auto subscription =
      tracker.subscribe(ckpt::MemoryEventKind::allocated, [&](const ckpt::MemoryEvent& event) { received = event.occurred_utc; });
  tracker.record_allocation("a", 1);
  expect_now(received);
  expect_now(tracker.stats().taken_utc);
  expect_now(scope.stats().pushed_utc);
  expect_now(tracker.layer_stats("a").last_allocated_utc);
  EXPECT_EQ(tracker.layer_stats("a").last_freed_utc, std::chrono::system_clock::time_point());  // never

  ckpt::ActivationManager manager;
  manager.begin_step(1);
  manager.store(0, ckpt::Tensor(ckpt::DType::f32, {1}));
  expect_now(manager.metadata(0).stored_utc);

  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  ckpt::AsyncManager background(checkpoints);
  const std::int64_t id = background.save(ckpt::State(), {});
  EXPECT_TRUE(succeeded(background.wait(id)));
  const ckpt::CheckpointTaskInfo task = background.task(id);
  expect_now(task.queued_utc);
  expect_now(task.started_utc);
  expect_now(task.ended_utc);
  EXPECT_LE(task.queued_at, task.started_at);
  EXPECT_LE(task.started_at, task.ended_at);
  EXPECT_LE(task.ended_at, ckpt::Clock::monotonic());
}

TEST(Values, TimeoutsAreDurations) {
  ckpt::CheckpointManager checkpoints(ckpt::Storage::memory());
  ckpt::AsyncManager background(checkpoints);
  EXPECT_TRUE(succeeded(background.wait(background.save(ckpt::State(), {}), 1h)));
  EXPECT_EQ(ckpt::forever, -1ns);
}

// ---- Lists of the adaptive part ----

TEST(Values, TasksAreListed) {
  ckpt::Controller controller;
  ckpt::Threshold rule;
  EXPECT_TRUE(controller.list_tasks().empty());
  controller.begin_run(0);
  for (int i = 0; i < 300; ++i) {
    controller.observe_task("task " + std::to_string(i), i + 1);
    rule.observe_task("task " + std::to_string(i), i + 1);
  }
  for (const auto& tasks : {controller.list_tasks(), rule.list_tasks()}) {
    ASSERT_EQ(tasks.size(), 256U);  // the latest ones, the oldest first
    EXPECT_EQ(tasks.front().name, "task 44");
    EXPECT_EQ(tasks.back().name, "task 299");
    EXPECT_EQ(tasks.back().duration_seconds, 300);
    EXPECT_FALSE(tasks.back().failed);
  }
}

// ---- Custom functions and classes ----

TEST(Values, ACustomStrategyReceivesTheQuery) {
  ckpt::StrategyQuestion seen;
  std::string name;
  ckpt::CustomStrategy functions;
  functions.decide = [&](const ckpt::StrategyQuestion& question) {
    seen = question;
    name = question.layer_name;  // a view: the string is borrowed for the call
    return true;
  };
  ckpt::Strategy strategy = ckpt::Strategy::custom("Mine", std::move(functions));
  EXPECT_TRUE(strategy.should_checkpoint("layer", ckpt::DType::bf16, {2, 3}, 7));
  EXPECT_EQ(name, "layer");
  EXPECT_EQ(seen.dtype, ckpt::DType::bf16);
  EXPECT_EQ(seen.shape, (ckpt::Shape{2, 3}));
  EXPECT_EQ(seen.bytes, 12);
  EXPECT_EQ(seen.layer_index, 7);
  EXPECT_EQ(strategy.counters().chosen_bytes, 12);
}

// Doubles its input; requests workspace and counts its calls.
class Twice : public ckpt::CustomLayer {
 public:
  struct Seen {
    int forwards = 0;
    int backwards = 0;
    int recomputations = 0;
    std::set<std::int64_t> steps;
    ckpt::TensorSpec input;
    std::uint64_t seed = 0;
    bool broken = false;
  };
  explicit Twice(Seen& seen) : seen_(seen) {}
  ckpt::LayerFlag flags() const override { return ckpt::LayerFlag::deterministic; }
  ckpt::TensorSpec output(const ckpt::TensorSpec& input) override {
    if (input.dtype != ckpt::DType::f32) throw std::invalid_argument("Twice is for F32");
    return input;
  }
  ckpt::LayerOption option(const ckpt::TensorSpec&, std::int32_t) override {
    ckpt::LayerOption option;
    option.tape_bytes = 8;
    option.forward_workspace_bytes = 64;
    return option;
  }
  void forward(const ckpt::LayerContext& context, const void* input, void* output, void* tape, void* workspace) override {
    if (seen_.broken) throw std::runtime_error("Twice is broken");
    ++seen_.forwards;
    seen_.recomputations += context.recomputation ? 1 : 0;
    seen_.steps.insert(context.step);
    seen_.input = context.input;
    seen_.seed = context.seed;
    std::memset(workspace, 1, 64);
    if (tape != nullptr) std::memset(tape, 1, 8);
    for (int i = 0; i < 4; ++i) static_cast<float*>(output)[i] = 2 * static_cast<const float*>(input)[i];
  }
  void backward(const ckpt::LayerContext&, const void*, const void*, const void* tape, const void* grad_output, void* grad_input,
                void*) override {
    ++seen_.backwards;
    EXPECT_EQ(static_cast<const char*>(tape)[7], 1);
    for (int i = 0; i < 4; ++i) static_cast<float*>(grad_input)[i] = 2 * static_cast<const float*>(grad_output)[i];
  }

 private:
  Seen& seen_;
};

TEST(Values, ACustomLayerReceivesTheContext) {
  Twice::Seen seen;
  ckpt::Chain chain;
  chain.add(ckpt::Layer::custom("a", std::make_unique<Twice>(seen))).add(ckpt::Layer::custom("b", std::make_unique<Twice>(seen)));
  const ckpt::TensorSpec input{ckpt::DType::f32, {2, 2}};
  EXPECT_NE(refusal([&] { chain.profile({ckpt::DType::f64, {2, 2}}); }).find("Twice is for F32"), std::string::npos);
  const ckpt::Profile profile = chain.profile(input);
  EXPECT_EQ(profile.layer(0).flags, ckpt::LayerFlag::deterministic);
  EXPECT_EQ(profile.layer(0).dtype, ckpt::DType::f32);
  EXPECT_EQ(profile.layer(0).shape, input.shape);
  EXPECT_EQ(profile.option(0, 0).tape_bytes, 8);
  EXPECT_EQ(profile.option(0, 0).forward_workspace_bytes, 64);

  // A follower reports the run, and the executor passes it on to the strategy.
  int accesses = 0;
  ckpt::CustomStrategy functions;
  functions.decide = [&](const ckpt::StrategyQuestion&) { return accesses > 0; };
  functions.access = [&](std::string_view) { ++accesses; };
  const ckpt::Strategy strategy = ckpt::Strategy::custom("After the first step", std::move(functions));
  ckpt::Follower follower(profile, strategy);
  ckpt::Tensor x(ckpt::DType::f32, {2, 2});
  ckpt::Tensor y(ckpt::DType::f32, {2, 2});
  ckpt::Tensor dx(ckpt::DType::f32, {2, 2});
  x.fill(1);
  ckpt::Step step;
  step.seed = 42;
  step.input = x;
  step.output = y;
  step.output_gradient = x;
  step.input_gradient = dx;
  ckpt::ScheduleExecutorOptions options;
  options.follower = follower;
  bool changed = false;
  for (step.step = 0; step.step < 2; ++step.step) {
    const ckpt::Schedule schedule = follower.next(&changed);
    EXPECT_TRUE(changed);
    ckpt::ScheduleExecutor executor(chain, schedule, input, options);
    executor.run(step);
    EXPECT_EQ(executor.stats().steps, 1);
    EXPECT_EQ(executor.stats().recomputed_forwards, seen.recomputations);
    EXPECT_GT(executor.stats().run, 0ns);
    EXPECT_EQ(y.sum(), 16);
    EXPECT_EQ(dx.sum(), 16);
  }
  EXPECT_GT(accesses, 0);
  EXPECT_GT(seen.recomputations, 0);
  EXPECT_EQ(seen.backwards, 4);
  EXPECT_EQ(seen.steps, (std::set<std::int64_t>{0, 1}));
  EXPECT_EQ(seen.input.shape, input.shape);
  EXPECT_EQ(seen.seed, 42U);
  static_cast<void>(follower.next(&changed));
  EXPECT_FALSE(changed);
  seen.broken = true;
  ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(profile, "store-all"), input);
  EXPECT_NE(refusal([&] { executor.run(step); }).find("Twice is broken"), std::string::npos);
}

}  // namespace
