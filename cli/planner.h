// Planner strings: applies a budget to them, and checks their schedules against it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "requested_budget.h"

namespace ckpt::cli {

// Used within a budget if the user names no planner.
constexpr const char* default_planner = "auto";

// One of the library's planners, as ckpt::known_planners() describes it.
struct PlannerForm {
  std::string name;                   // "two-level"
  std::vector<std::string> required;  // required values: "MEMORY_SLOTS"

  bool takes_bytes() const { return required.size() == 1 && required[0] == "BYTES"; }
  // Returns whether the value is a number that grows with the memory of the schedule.
  bool takes_slots() const;
};
std::vector<PlannerForm> planner_forms();

// Returns the name before the colon.
std::string planner_name(const std::string& planner);

// Returns the planner unchanged if it has values or needs none. A name alone gets the budget as its value: its bytes, or the
// largest number of slots that fits. budget_bytes 0: no budget. Throws std::invalid_argument that names option, which would specify
// one.
std::string planner_within(const std::string& planner, const Profile& profile, std::int64_t budget_bytes,
                           const std::string& option);

// Returns the bytes that a budget bounds: the larger of the reserved and the live bytes, since measured backwards can need more
// than the reserved ones. If the profile has its own allocator, returns the live bytes.
std::int64_t budgeted_bytes(const Schedule& schedule, const Profile& profile);

// Throws std::runtime_error with both figures if the schedule exceeds the budget. Does nothing without a budget.
void require_fit(const Schedule& schedule, const Profile& profile, const RequestedBudget& budget, const std::string& what);

}  // namespace ckpt::cli
