#include "state/load.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "state/catalog.h"
#include "state/tensor_file.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

std::string dtype_and_shape(tensor::Dtype dtype, std::span<const std::int64_t> shape) {
  std::string out = cat(tensor::dtype_name(dtype), " [");
  for (std::size_t i = 0; i < shape.size(); ++i) out += cat(i > 0 ? ", " : "", shape[i]);
  return out + ']';
}

void match_tensor(const std::string& group, const StateTensor& wanted, const TensorRecord& record) {
  wanted.tensor->require_writable(record.name);
  const auto dimensions = wanted.tensor->shape().dimensions();
  base::require(wanted.tensor->dtype() == record.dtype && std::ranges::equal(dimensions, record.shape), "tensor ",
                base::quoted(record.name), " of group ", base::quoted(group), " is ",
                dtype_and_shape(wanted.tensor->dtype(), dimensions), " here; the checkpoint has ",
                dtype_and_shape(record.dtype, record.shape));
}

using GroupAndName = std::pair<std::string_view, std::string_view>;

// What a partial load found; the names are the state's and the manifest's.
struct Differences {
  std::vector<GroupAndName> missing;
  std::vector<GroupAndName> unexpected;
};

std::map<GroupAndName, const TensorRecord*> records_of(const Manifest& manifest) {
  std::map<GroupAndName, const TensorRecord*> records;
  for (const GroupRecord& group : manifest.groups) {
    for (const TensorRecord& record : group.tensors) records.emplace(GroupAndName(group.name, record.name), &record);
  }
  return records;
}

// The differences of names; a tensor that both have must have one dtype and shape.
Differences match_partly(const State& state, const Manifest& manifest) {
  auto records = records_of(manifest);
  Differences differences;
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& wanted : group.tensors) {
      const auto found = records.find({group.name, wanted.name});
      if (found == records.end()) {
        differences.missing.emplace_back(group.name, wanted.name);
      } else {
        match_tensor(group.name, wanted, *found->second);
        records.erase(found);
      }
    }
  }
  for (const auto& [name, record] : records) differences.unexpected.push_back(name);
  return differences;
}

std::string report_of(const Differences& differences) {
  const auto list = [](const std::vector<GroupAndName>& names) {
    nlohmann::json items = nlohmann::json::array();
    for (const auto& [group, name] : names) items.push_back({{"group", group}, {"name", name}});
    return items.dump();
  };
  return cat(R"({"missing":)", list(differences.missing), R"(,"unexpected":)", list(differences.unexpected), '}');
}

// Exactly the state's groups and tensors, or an error that names the first difference: that is the caller's to solve, never a
// reason to take an older checkpoint.
void match(const State& state, const Manifest& manifest) {
  for (const StateGroup& group : state.groups()) {
    const auto recorded = std::ranges::find(manifest.groups, group.name, &GroupRecord::name);
    base::require(recorded != manifest.groups.end(), "group ", base::quoted(group.name), " of the state is not in the checkpoint");
    std::map<std::string_view, const TensorRecord*> records;
    for (const TensorRecord& record : recorded->tensors) records.emplace(record.name, &record);
    for (const StateTensor& wanted : group.tensors) {
      const auto found = records.find(wanted.name);
      base::require(found != records.end(), "tensor ", base::quoted(wanted.name), " of group ", base::quoted(group.name),
                    " of the state is not in the checkpoint");
      match_tensor(group.name, wanted, *found->second);
      records.erase(found);
    }
    base::require(records.empty(), "tensor ", base::quoted(records.empty() ? "" : records.begin()->first), " of group ",
                  base::quoted(group.name), " is in the checkpoint but not in the state");
  }
  for (const GroupRecord& recorded : manifest.groups) {
    base::require(std::ranges::find(state.groups(), recorded.name, &StateGroup::name) != state.groups().end(), "group ",
                  base::quoted(recorded.name), " is in the checkpoint but not in the state");
  }
}

std::vector<const TensorRecord*> tensors_of(const GroupRecord& group, const FileRecord& file) {
  std::vector<const TensorRecord*> tensors;
  for (const TensorRecord& tensor : group.tensors) {
    if (tensor.file == file.name) tensors.push_back(&tensor);
  }
  return tensors;
}

// A tensor's bytes on their way to the caller, unless they are read in place.
struct Loaded {
  std::shared_ptr<tensor::Tensor> target;
  std::unique_ptr<std::byte[]> bytes;
};

void read_group(storage::Storage& storage, const std::string& directory, const GroupRecord& recorded, const StateGroup& group,
                const LoadOptions& options, std::vector<Loaded>& loaded) {
  std::map<std::string_view, std::shared_ptr<tensor::Tensor>> targets;
  for (const StateTensor& wanted : group.tensors) targets.emplace(wanted.name, wanted.tensor);
  for (const FileRecord& record : recorded.files) {
    const std::string path = path_in(directory, record.name);
    reading(path, [&] {
      const auto file = storage.open(path);
      const auto tensors = tensors_of(recorded, record);
      const Header header = read_recorded_header(*file, record, tensors);
      std::map<std::string_view, const TensorRecord*> records;
      for (const TensorRecord* tensor : tensors) records.emplace(tensor->name, tensor);
      for (const TensorEntry& entry : header.tensors) {
        const auto target = targets.find(entry.name);
        if (target == targets.end()) continue;  // of a partial load
        storage::require_running(options.stop.get());
        const TensorRecord* const checked = options.verify == Verify::full ? records.at(entry.name) : nullptr;
        if (options.in_place) {
          if (options.before_filling) options.before_filling();
          read_tensor(*file, header, entry, checked, target->second->byte_span());
          continue;
        }
        const auto size = static_cast<std::size_t>(entry.bytes);
        Loaded copy{target->second, std::make_unique_for_overwrite<std::byte[]>(size)};
        read_tensor(*file, header, entry, checked, {copy.bytes.get(), size});
        loaded.push_back(std::move(copy));
      }
    });
  }
}

// Nothing when the checkpoint cannot be used; problem says why, and what that means for it.
std::optional<LoadResult> try_load(storage::Storage& storage, State& state, const LoadOptions& options, const std::string& name,
                                   Found& problem) {
  const auto note = [&problem](const base::Error& error) {
    problem.condition = condition_after(error);
    problem.status = error.status();
    problem.problem = error.message();
  };
  Manifest manifest;
  try {
    manifest = read_manifest(storage, name);
  } catch (const base::Error& error) {
    note(error);
    return std::nullopt;
  }
  Differences differences;
  if (options.partial) {
    differences = match_partly(state, manifest);
  } else {
    match(state, manifest);
  }
  std::string report = report_of(differences);
  std::vector<Loaded> loaded;
  try {
    for (const StateGroup& group : state.groups()) {
      const auto recorded = std::ranges::find(manifest.groups, group.name, &GroupRecord::name);
      if (recorded != manifest.groups.end()) read_group(storage, name, *recorded, group, options, loaded);
    }
  } catch (const base::Error& error) {
    note(error);
    return std::nullopt;
  }
  LoadResult result{name, manifest.step, manifest.commit_sequence, manifest.seed, total_bytes(manifest)};
  result.missing = static_cast<std::int64_t>(differences.missing.size());
  result.unexpected = static_cast<std::int64_t>(differences.unexpected.size());
  if (options.partial) {
    for (const auto& [key, value] : state.values()) manifest.values.emplace(key, value);  // those that the checkpoint lacks stay
  }
  result.environment_differs = options.compare_environment && options.environment != manifest.environment;
  if (result.environment_differs) {
    base::warn("state", cat("checkpoint ", base::quoted(name), " was written in the environment ", manifest.environment,
                            "; this one is ", options.environment, ": results may differ in their last bits"));
  }
  if (options.before_filling) options.before_filling();
  // From here on nothing can fail.
  for (const Loaded& item : loaded) {
    if (item.target->bytes() > 0)
      std::memcpy(item.target->data(), item.bytes.get(), static_cast<std::size_t>(item.target->bytes()));
  }
  state.replace_values(std::move(manifest.values));
  state.set_load_report(std::move(report));
  return result;
}

[[noreturn]] void fail_none(const storage::Storage& storage, const std::vector<Found>& skipped) {
  const auto newest = std::ranges::find_if(skipped, [](const Found& found) { return found.condition != Condition::unfinished; });
  if (newest == skipped.end()) {
    base::fail(Status::not_found, "there is no checkpoint in ", base::quoted(storage.name()), "; unfinished: ", skipped.size());
  }
  base::fail(newest->status, "no checkpoint in ", base::quoted(storage.name()), " is usable; the newest of ", skipped.size(), ": ",
             newest->problem);
}

LoadResult load_named(storage::Storage& storage, State& state, const LoadOptions& options) {
  Found problem;
  auto result = try_load(storage, state, options, options.name, problem);
  if (!result) base::fail(problem.status, problem.problem);
  return *std::move(result);
}

// The first of all that can be loaded; those before it go to skipped, with what was wrong.
std::optional<LoadResult> load_first_usable(storage::Storage& storage, State& state, const LoadOptions& options,
                                            const std::vector<Found>& all, std::vector<Found>& skipped) {
  for (Found found : all) {
    if (found.condition == Condition::complete) {
      if (auto result = try_load(storage, state, options, found.name, found)) {
        result->skipped = static_cast<std::int64_t>(skipped.size());
        return result;
      }
    }
    skipped.push_back(std::move(found));
  }
  return std::nullopt;
}

}  // namespace

LoadResult load_checkpoint(storage::Storage& storage, State& state, const LoadOptions& options, bool may_rename) {
  if (!options.name.empty()) return load_named(storage, state, options);
  std::vector<Found> all = scan(storage);
  constexpr int most_scans = 10;
  for (int scans = 1;; ++scans) {
    std::vector<Found> skipped;
    if (auto result = load_first_usable(storage, state, options, all, skipped)) {
      for (const Found& bad : skipped) {
        base::warn("state", cat("checkpoint ", base::quoted(bad.name), " was skipped for the older ", base::quoted(result->name),
                                ": ", bad.problem));
        if (may_rename && bad.condition != Condition::unreadable) set_aside(storage, bad.name, bad.problem);
      }
      return *std::move(result);
    }
    // A writer in another process may have committed newer ones and removed all that were found here.
    std::vector<Found> now = scan(storage);
    if (scans == most_scans || std::ranges::equal(all, now, {}, &Found::name, &Found::name)) fail_none(storage, skipped);
    all = std::move(now);
  }
}

VerifyResult verify_checkpoint(storage::Storage& storage, const std::string& name) {
  VerifyResult result;
  result.name = name;
  if (name.empty()) {
    const std::vector<Found> all = scan(storage);
    const auto newest = std::ranges::find_if(all, [](const Found& found) { return found.condition != Condition::unfinished; });
    if (newest == all.end()) fail_none(storage, all);
    result.name = newest->name;
  }
  const Manifest manifest = read_manifest(storage, result.name);
  for (const GroupRecord& group : manifest.groups) {
    for (const FileRecord& record : group.files) {
      const std::string path = path_in(result.name, record.name);
      reading(path, [&] { verify_tensor_file(*storage.open(path), record, tensors_of(group, record)); });
      ++result.files;
      result.bytes += record.bytes;
    }
    result.tensors += static_cast<std::int64_t>(group.tensors.size());
  }
  return result;
}

}  // namespace ckpt::state
