// The layers of transformers against their formulas: gradients by differences, outputs by plain loops, and the same bits with every
// option and any number of threads.
#include <gtest/gtest.h>

#include <limits>

#include "reference_blocks.h"
#include "single_layer.h"

namespace ckpt::engine::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ---- Tested layers ----------------------------------------------------------------------------------------------------------

struct Attention {
  const char* what;
  AttentionOptions options;
};
struct Mlp {
  const char* what;
  MlpOptions options;
};

std::vector<Attention> attentions(Dtype dtype) {
  return {
      {"plain", {.width = 8, .heads = 2, .dtype = dtype}},
      {"shared keys", {.width = 12, .heads = 6, .key_heads = 2, .dtype = dtype}},
      {"one key", {.width = 8, .heads = 4, .key_heads = 1, .rotary_base = 10000, .dtype = dtype}},
      {"rotary", {.width = 8, .heads = 2, .rotary_base = 100, .dtype = dtype}},
      {"rms_norm", {.width = 6, .heads = 2, .norm = Norm::rms_norm, .dtype = dtype}},
      {"dropout", {.width = 8, .heads = 2, .dropout = 0.3, .dtype = dtype}},
      {"all", {.width = 8, .heads = 4, .key_heads = 2, .norm = Norm::rms_norm, .rotary_base = 50, .dropout = 0.3, .dtype = dtype}}};
}

std::vector<Mlp> mlps(Dtype dtype) {
  return {
      {"gelu", {.width = 6, .hidden = 10, .dtype = dtype}},
      {"swiglu", {.width = 6, .hidden = 7, .activation = Activation::swiglu, .dtype = dtype}},
      {"rms_norm", {.width = 6, .hidden = 10, .norm = Norm::rms_norm, .dtype = dtype}},
      {"dropout", {.width = 6, .hidden = 10, .dropout = 0.3, .dtype = dtype}},
      {"all", {.width = 5, .hidden = 9, .activation = Activation::swiglu, .norm = Norm::rms_norm, .dropout = 0.3, .dtype = dtype}}};
}

std::shared_ptr<Layer> embedding(Dtype dtype, bool positions = true) {
  return make_token_embedding("embedding", 7, 9, 5, positions, dtype);
}

// Calls work(what, layer, width of its input's rows) for every kind with an F32 or F64 input.
template <class Work>
void for_each_block(Dtype dtype, Work&& work) {
  for (const auto& [what, options] : attentions(dtype))
    work(std::string("attention, ") + what, make_attention("block", options), options.width);
  for (const auto& [what, options] : mlps(dtype)) work(std::string("mlp, ") + what, make_mlp("block", options), options.width);
  work(std::string("tied head"), make_tied_head("block", embedding(dtype)), std::int64_t{5});
}

void set_tokens(const SingleLayer& single) {
  std::byte* const tokens = single.input().data_as<std::byte>();
  for (std::int64_t i = 0; i < single.input().shape().elements(); ++i) tokens[i] = static_cast<std::byte>(i * i % 7);
}

// ---- Gradients ---------------------------------------------------------------------------------------------------------------

// Returns the sum of the output's elements, weighted by the gradient that backward receives.
double weighted_sum(SingleLayer& single) {
  const std::vector<double> output = numbers_of(Dtype::f64, single.output());
  const double* const weights = single.output_gradient().data_as<double>();
  double sum = 0;
  for (std::size_t i = 0; i < output.size(); ++i) sum += weights[i] * output[i];
  return sum;
}

std::vector<double> differences(SingleLayer& single, const Tensor& variable) {
  constexpr double h = 1e-5;
  std::vector<double> all;
  for (std::int64_t i = 0; i < variable.shape().elements(); ++i) {
    double& x = variable.data_as<double>()[i];
    const double before = x;
    x = before + h;
    const double above = weighted_sum(single);
    x = before - h;
    const double below = weighted_sum(single);
    x = before;
    all.push_back((above - below) / (2 * h));
  }
  return all;
}

void expect_near(const std::vector<double>& given, const std::vector<double>& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(given.size(), expected.size()) << what;
  for (std::size_t i = 0; i < given.size(); ++i)
    EXPECT_NEAR(given[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << what << ", element " << i;
}

void check_gradients(SingleLayer& single, const std::string& what) {
  std::vector<double> of_parameters;
  for (const Parameter& parameter : single.parameters()) {
    const std::vector<double> those = differences(single, *parameter.value);
    of_parameters.insert(of_parameters.end(), those.begin(), those.end());
  }
  std::vector<double> of_input;
  if (single.makes_input_gradient()) of_input = differences(single, single.input());
  for (std::int32_t option = 0; option < single.layer().options(); ++option) {
    const LayerRun run = single.run(option);
    const std::string here = what + ", option " + std::to_string(option);
    expect_near(numbers_of(Dtype::f64, run.gradients), of_parameters, 1e-6, here + ", parameters");
    expect_near(numbers_of(Dtype::f64, run.input_gradient), of_input, 1e-6, here + ", input");
  }
}

TEST(BlockGradients, OfEveryBlockAgreeWithDifferences) {
  for_each_block(Dtype::f64, [](const std::string& what, const std::shared_ptr<Layer>& layer, std::int64_t width) {
    SingleLayer single(layer, {Dtype::f64, {2, 5, width}});
    check_gradients(single, what);
  });
}

TEST(BlockGradients, OfTokenEmbeddingsAgreeWithDifferences) {
  for (const bool positions : {true, false}) {
    SingleLayer single(embedding(Dtype::f64, positions), {Dtype::u8, {3, 4}});
    set_tokens(single);
    check_gradients(single, positions ? "learned positions" : "no positions");
  }
}

// Backward adds to the existing gradients.
TEST(BlockGradients, AreAccumulated) {
  for_each_block(Dtype::f64, [](const std::string& what, const std::shared_ptr<Layer>& layer, std::int64_t width) {
    SingleLayer single(layer, {Dtype::f64, {2, 5, width}});
    std::vector<double> twice = numbers_of(Dtype::f64, single.run(0).gradients);
    for (double& each : twice) each *= 2;
    expect_near(numbers_of(Dtype::f64, single.run_on(0).gradients), twice, 1e-12, what);
  });
}

// ---- Bits --------------------------------------------------------------------------------------------------------------------

TEST(BlockBits, AreEqualForEveryOption) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const std::int64_t context : {1, 5, 64, 65, 128, 129, 200}) {
      for_each_block(dtype, [&](const std::string& what, const std::shared_ptr<Layer>& layer, std::int64_t width) {
        SingleLayer single(layer, {dtype, {2, context, width}});
        const LayerRun expected = single.run(0);
        for (const double number : numbers_of(dtype, expected.output)) ASSERT_TRUE(std::isfinite(number)) << what;
        EXPECT_TRUE(single.output() == expected.output) << what << ", without a tape, context " << context;
        for (std::int32_t option = 1; option < layer->options(); ++option) {
          const LayerRun run = single.run(option);
          EXPECT_TRUE(run.output == expected.output) << what << ", option " << option << ", context " << context;
          EXPECT_TRUE(run.input_gradient == expected.input_gradient) << what << ", option " << option << ", context " << context;
          EXPECT_TRUE(run.gradients == expected.gradients) << what << ", option " << option << ", context " << context;
        }
      });
    }
  }
}

TEST(BlockBits, AreEqualForAnyNumberOfThreads) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for_each_block(dtype, [&](const std::string& what, const std::shared_ptr<Layer>& layer, std::int64_t width) {
      const TensorSpec input{dtype, {3, 70, width}};
      for (std::int32_t option = 0; option < layer->options(); ++option) {
        const LayerRun expected = SingleLayer(layer, input, 1).run(option);
        for (const int thread_count : {2, 3})
          EXPECT_TRUE(SingleLayer(layer, input, thread_count).run(option) == expected)
              << what << ", option " << option << ", " << thread_count << " threads";
      }
    });
    std::vector<LayerRun> runs;
    for (const int thread_count : {1, 2, 3}) {
      SingleLayer single(embedding(dtype), {Dtype::u8, {40, 9}}, thread_count);
      set_tokens(single);
      runs.push_back(single.run(0));
    }
    EXPECT_TRUE(runs[1] == runs[0]);
    EXPECT_TRUE(runs[2] == runs[0]);
  }
}

// Both start with the pattern of SingleLayer, so a byte that only one of them writes is detected.
TEST(BlockBits, RecordWritesTheBitsOfForward) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const std::int64_t context : {1, 5, 65, 130}) {
      for_each_block(dtype, [&](const std::string& what, const std::shared_ptr<Layer>& layer, std::int64_t width) {
        const TensorSpec input{dtype, {2, context, width}};
        SingleLayer single(layer, input);
        for (std::int32_t option = 0; option < layer->options(); ++option) {
          ASSERT_TRUE(layer->needs(input, option).has_record) << what << ", option " << option;
          EXPECT_TRUE(single.record(option) == single.run(option).tape) << what << ", option " << option << ", context " << context;
        }
      });
    }
  }
}

// ---- Order of tokens ---------------------------------------------------------------------------------------------------------

TEST(Attention, IsCausal) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const auto& [what, options] : attentions(dtype)) {
      constexpr std::int64_t context = 133;
      SingleLayer single(make_attention("block", options), {dtype, {2, context, options.width}});
      const Bytes before = single.output();
      const std::size_t row_bytes = before.size() / (2 * context);
      for (const std::int64_t token : {0, 1, 63, 64, 127, 128, 132}) {
        // In the second sample: the first one must not change at all.
        const auto row = static_cast<std::size_t>(context + token);
        std::byte* const place = single.input().byte_span().data() + row * row_bytes;
        const Bytes kept(place, place + row_bytes);
        with_float(dtype, [&](auto zero) { reinterpret_cast<decltype(zero)*>(place)[1] += 3; });
        const Bytes after = single.output();
        std::memcpy(place, kept.data(), row_bytes);
        EXPECT_EQ(std::memcmp(after.data(), before.data(), row * row_bytes), 0) << what << ", token " << token;
        EXPECT_NE(std::memcmp(after.data() + row * row_bytes, before.data() + row * row_bytes, row_bytes), 0)
            << what << ", token " << token;
        const std::size_t last = (2 * context - 1) * row_bytes;
        EXPECT_NE(std::memcmp(after.data() + last, before.data() + last, row_bytes), 0) << what << ", token " << token;
      }
    }
  }
}

// ---- Plain loops -------------------------------------------------------------------------------------------------------------

void expect_like(SingleLayer& single, Dtype dtype, const Reals& expected, const std::string& what) {
  const std::vector<double> output = numbers_of(dtype, single.output());
  ASSERT_EQ(output.size(), expected.size()) << what;
  const double tolerance = dtype == Dtype::f32 ? 1e-5 : 1e-12;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto wanted = static_cast<double>(expected[i]);
    ASSERT_NEAR(output[i], wanted, tolerance * std::max(1.0, std::abs(wanted))) << what << ", element " << i;
  }
}

Reals reals_of(const Tensor& tensor) {
  const std::vector<double> numbers = numbers_of(tensor);
  return {numbers.begin(), numbers.end()};
}

TEST(Attention, EqualsTheFormula) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (auto [what, options] : attentions(dtype)) {
      options.dropout = 0;
      for (const std::int64_t context : {1, 5, 65, 130}) {
        SingleLayer single(make_attention("block", options), {dtype, {2, context, options.width}});
        expect_like(single, dtype, reference_attention(single.layer(), options, reals_of(single.input()), 2),
                    std::string(what) + ", context " + std::to_string(context));
      }
    }
  }
}

TEST(Mlp, EqualsTheFormula) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (auto [what, options] : mlps(dtype)) {
      options.dropout = 0;
      for (const Shape& shape : {Shape{3, options.width}, Shape{2, 65, options.width}, Shape{2, 3, 2, options.width}}) {
        SingleLayer single(make_mlp("block", options), {dtype, shape});
        expect_like(single, dtype, reference_mlp(single.layer(), options, reals_of(single.input())), what);
      }
    }
  }
}

TEST(TiedHead, EqualsTheFormula) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const auto tokens = embedding(dtype);
    SingleLayer single(make_tied_head("head", tokens), {dtype, {2, 33, 5}});
    EXPECT_EQ(single.output_spec(), (TensorSpec{dtype, {2, 33, 7}}));
    const Reals weight = NamedValues(*tokens)["tokens.weight"];
    const Reals x = reals_of(single.input());
    Reals y;
    for (std::size_t row = 0; row < 66; ++row) {
      for (std::size_t word = 0; word < 7; ++word) {
        y.push_back(0);
        for (std::size_t j = 0; j < 5; ++j) y.back() += x[row * 5 + j] * weight[word * 5 + j];
      }
    }
    expect_like(single, dtype, y, "tied head");
  }
}

TEST(TokenEmbedding, EqualsTheFormula) {
  for (const bool positions : {true, false}) {
    const auto layer = embedding(Dtype::f64, positions);
    SingleLayer single(layer, {Dtype::u8, {3, 4}});
    set_tokens(single);
    const Reals tokens = NamedValues(*layer)["tokens.weight"];
    const Reals places = positions ? NamedValues(*layer)["positions.weight"] : Reals(45);
    Reals y;
    for (std::size_t i = 0; i < 12; ++i) {
      const auto token = static_cast<std::size_t>(single.input().data_as<std::uint8_t>()[i]);
      for (std::size_t j = 0; j < 5; ++j) y.push_back(tokens[token * 5 + j] + places[i % 4 * 5 + j]);
    }
    expect_like(single, Dtype::f64, y, positions ? "learned positions" : "no positions");
    EXPECT_EQ(layer->parameters().size(), positions ? 2U : 1U);
  }
}

// ---- Bytes -------------------------------------------------------------------------------------------------------------------

void expect_tapes(const Layer& layer, const TensorSpec& input, const std::vector<std::int64_t>& numbers, const std::string& what) {
  ASSERT_EQ(layer.options(), static_cast<std::int32_t>(numbers.size())) << what;
  for (std::size_t option = 0; option < numbers.size(); ++option) {
    EXPECT_EQ(layer.needs(input, static_cast<std::int32_t>(option)).tape_bytes,
              numbers[option] * tensor::dtype_bits(input.dtype) / 8)
        << what << ", option " << option;
    if (option > 0) {
      EXPECT_LT(numbers[option], numbers[option - 1]) << what;
    }
  }
}

TEST(Attention, TapesHaveTheDocumentedBytes) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const auto& [what, options] : attentions(dtype)) {
      for (const std::int64_t context : {1, 5, 200}) {
        const std::int64_t key_heads = options.key_heads == 0 ? options.heads : options.key_heads;
        const std::int64_t statistics = options.norm == Norm::layer_norm ? 2 : 1;
        const std::int64_t kept = statistics + 2 * options.width + 2 * key_heads * (options.width / options.heads);
        const std::int64_t rows = 3 * context;
        const TensorSpec input{dtype, {3, context, options.width}};
        if (context == 1) {
          // One probability per head takes as much memory as one log-sum-exp.
          EXPECT_EQ(make_attention("block", options)->needs(input, 0).tape_bytes,
                    make_attention("block", options)->needs(input, 1).tape_bytes);
          continue;
        }
        expect_tapes(*make_attention("block", options), input,
                     {rows * (kept + options.heads * context), rows * (kept + options.heads), rows * statistics}, what);
      }
    }
  }
}

TEST(Mlp, TapesHaveTheDocumentedBytes) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const auto& [what, options] : mlps(dtype)) {
      const std::int64_t statistics = options.norm == Norm::layer_norm ? 2 : 1;
      const std::int64_t up = options.activation == Activation::swiglu ? 2 * options.hidden : options.hidden;
      const std::int64_t rows = 3 * 2 * 7;
      expect_tapes(*make_mlp("block", options), {dtype, {3, 2, 7, options.width}},
                   {rows * (statistics + options.width + up + options.hidden), rows * (statistics + options.width + up),
                    rows * (statistics + up), rows * statistics},
                   what);
    }
  }
}

// Only option 0 may need memory that grows with the square of the tokens, including its workspace.
TEST(Attention, WorkspaceDoesNotGrowWithTheSquareOfTokens) {
  const auto layer = make_attention("block", {.width = 64, .heads = 4});
  const auto max = [&](std::int64_t context, std::int32_t option) {
    const OptionNeeds needs = layer->needs({Dtype::f32, {2, context, 64}}, option);
    return std::max({needs.forward_workspace_bytes, needs.backward_workspace_bytes, needs.record_workspace_bytes});
  };
  for (const std::int32_t option : {1, 2}) EXPECT_LT(max(8192, option), 3 * max(4096, option)) << "option " << option;
}

// ---- Dropout -----------------------------------------------------------------------------------------------------------------

// Returns the elements that were not dropped: there y = x + 0 is x.
std::vector<bool> mask_of(SingleLayer& single) {
  const std::vector<double> output = numbers_of(Dtype::f64, single.output());
  std::vector<bool> kept;
  for (std::size_t i = 0; i < output.size(); ++i) kept.push_back(output[i] != single.input().data_as<double>()[i]);
  return kept;
}

std::shared_ptr<Layer> attention_dropping(double dropout) {
  return make_attention("attention", {.width = 16, .heads = 2, .dropout = dropout, .dtype = Dtype::f64});
}
std::shared_ptr<Layer> mlp_dropping(double dropout) {
  return make_mlp("mlp", {.width = 16, .hidden = 8, .dropout = dropout, .dtype = Dtype::f64});
}

const TensorSpec dropping_input{Dtype::f64, {4, 150, 16}};  // 9600 elements

TEST(BlockDropout, DropsTheRightShareAndScalesTheOthers) {
  for (auto* make : {attention_dropping, mlp_dropping}) {
    SingleLayer single(make(0.3), dropping_input);
    SingleLayer without(make(0), dropping_input);
    const std::vector<double> output = numbers_of(Dtype::f64, single.output());
    const std::vector<double> plain = numbers_of(Dtype::f64, without.output());
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      const double x = single.input().data_as<double>()[i];
      if (output[i] == x) continue;
      ++kept;
      ASSERT_NEAR(output[i] - x, (plain[i] - x) / 0.7, 1e-12) << "element " << i;
    }
    EXPECT_NEAR(static_cast<double>(kept) / 9600, 0.7, 0.033);  // seven standard deviations
  }
}

// Independent masks agree at 0.7^2 + 0.3^2 of the elements.
void expect_independent(const std::vector<bool>& a, const std::vector<bool>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  std::int64_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(equal) / static_cast<double>(a.size()), 0.58, 0.04) << what;
}

TEST(BlockDropout, IsKeyedByStepSeedAndLayer) {
  for (auto* make : {attention_dropping, mlp_dropping}) {
    SingleLayer single(make(0.3), dropping_input);
    const RunKeys keys = single.keys();
    const std::vector<bool> mask = mask_of(single);
    EXPECT_TRUE(mask_of(single) == mask);
    single.keys().step += 1;
    expect_independent(mask_of(single), mask, "another step");
    single.keys() = keys;
    single.keys().seed += 1;
    expect_independent(mask_of(single), mask, "another seed");
    single.keys() = keys;
    single.keys().layer += 1;
    expect_independent(mask_of(single), mask, "another layer");
  }
  SingleLayer attention(attention_dropping(0.3), dropping_input);
  SingleLayer mlp(mlp_dropping(0.3), dropping_input);
  mlp.keys().layer = attention.keys().layer + 1;
  expect_independent(mask_of(attention), mask_of(mlp), "the two halves of a block");
}

// Two micro-batches drop the same elements as their batch.
TEST(BlockDropout, IsCountedBySamplesOfTheWholeBatch) {
  for (auto* make : {attention_dropping, mlp_dropping}) {
    SingleLayer batch(make(0.3), dropping_input);
    const std::vector<bool> all = mask_of(batch);
    const std::size_t half = all.size() / 2;
    SingleLayer part(make(0.3), {Dtype::f64, {2, 150, 16}});
    EXPECT_TRUE(mask_of(part) == std::vector<bool>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(half)));
    part.keys().first_sample = 2;
    EXPECT_TRUE(mask_of(part) == std::vector<bool>(all.begin() + static_cast<std::ptrdiff_t>(half), all.end()));
  }
}

TEST(BlockDropout, IsOffInEvaluation) {
  for (auto* make : {attention_dropping, mlp_dropping}) {
    SingleLayer single(make(0.3), dropping_input);
    const Bytes dropped = single.output();
    single.keys().evaluation = true;
    const Bytes evaluated = single.output();
    EXPECT_FALSE(evaluated == dropped);
    EXPECT_TRUE(evaluated == SingleLayer(make(0), dropping_input).output());
  }
}

// ---- First values ------------------------------------------------------------------------------------------------------------

void expect_uniform(const Parameter& parameter, double deviation) {
  const double bound = deviation * std::sqrt(3.0);
  double largest = 0;
  double square = 0;
  const std::vector<double> values = numbers_of(*parameter.value);
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
    square += value * value / static_cast<double>(values.size());
  }
  EXPECT_LE(largest, bound * (1 + 1e-6)) << parameter.name;
  EXPECT_GT(largest, 0.97 * bound) << parameter.name;
  EXPECT_NEAR(std::sqrt(square), deviation, 0.1 * deviation) << parameter.name;
}

TEST(Blocks, HaveTheDocumentedInitialValues) {
  const auto tokens = make_token_embedding("embedding", 40, 50, 32, true, Dtype::f32);
  for (const auto& layer :
       {make_attention("attention", {.width = 32, .heads = 4}), make_mlp("mlp", {.width = 32, .hidden = 64}), tokens}) {
    layer->initialize(7, 8);
    for (const Parameter& parameter : layer->parameters()) {
      const std::vector<double> values = numbers_of(*parameter.value);
      if (parameter.name.ends_with("norm.weight")) {
        EXPECT_EQ(values, std::vector<double>(values.size(), 1)) << parameter.name;
      } else if (parameter.name.ends_with(".bias")) {
        EXPECT_EQ(values, std::vector<double>(values.size(), 0)) << parameter.name;
      } else {
        const bool behind = parameter.name.ends_with("out.weight") || parameter.name.ends_with("down.weight");
        expect_uniform(parameter, behind ? 0.02 / 3 : 0.02);  // sqrt(8 + 1)
      }
    }
  }
  EXPECT_FALSE(numbers_of(*tokens->parameters()[0].value)[0] == numbers_of(*tokens->parameters()[1].value)[0]);
}

// ---- Refused arguments ------------------------------------------------------------------------------------------------------

template <class Call>
void expect_refused(Call&& call, std::initializer_list<std::string_view> words) {
  const base::Error error = thrown_by(call);
  EXPECT_EQ(error.status(), base::Status::invalid_argument) << error.message();
  for (const std::string_view word : words) EXPECT_TRUE(contains(error, word)) << "'" << word << "' is not in: " << error.message();
}

TEST(Blocks, RefuseBadArguments) {
  const auto attention = [](const AttentionOptions& options) { return [=] { make_attention("block", options); }; };
  expect_refused(attention({.width = 8, .heads = 3}), {"heads", "3", "8"});
  expect_refused(attention({.width = 8, .heads = 0}), {"heads", "0"});
  expect_refused(attention({.width = 0, .heads = 1}), {"width", "0"});
  expect_refused(attention({.width = 8, .heads = 4, .key_heads = 3}), {"key_heads", "3", "4"});
  expect_refused(attention({.width = 8, .heads = 4, .key_heads = 8}), {"key_heads", "8", "4"});
  expect_refused(attention({.width = 8, .heads = 4, .key_heads = -1}), {"key_heads", "-1"});
  expect_refused(attention({.width = 6, .heads = 2, .rotary_base = 100}), {"rotary_base"});
  for (const double base : {1.0, 0.5, -1.0, nan, HUGE_VAL})
    expect_refused(attention({.width = 8, .heads = 2, .rotary_base = base}), {"rotary_base"});
  const auto mlp = [](const MlpOptions& options) { return [=] { make_mlp("block", options); }; };
  expect_refused(mlp({.width = 0, .hidden = 4}), {"width", "0"});
  expect_refused(mlp({.width = 4, .hidden = -2}), {"hidden", "-2"});
  for (const double dropout : {1.0, 1.5, -0.1, nan}) {
    expect_refused(attention({.width = 8, .heads = 2, .dropout = dropout}), {"dropout"});
    expect_refused(mlp({.width = 8, .hidden = 2, .dropout = dropout}), {"dropout"});
  }
  for (const Dtype dtype : {Dtype::i32, Dtype::bf16, Dtype::u8}) {
    expect_refused(attention({.width = 8, .heads = 2, .dtype = dtype}), {"dtype", tensor::dtype_name(dtype)});
    expect_refused(mlp({.width = 8, .hidden = 2, .dtype = dtype}), {"dtype", tensor::dtype_name(dtype)});
    expect_refused([&] { make_token_embedding("block", 8, 2, 2, true, dtype); }, {"dtype", tensor::dtype_name(dtype)});
  }
  expect_refused([] { make_token_embedding("block", 0, 2, 2, true, Dtype::f32); }, {"vocabulary", "0"});
  expect_refused([] { make_token_embedding("block", 8, -3, 2, true, Dtype::f32); }, {"context", "-3"});
  expect_refused([] { make_token_embedding("block", 8, 2, 0, true, Dtype::f32); }, {"width", "0"});
  expect_refused([] { make_tied_head("head", make_embedding("table", 8, 2, 2, Dtype::f32)); }, {"table"});
}

TEST(Blocks, RefuseOverflowingSizes) {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  EXPECT_THROW(make_attention("block", {.width = large, .heads = 1}), base::Error);
  EXPECT_THROW(make_attention("block", {.width = large, .heads = large}), base::Error);
  EXPECT_THROW(make_mlp("block", {.width = 4, .hidden = large, .activation = Activation::swiglu}), base::Error);
  EXPECT_THROW(make_mlp("block", {.width = large, .hidden = 4}), base::Error);
  EXPECT_THROW(make_token_embedding("block", large, 2, 2, true, Dtype::f32), base::Error);
  // A tape that needs more than 63 bits of bytes.
  const auto attention = make_attention("block", {.width = 2, .heads = 2});
  const auto ask = [&] {
    const TensorSpec input{Dtype::f32, {1, std::int64_t{1} << 40, 2}};
    attention->output(input);
    attention->needs(input, 0);
  };
  EXPECT_THROW(ask(), base::Error);
}

TEST(Blocks, RefuseMismatchedInputsAndNameTheExpectedOnes) {
  const auto refuses = [](const std::shared_ptr<Layer>& layer, const TensorSpec& input,
                          std::initializer_list<std::string_view> words) {
    const base::Error error = thrown_by([&] { layer->output(input); });
    EXPECT_EQ(error.status(), base::Status::invalid_argument) << to_text(input);
    EXPECT_TRUE(contains(error, "'" + layer->name() + "'")) << error.message();
    EXPECT_TRUE(contains(error, to_text(input))) << error.message();
    for (const std::string_view word : words)
      EXPECT_TRUE(contains(error, word)) << "'" << word << "' is not in: " << error.message();
  };
  const auto attention = make_attention("mixing", {.width = 8, .heads = 2});
  refuses(attention, {Dtype::f32, {2, 5, 7}}, {"8"});
  refuses(attention, {Dtype::f64, {2, 5, 8}}, {"F32"});
  refuses(attention, {Dtype::f32, {5, 8}}, {"8"});
  refuses(attention, {Dtype::f32, {2, 5, 2, 8}}, {"8"});
  const auto mlp = make_mlp("thinking", {.width = 6, .hidden = 9, .dtype = Dtype::f64});
  refuses(mlp, {Dtype::f64, {2, 5, 7}}, {"6"});
  refuses(mlp, {Dtype::f32, {2, 5, 6}}, {"F64"});
  refuses(mlp, {Dtype::f64, {6}}, {"6"});
  const auto tokens = embedding(Dtype::f32);
  refuses(tokens, {Dtype::u8, {2, 10}}, {"9"});
  refuses(tokens, {Dtype::u8, {2, 0}}, {"9"});
  refuses(tokens, {Dtype::u8, {2}}, {"9"});
  refuses(tokens, {Dtype::f32, {2, 9}}, {"U8", "I32"});
  const auto head = make_tied_head("head", tokens);
  refuses(head, {Dtype::f32, {2, 4, 6}}, {"5"});
  refuses(head, {Dtype::f64, {2, 4, 5}}, {"F32"});
}

// The weight spans more than one part in each direction.
TEST(Linear, EqualsTheFormulaForALargeWeight) {
  constexpr std::int64_t rows = 37;
  constexpr std::int64_t inputs = 1100;
  constexpr std::int64_t outputs = 450;
  SingleLayer single(make_linear("linear", inputs, outputs, Dtype::f64), {Dtype::f64, {rows, inputs}});
  const LayerRun run = single.run(0);
  const auto* const x = single.input().data_as<double>();
  const auto* const g = single.output_gradient().data_as<double>();
  const auto* const weight = single.parameters()[0].value->data_as<double>();
  const auto* const grad_weight = single.parameters()[0].gradient->data_as<double>();
  const auto* const y = reinterpret_cast<const double*>(run.output.data());
  const auto* const grad_x = reinterpret_cast<const double*>(run.input_gradient.data());
  double worst = 0;
  const auto compare = [&](double given, double expected) {
    worst = std::max(worst, std::abs(given - expected) / std::max(1.0, std::abs(expected)));
  };
  for (std::int64_t i = 0; i < inputs; ++i) {
    for (std::int64_t j = 0; j < outputs; ++j) {
      double sum = 0;
      for (std::int64_t row = 0; row < rows; ++row) sum += x[row * inputs + i] * g[row * outputs + j];
      compare(grad_weight[i * outputs + j], sum);
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < outputs; ++j) {
      double sum = single.parameters()[1].value->data_as<double>()[j];
      for (std::int64_t i = 0; i < inputs; ++i) sum += x[row * inputs + i] * weight[i * outputs + j];
      compare(y[row * outputs + j], sum);
    }
    for (std::int64_t i = 0; i < inputs; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < outputs; ++j) sum += g[row * outputs + j] * weight[i * outputs + j];
      compare(grad_x[row * inputs + i], sum);
    }
  }
  EXPECT_LE(worst, 1e-11);
}

// Its gradient is computed in more parts than one row of a small table has.
TEST(TokenEmbedding, AddsToEveryRowOfALargeTable) {
  constexpr std::int64_t vocabulary = 5003;
  constexpr std::int64_t width = 3;
  const auto layer = make_token_embedding("embedding", vocabulary, 8, width, false, Dtype::f64);
  SingleLayer single(layer, {Dtype::i32, {40, 8}});
  auto* const tokens = single.input().data_as<std::int32_t>();
  std::vector<double> expected(static_cast<std::size_t>(vocabulary * width));
  for (std::int64_t i = 0; i < 320; ++i) {
    tokens[i] = static_cast<std::int32_t>(i == 0 ? vocabulary - 1 : i * 79 % vocabulary % 4000 + i % 2 * 1000);
    for (std::int64_t j = 0; j < width; ++j)
      expected[static_cast<std::size_t>(tokens[i] * width + j)] += single.output_gradient().data_as<double>()[i * width + j];
  }
  single.run(0);
  const auto* const gradient = layer->parameters()[0].gradient->data_as<double>();
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(gradient[i], expected[i]) << "element " << i;
}

TEST(TokenEmbedding, RefusesATokenOutOfRangeWhenItRuns) {
  SingleLayer single(embedding(Dtype::f32), {Dtype::i32, {3, 4}});
  std::int32_t* const tokens = single.input().data_as<std::int32_t>();
  for (const std::int32_t bad : {7, -1, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
    std::fill_n(tokens, 12, 6);
    tokens[5] = bad;
    const base::Error error = thrown_by([&] { single.output(); });
    EXPECT_EQ(error.status(), base::Status::out_of_range) << bad;
    for (const std::string& word : {std::string("'embedding'"), std::to_string(bad), std::string("0 .. 6")})
      EXPECT_TRUE(contains(error, word)) << "'" << word << "' is not in: " << error.message();
  }
  std::fill_n(tokens, 12, 6);
  EXPECT_NO_THROW(single.output());
}

}  // namespace
}  // namespace ckpt::engine::test
