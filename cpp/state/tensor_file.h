// A group's tensors as one safetensors file with checksums: read back, verified, copied. tensor_writer.h writes it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "state/manifest.h"
#include "state/safetensors.h"
#include "storage/storage.h"

namespace ckpt::state {

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
