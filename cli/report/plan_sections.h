// Sections that pages of schedules share: one step as planned, and the chain's layers.
#pragma once

#include <cstdint>
#include <string>

#include "plans.h"
#include "report/markup.h"

namespace ckpt::cli::report {

// What plans_json() says of the first plan, with its pictures.
std::string step_section(const Figures& figures, const Plan& plan);

// What layers_json() says. once: how often a layer runs forward when nothing runs again. words: what bytes and times are of.
std::string layers_section(const Figures& figures, std::int64_t once, bool with_stages, const std::string& words);

}  // namespace ckpt::cli::report
