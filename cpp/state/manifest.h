// The manifest: the file that commits a checkpoint. docs/reference/file-format.md specifies its contents.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/hash.h"
#include "state/line.h"
#include "state/placement.h"
#include "tensor/dtype.h"

namespace ckpt::state {

constexpr std::int64_t format_of_one = 1;   // written by a single process
constexpr std::int64_t format_of_many = 2;  // by several ranks: see ranks/part.h
// Tensors have one digest per chunk. Sharded checkpoints use smaller chunks, since reads rarely match the cuts of the writes.
constexpr std::int64_t chunk_bytes = std::int64_t{64} << 20;
constexpr std::int64_t shard_chunk_bytes = std::int64_t{4} << 20;
constexpr std::int64_t largest_manifest_bytes = std::int64_t{256} << 20;

struct FileRecord {
  std::string name;
  std::int64_t bytes = 0;
  Digest digest;
};

struct TensorRecord {
  std::string name;
  std::string file = {};
  tensor::Dtype dtype{};
  std::vector<std::int64_t> shape = {};
  std::vector<Digest> chunks = {};
  std::int64_t bytes_of_chunk = chunk_bytes;
  // For a block in the part of a rank: the tensor that contains it, and its start in that tensor. Empty: the record is the tensor
  // with this name, from its start.
  std::string of = {};
  Lengths offsets = {};
  // For a tensor of a sharded checkpoint, which has neither file nor chunks here: which part has which block.
  std::shared_ptr<const Placement> placement = {};
};

// Returns the name of the tensor that a block belongs to.
inline const std::string& tensor_of(const TensorRecord& block) { return block.offsets.empty() ? block.name : block.of; }
// Returns its position in that tensor.
Box box_of(const TensorRecord& block);

struct GroupRecord {
  std::string name;
  std::vector<FileRecord> files;
  std::vector<TensorRecord> tensors;
};

// The part of one rank, as recorded in the manifest: digest is the checksum at the end of the part's text.
struct PartRecord {
  std::int64_t bytes = 0;
  Digest digest;
};

struct Manifest {
  std::int64_t format_version = format_of_one;
  std::string library_version;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t world_size = 1;
  std::uint64_t seed = 0;
  std::int64_t saved_utc_ns = 0;          // since 1970; 0: not known
  std::optional<double> metric;           // finite
  std::shared_ptr<const Line> line = {};  // nullptr: none is recorded
  std::string metadata = "null";          // JSON
  std::string environment = "null";
  std::map<std::string, std::string> values;  // JSON, by key
  std::vector<GroupRecord> groups;
  // Only for several ranks:
  std::vector<PartRecord> parts;     // by rank
  std::vector<std::string> by_rank;  // keys with values that differ between ranks
  std::int64_t part_files = 0;       // number and bytes of the files that the parts list
  std::int64_t part_file_bytes = 0;

  bool is_of_many() const noexcept { return format_version == format_of_many; }
};

// Values with these keys are separate members of the manifest.
inline constexpr std::string_view data_position_key = "data_position";
inline constexpr std::string_view controller_key = "controller";

std::int64_t chunk_count(std::int64_t bytes, std::int64_t bytes_of_chunk = chunk_bytes);
// Number and bytes of the files with tensors.
std::int64_t file_count(const Manifest& manifest);
std::int64_t total_bytes(const Manifest& manifest);

}  // namespace ckpt::state
