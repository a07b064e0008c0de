// Every layer against its own formula: gradients agree with central finite differences, kernels with the C library.
#include <gtest/gtest.h>

#include <limits>

#include "engine/kernels.h"
#include "engine/kinds.h"
#include "engine/norm_kernels.h"
#include "models.h"

namespace ckpt::engine::test {
namespace {

// The sum of weights * output of a chain of one layer over F64, with fixed random weights: differences give its gradient.
class OneLayer {
 public:
  OneLayer(std::shared_ptr<Layer> layer, const TensorSpec& input, std::shared_ptr<Tensor> data)
      : chain_(std::make_shared<Chain>(5)), input_(input), data_(std::move(data)) {
    chain_->add(std::move(layer));
    chain_->initialize(3);
    const TensorSpec output = chain_->specs(input).back();
    weights_ = Tensor::create(output.dtype, output.shape);
    output_ = Tensor::create(output.dtype, output.shape);
    if (chain_->layer(0).flags() & plan::no_input_gradient) {
      input_gradient_ = nullptr;
    } else {
      input_gradient_ = Tensor::create(input.dtype, input.shape);
    }
    std::mt19937 random(17);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int64_t i = 0; i < output.shape.elements(); ++i) weights_->data_as<double>()[i] = uniform(random);
    targets_ = Tensor::create(Dtype::i32, input.rows_shape());
    for (std::int64_t i = 0; i < targets_->shape().elements(); ++i) {
      targets_->data_as<std::int32_t>()[i] = static_cast<std::int32_t>(random() % static_cast<unsigned>(input.row_length()));
    }
    executor_ = std::make_unique<Executor>(chain_, *plan::make_store_all(chain_->profile(input)), input, 0, threads(2),
                                           std::make_shared<memory::Tracker>());
  }

  double run() {
    Step step;
    step.step = 2;
    step.seed = 9;
    step.input = data_.get();
    step.targets = targets_.get();
    step.output_gradient = weights_.get();
    step.output = output_.get();
    step.input_gradient = input_gradient_.get();
    executor_->run(step);
    double sum = 0;
    for (std::int64_t i = 0; i < output_->shape().elements(); ++i)
      sum += weights_->data_as<double>()[i] * output_->data_as<double>()[i];
    return sum;
  }

  void check_input_gradient() {
    run();
    std::vector<double> gradient(input_gradient_->data_as<double>(), input_gradient_->data_as<double>() + input_.shape.elements());
    check(*data_, gradient, "input");
  }

  void check_parameters() {
    for (const Parameter& parameter : chain_->parameters()) {
      run();
      const double* const values = parameter.gradient->data_as<double>();
      check(*parameter.value, std::vector<double>(values, values + parameter.value->shape().elements()), parameter.name);
    }
  }

 private:
  void check(const Tensor& variable, const std::vector<double>& gradient, const std::string& what) {
    double largest = 0;
    for (const double each : gradient) largest = std::max(largest, std::abs(each));
    ASSERT_GT(largest, 0) << what;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      double& x = variable.data_as<double>()[i];
      const double before = x;
      const double h = 1e-5;
      x = before + h;
      const double above = run();
      x = before - h;
      const double below = run();
      x = before;
      const double difference = (above - below) / (2 * h);
      EXPECT_NEAR(gradient[i], difference, 1e-6 * std::max(largest, 1e-3)) << what << " element " << i;
    }
  }

  std::shared_ptr<Chain> chain_;
  TensorSpec input_;
  std::shared_ptr<Tensor> data_;
  std::shared_ptr<Tensor> weights_;
  std::shared_ptr<Tensor> output_;
  std::shared_ptr<Tensor> input_gradient_;
  std::shared_ptr<Tensor> targets_;
  std::unique_ptr<Executor> executor_;
};

std::shared_ptr<Tensor> random_input(const Shape& shape) {
  auto data = Tensor::create(Dtype::f64, shape);
  std::mt19937 random(23);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (std::int64_t i = 0; i < shape.elements(); ++i) data->data_as<double>()[i] = uniform(random);
  return data;
}

TEST(Gradients, Linear) {
  const TensorSpec input{Dtype::f64, {35, 7}};
  OneLayer layer(make_linear("linear", 7, 5, Dtype::f64), input, random_input(input.shape));
  layer.check_input_gradient();
  layer.check_parameters();
}

TEST(Gradients, RowsOfAnyLeadingDimensions) {
  const TensorSpec input{Dtype::f64, {3, 2, 4, 7}};
  OneLayer linear(make_linear("linear", 7, 5, Dtype::f64), input, random_input(input.shape));
  linear.check_input_gradient();
  linear.check_parameters();
  OneLayer(make_softmax_cross_entropy("loss"), input, random_input(input.shape)).check_input_gradient();
}

TEST(Gradients, LayerNorm) {
  for (const Shape& shape : {Shape{5, 37}, Shape{2, 33, 6}, Shape{4, 1}}) {
    const TensorSpec input{Dtype::f64, shape};
    OneLayer layer(make_layer_norm("norm", input.row_length(), 1e-5, Dtype::f64), input, random_input(shape));
    if (input.row_length() > 1) layer.check_input_gradient();  // a row of one is its own mean: the gradient is 0
    if (input.row_length() > 1) layer.check_parameters();
  }
}

TEST(Gradients, RmsNorm) {
  for (const Shape& shape : {Shape{5, 37}, Shape{2, 33, 6}}) {
    const TensorSpec input{Dtype::f64, shape};
    OneLayer layer(make_rms_norm("norm", input.row_length(), 1e-5, Dtype::f64), input, random_input(shape));
    layer.check_input_gradient();
    layer.check_parameters();
  }
}

TEST(Gradients, Relu) {
  const TensorSpec input{Dtype::f64, {6, 11}};
  OneLayer(make_relu("relu"), input, random_input(input.shape)).check_input_gradient();
}

TEST(Gradients, Gelu) {
  const TensorSpec input{Dtype::f64, {6, 11}};
  OneLayer(make_gelu("gelu"), input, random_input(input.shape)).check_input_gradient();
}

TEST(Gradients, Dropout) {
  const TensorSpec input{Dtype::f64, {6, 13}};
  OneLayer(make_dropout("dropout", 0.4), input, random_input(input.shape)).check_input_gradient();
}

TEST(Gradients, SoftmaxCrossEntropy) {
  const TensorSpec input{Dtype::f64, {9, 6}};
  OneLayer(make_softmax_cross_entropy("loss"), input, random_input(input.shape)).check_input_gradient();
}

TEST(Gradients, Embedding) {
  const TensorSpec input{Dtype::i32, {8, 3}};
  auto tokens = Tensor::create(Dtype::i32, input.shape);
  for (int i = 0; i < 24; ++i) tokens->data_as<std::int32_t>()[i] = (i * 7) % 5;
  OneLayer(make_embedding("embedding", 5, 3, 4, Dtype::f64), input, tokens).check_parameters();
}

TEST(Layers, RefuseBadArgumentsAndInputs) {
  EXPECT_THROW(make_linear(" ", 1, 1, Dtype::f32), base::Error);
  EXPECT_THROW(make_linear("a", 0, 1, Dtype::f32), base::Error);
  EXPECT_THROW(make_linear("a", 1, -1, Dtype::f32), base::Error);
  EXPECT_THROW(make_linear("a", 1, 1, Dtype::i32), base::Error);
  EXPECT_THROW(make_linear("a", INT64_MAX, 2, Dtype::f32), base::Error);
  EXPECT_THROW(make_dropout("a", 1), base::Error);
  EXPECT_THROW(make_dropout("a", -0.1), base::Error);
  EXPECT_THROW(make_dropout("a", std::numeric_limits<double>::quiet_NaN()), base::Error);
  EXPECT_THROW(make_embedding("a", 2, INT64_MAX, 2, Dtype::f32), base::Error);
  EXPECT_THROW(make_relu("a")->output({Dtype::i32, {2, 2}}), base::Error);
  EXPECT_THROW(make_linear("a", 3, 3, Dtype::f32)->output({Dtype::f32, {2, 4}}), base::Error);
  EXPECT_THROW(make_linear("a", 3, 3, Dtype::f32)->output({Dtype::f64, {2, 3}}), base::Error);
  EXPECT_THROW(make_linear("a", 3, 3, Dtype::f32)->output({Dtype::f32, {3}}), base::Error);
  EXPECT_THROW(make_linear("a", 3, INT64_MAX / 8, Dtype::f32)->output({Dtype::f32, {4, 4, 3}}), base::Error);
  EXPECT_THROW(make_softmax_cross_entropy("a")->output({Dtype::f32, {0, 3}}), base::Error);
  EXPECT_THROW(make_softmax_cross_entropy("a")->output({Dtype::f32, {2, 0, 3}}), base::Error);
  EXPECT_THROW(make_softmax_cross_entropy("a")->output({Dtype::f32, {3}}), base::Error);
  for (auto* make : {make_layer_norm, make_rms_norm}) {
    EXPECT_THROW(make("a", 0, 1e-5, Dtype::f32), base::Error);
    EXPECT_THROW(make("a", 8, 0, Dtype::f32), base::Error);
    EXPECT_THROW(make("a", 8, 1e-50, Dtype::f32), base::Error);  // 0 as F32
    EXPECT_THROW(make("a", 8, std::numeric_limits<double>::quiet_NaN(), Dtype::f64), base::Error);
    EXPECT_THROW(make("a", 8, 1e-5, Dtype::bf16), base::Error);
    EXPECT_THROW(make("a", 8, 1e-5, Dtype::f32)->output({Dtype::f32, {2, 7}}), base::Error);
    EXPECT_THROW(make("a", 8, 1e-5, Dtype::f32)->output({Dtype::f64, {2, 8}}), base::Error);
  }
}

// ---- Kinds by text -----------------------------------------------------------------------------------------------------------

// Returns names, types and shapes of a layer's parameters and the tapes of its options, which reflect its values.
std::string description_of(const Layer& layer, const TensorSpec& input) {
  std::string text;
  for (const Parameter& parameter : layer.parameters())
    text += parameter.name + " " + to_text(TensorSpec{parameter.value->dtype(), parameter.value->shape()}) + "\n";
  for (std::int32_t option = 0; option < layer.options(); ++option)
    text += std::to_string(layer.needs(input, option).tape_bytes) + "\n";
  return text;
}

TEST(Kinds, OfBlocksCreateLayersFromTheirValues) {
  const TensorSpec f32{Dtype::f32, {2, 6, 24}};
  const TensorSpec f64{Dtype::f64, {2, 6, 24}};
  EXPECT_EQ(description_of(*make_layer("a", "attention:24,6"), f32),
            description_of(*make_attention("a", {.width = 24, .heads = 6}), f32));
  EXPECT_EQ(description_of(*make_layer("a", "attention:24,6,2,rms_norm,10000,0.1,F64"), f64),
            description_of(
                *make_attention("a", {.width = 24, .heads = 6, .key_heads = 2, .norm = Norm::rms_norm, .dtype = Dtype::f64}), f64));
  EXPECT_EQ(description_of(*make_layer("a", " attention : 24 , 6 , dtype = F64 , key_heads=3"), f64),
            description_of(*make_attention("a", {.width = 24, .heads = 6, .key_heads = 3, .dtype = Dtype::f64}), f64));
  EXPECT_EQ(description_of(*make_layer("a", "mlp:24,10"), f32), description_of(*make_mlp("a", {.width = 24, .hidden = 10}), f32));
  EXPECT_EQ(
      description_of(*make_layer("a", "mlp:24,hidden=10,norm=rms_norm,activation=swiglu"), f32),
      description_of(*make_mlp("a", {.width = 24, .hidden = 10, .activation = Activation::swiglu, .norm = Norm::rms_norm}), f32));
  const TensorSpec tokens{Dtype::u8, {2, 6}};
  EXPECT_EQ(description_of(*make_layer("a", "token_embedding:50,8,24"), tokens),
            description_of(*make_token_embedding("a", 50, 8, 24, true, Dtype::f32), tokens));
  EXPECT_EQ(description_of(*make_layer("a", "token_embedding:50,8,24,none,F64"), tokens),
            description_of(*make_token_embedding("a", 50, 8, 24, false, Dtype::f64), tokens));
  EXPECT_EQ(description_of(*make_layer("a", "token_embedding:50,8,24,dtype=F64"), tokens),
            description_of(*make_token_embedding("a", 50, 8, 24, true, Dtype::f64), tokens));
}

// Values without an effect on shapes: their ranges are checked, so they are passed on.
TEST(Kinds, OfBlocksPassEveryValueOn) {
  for (const char* kind : {"attention:24,6,dropout=1", "attention:24,6,0,layer_norm,0,-0.5", "mlp:24,10,dropout=1.5",
                           "attention:24,6,rotary_base=0.5", "attention:24,8,rotary_base=100"}) {
    const base::Error error = thrown_by([&] { make_layer("a", kind); });
    EXPECT_EQ(error.status(), base::Status::invalid_argument) << kind;
    EXPECT_TRUE(contains(error, kind)) << error.message();
  }
}

TEST(Kinds, RefuseUnknownDuplicateAndMisplacedNames) {
  for (const auto& [kind, word] : {std::pair{"attention:24,6,heats=2", "heats"},
                                   {"attention:24,6,heads=2", "heads"},
                                   {"attention:24,heads=6,2", "2"},
                                   {"attention:24,6,dropout=0.1,dropout=0.2", "dropout"},
                                   {"attention:24,6,dropout=", "dropout"},
                                   {"attention:24,6,=0.1", "=0.1"},
                                   {"attention:24,6,dropout=0.1=2", "dropout"},
                                   {"attention:24,6,Dropout=0.1", "Dropout"},
                                   {"attention:24,dropout=0.1", "HEADS"},
                                   {"attention:24,6,norm=batch_norm", "batch_norm"},
                                   {"mlp:24,10,activation=relu", "relu"},
                                   {"token_embedding:50,8,24,positions=rotary", "rotary"},
                                   {"attention:24,6,0,layer_norm,0,0,F32,1", "attention"}}) {
    const base::Error error = thrown_by([&] { make_layer("a", kind); });
    EXPECT_EQ(error.status(), base::Status::invalid_argument) << kind;
    // After the text itself, with which every message starts.
    const std::size_t begin = error.message().find(kind);
    ASSERT_NE(begin, std::string::npos) << error.message();
    EXPECT_NE(error.message().find(word, begin + std::strlen(kind)), std::string::npos) << error.message();
  }
}

TEST(Kinds, AreListedWithTheirNames) {
  const std::string known = known_kinds();
  for (const char* text :
       {"attention:WIDTH,HEADS[,KEY_HEADS][,NORM][,ROTARY_BASE][,DROPOUT][,DTYPE]",
        "mlp:WIDTH,HIDDEN[,ACTIVATION][,NORM][,DROPOUT][,DTYPE]", "token_embedding:VOCABULARY,CONTEXT,WIDTH[,POSITIONS][,DTYPE]"})
    EXPECT_NE(known.find(text), std::string::npos) << text << " is not in\n" << known;
}

TEST(Kernels, GeluIsWithinAFewUnitsOfTheFormula) {
  std::vector<float> x;
  for (float v = -12; v < 12; v += 0.00137F) x.push_back(v);
  x.insert(x.end(), {-100.0F, 100.0F, 0.0F, -0.0F, 1e-20F, 3e4F, -3e4F});
  std::vector<float> y(x.size());
  gelu(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    const double exact = 0.5 * v * (1 + std::tanh(0.79788456080286535588 * (v + 0.044715 * v * v * v)));
    EXPECT_NEAR(y[i], exact, 4e-7 * std::max(1.0, std::abs(v))) << "x = " << v;
  }
}

// Rows far from 0, where the square of the mean would dominate the variance.
TEST(Kernels, NormsAreWithinAFewUnitsOfTheFormula) {
  for (const std::int64_t width : {1, 15, 16, 17, 384, 1000}) {
    std::mt19937 random(static_cast<unsigned>(width));
    std::normal_distribution<float> normal(100, 1);
    std::vector<float> x(static_cast<std::size_t>(width));
    for (float& value : x) value = normal(random);
    double mean = 0;
    double variance = 0;
    double square = 0;
    for (const float value : x) mean += value;
    mean /= static_cast<double>(width);
    for (const double value : x) {
      variance += (value - mean) * (value - mean);
      square += value * value;
    }
    const auto layer = layer_norm_statistics(x.data(), width, 1e-5F);
    const auto rms = rms_norm_statistics(x.data(), width, 1e-5F);
    EXPECT_NEAR(layer.mean, mean, 1e-5 * mean);
    EXPECT_NEAR(layer.reciprocal * std::sqrt(variance / static_cast<double>(width) + 1e-5), 1, 2e-5);
    EXPECT_NEAR(rms.reciprocal * std::sqrt(square / static_cast<double>(width) + 1e-5), 1, 1e-6);
    EXPECT_EQ(rms.mean, 0);
  }
}

TEST(Layers, ANormTapesItsStatisticsOnly) {
  const TensorSpec input{Dtype::f32, {3, 5, 64}};
  EXPECT_EQ(make_layer_norm("a", 64, 1e-5, Dtype::f32)->needs(input, 0).tape_bytes, 3 * 5 * 2 * 4);
  EXPECT_EQ(make_rms_norm("a", 64, 1e-5, Dtype::f32)->needs(input, 0).tape_bytes, 3 * 5 * 4);
}

TEST(Kernels, ExponentialsPreserveNanAndTheirRange) {
  const std::vector<float> x = {0, -1, -50, -200, std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> y(x.size());
  exp_shifted(x.data(), 0, 1, y.data(), static_cast<std::int64_t>(x.size()));
  EXPECT_EQ(y[0], 1.0F);
  EXPECT_NEAR(y[1], std::exp(-1.0), 1e-7);
  EXPECT_NEAR(y[2] / std::exp(-50.0), 1, 3e-7);
  EXPECT_GE(y[3], 0.0F);
  EXPECT_LT(y[3], 1e-37F);
  EXPECT_TRUE(std::isnan(y[4]));
}

TEST(Kernels, RandomWordsArePhilox) {
  const base::PhiloxKey key = {123, 456};
  const std::int64_t sample = (std::int64_t{1} << 33) + 5;
  for (const std::uint32_t site : {0U, 1U, 7U}) {
    std::vector<std::uint32_t> words(1024 + 64);
    random_words(key, site, sample, 0, 1000, words.data());
    for (std::uint32_t block = 0; block < 250; ++block) {
      const base::PhiloxCounter expected = base::philox4x32({block, 5, 2, site}, key);
      for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(words[4 * block + w], expected[w]);
    }
    std::vector<std::uint32_t> later(128);
    random_words(key, site, sample, 512, 100, later.data());
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(later[i], words[512 + i]);
  }
}

TEST(Kernels, DropoutKeepsTheRightShareAndScale) {
  const TensorSpec input{Dtype::f64, {200, 500}};
  auto ones = Tensor::create(Dtype::f64, input.shape);
  for (std::int64_t i = 0; i < input.shape.elements(); ++i) ones->data_as<double>()[i] = 1;
  const auto layer = make_dropout("dropout", 0.25);
  const auto output = Tensor::create(Dtype::f64, input.shape);
  RunContext context;
  const auto pool = threads(2);
  context.input = context.output = &input;
  context.pool = pool.get();
  layer->forward(context, {ones->data(), output->data(), nullptr, nullptr});
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < input.shape.elements(); ++i) {
    const double value = output->data_as<double>()[i];
    ASSERT_TRUE(value == 0 || value == 1 / 0.75);
    kept += value != 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(kept) / 100000, 0.75, 0.01);  // seven standard deviations
}

}  // namespace
}  // namespace ckpt::engine::test
