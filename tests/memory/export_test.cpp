// JSON and Prometheus text: valid, complete, and with consistent sums.
#include "memory/export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "memory/tracker.h"

namespace ckpt::memory {
namespace {

TEST(MemoryJson, ContainsTheSnapshot) {
  Tracker tracker;
  tracker.push_scope("step \"1\"");
  tracker.allocate("a\\b\n\x01\"\x7f", 10);
  tracker.free(
      tracker.allocate("gr\xc3\xb6\xc3\x9f"
                       "e",
                       300));
  tracker.allocate("c", 30);
  tracker.set_limit(1000, 5);
  const std::string text = to_json(tracker.snapshot(LayerOrder::by_current, 2));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["current_bytes"], 40);
  EXPECT_EQ(json["peak_bytes"], 310);
  EXPECT_EQ(json["total_allocated_bytes"], 340);
  EXPECT_EQ(json["total_freed_bytes"], 300);
  EXPECT_EQ(json["live_allocations"], 2);
  EXPECT_EQ(json["allocations"], 3);
  EXPECT_EQ(json["frees"], 1);
  EXPECT_EQ(json["average_bytes"], 20);
  EXPECT_EQ(json["layer_count"], 3);
  EXPECT_EQ(json["sequence"], 4);
  EXPECT_EQ(json["limit"]["bytes"], 1000);
  EXPECT_EQ(json["limit"]["hysteresis_bytes"], 5);
  EXPECT_EQ(json["scopes"][0]["name"], "step \"1\"");
  EXPECT_EQ(json["scopes"][0]["peak_bytes"], 310);
  ASSERT_EQ(json["layers"].size(), 2U);
  EXPECT_EQ(json["layers"][0]["name"], "c");
  EXPECT_EQ(json["layers"][1]["name"], "a\\b\n\x01\"\x7f");
  EXPECT_EQ(json["other_layers"]["layer_count"], 1);
  EXPECT_EQ(json["other_layers"]["total_allocated_bytes"], 300);
}

TEST(MemoryJson, OfAnEmptyTracker) {
  const auto json = nlohmann::json::parse(to_json(Tracker().snapshot()));
  EXPECT_TRUE(json["limit"].is_null());
  EXPECT_TRUE(json["layers"].empty());
  EXPECT_TRUE(json["scopes"].empty());
  EXPECT_EQ(json["current_bytes"], 0);
}

// Returns the sum of a family's samples; checks that each line follows the text format.
std::int64_t sum_of(const std::string& text, const std::string& family) {
  std::istringstream lines(text);
  std::string line;
  std::int64_t sum = 0;
  while (std::getline(lines, line)) {
    if (line.compare(0, family.size() + 1, family + "{") != 0 && line.compare(0, family.size() + 1, family + " ") != 0) continue;
    sum += std::stoll(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

TEST(MemoryPrometheus, TotalsAndLayersAddUpForEveryCap) {
  Tracker tracker;
  for (int i = 0; i < 10; ++i) tracker.allocate(base::cat("layer", i), 10 + i);
  tracker.free_layer("layer3");
  for (const std::int64_t cap : {-1, 0, 1, 4, 10, 99}) {
    const std::string text = to_prometheus(tracker.snapshot(LayerOrder::by_id, cap));
    EXPECT_EQ(sum_of(text, "ckpt_memory_current_bytes"), 132);
    EXPECT_EQ(sum_of(text, "ckpt_memory_peak_bytes"), 145);
    EXPECT_EQ(sum_of(text, "ckpt_memory_allocated_bytes_total"), 145);
    EXPECT_EQ(sum_of(text, "ckpt_memory_freed_bytes_total"), 13);
    EXPECT_EQ(sum_of(text, "ckpt_memory_layer_current_bytes"), 132) << cap;
    EXPECT_EQ(sum_of(text, "ckpt_memory_layer_allocated_bytes_total"), 145) << cap;
    EXPECT_EQ(sum_of(text, "ckpt_memory_layer_freed_bytes_total"), 13) << cap;
    EXPECT_EQ(sum_of(text, "ckpt_memory_layer_live_allocations"), 9) << cap;
    EXPECT_EQ(text.find("layer=\"other\"") != std::string::npos, cap >= 0 && cap < 10) << cap;
    EXPECT_EQ(text.back(), '\n');
  }
}

TEST(MemoryPrometheus, ALayerCalledOtherIsNeverASecondSeriesOfThatName) {
  Tracker tracker;
  tracker.allocate("other", 5);
  tracker.allocate("a", 2);
  tracker.allocate("b", 1);
  const std::string text = to_prometheus(tracker.snapshot(LayerOrder::by_id, 2));
  const std::string sample = "ckpt_memory_layer_current_bytes{layer=\"other\"} 6\n";
  EXPECT_NE(text.find(sample), std::string::npos) << text;
  EXPECT_EQ(text.find("ckpt_memory_layer_current_bytes{layer=\"other\"}"),
            text.rfind("ckpt_memory_layer_current_bytes{layer=\"other\"}"));
}

TEST(MemoryPrometheus, EscapesLabelsAndNamesTypes) {
  Tracker tracker;
  tracker.allocate("q\"b\\n\nz", 5);
  tracker.set_limit(9);
  const std::string text = to_prometheus(tracker.snapshot());
  EXPECT_NE(text.find("ckpt_memory_layer_current_bytes{layer=\"q\\\"b\\\\n\\nz\"} 5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# TYPE ckpt_memory_current_bytes gauge\n"), std::string::npos);
  EXPECT_NE(text.find("# TYPE ckpt_memory_allocated_bytes_total counter\n"), std::string::npos);
  EXPECT_NE(text.find("ckpt_memory_limit_bytes 9\n"), std::string::npos);
  EXPECT_EQ(to_prometheus(Tracker().snapshot()).find("ckpt_memory_limit_bytes"), std::string::npos);
}

}  // namespace
}  // namespace ckpt::memory
