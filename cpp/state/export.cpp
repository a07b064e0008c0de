#include "state/export.h"

#include <algorithm>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "state/tensor_writer.h"
#include "storage/file_system.h"
#include "storage/target.h"
#include "storage/temporary.h"

namespace ckpt::state {
namespace {

using base::Status;

}  // namespace

Metadata metadata_from_json(std::string_view text) {
  const base::Json parsed = base::json_tree(base::normalized_json("metadata_json", text));
  base::require(parsed.is_object(), "metadata_json: expected an object");
  Metadata metadata;
  for (const auto& [key, value] : parsed.members()) {
    base::require(value.is_string(), "metadata_json: expected a string for ", base::quote(key));
    metadata.emplace_back(key, value.string());
  }
  std::ranges::sort(metadata);
  return metadata;
}

void write_safetensors(const std::string& path, const State& given, std::string_view group_name, const Metadata& metadata) {
  const storage::Target target = storage::target_of(path);
  const State all = given.gathered();
  const auto found = std::ranges::find(all.groups(), group_name, &StateGroup::name);
  if (found == all.groups().end()) base::fail(Status::not_found, "group ", base::quote(group_name), " is not in the state");
  const State assembled = State::of({*found}, {}, {}).assembled();
  const StateGroup& group = assembled.groups().front();
  const auto storage = storage::open_file_system(target.directory, storage::Root::must_exist);
  base::Progress progress;
  progress.begin(bytes_of(group));
  storage::replace_file(*storage, target.name, {bytes_of(group), nullptr, target.mode}, [&](storage::File& file) {
    write_tensor_file(file, target.name, group, metadata, &progress);
    progress.finish();
  });
  storage->sync_directory("");
}

}  // namespace ckpt::state
