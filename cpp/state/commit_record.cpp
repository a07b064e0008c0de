#include "state/commit_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/log.h"
#include "state/catalog.h"
#include "state/manifest.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;
using nlohmann::ordered_json;

constexpr std::string_view format = "ckpt-commit";
constexpr std::int64_t record_version = 1;
constexpr std::int64_t largest_record_bytes = std::int64_t{64} << 10;
constexpr std::int64_t largest_sequence = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t sequence_digits = 19;

template <class Value>
Value member(const ordered_json& tree, const char* name) {
  const auto found = tree.find(name);
  const bool is_there =
      found != tree.end() && (std::is_same_v<Value, std::string> ? found->is_string() : found->is_number_integer());
  if (!is_there) base::fail(Status::corrupt, "the commit record has no '", name, "'");
  return found->template get<Value>();
}

}  // namespace

std::string to_text(const CommitRecord& record) {
  const ordered_json tree = {
      {"format", format},       {"format_version", record_version},          {"attempt", record.attempt},
      {"step", record.step},    {"commit_sequence", record.commit_sequence}, {"manifest_xxh3_128", to_hex(record.manifest_digest)},
      {"writer", record.writer}};
  return tree.dump() + '\n';
}

CommitRecord parse_commit_record(std::string_view text) {
  if (const std::string problem = base::json_problem(text, base::deepest_json); !problem.empty())
    base::fail(Status::corrupt, "the commit record is not usable JSON: ", problem);
  const auto tree = base::json_tree<ordered_json>(text);
  if (!tree.is_object() || member<std::string>(tree, "format") != format) base::fail(Status::corrupt, "it is no commit record");
  if (const auto version = member<std::int64_t>(tree, "format_version"); version != record_version)
    base::fail(Status::unsupported, "the commit record's format is ", version, "; this library knows ", record_version);
  const auto digest = digest_from_hex(member<std::string>(tree, "manifest_xxh3_128"));
  if (!digest) base::fail(Status::corrupt, "the commit record's manifest_xxh3_128 is no checksum");
  return {member<std::string>(tree, "attempt"), member<std::int64_t>(tree, "step"), member<std::int64_t>(tree, "commit_sequence"),
          *digest, member<std::string>(tree, "writer")};
}

std::string commit_path(std::int64_t commit_sequence, std::string_view attempt) {
  std::string digits = cat(largest_sequence - commit_sequence);
  digits.insert(0, sequence_digits - std::min(sequence_digits, digits.size()), '0');
  return cat(commits_prefix, digits, attempt.empty() ? "" : "-", attempt);
}

std::optional<std::int64_t> sequence_of_commit(std::string_view path) {
  if (!path.starts_with(commits_prefix)) return std::nullopt;
  path.remove_prefix(commits_prefix.size());
  if (path.size() < sequence_digits) return std::nullopt;
  std::int64_t inverse = 0;
  const char* const end = path.data() + sequence_digits;
  const auto [behind, error] = std::from_chars(path.data(), end, inverse);
  if (error != std::errc() || behind != end || inverse < 0) return std::nullopt;
  path.remove_prefix(sequence_digits);
  if (!path.empty() && (path.front() != '-' || !step_of_attempt(path.substr(1)))) return std::nullopt;
  return largest_sequence - inverse;
}

std::string read_commit_text(storage::Storage& storage, const std::string& path) {
  return read_text(*storage.open(path), largest_record_bytes);
}

void write_object(storage::Storage& storage, const std::string& path, std::string_view text) {
  constexpr int most_attempts = 3;
  for (int attempt = 1;; ++attempt) {
    const auto file = storage.create_stream(path, {std::ssize(text), nullptr});
    file->write(0, std::as_bytes(std::span(text)));
    try {
      return file->sync();
    } catch (const base::Error& error) {
      if (error.status() != Status::io || attempt == most_attempts) throw;
      base::warn("state", cat(error.message(), "; ", path, " is written anew"));
    }
  }
}

std::string find_commit_record(storage::Storage& storage, const std::string& directory, std::int64_t commit_sequence,
                               const Digest& manifest_digest, bool by_attempt) {
  const std::string root(storage::parent(directory));
  const std::string attempt = root.empty() ? directory : directory.substr(root.size() + 1);
  std::array<std::string, 2> names = {commit_path(commit_sequence), commit_path(commit_sequence, attempt)};
  if (by_attempt) std::swap(names[0], names[1]);
  for (const std::string& name : names) {
    std::string path = storage::join(root, name);
    try {
      const CommitRecord record = parse_commit_record(read_commit_text(storage, path));
      if (record.attempt != attempt) continue;
      if (record.manifest_digest == manifest_digest) return path;
      base::fail(Status::corrupt, path, ": the manifest of ", base::quote(directory), " is not the one that was committed");
    } catch (const base::Error& error) {
      if (error.status() != Status::not_found) throw;
    }
  }
  base::fail(Status::not_found, base::quote(directory), " has no commit record: it is no checkpoint, or a save is under way, was ",
             "cut off, or was refused");
}

}  // namespace ckpt::state
