// What a background save is written from: the staged bytes, with their checksums made on another thread than the writer's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/os/thread.h"
#include "base/queue.h"
#include "state/async_staging.h"
#include "state/hash.h"
#include "state/save.h"
#include "storage/rate_limit.h"

namespace ckpt::state {

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
  // Until all that was added is done.
  void wait();
  struct Digests {
    Digest file;
    std::vector<Digest> chunks;
  };
  // Waits, gives the digests, and begins anew.
  Digests finish();

 private:
  struct Job {
    const std::byte* bytes = nullptr;
    std::size_t count = 0;
    bool of_chunk = false;
    bool ends_chunk = false;
  };
  void serve();

  base::BlockingQueue<base::SpscQueue<Job>, Job> jobs_{256};
  std::uint64_t added_ = 0;
  std::atomic<std::uint64_t> done_{0};
  base::WaitPoint progressed_;
  Hasher file_;
  Hasher chunk_;
  std::vector<Digest> chunks_;
  std::uint64_t generation_ = base::fork_generation();
  std::unique_ptr<base::Thread> thread_;
};

class StagedSource final : public SaveSource {
 public:
  struct Events {
    std::function<void(std::int64_t bytes)> written;  // more bytes than before
    std::function<void()> commit_point;               // may throw Error(cancelled)
    std::function<void()> acknowledged;
  };

  // limit may be nullptr.
  StagedSource(Staging& staging, HashLane& lane, std::shared_ptr<storage::RateLimit> limit,
               std::shared_ptr<const std::atomic<bool>> stop_flag, Events events);

  WrittenFile write(storage::File& file, const std::string& file_name, const StateGroup& group) override;
  bool holds_same(const GroupRecord& recorded, const StateGroup& group) override;
  void commit_point() override { events_.commit_point(); }
  void acknowledged() override { events_.acknowledged(); }

 private:
  class Output;
  void write_borrowed(Output& out, const Staging::GroupPlan& plan);
  void write_copied(Output& out, const Staging::GroupPlan& plan);

  Staging& staging_;
  HashLane& lane_;
  std::shared_ptr<storage::RateLimit> limit_;
  Events events_;
};

}  // namespace ckpt::state
