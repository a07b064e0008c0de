// XXH3-128, the checksum of everything stored. Source: Yann Collet, xxHash, https://github.com/Cyan4973/xxHash (XXH3, 128 bits,
// seed 0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ckpt::state {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};

// 32 lower-case hex digits, as xxhsum -H2 prints them.
std::string to_hex(const Digest& digest);
// Nothing unless text is exactly that.
std::optional<Digest> digest_from_hex(std::string_view text);

Digest hash_of(std::string_view bytes);

// A digest of bytes that come in pieces.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::span<const std::byte> bytes);
  // The digest of what came since the last finish.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ckpt::state
