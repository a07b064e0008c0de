#include "engine/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/entered.h"
#include "base/log.h"
#include "engine/blas.h"
#include "engine/kernels.h"
#include "engine/tiers.h"
#include "plan/program.h"

namespace ckpt::engine {

using base::fail;
using base::require;
using base::Status;

// NOLINTNEXTLINE(performance-unnecessary-value-param): stored by the constructor that this one calls
Executor::Executor(std::shared_ptr<Chain> chain, const plan::Schedule& schedule, const TensorSpec& input, std::int64_t budget_bytes,
                   std::shared_ptr<base::ThreadPool> pool, std::shared_ptr<memory::Tracker> tracker,
                   std::shared_ptr<plan::RunObserver> observer, ExecutorChecks checks, const TierStorages& storages)
    : Executor(chain, schedule, chain->shape(input), budget_bytes, std::move(pool), std::move(tracker), std::move(observer), checks,
               storages) {}

Executor::Executor(std::shared_ptr<Chain> chain, const plan::Schedule& schedule, ChainShape shape, std::int64_t budget_bytes,
                   std::shared_ptr<base::ThreadPool> pool, std::shared_ptr<memory::Tracker> tracker,
                   std::shared_ptr<plan::RunObserver> observer, ExecutorChecks checks, const TierStorages& storages)
    : chain_(std::move(chain)),
      pool_(std::move(pool)),
      tracker_(std::move(tracker)),
      shape_(std::move(shape)),
      program_(plan::make_program(schedule, shape_.profile)),
      buffers_(tensor::BufferPool::create(nullptr, "arena")),
      role_(schedule.role()),
      observer_(std::move(observer)),
      checks_finite_(checks.finite),
      times_(program_) {
  require(budget_bytes >= 0, "budget_bytes is ", budget_bytes, "; expected at least 0 (0: no budget)");
  const plan::Placement placement = plan::place(program_);
  if (budget_bytes > 0 && placement.arena_bytes > budget_bytes) {
    fail(Status::over_budget, "budget_bytes is ", budget_bytes, "; schedule ", base::quote(schedule.name()), " reserves ",
         placement.arena_bytes);
  }
  arena_.emplace(placement.arena_bytes);
  stats_.reserved_bytes = placement.arena_bytes;
  addresses_.assign(program_.buffers.size(), nullptr);
  for (std::size_t id = 0; id < placement.offsets.size(); ++id) {
    if (placement.offsets[id] >= 0) addresses_[id] = arena_->data() + placement.offsets[id];
  }
  resolve_buffers();
  resolve_operands();
  require_in_place();
  tiers_ = std::make_unique<Tiers>(program_, storages, *buffers_, std::array<const void*, 2>{this, chain_.get()});
  if (checks.recompute != RecomputeCheck::none) recompute_checker_.emplace(checks.recompute, *chain_, shape_, program_, tracker_);
  if (checks.writes) write_checker_.emplace(*chain_, *arena_, program_, addresses_);
  chain_->freeze();
  change_live_bytes(0);
  base::write_log(
      base::LogLevel::info, "engine",
      base::cat("executor of schedule ", base::quote(schedule.name()), ": ", chain_->layers(), " layers, reserves ",
                placement.arena_bytes, " bytes, live at most ", placement.peak_bytes, ", ", pool_->threads(), " threads"));
}

Executor::~Executor() = default;

void Executor::resolve_buffers() {
  allocations_.assign(program_.buffers.size(), 0);
  live_lengths_.assign(program_.buffers.size(), 0);
  for (const plan::BufferInfo& buffer : program_.buffers) tracker_layers_.push_back(tracker_layer(buffer));
  for (const plan::Change& change : program_.changes) change_layers_.push_back(tracker_layer(change.now));
}

// The arrays that layers get are filled for each run, in memory that is allocated once.
void Executor::resolve_operands() {
  std::size_t most = 1;
  for (const plan::Operation& operation : program_.operations) {
    most = std::max(most, operation.reads.size());
    for (const plan::ValueRead& read : operation.reads) {
      const TensorSpec& spec = shape_.specs[static_cast<std::size_t>(read.value)];
      if (read.term == plan::no_buffer || is_float(spec.dtype)) continue;
      fail(Status::unsupported, "layer ", base::quote(chain_->layer(operation.layer).name()), ": the gradient of value ",
           read.value, " is a sum, and its element type is ", tensor::dtype_name(spec.dtype), "; expected F32 or F64");
    }
  }
  inputs_.resize(most);
  input_gradients_.resize(most);
}

// Layers that the schedule runs in place must support it.
void Executor::require_in_place() const {
  for (const plan::Operation& operation : program_.operations) {
    const bool overwrites = operation.kind == plan::Operation::Kind::forward && operation.input == operation.output;
    if (overwrites && !shape_.profile.layer(operation.layer).has(plan::in_place)) {
      fail(Status::invalid_schedule, "schedule advances layer ", operation.layer, " (", chain_->layer(operation.layer).name(),
           ") in place; expected the flag in_place");
    }
  }
}

// Returns the tracker's layer for a buffer: its layer's name; an activation belongs to the layer that made it.
memory::LayerId Executor::tracker_layer(const plan::BufferInfo& buffer) {
  if (buffer.tier != 0) return tracker_->layer(base::cat("tier ", buffer.tier));
  switch (buffer.role) {
    case plan::BufferRole::input: return tracker_->layer(buffer.index == 0 ? "input" : chain_->layer(buffer.index - 1).name());
    case plan::BufferRole::grad: return tracker_->layer(chain_->layer(std::min(buffer.index, chain_->layers() - 1)).name());
    default: return tracker_->layer(chain_->layer(buffer.index).name());
  }
}

namespace {

// Compares bytes and flags: with a difference, a plan for one profile would not fit the other.
bool same_bytes(const plan::ChainProfile& a, const plan::ChainProfile& b) {
  if (a.layers() != b.layers() || a.bytes_of(0) != b.bytes_of(0)) return false;
  const auto same_option = [](const plan::OptionProfile& x, const plan::OptionProfile& y) {
    return x.tape_bytes == y.tape_bytes && x.forward_workspace_bytes == y.forward_workspace_bytes &&
           x.backward_workspace_bytes == y.backward_workspace_bytes && x.has_record == y.has_record &&
           x.record_workspace_bytes == y.record_workspace_bytes;
  };
  for (std::int64_t i = 0; i < a.layers(); ++i) {
    const plan::LayerProfile& x = a.layer(i);
    const plan::LayerProfile& y = b.layer(i);
    if (a.reads_of(i) != b.reads_of(i)) return false;
    if (x.flags != y.flags || x.output_bytes != y.output_bytes || x.ambient_bytes != y.ambient_bytes ||
        !std::equal(x.options.begin(), x.options.end(), y.options.begin(), y.options.end(), same_option))
      return false;
  }
  return true;
}

}  // namespace

plan::ChainProfile Executor::refined(const plan::ChainProfile& profile) const {
  require(!profile.is_uniform() && same_bytes(profile, shape_.profile), "profile does not match the executor's chain and input");
  if (times_.steps() == 0) fail(Status::invalid_state, "executor has no measured step");
  plan::ChainProfile refined = profile;
  times_.write_to(refined);
  return refined;
}

// ---- One step ----

namespace {

void require_fit(const char* name, const tensor::Tensor& tensor, const TensorSpec& spec) {
  const TensorSpec given{tensor.dtype(), tensor.shape()};
  require(given == spec, name, " is ", to_text(given), "; expected ", to_text(spec), " of the executor");
}

}  // namespace

double Executor::run(const Step& step) {
  base::Entered::refuse(chain_.get(), "chain");
  check(step);
  if (!step.accumulate) chain_->zero_gradients();
  double result = std::numeric_limits<double>::quiet_NaN();
  run_timed({&step, 1}, nullptr, {&result, 1});
  chain_->gather_gradients();
  return result;
}

double Executor::evaluate(const Step& step, std::int64_t layers) {
  base::Entered::refuse(chain_.get(), "chain");
  require(!role_.is_stage(), "schedule is a pipeline stage's: only a pipeline can run it");
  require(layers >= 1 && layers <= chain_->layers(), "layer_count is ", layers, "; expected 1 .. ", chain_->layers());
  check_beginning(step);
  const TensorSpec& spec = shape_.specs[static_cast<std::size_t>(layers)];
  for (std::int64_t i = 0; i < layers; ++i)
    require(step.targets != nullptr || !chain_->layer(i).needs_targets(), "targets is NULL; expected targets for the loss layer");
  if (step.output != nullptr) {
    require_fit("output", *step.output, spec);
    step.output->require_writable("output");
  }
  const base::Entered running(this);
  const base::Entered using_chain(chain_.get());
  std::optional<BlasSession> blas;
  if (chain_->needs_blas()) blas.emplace();
  if (!forward_pass_) forward_pass_.emplace(*chain_, shape_, tracker_);
  const void* const output = forward_pass_->run(step, layers, *pool_);
  if (step.output != nullptr && step.output->bytes() > 0)
    std::memcpy(step.output->data(), output, static_cast<std::size_t>(step.output->bytes()));
  double result = std::numeric_limits<double>::quiet_NaN();
  if (spec.shape.elements() == 1 && is_float(spec.dtype))
    with_float(spec.dtype, [&](auto zero) { result = static_cast<double>(*static_cast<const decltype(zero)*>(output)); });
  return result;
}

void Executor::run_stage(std::span<const Step> steps, StagePort& port, std::span<double> losses) {
  require(std::ssize(steps) == role_.micro_batches && steps.size() == losses.size(), "steps and losses are ", steps.size(), " and ",
          losses.size(), "; expected ", role_.micro_batches, " each, as the stage's micro-batches");
  for (const Step& step : steps) check_ends(step);
  run_timed(steps, &port, losses);
}

void Executor::run_timed(std::span<const Step> steps, StagePort* port, std::span<double> results) {
  const base::Entered running(this);
  const base::Entered using_chain(chain_.get());
  std::optional<BlasSession> blas;
  if (chain_->needs_blas()) blas.emplace();
  const auto& clock = *base::monotonic_clock();
  const std::int64_t begin = clock.now_ns();
  try {
    run_instructions(steps, port, results);
  } catch (...) {
    tiers_->drain();
    free_everything();
    throw;
  }
  times_.end_step();
  ++stats_.steps;
  stats_.run_ns += clock.now_ns() - begin;
}

void Executor::check(const Step& step) const {
  require(!role_.is_stage(), "schedule is a pipeline stage's: only a pipeline can run it");
  check_beginning(step);
  check_ends(step);
}

void Executor::check_beginning(const Step& step) const {
  require(step.step >= 0, "step is ", step.step, "; expected at least 0");
  require(step.first_sample >= 0, "first_sample is ", step.first_sample, "; expected at least 0");
  require(step.input != nullptr, "input is NULL");
  require_fit("input", *step.input, shape_.specs.front());
}

// Checks the inputs at both ends of the chain: targets, output and gradients.
void Executor::check_ends(const Step& step) const {
  require(step.targets != nullptr || !chain_->needs_targets(), "targets is NULL; expected targets for the loss layer");
  if (step.output != nullptr) {
    require_fit("output", *step.output, shape_.specs.back());
    step.output->require_writable("output");
  }
  if (step.output_gradient != nullptr) {
    require_fit("output_gradient", *step.output_gradient, shape_.specs.back());
  } else if (role_.last) {
    require(shape_.specs.back().shape.elements() == 1 && is_float(shape_.specs.back().dtype),
            "output_gradient is NULL; expected it for an output of ", to_text(shape_.specs.back()));
  }
  if (step.input_gradient != nullptr) {
    require(makes_input_gradient(), "input_gradient: expected NULL, because layer ", base::quote(shape_.profile.layer(0).name),
            " makes none");
    require_fit("input_gradient", *step.input_gradient, shape_.specs.front());
    step.input_gradient->require_writable("input_gradient");
  }
}

// Returns true if a layer computes the gradient of the input.
bool Executor::makes_input_gradient() const {
  for (std::int64_t i = 0; i < chain_->layers(); ++i) {
    const auto inputs = chain_->inputs(i);
    if (std::ranges::find(inputs, 0) != inputs.end() && !shape_.profile.layer(i).has(plan::no_input_gradient)) return true;
  }
  return false;
}

// Time between two operations counts for the later one, so that the times add up to the step's.
void Executor::run_instructions(std::span<const Step> steps, StagePort* port, std::span<double> results) {
  const auto& clock = *base::monotonic_clock();
  times_.begin_step();
  std::int64_t begin = clock.now_ns();
  for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
    const plan::Instruction& instruction = program_.instructions[i];
    switch (instruction.kind) {
      case plan::Instruction::Kind::allocate:
        allocate(instruction.index);
        // The walk of a separate chain allocates x_0 first.
        if (i == 0 && port == nullptr) {
          const tensor::Tensor& input = *steps[0].input;
          std::memcpy(address(instruction.index), input.data(), static_cast<std::size_t>(input.bytes()));
        }
        break;
      case plan::Instruction::Kind::free: free(instruction.index); break;
      case plan::Instruction::Kind::become: become(static_cast<std::size_t>(instruction.index)); break;
      case plan::Instruction::Kind::await: {
        const std::int64_t waiting = clock.now_ns();
        await_copy(instruction.index);
        begin += clock.now_ns() - waiting;  // excluded from the layers' times
        break;
      }
      case plan::Instruction::Kind::run: {
        const plan::Operation& operation = program_.operations[static_cast<std::size_t>(instruction.index)];
        if (operation.kind == plan::Operation::Kind::copy) {
          begin_copy(instruction.index);
          break;
        }
        const auto micro_batch = static_cast<std::size_t>(operation.micro_batch);
        if (port != nullptr) port->begins(operation);
        run_operation(operation, steps[micro_batch], port, results[micro_batch]);
        const std::int64_t end = clock.now_ns();
        times_.add(operation, end - begin);
        begin = end;
        break;
      }
    }
  }
}

void Executor::allocate(std::int64_t buffer) {
  const auto id = static_cast<std::size_t>(buffer);
  const plan::BufferInfo& info = program_.buffers[id];
  if (info.bytes == 0) return;
  allocations_[id] = tracker_->allocate(tracker_layers_[id], info.bytes);
  if (info.tier == 0) hold(id, info);
}

// The existing bytes are counted under their new name before more are allocated.
void Executor::become(std::size_t change) {
  const plan::Change& what = program_.changes[change];
  const auto id = static_cast<std::size_t>(what.buffer);
  if (allocations_[id] != 0) tracker_->free(std::exchange(allocations_[id], 0));
  if (what.now.bytes > 0) allocations_[id] = tracker_->allocate(change_layers_[change], what.now.bytes);
  hold(id, what.now);
}

void Executor::free(std::int64_t buffer) {
  const auto id = static_cast<std::size_t>(buffer);
  if (live_lengths_[id] > 0) hold(id, {});
  if (allocations_[id] != 0) tracker_->free(std::exchange(allocations_[id], 0));
}

// Sets the size of a buffer of tier 0; bytes within both sizes keep their contents.
void Executor::hold(std::size_t id, const plan::BufferInfo& info) {
  const std::int64_t before = std::exchange(live_lengths_[id], info.bytes);
  arena_->resize(addresses_[id], before, info.bytes);
  if (write_checker_) write_checker_->hold(static_cast<plan::BufferId>(id), info);
  change_live_bytes(info.bytes - before);
  stats_.peak_live_bytes = std::max(stats_.peak_live_bytes, stats_.live_bytes);
}

void Executor::change_live_bytes(std::int64_t by) noexcept {
  stats_.live_bytes += by;
  if (observer_ != nullptr) observer_->live_bytes_changed(by);
}

void Executor::free_everything() noexcept {
  for (std::size_t id = 0; id < allocations_.size(); ++id) {
    try {
      free(static_cast<std::int64_t>(id));
    } catch (...) {
      // Already freed directly through the tracker's interface: nothing to undo.
    }
  }
  change_live_bytes(-stats_.live_bytes);
  if (write_checker_) write_checker_->reset();
}

void Executor::run_operation(const plan::Operation& operation, const Step& step, StagePort* port, double& result) {
  switch (operation.kind) {
    case plan::Operation::Kind::send:
    case plan::Operation::Kind::receive:
      return run_exchange(operation, *port);  // NOLINT: schedules with exchanges always have a port
    case plan::Operation::Kind::forward:
    case plan::Operation::Kind::record:
    case plan::Operation::Kind::backward: return run_layer(operation, step);
    case plan::Operation::Kind::turn: return run_turn(operation, step, result);
    case plan::Operation::Kind::copy: return;  // begin_copy
  }
}

void Executor::run_layer(const plan::Operation& operation, const Step& step) {
  if (write_checker_) write_checker_->before(operation);
  if (operation.kind == plan::Operation::Kind::backward) {
    run_backward(operation, step);
  } else {
    run_forward(operation, step);
  }
  if (write_checker_) write_checker_->after(operation);
  if (operation.kind == plan::Operation::Kind::backward) finish_gradients(operation, step);
}

void Executor::begin_copy(std::int64_t operation) {
  const plan::Operation& copy = program_.operations[static_cast<std::size_t>(operation)];
  const bool loads = program_.buffers[static_cast<std::size_t>(copy.output)].tier == 0;
  if (loads && write_checker_) write_checker_->set_arriving(copy.output, true);
  tiers_->begin(operation, address(loads ? copy.output : copy.input));
}

void Executor::await_copy(std::int64_t operation) {
  const auto& clock = *base::monotonic_clock();
  const std::int64_t begin = clock.now_ns();
  const CopyInfo copy = tiers_->wait(operation);
  if (copy.loads && write_checker_)
    write_checker_->set_arriving(program_.operations[static_cast<std::size_t>(operation)].output, false);
  if (copy.in_background) stats_.transfer_wait_ns += clock.now_ns() - begin;
  (copy.loads ? stats_.loaded_bytes : stats_.stored_bytes)[static_cast<std::size_t>(copy.tier)] += copy.bytes;
}

void Executor::run_exchange(const plan::Operation& operation, StagePort& port) {
  if (operation.kind == plan::Operation::Kind::send) {
    port.send(operation, address(operation.input), operation.bytes);
  } else {
    port.receive(operation, address(operation.output), operation.bytes);
  }
}

RunContext Executor::context_of(const plan::Operation& operation, const Step& step) const {
  RunContext context;
  context.inputs = shape_.inputs_of(operation.layer);
  context.input = context.inputs.data();
  context.output = &shape_.specs[static_cast<std::size_t>(operation.layer + 1)];
  context.option = operation.option;
  context.micro_batch = operation.micro_batch;
  context.recomputation = operation.recomputation;
  context.layer = chain_->number(operation.layer);
  context.step = step.step;
  context.seed = step.seed;
  context.first_sample = step.first_sample;
  context.targets = step.targets;
  context.pool = pool_.get();
  return context;
}

void Executor::run_forward(const plan::Operation& operation, const Step& step) {
  Layer& layer = chain_->layer(operation.layer);
  if (observer_ != nullptr) observer_->layer_runs(layer.name());
  if (recompute_checker_) recompute_checker_->before(operation);
  const bool has_ambient = operation.ambient != plan::no_buffer;
  if (has_ambient && operation.recomputation) {
    layer.save_ambient(address(operation.present_ambient));
    layer.restore_ambient(address(operation.ambient));
  } else if (has_ambient) {
    layer.save_ambient(address(operation.ambient));
  }
  const ForwardBuffers buffers{address(operation.input), address(operation.output), address(operation.tape),
                               address(operation.workspace), inputs_of(operation)};
  if (operation.kind == plan::Operation::Kind::record) {
    layer.record(context_of(operation, step), buffers);
  } else {
    layer.forward(context_of(operation, step), buffers);
  }
  if (has_ambient && operation.recomputation) layer.restore_ambient(address(operation.present_ambient));
  if (recompute_checker_) recompute_checker_->after(operation, address(operation.output));
  if (checks_finite_) check_finite(operation);
  ++stats_.forwards;
  if (operation.recomputation) ++stats_.recomputed_forwards;
}

void Executor::check_finite(const plan::Operation& operation) const {
  const TensorSpec& spec = shape_.specs[static_cast<std::size_t>(operation.layer + 1)];
  const void* const output = address(operation.output);
  if (output == nullptr || !is_float(spec.dtype)) return;
  with_float(spec.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const values = static_cast<const T*>(output);
    const std::int64_t count = spec.shape.elements();
    if (all_finite(values, count)) return;
    const std::int64_t first = std::find_if(values, values + count, [](T value) { return !std::isfinite(value); }) - values;
    fail(Status::out_of_range, "layer ", base::quote(chain_->layer(operation.layer).name()), ": element ", first, " of its output",
         role_.is_stage() ? base::cat(" for micro-batch ", operation.micro_batch) : "", " is ", values[first],
         "; expected a finite number");
  });
}

void Executor::run_backward(const plan::Operation& operation, const Step& step) {
  if (observer_ != nullptr) observer_->layer_runs(chain_->layer(operation.layer).name());
  std::span<const InputGradient> gradients(input_gradients_.data(), std::max<std::size_t>(operation.reads.size(), 1));
  input_gradients_[0] = {address(operation.grad_input), false};
  for (std::size_t i = 0; i < operation.reads.size(); ++i) {
    const plan::ValueRead& read = operation.reads[i];
    input_gradients_[i] = {address(read.target()), !read.creates_grad && read.term == plan::no_buffer};
  }
  chain_->layer(operation.layer)
      .backward(context_of(operation, step),
                {address(operation.input), address(operation.output), address(operation.tape), address(operation.grad_output),
                 address(operation.grad_input), address(operation.workspace), inputs_of(operation), gradients});
}

// Returns the addresses of what the layer reads, valid until the next call.
std::span<const void* const> Executor::inputs_of(const plan::Operation& operation) {
  inputs_[0] = address(operation.input);
  for (std::size_t i = 0; i < operation.reads.size(); ++i) inputs_[i] = address(operation.reads[i].input);
  return {inputs_.data(), std::max<std::size_t>(operation.reads.size(), 1)};
}

// Adds the gradients that the layer could not add itself, and copies the input's gradient to the caller. Later layers may add to
// that one, and copy it again.
void Executor::finish_gradients(const plan::Operation& operation, const Step& step) {
  for (const plan::ValueRead& read : operation.reads) {
    if (read.term == plan::no_buffer) continue;
    const TensorSpec& spec = shape_.specs[static_cast<std::size_t>(read.value)];
    with_float(spec.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const term = static_cast<const T*>(address(read.term));
      T* const sum = static_cast<T*>(address(read.grad));
      for_parts(*pool_, spec.shape.elements(), elements_per_part,
                [&](std::int64_t begin, std::int64_t end) { add(term + begin, sum + begin, end - begin); });
    });
  }
  if (step.input_gradient == nullptr || step.input_gradient->bytes() == 0) return;
  const auto copy_from = [&](plan::BufferId gradient) {
    std::memcpy(step.input_gradient->data(), address(gradient), static_cast<std::size_t>(step.input_gradient->bytes()));
  };
  if (operation.reads.empty() && operation.layer == 0) copy_from(operation.grad_input);
  for (const plan::ValueRead& read : operation.reads) {
    if (read.value == 0 && read.grad != plan::no_buffer) copy_from(read.grad);
  }
}

void Executor::run_turn(const plan::Operation& operation, const Step& step, double& result) {
  const TensorSpec& spec = shape_.specs.back();
  const void* const output = address(operation.output);
  void* const gradient = address(operation.grad_output);
  if (step.output != nullptr && step.output->bytes() > 0)
    std::memcpy(step.output->data(), output, static_cast<std::size_t>(step.output->bytes()));
  const bool is_number = spec.shape.elements() == 1 && is_float(spec.dtype);
  if (is_number) {
    with_float(spec.dtype, [&](auto zero) {
      using T = decltype(zero);
      result = static_cast<double>(*static_cast<const T*>(output));
      if (!std::isfinite(result))
        fail(Status::out_of_range, "the loss of step ", step.step, " is ", result, "; expected a finite number");
      *static_cast<T*>(gradient) = static_cast<T>(step.loss_gradient);
    });
  }
  if (step.output_gradient != nullptr && step.output_gradient->bytes() > 0) {
    std::memcpy(gradient, step.output_gradient->data(), static_cast<std::size_t>(step.output_gradient->bytes()));
  }
}

}  // namespace ckpt::engine
