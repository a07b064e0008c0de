#include "stages.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <vector>

#include "requested_budget.h"
#include "text.h"

namespace ckpt::cli {
namespace {

constexpr std::int32_t profiled_steps = 5;

PipelineOrder order_of(const std::string& name) {
  if (name == "gpipe") return PipelineOrder::gpipe;
  return name == "interleaved" ? PipelineOrder::interleaved : PipelineOrder::one_f_one_b;
}

// Returns the budget of one stage.
RequestedBudget stage_budget(const std::string& text, const Chain& chain, const TensorSpec& input, const PipelineOptions& options) {
  const Budget budget = parse_budget("--memory-budget", text);
  if (budget.bytes > 0) return {"--memory-budget", budget, 0, std::max<std::int64_t>(1, budget.bytes / options.stages)};
  PipelineOptions everything = options;
  everything.tracker = nullptr;
  Pipeline store_all(chain, input, everything);
  std::int64_t max = 0;
  for (std::int32_t stage = 0; stage < options.stages; ++stage) max = std::max(max, store_all.stats(stage).reserved_bytes);
  return {"--memory-budget", budget, max, budget.bytes_of(max)};
}

}  // namespace

bool wants_stages(const TrainOptions& options) {
  return options.stages > 1 || options.micro_batches > 1 || !options.timeline_file.empty() || options.activations != "store-all";
}

ActivationPolicy parse_activations(const std::string& text) {
  if (text == "store-all") return {ActivationPolicyKind::store_all};
  if (text == "recompute-all") return {ActivationPolicyKind::recompute_all};
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string argument = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "selective") {
    std::int64_t interval = -1;
    const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), interval);
    if (error == std::errc() && end == argument.data() + argument.size() && interval >= 0)
      return {ActivationPolicyKind::selective, interval};
  }
  if (kind == "memory" && argument.find('%') == std::string::npos) {
    ActivationPolicy policy{ActivationPolicyKind::memory_based};
    policy.threshold_bytes = parse_budget("--activations: '" + printable(text) + "'", argument).bytes;
    return policy;
  }
  if (kind == "automatic" && argument.find('%') == std::string::npos) {
    ActivationPolicy policy{ActivationPolicyKind::automatic};
    if (colon != std::string::npos)
      policy.threshold_bytes = parse_budget("--activations: '" + printable(text) + "'", argument).bytes;
    return policy;
  }
  throw std::invalid_argument("--activations: '" + printable(text) +
                              "': expected store-all, recompute-all, selective:N, memory:BYTES or automatic[:BYTES]");
}

ActivationPolicy activation_policy(const TrainOptions& options) {
  ActivationPolicy policy = parse_activations(options.activations);
  if (options.memory_limit.empty()) return policy;
  if (policy.kind != ActivationPolicyKind::automatic) {
    throw std::invalid_argument("--memory-limit: requires --activations automatic, found '" + printable(options.activations) + "'");
  }
  policy.memory_limit_bytes = parse_budget("--memory-limit", options.memory_limit).bytes;
  if (policy.memory_limit_bytes == 0)
    throw std::invalid_argument("--memory-limit: expected an amount of bytes, found a percentage");
  return policy;
}

std::string policy_text(const ActivationPolicy& policy) {
  switch (policy.kind) {
    case ActivationPolicyKind::store_all: return "store-all";
    case ActivationPolicyKind::recompute_all: return "recompute-all";
    case ActivationPolicyKind::selective: return "selective:" + std::to_string(policy.interval);
    case ActivationPolicyKind::memory_based: return "memory:" + std::to_string(policy.threshold_bytes);
    default: return "strategy";
  }
}

Pipeline make_pipeline(const Chain& chain, const TensorSpec& input, const TrainOptions& options, std::int32_t threads,
                       const MemoryTracker& tracker, std::int64_t* stage_budget_bytes) {
  const ActivationPolicy policy = activation_policy(options);
  std::optional<Strategy> strategy;
  if (!options.strategy.empty()) strategy = Strategy::create(options.strategy);
  PipelineOptions pipeline;
  pipeline.order = order_of(options.schedule);
  pipeline.stages = options.stages;
  pipeline.micro_batches = options.micro_batches;
  pipeline.chunks = options.chunks > 0 ? options.chunks : options.schedule == "interleaved" ? 2 : 1;
  pipeline.threads_per_stage = std::max(1, threads / options.stages);
  pipeline.measured_steps = profiled_steps;
  pipeline.tracker = tracker;
  RequestedBudget budget;
  if (!options.memory_budget.empty()) budget = stage_budget(options.memory_budget, chain, input, pipeline);
  *stage_budget_bytes = pipeline.budget_bytes = budget.bytes();
  if (strategy) pipeline.strategy = *strategy;
  return budget.answer([&] { return Pipeline(chain, input, pipeline, policy); });
}

}  // namespace ckpt::cli
