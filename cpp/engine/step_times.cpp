#include "engine/step_times.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/median.h"

namespace ckpt::engine {
namespace {

using Kind = plan::Operation::Kind;

constexpr std::int32_t no_runs = -1;

bool runs_layer(const plan::Operation& operation) {
  return operation.kind == Kind::forward || operation.kind == Kind::record || operation.kind == Kind::backward;
}

}  // namespace

StepTimes::StepTimes(const plan::Program& program) : operations_(program.operations) {
  std::map<std::tuple<std::int64_t, std::int32_t, Kind>, std::int32_t> numbers;  // by layer, option and kind
  for (const plan::Operation& operation : operations_) {
    if (!runs_layer(operation)) {
      runs_of_.push_back(no_runs);
      continue;
    }
    const auto [found, is_new] =
        numbers.try_emplace({operation.layer, operation.option, operation.kind}, static_cast<std::int32_t>(runs_.size()));
    if (is_new) runs_.push_back({&operation, 0, 0, {}});
    runs_of_.push_back(found->second);
  }
}

void StepTimes::begin_step() noexcept {
  for (Runs& runs : runs_) runs.step_ns = runs.step_runs = 0;
}

void StepTimes::add(const plan::Operation& operation, std::int64_t duration_ns) noexcept {
  const std::int32_t number = runs_of_[static_cast<std::size_t>(&operation - operations_.data())];
  if (number == no_runs) return;
  Runs& runs = runs_[static_cast<std::size_t>(number)];
  runs.step_ns += duration_ns;
  ++runs.step_runs;
}

void StepTimes::end_step() noexcept {
  const auto place = static_cast<std::size_t>(steps_ % max_steps);
  for (Runs& runs : runs_) runs.seconds[place] = static_cast<float>(runs.step_ns) * 1e-9F / static_cast<float>(runs.step_runs);
  ++steps_;
}

void StepTimes::write_to(plan::ChainProfile& profile) const {
  const std::int64_t kept = std::min(steps_, max_steps);
  for (const Runs& runs : runs_) {
    const plan::Operation& operation = *runs.example;
    plan::OptionProfile option = profile.layer(operation.layer).options[static_cast<std::size_t>(operation.option)];
    const double seconds = median(std::vector<double>(runs.seconds.begin(), runs.seconds.begin() + kept));
    switch (operation.kind) {
      case Kind::forward: option.forward_seconds = seconds; break;
      case Kind::record: option.record_seconds = seconds; break;
      default: option.backward_seconds = seconds; break;
    }
    profile.set_option(operation.layer, operation.option, option);
  }
}

}  // namespace ckpt::engine
