#include "strategy.h"

#include <cstddef>
#include <string>
#include <vector>

#include "base.h"
#include "memory.h"
#include "strategy/composite.h"
#include "strategy/custom.h"
#include "strategy/factory.h"
#include "strategy/memory_aware.h"
#include "strategy/selective.h"
#include "strategy/size_based.h"
#include "strategy/smart.h"
#include "structs.h"
#include "tensor.h"

using namespace ckpt::base;
using namespace ckpt::capi;
using namespace ckpt::strategy;

static_assert(CKPT_STRATEGY_CHOSEN_RECOMPUTE == static_cast<int32_t>(Chosen::recompute));
static_assert(CKPT_STRATEGY_CHOSEN_BOUNDARY == static_cast<int32_t>(Chosen::boundary));

namespace {

std::vector<StrategyPtr> children_argument(ckpt_strategy* const* children, int64_t count) {
  const auto given = array_argument(children, count, "options.children");
  std::vector<StrategyPtr> out;
  out.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) out.push_back(checked(given[i], cat("options.children[", i, "]").c_str())->object);
  return out;
}

std::size_t index_argument(int64_t index, std::size_t count) {
  if (index < 0 || index >= static_cast<int64_t>(count)) fail(Status::out_of_range, "index is ", index, "; there are ", count);
  return static_cast<std::size_t>(index);
}

Chosen chosen_argument(int32_t chosen, Chosen usual) {
  require(chosen >= CKPT_STRATEGY_CHOSEN_DEFAULT && chosen <= CKPT_STRATEGY_CHOSEN_BOUNDARY, "chosen is ", chosen,
          "; expected CKPT_STRATEGY_CHOSEN_DEFAULT (0) .. CKPT_STRATEGY_CHOSEN_BOUNDARY (2)");
  return chosen == CKPT_STRATEGY_CHOSEN_DEFAULT ? usual : static_cast<Chosen>(chosen);
}

std::shared_ptr<ckpt::memory::Tracker> tracker_argument(ckpt_memory_tracker* tracker) {
  return tracker == nullptr ? nullptr : checked(tracker, "options.tracker")->object;
}

// Calls visitor with text that ends with a NUL; allocates only for very long names.
template <class Visitor>
void with_c_string(std::string_view text, Visitor&& visitor) {
  char buffer[512];
  if (text.size() < sizeof buffer) {
    text.copy(buffer, text.size());
    buffer[text.size()] = '\0';
    visitor(buffer);
  } else {
    visitor(std::string(text).c_str());
  }
}

template <class Call>
void call_user(const std::string& who, const char* what, Call&& call) {
  set_callback_error(nullptr);
  if (const int32_t code = user_call(call); code != 0) fail_callback(cat("strategy ", quote(who), " ", what), code);
}

bool ask_user(const std::string& who, ckpt_strategy_decide_fn decide, void* user_data, std::string_view layer_name,
              const Activation& activation, int64_t layer_index) {
  int32_t answer = 0;
  with_c_string(layer_name, [&](const char* name) {
    const ckpt_strategy_question question{sizeof(ckpt_strategy_question),
                                          static_cast<ckpt_dtype>(activation.dtype),
                                          name,
                                          activation.shape.dimensions().data(),
                                          static_cast<int32_t>(activation.shape.ndim()),
                                          0,
                                          activation.bytes,
                                          layer_index};
    call_user(who, "decide", [&] { return decide(&question, &answer, user_data); });
  });
  require(answer == 0 || answer == 1, "strategy ", quote(who), " decide: *answer is ", answer, "; expected 0 or 1");
  return answer == 1;
}

CustomHooks custom_hooks(const char* name, const ckpt_strategy_callbacks* given, const std::shared_ptr<UserData>& user) {
  not_null(given, "callbacks");
  const auto callbacks = options_argument(given, "callbacks");
  not_null(callbacks.decide, "callbacks->decide");
  CustomHooks hooks;
  if (name != nullptr) hooks.name = name_argument(name, "name");
  hooks.decide = [who = hooks.name, decide = callbacks.decide, user](std::string_view layer_name, const Activation& activation,
                                                                     int64_t layer_index) {
    return ask_user(who, decide, user->get(), layer_name, activation, layer_index);
  };
  if (callbacks.reset != nullptr) {
    hooks.reset = [who = hooks.name, reset = callbacks.reset, user] {
      call_user(who, "reset", [&] { return reset(user->get()); });
    };
  }
  if (callbacks.access != nullptr) {
    hooks.access = [who = hooks.name, access = callbacks.access, user](std::string_view layer_name) {
      with_c_string(layer_name, [&](const char* text) { call_user(who, "access", [&] { return access(text, user->get()); }); });
    };
  }
  return hooks;
}

// Takes over the reference that a user's factory returned.
StrategyPtr call_factory(ckpt_strategy_factory_fn factory, const std::string& arguments, void* user_data) {
  ckpt_strategy* created = nullptr;
  set_callback_error(nullptr);
  const int32_t code = user_call([&] { return factory(arguments.c_str(), &created, user_data); });
  if (code != 0) fail_callback("strategy factory", code);
  StrategyPtr object = checked(created, "the factory's *strategy")->object;
  release(created);
  return object;
}

template <class Make>
ckpt_status create_handle(ckpt_strategy** strategy, Make&& make) {
  return guard([&] {
    not_null(strategy, "strategy");
    hand_out(strategy, make());
  });
}

ckpt_status ask(ckpt_strategy* strategy, const char* layer_name, const Activation& activation, int64_t layer_index,
                int32_t* answer) {
  // A copy, because a custom strategy's callback may release the handle.
  const StrategyPtr object = strategy->object;
  *answer = object->should_checkpoint(layer_name, activation, layer_index) ? 1 : 0;
  return CKPT_OK;
}

}  // namespace

// ---- Creating ----

ckpt_status ckpt_strategy_create(const char* text, ckpt_strategy** strategy) {
  return create_handle(strategy, [&] { return from_text(not_null(text, "text")); });
}

ckpt_status ckpt_strategy_create_with_options(const char* text, const ckpt_strategy_options* options, ckpt_strategy** strategy) {
  return create_handle(strategy, [&] {
    not_null(text, "text");
    const auto wanted = options_argument(options, "options");
    require(wanted.total_bytes >= 0, "options.total_bytes is ", wanted.total_bytes, "; expected at least 0");
    const std::vector<StrategyPtr> children = children_argument(wanted.children, wanted.children_count);
    Given given{children, tracker_argument(wanted.tracker), nullptr, wanted.total_bytes};
    if (wanted.clock != nullptr) given.clock = clock_argument(wanted.clock, "options.clock");
    return from_text(text, given);
  });
}

ckpt_status ckpt_strategy_create_custom(const char* name, const ckpt_strategy_callbacks* callbacks, void* user_data,
                                        ckpt_destroy_fn destroy, ckpt_strategy** strategy) {
  return guard([&] {
    not_null(strategy, "strategy");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out(strategy, std::make_shared<Custom>(custom_hooks(name, callbacks, user)));
    user->adopt();
  });
}

ckpt_status ckpt_strategy_register(const char* name, ckpt_strategy_factory_fn factory, void* user_data, ckpt_destroy_fn destroy) {
  return guard([&] {
    const auto kind = name_argument(name, "name");
    not_null(factory, "factory");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    register_kind(kind, [factory, user](const std::string& arguments) { return call_factory(factory, arguments, user->get()); });
    user->adopt();
  });
}

ckpt_status ckpt_strategy_unregister(const char* name) {
  return guard([&] { unregister_kind(name_argument(name, "name")); });
}

ckpt_status ckpt_strategy_get_known_kinds(char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(known_kinds(), buffer, capacity, needed); });
}

// ---- Using ----

ckpt_status ckpt_strategy_should_checkpoint(ckpt_strategy* strategy, const char* layer_name, const ckpt_tensor* activation,
                                            int64_t layer_index, int32_t* answer) {
  return guard([&] {
    checked(strategy, "strategy");
    name_argument(layer_name, "layer_name");
    const auto& tensor = tensor_argument(activation, "activation");
    not_null(answer, "answer");
    return ask(strategy, layer_name, Activation(*tensor), layer_index, answer);
  });
}

ckpt_status ckpt_strategy_should_checkpoint_shape(ckpt_strategy* strategy, const char* layer_name, ckpt_dtype dtype,
                                                  const int64_t* shape, int32_t ndim, int64_t layer_index, int32_t* answer) {
  return guard([&] {
    checked(strategy, "strategy");
    name_argument(layer_name, "layer_name");
    const Activation activation(dtype_argument(dtype, "dtype"), shape_argument(shape, ndim));
    not_null(answer, "answer");
    return ask(strategy, layer_name, activation, layer_index, answer);
  });
}

ckpt_status ckpt_strategy_observe_access(ckpt_strategy* strategy, const char* layer_name) {
  return guard([&] {
    const StrategyPtr object = checked(strategy, "strategy")->object;
    object->observe_access(name_argument(layer_name, "layer_name"));
  });
}

ckpt_status ckpt_strategy_get_name(const ckpt_strategy* strategy, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(checked(strategy, "strategy")->object->name(), buffer, capacity, needed); });
}

ckpt_status ckpt_strategy_reset(ckpt_strategy* strategy) {
  return guard([&] {
    const StrategyPtr object = checked(strategy, "strategy")->object;
    object->reset();
  });
}

ckpt_status ckpt_strategy_get_chosen(const ckpt_strategy* strategy, int32_t* chosen) {
  return guard([&] {
    const Chosen now = checked(strategy, "strategy")->object->chosen();
    *not_null(chosen, "chosen") = static_cast<int32_t>(now);
  });
}

ckpt_status ckpt_strategy_set_chosen(ckpt_strategy* strategy, int32_t chosen) {
  return guard([&] {
    checked(strategy, "strategy");
    strategy->object->set_chosen(chosen_argument(chosen, strategy->object->default_chosen()));
  });
}

ckpt_status ckpt_strategy_get_counters(const ckpt_strategy* strategy, ckpt_strategy_counters* counters) {
  return guard([&] {
    fill_struct(counters, struct_of<ckpt_strategy_counters>(checked(strategy, "strategy")->object->counters()), "counters");
  });
}

// ---- Reading the configuration ----

ckpt_status ckpt_strategy_get_info(const ckpt_strategy* strategy, ckpt_strategy_info* info) {
  return guard([&] {
    const Parameters is = checked(strategy, "strategy")->object->parameters();
    auto values = struct_of<ckpt_strategy_info, 4>(is);
    values.names_count = static_cast<int64_t>(is.names.size());
    values.excluded_count = static_cast<int64_t>(is.excluded.size());
    values.rules_count = static_cast<int64_t>(is.rules.size());
    values.children_count = static_cast<int64_t>(is.children.size());
    fill_struct(info, values, "info");
  });
}

ckpt_status ckpt_strategy_get_pattern(const ckpt_strategy* strategy, int32_t list, int64_t index, const char** pattern) {
  return guard([&] {
    const Parameters is = checked(strategy, "strategy")->object->parameters();
    require(list >= CKPT_STRATEGY_LIST_NAMES && list <= CKPT_STRATEGY_LIST_RULES, "list is ", list,
            "; expected one of CKPT_STRATEGY_LIST_... (0 .. 2)");
    not_null(pattern, "pattern");
    const auto all = list == CKPT_STRATEGY_LIST_NAMES ? is.names : list == CKPT_STRATEGY_LIST_EXCLUDED ? is.excluded : is.rules;
    *pattern = all[index_argument(index, all.size())].c_str();
  });
}

ckpt_status ckpt_strategy_get_child(const ckpt_strategy* strategy, int64_t index, ckpt_strategy** child) {
  return guard([&] {
    const Parameters is = checked(strategy, "strategy")->object->parameters();
    not_null(child, "child");
    hand_out(child, is.children[index_argument(index, is.children.size())]);
  });
}

ckpt_status ckpt_strategy_get_text(const ckpt_strategy* strategy, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(to_text(*checked(strategy, "strategy")->object), buffer, capacity, needed); });
}

void ckpt_strategy_retain(ckpt_strategy* strategy) { retain(strategy); }

void ckpt_strategy_release(ckpt_strategy* strategy) { release(strategy); }
