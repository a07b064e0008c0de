// Reads many blocks from as many files at once as may be open. Cached files are read by several threads; others sequentially in the
// order of their bytes, with read-ahead.
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
  // [begin, end) of a block's bytes: see read_block. take: called on any thread, and concurrently for chunks of one block.
  struct Read {
    StoredBlock block;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t passes = 1;  // see ReadProgress
    TakeBytes take;
  };

  // is_serial: reads one chunk after the other, in the order of add. progress and stop must outlive this object.
  BlockReads(base::Progress& progress, const std::atomic<bool>* stop, bool is_serial)
      : progress_(progress), stop_(stop), is_serial_(is_serial) {}

  // Can execute earlier reads.
  void add(Read read);
  void finish();

 private:
  void carry_out(const Read& read) const;
  void read_cached();
  void read_in_order();

  base::Progress& progress_;
  const std::atomic<bool>* stop_;
  const bool is_serial_;
  std::vector<Read> cached_;  // one chunk each
  std::vector<Read> others_;
  std::set<const BlockFile*> files_;
};

}  // namespace ckpt::state
