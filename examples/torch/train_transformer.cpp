// Trains a transformer with dropout and a conv net with batch norm, each with half the bytes of plain training, and compares.
#include <ckpt/torch.h>

#include <torch/torch.h>

#include <cstdio>
#include <functional>
#include <tuple>
#include <vector>

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(int64_t width)
      : attention(register_module("attention",
                                  torch::nn::MultiheadAttention(torch::nn::MultiheadAttentionOptions(width, 4).dropout(0.1)))),
        norm1(register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
        norm2(register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
        up(register_module("up", torch::nn::Linear(width, 4 * width))),
        down(register_module("down", torch::nn::Linear(4 * width, width))),
        dropout(register_module("dropout", torch::nn::Dropout(0.1))) {}
  torch::Tensor forward(torch::Tensor x) {
    const torch::Tensor y = norm1(x);
    x = x + dropout(std::get<0>(attention(y, y, y, torch::Tensor(), false)));
    return x + dropout(down(torch::gelu(up(norm2(x)))));
  }
  torch::nn::MultiheadAttention attention;
  torch::nn::LayerNorm norm1, norm2;
  torch::nn::Linear up, down;
  torch::nn::Dropout dropout;
};
TORCH_MODULE(Block);

torch::nn::Sequential transformer() {
  torch::manual_seed(1);
  torch::nn::Sequential model;
  for (int i = 0; i < 12; ++i) model->push_back(Block(64));
  return model;
}

torch::nn::Sequential conv_net() {
  torch::manual_seed(1);
  torch::nn::Sequential model;
  int64_t from = 3;
  for (const int64_t to : {16, 16, 16, 16, 32, 32, 32, 32}) {
    model->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(from, to, 3).stride(from == 16 && to == 32 ? 2 : 1).padding(1)));
    model->push_back(torch::nn::BatchNorm2d(to));
    model->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    from = to;
  }
  model->push_back(torch::nn::Flatten());
  model->push_back(torch::nn::Linear(32 * 16 * 16, 10));
  return model;
}

// A standard training loop. share 0 trains without a budget.
double train(torch::nn::Sequential& model, const torch::Tensor& sample, double share) {
  std::function<torch::Tensor(const torch::Tensor&)> forward = [&](const torch::Tensor& x) { return model->forward(x); };
  if (share > 0) {
    const ckpt::torch::Chain chain = ckpt::torch::budget(model, sample, share);
    std::printf("  %.0f%%: %lld of %lld bytes, %lld layers run again\n", 100 * share, static_cast<long long>(chain.planned_bytes()),
                static_cast<long long>(chain.store_all_bytes()), static_cast<long long>(chain.planned_again()));
    forward = chain;
  }
  torch::manual_seed(2);
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));
  double last = 0;
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor x = torch::rand_like(sample);
    optimizer.zero_grad();
    const torch::Tensor loss = forward(x).square().mean();
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
  }
  return last;
}

void compare(const char* name, const std::function<torch::nn::Sequential()>& make, const torch::Tensor& sample, double share) {
  torch::nn::Sequential plain = make();
  torch::nn::Sequential planned = make();
  bool same = train(plain, sample, 0) == train(planned, sample, share);
  for (size_t i = 0; i < plain->parameters().size(); ++i)
    same = same && torch::equal(plain->parameters()[i], planned->parameters()[i]);
  for (size_t i = 0; i < plain->buffers().size(); ++i) same = same && torch::equal(plain->buffers()[i], planned->buffers()[i]);
  std::printf("%s under %.0f%%: %s\n", name, 100 * share, same ? "the same bits" : "other bits");
}

int main() {
  compare("transformer", transformer, torch::rand({32, 4, 64}), 0.5);
  compare("conv net", conv_net, torch::rand({4, 3, 32, 32}), 0.8);
}
