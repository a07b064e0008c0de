// Looks whether layers write where they may not. Dead bytes of the arena hold a pattern, and before each run of a layer the live
// buffers that it may only read, or not touch at all, are hashed; behind the run all of it must be as it was.
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
  // All must outlive the checker. addresses: by buffer. Takes all memory now; the arena is all dead.
  WriteChecker(const Chain& chain, const Arena& arena, const plan::Program& program, const std::vector<void*>& addresses);

  // What a buffer of tier 0 holds from now on; 0 bytes: it ends.
  void hold(plan::BufferId buffer, const plan::BufferInfo& info);

  // A copy from a slower tier fills the buffer while layers run, or does so no more.
  void set_arriving(plan::BufferId buffer, bool arriving);

  // Nothing is alive, wherever a layer wrote before.
  void forget();

  // Around each run of a layer. Error(corrupt) names layer, micro-batch and place.
  void before(const plan::Operation& operation);
  void behind(const plan::Operation& operation) const;

 private:
  struct Live {
    plan::BufferId buffer = plan::no_buffer;
    std::int64_t offset = 0;
    plan::BufferInfo info;
    bool arriving = false;     // a copy fills it
    bool writable = false;     // by the layer that runs, or a copy
    std::uint64_t digest = 0;  // unless it is writable
    std::int64_t end() const { return offset + info.bytes; }
  };

  void make_dead(std::int64_t begin, std::int64_t end);
  std::uint64_t digest_of(const Live& live) const;
  // The first byte that has not the pattern; end where all have.
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
