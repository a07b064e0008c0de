#include "plan/planners/graph_timeline.h"

#include <algorithm>

namespace ckpt::plan {
namespace {

std::size_t to_index(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace

GraphTimeline::GraphTimeline(const GraphCosts& costs)
    : costs_(costs),
      size_(costs.size()),
      stage_length_(Time{size_} + 1),
      memory_(2 * size_ + 1),
      runs_(costs.operations.size()),
      reads_(costs.operations.size() + 1) {
  for (std::int32_t i = 0; i < size_; ++i) {
    const GraphOperation& operation = costs.operation(i);
    runs_[to_index(i)].push_back(time_of_main(i));
    for (const std::int32_t value : operation.inputs) reads_[to_index(value)].push_back(time_of_main(i));
    time_ += operation.forward_time + operation.backward_time;
    hold(operation.tape_bytes, time_of_main(i), time_of_backward(i));
    hold(operation.ambient_bytes, time_of_main(i), time_of_backward(i));
    hold(operation.forward_bytes, time_of_main(i), time_of_main(i));
    hold(operation.backward_bytes, time_of_backward(i), time_of_backward(i));
  }
  for (const std::int32_t value : outputs()) reads_[to_index(value)].push_back(time_of_main(size_));
  for (std::int32_t i = size_; i-- > 0;) {
    if (costs.operation(i).needs_output) reads_[to_index(i + 1)].push_back(time_of_backward(i));
    for (const std::int32_t value : costs.operation(i).needed_inputs) reads_[to_index(value)].push_back(time_of_backward(i));
  }
  // An item that stays is read by the last main operation.
  const auto keep = [&](std::int32_t value) {
    if (reads_[to_index(value)].back() != time_of_main(2 * size_)) reads_[to_index(value)].push_back(time_of_main(2 * size_));
  };
  if (costs.keeps_input) keep(0);
  if (costs.keeps_outputs) {
    for (const std::int32_t value : outputs()) keep(value);
  }
  for (std::int32_t value = 0; value <= size_; ++value) {
    const Span span = span_before(value, never);
    hold(costs.value_bytes(value), span.created, last_read(value, span));
  }
  hold_gradients();
}

std::vector<std::int32_t> GraphTimeline::outputs() const { return costs_.outputs.empty() ? std::vector{size_} : costs_.outputs; }

void GraphTimeline::hold_gradients() {
  std::vector<Time> created(reads_.size(), never);
  for (std::int32_t i = 0; i < size_; ++i) {
    if (!costs_.operation(i).makes_gradients) continue;
    for (const std::int32_t value : costs_.operation(i).inputs) created[to_index(value)] = time_of_backward(i);
  }
  for (const std::int32_t value : outputs()) created[to_index(value)] = time_of_main(size_);
  for (std::int32_t value = 0; value <= size_; ++value) {
    if (created[to_index(value)] == never) continue;
    hold(costs_.value_bytes(value), created[to_index(value)], value == 0 ? time_of_main(2 * size_) : time_of_backward(value - 1));
  }
}

// Each time has two points: an item that is made then counts from the first one on, and an item that ends then until the second.
void GraphTimeline::hold(std::int64_t bytes, Time from, Time to) {
  if (bytes == 0) return;
  memory_.add(stage_of(from), static_cast<std::int32_t>(2 * (from % stage_length_)), bytes);
  memory_.add(stage_of(to), static_cast<std::int32_t>(2 * (to % stage_length_) + 1), -bytes);
}

GraphTimeline::Time GraphTimeline::fullest() const {
  const StageMemory::Moment moment = memory_.fullest();
  return Time{moment.stage} * stage_length_ + moment.point / 2;
}

GraphTimeline::Span GraphTimeline::span_before(std::int32_t value, Time time) const {
  if (value == 0) return {};
  const std::vector<Time>& runs = runs_[to_index(value - 1)];
  const auto after = std::lower_bound(runs.begin(), runs.end(), time);
  return {*(after - 1), after == runs.end() ? never : *after};
}

GraphTimeline::Time GraphTimeline::last_read(std::int32_t value, const Span& span) const {
  const std::vector<Time>& reads = reads_[to_index(value)];
  const auto after = std::lower_bound(reads.begin(), reads.end(), span.made_again);
  return after == reads.begin() ? span.created : std::max(span.created, *(after - 1));
}

bool GraphTimeline::is_live(std::int32_t value, Time time) const {
  if (value > 0 && runs_[to_index(value - 1)].front() > time) return false;
  return last_read(value, span_before(value, time + 1)) >= time;
}

bool GraphTimeline::is_read(std::int32_t value, Time time) const {
  return std::binary_search(reads_[to_index(value)].begin(), reads_[to_index(value)].end(), time);
}

GraphTimeline::Time GraphTimeline::next_read(std::int32_t value, Time time) const {
  const std::vector<Time>& reads = reads_[to_index(value)];
  const auto next = std::upper_bound(reads.begin(), reads.end(), time);
  return next == reads.end() ? never : *next;
}

GraphTimeline::Time GraphTimeline::last_run(std::int32_t operation, Time before) const {
  return span_before(operation + 1, before).created;
}

void GraphTimeline::split(std::int32_t value, Time time, std::int64_t sign) {
  const Span whole = span_before(value, time);
  const std::int64_t bytes = sign * costs_.value_bytes(value);
  hold(-bytes, whole.created, last_read(value, whole));
  hold(bytes, whole.created, last_read(value, {whole.created, time}));
  hold(bytes, time, last_read(value, {time, whole.made_again}));
}

void GraphTimeline::move_tape(std::int32_t operation, Time time, std::int64_t sign) {
  const Span span = span_before(operation + 1, time);
  const Time end = time_of_backward(operation);
  if (time > end || span.made_again < end) return;
  const std::int64_t bytes = sign * costs_.operation(operation).tape_bytes;
  hold(-bytes, span.created, end);
  hold(bytes, time, end);
}

void GraphTimeline::set_read(std::int32_t value, Time time, bool exists) {
  const Span span = span_before(value, time);
  const Time before = last_read(value, span);
  std::vector<Time>& reads = reads_[to_index(value)];
  const auto place = std::lower_bound(reads.begin(), reads.end(), time);
  if (exists) {
    reads.insert(place, time);
  } else {
    reads.erase(place);
  }
  const Time now = last_read(value, span);
  if (now == before) return;
  hold(-costs_.value_bytes(value), span.created, before);
  hold(costs_.value_bytes(value), span.created, now);
}

void GraphTimeline::add(const Recomputation& recomputation) {
  const std::int32_t i = recomputation.operation;
  const Time time = time_of(recomputation);
  std::vector<Time>& runs = runs_[to_index(i)];
  split(i + 1, time, 1);
  move_tape(i, time, 1);
  runs.insert(std::lower_bound(runs.begin(), runs.end(), time), time);
  for (const std::int32_t value : costs_.operation(i).inputs) set_read(value, time, true);
  hold(costs_.operation(i).ambient_bytes + costs_.operation(i).forward_bytes, time, time);
  recomputations_.insert(recomputation);
  time_ += costs_.operation(i).forward_time;
}

void GraphTimeline::remove(const Recomputation& recomputation) {
  const std::int32_t i = recomputation.operation;
  const Time time = time_of(recomputation);
  std::vector<Time>& runs = runs_[to_index(i)];
  hold(-costs_.operation(i).ambient_bytes - costs_.operation(i).forward_bytes, time, time);
  for (const std::int32_t value : costs_.operation(i).inputs) set_read(value, time, false);
  runs.erase(std::lower_bound(runs.begin(), runs.end(), time));
  split(i + 1, time, -1);
  move_tape(i, time, -1);
  recomputations_.erase(recomputation);
  time_ -= costs_.operation(i).forward_time;
}

}  // namespace ckpt::plan
