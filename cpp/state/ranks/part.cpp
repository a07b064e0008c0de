#include "state/ranks/part.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/json_text.h"
#include "state/checkpoint_files.h"
#include "state/name.h"
#include "state/rank_names.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;

constexpr std::string_view summary_begin = ",\n\"summary\":";
// More than the size of a summary with individually listed keys.
constexpr std::int64_t tail_bytes = 4096;

std::string names_text(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) out += cat(out.size() > 1 ? "," : "", base::json_string(name));
  return out + ']';
}

std::vector<std::string> read_names(const Node& node) {
  std::vector<std::string> names;
  node.for_each_item([&](const Node& name) { names.push_back(name.text()); });
  return names;
}

std::string summary_text(const PartSummary& summary) {
  return cat("{\"files\":", summary.files, ",\"bytes\":", summary.file_bytes, ",\"layout\":\"", to_hex(summary.layout),
             "\",\"unlike\":", names_text(summary.unlike), '}');
}

PartSummary read_summary(const Node& node) {
  return {node["files"].count(), node["bytes"].count(), node["layout"].digest(), read_names(node["unlike"])};
}

}  // namespace

Digest layout_digest(const std::vector<GroupRecord>& groups) {
  std::vector<Digest> blocks;
  for (const GroupRecord& group : groups) {
    for (const TensorRecord& block : group.tensors) {
      blocks.push_back(
          hash_of(cat(base::json_string(group.name), ' ', base::json_string(tensor_of(block)), ' ', to_text(box_of(block)))));
    }
  }
  // Sort, since the order of the records does not matter for the layout.
  std::ranges::sort(blocks, {}, [](const Digest& digest) { return std::pair(digest.high, digest.low); });
  std::string all;
  for (const Digest& block : blocks) all += to_hex(block);
  return hash_of(all);
}

std::string to_text(const Part& part) {
  std::string out =
      cat("{\"format\":\"ckpt-part\",\n\"format_version\":", format_of_many, ",\n\"attempt\":", base::json_string(part.attempt),
          ",\n\"rank\":", part.rank, ",\n\"world_size\":", part.world_size, ",\n\"values\":", values_text(part.values),
          ",\n\"absent\":", names_text(part.absent), ",\n\"groups\":");
  append_groups(out, part.groups);
  out += cat(summary_begin, summary_text(part.summary));
  return with_checksum(std::move(out));
}

Part parse_part(std::string_view text) {
  const Node top{checked_view(text, "part"), nullptr, "part"};
  if (!top.value.is_object() || top["format"].text() != "ckpt-part") top.refuse("is not a rank's part");
  if (const std::int64_t version = top["format_version"].count(); version != format_of_many) {
    base::fail(base::Status::unsupported, "the part's format_version is ", version, "; expected ", format_of_many);
  }
  Part part;
  part.attempt = top["attempt"].text();
  part.rank = top["rank"].count();
  part.world_size = top["world_size"].count();
  part.values = read_texts(top["values"]);
  part.absent = read_names(top["absent"]);
  part.groups = read_groups(top["groups"], format_of_many);
  part.summary = read_summary(top["summary"]);
  return part;
}

Part read_part(storage::Storage& storage, const std::string& directory, const Manifest& manifest, std::int64_t rank) {
  const PartRecord& record = manifest.parts[static_cast<std::size_t>(rank)];
  const std::string path = path_in(directory, part_name(rank, manifest.world_size));
  return reading(path, [&] {
    const std::string text = read_text(*storage.open(path), largest_manifest_bytes);
    if (std::ssize(text) != record.bytes)
      base::fail(base::Status::corrupt, "the part has ", text.size(), " bytes; expected ", record.bytes);
    if (checksum_of_tail(text) != record.digest) base::fail(base::Status::corrupt, "the part's checksum differs from the manifest");
    Part part = parse_part(text);
    if (part.rank != rank || part.world_size != manifest.world_size)
      base::fail(base::Status::corrupt, "the part belongs to rank ", part.rank, " of ", part.world_size);
    return part;
  });
}

std::map<std::string, std::string> values_of_rank(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                                                  std::int64_t rank) {
  std::map<std::string, std::string> values = manifest.values;
  if (manifest.by_rank.empty()) return values;
  Part part = read_part(storage, directory, manifest, rank);
  for (auto& [key, text] : part.values) values[key] = std::move(text);
  for (const std::string& key : part.absent) values.erase(key);
  return values;
}

PartTail read_part_tail(storage::Storage& storage, const std::string& directory, std::int64_t rank, std::int64_t world_size) {
  const std::string path = path_in(directory, part_name(rank, world_size));
  return reading(path, [&] {
    const auto file = storage.open(path);
    PartTail tail;
    tail.record.bytes = file->size();
    std::string text(static_cast<std::size_t>(std::min(tail_bytes, tail.record.bytes)), '\0');
    if (file->read(tail.record.bytes - std::ssize(text), std::as_writable_bytes(std::span(text))) != std::ssize(text))
      base::fail(base::Status::corrupt, "the file was truncated during the read");
    const auto digest = checksum_of_tail(text);
    const std::size_t begin = text.rfind(summary_begin);
    if (digest && begin != std::string::npos) {
      tail.record.digest = *digest;
      const std::string summary =
          text.substr(begin + summary_begin.size(), text.size() - checksum_bytes - begin - summary_begin.size());
      const std::string problem = base::json_problem(summary, base::deepest_json);
      if (!problem.empty()) base::fail(base::Status::corrupt, "the part's summary is not usable JSON: ", problem);
      tail.summary = read_summary(Node{JsonView(summary), nullptr, "part"});
      return tail;
    }
    // The summary has many keys and exceeds tail_bytes.
    text = read_text(*file, largest_manifest_bytes);
    const Part part = parse_part(text);
    tail.record.digest = checksum_of_tail(text).value_or(Digest());
    tail.summary = part.summary;
    return tail;
  });
}

}  // namespace ckpt::state
