// A file opened for reading, by ranges.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client.h"
#include "file.h"

namespace ckpt::s3 {

class Reader final : public File {
 public:
  // Reads the first bytes, size and ETag.
  Reader(Client& client, std::string key);

  std::int64_t size() override { return bytes_; }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override;
  void read_ranges(std::span<const ckpt_storage_range> ranges) override;

 private:
  struct Piece {
    std::int64_t offset;
    std::span<std::byte> into;
  };
  // Copies the part that is in the first bytes; returns the rest.
  Piece without_begin(const Piece& piece) const;
  void fetch(std::span<const Piece> pieces);

  Client& client_;
  const std::string key_;
  std::int64_t bytes_ = 0;
  std::string etag_;
  std::vector<std::byte> begin_;  // bytes received with the open request
};

}  // namespace ckpt::s3
