#include "pipeline/pipeline.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/entered.h"
#include "base/error.h"
#include "base/log.h"
#include "base/wait_point.h"
#include "engine/profiler.h"
#include "pipeline/split.h"

namespace ckpt::pipeline {

using base::fail;
using base::require;
using base::Status;
using Operation = plan::Operation;

// Exclusive access to the pipeline for one call. Queries are short, so other calls wait for them. A step may take long, so other
// calls are refused during it. Declare it after a HeldLog if something may be logged.
class Pipeline::ExclusiveCall {
 public:
  ExclusiveCall(Pipeline& pipeline, Taken how) : pipeline_(take(pipeline, how)), inside_(&pipeline) {}
  ~ExclusiveCall() { pipeline_.taken_.store(Taken::no, std::memory_order_release); }
  ExclusiveCall(const ExclusiveCall&) = delete;
  ExclusiveCall& operator=(const ExclusiveCall&) = delete;

 private:
  static Pipeline& take(Pipeline& pipeline, Taken how) {
    if (pipeline.generation_ != base::fork_generation())
      fail(Status::forked, "the pipeline's threads do not exist in a forked child");
    base::Entered::refuse(&pipeline, "the pipeline");
    for (Taken now = Taken::no; !pipeline.taken_.compare_exchange_weak(now, how, std::memory_order_acquire); now = Taken::no) {
      if (now == Taken::for_a_step) fail(Status::busy, "the pipeline is running a step");
      base::spin_pause();
    }
    return pipeline;
  }

  Pipeline& pipeline_;
  base::Entered inside_;
};

// ---- One stage's thread ----

struct Pipeline::Worker {
  std::size_t number = 0;
  std::vector<Interval> intervals;  // of the step; cleared before it
  std::unique_ptr<base::Thread> thread;
};

// Connects a stage's executor to its neighbours, and records how the stage spends its time.
class Pipeline::Port final : public engine::StagePort {
 public:
  Port(Pipeline& pipeline, Worker& worker)
      : pipeline_(pipeline),
        own_(*pipeline.stages_[worker.number]),
        intervals_(worker.intervals),
        stage_(static_cast<std::int32_t>(worker.number)),
        role_(own_.schedule()->role()) {
    for (const Decision& decision : own_.decisions()) keeps_.push_back(decision.kept);
  }

  void begins(const Operation& operation) override {
    if (pipeline_.stop_.load(std::memory_order_acquire)) throw Stopped();
    report_to_manager();
    determine_change(operation);
    switch (operation.kind) {
      case Operation::Kind::forward:
      case Operation::Kind::record:
        return begin_interval(operation.recomputation ? Interval::Kind::recompute : Interval::Kind::forward, operation);
      case Operation::Kind::backward: return begin_interval(Interval::Kind::backward, operation);
      case Operation::Kind::receive:
      case Operation::Kind::send: return begin_interval(Interval::Kind::wait, operation);
      default: return;  // copies and the turn belong to the current interval
    }
  }

  void send(const Operation& operation, const void* data, std::int64_t bytes) override {
    const std::size_t piece = piece_of(operation);
    Link& link = operation.item == plan::Item::input ? *pipeline_.activations_[piece] : *pipeline_.gradients_[piece - 1];
    require_size(link, bytes);
    link.send(operation.micro_batch, data, pipeline_.stop_);
  }

  void receive(const Operation& operation, void* data, std::int64_t bytes) override {
    const std::size_t piece = piece_of(operation);
    if (operation.item == plan::Item::input && piece == 0) {
      const tensor::Tensor& input = *pipeline_.steps_[static_cast<std::size_t>(operation.micro_batch)].input;
      if (bytes > 0) std::memcpy(data, input.data(), static_cast<std::size_t>(bytes));
      return;
    }
    Link& link = operation.item == plan::Item::input ? *pipeline_.activations_[piece - 1] : *pipeline_.gradients_[piece];
    require_size(link, bytes);
    link.receive(operation.micro_batch, data, pipeline_.stop_);
  }

  void finish() {
    report_to_manager();
    if (open_) intervals_.back().end_at_ns = base::monotonic_ns() - pipeline_.begin_ns_;
    open_ = false;
  }

 private:
  std::int32_t chunk_of(const Operation& operation) const {
    std::int32_t chunk = 0;
    // An item at a chunk's end has the index of the layer between two chunks.
    while (static_cast<std::size_t>(chunk) + 1 < role_.chunks.size() &&
           role_.chunks[static_cast<std::size_t>(chunk)].end < operation.layer)
      ++chunk;
    return chunk;
  }
  std::size_t piece_of(const Operation& operation) const {
    return static_cast<std::size_t>(std::int64_t{chunk_of(operation)} * pipeline_.options_.layout.stages + stage_);
  }

  // A layer that reported different shapes to the executor and to the queues would overrun a buffer.
  static void require_size(const Link& link, std::int64_t bytes) {
    if (bytes != link.bytes())
      fail(Status::invalid_state, "the layers between two stages exchange ", bytes, " bytes; expected ", link.bytes());
  }

  // Determines how an operation will change what the stage keeps.
  void determine_change(const Operation& operation) {
    const auto micro_batch = static_cast<std::size_t>(operation.micro_batch);
    const std::int32_t chunk = chunk_of(operation);
    const plan::StageRole::Chunk& layers = role_.chunks[static_cast<std::size_t>(chunk)];
    const bool is_forward = operation.kind == Operation::Kind::forward && !operation.recomputation;
    if (is_forward && operation.layer + 1 == layers.end && keeps_[micro_batch]) {
      change_ = {Change::Kind::keep, operation.micro_batch, own_.held_bytes(chunk)};
    } else if (operation.kind == Operation::Kind::backward && operation.layer == layers.begin) {
      change_ = {Change::Kind::release_kept, operation.micro_batch, own_.held_bytes(chunk)};
    } else if (operation.kind == Operation::Kind::receive && operation.item == plan::Item::input && chunk == 0) {
      for (const std::int64_t gone : own_.decisions()[micro_batch].dropped) {
        keeps_[static_cast<std::size_t>(gone)] = false;
        own_.manager()->drop(gone);
      }
    }
  }

  void report_to_manager() {
    const Change change = std::exchange(change_, {});
    if (change.kind == Change::Kind::keep) own_.manager()->keep(change.micro_batch, change.bytes);
    if (change.kind == Change::Kind::release_kept) own_.manager()->release_kept(change.micro_batch, change.bytes);
  }

  void begin_interval(Interval::Kind kind, const Operation& operation) {
    const std::int32_t chunk = chunk_of(operation);
    if (open_ && intervals_.back().kind == kind && intervals_.back().micro_batch == operation.micro_batch &&
        intervals_.back().chunk == chunk)
      return;
    const std::int64_t now = base::monotonic_ns() - pipeline_.begin_ns_;
    if (open_) intervals_.back().end_at_ns = now;
    intervals_.push_back({kind, stage_, chunk, operation.micro_batch, now, now});
    open_ = true;
  }

  struct Change {
    enum class Kind : std::uint8_t { none, keep, release_kept } kind = Kind::none;
    std::int64_t micro_batch = 0;
    std::int64_t bytes = 0;
  };

  Pipeline& pipeline_;
  Stage& own_;
  std::vector<Interval>& intervals_;
  std::int32_t stage_;
  plan::StageRole role_;
  std::vector<bool> keeps_;  // by micro-batch: its tapes stay from forward to backward
  Change change_;            // change by the current operation
  bool open_ = false;
};

void Pipeline::serve(Worker& worker) {
  for (std::uint64_t seen = 0;;) {
    posted_.wait([&] { return quit_.load(std::memory_order_acquire) || ticket_.load(std::memory_order_acquire) != seen; }, -1);
    if (quit_.load(std::memory_order_acquire)) return;
    seen = ticket_.load(std::memory_order_acquire);
    work(worker);
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.wake_all();
  }
}

void Pipeline::work(Worker& worker) {
  const base::Entered inside(this);
  const base::Entered using_chain(chain_.get());  // layers' callbacks run here
  try {
    Port port(*this, worker);
    // Only the last stage writes losses.
    const bool last = worker.number + 1 == stages_.size();
    std::vector<double> unused;
    if (!last) unused.resize(losses_.size());
    std::vector<engine::Step> own = steps_;
    for (engine::Step& step : own) {
      if (!last) step.output = step.output_gradient = nullptr;
      if (worker.number != 0) step.input_gradient = nullptr;
    }
    stages_[worker.number]->executor().run_stage(own, port, last ? std::span<double>(losses_) : std::span<double>(unused));
    port.finish();
  } catch (const Stopped&) {
    // Another stage's error, a cancel or a timeout, which is already recorded.
  } catch (...) {
    stop_step(std::current_exception());
  }
}

// ---- Making ----

std::vector<std::int64_t> balanced_begins(const plan::ChainProfile& profile, const Layout& layout) {
  check(layout);
  require(layout.pieces() <= profile.layers(), "stages times chunks is ", layout.pieces(), "; expected at most the chain's ",
          profile.layers(), " layers");
  std::vector<std::int32_t> flight;
  flight.reserve(static_cast<std::size_t>(layout.pieces()));
  for (std::int32_t piece = 0; piece < layout.pieces(); ++piece) flight.push_back(in_flight(layout, piece));
  return split(profile, flight);
}

std::shared_ptr<Pipeline> Pipeline::create(std::shared_ptr<engine::Chain> chain, const engine::TensorSpec& input,
                                           const PipelineOptions& options) {
  std::shared_ptr<Pipeline> pipeline(new Pipeline(std::move(chain), input, options));
  pipeline->start();
  return pipeline;
}

namespace {

engine::TensorSpec micro_spec(const engine::TensorSpec& batch, std::int32_t micro_batches) {
  require(batch.shape.ndim() >= 1, "input is ", engine::to_text(batch), "; expected a first dimension that counts samples");
  const std::int64_t samples = batch.shape[0];
  require(samples >= 1 && samples % micro_batches == 0, "micro_batches is ", micro_batches, "; expected a divisor of the batch's ",
          samples, " samples");
  std::vector<std::int64_t> dimensions(batch.shape.dimensions().begin(), batch.shape.dimensions().end());
  dimensions[0] = samples / micro_batches;
  return {batch.dtype, tensor::Shape(std::span<const std::int64_t>(dimensions))};
}

void check_begins(const std::vector<std::int64_t>& begins, std::int64_t pieces, std::int64_t layers) {
  require(std::ssize(begins) == pieces, "begins has ", begins.size(), " entries; expected one for each of ", pieces, " pieces");
  require(begins[0] == 0, "begins[0] is ", begins[0], "; expected 0, the first layer");
  for (std::size_t i = 1; i < begins.size(); ++i) {
    require(begins[i] > begins[i - 1] && begins[i] < layers, "begins[", i, "] is ", begins[i], "; expected more than ",
            begins[i - 1], " and less than ", layers);
  }
}

}  // namespace

Pipeline::Pipeline(std::shared_ptr<engine::Chain> chain, const engine::TensorSpec& input, PipelineOptions options)
    : chain_(std::move(chain)), options_(std::move(options)), batch_input_(input) {
  const Layout& layout = options_.layout;
  check(layout);
  check(options_.policy);
  require(options_.threads_per_stage >= 1 && options_.threads_per_stage <= 1024, "threads_per_stage is ",
          options_.threads_per_stage, "; expected 1 .. 1024");
  require(options_.choice.budget_bytes >= 0, "budget_bytes is ", options_.choice.budget_bytes,
          "; expected at least 0 (0: no budget)");
  require(options_.measured_runs >= 0, "measured_steps is ", options_.measured_runs, "; expected at least 0");
  require(options_.choice.schedules.empty() || std::ssize(options_.choice.schedules) == layout.pieces(), "schedules has ",
          options_.choice.schedules.size(), " entries; expected one for each of ", layout.pieces(), " pieces");
  if (options_.tracker == nullptr) options_.tracker = std::make_shared<memory::Tracker>();
  input_ = micro_spec(batch_input_, layout.micro_batches);
  require(layout.pieces() <= chain_->layers(), "stages times chunks is ", layout.pieces(), "; expected at most the chain's ",
          chain_->layers(), " layers");
  engine::ChainShape shape{{}, plan::ChainProfile(0)};
  if (options_.measured_runs > 0) {
    base::ThreadPool pool(options_.threads_per_stage);
    shape = engine::measured_shape(*chain_, input_, options_.measured_runs, pool);
  } else {
    shape = chain_->shape(input_);
  }
  specs_ = std::move(shape.specs);
  shape.profile.require_complete();
  profile_ = std::make_shared<plan::ChainProfile>(std::move(shape.profile));
  begins_ = options_.begins.empty() ? balanced_begins(*profile_, layout) : options_.begins;
  check_begins(begins_, layout.pieces(), chain_->layers());
  if (options_.queue_places == 0) options_.queue_places = enough_queue_places(layout);
  require(options_.queue_places >= 1 && options_.queue_places <= base::largest_queue_capacity, "queue_places is ",
          options_.queue_places, "; expected at least 1 (0: as many as needed)");
  require(is_deadlock_free(layout, options_.queue_places), "queue_places is ", options_.queue_places, "; expected ",
          enough_queue_places(layout), " or another number without deadlock between stages");
}

void Pipeline::start() {
  make_stages();
  make_links();
  log_shape();
  prepare();
  end_planned_steps();
  chain_->freeze();
  workers_.reserve(stages_.size());
  for (std::size_t number = 0; number < stages_.size(); ++number) {
    workers_.push_back(std::make_unique<Worker>());
    Worker& worker = *workers_.back();
    worker.number = number;
    worker.thread = std::make_unique<base::Thread>(base::cat("ckpt-stage-", number), [this, &worker] { serve(worker); });
  }
}

void Pipeline::log_shape() const {
  const Layout& layout = options_.layout;
  const char* const orders[] = {"GPipe", "1F1B", "interleaved 1F1B"};
  std::string text = base::cat(chain_->layers(), " layers in ", layout.stages, " stages of ", layout.chunks, " chunks, ",
                               layout.micro_batches, " micro-batches under ", orders[static_cast<std::int32_t>(layout.order) - 1],
                               ", queues of ", options_.queue_places, " places; pieces begin at ");
  for (std::size_t i = 0; i < begins_.size(); ++i) text += base::cat(i == 0 ? "" : ", ", begins_[i]);
  text += !options_.begins.empty() ? ", as given" : options_.measured_runs > 0 ? ", by measured times" : ", by bytes only";
  base::write_log(base::LogLevel::info, "pipeline", text);
}

void Pipeline::make_stages() {
  StageContext context;
  context.layout = options_.layout;
  context.begins = begins_;
  context.begins.push_back(chain_->layers());
  context.chain = chain_;
  context.profile = profile_;
  context.specs = specs_;
  context.tracker = options_.tracker;
  context.choice = options_.choice;
  context.pipeline = this;
  context.checks = options_.checks;
  for (std::int32_t number = 0; number < options_.layout.stages; ++number) {
    context.stage = number;
    context.observer = step_peak_.add_observer(options_.choice.asks_strategy() ? options_.choice.strategy : nullptr);
    context.pool = std::make_shared<base::ThreadPool>(options_.threads_per_stage);
    const auto forward = [weak = weak_from_this(), number](const TensorPtr& input, std::int64_t micro_batch) {
      const auto pipeline = weak.lock();
      if (pipeline == nullptr) fail(Status::invalid_state, "the stage's pipeline no longer exists");
      return pipeline->forward_of(static_cast<std::size_t>(number), input, micro_batch);
    };
    auto manager = std::make_shared<ActivationManager>(options_.policy, base::cat("stage ", number), options_.tracker,
                                                       base::monotonic_clock(), forward);
    stages_.push_back(std::make_unique<Stage>(context, std::move(manager)));
  }
}

void Pipeline::make_links() {
  for (std::size_t piece = 0; piece + 1 < begins_.size(); ++piece) {
    const auto boundary = static_cast<std::size_t>(begins_[piece + 1]);
    const memory::LayerId layer = options_.tracker->layer("queues between stages");
    for (auto* const links : {&activations_, &gradients_}) {
      links->push_back(std::make_unique<Link>(options_.queue_places, specs_[boundary].bytes(), options_.tracker, layer));
    }
  }
}

Pipeline::~Pipeline() {
  if (generation_ == base::fork_generation()) {
    quit_.store(true, std::memory_order_release);
    posted_.wake_all();
  }
  workers_.clear();
}

// ---- A step ----

// The pipeline can release its stages' arenas, so they do not count as pressure.
std::int64_t Pipeline::own_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& stage : stages_) bytes += stage->resident_bytes();
  return bytes;
}

// The memory of all stages together: the sum of their peaks, even if those occur at different times.
strategy::StepMemory Pipeline::step_memory(std::int64_t (Stage::*predicted)() const) {
  if (const auto peak = step_peak_.take()) {
    std::int64_t predicted_peak = 0;
    for (const auto& stage : stages_) predicted_peak += stage->predicted_peak();
    peak_bytes_ = peak;
    unpredicted_bytes_ = std::max<std::int64_t>(0, *peak - predicted_peak);
  }
  const auto predict = [this, predicted] {
    std::int64_t sum = 0;
    for (const auto& stage : stages_) sum += (*stage.*predicted)();
    return sum;
  };
  return {peak_bytes_, unpredicted_bytes_, predict, existence_};
}

void Pipeline::prepare() {
  const std::int64_t own = own_bytes();  // before a stage replaces its executor
  if (options_.choice.asks_strategy()) options_.choice.strategy->begin_step(step_memory(&Stage::peak_of_new_plans));
  for (const auto& stage : stages_) stage->choose_plans(own);
  std::vector<strategy::StrategyPtr> asked;  // by the managers; each begins the step once
  for (const auto& stage : stages_) {
    const Policy& policy = stage->begin_step(own);
    if (policy.kind == Policy::Kind::strategy && std::ranges::find(asked, policy.strategy) == asked.end())
      asked.push_back(policy.strategy);
  }
  for (const auto& each : asked) each->begin_step(step_memory(&Stage::peak_of_new_decisions));
  for (const auto& stage : stages_) stage->prepare();
}

void Pipeline::end_planned_steps() {
  for (const auto& stage : stages_) stage->manager()->end_planned_step();
}

std::vector<engine::Step> Pipeline::cut(const engine::Step& batch, std::vector<TensorPtr>& slices) const {
  const std::int32_t count = options_.layout.micro_batches;
  const auto slice = [&](const tensor::Tensor* whole, const tensor::Shape& shape, std::int32_t m) -> const tensor::Tensor* {
    if (whole == nullptr) return nullptr;
    const std::int64_t bytes = whole->bytes() / count;
    void* const data = bytes == 0 ? nullptr : static_cast<std::byte*>(whole->data()) + m * bytes;
    slices.push_back(tensor::Tensor::borrow(
        data, whole->dtype(), shape, [kept = whole->shared_from_this()] {}, whole->read_only()));
    return slices.back().get();
  };
  const auto require_batch_of = [&](const char* name, const tensor::Tensor* whole, const engine::TensorSpec& part) {
    if (whole == nullptr) return;
    const engine::TensorSpec given{whole->dtype(), whole->shape()};
    require(given.shape.ndim() >= 1 && given.shape[0] == part.samples() * count && part.shape.ndim() >= 1 &&
                micro_spec(given, count) == part,
            name, " is ", engine::to_text(given), "; expected ", count, " micro-batches of ", engine::to_text(part));
  };
  require(batch.step >= 0, "step is ", batch.step, "; expected at least 0");
  require(batch.first_sample >= 0, "first_sample is ", batch.first_sample, "; expected at least 0");
  require(batch.input != nullptr, "input is NULL");
  require_batch_of("input", batch.input, input_);
  require_batch_of("output", batch.output, specs_.back());
  require_batch_of("output_gradient", batch.output_gradient, specs_.back());
  require_batch_of("input_gradient", batch.input_gradient, input_);
  require(batch.input_gradient == nullptr || !profile_->layer(0).has(plan::no_input_gradient),
          "input_gradient: expected NULL, because layer ", base::quote(profile_->layer(0).name), " makes none");
  if (batch.output != nullptr) batch.output->require_writable("output");
  if (batch.input_gradient != nullptr) batch.input_gradient->require_writable("input_gradient");
  const bool is_number = specs_.back().shape.elements() == 1 && engine::is_float(specs_.back().dtype);
  require(batch.output_gradient != nullptr || is_number, "output_gradient is NULL; expected it for an output of ",
          engine::to_text(specs_.back()));
  require(batch.targets != nullptr || !chain_->needs_targets(), "targets is NULL; expected targets for the loss layer");
  engine::TensorSpec targets;
  if (batch.targets != nullptr) {
    const engine::TensorSpec given{batch.targets->dtype(), batch.targets->shape()};
    require(given.shape.ndim() >= 1 && given.shape[0] == batch_input_.samples(), "targets is ", engine::to_text(given),
            "; expected the batch's ", batch_input_.samples(), " samples as its first dimension");
    targets = micro_spec(given, count);
  }
  std::vector<engine::Step> steps;
  for (std::int32_t m = 0; m < count; ++m) {
    engine::Step step = batch;
    step.first_sample = batch.first_sample + m * input_.samples();
    step.input = slice(batch.input, input_.shape, m);
    step.targets = slice(batch.targets, targets.shape, m);
    step.output = slice(batch.output, specs_.back().shape, m);
    step.output_gradient = slice(batch.output_gradient, specs_.back().shape, m);
    step.input_gradient = slice(batch.input_gradient, input_.shape, m);
    step.loss_gradient = batch.loss_gradient / count;
    steps.push_back(step);
  }
  return steps;
}

// Clears the managers however the step ends.
struct Pipeline::PlannedStep {
  Pipeline& pipeline;
  ~PlannedStep() { pipeline.end_planned_steps(); }
};

double Pipeline::run(const engine::Step& batch, std::int64_t timeout_ns, std::span<double> losses) {
  const base::HeldLog held_log;
  const ExclusiveCall exclusive(*this, Taken::for_a_step);
  require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; expected at least -1 (no limit)");
  require(losses.empty() || std::ssize(losses) == options_.layout.micro_batches, "losses has ", losses.size(),
          " entries; expected one for each of ", options_.layout.micro_batches, " micro-batches");
  std::vector<TensorPtr> slices;
  std::vector<engine::Step> steps = cut(batch, slices);
  const PlannedStep planned{*this};
  prepare();
  if (generation_ != base::fork_generation()) fail(Status::forked, "the pipeline's threads do not exist in a forked child");
  if (!batch.accumulate) chain_->zero_gradients();
  steps_ = std::move(steps);
  losses_.assign(steps_.size(), std::numeric_limits<double>::quiet_NaN());
  keys_ = engine::Step();
  keys_.step = batch.step;
  keys_.seed = batch.seed;
  keys_.first_sample = batch.first_sample;
  run_workers(timeout_ns);
  chain_->gather_gradients();
  steps_.clear();
  for (const auto& stage : stages_) stage->count_step();
  if (!losses.empty()) std::copy(losses_.begin(), losses_.end(), losses.begin());
  double sum = 0;
  for (const double loss : losses_) sum += loss;
  return sum / static_cast<double>(losses_.size());
}

void Pipeline::run_workers(std::int64_t timeout_ns) {
  {
    const std::lock_guard guard(error_mutex_);
    error_ = nullptr;
    running_ = true;
    stop_.store(false, std::memory_order_release);
  }
  for (const auto& worker : workers_) worker->intervals.clear();
  const auto& clock = *base::monotonic_clock();
  begin_ns_ = clock.now_ns();
  working_.store(static_cast<std::int32_t>(workers_.size()), std::memory_order_release);
  ticket_.fetch_add(1, std::memory_order_acq_rel);
  posted_.wake_all();
  const auto finished = [this] { return working_.load(std::memory_order_acquire) == 0; };
  if (!done_.wait(finished, timeout_ns)) {
    stop_step(
        std::make_exception_ptr(base::Error(Status::timeout, base::cat("the step did not end within timeout_ns ", timeout_ns))));
    done_.wait(finished, -1);
  }
  step_ns_ = clock.now_ns() - begin_ns_;
  std::exception_ptr error;
  {
    const std::lock_guard guard(error_mutex_);
    running_ = false;
    error = std::exchange(error_, nullptr);
  }
  if (error == nullptr) return;
  for (auto* const links : {&activations_, &gradients_}) {
    for (const auto& link : *links) link->drain();
  }
  for (const auto& worker : workers_) worker->intervals.clear();
  steps_.clear();
  std::rethrow_exception(error);
}

// Only the first error is recorded.
void Pipeline::stop_step(std::exception_ptr error) {
  {
    const std::lock_guard guard(error_mutex_);
    if (!running_) return;
    if (error_ == nullptr) error_ = std::move(error);
    stop_.store(true, std::memory_order_release);
  }
  for (auto* const links : {&activations_, &gradients_}) {
    for (const auto& link : *links) link->wake();
  }
}

void Pipeline::cancel() {
  if (generation_ != base::fork_generation()) fail(Status::forked, "the pipeline's threads do not exist in a forked child");
  stop_step(std::make_exception_ptr(base::Error(Status::cancelled, "the step was cancelled")));
}

TensorPtr Pipeline::forward_of(std::size_t stage, const TensorPtr& input, std::int64_t micro_batch) {
  const ExclusiveCall exclusive(*this, Taken::for_a_step);
  require(micro_batch < options_.layout.micro_batches, "micro_batch is ", micro_batch, "; expected less than ",
          options_.layout.micro_batches);
  engine::Step keys = keys_;
  keys.first_sample += micro_batch * input_.samples();
  return stages_[stage]->forward(*input, keys, static_cast<std::int32_t>(micro_batch));
}

// ---- Reading ----

std::size_t Pipeline::checked_stage(std::int32_t stage) const {
  if (stage < 0 || stage >= options_.layout.stages)
    fail(Status::out_of_range, "stage is ", stage, "; expected 0 .. ", options_.layout.stages - 1);
  return static_cast<std::size_t>(stage);
}

const std::shared_ptr<ActivationManager>& Pipeline::manager(std::int32_t stage) const {
  return stages_[checked_stage(stage)]->manager();
}

std::shared_ptr<const plan::Schedule> Pipeline::schedule(std::int32_t stage) {
  const ExclusiveCall exclusive(*this, Taken::for_a_query);
  return stages_[checked_stage(stage)]->schedule();
}

plan::ChainProfile Pipeline::profile(std::int32_t stage) {
  const ExclusiveCall exclusive(*this, Taken::for_a_query);
  return stages_[checked_stage(stage)]->profile();
}

std::shared_ptr<const plan::Schedule> Pipeline::chunk_schedule(std::int32_t stage, std::int32_t chunk) {
  const ExclusiveCall exclusive(*this, Taken::for_a_query);
  const std::size_t number = checked_stage(stage);
  if (chunk < 0 || chunk >= options_.layout.chunks)
    fail(Status::out_of_range, "chunk is ", chunk, "; expected 0 .. ", options_.layout.chunks - 1);
  return stages_[number]->chunk(chunk).schedule;
}

StageStats Pipeline::stats(std::int32_t stage) {
  const ExclusiveCall exclusive(*this, Taken::for_a_query);
  const std::size_t number = checked_stage(stage);
  StageStats stats = stages_[number]->stats();
  for (const Interval& each : workers_[number]->intervals) {
    if (each.kind != Interval::Kind::wait) stats.busy_ns += each.end_at_ns - each.begin_at_ns;
  }
  return stats;
}

std::int64_t Pipeline::queue_bytes(std::int32_t stage) {
  std::int64_t bytes = 0;
  for (std::size_t piece = checked_stage(stage); piece < activations_.size(); piece += stages_.size())
    bytes += 2 * activations_[piece]->bytes() * activations_[piece]->places();
  return bytes;
}

Timeline Pipeline::timeline() {
  const ExclusiveCall exclusive(*this, Taken::for_a_query);
  Timeline timeline;
  timeline.stages = options_.layout.stages;
  timeline.step_ns = step_ns_;
  for (const auto& worker : workers_) {
    timeline.intervals.insert(timeline.intervals.end(), worker->intervals.begin(), worker->intervals.end());
  }
  return timeline;
}

}  // namespace ckpt::pipeline
