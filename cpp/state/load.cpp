#include "state/load.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/log.h"
#include "base/status.h"
#include "state/catalog.h"
#include "state/convert.h"
#include "state/environment.h"
#include "state/filling.h"
#include "state/known_bad.h"
#include "state/name_map.h"
#include "state/open_files.h"
#include "state/tensor_file.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

std::string dtype_and_shape(tensor::Dtype dtype, std::span<const std::int64_t> shape) {
  std::string out = cat(tensor::dtype_name(dtype), " [");
  for (std::size_t i = 0; i < shape.size(); ++i) out += cat(i > 0 ? ", " : "", shape[i]);
  return out + ']';
}

// A tensor of the state beside the record that goes into it.
void match_tensor(const std::string& group, const StateTensor& wanted, const TensorRecord& record, Conversion convert) {
  wanted.tensor->require_writable(record.name);
  const tensor::Dtype dtype = wanted.tensor->dtype();
  const auto dimensions = wanted.tensor->shape().dimensions();
  const bool fits = dtype == record.dtype || find_converter(record.dtype, dtype, convert) != nullptr;
  base::require(fits && std::ranges::equal(dimensions, record.shape), "tensor ", base::quoted(record.name), " of group ",
                base::quoted(group), " is ", dtype_and_shape(dtype, dimensions), " here; the checkpoint has ",
                dtype_and_shape(record.dtype, record.shape),
                fits || convert == Conversion::none
                    ? std::string()
                    : cat(", which is not converted ", convert == Conversion::lossless ? "without a loss" : "to that"));
}

using GroupAndName = std::pair<std::string_view, std::string_view>;

// The groups that are trees here and there; the names are the manifest's. Their texts, which are values and of any length, get
// memory of their own in state.
std::set<std::string_view> prepare_trees(State& state, const Manifest& manifest) {
  std::set<std::string_view> trees;
  for (const GroupRecord& recorded : manifest.groups) {
    const auto text = std::ranges::find(recorded.tensors, tree_tensor, &TensorRecord::name);
    if (text == recorded.tensors.end() || text->dtype != tensor::Dtype::u8 || text->shape.size() != 1) continue;
    if (text->shape[0] > total_bytes(manifest)) continue;  // no file has room for it: no memory for what only a manifest says
    if (state.replace_tensor(recorded.name, tree_tensor, tensor::Tensor::create(text->dtype, {text->shape[0]})))
      trees.insert(recorded.name);
  }
  return trees;
}

// What a partial load found; the names are the state's and the manifest's.
struct Differences {
  std::vector<GroupAndName> missing;
  std::vector<GroupAndName> unexpected;
};

// By the names that the state may have.
std::map<GroupAndName, const TensorRecord*> records_of(const Manifest& manifest, const NameMap& names) {
  std::map<GroupAndName, const TensorRecord*> records;
  for (const GroupRecord& group : manifest.groups) {
    for (const TensorRecord& record : group.tensors) records.emplace(GroupAndName(group.name, names.name_of(record)), &record);
  }
  return records;
}

// The differences of names; a tensor that both have must have one dtype and shape.
Differences match_partly(const State& state, const Manifest& manifest, const NameMap& names,
                         const std::set<std::string_view>& trees, Conversion convert) {
  auto records = records_of(manifest, names);
  Differences differences;
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& wanted : group.tensors) {
      const auto found = records.find({group.name, wanted.name});
      if (found == records.end()) {
        differences.missing.emplace_back(group.name, wanted.name);
      } else {
        match_tensor(group.name, wanted, *found->second, convert);
        records.erase(found);
      }
    }
  }
  for (const auto& [name, record] : records) differences.unexpected.emplace_back(name.first, record->name);
  for (const auto* list : {&differences.missing, &differences.unexpected}) {
    for (const auto& [group, name] : *list) {
      base::require(!trees.contains(group), "tensor ", base::quoted(name), " of group ", base::quoted(group), " is not in ",
                    list == &differences.missing ? "the checkpoint" : "the state", "; a tree is loaded whole");
    }
  }
  return differences;
}

// skipped: newer checkpoints that could not be used.
std::string report_of(const Differences& differences, const std::vector<Found>& skipped) {
  const auto list = [](const std::vector<GroupAndName>& names) {
    nlohmann::json items = nlohmann::json::array();
    for (const auto& [group, name] : names) items.push_back({{"group", group}, {"name", name}});
    return items.dump();
  };
  nlohmann::ordered_json passed_over = nlohmann::ordered_json::array();
  for (const Found& bad : skipped) {
    passed_over.push_back({{"name", bad.name}, {"status", base::status_name(bad.status)}, {"problem", bad.problem}});
  }
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;  // a problem may quote bytes that are no UTF-8
  return cat(R"({"missing":)", list(differences.missing), R"(,"unexpected":)", list(differences.unexpected), R"(,"skipped":)",
             passed_over.dump(-1, ' ', false, replace), '}');
}

// name: under which the state would have it.
[[noreturn]] void fail_unexpected(const std::string& group, const TensorRecord& record, std::string_view name) {
  base::fail(Status::invalid_argument, "tensor ", base::quoted(record.name), " of group ", base::quoted(group),
             " is in the checkpoint but not in the state",
             name == record.name ? std::string() : cat(", where its name would be ", base::quoted(name)));
}

// Exactly the state's groups and tensors, or an error that names the first difference: that is the caller's to solve, never a
// reason to take an older checkpoint.
void match(const State& state, const Manifest& manifest, const NameMap& names, Conversion convert) {
  for (const StateGroup& group : state.groups()) {
    const auto recorded = std::ranges::find(manifest.groups, group.name, &GroupRecord::name);
    base::require(recorded != manifest.groups.end(), "group ", base::quoted(group.name), " of the state is not in the checkpoint");
    std::map<std::string_view, const TensorRecord*> records;
    for (const TensorRecord& record : recorded->tensors) records.emplace(names.name_of(record), &record);
    for (const StateTensor& wanted : group.tensors) {
      const auto found = records.find(wanted.name);
      base::require(found != records.end(), "tensor ", base::quoted(wanted.name), " of group ", base::quoted(group.name),
                    " of the state is not in the checkpoint");
      match_tensor(group.name, wanted, *found->second, convert);
      records.erase(found);
    }
    if (!records.empty()) fail_unexpected(group.name, *records.begin()->second, records.begin()->first);
  }
  for (const GroupRecord& recorded : manifest.groups) {
    base::require(std::ranges::find(state.groups(), recorded.name, &StateGroup::name) != state.groups().end(), "group ",
                  base::quoted(recorded.name), " is in the checkpoint but not in the state");
  }
}

// Some tensors are written when this fails, so no other checkpoint is tried. A file that is no longer what it was is damaged.
void write(storage::Storage& storage, const std::string& name, Filling& filling) {
  try {
    filling.write();
  } catch (const base::Error& error) {
    if (error.status() != Status::corrupt) throw;
    note_bad(storage, name);
    base::fail(Status::corrupt, error.message(), "; it has changed since it was checked");
  }
}

// One attempt at one checkpoint. skipped: the newer ones that were passed over. When it did not succeed, problem says why, and what
// that means for the checkpoint; the state is what it was.
Outcome try_load(storage::Storage& storage, State& state, const LoadOptions& options, const std::string& name,
                 const std::vector<Found>& skipped, base::Progress& progress, Found& problem, LoadResult& result) {
  Manifest manifest;
  std::string text;
  Outcome outcome = try_reading(storage, name, text, problem, [&] {
    text = manifest_text(storage, name);
    manifest = checked_manifest(storage, name, text, problem);
  });
  if (outcome != Outcome::done) return outcome;
  const std::set<std::string_view> trees = prepare_trees(state, manifest);
  const NameMap names(manifest, options, trees);
  Differences differences;
  if (options.partial) {
    differences = match_partly(state, manifest, names, trees, options.convert);
  } else {
    match(state, manifest, names, options.convert);
  }
  std::string report = report_of(differences, skipped);
  Filling filling(storage, name, options, names, progress, result.partly_filled);
  outcome = try_reading(storage, name, text, problem, [&] { filling.read(manifest, state); });
  if (outcome != Outcome::done) return outcome;
  filling.require_fit();
  result.name = name;
  result.step = manifest.step;
  result.commit_sequence = manifest.commit_sequence;
  result.seed = manifest.seed;
  result.world_size = manifest.world_size;
  result.bytes = total_bytes(manifest);
  result.skipped = static_cast<std::int64_t>(skipped.size());
  result.missing = static_cast<std::int64_t>(differences.missing.size());
  result.unexpected = static_cast<std::int64_t>(differences.unexpected.size());
  if (options.partial) {
    for (const auto& [key, value] : state.values()) manifest.values.emplace(key, value);  // those that the checkpoint lacks stay
  }
  const std::string difference =
      environment_difference(manifest.environment, options.compare_environment ? &options.environment_json : nullptr, options.blas);
  result.environment_differs = !difference.empty();
  if (options.blas.empty()) result.blas_to_come = recorded_blas(manifest.environment);
  if (result.environment_differs) {
    base::warn("state", cat("checkpoint ", base::quoted(name), ' ', difference, ": results may differ in their last bits"));
  }
  if (options.before_filling) options.before_filling();
  write(storage, name, filling);
  progress.finish();
  state.replace_values(std::move(manifest.values));
  state.set_load_report(std::move(report));
  result.partly_filled = false;
  if (options.verify == Verify::full && !options.partial) note_good(storage, name);
  return Outcome::done;
}

void load_named(storage::Storage& storage, State& state, const LoadOptions& options, base::Progress& progress, LoadResult& result) {
  Found problem;
  const Outcome outcome = try_load(storage, state, options, options.name, {}, progress, problem, result);
  if (outcome == Outcome::done) return;
  if (outcome == Outcome::removed) base::fail(Status::not_found, base::quoted(options.name), " was removed while it was read");
  if (problem.condition == Condition::damaged) note_bad(storage, options.name);
  base::fail(problem.status, problem.problem);
}

// Looks for the newest checkpoint that can be loaded, beside a writer.
class Search {
 public:
  Search(storage::Storage& storage, State& state, const LoadOptions& options, base::Progress& progress, LoadResult& result)
      : storage_(storage), state_(state), options_(options), progress_(progress), result_(result) {}

  void run() {
    for (int rounds = 1; rounds <= most_rounds; ++rounds) {
      const std::vector<Found> all = wanted_of(scan(storage_, bad_names(), {true, options_.step, {}}));
      again_ = false;
      if (load_first_usable(all)) return;
      if (!again_) fail_none(storage_, all_with_problems(all), options_.step);
    }
    fail_outrun(storage_);
  }

 private:
  std::vector<Found> wanted_of(std::vector<Found> all) const {
    if (options_.step) std::erase_if(all, [&](const Found& found) { return found.step != *options_.step; });
    return all;
  }

  // What was found bad in an earlier round need not be read again.
  std::set<std::string> bad_names() const {
    std::set<std::string> names;
    for (const auto& [name, found] : bad_) names.insert(name);
    return names;
  }

  bool load_first_usable(const std::vector<Found>& all) {
    std::vector<Found> skipped;
    for (const Found& found : all) {
      if (found.condition == Condition::unfinished) continue;  // no checkpoint: no caller was notified that it is there
      const auto known = bad_.find(found.name);
      if (known != bad_.end()) {
        skipped.push_back(known->second);
      } else if (found.condition != Condition::complete) {
        skipped.push_back(found);
      } else {
        Found problem = found;
        const Outcome outcome = try_load(storage_, state_, options_, found.name, skipped, progress_, problem, result_);
        if (outcome == Outcome::done) {
          warn(skipped);
          return true;
        }
        again_ = true;
        // Something newer is there by now. An older one that is still there is not what the caller wants.
        if (outcome == Outcome::removed || problem.condition == Condition::unfinished) return false;
        if (problem.condition == Condition::damaged) note_bad(storage_, found.name);
        bad_.emplace(found.name, problem);
        skipped.push_back(std::move(problem));
      }
    }
    return false;
  }

  std::vector<Found> all_with_problems(std::vector<Found> all) const {
    for (Found& found : all) {
      if (const auto known = bad_.find(found.name); known != bad_.end()) found = known->second;
    }
    return all;
  }

  void warn(const std::vector<Found>& skipped) const {
    for (const Found& bad : skipped) {
      base::warn("state", cat("checkpoint ", base::quoted(bad.name), " was skipped for the older ", base::quoted(result_.name),
                              ": ", bad.problem));
    }
  }

  storage::Storage& storage_;
  State& state_;
  const LoadOptions& options_;
  base::Progress& progress_;
  LoadResult& result_;
  std::map<std::string, Found> bad_;  // by name
  bool again_ = false;
};

}  // namespace

LoadResult load_checkpoint(storage::Storage& storage, State& state, const LoadOptions& options) {
  base::require(options.name.empty() || !options.step, "name and step are both set; at most one of them says what is loaded");
  LoadResult result;
  base::Progress progress(2);
  try {
    if (options.name.empty()) {
      Search(storage, state, options, progress, result).run();
    } else {
      load_named(storage, state, options, progress, result);
    }
  } catch (...) {
    if (!result.partly_filled) throw;
    const base::CurrentError error = base::current_error();
    throw PartlyFilled(error.status, cat(error.message, "; the tensors are partly filled"));
  }
  return result;
}

VerifyResult verify_checkpoint(storage::Storage& storage, const std::string& name) {
  VerifyResult result;
  base::Progress progress;
  read_one(storage, name, [&](const std::string& directory, const Manifest& manifest) {
    result = {directory};
    progress.begin(total_bytes(manifest));
    OpenFiles files(storage, result.name);
    for (const GroupRecord& group : manifest.groups) files.open_ahead(group);
    for (const GroupRecord& group : manifest.groups) {
      for (const FileRecord& record : group.files) {
        const auto file = files.take(record.name);
        reading(path_in(directory, record.name), [&] { verify_tensor_file(*file, record, tensors_of(group, record), &progress); });
        ++result.files;
        result.bytes += record.bytes;
      }
      result.tensors += static_cast<std::int64_t>(group.tensors.size());
    }
  });
  note_good(storage, result.name);
  progress.finish();
  return result;
}

}  // namespace ckpt::state
