// engine.hpp - the C++17 face of engine.h: layers, chains, the executor, optimizers.
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
#ifndef CKPT_ENGINE_HPP
#define CKPT_ENGINE_HPP

#include <ckpt/engine.h>
#include <ckpt/base.hpp>
#include <ckpt/memory.hpp>
#include <ckpt/methods/engine.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/values/engine.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <locale>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

// Name, version and core of the BLAS; loads it.
inline std::string blas_info() { return detail::text_of(ckpt_blas_get_info); }

// Loads OpenBLAS with a set of its kernels: the name of a core, or "best". Before the process starts threads: see
// ckpt_blas_set_kernels.
inline void set_blas_kernels(const std::string& name) { check(ckpt_blas_set_kernels(name.c_str())); }

// The caller's BLAS from now on; Error with Status::invalid_state once one is in use.
inline void set_blas(const ckpt_blas& blas) { check(ckpt_blas_set(&blas)); }

// A layer of your own: derive from it. Its functions run on the thread that runs the executor and may throw: the exception's text
// becomes part of the error of the step. What each must do is said at ckpt_layer_callbacks.
class CustomLayer {
 public:
  virtual ~CustomLayer() = default;
  virtual LayerFlag flags() const { return LayerFlag::needs_input | LayerFlag::deterministic; }
  virtual std::int32_t options() const { return 1; }
  virtual std::int64_t ambient_bytes() const { return 0; }
  virtual TensorSpec output(const TensorSpec& input) = 0;
  virtual LayerOption option(const TensorSpec& input, std::int32_t option) {
    static_cast<void>(input);
    static_cast<void>(option);
    return {};
  }
  virtual void forward(const LayerContext& context, const void* input, void* output, void* tape, void* workspace) = 0;
  // Whether it has a record, which writes the tape and makes no output.
  virtual bool has_record() const { return false; }
  virtual void record(const LayerContext& context, const void* input, void* tape, void* workspace) {
    forward(context, input, nullptr, tape, workspace);
  }
  virtual void backward(const LayerContext& context, const void* input, const void* output, const void* tape,
                        const void* grad_output, void* grad_input, void* workspace) = 0;
  virtual void save_ambient(void* state) { static_cast<void>(state); }
  virtual void restore_ambient(const void* state) { static_cast<void>(state); }
};

// One layer, to be added to a chain.
class Layer {
 public:
  // By its kind: "linear:128,256", "relu", "gelu", "embedding:256,16,8", "dropout:0.1", "softmax_cross_entropy".
  // known_layer_kinds() lists them.
  Layer(const std::string& name, const std::string& kind) { check(ckpt_layer_create(name.c_str(), kind.c_str(), handle_.out())); }
  // Likewise, with numbers or texts as values: Layer("head", "linear", width, 256).
  template <class... Values>
  Layer(const std::string& name, const std::string& kind, const Values&... values) : Layer(name, joined(kind, values...)) {}
  static Layer custom(const std::string& name, std::unique_ptr<CustomLayer> layer);
  // A head whose weight is that of an embedding, which is of kind token_embedding and before it in the chain.
  static Layer tied_head(const std::string& name, const Layer& embedding) {
    return make([&](ckpt_layer** out) { return ckpt_layer_create_tied_head(name.c_str(), embedding.handle(), out); });
  }

  ckpt_layer* handle() const noexcept { return handle_.get(); }

 private:
  Layer() = default;
  template <class... Values>
  static std::string joined(const std::string& kind, const Values&... values) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(17);
    const char* before = ":";
    text << kind;
    ((text << before << values, before = ","), ...);
    return text.str();
  }
  template <class Create>
  static Layer make(Create&& create) {
    Layer layer;
    check(create(layer.handle_.out()));
    return layer;
  }
  detail::Handle<ckpt_layer, ckpt_layer_release> handle_;
};

// The kinds of layers, one a line: its form, what it does, and the range of each whole number.
inline std::string known_layer_kinds() { return detail::text_of(ckpt_layer_get_known_kinds); }

// A parameter of a chain: the chain's own memory, shared.
struct Parameter {
  std::string name;
  Tensor value;
  Tensor gradient;
};

class Chain : public ChainMethods<Chain> {
 public:
  explicit Chain(std::int64_t first_layer = 0) { check(ckpt_chain_create(first_layer, handle_.out())); }

  Chain& add(const Layer& layer) {
    check(ckpt_chain_add(handle(), layer.handle()));
    return *this;
  }
  std::vector<Parameter> parameters() const {
    std::int64_t count = 0;
    check(ckpt_chain_get_parameter_count(handle(), &count));
    std::vector<Parameter> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      ckpt_tensor* value = nullptr;
      ckpt_tensor* gradient = nullptr;
      check(ckpt_chain_get_parameter(handle(), i, &name, &value, &gradient));
      Tensor owned_value = Tensor::adopt(value);
      Tensor owned_gradient = Tensor::adopt(gradient);
      all.push_back({name, std::move(owned_value), std::move(owned_gradient)});
    }
    return all;
  }
  // Threads for clipping, zeroing of gradients and optimizers; none: the calling one alone.
  void set_worker_pool(detail::Borrowed<ckpt_worker_pool> pool) { check(ckpt_chain_set_worker_pool(handle(), pool)); }
  // measured_steps 0: bytes only.
  Profile profile(const TensorSpec& input, std::int32_t measured_steps = 0, detail::Borrowed<ckpt_worker_pool> pool = {}) {
    const ckpt_tensor_spec given = detail::to_c(input);
    ckpt_profile* profile = nullptr;
    check(ckpt_profile_create_from_chain(handle(), &given, measured_steps, pool, &profile));
    return Profile::adopt(profile);
  }
  // Every layer timed where it runs, in steps of the whole chain on this step's data. Takes the memory of storing everything.
  Profile measured_profile(const Step& step, std::int32_t measured_steps, detail::Borrowed<ckpt_worker_pool> pool = {}) {
    const ckpt_step given = detail::to_c(step);
    ckpt_profile* profile = nullptr;
    check(ckpt_profile_create_measured(handle(), &given, measured_steps, pool, &profile));
    return Profile::adopt(profile);
  }
  ckpt_chain* handle() const noexcept { return handle_.get(); }

 private:
  detail::Handle<ckpt_chain, ckpt_chain_release> handle_;
};

class ScheduleExecutor : public ScheduleExecutorMethods<ScheduleExecutor> {
 public:
  ScheduleExecutor(const Chain& chain, const Schedule& schedule, const TensorSpec& input,
                   const ScheduleExecutorOptions& options = {}) {
    const ckpt_tensor_spec spec = detail::to_c(input);
    const ckpt_schedule_executor_options given = detail::to_c(options);
    check(ckpt_schedule_executor_create(chain.handle(), schedule.handle(), &spec, &given, handle_.out()));
  }
  // A copy of the profile with the seconds that the layers took in the last steps.
  Profile refine(const Profile& profile) const {
    ckpt_profile* refined = nullptr;
    check(ckpt_schedule_executor_refine(handle(), profile.handle(), &refined));
    return Profile::adopt(refined);
  }
  ckpt_schedule_executor* handle() const noexcept { return handle_.get(); }

 private:
  detail::Handle<ckpt_schedule_executor, ckpt_schedule_executor_release> handle_;
};

class Optimizer : public OptimizerMethods<Optimizer> {
 public:
  static Optimizer sgd(const Chain& chain, double learning_rate, double momentum = 0) {
    Optimizer optimizer;
    check(ckpt_optimizer_create_sgd(chain.handle(), learning_rate, momentum, optimizer.handle_.out()));
    return optimizer;
  }
  static Optimizer adamw(const Chain& chain, const AdamWOptions& options = {}) {
    const ckpt_adamw_options given = detail::to_c(options);
    Optimizer optimizer;
    check(ckpt_optimizer_create_adamw(chain.handle(), &given, optimizer.handle_.out()));
    return optimizer;
  }

  // Clips, updates and sets gradients to 0 in one pass: a step with accumulate comes next. Returns the norm before.
  double step_and_zero(double max_norm = std::numeric_limits<double>::infinity()) {
    double norm = 0;
    check(ckpt_optimizer_step_and_zero(handle(), max_norm, &norm));
    return norm;
  }
  // Name and tensor of everything that must be saved beside the number of steps.
  std::vector<std::pair<std::string, Tensor>> tensors() const {
    std::int64_t count = 0;
    check(ckpt_optimizer_get_tensor_count(handle(), &count));
    std::vector<std::pair<std::string, Tensor>> all;
    for (std::int64_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      ckpt_tensor* value = nullptr;
      check(ckpt_optimizer_get_tensor(handle(), i, &name, &value));
      Tensor owned = Tensor::adopt(value);
      all.emplace_back(name, std::move(owned));
    }
    return all;
  }
  ckpt_optimizer* handle() const noexcept { return handle_.get(); }

 private:
  Optimizer() = default;
  detail::Handle<ckpt_optimizer, ckpt_optimizer_release> handle_;
};

// The rate of a step, for Optimizer::set_learning_rate before it.
inline double learning_rate_at(const LearningRateSchedule& schedule, std::int64_t step) {
  const ckpt_learning_rate_schedule given = detail::to_c(schedule);
  double rate = 0;
  check(ckpt_learning_rate_at(&given, step, &rate));
  return rate;
}

// ---- Custom layers: how C reaches the object ----

namespace detail {

struct CustomLayerCalls {
  static CustomLayer& layer(void* user_data) { return **static_cast<std::unique_ptr<CustomLayer>*>(user_data); }

  static std::int32_t output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) noexcept {
    return callback_status([&] { *output = to_c(layer(user_data).output(from_c(*input))); });
  }
  static std::int32_t option(const ckpt_tensor_spec* input, std::int32_t number, ckpt_layer_option* out, void* user_data) noexcept {
    return callback_status([&] { *out = to_c(layer(user_data).option(from_c(*input), number)); });
  }
  static std::int32_t forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                              void* user_data) noexcept {
    return callback_status([&] { layer(user_data).forward(from_c(*context), input, output, tape, workspace); });
  }
  static std::int32_t backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                               const void* grad_output, void* grad_input, void* workspace, void* user_data) noexcept {
    return callback_status(
        [&] { layer(user_data).backward(from_c(*context), input, output, tape, grad_output, grad_input, workspace); });
  }
  static std::int32_t record(const ckpt_layer_context* context, const void* input, void*, void* tape, void* workspace,
                             void* user_data) noexcept {
    return callback_status([&] { layer(user_data).record(from_c(*context), input, tape, workspace); });
  }
  static std::int32_t save_ambient(void* state, void* user_data) noexcept {
    return callback_status([&] { layer(user_data).save_ambient(state); });
  }
  static std::int32_t restore_ambient(const void* state, void* user_data) noexcept {
    return callback_status([&] { layer(user_data).restore_ambient(state); });
  }
};

}  // namespace detail

inline Layer Layer::custom(const std::string& name, std::unique_ptr<CustomLayer> layer) {
  using Calls = detail::CustomLayerCalls;
  if (layer == nullptr) throw Error(Status::invalid_argument, "layer is NULL");
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.flags = static_cast<ckpt_layer_flag>(layer->flags());
  callbacks.options = layer->options();
  callbacks.ambient_bytes = layer->ambient_bytes();
  callbacks.output = Calls::output;
  callbacks.option = Calls::option;
  callbacks.forward = Calls::forward;
  if (layer->has_record()) callbacks.record = Calls::record;
  callbacks.backward = Calls::backward;
  callbacks.save_ambient = Calls::save_ambient;
  callbacks.restore_ambient = Calls::restore_ambient;
  auto owned = std::make_unique<std::unique_ptr<CustomLayer>>(std::move(layer));
  Layer made = make([&](ckpt_layer** out) {
    return ckpt_layer_create_custom(name.c_str(), &callbacks, owned.get(), detail::destroy<std::unique_ptr<CustomLayer>>, out);
  });
  static_cast<void>(owned.release());
  return made;
}

}  // namespace ckpt

#endif  // CKPT_ENGINE_HPP
