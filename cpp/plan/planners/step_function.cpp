#include "plan/planners/step_function.h"

#include <algorithm>

namespace ckpt::plan {
namespace {

// Above largest_bytes, with any shift.
constexpr std::int64_t unreached = 3 * largest_bytes;

// Returns the last step at or below bytes; -1 if there are none.
std::ptrdiff_t step_at(std::span<const Step> steps, std::int64_t bytes) {
  const auto above =
      std::upper_bound(steps.begin(), steps.end(), bytes, [](std::int64_t given, const Step& step) { return given < step.bytes; });
  return above - steps.begin() - 1;
}

// Iterates over a function's steps as bytes rise.
class Sweep {
 public:
  Sweep(const Step* steps, std::size_t size, std::int64_t shift, std::int64_t from)
      : shift_(shift), at_(steps + std::max<std::ptrdiff_t>(step_at({steps, size}, from - shift), 0)) {}

  double time() const { return at_->time; }
  std::int64_t next() const { return at_[1].bytes + shift_; }
  void reach(std::int64_t bytes) { at_ += next() <= bytes ? 1 : 0; }

 private:
  std::int64_t shift_;
  const Step* at_;
};

}  // namespace

StepFunction::StepFunction(std::span<const Step> steps) {
  if (steps.empty()) return;
  steps_.reserve(steps.size() + 1);
  steps_.assign(steps.begin(), steps.end());
  steps_.push_back({unreached, steps.back().time});
}

StepFunction StepFunction::constant(double time, std::int64_t from_bytes) {
  const Step step{from_bytes, time};
  return StepFunction(std::span(&step, 1));
}

double StepFunction::at(std::int64_t bytes) const {
  const std::ptrdiff_t index = step_at(steps(), bytes);
  if (index < 0) return never;
  return steps_[static_cast<std::size_t>(index)].time;
}

Minimum::Minimum() : best_(1), zero_(StepFunction::constant(0, -unreached)) {}

double Minimum::best_at(std::int64_t bytes) const {
  const std::ptrdiff_t index = step_at(std::span(best_).first(size_), bytes);
  if (index < 0) return never;
  return best_[static_cast<std::size_t>(index)].time;
}

void Minimum::add(std::int64_t at_least, double time, Shifted a, Shifted b, Shifted c) {
  work_ += 16;  // the fixed cost, in steps
  double min = time;
  std::size_t steps = 2;
  for (Shifted* each : {&a, &b, &c}) {
    if (each->function == nullptr) *each = {&zero_, 0};
    const std::span<const Step> own = each->function->steps();
    if (own.empty()) return;
    if (each->function != &zero_) at_least = std::max(at_least, own.front().bytes + each->shift);
    min += own.back().time;
    steps += own.size();
  }
  if (best_at(at_least) <= min) return;  // no improvement anywhere

  if (merged_.size() < size_ + steps) merged_.resize(2 * (size_ + steps));
  const auto kept =
      static_cast<std::size_t>(std::lower_bound(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(size_), at_least,
                                                [](const Step& step, std::int64_t bytes) { return step.bytes < bytes; }) -
                               best_.begin());
  std::copy_n(best_.begin(), kept, merged_.begin());
  const auto sweep = [&](const Shifted& each) {
    return Sweep(each.function->steps().data(), each.function->size(), each.shift, at_least);
  };
  Sweep x = sweep(a);
  Sweep y = sweep(b);
  Sweep z = sweep(c);
  // best_ has a step below at_least, or begins at or above it.
  double known = never;
  if (kept > 0) known = best_[kept - 1].time;
  const Step* after = best_.data() + kept;
  Step* out = merged_.data() + kept;
  double last = known;
  for (std::int64_t bytes = at_least; bytes <= largest_bytes;) {
    const bool reached = after->bytes <= bytes && after != best_.data() + size_;
    known = reached ? after->time : known;
    after += reached ? 1 : 0;
    const double min_here = std::min(known, time + (x.time() + y.time() + z.time()));
    *out = {bytes, min_here};
    out += min_here < last ? 1 : 0;
    last = std::min(last, min_here);
    bytes = std::min({x.next(), y.next(), z.next(), after != best_.data() + size_ ? after->bytes : unreached});
    x.reach(bytes);
    y.reach(bytes);
    z.reach(bytes);
  }
  work_ += static_cast<std::int64_t>(steps + size_);
  size_ = static_cast<std::size_t>(out - merged_.data());
  std::swap(best_, merged_);
}

void Minimum::clip(std::int64_t bytes) {
  while (size_ > 1 && best_[size_ - 1].bytes > bytes) --size_;
}

double Minimum::thin(std::size_t max) {
  if (size_ <= max) return 0;
  // A dropped step's bytes get the value of the kept step before it. Kept: the first, the last, and steps that gain more than
  // `loss`.
  const auto keep = [&](double loss, Step* out) {
    std::size_t kept = 0;
    double last = never;
    for (std::size_t i = 0; i < size_; ++i) {
      if (last - best_[i].time <= loss && i + 1 < size_) continue;
      last = best_[i].time;
      if (out != nullptr) out[kept] = best_[i];
      ++kept;
    }
    return kept;
  };
  double little = 0;
  double much = best_[0].time - best_[size_ - 1].time;
  for (int halvings = 0; halvings < 30; ++halvings) {
    const double middle = (little + much) / 2;
    (keep(middle, nullptr) <= max ? much : little) = middle;
  }
  size_ = keep(much, best_.data());
  return much;
}

}  // namespace ckpt::plan
