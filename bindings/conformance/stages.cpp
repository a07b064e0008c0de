// Commands on activation managers and pipelines.
#include "commands.hpp"

namespace conformance {

namespace {

const Words kind_words = {"", "store-all", "recompute-all", "selective", "memory-based", "strategy", "automatic"};
const Words stage_order_words = {"", "gpipe", "1f1b", "interleaved"};

std::string shape_of(const ckpt::Tensor& tensor) {
  Words lengths;
  for (const std::int64_t length : tensor.shape()) lengths.push_back(number(length));
  std::string text;
  for (const auto& length : lengths) text += (text.empty() ? "" : "x") + length;
  return text.empty() ? "-" : text;
}

std::string described(const ckpt::Tensor& tensor) { return joined({shape_of(tensor), "sum", exact(tensor.sum())}); }

// The forward of a stage; README.md describes it.
ckpt::StageForward forward_of(const std::string& how) {
  if (how == "none") return {};
  if (how == "throws") {
    return [](const ckpt::Tensor&, std::int32_t micro_batch) -> ckpt::Tensor {
      throw std::runtime_error("no forward of " + number(micro_batch));
    };
  }
  if (how != "scales") throw Misuse("unknown forward " + how);
  return [](const ckpt::Tensor& input, std::int32_t micro_batch) {
    ckpt::Tensor output(input.dtype(), input.shape());
    output.copy_from(input);
    output.scale(micro_batch + 2);
    return output;
  };
}

}  // namespace

ckpt::ActivationPolicy Commands::policy_of(const Command& c, const std::string& kind) {
  ckpt::ActivationPolicy policy;
  policy.kind = value_of<ckpt::ActivationPolicyKind>(kind_words, kind);
  policy.interval = c.integer("interval", policy.interval);
  policy.threshold_bytes = c.integer("threshold", policy.threshold_bytes);
  policy.memory_limit_bytes = c.integer("memory", policy.memory_limit_bytes);
  if (c.has("strategy")) policy.strategy = strategies_[c.text("strategy")];
  return policy;
}

std::string Commands::shown(ckpt::ActivationManager& manager) const {
  const ckpt::ActivationPolicy policy = manager.policy();
  return joined({kind_words.at(static_cast<std::size_t>(policy.kind)), "interval", number(policy.interval), "threshold",
                 number(policy.threshold_bytes), "bytes", number(manager.memory_usage()), "count", number(manager.count())});
}

void Commands::activations() {
  on("activations", [this](const Command& c) {
    ckpt::ActivationManagerOptions options;
    options.name = c.text("name");
    if (c.has("tracker")) options.tracker = trackers_[c.text("tracker")];
    if (c.has("clock")) options.clock = clocks_[c.text("clock")];
    activations_.make(c.text(1), policy_of(c, c.text(2)), forward_of(c.text("forward", "scales")), options);
    return Words();
  });
  on("policy", [this](const Command& c) {
    activations_[c.text(1)].set_policy(policy_of(c, c.text(2)));
    return Words();
  });
  on("begin-step", [this](const Command& c) {
    activations_[c.text(1)].begin_step(static_cast<std::int32_t>(c.integer(2)));
    return Words();
  });
  on("would-store", [this](const Command& c) {
    return Words{yes_no(activations_[c.text(1)].should_checkpoint(static_cast<std::int32_t>(c.integer(2)), c.integer(3)))};
  });
  on("store", [this](const Command& c) {
    return Words{yes_no(activations_[c.text(1)].store(static_cast<std::int32_t>(c.integer(2)), tensors_[c.text(3)]))};
  });
  on("stored", [this](const Command& c) {
    const auto found = activations_[c.text(1)].activation(static_cast<std::int32_t>(c.integer(2)));
    return Words{found ? described(*found) : "-"};
  });
  on("recompute", [this](const Command& c) {
    return Words{described(activations_[c.text(1)].recompute(tensors_[c.text(3)], static_cast<std::int32_t>(c.integer(2))))};
  });
  on("stored-or-computed", [this](const Command& c) {
    return Words{described(activations_[c.text(1)].get_or_compute(tensors_[c.text(3)], static_cast<std::int32_t>(c.integer(2))))};
  });
  on("list-stored", [this](const Command& c) {
    Words all;
    for (const std::int32_t micro_batch : activations_[c.text(1)].list()) all.push_back(number(micro_batch));
    return Words{all.empty() ? "-" : joined(all)};
  });
  on("metadata", [this](const Command& c) {
    const auto about = activations_[c.text(1)].metadata(static_cast<std::int32_t>(c.integer(2)));
    Words lengths;
    std::string shape;
    for (const std::int64_t length : about.shape) shape += (shape.empty() ? "" : "x") + number(length);
    return line({std::string(ckpt::dtype_name(about.dtype)), shape.empty() ? "-" : shape, "bytes", number(about.bytes), "hits",
                 number(about.hits), "at", number(about.stored_at.count())});
  });
  on("clear", [this](const Command& c) {
    activations_[c.text(1)].clear();
    return Words();
  });
}

void Commands::pipelines() {
  on("pipeline", [this](const Command& c) {
    const std::int64_t samples = c.integer("samples", 8);
    const std::int64_t width = c.integer(3);
    ckpt::Chain chain;
    for (std::int64_t i = 0; i < c.integer(2); ++i) {
      chain.add(ckpt::Layer("linear" + number(i), "linear", width, width)).add(ckpt::Layer("gelu" + number(i), "gelu"));
    }
    chain.add(ckpt::Layer("loss", "softmax_cross_entropy")).initialize(1);
    ckpt::PipelineOptions options;
    options.order = value_of<ckpt::PipelineOrder>(stage_order_words, c.text("order", "1f1b"));
    options.stages = static_cast<std::int32_t>(c.integer("stages", 1));
    options.chunks = static_cast<std::int32_t>(c.integer("chunks", 1));
    options.micro_batches = static_cast<std::int32_t>(c.integer("micro_batches", 1));
    options.measured_steps = 0;
    options.budget_bytes = c.integer("budget", 0);
    for (const auto& begin : c.names("begins")) options.begins.push_back(to_integer(begin));
    const ckpt::ActivationPolicy policy = policy_of(c, c.text("policy", "store-all"));
    ckpt::Pipeline pipeline(chain, {ckpt::DType::f32, {samples, width}}, options, policy);
    ckpt::Tensor input(ckpt::DType::f32, {samples, width});
    ckpt::Tensor targets(ckpt::DType::u8, {samples});
    auto* const numbers = input.data_as<float>();
    for (std::int64_t i = 0; i < samples * width; ++i) numbers[i] = static_cast<float>(i % 7) / 8;
    auto* const classes = targets.data_as<std::uint8_t>();
    for (std::int64_t i = 0; i < samples; ++i) classes[i] = static_cast<std::uint8_t>(i % width);
    pipelines_.make(c.text(1), std::move(chain), std::move(pipeline), std::move(input), std::move(targets), std::vector<double>());
    return Words();
  });
  on("step", [this](const Command& c) {
    Staged& staged = pipelines_[c.text(1)];
    ckpt::Step step;
    step.step = c.integer(2);
    step.input = staged.input;
    step.targets = staged.targets;
    const double loss = staged.pipeline.run(step, staged.losses);
    Words printed;
    for (const double each : staged.losses) printed.push_back(thousandths(each));
    return line({"loss", thousandths(loss), "of", joined(printed)});
  });
  on("same-step", [this](const Command& c) {
    Staged& a = pipelines_[c.text(1)];
    Staged& b = pipelines_[c.text(2)];
    const auto of_a = a.chain.parameters();
    const auto of_b = b.chain.parameters();
    bool same = a.losses == b.losses && of_a.size() == of_b.size();
    for (std::size_t i = 0; same && i < of_a.size(); ++i) same = of_a[i].gradient.bit_equal(of_b[i].gradient);
    return Words{yes_no(same)};
  });
  on("stage", [this](const Command& c) {
    const auto s = pipelines_[c.text(1)].pipeline.stats(static_cast<std::int32_t>(c.integer(2)));
    return line({"first",     number(s.first_layer),        "layers",   number(s.layers),
                 "in-flight", number(s.in_flight),          "steps",    number(s.steps),
                 "forwards",  number(s.forwards),           "again",    number(s.recomputed_forwards),
                 "kept",      number(s.kept_micro_batches), "not",      number(s.recomputed_micro_batches),
                 "peak",      number(s.peak_live_bytes),    "reserved", number(s.reserved_bytes)});
  });
}

}  // namespace conformance
