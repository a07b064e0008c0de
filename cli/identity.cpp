#include "identity.h"

#include <cstdint>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "learning_rate.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

// Returns the saved value; for a key that older versions did not write, the value that they used.
json value_of(const json& saved, const std::string& key) {
  static const json former = {
      {"micro_batches", 1}, {"model", "mlp"}, {"rate_kind", "constant"}, {"warm_up", 0}, {"last_rate", 0.0}};
  return saved.value(key, former.value(key, json()));
}

void require_same(const json& saved, const json& now, const std::string& key) {
  const json before = value_of(saved, key);
  if (before == now.at(key)) return;
  throw std::runtime_error("the checkpoint has " + key + " " + printable(before.dump()) + ", this run has " + now.at(key).dump() +
                           "; use the same value, another --dir, or --resume never");
}

}  // namespace

json identity_of(const TrainOptions& options, const TextData& data) {
  json identity = {{"batch", options.model.batch},
                   {"seed", options.seed},
                   {"data_bytes", data.bytes()},
                   {"data_fingerprint", data.fingerprint()},
                   {"micro_batches", options.micro_batches}};
  identity.update(model_json(options.model));
  identity.update(learning_rate_json(options));
  return identity;
}

json newest_identity(const CheckpointManager& checkpoint) {
  for (const CheckpointInfo& info : checkpoint.list()) {
    if (info.status != Status::ok || info.abandoned) continue;
    const json manifest = json::parse(checkpoint.manifest(info.name));
    const json values = manifest.value("values", json::object());
    const json identity = values.is_object() ? values.value(identity_key, json()) : json();
    return identity.is_object() ? identity : json();
  }
  return json();
}

void require_same_run(const json& saved, const json& now) {
  require_same(saved, now, "model");
  for (const auto& [key, value] : now.items()) require_same(saved, now, key);
}

ModelOptions transformer_of(const json& saved) {
  const json name = value_of(saved, "model");
  if (name != "transformer") {
    throw std::runtime_error("the checkpoint's model is " + printable(name.dump()) + "; expected a transformer");
  }
  ModelOptions model;
  model.blocks = saved.at("blocks").get<std::int64_t>();
  model.width = saved.at("width").get<std::int64_t>();
  model.heads = saved.at("heads").get<std::int64_t>();
  model.context = saved.at("context").get<std::int64_t>();
  model.batch = 1;
  return model;
}

}  // namespace ckpt::cli
