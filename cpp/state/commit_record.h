// Commit records: on an object store, what makes a manifest count. docs/reference/file-format.md has their names, their bytes, and who wins.
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
  std::string attempt;  // its directory; "": of a checkpoint that was removed, only the sequence stays taken
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  Digest manifest_digest;
  std::string writer;                                   // random: of one object that saves
  std::int64_t format_version = newest_record_version;  // as it was read

  // A checksum vouches for all of it. Otherwise a changed bit may be in any member.
  bool is_checked() const noexcept { return format_version != unchecked_record_version; }
};

// Always of the newest version.
std::string to_text(const CommitRecord& record);
// Error(corrupt), also where the checksum of version 2 or later is missing or wrong; Error(unsupported) for what a newer library
// wrote.
CommitRecord parse_commit_record(std::string_view text);

// Higher sequences come first in the order of names. attempt "": the name that all writers of this sequence want.
std::string commit_path(std::int64_t commit_sequence, std::string_view attempt = "");
// The sequence when path is of either form, else nothing.
std::optional<std::int64_t> sequence_of_commit(std::string_view path);

std::string read_commit_text(storage::Storage& storage, const std::string& path);
// Reads and parses it. Errors name the path.
CommitRecord read_commit_record(storage::Storage& storage, const std::string& path);
// Whole at once, in the place of what is there.
void write_object(storage::Storage& storage, const std::string& path, std::string_view text);

struct FoundRecord {
  std::string path;
  // Not "": the record is damaged, and only the digest in it shows that it is the manifest's. Names the path and the difference.
  std::string damage;
};

// Finds the record of a manifest; directory: the checkpoint's, not ".". Error(not_found) when it has none, Error(corrupt) when the
// record is damaged or names another digest. by_attempt: which of the two names is read first.
FoundRecord find_commit_record(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                               const Digest& manifest_digest, bool by_attempt = false);

}  // namespace ckpt::state
