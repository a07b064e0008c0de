// An open file of a storage, for writing or for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ckpt/storage.h>

#include "error.h"

namespace ckpt::s3 {

class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  virtual ~File() = default;

  virtual std::int64_t size() = 0;
  virtual std::int64_t read(std::int64_t, std::span<std::byte>) { fail(CKPT_E_UNSUPPORTED, "the file was opened for writing"); }
  virtual void read_ranges(std::span<const ckpt_storage_range>) { fail(CKPT_E_UNSUPPORTED, "the file was opened for writing"); }
  virtual void write(std::int64_t, std::span<const std::byte>) { fail(CKPT_E_UNSUPPORTED, "the file was opened for reading"); }
  virtual void sync() { fail(CKPT_E_UNSUPPORTED, "the file was opened for reading"); }
  // In a forked child, before destruction: connections and threads belong to the parent.
  virtual void abandon() noexcept {}
};

}  // namespace ckpt::s3
