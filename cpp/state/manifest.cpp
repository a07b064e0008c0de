#include "state/manifest.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "state/json_view.h"
#include "state/name.h"
#include "state/name_table.h"
#include "state/safetensors.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;
using ordered_json = nlohmann::ordered_json;

// The text's last member, on a line of its own, is the digest of every byte before that line. Fixed length: found from the end.
constexpr std::string_view checksum_begin = ",\n\"checksum\":\"";
constexpr std::string_view checksum_end = "\"}\n";
constexpr std::size_t tail_bytes = checksum_begin.size() + 32 + checksum_end.size();

// One value in the text, which knows its place for messages. The node it came from must outlive it.
struct Node {
  JsonView value;
  const Node* parent = nullptr;
  const char* key = "top";  // nullptr for an item of a list
  std::size_t index = 0;
  mutable std::optional<JsonView::Members> members = {};  // once one was asked for

  std::string place() const {
    if (parent == nullptr) return key;
    return key != nullptr ? cat(parent->place(), '.', key) : cat(parent->place(), '[', index, ']');
  }
  template <class... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    base::fail(Status::corrupt, "the manifest's ", place(), ' ', cat(pieces...));
  }
  // Nothing when it has none of that name, or is no object.
  std::optional<JsonView> find(std::string_view name) const {
    if (!value.is_object()) return std::nullopt;
    if (!members) members = value.members();
    for (const JsonView::Member& member : members->all) {
      if (member.is(name)) return member.value;
    }
    return std::nullopt;
  }
  Node operator[](const char* name) const {
    const auto found = find(name);
    if (!found) refuse("has no '", name, "'");
    return {*found, this, name};
  }
  std::string text() const {
    if (!value.is_string()) refuse("is no string");
    return value.string();
  }
  std::int64_t count() const {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto number = value.count();
    if (!number || *number > largest) refuse("is no count");
    return static_cast<std::int64_t>(*number);
  }
  Digest digest() const {
    const auto digest = digest_from_hex(text());
    if (!digest) refuse("is no checksum of 32 hex digits");
    return *digest;
  }
  template <class Take>
  void for_each_item(Take&& take) const {
    if (!value.is_array()) refuse("is no list");
    std::size_t number = 0;
    value.for_each_item([&](const JsonView& item) {
      const Node node{item, this, nullptr, number++};
      take(node);
      return node.members ? node.members->behind : 0;
    });
  }
};

ordered_json file_json(const FileRecord& file) {
  return {{"name", file.name}, {"bytes", file.bytes}, {"xxh3_128", to_hex(file.digest)}};
}

ordered_json tensor_json(const TensorRecord& tensor) {
  ordered_json chunks = ordered_json::array();
  for (const Digest& digest : tensor.chunks) chunks.push_back(to_hex(digest));
  return {{"name", tensor.name},
          {"file", tensor.file},
          {"dtype", tensor::dtype_name(tensor.dtype)},
          {"shape", tensor.shape},
          {"chunks_xxh3_128", std::move(chunks)}};
}

// "[\n<item>,\n<item>]": a line each, so that people and line tools can read it.
template <class Items, class ToJson>
std::string lines(const Items& items, ToJson&& to_json) {
  std::string out = "[";
  for (const auto& item : items) {
    out += out.size() > 1 ? ",\n" : "\n";
    out += to_json(item).dump();
  }
  return out + ']';
}

std::string quoted_json(std::string_view text) { return ordered_json(text).dump(); }

FileRecord read_file(const Node& node) {
  FileRecord file{node["name"].text(), node["bytes"].count(), node["xxh3_128"].digest()};
  if (!is_safe_file_name(file.name) || file.name == manifest_name) node.refuse("has an unusable name ", base::quoted(file.name));
  return file;
}

TensorRecord read_tensor(const Node& node, const std::vector<FileRecord>& files) {
  TensorRecord tensor;
  tensor.name = node["name"].text();
  tensor.file = node["file"].text();
  if (std::ranges::find(files, tensor.file, &FileRecord::name) == files.end()) node["file"].refuse("is no file of its group");
  const auto dtype = tensor::dtype_from_name(node["dtype"].text());
  if (!dtype) node["dtype"].refuse("is unknown");
  tensor.dtype = *dtype;
  const Node shape = node["shape"];
  shape.for_each_item([&](const Node& dimension) { tensor.shape.push_back(dimension.count()); });
  std::int64_t bytes = 0;
  try {
    bytes = tensor_bytes(tensor.dtype, tensor.shape);
  } catch (const base::Error& error) {
    node.refuse("cannot be: ", error.message());
  }
  const Node chunks = node["chunks_xxh3_128"];
  chunks.for_each_item([&](const Node& chunk) { tensor.chunks.push_back(chunk.digest()); });
  if (static_cast<std::int64_t>(tensor.chunks.size()) != chunk_count(bytes))
    node.refuse("has ", tensor.chunks.size(), " checksums");
  // A tensor that is a part of a larger one says so; that comes with several ranks.
  if (node.find("placement")) base::fail(Status::unsupported, "the manifest's ", node.place(), " is a part of a larger tensor");
  return tensor;
}

GroupRecord read_group(const Node& node, std::set<std::string>& file_names) {
  GroupRecord group;
  group.name = node["name"].text();
  const Node files = node["files"];
  files.for_each_item([&](const Node& file) {
    group.files.push_back(read_file(file));
    if (!file_names.insert(group.files.back().name).second) file.refuse("is listed twice");
  });
  const Node tensors = node["tensors"];
  tensors.for_each_item([&](const Node& tensor) { group.tensors.push_back(read_tensor(tensor, group.files)); });
  NameTable names(group.tensors.size());
  for (std::size_t i = 0; i < group.tensors.size(); ++i) {
    const std::string& name = group.tensors[i].name;
    if (names.any(name, [&](std::size_t number) { return group.tensors[number].name == name; }))
      Node{tensors.value, &tensors, nullptr, i}.refuse("has a name that is listed twice");
    names.add(name, i);
  }
  return group;
}

// The text as one JSON value.
JsonView checked_view(std::string_view text) {
  const auto fail_corrupt = [](const auto&... pieces) { base::fail(Status::corrupt, "the manifest ", cat(pieces...)); };
  if (text.size() < tail_bytes) fail_corrupt("has only ", text.size(), " bytes");
  const std::string_view body = text.substr(0, text.size() - tail_bytes);
  const std::string_view tail = text.substr(body.size());
  const auto digest = digest_from_hex(tail.substr(checksum_begin.size(), 32));
  if (!tail.starts_with(checksum_begin) || !tail.ends_with(checksum_end) || !digest) fail_corrupt("does not end with its checksum");
  if (hash_of(body) != *digest) fail_corrupt("has the checksum ", to_hex(hash_of(body)), "; it says ", to_hex(*digest));
  const std::string problem = base::json_problem(text, base::deepest_json);
  if (!problem.empty()) fail_corrupt("is not usable JSON: ", problem);
  return JsonView(text);
}

std::map<std::string, std::string> read_values(const Node& top) {
  const Node values = top["values"];
  if (!values.value.is_object()) values.refuse("is no object");
  std::map<std::string, std::string> out;
  for (const JsonView::Member& member : values.value.members().all) out[member.name()] = member.value.tree().dump();
  for (const std::string_view key : {data_position_key, controller_key}) {
    if (const auto found = top.find(key)) out[std::string(key)] = found->tree().dump();
  }
  return out;
}

}  // namespace

std::int64_t chunk_count(std::int64_t bytes) { return bytes / chunk_bytes + (bytes % chunk_bytes != 0 ? 1 : 0); }

std::int64_t total_bytes(const Manifest& manifest) {
  std::int64_t total = 0;
  for (const GroupRecord& group : manifest.groups) {
    for (const FileRecord& file : group.files) {
      if (__builtin_add_overflow(total, file.bytes, &total))
        base::fail(Status::corrupt, "the manifest's files pass INT64_MAX bytes");
    }
  }
  return total;
}

std::string to_text(const Manifest& manifest) {
  std::string out = cat("{\"format\":\"ckpt-state\",\n\"format_version\":", format_version,
                        ",\n\"library_version\":", quoted_json(manifest.library_version), ",\n\"step\":", manifest.step,
                        ",\n\"commit_sequence\":", manifest.commit_sequence, ",\n\"world_size\":", manifest.world_size,
                        ",\n\"seed\":", manifest.seed);
  if (manifest.saved_utc_ns > 0) out += cat(",\n\"saved_utc_ns\":", manifest.saved_utc_ns);
  if (manifest.metric) out += cat(",\n\"metric\":", *manifest.metric);
  std::string values = "{";
  for (const auto& [key, text] : manifest.values) {
    if (key == data_position_key || key == controller_key) {
      out += cat(",\n\"", key, "\":", text);
    } else {
      values += cat(values.size() > 1 ? ",\n" : "\n", quoted_json(key), ':', text);
    }
  }
  out += cat(",\n\"values\":", values, "},\n\"metadata\":", manifest.metadata, ",\n\"environment\":", manifest.environment,
             ",\n\"groups\":[");
  for (const GroupRecord& group : manifest.groups) {
    out += cat(out.back() == '[' ? "\n" : ",\n", "{\"name\":", quoted_json(group.name),
               ",\n\"files\":", lines(group.files, file_json), ",\n\"tensors\":", lines(group.tensors, tensor_json), '}');
  }
  out += ']';
  const Digest digest = hash_of(out);
  out += cat(checksum_begin, to_hex(digest), checksum_end);
  return out;
}

Manifest parse_manifest(std::string_view text) {
  const Node top{checked_view(text)};
  if (!top.value.is_object() || top["format"].text() != "ckpt-state") top.refuse("is not that of a state checkpoint");
  if (const std::int64_t version = top["format_version"].count(); version != format_version) {
    base::fail(Status::unsupported, "the manifest's format_version is ", version, "; this library reads ", format_version);
  }
  Manifest manifest;
  manifest.library_version = top["library_version"].text();
  manifest.step = top["step"].count();
  manifest.commit_sequence = top["commit_sequence"].count();
  manifest.world_size = top["world_size"].count();
  const auto seed = top["seed"].value.count();
  if (!seed) top["seed"].refuse("is no unsigned 64-bit number");
  manifest.seed = *seed;
  if (top.find("saved_utc_ns")) manifest.saved_utc_ns = top["saved_utc_ns"].count();
  if (const auto metric = top.find("metric")) {
    if (!metric->is_number()) top["metric"].refuse("is no number");
    manifest.metric = metric->tree().get<double>();
  }
  manifest.metadata = top["metadata"].value.tree().dump();
  manifest.environment = top["environment"].value.tree().dump();
  manifest.values = read_values(top);
  std::set<std::string> file_names;
  std::set<std::string> group_names;
  const Node groups = top["groups"];
  groups.for_each_item([&](const Node& group) {
    manifest.groups.push_back(read_group(group, file_names));
    if (!group_names.insert(manifest.groups.back().name).second) group.refuse("has a name that is listed twice");
  });
  if (manifest.world_size != 1)
    base::fail(Status::unsupported, "the manifest's world_size is ", manifest.world_size, "; this library reads 1");
  total_bytes(manifest);
  return manifest;
}

}  // namespace ckpt::state
