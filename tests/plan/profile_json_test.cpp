// The JSON form of profiles: every profile is read back with the same bits, and no text gives anything else.
#include "plan/profile_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "expect_error.h"

namespace ckpt::plan {
namespace {

using base::Status;

void expect_same(double a, double b, const std::string& what) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << what << ": " << a << " and " << b;
}

void expect_same(const ChainProfile& a, const ChainProfile& b) {
  ASSERT_EQ(a.layers(), b.layers());
  EXPECT_EQ(a.is_uniform(), b.is_uniform());
  EXPECT_EQ(a.bytes_of(0), b.bytes_of(0));
  for (std::int32_t tier = 1; tier < tiers; ++tier) {
    EXPECT_EQ(a.tier(tier).capacity_bytes, b.tier(tier).capacity_bytes);
    expect_same(a.tier(tier).write_bytes_per_second, b.tier(tier).write_bytes_per_second, "write rate");
    expect_same(a.tier(tier).read_bytes_per_second, b.tier(tier).read_bytes_per_second, "read rate");
    expect_same(a.tier(tier).latency_seconds, b.tier(tier).latency_seconds, "latency");
  }
  for (std::int64_t i = 0; i < (a.is_uniform() ? 1 : a.layers()); ++i) {
    const LayerProfile& x = a.layer(i);
    const LayerProfile& y = b.layer(i);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.flags, y.flags);
    EXPECT_EQ(x.output_bytes, y.output_bytes);
    EXPECT_EQ(x.ambient_bytes, y.ambient_bytes);
    EXPECT_EQ(x.output.dtype, y.output.dtype);
    EXPECT_EQ(x.output.shape, y.output.shape);
    ASSERT_EQ(x.options.size(), y.options.size());
    for (std::size_t o = 0; o < x.options.size(); ++o) {
      EXPECT_EQ(x.options[o].tape_bytes, y.options[o].tape_bytes);
      EXPECT_EQ(x.options[o].forward_workspace_bytes, y.options[o].forward_workspace_bytes);
      EXPECT_EQ(x.options[o].backward_workspace_bytes, y.options[o].backward_workspace_bytes);
      EXPECT_EQ(x.options[o].record_workspace_bytes, y.options[o].record_workspace_bytes);
      EXPECT_EQ(x.options[o].has_record, y.options[o].has_record);
      EXPECT_EQ(x.options[o].backward_peak_bytes, y.options[o].backward_peak_bytes);
      expect_same(x.options[o].forward_seconds, y.options[o].forward_seconds, "forward_seconds");
      expect_same(x.options[o].backward_seconds, y.options[o].backward_seconds, "backward_seconds");
      expect_same(x.options[o].record_seconds, y.options[o].record_seconds, "record_seconds");
    }
  }
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  std::int64_t bytes() {
    return below(8) == 0 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(engine_() >> below(63) >> 1);
  }
  // Returns any finite non-negative double.
  double seconds() {
    const double value = std::fabs(std::bit_cast<double>(engine_()));
    return std::isfinite(value) ? value : 0.0;
  }

 private:
  std::mt19937_64 engine_;
};

OptionProfile random_option(Random& random) {
  return {random.bytes(),   random.bytes(),       random.bytes(),
          random.seconds(), random.seconds(),     random.bytes(),
          random.seconds(), random.below(2) == 1, random.below(2) == 0 ? 0 : random.bytes()};
}

LayerProfile random_layer(Random& random, bool is_first) {
  LayerProfile layer;
  layer.name = base::cat("layer \"", random.below(1000), "\\ \n\xC3\xA9");
  layer.flags = static_cast<std::uint32_t>(random.below(all_layer_flags + 1));
  if (!is_first) layer.flags &= ~no_input_gradient;
  layer.ambient_bytes = random.bytes();
  if (random.below(2) == 0) {
    layer.output_bytes = random.bytes();
    layer.output = strategy::Activation(layer.output_bytes);
  } else {
    const auto dtype = static_cast<tensor::Dtype>(random.below(2) == 0 ? tensor::Dtype::f32 : tensor::Dtype::c64);
    const std::int64_t shape[3] = {static_cast<std::int64_t>(random.below(50)), 3, static_cast<std::int64_t>(random.below(9))};
    layer.output = strategy::Activation(dtype, tensor::Shape(std::span(shape, random.below(4))));
    layer.output_bytes = layer.output.bytes;
  }
  return layer;
}

TEST(ProfileJson, RandomProfilesAreRestoredBitForBit) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    ChainProfile profile(random.bytes());
    const std::uint64_t layers = random.below(6);
    for (std::uint64_t i = 0; i < layers; ++i) {
      LayerProfile layer = random_layer(random, i == 0);
      for (std::uint64_t options = random.below(4); options > 0; --options) layer.options.push_back(random_option(random));
      profile.add_layer(std::move(layer));
    }
    for (std::int32_t tier = 1; tier < tiers; ++tier)
      profile.set_tier(tier, {random.bytes(), random.seconds(), random.seconds(), random.seconds()});
    profile.set_flags(static_cast<std::uint32_t>(random.below(all_profile_flags + 1)));
    const std::string text = to_json(profile);
    const ChainProfile again = profile_from_json(text);
    expect_same(profile, again);
    EXPECT_EQ(again.flags(), profile.flags());
    EXPECT_EQ(to_json(again), text);
  }
}

TEST(ProfileJson, UniformProfilesStaySmall) {
  Random random(5);
  LayerProfile layer = random_layer(random, false);
  layer.options = {random_option(random)};
  const ChainProfile profile = ChainProfile::uniform(1'000'000'000, layer);
  const std::string text = to_json(profile);
  EXPECT_LT(text.size(), 1500U);
  expect_same(profile, profile_from_json(text));
}

// The JSON in docs/reference/plan.md, shortened: missing members have the values of a new profile.
TEST(ProfileJson, MembersMayBeLeftOut) {
  const ChainProfile profile = profile_from_json(
      R"({"format": "ckpt-profile", "version": 1, "input_bytes": 8,
          "layers": [{"name": "a", "output_bytes": 16, "options": [{"tape_bytes": 4, "forward_seconds": 1}]}]})");
  EXPECT_EQ(profile.layers(), 1);
  EXPECT_EQ(profile.layer(0).flags, needs_input | deterministic);
  EXPECT_EQ(profile.layer(0).output.shape, tensor::Shape({16}));
  EXPECT_EQ(profile.layer(0).options[0].forward_seconds, 1.0);
  EXPECT_EQ(profile.tier(1).capacity_bytes, 0);
}

TEST(ProfileJson, InvalidJsonIsRefusedWithItsPosition) {
  const std::string begin = R"({"format": "ckpt-profile", "version": 1, "input_bytes": 8, )";
  const auto layer = [&](const std::string& members) { return begin + R"("layers": [{"name": "a", )" + members + "}]}"; };
  const auto option = [&](const std::string& members) { return layer(R"("options": [{}, {)" + members + "}]"); };
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_ERROR(profile_from_json(text), Status::corrupt, message);
  };
  refused("", "the profile's JSON is not usable: not JSON");
  refused("[]", "the text: expected an object");
  refused("{}", "its format is not 'ckpt-profile'");
  refused(R"({"format": 7})", "its format is not 'ckpt-profile'");
  refused(R"({"format": "ckpt-profile"})", "version is missing");
  refused(R"({"format": "ckpt-profile", "version": 0})", "version is 0");
  refused(R"({"format": "ckpt-profile", "version": 1.5})", "version: expected a whole number");
  refused(R"({"format": "ckpt-profile", "version": 1})", "input_bytes is missing");
  refused(begin + R"("layers": {}})", "layers: expected a list");
  refused(begin + R"("layers": [7]})", "layers[0]: expected an object");
  refused(begin + R"("layers": [{}]})", "layers[0].name is missing");
  refused(begin + R"("layers": [], "layer": 1})", "unknown member 'layer'");
  refused(begin + R"("layers": [], "layers": []})", "key 'layers' twice");
  refused(R"({"format": "ckpt-profile", "version": 1, "input_bytes": -1, "layers": []})", "input_bytes is -1; expected at least 0");
  refused(layer(R"("output_bytes": 1)"), "layers[0].options is missing");
  refused(layer(R"("output_bytes": -1, "options": [])"), "layers[0]: output_bytes is -1; expected at least 0");
  refused(layer(R"("output_bytes": 9223372036854775808, "options": [])"), "layers[0].output_bytes exceeds INT64_MAX");
  refused(layer(R"("output_bytes": 1e3, "options": [])"), "layers[0].output_bytes: expected a whole number");
  refused(layer(R"("flags": ["needs_all"], "options": [])"), "layers[0].flags[0] is 'needs_all'; expected a known flag");
  refused(layer(R"("flags": [4], "options": [])"), "layers[0].flags[0]: expected a string");
  refused(layer(R"("dtype": "F33", "shape": [], "options": [])"), "layers[0].dtype is 'F33'; expected a known dtype");
  refused(layer(R"("dtype": "F32", "options": [])"), "layers[0].shape is missing");
  refused(layer(R"("output_bytes": 5, "dtype": "F32", "shape": [1], "options": [])"),
          "output_bytes is 5; expected the bytes of dtype and shape, 4");
  refused(layer(R"("dtype": "F32", "shape": [-1], "options": [])"), "layers[0].shape: ");
  refused(layer(R"("dtype": "F32", "shape": [4294967296, 4294967296], "options": [])"), "layers[0].shape: ");
  refused(layer(R"("dtype": "F32", "shape": [1,1,1,1,1,1,1,1,1], "options": [])"), "layers[0].shape: ");
  refused(option(R"("tape_bytes": -4)"), "layers[0]: tape_bytes is -4; expected at least 0");
  refused(option(R"("forward_seconds": "1")"), "layers[0].options[1].forward_seconds: expected a number");
  refused(option(R"("forward_seconds": -1)"), "forward_seconds is -1; expected a finite number of at least 0");
  refused(option(R"("forward_seconds": 1e999)"), "too large for a double");
  refused(option(R"("has_record": 1)"), "layers[0].options[1].has_record: expected true or false");
  refused(option(R"("seconds": 1)"), "layers[0].options[1]: unknown member 'seconds'");
  refused(begin + R"("layers": [], "tiers": [{}, {}, {}, {}]})", "tiers has 4 entries; expected at most 3");
  refused(begin + R"("layers": [], "tiers": [{}, {"latency_seconds": -1}]})", "tiers[1]: latency_seconds is -1");
  refused(begin + R"("uniform_layers": 5, "layers": []})", "layers has 0 entries");
  refused(begin + R"("uniform_layers": 0, "layers": [{"name": "a", "output_bytes": 8, "options": [{}]}]})", "layer_count is 0");
  refused(begin + R"("uniform_layers": 5, "layers": [{"name": "a", "output_bytes": 9, "options": [{}]}]})", "input_bytes is 8");
  refused(begin + R"("uniform_layers": 5, "layers": [{"name": "a", "output_bytes": 8, "options": []}]})", "options has 0 entries");
  refused(R"({"format": "ckpt-profile", "version": 1, "input_bytes": 8, "layers": [)" + std::string(100000, '['), "deeper than");
  EXPECT_ERROR(profile_from_json(R"({"format": "ckpt-profile", "version": 2})"), Status::unsupported, "version 2");
}

// Every truncated or modified text is refused, or gives a profile that can be written again.
TEST(ProfileJson, BrokenJsonIsRefused) {
  Random random(9);
  ChainProfile profile(100);
  LayerProfile layer = random_layer(random, true);
  layer.options = {random_option(random)};
  profile.add_layer(layer);
  const std::string text = to_json(profile);
  const auto read = [](const std::string& broken) {
    try {
      static_cast<void>(to_json(profile_from_json(broken)));
    } catch (const base::Error& error) {
      EXPECT_TRUE(error.status() == Status::corrupt || error.status() == Status::unsupported) << error.message();
    }
  };
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_ERROR(profile_from_json(text.substr(0, length)), Status::corrupt, "not usable");
    for (const char byte : {'0', '9', '-', '"', ',', '}', ']', '\xFF', 'e'}) {
      std::string changed = text;
      changed[length] = byte;
      read(changed);
    }
  }
}

}  // namespace
}  // namespace ckpt::plan
