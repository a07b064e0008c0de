#include "copy.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "open_reader.h"
#include "place.h"
#include "progress.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;
using ordered = nlohmann::ordered_json;

std::vector<std::string> chosen(const CheckpointManager& checkpoints, const std::string& from, std::optional<std::int64_t> step,
                                bool all) {
  if (is_one_checkpoint(checkpoints, from)) return {CheckpointManager::self};
  std::vector<std::string> names;
  for (const CheckpointInfo& info : checkpoints.list()) {
    // Abandoned checkpoints are copied only if selected by step: the copy begins its own line, and among all checkpoints they would
    // be the newest of it.
    if (info.status == Status::ok && (step ? info.step == *step : !info.abandoned)) names.push_back(info.name);
  }
  if (names.empty())
    throw Error(Status::not_found, from + (step ? cat(" contains no checkpoint of step ", *step) : " contains no checkpoint"));
  if (!all) names.resize(1);
  std::reverse(names.begin(), names.end());  // oldest first, which preserves the order
  return names;
}

// Returns a member of a manifest as JSON; "" if it is absent or null.
std::string member(const json& manifest, const char* name) {
  return manifest.contains(name) && !manifest[name].is_null() ? manifest[name].dump() : "";
}

SaveOptions options_of(const json& manifest) {
  SaveOptions options;
  options.step = manifest.at("step").get<std::int64_t>();
  options.seed = manifest.value("seed", std::uint64_t{0});
  if (manifest.contains("metric")) options.metric = manifest["metric"].get<double>();
  options.metadata_json = member(manifest, "metadata");
  options.environment_json = member(manifest, "environment");
  return options;
}

std::int64_t bytes_in(const json& manifest) {
  if (manifest.contains("parts")) return manifest.at("bytes").get<std::int64_t>();  // of several ranks
  std::int64_t bytes = 0;
  for (const json& group : manifest.at("groups")) {
    for (const json& file : group.at("files")) bytes += file.at("bytes").get<std::int64_t>();
  }
  return bytes;
}

// A checkpoint to copy, and its manifest.
struct Original {
  std::string name;
  json manifest;
};

// The result of copying an Original.
struct Copied {
  std::string from;
  std::string name;
  std::int64_t step = 0;
  VerifyResult verified;
};

// A save below the newest step of its line begins a generation in the source. Loading the copy of its parent first makes the save
// begin a generation in the target too; otherwise the target would order the copies by step. Reads no tensors.
void load_parent(CheckpointManager& target, const std::string& name) {
  State none;
  LoadOptions options;
  options.name = name;
  options.partial = true;
  target.load(none, options);
}

// Reads, writes and verifies a checkpoint; done_bytes grows by its bytes after each of the three.
Copied copy_one(const CheckpointManager& source, const Original& original, const std::string& shown, CheckpointManager& target,
                std::int64_t& done_bytes) {
  const json& manifest = original.manifest;
  Reader reader(source, original.name, Verify::full);
  done_bytes += bytes_in(manifest);
  State state;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) {
    const TensorInfo info = reader.tensor(i);
    state.add(info.group, info.name, tensor_at(reader, i));
  }
  for (const char* key : {"data_position", "controller"}) {
    if (const std::string text = member(manifest, key); !text.empty()) state.set_json(key, text);
  }
  const json values = manifest.value("values", json::object());
  for (const auto& [key, value] : values.items()) state.set_json(key, value.dump());
  const SaveResult saved = target.save(state, options_of(manifest));
  done_bytes += bytes_in(manifest);
  const VerifyResult verified = target.verify(saved.name);
  done_bytes += bytes_in(manifest);
  return {shown, saved.name, manifest.at("step").get<std::int64_t>(), verified};
}

void print(const Copied& copied) {
  std::printf("%s: copied as %s, %s, %s, verified\n", printable(copied.from).c_str(), copied.name.c_str(),
              counted(copied.verified.tensors, "tensor").c_str(), bytes_text(copied.verified.bytes).c_str());
}

void print_json(const std::vector<Copied>& all) {
  ordered document = {{"copied", ordered::array()}};
  for (const Copied& each : all) {
    document["copied"].push_back({{"from", each.from},
                                  {"name", each.name},
                                  {"step", each.step},
                                  {"tensors", each.verified.tensors},
                                  {"bytes", each.verified.bytes}});
  }
  std::printf("%s\n", document.dump(2, ' ', false, ordered::error_handler_t::replace).c_str());
}

}  // namespace

void copy(const std::string& from, const std::string& to, std::optional<std::int64_t> step, bool all, bool as_json) {
  const CheckpointManager source = CheckpointManager::read_only(open_place(from));
  std::vector<Original> originals;
  std::int64_t bytes = 0;
  for (const std::string& name : chosen(source, from, step, all)) {
    originals.push_back({name, json::parse(source.manifest(name))});
    bytes += bytes_in(originals.back().manifest);
  }
  CheckpointManager target(make_place(to));
  std::vector<Copied> copied;
  {
    ByteProgress progress("read, written and verified", 3 * bytes);
    std::int64_t done_bytes = 0;
    const ckpt::Progress progress_hook([&](std::int64_t done, std::int64_t) { progress.reach(done_bytes + done, 3 * bytes); });
    for (const Original& original : originals) {
      const std::string& shown = original.name == CheckpointManager::self ? from : original.name;
      const auto step_of_copy = original.manifest.at("step").get<std::int64_t>();
      if (!copied.empty() && step_of_copy < copied.back().step) load_parent(target, copied.back().name);
      copied.push_back(copy_one(source, original, shown, target, done_bytes));
      if (!as_json) progress.aside([&] { print(copied.back()); });
    }
  }
  if (as_json) print_json(copied);
}

}  // namespace ckpt::cli
