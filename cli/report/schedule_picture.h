// Charts of a schedule: the contents of memory during a step, and the activity of each layer.
#pragma once

#include <cstdint>
#include <string>

#include "plans.h"
#include "report/plot.h"
#include "report/replay.h"

namespace ckpt::cli::report {

// Longer steps are only described in words.
constexpr std::size_t max_operations = 6000;

// Memory over time by purpose. budget_bytes 0: no budget. group: see Plot::group.
Plot memory_plot(const Plan& plan, const Replay& step, const std::string& name, std::int64_t budget_bytes, int height,
                 const std::string& group);

// One lane per layer.
Plot lanes_plot(const Plan& plan, const Replay& step, const std::string& group);

std::string memory_legend(bool budget);
std::string lanes_legend(const Replay& step);

// Both in one standalone <svg>.
std::string step_picture(const Plan& plan, std::int64_t budget_bytes);

}  // namespace ckpt::cli::report
