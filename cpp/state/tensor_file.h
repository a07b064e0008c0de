// A group's tensors as one safetensors file with checksums: written, read back, verified.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "state/manifest.h"
#include "state/safetensors.h"
#include "state/state.h"
#include "storage/storage.h"

namespace ckpt::state {

struct WrittenFile {
  FileRecord file;
  std::vector<TensorRecord> tensors;  // in the order of their data
};

// Writes tensors to an empty file and records what was written under the name given. What is hashed is what is written, even when
// another thread changes the tensors meanwhile.
WrittenFile write_tensor_file(storage::File& file, const std::string& name, std::span<const StateTensor> tensors,
                              const Metadata& metadata = {});

// True when the group was recorded with exactly these tensors and their bytes have the digests they have now.
bool holds_same_tensors(const GroupRecord& recorded, std::span<const StateTensor> tensors);

// Copies a file to an empty one; Error(corrupt) unless the bytes that were copied have the record's digest.
void copy_file(storage::File& from, storage::File& to, const FileRecord& record);

// Reads a file's header and makes sure that it holds exactly these tensors, in any order, and has the size recorded.
// Error(corrupt).
Header read_recorded_header(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors);

// Reads one tensor's bytes into destination, which has their size; checks them against the record unless that is nullptr.
void read_tensor(storage::File& file, const Header& header, const TensorEntry& entry, const TensorRecord* record,
                 std::span<std::byte> destination);

// Reads the whole file and checks everything. Error(corrupt) names the first bad tensor.
void verify_tensor_file(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors);

}  // namespace ckpt::state
