// A schedule as pictures: what memory holds over the time of a step, and which layers run and stay meanwhile.
#pragma once

#include <cstdint>
#include <string>

#include "plans.h"
#include "report/plot.h"
#include "report/replay.h"

namespace ckpt::cli::report {

// Longer ones are said in words only.
constexpr std::size_t most_operations = 6000;

// Memory over time, by what it is for. budget_bytes 0: none. group: see Plot::group.
Plot memory_plot(const Plan& plan, const Replay& step, const std::string& name, std::int64_t budget_bytes, int height,
                 const std::string& group);

// A lane for each layer.
Plot lanes_plot(const Plan& plan, const Replay& step, const std::string& group);

std::string memory_legend(bool budget);
std::string lanes_legend();

// Both in one <svg> that stands alone.
std::string step_picture(const Plan& plan, std::int64_t budget_bytes);

}  // namespace ckpt::cli::report
