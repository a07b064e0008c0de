#include "state/record_text.h"

#include <algorithm>

#include "base/json_text.h"
#include "base/json_tree.h"
#include "state/name.h"
#include "state/name_table.h"
#include "state/safetensors.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::JsonWriter;
using base::Status;

constexpr std::string_view checksum_begin = ",\n\"checksum\":\"";
constexpr std::string_view checksum_end = "\"}\n";
static_assert(checksum_bytes == checksum_begin.size() + 32 + checksum_end.size());

void write_file(JsonWriter& out, const FileRecord& file) {
  out.begin_object().member("name", file.name).member("bytes", file.bytes).member("xxh3_128", to_hex(file.digest)).end_object();
}

void write_tensor(JsonWriter& out, const TensorRecord& tensor) {
  out.begin_object()
      .member("name", tensor.name)
      .member("file", tensor.file)
      .member("dtype", tensor::dtype_name(tensor.dtype))
      .member("shape", tensor.shape);
  out.key("chunks_xxh3_128").begin_list();
  for (const Digest& digest : tensor.chunks) out.value(to_hex(digest));
  out.end_list();
  if (!tensor.offsets.empty()) {
    out.key("placement").begin_object().member("of", tensor.of).member("offsets", tensor.offsets).end_object();
  }
  out.end_object();
}

FileRecord read_file(const Node& node) {
  FileRecord file{node["name"].text(), node["bytes"].count(), node["xxh3_128"].digest()};
  if (!is_safe_file_name(file.name) || file.name == manifest_name) node.refuse("has an unusable name ", base::quote(file.name));
  return file;
}

void read_placement(const Node& node, std::int64_t format_version, TensorRecord& tensor) {
  if (!node.find("placement")) return;
  if (format_version == format_of_one)
    base::fail(Status::unsupported, node.place(), " is a block of a larger tensor, which format 1 does not support");
  const Node placement = node["placement"];
  tensor.of = placement["of"].text();
  tensor.offsets = placement["offsets"].counts();
  if (tensor.offsets.size() != tensor.shape.size())
    placement.refuse("has ", tensor.offsets.size(), " offsets; expected ", tensor.shape.size());
}

TensorRecord read_tensor(const Node& node, const std::vector<FileRecord>& files, std::int64_t format_version) {
  TensorRecord tensor;
  read_name_and_shape(node, tensor);
  tensor.file = node["file"].text();
  tensor.bytes_of_chunk = format_version == format_of_one ? chunk_bytes : shard_chunk_bytes;
  if (std::ranges::find(files, tensor.file, &FileRecord::name) == files.end()) node["file"].refuse("is not a file of its group");
  const Node chunks = node["chunks_xxh3_128"];
  chunks.for_each_item([&](const Node& chunk) { tensor.chunks.push_back(chunk.digest()); });
  if (static_cast<std::int64_t>(tensor.chunks.size()) !=
      chunk_count(tensor_bytes(tensor.dtype, tensor.shape), tensor.bytes_of_chunk))
    node.refuse("has ", tensor.chunks.size(), " checksums");
  read_placement(node, format_version, tensor);
  return tensor;
}

GroupRecord read_group(const Node& node, std::int64_t format_version, std::set<std::string>& file_names) {
  GroupRecord group;
  group.name = node["name"].text();
  const Node files = node["files"];
  files.for_each_item([&](const Node& file) {
    group.files.push_back(read_file(file));
    if (!file_names.insert(group.files.back().name).second) file.refuse("is a duplicate");
  });
  const Node tensors = node["tensors"];
  tensors.for_each_item([&](const Node& tensor) { group.tensors.push_back(read_tensor(tensor, group.files, format_version)); });
  require_unique_names(tensors, group.tensors);
  return group;
}

}  // namespace

std::string values_text(const std::map<std::string, std::string>& values) {
  std::string out = "{";
  for (const auto& [key, text] : values) out += cat(out.size() > 1 ? ",\n" : "\n", base::json_string(key), ':', text);
  return out + '}';
}

std::map<std::string, std::string> read_texts(const Node& node) {
  if (!node.value.is_object()) node.refuse("is not an object");
  std::map<std::string, std::string> out;
  for (const JsonView::Member& member : node.value.members().all) out[member.name()] = base::plain_json(member.value.own());
  return out;
}

void append_groups(std::string& out, const std::vector<GroupRecord>& groups) {
  out += '[';
  for (const GroupRecord& group : groups) {
    out += cat(out.back() == '[' ? "\n" : ",\n", "{\"name\":", base::json_string(group.name), ",\n\"files\":");
    append_lines(out, group.files, write_file);
    out += ",\n\"tensors\":";
    append_lines(out, group.tensors, write_tensor);
    out += '}';
  }
  out += ']';
}

void read_name_and_shape(const Node& node, TensorRecord& tensor) {
  tensor.name = node["name"].text();
  const auto dtype = tensor::dtype_from_name(node["dtype"].text());
  if (!dtype) node["dtype"].refuse("is unknown");
  tensor.dtype = *dtype;
  tensor.shape = node["shape"].counts();
  try {
    tensor_bytes(tensor.dtype, tensor.shape);
  } catch (const base::Error& error) {
    node.refuse("is invalid: ", error.message());
  }
}

void require_unique_names(const Node& tensors, const std::vector<TensorRecord>& records) {
  NameTable names(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string& name = records[i].name;
    if (names.any(name, [&](std::size_t number) { return records[number].name == name; }))
      Node{tensors.value, &tensors, nullptr, i}.refuse("has a duplicate name");
    names.add(name, i);
  }
}

std::vector<GroupRecord> read_groups(const Node& groups, std::int64_t format_version) {
  std::vector<GroupRecord> all;
  std::set<std::string> file_names;
  std::set<std::string> group_names;
  groups.for_each_item([&](const Node& group) {
    all.push_back(read_group(group, format_version, file_names));
    if (!group_names.insert(all.back().name).second) group.refuse("has a duplicate name");
  });
  return all;
}

std::string with_checksum(std::string text) {
  const Digest digest = hash_of(text);
  text += cat(checksum_begin, to_hex(digest), checksum_end);
  return text;
}

std::optional<Digest> checksum_of_tail(std::string_view tail) {
  if (tail.size() < checksum_bytes) return std::nullopt;
  tail = tail.substr(tail.size() - checksum_bytes);
  if (!tail.starts_with(checksum_begin) || !tail.ends_with(checksum_end)) return std::nullopt;
  return digest_from_hex(tail.substr(checksum_begin.size(), 32));
}

JsonView checked_view(std::string_view text, const char* document) {
  const auto fail_corrupt = [&](const auto&... pieces) { base::fail(Status::corrupt, "the ", document, ' ', cat(pieces...)); };
  if (text.size() < checksum_bytes) fail_corrupt("has only ", text.size(), " bytes");
  const std::string_view body = text.substr(0, text.size() - checksum_bytes);
  const auto digest = checksum_of_tail(text);
  if (!digest) fail_corrupt("does not end with a checksum");
  if (hash_of(body) != *digest) fail_corrupt("has the checksum ", to_hex(hash_of(body)), "; expected ", to_hex(*digest));
  const std::string problem = base::json_problem(text, base::deepest_json);
  if (!problem.empty()) fail_corrupt("is not usable JSON: ", problem);
  return JsonView(text);
}

}  // namespace ckpt::state
