#include "strategy/interval.h"

#include "base/error.h"

namespace ckpt::strategy {

Interval::Interval(std::int64_t interval) : Strategy(Chosen::boundary), interval_(interval) {
  base::require(interval > 0, "interval is ", interval, "; expected at least 1");
}

std::string Interval::name() const { return base::cat("Interval(", interval_, ")"); }

Parameters Interval::parameters() const {
  Parameters parameters{.kind = "interval"};
  parameters.interval = interval_;
  return parameters;
}

StrategyPtr make_interval(std::int64_t interval) { return std::make_shared<Interval>(interval); }

}  // namespace ckpt::strategy
