// torch/step.h - one step: the driver's callbacks, and the whole chain as one node of the graph. Included by ckpt/torch.h.
#ifndef CKPT_TORCH_STEP_H
#define CKPT_TORCH_STEP_H

#include <ckpt/torch/ambient.h>
#include <ckpt/torch/meter.h>
#include <ckpt/torch/options.h>
#include <ckpt/drive.hpp>
#include <ckpt/plan.hpp>

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ckpt::torch::detail {

using ::torch::autograd::Edge;
using ::torch::autograd::edge_list;
using ::torch::autograd::Node;
using ::torch::autograd::variable_list;

template <class NodeType, class... Args>
std::shared_ptr<NodeType> make_node(Args&&... args) {
  return std::shared_ptr<NodeType>(new NodeType(std::forward<Args>(args)...), ::torch::autograd::deleteNode);
}

// The node at which the gradients of a layer's inputs leave its graph. With it the inputs are not leaves: the graph would keep a
// leaf alive for accumulation, even if no backward reads it.
struct Entry : Node {
  variable_list apply(variable_list&& /*grads*/) override { return {}; }
};

// The node at which the gradients of a layer's outputs enter its graph. The engine keeps its arguments alive; this node passes its
// gradients on and releases them.
struct Exit : Node {
  explicit Exit(variable_list given) : grads(std::move(given)) {}
  variable_list apply(variable_list&& /*nothing*/) override { return std::move(grads); }
  variable_list grads;
};

struct Tape {
  std::shared_ptr<Entry> entry;
  edge_list roots;                  // one per output; not valid if it has no gradient
  std::vector<std::int64_t> slots;  // one per input: its number at the entry; -1 without gradient
};

struct Item {
  Tensors tensors;
  std::shared_ptr<Tape> tape;
};

inline bool can_have_gradient(const at::Tensor& tensor) {
  return tensor.defined() && (at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type()));
}

inline std::unordered_set<const void*> memory_of(const Tensors& tensors) {
  std::unordered_set<const void*> memory;
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined() && tensor.has_storage() && tensor.storage().nbytes() > 0)
      memory.insert(tensor.storage().unsafeGetStorageImpl());
  return memory;
}

// Returns the bytes of the tensors' memory, each storage once, except those in `but`.
inline std::int64_t bytes_of(const Tensors& tensors, std::unordered_set<const void*> but = {}) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined() && tensor.has_storage() && but.insert(tensor.storage().unsafeGetStorageImpl()).second)
      bytes += static_cast<std::int64_t>(tensor.storage().nbytes());
  return bytes;
}

// Returns whether anything other than the listed tensors keeps the memory of a tensor of the first list alive.
inline bool pinned(const Tensors& tensors, const std::vector<const Tensors*>& others) {
  std::unordered_map<const void*, std::size_t> known;
  const auto count = [&](const Tensors& list) {
    for (const at::Tensor& tensor : list)
      if (tensor.defined() && tensor.has_storage()) ++known[tensor.storage().unsafeGetStorageImpl()];
  };
  count(tensors);
  for (const Tensors* other : others) count(*other);
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined() && tensor.has_storage() && tensor.storage().nbytes() > 0 &&
        tensor.storage().use_count() > known[tensor.storage().unsafeGetStorageImpl()])
      return true;
  return false;
}

inline void add_gradient(at::Tensor& sum, at::Tensor&& more) {
  if (!more.defined()) return;
  if (!sum.defined())
    sum = std::move(more);
  else if (sum.layout() == at::kStrided && more.layout() == at::kStrided && sum.is_non_overlapping_and_dense() &&
           sum.use_count() == 1 && sum.storage().use_count() == 1 && sum.scalar_type() == more.scalar_type())
    sum.add_(more);
  else
    sum = sum + more;
  Meter::leave_out_of_current(sum);
}

// The state that a chain and its running steps share.
struct State {
  struct Step {  // a layer of the schedule: callables that cannot be separated
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<std::size_t> parameters;  // indices into `parameters`
    Tensors buffers;                      // buffers that a run changes
    std::vector<bool> input_has_gradient;
    bool needs_output = false;
  };

  std::vector<Layer> layers;
  std::vector<Step> steps;
  Tensors parameters;
  std::unordered_map<const c10::TensorImpl*, std::size_t> parameter_numbers;
  std::vector<std::pair<std::shared_ptr<::torch::nn::Module>, bool>> training;  // the modes for which the plan was made
  std::vector<bool> output_has_gradient;
  std::int64_t sample_bytes = 0;
  std::size_t sample_count = 0;
  bool sample_has_gradient = false;
  std::atomic<std::int64_t> recomputed{0};

  std::optional<Profile> profile;
  std::optional<Schedule> schedule;
  std::int64_t budget_bytes = 0;
  std::int64_t store_all_bytes = 0;
  std::int64_t planned_bytes = 0;
  PlanReport report;

  Tensors run(std::size_t begin, std::size_t end, const Tensors& input) const {
    Tensors now = layers[begin].run(input);
    for (std::size_t i = begin + 1; i < end; ++i) now = layers[i].run(now);
    return now;
  }
  Tensors run_without_graph(const Step& step, const Tensors& input) const {
    const c10::NoGradGuard no_grad;
    Tensors output = run(step.begin, step.end, input);
    for (at::Tensor& tensor : output)
      if (tensor.defined()) tensor = tensor.variable_data();
    return output;
  }
  static Tensors enter(const Tensors& input, const std::vector<bool>& has_gradient, Tape& tape) {
    tape.entry = make_node<Entry>();
    Tensors entered;
    for (std::size_t i = 0; i < input.size(); ++i) {
      entered.push_back(input[i].defined() ? input[i].variable_data() : at::Tensor());
      tape.slots.push_back(-1);
      if (i >= has_gradient.size() || !has_gradient[i] || !can_have_gradient(input[i])) continue;
      tape.slots.back() = static_cast<std::int64_t>(tape.entry->num_inputs());
      ::torch::autograd::set_history(entered.back(), tape.entry);
    }
    return entered;
  }
  std::pair<Tensors, std::shared_ptr<Tape>> record(const Step& step, const Tensors& input) const {
    const c10::AutoGradMode grad(true);
    auto tape = std::make_shared<Tape>();
    Tensors output = run(step.begin, step.end, enter(input, step.input_has_gradient, *tape));
    for (at::Tensor& tensor : output) {
      const bool has_gradient = tensor.defined() && tensor.requires_grad();
      tape->roots.push_back(has_gradient ? ::torch::autograd::impl::gradient_edge(tensor) : Edge());
      if (tensor.defined()) tensor = tensor.variable_data();
    }
    return {std::move(output), std::move(tape)};
  }
  // Returns the parameters that a recorded graph reaches.
  static Tensors leaves(const Tape& tape) {
    Tensors found;
    std::unordered_set<const Node*> seen;
    std::vector<Node*> open;
    const auto look = [&](const Edge& edge) {
      if (edge.function && seen.insert(edge.function.get()).second) open.push_back(edge.function.get());
    };
    for (const Edge& root : tape.roots) look(root);
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      if (auto* leaf = dynamic_cast<::torch::autograd::AccumulateGrad*>(node)) found.push_back(leaf->variable);
      for (const Edge& edge : node->next_edges()) look(edge);
    }
    return found;
  }
  // Adds the gradients of parameters to sums; returns those of the inputs.
  Tensors backward(const Step& step, std::shared_ptr<Tape> tape, Tensors grads, Tensors& sums) const {
    edge_list wanted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tape->slots.size(); ++i) {
      if (tape->slots[i] < 0) continue;
      wanted.emplace_back(tape->entry, static_cast<std::uint32_t>(tape->slots[i]));
      places.push_back(i);
    }
    Tensors inputs(tape->slots.size());
    for (const std::size_t number : step.parameters) wanted.push_back(::torch::autograd::impl::gradient_edge(parameters[number]));
    edge_list roots = std::move(tape->roots);
    tape = nullptr;
    bool any = false;
    grads.resize(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) any = any || (roots[i].is_valid() && grads[i].defined());
    if (!any || wanted.empty()) return inputs;
    auto exit = make_node<Exit>(std::move(grads));
    const at::Tensor nothing = at::empty({0});
    exit->add_input_metadata(nothing);
    exit->set_next_edges(std::move(roots));
    edge_list begins{Edge(std::move(exit), 0)};
    variable_list found = ::torch::autograd::Engine::get_default_engine().execute(begins, {nothing}, false, false, false, wanted);
    for (std::size_t i = 0; i < places.size(); ++i) inputs[places[i]] = std::move(found[i]);
    for (std::size_t i = 0; i < step.parameters.size(); ++i)
      add_gradient(sums[step.parameters[i]], std::move(found[places.size() + i]));
    return inputs;
  }

  class StepFramework;
  using Drive = Driver<Item>;
  std::mutex mutex;
  std::vector<std::unique_ptr<Drive>> free;
};

class State::StepFramework : public Framework<Item> {
 public:
  explicit StepFramework(State& state) : state_(state), ambient_(state.steps.size()) {}

  void begin() {
    autocast_ = Autocast();
    end();
  }
  void end() {
    for (auto& each : ambient_) each.reset();
    sums = Tensors(state_.parameters.size());
  }
  Tensors sums;

  Item forward(const DriveCall& call, Item& input) override {
    Tensors now = input.tensors;
    if (has(call, DriveFlag::take_input)) input.tensors.clear();
    for (auto i = static_cast<std::size_t>(call.first); i < static_cast<std::size_t>(call.last); ++i)
      now = in_state(i, call, [&] { return state_.run_without_graph(state_.steps[i], now); });
    return Item{std::move(now), nullptr};
  }
  Recorded record(const DriveCall& call, Item& input) override {
    const auto i = static_cast<std::size_t>(call.first);
    auto [output, tape] = in_state(i, call, [&] { return state_.record(state_.steps[i], input.tensors); });
    for (const at::Tensor& leaf : leaves(*tape))
      if (state_.parameter_numbers.count(leaf.unsafeGetTensorImpl()) == 0)
        fail(Status::invalid_state, "layer " + state_.layers[state_.steps[i].begin].name +
                                        " uses a parameter that it did not use, or that was frozen, when the plan was made");
    Recorded recorded;
    recorded.tape = Item{{}, std::move(tape)};
    if (!has(call, DriveFlag::no_output) || state_.steps[i].needs_output) recorded.output = Item{std::move(output), nullptr};
    return recorded;
  }
  std::optional<Item> backward(const DriveCall& call, Item*, Item* output, Item* tape, Item* grad_output) override {
    const auto i = static_cast<std::size_t>(call.first);
    if (output != nullptr && has(call, DriveFlag::take_output)) output->tensors.clear();
    ambient_[i].reset();
    if (tape == nullptr || grad_output == nullptr) return std::nullopt;
    Tensors grads = state_.backward(state_.steps[i], std::move(tape->tape), std::move(grad_output->tensors), sums);
    for (const at::Tensor& grad : grads)
      if (grad.defined()) return Item{std::move(grads), nullptr};
    return std::nullopt;
  }

 private:
  static bool has(const DriveCall& call, DriveFlag flag) {
    return (static_cast<std::uint32_t>(call.flags) & static_cast<std::uint32_t>(flag)) != 0;
  }
  template <class Run>
  std::invoke_result_t<Run> in_state(std::size_t i, const DriveCall& call, Run&& run) {
    const AutocastGuard autocast(autocast_);
    const Tensors& buffers = state_.steps[i].buffers;
    if (!has(call, DriveFlag::again)) {
      ambient_[i] = Ambient::now(buffers);
      return run();
    }
    ++state_.recomputed;
    const AmbientGuard present(buffers);
    ambient_[i].value().put_back(buffers);
    return run();
  }

  State& state_;
  std::vector<std::optional<Ambient>> ambient_;
  Autocast autocast_;
};

// The whole chain as a node of the caller's graph. Inputs: the inputs of the chain, then the parameters.
struct StepNode : Node {
  StepNode(std::shared_ptr<State> given, std::unique_ptr<State::Drive> drive) : state(std::move(given)), driver(std::move(drive)) {}
  ~StepNode() override { stop(); }

  static State::StepFramework& framework(State::Drive& driver) { return static_cast<State::StepFramework&>(driver.framework()); }

  // Cancels a running step; the driver is reused for the next one.
  void stop() noexcept {
    if (driver == nullptr) return;
    ckpt_driver_cancel(driver->handle());
    framework(*driver).end();
    const std::lock_guard<std::mutex> lock(state->mutex);
    try {
      state->free.push_back(std::move(driver));
    } catch (...) {
      driver = nullptr;
    }
  }
  void release_variables() override { stop(); }
  std::string name() const override { return "ckpt::torch::Chain"; }

  variable_list apply(variable_list&& grads) override {
    if (c10::GradMode::is_enabled())
      fail(Status::unsupported, "a chain with a budget does not support second derivatives (create_graph)");
    if (driver == nullptr) fail(Status::invalid_state, "the step of the chain has run backward already, or was released");
    struct Stop {  // also when a layer throws
      StepNode& node;
      ~Stop() { node.stop(); }
    } const at_end{*this};
    bool any = false;
    for (const at::Tensor& grad : grads) any = any || grad.defined();
    std::optional<Item> given;
    if (any) given = Item{std::move(grads), nullptr};
    std::optional<Item> input = driver->backward(std::move(given));
    variable_list found(input_count);
    if (input)
      for (std::size_t i = 0; i < std::min(input_count, input->tensors.size()); ++i) found[i] = std::move(input->tensors[i]);
    for (at::Tensor& sum : framework(*driver).sums) found.push_back(std::move(sum));
    return found;
  }

  std::shared_ptr<State> state;
  std::unique_ptr<State::Drive> driver;
  std::size_t input_count = 0;
};

}  // namespace ckpt::torch::detail

#endif  // CKPT_TORCH_STEP_H
