// The options of `ckpt train` and `ckpt plan` that select the model.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "model.h"

namespace ckpt::cli {

struct ModelFlags {
  CLI::Option* model = nullptr;
  CLI::Option* batch = nullptr;
  std::vector<CLI::Option*> sizes;  // of transformer only
};

// `--model` without a value selects the default model.
ModelFlags add_model_flags(CLI::App& app, ModelOptions& model, const std::string& meaning);

// Call after parsing: sets the batch if the option is missing. Throws CLI::ValidationError for a size that the model does not have.
void finish_model(const ModelFlags& flags, ModelOptions& model);

}  // namespace ckpt::cli
