// Sections shared by the pages of schedules: a planned step, and the chain's layers.
#pragma once

#include <cstdint>
#include <string>

#include "plans.h"
#include "report/markup.h"

namespace ckpt::cli::report {

// The first plan of plans_json(), with charts.
std::string step_section(const Figures& figures, const Plan& plan);

// The layers of layers_json(). once: forward runs of a layer without recomputation. words: scope of the bytes and times.
std::string layers_section(const Figures& figures, std::int64_t once, bool with_stages, const std::string& words);

}  // namespace ckpt::cli::report
