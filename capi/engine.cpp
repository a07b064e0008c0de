#include "engine.h"

#include <algorithm>

#include "base.h"
#include "base/entered.h"
#include "custom_layer.h"
#include "engine/blas.h"
#include "engine/kinds.h"
#include "engine/learning_rate.h"
#include "engine/profiler.h"
#include "memory.h"
#include "plan.h"
#include "storage.h"
#include "structs.h"
#include "tensor.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace engine = ckpt::engine;
namespace tensor = ckpt::tensor;

static_assert(CKPT_RECOMPUTE_CHECK_BITWISE == static_cast<int>(engine::RecomputeCheck::bitwise));
static_assert(CKPT_LEARNING_RATE_KIND_COSINE == static_cast<int>(engine::LearningRateSchedule::Kind::cosine));

namespace {

std::string name_of_layer(const char* name) { return std::string(name_argument(name, "name")); }

std::shared_ptr<ThreadPool> pool_argument(ckpt_worker_pool* pool) {
  return pool == nullptr ? std::make_shared<ThreadPool>(0) : checked(pool, "pool")->object;
}

const tensor::Tensor* tensor_or_null(const ckpt_tensor* given, const char* argument) {
  const auto* const handle = checked_or_null(given, argument);
  return handle == nullptr ? nullptr : handle->object.get();
}

std::shared_ptr<ckpt::storage::Storage> storage_or_null(const ckpt_storage* given, const char* argument) {
  const auto* const handle = checked_or_null(given, argument);
  return handle == nullptr ? nullptr : handle->object;
}

// Keeps the object alive while it is used, like chain_argument.
std::shared_ptr<engine::Executor> executor_argument(const ckpt_schedule_executor* executor) {
  auto object = checked(executor, "executor")->object;
  Entered::refuse(object.get(), "executor");
  return object;
}

// Calls add with the chain and the layer, which then belongs to it.
template <class Add>
void add_layer(ckpt_chain* chain, ckpt_layer* layer, Add&& add) {
  const auto object = chain_argument(chain);
  checked(layer, "layer");
  if (layer->in_chain.exchange(true))
    fail(Status::invalid_state, "layer ", quote(layer->object->name()), " belongs to a chain already");
  try {
    add(*object, layer->object);
  } catch (...) {
    layer->in_chain.store(false);
    throw;
  }
}

void hand_out_layer(ckpt_layer** out, std::shared_ptr<engine::Layer> layer) { hand_out(not_null(out, "layer"), std::move(layer)); }

}  // namespace

std::shared_ptr<engine::Chain> ckpt::capi::chain_argument(const ckpt_chain* chain) {
  auto object = checked(chain, "chain")->object;
  Entered::refuse(object.get(), "chain");
  return object;
}

engine::Step ckpt::capi::step_argument(const ckpt_step* step) {
  const auto given = struct_argument(step, "step");
  require(given.accumulate == 0 || given.accumulate == 1, "step.accumulate is ", given.accumulate, "; expected 0 or 1");
  engine::Step run;
  copy_from_c(given, run);
  run.input = tensor_or_null(given.input, "step.input");
  run.targets = tensor_or_null(given.targets, "step.targets");
  run.output_gradient = tensor_or_null(given.output_gradient, "step.output_gradient");
  run.output = tensor_or_null(given.output, "step.output");
  run.input_gradient = tensor_or_null(given.input_gradient, "step.input_gradient");
  return run;
}

engine::ExecutorChecks ckpt::capi::checks_argument(ckpt_recompute_check recompute_check, ckpt_bool check_writes,
                                                   ckpt_bool check_finite) {
  require(recompute_check >= CKPT_RECOMPUTE_CHECK_NONE && recompute_check <= CKPT_RECOMPUTE_CHECK_BITWISE,
          "options.recompute_check is ", recompute_check, "; expected 0 .. 3 (CKPT_RECOMPUTE_CHECK_*)");
  require(check_writes == 0 || check_writes == 1, "options.check_writes is ", check_writes, "; expected 0 or 1");
  require(check_finite == 0 || check_finite == 1, "options.check_finite is ", check_finite, "; expected 0 or 1");
  return {static_cast<engine::RecomputeCheck>(recompute_check), check_writes == 1, check_finite == 1};
}

// ---- BLAS ----

ckpt_status ckpt_blas_set(const ckpt_blas* blas) {
  return guard([&] {
    const auto given = struct_argument(blas, "blas");
    require(given.concurrent == 0 || given.concurrent == 1, "blas.concurrent is ", given.concurrent, "; expected 0 or 1");
    engine::set_host_blas({given.sgemm, given.dgemm, given.concurrent == 1, given.name == nullptr ? "" : given.name});
  });
}

ckpt_status ckpt_blas_get_info(char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(engine::blas_information(), buffer, capacity, needed); });
}

ckpt_status ckpt_blas_set_kernels(const char* name) {
  return guard([&] { engine::set_blas_kernels(not_null(name, "name")); });
}

// ---- Layers ----

ckpt_status ckpt_layer_create(const char* name, const char* kind, ckpt_layer** layer) {
  return guard([&] {
    not_null(layer, "layer");
    hand_out_layer(layer, engine::make_layer(name_of_layer(name), not_null(kind, "kind")));
  });
}

ckpt_status ckpt_layer_create_tied_head(const char* name, ckpt_layer* embedding, ckpt_layer** layer) {
  return guard([&] {
    not_null(layer, "layer");
    hand_out_layer(layer, engine::make_tied_head(name_of_layer(name), checked(embedding, "embedding")->object));
  });
}

ckpt_status ckpt_layer_get_known_kinds(char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(engine::known_kinds(), buffer, capacity, needed); });
}

ckpt_status ckpt_layer_create_custom(const char* name, const ckpt_layer_callbacks* callbacks, void* user_data,
                                     ckpt_destroy_fn destroy, ckpt_layer** layer) {
  return guard([&] {
    not_null(layer, "layer");
    const auto table = struct_argument(callbacks, "callbacks");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out_layer(layer, make_custom_layer(name_of_layer(name), table, user));
    user->adopt();
  });
}

void ckpt_layer_release(ckpt_layer* layer) { release(layer); }

// ---- Chains ----

ckpt_status ckpt_chain_create(int64_t first_layer, ckpt_chain** chain) {
  return guard([&] {
    not_null(chain, "chain");
    hand_out(chain, std::make_shared<engine::Chain>(first_layer));
  });
}

ckpt_status ckpt_chain_add(ckpt_chain* chain, ckpt_layer* layer) {
  return guard([&] { add_layer(chain, layer, [](engine::Chain& object, auto shared) { object.add(std::move(shared)); }); });
}

ckpt_status ckpt_chain_add_with_inputs(ckpt_chain* chain, ckpt_layer* layer, const int64_t* inputs, int64_t inputs_count) {
  return guard([&] {
    const auto values = array_argument(inputs, inputs_count, "inputs");
    add_layer(chain, layer, [&](engine::Chain& object, auto shared) { object.add(std::move(shared), values); });
  });
}

ckpt_status ckpt_chain_get_layer_count(const ckpt_chain* chain, int64_t* layer_count) {
  return guard([&] {
    const int64_t count = chain_argument(chain)->layers();
    *not_null(layer_count, "layer_count") = count;
  });
}

ckpt_status ckpt_chain_initialize(ckpt_chain* chain, uint64_t seed) {
  return guard([&] { chain_argument(chain)->initialize(seed); });
}

ckpt_status ckpt_chain_get_parameter_count(const ckpt_chain* chain, int64_t* parameter_count) {
  return guard([&] {
    const auto count = static_cast<int64_t>(chain_argument(chain)->parameters().size());
    *not_null(parameter_count, "parameter_count") = count;
  });
}

ckpt_status ckpt_chain_get_parameter(const ckpt_chain* chain, int64_t parameter, const char** name, ckpt_tensor** value,
                                     ckpt_tensor** gradient) {
  return guard([&] {
    const auto object = chain_argument(chain);
    const auto& parameters = object->parameters();
    const auto count = static_cast<int64_t>(parameters.size());
    if (parameter < 0 || parameter >= count) fail(Status::out_of_range, "parameter is ", parameter, "; the chain has ", count);
    const engine::Parameter& found = parameters[static_cast<std::size_t>(parameter)];
    ckpt_tensor* first = nullptr;
    if (value != nullptr) hand_out(&first, found.value);
    if (gradient != nullptr) {
      try {
        hand_out(gradient, found.gradient);
      } catch (...) {
        release(first);
        throw;
      }
    }
    if (value != nullptr) *value = first;
    if (name != nullptr) *name = found.name.c_str();
  });
}

ckpt_status ckpt_chain_set_worker_pool(ckpt_chain* chain, ckpt_worker_pool* pool) {
  return guard([&] {
    const auto object = chain_argument(chain);
    const auto* const given = checked_or_null(pool, "pool");
    object->set_pool(given == nullptr ? nullptr : given->object);
  });
}

ckpt_status ckpt_chain_clip_gradients(ckpt_chain* chain, double max_norm, double* norm) {
  return guard([&] {
    const double before = chain_argument(chain)->clip_gradients(max_norm);
    if (norm != nullptr) *norm = before;
  });
}

ckpt_status ckpt_profile_create_from_chain(ckpt_chain* chain, const ckpt_tensor_spec* input, int32_t measured_steps,
                                           ckpt_worker_pool* pool, ckpt_profile** profile) {
  return guard([&] {
    const auto object = chain_argument(chain);
    const engine::TensorSpec spec = to_spec(*not_null(input, "input"), "input");
    require(measured_steps >= 0, "measured_steps is ", measured_steps, "; expected at least 0");
    const auto* const given_pool = checked_or_null(pool, "pool");
    not_null(profile, "profile");
    if (measured_steps == 0) {
      hand_out(profile, std::make_shared<ckpt::plan::ChainProfile>(object->profile(spec)));
      return;
    }
    const auto threads = given_pool == nullptr ? std::make_shared<ThreadPool>(0) : given_pool->object;
    hand_out(profile,
             std::make_shared<ckpt::plan::ChainProfile>(engine::measured_shape(*object, spec, measured_steps, *threads).profile));
  });
}

void ckpt_chain_release(ckpt_chain* chain) { release(chain); }

// ---- Executor ----

ckpt_status ckpt_schedule_executor_create(ckpt_chain* chain, ckpt_schedule* schedule, const ckpt_tensor_spec* input,
                                          const ckpt_schedule_executor_options* options, ckpt_schedule_executor** executor) {
  return guard([&] {
    const auto object = chain_argument(chain);
    const auto recipe = checked(schedule, "schedule")->object;  // keeps it alive: a callback may release the handle
    const engine::TensorSpec spec = to_spec(*not_null(input, "input"), "input");
    const auto given = options_argument(options, "options");
    const auto* const tracker = checked_or_null(given.tracker, "options.tracker");
    const auto* const follower = checked_or_null(given.follower, "options.follower");
    const engine::ExecutorChecks checks = checks_argument(given.recompute_check, given.check_writes, given.check_finite);
    const engine::TierStorages storages = {nullptr, storage_or_null(given.tier1_storage, "options.tier1_storage"),
                                           storage_or_null(given.tier2_storage, "options.tier2_storage"),
                                           storage_or_null(given.tier3_storage, "options.tier3_storage")};
    not_null(executor, "executor");
    hand_out(executor,
             std::make_shared<engine::Executor>(object, *recipe, spec, given.budget_bytes, pool_argument(given.pool),
                                                tracker == nullptr ? std::make_shared<ckpt::memory::Tracker>() : tracker->object,
                                                follower == nullptr ? nullptr : follower->object->observer(), checks, storages));
  });
}

ckpt_status ckpt_schedule_executor_run(ckpt_schedule_executor* executor, const ckpt_step* step, double* loss) {
  return guard([&] {
    const auto object = executor_argument(executor);
    const double result = object->run(step_argument(step));
    if (loss != nullptr) *loss = result;
  });
}

ckpt_status ckpt_schedule_executor_evaluate(ckpt_schedule_executor* executor, const ckpt_step* step, int64_t layer_count,
                                            double* result) {
  return guard([&] {
    const auto object = executor_argument(executor);
    const double last = object->evaluate(step_argument(step), layer_count);
    if (result != nullptr) *result = last;
  });
}

ckpt_status ckpt_schedule_executor_get_stats(const ckpt_schedule_executor* executor, ckpt_schedule_executor_stats* stats) {
  return guard([&] {
    const auto object = executor_argument(executor);
    const engine::ExecutorStats& measured = object->stats();
    auto values = struct_of<ckpt_schedule_executor_stats>(measured);
    std::ranges::copy(measured.stored_bytes, values.stored_bytes);
    std::ranges::copy(measured.loaded_bytes, values.loaded_bytes);
    fill_struct(stats, values, "stats");
  });
}

void ckpt_schedule_executor_release(ckpt_schedule_executor* executor) { release(executor); }

// ---- Measured profiles ----

ckpt_status ckpt_profile_create_measured(ckpt_chain* chain, const ckpt_step* step, int32_t measured_steps, ckpt_worker_pool* pool,
                                         ckpt_profile** profile) {
  return guard([&] {
    const auto object = chain_argument(chain);
    const engine::Step data = step_argument(step);
    const auto threads = pool_argument(pool);
    not_null(profile, "profile");
    hand_out(profile, std::make_shared<ckpt::plan::ChainProfile>(engine::measured_in_chain(object, data, measured_steps, threads)));
  });
}

ckpt_status ckpt_schedule_executor_refine(const ckpt_schedule_executor* executor, const ckpt_profile* profile,
                                          ckpt_profile** refined) {
  return guard([&] {
    const auto object = executor_argument(executor);
    const auto& given = *checked(profile, "profile")->object;
    not_null(refined, "refined");
    hand_out(refined, std::make_shared<ckpt::plan::ChainProfile>(object->refined(given)));
  });
}

// ---- Optimizers ----

ckpt_status ckpt_optimizer_create_sgd(ckpt_chain* chain, double learning_rate, double momentum, ckpt_optimizer** optimizer) {
  return guard([&] {
    auto object = chain_argument(chain);
    hand_out(not_null(optimizer, "optimizer"), engine::make_sgd(std::move(object), learning_rate, momentum));
  });
}

ckpt_status ckpt_optimizer_create_adamw(ckpt_chain* chain, const ckpt_adamw_options* options, ckpt_optimizer** optimizer) {
  return guard([&] {
    auto object = chain_argument(chain);
    const auto given = options_argument(options, "options");
    const ckpt_bool matrices_only = given.decay_matrices_only;
    require(matrices_only == 0 || matrices_only == 1, "options.decay_matrices_only is ", matrices_only, "; expected 0 or 1");
    engine::AdamwOptions adamw;
    copy_from_c(given, adamw);
    hand_out(not_null(optimizer, "optimizer"), engine::make_adamw(std::move(object), adamw));
  });
}

ckpt_status ckpt_optimizer_step(ckpt_optimizer* optimizer) {
  return guard([&] { checked(optimizer, "optimizer")->object->step(); });
}

ckpt_status ckpt_optimizer_step_and_zero(ckpt_optimizer* optimizer, double max_norm, double* norm) {
  return guard([&] {
    const double before = checked(optimizer, "optimizer")->object->step_and_zero(max_norm);
    if (norm != nullptr) *norm = before;
  });
}

ckpt_status ckpt_optimizer_get_learning_rate(const ckpt_optimizer* optimizer, double* learning_rate) {
  return guard([&] {
    const double rate = checked(optimizer, "optimizer")->object->learning_rate();
    *not_null(learning_rate, "learning_rate") = rate;
  });
}

ckpt_status ckpt_optimizer_set_learning_rate(ckpt_optimizer* optimizer, double learning_rate) {
  return guard([&] { checked(optimizer, "optimizer")->object->set_learning_rate(learning_rate); });
}

ckpt_status ckpt_learning_rate_at(const ckpt_learning_rate_schedule* schedule, int64_t step, double* learning_rate) {
  return guard([&] {
    const auto given = struct_argument(schedule, "schedule");
    engine::LearningRateSchedule rates;
    copy_from_c<1>(given, rates);
    rates.steps = given.step_count;
    const double rate = engine::learning_rate_at(rates, step);
    *not_null(learning_rate, "learning_rate") = rate;
  });
}

ckpt_status ckpt_optimizer_get_step_count(const ckpt_optimizer* optimizer, int64_t* step_count) {
  return guard([&] {
    const int64_t count = checked(optimizer, "optimizer")->object->steps();
    *not_null(step_count, "step_count") = count;
  });
}

ckpt_status ckpt_optimizer_set_step_count(ckpt_optimizer* optimizer, int64_t step_count) {
  return guard([&] { checked(optimizer, "optimizer")->object->set_steps(step_count); });
}

ckpt_status ckpt_optimizer_get_tensor_count(const ckpt_optimizer* optimizer, int64_t* tensor_count) {
  return guard([&] {
    const auto count = static_cast<int64_t>(checked(optimizer, "optimizer")->object->state().size());
    *not_null(tensor_count, "tensor_count") = count;
  });
}

ckpt_status ckpt_optimizer_get_tensor(const ckpt_optimizer* optimizer, int64_t number, const char** name, ckpt_tensor** value) {
  return guard([&] {
    const auto& state = checked(optimizer, "optimizer")->object->state();
    const auto count = static_cast<int64_t>(state.size());
    if (number < 0 || number >= count) fail(Status::out_of_range, "tensor is ", number, "; the optimizer has ", count);
    const engine::StateTensor& found = state[static_cast<std::size_t>(number)];
    if (value != nullptr) hand_out(value, found.value);
    if (name != nullptr) *name = found.name.c_str();
  });
}

void ckpt_optimizer_release(ckpt_optimizer* optimizer) { release(optimizer); }
