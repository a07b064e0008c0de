#include "engine/drop.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/philox.h"
#include "engine/kernels.h"

namespace ckpt::engine {
namespace {

// The number of random words generated at once, on the stack.
constexpr std::int64_t chunk = 1024;
constexpr std::int64_t words_per_block = 64;  // random_words writes a multiple of this
static_assert(chunk % words_per_block == 0);

// Samples may be few and long: a part consists of chunks of one sample.
constexpr std::int64_t chunks_per_part = elements_per_part / chunk;

// Calls work(sample, first, count) for chunks of all samples.
template <class Work>
void for_chunks(const RunContext& context, const Work& work) {
  const std::int64_t width = context.input->width();
  const std::int64_t chunks = (width + chunk - 1) / chunk;
  for_parts(*context.pool, context.input->samples() * chunks, chunks_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % chunks * chunk;
      work(i / chunks, first, std::min(chunk, width - first));
    }
  });
}

}  // namespace

void require_probability(const char* name, double probability) {
  base::require(probability >= 0 && probability < 1, name, " is ", probability, "; expected 0 <= p < 1");
}

Drop::Drop(double probability, std::uint32_t site)
    : scale_(1 / (1 - probability)), threshold_(static_cast<std::uint32_t>(std::floor(probability * 0x1p32))), site_(site) {}

template <class T>
void Drop::apply(const RunContext& context, const T* x, T* y, std::uint8_t* masks) const {
  const std::int64_t width = context.input->width();
  const base::PhiloxKey key =
      base::philox_derive_key(context.seed, static_cast<std::uint64_t>(context.step), static_cast<std::uint64_t>(context.layer));
  for_chunks(context, [&](std::int64_t sample, std::int64_t first, std::int64_t count) {
    alignas(64) std::array<std::uint32_t, chunk> words;
    random_words(key, site_, context.first_sample + sample, first, count, words.data());
    const std::int64_t at = sample * width + first;
    if (x != nullptr) dropout(x + at, words.data(), threshold_, static_cast<T>(scale_), y + at, count);
    if (masks != nullptr) pack_mask(words.data(), threshold_, masks + sample * mask_bytes(width) + first / 8, count);
  });
}

template <class T>
void Drop::apply_kept(const RunContext& context, const T* x, const std::uint8_t* masks, T* y) const {
  const std::int64_t width = context.input->width();
  for_chunks(context, [&](std::int64_t sample, std::int64_t first, std::int64_t count) {
    const std::int64_t at = sample * width + first;
    dropout_masked(x + at, masks + sample * mask_bytes(width) + first / 8, static_cast<T>(scale_), y + at, count);
  });
}

template void Drop::apply(const RunContext&, const float*, float*, std::uint8_t*) const;
template void Drop::apply(const RunContext&, const double*, double*, std::uint8_t*) const;
template void Drop::apply_kept(const RunContext&, const float*, const std::uint8_t*, float*) const;
template void Drop::apply_kept(const RunContext&, const double*, const std::uint8_t*, double*) const;

}  // namespace ckpt::engine
