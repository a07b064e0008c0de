// The options of `ckpt train` and `ckpt plan` that say which model.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "model.h"

namespace ckpt::cli {

struct ModelFlags {
  CLI::Option* model = nullptr;
  CLI::Option* batch = nullptr;
  std::vector<CLI::Option*> sizes;  // of a transformer
};

// `--model` alone says the usual one.
ModelFlags add_model_flags(CLI::App& app, ModelOptions& model, const std::string& meaning);

// Once all are read: sets the batch where nobody said one. Throws CLI::ValidationError for a size that the model does not have.
void finish_model(const ModelFlags& flags, ModelOptions& model);

}  // namespace ckpt::cli
