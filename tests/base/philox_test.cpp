// Philox4x32-10 against the known answers of Random123 (kat_vectors), and the numbers derived from it.
#include "base/philox.h"

#include <gtest/gtest.h>

namespace ckpt::base {
namespace {

TEST(BasePhilox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(BasePhilox, IsAConstantExpression) { static_assert(philox4x32({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5); }

TEST(BasePhilox, UniformCoversTheHalfOpenInterval) {
  EXPECT_EQ(uniform_from_word(0), 0.0F);
  EXPECT_EQ(uniform_from_word(0xff), 0.0F);
  EXPECT_EQ(uniform_from_word(0x80000000), 0.5F);
  EXPECT_EQ(uniform_from_word(0xffffffff), 1.0F - 0x1.0p-24F);
}

TEST(BasePhilox, DerivedKeysDifferInEveryInput) {
  const PhiloxKey key = philox_derive_key(1, 2, 3);
  EXPECT_EQ(key, philox_derive_key(1, 2, 3));
  EXPECT_NE(key, philox_derive_key(1 | std::uint64_t{1} << 32, 2, 3));
  EXPECT_NE(key, philox_derive_key(1, 2 | std::uint64_t{1} << 32, 3));
  EXPECT_NE(key, philox_derive_key(1, 2, 3 | std::uint64_t{1} << 32));
  EXPECT_NE(key, philox_derive_key(1, 3, 2));
}

}  // namespace
}  // namespace ckpt::base
