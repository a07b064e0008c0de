#include "state/hash.h"

#include <new>

#include <xxhash.h>

#if defined(CKPT_XXHASH_DISPATCH)
// libxxhash's dispatch to the widest vector instructions. Weak, because a static libxxhash may lack it although the shared one has
// it (as in Debian). Programs linked fully statically then use the baseline instruction set.
extern "C" {
[[gnu::weak]] XXH128_hash_t XXH3_128bits_dispatch(const void* input, std::size_t length);
[[gnu::weak]] XXH_errorcode XXH3_128bits_update_dispatch(XXH3_state_t* state, const void* input, std::size_t length);
}
#endif

namespace ckpt::state {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

XXH128_hash_t hash_bytes(const void* bytes, std::size_t length) {
#if defined(CKPT_XXHASH_DISPATCH)
  if (XXH3_128bits_dispatch != nullptr) return XXH3_128bits_dispatch(bytes, length);
#endif
  return XXH3_128bits(bytes, length);
}

void update_hash(XXH3_state_t* state, const void* bytes, std::size_t length) {
#if defined(CKPT_XXHASH_DISPATCH)
  if (XXH3_128bits_update_dispatch != nullptr) {
    XXH3_128bits_update_dispatch(state, bytes, length);
    return;
  }
#endif
  XXH3_128bits_update(state, bytes, length);
}

}  // namespace

std::string to_hex(const Digest& digest) {
  std::string text;
  for (const std::uint64_t half : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += hex_digits[(half >> shift) & 15];
  }
  return text;
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  std::uint64_t halves[2] = {0, 0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    const bool is_digit = byte >= '0' && byte <= '9';
    if (!is_digit && (byte < 'a' || byte > 'f')) return std::nullopt;
    halves[i / 16] = halves[i / 16] << 4 | static_cast<std::uint64_t>(is_digit ? byte - '0' : byte - 'a' + 10);
  }
  return Digest{halves[0], halves[1]};
}

Digest hash_of(std::string_view bytes) {
  const XXH128_hash_t hash = hash_bytes(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

struct Hasher::State {
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> xxh{XXH3_createState(), XXH3_freeState};
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  if (state_->xxh == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh.get());
}

Hasher::~Hasher() = default;

void Hasher::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) update_hash(state_->xxh.get(), bytes.data(), bytes.size());
}

Digest Hasher::finish() {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh.get());
  XXH3_128bits_reset(state_->xxh.get());
  return {hash.high64, hash.low64};
}

}  // namespace ckpt::state
