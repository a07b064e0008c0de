// Detects layers that write where they may not. Dead bytes of the arena hold a pattern, and before each run of a layer the live
// buffers that it may not write are hashed; after the run, all of these must be unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/arena.h"
#include "engine/chain.h"
#include "plan/program.h"

namespace ckpt::engine {

class WriteChecker {
 public:
  // All arguments must outlive the checker. addresses: by buffer. Allocates all memory now; the arena must be entirely dead.
  WriteChecker(const Chain& chain, const Arena& arena, const plan::Program& program, const std::vector<void*>& addresses);

  // Sets the contents and size of a buffer of tier 0; 0 bytes: it ends.
  void hold(plan::BufferId buffer, const plan::BufferInfo& info);

  // Marks that a copy from a slower tier fills the buffer while layers run, or that it has ended.
  void set_arriving(plan::BufferId buffer, bool arriving);

  // Resets: no buffer is live, and all of the arena has the pattern.
  void reset();

  // Called around each run of a layer. Error(corrupt) names layer, micro-batch and place.
  void before(const plan::Operation& operation);
  void after(const plan::Operation& operation) const;

 private:
  struct Live {
    plan::BufferId buffer = plan::no_buffer;
    std::int64_t offset = 0;
    plan::BufferInfo info;
    bool arriving = false;     // a copy fills it
    bool writable = false;     // by the current layer, or a copy
    std::uint64_t digest = 0;  // unless writable
    std::int64_t end() const { return offset + info.bytes; }
  };

  void make_dead(std::int64_t begin, std::int64_t end);
  std::uint64_t digest_of(const Live& live) const;
  // Returns the first byte without the pattern; end if all have it.
  std::int64_t first_changed(std::int64_t begin, std::int64_t end) const;
  void require_untouched(const plan::Operation& operation, std::int64_t begin, std::int64_t end) const;
  std::string which(const plan::Operation& operation) const;
  std::string item_of(const plan::BufferInfo& info) const;
  std::string place_of(const plan::Operation& operation, std::int64_t at) const;

  const Chain& chain_;
  const Arena& arena_;
  const std::vector<void*>& addresses_;
  std::vector<Live> live_;  // by offset
};

}  // namespace ckpt::engine
