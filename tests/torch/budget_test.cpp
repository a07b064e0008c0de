// LibTorch models with a budget: the same bits as plain training, and the planned bytes.
#include <ckpt/torch.h>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace ct = ckpt::torch;
using Tensors = ct::Tensors;
using at::Tensor;

struct BlockImpl : torch::nn::Module {
  BlockImpl(std::int64_t width, double drop)
      : attention(register_module("attention",
                                  torch::nn::MultiheadAttention(torch::nn::MultiheadAttentionOptions(width, 4).dropout(drop)))),
        norm1(register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
        norm2(register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
        up(register_module("up", torch::nn::Linear(width, 4 * width))),
        down(register_module("down", torch::nn::Linear(4 * width, width))),
        dropout(register_module("dropout", torch::nn::Dropout(drop))) {}
  Tensor forward(Tensor x) {
    const Tensor y = norm1(x);
    x = x + dropout(std::get<0>(attention(y, y, y, Tensor(), false)));
    return x + dropout(down(torch::gelu(up(norm2(x)))));
  }
  torch::nn::MultiheadAttention attention;
  torch::nn::LayerNorm norm1, norm2;
  torch::nn::Linear up, down;
  torch::nn::Dropout dropout;
};
TORCH_MODULE(Block);

struct TwoImpl : torch::nn::Module {
  explicit TwoImpl(std::int64_t width)
      : a(register_module("a", torch::nn::Linear(width, width))), b(register_module("b", torch::nn::Linear(width, width))) {}
  std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& y) { return {torch::tanh(a(x)) + y, torch::sigmoid(b(y)) * x}; }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Two);

torch::nn::Sequential linears(int count, std::int64_t width) {
  torch::nn::Sequential model;
  for (int i = 0; i < count; ++i) {
    model->push_back(torch::nn::Linear(width, width));
    model->push_back(torch::nn::Tanh());
  }
  return model;
}
torch::nn::Sequential transformer(int blocks, std::int64_t width) {
  torch::nn::Sequential model;
  for (int i = 0; i < blocks; ++i) model->push_back(Block(width, 0.1));
  return model;
}
torch::nn::Sequential conv_net(bool in_place) {
  torch::nn::Sequential model;
  std::int64_t from = 3;
  for (const std::int64_t to : {16, 16, 32, 32, 64, 64}) {
    model->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(from, to, 3).padding(1)));
    model->push_back(torch::nn::BatchNorm2d(to));
    model->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(in_place)));
    if (from == to) model->push_back(torch::nn::MaxPool2d(2));
    from = to;
  }
  model->push_back(torch::nn::Flatten());
  model->push_back(torch::nn::Dropout(0.2));
  model->push_back(torch::nn::Linear(64 * 4 * 4, 10));
  return model;
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return false;
  return !a.defined() || (a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
                          std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0);
}

// The results of a training step.
struct Left {
  std::vector<Tensor> tensors;
  void add(const Tensor& tensor) { tensors.push_back(tensor.defined() ? tensor.detach().clone() : tensor); }
};
using Forward = std::function<Tensors(const Tensors&)>;

Tensor loss_of(const Tensors& output) {
  Tensor loss = torch::zeros({});
  for (const Tensor& tensor : output)
    if (tensor.requires_grad()) loss = loss + (tensor * tensor).mean();
  return loss;
}

// Trains for some steps and returns losses, gradients, buffers, parameters and the generator's state of each.
Left train(torch::nn::Module& model, const Tensors& sample, const Forward& forward, int steps = 3) {
  torch::manual_seed(7);
  Left left;
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  for (int step = 0; step < steps; ++step) {
    Tensors input;
    for (const Tensor& tensor : sample) {
      input.push_back((tensor.is_floating_point() ? tensor.detach() * (1.0 + step) : tensor.detach().clone()));
      input.back().set_requires_grad(tensor.requires_grad());
    }
    optimizer.zero_grad();
    const Tensor loss = loss_of(forward(input));
    loss.backward();
    left.add(loss);
    for (const Tensor& tensor : input) left.add(tensor.grad());
    for (const Tensor& parameter : model.parameters()) left.add(parameter.grad());
    for (const Tensor& buffer : model.buffers()) left.add(buffer);
    optimizer.step();
    left.add(at::detail::getDefaultCPUGenerator().get_state());
  }
  for (const Tensor& parameter : model.parameters()) left.add(parameter);
  return left;
}

void expect_same(const Left& a, const Left& b) {
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) EXPECT_TRUE(same(a.tensors[i], b.tensors[i])) << "tensor " << i;
}

// Returns the peak of one step without the gradients of parameters.
std::int64_t measured_peak(torch::nn::Module& model, const Tensors& sample, const Forward& forward) {
  for (Tensor& parameter : model.parameters()) parameter.mutable_grad() = Tensor();
  Tensors weights;
  {
    const torch::NoGradGuard no_grad;
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const Tensor state = generator.get_state();
    for (const Tensor& tensor : forward(sample)) weights.push_back(torch::ones_like(tensor));
    generator.set_state(state);
  }
  ct::Meter meter;
  Tensors input;
  for (const Tensor& tensor : sample) {
    input.push_back(tensor.detach().clone());
    input.back().set_requires_grad(tensor.requires_grad());
  }
  {
    // the gradient of the output is a separate tensor here, which the loss does not hold
    const Tensors output = forward(input);
    Tensor loss = torch::zeros({});
    for (std::size_t i = 0; i < output.size(); ++i)
      if (output[i].requires_grad()) loss = loss + (output[i] * weights[i]).sum();
    loss.backward();
  }
  for (const Tensor& parameter : model.parameters()) meter.leave_out(parameter.grad());
  return meter.peak_bytes();
}

// A model created by `make` with the same seed, plain and with budgets.
template <class Model, class Plan, class Plain>
void check(const std::string& name, const std::function<Model()>& make, const Tensors& sample, const Plain& plain, const Plan& plan,
           const std::vector<double>& shares = {1.0, 0.75, 0.6}) {
  torch::manual_seed(1);
  Model reference = make();
  const Left expected = train(*reference, sample, [&](const Tensors& input) { return plain(reference, input); });
  for (const double share : shares) {
    SCOPED_TRACE(name + " at " + std::to_string(share));
    torch::manual_seed(1);
    Model model = make();
    const Tensor before = at::detail::getDefaultCPUGenerator().get_state();
    const ct::Chain chain = plan(model, sample, share);
    EXPECT_TRUE(same(before, at::detail::getDefaultCPUGenerator().get_state()));
    const Left found = train(*model, sample, [&](const Tensors& input) { return chain.forward(input); });
    expect_same(found, expected);
    EXPECT_EQ(chain.ran_again(), 3 * chain.planned_again());
    if (share < 1) {
      EXPECT_GT(chain.ran_again(), 0);
    }
    const std::int64_t measured = measured_peak(*model, sample, [&](const Tensors& input) { return chain.forward(input); });
    const std::int64_t all = measured_peak(*model, sample, [&](const Tensors& input) { return plain(model, input); });
    std::printf("%-14s budget %3.0f%% %9lld  planned %9lld  measured %9lld (%+.1f%%)  store-all %9lld  plain %9lld  again %lld\n",
                name.c_str(), 100 * share, static_cast<long long>(chain.budget_bytes()),
                static_cast<long long>(chain.planned_bytes()), static_cast<long long>(measured),
                100.0 * (static_cast<double>(chain.planned_bytes()) / static_cast<double>(measured) - 1),
                static_cast<long long>(chain.store_all_bytes()), static_cast<long long>(all),
                static_cast<long long>(chain.planned_again()));
    EXPECT_LE(measured, chain.budget_bytes() + chain.budget_bytes() / 100);
    EXPECT_LE(std::abs(static_cast<double>(chain.planned_bytes() - measured)), 0.05 * static_cast<double>(measured));
  }
}

void check_sequential(const std::string& name, const std::function<torch::nn::Sequential()>& make, const Tensor& sample,
                      const std::vector<double>& shares = {1.0, 0.75, 0.6}) {
  check<torch::nn::Sequential>(
      name, make, {sample}, [](torch::nn::Sequential& model, const Tensors& input) { return Tensors{model->forward(input[0])}; },
      [](const torch::nn::Sequential& model, const Tensors& given, double share) { return ct::budget(model, given, share); },
      shares);
}

TEST(Torch, LinearStack) {
  check_sequential(
      "linear", [] { return linears(8, 64); }, torch::ones({512, 64}));
}

TEST(Torch, InputWithGradient) {
  check_sequential(
      "input grad", [] { return linears(6, 64); }, torch::ones({512, 64}).set_requires_grad(true));
}

TEST(Torch, TransformerWithDropout) {
  for (const int blocks : {4, 12})
    check_sequential("transformer " + std::to_string(blocks), [&] { return transformer(blocks, 32); }, torch::ones({32, 8, 32}) / 3,
                     {1.0, 0.6, 0.45});
}

TEST(Torch, ConvNetWithBatchNorm) {
  check_sequential("conv", [] { return conv_net(false); }, torch::ones({8, 3, 32, 32}).cumsum(3) / 32, {1.0, 0.8});
}

TEST(Torch, InPlaceReluJoinsTheLayerBefore) {
  check_sequential("in place", [] { return conv_net(true); }, torch::ones({8, 3, 32, 32}).cumsum(3) / 32, {1.0, 0.8});
  torch::nn::Sequential model = conv_net(true);
  // six in-place ReLUs, and Flatten, which allocates nothing
  EXPECT_EQ(ct::budget(model, torch::ones({2, 3, 32, 32}), 1.0).profile().layer_count(),
            static_cast<std::int64_t>(model->size()) - 7);
}

TEST(Torch, TiedParameters) {
  check_sequential(
      "tied",
      [] {
        torch::nn::Sequential model;
        torch::nn::Linear shared(64, 64);
        for (int i = 0; i < 4; ++i) {
          model->push_back(shared);
          model->push_back(torch::nn::Tanh());
          model->push_back(torch::nn::Linear(64, 64));
          model->push_back(torch::nn::Dropout(0.3));
        }
        return model;
      },
      torch::ones({512, 64}));
}

// The gradient of a second use exists next to the sum until it is added: with large weights it decides the peak.
TEST(Torch, TiedParametersLargerThanTheActivations) {
  check_sequential("tied wide",
                   [] {
                     torch::nn::Sequential model;
                     torch::nn::Linear shared(128, 128);
                     for (int i = 0; i < 4; ++i) {
                       model->push_back(shared);
                       model->push_back(torch::nn::Tanh());
                       model->push_back(torch::nn::Linear(128, 128));
                       model->push_back(torch::nn::Tanh());
                     }
                     return model;
                   },
                   torch::ones({8, 128}), {1.0, 0.9});
}

TEST(Torch, SeveralTensors) {
  check<torch::nn::ModuleList>(
      "two tensors",
      [] {
        torch::nn::ModuleList list;
        for (int i = 0; i < 6; ++i) list->push_back(Two(48));
        return list;
      },
      {torch::ones({256, 48}), torch::ones({256, 48}) / 2},
      [](torch::nn::ModuleList& list, const Tensors& input) {
        Tensors now = input;
        for (const auto& each : *list) {
          auto [x, y] = each->as<Two>()->forward(now[0], now[1]);
          now = {x, y};
        }
        return now;
      },
      [](const torch::nn::ModuleList& list, const Tensors& given, double share) {
        std::vector<std::function<Tensors(const Tensors&)>> functions;
        for (const auto& each : *list)
          functions.emplace_back([each](const Tensors& in) {
            auto [x, y] = each->as<Two>()->forward(in[0], in[1]);
            return Tensors{x, y};
          });
        return ct::budget(functions, given, share);
      });
}

TEST(Torch, LossAsTheLastLayerAndAMaskThatPassesThrough) {
  Tensor target = torch::zeros({512, 64});
  check<torch::nn::Sequential>(
      "loss last", [] { return linears(6, 64); }, {torch::ones({512, 64}), torch::ones({512, 1})},
      [&](torch::nn::Sequential& model, const Tensors& input) {
        return Tensors{torch::mse_loss(model->forward(input[0]) * input[1], target)};
      },
      [&](const torch::nn::Sequential& model, const Tensors& given, double share) {
        std::vector<ct::Layer> layers;
        for (const auto& child : model->named_children()) {
          auto* linear = child.value()->as<torch::nn::Linear>();
          layers.push_back({child.key(),
                            [linear](const Tensors& in) {
                              return Tensors{linear != nullptr ? linear->forward(in[0]) : torch::tanh(in[0]), in[1]};
                            },
                            {child.value()}});
        }
        layers.push_back({"loss", [&](const Tensors& in) { return Tensors{torch::mse_loss(in[0] * in[1], target)}; }, {}});
        return ct::budget(layers, given, share);
      });
}

TEST(Torch, BytesForAnExternalLossAreReserved) {
  const torch::nn::Sequential model = linears(8, 64);
  const Tensor x = torch::ones({512, 64});
  const std::int64_t budget = ct::budget(model, x, 1.0).store_all_bytes();
  ct::Options options;
  options.loss_bytes = 4 * static_cast<std::int64_t>(x.nbytes());
  const ct::Chain alone = ct::budget(model, x, budget);
  const ct::Chain with_loss = ct::budget(model, x, budget, options);
  EXPECT_EQ(alone.planned_again(), 0);
  EXPECT_GT(with_loss.planned_again(), 0);
  EXPECT_LE(with_loss.planned_bytes(), budget);
  for (Tensor& parameter : model->parameters()) parameter.mutable_grad() = Tensor();
  ct::Meter meter;
  {
    const Tensor input = x.clone();
    const Tensor output = with_loss.forward(input);
    (output.exp() * output).sum().backward();  // keeps the exponential and allocates its gradient next to the product's
  }
  for (const Tensor& parameter : model->parameters()) meter.leave_out(parameter.grad());
  EXPECT_LE(meter.peak_bytes(), budget + budget / 100);
  EXPECT_GT(meter.peak_bytes(), with_loss.planned_bytes() - options.loss_bytes);
}

TEST(Torch, ThreadsWithinALayerAndChainsOnSeparateThreads) {
  at::set_num_threads(2);
  check_sequential("two threads", [] { return linears(6, 96); }, torch::ones({512, 96}), {0.7});
  at::set_num_threads(1);
  const auto gradients = [](bool planned) {  // the generator is shared by the process: no random numbers here
    const Tensor x = torch::arange(256 * 32, torch::kFloat).reshape({256, 32}) / 8192;
    torch::nn::Sequential model = linears(8, 32);
    float value = 0;
    const torch::NoGradGuard no_grad;
    for (const Tensor& parameter : model->parameters()) parameter.fill_(value += 0.01F);
    const c10::AutoGradMode with_gradients(true);
    std::optional<ct::Chain> chain;
    if (planned) chain = ct::budget(model, x, 0.7);
    for (int step = 0; step < 20; ++step) (planned ? chain->forward(x) : model->forward(x)).square().sum().backward();
    Left left;
    for (const Tensor& parameter : model->parameters()) left.add(parameter.grad());
    return left;
  };
  const Left expected = gradients(false);
  Left found[2];
  std::thread other([&] { found[1] = gradients(true); });
  found[0] = gradients(true);
  other.join();
  for (const Left& left : found) expect_same(left, expected);
}

TEST(Torch, SeveralForwardsBeforeABackwardAndStepsWithoutOne) {
  torch::manual_seed(3);
  torch::nn::Sequential model = transformer(4, 32);
  const Tensor x = torch::rand({16, 4, 32});
  const ct::Chain chain = ct::budget(model, x, 0.6);
  std::vector<Left> found;
  for (const bool planned : {false, true}) {
    torch::manual_seed(5);
    for (Tensor& parameter : model->parameters()) parameter.mutable_grad() = Tensor();
    const auto forward = [&](const Tensor& in) { return planned ? chain.forward(in) : model->forward(in); };
    const Tensor a = forward(x);
    const Tensor b = forward(x * 2);
    { const Tensor never = forward(x * 3); }
    const Tensor c = forward(x * 4);
    (a * b).mean().backward();
    c.mean().backward();
    Left left;
    for (const Tensor& tensor : {a, b, c, at::detail::getDefaultCPUGenerator().get_state()}) left.add(tensor);
    for (const Tensor& parameter : model->parameters()) left.add(parameter.grad());
    found.push_back(left);
  }
  expect_same(found[0], found[1]);
}

TEST(Torch, AutogradGradAndHooksSeeTheParameters) {
  torch::nn::Sequential model = linears(4, 32);
  const Tensor x = torch::rand({64, 32});
  const ct::Chain chain = ct::budget(model, x, 0.75);
  int called = 0;
  const Tensor first = model->parameters()[0];
  first.register_hook([&](const Tensor&) { ++called; });
  const auto plain = torch::autograd::grad({model->forward(x).sum()}, model->parameters());
  const auto found = torch::autograd::grad({chain.forward(x).sum()}, model->parameters());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(same(plain[i], found[i])) << i;
  EXPECT_FALSE(first.grad().defined());
  chain.forward(x).sum().backward();
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(same(first.grad(), plain[0]));
}

TEST(Torch, Autocast) {
  torch::nn::Sequential model = linears(6, 64);
  const Tensor x = torch::rand({128, 64});
  std::vector<Left> found;
  ct::detail::set_cpu_autocast(true);
  const ct::Chain chain = ct::budget(model, x, 0.75);
  ct::detail::set_cpu_autocast(false);
  for (const bool planned : {false, true}) {
    for (Tensor& parameter : model->parameters()) parameter.mutable_grad() = Tensor();
    ct::detail::set_cpu_autocast(true);
    const Tensor y = planned ? chain.forward(x) : model->forward(x);
    at::autocast::clear_cache();
    ct::detail::set_cpu_autocast(false);
    y.to(at::kFloat).square().mean().backward();
    EXPECT_FALSE(ct::detail::is_cpu_autocast());
    Left left;
    left.add(y);
    for (const Tensor& parameter : model->parameters()) left.add(parameter.grad());
    found.push_back(left);
  }
  EXPECT_EQ(found[1].tensors[0].scalar_type(), at::kBFloat16);
  expect_same(found[0], found[1]);
}

// Returns the message of the exception of `run`, "" if there is none.
std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Torch, RefusesByMessage) {
  torch::nn::Sequential model = linears(4, 32);
  const Tensor x = torch::rand({64, 32});
  const ct::Chain chain = ct::budget(model, x, 0.75);
  EXPECT_EQ(message_of([&] { ct::budget(model, x, 0.01); }).empty(), false);
  EXPECT_TRUE(holds(message_of([&] { ct::budget(model, x, 1.5); }), "budget"));
  EXPECT_TRUE(holds(message_of([&] { ct::budget(model, x, 0); }), "budget"));
  EXPECT_TRUE(holds(message_of([&] { ct::budget(torch::nn::Sequential(), x, 0.5); }), "layers is empty"));
  EXPECT_TRUE(holds(message_of([&] { chain.forward(torch::rand({65, 32})); }), "the sample"));
  EXPECT_TRUE(holds(message_of([&] { chain.forward(torch::rand({64, 32}).set_requires_grad(true)); }), "requires a gradient"));
  EXPECT_TRUE(holds(message_of([&] { chain.forward(Tensors{x, x}); }), "2 tensors"));
  model->eval();
  EXPECT_TRUE(holds(message_of([&] { chain.forward(x); }), "training mode"));
  {
    const torch::NoGradGuard no_grad;
    EXPECT_FALSE(chain.forward(x).requires_grad());
  }
  model->train();
  const Tensor y = chain.forward(x).sum();
  y.backward({}, true);
  EXPECT_TRUE(holds(message_of([&] { y.backward(); }), "backward already"));
  EXPECT_TRUE(holds(message_of([&] { chain.forward(x).sum().backward({}, true, true); }), "second derivatives"));
  const std::vector<std::function<Tensors(const Tensors&)>> over{[](const Tensors& in) { return Tensors{in[0].relu_()}; }};
  EXPECT_TRUE(holds(message_of([&] { ct::budget(over, x, 1.0); }), "writes over the chain's input"));
  expect_same({{chain.forward(x)}}, {{model->forward(x)}});
}

TEST(Torch, AnUnplannedParameterIsDetected) {
  torch::nn::Sequential model = linears(2, 16);
  Tensor late = torch::ones({16}).set_requires_grad(true);
  bool use = false;
  const std::vector<std::function<Tensors(const Tensors&)>> functions{
      [&](const Tensors& in) { return Tensors{model->forward(in[0])}; },
      [&](const Tensors& in) { return Tensors{use ? in[0] * late : in[0] * 2}; }};
  const ct::Chain chain = ct::budget(functions, Tensors{torch::ones({4, 16})}, 1.0);
  use = true;
  EXPECT_TRUE(holds(message_of([&] { chain.forward(Tensors{torch::ones({4, 16})}); }), "uses a parameter"));
}

TEST(Torch, LayerExceptionsArePropagatedAndTheNextStepSucceeds) {
  torch::nn::Sequential model = linears(4, 32);
  const Tensor x = torch::rand({64, 32});
  int fails_at = -1;
  int calls = 0;
  std::vector<ct::Layer> layers;
  for (const auto& child : model->named_children()) {
    auto* linear = child.value()->as<torch::nn::Linear>();
    layers.push_back({"",
                      [&, linear](const Tensors& in) {
                        if (calls++ == fails_at) throw std::runtime_error("the layer's own words");
                        return Tensors{linear != nullptr ? linear->forward(in[0]) : torch::tanh(in[0])};
                      },
                      {}});
  }
  const ct::Chain chain = ct::budget(layers, x, 0.75);
  const auto plain = torch::autograd::grad({model->forward(x).sum()}, model->parameters());
  for (int at = 0;; ++at) {
    calls = 0;
    fails_at = at;
    const std::string said = message_of([&] { chain.forward(x).sum().backward(); });
    if (said.empty()) break;
    EXPECT_TRUE(holds(said, "the layer's own words")) << said;
    fails_at = -1;
    ASSERT_LT(at, 100);
    const auto found = torch::autograd::grad({chain.forward(x).sum()}, model->parameters());
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(same(plain[i], found[i])) << at << " " << i;
  }
}

TEST(Torch, NothingRemains) {
  torch::nn::Sequential model = transformer(4, 32);
  const Tensor x = torch::rand({16, 4, 32});
  const ct::Chain chain = ct::budget(model, x, 0.6);
  chain.forward(x).sum().backward();
  ct::Meter meter;
  for (int i = 0; i < 3; ++i) {
    chain.forward(x).sum().backward();
    const Tensor never = chain.forward(x);
  }
  EXPECT_EQ(meter.live_bytes(), 0);
}

}  // namespace
