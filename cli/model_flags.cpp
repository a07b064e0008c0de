#include "model_flags.h"

#include "number.h"

namespace ckpt::cli {
namespace {

constexpr Range<std::int64_t> sizes = {1, 1 << 16};

}  // namespace

ModelFlags add_model_flags(CLI::App& app, ModelOptions& model, const std::string& meaning) {
  ModelFlags flags;
  flags.model = app.add_option("--model", model.name, meaning)
                    ->expected(0, 1)
                    ->check(CLI::IsMember({"transformer", "mlp"}))
                    ->default_str(model.name);
  flags.sizes = {add_number(app, "--blocks", model.blocks, {1, 1 << 12}, "Blocks of the transformer"),
                 add_number(app, "--width", model.width, sizes, "Width of the transformer"),
                 add_number(app, "--heads", model.heads, sizes, "Attention heads; must divide the width"),
                 add_number(app, "--context", model.context, sizes, "Context length of the transformer in bytes")};
  flags.batch = add_number(app, "--batch", model.batch, {1, 1 << 20}, "Samples per step")->default_str("16; mlp: 256");
  return flags;
}

void finish_model(const ModelFlags& flags, ModelOptions& model) {
  for (const CLI::Option* const size : flags.sizes) {
    if (*size && !model.is_transformer()) {
      throw CLI::ValidationError(size->get_name(),
                                 "applies to --model transformer; the sizes of --model " + model.name + " are fixed");
    }
  }
  if (!*flags.batch) model.batch = usual_batch(model);
}

}  // namespace ckpt::cli
