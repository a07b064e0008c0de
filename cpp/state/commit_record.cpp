#include "state/commit_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "state/checkpoint_files.h"
#include "state/name.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

constexpr std::string_view format = "ckpt-commit";
constexpr std::int64_t largest_record_bytes = std::int64_t{64} << 10;
constexpr std::int64_t largest_sequence = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t sequence_digits = 19;

[[noreturn]] void fail_without(const char* name) { base::fail(Status::corrupt, "the commit record lacks the member '", name, "'"); }

const std::string& text_in(const base::Json& tree, const char* name) {
  const base::Json* const found = tree.find(name);
  if (found == nullptr || !found->is_string()) fail_without(name);
  return found->string();
}

std::int64_t number_in(const base::Json& tree, const char* name) {
  const base::Json* const found = tree.find(name);
  if (found == nullptr || !found->is_integer()) fail_without(name);
  return found->integer();
}

// Returns whether a record without a checksum correctly names an attempt other than the one examined: that attempt exists and has
// the manifest in the record. (Two writers can write the same manifest, byte for byte.)
bool is_right_for_other(storage::Storage& storage, const std::string& root, const CommitRecord& record) {
  if (step_of_attempt(record.attempt) != record.step) return false;
  try {
    return hash_of(manifest_text(storage, storage::join(root, record.attempt))) == record.manifest_digest;
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
    return false;
  }
}

// Returns whether an error concerns only this record; others (out of memory, ...) end the search.
bool is_of_the_record(Status status) {
  return status == Status::corrupt || status == Status::unsupported || status == Status::io || status == Status::permission;
}

// Describes the member of a record with the manifest's digest that does not match the manifest and its attempt; "": none.
std::string difference_of(const CommitRecord& record, const std::string& attempt, const Manifest& manifest) {
  const auto difference = [](const char* member, const auto& is, const auto& expected) {
    return cat(member, " is ", is, "; the checkpoint with this manifest digest has ", expected);
  };
  if (record.attempt != attempt) return difference("attempt", base::quote(record.attempt), base::quote(attempt));
  if (record.step != manifest.step) return difference("step", record.step, manifest.step);
  if (record.commit_sequence != manifest.commit_sequence)
    return difference("commit_sequence", record.commit_sequence, manifest.commit_sequence);
  return "";
}

}  // namespace

std::string to_text(const CommitRecord& record) {
  base::JsonWriter out;
  out.begin_object()
      .member("format", format)
      .member("format_version", newest_record_version)
      .member("attempt", record.attempt)
      .member("step", record.step)
      .member("commit_sequence", record.commit_sequence)
      .member("manifest_xxh3_128", to_hex(record.manifest_digest))
      .member("writer", record.writer);
  return with_checksum(std::move(out).text());  // with_checksum closes the JSON object
}

CommitRecord parse_commit_record(std::string_view text) {
  if (const std::string problem = base::json_problem(text, base::deepest_json); !problem.empty())
    base::fail(Status::corrupt, "the commit record is not usable JSON: ", problem);
  const base::Json tree = base::json_tree(text);
  if (!tree.is_object() || text_in(tree, "format") != format) base::fail(Status::corrupt, "the file is not a commit record");
  const std::int64_t version = number_in(tree, "format_version");
  // Check before evaluating the version: a flipped bit must not turn a damaged record into one of a newer library or without
  // checksum.
  if (version != unchecked_record_version || checksum_of_tail(text)) checked_view(text, "commit record");
  if (version < unchecked_record_version || version > newest_record_version) {
    base::fail(Status::unsupported, "the commit record's format_version is ", version, "; this library reads 1 and ",
               newest_record_version);
  }
  const auto digest = digest_from_hex(text_in(tree, "manifest_xxh3_128"));
  if (!digest) base::fail(Status::corrupt, "the commit record's manifest_xxh3_128: expected a checksum of 32 hexadecimal digits");
  return {text_in(tree, "attempt"),
          number_in(tree, "step"),
          number_in(tree, "commit_sequence"),
          *digest,
          text_in(tree, "writer"),
          version};
}

std::string commit_path(std::int64_t commit_sequence, std::string_view attempt) {
  std::string digits = cat(largest_sequence - commit_sequence);
  digits.insert(0, sequence_digits - std::min(sequence_digits, digits.size()), '0');
  // Omits the mark of the generation, so that libraries without support for marks also read the sequence and do not reuse it.
  return cat(commits_prefix, digits, attempt.empty() ? "" : "-", attempt.substr(0, attempt.find('.')));
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

CommitRecord read_commit_record(storage::Storage& storage, const std::string& path) {
  const std::string text = read_commit_text(storage, path);
  try {
    return parse_commit_record(text);
  } catch (const base::Error& error) {
    base::fail(error.status(), path, ": ", error.message());
  }
}

void write_object(storage::Storage& storage, const std::string& path, std::string_view text) {
  constexpr int max_attempts = 3;
  for (int attempt = 1;; ++attempt) {
    const auto file = storage.create_stream(path, {std::ssize(text), nullptr});
    file->write(0, std::as_bytes(std::span(text)));
    try {
      return file->sync();
    } catch (const base::Error& error) {
      if (error.status() != Status::io || attempt == max_attempts) throw;
      base::warn("state", cat(error.message(), "; writing ", path, " again"));
    }
  }
}

FoundRecord find_commit_record(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                               const Digest& manifest_digest, bool by_attempt) {
  const std::string root(storage::parent(directory));
  const std::string attempt = root.empty() ? directory : directory.substr(root.size() + 1);
  std::array<std::string, 2> names = {commit_path(manifest.commit_sequence), commit_path(manifest.commit_sequence, attempt)};
  if (by_attempt) std::swap(names[0], names[1]);
  std::optional<FoundRecord> damaged;
  std::optional<base::Error> problem;
  for (const std::string& name : names) {
    const std::string path = storage::join(root, name);
    try {
      const CommitRecord record = read_commit_record(storage, path);
      if (record.manifest_digest == manifest_digest) {
        const std::string difference = difference_of(record, attempt, manifest);
        if (difference.empty()) return {path, ""};
        // The record is of another attempt.
        if (record.attempt != attempt && (record.is_checked() || is_right_for_other(storage, root, record))) continue;
        damaged = FoundRecord{path, cat(path, ": the commit record is damaged: ", difference)};
      } else if (record.attempt == attempt) {
        base::fail(Status::corrupt, path, ": the manifest of ", base::quote(directory), " differs from the committed one");
      }
    } catch (const base::Error& error) {
      if (error.status() == Status::not_found) continue;
      if (!is_of_the_record(error.status())) throw;
      if (!problem) problem = error;
    }
  }
  if (damaged) return *damaged;
  if (problem) throw base::Error(*problem);
  base::fail(Status::not_found, base::quote(directory), " has no commit record: not a checkpoint, or its save is in progress, was ",
             "interrupted, or lost to another writer");
}

}  // namespace ckpt::state
