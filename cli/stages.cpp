#include "stages.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <vector>

#include "text.h"
#include "timeline_picture.h"

namespace ckpt::cli {
namespace {

constexpr std::int32_t profiled_steps = 5;

PipelineOrder order_of(const std::string& name) {
  if (name == "gpipe") return PipelineOrder::gpipe;
  return name == "interleaved" ? PipelineOrder::interleaved : PipelineOrder::one_f_one_b;
}

std::int64_t budget_bytes(const std::string& text, const Chain& chain, const TensorSpec& input, const PipelineOptions& options) {
  const Budget budget = parse_budget("--memory-budget", text);
  if (budget.bytes > 0) return std::max<std::int64_t>(1, budget.bytes / options.stages);
  PipelineOptions everything = options;
  everything.tracker = nullptr;
  Pipeline store_all(chain, input, everything);
  std::int64_t most = 0;
  for (std::int32_t stage = 0; stage < options.stages; ++stage) most = std::max(most, store_all.stats(stage).reserved_bytes);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(most) * budget.percent / 100));
}

std::string cell(const std::string& text) { return "<td>" + escaped(text) + "</td>"; }

std::string stage_row(Pipeline& pipeline, std::int32_t stage) {
  const PipelineStats stats = pipeline.stats(stage);
  return "<tr>" + cell(std::to_string(stage)) + cell(std::to_string(stats.layers)) + cell(std::to_string(stats.in_flight)) +
         cell(std::string(pipeline.schedule(stage).name())) + cell(std::to_string(stats.recomputed_forwards)) +
         cell(bytes_text(stats.peak_live_bytes)) + cell(bytes_text(stats.reserved_bytes)) + cell(bytes_text(stats.queue_bytes)) +
         cell(fixed_text(static_cast<double>(stats.busy.count()) * 1e-6, 2)) + "</tr>\n";
}

}  // namespace

bool wants_stages(const TrainOptions& options) {
  return options.stages > 1 || options.micro_batches > 1 || !options.timeline_file.empty() || !options.report_file.empty();
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
  throw std::invalid_argument(
      "--activations: '" + printable(text) +
      "' is no choice of activations; use store-all, recompute-all, selective:N, memory:BYTES or automatic[:BYTES]");
}

ActivationPolicy activation_policy(const TrainOptions& options) {
  ActivationPolicy policy = parse_activations(options.activations);
  if (options.memory_limit.empty()) return policy;
  if (policy.kind != ActivationPolicyKind::automatic) {
    throw std::invalid_argument("--memory-limit is what --activations automatic goes by; '" + printable(options.activations) +
                                "' needs none");
  }
  policy.memory_limit_bytes = parse_budget("--memory-limit", options.memory_limit).bytes;
  if (policy.memory_limit_bytes == 0) throw std::invalid_argument("--memory-limit is an amount of bytes, not a share");
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
                       const MemoryTracker& tracker) {
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
  if (!options.memory_budget.empty()) pipeline.budget_bytes = budget_bytes(options.memory_budget, chain, input, pipeline);
  if (strategy) pipeline.strategy = *strategy;
  return Pipeline(chain, input, pipeline, policy);
}

std::string report_page(Pipeline& pipeline, const std::string& figures) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ckpt train: stages</title>\n"
      "<style>body{font-family:sans-serif;margin:2em}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}"
      "table{border-collapse:collapse}svg{max-width:100%;height:auto}pre{background:#f4f4f4;padding:1em}</style></head><body>\n"
      "<h1>Timeline of the last step</h1>\n";
  std::chrono::nanoseconds step_time{0};
  const std::vector<PipelineInterval> intervals = pipeline.timeline(&step_time);
  page += timeline_picture(intervals, pipeline.stages(), step_time);
  page +=
      "<p>One lane a stage; numbers are micro-batches. Grey: waiting for a neighbour, or handing over "
      "(bubbles).</p>\n<h1>Stages</h1>\n"
      "<table><tr><th>stage</th><th>layers</th><th>in flight</th><th>schedule</th><th>recomputed forwards</th><th>peak</th>"
      "<th>arena</th><th>queues</th><th>busy, ms</th></tr>\n";
  for (std::int32_t stage = 0; stage < pipeline.stages(); ++stage) page += stage_row(pipeline, stage);
  return page + "</table>\n<h1>Run</h1>\n<pre>" + escaped(figures) + "</pre>\n</body></html>\n";
}

}  // namespace ckpt::cli
