// Reads of many blocks, as many files at once as may be open: those that the system caches by several threads, others one after
// the other, in the order of their bytes and announced ahead.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "base/progress.h"
#include "base/thread_pool.h"
#include "state/ranks/block_files.h"

namespace ckpt::state {

class BlockReads {
 public:
  // [begin, end) of a block's bytes: see read_block. take: by any thread, chunks of one block also by several at a time.
  struct Read {
    StoredBlock block;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t passes = 1;  // of ReadProgress
    TakeBytes take;
  };

  // is_serial: one chunk after the other, in the order in which they were added. progress and stop must outlive this object.
  BlockReads(base::Progress& progress, const std::atomic<bool>* stop, bool is_serial)
      : progress_(progress), stop_(stop), is_serial_(is_serial) {}

  // May carry out what was added before.
  void add(Read read);
  void finish();

 private:
  void carry_out(const Read& read) const;
  void read_cached();
  void read_in_order();

  base::Progress& progress_;
  const std::atomic<bool>* stop_;
  const bool is_serial_;
  std::vector<Read> cached_;  // a chunk each
  std::vector<Read> others_;
  std::set<const BlockFile*> files_;
};

}  // namespace ckpt::state
