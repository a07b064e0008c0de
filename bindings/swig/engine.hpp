// engine.hpp - layers of other languages. See callbacks.hpp for ownership.
#ifndef CKPT_SWIG_ENGINE_HPP
#define CKPT_SWIG_ENGINE_HPP

#include <ckpt/ckpt.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>

#include "callbacks.hpp"

namespace ckpt_swig {

class LayerFunctions {
 public:
  virtual ~LayerFunctions() = default;
  virtual Spec output(Spec input) = 0;
  virtual LayerBytes option(Spec input, int32_t number) = 0;
  virtual void forward(LayerContext context, Bytes input, Bytes output, Bytes tape, Bytes workspace) = 0;
  virtual void record(LayerContext context, Bytes input, Bytes tape, Bytes workspace) = 0;
  virtual void backward(LayerContext context, Bytes input, Bytes output, Bytes tape, Bytes grad_output, Bytes grad_input,
                        Bytes workspace) = 0;
  virtual void save_ambient(Bytes state) = 0;
  virtual void restore_ambient(Bytes state) = 0;
#ifndef SWIG
  int64_t ambient_bytes = 0;
  // Results of option, by input and number. One that has returned different results is queried in every run.
  struct Needs {
    ckpt_layer_option bytes;
    bool varies;
  };
  std::map<std::array<int64_t, 11>, Needs> known;
#endif
};

#ifndef SWIG
namespace detail {

inline int64_t spec_bytes(const ckpt_tensor_spec& spec) {
  int64_t elements = 1;
  for (int32_t i = 0; i < spec.ndim; ++i) elements *= spec.shape[i];
  return elements * ckpt_dtype_bits(spec.dtype) / 8;
}

inline LayerFunctions& layer(void* user) { return *static_cast<LayerFunctions*>(user); }

inline std::array<int64_t, 11> question(const ckpt_tensor_spec& input, int32_t option) {
  std::array<int64_t, 11> created = {option, input.dtype, input.ndim};
  std::copy_n(input.shape, input.ndim, created.begin() + 3);
  return created;
}

// Queries the layer, and stores the result for its runs.
inline ckpt_layer_option asked(void* user, const ckpt_tensor_spec& input, int32_t option) {
  const ckpt_layer_option answer = layer(user).option(Spec{input}, option).value;
  const auto [place, is_first] = layer(user).known.try_emplace(question(input, option), LayerFunctions::Needs{answer, false});
  if (!is_first && std::memcmp(&place->second.bytes, &answer, sizeof answer) != 0) place->second.varies = true;
  return answer;
}

// Returns the stored result: the library queried the layer when it created its executor.
inline ckpt_layer_option option_of(void* user, const ckpt_layer_context& context) {
  const auto found = layer(user).known.find(question(*context.input, context.option));
  if (found != layer(user).known.end() && !found->second.varies) return found->second.bytes;
  return asked(user, *context.input, context.option);
}

inline ckpt_layer_callbacks layer_callbacks(uint32_t flags, int32_t options, int64_t ambient_bytes, bool has_record) {
  ckpt_layer_callbacks table = CKPT_LAYER_CALLBACKS_INIT;
  table.flags = flags;
  table.options = options;
  table.ambient_bytes = ambient_bytes;
  table.output = [](const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user) {
    return guarded([&] { *output = layer(user).output(Spec{*input}).value; });
  };
  table.option = [](const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user) {
    return guarded([&] { *out = asked(user, *input, option); });
  };
  table.forward = [](const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace, void* user) {
    return guarded([&] {
      const ckpt_layer_option bytes = option_of(user, *context);
      layer(user).forward(LayerContext{context}, readable(input, spec_bytes(*context->input)),
                          writable(output, spec_bytes(*context->output)), writable(tape, bytes.tape_bytes),
                          writable(workspace, bytes.forward_workspace_bytes));
    });
  };
  if (has_record) {
    table.record = [](const ckpt_layer_context* context, const void* input, void*, void* tape, void* workspace, void* user) {
      return guarded([&] {
        const ckpt_layer_option bytes = option_of(user, *context);
        layer(user).record(LayerContext{context}, readable(input, spec_bytes(*context->input)), writable(tape, bytes.tape_bytes),
                           writable(workspace, bytes.forward_workspace_bytes));
      });
    };
  }
  table.backward = [](const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                      const void* grad_output, void* grad_input, void* workspace, void* user) {
    return guarded([&] {
      const ckpt_layer_option bytes = option_of(user, *context);
      const int64_t in_bytes = spec_bytes(*context->input);
      const int64_t out_bytes = spec_bytes(*context->output);
      layer(user).backward(LayerContext{context}, readable(input, in_bytes), readable(output, out_bytes),
                           readable(tape, bytes.tape_bytes), readable(grad_output, out_bytes), writable(grad_input, in_bytes),
                           writable(workspace, bytes.backward_workspace_bytes));
    });
  };
  if (ambient_bytes > 0) {
    table.save_ambient = [](void* state, void* user) {
      return guarded([&] { layer(user).save_ambient(writable(state, layer(user).ambient_bytes)); });
    };
    table.restore_ambient = [](const void* state, void* user) {
      return guarded([&] { layer(user).restore_ambient(readable(state, layer(user).ambient_bytes)); });
    };
  }
  return table;
}

}  // namespace detail
#endif

inline ckpt_status layer_create_custom(const char* name, uint32_t flags, int32_t options, int64_t ambient_bytes, bool has_record,
                                       LayerFunctions* functions, ckpt_layer** layer) {
  std::unique_ptr<LayerFunctions> owned(functions);
  if (functions) functions->ambient_bytes = ambient_bytes;
  const ckpt_layer_callbacks table = detail::layer_callbacks(flags, options, ambient_bytes, has_record);
  return handed_over(owned, ckpt_layer_create_custom(name, &table, functions, destroy<LayerFunctions>, layer));
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_ENGINE_HPP
