#include <algorithm>

#include "base/error.h"
#include "state/safetensors.h"
#include "storage/file_system.h"

namespace ckpt::state {

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path), file_(storage::open_file(path)) {
  try {
    header_ = read_header(*file_);
  } catch (const base::Error& error) {
    if (error.status() == base::Status::corrupt) base::fail(base::Status::corrupt, path, ": ", error.message());
    throw;
  }
}

const TensorEntry& SafetensorsFile::at(std::int64_t index) const {
  const auto count = static_cast<std::int64_t>(header_.tensors.size());
  if (index < 0 || index >= count) base::fail(base::Status::out_of_range, "index is ", index, "; the file has ", count, " tensors");
  return header_.tensors[static_cast<std::size_t>(index)];
}

void SafetensorsFile::read(std::int64_t index, tensor::Tensor& target) {
  const TensorEntry& entry = at(index);
  target.require_writable("tensor");
  base::require(target.dtype() == entry.dtype && std::ranges::equal(target.shape().dimensions(), entry.shape),
                "tensor has another dtype or shape than ", base::quoted(entry.name), " in the file");
  if (file_->read(header_.data_start + entry.offset, target.byte_span()) != entry.bytes) {
    base::fail(base::Status::corrupt, path_, ": the file shrank while it was read");
  }
}

}  // namespace ckpt::state
