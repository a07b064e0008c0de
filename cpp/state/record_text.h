// Serializes and parses the common parts of manifests and rank parts as JSON: values, files, tensors, and the final checksum.
// docs/reference/file-format.md specifies the bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_writer.h"
#include "state/json_view.h"
#include "state/manifest.h"

namespace ckpt::state {

// A value in the text with its position for messages. The parent must outlive it.
struct Node {
  JsonView value;
  const Node* parent = nullptr;
  const char* key = "top";  // nullptr for an item of a list; for the outermost value: name of the document
  std::size_t index = 0;
  mutable std::optional<JsonView::Members> members = {};  // filled at the first lookup

  std::string place() const {
    if (parent == nullptr) return base::cat("the ", key, "'s top");
    return key != nullptr ? base::cat(parent->place(), '.', key) : base::cat(parent->place(), '[', index, ']');
  }
  template <class... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    base::fail(base::Status::corrupt, place(), ' ', base::cat(pieces...));
  }
  // Returns nothing if it is not an object or lacks the member.
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
    if (!found) refuse("lacks the member '", name, "'");
    return {*found, this, name};
  }
  std::string text() const {
    if (!value.is_string()) refuse("is not a string");
    return value.string();
  }
  std::int64_t count() const {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto number = value.count();
    if (!number || *number > largest) refuse("is not an integer in 0 .. 2^63 - 1");
    return static_cast<std::int64_t>(*number);
  }
  Digest digest() const {
    const auto digest = digest_from_hex(text());
    if (!digest) refuse("is not a checksum of 32 hexadecimal digits");
    return *digest;
  }
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> all;
    for_each_item([&](const Node& item) { all.push_back(item.count()); });
    return all;
  }
  template <class Take>
  void for_each_item(Take&& take) const {
    if (!value.is_array()) refuse("is not a list");
    std::size_t number = 0;
    value.for_each_item([&](const JsonView& item) {
      const Node node{item, this, nullptr, number++};
      take(node);
      return node.members ? node.members->bytes : 0;
    });
  }
};

// Appends "[\n<item>,\n<item>]": one line per item, for readers and line-based tools.
template <class Items, class Write>
void append_lines(std::string& out, const Items& items, Write&& write) {
  out += '[';
  for (const auto& item : items) {
    out += out.back() == '[' ? "\n" : ",\n";
    base::JsonWriter line;
    write(line, item);
    out += line.text();
  }
  out += ']';
}

// Returns "{\n<key>:<value>,\n<key>:<value>}" for JSON values by key.
std::string values_text(const std::map<std::string, std::string>& values);
std::map<std::string, std::string> read_texts(const Node& node);

// Appends the groups with their files and tensors.
void append_groups(std::string& out, const std::vector<GroupRecord>& groups);
std::vector<GroupRecord> read_groups(const Node& groups, std::int64_t format_version);
// Reads the record of a tensor that need not be in a file.
void read_name_and_shape(const Node& node, TensorRecord& tensor);
// Error(corrupt) if a name is listed twice.
void require_unique_names(const Node& tensors, const std::vector<TensorRecord>& records);

// Completes a text: its last member, on a separate line, is the digest of all bytes before that line. It has a fixed length, so it
// is found from the end.
std::string with_checksum(std::string text);
constexpr std::size_t checksum_bytes = 14 + 32 + 3;
// Returns the digest in the last bytes of a text; nothing if they are not a checksum.
std::optional<Digest> checksum_of_tail(std::string_view tail);
// Returns the text as one JSON value. Error(corrupt) unless its checksum is right; document: its name in messages.
JsonView checked_view(std::string_view text, const char* document);

}  // namespace ckpt::state
