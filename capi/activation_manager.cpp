#include "base.h"
#include "memory.h"
#include "pipeline.h"
#include "strategy.h"
#include "structs.h"
#include "tensor.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace pipeline = ckpt::pipeline;
using pipeline::ActivationManager;
using pipeline::Policy;
using pipeline::TensorPtr;

namespace {

// Returns another reference to the manager: a callback may release the handle.
std::shared_ptr<ActivationManager> manager_argument(const ckpt_activation_manager* manager) {
  return checked(manager, "manager")->object;
}

// Returns the callback as the manager's forward. It receives a new handle for the input, and the manager takes over the output.
ActivationManager::Forward forward_of(ckpt_stage_forward_fn forward, std::shared_ptr<UserData> user) {
  if (forward == nullptr) return {};
  return [forward, user = std::move(user)](const TensorPtr& input, std::int64_t micro_batch) -> TensorPtr {
    ckpt_tensor* lent = nullptr;  // may be retained by the callback
    hand_out(&lent, input);
    ckpt_tensor* output = nullptr;
    set_callback_error(nullptr);
    const std::int32_t code = user_call([&] { return forward(lent, static_cast<int32_t>(micro_batch), &output, user->get()); });
    const bool is_borrowed = output == lent && lent->references.load() == 1;  // the input, without an added reference
    TensorPtr result = code == 0 && is_handle(output) ? output->object : nullptr;
    if (!is_borrowed) release(output);
    release(lent);
    if (code != 0) fail_callback("the stage's forward", code);
    require(result != nullptr, "the forward function's output: expected a tensor");
    require(!is_borrowed, "the forward function's output is its input without an added reference: expected a retained input");
    return result;
  };
}

void set_flag(std::int32_t* out, bool value) {
  if (out != nullptr) *out = value ? 1 : 0;
}

}  // namespace

ckpt_status ckpt_activation_manager_create(const ckpt_activation_policy* policy, const ckpt_activation_manager_options* options,
                                           ckpt_stage_forward_fn forward, void* user_data, ckpt_destroy_fn destroy,
                                           ckpt_activation_manager** manager) {
  return guard([&] {
    const auto given = options_argument(options, "options");
    const auto* const tracker = checked_or_null(given.tracker, "options.tracker");
    const auto clock = clock_argument(given.clock, "options.clock");
    const char* const name = given.name == nullptr ? "stage" : given.name;
    require_name("options.name", name);
    not_null(manager, "manager");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out(manager,
             std::make_shared<ActivationManager>(policy_argument(policy), name,
                                                 tracker == nullptr ? std::make_shared<ckpt::memory::Tracker>() : tracker->object,
                                                 clock, forward_of(forward, user)));
    user->adopt();
  });
}

ckpt_status ckpt_activation_manager_set_policy(ckpt_activation_manager* manager, const ckpt_activation_policy* policy) {
  return guard([&] { manager_argument(manager)->set_policy(policy_argument(not_null(policy, "policy"))); });
}

ckpt_status ckpt_activation_manager_get_policy(const ckpt_activation_manager* manager, ckpt_activation_policy* policy) {
  return guard([&] {
    const Policy active = manager_argument(manager)->active_policy();
    fill_struct(policy, struct_of<ckpt_activation_policy>(active), "policy");
  });
}

ckpt_status ckpt_activation_manager_begin_step(ckpt_activation_manager* manager, int32_t micro_batches) {
  return guard([&] {
    require(micro_batches >= 0, "micro_batches is ", micro_batches, "; expected at least 0 (not known)");
    manager_argument(manager)->begin_step(micro_batches == 0 ? -1 : micro_batches);
  });
}

ckpt_status ckpt_activation_manager_should_checkpoint(ckpt_activation_manager* manager, int32_t micro_batch, int64_t bytes,
                                                      int32_t* answer) {
  return guard([&] {
    const auto object = manager_argument(manager);
    require(bytes >= 0, "bytes is ", bytes, "; expected at least 0");
    not_null(answer, "answer");
    set_flag(answer, object->should_checkpoint(micro_batch, ckpt::strategy::Activation(bytes)));
  });
}

ckpt_status ckpt_activation_manager_store(ckpt_activation_manager* manager, int32_t micro_batch, const ckpt_tensor* activation,
                                          int32_t* kept) {
  return guard([&] {
    const auto object = manager_argument(manager);
    set_flag(kept, object->store(micro_batch, *tensor_argument(activation, "activation")));
  });
}

ckpt_status ckpt_activation_manager_store_moved(ckpt_activation_manager* manager, int32_t micro_batch, ckpt_tensor* activation,
                                                int32_t* kept) {
  return guard([&] {
    const auto object = manager_argument(manager);
    set_flag(kept, object->store_moved(micro_batch, tensor_argument(activation, "activation")));
    release(activation);
  });
}

ckpt_status ckpt_activation_manager_get_activation(ckpt_activation_manager* manager, int32_t micro_batch,
                                                   ckpt_tensor** activation) {
  return guard([&] {
    const auto object = manager_argument(manager);
    not_null(activation, "activation");
    TensorPtr found = object->get(micro_batch);
    if (found == nullptr) {
      *activation = nullptr;
    } else {
      hand_out(activation, std::move(found));
    }
  });
}

ckpt_status ckpt_activation_manager_has_activation(const ckpt_activation_manager* manager, int32_t micro_batch, int32_t* has) {
  return guard([&] {
    const bool found = manager_argument(manager)->has(micro_batch);
    set_flag(not_null(has, "has"), found);
  });
}

ckpt_status ckpt_activation_manager_recompute(ckpt_activation_manager* manager, ckpt_tensor* input, int32_t micro_batch,
                                              ckpt_tensor** activation) {
  return guard([&] {
    const auto object = manager_argument(manager);
    const TensorPtr given = tensor_argument(input, "input");
    not_null(activation, "activation");
    hand_out(activation, object->recompute(given, micro_batch));
  });
}

ckpt_status ckpt_activation_manager_get_or_compute(ckpt_activation_manager* manager, ckpt_tensor* input, int32_t micro_batch,
                                                   ckpt_tensor** activation) {
  return guard([&] {
    const auto object = manager_argument(manager);
    const TensorPtr given = tensor_argument(input, "input");
    not_null(activation, "activation");
    hand_out(activation, object->get_or_compute(given, micro_batch));
  });
}

ckpt_status ckpt_activation_manager_clear(ckpt_activation_manager* manager) {
  return guard([&] { manager_argument(manager)->clear(); });
}

ckpt_status ckpt_activation_manager_get_memory_usage(const ckpt_activation_manager* manager, int64_t* bytes, int64_t* count) {
  return guard([&] {
    const auto object = manager_argument(manager);
    require(bytes != nullptr || count != nullptr, "bytes and count are both NULL");
    const pipeline::Usage usage = object->usage();
    if (bytes != nullptr) *bytes = usage.bytes;
    if (count != nullptr) *count = usage.count;
  });
}

ckpt_status ckpt_activation_manager_get_metadata(const ckpt_activation_manager* manager, int32_t micro_batch,
                                                 ckpt_activation_metadata* metadata) {
  return guard([&] {
    const auto object = manager_argument(manager);
    check_struct(metadata, "metadata");
    const pipeline::CheckpointMetadata found = object->metadata(micro_batch);
    auto values = struct_of<ckpt_activation_metadata, 1>(found);
    values.ndim = static_cast<int32_t>(found.shape.ndim());
    for (int32_t i = 0; i < values.ndim; ++i) values.shape[i] = found.shape[i];
    fill_struct(metadata, values, "metadata");
  });
}

ckpt_status ckpt_activation_manager_list(const ckpt_activation_manager* manager, int32_t* micro_batches, int64_t capacity,
                                         int64_t* count) {
  return guard([&] {
    const auto object = manager_argument(manager);
    array_argument(micro_batches, capacity, "micro_batches");
    not_null(count, "count");
    const std::vector<int64_t> all = object->micro_batches();
    const auto fitting = std::span(all).first(std::min(all.size(), static_cast<std::size_t>(capacity)));
    std::ranges::transform(fitting, micro_batches, [](int64_t micro_batch) { return static_cast<int32_t>(micro_batch); });
    *count = static_cast<int64_t>(all.size());
  });
}

void ckpt_activation_manager_release(ckpt_activation_manager* manager) { release(manager); }
