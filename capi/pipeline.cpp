#include "pipeline.h"

#include <vector>

#include "custom_layer.h"
#include "engine.h"
#include "memory.h"
#include "plan.h"
#include "strategy.h"
#include "structs.h"
#include "tensor.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace pipeline = ckpt::pipeline;
using pipeline::Policy;

static_assert(CKPT_ACTIVATION_POLICY_KIND_STORE_ALL == static_cast<int>(Policy::Kind::store_all));
static_assert(CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL == static_cast<int>(Policy::Kind::recompute_all));
static_assert(CKPT_ACTIVATION_POLICY_KIND_SELECTIVE == static_cast<int>(Policy::Kind::selective));
static_assert(CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED == static_cast<int>(Policy::Kind::memory_based));
static_assert(CKPT_ACTIVATION_POLICY_KIND_STRATEGY == static_cast<int>(Policy::Kind::strategy));
static_assert(CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC == static_cast<int>(Policy::Kind::automatic));

static_assert(CKPT_PIPELINE_ORDER_GPIPE == static_cast<int>(pipeline::Order::gpipe));
static_assert(CKPT_PIPELINE_ORDER_1F1B == static_cast<int>(pipeline::Order::one_f_one_b));
static_assert(CKPT_PIPELINE_ORDER_INTERLEAVED == static_cast<int>(pipeline::Order::interleaved));
static_assert(CKPT_INTERVAL_KIND_FORWARD == static_cast<int>(pipeline::Interval::Kind::forward));
static_assert(CKPT_INTERVAL_KIND_RECOMPUTE == static_cast<int>(pipeline::Interval::Kind::recompute));
static_assert(CKPT_INTERVAL_KIND_BACKWARD == static_cast<int>(pipeline::Interval::Kind::backward));
static_assert(CKPT_INTERVAL_KIND_WAIT == static_cast<int>(pipeline::Interval::Kind::wait));
static_assert(sizeof(ckpt_pipeline_interval) == 32);

namespace {

constexpr ckpt_activation_policy default_policy = CKPT_ACTIVATION_POLICY_INIT;
static_assert(default_policy.threshold_bytes == pipeline::default_threshold_bytes);

pipeline::Pipeline& pipeline_argument(const ckpt_pipeline* handle) { return *checked(handle, "pipeline")->object; }

ckpt_pipeline_options pipeline_options_argument(const ckpt_pipeline_options* options) {
  return options_argument(options, "options");
}

pipeline::Layout layout_of(const ckpt_pipeline_options& given) {
  require(given.order >= CKPT_PIPELINE_ORDER_GPIPE && given.order <= CKPT_PIPELINE_ORDER_INTERLEAVED, "options.order is ",
          given.order, "; expected 1 .. 3 (CKPT_PIPELINE_ORDER_*)");
  const pipeline::Layout layout{static_cast<pipeline::Order>(given.order), given.stages, given.chunks, given.micro_batches};
  pipeline::check(layout);
  return layout;
}

pipeline::PipelineOptions to_options(const ckpt_pipeline_options& given) {
  pipeline::PipelineOptions options;
  options.layout = layout_of(given);
  const auto begins = array_argument(given.begins, given.begins_count, "options.begins");
  options.begins.assign(begins.begin(), begins.end());
  if (given.policy != nullptr) options.policy = policy_argument(given.policy);
  if (given.strategy != nullptr) options.choice.strategy = checked(given.strategy, "options.strategy")->object;
  for (const ckpt_schedule* schedule : array_argument(given.schedules, given.schedules_count, "options.schedules"))
    options.choice.schedules.push_back(checked(schedule, "an entry of options.schedules")->object);
  options.choice.budget_bytes = given.budget_bytes;
  options.threads_per_stage = given.threads_per_stage;
  options.queue_places = given.queue_places;
  options.measured_runs = given.measured_steps;
  const auto* const tracker = checked_or_null(given.tracker, "options.tracker");
  if (tracker != nullptr) options.tracker = tracker->object;
  options.checks = checks_argument(given.recompute_check, given.check_writes, given.check_finite);
  return options;
}

// Copies as many items as fit into the caller's array, and sets their number.
template <class T>
void copy_list(const std::vector<T>& all, T* out, int64_t capacity, int64_t* count) {
  std::copy_n(all.begin(), std::min(all.size(), static_cast<std::size_t>(capacity)), out);
  *count = static_cast<int64_t>(all.size());
}

}  // namespace

// ---- Policies ----

pipeline::Policy ckpt::capi::policy_argument(const ckpt_activation_policy* policy) {
  const auto given = options_argument(policy, "policy");
  Policy result;
  require(given.kind >= CKPT_ACTIVATION_POLICY_KIND_STORE_ALL && given.kind <= CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC,
          "policy.kind is ", given.kind, "; expected 1 .. 6 (CKPT_ACTIVATION_*)");
  copy_from_c(given, result);
  if (given.kind == CKPT_ACTIVATION_POLICY_KIND_STRATEGY) result.strategy = checked(given.strategy, "policy.strategy")->object;
  pipeline::check(result);
  return result;
}

// ---- Pipelines ----

ckpt_status ckpt_pipeline_split(const ckpt_profile* profile, const ckpt_pipeline_options* options, int64_t* begins,
                                int64_t capacity, int64_t* count) {
  return guard([&] {
    const auto& object = *checked(profile, "profile")->object;
    array_argument(begins, capacity, "begins");
    not_null(count, "count");
    copy_list(pipeline::balanced_begins(object, layout_of(pipeline_options_argument(options))), begins, capacity, count);
  });
}

ckpt_status ckpt_pipeline_get_in_flight(const ckpt_pipeline_options* options, int32_t piece, int32_t* in_flight) {
  return guard([&] {
    const pipeline::Layout layout = layout_of(pipeline_options_argument(options));
    if (piece < 0 || piece >= layout.pieces()) fail(Status::out_of_range, "piece is ", piece, "; there are ", layout.pieces());
    *not_null(in_flight, "in_flight") = pipeline::in_flight(layout, piece);
  });
}

ckpt_status ckpt_pipeline_create(ckpt_chain* chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options,
                                 ckpt_pipeline** out) {
  return guard([&] {
    const auto object = chain_argument(chain);
    const ckpt::engine::TensorSpec spec = to_spec(*not_null(input, "input"), "input");
    const pipeline::PipelineOptions given = to_options(pipeline_options_argument(options));
    not_null(out, "pipeline");
    hand_out(out, pipeline::Pipeline::create(object, spec, given));
  });
}

ckpt_status ckpt_pipeline_run(ckpt_pipeline* handle, const ckpt_step* step, int64_t timeout_ns, double* loss, double* losses) {
  return guard([&] {
    // Another reference, because a layer's callback may release the handle.
    const std::shared_ptr<pipeline::Pipeline> object = checked(handle, "pipeline")->object;
    const auto places = losses == nullptr ? 0U : static_cast<std::size_t>(object->layout().micro_batches);
    const double result = object->run(step_argument(step), timeout_ns, {losses, places});
    if (loss != nullptr) *loss = result;
  });
}

ckpt_status ckpt_pipeline_cancel(ckpt_pipeline* handle) {
  return guard([&] { pipeline_argument(handle).cancel(); });
}

ckpt_status ckpt_pipeline_get_begins(const ckpt_pipeline* handle, int64_t* begins, int64_t capacity, int64_t* count) {
  return guard([&] {
    const auto& object = pipeline_argument(handle);
    array_argument(begins, capacity, "begins");
    copy_list(object.begins(), begins, capacity, not_null(count, "count"));
  });
}

ckpt_status ckpt_pipeline_get_manager(ckpt_pipeline* handle, int32_t stage, ckpt_activation_manager** manager) {
  return guard([&] {
    auto& object = pipeline_argument(handle);
    not_null(manager, "manager");
    hand_out(manager, object.manager(stage));
  });
}

ckpt_status ckpt_pipeline_get_schedule(ckpt_pipeline* handle, int32_t stage, ckpt_schedule** schedule) {
  return guard([&] {
    auto& object = pipeline_argument(handle);
    not_null(schedule, "schedule");
    hand_out(schedule, object.schedule(stage));
  });
}

ckpt_status ckpt_pipeline_get_profile(ckpt_pipeline* handle, int32_t stage, ckpt_profile** profile) {
  return guard([&] {
    auto& object = pipeline_argument(handle);
    not_null(profile, "profile");
    hand_out(profile, std::make_shared<ckpt::plan::ChainProfile>(object.profile(stage)));
  });
}

ckpt_status ckpt_pipeline_get_stats(ckpt_pipeline* handle, int32_t stage, ckpt_pipeline_stats* stats) {
  return guard([&] {
    auto& object = pipeline_argument(handle);
    check_struct(stats, "stats");
    const pipeline::StageStats now = object.stats(stage);
    auto values = struct_of<ckpt_pipeline_stats, 6>(now);
    copy_to_c<7>(values, now.executor);
    values.queue_bytes = object.queue_bytes(stage);
    fill_struct(stats, values, "stats");
  });
}

ckpt_status ckpt_pipeline_get_timeline(ckpt_pipeline* handle, ckpt_pipeline_interval* intervals, int64_t capacity, int64_t* count,
                                       int64_t* step_ns) {
  return guard([&] {
    auto& object = pipeline_argument(handle);
    array_argument(intervals, capacity, "intervals");
    not_null(count, "count");
    const pipeline::Timeline timeline = object.timeline();
    std::vector<ckpt_pipeline_interval> all;
    for (const pipeline::Interval& each : timeline.intervals) {
      all.push_back({static_cast<int32_t>(each.kind), each.stage, each.chunk, each.micro_batch, each.begin_at_ns, each.end_at_ns});
    }
    copy_list(all, intervals, capacity, count);
    if (step_ns != nullptr) *step_ns = timeline.step_ns;
  });
}

ckpt_status ckpt_pipeline_get_trace_json(ckpt_pipeline* handle, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(pipeline::trace_json(pipeline_argument(handle).timeline()), buffer, capacity, needed); });
}

void ckpt_pipeline_release(ckpt_pipeline* handle) { release(handle); }
