// A training process to be killed: an 8-16-1 network, stochastic gradient descent with momentum, a save after every step.
//   trainer ROOT STEPS RESULT STATUS [OPERATION [background]]
// Resumes from ROOT, and writes the final parameters to RESULT. STATUS is a file that it maps: the killing process reads there what
// the trainer was doing. It kills itself at storage operation OPERATION: before the operation if the number is even, after it (for
// a write: half-way) if odd.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "async/manager.h"
#include "base/error.h"
#include "base/log.h"
#include "base/philox.h"
#include "forwarding_storage.h"
#include "state/manager/checkpoint.h"
#include "storage/file_system.h"
#include "trainer_status.h"

namespace {

using namespace ckpt;
using tests::TrainerStatus;

// Counts operations, and kills the process at one of them.
class Killer {
 public:
  Killer(TrainerStatus& status, std::int64_t at) : status_(status), at_(at) {}
  // half: the first part of the operation, for a kill in its middle.
  template <class Whole, class Half>
  decltype(auto) run(Whole&& whole, Half&& half) {
    const std::int64_t number = status_.operations.fetch_add(1);
    if (number == at_ && at_ % 2 != 0) {
      half();
      ::raise(SIGKILL);
    }
    if (number == at_) ::raise(SIGKILL);
    return whole();
  }

 private:
  TrainerStatus& status_;
  std::int64_t at_;
};

class KillingFile final : public storage::File {
 public:
  KillingFile(std::unique_ptr<storage::File> file, Killer& killer) : file_(std::move(file)), killer_(killer) {}
  std::int64_t size() override { return file_->size(); }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override { return file_->read(offset, bytes); }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    killer_.run([&] { file_->write(offset, bytes); }, [&] { file_->write(offset, bytes.first(bytes.size() / 2)); });
  }
  void sync() override {
    killer_.run([&] { file_->sync(); }, [&] { file_->sync(); });
  }

 private:
  std::unique_ptr<storage::File> file_;
  Killer& killer_;
};

class KillingStorage final : public tests::ForwardingStorage {
 public:
  KillingStorage(std::shared_ptr<storage::Storage> inner, Killer& killer) : ForwardingStorage(std::move(inner)), killer_(killer) {}
  template <class Body>
  decltype(auto) run(Body&& body) {
    return killer_.run(body, body);
  }
  std::unique_ptr<storage::File> create(const std::string& path) override {
    return std::make_unique<KillingFile>(run([&] { return inner().create(path); }), killer_);
  }
  std::unique_ptr<storage::File> create_stream(const std::string& path, const storage::StreamOptions& options) override {
    return std::make_unique<KillingFile>(run([&] { return inner().create_stream(path, options); }), killer_);
  }
  bool link(const std::string& from, const std::string& to) override {
    return run([&] { return inner().link(from, to); });
  }
  void rename(const std::string& from, const std::string& to) override {
    run([&] { inner().rename(from, to); });
  }
  void remove(const std::string& path) override {
    run([&] { inner().remove(path); });
  }
  void remove_directory(const std::string& path) override {
    run([&] { inner().remove_directory(path); });
  }
  void make_directory(const std::string& path) override {
    run([&] { inner().make_directory(path); });
  }
  void sync_directory(const std::string& path) override {
    run([&] { inner().sync_directory(path); });
  }

 private:
  Killer& killer_;
};

constexpr int inputs = 8;
constexpr int hidden = 16;
constexpr int parameters = hidden * (inputs + 1) + hidden + 1;

class Network {
 public:
  Network()
      : weights_(tensor::Tensor::create(tensor::Dtype::f32, {parameters})),
        momentum_(tensor::Tensor::create(tensor::Dtype::f32, {parameters})) {
    state.add_tensor("model", "weights", weights_);
    state.add_tensor("optimizer", "momentum", momentum_);
    state.add_tensor("data", "examples", tensor::Tensor::create(tensor::Dtype::u8, {inputs}));
    state.set_rarely_changes("data", true);
    for (int i = 0; i < parameters; ++i) {
      weights()[i] = uniform(0, static_cast<std::uint32_t>(i)) - 0.5F;
      momentum_->data_as<float>()[i] = 0;
    }
    state.set_json("data_position", "0");
  }

  // Trains on the examples of a step, one after another; the target is the sine of the sum of the inputs.
  void train(std::int64_t step) {
    std::array<float, parameters> gradient{};
    for (std::uint32_t example = 0; example < 16; ++example) accumulate(static_cast<std::uint32_t>(step) * 16 + example, gradient);
    float* const momentum = momentum_->data_as<float>();
    for (int i = 0; i < parameters; ++i) {
      momentum[i] = 0.9F * momentum[i] + gradient[static_cast<std::size_t>(i)] / 16;
      weights()[i] -= 0.05F * momentum[i];
    }
    state.set_json("data_position", base::cat(step * 16));
  }

  float* weights() { return weights_->data_as<float>(); }
  state::State state;

 private:
  static float uniform(std::uint32_t stream, std::uint32_t index) {
    return base::uniform_from_word(base::philox4x32({index, stream, 0, 0}, {17, 4})[0]);
  }

  void accumulate(std::uint32_t example, std::array<float, parameters>& gradient) {
    std::array<float, inputs> x{};
    float sum = 0;
    for (std::uint32_t i = 0; i < inputs; ++i) sum += x[i] = uniform(example + 1, i) - 0.5F;
    std::array<float, hidden> h{};
    const float* const out = weights() + hidden * (inputs + 1);
    float y = out[hidden];
    for (std::size_t j = 0; j < hidden; ++j) {
      const float* const row = weights() + j * (inputs + 1);
      float a = row[inputs];
      for (std::size_t i = 0; i < inputs; ++i) a += row[i] * x[i];
      h[j] = std::tanh(a);
      y += out[j] * h[j];
    }
    const float error = y - std::sin(sum);
    for (std::size_t j = 0; j < hidden; ++j) {
      const float back = error * out[j] * (1 - h[j] * h[j]);
      for (std::size_t i = 0; i < inputs; ++i) gradient[j * (inputs + 1) + i] += back * x[i];
      gradient[j * (inputs + 1) + inputs] += back;
      gradient[hidden * (inputs + 1) + j] += error * h[j];
    }
    gradient[hidden * (inputs + 2)] += error;
  }

  std::shared_ptr<tensor::Tensor> weights_;
  std::shared_ptr<tensor::Tensor> momentum_;
};

std::int64_t number(const char* text) { return std::strtoll(text, nullptr, 10); }

// Reports which steps are durable, and whether a save is in progress, including staged saves that are not yet durable.
class StatusListener final : public async::TaskListener {
 public:
  explicit StatusListener(TrainerStatus& status) : status_(status) {}
  void staged(std::int64_t, std::int64_t) override { ++status_.in_save; }
  void progress(std::int64_t, std::int64_t, std::int64_t) override {}
  void ended(const async::TaskResult& result) override {
    --status_.in_save;
    if (result.state == async::TaskState::completed) status_.acknowledged = result.step;
  }

 private:
  TrainerStatus& status_;
};

// Saves after every step, in this thread or in another one while the next steps run.
class Saver {
 public:
  Saver(std::shared_ptr<state::Checkpoint> checkpoint, TrainerStatus& status, bool background)
      : checkpoint_(std::move(checkpoint)), status_(status) {
    if (!background) return;
    async::AsyncOptions options;
    options.capacity = 2;
    options.staging_bytes = async::smallest_arena_bytes;
    options.listener = std::make_shared<StatusListener>(status);
    manager_ = std::make_shared<async::AsyncManager>(checkpoint_, options);
  }
  void save(const state::State& what, std::int64_t step) {
    state::SaveOptions options;
    options.step = step;
    if (manager_ != nullptr) {
      async::TaskOptions waiting;
      waiting.when_full = async::WhenFull::wait;
      manager_->save(what, options, waiting);
      return;
    }
    status_.in_save = 1;
    checkpoint_->save(what, options);
    status_.in_save = 0;
    status_.acknowledged = step;
  }
  void finish() {
    if (manager_ != nullptr) manager_->close(async::CloseMode::drain, -1);
  }

 private:
  std::shared_ptr<state::Checkpoint> checkpoint_;
  TrainerStatus& status_;
  std::shared_ptr<async::AsyncManager> manager_;
};

void run(char** argv, TrainerStatus& status, std::int64_t kill_at, bool background) {
  Killer killer(status, kill_at);
  const auto disk = std::make_shared<KillingStorage>(storage::open_file_system(argv[1], storage::Root::make), killer);
  const auto checkpoint = std::make_shared<state::Checkpoint>(disk, state::CheckpointOptions{false, 2});
  Network network;
  std::int64_t step = 0;
  if (!checkpoint->list().empty()) step = checkpoint->load(network.state, {}).step;
  status.first_step = step;
  Saver saver(checkpoint, status, background);
  for (const std::int64_t steps = number(argv[2]); step < steps;) {
    network.train(++step);
    saver.save(network.state, step);
  }
  saver.finish();
  std::ofstream(argv[3], std::ios::binary).write(reinterpret_cast<const char*>(network.weights()), parameters * 4);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int file = ::open(argv[4], O_RDWR | O_CLOEXEC);
  void* const shared = ::mmap(nullptr, sizeof(TrainerStatus), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || shared == MAP_FAILED) return 2;
  base::set_log(base::LogLevel::warning, [](base::LogLevel, const char*, const char*) {});
  try {
    run(argv, *static_cast<TrainerStatus*>(shared), argc > 5 ? number(argv[5]) : -1, argc > 6);
    return 0;
  } catch (const base::Error& error) {
    std::fprintf(stderr, "trainer: %s\n", error.message().c_str());
    return 1;
  }
}
