#include "pipeline/stage.h"

#include <algorithm>
#include <utility>

#include "base/entered.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/blas.h"
#include "pipeline/stage_search.h"
#include "plan/program.h"

namespace ckpt::pipeline {

using base::fail;
using base::require;
using base::Status;

namespace {

// Separates two chunks of a stage and never runs: it only declares the shape that the next chunk receives.
class Separator final : public engine::Layer {
 public:
  Separator(std::string name, const engine::TensorSpec& next) : Layer(std::move(name)), next_(next) {}
  engine::TensorSpec output(const engine::TensorSpec&) const override { return next_; }
  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }
  void forward(const engine::RunContext&, const engine::ForwardBuffers&) override {
    fail(Status::internal, "separator layer between chunks was run");
  }
  void backward(const engine::RunContext&, const engine::BackwardBuffers&) override {
    fail(Status::internal, "separator layer between chunks was run");
  }

 private:
  engine::TensorSpec next_;
};

void add_up(engine::ExecutorStats& sum, const engine::ExecutorStats& more) {
  sum.steps += more.steps;
  sum.forwards += more.forwards;
  sum.recomputed_forwards += more.recomputed_forwards;
  sum.live_bytes = more.live_bytes;
  sum.peak_live_bytes = std::max(sum.peak_live_bytes, more.peak_live_bytes);
  sum.reserved_bytes = std::max(sum.reserved_bytes, more.reserved_bytes);
  sum.run_ns += more.run_ns;
}

}  // namespace

Stage::Stage(StageContext context, std::shared_ptr<ActivationManager> manager)
    : context_(std::move(context)), manager_(std::move(manager)) {
  build_chain();
  profile_ = std::make_unique<plan::ChainProfile>(joined_profile(plans_));
}

std::int64_t Stage::begin_of(std::int64_t chunk) const {
  return context_.begins[static_cast<std::size_t>(chunk * context_.layout.stages + context_.stage)];
}

std::int64_t Stage::end_of(std::int64_t chunk) const {
  return context_.begins[static_cast<std::size_t>(chunk * context_.layout.stages + context_.stage + 1)];
}

void Stage::build_chain() {
  const engine::Chain& whole = *context_.chain;
  chain_ = std::make_shared<engine::Chain>(whole.number(begin_of(0)));
  for (std::int64_t c = 0; c < context_.layout.chunks; ++c) {
    if (c > 0) {
      const engine::TensorSpec& next = context_.specs[static_cast<std::size_t>(begin_of(c))];
      chain_->add(std::make_shared<Separator>(base::cat("(before ", whole.layer(begin_of(c)).name(), ")"), next), 0);
    }
    for (std::int64_t i = begin_of(c); i < end_of(c); ++i) chain_->add(whole.shared_layer(i), whole.number(i));
    plans_.push_back({std::make_shared<plan::ChainProfile>(piece_profile(*context_.profile, begin_of(c), end_of(c))), nullptr});
  }
}

// ---- Plans ----

std::vector<ChunkPlan> Stage::new_plans() const {
  std::vector<ChunkPlan> plans = plans_;
  for (std::int64_t c = 0; c < context_.layout.chunks; ++c) {
    ChunkPlan& plan = plans[static_cast<std::size_t>(c)];
    const auto piece = static_cast<std::size_t>(c * context_.layout.stages + context_.stage);
    if (!context_.choice.schedules.empty()) {
      plan.schedule = context_.choice.schedules[piece];
      require(!plan.schedule->role().is_stage(), "schedules[", piece,
              "]: expected the schedule of a separate chain, found that of a stage");
    } else if (context_.choice.asks_strategy()) {
      plan.schedule = plan::make_from_strategy(*plan.profile, context_.choice.strategy);
    } else {
      plan.schedule = plan::make_store_all(*plan.profile);
    }
  }
  return plans;
}

void Stage::choose_plans(std::int64_t own_bytes) {
  const bool is_first = plans_[0].schedule == nullptr;
  if (!is_first && !context_.choice.asks_strategy()) return;
  std::vector<ChunkPlan> plans = new_plans();
  const auto is_same = [](const ChunkPlan& a, const ChunkPlan& b) {
    return a.schedule->fingerprint() == b.schedule->fingerprint();
  };
  if (!is_first && std::ranges::equal(plans, plans_, is_same)) return;
  for (const ChunkPlan& plan : plans) plan::verify(*plan.schedule, *plan.profile);  // refuses one that does not fit, by name
  use_plans(std::move(plans));
  if (is_first && context_.choice.budget_bytes > 0 && context_.choice.schedules.empty() && !context_.choice.asks_strategy()) {
    begin_step(own_bytes);
    choose_for_budget(new_decisions());
  }
  decisions_.reset();  // the executor belongs to other plans
  log_plans();
}

void Stage::use_plans(std::vector<ChunkPlan> plans) {
  plans_ = std::move(plans);
  chunk_bytes_.clear();
  held_bytes_ = 0;
  for (const ChunkPlan& plan : plans_) {
    chunk_bytes_.push_back(pipeline::held_bytes({plan}));
    held_bytes_ += chunk_bytes_.back();
  }
}

void Stage::log_plans() const {
  std::string text = base::cat("stage ", context_.stage, ":");
  for (std::int64_t c = 0; c < context_.layout.chunks; ++c) {
    text += base::cat(c == 0 ? " layers " : ", and layers ", begin_of(c), " to ", end_of(c) - 1, " by ",
                      plans_[static_cast<std::size_t>(c)].schedule->name());
  }
  text += base::cat("; ", in_flight(context_.layout, context_.stage), " micro-batches in flight, a kept one holds ", held_bytes_,
                    " bytes");
  base::write_log(base::LogLevel::info, "pipeline", text);
}

// Early stages, which hold more micro-batches, may get other plans than late ones.
void Stage::choose_for_budget(const std::vector<Decision>& decisions) {
  const std::int64_t budget_bytes = context_.choice.budget_bytes;
  try {
    StagePlan found = plan_stage({context_.layout, context_.stage, *profile_, plans_, decisions}, budget_bytes);
    base::write_log(base::LogLevel::info, "pipeline",
                    base::cat("stage ", context_.stage, ": ", found.chunks[0].schedule->name(), " reserves ", found.reserved_bytes,
                              " bytes, the fastest plan within the budget of ", budget_bytes));
    use_plans(std::move(found.chunks));
  } catch (const base::Error& error) {
    base::write_log(base::LogLevel::info, "pipeline", base::cat("over budget: ", error.message()));
    throw;
  }
}

// ---- Decisions ----

const Policy& Stage::begin_step(std::int64_t own_bytes) {
  ledger_ = manager_->begin_planned_step(context_.layout.micro_batches, context_.pipeline, own_bytes, context_.layout.stages);
  return ledger_->policy();
}

std::vector<Decision> Stage::new_decisions() const {
  const strategy::Activation activation(held_bytes_);
  return decide(context_.layout, context_.stage, held_bytes_, *ledger_,
                [&](std::int64_t micro_batch) { return manager_->ask_strategy(ledger_->policy(), micro_batch, activation); });
}

void Stage::prepare() {
  const std::vector<Decision> decisions = new_decisions();
  if (!decisions_ || decisions != *decisions_) use(decisions);
}

std::int64_t Stage::peak_of(const std::vector<ChunkPlan>& plans, const std::vector<Decision>& decisions) const {
  return plan::verify(*make_stage_schedule(context_.layout, context_.stage, plans, decisions), *profile_).peak_bytes[0];
}

// Before the first step every micro-batch counts as kept.
std::int64_t Stage::peak_of_new_plans() const {
  const std::vector<Decision> all_kept(static_cast<std::size_t>(context_.layout.micro_batches));
  return peak_of(new_plans(), decisions_ ? *decisions_ : all_kept);
}

std::int64_t Stage::peak_of_new_decisions() const { return peak_of(plans_, new_decisions()); }

// The answers of the whole chain's layers from the pipeline's creation: the layers are not asked again.
engine::ChainShape Stage::shape() const {
  engine::ChainShape shape{{}, *profile_};
  for (std::int64_t c = 0; c < context_.layout.chunks; ++c) {
    const auto specs = context_.specs.begin();
    shape.specs.insert(shape.specs.end(), specs + begin_of(c), specs + end_of(c) + 1);
  }
  return shape;
}

void Stage::use(const std::vector<Decision>& decisions) {
  auto schedule = make_stage_schedule(context_.layout, context_.stage, plans_, decisions);
  auto executor = std::make_unique<engine::Executor>(chain_, *schedule, shape(), context_.choice.budget_bytes, context_.pool,
                                                     context_.tracker, context_.observer, context_.checks);
  if (executor_ != nullptr) add_up(former_.executor, executor_->stats());
  executor_ = std::move(executor);
  predicted_peak_ = plan::verify(*schedule, *profile_).peak_bytes[0];
  schedule_ = std::move(schedule);
  decisions_ = decisions;
  log_decisions();
}

void Stage::log_decisions() const {
  std::int64_t kept = 0;
  for (const Decision& decision : *decisions_) kept += (decision.kept ? 1 : 0) - std::ssize(decision.dropped);
  base::write_log(base::LogLevel::info, "pipeline",
                  base::cat("stage ", context_.stage, ": ", to_text(manager_->active_policy()), " keeps ", kept, " of ",
                            context_.layout.micro_batches, " micro-batches from forward to backward; the arena is ",
                            executor_->stats().reserved_bytes, " bytes"));
}

std::int64_t Stage::resident_bytes() const {
  if (executor_ == nullptr || executor_->stats().steps == 0) return 0;
  return executor_->stats().reserved_bytes;
}

// ---- Reading ----

void Stage::count_step() {
  for (const Decision& decision : *decisions_) {
    ++(decision.kept ? former_.kept_micro_batches : former_.recomputed_micro_batches);
    // Micro-batches that were evicted for a newer one were kept only for a while.
    former_.kept_micro_batches -= std::ssize(decision.dropped);
    former_.recomputed_micro_batches += std::ssize(decision.dropped);
  }
}

StageStats Stage::stats() const {
  StageStats stats = former_;
  if (executor_ != nullptr) add_up(stats.executor, executor_->stats());
  stats.first_layer = chain_->first_layer();
  for (const ChunkPlan& plan : plans_) stats.layers += plan.profile->layers();
  stats.in_flight = in_flight(context_.layout, context_.stage);
  return stats;
}

TensorPtr Stage::forward(const tensor::Tensor& input, const engine::Step& keys, std::int32_t micro_batch) {
  if (context_.layout.chunks > 1)
    fail(Status::unsupported, "stage has ", context_.layout.chunks, " chunks; expected 1 for a separate forward");
  const auto begin = static_cast<std::size_t>(begin_of(0));
  const engine::TensorSpec given{input.dtype(), input.shape()};
  require(given == context_.specs[begin], "input is ", engine::to_text(given), "; expected ",
          engine::to_text(context_.specs[begin]));
  const base::Entered using_chain(context_.chain.get());
  std::optional<engine::BlasSession> blas;
  if (chain_->needs_blas()) blas.emplace();
  TensorPtr x;
  for (std::int64_t i = 0; i < chain_->layers(); ++i) {
    engine::Layer& layer = chain_->layer(i);
    if ((layer.flags() & plan::deterministic) == 0 || layer.ambient_bytes() > 0 || layer.needs_targets())
      fail(Status::unsupported, "layer ", base::quote(layer.name()), ": expected a function of its input only");
    engine::RunContext run;
    run.input = &context_.specs[begin + static_cast<std::size_t>(i)];
    run.inputs = {run.input, 1};
    run.output = &context_.specs[begin + static_cast<std::size_t>(i) + 1];
    run.micro_batch = micro_batch;
    run.recomputation = true;
    run.layer = chain_->number(i);
    run.step = keys.step;
    run.seed = keys.seed;
    run.first_sample = keys.first_sample;
    run.pool = context_.pool.get();
    const TensorPtr y = tensor::Tensor::create(run.output->dtype, run.output->shape);
    const auto workspace = tensor::Tensor::create(tensor::Dtype::u8, {profile_->layer(i).options[0].forward_workspace_bytes});
    const void* const from = x == nullptr ? input.data() : x->data();
    layer.forward(run, {from, y->data(), nullptr, workspace->data(), {&from, 1}});
    x = y;
  }
  return x;
}

}  // namespace ckpt::pipeline
