// Drivers of graphs, through the C API: bits of store-all at every budget, every handle dropped or taken once, also after failures.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include "../failing_new.h"
#include "../sanitized.h"
#include "numbers.h"

namespace {

using Values = std::vector<std::int64_t>;

template <class Set, class Key>
bool has(const Set& set, const Key& key) {
  return set.count(key) > 0;
}
template <class List>
std::int64_t size_of(const List& list) {
  return static_cast<std::int64_t>(list.size());
}

struct Layer {
  Values inputs;
  std::int64_t output_bytes = 0;
  std::int64_t tape_bytes = 0;
};

struct Network {
  std::vector<Layer> layers;
  ckpt::Profile profile{64};
};

// Each layer reads one to three of the six values before it; the last one reads all that have no reader.
Network random_network(std::uint64_t seed, std::int64_t layers) {
  Numbers numbers(seed);
  Network network;
  std::set<std::int64_t> unread = {0};
  for (std::int64_t i = 0; i < layers; ++i) {
    Layer layer;
    const bool is_last = i + 1 == layers;
    for (std::int64_t value = i; value >= std::max<std::int64_t>(0, i - 5); --value) {
      const bool reads = is_last || value + 5 == i ? has(unread, value) : value == i ? !numbers.one_in(3) : numbers.one_in(5);
      if (reads) layer.inputs.insert(numbers.one_in(2) ? layer.inputs.begin() : layer.inputs.end(), value);
    }
    if (layer.inputs.empty()) layer.inputs.push_back(i);
    for (const std::int64_t value : layer.inputs) unread.erase(value);
    unread.insert(i + 1);
    layer.output_bytes = 64 * (1 + numbers.up_to(20));
    layer.tape_bytes = numbers.one_in(3) ? 0 : 64 * numbers.up_to(30);
    ckpt::LayerProfile row;
    row.flags = ckpt::LayerFlag::deterministic | ckpt::LayerFlag::adds_gradient;
    row.output_bytes = layer.output_bytes;
    network.profile.add_layer("layer" + std::to_string(i), row);
    ckpt::OptionProfile option;
    option.tape_bytes = layer.tape_bytes;
    option.forward_seconds = 1;
    option.backward_seconds = 2;
    network.profile.add_option(option);
    network.profile.set_inputs(i, layer.inputs, layer.inputs);
    network.layers.push_back(std::move(layer));
  }
  return network;
}

// An item: a value, a gradient, or the tape that keeps the sum of a layer's inputs.
struct Number {
  double number = 0;
  std::int64_t bytes = 0;
};

// A framework of numbers: layer i computes sin of the sum of (k + 1) x_k, plus its parameter.
class Framework {
 public:
  explicit Framework(const Network& network) : network_(network) {}
  ~Framework() { EXPECT_TRUE(live_.empty()) << live_.size() << " handles were neither dropped nor taken"; }

  ckpt_driver_callbacks table() const {
    ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
    callbacks.forward_n = [](const ckpt_drive_call* call, void* const* inputs, std::int64_t count, const ckpt_drive_flag* flags,
                             void** output, void* user) { return of(user).forward(*call, inputs, count, flags, output, nullptr); };
    callbacks.record_n = [](const ckpt_drive_call* call, void* const* inputs, std::int64_t count, const ckpt_drive_flag* flags,
                            void** output, void** tape,
                            void* user) { return of(user).forward(*call, inputs, count, flags, output, tape); };
    callbacks.backward_n = [](const ckpt_drive_call* call, void* const* inputs, std::int64_t count, const ckpt_drive_flag* flags,
                              void* output, void* tape, void* grad_output, void** grad_inputs, void* user) {
      return of(user).backward(*call, inputs, count, flags, output, tape, grad_output, grad_inputs);
    };
    callbacks.turn = [](const ckpt_drive_call*, void* output, void** grad_output, void* user) {
      return of(user).turn(output, grad_output);
    };
    callbacks.drop = [](const ckpt_drive_call*, void* item, void* user) { of(user).end(item); };
    return callbacks;
  }

  void* make(double number, std::int64_t bytes) {
    auto* const item = new Number{number, bytes};
    live_.insert(item);
    live_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
    return item;
  }
  void end(void* item) {
    if (item == nullptr) return;
    auto* const number = static_cast<Number*>(item);
    ASSERT_EQ(live_.erase(number), 1U) << "dropped or taken twice";
    live_bytes_ -= number->bytes;
    delete number;
  }

  // Fails call number `number` of a step, from 1, with `how`; 0: none.
  void fail_at(std::int64_t number, std::function<std::int32_t(void**)> how) {
    fail_at_ = number;
    how_ = std::move(how);
  }
  void begin() {
    calls_ = forwards_ = 0;
    output_ = 0;
    peak_bytes_ = live_bytes_;
    parameters_.assign(network_.layers.size(), 0);
  }

  std::int64_t calls() const { return calls_; }
  std::int64_t forwards() const { return forwards_; }
  std::int64_t live() const { return size_of(live_); }
  std::int64_t peak_bytes() const { return peak_bytes_; }
  double output() const { return output_; }
  const std::vector<double>& parameters() const { return parameters_; }

 private:
  static Framework& of(void* user) { return *static_cast<Framework*>(user); }
  static double number_of(const void* item) { return static_cast<const Number*>(item)->number; }
  std::int64_t value_bytes(std::int64_t value) const {
    return value == 0 ? 64 : network_.layers[static_cast<std::size_t>(value - 1)].output_bytes;
  }

  double sum_of(void* const* inputs, std::int64_t count) const {
    double sum = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      if (!has(live_, static_cast<Number*>(inputs[k]))) return std::nan("");
      sum += static_cast<double>(k + 1) * number_of(inputs[k]);
    }
    return sum;
  }
  void end_taken(void* const* inputs, std::int64_t count, const ckpt_drive_flag* flags) {
    for (std::int64_t k = 0; k < count; ++k) {
      if (flags[k] == CKPT_DRIVE_FLAG_TAKE_INPUT) end(inputs[k]);
    }
  }

  std::int32_t forward(const ckpt_drive_call& call, void* const* inputs, std::int64_t count, const ckpt_drive_flag* flags,
                       void** output, void** tape) {
    const Layer& layer = network_.layers[static_cast<std::size_t>(call.first)];
    EXPECT_EQ(call.last, call.first + 1);
    EXPECT_EQ(count, size_of(layer.inputs));
    const double sum = sum_of(inputs, count);
    EXPECT_FALSE(std::isnan(sum)) << "layer " << call.first;
    ++forwards_;
    end_taken(inputs, count, flags);
    if (++calls_ == fail_at_) return how_(output);
    if ((call.flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0)
      *output = make(std::sin(sum) + 0.1 * static_cast<double>(call.first), layer.output_bytes);
    if (tape != nullptr && layer.tape_bytes > 0) *tape = make(sum, layer.tape_bytes);
    return 0;
  }

  std::int32_t backward(const ckpt_drive_call& call, void* const* inputs, std::int64_t count, const ckpt_drive_flag* flags,
                        void* output, void* tape, void* grad_output, void** grad_inputs) {
    const Layer& layer = network_.layers[static_cast<std::size_t>(call.first)];
    const double sum = sum_of(inputs, count);
    EXPECT_FALSE(std::isnan(sum)) << "layer " << call.first << " needs its inputs";
    EXPECT_EQ(tape != nullptr, layer.tape_bytes > 0);
    if (tape != nullptr) {
      EXPECT_EQ(number_of(tape), sum) << "the tape is of these inputs";
    }
    const double slope = number_of(grad_output) * std::cos(sum);
    parameters_[static_cast<std::size_t>(call.first)] += number_of(grad_output);
    end_taken(inputs, count, flags);
    if ((call.flags & CKPT_DRIVE_FLAG_TAKE_OUTPUT) != 0) end(output);
    end(tape);
    end(grad_output);
    if (++calls_ == fail_at_) {
      for (std::int64_t k = 0; k < count; ++k) end(std::exchange(grad_inputs[k], nullptr));
      return how_(grad_inputs);
    }
    for (std::int64_t k = 0; k < count; ++k) {
      const double part = static_cast<double>(k + 1) * slope;
      if (grad_inputs[k] == nullptr) {
        grad_inputs[k] = make(part, value_bytes(layer.inputs[static_cast<std::size_t>(k)]));
      } else {
        static_cast<Number*>(grad_inputs[k])->number += part;
      }
    }
    return 0;
  }

  std::int32_t turn(void* output, void** grad_output) {
    output_ = number_of(output);
    if (++calls_ == fail_at_) return how_(grad_output);
    *grad_output = make(1.5, static_cast<Number*>(output)->bytes);
    return 0;
  }

  const Network& network_;
  std::set<Number*> live_;
  std::int64_t live_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::int64_t calls_ = 0;
  std::int64_t forwards_ = 0;
  std::int64_t fail_at_ = 0;
  std::function<std::int32_t(void**)> how_;
  double output_ = 0;
  std::vector<double> parameters_;
};

struct Handle {
  Handle(const ckpt::Schedule& schedule, Framework& framework, const ckpt_driver_callbacks& callbacks) {
    ckpt::check(ckpt_driver_create(schedule.handle(), &callbacks, &framework, nullptr, &driver));
  }
  Handle(const ckpt::Schedule& schedule, Framework& framework) : Handle(schedule, framework, framework.table()) {}
  ~Handle() { ckpt_driver_release(driver); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ckpt_driver* driver = nullptr;
};

struct Result {
  double output = 0;
  double input_gradient = 0;
  std::vector<double> parameters;
  friend bool operator==(const Result& a, const Result& b) {
    return a.output == b.output && a.input_gradient == b.input_gradient && a.parameters == b.parameters;
  }
};

ckpt_status run(ckpt_driver* driver, Framework& framework, Result& result) {
  framework.begin();
  void* g0 = nullptr;
  const ckpt_status status = ckpt_driver_run(driver, framework.make(0.7, 64), &g0);
  if (status != CKPT_OK) return status;
  result = {framework.output(), static_cast<Number*>(g0)->number, framework.parameters()};
  framework.end(g0);
  return status;
}

Result run_ok(const ckpt::Schedule& schedule, Framework& framework) {
  const Handle handle(schedule, framework);
  Result result;
  ckpt::check(run(handle.driver, framework, result));
  return result;
}

TEST(DriveGraph, EveryBudgetGivesTheSameBits) {
  int recomputing = 0;
  for (std::uint64_t seed = 1; seed <= (sanitized ? 4 : 20); ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed, 4 + static_cast<std::int64_t>(seed));
    Framework framework(network);
    const ckpt::Schedule store_all = ckpt::Schedule::create(network.profile, "store-all");
    const Result expected = run_ok(store_all, framework);
    EXPECT_NE(expected.input_gradient, 0);
    for (std::int64_t percent = 95; percent >= 40; percent -= 11) {
      const std::int64_t budget = store_all.reserved_bytes(network.profile) * percent / 100;
      ckpt_schedule* created = nullptr;
      if (ckpt_schedule_create(network.profile.handle(), ("graph:" + std::to_string(budget)).c_str(), &created) != CKPT_OK) break;
      const ckpt::Schedule schedule = ckpt::Schedule::adopt(created);
      EXPECT_EQ(run_ok(schedule, framework), expected) << percent;
      const ckpt::PlanReport report = schedule.verify(network.profile);
      EXPECT_EQ(framework.forwards(), report.forwards);
      EXPECT_LE(framework.peak_bytes(), report.peak_bytes[0]);
      EXPECT_LE(report.peak_bytes[0], budget);
      if (report.recomputed_forwards > 0) ++recomputing;
    }
  }
  EXPECT_GT(recomputing, sanitized ? 3 : 20);
}

class DriveGraphFailures : public testing::Test {
 protected:
  DriveGraphFailures()
      : network(random_network(3, 9)),
        framework(network),
        store_all(ckpt::Schedule::create(network.profile, "store-all")),
        schedule(ckpt::Schedule::create(network.profile,
                                        "graph:" + std::to_string(store_all.reserved_bytes(network.profile) * 8 / 10))) {}

  Network network;
  Framework framework;
  ckpt::Schedule store_all;
  ckpt::Schedule schedule;
};

TEST_F(DriveGraphFailures, EndTheStepWithoutALeak) {
  const Result expected = run_ok(schedule, framework);
  const std::int64_t calls = framework.calls();
  EXPECT_GT(calls, 2 * size_of(network.layers));
  const Handle handle(schedule, framework);
  Result result;
  for (std::int64_t at = 1; at <= calls; ++at) {
    framework.fail_at(at, [](void**) { return 7; });
    EXPECT_EQ(run(handle.driver, framework, result), CKPT_E_CALLBACK) << at;
    EXPECT_EQ(framework.live(), 0) << at;
    ckpt_drive_call call;
    std::int32_t code = 0;
    ASSERT_EQ(ckpt_driver_get_failure(handle.driver, &call, &code), CKPT_OK);
    EXPECT_EQ(code, 7);
    framework.fail_at(0, nullptr);
    ASSERT_EQ(run(handle.driver, framework, result), CKPT_OK);
    EXPECT_EQ(result, expected) << "after the failure of call " << at;
  }
}

TEST_F(DriveGraphFailures, OfInvalidResultsAreNamed) {
  const Handle handle(schedule, framework);
  Result result;
  framework.fail_at(2, [](void**) { return 0; });  // no output
  EXPECT_EQ(run(handle.driver, framework, result), CKPT_E_CALLBACK);
  EXPECT_NE(std::string(ckpt_last_error()).find("returned no handle for INPUT(2)"), std::string::npos) << ckpt_last_error();
  EXPECT_EQ(framework.live(), 0);

  void* other = nullptr;
  framework.fail_at(1, [&](void** output) {
    other = *output = framework.make(1, 64);
    framework.fail_at(2, [&](void** again) {
      *again = other;
      return 0;
    });
    return 0;
  });
  EXPECT_EQ(run(handle.driver, framework, result), CKPT_E_CALLBACK);
  EXPECT_NE(std::string(ckpt_last_error()).find("returned the handle of the live INPUT(1)"), std::string::npos)
      << ckpt_last_error();
  EXPECT_EQ(framework.live(), 0);
}

TEST_F(DriveGraphFailures, OfACancelledOrReleasedStep) {
  Result result;
  {
    const Handle handle(schedule, framework);
    framework.fail_at(4, [&](void** output) {
      *output = framework.make(1, 64);
      return ckpt_driver_cancel(handle.driver);
    });
    EXPECT_EQ(run(handle.driver, framework, result), CKPT_E_CANCELLED);
    EXPECT_EQ(framework.live(), 0);
    framework.fail_at(0, nullptr);
    void* xn = nullptr;
    framework.begin();
    ASSERT_EQ(ckpt_driver_forward(handle.driver, framework.make(0.7, 64), &xn), CKPT_OK);
    EXPECT_GT(framework.live(), 1);
  }
  EXPECT_EQ(framework.live(), 0) << "released while paused";
}

TEST_F(DriveGraphFailures, WithoutTheFunctionsOfGraphs) {
  for (const auto remove : {+[](ckpt_driver_callbacks& table) { table.forward_n = nullptr; },
                            +[](ckpt_driver_callbacks& table) { table.record_n = nullptr; },
                            +[](ckpt_driver_callbacks& table) { table.backward_n = nullptr; }}) {
    ckpt_driver_callbacks callbacks = framework.table();
    remove(callbacks);
    const Handle handle(schedule, framework, callbacks);
    Result result;
    EXPECT_EQ(run(handle.driver, framework, result), CKPT_E_CALLBACK);
    EXPECT_NE(std::string(ckpt_last_error()).find("the callback for it is missing"), std::string::npos) << ckpt_last_error();
    EXPECT_EQ(framework.live(), 0);
  }
}

TEST_F(DriveGraphFailures, OfAnotherOutputThanTheLast) {
  const std::int64_t last = size_of(network.layers);
  network.profile.set_outputs({last, last - 1});
  const ckpt::Schedule two = ckpt::Schedule::create(network.profile, "store-all");
  const ckpt_driver_callbacks callbacks = framework.table();
  ckpt_driver* driver = nullptr;
  EXPECT_EQ(ckpt_driver_create(two.handle(), &callbacks, &framework, nullptr, &driver), CKPT_E_UNSUPPORTED);
  EXPECT_NE(std::string(ckpt_last_error()).find("expected only value 9"), std::string::npos) << ckpt_last_error();
}

// A chain that was planned as a graph runs with the functions of chains.
TEST(DriveGraph, AChainPlannedAsAGraphIsDrivenAsAChain) {
  ckpt::Profile profile(64);
  for (int i = 0; i < 4; ++i) {
    ckpt::LayerProfile layer;
    layer.output_bytes = 64;
    profile.add_layer("layer" + std::to_string(i), layer).add_option({});
  }
  struct Plain final : ckpt::Framework<double> {
    double forward(const ckpt::DriveCall& call, double& x) override { return x + static_cast<double>(call.last - call.first); }
    Recorded record(const ckpt::DriveCall&, double& x) override { return {x + 1, 0.0}; }
    std::optional<double> backward(const ckpt::DriveCall&, double*, double*, double*, double* grad) override { return *grad * 2; }
    std::optional<double> turn(const ckpt::DriveCall&, double& output) override { return output; }
  };
  ckpt::Driver<double> driver(ckpt::Schedule::create(profile, "graph:1048576"), std::make_unique<Plain>());
  EXPECT_EQ(driver.run(1.0), 5.0 * 16);
}

// The same graph by a framework of C++: y = x0 * x0, z = y + 3 x0.
TEST(DriveGraph, RunsWithAFramework) {
  struct Graph final : ckpt::Framework<double> {
    double forward(const ckpt::DriveCall&, double& x) override { return x; }
    Recorded record(const ckpt::DriveCall&, double& x) override { return {x, {}}; }
    std::optional<double> backward(const ckpt::DriveCall&, double*, double*, double*, double* grad) override { return *grad; }
    double forward_n(const ckpt::DriveCall& call, const Inputs& inputs) override {
      return call.first == 0 ? *inputs[0].item * *inputs[0].item : *inputs[0].item + 3 * *inputs[1].item;
    }
    Recorded record_n(const ckpt::DriveCall& call, const Inputs& inputs) override { return {forward_n(call, inputs), {}}; }
    Gradients backward_n(const ckpt::DriveCall& call, const Inputs& inputs, double*, double*, double* grad,
                         Gradients sums) override {
      if (fails) throw std::runtime_error("this framework fails");
      if (call.first == 1) return {*grad, 3 * *grad};
      return {sums[0].value_or(0) + 2 * *inputs[0].item * *grad};
    }
    std::optional<double> turn(const ckpt::DriveCall&, double&) override { return 1; }
    bool fails = false;
  };
  ckpt::Profile profile(64);
  for (int i = 0; i < 2; ++i) {
    ckpt::LayerProfile layer;
    layer.output_bytes = 64;
    profile.add_layer("layer" + std::to_string(i), layer).add_option({});
  }
  profile.set_inputs(1, {1, 0}, {});
  ckpt::Driver<double> driver(ckpt::Schedule::create(profile, "auto:4096"), std::make_unique<Graph>());
  EXPECT_EQ(driver.run(5.0), 13.0);  // 2 x0 + 3
  static_cast<Graph&>(driver.framework()).fails = true;
  EXPECT_THROW(driver.run(5.0), std::runtime_error);
  static_cast<Graph&>(driver.framework()).fails = false;
  EXPECT_EQ(driver.run(1.0), 5.0);
}

// An item that counts how many of it exist.
struct Counted {
  explicit Counted(double value) : number(value) { ++count; }
  Counted(Counted&& other) noexcept : number(other.number) { ++count; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --count; }
  double number;
  static inline int count = 0;
};

// Layer i adds all its inputs.
struct Sums final : ckpt::Framework<Counted> {
  using Item = std::optional<Counted>;
  Counted forward(const ckpt::DriveCall&, Counted& x) override { return Counted(x.number); }
  Recorded record(const ckpt::DriveCall&, Counted& x) override { return {Counted(x.number), {}}; }
  Item backward(const ckpt::DriveCall&, Counted*, Counted*, Counted*, Counted* grad) override { return Counted(grad->number); }
  Counted forward_n(const ckpt::DriveCall&, const Inputs& inputs) override {
    double sum = 0;
    for (const Input& input : inputs) sum += input.item->number;
    return Counted(sum);
  }
  Recorded record_n(const ckpt::DriveCall& call, const Inputs& inputs) override {
    Recorded recorded;
    recorded.output.emplace(forward_n(call, inputs));
    recorded.tape.emplace(1.0);
    return recorded;
  }
  Gradients backward_n(const ckpt::DriveCall&, const Inputs&, Counted*, Counted*, Counted* grad, Gradients sums) override {
    for (Item& sum : sums) {
      const double more = sum ? sum->number : 0;
      sum.emplace(grad->number + more);
    }
    return sums;
  }
  Item turn(const ckpt::DriveCall&, Counted&) override { return Counted(1); }
};

// No allocation that fails in the driver or in the C++ interface leaks an item.
TEST(DriveGraph, AFailedAllocationLeaksNoItem) {
  ckpt::Profile profile(64);
  for (int i = 0; i < 5; ++i) {
    ckpt::LayerProfile layer;
    layer.flags = ckpt::LayerFlag::deterministic;
    layer.output_bytes = 64;
    profile.add_layer("layer" + std::to_string(i), layer).add_option({});
  }
  for (std::int64_t i = 1; i < 5; ++i) profile.set_inputs(i, {i, i - 1}, {i});
  const ckpt::Schedule schedule = ckpt::Schedule::create(profile, "store-all");
  std::int64_t failures = 0;
  for (bool succeeded = false; !succeeded; ++failures) {
    ckpt::Driver<Counted> driver(schedule, std::make_unique<Sums>());
    std::optional<Counted> x0(std::in_place, 1.0);
    allocations_until_failure = failures + 1;
    try {
      const std::optional<Counted> gradient = driver.run(std::move(*x0));
      allocations_until_failure = 0;
      succeeded = true;
      EXPECT_EQ(gradient->number, 8);
    } catch (const std::exception&) {
      allocations_until_failure = 0;
    }
    x0.reset();
    EXPECT_EQ(Counted::count, 0) << "allocation " << failures + 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 40);
}

}  // namespace
