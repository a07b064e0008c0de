// A custom chain under a memory budget: dense layers of different sizes that this program runs itself, following a planner's
// schedule. Prints the cost of every budget, runs three of the schedules, and checks that the gradients are equal bit for bit and
// that the measured peak bytes are exactly the predicted ones.
#include <ckpt/ckpt.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t samples = 32;
// Widths of the chain's input and of each layer's output.
const std::vector<std::int64_t> widths = {48, 160, 96, 224, 64, 192, 128, 256, 80, 144, 208, 112, 176, 72, 240, 56, 10};
const std::int64_t layers = static_cast<std::int64_t>(widths.size()) - 1;

std::int64_t width_of(std::int64_t index) { return widths[static_cast<std::size_t>(index)]; }
std::int64_t values_of(std::int64_t index) { return samples * width_of(index); }
std::int64_t bytes_of(std::int64_t index) { return values_of(index) * static_cast<std::int64_t>(sizeof(double)); }

void need(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

// ---- Counted memory ----

struct Meter {
  std::int64_t live = 0;
  std::int64_t peak = 0;
};

class Buffer {
 public:
  Buffer(Meter& meter, std::int64_t values) : meter_(&meter), data_(static_cast<std::size_t>(values)) {
    meter.live += bytes();
    meter.peak = std::max(meter.peak, meter.live);
  }
  Buffer(Buffer&& other) noexcept : meter_(std::exchange(other.meter_, nullptr)), data_(std::move(other.data_)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(meter_, other.meter_);
    data_.swap(other.data_);
    return *this;
  }
  ~Buffer() {
    if (meter_ != nullptr) meter_->live -= bytes();
  }
  double& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }
  double operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }

 private:
  std::int64_t bytes() const { return static_cast<std::int64_t>(data_.size() * sizeof(double)); }
  Meter* meter_;
  std::vector<double> data_;
};

// ---- The layers: y = tanh(W x), recording 1 - y^2 ----

class Network {
 public:
  Network() {
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      std::vector<double>& weights = weights_.emplace_back(static_cast<std::size_t>(width_of(layer) * width_of(layer + 1)));
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = std::sin(0.37 * static_cast<double>(i + 1) * static_cast<double>(layer + 1)) / std::sqrt(width_of(layer));
    }
    clear_gradients();
  }

  void clear_gradients() {
    gradients.clear();
    for (const std::vector<double>& weights : weights_) gradients.emplace_back(weights.size());
  }

  void forward(std::int64_t layer, const Buffer& x, Buffer& y, Buffer* tape) const {
    const std::int64_t in = width_of(layer);
    const std::int64_t out = width_of(layer + 1);
    const double* const weights = weights_[static_cast<std::size_t>(layer)].data();
    for (std::int64_t i = 0; i < samples * out; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < in; ++k) sum += weights[(i % out) * in + k] * x[i / out * in + k];
      y[i] = std::tanh(sum);
      if (tape != nullptr) (*tape)[i] = 1 - y[i] * y[i];
    }
  }

  // Runs once for each layer: it adds the gradients of the weights to the stored ones.
  void backward(std::int64_t layer, const Buffer& x, const Buffer& tape, const Buffer& of_y, Buffer& of_x) {
    const std::int64_t in = width_of(layer);
    const std::int64_t out = width_of(layer + 1);
    const double* const weights = weights_[static_cast<std::size_t>(layer)].data();
    double* const of_weights = gradients[static_cast<std::size_t>(layer)].data();
    for (std::int64_t i = 0; i < samples * in; ++i) of_x[i] = 0;
    for (std::int64_t i = 0; i < samples * out; ++i) {
      const double slope = of_y[i] * tape[i];
      for (std::int64_t k = 0; k < in; ++k) {
        of_weights[(i % out) * in + k] += slope * x[i / out * in + k];
        of_x[i / out * in + k] += slope * weights[(i % out) * in + k];
      }
    }
  }

  std::vector<std::vector<double>> gradients;

 private:
  std::vector<std::vector<double>> weights_;
};

// The profile for planning: backward reads the input and the recording. Seconds are estimates, for 10^9 multiplications per second.
ckpt::Profile profile_of_layers() {
  ckpt::Profile profile(bytes_of(0));
  for (std::int64_t i = 0; i < layers; ++i) {
    ckpt::LayerProfile layer;
    layer.flags = ckpt::LayerFlag::needs_input | ckpt::LayerFlag::deterministic;
    layer.output_bytes = bytes_of(i + 1);
    ckpt::OptionProfile option;
    option.tape_bytes = bytes_of(i + 1);
    option.forward_seconds = static_cast<double>(samples * width_of(i) * width_of(i + 1)) * 1e-9;
    option.backward_seconds = 2 * option.forward_seconds;
    profile.add_layer("dense " + std::to_string(i), layer).add_option(option);
  }
  return profile;
}

// ---- Running a schedule ----

class Run {
 public:
  Run(Network& network, Meter& meter)
      : network_(network), meter_(meter), inputs_(widths.size()), tapes_(widths.size()), gradients_(widths.size()) {
    Buffer& x = make(inputs_, 0, values_of(0));
    for (std::int64_t i = 0; i < values_of(0); ++i) x[i] = std::cos(0.1 * static_cast<double>(i));
  }

  void obey(const ckpt::ScheduleAction& action) {
    switch (action.kind) {
      case ckpt::ActionKind::forward: forward(action.first, action.last); break;
      case ckpt::ActionKind::forward_tape:
        for (std::int64_t layer = action.first; layer < action.last; ++layer)
          record(layer, make(inputs_, layer + 1, values_of(layer + 1)));
        break;
      case ckpt::ActionKind::record: {  // this output is not read
        Buffer y(meter_, values_of(action.first + 1));
        record(action.first, y);
        break;
      }
      case ckpt::ActionKind::turn: {  // the loss is half the sum of squares: its gradient is the output
        Buffer& gradient = make(gradients_, layers, values_of(layers));
        for (std::int64_t i = 0; i < values_of(layers); ++i) gradient[i] = at(inputs_, layers)[i];
        break;
      }
      case ckpt::ActionKind::backward:
        for (std::int64_t layer = action.last; layer-- > action.first;) backward(layer);
        break;
      case ckpt::ActionKind::drop: end(items_of(action.item), action.first); break;
      case ckpt::ActionKind::end: break;
      default: need(false, "the schedule has an action that this program does not know");
    }
  }

 private:
  using Items = std::vector<std::optional<Buffer>>;

  Items& items_of(ckpt::Item item) { return item == ckpt::Item::tape ? tapes_ : item == ckpt::Item::grad ? gradients_ : inputs_; }
  Buffer& at(Items& items, std::int64_t index) {
    need(items[static_cast<std::size_t>(index)].has_value(), "the schedule needs a missing item");
    return *items[static_cast<std::size_t>(index)];
  }
  Buffer& make(Items& items, std::int64_t index, std::int64_t values) {
    need(!items[static_cast<std::size_t>(index)].has_value(), "the schedule computes an existing item");
    return items[static_cast<std::size_t>(index)].emplace(meter_, values);
  }
  void end(Items& items, std::int64_t index) {
    at(items, index);
    items[static_cast<std::size_t>(index)].reset();
  }

  // Runs layers first..last and keeps only the final output.
  void forward(std::int64_t first, std::int64_t last) {
    std::optional<Buffer> between;
    for (std::int64_t layer = first; layer < last; ++layer) {
      Buffer y(meter_, values_of(layer + 1));
      network_.forward(layer, layer == first ? at(inputs_, first) : *between, y, nullptr);
      between.emplace(std::move(y));
    }
    need(!inputs_[static_cast<std::size_t>(last)].has_value(), "the schedule computes an existing item");
    inputs_[static_cast<std::size_t>(last)] = std::move(between);
  }

  void record(std::int64_t layer, Buffer& y) {
    network_.forward(layer, at(inputs_, layer), y, &make(tapes_, layer, values_of(layer + 1)));
  }

  void backward(std::int64_t layer) {
    Buffer& of_x = make(gradients_, layer, values_of(layer));
    network_.backward(layer, at(inputs_, layer), at(tapes_, layer), at(gradients_, layer + 1), of_x);
    end(tapes_, layer);
    end(gradients_, layer + 1);
  }

  Network& network_;
  Meter& meter_;
  Items inputs_;
  Items tapes_;
  Items gradients_;
};

// Returns the measured peak bytes.
std::int64_t run(const ckpt::Schedule& schedule, Network& network) {
  Meter meter;
  network.clear_gradients();
  Run run(network, meter);
  ckpt::Cursor cursor(schedule);
  for (ckpt::ScheduleAction action = cursor.next(); action.kind != ckpt::ActionKind::end; action = cursor.next()) run.obey(action);
  return meter.peak;
}

void print_frontier(const ckpt::Profile& profile) {
  const std::vector<ckpt::FrontierPoint> points = profile.frontier("tapes");
  std::printf("the frontier of tapes has %zu points; some of them:\n", points.size());
  for (std::size_t i = 0; i < points.size(); i += std::max<std::size_t>(1, points.size() / 8))
    std::printf("  %7.1f KiB  %6.3f ms a step, %2lld forwards again\n", static_cast<double>(points[i].reserved_bytes) / 1024,
                points[i].step_seconds * 1e3, static_cast<long long>(points[i].recomputed_forwards));
}

}  // namespace

int main() {
  const ckpt::Profile profile = profile_of_layers();
  print_frontier(profile);
  const ckpt::Schedule everything = ckpt::Schedule::create(profile, "store-all");
  Network network;
  run(everything, network);
  const std::vector<std::vector<double>> wanted = network.gradients;
  for (const int percent : {80, 50, 35}) {
    const std::int64_t budget = everything.reserved_bytes(profile) * percent / 100;
    const ckpt::Schedule schedule = ckpt::Schedule::create(profile, "tapes:" + std::to_string(budget));
    const ckpt::PlanReport report = schedule.verify(profile);
    const std::int64_t measured = run(schedule, network);
    std::printf("within %d%% of store-all: %6.1f KiB, %6.3f ms a step, %2lld forwards again\n", percent,
                static_cast<double>(measured) / 1024, report.step_seconds * 1e3,
                static_cast<long long>(report.recomputed_forwards));
    need(measured == report.peak_bytes[0], "the measured peak differs from the predicted one");
    need(measured <= budget, "the budget was passed");
    need(network.gradients == wanted, "the gradients differ");
  }
  std::printf("measured peaks equal the predicted ones, and all gradients are bit-identical\n");
  return 0;
}
