// Planners as text: what a budget makes of one, and what must fit it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "asked_budget.h"

namespace ckpt::cli {

// One of the library's planners, as ckpt::known_planners() describes it.
struct PlannerForm {
  std::string name;                   // "two-level"
  std::vector<std::string> required;  // values that must be given: "MEMORY_SLOTS"

  bool takes_bytes() const { return required.size() == 1 && required[0] == "BYTES"; }
  // A number that grows with the memory that the schedule needs.
  bool takes_slots() const;
};
std::vector<PlannerForm> planner_forms();

// The name before the colon.
std::string planner_name(const std::string& planner);

// The planner as it stands when it has values or needs none. A name alone takes the budget: its bytes, or as many slots as fit it.
// budget_bytes 0: there is none. Throws std::invalid_argument that names option, which would give one.
std::string planner_within(const std::string& planner, const Profile& profile, std::int64_t budget_bytes,
                           const std::string& option);

// Returns the bytes that a budget bounds: the larger of the reserved and the live bytes, since measured backwards can need more
// than the reserved ones. If the profile has its own allocator, returns the live bytes.
std::int64_t budgeted_bytes(const Schedule& schedule, const Profile& profile);

// Throws std::runtime_error with both figures if the schedule exceeds the budget. Does nothing without a budget.
void require_fit(const Schedule& schedule, const Profile& profile, const AskedBudget& budget, const std::string& what);

}  // namespace ckpt::cli
