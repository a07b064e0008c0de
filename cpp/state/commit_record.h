// Commit records of object stores: a manifest counts only with a record. docs/reference/file-format.md specifies their names, their
// contents, and the rules for concurrent writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "state/hash.h"
#include "state/manifest.h"
#include "storage/storage.h"

namespace ckpt::state {

inline constexpr std::string_view commits_prefix = "commits/";
inline constexpr std::string_view probes_prefix = "probes/";

inline constexpr std::int64_t unchecked_record_version = 1;  // up to version 0.2 of the library: without a checksum
inline constexpr std::int64_t newest_record_version = 2;

struct CommitRecord {
  std::string attempt;  // its directory; "": the checkpoint was removed, and the record only reserves its sequence
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  Digest manifest_digest;
  std::string writer;                                   // random identifier of the Committer
  std::int64_t format_version = newest_record_version;  // as read

  // With a checksum, the whole record is verified. Otherwise any member may be damaged.
  bool is_checked() const noexcept { return format_version != unchecked_record_version; }
};

// Writes the newest version.
std::string to_text(const CommitRecord& record);
// Error(corrupt), also if the checksum of version 2 or later is missing or wrong; Error(unsupported) for records of newer
// libraries.
CommitRecord parse_commit_record(std::string_view text);

// Higher sequences sort first. attempt "": the name for which all writers of this sequence compete.
std::string commit_path(std::int64_t commit_sequence, std::string_view attempt = "");
// Returns the sequence if path has either form, otherwise nothing.
std::optional<std::int64_t> sequence_of_commit(std::string_view path);

std::string read_commit_text(storage::Storage& storage, const std::string& path);
// Reads and parses it. Errors name the path.
CommitRecord read_commit_record(storage::Storage& storage, const std::string& path);
// Writes an object atomically, and replaces an existing one.
void write_object(storage::Storage& storage, const std::string& path, std::string_view text);

struct FoundRecord {
  std::string path;
  // Not "": the record is damaged, and only its digest identifies the manifest. Names the path and the difference.
  std::string damage;
};

// Finds the record of a manifest; directory: the checkpoint's, not ".". Error(not_found) if there is none, Error(corrupt) if the
// record is damaged or contains another digest. by_attempt: which of the two names to read first.
FoundRecord find_commit_record(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                               const Digest& manifest_digest, bool by_attempt = false);

}  // namespace ckpt::state
