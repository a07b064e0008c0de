// The units of a save by many ranks: boxes and their runs, coverage of tensors, the distribution of writes, and merging parts into
// one manifest.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "base/error.h"
#include "state/box.h"
#include "state/checkpoint_files.h"
#include "state/make_protocol.h"
#include "state/manifest_text.h"
#include "state/placement.h"
#include "state/placement_text.h"
#include "state/rank_names.h"
#include "state/ranks/listing.h"
#include "state/ranks/merge.h"
#include "state/ranks/rank_failure.h"
#include "state/ranks/split.h"
#include "state/record_text.h"
#include "state/safetensors.h"
#include "storage/memory.h"

using namespace ckpt;
using namespace ckpt::state;
using base::Status;

namespace {

template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return error.message();
  }
  return "";
}

// ---- Boxes ----

// Returns every element of a box with its position, straight from the definition.
std::vector<std::pair<Lengths, std::int64_t>> elements_of(const Box& box) {
  std::vector<std::pair<Lengths, std::int64_t>> all;
  for (std::int64_t position = 0; position < box.elements(); ++position) {
    Lengths at(box.offsets.size());
    std::int64_t rest = position;
    for (std::size_t i = at.size(); i > 0; --i) {
      at[i - 1] = box.offsets[i - 1] + rest % box.lengths[i - 1];
      rest /= box.lengths[i - 1];
    }
    all.emplace_back(at, position);
  }
  return all;
}

Box random_box(std::mt19937& random, const Lengths& shape) {
  Box box;
  for (const std::int64_t length : shape) {
    const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length + 1));
    const auto b = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length + 1));
    box.offsets.push_back(std::min(a, b));
    box.lengths.push_back(std::max(a, b) - std::min(a, b));
  }
  return box;
}

TEST(RankBoxes, RunsCopyExactlyWhatBothBoxesHave) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Lengths shape;
    for (std::size_t i = 0; i < random() % 5; ++i) shape.push_back(1 + static_cast<std::int64_t>(random() % 5));
    const Box from = random_box(random, shape);
    const Box to = random_box(random, shape);
    const std::int64_t all = from.elements();
    const std::int64_t begin = all == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all + 1));
    const std::int64_t end =
        begin + (all == begin ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all - begin + 1)));
    std::vector<std::int64_t> got(static_cast<std::size_t>(to.elements()), -1);
    std::int64_t last = -1;
    for_each_run(from, to, begin, end, [&](const state::Run& run) {
      EXPECT_GT(run.elements, 0);
      EXPECT_GT(run.from, last);
      last = run.from + run.elements - 1;
      for (std::int64_t i = 0; i < run.elements; ++i) got[static_cast<std::size_t>(run.to + i)] = run.from + i;
    });
    for (const auto& [at, position] : elements_of(to)) {
      std::int64_t wanted = -1;
      for (const auto& [other, from_position] : elements_of(from)) {
        if (other == at && from_position >= begin && from_position < end) wanted = from_position;
      }
      ASSERT_EQ(got[static_cast<std::size_t>(position)], wanted)
          << to_text(from) << ' ' << to_text(to) << ' ' << begin << ' ' << end;
    }
  }
}

TEST(RankBoxes, ContiguousMeansOneRangeOfThePositions) {
  std::mt19937 random(8);
  for (int round = 0; round < 2000; ++round) {
    Lengths shape;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) shape.push_back(1 + static_cast<std::int64_t>(random() % 4));
    const Box outer = whole_box(shape);
    const Box inner = random_box(random, shape);
    if (inner.is_empty()) continue;
    std::vector<std::int64_t> positions;
    for (const auto& [at, position] : elements_of(inner)) positions.push_back(position_in(outer, at));
    EXPECT_EQ(is_contiguous(inner, outer), positions.back() - positions.front() + 1 == std::ssize(positions)) << to_text(inner);
  }
}

TEST(RankBoxes, RangesOfRowsBecomeBoxesWithoutGapsInOrder) {
  std::mt19937 random(9);
  for (int round = 0; round < 2000; ++round) {
    Lengths shape;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) shape.push_back(1 + static_cast<std::int64_t>(random() % 4));
    const std::size_t axes = 1 + random() % shape.size();
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < axes; ++i) rows *= shape[i];
    const std::int64_t row_elements = whole_box(shape).elements() / rows;
    const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows));
    const std::int64_t end = begin + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows - begin));
    std::int64_t next = begin * row_elements;
    for (const Box& box : boxes_of_rows(shape, axes, begin, end)) {
      EXPECT_TRUE(is_contiguous(box, whole_box(shape))) << to_text(box);
      EXPECT_EQ(position_in(whole_box(shape), box.offsets), next);
      next += box.elements();
    }
    EXPECT_EQ(next, end * row_elements);
  }
}

TEST(RankCover, FindsGapsAndOverlaps) {
  std::mt19937 random(10);
  int good = 0;
  int bad = 0;
  for (int round = 0; round < 4000; ++round) {
    Lengths shape;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) shape.push_back(1 + static_cast<std::int64_t>(random() % 5));
    // Split randomly, repeatedly: everything is covered once.
    std::vector<Box> boxes{whole_box(shape)};
    for (int cut = 0; cut < 6; ++cut) {
      const std::size_t which = random() % boxes.size();
      const std::size_t axis = random() % shape.size();
      if (boxes[which].lengths[axis] < 2) continue;
      Box rest = boxes[which];
      const std::int64_t at = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rest.lengths[axis] - 1));
      boxes[which].lengths[axis] = at;
      rest.offsets[axis] += at;
      rest.lengths[axis] -= at;
      boxes.push_back(rest);
    }
    const int change = static_cast<int>(random() % 4);
    if (change == 1) boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(random() % boxes.size()));
    if (change == 2) boxes.push_back(random_box(random, shape));
    if (change == 3) boxes[random() % boxes.size()] = random_box(random, shape);
    std::ranges::shuffle(boxes, random);
    std::vector<int> covered(static_cast<std::size_t>(whole_box(shape).elements()));
    for (const Box& box : boxes) {
      for (const auto& [at, position] : elements_of(box)) ++covered[static_cast<std::size_t>(position_in(whole_box(shape), at))];
    }
    const bool is_exact = std::ranges::all_of(covered, [](int times) { return times == 1; });
    const auto gap = find_gap(shape, boxes);
    ASSERT_EQ(!gap.has_value(), is_exact);
    (is_exact ? good : bad) += 1;
    if (!gap) continue;
    ASSERT_FALSE(gap->box.is_empty());
    for (const auto& [at, position] : elements_of(gap->box)) {
      const int times = covered[static_cast<std::size_t>(position_in(whole_box(shape), at))];
      EXPECT_TRUE(gap->kind == Gap::Kind::missing ? times == 0 : times > 1);
    }
    if (gap->kind == Gap::Kind::overlap) {
      EXPECT_TRUE(intersection(boxes[gap->first], boxes[gap->second]).has_value());
    }
  }
  EXPECT_GT(good, 500);
  EXPECT_GT(bad, 500);
}

// Counted in the test's own steps: a million boxes in a time that grows only slightly faster than linearly.
TEST(RankCover, TakesManyBoxes) {
  constexpr std::int64_t side = 300;
  std::vector<Box> boxes;
  for (std::int64_t i = 0; i < side; ++i) {
    for (std::int64_t k = 0; k < side; ++k) {
      // Columns split differently: not a grid.
      const std::int64_t begin = k == 0 ? 0 : 10 * k + i % 7;
      const std::int64_t end = k + 1 == side ? 10 * side + 10 : 10 * (k + 1) + i % 7;
      boxes.push_back({{i, begin}, {1, end - begin}});
    }
  }
  EXPECT_FALSE(find_gap({side, 10 * side + 10}, boxes).has_value());
  boxes.back().lengths[1] -= 1;
  const auto gap = find_gap({side, 10 * side + 10}, boxes);
  ASSERT_TRUE(gap.has_value());
  EXPECT_EQ(to_text(gap->box), "[299:300, 3009:3010]");
}

// ---- Distribution of writes ----

Listing listing_with(const std::vector<std::pair<std::string, Lengths>>& tensors) {
  Listing listing;
  for (const auto& [name, shape] : tensors) listing.tensors.push_back({"model", name, tensor::Dtype::f32, shape, false});
  return listing;
}

std::int64_t bytes_of_share(const Listing& listing, const RowShare& share) {
  const ListedTensor& tensor = listing.tensors[share.tensor];
  if (share.axes == 0) return tensor_bytes(tensor.dtype, tensor.shape);
  std::int64_t bytes = 0;
  for (const Box& box : boxes_of_rows(tensor.shape, share.axes, share.begin, share.end)) bytes += box.elements() * 4;
  return bytes;
}

std::vector<RowShare> share_of(const Listing& listing, std::span<const std::int64_t> own, std::size_t rank) {
  std::vector<Splittable> tensors;
  for (const ListedTensor& tensor : listing.tensors) tensors.push_back({tensor.dtype, &tensor.shape});
  return state::share_of(tensors, own, static_cast<std::int64_t>(rank));
}

TEST(RankSplit, BalancesWithinFivePercentAndKeepsSmallTensorsTogether) {
  Listing listing =
      listing_with({{"a", {4096, 1024}}, {"b", {2, 3'000'000}}, {"c", {10}}, {"d", {1000, 1000}}, {"e", {7}}, {"f", {}}});
  for (const std::vector<std::int64_t>& own : std::vector<std::vector<std::int64_t>>{
           {0}, {0, 0}, {0, 0, 0, 0}, {5'000'000, 0, 1'000'000, 0}, {0, 0, 0, 0, 0, 0, 0, 20'000'000}}) {
    std::vector<std::int64_t> total = own;
    std::map<std::size_t, std::set<std::size_t>> writers;
    std::vector<std::vector<Box>> boxes(listing.tensors.size());
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      for (const RowShare& share : share_of(listing, own, rank)) {
        total[rank] += bytes_of_share(listing, share);
        writers[share.tensor].insert(rank);
        const Lengths& shape = listing.tensors[share.tensor].shape;
        if (share.axes == 0) boxes[share.tensor].push_back(whole_box(shape));
        for (const Box& box : share.axes == 0 ? std::vector<Box>() : boxes_of_rows(shape, share.axes, share.begin, share.end))
          boxes[share.tensor].push_back(box);
      }
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) EXPECT_FALSE(find_gap(listing.tensors[i].shape, boxes[i]).has_value());
    EXPECT_EQ(writers[2], writers[4]);
    EXPECT_EQ(writers[2], writers[5]);
    EXPECT_EQ(writers[2].size(), 1U);
    // Ranks without private large tensors write about the same amount.
    const std::int64_t sum = std::accumulate(total.begin(), total.end(), std::int64_t{0});
    std::int64_t max = 0;
    std::int64_t min = sum;
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      if (own[rank] == 20'000'000) continue;
      max = std::max(max, total[rank]);
      min = std::min(min, total[rank]);
    }
    EXPECT_LE(static_cast<double>(max), 1.05 * static_cast<double>(min)) << own.size();
  }
}

// ---- Parts and manifests ----

Part part_with(std::int64_t rank, std::int64_t ranks, const std::vector<std::pair<std::string, Box>>& blocks,
               const std::map<std::string, Lengths>& shapes) {
  Part part;
  part.rank = rank;
  part.world_size = ranks;
  part.attempt = "step-000000000001-00000000";
  GroupRecord group{"model", {{base::cat("model-", rank), 1, {}}}, {}};
  for (const auto& [name, box] : blocks) {
    TensorRecord record{base::cat(name, '~', group.tensors.size())};
    record.file = group.files[0].name;
    record.dtype = tensor::Dtype::f32;
    record.shape = box.lengths;
    record.bytes_of_chunk = shard_chunk_bytes;
    for (std::int64_t i = chunk_count(tensor_bytes(record.dtype, record.shape), shard_chunk_bytes); i > 0; --i)
      record.chunks.push_back({});
    if (box != whole_box(shapes.at(name))) {
      record.of = name;
      record.offsets = box.offsets;
    } else {
      record.name = name;
    }
    group.tensors.push_back(record);
  }
  part.groups.push_back(group);
  part.summary.layout = layout_digest(part.groups);
  return part;
}

TEST(RankParts, PartsAreRestoredFromTheirText) {
  Part part =
      part_with(1, 3, {{"w", {{2, 0}, {2, 5}}}, {"w", {{4, 1}, {1, 2}}}, {"b", whole_box({3})}}, {{"w", {6, 5}}, {"b", {3}}});
  part.values = {{"data_position", R"({"byte":7})"}, {"x", "1"}};
  part.absent = {"y"};
  part.summary.files = 1;
  part.summary.file_bytes = 99;
  part.summary.unlike = {"data_position", "x", "y"};
  const std::string text = to_text(part);
  const Part read = parse_part(text);
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read.summary.unlike, part.summary.unlike);
  EXPECT_EQ(tensor_of(read.groups[0].tensors[1]), "w");
  EXPECT_EQ(box_of(read.groups[0].tensors[1]), (Box{{4, 1}, {1, 2}}));
  EXPECT_EQ(tensor_of(read.groups[0].tensors[2]), "b");
  for (std::size_t at = 0; at < text.size(); at += 7) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(message_of([&] { parse_part(damaged); }), "") << at;
  }
}

Listing listing_of_shapes(const std::map<std::string, Lengths>& shapes) {
  Listing listing;
  for (const auto& [name, shape] : shapes) listing.tensors.push_back({"model", name, tensor::Dtype::f32, shape, true});
  return listing;
}

// Merges parts into the text of a manifest, and parses it again.
std::vector<GroupRecord> merged(const Listing& listing, const std::vector<Part>& parts, std::string* text = nullptr) {
  Merge merge(listing);
  for (const Part& part : parts) merge.add(part);
  Manifest manifest;
  manifest.format_version = format_of_many;
  manifest.world_size = std::ssize(parts);
  manifest.parts.resize(parts.size());
  manifest.groups = merge.finish();
  const std::string written = to_text(manifest);
  if (text != nullptr) *text = written;
  return parse_manifest(written).groups;
}

std::vector<std::string> blocks_of(const TensorRecord& tensor, const Box& wanted) {
  std::vector<std::string> blocks;
  tensor.placement->for_each_block(
      wanted, [&](const Box& box, std::int64_t part) { blocks.push_back(base::cat(to_text(box), " ", part)); });
  std::ranges::sort(blocks);
  return blocks;
}

TEST(RankParts, GridsAndOtherSplitsAreRecognised) {
  const std::map<std::string, Lengths> shapes{{"a", {8, 6}}, {"b", {7}}, {"c", {4, 4}}, {"d", {}}, {"e", {0, 3}}, {"f", {5, 5}}};
  std::vector<Part> parts;
  // a: a 2 x 2 grid; b: pieces of 2 as torch splits; c: complete on rank 2; f: not a grid.
  parts.push_back(part_with(0, 4, {{"a", {{0, 0}, {4, 3}}}, {"b", {{0}, {2}}}, {"f", {{0, 0}, {2, 5}}}, {"d", {{}, {}}}}, shapes));
  parts.push_back(part_with(1, 4, {{"a", {{0, 3}, {4, 3}}}, {"b", {{2}, {2}}}, {"f", {{2, 0}, {3, 2}}}}, shapes));
  parts.push_back(part_with(2, 4, {{"a", {{4, 0}, {4, 3}}}, {"b", {{4}, {2}}}, {"c", whole_box({4, 4})}}, shapes));
  parts.push_back(
      part_with(3, 4, {{"a", {{4, 3}, {4, 3}}}, {"b", {{6}, {1}}}, {"f", {{2, 2}, {3, 3}}}, {"a", {{4, 3}, {4, 3}}}}, shapes));
  std::string text;
  const auto groups = merged(listing_of_shapes(shapes), parts, &text);
  ASSERT_EQ(groups.size(), 1U);
  const auto& tensors = groups[0].tensors;
  ASSERT_EQ(tensors.size(), 6U);
  EXPECT_TRUE(tensors[0].placement->is_grid());
  EXPECT_EQ(blocks_of(tensors[0], {{3, 2}, {2, 1}}), (std::vector<std::string>{"[0:4, 0:3] 0", "[4:8, 0:3] 2"}));
  EXPECT_EQ(blocks_of(tensors[1], whole_box({7})), (std::vector<std::string>{"[0:2] 0", "[2:4] 1", "[4:6] 2", "[6:7] 3"}));
  EXPECT_NE(text.find("\"cuts\":[2,2]"), std::string::npos) << text;
  EXPECT_NE(text.find("\"name\":\"b\",\"dtype\":\"F32\",\"shape\":[7],\"cuts\":[4]"), std::string::npos) << text;
  EXPECT_EQ(blocks_of(tensors[2], {{3, 3}, {1, 1}}), (std::vector<std::string>{"[0:4, 0:4] 2"}));
  EXPECT_EQ(blocks_of(tensors[3], {}), (std::vector<std::string>{"[] 0"}));
  EXPECT_TRUE(blocks_of(tensors[4], whole_box({0, 3})).empty());
  EXPECT_FALSE(tensors[5].placement->is_grid());
  EXPECT_EQ(blocks_of(tensors[5], {{1, 1}, {2, 2}}), (std::vector<std::string>{"[0:2, 0:5] 0", "[2:5, 0:2] 1", "[2:5, 2:5] 3"}));
}

TEST(RankParts, OverlapsAndGapsAreNamedWithTheirRanks) {
  const std::map<std::string, Lengths> shapes{{"w", {4, 4}}};
  const auto listing = listing_of_shapes(shapes);
  const Part first = part_with(0, 2, {{"w", {{0, 0}, {2, 4}}}}, shapes);
  EXPECT_EQ(message_of([&] {
              merged(listing, {first, part_with(1, 2, {}, shapes)});
            }),
            "tensor 'w' of group 'model': [2:4, 0:4] is missing on all ranks");
  EXPECT_EQ(message_of([&] {
              merged(listing, {first, part_with(1, 2, {{"w", {{1, 0}, {3, 4}}}}, shapes)});
            }),
            "tensor 'w' of group 'model': ranks 0 and 1 both have [1:2, 0:4]");
  // The same block twice is a replica.
  const auto groups = merged(
      listing, {first, part_with(1, 3, {{"w", {{0, 0}, {2, 4}}}}, shapes), part_with(2, 3, {{"w", {{2, 0}, {2, 4}}}}, shapes)});
  EXPECT_EQ(blocks_of(groups[0].tensors[0], whole_box({4, 4})), (std::vector<std::string>{"[0:2, 0:4] 0", "[2:4, 0:4] 2"}));
}

TEST(RankParts, TenThousandPartsOfAThousandTensorsHaveASmallManifest) {
#ifdef CKPT_SANITIZED
  constexpr std::int64_t ranks = 500;  // sanitizers check correctness, so fewer ranks suffice
#else
  constexpr std::int64_t ranks = 10'000;
#endif
  std::map<std::string, Lengths> shapes;
  for (int i = 0; i < 1000; ++i) shapes.emplace(base::cat("layer.", i, ".weight"), Lengths{ranks * (1 + i % 3), 8});
  const auto listing = listing_of_shapes(shapes);
  Merge merge(listing);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    Part part;
    part.rank = rank;
    part.world_size = ranks;
    GroupRecord group{"model", {}, {}};
    for (const ListedTensor& tensor : listing.tensors) {
      TensorRecord record{tensor.name};
      record.shape = {tensor.shape[0] / ranks, 8};
      record.of = tensor.name;
      record.offsets = {rank * record.shape[0], 0};
      group.tensors.push_back(std::move(record));
    }
    part.groups.push_back(std::move(group));
    merge.add(part);
  }
  Manifest manifest;
  manifest.format_version = format_of_many;
  manifest.world_size = ranks;
  manifest.parts.resize(ranks, {123'456'789, {}});
  manifest.groups = merge.finish();
  const std::string text = to_text(manifest);
  EXPECT_LE(text.size(), std::size_t{4} << 20);
  const Manifest read = parse_manifest(text);
  EXPECT_EQ(blocks_of(read.groups[0].tensors[7], {{ranks * 1, 0}, {1, 1}}).size(), 1U);
}

// ---- Hostile manifests ----

TEST(RankParts, InconsistentManifestsAreRefused) {
  const std::map<std::string, Lengths> shapes{{"w", {4}}};
  std::string text;
  merged(listing_of_shapes(shapes), {part_with(0, 2, {{"w", {{0}, {2}}}}, shapes), part_with(1, 2, {{"w", {{2}, {2}}}}, shapes)},
         &text);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text.substr(0, text.size() - checksum_bytes);
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    return message_of([&] { parse_manifest(with_checksum(changed)); });
  };
  EXPECT_NE(with("\"cuts\":[2]", "\"cuts\":[3]").find("has 3 blocks but a list of 2 parts"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2]", "\"cuts\":[5]").find("is 5; a length of 4 cannot be cut"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2]", "\"cuts\":[[0,9]]").find("is not a valid cut"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2]", "\"cuts\":[2,1]").find("more cuts than dimensions"), std::string::npos);
  EXPECT_NE(with("[0,2]", "[0,3]").find("the number of parts is 2"), std::string::npos);
  EXPECT_NE(with("\"list\":0", "\"list\":1").find("the number of lists is 1"), std::string::npos);
  EXPECT_NE(with("\"world_size\":2", "\"world_size\":3").find("the name of another rank"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2],\"list\":0", "\"blocks\":[[0,0,2],[1,3,1]]").find("does not cover [2:3]"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2],\"list\":0", "\"blocks\":[[0,0,3],[1,2,2]]").find("covers more than once [2:3]"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2],\"list\":0", "\"blocks\":[[0,0,3],[7,3,1]]").find("has part 7; expected 0 .. 1"), std::string::npos);
  EXPECT_NE(with("\"cuts\":[2],\"list\":0", "\"blocks\":[[0,0,9]]").find("exceeds the tensor's shape"), std::string::npos);
}

TEST(RankParts, NamesOfRanksFiles) {
  EXPECT_EQ(part_name(3, 4), "rank00003-of-00004.json");
  EXPECT_EQ(rank_of_part("rank00003-of-00004.json", 4), 3);
  EXPECT_FALSE(rank_of_part("rank00003-of-00004.json", 5).has_value());
  EXPECT_FALSE(rank_of_part("rank3-of-00004.json", 4).has_value());
  EXPECT_EQ(failure_name(123456), "rank123456.failed.json");
  EXPECT_EQ(rank_of_failure("rank00007.failed.json"), 7);
  EXPECT_FALSE(rank_of_failure("rank7.failed.json").has_value());
  EXPECT_EQ(rank_file_name("model.safetensors", 1, 4), "model-rank00001-of-00004.safetensors");
}

// The file that a failed rank writes for the others, intact and damaged.
TEST(RankFailure, IsReadHoweverDamaged) {
  const auto storage = storage::make_memory_storage();
  storage->make_directory("a");
  EXPECT_FALSE(read_failure(*storage, "a", 3).has_value());
  write_failure(*make_protocol(storage), "a", 3, {5, Status::no_space, "full \xff"});
  auto found = read_failure(*storage, "a", 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 5);
  EXPECT_EQ(found->status, Status::no_space);
  EXPECT_EQ(found->message, "full \xEF\xBF\xBD");
  for (const std::string& text : {with_checksum(R"({"format":"ckpt-failed",
"rank":5,
"status":0,
"message":"x")"),
                                  with_checksum(R"({"format":"ckpt-failed",
"rank":5,
"status":-4000000000,
"message":"x")"),
                                  std::string("{}"), std::string()}) {
    const auto damaged = storage::make_memory_storage();
    damaged->make_directory("a");
    damaged->create(path_in("a", failure_name(4)))->write(0, std::as_bytes(std::span(text)));
    found = read_failure(*damaged, "a", 4);
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(found->rank, 4);
    EXPECT_EQ(found->status, Status::io);
    EXPECT_EQ(found->message.find("the rank failed, and a/rank00004.failed.json cannot be read"), 0U) << found->message;
  }
}

TEST(RankListing, NamesTheFirstDifference) {
  const auto text = [](const char* dtype, const char* shape) {
    return base::cat("step\t7\ntensor \"w\" of group \"model\"\t", dtype, ' ', shape, '\n');
  };
  EXPECT_EQ(difference(text("F32", "[2]"), 3, text("F32", "[2]"), 0), "");
  EXPECT_EQ(difference(text("F32", "[2]"), 3, text("F32", "[3]"), 0),
            "tensor \"w\" of group \"model\" is F32 [2] on rank 3; F32 [3] on rank 0");
  EXPECT_EQ(difference("step\t7\n", 3, text("F32", "[3]"), 0), "tensor \"w\" of group \"model\" is on rank 0 but not on rank 3");
  EXPECT_EQ(difference(text("F32", "[3]"), 3, "step\t8\n", 0), "step is 7 on rank 3; 8 on rank 0");
}

}  // namespace
