// A file that is read, by ranges.
#pragma once

#include <string>

#include "client.h"
#include "file.h"

namespace ckpt::s3 {

class Reader final : public File {
 public:
  // Asks for size and ETag.
  Reader(Client& client, std::string key);

  std::int64_t size() override { return bytes_; }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override;
  void read_ranges(std::span<const ckpt_storage_range> ranges) override;

 private:
  struct Piece {
    std::int64_t offset;
    std::span<std::byte> into;
  };
  void fetch(std::vector<Piece> pieces);

  Client& client_;
  const std::string key_;
  std::int64_t bytes_ = 0;
  std::string etag_;
};

}  // namespace ckpt::s3
