#include "show.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "open_reader.h"
#include "place.h"
#include "progress.h"
#include "text.h"
#include "tree_values.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ordered = nlohmann::ordered_json;

struct Row {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
};

struct File {
  std::string name;
  std::vector<Row> rows;
  std::vector<TreeValue> values;  // if the file contains a tree

  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const Row& row : rows) sum += row.bytes;
    return sum;
  }
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// ---- Rows ----

File sorted(File file) {
  std::sort(file.rows.begin(), file.rows.end(), [](const Row& a, const Row& b) { return naturally_before(a.name, b.name); });
  return file;
}

// Returns nothing for a tensor that merely has the reserved name of a tree: files of other programs can contain one.
std::vector<TreeValue> values_of(const Tensor& text) {
  try {
    return tree_values(text.data(), static_cast<std::size_t>(text.bytes()));
  } catch (const Error& error) {
    if (error.status() != Status::corrupt && error.status() != Status::unsupported) throw;
    return {};
  }
}

void add_row(File& file, Reader& reader, std::int64_t index) {
  const TensorInfo tensor = reader.tensor(index);
  file.rows.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.bytes});
  if (tensor.name == CKPT_TREE_TENSOR) file.values = values_of(reader.read(index));
}

File read_file(const std::string& path) {
  File file{path, {}, {}};
  Reader reader = open_file(path);
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) add_row(file, reader, i);
  return sorted(std::move(file));
}

Row to_row(const json& tensor) {
  const DType dtype = find_dtype(tensor.at("dtype").get<std::string>());
  Row row{tensor.at("name").get<std::string>(), dtype, tensor.at("shape").get<std::vector<std::int64_t>>(), dtype_bits(dtype)};
  for (const std::int64_t length : row.shape) row.bytes *= length;
  row.bytes /= 8;
  return row;
}

// The files of a checkpoint in the order of its manifest, as recorded there. With several ranks the blocks of a tensor are spread
// over the ranks' files, so a group is shown as one file.
class Files {
 public:
  explicit Files(const json& manifest) {
    for (const json& group : manifest.at("groups")) {
      std::map<std::string, std::size_t> numbers;
      if (manifest.contains("parts")) {
        numbers[""] = files_.size();
        files_.push_back({group.at("name").get<std::string>() + ", of " + manifest.at("world_size").dump() + " ranks", {}, {}});
      }
      for (const json& file : group.value("files", json::array())) {
        const auto name = file.at("name").get<std::string>();
        numbers[name] = files_.size();
        files_.push_back({name, {}, {}});
      }
      for (const json& tensor : group.at("tensors")) {
        const std::size_t number = numbers.at(tensor.value("file", ""));
        files_[number].rows.push_back(to_row(tensor));
        if (tensor.at("name") == CKPT_TREE_TENSOR) trees_[group.at("name").get<std::string>()] = number;
      }
    }
    for (File& file : files_) file = sorted(std::move(file));
  }
  bool has_trees() const { return !trees_.empty(); }
  void read_values(const CheckpointManager& checkpoint, const std::string& name) {
    if (trees_.empty()) return;
    Reader reader(checkpoint, name);
    for (const auto& [group, number] : trees_) files_[number].values = values_of(reader.read(reader.find(CKPT_TREE_TENSOR, group)));
  }
  const std::vector<File>& all() const { return files_; }

 private:
  std::vector<File> files_;
  std::map<std::string, std::size_t> trees_;  // a group that can be a tree, and its file
};

CheckpointManager read_only(const std::string& path) { return CheckpointManager::read_only(open_place(path)); }

[[noreturn]] void none_in(const std::string& path) { throw Error(Status::not_found, path + " contains no checkpoint"); }

// ---- Printing ----

ordered to_json(const File& file) {
  ordered tensors = ordered::array();
  for (const Row& row : file.rows) {
    tensors.push_back({{"name", row.name}, {"dtype", dtype_name(row.dtype)}, {"shape", row.shape}, {"bytes", row.bytes}});
  }
  ordered document = {{"name", file.name}, {"bytes", file.bytes()}, {"tensors", std::move(tensors)}};
  for (const TreeValue& value : file.values)
    document["tree"].push_back({{"path", value.path}, {"value", ordered::parse(value.json)}});
  return document;
}

void print(const ordered& document) {
  std::printf("%s\n", document.dump(2, ' ', false, ordered::error_handler_t::replace).c_str());
}

// Shortens values, which can be of any length.
std::string shortened(std::string text) {
  constexpr std::size_t longest = 200;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return printable(text);
}

void print(const File& file) {
  std::printf("%s: %s, %s\n", printable(file.name).c_str(), counted(static_cast<std::int64_t>(file.rows.size()), "tensor").c_str(),
              bytes_text(file.bytes()).c_str());
  std::size_t widest = 4;
  for (const Row& row : file.rows) widest = std::max(widest, printable(row.name).size());
  for (const Row& row : file.rows) {
    std::printf("  %-*s  %-12s  %-20s  %12lld bytes\n", static_cast<int>(widest), printable(row.name).c_str(),
                std::string(dtype_name(row.dtype)).c_str(), shape_text(row.shape).c_str(), static_cast<long long>(row.bytes));
  }
  for (const TreeValue& value : file.values)
    std::printf("  %s = %s\n", printable(value.path).c_str(), shortened(value.text).c_str());
}

void print_value(const std::string& name, const json& value) {
  std::printf("  %s: %s\n", printable(name).c_str(), shortened(value.dump(-1, ' ', false, json::error_handler_t::replace)).c_str());
}

// Prints the manifest's values other than tensors that are not empty.
void print_values(const json& manifest) {
  for (const char* name : {"seed", "metric", "data_position", "controller", "metadata"}) {
    if (manifest.contains(name) && !manifest[name].is_null()) print_value(name, manifest[name]);
  }
  const json values = manifest.value("values", json::object());
  for (const auto& [name, value] : values.items()) print_value("value " + name, value);
}

// Returns 0 if the time is not known.
std::int64_t saved_utc_ns(const json& manifest) { return manifest.value("saved_utc_ns", std::int64_t{0}); }

void print_json(const json& manifest, const std::vector<File>& files, const std::string& place) {
  ordered document = {{"path", place}};
  for (const char* member : {"step", "commit_sequence", "world_size", "library_version", "seed", "metric", "data_position",
                             "controller", "values", "metadata", "environment"}) {
    if (manifest.contains(member)) document[member] = manifest[member];
  }
  if (saved_utc_ns(manifest) > 0) {
    document["saved_utc_ns"] = saved_utc_ns(manifest);
    document["saved_utc"] = utc_text(saved_utc_ns(manifest));
  }
  for (const File& file : files) document["files"].push_back(to_json(file));
  print(document);
}

void print_text(const json& manifest, const std::vector<File>& files, const std::string& place) {
  std::int64_t bytes = 0;
  for (const File& file : files) bytes += file.bytes();
  std::printf("%s: step %lld, %s, saved %s, library %s\n", printable(place).c_str(), manifest.at("step").get<long long>(),
              bytes_text(bytes).c_str(), utc_text(saved_utc_ns(manifest)).c_str(),
              manifest.at("library_version").get<std::string>().c_str());
  print_values(manifest);
  for (const File& file : files) print(file);
}

// Data to read in addition to the manifest.
struct Reads {
  bool everything = true;  // verify every byte
  bool values = true;      // read the values of trees
};

void show_checkpoint(const CheckpointManager& checkpoint, const std::string& name, const std::string& place, bool as_json,
                     const Reads& reads) {
  if (reads.everything) checkpoint.verify(name);
  const json manifest = json::parse(checkpoint.manifest(name));
  Files files(manifest);
  if (reads.values) files.read_values(checkpoint, name);
  if (as_json) return print_json(manifest, files.all(), place);
  print_text(manifest, files.all(), place);
  if (!reads.values && files.has_trees()) std::printf("use --values to show the values of trees\n");
}

// Returns the newest valid checkpoint's name with as few requests as possible; "" if there are none. If none is valid, returns an
// invalid one.
std::string newest_in(const CheckpointManager& checkpoint, const std::string& path) {
  if (is_store(path)) {
    if (const auto latest = checkpoint.latest()) return latest->name;
  }
  for (const CheckpointInfo& info : checkpoint.list()) {
    if (info.status != Status::not_found) return info.name;
  }
  return "";
}

std::chrono::nanoseconds saved_at(const CheckpointInfo& info) { return info.saved_utc.time_since_epoch(); }

const char* state_of(const CheckpointInfo& info) {
  switch (info.status) {
    case Status::ok: return "complete";
    case Status::not_found: return "incomplete";  // a save was interrupted or is in progress
    case Status::corrupt: return "damaged";
    default: return "unreadable";
  }
}

}  // namespace

void list(const std::string& path, bool as_json) {
  const std::vector<CheckpointInfo> infos = read_only(path).list();
  if (infos.empty()) none_in(path);
  if (as_json) {
    ordered document = ordered::array();
    for (const CheckpointInfo& info : infos) {
      ordered row = {{"name", info.name},           {"step", info.step},
                     {"state", state_of(info)},     {"bytes", info.bytes},
                     {"pinned", info.pinned},       {"generation", info.generation},
                     {"abandoned", info.abandoned}, {"record_damaged", info.record_damaged}};
      const std::chrono::nanoseconds saved = saved_at(info);
      if (saved.count() > 0) {
        row["saved_utc_ns"] = saved.count();
        row["saved_utc"] = utc_text(saved.count());
      }
      if (info.metric) row["metric"] = *info.metric;
      document.push_back(std::move(row));
    }
    return print(document);
  }
  std::size_t widest = 4;
  for (const CheckpointInfo& info : infos) widest = std::max(widest, printable(info.name).size());
  std::printf("%-*s  %12s  %10s  %10s  %-20s  %s\n", static_cast<int>(widest), "name", "step", "size", "metric", "saved", "state");
  for (const CheckpointInfo& info : infos) {
    std::printf("%-*s  %12lld  %10s  %10s  %-20s  %s%s%s%s\n", static_cast<int>(widest), printable(info.name).c_str(),
                static_cast<long long>(info.step), info.status == Status::ok ? bytes_text(info.bytes).c_str() : "-",
                info.metric ? cat(*info.metric).c_str() : "-", utc_text(saved_at(info).count()).c_str(), state_of(info),
                info.pinned ? ", pinned" : "", info.abandoned ? ", abandoned" : "", info.record_damaged ? ", damaged record" : "");
  }
}

void show(const std::string& path, bool as_json, bool reads_values) {
  const fs::path directory(path);
  const auto has = [&](const char* name) { return fs::exists(directory / name); };
  if (!is_uri(path) && (!fs::is_directory(directory) || (!has("manifest.json") && has("model.safetensors.index.json")))) {
    const File file = read_file(path);
    return as_json ? print(to_json(file)) : print(file);
  }
  const CheckpointManager checkpoint = read_only(path);
  const Reads reads{!is_store(path), !is_store(path) || reads_values};
  if (is_one_checkpoint(checkpoint, path)) return show_checkpoint(checkpoint, CheckpointManager::self, path, as_json, reads);
  const std::string name = newest_in(checkpoint, path);
  if (name.empty()) none_in(path);
  show_checkpoint(checkpoint, name, (directory / name).string(), as_json, reads);
}

void verify(const std::string& path, bool as_json) {
  const CheckpointManager checkpoint = read_only(path);
  std::vector<CheckpointInfo> infos;
  if (is_one_checkpoint(checkpoint, path)) {
    infos.emplace_back().name = CheckpointManager::self;
  } else {
    for (CheckpointInfo& info : checkpoint.list()) {
      if (info.status != Status::not_found) {
        infos.push_back(std::move(info));
      } else if (!as_json) {
        std::printf("%s: no manifest: the save was interrupted or is in progress; not a checkpoint\n", info.name.c_str());
      }
    }
  }
  if (infos.empty()) none_in(path);
  std::int64_t bytes = 0;
  for (const CheckpointInfo& info : infos) bytes += info.bytes;
  std::int64_t before = 0;
  ByteProgress progress("verified", bytes);
  const ckpt::Progress progress_hook([&](std::int64_t done, std::int64_t total) {
    progress.reach(before + done, std::max(bytes, total));  // the size of a single checkpoint is not listed
  });
  ordered document = ordered::array();
  for (const CheckpointInfo& info : infos) {
    const VerifyResult result = checkpoint.verify(info.name);
    before += result.bytes;
    const std::string shown = info.name == CheckpointManager::self ? path : info.name;
    if (as_json) {
      document.push_back({{"name", shown}, {"files", result.files}, {"tensors", result.tensors}, {"bytes", result.bytes}});
    } else {
      progress.aside([&] {
        std::printf("%s: ok, %s, %s, %s\n", printable(shown).c_str(), counted(result.files, "file").c_str(),
                    counted(result.tensors, "tensor").c_str(), bytes_text(result.bytes).c_str());
      });
    }
  }
  if (as_json) progress.aside([&] { print(document); });
}

}  // namespace ckpt::cli
