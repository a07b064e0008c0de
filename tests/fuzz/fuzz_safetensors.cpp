// Any bytes as a safetensors file: refused with Error(corrupt), or a header that is unchanged after writing and reading it again.
#include <cstdlib>

#include "base/error.h"
#include "state/safetensors.h"
#include "storage/memory.h"

namespace {

using ckpt::state::Header;

bool same(const Header& a, const Header& b) {
  if (a.tensors.size() != b.tensors.size() || a.metadata != b.metadata) return false;
  std::int64_t bytes = 0;
  for (const auto& entry : a.tensors) bytes += entry.bytes;
  return bytes == a.data_bytes && a.data_bytes == b.data_bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = ckpt::storage::make_memory_storage()->create("f");
  file->write(0, std::as_bytes(std::span(data, size)));
  Header header;
  try {
    header = ckpt::state::read_header(*file);
  } catch (const ckpt::base::Error& error) {
    if (error.status() != ckpt::base::Status::corrupt) std::abort();
    return 0;
  }
  auto tensors = header.tensors;
  const std::string head = ckpt::state::make_header(tensors, header.metadata);
  if (!same(header, ckpt::state::parse_header(std::string_view(head).substr(8), header.data_bytes))) std::abort();
  return 0;
}
