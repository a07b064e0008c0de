// A file that is read, by ranges.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client.h"
#include "file.h"

namespace ckpt::s3 {

class Reader final : public File {
 public:
  // Gets the first bytes, and with them size and ETag.
  Reader(Client& client, std::string key);

  std::int64_t size() override { return bytes_; }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override;
  void read_ranges(std::span<const ckpt_storage_range> ranges) override;

 private:
  struct Piece {
    std::int64_t offset;
    std::span<std::byte> into;
  };
  // Fills it as far as the first bytes go; the rest.
  Piece without_begin(const Piece& piece) const;
  void fetch(std::span<const Piece> pieces);

  Client& client_;
  const std::string key_;
  std::int64_t bytes_ = 0;
  std::string etag_;
  std::vector<std::byte> begin_;  // what came with the answer to opening
};

}  // namespace ckpt::s3
