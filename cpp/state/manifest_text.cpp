#include "state/manifest_text.h"

#include <algorithm>

#include "base/error.h"
#include "state/placement_text.h"
#include "state/rank_names.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

std::map<std::string, std::string> read_values(const Node& top) {
  std::map<std::string, std::string> out = read_texts(top["values"]);
  for (const std::string_view key : {data_position_key, controller_key}) {
    if (const auto found = top.find(key)) out[std::string(key)] = base::plain_json(found->own());
  }
  return out;
}

// Appends the additional members of a manifest of several ranks.
void append_many(std::string& out, const Manifest& manifest) {
  std::string keys;
  for (const std::string& key : manifest.by_rank) keys += cat(keys.empty() ? "" : ",", base::json_string(key));
  out += cat(",\n\"by_rank\":[", keys, "],\n\"files\":", manifest.part_files, ",\n\"bytes\":", manifest.part_file_bytes,
             ",\n\"parts\":[");
  for (std::size_t rank = 0; rank < manifest.parts.size(); ++rank) {
    const PartRecord& part = manifest.parts[rank];
    const std::string name = part_name(static_cast<std::int64_t>(rank), manifest.world_size);
    out += cat(rank > 0 ? ",\n" : "\n", "{\"name\":\"", name, "\",\"bytes\":", part.bytes, ",\"checksum\":\"", to_hex(part.digest),
               "\"}");
  }
  out += ']';
}

void read_many(const Node& top, Manifest& manifest) {
  top["by_rank"].for_each_item([&](const Node& key) { manifest.by_rank.push_back(key.text()); });
  manifest.part_files = top["files"].count();
  manifest.part_file_bytes = top["bytes"].count();
  const Node parts = top["parts"];
  parts.for_each_item([&](const Node& node) {
    const PartRecord part{node["bytes"].count(), node["checksum"].digest()};
    if (node["name"].text() != part_name(std::ssize(manifest.parts), manifest.world_size))
      node.refuse("has the name of another rank");
    if (part.bytes > largest_manifest_bytes) node.refuse("has ", part.bytes, " bytes; expected at most ", largest_manifest_bytes);
    manifest.parts.push_back(part);
  });
  if (std::ssize(manifest.parts) != manifest.world_size)
    parts.refuse("has ", manifest.parts.size(), " parts; expected ", manifest.world_size, ", one per rank");
  manifest.groups = read_placed_groups(top, manifest.world_size);
}

// ---- Lines ----

std::string line_text(const Line& line) {
  std::string out = cat("{\"generation\":", line.generation);
  if (line.generation == 0) return out + '}';
  out += cat(",\"first_commit_sequence\":", line.first_sequence, ",\"parent\":");
  if (line.parent) {
    out += cat("{\"name\":", base::json_string(line.parent->name), ",\"step\":", line.parent->step,
               ",\"commit_sequence\":", line.parent->commit_sequence, '}');
  } else {
    out += "null";
  }
  std::string earlier;
  for (const EarlierGeneration& each : line.earlier) {
    earlier +=
        cat(earlier.empty() ? "" : ",", "{\"generation\":", each.generation, ",\"first_commit_sequence\":", each.first_sequence);
    if (each.last_step) earlier += cat(",\"last_step\":", *each.last_step);
    earlier += '}';
  }
  return cat(out, ",\"earlier\":[", earlier, "]}");
}

Line read_line(const Node& node) {
  Line line{node["generation"].count()};
  if (line.generation == 0) return line;
  line.first_sequence = node["first_commit_sequence"].count();
  if (const Node parent = node["parent"]; parent.value.is_object())
    line.parent = {parent["name"].text(), parent["step"].count(), parent["commit_sequence"].count()};
  node["earlier"].for_each_item([&](const Node& item) {
    EarlierGeneration each{item["generation"].count(), item["first_commit_sequence"].count()};
    const std::int64_t min = line.earlier.empty() ? 0 : line.earlier.back().generation + 1;
    if (each.generation < min || each.generation >= line.generation)
      item.refuse("has generation ", each.generation, "; expected ", min, "..", line.generation - 1);
    if (item.find("last_step")) each.last_step = item["last_step"].count();
    line.earlier.push_back(each);
  });
  return line;
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  std::string out = cat("{\"format\":\"ckpt-state\",\n\"format_version\":", manifest.format_version,
                        ",\n\"library_version\":", base::json_string(manifest.library_version), ",\n\"step\":", manifest.step,
                        ",\n\"commit_sequence\":", manifest.commit_sequence, ",\n\"world_size\":", manifest.world_size,
                        ",\n\"seed\":", manifest.seed);
  if (manifest.saved_utc_ns > 0) out += cat(",\n\"saved_utc_ns\":", manifest.saved_utc_ns);
  if (manifest.metric) out += cat(",\n\"metric\":", *manifest.metric);
  if (manifest.line != nullptr) out += cat(",\n\"line\":", line_text(*manifest.line));
  std::map<std::string, std::string> values = manifest.values;
  for (const std::string_view key : {data_position_key, controller_key}) {
    if (const auto found = values.extract(std::string(key))) out += cat(",\n\"", key, "\":", found.mapped());
  }
  out += cat(",\n\"values\":", values_text(values), ",\n\"metadata\":", manifest.metadata,
             ",\n\"environment\":", manifest.environment);
  if (manifest.is_of_many()) {
    append_many(out, manifest);
    append_placed_groups(out, manifest.groups);
  } else {
    out += ",\n\"groups\":";
    append_groups(out, manifest.groups);
  }
  return with_checksum(std::move(out));
}

Manifest parse_manifest(std::string_view text) {
  const Node top{checked_view(text, "manifest"), nullptr, "manifest"};
  if (!top.value.is_object() || top["format"].text() != "ckpt-state") top.refuse("is not a state checkpoint");
  Manifest manifest;
  manifest.format_version = top["format_version"].count();
  if (manifest.format_version != format_of_one && manifest.format_version != format_of_many) {
    base::fail(Status::unsupported, "the manifest's format_version is ", manifest.format_version, "; this library reads ",
               format_of_one, " and ", format_of_many);
  }
  manifest.library_version = top["library_version"].text();
  manifest.step = top["step"].count();
  manifest.commit_sequence = top["commit_sequence"].count();
  manifest.world_size = top["world_size"].count();
  const auto seed = top["seed"].value.count();
  if (!seed) top["seed"].refuse("is not an unsigned 64-bit number");
  manifest.seed = *seed;
  if (top.find("saved_utc_ns")) manifest.saved_utc_ns = top["saved_utc_ns"].count();
  if (const auto metric = top.find("metric")) {
    if (!metric->is_number()) top["metric"].refuse("is not a number");
    manifest.metric = metric->tree().number();
  }
  if (top.find("line")) manifest.line = std::make_shared<const Line>(read_line(top["line"]));
  manifest.metadata = base::plain_json(top["metadata"].value.own());
  manifest.environment = base::plain_json(top["environment"].value.own());
  manifest.values = read_values(top);
  if (manifest.is_of_many()) {
    read_many(top, manifest);
  } else {
    manifest.groups = read_groups(top["groups"], format_of_one);
    if (manifest.world_size != 1)
      base::fail(Status::unsupported, "the manifest's world_size is ", manifest.world_size, "; format 1 requires 1");
  }
  total_bytes(manifest);
  return manifest;
}

}  // namespace ckpt::state
