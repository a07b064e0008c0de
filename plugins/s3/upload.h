// A file opened for writing: sent by one request if it is small, otherwise in concurrent parts.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client.h"
#include "file.h"

namespace ckpt::s3 {

using Bytes = std::unique_ptr<std::byte[]>;

// Sends the parts of one upload on a separate thread while the caller makes the next one. The thread runs no code of the caller
// except thread hooks.
class PartSender final : public Source {
 public:
  PartSender(Client& client, std::string key, std::string upload);
  // Cancels transfers in progress, unless finish has returned.
  ~PartSender() override;

  // Waits while the maximum number of parts is in flight. Throws the error of an earlier part.
  void send(int number, Bytes bytes, std::size_t count);
  // Returns the memory of a sent part for reuse; nullptr: none.
  Bytes spare();
  // Waits for all parts. Returns their ETags by number.
  std::map<int, std::string> finish();
  // In a forked child, which does not have the thread.
  void abandon() noexcept;

  Transfer* next() override;
  bool has_more() override;
  bool take(Transfer& transfer) override;
  bool is_stopped() override;

 private:
  struct Part {
    int number = 0;
    Bytes bytes;
    Transfer transfer;
  };
  void run() noexcept;
  void wait_for_end() noexcept;
  void check() const;

  Client& client_;
  const std::string key_;
  const std::string upload_;
  Lease session_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Part>> waiting_;
  std::map<const Transfer*, std::unique_ptr<Part>> sending_;
  std::map<int, std::string> etags_;
  Bytes spare_;
  std::optional<Error> error_;
  bool is_closed_ = false;
  bool is_cancelled_ = false;
  bool has_ended_ = false;
};

class Upload final : public File {
 public:
  Upload(Client& client, std::string key, std::int64_t expected_bytes);
  // Without sync: aborts the upload and leaves nothing.
  ~Upload() override;

  std::int64_t size() override { return written_; }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override;
  void sync() override;
  void abandon() noexcept override;

 private:
  void send_part();
  void begin_parts();
  void put_whole();
  void complete();
  bool is_ours();
  void abort() noexcept;
  Pairs headers() const;

  Client& client_;
  const std::string key_;
  std::size_t part_bytes_;
  Bytes part_;
  std::size_t filled_ = 0;
  std::size_t capacity_ = 0;
  std::int64_t written_ = 0;
  int number_ = 0;  // number of the last sent part
  std::string upload_;
  std::string mark_;
  std::unique_ptr<PartSender> sender_;
  std::optional<Error> error_;
  bool is_done_ = false;
};

// Returns the size of a part: at least wanted, and large enough for the expected bytes in 10,000 parts.
std::size_t part_size(std::int64_t wanted, std::int64_t expected_bytes);

}  // namespace ckpt::s3
