#include "engine/write_check.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <xxhash.h>

#include "base/poison.h"

namespace ckpt::engine {

using base::cat;
using base::fail;
using base::Status;

namespace {

constexpr std::byte dead_pattern{0xA5};

// A layer run's buffers, by the names that the layer's author uses.
struct NamedBuffer {
  std::string name;
  plan::BufferId buffer;
};

std::vector<NamedBuffer> buffers_of(const plan::Operation& operation) {
  const bool is_backward = operation.kind == plan::Operation::Kind::backward;
  std::vector<NamedBuffer> buffers = {
      {"output", operation.output},
      {"tape", operation.tape},
      {"workspace", operation.workspace},
      {is_backward ? "grad_input" : "ambient state", is_backward ? operation.grad_input : operation.ambient},
      {"grad_output", operation.grad_output},
      {"input", operation.input}};
  for (std::size_t i = 1; i < operation.reads.size(); ++i) {
    buffers.push_back({cat("input ", i), operation.reads[i].input});
    buffers.push_back({cat("grad_input ", i), operation.reads[i].target()});
  }
  return buffers;
}

bool may_write(const plan::Operation& operation, plan::BufferId buffer) {
  if (buffer == operation.workspace) return true;
  if (operation.kind == plan::Operation::Kind::backward) {
    return buffer == operation.grad_input ||
           std::ranges::any_of(operation.reads, [&](const plan::ValueRead& read) { return buffer == read.target(); });
  }
  return buffer == operation.output || buffer == operation.tape || buffer == operation.ambient ||
         buffer == operation.present_ambient;
}

}  // namespace

WriteChecker::WriteChecker(const Chain& chain, const Arena& arena, const plan::Program& program,
                           const std::vector<void*>& addresses)
    : chain_(chain), arena_(arena), addresses_(addresses) {
  live_.reserve(program.buffers.size());
  reset();
}

// ---- Live buffers ----

void WriteChecker::hold(plan::BufferId buffer, const plan::BufferInfo& info) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const Live& live) { return live.buffer == buffer; });
  if (found != live_.end()) {
    const std::int64_t end = found->end();
    found->info = info;
    if (found->end() < end) make_dead(found->end(), end);
    if (info.bytes == 0) live_.erase(found);
    return;
  }
  if (info.bytes == 0) return;
  const std::int64_t offset = static_cast<const std::byte*>(addresses_[static_cast<std::size_t>(buffer)]) - arena_.data();
  const auto after = std::find_if(live_.begin(), live_.end(), [&](const Live& live) { return live.offset > offset; });
  live_.insert(after, {buffer, offset, info});
}

void WriteChecker::set_arriving(plan::BufferId buffer, bool arriving) {
  for (Live& live : live_) {
    if (live.buffer == buffer) live.arriving = arriving;
  }
}

void WriteChecker::reset() {
  live_.clear();
  make_dead(0, arena_.bytes());
}

void WriteChecker::make_dead(std::int64_t begin, std::int64_t end) {
  if (begin == end) return;
  std::byte* const bytes = arena_.data() + begin;
  const auto count = static_cast<std::size_t>(end - begin);
  base::unpoison(bytes, count);
  std::memset(bytes, std::to_integer<int>(dead_pattern), count);
  base::poison(bytes, count);
}

// ---- Around a run ----

std::uint64_t WriteChecker::digest_of(const Live& live) const {
  return XXH3_64bits(arena_.data() + live.offset, static_cast<std::size_t>(live.info.bytes));
}

void WriteChecker::before(const plan::Operation& operation) {
  for (Live& live : live_) {
    live.writable = live.arriving || may_write(operation, live.buffer);
    if (!live.writable) live.digest = digest_of(live);
  }
}

void WriteChecker::after(const plan::Operation& operation) const {
  std::int64_t dead_from = 0;
  for (const Live& live : live_) {
    require_untouched(operation, dead_from, live.offset);
    dead_from = live.end();
    if (!live.writable && digest_of(live) != live.digest)
      fail(Status::corrupt, which(operation), "changed ", item_of(live.info), ", which it may not write");
  }
  require_untouched(operation, dead_from, arena_.bytes());
}

std::int64_t WriteChecker::first_changed(std::int64_t begin, std::int64_t end) const {
  const std::byte* const bytes = arena_.data();
  const auto count = static_cast<std::size_t>(end - begin);
  base::unpoison(bytes + begin, count);
  // If the first byte has the pattern and each byte equals the one before it, all have it.
  const bool untouched = bytes[begin] == dead_pattern && std::memcmp(bytes + begin, bytes + begin + 1, count - 1) == 0;
  const auto found =
      untouched ? bytes + end : std::find_if(bytes + begin, bytes + end, [](std::byte byte) { return byte != dead_pattern; });
  base::poison(bytes + begin, count);
  return found - bytes;
}

void WriteChecker::require_untouched(const plan::Operation& operation, std::int64_t begin, std::int64_t end) const {
  if (begin == end) return;
  const std::int64_t at = first_changed(begin, end);
  if (at < end) fail(Status::corrupt, which(operation), "wrote ", place_of(operation, at));
}

std::string WriteChecker::which(const plan::Operation& operation) const {
  const bool is_backward = operation.kind == plan::Operation::Kind::backward;
  return cat("layer ", chain_.number(operation.layer), " ", base::quote(chain_.layer(operation.layer).name()), ", micro-batch ",
             operation.micro_batch, ": its ", is_backward ? "backward " : "forward ");
}

std::string WriteChecker::item_of(const plan::BufferInfo& info) const {
  const auto layer = [&](const char* what, std::int64_t index) {
    return cat("the ", what, " of layer ", base::quote(chain_.layer(index).name()));
  };
  std::string x = info.index == 0 ? "the chain's input" : layer("output", info.index - 1);
  switch (info.role) {
    case plan::BufferRole::input: return x;
    case plan::BufferRole::grad: return "the gradient of " + x;
    case plan::BufferRole::tape: return layer("tape", info.index);
    case plan::BufferRole::workspace: return layer("workspace", info.index);
    case plan::BufferRole::ambient: break;
  }
  return layer("ambient state", info.index);
}

// Describes a dead byte, counted from the start of the run's nearest buffer before it.
std::string WriteChecker::place_of(const plan::Operation& operation, std::int64_t at) const {
  const Live* nearest = nullptr;
  std::string name;
  for (const NamedBuffer& each : buffers_of(operation)) {
    for (const Live& live : live_) {
      if (live.buffer != each.buffer || live.offset > at || (nearest != nullptr && live.offset <= nearest->offset)) continue;
      nearest = &live;
      name = each.name;
    }
  }
  if (nearest == nullptr) return cat("byte ", at, " of the arena, before all of its buffers");
  return cat("byte ", at - nearest->offset, " of its ", name, ", which has ", nearest->info.bytes);
}

}  // namespace ckpt::engine
