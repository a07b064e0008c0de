#include "planner.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "text.h"

namespace ckpt::cli {
namespace {

// Parses "two-level:MEMORY_SLOTS[,DISK_SLOTS] - description; ranges".
PlannerForm form_of(const std::string& line) {
  const std::string form = line.substr(0, line.find(" - "));
  PlannerForm planner{planner_name(form), {}};
  if (planner.name.size() == form.size()) return planner;
  const std::size_t begin = planner.name.size() + 1;
  std::istringstream values(form.substr(begin, form.find('[') - begin));
  for (std::string value; std::getline(values, value, ',');) planner.required.push_back(value);
  return planner;
}

// Returns the largest number of slots with which the schedule fits; 1 if none does.
std::int64_t max_slots(const std::string& name, const Profile& profile, std::int64_t budget_bytes) {
  std::int64_t fits = 1;
  std::int64_t limit = profile.layer_count() + 1;  // more have no effect
  for (std::int64_t slots = limit - 1; fits < slots; slots = fits + (limit - fits) / 2) {
    const bool enough = budgeted_bytes(Schedule::create(profile, cat(name, ":", slots)), profile) <= budget_bytes;
    (enough ? fits : limit) = slots;
  }
  return fits;
}

}  // namespace

std::int64_t budgeted_bytes(const Schedule& schedule, const Profile& profile) {
  const bool live_alone =
      (static_cast<std::uint32_t>(profile.flags()) & static_cast<std::uint32_t>(ProfileFlag::own_allocator)) != 0;
  const std::int64_t live = schedule.verify(profile).peak_bytes[0];  // includes measured peaks of backwards outside the arena
  return live_alone ? live : std::max(live, schedule.reserved_bytes(profile));
}

bool PlannerForm::takes_slots() const {
  constexpr std::string_view slots = "SLOTS";
  return required.size() == 1 && required[0].size() >= slots.size() &&
         required[0].compare(required[0].size() - slots.size(), slots.size(), slots) == 0;
}

std::vector<PlannerForm> planner_forms() {
  std::vector<PlannerForm> forms;
  std::istringstream lines(known_planners());
  for (std::string line; std::getline(lines, line);) forms.push_back(form_of(line));
  return forms;
}

std::string planner_name(const std::string& planner) { return planner.substr(0, planner.find(':')); }

std::string planner_within(const std::string& planner, const Profile& profile, std::int64_t budget_bytes,
                           const std::string& option) {
  const std::vector<PlannerForm> forms = planner_forms();
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const PlannerForm& each) { return each.name == planner; });
  if (form == forms.end() || form->required.empty()) return planner;
  if (!form->takes_bytes() && !form->takes_slots()) return planner;  // the library reports the missing values
  const std::string value = form->required[0];
  if (budget_bytes == 0)
    throw std::invalid_argument(cat("--planner: '", planner, "' needs a value; use ", option, ", or ", planner, ":", value));
  return cat(planner, ":", form->takes_bytes() ? budget_bytes : max_slots(planner, profile, budget_bytes));
}

void require_fit(const Schedule& schedule, const Profile& profile, const RequestedBudget& budget, const std::string& what) {
  if (budget.bytes() == 0) return;
  const std::int64_t bytes = budgeted_bytes(schedule, profile);
  if (bytes > budget.bytes())
    throw std::runtime_error(cat(what, " reserves ", budget.amount(bytes), ", more than the budget of ", budget.text()));
}

}  // namespace ckpt::cli
