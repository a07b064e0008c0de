// XXH3-128, the checksum of all stored data. Source: Yann Collet, xxHash, https://github.com/Cyan4973/xxHash (XXH3, 128 bits,
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

// Returns 32 lower-case hexadecimal digits, as printed by xxhsum -H2.
std::string to_hex(const Digest& digest);
// Returns nothing unless text has exactly this form.
std::optional<Digest> digest_from_hex(std::string_view text);

Digest hash_of(std::string_view bytes);

// Computes the digest of a sequence of pieces.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::span<const std::byte> bytes);
  // Returns the digest of the bytes since the last finish.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ckpt::state
