#include "plans.h"

#include <nlohmann/json.hpp>

#include "report/replay.h"

namespace ckpt::cli {

using nlohmann::json;

bool is_timed(const Profile& profile) {
  for (std::int64_t layer = 0; layer < profile.layer_count(); ++layer) {
    for (std::int32_t i = 0; i < profile.option_count(layer); ++i) {
      const OptionProfile option = profile.option(layer, i);
      if (option.forward_seconds > 0 || option.backward_seconds > 0 || option.record_seconds > 0) return true;
    }
  }
  return false;
}

json plans_json(const std::vector<Plan>& plans) {
  json out = json::array();
  for (const Plan& plan : plans) {
    const PlanReport report = plan.schedule.verify(*plan.profile);
    out.push_back({{"plan", plan.schedule.name()},
                   {"plan_layers", plan.profile->layer_count()},
                   {"plan_peak_bytes", report.peak_bytes[0]},
                   {"plan_forwards", report.forwards},
                   {"plan_recomputed_forwards", report.recomputed_forwards},
                   {"plan_seconds", report.step_seconds},
                   {"plan_recomputed_seconds", report.recomputed_seconds},
                   {"plan_recomputed_share", report.step_seconds > 0 ? report.recomputed_seconds / report.step_seconds : 0}});
    if (plan.measured_seconds <= 0) continue;
    out.back()["measured_seconds"] = plan.measured_seconds;
    out.back()["refined_seconds"] = plan.refined_seconds;
  }
  return out;
}

json layers_json(const std::vector<Plan>& plans) {
  json out = json::array();
  std::int64_t stage = 0;
  for (const Plan& plan : plans) {
    const std::vector<std::int64_t> forwards = report::replay(plan.schedule, *plan.profile, plan.stage).forwards;
    for (std::int64_t i = 0; i < plan.profile->layer_count(); ++i) {
      if (forwards[static_cast<std::size_t>(i)] == 0) continue;  // a layer between the chunks of a stage
      const OptionProfile option = plan.profile->option(i, 0);
      out.push_back({{"layer", plan.profile->layer_name(i)},
                     {"stage", stage},
                     {"output_bytes", plan.profile->layer(i).output_bytes},
                     {"tape_bytes", option.tape_bytes},
                     {"forward_seconds", option.forward_seconds},
                     {"backward_seconds", option.backward_seconds},
                     {"forwards_per_step", forwards[static_cast<std::size_t>(i)]}});
    }
    ++stage;
  }
  return out;
}

}  // namespace ckpt::cli
