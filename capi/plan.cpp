#include "plan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/entered.h"
#include "plan/placement.h"
#include "plan/planners.h"
#include "plan/profile_json.h"
#include "plan/verifier.h"
#include "strategy.h"
#include "structs.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace plan = ckpt::plan;

static_assert(sizeof(ckpt_schedule_action) == 64 && sizeof(plan::Action) == sizeof(ckpt_schedule_action));
static_assert(offsetof(ckpt_schedule_action, kind) == offsetof(plan::Action, kind));
static_assert(offsetof(ckpt_schedule_action, micro_batch) == offsetof(plan::Action, micro_batch));
static_assert(offsetof(ckpt_schedule_action, first) == offsetof(plan::Action, first));
static_assert(offsetof(ckpt_schedule_action, last) == offsetof(plan::Action, last));
static_assert(offsetof(ckpt_schedule_action, option) == offsetof(plan::Action, option));
static_assert(offsetof(ckpt_schedule_action, item) == offsetof(plan::Action, item));
static_assert(offsetof(ckpt_schedule_action, tier) == offsetof(plan::Action, tier));
static_assert(offsetof(ckpt_schedule_action, slot) == offsetof(plan::Action, slot));
static_assert(offsetof(ckpt_schedule_action, transfer) == offsetof(plan::Action, transfer));
static_assert(CKPT_TIERS == plan::tiers && CKPT_ACTION_KIND_END == static_cast<int>(plan::Kind::end));
static_assert(CKPT_ACTION_KIND_RECORD == static_cast<int>(plan::Kind::record));
static_assert(CKPT_ACTION_KIND_ADVANCE == static_cast<int>(plan::Kind::advance));
static_assert(CKPT_LAYER_FLAG_IN_PLACE == plan::in_place);
static_assert(CKPT_PROFILE_FLAG_KEEPS_INPUT == plan::keeps_input && CKPT_PROFILE_FLAG_KEEPS_OUTPUT == plan::keeps_output);
static_assert(CKPT_PROFILE_FLAG_OWN_ALLOCATOR == plan::own_allocator);
static_assert(CKPT_ITEM_GRAD == static_cast<int>(plan::Item::grad) && CKPT_ITEM_TAPE == static_cast<int>(plan::Item::tape));
static_assert(CKPT_LAYER_FLAG_NEEDS_INPUT == plan::needs_input && CKPT_LAYER_FLAG_NEEDS_OUTPUT == plan::needs_output);
static_assert(CKPT_LAYER_FLAG_DETERMINISTIC == plan::deterministic && CKPT_LAYER_FLAG_NO_INPUT_GRADIENT == plan::no_input_gradient);

namespace {

const plan::ChainProfile& profile_argument(const ckpt_profile* profile) { return *checked(profile, "profile")->object; }

// Refuses a call from a strategy's callback that would change the profile about which the strategy is asked.
void refuse_reentry(const ckpt_profile* profile) { Entered::refuse(profile->object.get(), "profile"); }

// Returns the layer's output for a strategy: its dtype and shape if the caller has set them, else its bytes.
ckpt::strategy::Activation output_of(const ckpt_layer_profile& layer) {
  namespace tensor = ckpt::tensor;
  require(layer.output_bytes >= 0, "layer.output_bytes is ", layer.output_bytes, "; expected at least 0");
  if (layer.dtype == 0) return ckpt::strategy::Activation(layer.output_bytes);
  require(tensor::is_dtype(layer.dtype), "layer.dtype is ", layer.dtype, "; expected a CKPT_DTYPE_ constant");
  require(layer.ndim >= 0 && layer.ndim <= tensor::largest_ndim, "layer.ndim is ", layer.ndim, "; expected 0 .. ",
          tensor::largest_ndim);
  const auto dtype = static_cast<tensor::Dtype>(layer.dtype);
  const tensor::Shape shape(std::span(layer.shape, static_cast<std::size_t>(layer.ndim)));
  const ckpt::strategy::Activation output(dtype, shape);
  require(output.bytes == layer.output_bytes, "layer.output_bytes is ", layer.output_bytes, "; shape ", tensor::to_text(shape),
          " of ", tensor::dtype_name(dtype), " has ", output.bytes);
  return output;
}

plan::LayerProfile layer_argument(const ckpt_layer_profile* layer, std::string_view name) {
  const auto given = struct_argument(layer, "layer");
  plan::LayerProfile created;
  created.name = name;
  copy_from_c<2>(given, created);
  created.output = output_of(given);
  return created;
}

plan::OptionProfile option_argument(const ckpt_option_profile* option) {
  const auto given = struct_argument(option, "option");
  plan::OptionProfile created;
  copy_from_c(given, created);
  return created;
}

plan::Action to_action(const ckpt_schedule_action& given) {
  plan::Action action;
  std::memcpy(static_cast<void*>(&action), &given, sizeof action);
  return action;
}

ckpt_schedule_action from_action(const plan::Action& action) {
  ckpt_schedule_action given;
  std::memcpy(&given, &action, sizeof given);
  return given;
}

void hand_out_schedule(ckpt_schedule** out, std::shared_ptr<const plan::Schedule> schedule) { hand_out(out, std::move(schedule)); }

}  // namespace

const char* ckpt_action_kind_name(int32_t kind) { return plan::kind_name(static_cast<plan::Kind>(kind)); }

// ---- Profile ----

ckpt_status ckpt_profile_create(int64_t input_bytes, ckpt_profile** profile) {
  return guard([&] {
    not_null(profile, "profile");
    hand_out(profile, std::make_shared<plan::ChainProfile>(input_bytes));
  });
}

ckpt_status ckpt_profile_create_uniform(int64_t layer_count, const ckpt_layer_profile* layer, const ckpt_option_profile* option,
                                        ckpt_profile** profile) {
  return guard([&] {
    not_null(profile, "profile");
    plan::LayerProfile each = layer_argument(layer, "step");
    each.options = {option_argument(option)};
    hand_out(profile, std::make_shared<plan::ChainProfile>(plan::ChainProfile::uniform(layer_count, std::move(each))));
  });
}

ckpt_status ckpt_profile_add_layer(ckpt_profile* profile, const char* name, const ckpt_layer_profile* layer) {
  return guard([&] {
    refuse_reentry(checked(profile, "profile"));
    const std::string_view layer_name = name_argument(name, "name");
    profile->object->add_layer(layer_argument(layer, layer_name));
  });
}

ckpt_status ckpt_profile_add_option(ckpt_profile* profile, const ckpt_option_profile* option) {
  return guard([&] {
    refuse_reentry(checked(profile, "profile"));
    profile->object->add_option(option_argument(option));
  });
}

ckpt_status ckpt_profile_set_inputs(ckpt_profile* profile, int64_t layer, const int64_t* inputs, int64_t inputs_count,
                                    const int64_t* needed, int64_t needed_count) {
  return guard([&] {
    refuse_reentry(checked(profile, "profile"));
    const auto read = array_argument(inputs, inputs_count, "inputs");
    profile->object->set_inputs(layer, read, array_argument(needed, needed_count, "needed"));
  });
}

ckpt_status ckpt_profile_set_outputs(ckpt_profile* profile, const int64_t* values, int64_t values_count) {
  return guard([&] {
    refuse_reentry(checked(profile, "profile"));
    profile->object->set_outputs(array_argument(values, values_count, "values"));
  });
}

ckpt_status ckpt_profile_set_tier(ckpt_profile* profile, int32_t tier, const ckpt_tier_profile* tier_profile) {
  return guard([&] {
    refuse_reentry(checked(profile, "profile"));
    const auto given = struct_argument(tier_profile, "tier_profile");
    plan::TierProfile set;
    copy_from_c(given, set);
    profile->object->set_tier(tier, set);
  });
}

ckpt_status ckpt_profile_get_tier(const ckpt_profile* profile, int32_t tier, ckpt_tier_profile* out) {
  return guard([&] {
    const auto& object = profile_argument(profile);
    require(tier >= 1 && tier < plan::tiers, "tier is ", tier, "; expected 1 .. ", plan::tiers - 1);
    fill_struct(out, struct_of<ckpt_tier_profile>(object.tier(tier)), "out");
  });
}

ckpt_status ckpt_profile_set_flags(ckpt_profile* profile, ckpt_profile_flag flags) {
  return guard([&] {
    refuse_reentry(checked(profile, "profile"));
    profile->object->set_flags(flags);
  });
}

ckpt_status ckpt_profile_get_flags(const ckpt_profile* profile, ckpt_profile_flag* flags) {
  return guard([&] {
    const auto& object = profile_argument(profile);
    *not_null(flags, "flags") = object.flags();
  });
}

ckpt_status ckpt_profile_get_layer_count(const ckpt_profile* profile, int64_t* layer_count) {
  return guard([&] {
    const auto& object = profile_argument(profile);
    *not_null(layer_count, "layer_count") = object.layers();
  });
}

ckpt_status ckpt_profile_get_input_bytes(const ckpt_profile* profile, int64_t* bytes) {
  return guard([&] {
    const auto& object = profile_argument(profile);
    *not_null(bytes, "bytes") = object.bytes_of(0);
  });
}

ckpt_status ckpt_profile_get_layer(const ckpt_profile* profile, int64_t layer, ckpt_layer_profile* out, const char** name,
                                   int32_t* option_count) {
  return guard([&] {
    const auto& object = profile_argument(profile);
    if (layer < 0 || layer >= object.layers())
      fail(Status::out_of_range, "layer is ", layer, "; the profile has ", object.layers());
    const plan::LayerProfile& found = object.layer(layer);
    auto values = struct_of<ckpt_layer_profile, 2>(found);
    values.dtype = static_cast<ckpt_dtype>(found.output.dtype);
    values.ndim = static_cast<int32_t>(found.output.shape.ndim());
    for (int32_t i = 0; i < values.ndim; ++i) values.shape[i] = found.output.shape[i];
    fill_struct(out, values, "out");
    if (name != nullptr) *name = found.name.c_str();
    if (option_count != nullptr) *option_count = static_cast<int32_t>(found.options.size());
  });
}

ckpt_status ckpt_profile_get_option(const ckpt_profile* profile, int64_t layer, int32_t option, ckpt_option_profile* out) {
  return guard([&] {
    const auto& object = profile_argument(profile);
    if (layer < 0 || layer >= object.layers())
      fail(Status::out_of_range, "layer is ", layer, "; the profile has ", object.layers());
    const auto& options = object.layer(layer).options;
    const auto count = static_cast<int32_t>(options.size());
    if (option < 0 || option >= count) fail(Status::out_of_range, "option is ", option, "; layer ", layer, " has ", count);
    const plan::OptionProfile& found = options[static_cast<std::size_t>(option)];
    fill_struct(out, struct_of<ckpt_option_profile>(found), "out");
  });
}

ckpt_status ckpt_profile_get_json(const ckpt_profile* profile, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(plan::to_json(profile_argument(profile)), buffer, capacity, needed); });
}

ckpt_status ckpt_profile_create_from_json(const char* json, ckpt_profile** profile) {
  return guard([&] {
    not_null(json, "json");
    not_null(profile, "profile");
    hand_out(profile, std::make_shared<plan::ChainProfile>(plan::profile_from_json(json)));
  });
}

void ckpt_profile_release(ckpt_profile* profile) { release(profile); }

// ---- Schedules ----

ckpt_status ckpt_schedule_create(const ckpt_profile* profile, const char* planner, ckpt_schedule** schedule) {
  return guard([&] {
    const auto& chain = profile_argument(profile);
    not_null(planner, "planner");
    hand_out_schedule(not_null(schedule, "schedule"), plan::make_by_text(chain, planner));
  });
}

ckpt_status ckpt_schedule_get_known_planners(char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(plan::known_planners(), buffer, capacity, needed); });
}

ckpt_status ckpt_schedule_create_segments(const ckpt_profile* profile, const int64_t* begins, int64_t count,
                                          ckpt_schedule** schedule) {
  return guard([&] {
    const auto& chain = profile_argument(profile);
    const auto list = array_argument(begins, count, "begins");
    hand_out_schedule(not_null(schedule, "schedule"), plan::make_segments(chain, list));
  });
}

ckpt_status ckpt_schedule_create_from_strategy(const ckpt_profile* profile, ckpt_strategy* strategy, ckpt_schedule** schedule) {
  return guard([&] {
    // Keeps both alive: a strategy's callback may release the handles.
    const auto chain = checked(profile, "profile")->object;
    const auto chooser = checked(strategy, "strategy")->object;
    hand_out_schedule(not_null(schedule, "schedule"), plan::make_from_strategy(*chain, chooser));
  });
}

ckpt_status ckpt_schedule_create_open_ended(int64_t period, uint32_t flags, ckpt_schedule** schedule) {
  return guard([&] { hand_out_schedule(not_null(schedule, "schedule"), plan::make_open_ended(period, flags)); });
}

ckpt_status ckpt_schedule_create_list(int64_t layer_count, const ckpt_schedule_action* actions, int64_t count,
                                      ckpt_schedule** schedule) {
  return guard([&] {
    not_null(schedule, "schedule");
    const auto given = array_argument(actions, count, "actions");
    std::vector<plan::Action> list;
    list.reserve(given.size());
    for (const ckpt_schedule_action& action : given) list.push_back(to_action(action));
    hand_out_schedule(schedule, plan::make_list(layer_count, list));
  });
}

ckpt_status ckpt_schedule_get_name(const ckpt_schedule* schedule, const char** name) {
  return guard([&] {
    const auto& object = *checked(schedule, "schedule")->object;
    *not_null(name, "name") = object.name().c_str();
  });
}

ckpt_status ckpt_schedule_get_left_out(const ckpt_schedule* schedule, const char** left_out) {
  return guard([&] {
    const auto& object = *checked(schedule, "schedule")->object;
    *not_null(left_out, "left_out") = object.left_out().c_str();
  });
}

ckpt_status ckpt_schedule_get_fingerprint(const ckpt_schedule* schedule, uint64_t* fingerprint) {
  return guard([&] {
    const uint64_t value = checked(schedule, "schedule")->object->fingerprint();
    *not_null(fingerprint, "fingerprint") = value;
  });
}

ckpt_status ckpt_schedule_get_layer_count(const ckpt_schedule* schedule, int64_t* layer_count) {
  return guard([&] {
    const int64_t count = checked(schedule, "schedule")->object->layers();
    *not_null(layer_count, "layer_count") = count < 0 ? 0 : count;  // open-ended
  });
}

void ckpt_schedule_retain(ckpt_schedule* schedule) { retain(schedule); }

void ckpt_schedule_release(ckpt_schedule* schedule) { release(schedule); }

// ---- Followers ----

ckpt_status ckpt_follower_create(const ckpt_profile* profile, ckpt_strategy* strategy, ckpt_follower** follower) {
  return guard([&] {
    const auto& chain = profile_argument(profile);
    const auto chooser = checked(strategy, "strategy")->object;
    hand_out(not_null(follower, "follower"), std::make_shared<plan::Follower>(chain, chooser));
  });
}

ckpt_status ckpt_follower_next(ckpt_follower* follower, ckpt_schedule** schedule, int32_t* changed) {
  return guard([&] {
    const auto object = checked(follower, "follower")->object;
    not_null(schedule, "schedule");
    plan::Follower::Next next = object->next();
    hand_out_schedule(schedule, std::move(next.schedule));
    if (changed != nullptr) *changed = next.changed ? 1 : 0;
  });
}

void ckpt_follower_release(ckpt_follower* follower) { release(follower); }

// ---- Cursors ----

ckpt_status ckpt_cursor_create(ckpt_schedule* schedule, ckpt_cursor** cursor) {
  return guard([&] {
    checked(schedule, "schedule");
    hand_out(not_null(cursor, "cursor"), std::make_unique<plan::Cursor>(schedule->object));
  });
}

ckpt_status ckpt_cursor_next(ckpt_cursor* cursor, ckpt_schedule_action* action) {
  return guard([&] {
    checked(cursor, "cursor");
    not_null(action, "action");
    *action = from_action(cursor->object->next());
  });
}

ckpt_status ckpt_cursor_next_many(ckpt_cursor* cursor, ckpt_schedule_action* actions, int64_t capacity, int64_t* count) {
  return guard([&] {
    checked(cursor, "cursor");
    not_null(actions, "actions");
    not_null(count, "count");
    require(capacity >= 1, "capacity is ", capacity, "; expected at least 1");
    // Both records are the same 64 bytes, asserted above; each is copied, so that neither type is read as the other.
    std::array<plan::Action, 64> some;
    int64_t filled = 0;
    int64_t read = 0;
    do {
      const auto wanted = static_cast<std::size_t>(std::min(capacity - filled, std::ssize(some)));
      read = cursor->object->next_many(std::span(some).first(wanted));
      std::memcpy(actions + filled, some.data(), static_cast<std::size_t>(read) * sizeof *actions);
      filled += read;
    } while (read == std::ssize(some) && filled < capacity);
    *count = filled;
  });
}

ckpt_status ckpt_cursor_finalize(ckpt_cursor* cursor, int64_t layer_count) {
  return guard([&] { checked(cursor, "cursor")->object->finalize(layer_count); });
}

ckpt_status ckpt_cursor_save(const ckpt_cursor* cursor, void* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_bytes(checked(cursor, "cursor")->object->save(), buffer, capacity, needed); });
}

ckpt_status ckpt_cursor_restore(ckpt_cursor* cursor, const void* data, int64_t bytes) {
  return guard([&] {
    checked(cursor, "cursor");
    cursor->object->restore(array_argument(static_cast<const std::byte*>(data), bytes, "data"));
  });
}

void ckpt_cursor_release(ckpt_cursor* cursor) { release(cursor); }

// ---- Verifier and placement ----

ckpt_status ckpt_schedule_verify(const ckpt_schedule* schedule, const ckpt_profile* profile, ckpt_plan_report* report) {
  return guard([&] {
    checked(schedule, "schedule");
    const auto& chain = profile_argument(profile);
    check_struct(report, "report");
    const plan::PlanReport found = plan::verify(*schedule->object, chain);
    auto values = struct_of<ckpt_plan_report>(found);
    const auto copy = [](const auto& from, int64_t* to) { std::copy(from.begin(), from.end(), to); };
    copy(found.peak_bytes, values.peak_bytes);
    copy(found.peak_items, values.peak_items);
    copy(found.peak_inputs, values.peak_inputs);
    copy(found.stored_bytes, values.stored_bytes);
    copy(found.loaded_bytes, values.loaded_bytes);
    fill_struct(report, values, "report");
  });
}

ckpt_status ckpt_schedule_place(const ckpt_schedule* schedule, const ckpt_profile* profile, int32_t tier, int64_t* reserved_bytes) {
  return guard([&] {
    checked(schedule, "schedule");
    const auto& chain = profile_argument(profile);
    not_null(reserved_bytes, "reserved_bytes");
    *reserved_bytes = plan::reserved_bytes(*schedule->object, chain, tier);
  });
}

// ---- Frontiers ----

ckpt_status ckpt_profile_get_frontier(const ckpt_profile* profile, const char* planner, ckpt_frontier_point* points,
                                      int64_t capacity, int64_t* count) {
  return guard([&] {
    const auto& chain = profile_argument(profile);
    not_null(planner, "planner");
    check_array(points, capacity, "points");
    not_null(count, "count");
    const plan::FrontierPoints frontier = plan::frontier_points(chain, planner, capacity);
    fill_array(points, capacity, frontier.points,
               [](const plan::FrontierPoint& each) { return struct_of<ckpt_frontier_point>(each); });
    *count = frontier.count;
  });
}
