#include "engine/kinds.h"

#include <limits>
#include <span>
#include <utility>

#include "base/form.h"

namespace ckpt::engine {
namespace {

using base::FormParameter;
using Values = std::span<const base::FormValue>;

constexpr FormParameter count_of(const char* name) {
  return {name, FormParameter::Unit::count, 1, std::numeric_limits<std::int64_t>::max()};
}
constexpr FormParameter index_of(const char* name) {
  return {name, FormParameter::Unit::count, 0, std::numeric_limits<std::int64_t>::max()};
}
constexpr FormParameter axis_parameter = {"axis", FormParameter::Unit::count, 0, tensor::largest_ndim - 1, "0"};
constexpr FormParameter epsilon_parameter = {"epsilon", FormParameter::Unit::number, 0, 0, "1e-5"};
constexpr FormParameter dtype_parameter = {"dtype", FormParameter::Unit::word, 0, 0, "F32"};

tensor::Dtype dtype_of(const base::FormValue& value) {
  const auto dtype = tensor::dtype_from_name(value.word);
  base::require(dtype && is_float(*dtype), "dtype is ", base::quote(value.word), "; expected F32 or F64");
  return *dtype;
}

constexpr FormParameter norm_parameter = {"norm", FormParameter::Unit::word, 0, 0, "layer_norm"};
constexpr FormParameter dropout_parameter = {"dropout", FormParameter::Unit::number, 0, 0, "0"};

// Returns the value for one of two words.
template <class Meaning>
Meaning meaning_of(const char* name, std::string_view word, const char* first, Meaning if_first, const char* second,
                   Meaning if_second) {
  base::require(word == first || word == second, name, " is ", base::quote(word), "; expected ", first, " or ", second);
  return word == first ? if_first : if_second;
}

Norm norm_of(const base::FormValue& value) {
  return meaning_of("norm", value.word, "layer_norm", Norm::layer_norm, "rms_norm", Norm::rms_norm);
}

struct Kind {
  base::Form form;
  std::shared_ptr<Layer> (*make)(std::string name, Values values);
};

constexpr Kind kinds[] = {
    {{"linear", "y = x W + b", {count_of("inputs"), count_of("outputs"), dtype_parameter}},
     [](std::string name, Values values) {
       return make_linear(std::move(name), values[0].whole, values[1].whole, dtype_of(values[2]));
     }},
    {{"relu", "max(x, 0), element-wise", {}}, [](std::string name, Values) { return make_relu(std::move(name)); }},
    {{"gelu", "GELU in the tanh form, element-wise", {}}, [](std::string name, Values) { return make_gelu(std::move(name)); }},
    {{"layer_norm",
      "each row less its mean, divided by its standard deviation, times weight plus bias",
      {count_of("width"), epsilon_parameter, dtype_parameter}},
     [](std::string name, Values values) {
       return make_layer_norm(std::move(name), values[0].whole, values[1].number, dtype_of(values[2]));
     }},
    {{"rms_norm",
      "each row divided by its root mean square, times weight",
      {count_of("width"), epsilon_parameter, dtype_parameter}},
     [](std::string name, Values values) {
       return make_rms_norm(std::move(name), values[0].whole, values[1].number, dtype_of(values[2]));
     }},
    {{"embedding",
      "a vector of a table for each token",
      {count_of("vocabulary"), count_of("context"), count_of("width"), dtype_parameter}},
     [](std::string name, Values values) {
       return make_embedding(std::move(name), values[0].whole, values[1].whole, values[2].whole, dtype_of(values[3]));
     }},
    {{"token_embedding",
      "a vector for each token, plus one for its position",
      {count_of("vocabulary"),
       count_of("context"),
       count_of("width"),
       {"positions", FormParameter::Unit::word, 0, 0, "learned"},
       dtype_parameter}},
     [](std::string name, Values values) {
       const bool positions = meaning_of("positions", values[3].word, "learned", true, "none", false);
       return make_token_embedding(std::move(name), values[0].whole, values[1].whole, values[2].whole, positions,
                                   dtype_of(values[4]));
     }},
    {{"attention",
      "causal attention with norm and residual: half of a transformer block",
      {count_of("width"),
       count_of("heads"),
       {"key_heads", FormParameter::Unit::count, 0, std::numeric_limits<std::int64_t>::max(), "0"},
       norm_parameter,
       {"rotary_base", FormParameter::Unit::number, 0, 0, "0"},
       dropout_parameter,
       dtype_parameter}},
     [](std::string name, Values values) {
       return make_attention(std::move(name), {.width = values[0].whole,
                                               .heads = values[1].whole,
                                               .key_heads = values[2].whole,
                                               .norm = norm_of(values[3]),
                                               .rotary_base = values[4].number,
                                               .dropout = values[5].number,
                                               .dtype = dtype_of(values[6])});
     }},
    {{"mlp",
      "a perceptron with one hidden layer, norm and residual: half of a transformer block",
      {count_of("width"),
       count_of("hidden"),
       {"activation", FormParameter::Unit::word, 0, 0, "gelu"},
       norm_parameter,
       dropout_parameter,
       dtype_parameter}},
     [](std::string name, Values values) {
       return make_mlp(std::move(name), {.width = values[0].whole,
                                         .hidden = values[1].whole,
                                         .activation = meaning_of("activation", values[2].word, "gelu", Activation::gelu, "swiglu",
                                                                  Activation::swiglu),
                                         .norm = norm_of(values[3]),
                                         .dropout = values[4].number,
                                         .dtype = dtype_of(values[5])});
     }},
    {{"dot_product_attention",
      "attention without norm, projections and residual: causal, or in a graph to another sequence",
      {count_of("heads"), {"key_heads", FormParameter::Unit::count, 0, std::numeric_limits<std::int64_t>::max(), "0"}}},
     [](std::string name, Values values) { return make_dot_product_attention(std::move(name), values[0].whole, values[1].whole); }},
    {{"dropout", "sets random elements to 0; a recomputation drops the same ones", {{"probability", FormParameter::Unit::number}}},
     [](std::string name, Values values) { return make_dropout(std::move(name), values[0].number); }},
    {{"add", "the sum of two or more values, element-wise", {}},
     [](std::string name, Values) { return make_add(std::move(name)); }},
    {{"multiply", "the product of two values, element-wise", {}},
     [](std::string name, Values) { return make_multiply(std::move(name)); }},
    {{"concatenate", "two or more values one after the other, along a dimension", {axis_parameter}},
     [](std::string name, Values values) { return make_concatenate(std::move(name), values[0].whole); }},
    {{"slice", "elements begin .. end-1 along a dimension", {index_of("begin"), index_of("end"), axis_parameter}},
     [](std::string name, Values values) {
       return make_slice(std::move(name), values[0].whole, values[1].whole, values[2].whole);
     }},
    {{"softmax_cross_entropy", "the loss: mean over the rows of -log softmax(x)[target]", {}},
     [](std::string name, Values) { return make_softmax_cross_entropy(std::move(name)); }},
};

}  // namespace

std::shared_ptr<Layer> make_layer(std::string name, std::string_view kind) {
  return base::reading_form("layer", kind, [&] {
    const Kind& entry = base::form_named<Kind>(kinds, "kind of layer", kind);
    return entry.make(std::move(name), base::form_values(entry.form, "layer", kind));
  });
}

std::string known_kinds() { return base::form_lines<Kind>(kinds); }

}  // namespace ckpt::engine
