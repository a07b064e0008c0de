// A file that is written: by one request when it is small, else in parts, several at a time.
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
  // Gives up what is on its way, unless finish has returned.
  ~PartSender() override;

  // Waits while as many as may be are on their way. Throws what an earlier one failed with.
  void send(int number, Bytes bytes, std::size_t count);
  // Memory of a part that was sent, for the next one; nullptr: none.
  Bytes spare();
  // Waits for all. Their ETags, by number.
  std::map<int, std::string> finish();
  // In a forked child, which has not the thread.
  void forget() noexcept;

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
  bool is_given_up_ = false;
  bool has_ended_ = false;
};

class Upload final : public File {
 public:
  Upload(Client& client, std::string key, std::int64_t expected_bytes);
  // Without sync: aborts, and leaves nothing.
  ~Upload() override;

  std::int64_t size() override { return written_; }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override;
  void sync() override;
  void forget() noexcept override;

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
  int number_ = 0;  // of the last part that was sent
  std::string upload_;
  std::string mark_;
  std::unique_ptr<PartSender> sender_;
  std::optional<Error> error_;
  bool is_done_ = false;
};

// Of a part: at least wanted, and so large that 10,000 hold all that is expected.
std::size_t part_size(std::int64_t wanted, std::int64_t expected_bytes);

}  // namespace ckpt::s3
