// The driver from C++: custom item types, exceptions passed through, and a step that another thread cancels.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// A vector that counts its instances.
struct Counted {
  static inline std::atomic<int> alive{0};

  explicit Counted(std::vector<double> of) : values(std::move(of)) { ++alive; }
  Counted(Counted&& other) noexcept : values(std::move(other.values)) { ++alive; }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --alive; }
  std::vector<double> values;
};

// y = sin(x) + x / 2, element by element; the tape is the slope.
class Waves final : public ckpt::Framework<Counted> {
 public:
  std::string broken;  // name of the call that throws
  int calls = 0;
  int taken = 0;
  std::atomic<bool> waits{false};  // backward waits until this is false

  Counted forward(const ckpt::DriveCall& call, Counted& input) override {
    fail("forward");
    std::vector<double> values = input.values;
    for (std::int64_t layer = call.first; layer < call.last; ++layer)
      for (double& value : values) value = std::sin(value) + value / 2;
    taken += ckpt::has(call.flags, ckpt::DriveFlag::take_input) ? 1 : 0;
    return Counted(std::move(values));
  }
  Recorded record(const ckpt::DriveCall& call, Counted& input) override {
    fail("record");
    Recorded recorded;
    std::vector<double> slopes = input.values;
    for (double& value : slopes) value = std::cos(value) + 0.5;
    recorded.tape.emplace(std::move(slopes));
    if (!ckpt::has(call.flags, ckpt::DriveFlag::no_output)) {
      std::vector<double> values = input.values;
      for (double& value : values) value = std::sin(value) + value / 2;
      recorded.output.emplace(std::move(values));
    }
    return recorded;
  }
  std::optional<Counted> backward(const ckpt::DriveCall&, Counted*, Counted*, Counted* tape, Counted* grad_output) override {
    fail("backward");
    while (waits) std::this_thread::yield();
    std::vector<double> grads = std::move(grad_output->values);
    for (std::size_t i = 0; i < grads.size(); ++i) grads[i] *= tape->values[i];
    return Counted(std::move(grads));
  }
  std::optional<Counted> turn(const ckpt::DriveCall&, Counted& output) override {
    fail("turn");
    return Counted(std::vector<double>(output.values.size(), 1.0));
  }
  void store(const ckpt::DriveCall& call, Counted* item) override { slots[{call.tier, call.slot}] = item->values; }
  std::optional<Counted> load(const ckpt::DriveCall& call) override { return Counted(slots.at({call.tier, call.slot})); }
  void await(const ckpt::DriveCall&) override {}
  void drop_slot(const ckpt::DriveCall& call) noexcept override { slots.erase({call.tier, call.slot}); }

  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<double>> slots;

 private:
  void fail(const char* call) {
    ++calls;
    if (broken == call) throw std::domain_error(std::string("no ") + call);
  }
};

ckpt::Profile waves(std::int64_t layers) {
  ckpt::LayerProfile layer;
  layer.flags = ckpt::LayerFlag::deterministic;
  layer.output_bytes = 24;
  ckpt::OptionProfile option;
  option.tape_bytes = 24;
  option.has_record = true;
  option.forward_seconds = 1;
  option.backward_seconds = 1;
  return ckpt::Profile::uniform(layers, layer, option);
}

std::vector<double> gradient(ckpt::Driver<Counted>& driver) { return driver.run(Counted({0.1, 0.2, 0.3}))->values; }

ckpt::Driver<Counted> driver_by(const std::string& planner, std::int64_t layers = 20) {
  return ckpt::Driver<Counted>(ckpt::Schedule::create(waves(layers), planner), std::make_unique<Waves>());
}

TEST(DriveHpp, EverySchedulesGradientIsTheSame) {
  auto plain = driver_by("store-all");
  const std::vector<double> expected = gradient(plain);
  for (const char* planner : {"recompute-all", "sqrt", "revolve:3", "two-level:2,2", "mixed:3"}) {
    auto driver = driver_by(planner);
    EXPECT_EQ(gradient(driver), expected) << planner;
    const Counted& output = driver.forward(Counted({0.1, 0.2, 0.3}));
    EXPECT_EQ(output.values.size(), 3U);
    EXPECT_EQ(driver.backward(Counted({1, 1, 1}))->values, expected) << planner;
    EXPECT_TRUE(static_cast<Waves&>(driver.framework()).slots.empty());
    driver.forward(Counted({0.1, 0.2, 0.3}));  // without its backward
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(DriveHpp, FrameworkExceptionsArePropagated) {
  auto driver = driver_by("sqrt");
  auto& framework = static_cast<Waves&>(driver.framework());
  const std::vector<double> expected = gradient(driver);
  EXPECT_EQ(driver.failure(), std::nullopt);
  for (const auto& [call, kind] : std::map<std::string, ckpt::ActionKind>{{"forward", ckpt::ActionKind::forward},
                                                                          {"record", ckpt::ActionKind::record},
                                                                          {"backward", ckpt::ActionKind::backward},
                                                                          {"turn", ckpt::ActionKind::turn}}) {
    framework.broken = call;
    try {
      gradient(driver);
      FAIL() << call;
    } catch (const std::domain_error& error) {
      EXPECT_EQ(error.what(), "no " + call);
    }
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_EQ(driver.failure()->kind, kind);
    framework.broken.clear();
    EXPECT_EQ(gradient(driver), expected);
  }
}

// Without the functions for tiers.
class Plain final : public ckpt::Framework<int> {
 public:
  int forward(const ckpt::DriveCall&, int& input) override { return input; }
  Recorded record(const ckpt::DriveCall&, int& input) override { return {input, input}; }
  std::optional<int> backward(const ckpt::DriveCall&, int*, int*, int*, int*) override { return std::nullopt; }
};

TEST(DriveHpp, MissingFrameworkFunctionsAreNamed) {
  ckpt::Driver<int> driver(ckpt::Schedule::create(waves(9), "two-level:1,3"), std::make_unique<Plain>());
  EXPECT_THROW(driver.forward(1), Plain::NotImplemented);
  EXPECT_EQ(driver.failure()->kind, ckpt::ActionKind::store_begin);
  ckpt::Driver<int> simple(ckpt::Schedule::create(waves(9), "sqrt"), std::make_unique<Plain>());
  EXPECT_THROW(simple.run(1), Plain::NotImplemented);
  EXPECT_EQ(simple.forward(1), 1);
  EXPECT_EQ(simple.backward(std::nullopt), std::nullopt);
  EXPECT_THROW(simple.backward(1), ckpt::Error);
  EXPECT_THROW(ckpt::Driver<int>(ckpt::Schedule::create(waves(9), "sqrt"), nullptr), ckpt::Error);
}

TEST(DriveHpp, AnOpenEndedStepIsFinalizedInACallback) {
  class Ends final : public ckpt::Framework<int> {
   public:
    ckpt::Driver<int>* driver = nullptr;
    int forward(const ckpt::DriveCall& call, int& input) override {
      if (call.first == 6) driver->finalize(8);
      return input + 1;
    }
    Recorded record(const ckpt::DriveCall&, int& input) override { return {input + 1, 0}; }
    std::optional<int> backward(const ckpt::DriveCall&, int*, int*, int*, int* grad) override { return *grad + 1; }
  };
  ckpt::Driver<int> driver(ckpt::Schedule::open_ended(2, ckpt::LayerFlag::deterministic), std::make_unique<Ends>());
  static_cast<Ends&>(driver.framework()).driver = &driver;
  EXPECT_EQ(driver.forward(0), 8);
  EXPECT_EQ(*driver.backward(0), 8);
}

TEST(DriveHpp, AnotherThreadCancels) {
  auto driver = driver_by("sqrt");
  auto& framework = static_cast<Waves&>(driver.framework());
  const std::vector<double> expected = gradient(driver);
  for (int round = 0; round < 20; ++round) {
    framework.waits = true;
    driver.forward(Counted({0.1, 0.2, 0.3}));
    const int before = framework.calls;
    std::thread other([&] {
      driver.cancel();  // during the pause or the backward
      framework.waits = false;
    });
    try {
      driver.backward(Counted({1, 1, 1}));
      FAIL() << "it was cancelled";
    } catch (const ckpt::Error& error) {
      EXPECT_TRUE(error.status() == ckpt::Status::cancelled || error.status() == ckpt::Status::invalid_state) << error.what();
    }
    EXPECT_LE(framework.calls, before + 2);
    other.join();
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_EQ(gradient(driver), expected);
  }
}

}  // namespace
