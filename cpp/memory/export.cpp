#include "memory/export.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ckpt::memory {
namespace {

// RFC 8259, section 7. Names are well-formed UTF-8 already.
void append_json_text(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

// Writes one object, member by member.
class Object {
 public:
  explicit Object(std::string& out) : out_(out) { out_ += '{'; }
  template <class Number>
  void number(std::string_view name, Number value) {
    key(name);
    base::append_piece(out_, value);
  }
  void text(std::string_view name, std::string_view value) {
    key(name);
    append_json_text(out_, value);
  }
  void key(std::string_view name) {
    if (std::exchange(begun_, true)) out_ += ',';
    append_json_text(out_, name);
    out_ += ':';
  }
  void close() { out_ += '}'; }

 private:
  std::string& out_;
  bool begun_ = false;
};

template <class Items, class Write>
void append_array(std::string& out, const Items& items, Write write) {
  out += '[';
  bool begun = false;
  for (const auto& item : items) {
    if (std::exchange(begun, true)) out += ',';
    Object object(out);
    write(object, item);
    object.close();
  }
  out += ']';
}

// Writes the fields that totals and layers have in common.
template <class Counts>
void counts(Object& object, const Counts& stats) {
  object.number("current_bytes", stats.current_bytes);
  object.number("peak_bytes", stats.peak_bytes);
  object.number("total_allocated_bytes", stats.total_allocated_bytes);
  object.number("total_freed_bytes", stats.total_freed_bytes);
  object.number("live_allocations", stats.live_allocations);
  object.number("allocations", stats.allocations);
  object.number("frees", stats.frees);
  object.number("average_bytes", stats.average_bytes());
}

void layer_members(Object& object, const LayerStats& layer) {
  object.text("name", layer.name);
  object.number("layer", layer.layer_id);
  counts(object, layer);
  object.number("largest_bytes", layer.largest_bytes);
  object.number("last_allocated_at_ns", layer.last_allocated_at_ns);
  object.number("last_freed_at_ns", layer.last_freed_at_ns);
}

void scope_members(Object& object, const ScopeStats& scope) {
  object.text("name", scope.name);
  object.number("scope", scope.scope);
  object.number("depth", scope.depth);
  object.number("start_bytes", scope.start_bytes);
  object.number("peak_bytes", scope.peak_bytes);
  object.number("net_bytes", scope.net_bytes);
  object.number("total_allocated_bytes", scope.total_allocated_bytes);
  object.number("pushed_at_ns", scope.pushed_at_ns);
}

}  // namespace

std::string to_json(const Snapshot& snapshot) {
  std::string out;
  const Stats& stats = snapshot.stats;
  Object object(out);
  object.number("time_ns", stats.taken_at_ns);
  object.number("sequence", stats.sequence);
  counts(object, stats);
  object.number("layer_count", stats.layer_count);
  object.number("not_found", stats.not_found);
  object.number("refused", stats.refused);
  object.number("handler_failures", stats.handler_failures);
  object.key("limit");
  if (snapshot.limit.bytes == 0) {
    out += "null";
  } else {
    Object limit(out);
    limit.number("bytes", snapshot.limit.bytes);
    limit.number("hysteresis_bytes", snapshot.limit.hysteresis_bytes);
    limit.close();
  }
  object.key("scopes");
  append_array(out, snapshot.scopes, scope_members);
  object.key("layers");
  append_array(out, snapshot.layers, layer_members);
  object.key("other_layers");
  {
    const LayerStats& rest = snapshot.rest;
    Object other(out);
    other.number("layer_count", stats.layer_count - static_cast<std::int64_t>(snapshot.layers.size()));
    other.number("current_bytes", rest.current_bytes);
    other.number("total_allocated_bytes", rest.total_allocated_bytes);
    other.number("total_freed_bytes", rest.total_freed_bytes);
    other.number("live_allocations", rest.live_allocations);
    other.number("allocations", rest.allocations);
    other.number("frees", rest.frees);
    other.close();
  }
  object.close();
  return out;
}

// ---- Prometheus ----

namespace {

constexpr std::string_view rest_label = "other";

void append_label_text(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void family(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += base::cat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

void total(std::string& out, std::string_view name, std::string_view type, std::string_view help, std::int64_t value) {
  family(out, name, type, help);
  out += base::cat(name, " ", value, "\n");
}

void sample(std::string& out, std::string_view name, std::string_view layer, std::int64_t value) {
  out += base::cat(name, "{layer=\"");
  append_label_text(out, layer);
  out += base::cat("\"} ", value, "\n");
}

// Writes a family with one sample per layer and the sum of the rest. Without sums the rest is omitted: peaks do not add up.
void per_layer(std::string& out, const Snapshot& snapshot, std::string_view name, std::string_view type, std::string_view help,
               std::int64_t LayerStats::*member, bool sums) {
  family(out, name, type, help);
  std::int64_t rest = snapshot.rest.*member;
  bool has_rest = snapshot.stats.layer_count > static_cast<std::int64_t>(snapshot.layers.size());
  for (const LayerStats& layer : snapshot.layers) {
    if (layer.name == rest_label) {
      rest += layer.*member;
      has_rest = true;
    } else {
      sample(out, name, layer.name, layer.*member);
    }
  }
  if (sums && has_rest) sample(out, name, rest_label, rest);
}

}  // namespace

std::string to_prometheus(const Snapshot& snapshot) {
  std::string out;
  const Stats& stats = snapshot.stats;
  total(out, "ckpt_memory_current_bytes", "gauge", "Bytes held by live checkpoints.", stats.current_bytes);
  total(out, "ckpt_memory_peak_bytes", "gauge", "Highest value of current bytes since the last reset.", stats.peak_bytes);
  total(out, "ckpt_memory_allocated_bytes_total", "counter", "Bytes of all allocations.", stats.total_allocated_bytes);
  total(out, "ckpt_memory_freed_bytes_total", "counter", "Bytes of all freed allocations.", stats.total_freed_bytes);
  total(out, "ckpt_memory_live_allocations", "gauge", "Live allocations.", stats.live_allocations);
  total(out, "ckpt_memory_allocations_total", "counter", "Allocations made.", stats.allocations);
  total(out, "ckpt_memory_frees_total", "counter", "Allocations freed.", stats.frees);
  total(out, "ckpt_memory_not_found_total", "counter", "Calls refused for an unknown layer or allocation.", stats.not_found);
  total(out, "ckpt_memory_refused_total", "counter", "Reservations refused by the limit.", stats.refused);
  if (snapshot.limit.bytes > 0) total(out, "ckpt_memory_limit_bytes", "gauge", "The limit that is set.", snapshot.limit.bytes);
  per_layer(out, snapshot, "ckpt_memory_layer_current_bytes", "gauge", "Bytes held by live checkpoints of a layer.",
            &LayerStats::current_bytes, true);
  per_layer(out, snapshot, "ckpt_memory_layer_peak_bytes", "gauge",
            "Highest value of a layer's current bytes; layers only, no sum.", &LayerStats::peak_bytes, false);
  per_layer(out, snapshot, "ckpt_memory_layer_allocated_bytes_total", "counter", "Bytes of all allocations of a layer.",
            &LayerStats::total_allocated_bytes, true);
  per_layer(out, snapshot, "ckpt_memory_layer_freed_bytes_total", "counter", "Bytes of all freed allocations of a layer.",
            &LayerStats::total_freed_bytes, true);
  per_layer(out, snapshot, "ckpt_memory_layer_live_allocations", "gauge", "Live allocations of a layer.",
            &LayerStats::live_allocations, true);
  return out;
}

}  // namespace ckpt::memory
