// The rules of lines, and their representation in names and manifests.
#include <gtest/gtest.h>

#include "fixture.h"
#include "state/line.h"
#include "state/manifest.h"
#include "state/manifest_text.h"
#include "state/name.h"

using namespace ckpt;
using namespace ckpt::tests;
using namespace ckpt::state;
using base::Status;

namespace {

std::shared_ptr<const Line> shared(const Line& line) { return std::make_shared<const Line>(line); }

Line first_roll_back() { return {1, 5, LineParent{"step-000000000300-00000003", 300, 1}, {{0, 0, 300}}}; }

TEST(Line, AStorageWithoutRollBackHasOneGeneration) {
  const std::vector<LinePlace> places = {{300, 1}, {400, 2}, {500, -1}, {600, -1, {}, {}, false}};
  const CurrentLine line(places);
  EXPECT_EQ(line.generation(), 0);
  EXPECT_EQ(line.line(), Line());
  for (const LinePlace& place : places) {
    EXPECT_EQ(line.generation_of(place), 0);
    EXPECT_TRUE(line.holds(0, place.step));
  }
}

TEST(Line, LowerGenerationsBelongToItUpToTheParent) {
  const std::vector<LinePlace> places = {{600, 4}, {300, 1}, {310, 5, shared(first_roll_back())}};
  const CurrentLine line(places);
  EXPECT_EQ(line.generation(), 1);
  EXPECT_TRUE(line.holds(1, 310));
  EXPECT_TRUE(line.holds(0, 300));
  EXPECT_TRUE(line.holds(0, 299));
  EXPECT_FALSE(line.holds(0, 301));
  EXPECT_FALSE(line.holds(0, 600));
}

TEST(Line, ASecondRollBackDoesNotRestoreCheckpointsAbandonedByTheFirst) {
  const Line second = line_after(2, first_roll_back(), LineParent{"x", 450, 7}, std::make_unique<Line>(first_roll_back()).get());
  EXPECT_EQ(second.earlier, (std::vector<EarlierGeneration>{{0, 0, 300}, {1, 5, 450}}));
  const std::vector<LinePlace> places = {{400, 2}, {450, 7, shared(first_roll_back())}, {500, 9, shared(second)}};
  const CurrentLine line(places);
  EXPECT_EQ(line.generation(), 2);
  EXPECT_TRUE(line.holds(1, 450));
  EXPECT_FALSE(line.holds(1, 460));
  EXPECT_TRUE(line.holds(0, 300));
  EXPECT_FALSE(line.holds(0, 400));  // abandoned by the first roll-back, whatever the parent of the second one
}

TEST(Line, ASecondRollBackBelowTheFirstParentBoundsAll) {
  const Line second = line_after(2, first_roll_back(), LineParent{"x", 200, 1}, nullptr);
  EXPECT_EQ(second.earlier, (std::vector<EarlierGeneration>{{0, 0, 200}, {1, 5, std::nullopt}}));
}

TEST(Line, ANewRunHasNoParent) {
  const Line line = line_after(1, Line(), std::nullopt, nullptr);
  EXPECT_EQ(line.earlier, (std::vector<EarlierGeneration>{{0, 0, std::nullopt}}));
  EXPECT_EQ(mark_of(line), (LineMark{1, std::nullopt}));
  const std::vector<LinePlace> places = {{600, 4}, {10, 5, shared(line)}};
  EXPECT_FALSE(CurrentLine(places).holds(0, 0));
}

TEST(Line, WithoutTheMemberTheCommitSequenceDecides) {
  const std::vector<LinePlace> places = {{310, 5, shared(first_roll_back())}, {600, 4}, {700, 6}, {100, 5}};
  const CurrentLine line(places);
  EXPECT_EQ(line.generation_of(places[1]), 0);
  EXPECT_EQ(line.generation_of(places[2]), 1);
  EXPECT_EQ(line.generation_of(places[3]), 1);
  EXPECT_EQ(line.generation_of({650, 9, shared(Line())}), 0);  // by its manifest: accepted before the roll-back, committed after it
}

TEST(Line, NamesShowTheLineOfDamagedOnes) {
  const std::vector<LinePlace> places = {{600, 4}, {310, -1, {}, {1, 300}}};
  const CurrentLine line(places);
  EXPECT_EQ(line.generation(), 1);
  EXPECT_TRUE(line.holds(0, 300));
  EXPECT_FALSE(line.holds(0, 600));
  const std::vector<LinePlace> new_run = {{600, 4}, {310, -1, {}, {1, std::nullopt}}};
  EXPECT_FALSE(CurrentLine(new_run).holds(0, 300));
  // An interrupted attempt begins no generation.
  const std::vector<LinePlace> cut_off = {{600, 4}, {310, -1, {}, {1, 300}, false}};
  EXPECT_EQ(CurrentLine(cut_off).generation(), 0);
}

// The parent of the damaged newest one is at step 420 of generation 1, which abandoned step 400 of generation 0.
TEST(Line, TheParentsLineBoundsALineKnownOnlyFromNames) {
  const LinePlace damaged = {425, -1, {}, {2, 420}};
  std::vector<LinePlace> places = {{300, 1},
                                   {400, 2},
                                   {600, 4},
                                   {310, 5, shared(first_roll_back())},
                                   {420, 6, shared(first_roll_back())},
                                   {450, 7, shared(first_roll_back())},
                                   damaged};
  const CurrentLine line(places);
  EXPECT_EQ(line.generation(), 2);
  EXPECT_TRUE(line.holds(1, 420));
  EXPECT_FALSE(line.holds(1, 450));
  EXPECT_TRUE(line.holds(0, 300));
  EXPECT_FALSE(line.holds(0, 400));
  EXPECT_EQ(line.line().earlier, (std::vector<EarlierGeneration>{{0, 0, 300}, {1, 5, 420}}));
  places.push_back({420, 3});  // two may be the parent: everything up to its step counts
  const CurrentLine uncertain(places);
  EXPECT_TRUE(uncertain.holds(0, 400));
  EXPECT_FALSE(uncertain.holds(0, 600));
}

TEST(Line, WhenAGenerationBegins) {
  struct Case {
    bool is_first;
    std::int64_t step;
    std::optional<std::int64_t> newest;
    bool has_loaded_older;
    bool begins;
  };
  for (const Case& each : {Case{true, 310, 600, true, true}, Case{true, 310, 600, false, true}, Case{true, 600, 600, true, true},
                           Case{true, 600, 600, false, false}, Case{true, 610, 600, true, false},
                           Case{false, 310, 600, true, false}, Case{true, 0, std::nullopt, false, false}}) {
    EXPECT_EQ(begins_generation(each.is_first, each.step, each.newest, each.has_loaded_older), each.begins)
        << each.is_first << ' ' << each.step << ' ' << each.has_loaded_older;
  }
}

// ---- Names ----

TEST(Line, NamesOfAttempts) {
  const LineMark mark{2, 300};
  EXPECT_EQ(attempt_name("", 310, 0x1a2b3c4d, mark), "step-000000000310-1a2b3c4d.g2.300");
  EXPECT_EQ(attempt_name("best", 310, 0, {1, std::nullopt}), "best-step-000000000310-00000000.g1.new");
  EXPECT_EQ(mark_file_name(mark), "line.g2.300");
  EXPECT_EQ(mark_of_file("line.g2.300"), mark);
  EXPECT_EQ(mark_of_file("line.g2.new"), (LineMark{2, std::nullopt}));
  for (const char* other : {"line", "line.g2", "line.g02.300", "line.g0.300", "line.g2.-1", "line.g2.0300", "line.g1000000.3",
                            "line.g2.300.tmp1", "lines.g2.300", "model.safetensors"})
    EXPECT_EQ(mark_of_file(other), std::nullopt) << other;
  for (const std::string prefix : {"", "best", "abcdefghijklmnopqrstuvwx"}) {
    for (const std::int64_t step : {std::int64_t{7}, INT64_MAX}) {
      for (const LineMark& each : {LineMark{}, LineMark{1, 0}, LineMark{999'999, INT64_MAX}, LineMark{12, std::nullopt}}) {
        const std::string name = attempt_name(prefix, step, 0xffffffff, each);
        EXPECT_LE(name.size(), longest_attempt_name) << name;
        const auto parsed = parse_attempt(name);
        ASSERT_TRUE(parsed) << name;
        EXPECT_EQ(parsed->step, step) << name;
        EXPECT_EQ(parsed->mark, each) << name;
      }
    }
  }
  for (const char* other : {"step-000000000310-1a2b3c4d.", "step-000000000310-1a2b3c4d.g1", "step-000000000310-1a2b3c4d.g1.",
                            "step-000000000310.g1.300", "step-000000000310-1a2b3c4d.g1.300.x", "step-000000000310-1a2b3c4d.x1.300"})
    EXPECT_EQ(parse_attempt(other), std::nullopt) << other;
  EXPECT_EQ(status_of([] { attempt_name("", 1, 1, {1'000'000, 1}); }), Status::out_of_range);
}

// ---- Manifests ----

Manifest manifest_with(const std::optional<Line>& line) {
  Manifest manifest;
  manifest.library_version = "1";
  manifest.step = 310;
  manifest.commit_sequence = 5;
  if (line) manifest.line = shared(*line);
  return manifest;
}

TEST(Line, ManifestsRecordIt) {
  EXPECT_EQ(to_text(manifest_with(std::nullopt)).find("line\":"), std::string::npos);
  const Line second = line_after(2, first_roll_back(), LineParent{"x \"y\"", 200, 1}, nullptr);
  for (const Line& line : {Line(), first_roll_back(), second, line_after(1, Line(), std::nullopt, nullptr)}) {
    const std::string text = to_text(manifest_with(line));
    const Manifest read = parse_manifest(text);
    ASSERT_NE(read.line, nullptr) << text;
    EXPECT_EQ(*read.line, line) << text;
  }
  EXPECT_NE(to_text(manifest_with(first_roll_back()))
                .find(R"("line":{"generation":1,"first_commit_sequence":5,"parent":)"
                      R"({"name":"step-000000000300-00000003","step":300,"commit_sequence":1},)"
                      R"("earlier":[{"generation":0,"first_commit_sequence":0,"last_step":300}]})"),
            std::string::npos);
}

TEST(Line, ManifestsWithGenerationsOutOfOrderAreCorrupt) {
  Line line = first_roll_back();
  line.earlier = {{0, 0, 300}, {0, 0, 200}};
  EXPECT_EQ(status_of([&] { parse_manifest(to_text(manifest_with(line))); }), Status::corrupt);
  line.earlier = {{1, 0, 300}};
  EXPECT_EQ(status_of([&] { parse_manifest(to_text(manifest_with(line))); }), Status::corrupt);
}

}  // namespace
