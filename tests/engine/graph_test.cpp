// Graphs of layers: gradients agree with differences, and every schedule gives the bits of store-all within the verifier's bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../plan/numbers.h"
#include "../sanitized.h"
#include "engine/kinds.h"
#include "engine/optimizer.h"
#include "engine/profiler.h"
#include "models.h"
#include "plan/planners.h"

namespace ckpt::engine::test {
namespace {

using Values = std::vector<std::int64_t>;

// A graph that ends with one number per sample row, a weighted sum of which is the loss.
struct Graph {
  std::shared_ptr<Chain> chain = std::make_shared<Chain>(0);
  TensorSpec input;
  std::shared_ptr<Tensor> data;
  std::shared_ptr<Tensor> weights;
  std::shared_ptr<Tensor> output;
  std::shared_ptr<Tensor> input_gradient;

  // Returns the value that the layer computes.
  std::int64_t add(const std::string& kind, const Values& inputs) const {
    const std::int64_t number = chain->layers();
    chain->add(make_layer("layer" + std::to_string(number), kind), inputs);
    return number + 1;
  }

  std::shared_ptr<Tensor> random_tensor(const TensorSpec& spec, unsigned seed) const {
    auto tensor = Tensor::create(spec.dtype, spec.shape);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    with_float(spec.dtype, [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t i = 0; i < spec.shape.elements(); ++i) tensor->data_as<T>()[i] = static_cast<T>(uniform(random));
    });
    return tensor;
  }

  void prepare() {
    chain->initialize(3);
    spread_parameters(chain->parameters());
    const TensorSpec last = chain->specs(input).back();
    data = random_tensor(input, 23);
    weights = random_tensor(last, 17);
    output = Tensor::create(last.dtype, last.shape);
    input_gradient = Tensor::create(input.dtype, input.shape);
  }

  Step step() const {
    Step step;
    step.step = 2;
    step.seed = 9;
    step.input = data.get();
    step.output_gradient = weights.get();
    step.output = output.get();
    step.input_gradient = input_gradient.get();
    return step;
  }

  std::unique_ptr<Executor> executor(const plan::Schedule& schedule, int thread_count = 2, ExecutorChecks checks = {}) const {
    return std::make_unique<Executor>(chain, schedule, input, 0, threads(thread_count), std::make_shared<memory::Tracker>(),
                                      nullptr, checks);
  }

  double weighted_output() const {
    double sum = 0;
    for (std::int64_t i = 0; i < output->shape().elements(); ++i)
      sum += weights->data_as<double>()[i] * output->data_as<double>()[i];
    return sum;
  }
};

// Reads values 0, 1 and 2 several times, with every kind of join.
Graph small_graph(Dtype dtype) {
  Graph graph;
  graph.input = {dtype, {3, 4, 6}};
  const std::string linear = dtype == Dtype::f64 ? ",F64" : "";
  const std::int64_t a = graph.add("linear:6,6" + linear, {0});
  const std::int64_t b = graph.add("gelu", {a});
  const std::int64_t product = graph.add("multiply", {a, b});
  const std::int64_t half = graph.add("slice:1,3,axis=1", {product});
  const std::int64_t joined = graph.add("concatenate:1", {half, 0, b});
  const std::int64_t narrow = graph.add("slice:2,6", {joined});
  const std::int64_t wide = graph.add("concatenate", {narrow, joined});
  const std::int64_t back = graph.add("linear:10,6" + linear, {wide});
  const std::int64_t other = graph.add("linear:10,6" + linear, {wide});
  graph.add("add", {joined, back, other});
  graph.prepare();
  return graph;
}

void check_differences(Graph& graph, const Tensor& variable, const std::vector<double>& gradient, const std::string& name,
                       Executor& executor) {
  const double largest = std::abs(*std::ranges::max_element(gradient, {}, [](double x) { return std::abs(x); }));
  ASSERT_GT(largest, 0) << name;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    double& x = variable.data_as<double>()[i];
    const double before = x;
    constexpr double h = 1e-5;
    x = before + h;
    executor.run(graph.step());
    const double above = graph.weighted_output();
    x = before - h;
    executor.run(graph.step());
    const double below = graph.weighted_output();
    x = before;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-6 * std::max(largest, 1e-3)) << name << " element " << i;
  }
}

TEST(Graph, GradientsAgreeWithDifferences) {
  Graph graph = small_graph(Dtype::f64);
  const auto executor = graph.executor(*plan::make_by_text(graph.chain->profile(graph.input), "store-all"));
  executor->run(graph.step());
  check_differences(graph, *graph.data, numbers_of(*graph.input_gradient), "input", *executor);
  for (const Parameter& parameter : graph.chain->parameters()) {
    executor->run(graph.step());
    check_differences(graph, *parameter.value, numbers_of(*parameter.gradient), parameter.name, *executor);
  }
}

struct Bits {
  std::vector<std::byte> output;
  std::vector<std::byte> input_gradient;
  std::vector<std::byte> gradients;
  friend bool operator==(const Bits&, const Bits&) = default;
};

Bits bits_of(const Graph& graph, Executor& executor) {
  executor.run(graph.step());
  const auto bytes_of = [](const Tensor& tensor) {
    return std::vector<std::byte>(tensor.byte_span().begin(), tensor.byte_span().end());
  };
  return {bytes_of(*graph.output), bytes_of(*graph.input_gradient), gradients_of(*graph.chain)};
}

// Runs graph:BYTES at shares of store-all's bytes, and returns how many of the schedules recompute.
int check_budgets(const Graph& graph, const ExecutorChecks& checks) {
  plan::ChainProfile profile = graph.chain->profile(graph.input);
  const auto store_all = plan::make_by_text(profile, "store-all");
  const std::int64_t most = plan::arena_bytes(*store_all, profile);
  const auto plain = graph.executor(*store_all, 1);
  const Bits expected = bits_of(graph, *plain);
  const bool slow = sanitized && profile.layers() > 15;
  int recomputing = 0;
  for (std::int64_t percent = 100; percent >= 40; percent -= slow ? 20 : 6) {
    const std::int64_t budget = most * percent / 100;
    std::shared_ptr<const plan::Schedule> schedule;
    try {
      schedule = plan::make_by_text(profile, "graph:" + std::to_string(budget));
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), base::Status::over_budget) << error.what();
      break;
    }
    for (const int thread_count : {1, 3}) {
      const auto executor = graph.executor(*schedule, thread_count, checks);
      EXPECT_TRUE(bits_of(graph, *executor) == expected) << schedule->name() << ", " << thread_count << " threads";
      EXPECT_TRUE(bits_of(graph, *executor) == expected) << "second step, " << schedule->name();
      const plan::PlanReport report = plan::verify(*schedule, profile);
      EXPECT_EQ(executor->stats().peak_live_bytes, report.peak_bytes[0]);
      EXPECT_EQ(executor->stats().live_bytes, 0);
      EXPECT_EQ(executor->stats().forwards, 2 * report.forwards);
      EXPECT_LE(executor->stats().reserved_bytes, budget);
      if (report.recomputed_forwards > 0) ++recomputing;
    }
  }
  return recomputing;
}

TEST(Graph, EveryBudgetGivesTheSameBits) {
  EXPECT_GT(check_budgets(small_graph(Dtype::f32), {}), 0);
  EXPECT_GT(check_budgets(small_graph(Dtype::f64), {.recompute = RecomputeCheck::bitwise, .writes = true, .finite = true}), 0);
}

// A graph of layers that keep the shape: each reads one or two of the values before it, and the last one adds those without a
// reader.
Graph random_graph(std::uint64_t seed) {
  Numbers numbers(seed);
  Graph graph;
  graph.input = {Dtype::f32, {4, 8}};
  Values values = {0};
  Values unread;
  const auto add = [&](const std::string& kind, const Values& inputs) {
    for (const std::int64_t value : inputs) std::erase(unread, value);
    return graph.add(kind, inputs);
  };
  for (std::int64_t i = 5 + numbers.up_to(8); i > 0; --i) {
    const std::int64_t last = values.back();
    const std::int64_t other = values[static_cast<std::size_t>(numbers.up_to(std::ssize(values) - 1))];
    std::int64_t value = 0;
    if (other != last && numbers.one_in(2)) {
      const Values both = numbers.one_in(2) ? Values{last, other} : Values{other, last};
      const char* const joins[] = {"concatenate", "add", "multiply"};
      const std::int64_t join = numbers.up_to(2);
      value = add(joins[join], both);
      if (join == 0) value = add("slice:5,13", {value});
    } else {
      const char* const kinds[] = {"linear:8,8", "relu", "gelu", "dropout:0.25", "layer_norm:8"};
      value = add(kinds[numbers.up_to(4)], {other});
    }
    values.push_back(value);
    unread.push_back(value);
  }
  if (unread.size() > 1) graph.add("add", unread);
  graph.prepare();
  return graph;
}

// 60 graphs with CKPT_TEST_GRAPHS=60.
TEST(Graph, RandomGraphsGiveTheSameBits) {
  const char* const graphs = std::getenv("CKPT_TEST_GRAPHS");
  const int count = graphs != nullptr ? std::atoi(graphs) : sanitized ? 3 : 15;
  int recomputing = 0;
  for (int seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = random_graph(static_cast<std::uint64_t>(seed));
    recomputing += check_budgets(graph, {.recompute = RecomputeCheck::bitwise, .writes = seed % 2 == 0});
    if (HasFailure()) return;
  }
  EXPECT_GT(recomputing, count);
}

// ---- Attention ----

TEST(Graph, AttentionAgreesWithDifferences) {
  for (const Values& inputs : {Values{1}, Values{1, 2}}) {
    Graph graph;
    graph.input = {Dtype::f64, {2, 5, 6}};
    // Two heads of width 2, which share keys and values.
    graph.add(inputs.size() == 1 ? "linear:6,8,F64" : "linear:6,4,F64", {0});
    if (inputs.size() == 2) graph.add("linear:6,4,F64", {0});
    graph.add("dot_product_attention:2,1", inputs);
    graph.prepare();
    const auto executor = graph.executor(*plan::make_by_text(graph.chain->profile(graph.input), "store-all"));
    executor->run(graph.step());
    check_differences(graph, *graph.data, numbers_of(*graph.input_gradient), "input", *executor);
  }
}

// Longer than a block of queries and keys, next to the plain formula.
TEST(Graph, AttentionToAnotherSequence) {
  constexpr std::int64_t queries = 70;
  constexpr std::int64_t keys = 203;
  constexpr std::int64_t width = 3;
  Graph graph;
  graph.input = {Dtype::f64, {1, queries + keys, 2 * width}};
  const std::int64_t head = graph.add("slice:0,70,axis=1", {0});
  const std::int64_t query = graph.add("slice:0,3", {head});
  const std::int64_t rest = graph.add("slice:70,273,axis=1", {0});
  graph.add("dot_product_attention:1", {query, rest});
  graph.prepare();
  const auto executor = graph.executor(*plan::make_by_text(graph.chain->profile(graph.input), "store-all"));
  executor->run(graph.step());
  const double* const x = graph.data->data_as<double>();
  for (std::int64_t i = 0; i < queries; ++i) {
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t j = queries; j < queries + keys; ++j) {
      double score = 0;
      for (std::int64_t k = 0; k < width; ++k) score += x[i * 2 * width + k] * x[j * 2 * width + k];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
      sum += weights.back();
    }
    for (std::int64_t k = 0; k < width; ++k) {
      double expected = 0;
      for (std::int64_t j = 0; j < keys; ++j)
        expected += weights[static_cast<std::size_t>(j)] / sum * x[(queries + j) * 2 * width + width + k];
      EXPECT_NEAR(graph.output->data_as<double>()[i * width + k], expected, 1e-12) << i << ", " << k;
    }
  }
  const auto gradient = numbers_of(*graph.input_gradient);
  for (std::size_t i = 0; i < gradient.size(); i += 37) {
    double& number = graph.data->data_as<double>()[i];
    const double before = number;
    number = before + 1e-5;
    executor->run(graph.step());
    const double above = graph.weighted_output();
    number = before - 1e-5;
    executor->run(graph.step());
    const double below = graph.weighted_output();
    number = before;
    EXPECT_NEAR(gradient[i], (above - below) / 2e-5, 1e-8) << i;
  }
}

void add_block(Chain& chain, const std::string& block, std::int64_t width) {
  const std::string w = std::to_string(width);
  const std::string hidden = std::to_string(2 * width);
  const auto add = [&](const char* name, const std::string& kind) { chain.add(make_layer(block + name, kind)); };
  const std::int64_t x = chain.layers();
  add(".attention.norm", "layer_norm:" + w);
  add(".attention.qkv", "linear:" + w + "," + std::to_string(3 * width));
  add(".attention.core", "dot_product_attention:4");
  add(".attention.out", "linear:" + w + "," + w);
  chain.add(make_layer(block + ".attention", "add"), Values{x, chain.layers()});
  const std::int64_t y = chain.layers();
  add(".mlp.norm", "layer_norm:" + w);
  add(".mlp.up", "linear:" + w + "," + hidden);
  add(".mlp.gelu", "gelu");
  add(".mlp.down", "linear:" + hidden + "," + w);
  chain.add(make_layer(block + ".mlp", "add"), Values{y, chain.layers()});
}

// The model of transformer(), in single operations: the names of its parameters are the same.
Model written_out(const Model& fused, std::int64_t context, std::int64_t width, int blocks) {
  Model model = fused;
  model.chain = std::make_shared<Chain>(0);
  const auto embedding = make_token_embedding("embedding", transformer_vocabulary, context, width, true, Dtype::f32);
  model.chain->add(embedding);
  for (int i = 0; i < blocks; ++i) add_block(*model.chain, "block" + std::to_string(i), width);
  model.chain->add(make_layer_norm("norm", width, 1e-5, Dtype::f32));
  model.chain->add(make_tied_head("head", embedding));
  model.chain->add(make_softmax_cross_entropy("loss"));
  model.chain->initialize(7);
  for (const Parameter& parameter : model.chain->parameters())
    std::ranges::copy(parameter_named(*fused.chain, parameter.name).value->byte_span(), parameter.value->byte_span().begin());
  return model;
}

TEST(Graph, WrittenOutTransformerTrainsAsTheFusedOne) {
  const Model fused = transformer(Dtype::f32, 3, 16, 32, 4, 2, 0);
  const Model single = written_out(fused, 16, 32, 2);
  ASSERT_EQ(single.chain->parameters().size(), fused.chain->parameters().size());
  const plan::ChainProfile profile = single.chain->profile(single.input);
  const auto store_all = plan::make_by_text(profile, "store-all");
  const std::int64_t budget = plan::arena_bytes(*store_all, profile) * 7 / 10;
  const auto schedule = plan::make_by_text(profile, "graph:" + std::to_string(budget));
  EXPECT_GT(plan::verify(*schedule, profile).recomputed_forwards, 0);
  const auto fused_executor = executor_for(fused, *plan::make_store_all(fused.chain->profile(fused.input)));
  const auto executor = executor_for(single, *schedule, 2);
  const auto fused_optimizer = make_sgd(fused.chain, 0.05, 0.9);
  const auto optimizer = make_sgd(single.chain, 0.05, 0.9);
  double first = 0;
  double last = 0;
  for (std::int64_t step = 0; step < 10; ++step) {
    last = executor->run(step_of(single, step));
    const double expected = fused_executor->run(step_of(fused, step));
    EXPECT_NEAR(last, expected, 1e-5 * expected) << step;
    if (step == 0) first = last;
    optimizer->step();
    fused_optimizer->step();
  }
  EXPECT_LT(last, 0.9 * first);
  EXPECT_LE(executor->stats().reserved_bytes, budget);
}

// Three blocks of a decoder read the output of an encoder.
TEST(Graph, EncoderAndDecoder) {
  Graph graph;
  graph.input = {Dtype::f32, {2, 20, 8}};
  std::int64_t encoded = graph.add("slice:0,12,axis=1", {0});
  std::int64_t decoded = graph.add("slice:12,20,axis=1", {0});
  const auto residual = [&](std::int64_t x, std::int64_t from, const std::string& core, const Values& also) {
    Values inputs = {from};
    inputs.insert(inputs.end(), also.begin(), also.end());
    return graph.add("add", {x, graph.add("linear:8,8", {graph.add(core, inputs)})});
  };
  encoded = residual(encoded, graph.add("linear:8,24", {encoded}), "dot_product_attention:2", {});
  for (int i = 0; i < 3; ++i) {
    decoded = residual(decoded, graph.add("linear:8,24", {graph.add("layer_norm:8", {decoded})}), "dot_product_attention:2", {});
    const std::int64_t keys = graph.add("linear:8,16", {encoded});
    decoded = residual(decoded, graph.add("linear:8,8", {decoded}), "dot_product_attention:2", {keys});
  }
  graph.prepare();
  EXPECT_GT(check_budgets(graph, {.recompute = RecomputeCheck::bitwise, .writes = true}), 2);
}

// ---- Other uses ----

TEST(Graph, EvaluatesWithoutDropout) {
  Graph graph;
  graph.input = {Dtype::f32, {4, 8}};
  const std::int64_t a = graph.add("linear:8,8", {0});
  const std::int64_t dropped = graph.add("dropout:0.5", {a});
  const std::int64_t b = graph.add("gelu", {dropped});
  const std::int64_t c = graph.add("linear:8,8", {b});
  graph.add("add", {a, c, 0});
  graph.prepare();
  const auto executor = graph.executor(*plan::make_by_text(graph.chain->profile(graph.input), "store-all"));
  const Bits step = bits_of(graph, *executor);
  executor->evaluate(graph.step(), graph.chain->layers());
  const auto evaluated = numbers_of(*graph.output);

  Graph plain;  // the same without dropout
  plain.input = graph.input;
  plain.add("linear:8,8", {0});
  plain.add("gelu", {1});
  plain.add("linear:8,8", {2});
  plain.add("add", {1, 3, 0});
  plain.prepare();
  const auto values = values_of(*graph.chain);
  ASSERT_EQ(values.size(), values_of(*plain.chain).size());
  for (std::size_t i = 0; i < plain.chain->parameters().size(); ++i) {
    std::ranges::copy(graph.chain->parameters()[i].value->byte_span(), plain.chain->parameters()[i].value->byte_span().begin());
  }
  const auto reference = plain.executor(*plan::make_by_text(plain.chain->profile(plain.input), "store-all"));
  reference->run(plain.step());
  EXPECT_EQ(evaluated, numbers_of(*plain.output));
  EXPECT_FALSE(step.output == bits_of(plain, *reference).output) << "dropout changes the step";
}

TEST(Graph, IsMeasuredInSteps) {
  const Graph graph = small_graph(Dtype::f32);
  const auto before = gradients_of(*graph.chain);
  const auto pool = threads(1);
  for (const plan::ChainProfile& profile :
       {measured_in_chain(graph.chain, graph.step(), 3, pool), measured_shape(*graph.chain, graph.input, 3, *pool).profile}) {
    ASSERT_TRUE(profile.is_graph());
    EXPECT_EQ(profile.reads(4).inputs, (Values{4, 0, 2}));
    for (std::int64_t i = 0; i < profile.layers(); ++i) {
      EXPECT_GT(profile.layer(i).options[0].forward_seconds, 0) << i;
      EXPECT_GT(profile.layer(i).options[0].backward_seconds, 0) << i;
    }
  }
  EXPECT_TRUE(gradients_of(*graph.chain) == before);
}

// An element-wise layer may overwrite its input only where no other layer reads it.
TEST(Graph, RunsInPlaceOnlyOnValuesThatItAloneReads) {
  Graph graph;
  graph.input = {Dtype::f32, {4, 8}};
  graph.add("linear:8,8", {0});
  graph.add("relu", {1});
  graph.add("gelu", {2});
  graph.add("add", {3, 1});
  const plan::ChainProfile profile = graph.chain->profile(graph.input);
  EXPECT_FALSE(profile.layer(1).has(plan::in_place));
  EXPECT_TRUE(profile.layer(2).has(plan::in_place));
}

void expect_refused(const char* kind, const Values& inputs, std::string_view message) {
  Graph graph;
  graph.input = {Dtype::f32, {4, 8}};
  graph.add("linear:8,6", {0});
  graph.add("linear:6,8", {1});
  const base::Error error = thrown_by([&] {
    graph.add(kind, inputs);
    graph.chain->profile(graph.input);
  });
  EXPECT_EQ(error.status(), base::Status::invalid_argument) << kind;
  EXPECT_TRUE(contains(error, message)) << error.message();
}

TEST(Graph, RefusesInputsThatDoNotFit) {
  expect_refused("add", {2, 1}, "layer 'layer2': input 1 is F32[4, 6]; expected F32[4, 8] of input 0");
  expect_refused("add", {2}, "inputs: found 1; expected at least 2");
  expect_refused("multiply", {0, 1, 2}, "inputs: found 3; expected 2");
  expect_refused("relu", {2, 1}, "inputs: found 2; expected 1");
  expect_refused("concatenate:2", {1, 2}, "input 0 is F32[4, 6]; expected F32 or F64 with at least 3 dimensions");
  expect_refused("slice:2,9", {2}, "end is 9; expected at most 8, the length of dimension 1");
  expect_refused("dot_product_attention:2", {2, 1}, "expected F32 or F64 [samples, tokens, a multiple of 2]");
  expect_refused("dot_product_attention:2,3", {2}, "key_heads is 3; expected 0 or a divisor of heads 2");
  expect_refused("slice:3,3", {2}, "end is 3; expected above begin, 3");
  expect_refused("add", {2, 2}, "inputs has value 2 twice");
  expect_refused("add", {2, 3}, "inputs[1] is 3; expected 0 .. 2");
  expect_refused("linear:8,8", {0}, "no layer reads value 2 of layer 1 (layer1)");
}

TEST(Graph, IsRefusedByWhatRunsChains) {
  const Graph graph = small_graph(Dtype::f32);
  const plan::ChainProfile profile = graph.chain->profile(graph.input);
  const base::Error error = thrown_by([&] { plan::make_by_text(profile, "chain:1GiB"); });
  EXPECT_EQ(error.status(), base::Status::unsupported);
  const auto executor = graph.executor(*plan::make_by_text(profile, "store-all"));
  const base::Error frozen = thrown_by([&] { graph.add("relu", {1}); });
  EXPECT_EQ(frozen.status(), base::Status::invalid_state);
}

}  // namespace
}  // namespace ckpt::engine::test
