// What a background save is written from: the staged bytes, with their checksums made on another thread than the writer's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "async/staging.h"
#include "base/os/thread.h"
#include "base/queue.h"
#include "state/hash.h"
#include "state/save.h"
#include "storage/rate_limit.h"

namespace ckpt::async {

// A thread that makes the checksums of one file after another. Used by one other thread.
class HashLane {
 public:
  explicit HashLane(std::int32_t nice);
  ~HashLane();
  HashLane(const HashLane&) = delete;
  HashLane& operator=(const HashLane&) = delete;

  // The next bytes of the file, which stay as they are until wait() or finish(). of_chunk: they belong to a tensor's chunk, too;
  // ends_chunk: they are its last.
  void add(std::span<const std::byte> bytes, bool of_chunk, bool ends_chunk);
  // Bytes of a tensor's chunk as its memory holds them now, to be compared with what was written.
  void add_again(std::span<const std::byte> bytes, bool ends_chunk);
  std::uint64_t added() const noexcept { return added_; }
  // Until so many of all that were ever added are done.
  void wait_for(std::uint64_t count);
  // Until all that was added is done.
  void wait() { wait_for(added_); }
  struct Digests {
    state::Digest file;
    std::vector<state::Digest> chunks;
    std::vector<state::Digest> again;
  };
  // Waits, gives the digests, and begins anew.
  Digests finish();

 private:
  struct Job {
    const std::byte* bytes = nullptr;
    std::size_t count = 0;
    bool of_chunk = false;
    bool ends_chunk = false;
    bool again = false;
  };
  void serve();

  base::BlockingQueue<base::SpscQueue<Job>, Job> jobs_{256};
  std::uint64_t added_ = 0;
  std::atomic<std::uint64_t> done_{0};
  base::WaitPoint progressed_;
  state::Hasher file_;
  state::Hasher chunk_;
  state::Hasher again_;
  std::vector<state::Digest> chunks_;
  std::vector<state::Digest> chunks_again_;
  std::uint64_t generation_ = base::fork_generation();
  std::unique_ptr<base::Thread> thread_;
};

class StagedSource final : public state::SaveSource {
 public:
  struct Events {
    std::function<void(std::int64_t bytes)> written;  // more bytes than before
    std::function<void()> commit_point;               // may throw Error(cancelled)
    std::function<void()> acknowledged;
  };

  // limit may be nullptr.
  StagedSource(Staging& staging, HashLane& lane, std::shared_ptr<storage::RateLimit> limit,
               std::shared_ptr<const std::atomic<bool>> stop_flag, Events events);

  state::WrittenFile write(storage::File& file, const std::string& file_name, const state::StateGroup& group) override;
  bool holds_same(const state::GroupRecord& recorded, const state::StateGroup& group) override;
  void commit_point() override { events_.commit_point(); }
  void acknowledged() override { events_.acknowledged(); }

 private:
  class Output;
  void write_borrowed(Output& out, const Staging::GroupPlan& plan);
  void require_unchanged(const std::string& group, const Staging::GroupPlan& plan, const HashLane::Digests& digests) const;
  void write_copied(Output& out, const Staging::GroupPlan& plan);

  // Through which borrowed bytes go: one is filled while the other is written and hashed.
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t free_after = 0;  // jobs of the lane
  };

  Staging& staging_;
  HashLane& lane_;
  std::array<Block, 2> blocks_;
  std::shared_ptr<storage::RateLimit> limit_;
  Events events_;
};

}  // namespace ckpt::async
