// engine.hpp - the C++17 interface of engine.h: layers, chains, the executor, optimizers.
#ifndef CKPT_ENGINE_HPP
#define CKPT_ENGINE_HPP

#include <ckpt/memory.hpp>
#include <ckpt/methods/engine.hpp>
#include <ckpt/methods/engine_callbacks.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/tensor.hpp>

#include <locale>
#include <sstream>

namespace ckpt {

// Sets the BLAS; throws Error with Status::invalid_state once one is in use.
inline void set_blas(const ckpt_blas& blas) { check(ckpt_blas_set(&blas)); }

// Base class of a custom layer. Its functions run on the thread that runs the executor and may throw: the exception's message
// becomes part of the error of the step. ckpt_layer_callbacks documents each function.
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
  // Returns whether it has a record, which writes the tape without computing the output.
  virtual bool has_record() const { return false; }
  virtual void record(const LayerContext& context, const void* input, void* tape, void* workspace) {
    forward(context, input, nullptr, tape, workspace);
  }
  virtual void backward(const LayerContext& context, const void* input, const void* output, const void* tape,
                        const void* grad_output, void* grad_input, void* workspace) = 0;
  virtual void save_ambient(void* state) { static_cast<void>(state); }
  virtual void restore_ambient(const void* state) { static_cast<void>(state); }

 private:
  friend class Layer;
  // The buffer for an output is not used.
  void record_tape(const LayerContext& context, const void* input, void* /*output*/, void* tape, void* workspace) {
    record(context, input, tape, workspace);
  }
};

// One layer, which can be added to a chain.
class Layer : public LayerMethods<Layer> {
 public:
  using LayerMethods::LayerMethods;
  // Creates a layer from its kind: "linear:128,256", "relu", "gelu", "embedding:256,16,8", "dropout:0.1", "softmax_cross_entropy".
  // known_layer_kinds() lists them.
  Layer(const std::string& name, const std::string& kind) : LayerMethods(created(ckpt_layer_create, name.c_str(), kind.c_str())) {}
  // Creates a layer from its kind, with numbers or strings as values: Layer("head", "linear", width, 256).
  template <class... Values>
  Layer(const std::string& name, const std::string& kind, const Values&... values) : Layer(name, joined(kind, values...)) {}
  static Layer custom(const std::string& name, std::unique_ptr<CustomLayer> layer);

 private:
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
};

// A parameter of a chain, which shares the chain's memory.
struct Parameter {
  std::string name;
  Tensor value;
  Tensor gradient;
};

class Chain : public ChainMethods<Chain> {
 public:
  using ChainMethods::add;
  using ChainMethods::ChainMethods;
  // Appends layer i of a graph, which reads these values: value 0 is the input of the chain, value k+1 the output of layer k.
  Chain& add(const Layer& layer, const std::vector<std::int64_t>& inputs) {
    check(ckpt_chain_add_with_inputs(handle(), layer.handle(), inputs.data(), static_cast<std::int64_t>(inputs.size())));
    return *this;
  }
  std::vector<Parameter> parameters() const {
    const auto count = detail::result_of<std::int64_t>(ckpt_chain_get_parameter_count, handle());
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
  // measured_steps 0: only bytes, no times.
  Profile profile(const TensorSpec& input, std::int32_t measured_steps = 0, detail::Borrowed<ckpt_worker_pool> pool = {}) {
    const ckpt_tensor_spec given = detail::to_c(input);
    return Profile::adopt(detail::result_of<ckpt_profile*>(ckpt_profile_create_from_chain, handle(), &given, measured_steps, pool));
  }
  // Times every layer within the chain, in steps of the whole chain on this step's data. Needs the memory of storing everything.
  Profile measured_profile(const Step& step, std::int32_t measured_steps, detail::Borrowed<ckpt_worker_pool> pool = {}) {
    const ckpt_step given = detail::to_c(step);
    return Profile::adopt(detail::result_of<ckpt_profile*>(ckpt_profile_create_measured, handle(), &given, measured_steps, pool));
  }
};

class Optimizer : public OptimizerMethods<Optimizer> {
 public:
  using OptimizerMethods::OptimizerMethods;
  // Returns names and tensors of the state to save, in addition to the number of steps.
  std::vector<std::pair<std::string, Tensor>> tensors() const {
    const auto count = detail::result_of<std::int64_t>(ckpt_optimizer_get_tensor_count, handle());
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
};

inline Layer Layer::custom(const std::string& name, std::unique_ptr<CustomLayer> layer) {
  if (layer == nullptr) throw Error(Status::invalid_argument, "layer is NULL");
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.flags = static_cast<ckpt_layer_flag>(layer->flags());
  callbacks.options = layer->options();
  callbacks.ambient_bytes = layer->ambient_bytes();
  callbacks.output = detail::call_layer_output<&CustomLayer::output>;
  callbacks.option = detail::call_layer_option<&CustomLayer::option>;
  callbacks.forward = detail::call_layer_forward<&CustomLayer::forward>;
  if (layer->has_record()) callbacks.record = detail::call_layer_forward<&CustomLayer::record_tape>;
  callbacks.backward = detail::call_layer_backward<&CustomLayer::backward>;
  callbacks.save_ambient = detail::call_layer_save_ambient<&CustomLayer::save_ambient>;
  callbacks.restore_ambient = detail::call_layer_restore_ambient<&CustomLayer::restore_ambient>;
  return Layer(made_with(std::move(layer), ckpt_layer_create_custom, name.c_str(), &callbacks));
}

}  // namespace ckpt

#include <ckpt/methods/engine_definitions.hpp>

#endif  // CKPT_ENGINE_HPP
