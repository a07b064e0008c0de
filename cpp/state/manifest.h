// The manifest: the one file whose presence commits a checkpoint. docs/format.md describes its bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/hash.h"
#include "tensor/dtype.h"

namespace ckpt::state {

constexpr std::int64_t format_version = 1;
constexpr std::int64_t chunk_bytes = std::int64_t{64} << 20;  // a tensor's bytes have one digest per chunk
constexpr std::int64_t largest_manifest_bytes = std::int64_t{256} << 20;

struct FileRecord {
  std::string name;
  std::int64_t bytes = 0;
  Digest digest;
};

struct TensorRecord {
  std::string name;
  std::string file;
  tensor::Dtype dtype{};
  std::vector<std::int64_t> shape;
  std::vector<Digest> chunks;
};

struct GroupRecord {
  std::string name;
  std::vector<FileRecord> files;
  std::vector<TensorRecord> tensors;
};

struct Manifest {
  std::string library_version;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t world_size = 1;
  std::uint64_t seed = 0;
  std::int64_t saved_utc_ns = 0;  // since 1970; 0: not known
  std::optional<double> metric;   // finite
  std::string metadata = "null";  // JSON texts
  std::string environment = "null";
  std::map<std::string, std::string> values;  // by key; JSON texts
  std::vector<GroupRecord> groups;
};

// Values with these keys have places of their own in the manifest.
inline constexpr std::string_view data_position_key = "data_position";
inline constexpr std::string_view controller_key = "controller";

std::int64_t chunk_count(std::int64_t bytes);
std::int64_t total_bytes(const Manifest& manifest);

std::string to_text(const Manifest& manifest);

// Error(corrupt) unless the text's own checksum holds and everything in it is there, in bounds and consistent; Error(unsupported)
// for what a newer library wrote.
Manifest parse_manifest(std::string_view text);

}  // namespace ckpt::state
