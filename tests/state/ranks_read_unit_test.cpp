// The units of a load by many ranks: copies between blocks, reads of blocks, and the exchange of bytes that all ranks need.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <set>
#include <tuple>

#include "state/convert.h"
#include "state/ranks/block_copy.h"
#include "state/ranks/exchange.h"
#include "thread_ranks.h"

namespace {

using ckpt::base::Status;
using ckpt::tensor::Dtype;
using namespace ckpt::state;
using namespace ckpt::tests;

// ---- Copies ----

unsigned element_at(const std::vector<std::byte>& bytes, std::int64_t element, std::int64_t bits) {
  unsigned value = 0;
  for (std::int64_t bit = element * bits; bit < (element + 1) * bits; ++bit)
    value = value << 1 | (std::to_integer<unsigned>(bytes[static_cast<std::size_t>(bit / 8)]) >> (7 - bit % 8) & 1U);
  return value;
}

// Pieces of bytes may end anywhere, also inside an element smaller than a byte.
TEST(RankCopies, PiecesOfAnyLengthFillTheBlock) {
  for (const Dtype dtype : {Dtype::f4, Dtype::f6_e2m3, Dtype::u8, Dtype::f16}) {
    const std::int64_t bits = ckpt::tensor::dtype_bits(dtype);
    const Box from{{0, 4}, {7, 8}};
    for (const Box& to : {Box{{2, 0}, {3, 12}}, Box{{0, 8}, {7, 4}}, Box{{6, 4}, {1, 8}}, from}) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(from, dtype)));
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 11);
      for (const std::size_t step : {1U, 2U, 3U, 5U, 1000U}) {
        if (bits == 16 && step % 2 != 0) continue;
        std::vector<std::byte> created(static_cast<std::size_t>(bytes_of(to, dtype)));
        for (std::size_t at = 0; at < bytes.size(); at += step) {
          copy_elements({from, dtype, to, created.data(), dtype, nullptr}, static_cast<std::int64_t>(at),
                        std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
        }
        for (std::int64_t row = 0; row < 7; ++row) {
          for (std::int64_t column = 4; column < 12; ++column) {
            const auto shared = intersection({{row, column}, {1, 1}}, to);
            if (!shared) continue;
            EXPECT_EQ(element_at(created, position_in(to, {row, column}), bits),
                      element_at(bytes, position_in(from, {row, column}), bits))
                << to_text(to) << " by " << step;
          }
        }
      }
    }
  }
}

TEST(RankCopies, TheRangeContainsTheIntersection) {
  const Box from{{2, 0}, {6, 10}};
  EXPECT_EQ(bytes_between(from, {{0, 0}, {4, 10}}, Dtype::f32), std::pair(std::int64_t{0}, std::int64_t{80}));
  EXPECT_EQ(bytes_between(from, {{3, 4}, {2, 2}}, Dtype::f32), std::pair(std::int64_t{56}, std::int64_t{104}));
  EXPECT_EQ(bytes_between(from, {{3, 4}, {2, 2}}, Dtype::f4), std::pair(std::int64_t{7}, std::int64_t{13}));
  EXPECT_EQ(bytes_between(from, {{8, 0}, {2, 10}}, Dtype::f32), std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_EQ(bytes_between({}, {}, Dtype::f64), std::pair(std::int64_t{0}, std::int64_t{8}));
}

TEST(RankCopies, TheFirstElementOutOfRangeIsFound) {
  const std::vector<float> values{1, 2, 1e30F, 4, 1e30F, 6};
  const Box from{{0, 0}, {2, 3}};
  std::vector<std::uint16_t> created(6);
  const auto convert = find_converter(Dtype::f32, Dtype::f16, Conversion::lossy);
  const auto misfit = [&](const Box& to, std::byte* data) {
    return copy_elements({from, Dtype::f32, to, data, Dtype::f16, convert}, 0, std::as_bytes(std::span(values)));
  };
  EXPECT_EQ(misfit(from, reinterpret_cast<std::byte*>(created.data())), 2);
  EXPECT_EQ(misfit({{1, 0}, {1, 3}}, nullptr), 4);
  EXPECT_EQ(misfit({{0, 0}, {2, 1}}, nullptr), -1);
}

TEST(RankCopies, RowsThatBeginInsideAByteAreFound) {
  const Lengths shape{4, 6};
  EXPECT_TRUE(is_on_bytes(Dtype::f4, {{1, 0}, {2, 6}}, shape));
  EXPECT_TRUE(is_on_bytes(Dtype::f4, {{1, 2}, {2, 4}}, shape));
  EXPECT_FALSE(is_on_bytes(Dtype::f4, {{1, 1}, {2, 4}}, shape));
  EXPECT_FALSE(is_on_bytes(Dtype::f4, {{1, 2}, {2, 3}}, shape));
  EXPECT_TRUE(is_on_bytes(Dtype::f16, {{1, 1}, {2, 3}}, shape));
  EXPECT_TRUE(is_on_bytes(Dtype::f4, whole_box({4, 3}), {4, 3}));
  EXPECT_TRUE(is_on_bytes(Dtype::f4, {{2, 0}, {2, 3}}, {4, 3}));
  EXPECT_FALSE(is_on_bytes(Dtype::f4, {{1, 0}, {2, 3}}, {4, 3}));
  EXPECT_FALSE(is_on_bytes(Dtype::f4, {{0, 0, 0}, {2, 1, 3}}, {2, 2, 3}));
}

// ---- Exchange ----

class RankExchange : public testing::Test {
 protected:
  static constexpr std::int64_t ranks = 3;
  static constexpr std::int64_t chunk = 4096;
  static constexpr Exchange::Sizes sizes{40000, chunk};

  struct Counts {
    std::int64_t read_bytes = 0;
    std::int64_t reads = 0;
    std::int64_t max_at_once = 0;
    std::int64_t taken_bytes = 0;
    std::set<std::tuple<std::uint32_t, std::int64_t, std::int64_t>> begins = {};  // of pieces: tensor, number, position
    bool is_right = true;
    std::exception_ptr failure = {};
  };

  // Blocks of many lengths; processed in order of their parts, although they are added in another order.
  static std::vector<std::int64_t> lengths() {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < 60; ++i) all.push_back(i % 7 == 0 ? 5 * chunk + i : i * i * 5);
    return all;
  }
  static std::int64_t total() {
    const auto all = lengths();
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  }
  static std::byte value(const Exchange::Piece& piece) {
    return static_cast<std::byte>(piece.tensor * 7 + static_cast<std::uint32_t>(piece.number) + 1);
  }

  static void exchange(
      const std::shared_ptr<ThreadRanks>& all, std::int64_t rank, Counts& counts,
      const std::function<void(bool is_read)>& before = [](bool) {}) {
    Exchange exchange(chunk);
    const auto all_lengths = lengths();
    for (std::size_t i = all_lengths.size(); i > 0; --i) {
      const auto number = static_cast<std::int64_t>(i - 1);
      exchange.add(number % 4, static_cast<std::uint32_t>(number / 10), number % 10, all_lengths[i - 1]);
    }
    exchange.assign_shares(rank, ranks, sizes);
    EXPECT_EQ(exchange.bytes(), total());
    const auto coordinator = all->coordinator(rank);
    Collective collective(*coordinator, 60'000'000'000);
    exchange.run(
        collective, counts.failure,
        [&](std::span<const Exchange::Piece> pieces, std::span<std::byte> into) {
          before(true);
          ++counts.reads;
          counts.max_at_once = std::max(counts.max_at_once, std::ssize(into));
          for (const Exchange::Piece& piece : pieces) {
            const auto here = into.first(static_cast<std::size_t>(piece.end - piece.begin));
            std::memset(here.data(), std::to_integer<int>(value(piece)), here.size());
            into = into.subspan(here.size());
            counts.read_bytes += std::ssize(here);
          }
          EXPECT_TRUE(into.empty());
        },
        [&](const Exchange::Piece& piece, std::span<const std::byte> bytes) {
          before(false);
          EXPECT_TRUE(counts.begins.insert({piece.tensor, piece.number, piece.begin}).second);
          EXPECT_EQ(piece.begin % chunk, 0);
          counts.taken_bytes += std::ssize(bytes);
          const auto is_it = [&](std::byte byte) { return byte == value(piece); };
          counts.is_right = counts.is_right && std::ranges::all_of(bytes, is_it);
        });
    // No message remains that another rank waits for.
    collective.agree(std::nullopt);
  }
};

TEST_F(RankExchange, EachByteIsReadByOneRankAndSentToAll) {
  const auto all = std::make_shared<ThreadRanks>(ranks);
  std::vector<Counts> counts(ranks);
  expect_no_errors(all->run([&](std::int64_t rank) { exchange(all, rank, counts[static_cast<std::size_t>(rank)]); }));
  std::int64_t read = 0;
  for (const Counts& each : counts) {
    EXPECT_TRUE(each.is_right);
    EXPECT_EQ(each.failure, nullptr);
    EXPECT_LE(each.read_bytes, total() / ranks + chunk);
    EXPECT_LE(each.max_at_once, sizes.batch_bytes);
    EXPECT_GT(each.reads, 1);
    read += each.read_bytes;
    EXPECT_EQ(each.taken_bytes, total());
  }
  EXPECT_EQ(read, total());
  EXPECT_LE(all->broadcast_bytes(), total() + 24 * all->operations() + 100);
}

TEST_F(RankExchange, AFailureEndsTheExchangeOnAllRanks) {
  for (const bool in_read : {true, false}) {
    for (std::int64_t failing = 0; failing < ranks; ++failing) {
      const auto all = std::make_shared<ThreadRanks>(ranks);
      std::vector<Counts> counts(ranks);
      expect_no_errors(all->run([&](std::int64_t rank) {
        exchange(all, rank, counts[static_cast<std::size_t>(rank)], [&](bool is_read) {
          if (rank == failing && is_read == in_read) throw std::bad_alloc();
        });
      }));
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const Counts& each = counts[static_cast<std::size_t>(rank)];
        EXPECT_EQ(each.failure != nullptr, rank == failing);
        EXPECT_LT(each.taken_bytes, total());
      }
    }
  }
}

TEST_F(RankExchange, AFailedRankStillTakesPart) {
  const auto all = std::make_shared<ThreadRanks>(ranks);
  std::vector<Counts> counts(ranks);
  counts[0].failure = std::make_exception_ptr(std::bad_alloc());
  expect_no_errors(all->run([&](std::int64_t rank) { exchange(all, rank, counts[static_cast<std::size_t>(rank)]); }));
  EXPECT_EQ(counts[1].taken_bytes, 0);
  EXPECT_EQ(counts[2].taken_bytes, 0);
}

TEST_F(RankExchange, SmallAmountsAreReadByOneRank) {
  const auto all = std::make_shared<ThreadRanks>(ranks);
  std::vector<std::int64_t> reads(ranks);
  expect_no_errors(all->run([&](std::int64_t rank) {
    Exchange exchange(chunk);
    for (std::uint32_t tensor = 0; tensor < 100; ++tensor) exchange.add(0, tensor, 0, 1000);
    exchange.add(0, 100, 0, 0);
    exchange.assign_shares(rank, ranks, {});
    const auto coordinator = all->coordinator(rank);
    Collective collective(*coordinator, 60'000'000'000);
    std::exception_ptr failure;
    std::int64_t pieces_taken = 0;
    exchange.run(
        collective, failure,
        [&](std::span<const Exchange::Piece> pieces, std::span<std::byte>) {
          reads[static_cast<std::size_t>(rank)] += std::ssize(pieces);
        },
        [&](const Exchange::Piece&, std::span<const std::byte>) { ++pieces_taken; });
    EXPECT_EQ(pieces_taken, 100);
  }));
  EXPECT_EQ(reads, (std::vector<std::int64_t>{100, 0, 0}));
  EXPECT_EQ(all->operations(), 1);
}

}  // namespace
